//! The fields of an export that are read, as opencode 0.5 to 1.x and its forks write them. All are optional, and one of
//! another type costs itself only. Inputs and extras stay raw: most of them are never looked into.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::source::loose::Loose;

/// The document.
#[derive(Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow, default)]
    pub info: Option<&'a RawValue>,
    #[serde(borrow)]
    pub messages: Vec<&'a RawValue>,
    /// The final list, written by forks.
    #[serde(borrow, default)]
    pub todos: Option<&'a RawValue>,
}

/// An item of `messages`.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(borrow)]
    pub info: &'a RawValue,
    #[serde(borrow, default)]
    pub parts: Vec<&'a RawValue>,
}

/// `info` of the document.
#[derive(Deserialize, Default)]
pub(super) struct SessionInfo {
    #[serde(default)]
    pub id: Loose<String>,
    #[serde(default, rename = "parentID")]
    pub parent: Loose<String>,
    #[serde(default)]
    pub title: Loose<String>,
    #[serde(default)]
    pub directory: Loose<String>,
    #[serde(default)]
    pub version: Loose<String>,
    #[serde(default)]
    pub revert: Loose<Revert>,
}

/// Where the user went back to.
#[derive(Deserialize, Default)]
pub(super) struct Revert {
    #[serde(default, rename = "messageID")]
    pub message: Loose<String>,
    #[serde(default, rename = "partID")]
    pub part: Loose<String>,
}

/// `info` of a message.
#[derive(Deserialize, Default)]
pub(super) struct MessageInfo {
    #[serde(default)]
    pub id: Loose<String>,
    #[serde(default)]
    pub role: Loose<String>,
    #[serde(default)]
    pub time: Loose<Times>,
    #[serde(default, rename = "modelID")]
    pub model: Loose<String>,
    #[serde(default)]
    pub path: Loose<Paths>,
    /// `true` on the answer of a compaction; an object of another meaning on user messages.
    #[serde(default)]
    pub summary: Loose<bool>,
    #[serde(default)]
    pub error: Loose<Failure>,
}

#[derive(Deserialize, Default)]
pub(super) struct Times {
    #[serde(default)]
    pub created: Loose<f64>,
    #[serde(default)]
    pub start: Loose<f64>,
    #[serde(default)]
    pub end: Loose<f64>,
}

#[derive(Deserialize, Default)]
pub(super) struct Paths {
    #[serde(default)]
    pub cwd: Loose<String>,
}

/// An error of the provider, in a message or a retry.
#[derive(Deserialize, Default)]
pub(super) struct Failure {
    #[serde(default)]
    pub name: Loose<String>,
    #[serde(default)]
    pub data: Loose<FailureData>,
}

#[derive(Deserialize, Default)]
pub(super) struct FailureData {
    #[serde(default)]
    pub message: Loose<String>,
}

/// A part of a message, of any type.
#[derive(Deserialize, Default)]
pub(super) struct Part<'a> {
    #[serde(default)]
    pub id: Loose<String>,
    #[serde(default, rename = "type")]
    pub kind: Loose<String>,
    #[serde(borrow, default)]
    pub text: Option<&'a RawValue>,
    #[serde(default)]
    pub synthetic: Loose<bool>,
    #[serde(default)]
    pub ignored: Loose<bool>,
    #[serde(default)]
    pub time: Loose<Times>,
    #[serde(default, rename = "callID")]
    pub call: Loose<String>,
    #[serde(default)]
    pub tool: Loose<String>,
    #[serde(borrow, default)]
    pub state: Option<&'a RawValue>,
    /// Of a retry.
    #[serde(default)]
    pub error: Loose<Failure>,
    /// Of a subtask.
    #[serde(default)]
    pub description: Loose<String>,
    #[serde(default)]
    pub prompt: Loose<String>,
}

/// State of a tool part.
#[derive(Deserialize, Default)]
pub(super) struct State<'a> {
    #[serde(default)]
    pub status: Loose<String>,
    #[serde(borrow, default)]
    pub input: Option<&'a RawValue>,
    /// The input so far, as a text, while it is still being written.
    #[serde(default)]
    pub raw: Loose<String>,
    #[serde(borrow, default)]
    pub output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub metadata: Loose<Metadata<'a>>,
    #[serde(default)]
    pub time: Loose<Times>,
}

/// What the tool tells besides its output.
#[derive(Deserialize, Default)]
pub(super) struct Metadata<'a> {
    /// `null` when the command was killed.
    #[serde(borrow, default, deserialize_with = "present")]
    pub exit: Option<&'a RawValue>,
    #[serde(default)]
    pub interrupted: Loose<bool>,
    #[serde(default)]
    pub truncated: Loose<bool>,
    #[serde(default, rename = "sessionId", alias = "sessionID")]
    pub session: Loose<String>,
    #[serde(borrow, default)]
    pub todos: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub answers: Option<&'a RawValue>,
}

/// Tells a field that is `null` from one that is missing.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&'de RawValue>::deserialize(deserializer).map(Some)
}
