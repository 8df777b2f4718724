//! What stops one input, or the program. Everything milder is a diagnostic.

/// Why an input could not be read, or a request not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file, folder or stream could not be read.
    #[error("{input}: {reason}")]
    Unreadable {
        /// Path as given, or `-`.
        input: String,
        /// What the system said.
        reason: String,
    },
    /// No format recognised the input.
    #[error("{input}: not a session log that turnpoint knows: {reason} (`inspect --why` tells what each format says)")]
    Unrecognised {
        /// Path as given, or `-`.
        input: String,
        /// What it looks like.
        reason: String,
        /// Why each format declined: its name, its reason.
        answers: Vec<(&'static str, String)>,
    },
    /// The input is one file of a session that is read through another.
    #[error("{input}: is a part of a session; read {of} instead")]
    PartOfSession {
        /// Path as given.
        input: String,
        /// What to read.
        of: String,
    },
    /// Something of an archive is not read by intent; nothing is lost with it.
    #[error("{input}: not read: {what}")]
    PassedOver {
        /// Path as given.
        input: String,
        /// What, counted.
        what: String,
    },
    /// A format recognised the input but found no turn in it.
    #[error("{input}: recognised as {format}, but no message was found in it ({reason})")]
    NoTurns {
        /// Path as given, or `-`.
        input: String,
        /// Name of the format.
        format: &'static str,
        /// What was there instead.
        reason: String,
    },
    /// Something was asked for that the session does not hold (a message, a session id).
    #[error("{0}")]
    NotFound(String),
    /// A finished article did not pass the check that every article passes before it is written.
    #[error("the article was not written, since its own check refuses {statement:?}: {reason}")]
    Refused {
        /// The words that do not hold.
        statement: String,
        /// Why.
        reason: String,
    },
    /// A template, weights file or output folder is unusable.
    #[error("{0}")]
    Setup(String),
    /// A fault of turnpoint itself, caught at the fence around one input.
    #[error("{input}: internal fault, please report it: {reason}")]
    Internal {
        /// Path as given, or `-`.
        input: String,
        /// Text of the panic.
        reason: String,
    },
}
