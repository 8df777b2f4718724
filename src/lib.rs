//! turnpoint reads the log of a coding agent's session and tells what happened in it.
//!
//! Bytes become records, records a [`Session`](model::session::Session); a session yields
//! [`Facts`](model::facts::Facts) (what can be read off it), facts yield [`Findings`](model::findings::Findings) (what
//! is concluded), both become an [`Article`](model::article::Article) whose sentences carry their evidence, and an
//! article becomes text. Nouns live in [`model`]; verbs in [`source`], [`extract`], [`infer`], [`report`], [`render`]
//! and [`check`]; [`pipeline`] is the only place where verbs meet.
//!
//! ```
//! use turnpoint::{pipeline, source::open::Input};
//!
//! let log = "<msg id=1>\n[user] is the server up?\n\n<msg id=2>\n[assistant] Yes, it answers.\n";
//! let reading = pipeline::read(&Input::from_bytes("example.txt", log.as_bytes().to_vec()), Default::default()).unwrap();
//! assert_eq!(reading.format, "bracketed");
//! assert_eq!(reading.sessions[0].messages.len(), 2);
//! ```

pub mod base;
pub mod check;
pub mod extract;
pub mod infer;
pub mod model;
pub mod pipeline;
pub mod render;
pub mod report;
pub mod source;
pub mod text;

#[cfg(feature = "cli")]
pub mod cli;
