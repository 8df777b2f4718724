//! What the two Claude formats share: Anthropic messages and their content blocks, told as a session. Which records
//! belong together, and in which order, is the affair of each format.

pub mod blocks;
pub mod emit;
pub mod fold;
pub mod outcome;
pub mod said;
pub mod structured;
pub mod tell;
pub mod turn;
pub mod usage;
