//! Parts of a content as they stand in JSON: texts, calls, what tools returned, data that are measured and not kept.

use std::borrow::Cow;

use crate::{
    model::message::{Exit, Outcome, ToolKind},
    source::{
        exit_words,
        fields::compact,
        lenient::{self, Any, Flag, Length, Lenient, Raw, Text, lenient},
    },
};

lenient! {
    /// A part.
    pub struct Part<'a> {
        text: Text<'a> = "text",
        thought: Any<Flag> = "thought",
        call: Option<FunctionCall<'a>> = "functionCall",
        response: Option<FunctionResponse<'a>> = "functionResponse",
        inline: Any<Blob<'a>> = "inlineData",
        file: Any<Blob<'a>> = "fileData",
    }
}

lenient! {
    /// A call of a tool.
    pub struct FunctionCall<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
    }
}

lenient! {
    /// What a tool returned.
    pub struct FunctionResponse<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        response: Raw<'a> = "response",
    }
}

lenient! {
    /// Data.
    pub struct Blob<'a> {
        kind: Text<'a> = "mimeType",
        data: Length = "data",
    }
}

lenient! {
    /// The usual members of what a tool returned.
    struct Given<'a> {
        output: Any<Text<'a>> = "output",
        error: Any<Text<'a>> = "error",
    }
}

impl Lenient for Option<FunctionCall<'_>> {
    fn wrong(&self) -> bool {
        self.as_ref().is_some_and(Lenient::wrong)
    }
}

impl Lenient for Option<FunctionResponse<'_>> {
    fn wrong(&self) -> bool {
        self.as_ref().is_some_and(Lenient::wrong)
    }
}

/// What is said, part by part.
pub type Content<'a> = lenient::Content<Part<'a>>;

impl Content<'_> {
    /// Its texts, those that are thoughts or those that are none.
    fn texts(&self, thoughts: bool) -> String {
        let of = self.blocks.iter().filter(|part| part.thought.0.set() == thoughts);
        of.filter_map(|part| part.text.get().or(part.stray.get())).collect()
    }

    /// What it says.
    pub fn said(&self) -> String {
        self.texts(false)
    }

    /// The model's reasoning in it.
    pub fn thought(&self) -> String {
        self.texts(true)
    }

    /// What stands for its images and files.
    pub fn placeholders(&self) -> Vec<String> {
        let kinds = self.blocks.iter().filter_map(|part| part.inline.0.kind.get().or(part.file.0.kind.get()));
        kinds.map(|kind| format!("<{kind}>")).collect()
    }

    /// What it says as the result of a tool: the texts, else what the tool returned. And whether that is an error.
    pub fn result(&self) -> (String, bool) {
        let given = self.blocks.iter().filter_map(|part| part.response.as_ref()).map(|r| returned(r.response));
        let (texts, errors): (Vec<Cow<str>>, Vec<bool>) = given.unzip();
        let mut text = texts.join("\n");
        let said = self.said();
        if !said.is_empty() {
            text += if text.is_empty() { "" } else { "\n" };
            text += &said;
        }
        (text, errors.contains(&true))
    }
}

/// The text of what a tool returned, and whether it is an error.
pub fn returned(response: Raw<'_>) -> (Cow<'_, str>, bool) {
    let Some(raw) = response else { return (Cow::Borrowed(""), false) };
    let given: Given = serde_json::from_str(raw.get()).unwrap_or_default();
    match (given.output.0, given.error.0, given.stray) {
        (Text::Is(text), ..) => (text, false),
        (_, Text::Is(text), _) => (text, true),
        (_, _, Text::Is(text)) => (text, false),
        _ => (Cow::Owned(compact(raw.get())), false),
    }
}

/// Words in the result of a call that was not carried out, by which it was refused rather than stopped.
const REFUSALS: &[&str] = &["denied", "did not allow", "not approved", "rejected", "user declined"];

/// How a call ended, by the status that the harness gave it and, for a command, by the lines that it prints of it.
pub fn ending(kind: ToolKind, status: &str, text: &str, error: bool) -> (Outcome, Exit) {
    if kind == ToolKind::Shell
        && let (outcome, exit @ Exit::Code(_)) = exit_words::ending(text)
    {
        return (outcome, exit);
    }
    let outcome = match status {
        "cancelled" => {
            let text = text.to_lowercase();
            let refused = REFUSALS.iter().any(|words| text.contains(words));
            if refused { Outcome::Denied } else { Outcome::Interrupted }
        }
        "error" => Outcome::Failed,
        _ if error => Outcome::Failed,
        "success" => Outcome::Ok,
        _ => Outcome::NotRecorded,
    };
    (outcome, Exit::NotRecorded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_texts_parts_or_lists_of_both() {
        let said = |json: &str| serde_json::from_str::<Content>(json).expect("JSON").said();
        assert_eq!(said(r#""a""#), "a");
        assert_eq!(said(r#"{"text":"a"}"#), "a");
        assert_eq!(
            said(r#"["a",{"text":"b"},{"text":"c","thought":true},{"inlineData":{"mimeType":"image/png"}}]"#),
            "ab"
        );
        let result: Content =
            serde_json::from_str(r#"[{"functionResponse":{"id":"1","response":{"error":"no"}}}]"#).expect("JSON");
        assert_eq!(result.result(), ("no".to_string(), true));
    }

    #[test]
    fn a_status_of_success_is_no_exit_status() {
        let failed = "Command: x\nOutput: (empty)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: 7";
        assert_eq!(ending(ToolKind::Shell, "success", failed, false), (Outcome::Failed, Exit::Code(2)));
        assert_eq!(ending(ToolKind::Shell, "success", "Output: x", false), (Outcome::Ok, Exit::NotRecorded));
        let refused = "[Operation Cancelled] Reason: User did not allow tool call";
        assert_eq!(ending(ToolKind::Edit, "cancelled", refused, false).0, Outcome::Denied);
        assert_eq!(ending(ToolKind::Edit, "cancelled", "stopped", false).0, Outcome::Interrupted);
    }
}
