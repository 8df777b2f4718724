//! One request: the prompt, the rounds of the model with their calls and results where the metadata hold them, else what
//! the editor showed.

use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;

use crate::{
    base::{locate::Locator, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        exit_words::ending,
        fields::{compact, fields},
        frame::checked,
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        tool_names::kind_of,
    },
    text::partial_json::{self, Node, Value},
};

lenient! {
    /// A request.
    struct Request<'a> {
        id: Text<'a> = "requestId",
        time: Any<Number> = "timestamp",
        model: Any<Text<'a>> = "modelId",
        message: Any<Asked<'a>> = "message",
        response: List<Part<'a>> = "response",
        result: Any<Outcomes<'a>> = "result",
        cancelled: Flag = "isCanceled",
    }
}

lenient! {
    /// What the user asked.
    struct Asked<'a> { text: Text<'a> = "text" }
}

lenient! {
    /// What became of a request.
    struct Outcomes<'a> {
        metadata: Any<Metadata<'a>> = "metadata",
        error: Any<Failure<'a>> = "errorDetails",
    }
}

lenient! {
    /// Why it failed.
    struct Failure<'a> { message: Text<'a> = "message" }
}

lenient! {
    /// What really passed between model and tools.
    struct Metadata<'a> {
        rounds: List<Round<'a>> = "toolCallRounds",
        results: Raw<'a> = "toolCallResults",
        prompt: Any<Number> = "promptTokens",
        output: Any<Number> = "outputTokens",
        model: Any<Text<'a>> = "resolvedModel",
    }
}

lenient! {
    /// A response of the model.
    struct Round<'a> {
        id: Any<Text<'a>> = "id",
        response: Any<Text<'a>> = "response",
        thinking: Any<Thought<'a>> = "thinking",
        calls: List<Call<'a>> = "toolCalls",
    }
}

lenient! {
    /// Reasoning.
    struct Thought<'a> { text: Any<Text<'a>> = "text" }
}

lenient! {
    /// A call.
    struct Call<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        arguments: Any<Text<'a>> = "arguments",
    }
}

lenient! {
    /// A part of what the editor showed.
    struct Part<'a> {
        kind: Any<Text<'a>> = "kind",
        value: Any<Text<'a>> = "value",
        content: Any<Markdown<'a>> = "content",
        tool: Any<Text<'a>> = "toolId",
        call: Any<Text<'a>> = "toolCallId",
        confirmed: Any<Flag> = "isConfirmed",
        complete: Any<Flag> = "isComplete",
        past: Any<Markdown<'a>> = "pastTenseMessage",
        doing: Any<Markdown<'a>> = "invocationMessage",
        details: Raw<'a> = "resultDetails",
        data: Any<Data<'a>> = "toolSpecificData",
        uri: Any<Uri<'a>> = "uri",
    }
}

lenient! {
    /// A text that may be formatted.
    struct Markdown<'a> { value: Any<Text<'a>> = "value" }
}

lenient! {
    /// Where a file lies.
    struct Uri<'a> {
        path: Text<'a> = "path",
        external: Any<Text<'a>> = "external",
    }
}

lenient! {
    /// What is known of a call of a certain tool.
    struct Data<'a> {
        kind: Text<'a> = "kind",
        list: Raw<'a> = "todoList",
        command: Any<Text<'a>> = "command",
        line: Any<CommandLine<'a>> = "commandLine",
        output: Any<Output<'a>> = "terminalCommandOutput",
        state: Any<State<'a>> = "terminalCommandState",
        prompt: Any<Text<'a>> = "prompt",
        description: Any<Text<'a>> = "description",
        result: Any<Text<'a>> = "result",
    }
}

lenient! {
    /// A command.
    struct CommandLine<'a> {
        original: Text<'a> = "original",
        edited: Any<Text<'a>> = "userEdited",
        tool: Any<Text<'a>> = "toolEdited",
    }
}

lenient! {
    /// What a command printed.
    struct Output<'a> {
        text: Text<'a> = "text",
        truncated: Flag = "truncated",
    }
}

lenient! {
    /// How a command ended.
    struct State<'a> { exit: Number = "exitCode" }
}

lenient! {
    /// What a tool's part returned.
    struct Details<'a> {
        is_error: Flag = "isError",
        output: List<Text<'a>> = "output",
    }
}

/// Reads a request; whether it could be.
pub(super) fn read(session: &mut SessionBuilder, raw: &str, place: Locator) -> bool {
    let Ok(mut request) = serde_json::from_str::<Request>(raw) else { return false };
    if !checked(&request.stray, request.fault(), place, &mut session.diagnostics) {
        return false;
    }
    let time = request.time.0.get().and_then(Timestamp::from_number);
    let ids = Aliases { message: request.id.owned(), ..Default::default() };
    let asked = Origin { ids: ids.clone(), time, place, ..Default::default() };
    if let Some(text) = request.message.0.text.take().filter(|text| !text.trim().is_empty()) {
        session.user(asked, text);
    }
    let metadata = &request.result.0.metadata.0;
    let model = metadata.model.0.owned().or_else(|| request.model.0.owned());
    // What was read from a cache is not told apart from the rest of the prompt.
    let usage = Usage { input: metadata.prompt.0.count(), output: metadata.output.0.count(), ..Default::default() };
    let origin = Origin { ids, place, model, ..Default::default() };
    let mut teller = Teller { session, origin, usage: Some(usage), told: String::new() };
    let shown = std::mem::take(&mut request.response.items);
    match metadata.rounds.items.is_empty() {
        true => teller.shown(shown),
        false => teller.rounds(&metadata.rounds.items, metadata.results, &shown),
    }
    let last = request.result.0.error.0.message.take();
    if request.cancelled.set() {
        session.notice(NoticeKind::Interruption, place, None, last.unwrap_or_default());
    } else if let Some(text) = last {
        session.notice(NoticeKind::Fault, place, None, text);
    }
    true
}

struct Teller<'s> {
    session: &'s mut SessionBuilder,
    origin: Origin,
    usage: Option<Usage>,
    /// The last text that was told.
    told: String,
}

impl Teller<'_> {
    fn response(&mut self, turn: String, reasoning: String) -> Origin {
        Origin { turn: Some(turn), reasoning, usage: self.usage.take(), ..self.origin.clone() }
    }

    fn text(&mut self, turn: &str, reasoning: String, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let origin = self.response(turn.to_string(), reasoning);
        self.session.text(origin, text);
        self.told = text.trim().to_string();
    }

    /// The rounds of the model; then what the editor showed behind the last call, if no round told it.
    fn rounds(&mut self, rounds: &[Round], results: Option<&RawValue>, shown: &[Part]) {
        let results = results_of(results);
        let parts: HashMap<&str, &Part> = shown.iter().filter_map(|p| Some((p.call.0.get()?, p))).collect();
        let request = self.origin.ids.message.clone().unwrap_or_default();
        for (i, round) in rounds.iter().enumerate() {
            let turn = round.id.0.owned().unwrap_or_else(|| format!("{request} {i}"));
            let mut thought =
                round.thinking.0.text.0.get().or(round.thinking.0.stray.get()).unwrap_or_default().to_string();
            let text = round.response.0.get().unwrap_or_default();
            if !text.trim().is_empty() {
                self.text(&turn, std::mem::take(&mut thought), text);
            }
            for call in &round.calls.items {
                let (id, name) = (call.id.owned(), call.name.get().unwrap_or_default());
                let mut origin = self.response(turn.clone(), std::mem::take(&mut thought));
                origin.ids.call = id.clone();
                let input = fields(call.arguments.0.get().unwrap_or(""));
                self.session.call(origin, name, kind_of(name), input);
                let id = id.unwrap_or_default();
                // Ids of the two sides differ by what one of them puts behind.
                let part = parts.get(id.as_str()).or_else(|| parts.get(id.split("__").next().unwrap_or_default()));
                let told = results.get(&id).cloned();
                if told.is_some() || part.is_some_and(|p| p.complete.0.set()) {
                    let result = result(part.copied(), told, name, self.origin.place);
                    self.session.result_of_last(result);
                }
            }
        }
        let rest =
            shown.iter().rposition(|p| p.kind.0.get() == Some("toolInvocationSerialized")).map_or(0, |at| at + 1);
        let text: String = shown[rest..].iter().filter_map(markdown).collect();
        if !text.trim().is_empty() && text.trim() != self.told && !self.told.ends_with(text.trim()) {
            self.text(&format!("{request} end"), String::new(), &text);
        }
    }

    /// What the editor showed: texts, thoughts, calls, edits.
    fn shown(&mut self, parts: Vec<Part>) {
        let request = self.origin.ids.message.clone().unwrap_or_default();
        let (mut text, mut thought, mut round, mut called) = (String::new(), String::new(), 0, false);
        for part in &parts {
            if let Some(more) = markdown(part) {
                if called {
                    (round, called) = (round + 1, false);
                }
                text += more;
                continue;
            }
            let turn = format!("{request} {round}");
            match part.kind.0.get().unwrap_or_default() {
                "thinking" => thought += part.value.0.get().unwrap_or_default(),
                "toolInvocationSerialized" | "textEditGroup" => {
                    self.text(&turn, std::mem::take(&mut thought), &std::mem::take(&mut text));
                    let origin = self.response(turn, std::mem::take(&mut thought));
                    self.invoked(part, origin);
                    called = true;
                }
                _ => {}
            }
        }
        self.text(&format!("{request} {round}"), thought, &text);
    }

    fn invoked(&mut self, part: &Part, mut origin: Origin) {
        if part.kind.0.get() == Some("textEditGroup") {
            let path = part.uri.0.path.get().or(part.uri.0.external.0.get()).unwrap_or_default();
            self.session.call(origin, "textEditGroup", ToolKind::Edit, field("path", path));
            let ended = (Outcome::NotRecorded, Exit::NotRecorded);
            self.session.result_of_last(ResultOf::new("", self.origin.place).ended(ended));
            return;
        }
        let name = part.tool.0.get().unwrap_or("tool");
        origin.ids.call = part.call.0.owned();
        self.session.call(origin, name, kind_of(name), input(part));
        if part.complete.0.get() != Some(false) {
            let result = result(Some(part), None, name, self.origin.place);
            self.session.result_of_last(result);
        }
    }
}

fn field(name: &str, text: &str) -> Vec<Field> {
    vec![Field { name: Some(name.to_string()), text: text.to_string(), cut: None }]
}

/// The text of a part that is nothing but text.
fn markdown<'p>(part: &'p Part) -> Option<&'p str> {
    match part.kind.0.get() {
        None => part.value.0.get(),
        Some("markdownContent") => part.content.0.value.0.get(),
        Some(_) => None,
    }
}

/// What the editor's part of a call tells of its input.
fn input(part: &Part) -> Vec<Field> {
    let data = &part.data.0;
    let line = &data.line.0;
    let command = line.edited.0.get().or(line.tool.0.get()).or(line.original.get()).or(data.command.0.get());
    if let Some(command) = command {
        return field("command", command);
    }
    if let Some(list) = data.list {
        return field("todoList", &compact(list.get()));
    }
    if let Some(prompt) = data.prompt.0.get() {
        return field("prompt", prompt);
    }
    let said = part.past.0.value.0.get().or(part.past.0.stray.get());
    let said = said.or(part.doing.0.value.0.get()).or(part.doing.0.stray.get());
    said.map(|said| field("shown", said)).unwrap_or_default()
}

/// The result of a call: what the model was given, else what the editor showed; how it ended by the editor's part.
fn result(part: Option<&Part>, told: Option<String>, name: &str, place: Locator) -> ResultOf {
    let Some(part) = part else {
        let text = told.unwrap_or_default();
        let ended = ending(&text);
        return ResultOf::new(text, place).ended(ended);
    };
    let data = &part.data.0;
    let details: Details = part.details.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let shown = data.output.0.text.get().or(data.result.0.get()).map(str::to_string);
    let text = told.or(shown).unwrap_or_default();
    let (words, said) = ending(&text);
    let exit = data.state.0.exit.whole().map_or(said, |code| Exit::Code(code as i32));
    let outcome = match (part.confirmed.0.get(), details.is_error.get(), exit) {
        (Some(false), ..) => Outcome::Denied,
        (_, Some(true), _) => Outcome::Failed,
        (_, _, Exit::Code(0)) => Outcome::Ok,
        (_, _, Exit::Code(_)) => Outcome::Failed,
        (_, Some(false), _) => Outcome::Ok,
        _ if words == Outcome::NotRecorded && kind_of(name) != ToolKind::Shell && part.complete.0.set() => Outcome::Ok,
        _ => words,
    };
    let cut = data.output.0.truncated.set().then_some(Cut::ByTool);
    let mut result = ResultOf { cut, ..ResultOf::new(text, place) }.ended((outcome, exit));
    if let Some(list) = data.list {
        result.extra.push(("todos", compact(list.get())));
    }
    result
}

/// Texts of the results by the id of their call.
fn results_of(raw: Option<&RawValue>) -> BTreeMap<String, String> {
    let partial = raw.map(|raw| partial_json::read(raw.get()));
    let Some(Value::Object(members)) = partial.and_then(|p| p.node).map(|node| node.value) else {
        return BTreeMap::new();
    };
    let text = |node: &Node| {
        let mut text = String::new();
        flatten(node.get("content").unwrap_or(node), &mut text);
        text
    };
    members.iter().map(|(id, node)| (id.to_string(), text(node))).collect()
}

/// The texts of a content: plain parts, and trees of nodes as the prompt was built of.
fn flatten(node: &Node, out: &mut String) {
    match &node.value {
        Value::Text(text) => *out += text,
        Value::List(items) => items.iter().for_each(|item| flatten(item, out)),
        Value::Object(_) => {
            let broken = node.get("lineBreakBefore").is_some_and(|n| matches!(n.value, Value::Bool(true)));
            if broken && !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            for name in ["value", "node", "text", "children"] {
                if let Some(inner) = node.get(name) {
                    flatten(inner, out);
                }
            }
        }
        _ => {}
    }
}
