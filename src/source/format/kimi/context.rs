//! `context.jsonl` of Kimi CLI: the messages that the model is shown, one per line, with rows of its own between them
//! (`_checkpoint`, `_usage`). It is begun anew at each compaction and holds no times: where `wire.jsonl` lies beside it,
//! that one tells the session.

use super::{Content, Draft, ending};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::{
        accounting::Accounting,
        builder::{ResultOf, SessionBuilder},
        message::NoticeKind,
        session::SessionInfo,
    },
    source::{
        Parsed,
        format::{Card, Format, Recorded},
        frame::{Records, checked, json_lines},
        lenient::{List, Text, lenient},
        open::Input,
        seen::{Seen, text},
        sniff::Sniff,
    },
};

/// See the module.
pub struct KimiContext;

impl Format for KimiContext {
    fn name(&self) -> &'static str {
        "kimi-context"
    }

    fn about(&self) -> &'static str {
        "context of Kimi CLI (`context.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Kimi CLI",
            versions: "0.40 to 1.3",
            records: &[
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, lines) = seen.vote(|line| ROLES.contains(&text(line, "role")) || MARKS.contains(&text(line, "role")));
        let marked = seen.vote(|line| MARKS.contains(&text(line, "role"))).0;
        match marked {
            0 => Sniff::No("no row with the role `_checkpoint` or `_usage`".into()),
            _ if own * 2 < lines => Sniff::No(format!("only {own} of {lines} sampled lines are its rows")),
            _ if seen.beside("wire.jsonl").is_some() => {
                Sniff::Part(85, "the session that `wire.jsonl` beside it tells".into())
            }
            _ => Sniff::Yes(90, format!("{own} of {lines} sampled lines are its rows")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        let mut session = SessionBuilder::new(self.name());
        let id = super::wire::session_name(input).unwrap_or_else(|| input.stem().to_string());
        session.info = SessionInfo { id, format: self.name(), records_outcome: true, ..SessionInfo::default() };
        session.accounting = loader.accounting;
        session.diagnostics = diagnostics;
        session.diagnostics.extend(loader.diagnostics);
        loader.draft.tell(&mut session);
        Ok(Parsed { sessions: vec![session.finish()], ..Parsed::default() })
    }
}

/// Roles of messages.
const ROLES: &[&str] = &["assistant", "system", "tool", "user"];
/// Roles of the rows that only this file has.
const MARKS: &[&str] = &["_checkpoint", "_system_prompt", "_usage"];

lenient! {
    /// A row.
    struct Row<'a> {
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        calls: List<ToolCall<'a>> = "tool_calls",
        call: Text<'a> = "tool_call_id",
    }
}

lenient! {
    /// A call.
    struct ToolCall<'a> {
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

#[derive(Default)]
struct Loader {
    draft: Draft,
    accounting: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let row: Row = serde_json::from_str(text)?;
        if !checked(&row.stray, row.fault(), place, &mut self.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        self.take(&row, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

/// Beginnings of texts under the user's role that the harness put there.
const INJECTED: &[(&str, NoticeKind)] = &[
    ("<system>Previous context has been compacted", NoticeKind::Compaction),
    ("<system>", NoticeKind::Meta),
    ("<system-reminder>", NoticeKind::Meta),
];

impl Loader {
    fn take(&mut self, row: &Row, place: Locator) {
        let text = row.content.said();
        match row.role.get().unwrap_or_default() {
            "user" => {
                self.accounting.used();
                match INJECTED.iter().find(|(words, _)| text.starts_with(words)) {
                    Some((_, kind)) => self.draft.notice(*kind, &text, place, None),
                    None => self.draft.user(&row.content, place, None),
                }
            }
            "assistant" => {
                self.accounting.used();
                self.draft.begin(format!("record {}", place.record));
                self.draft.think(&row.content.thought());
                self.draft.text(&text, None, place, None);
                for call in &row.calls.items {
                    let (name, arguments) = (&call.function.name, &call.function.arguments);
                    let name = name.get().unwrap_or("(no name)");
                    self.draft.call(call.id.owned(), name, arguments.get().unwrap_or_default(), place, None);
                }
            }
            "tool" => {
                self.accounting.used();
                let succeeded = text.starts_with("<system>Command executed successfully");
                let told = ending(&text, "", succeeded.then_some(false));
                let id = row.call.get().unwrap_or_default();
                if let Some(code) = self.draft.result(id, ResultOf::new(text, place).ended(told)) {
                    self.diagnostics.add(code, place, format!("line {}: of call {id:?}", place.line));
                }
            }
            "system" => self.accounting.skipped("system"),
            "_system_prompt" => self.accounting.skipped("_system_prompt"),
            "_checkpoint" => self.accounting.skipped("_checkpoint"),
            "_usage" => self.accounting.skipped("_usage"),
            role => {
                let role = if role.is_empty() { "(no role)" } else { role };
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{role}` on line {}", place.line));
                self.accounting.unknown(role);
            }
        }
    }
}
