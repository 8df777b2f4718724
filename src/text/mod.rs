//! The doors to engines (Tera, pulldown-cmark) and what every text passes: quoting, escaping, redaction, numbers.
//! Nothing here knows what a session is.

pub(crate) mod ansi;
pub mod cut_mark;
pub mod flavour;
pub mod harness;
pub mod markdown;
pub mod number;
pub mod partial_json;
pub mod pattern;
pub mod quote;
pub mod redact;
pub mod sentence;
pub mod template;
pub mod terms;
