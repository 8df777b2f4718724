//! What the editor showed: questions that it asked (`ask`) and things that it said (`say`), each with a kind and a text
//! that often is JSON. A text that is still growing is marked `partial`.

use super::api::Results;
use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        document::Item,
        exit_words::ending,
        fields::fields,
        frame::checked,
        lenient::{Any, Flag, Number, Raw, Text, lenient},
        tool_names::kind_of,
    },
    text::cut_mark,
};

/// Kinds that give nothing to the session. Sorted.
const BOOKKEEPING: &[&str] = &[
    "api_req_deleted",
    "api_req_finished",
    "api_req_rate_limit_wait",
    "api_req_retried",
    "auto_approval_max_req_reached",
    "browser_action",
    "browser_action_launch",
    "browser_action_result",
    "checkpoint_created",
    "checkpoint_saved",
    "codebase_search_result",
    "command_permission_denied",
    "condense",
    "deleted_api_reqs",
    "generate_explanation",
    "hook_output_stream",
    "hook_status",
    "image",
    "info",
    "load_mcp_documentation",
    "mcp_notification",
    "mcp_server_request_started",
    "new_task_completed",
    "report_bug",
    "resume_completed_task",
    "resume_task",
    "shell_integration_warning",
    "shell_integration_warning_with_suggestion",
    "subagent_usage",
    "summarize_task",
    "user_feedback_diff",
];

lenient! {
    /// An item.
    struct Shown<'a> {
        time: Number = "ts",
        kind: Text<'a> = "type",
        ask: Text<'a> = "ask",
        say: Text<'a> = "say",
        text: Any<Text<'a>> = "text",
        partial: Flag = "partial",
        reasoning: Any<Text<'a>> = "reasoning",
        images: Raw<'a> = "images",
        model: Any<ModelInfo<'a>> = "modelInfo",
        condense: Any<Condensed<'a>> = "contextCondense",
    }
}

lenient! {
    /// Model of a response, where Cline notes it.
    struct ModelInfo<'a> {
        id: Text<'a> = "modelId",
    }
}

lenient! {
    /// What a condensation left.
    struct Condensed<'a> {
        summary: Text<'a> = "summary",
    }
}

lenient! {
    /// Text of a request.
    struct Request<'a> {
        input: Number = "tokensIn",
        output: Number = "tokensOut",
        cache_read: Number = "cacheReads",
        cache_write: Number = "cacheWrites",
        cost: Number = "cost",
        cancelled: Any<Text<'a>> = "cancelReason",
        failed: Any<Text<'a>> = "streamingFailedMessage",
    }
}

lenient! {
    /// Text of a tool's item.
    struct Tool<'a> {
        tool: Text<'a> = "tool",
        content: Any<Text<'a>> = "content",
    }
}

lenient! {
    /// Text of a call of a server's tool, of a question, of a plan.
    struct Asked<'a> {
        tool: Any<Text<'a>> = "toolName",
        arguments: Any<Text<'a>> = "arguments",
        question: Any<Text<'a>> = "question",
        response: Any<Text<'a>> = "response",
    }
}

/// Whether an item is one of these.
pub(super) fn is_shown(raw: &str) -> bool {
    serde_json::from_str::<Shown>(raw).is_ok_and(|item| matches!(item.kind.get(), Some("ask" | "say")))
}

/// Tells a task.
pub(super) fn read(session: &mut SessionBuilder, items: &[Item], models: Vec<(f64, String)>, results: &Results) {
    if session.info.cwd.is_none() {
        session.info.cwd.clone_from(&results.cwd);
    }
    let requests = items.iter().filter(|item| begins_request(item.raw)).count();
    let results = if requests == results.responses.len() { Some(results) } else { None };
    let mut reader = Reader {
        session,
        models,
        results,
        asked: false,
        request: 0,
        calls: 0,
        usage: None,
        thought: String::new(),
        open: None,
    };
    for item in items {
        reader.item(item);
    }
    reader.close();
}

fn begins_request(raw: &str) -> bool {
    let item: Shown = serde_json::from_str(raw).unwrap_or_default();
    item.say.get() == Some("api_req_started") && !item.partial.set()
}

/// A call whose output may still come in pieces.
struct Open {
    /// Call within its request, from 0.
    nth: Option<usize>,
    output: Option<String>,
    place: Locator,
    time: Option<Timestamp>,
}

struct Reader<'s> {
    session: &'s mut SessionBuilder,
    models: Vec<(f64, String)>,
    results: Option<&'s Results>,
    asked: bool,
    request: usize,
    calls: usize,
    usage: Option<Usage>,
    thought: String,
    open: Option<Open>,
}

impl Reader<'_> {
    fn item(&mut self, item: &Item) {
        let place = item.place;
        let parsed = serde_json::from_str::<Shown>(item.raw);
        let mut shown = match parsed {
            Ok(shown) if checked(&shown.stray, shown.fault(), place, &mut self.session.diagnostics) => shown,
            _ => return self.session.accounting.damaged(),
        };
        if shown.partial.set() {
            return self.session.accounting.skipped("partial");
        }
        let kind = shown.ask.get().or(shown.say.get()).unwrap_or("(no kind)").to_string();
        let text = shown.text.0.take().unwrap_or_default();
        let asks = shown.kind.get() == Some("ask");
        match self.told(&kind, asks, text, &mut shown, place) {
            Told::Used => self.session.accounting.used(),
            Told::Empty => self.session.accounting.skipped("no text and no call"),
            Told::Other if BOOKKEEPING.binary_search(&kind.as_str()).is_ok() => {
                self.session.accounting.skipped(&kind);
            }
            Told::Other => {
                let told = format!("`{kind}` in record {}", place.record);
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                self.session.accounting.unknown(&kind);
            }
        }
    }

    fn told(&mut self, kind: &str, asks: bool, text: String, shown: &mut Shown, place: Locator) -> Told {
        let time = shown.time.get().and_then(Timestamp::from_number);
        let origin = Origin { time, place, model: self.model(shown), ..Default::default() };
        if !matches!(kind, "command_output" | "mcp_server_response") {
            self.close();
        }
        let empty = text.trim().is_empty();
        match kind {
            "text" | "task" if !asks && !self.asked => self.prompt(text, shown.images.is_some(), origin),
            "user_feedback" => self.prompt(text, shown.images.is_some(), origin),
            "text" | "completion_result" | "plan_mode_respond" | "plan_mode_response" if !empty => {
                let asked: Asked = serde_json::from_str(&text).unwrap_or_default();
                let said = asked.response.0.get().map(str::to_string).unwrap_or(text);
                self.said(said, origin);
            }
            "text" | "completion_result" | "plan_mode_respond" | "plan_mode_response" => return Told::Empty,
            "reasoning" => self.think(&text),
            "api_req_started" => self.request(&text, place, time),
            "tool" => return self.tool(&text, origin),
            "command" if empty => return Told::Empty,
            "command" => self.call(origin, "execute_command", ToolKind::Shell, one("command", text)),
            "command_output" => return self.output(text),
            "use_mcp_server" => self.server(&text, origin),
            "mcp_server_response" => self.settle(text, place, time),
            "followup" => self.call(origin, "ask_followup_question", ToolKind::Question, fields(&text)),
            "new_task" => self.call(origin, "new_task", ToolKind::Agent, one("context", text)),
            "task_progress" => {
                self.call(origin, "task_progress", ToolKind::Todo, one("task_progress", text));
                self.settle(String::new(), place, time);
            }
            "condense_context" | "compaction" | "sliding_window_truncation" | "condense_context_error" => {
                let summary = shown.condense.0.summary.take().unwrap_or(text);
                self.session.notice(NoticeKind::Compaction, place, time, summary);
            }
            "user_edit_todos" | "subtask_result" => self.session.notice(NoticeKind::Meta, place, time, text),
            "api_req_failed"
            | "api_req_retry_delayed"
            | "error"
            | "error_retry"
            | "diff_error"
            | "rooignore_error"
            | "clineignore_error"
            | "mistake_limit_reached" => {
                self.session.notice(NoticeKind::Fault, place, time, text);
            }
            _ => return Told::Other,
        }
        Told::Used
    }

    /// The model by the item, else by the time from which on it was used.
    fn model(&self, shown: &Shown) -> Option<String> {
        let now = shown.time.get().unwrap_or(f64::NEG_INFINITY);
        let noted = || self.models.iter().rfind(|(from, _)| *from <= now).map(|(_, id)| id.clone());
        shown.model.0.id.owned().or_else(noted)
    }

    fn prompt(&mut self, text: String, images: bool, origin: Origin) {
        self.asked = true;
        let model = None;
        if !text.trim().is_empty() {
            self.session.user(Origin { model, ..origin }, text);
            if images {
                self.session.placeholder("[image]".to_string());
            }
        } else if images {
            self.session.user(Origin { model, ..origin }, "[image]");
            self.session.cut_last(Cut::Placeholder);
        }
    }

    fn think(&mut self, text: &str) {
        self.thought += if self.thought.is_empty() { "" } else { "\n" };
        self.thought += text;
    }

    /// A request begins: what it costs belongs to the first thing that its response says.
    fn request(&mut self, text: &str, place: Locator, time: Option<Timestamp>) {
        self.request += 1;
        self.calls = 0;
        let request: Request = serde_json::from_str(text).unwrap_or_default();
        self.usage = Some(Usage {
            input: request.input.count(),
            output: request.output.count(),
            cache_read: request.cache_read.count(),
            cache_write: request.cache_write.count(),
            reasoning: None,
            cost: request.cost.get(),
        });
        match (request.cancelled.0.get(), request.failed.0.get()) {
            (Some("user_cancelled"), _) => self.session.notice(NoticeKind::Interruption, place, time, "cancelled"),
            (Some(_), failed) => self.session.notice(NoticeKind::Fault, place, time, failed.unwrap_or_default()),
            _ => {}
        }
    }

    fn response(&mut self, origin: Origin) -> Origin {
        Origin {
            turn: Some(format!("request {}", self.request)),
            reasoning: std::mem::take(&mut self.thought),
            usage: self.usage.take(),
            ..origin
        }
    }

    fn said(&mut self, text: String, origin: Origin) {
        let origin = self.response(origin);
        self.session.text(origin, text);
    }

    fn call(&mut self, origin: Origin, name: &str, kind: ToolKind, input: Vec<Field>) {
        let (place, time) = (origin.place, origin.time);
        let origin = self.response(origin);
        self.session.call(origin, name, kind, input);
        // The list is told by the way: it is no call that the model gets a result of.
        let counted = name != "task_progress";
        self.open = Some(Open { nth: counted.then_some(self.calls), output: None, place, time });
        self.calls += usize::from(counted);
    }

    /// A tool that is asked for or was run. What a search found stands in its own item.
    fn tool(&mut self, text: &str, origin: Origin) -> Told {
        let mut tool: Tool = serde_json::from_str(text).unwrap_or_default();
        let Some(name) = tool.tool.owned() else { return Told::Other };
        let kind = kind_of(&name);
        let mut input = fields(text);
        input.retain(|field| field.name.as_deref() != Some("tool"));
        let (place, time) = (origin.place, origin.time);
        let found = (kind == ToolKind::Search).then(|| tool.content.0.take()).flatten().filter(|c| !c.is_empty());
        if found.is_some() {
            input.retain(|field| field.name.as_deref() != Some("content"));
        }
        self.call(origin, &name, kind, input);
        if let Some(found) = found {
            self.settle(found, place, time);
        } else if kind == ToolKind::Todo {
            self.settle(String::new(), place, time);
        }
        Told::Used
    }

    fn server(&mut self, text: &str, origin: Origin) {
        let asked: Asked = serde_json::from_str(text).unwrap_or_default();
        let name = asked.tool.0.get().unwrap_or("use_mcp_server");
        let arguments = asked.arguments.0.get().map_or_else(|| fields(text), fields);
        self.call(origin, name, kind_of(name), arguments);
    }

    /// A piece of what a command printed.
    fn output(&mut self, text: String) -> Told {
        let Some(open) = self.open.as_mut() else { return Told::Empty };
        if text.is_empty() {
            return Told::Empty;
        }
        let output = open.output.get_or_insert_default();
        *output += if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
        *output += &text;
        Told::Used
    }

    /// Gives the open call its result now.
    fn settle(&mut self, text: String, place: Locator, time: Option<Timestamp>) {
        if let Some(open) = self.open.as_mut() {
            open.output = Some(text);
            (open.place, open.time) = (place, time);
            self.close();
        }
    }

    /// Gives the open call its result: what the model was given of it, else what the editor showed.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let given =
            self.results.and_then(|results| results.responses.get(self.request.checked_sub(1)?)?.get(open.nth?));
        let Some(text) = open.output.or_else(|| given.map(|given| given.text.clone())) else { return };
        let words = given.map_or(text.as_str(), |given| given.text.as_str());
        let (mut outcome, exit) = ending(words);
        if let Some(failed) = given.and_then(|given| given.is_error)
            && outcome == Outcome::NotRecorded
            && exit == Exit::NotRecorded
        {
            outcome = if failed { Outcome::Failed } else { Outcome::Ok };
        }
        let cut = cut_mark::by_tool(&text).then_some(Cut::ByTool);
        let result = ResultOf { cut, time: open.time, ..ResultOf::new(text, open.place) };
        self.session.result_of_last(result.ended((outcome, exit)));
    }
}

enum Told {
    Used,
    Empty,
    Other,
}

fn one(name: &str, text: String) -> Vec<Field> {
    vec![Field { name: Some(name.to_string()), text, cut: None }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_for_the_search() {
        assert!(BOOKKEEPING.is_sorted());
        assert!(is_shown(r#"{"ts":1,"type":"ask","ask":"tool"}"#));
        assert!(!is_shown(r#"{"role":"user","content":"x"}"#));
    }
}
