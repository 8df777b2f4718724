//! Conversations made of messages with a role: what OpenAI's chat and responses interfaces and Anthropic's messages
//! interface exchange, what data sets make of them, and what many harnesses store. One reader for all of them, since they
//! differ in the names of fields only and are mixed in practice; the formats that use it know where the messages lie.

pub mod content;
pub mod message;
pub mod moment;
pub mod said;
pub mod sniff;
pub mod tell;
pub mod text_calls;
pub mod usage;
