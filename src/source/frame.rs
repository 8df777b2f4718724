//! Framings: cutting bytes into records. What a record means is the format's affair.
