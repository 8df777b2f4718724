//! Output of `codex exec --json`: events of a run, one per line. An item (a text, a command, a list of tasks) is met
//! when it begins, when it changes and when it ends, under one id that is used again by the next run. There are no times,
//! no prompts and no model.

use std::collections::HashMap;

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::{
        accounting::Accounting,
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        Parsed,
        fields::{compact, fields},
        frame::{Records, checked, json_lines},
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct CodexExec;

impl Format for CodexExec {
    fn name(&self) -> &'static str {
        "codex-exec"
    }

    fn about(&self) -> &'static str {
        "output of `codex exec --json`"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Codex CLI",
            versions: "0.50 to 0.163",
            records: &[Recorded::Tokens, Recorded::Exits, Recorded::Failures, Recorded::Todos, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, lines) = seen.vote(|line| TYPES.contains(&text(line, "type")));
        match own {
            0 => Sniff::No("no event of a thread, a turn or an item".into()),
            own if own * 2 >= lines => Sniff::Yes(90, format!("{own} of {lines} sampled lines are its events")),
            own => Sniff::No(format!("only {own} of {lines} sampled lines are its events")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader { format: self.name(), ..Loader::default() };
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        Ok(loader.finish(input.stem(), diagnostics))
    }
}

/// Types by which it is known; `error` has one too. Sorted.
const TYPES: &[&str] = &[
    "item.completed",
    "item.started",
    "item.updated",
    "thread.started",
    "turn.completed",
    "turn.failed",
    "turn.started",
];

lenient! {
    /// A line.
    struct Event<'a> {
        kind: Text<'a> = "type",
        thread: Text<'a> = "thread_id",
        item: Item<'a> = "item",
        usage: Any<Tokens<'a>> = "usage",
        error: Any<Fault<'a>> = "error",
        message: Text<'a> = "message",
    }
}

lenient! {
    /// An item of any type.
    struct Item<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        text: Text<'a> = "text",
        message: Text<'a> = "message",
        command: Text<'a> = "command",
        output: Text<'a> = "aggregated_output",
        exit_code: Number = "exit_code",
        status: Text<'a> = "status",
        changes: Any<List<Change<'a>>> = "changes",
        server: Text<'a> = "server",
        tool: Text<'a> = "tool",
        arguments: Raw<'a> = "arguments",
        result: Raw<'a> = "result",
        error: Any<Fault<'a>> = "error",
        query: Text<'a> = "query",
        items: Raw<'a> = "items",
        prompt: Text<'a> = "prompt",
    }
}

lenient! {
    /// A file that was changed.
    struct Change<'a> {
        path: Text<'a> = "path",
        kind: Text<'a> = "kind",
    }
}

lenient! {
    /// Tokens of the thread so far; the input includes the cached ones.
    struct Tokens<'a> {
        input: Number = "input_tokens",
        cached: Number = "cached_input_tokens",
        written: Number = "cache_write_input_tokens",
        output: Number = "output_tokens",
        reasoning: Number = "reasoning_output_tokens",
    }
}

lenient! {
    /// What went wrong: an object, or a bare text.
    struct Fault<'a> {
        message: Text<'a> = "message",
    }
}

/// A thread of the file.
struct Thread {
    session: SessionBuilder,
    /// Items of the current run that have begun, by id; a list of tasks with what it last held.
    begun: HashMap<String, Option<String>>,
    thought: String,
    turns: u32,
}

#[derive(Default)]
struct Loader {
    format: &'static str,
    threads: Vec<Thread>,
    current: usize,
    unassigned: Accounting,
    diagnostics: Diagnostics,
    runs: u32,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let event: Event = serde_json::from_str(text)?;
        if !checked(&event.stray, event.fault(), place, &mut self.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        self.take(&event, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        match self.threads.get_mut(self.current) {
            Some(thread) => thread.session.accounting.damaged(),
            None => self.unassigned.damaged(),
        }
    }
}

impl Loader {
    fn take(&mut self, event: &Event, place: Locator) {
        let kind = event.kind.get().unwrap_or("(no type)");
        if kind == "thread.started" {
            self.begin(event.thread.get().unwrap_or_default());
        }
        let runs = self.runs;
        let known = match kind {
            "thread.started" => true,
            "turn.started" => {
                self.thread().turns += 1;
                true
            }
            "item.started" | "item.updated" => self.thread().item(&event.item, false, runs, place),
            "item.completed" => self.thread().item(&event.item, true, runs, place),
            "turn.completed" => self.thread().spent(&event.usage.0),
            "turn.failed" | "error" => {
                let error = &event.error.0;
                let told = error.message.get().or(error.stray.get()).or(event.message.get()).unwrap_or_default();
                self.thread().session.notice(NoticeKind::Fault, place, None, told);
                true
            }
            _ => false,
        };
        if known {
            return self.thread().session.accounting.used();
        }
        let name = if kind.starts_with("item.") { event.item.kind.get().unwrap_or(kind) } else { kind };
        self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{name}` on line {}", place.line));
        self.thread().session.accounting.unknown(name);
    }

    /// A run begins: of a thread that is known, or of another.
    fn begin(&mut self, id: &str) {
        self.runs += 1;
        let known = self.threads.iter().position(|t| t.session.info.id == id || t.session.info.id.is_empty());
        self.current = known.unwrap_or(self.threads.len());
        let thread = self.thread();
        thread.session.info.id = id.to_string();
        thread.begun.clear();
    }

    fn thread(&mut self) -> &mut Thread {
        if self.current >= self.threads.len() {
            let mut session = SessionBuilder::new(self.format);
            session.info.records_outcome = true;
            self.threads.push(Thread { session, begun: HashMap::new(), thought: String::new(), turns: 0 });
            self.current = self.threads.len() - 1;
        }
        &mut self.threads[self.current]
    }

    fn finish(self, stem: &str, mut diagnostics: Diagnostics) -> Parsed {
        diagnostics.extend(self.diagnostics);
        let tell = |thread: Thread| {
            let mut session = thread.session;
            if session.info.id.is_empty() {
                session.info.id = stem.to_string();
            }
            session.finish()
        };
        let sessions = self.threads.into_iter().map(tell).collect();
        Parsed { sessions, unassigned: self.unassigned, diagnostics }.settled()
    }
}

impl Thread {
    /// An item that begins, changes or ends; says whether its type is known.
    fn item(&mut self, item: &Item, ends: bool, run: u32, place: Locator) -> bool {
        let id = item.id.get().unwrap_or_default();
        match item.kind.get().unwrap_or_default() {
            "agent_message" if ends => {
                let text = item.text.get().unwrap_or_default();
                if !text.trim().is_empty() {
                    let origin = self.origin(item, place);
                    self.session.text(origin, text);
                }
            }
            "reasoning" if ends => {
                if !self.thought.is_empty() {
                    self.thought.push('\n');
                }
                self.thought.push_str(item.text.get().unwrap_or_default());
            }
            "agent_message" | "reasoning" => {}
            "error" => {
                if ends {
                    self.session.notice(NoticeKind::Fault, place, None, item.message.get().unwrap_or_default());
                }
            }
            "todo_list" => self.list(item, id, run, place),
            kind => {
                let Some((name, input)) = called(kind, item) else { return false };
                // Ids are used again by the next run of the same thread.
                let call = if run > 1 { format!("{id}#{run}") } else { id.to_string() };
                if self.begun.insert(id.to_string(), None).is_none() {
                    let mut origin = self.origin(item, place);
                    origin.ids.call = Some(call.clone());
                    self.session.call(origin, &name, kind_of(&name), input);
                }
                if ends {
                    self.session.result(&call, ended(item, place));
                }
            }
        }
        true
    }

    /// A list of tasks: each state of it is a list that the model wrote.
    fn list(&mut self, item: &Item, id: &str, run: u32, place: Locator) {
        let list = item.items.map(|raw| compact(raw.get())).unwrap_or_default();
        let before = self.begun.insert(id.to_string(), Some(list.clone())).flatten();
        if before.as_ref() == Some(&list) {
            return;
        }
        let mut origin = self.origin(item, place);
        if before.is_none() {
            origin.ids.call = Some(if run > 1 { format!("{id}#{run}") } else { id.to_string() });
        }
        self.session.call(origin, "todo_list", ToolKind::Todo, vec![field("items", list)]);
        self.session.result_of_last(ResultOf { outcome: Outcome::Ok, ..given(String::new(), place) });
    }

    fn origin(&mut self, item: &Item, place: Locator) -> Origin {
        let message = item.kind.get() == Some("agent_message");
        Origin {
            ids: Aliases { also: item.id.owned().filter(|_| message).into_iter().collect(), ..Aliases::default() },
            turn: Some(format!("turn {}", self.turns)),
            place,
            reasoning: std::mem::take(&mut self.thought),
            ..Origin::default()
        }
    }

    /// The end of a turn tells the tokens of the whole thread.
    fn spent(&mut self, tokens: &Tokens) -> bool {
        let cached = tokens.cached.count();
        let usage = Usage {
            input: tokens.input.count().map(|all| all.saturating_sub(cached.unwrap_or(0))),
            output: tokens.output.count(),
            cache_read: cached,
            cache_write: tokens.written.count(),
            reasoning: tokens.reasoning.count(),
            cost: None,
        };
        if !usage.is_empty() {
            self.session.info.usage = Some(usage);
        }
        true
    }
}

fn field(name: &str, text: impl Into<String>) -> Field {
    Field { name: Some(name.to_string()), text: text.into(), cut: None }
}

/// The call that an item is: name of the tool and input.
fn called(kind: &str, item: &Item) -> Option<(String, Vec<Field>)> {
    let part = |text: &Text| text.get().unwrap_or_default().to_string();
    let input = match kind {
        "command_execution" => vec![field("command", part(&item.command))],
        "file_change" => changes(&item.changes.0.items),
        "mcp_tool_call" => {
            let name = format!("mcp__{}__{}", part(&item.server), part(&item.tool));
            return Some((name, item.arguments.map(|raw| fields(raw.get())).unwrap_or_default()));
        }
        "collab_tool_call" => return Some((part(&item.tool), vec![field("prompt", part(&item.prompt))])),
        "web_search" => vec![field("query", part(&item.query))],
        _ => return None,
    };
    Some((kind.to_string(), input))
}

/// The changed files: one by its path, several as a list.
fn changes(all: &[Change]) -> Vec<Field> {
    let one = |change: &Change| {
        (change.kind.get().unwrap_or("update").to_string(), change.path.get().unwrap_or_default().to_string())
    };
    match all {
        [only] => {
            let (kind, path) = one(only);
            vec![field("kind", kind), field("path", path)]
        }
        _ => {
            // In the words of a patch, so that each is known as a file that was worked on.
            let word = |kind: &str| match kind {
                "add" => "Add",
                "delete" => "Delete",
                _ => "Update",
            };
            let lines = all.iter().map(one).map(|(kind, path)| format!("*** {} File: {path}", word(&kind)));
            vec![field("changes", lines.collect::<Vec<_>>().join("\n"))]
        }
    }
}

fn given(text: String, place: Locator) -> ResultOf {
    ResultOf {
        text,
        cut: None,
        outcome: Outcome::NotRecorded,
        exit: Exit::NotRecorded,
        time: None,
        place,
        spawned: None,
        extra: Vec::new(),
    }
}

/// How an item ended.
fn ended(item: &Item, place: Locator) -> ResultOf {
    let result = || item.result.map(|raw| compact(raw.get()));
    let error = item.error.0.message.get().or(item.error.0.stray.get());
    let text = item.output.owned().or_else(|| error.map(str::to_string)).or_else(result).unwrap_or_default();
    let code = item.exit_code.whole().and_then(|code| i32::try_from(code).ok());
    let outcome = match (item.status.get(), code) {
        (Some("declined"), _) => Outcome::Denied,
        (_, Some(0)) => Outcome::Ok,
        (_, Some(_)) | (Some("failed"), _) => Outcome::Failed,
        (Some("completed"), _) => Outcome::Ok,
        _ => Outcome::NotRecorded,
    };
    let exit = code.filter(|_| outcome != Outcome::Denied).map_or(Exit::NotRecorded, Exit::Code);
    ResultOf { outcome, exit, ..given(text, place) }
}
