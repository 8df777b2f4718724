//! Finished text against the log: which references, quotations and numbers hold.
