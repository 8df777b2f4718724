//! Chat sessions that VS Code keeps of Copilot: one document with its requests, or a log of operations that builds that
//! document (`kind` 0 sets the whole, 1 a value at a path, 2 appends to a list, 3 removes). A request holds what the user
//! asked, what the editor showed, and in its metadata what really passed between model and tools.

mod replay;
mod request;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator},
    model::builder::SessionBuilder,
    source::{
        Parsed,
        document::Source,
        frame::json_lines,
        json::text_of,
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
    },
    text::partial_json::{self, Value},
};

/// See the module.
pub struct VscodeCopilot;

impl Format for VscodeCopilot {
    fn name(&self) -> &'static str {
        "vscode-copilot"
    }

    fn about(&self) -> &'static str {
        "chat sessions of GitHub Copilot in VS Code (JSON and operation log)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "GitHub Copilot",
            versions: "session version 3, operation log of 2026",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, of) = seen.vote(|n| {
            let kind = n.get("kind").map(|kind| matches!(kind.value, Value::Number(_)));
            kind == Some(true) && (has(n, &["v"]) || has(n, &["k"]))
        });
        if own > 0 && own * 2 >= of {
            return Sniff::Yes(90, format!("{own} of {of} lines are operations with `kind` and `v` or `k`"));
        }
        match seen.document() {
            Some(node)
                if has(node, &["version", "requests"])
                    && (has(node, &["sessionId"]) || has(node, &["requesterUsername"])) =>
            {
                Sniff::Yes(92, "`version`, `sessionId` and `requests`".into())
            }
            _ => Sniff::No("neither `requests` with `sessionId` nor operations with `kind`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let sample = input.sample()?;
        let (head, _) = text_of(&sample.head);
        let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_operation = partial_json::read(first).node.is_some_and(|node| has(&node, &["kind"]));
        if is_operation { self.log(input) } else { self.document(input) }
    }
}

impl VscodeCopilot {
    fn document(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["requests"]);
        let mut session = SessionBuilder::new(self.name());
        session.info.id = document.string("sessionId").unwrap_or_else(|| input.stem().to_string());
        session.info.title = document.string("customTitle");
        session.info.records_outcome = true;
        for item in document.list("requests") {
            match item.whole && request::read(&mut session, item.raw, item.place) {
                true => session.accounting.used(),
                false => session.accounting.damaged(),
            }
        }
        let (mut diagnostics, mut unassigned) = (Diagnostics::default(), Default::default());
        source.report(&document, &mut diagnostics, &mut unassigned);
        session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![session.finish()], unassigned, ..Default::default() })
    }

    fn log(&self, input: &Input) -> Result<Parsed, Error> {
        let mut replay = replay::Replay::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut replay)?;
        let mut session = SessionBuilder::new(self.name());
        session.info.id = replay.string("sessionId").unwrap_or_else(|| input.stem().to_string());
        session.info.title = replay.string("customTitle");
        session.info.records_outcome = true;
        session.accounting = replay.accounting.clone();
        session.diagnostics.extend(diagnostics);
        session.diagnostics.extend(std::mem::take(&mut replay.diagnostics));
        for (raw, place) in replay.requests() {
            request::read(&mut session, &raw, Locator { bytes: place.bytes, ..place });
        }
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}
