//! The nouns, in reading order: what happened (session, message, step), what stands there (evidence), what can be
//! read off it (todo, metric, facts), what is concluded (phase, findings), what is written (article) and
//! what a check says of it (verdict).

pub mod accounting;
pub mod article;
pub mod audit;
pub mod builder;
pub mod command;
pub mod evidence;
pub mod facts;
pub mod findings;
pub mod join;
pub mod message;
pub mod metric;
pub mod phase;
pub mod picture;
pub mod series;
pub mod session;
pub mod todo;
pub mod todo_items;
pub mod todo_pairs;
pub mod verdict;
