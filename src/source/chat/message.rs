//! One message of a list, with every field by which the interfaces and data sets tell who speaks, what is called and
//! what came back.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{
    content::{Answer, Call, Content, Piece},
    moment::{self, Moment},
    usage::Usage,
};
use crate::{
    base::time::Timestamp,
    model::{builder::Field, message::Cut},
    source::{
        fields::{compact, fields},
        lenient::{Any, Flag, Lenient, List, Raw, Text, lenient},
    },
};

lenient! {
    /// A message, or an item of the responses interface.
    pub struct Message<'a> {
        /// Who speaks.
        role_word: Text<'a> = "role",
        from: Any<Text<'a>> = "from",
        kind: Any<Text<'a>> = "type",
        id: Any<Text<'a>> = "id",
        content: Content<'a> = "content",
        value: Any<Content<'a>> = "value",
        text: Any<Text<'a>> = "text",
        tool_calls: Any<List<ToolCall<'a>>> = "tool_calls",
        function_call: Any<Function<'a>> = "function_call",
        tool_call_id: Any<Text<'a>> = "tool_call_id",
        call_id: Any<Text<'a>> = "call_id",
        name: Any<Text<'a>> = "name",
        arguments: Arguments<'a> = "arguments",
        input: Arguments<'a> = "input",
        action: Any<Raw<'a>> = "action",
        output: Any<Content<'a>> = "output",
        summary: Any<Content<'a>> = "summary",
        status: Any<Text<'a>> = "status",
        is_error: Any<Flag> = "is_error",
        error: Any<Raw<'a>> = "error",
        reasoning_content: Any<Text<'a>> = "reasoning_content",
        reasoning: Any<Content<'a>> = "reasoning",
        thought: Any<Text<'a>> = "thinking",
        model: Any<Text<'a>> = "model",
        usage: Any<Usage<'a>> = "usage",
        timestamp: Moment<'a> = "timestamp",
        created_at: Moment<'a> = "created_at",
        created: Moment<'a> = "created",
        time: Moment<'a> = "ts",
    }
}

lenient! {
    /// A call of the chat interface.
    pub struct ToolCall<'a> {
        id: Any<Text<'a>> = "id",
        function: Any<Function<'a>> = "function",
        name: Any<Text<'a>> = "name",
        arguments: Arguments<'a> = "arguments",
        args: Arguments<'a> = "args",
        input: Arguments<'a> = "input",
        custom: Any<Function<'a>> = "custom",
    }
}

lenient! {
    /// What is called; some write its name alone.
    pub struct Function<'a> {
        name: Any<Text<'a>> = "name",
        arguments: Arguments<'a> = "arguments",
        input: Arguments<'a> = "input",
    }
}

/// The input of a call: an object, or a text that holds one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a>(pub Raw<'a>);

impl Lenient for Arguments<'_> {}

impl<'a> Deserialize<'a> for Arguments<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<&RawValue>::deserialize(deserializer).map(Arguments)
    }
}

impl Arguments<'_> {
    /// The fields of the object; of a text that holds none, the text itself without a name.
    pub fn fields(&self) -> Vec<Field> {
        let Some(raw) = self.0 else { return Vec::new() };
        match serde_json::from_str::<String>(raw.get()) {
            Ok(text) => fields_of(&text),
            Err(_) => fields(raw.get()),
        }
    }
}

/// The fields of an object in a text; of any other text, the text itself without a name.
pub fn fields_of(text: &str) -> Vec<Field> {
    match text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        true => fields(text),
        false if text.trim().is_empty() => Vec::new(),
        false => vec![Field { name: None, text: text.to_string(), cut: None }],
    }
}

/// Who speaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The user, or a harness in their place.
    User,
    /// The model.
    Assistant,
    /// What the model is told beforehand.
    System,
    /// A tool.
    Tool,
    /// Somebody who is not known.
    Unknown(String),
}

impl Role {
    /// By the words of the interfaces and data sets.
    pub fn of(word: &str) -> Self {
        match word {
            "user" | "human" => Role::User,
            "assistant" | "ai" | "gpt" | "bot" | "model" | "chatgpt" | "function_call" | "agent" => Role::Assistant,
            "system" | "developer" => Role::System,
            "tool" | "function" | "observation" | "function_response" | "tool_response" => Role::Tool,
            other => Role::Unknown(other.to_string()),
        }
    }
}

impl Message<'_> {
    /// Who speaks; of an item of the responses interface by its type.
    pub fn role(&self) -> Role {
        let kind = self.kind.0.get().unwrap_or_default();
        match self.role_word.get().or(self.from.0.get()) {
            Some(word) => Role::of(word),
            None if kind == "reasoning" || kind.ends_with("_call") => Role::Assistant,
            None if kind.ends_with("_call_output") => Role::Tool,
            None => Role::Unknown(if kind.is_empty() { "(no role)".to_string() } else { kind.to_string() }),
        }
    }

    /// Whether it is an item of the responses interface that belongs to the response around it.
    pub fn is_item(&self) -> bool {
        self.kind.0.get().is_some_and(|kind| {
            kind == "reasoning" || kind.ends_with("_call") || kind == "message" && self.tool_calls.0.items.is_empty()
        })
    }

    /// Its id.
    pub fn id(&self) -> Option<String> {
        self.id.0.owned()
    }

    /// When it was recorded.
    pub fn time(&self) -> Option<Timestamp> {
        [&self.timestamp, &self.created_at, &self.created, &self.time].iter().find_map(|field| moment::of(field.0))
    }

    /// The model that wrote it.
    pub fn model(&self) -> Option<String> {
        self.model.0.owned()
    }

    /// What it cost.
    pub fn usage(&self) -> Option<crate::model::message::Usage> {
        self.usage.0.get()
    }

    /// Its pieces in order: reasoning, texts, calls, results.
    pub fn pieces(mut self) -> Vec<Piece> {
        let role = self.role();
        let kind = self.kind.0.get().unwrap_or_default().to_string();
        match (&role, kind.as_str()) {
            (Role::Tool, _) => return vec![Piece::Result(self.answer())],
            (Role::Assistant, "reasoning") => return self.thoughts(),
            (Role::Assistant, _) if kind.ends_with("_call") => return vec![Piece::Call(self.item_call(&kind))],
            _ => {}
        }
        let sharegpt_call = self.from.0.get() == Some("function_call");
        let mut pieces = self.thoughts();
        pieces.extend(std::mem::take(&mut self.content).pieces());
        if sharegpt_call {
            pieces.extend(written_calls(&std::mem::take(&mut self.value.0).flat().0));
        }
        pieces.extend(std::mem::take(&mut self.value.0).pieces());
        pieces.extend(self.text.0.take().map(Piece::Said));
        let calls = std::mem::take(&mut self.tool_calls.0.items);
        pieces.extend(calls.into_iter().map(|call| Piece::Call(call.call())));
        let function = std::mem::take(&mut self.function_call.0);
        if let Some(name) = function.name.0.owned() {
            pieces.push(Piece::Call(Call { id: None, name, input: function.arguments.fields() }));
        }
        pieces
    }

    /// Reasoning beside the content.
    fn thoughts(&mut self) -> Vec<Piece> {
        let content =
            if self.kind.0.get() == Some("reasoning") { std::mem::take(&mut self.content) } else { Content::default() };
        let texts = [
            self.reasoning_content.0.take(),
            self.thought.0.take(),
            Some(std::mem::take(&mut self.reasoning.0).flat().0),
            Some(content.flat().0),
            Some(std::mem::take(&mut self.summary.0).flat().0),
        ];
        // Gateways write one reasoning under two names.
        let thought = texts.into_iter().flatten().find(|text| !text.trim().is_empty());
        thought.map(Piece::Thought).into_iter().collect()
    }

    /// `function_call`, `custom_tool_call`, `local_shell_call`, `web_search_call` …
    fn item_call(&mut self, kind: &str) -> Call {
        let name = self.name.0.take().unwrap_or_else(|| kind.to_string());
        let input = match (self.arguments, self.input, self.action.0) {
            (Arguments(None), Arguments(None), Some(action)) => fields(action.get()),
            (Arguments(None), input, _) => input.fields(),
            (arguments, ..) => arguments.fields(),
        };
        Call { id: self.call_id.0.owned().or(self.id.0.owned()), name, input }
    }

    fn answer(&mut self) -> Answer {
        let (mut text, mut placeholder) = (String::new(), false);
        for content in [&mut self.content, &mut self.output.0, &mut self.value.0] {
            if text.is_empty() {
                (text, placeholder) = std::mem::take(content).flat();
            }
        }
        if text.is_empty() {
            text = self.text.0.take().unwrap_or_default();
        }
        let error = self.error.0.map(|raw| raw.get()).filter(|raw| !matches!(*raw, "null" | "false" | "\"\""));
        if let (true, Some(error)) = (text.is_empty(), error) {
            text = words_of(error);
        }
        let failed = error.is_some() || self.status.0.get() == Some("error");
        Answer {
            id: self.tool_call_id.0.owned().or(self.call_id.0.owned()),
            name: self.name.0.owned(),
            text,
            is_error: self.is_error.0.get().or(failed.then_some(true)),
            cut: placeholder.then_some(Cut::Placeholder),
        }
    }
}

impl ToolCall<'_> {
    fn call(mut self) -> Call {
        let mut function = self.function.0;
        if function.name.0.get().is_none() {
            function.name.0 = std::mem::take(&mut function.stray);
        }
        let name = [&mut function.name.0, &mut self.name.0, &mut self.custom.0.name.0].into_iter().find_map(Text::take);
        let inputs = [function.arguments, self.arguments, self.args, self.input, function.input, self.custom.0.input];
        let input = inputs.iter().find(|input| input.0.is_some()).map(Arguments::fields).unwrap_or_default();
        Call { id: self.id.0.owned(), name: name.unwrap_or_default(), input }
    }
}

lenient! {
    /// An error as an object.
    struct Failure<'a> {
        message: Any<Text<'a>> = "message",
    }
}

/// What an error says: a text, or an object with a message.
fn words_of(error: &str) -> String {
    let failure: Failure = serde_json::from_str(error).unwrap_or_default();
    failure.message.0.owned().or(failure.stray.owned()).unwrap_or_else(|| compact(error))
}

/// Calls written as JSON text: `{"name": …, "arguments": …}`, or a list of them.
pub fn written_calls(text: &str) -> Vec<Piece> {
    let one = |raw: &str| {
        let call: ToolCall = serde_json::from_str(raw).ok()?;
        Some(call.call()).filter(|call| !call.name.is_empty()).map(Piece::Call)
    };
    let calls: Vec<Piece> = match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(list) => list.iter().filter_map(|raw| one(raw.get())).collect(),
        Err(_) => one(text).into_iter().collect(),
    };
    match calls.is_empty() {
        true if !text.trim().is_empty() => vec![Piece::Said(text.to_string())],
        _ => calls,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(json: &str) -> Vec<(Option<String>, String, String)> {
        let message: Message = serde_json::from_str(json).expect("JSON");
        let pieces = message.pieces().into_iter();
        pieces
            .filter_map(|piece| match piece {
                Piece::Call(call) => {
                    let input = call.input.iter().map(|f| format!("{}={}", f.name.as_deref().unwrap_or("-"), f.text));
                    Some((call.id, call.name, input.collect::<Vec<_>>().join(" ")))
                }
                _ => None,
            })
            .collect()
    }

    #[test]
    fn calls_in_all_spellings() {
        let wanted = [(Some("c".to_string()), "sh".to_string(), "cmd=ls -a".to_string())];
        let chat = r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"sh","arguments":"{\"cmd\":\"ls -a\"}"}}]}"#;
        assert_eq!(calls(chat), wanted);
        let inspect = r#"{"role":"assistant","tool_calls":[{"id":"c","function":"sh","arguments":{"cmd":"ls -a"}}]}"#;
        assert_eq!(calls(inspect), wanted);
        let item = r#"{"type":"function_call","id":"fc","call_id":"c","name":"sh","arguments":"{\"cmd\":\"ls -a\"}"}"#;
        assert_eq!(calls(item), wanted);
        let block =
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"sh","input":{"cmd":"ls -a"}}]}"#;
        assert_eq!(calls(block), wanted);
        let patch = r#"{"type":"custom_tool_call","call_id":"c","name":"sh","input":"*** Begin\n a b"}"#;
        assert_eq!(calls(patch)[0].2, "-=*** Begin\n a b");
        let share = r#"{"from":"function_call","value":"{\"name\":\"sh\",\"arguments\":{\"cmd\":\"ls -a\"}}"}"#;
        assert_eq!(calls(share), [(None, "sh".to_string(), "cmd=ls -a".to_string())]);
    }
}
