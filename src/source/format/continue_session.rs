//! Session files of Continue: one document with a history, in which calls stand at responses and what became of them in
//! states beside. Times are not in it.

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Exit, NoticeKind, Outcome},
    },
    source::{
        Parsed,
        document::{Item, Source},
        exit_words::ending,
        fields::fields,
        format::anthropic::blocks::Content,
        frame::checked,
        lenient::{Any, List, Text, lenient},
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Continue;

lenient! {
    /// An item of the history.
    struct Entry<'a> {
        message: Message<'a> = "message",
        states: List<State<'a>> = "toolCallStates",
        summary: Any<Text<'a>> = "conversationSummary",
        reasoning: Any<Reasoning<'a>> = "reasoning",
    }
}

lenient! {
    /// Reasoning.
    struct Reasoning<'a> { text: Text<'a> = "text" }
}

lenient! {
    /// A message.
    struct Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        calls: List<Call<'a>> = "toolCalls",
        answers: Any<Text<'a>> = "toolCallId",
    }
}

lenient! {
    /// A call.
    struct Call<'a> {
        id: Text<'a> = "id",
        function: Function<'a> = "function",
    }
}

lenient! {
    /// What is called.
    struct Function<'a> {
        name: Text<'a> = "name",
        arguments: Text<'a> = "arguments",
    }
}

lenient! {
    /// What became of a call.
    struct State<'a> {
        id: Text<'a> = "toolCallId",
        call: Any<Call<'a>> = "toolCall",
        status: Text<'a> = "status",
        output: List<Output<'a>> = "output",
    }
}

lenient! {
    /// A piece of what it returned.
    struct Output<'a> { content: Any<Text<'a>> = "content" }
}

impl Format for Continue {
    fn name(&self) -> &'static str {
        "continue"
    }

    fn about(&self) -> &'static str {
        "session files of Continue"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Continue",
            versions: "1.0 to 1.3",
            records: &[Recorded::Failures, Recorded::Cwd, Recorded::Todos, Recorded::Reasoning, Recorded::Compactions],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let Some(node) = seen.document().filter(|n| has(n, &["sessionId", "history"])) else {
            return Sniff::No("no object with `sessionId` and `history`".into());
        };
        let items = node.get("history").and_then(|n| n.list()).unwrap_or_default();
        let foreign = items.iter().any(|n| has(n, &["executionId"]) || has(n, &["promptLogs"]));
        let own = items.iter().filter(|n| has(n, &["message"])).count();
        match (foreign, own * 2 >= items.len() && (own > 0 || has(node, &["workspaceDirectory"]))) {
            (true, _) => Sniff::No("items of Kiro's history".into()),
            (_, true) => Sniff::Yes(88, format!("`sessionId` and `history` with {own} messages")),
            _ => Sniff::No("items of the history hold no messages".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["history"]);
        let mut session = SessionBuilder::new(self.name());
        session.info.id = document.string("sessionId").unwrap_or_else(|| input.stem().to_string());
        session.info.title = document.string("title");
        let folder = document.string("workspaceDirectory").filter(|folder| !folder.is_empty());
        session.info.cwd = folder.map(|f| f.strip_prefix("file://").map(str::to_string).unwrap_or(f));
        session.info.records_outcome = true;
        let mut teller = Teller { session, thought: String::new() };
        for item in document.list("history") {
            teller.item(item);
        }
        let (mut diagnostics, mut unassigned) = (Diagnostics::default(), Default::default());
        source.report(&document, &mut diagnostics, &mut unassigned);
        teller.session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![teller.session.finish()], unassigned, ..Default::default() })
    }
}

struct Teller {
    session: SessionBuilder,
    thought: String,
}

impl Teller {
    fn item(&mut self, item: &Item) {
        let place = item.place;
        let parsed = serde_json::from_str::<Entry>(item.raw);
        let mut entry = match parsed {
            Ok(entry) if checked(&entry.stray, entry.fault(), place, &mut self.session.diagnostics) => entry,
            _ => return self.session.accounting.damaged(),
        };
        if let Some(summary) = entry.summary.0.take() {
            self.session.notice(NoticeKind::Compaction, place, None, summary);
        }
        let (text, _) = std::mem::take(&mut entry.message.content).flat();
        match entry.message.role.get().unwrap_or_default() {
            "user" if text.trim().is_empty() => return self.session.accounting.skipped("no text and no call"),
            "user" => self.session.user(Origin { place, ..Default::default() }, text),
            "assistant" => self.assistant(&entry, text, place),
            "thinking" => self.thought += &text,
            "tool" => self.result(entry.message.answers.0.get().unwrap_or_default(), None, text, place),
            _ => return self.session.accounting.skipped("system"),
        }
        self.session.accounting.used();
    }

    fn origin(&mut self, place: Locator) -> Origin {
        let turn = Some(format!("item {}", place.record));
        Origin { place, turn, reasoning: std::mem::take(&mut self.thought), ..Default::default() }
    }

    fn assistant(&mut self, entry: &Entry, text: String, place: Locator) {
        self.thought += entry.reasoning.0.text.get().unwrap_or_default();
        if !text.trim().is_empty() {
            let origin = self.origin(place);
            self.session.text(origin, text);
        }
        let states = &entry.states.items;
        let stated = states.iter().map(|state| &state.call.0);
        // Where the message itself lists no calls, their states do.
        let calls: Vec<&Call> = match entry.message.calls.items.is_empty() {
            true => stated.collect(),
            false => entry.message.calls.items.iter().collect(),
        };
        for call in calls {
            let name = call.function.name.get().unwrap_or_default();
            let ids = Aliases { call: call.id.owned(), ..Default::default() };
            let origin = Origin { ids, ..self.origin(place) };
            let input = fields(call.function.arguments.get().unwrap_or_default());
            self.session.call(origin, name, kind_of(name), input);
        }
        for state in states {
            let output: Vec<&str> = state.output.items.iter().filter_map(|o| o.content.0.get()).collect();
            let ended = match state.status.get() {
                Some("done") => Some(Outcome::Ok),
                Some("errored") => Some(Outcome::Failed),
                Some("canceled") => Some(Outcome::Denied),
                _ => None,
            };
            if ended.is_some() || !output.is_empty() {
                let id = state.id.owned().or_else(|| state.call.0.id.owned()).unwrap_or_default();
                self.result(&id, ended, output.join("\n"), place);
            }
        }
    }

    fn result(&mut self, id: &str, ended: Option<Outcome>, text: String, place: Locator) {
        let (words, exit) = ending(&text);
        let outcome = match (ended, exit) {
            (Some(Outcome::Ok), Exit::Code(code)) if code != 0 => Outcome::Failed,
            (Some(outcome), _) => outcome,
            (None, _) => words,
        };
        self.session.result(id, ResultOf::new(text, place).ended((outcome, exit)));
    }
}
