//! Sessions that Qwen Code keeps: JSON Lines that form a tree by `parentUuid`, like those of Claude Code, with contents
//! in parts, like those of Gemini CLI. The conversation ends in the last record; what does not lead there was rewound. A
//! fork begins with copies of another session's records, under their ids. What early versions wrote is read with
//! Gemini's.

mod record;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    Card, Format, Recorded,
    google::parts::{Content, ending, returned},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, NoticeKind, Outcome, ToolKind, Usage},
        session::{Branch, SessionInfo},
    },
    source::{
        Parsed,
        agents::{self, Agent},
        fields::{compact, fields},
        frame::{Records, checked, json_lines, wrong_type},
        open::Input,
        seen::{Seen, at, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
    text::quote::shorten,
};
use record::{Display, Record, SILENT};

/// See the module.
pub struct Qwen;

impl Format for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn about(&self) -> &'static str {
        "sessions of Qwen Code (`chats/*.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Qwen Code",
            versions: "0.3 to 0.19",
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
        let (own, lines) = seen.vote(|line| {
            let tree = has(line, &["uuid", "parentUuid", "sessionId", "type"]);
            let turn = at(line, &["message", "parts"]).is_some();
            let system = text(line, "type") == "system" && has(line, &["subtype", "systemPayload"]);
            tree && (turn || system)
        });
        match own {
            0 => Sniff::No("no record with `uuid`, `sessionId` and `message.parts`".into()),
            own if own * 2 >= lines => Sniff::Yes(92, format!("{own} of {lines} sampled lines are its records")),
            own => Sniff::No(format!("only {own} of {lines} sampled lines are its records")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        Ok(loader.finish(self.name(), input.stem(), diagnostics))
    }
}

/// A piece of what a record says.
#[derive(Debug)]
enum Piece {
    User(String),
    Text(String),
    Call(Option<String>, String, Vec<Field>),
    Result(Option<String>, ResultOf),
    Notice(NoticeKind, String),
}

/// A record of the tree.
#[derive(Debug)]
struct Node {
    uuid: Option<String>,
    parent: Option<usize>,
    /// Nothing before it belongs to the conversation.
    root: bool,
    pieces: Vec<Piece>,
    /// Why it gives nothing, where it does not.
    skipped: &'static str,
    thought: String,
    setting: Origin,
}

/// The records of one conversation.
#[derive(Default)]
struct Conversation {
    nodes: Vec<Node>,
    latest: HashMap<String, usize>,
    met: HashSet<(String, String)>,
    tools: HashMap<String, ToolKind>,
    accounting: Accounting,
    info: SessionInfo,
    diagnostics: Diagnostics,
}

#[derive(Default)]
struct Loader {
    main: Conversation,
    agents: BTreeMap<String, Conversation>,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let record: Record = serde_json::from_str(text)?;
        if !checked(&record.stray, None, place, &mut self.main.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        let agent = record.agent.owned().filter(|_| record.sidechain.set());
        match agent {
            Some(agent) => self.agents.entry(agent).or_default().take(&record, place),
            None => self.main.take(&record, place),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.main.accounting.damaged();
    }
}

impl Loader {
    fn finish(mut self, format: &'static str, stem: &str, diagnostics: Diagnostics) -> Parsed {
        // A file of a sub-agent only is that sub-agent's session.
        if self.main.nodes.is_empty()
            && let Some((id, mut only)) = self.agents.pop_first()
        {
            only.info.parent = Some(std::mem::replace(&mut only.info.id, id)).filter(|id| !id.is_empty());
            only.accounting.merge(&self.main.accounting);
            only.diagnostics.extend(self.main.diagnostics);
            self.main = only;
        }
        let mut main = self.main.tell(format, stem);
        main.diagnostics.extend(diagnostics);
        let id = main.info.id.clone();
        let agents = self.agents.into_iter().map(|(key, agent)| {
            let mut session = agent.tell(format, stem);
            session.info.id = key;
            session.info.parent = Some(id.clone());
            Agent { spawned_by: None, session: session.finish() }
        });
        let session = agents::attach(main.finish(), agents.collect());
        Parsed { sessions: vec![session], ..Parsed::default() }
    }
}

impl Conversation {
    fn take(&mut self, record: &Record, place: Locator) {
        wrong_type(record.fault(), place, &mut self.diagnostics);
        let kind = record.kind.get().unwrap_or_default().to_string();
        let uuid = record.uuid.owned();
        if let Some(uuid) = &uuid
            && !self.met.insert((kind.clone(), uuid.clone()))
            && kind != "system"
        {
            self.diagnostics.add(DiagCode::RecordRepeated, place, format!("uuid on line {} stood before", place.line));
            return self.accounting.skipped("repeated");
        }
        self.know(record);
        let (pieces, skipped) = match kind.as_str() {
            "user" => (self.user(record, place), ""),
            "assistant" => (self.assistant(record), ""),
            "tool_result" => (self.results(record, place), ""),
            "system" => system(record),
            _ => {
                let name = if kind.is_empty() { "(no type)" } else { &kind };
                let told = format!("`{name}` on line {}", place.line);
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                self.accounting.unknown(name);
                (Vec::new(), COUNTED)
            }
        };
        let parent = self.parent(record, place);
        if let Some(uuid) = &uuid {
            self.latest.insert(uuid.clone(), self.nodes.len());
        }
        let thought = if kind == "assistant" { record.message.parts.thought() } else { String::new() };
        let rewound = record.subtype.get() == Some("rewind");
        self.nodes.push(Node {
            parent,
            root: rewound && record.parent.get().is_none(),
            pieces,
            skipped,
            thought,
            setting: setting(record, place),
            uuid,
        });
    }

    /// The record that a record follows: the last one with the id that it names, else the one before it.
    fn parent(&mut self, record: &Record, place: Locator) -> Option<usize> {
        let before = self.nodes.len().checked_sub(1);
        let Some(id) = record.parent.get() else { return before };
        let found = self.latest.get(id).copied();
        if found.is_none() {
            self.diagnostics.add(DiagCode::ParentMissing, place, format!("{id:?} is not in the log"));
        }
        found.or(before)
    }

    fn know(&mut self, record: &Record) {
        let info = &mut self.info;
        if let Some(id) = record.session.owned() {
            info.id = id;
        }
        info.cwd = info.cwd.take().or_else(|| record.cwd.owned());
        info.branch = record.branch.owned().or(info.branch.take());
        info.version = record.version.owned().or(info.version.take());
        info.continues = record.forked.0.session.owned().or(info.continues.take());
        info.title = record.payload.0.title.owned().or(info.title.take()).or_else(|| record.agent_name.owned());
        info.parent = record.payload.0.parent.owned().or(info.parent.take());
    }

    fn user(&mut self, record: &Record, place: Locator) -> Vec<Piece> {
        // Results stood under the user's role before they had a type of their own.
        if record.message.parts.blocks.iter().any(|part| part.response.is_some()) {
            return self.results(record, place);
        }
        let parts = &record.message.parts;
        let whole = parts.said();
        let shown = record.payload.0.display.0.owned().filter(|shown| *shown != whole);
        let injected = matches!(record.provenance.get(), Some("goal_control" | "goal_runtime" | "system"))
            || record.subtype.get() == Some("notification");
        let mut pieces = Vec::new();
        match (injected, shown) {
            (true, shown) => pieces.push(Piece::Notice(NoticeKind::Meta, shown.unwrap_or(whole))),
            (false, Some(shown)) => {
                pieces.push(Piece::Notice(NoticeKind::Meta, whole));
                pieces.push(Piece::User(shown));
            }
            (false, None) => pieces.push(Piece::User(told(parts, whole))),
        }
        pieces
    }

    fn assistant(&mut self, record: &Record) -> Vec<Piece> {
        let parts = &record.message.parts.blocks;
        let mut pieces: Vec<Piece> = Vec::new();
        for part in parts.iter().filter(|part| !part.thought.0.set()) {
            if let Some(text) = part.text.get().or(part.stray.get()).filter(|text| !text.is_empty()) {
                match pieces.last_mut() {
                    // A response that was streamed lies in several parts.
                    Some(Piece::Text(known)) => known.push_str(text),
                    _ => pieces.push(Piece::Text(text.to_string())),
                }
            }
            if let Some(call) = &part.call {
                let name = call.name.get().unwrap_or("(no name)").to_string();
                let input = call.args.map(|raw| fields(raw.get())).unwrap_or_default();
                if let Some(id) = call.id.owned() {
                    self.tools.insert(id, kind_of(&name));
                }
                pieces.push(Piece::Call(call.id.owned(), name, input));
            }
        }
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty()));
        pieces
    }

    fn results(&mut self, record: &Record, place: Locator) -> Vec<Piece> {
        let time = record.time.get().and_then(Timestamp::parse);
        let given = &record.result.0;
        let display: Option<Display> = given.display.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let todos = display.filter(|shown| shown.kind.get() == Some("todo_list")).and_then(|shown| shown.todos);
        let responses = record.message.parts.blocks.iter().filter_map(|part| part.response.as_ref());
        let one = |response: &super::google::parts::FunctionResponse| {
            let id = response.id.owned().or(given.id.owned());
            let kind = id.as_ref().and_then(|id| self.tools.get(id)).copied().unwrap_or(ToolKind::Other);
            let (text, error) = returned(response.response);
            let (mut outcome, exit) = ending(kind, given.status.get().unwrap_or_default(), &text, error);
            // A list that could not be written is told as a success.
            if text.starts_with("Failed to modify todos") {
                outcome = Outcome::Failed;
            }
            let extra = todos.map(|raw| ("todos", compact(raw.get()))).into_iter().collect();
            let result = ResultOf { time, extra, ..ResultOf::new(text, place).ended((outcome, exit)) };
            Piece::Result(id, result)
        };
        responses.map(one).collect()
    }

    /// The positions that lead to the last record.
    fn chain(&self) -> Vec<bool> {
        let mut kept = vec![false; self.nodes.len()];
        let mut next = self.nodes.len().checked_sub(1);
        while let Some(at) = next {
            kept[at] = true;
            next = self.nodes[at].parent.filter(|_| !self.nodes[at].root);
        }
        kept
    }

    fn tell(mut self, format: &'static str, stem: &str) -> SessionBuilder {
        let mut session = SessionBuilder::new(format);
        let kept = self.chain();
        session.branches = self.branches(&kept);
        for (at, node) in self.nodes.into_iter().enumerate() {
            match (kept[at], node.skipped) {
                (_, COUNTED) => {}
                (_, reason) if !reason.is_empty() => self.accounting.skipped(reason),
                (false, _) => self.accounting.skipped("abandoned-branch"),
                (true, _) => self.accounting.used(),
            }
            if kept[at] {
                told_by(&mut session, node);
            }
        }
        // The builder has gathered the models.
        let models = std::mem::take(&mut session.info.models);
        session.info = SessionInfo { format, models, records_outcome: true, ..self.info };
        if session.info.id.is_empty() {
            session.info.id = stem.to_string();
        }
        session.accounting = self.accounting;
        session.diagnostics.extend(self.diagnostics);
        session
    }

    /// What was left behind, by the record after which it leaves.
    fn branches(&self, kept: &[bool]) -> Vec<Branch> {
        let mut branches: Vec<Branch> = Vec::new();
        let mut of: HashMap<usize, usize> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| !kept[*at]) {
            let known = node.parent.and_then(|above| of.get(&above)).copied();
            let branch = known.unwrap_or_else(|| {
                let after = node.parent.and_then(|above| self.nodes[above].uuid.clone());
                branches.push(Branch { after, records: 0, opening: String::new() });
                branches.len() - 1
            });
            of.insert(at, branch);
            let branch = &mut branches[branch];
            branch.records += u64::from(!node.pieces.is_empty());
            let mut said = node.pieces.iter().filter_map(|p| if let Piece::User(text) = p { Some(text) } else { None });
            if let Some(text) = said.next().filter(|_| branch.opening.is_empty()) {
                branch.opening = shorten(text, 80).into_owned();
            }
        }
        branches.retain(|branch| branch.records > 0);
        branches
    }
}

/// What a record tells that did not go to the model; why it gives nothing, where it does not.
fn system(record: &Record) -> (Vec<Piece>, &'static str) {
    let payload = &record.payload.0;
    let notice = |kind, text: &str| (vec![Piece::Notice(kind, text.to_string())], "");
    match record.subtype.get().unwrap_or_default() {
        "chat_compression" => notice(NoticeKind::Compaction, ""),
        "slash_command" if payload.phase.get() != Some("result") => {
            notice(NoticeKind::Meta, payload.command.get().unwrap_or_default())
        }
        "slash_command" => (Vec::new(), "slash_command"),
        "notification" | "cron" => notice(NoticeKind::Meta, payload.display.0.get().unwrap_or_default()),
        "mid_turn_user_message" => {
            let text = payload.display.0.owned().unwrap_or_else(|| record.message.parts.said());
            (vec![Piece::User(text)], "")
        }
        "custom_title" | "parent_session" | "rewind" => (Vec::new(), ""),
        subtype => match SILENT.iter().find(|known| **known == subtype) {
            Some(known) => (Vec::new(), known),
            None => (Vec::new(), "system"),
        },
    }
}

/// Mark of a record that is counted elsewhere.
const COUNTED: &str = "counted";

/// A text, or what stands for the images that came without one.
fn told(parts: &Content, text: String) -> String {
    if text.trim().is_empty() { parts.placeholders().join("\n") } else { text }
}

fn setting(record: &Record, place: Locator) -> Origin {
    let usage = record.usage.0.usage();
    Origin {
        ids: Aliases { message: record.uuid.owned(), ..Aliases::default() },
        turn: record.uuid.owned(),
        time: record.time.get().and_then(Timestamp::parse),
        place,
        model: record.model.owned(),
        cwd: record.cwd.owned(),
        branch: record.branch.owned(),
        usage: Some(usage).filter(|usage| *usage != Usage::default()),
        ..Origin::default()
    }
}

fn told_by(session: &mut SessionBuilder, node: Node) {
    let Node { pieces, mut thought, mut setting, .. } = node;
    for piece in pieces {
        let mut origin = setting.clone();
        match piece {
            Piece::User(text) if text.trim().is_empty() => {}
            Piece::User(text) => session.user(origin, text),
            Piece::Notice(kind, text) => session.notice(kind, setting.place, setting.time, text),
            Piece::Text(text) => {
                origin.reasoning = std::mem::take(&mut thought);
                setting.usage = None;
                session.text(origin, text);
            }
            Piece::Call(id, name, input) => {
                origin.reasoning = std::mem::take(&mut thought);
                setting.usage = None;
                origin.ids.call = id;
                session.call(origin, &name, kind_of(&name), input);
            }
            Piece::Result(Some(id), result) => _ = session.result(&id, result),
            Piece::Result(None, result) => _ = session.result_of_last(result),
        }
    }
}
