//! Files that hold conversations of role messages and nothing that names their producer: requests kept as they were
//! sent, exports, rows of data sets. Three formats by spelling; one loader. They ask last: every harness that stores
//! such messages in a shape of its own has a format of its own.

pub mod anthropic;
mod load;
pub mod openai;
pub mod sharegpt;
