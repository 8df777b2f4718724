//! A task of Cline, Roo Code or Kilo Code: a folder with two documents. `ui_messages.json` is what the editor showed, in
//! the order of what happened and with times; `api_conversation_history.json` is what the model was given, which a
//! condensation may have rewritten. The first leads; from the second come results, where its responses are as many. The
//! second alone is read as it is.

mod api;
mod ui;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error},
    model::builder::SessionBuilder,
    source::{
        Parsed,
        document::Source,
        lenient::{Any, List, Number, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct Cline;

/// The file of a task that leads.
const LEAD: &str = "ui_messages.json";
/// The other one.
const HISTORY: &str = "api_conversation_history.json";

lenient! {
    /// `task_metadata.json` of Cline.
    struct Metadata<'a> {
        models: List<Model<'a>> = "model_usage",
    }
}

lenient! {
    /// From when on a model was used.
    struct Model<'a> {
        time: Number = "ts",
        id: Text<'a> = "model_id",
    }
}

lenient! {
    /// `history_item.json` of Roo Code.
    struct History<'a> {
        id: Any<Text<'a>> = "id",
        workspace: Any<Text<'a>> = "workspace",
        parent: Any<Text<'a>> = "parentTaskId",
    }
}

impl Format for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn about(&self) -> &'static str {
        "tasks of Cline, Roo Code and Kilo Code (`ui_messages.json`, `api_conversation_history.json`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Cline",
            versions: "Cline 3, Roo Code 3, Kilo Code before its move to opencode",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let Some(items) = seen.document().and_then(Node::list) else {
            return Sniff::No("no list of `{ts, type: ask or say}`".into());
        };
        let shown = items.iter().filter(|n| matches!(text(n, "type"), "ask" | "say") && has(n, &["ts"])).count();
        if shown * 2 > items.len() {
            return Sniff::Yes(92, format!("{shown} of {} items are what the editor showed", items.len()));
        }
        let given = items.iter().filter(|n| matches!(text(n, "role"), "user" | "assistant") && has(n, &["content"]));
        let (given, head) = (given.count(), seen.text());
        let marked = head.contains("<environment_details>") || head.contains("<task>");
        match given * 2 > items.len() && marked {
            true if seen.beside(LEAD).is_some() => Sniff::Part(78, format!("{LEAD} of the same task")),
            true => Sniff::Yes(78, format!("{given} messages, with `<environment_details>` or `<task>`")),
            false => Sniff::No("no list of `{ts, type: ask or say}`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&[]);
        let items = document.list("");
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        if matches!(input.file_name(), LEAD | HISTORY) && !input.folder_name().is_empty() {
            session.info.id = input.folder_name().to_string();
        }
        let metadata = beside(input, &mut session);
        if items.iter().any(|item| ui::is_shown(item.raw)) {
            let history = input.beside(HISTORY).and_then(|file| file.bytes().ok()).unwrap_or_default();
            ui::read(&mut session, items, metadata, &api::Results::of(&history));
        } else {
            api::read(&mut session, items);
        }
        let (mut diagnostics, mut unassigned) = (Diagnostics::default(), Default::default());
        source.report(&document, &mut diagnostics, &mut unassigned);
        session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![session.finish()], unassigned, ..Default::default() })
    }
}

/// What other files of the task tell: models by the time from which on they were used, folder, parent.
fn beside(input: &Input, session: &mut SessionBuilder) -> Vec<(f64, String)> {
    let bytes = |name: &str| input.beside(name).and_then(|file| file.bytes().ok()).unwrap_or_default();
    let history = bytes("history_item.json");
    let history: History = serde_json::from_slice(&history).unwrap_or_default();
    session.info.cwd = history.workspace.0.owned();
    session.info.parent = history.parent.0.owned();
    if let Some(id) = history.id.0.owned() {
        session.info.id = id;
    }
    let metadata = bytes("task_metadata.json");
    let metadata: Metadata = serde_json::from_slice(&metadata).unwrap_or_default();
    metadata.models.items.iter().filter_map(|m| Some((m.time.get()?, m.id.owned()?))).collect()
}
