//! Finished text against the log: which references, quotations and numbers hold.
//!
//! [`others`] reads an article by anybody; what this program wrote itself is made again and compared in place.

pub mod figures;
pub mod kinds;
pub mod log;
pub mod manifest;
pub mod numbers;
pub mod others;
pub mod ours;
pub mod quotes;
pub mod read;
pub mod references;
pub mod scope;
pub mod trailer;
