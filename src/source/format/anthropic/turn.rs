//! What is kept of one record while the session is put together: owned, small, without base64 and file copies.

use std::sync::Arc;

use super::structured::Structured;
use crate::{
    base::{locate::Locator, time::Timestamp},
    model::message::{Cut, NoticeKind, Usage},
};

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The user, or the harness in their place; tool results come under this role too.
    User,
    /// The model.
    Assistant,
    /// Nobody: the record is a notice.
    Notice(NoticeKind),
}

/// A piece of a record's content.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// A text.
    Said(String),
    /// Recorded reasoning.
    Thought(String),
    /// A tool call; its input as written.
    Call {
        /// The producer's id.
        id: Option<String>,
        /// Raw name of the tool.
        name: String,
        /// JSON.
        input: String,
    },
    /// What a tool returned.
    Result(Answer),
    /// What stands for an image or a document.
    Placeholder(String),
}

/// What a tool returned.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Id of the call.
    pub id: Option<String>,
    /// What the model saw.
    pub text: String,
    /// The error flag, where there is one.
    pub is_error: Option<bool>,
    /// Set when a placeholder stands for a part of it.
    pub cut: Option<Cut>,
}

/// One record that takes part in a conversation.
#[derive(Clone, PartialEq, Debug)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// The record's id.
    pub uuid: Option<String>,
    /// Ids of records that were folded into this one.
    pub also: Vec<String>,
    /// Id of the model's response, shared by its records.
    pub message_id: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Working directory.
    pub cwd: Option<Arc<str>>,
    /// Version-control branch.
    pub branch: Option<Arc<str>>,
    /// What the response cost, as far as this record knows.
    pub usage: Option<Box<Usage>>,
    /// When it was recorded.
    pub time: Option<Timestamp>,
    /// Where it lies.
    pub place: Locator,
    /// What it says.
    pub pieces: Vec<Piece>,
    /// Written by the harness, not meant as a turn.
    pub meta: bool,
    /// A summary that replaces the conversation so far for the model.
    pub summary: bool,
    /// An error of the provider, told as if the model had spoken.
    pub api_error: bool,
    /// What the tool returned in structured form.
    pub structured: Option<Box<Structured>>,
}

impl Turn {
    /// An empty turn.
    pub fn new(role: Role, place: Locator) -> Self {
        Self {
            role,
            uuid: None,
            also: Vec::new(),
            message_id: None,
            model: None,
            cwd: None,
            branch: None,
            usage: None,
            time: None,
            place,
            pieces: Vec::new(),
            meta: false,
            summary: false,
            api_error: false,
            structured: None,
        }
    }

    /// Id of the model's response that it belongs to; its own where there is none.
    pub fn response(&self) -> Option<&str> {
        self.message_id.as_deref().or(self.uuid.as_deref())
    }

    /// Ids of the calls whose results it holds.
    pub fn answered(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Result(answer) => answer.id.as_deref(),
            _ => None,
        })
    }

    /// Ids of the calls that it makes.
    pub fn called(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Call { id, .. } => id.as_deref(),
            _ => None,
        })
    }

    /// Its first text.
    pub fn said(&self) -> Option<&str> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Said(text) => Some(text.as_str()),
            _ => None,
        })
    }
}
