//! Output of `opencode run --format json`: JSON Lines, each with a part of the model's messages as it was finished. The
//! prompt, what sub-agents did, and calls that did not end are not in it.

use std::{borrow::Cow, collections::HashMap};

use super::{
    super::{Card, Format, Recorded},
    call::moment,
    message::{self, Found, Head, fault},
    shape::{Event, Part},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::{accounting::Accounting, builder::SessionBuilder},
    source::{
        Parsed,
        frame::{Records, checked, json_lines},
        open::Input,
        seen::{self, Seen},
        sniff::Sniff,
    },
};

/// See the module.
pub struct OpencodeRun;

/// Types of its lines.
const TYPES: &[&str] = &["error", "reasoning", "step_finish", "step_start", "text", "tool_use"];

impl Format for OpencodeRun {
    fn name(&self) -> &'static str {
        "opencode-run"
    }

    fn about(&self) -> &'static str {
        "output of `opencode run --format json`"
    }

    fn card(&self) -> Card {
        Card {
            agent: "opencode",
            versions: "0.15 to 1.19",
            records: &[
                Recorded::Times,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, lines) = seen.vote(|node| {
            TYPES.contains(&seen::text(node, "type"))
                && seen::text(node, "sessionID").starts_with("ses_")
                && node.get("timestamp").is_some()
        });
        match own {
            0 => Sniff::No("no line with `type`, `timestamp` and a `ses_` id".into()),
            own if own * 2 >= lines => Sniff::Yes(92, format!("{own} of {lines} sampled lines are its events")),
            own => Sniff::No(format!("only {own} of {lines} sampled lines are its events")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader { format: self.name(), stem: input.stem().to_string(), ..Loader::default() };
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        loader.flush();
        diagnostics.extend(loader.diagnostics);
        let mut parsed = Parsed { unassigned: loader.unassigned, diagnostics, ..Parsed::default() };
        loader.sessions.into_iter().for_each(|session| parsed.add(session.finish()));
        Ok(parsed.settled())
    }
}

/// A message whose parts are still coming.
struct Open {
    session: usize,
    message: Option<String>,
    created: Option<f64>,
    place: Locator,
    parts: Vec<Found<'static>>,
}

/// Takes in a file; several runs may stand in it one after the other.
#[derive(Default)]
struct Loader {
    format: &'static str,
    stem: String,
    sessions: Vec<SessionBuilder>,
    by_id: HashMap<String, usize>,
    open: Option<Open>,
    unassigned: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        self.take(&serde_json::from_str(text)?, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        match self.sessions.last_mut() {
            Some(session) => session.accounting.damaged(),
            None => self.unassigned.damaged(),
        }
    }
}

impl Loader {
    fn take(&mut self, event: &Event, place: Locator) {
        if !checked(&event.stray, event.fault(), place, &mut self.diagnostics) {
            return self.lost(place);
        }
        let at = self.session(event.session.get().unwrap_or_default());
        match event.kind.get().unwrap_or_default() {
            "error" => {
                self.flush();
                let session = &mut self.sessions[at];
                session.accounting.used();
                if let Some((kind, text)) = fault(&event.error.0) {
                    session.notice(kind, place, moment(event.time), text);
                }
            }
            kind if TYPES.contains(&kind) => self.part(at, kind, event, place),
            kind => {
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                self.sessions[at].accounting.unknown(if kind.is_empty() { "(no type)" } else { kind });
            }
        }
    }

    /// The session of an id; without one, the last.
    fn session(&mut self, id: &str) -> usize {
        if let (true, Some(last)) = (id.is_empty(), self.sessions.len().checked_sub(1)) {
            return last;
        }
        let known = self.by_id.get(id).copied();
        known.unwrap_or_else(|| {
            let mut session = SessionBuilder::new(self.format);
            session.info.id = if id.is_empty() { self.stem.clone() } else { id.to_string() };
            session.info.records_outcome = true;
            self.by_id.insert(id.to_string(), self.sessions.len());
            self.sessions.push(session);
            self.sessions.len() - 1
        })
    }

    fn part(&mut self, at: usize, kind: &str, event: &Event, place: Locator) {
        let accounting = &mut self.sessions[at].accounting;
        match kind {
            "step_start" => accounting.skipped(kind),
            _ => accounting.used(),
        }
        let raw = event.part.map_or("{}", |raw| raw.get());
        let message = serde_json::from_str::<Part>(raw).ok().and_then(|part| part.message.owned());
        if self.open.as_ref().is_some_and(|open| open.session != at || open.message != message) {
            self.flush();
        }
        let open = self.open.get_or_insert_with(|| Open {
            session: at,
            message,
            created: event.time.get(),
            place,
            parts: Vec::new(),
        });
        open.parts.push(Found { id: None, raw: Cow::Owned(raw.to_string()), place });
    }

    /// Tells the message whose parts came last.
    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            let head = Head::of_response(open.message, open.created, open.place);
            message::tell(&mut self.sessions[open.session], &head, &open.parts, None);
        }
    }
}
