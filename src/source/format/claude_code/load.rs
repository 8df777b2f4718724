//! Records taken in one by one, sorted into conversations (the main one and the sub-agents'), and told as sessions.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    beside::Beside,
    record::{BOOKKEEPING, Inner, NOTICES, Record, TITLES},
    tree::{Node, order},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::SessionBuilder,
        message::{ToolKind, Usage},
        session::{Session, SessionInfo},
    },
    source::{
        Parsed,
        agents::{self, Agent},
        ahead::Ahead,
        format::anthropic::{
            blocks::Content,
            emit::{Around, emit},
            turn::{Piece, Role, Turn},
        },
        frame::{Records, checked},
        lenient::{Number, Text},
        tool_names::kind_of,
    },
};

/// The records of one conversation.
#[derive(Debug, Default)]
struct Conversation {
    nodes: Vec<Node>,
    by_uuid: HashMap<String, usize>,
    accounting: Accounting,
    info: SessionInfo,
    /// Ids of the session in the order in which records name them: more than one in a session that was resumed.
    ids: Vec<String>,
    /// Call that started it, where a record says so.
    spawned_by: Option<String>,
}

/// A sub-agent in a file of its own.
#[derive(Debug)]
pub struct Apart {
    /// Its session.
    pub session: Session,
    /// The call that started it, where the file beside it says so.
    pub spawned_by: Option<String>,
}

/// The last text of a kind, which the next record mostly repeats: one copy for all of them.
#[derive(Debug, Default)]
struct Repeated(Option<Arc<str>>);

impl Repeated {
    fn share(&mut self, text: &Text) -> Option<Arc<str>> {
        let text = text.get().filter(|t| !t.is_empty())?;
        if self.0.as_deref() != Some(text) {
            self.0 = Some(text.into());
        }
        self.0.clone()
    }
}

/// Takes in a file.
#[derive(Debug, Default)]
pub struct Loader {
    main: Conversation,
    /// By key: the agent's id, else the id of its first record.
    agents: Vec<(String, Conversation)>,
    keys: HashMap<String, usize>,
    /// Key of the conversation that a side record belongs to, by its id.
    sides: HashMap<String, usize>,
    titles: [Option<String>; TITLES.len()],
    summaries: Vec<(String, String)>,
    cwd: Repeated,
    branch: Repeated,
    diagnostics: Diagnostics,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        self.take(serde_json::from_str(text)?, text, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.main.accounting.damaged();
    }
}

impl Ahead for Loader {
    type Record<'t> = Record<'t>;

    fn take(&mut self, mut record: Record, _: &str, place: Locator) {
        if !checked(&record.stray, record.fault(), place, &mut self.diagnostics) {
            return self.main.accounting.damaged();
        }
        // Texts are moved out of the record, not copied.
        let content = std::mem::take(&mut record.message.content);
        let prompt = std::mem::take(&mut record.attachment.prompt.0);
        let inner = std::mem::take(&mut record.data.message.0);
        let record = &record;
        match record.kind.get().unwrap_or_default() {
            "user" => {
                let turn = self.turn(record, Role::User, content, place);
                self.chain(record, place, Some(turn), "");
            }
            "assistant" => {
                let turn = self.turn(record, Role::Assistant, content, place);
                self.chain(record, place, Some(turn), "");
            }
            "system" => self.chain(record, place, notice(record, place), "system"),
            "attachment" => self.chain(record, place, queued(record, prompt, place), "attachment"),
            "progress" => self.progress(record, inner, place),
            kind if TITLES.contains(&kind) => self.title(record, kind),
            kind if BOOKKEEPING.contains(&kind) => self.main.accounting.skipped(kind),
            kind => self.unknown(record, kind, place),
        }
    }
}

impl Loader {
    /// A record of a type that is not known: counted, and kept as a link of the tree when it is one.
    fn unknown(&mut self, record: &Record, kind: &str, place: Locator) {
        let kind = if kind.is_empty() { "(no type)" } else { kind };
        self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
        let into = self.conversation(record);
        into.accounting.unknown(kind);
        if let Some(uuid) = record.uuid.owned() {
            let mut node = link(record, place, None, "");
            node.skipped = COUNTED;
            if !into.by_uuid.contains_key(&uuid) {
                into.by_uuid.insert(uuid, into.nodes.len());
                into.nodes.push(node);
            }
        }
    }

    fn title(&mut self, record: &Record, kind: &str) {
        let text = [&record.custom_title, &record.agent_name, &record.ai_title, &record.summary];
        let at = TITLES.iter().position(|t| *t == kind).unwrap_or_default();
        self.main.accounting.used();
        let Some(text) = text[at].owned() else { return };
        match kind {
            "summary" => self.summaries.push((record.leaf.owned().unwrap_or_default(), text)),
            _ => self.titles[at] = Some(text),
        }
    }

    /// The conversation that a record belongs to.
    fn conversation(&mut self, record: &Record) -> &mut Conversation {
        if !record.sidechain.set() {
            return &mut self.main;
        }
        let uuid = record.uuid.owned();
        let by_parent = record.parent.get().and_then(|id| self.sides.get(id).copied());
        let at = match (record.agent.owned(), by_parent) {
            (Some(agent), _) => self.agent(&agent),
            (None, Some(at)) => at,
            (None, None) => self.agent(uuid.as_deref().unwrap_or("sidechain")),
        };
        if let Some(uuid) = uuid {
            self.sides.insert(uuid, at);
        }
        &mut self.agents[at].1
    }

    fn agent(&mut self, key: &str) -> usize {
        if let Some(at) = self.keys.get(key) {
            return *at;
        }
        self.keys.insert(key.to_string(), self.agents.len());
        self.agents.push((key.to_string(), Conversation::default()));
        self.agents.len() - 1
    }

    fn turn(&mut self, record: &Record, role: Role, content: Content, place: Locator) -> Turn {
        let mut turn = turn(record, role, content, place);
        turn.cwd = self.cwd.share(&record.cwd);
        turn.branch = self.branch.share(&record.branch);
        turn
    }

    fn chain(&mut self, record: &Record, place: Locator, turn: Option<Turn>, skipped: &'static str) {
        // A copy out of the session that this one was forked from: it only links what follows.
        let (turn, skipped) =
            if record.forked.0.session.get().is_some() { (None, "replayed") } else { (turn, skipped) };
        let node = link(record, place, turn, skipped);
        let into = self.conversation(record);
        into.know(record);
        if into.push(node) {
            self.diagnostics.add(DiagCode::RecordRepeated, place, format!("uuid on line {} stood before", place.line));
        }
    }

    /// A sign of life. One of a sub-agent holds a turn of it; the record itself only links others.
    fn progress(&mut self, record: &Record, inner: Inner, place: Locator) {
        let agent = record.data.agent.owned().filter(|_| record.data.kind.get() == Some("agent_progress"));
        if let (Some(agent), Some(turn)) = (&agent, inner_turn(inner, place)) {
            let at = self.agent(agent);
            let into = &mut self.agents[at].1;
            into.know(record);
            into.spawned_by = into.spawned_by.take().or(record.parent_tool.owned());
            let uuid = turn.uuid.clone();
            let known = uuid.as_ref().is_some_and(|id| into.by_uuid.contains_key(id));
            if !known {
                // Linked in order: these copies do not name their parents.
                let parent = into.nodes.last().and_then(|n| n.uuid.clone());
                let mut node = Node { parent, ..bare(place, Some(turn)) };
                node.uuid = uuid;
                into.push(node);
                return self.silent_link(record, place);
            }
        }
        self.chain(record, place, None, "progress");
    }

    /// Keeps a record that is counted elsewhere as a link of its tree.
    fn silent_link(&mut self, record: &Record, place: Locator) {
        let node = link(record, place, None, COUNTED);
        self.conversation(record).push(node);
    }

    /// Id of the session, where a record names it.
    pub fn session(&self) -> &str {
        &self.main.info.id
    }

    /// Whether the session started sub-agents of which no record is in the file.
    pub fn started_agents(&self) -> bool {
        let calls = |piece: &Piece| matches!(piece, Piece::Call { name, .. } if kind_of(name) == ToolKind::Agent);
        self.main.nodes.iter().filter_map(|n| n.turn.as_ref()).any(|turn| turn.pieces.iter().any(calls))
    }

    /// Leaves out the sub-agents that have files of their own: what the file holds of them is a copy.
    fn leave_out(&mut self, apart: &[Apart]) {
        for (key, conversation) in std::mem::take(&mut self.agents) {
            if !apart.iter().any(|agent| agent.session.info.id == key) {
                self.agents.push((key, conversation));
                continue;
            }
            for node in conversation.nodes.iter().filter(|n| n.skipped != COUNTED) {
                self.main.accounting.skipped(if node.skipped.is_empty() { "repeated" } else { node.skipped });
            }
            self.main.accounting.merge(&conversation.accounting);
        }
    }

    /// The sessions of the file, with the sub-agents that lie in files of their own.
    pub fn finish(mut self, format: &'static str, stem: &str, mut diagnostics: Diagnostics, beside: Beside) -> Parsed {
        diagnostics.extend(std::mem::take(&mut self.diagnostics));
        let title = self.best_title();
        // Only where there are several conversations can a parent lie in another one.
        let mut known = BTreeSet::new();
        if !self.agents.is_empty() {
            let all = std::iter::once(&self.main).chain(self.agents.iter().map(|a| &a.1));
            known.extend(all.flat_map(|c| c.by_uuid.keys().cloned()));
        }
        let links = self.links();
        self.leave_out(&beside.agents);
        let mut main = std::mem::take(&mut self.main);
        // A file that holds a sub-agent only is that sub-agent's session.
        if !main.nodes.iter().any(|n| n.message) && !self.agents.is_empty() {
            let (key, mut first) = self.agents.remove(0);
            first.info.parent = Some(std::mem::replace(&mut first.info.id, key)).filter(|id| !id.is_empty());
            first.accounting.merge(&main.accounting);
            first.skip_all_of(main.nodes);
            main = first;
        }
        if main.info.id.is_empty() {
            main.info.id = stem.to_string();
        }
        let id = main.info.id.clone();
        let stored = &*beside.stored;
        let mut session = main.tell(format, &known, &Around { spawned: &links, stored });
        session.info.title = title;
        session.diagnostics.extend(diagnostics);
        let agents = self.agents.into_iter().map(|(key, conversation)| {
            let spawned_by = links.iter().find(|(_, agent)| **agent == key).map(|(call, _)| call.clone());
            let spawned_by = conversation.spawned_by.clone().or(spawned_by);
            let mut told = conversation.tell(format, &known, &Around { spawned: &links, stored }).finish();
            told.info.id = key;
            told.info.parent = Some(id.clone());
            Agent { spawned_by, session: told }
        });
        let mut agents: Vec<Agent> = agents.collect();
        for Apart { session, spawned_by } in beside.agents {
            let linked = links.iter().find(|(_, agent)| **agent == session.info.id).map(|(call, _)| call.clone());
            agents.push(Agent { spawned_by: spawned_by.or(linked), session });
        }
        let session = agents::attach(session.finish(), agents);
        Parsed { sessions: vec![session], ..Default::default() }
    }

    /// Agents by the call that started them, as results and signs of life say.
    fn links(&self) -> BTreeMap<String, String> {
        let mut links = BTreeMap::new();
        for conversation in std::iter::once(&self.main).chain(self.agents.iter().map(|a| &a.1)) {
            for turn in conversation.nodes.iter().filter_map(|n| n.turn.as_ref()) {
                let agent = turn.structured.as_ref().and_then(|s| s.agent.as_ref());
                if let (Some(agent), Some(call)) = (agent, turn.answered().next()) {
                    links.insert(call.to_string(), agent.clone());
                }
            }
        }
        for (key, conversation) in &self.agents {
            if let Some(call) = &conversation.spawned_by {
                links.entry(call.clone()).or_insert_with(|| key.clone());
            }
        }
        links
    }

    /// The recorded title: what the user set, else the agent's name, else what the program thought of, else the last
    /// summary of a conversation of this file.
    fn best_title(&self) -> Option<String> {
        let summary = self.summaries.iter().rev().find(|(leaf, _)| self.main.by_uuid.contains_key(leaf));
        self.titles.iter().flatten().next().or(summary.map(|s| &s.1)).cloned()
    }
}

/// Mark of a node whose record is counted elsewhere.
const COUNTED: &str = "counted";

impl Conversation {
    /// Takes over what a record says of the session as a whole.
    fn know(&mut self, record: &Record) {
        let info = &mut self.info;
        // A resumed session begins with copies that may name the one before: the last word counts.
        if let Some(id) = record.session.owned().filter(|id| *id != info.id) {
            self.ids.push(id.clone());
            info.id = id;
        }
        if info.continues.is_none() {
            info.continues = record.forked.0.session.owned();
        }
        info.cwd = info.cwd.take().or_else(|| record.cwd.owned());
        for (known, now) in [(&mut info.branch, &record.branch), (&mut info.version, &record.version)] {
            if now.get().is_some_and(|n| !n.is_empty() && known.as_deref() != Some(n)) {
                *known = now.owned();
            }
        }
    }

    /// Adds a node; says whether its id was there before. Then its blocks join those of the first record, so that a
    /// record written again with more in it loses nothing.
    fn push(&mut self, mut node: Node) -> bool {
        let known = node.uuid.as_ref().and_then(|id| self.by_uuid.get(id)).copied();
        let Some(first) = known else {
            if let Some(uuid) = &node.uuid {
                self.by_uuid.insert(uuid.clone(), self.nodes.len());
            }
            self.nodes.push(node);
            return false;
        };
        if let (Some(turn), Some(again)) = (self.nodes[first].turn.as_mut(), node.turn.take())
            && turn.role == Role::Assistant
            && again.message_id == turn.message_id
        {
            let output = |usage: &Option<Box<Usage>>| usage.as_ref().and_then(|u| u.output);
            if output(&again.usage) > output(&turn.usage) {
                turn.usage = again.usage;
            }
            for piece in again.pieces {
                if !turn.pieces.contains(&piece) {
                    turn.pieces.push(piece);
                }
            }
        }
        if node.skipped != COUNTED {
            self.accounting.skipped("repeated");
        }
        true
    }

    /// Counts the nodes of another conversation as passed over.
    fn skip_all_of(&mut self, nodes: Vec<Node>) {
        for node in nodes.iter().filter(|n| n.skipped != COUNTED) {
            self.accounting.skipped(if node.skipped.is_empty() { "other-conversation" } else { node.skipped });
        }
    }

    /// Orders the conversation and tells it.
    fn tell(mut self, format: &'static str, known: &BTreeSet<String>, around: &Around) -> SessionBuilder {
        let mut session = SessionBuilder::new(format);
        let order = order(&self.nodes, |id| known.contains(id), &mut session.diagnostics);
        let mut kept = vec![false; self.nodes.len()];
        for at in &order.kept {
            kept[*at] = true;
        }
        for (node, kept) in self.nodes.iter().zip(&kept) {
            match (node.skipped, &node.turn) {
                (COUNTED, _) => {}
                (_, Some(_)) if *kept => self.accounting.used(),
                (_, Some(_)) => self.accounting.skipped("abandoned-branch"),
                (reason, None) => self.accounting.skipped(reason),
            }
        }
        let turns = order.kept.iter().filter_map(|at| self.nodes[*at].turn.take()).collect();
        session.info = SessionInfo { format, ..self.info };
        session.accounting = self.accounting;
        session.branches = order.branches;
        if let ([first, _], None) = (&self.ids[..], &session.info.continues) {
            session.info.continues = Some(first.clone());
        }
        emit(&mut session, turns, around);
        session
    }
}

fn bare(place: Locator, turn: Option<Turn>) -> Node {
    Node {
        uuid: None,
        parent: None,
        earlier: Vec::new(),
        message: turn.as_ref().is_some_and(|t| !matches!(t.role, Role::Notice(_))),
        foreign: false,
        compaction: turn.as_ref().is_some_and(|t| t.summary),
        place,
        turn,
        skipped: "",
    }
}

fn link(record: &Record, place: Locator, turn: Option<Turn>, skipped: &'static str) -> Node {
    let boundary = record.subtype.get() == Some("compact_boundary");
    let mut node = bare(place, turn);
    node.uuid = record.uuid.owned();
    node.parent = record.parent.owned();
    node.earlier = [record.logical_parent.owned(), record.compact.last_kept()].into_iter().flatten().collect();
    // Prompts that were queued stand beside the tree: they end no conversation.
    node.message &= record.kind.get() != Some("attachment");
    node.foreign = record.team.get().is_some();
    node.compaction |= boundary;
    node.skipped = skipped;
    node
}

fn time(text: &Text) -> Option<Timestamp> {
    text.get().and_then(Timestamp::parse)
}

fn turn(record: &Record, role: Role, content: Content, place: Locator) -> Turn {
    let mut turn = Turn::new(role, place);
    turn.uuid = record.uuid.owned();
    turn.message_id = record.message.id.owned();
    turn.model = record.message.model.owned();
    turn.usage = record.message.usage.0.usage(record.cost);
    turn.time = time(&record.time);
    turn.pieces = content.pieces();
    // Some old writers put the text where the message should be.
    turn.pieces.extend(record.message.stray.owned().map(Piece::Said));
    turn.meta = record.meta.set();
    turn.summary = record.compact_summary.set();
    turn.api_error = record.api_error.set();
    turn.structured = record.result.0.keep(record.denial.0.get().is_some());
    turn
}

fn inner_turn(inner: Inner, place: Locator) -> Option<Turn> {
    let role = match inner.kind.get()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let mut turn = Turn::new(role, place);
    turn.uuid = inner.uuid.owned();
    turn.message_id = inner.message.id.owned();
    turn.model = inner.message.model.owned();
    turn.usage = inner.message.usage.0.usage(Number::Absent);
    turn.time = time(&inner.time);
    turn.pieces = inner.message.content.pieces();
    turn.meta = inner.meta.set();
    turn.structured = inner.result.0.keep(false);
    Some(turn)
}

/// A system record as a notice, where it is one.
fn notice(record: &Record, place: Locator) -> Option<Turn> {
    let subtype = record.subtype.get()?;
    let (_, kind) = NOTICES.iter().find(|(name, _)| *name == subtype)?;
    let mut turn = Turn::new(Role::Notice(*kind), place);
    turn.uuid = record.uuid.owned();
    turn.time = time(&record.time);
    let text = record.content.0.get().unwrap_or_default();
    turn.pieces = vec![Piece::Said(if text.is_empty() { subtype.to_string() } else { text.to_string() })];
    Some(turn)
}

/// A prompt that was typed while the agent was busy.
fn queued(record: &Record, prompt: Content, place: Locator) -> Option<Turn> {
    (record.attachment.kind.get() == Some("queued_command")).then(|| {
        let mut turn = Turn::new(Role::User, place);
        turn.uuid = record.uuid.owned();
        turn.time = time(&record.time);
        turn.pieces = prompt.pieces();
        turn.meta = record.meta.set();
        turn
    })
}
