//! Rollouts of Codex CLI: the JSON Lines that it keeps of each session. A turn stands in them as several records (what
//! went to the model, what the screen was told, an item of the history); a compaction repeats the context, a fork the
//! session it comes from, a resume the head. Forms: bare items without times (2025) and one document of them, envelopes
//! since, several histories of 2026. A tool of scripts (`exec`) runs other tools inside.

mod fork;
mod input;
mod load;
mod outcome;
mod record;
mod said;
mod script;
mod story;
mod tokens;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error},
    source::{
        Parsed,
        ahead::json_lines,
        document::Source,
        open::Input,
        seen::{Seen, at, has, text},
        sniff::Sniff,
    },
    text::partial_json::{Node, Value},
};
use load::{ITEMS, Loader, is_envelope};
use story::Setting;

/// See the module.
pub struct CodexRollout;

impl Format for CodexRollout {
    fn name(&self) -> &'static str {
        "codex-rollout"
    }

    fn about(&self) -> &'static str {
        "sessions of Codex CLI (`rollout-*.jsonl`, also `.zst`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Codex CLI",
            versions: "2025 to 0.163",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Branch,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        if seen.document().is_some_and(is_document) {
            return Sniff::Yes(90, "a document of `session` and `items`".into());
        }
        let (own, lines) =
            seen.vote(|line| is_envelope(text(line, "type")) && line.get("payload").is_some_and(is_object));
        if own > 0 && own * 2 >= lines {
            return Sniff::Yes(95, format!("{own} of {lines} sampled lines are its envelopes"));
        }
        let (bare, _) = seen.vote(is_bare);
        let marked = seen.vote(is_mark).0 > 0;
        match bare {
            bare if marked && bare * 2 >= lines => {
                Sniff::Yes(85, format!("{bare} of {lines} sampled lines are its items"))
            }
            0 => Sniff::No("no line with `type` and `payload` of its kinds".into()),
            bare => Sniff::No(format!("only {bare} of {lines} sampled lines are its items")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut diagnostics = Diagnostics::default();
        if let Some(parsed) = self.document(input, &mut diagnostics)? {
            return Ok(parsed);
        }
        let mut loader = Loader::new(fork::copied_turns(input));
        json_lines(input, &mut diagnostics, &mut loader)?;
        Ok(loader.finish(self.name(), input.stem(), diagnostics))
    }
}

impl CodexRollout {
    /// The form of the first versions: one document of the session's head and its items.
    fn document(&self, input: &Input, diagnostics: &mut Diagnostics) -> Result<Option<Parsed>, Error> {
        let sample = input.sample()?;
        let texts = crate::source::seen::Texts::of(&sample);
        if !Seen::new(&sample, &texts).document().is_some_and(is_document) {
            return Ok(None);
        }
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["items"]);
        let mut unassigned = Default::default();
        source.report(&document, diagnostics, &mut unassigned);
        let mut loader = Loader::default();
        if let Some(head) = document.field("session").and_then(|raw| serde_json::from_str(raw).ok()) {
            loader.header(head, &Setting::default());
        }
        for item in document.list("items") {
            match serde_json::from_str(item.raw) {
                Ok(payload) if item.whole => {
                    loader.take_bare(payload, Setting { place: item.place, ..Setting::default() });
                }
                _ => crate::source::frame::Records::lost(&mut loader, item.place),
            }
        }
        let parsed = loader.finish(self.name(), input.stem(), std::mem::take(diagnostics));
        Ok(Some(Parsed { unassigned, ..parsed }))
    }
}

fn is_object(node: &Node) -> bool {
    matches!(node.value, Value::Object(_))
}

fn is_document(node: &Node) -> bool {
    at(node, &["session", "id"]).is_some() && at(node, &["session", "instructions"]).is_some() && has(node, &["items"])
}

/// A line that is an item, a state, or the head of a session without an envelope.
fn is_bare(line: &Node) -> bool {
    ITEMS.contains(&text(line, "type"))
        && ["content", "call_id", "summary", "action", "status"].iter().any(|m| line.get(m).is_some())
        || is_mark(line)
}

/// A line that only this form has.
fn is_mark(line: &Node) -> bool {
    has(line, &["record_type"]) && line.get("type").is_none()
        || has(line, &["id", "timestamp", "instructions"]) && line.get("type").is_none()
}
