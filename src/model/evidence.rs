//! Evidence: the place in the log on which a sentence rests. Only [`Session`](super::session::Session) makes it, so
//! resolving it cannot fail.

use crate::base::{ids::MessageIdx, span::ByteSpan};

/// A checked place in one session.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Evidence(pub(super) Place);

/// The forms of evidence.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum Place {
    /// Bytes of one part of a message.
    Quote { message: MessageIdx, part: u16, span: ByteSpan },
    /// A message as a whole (a call was made, a text exists).
    Whole { message: MessageIdx },
    /// A range of messages that was searched, for counts and absences; both ends included.
    Searched { from: MessageIdx, to: MessageIdx },
}

impl Evidence {
    /// The message it lies in; the first one of a searched range.
    pub fn message(&self) -> MessageIdx {
        match self.0 {
            Place::Quote { message, .. } | Place::Whole { message } => message,
            Place::Searched { from, .. } => from,
        }
    }

    /// Part and bytes, when it is a quotation.
    pub fn quote(&self) -> Option<(usize, ByteSpan)> {
        match self.0 {
            Place::Quote { part, span, .. } => Some((part as usize, span)),
            _ => None,
        }
    }

    /// First and last message of a searched range.
    pub fn searched(&self) -> Option<(MessageIdx, MessageIdx)> {
        match self.0 {
            Place::Searched { from, to } => Some((from, to)),
            _ => None,
        }
    }
}
