//! The records of a rollout, one by one: which kind each is, and what it adds to the story.

use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use super::{
    fork,
    input::{self, Input},
    outcome::{self, Ending},
    record::{Content, Item, Payload, Record},
    said,
    story::{Called, Copy, Record as Origin, Setting, Story, Who},
    tokens::Meter,
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{ResultOf, SessionBuilder},
        message::{Cut, Exit, NoticeKind, Outcome, ToolKind},
        session::SessionInfo,
    },
    source::{
        Parsed,
        ahead::Ahead,
        fields::compact,
        frame::{Records, checked, wrong_type},
        lenient::{Text, lenient},
    },
};

/// Types of envelopes that hold nothing for the session. Sorted.
const SILENT_ENVELOPES: &[&str] = &[
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "realtime_item",
    "retained_context",
    "security_risk_score",
    "token_usage_record",
    "world_state",
];

/// Types of envelopes; Codex CLI up to 0.163.
pub fn is_envelope(kind: &str) -> bool {
    matches!(kind, "session_meta" | "turn_context" | "response_item" | "event_msg" | "compacted")
        || SILENT_ENVELOPES.contains(&kind)
}

/// Types of items, which stood bare before there were envelopes. Sorted.
pub const ITEMS: &[&str] = &[
    "agent_message",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "custom_tool_call",
    "custom_tool_call_output",
    "function_call",
    "function_call_output",
    "ghost_snapshot",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "message",
    "reasoning",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];

/// Types of events that hold nothing for the session. Sorted.
#[rustfmt::skip]
const SILENT_EVENTS: &[&str] = &[
    "agent_message_content_delta", "agent_message_delta", "agent_reasoning_delta", "agent_reasoning_section_break",
    "apply_patch_approval_request", "background_event", "collab_agent_interaction_begin",
    "collab_agent_interaction_end", "collab_agent_spawn_begin", "collab_close_begin", "collab_close_end",
    "collab_resume_begin", "collab_resume_end", "collab_waiting_begin", "collab_waiting_end", "deprecation_notice",
    "dynamic_tool_call_request", "dynamic_tool_call_response", "elicitation_request", "entered_review_mode",
    "exec_approval_request", "exec_command_begin", "exec_command_output_delta", "guardian_assessment",
    "image_generation_begin", "image_generation_end", "item_started", "mcp_startup_complete", "mcp_startup_update",
    "mcp_tool_call_begin", "model_reroute", "patch_apply_begin", "plan_delta", "plan_update", "raw_response_item",
    "request_permissions", "request_user_input", "session_configured", "shutdown_complete",
    "skills_update_available", "task_started", "terminal_interaction", "thread_goal_updated",
    "thread_settings_applied", "turn_diff", "turn_started", "undo_completed", "undo_started",
    "view_image_tool_call", "web_search_begin",
];

/// What became of a record.
enum Fate {
    Used,
    Skipped(&'static str),
    Unknown,
}

/// Why a text without a word is passed over.
const EMPTY: &str = "empty";
/// A copy of a record that told the same before.
const MIRROR: Fate = Fate::Skipped("mirror");

fn used_if(used: bool, else_: &'static str) -> Fate {
    if used { Fate::Used } else { Fate::Skipped(else_) }
}

/// Takes in a file.
#[derive(Default)]
pub struct Loader {
    story: Story,
    info: SessionInfo,
    accounting: Accounting,
    diagnostics: Diagnostics,
    model: Option<Rc<str>>,
    cwd: Option<Rc<str>>,
    meter: Meter,
    /// What searches of the web found, by the id of their call.
    found: HashMap<String, String>,
    /// Whether calls stand among the items: then what was completed of them only repeats them.
    has_calls: bool,
    /// Turns of the session that this one begins with a copy of, where its file is at hand.
    copied: BTreeSet<String>,
    copy: CopyState,
    forked_from: Option<String>,
    is_agent: bool,
}

/// Where in a copy of another session the reading is.
#[derive(Clone, PartialEq, Debug, Default)]
enum CopyState {
    /// In none, or behind it.
    #[default]
    Outside,
    /// In a copy of this session, which is kept since the other file is not at hand.
    Kept(String),
    /// In a turn that the other file has.
    Dropped,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        self.take(serde_json::from_str(text)?, text, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Ahead for Loader {
    type Record<'t> = Record<'t>;

    fn take(&mut self, record: Record, text: &str, place: Locator) {
        if !checked(&record.stray, None, place, &mut self.diagnostics) {
            return self.lost(place);
        }
        let time = record.time.get().and_then(Timestamp::parse);
        let setting = Setting { time, place, model: None, cwd: None };
        let kind = record.kind.get().unwrap_or_default();
        match is_envelope(kind) {
            true => self.take_envelope(kind, record.payload, setting),
            // Before there were envelopes the item was the line; of what parsed once the parts parse too.
            false => self.take_bare(serde_json::from_str(text).unwrap_or_default(), setting),
        }
    }
}

impl Loader {
    /// A loader that leaves out these turns of another session.
    pub fn new(copied: BTreeSet<String>) -> Self {
        Self { copied, ..Self::default() }
    }

    fn take_envelope(&mut self, kind: &str, payload: Payload, setting: Setting) {
        let (place, fault) = (setting.place, payload.fault());
        let turn_begins = kind == "turn_context" || payload.kind.get() == Some("task_started");
        if turn_begins && let Some(turn) = payload.turn_id.get() {
            self.turn(turn, &setting);
        }
        let name = match kind {
            "response_item" | "event_msg" => payload.kind.owned().unwrap_or_else(|| format!("({kind} of no type)")),
            _ => kind.to_string(),
        };
        let fate = match kind {
            _ if self.copy == CopyState::Dropped => self.pass(kind, &payload),
            "session_meta" => self.meta(payload, &setting),
            "turn_context" => self.context(&payload),
            "compacted" => self.compacted(&payload, setting),
            "response_item" => self.item(payload, setting),
            "event_msg" => self.event(payload, setting),
            _ => Fate::Skipped(SILENT_ENVELOPES.iter().find(|known| **known == kind).unwrap_or(&"silent")),
        };
        self.account(fate, &name, fault, place);
    }

    /// A record without an envelope, and documents of such.
    pub fn take_bare(&mut self, payload: Payload, mut setting: Setting) {
        let (place, fault) = (setting.place, payload.fault());
        let time = payload.time.0.get().and_then(Timestamp::parse);
        setting.time = setting.time.or(time);
        let kind = payload.kind.owned();
        let fate = match kind.as_deref() {
            Some(kind) if ITEMS.contains(&kind) => self.item(payload, setting),
            None if payload.record_type.get().is_some() => Fate::Skipped("state"),
            None if payload.id.get().is_some() && payload.time.0.get().is_some() => self.meta(payload, &setting),
            _ => Fate::Unknown,
        };
        self.account(fate, kind.as_deref().unwrap_or("(no type)"), fault, place);
    }

    /// A record of a document that is no item.
    pub fn header(&mut self, payload: Payload, setting: &Setting) {
        let fate = self.meta(payload, setting);
        self.account(fate, "session", None, setting.place);
    }

    fn account(&mut self, fate: Fate, name: &str, fault: Option<&'static str>, place: Locator) {
        // What was passed over anyway may be of any type, except where that is why nothing was found in it.
        let empty = matches!(fate, Fate::Skipped(EMPTY)) || fault == Some("");
        match fate {
            Fate::Used => self.accounting.used(),
            Fate::Skipped(reason) => {
                self.accounting.skipped(reason);
                if !empty {
                    return;
                }
            }
            Fate::Unknown => {
                self.accounting.unknown(name);
                let told = format!("`{name}` on line {}", place.line);
                return self.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
            }
        }
        wrong_type(fault, place, &mut self.diagnostics);
    }

    fn origin(&self, mut setting: Setting) -> Origin {
        setting.model = self.model.clone();
        setting.cwd = self.cwd.clone();
        Origin::new(setting, &self.accounting)
    }

    fn meta(&mut self, payload: Payload, setting: &Setting) -> Fate {
        let id = payload.id.owned().unwrap_or_default();
        if self.info.id.is_empty() {
            self.own_meta(id, payload);
            return Fate::Used;
        }
        // Further ones: of the same session where it was resumed, of another where this begins with a copy of that.
        if id != self.info.id && self.story.is_silent() && setting.place.record == 2 {
            self.copy = if self.copied.is_empty() { CopyState::Kept(id) } else { CopyState::Dropped };
            if self.copy == CopyState::Dropped && !self.is_agent {
                self.info.continues = self.forked_from.take();
            }
            return Fate::Skipped("copied");
        }
        Fate::Skipped("resumed")
    }

    fn own_meta(&mut self, id: String, payload: Payload) {
        let source = payload.source.0;
        self.is_agent = source.subagent.0.spawn.0.parent.get().is_some() || payload.parent.get().is_some();
        let spawn = source.subagent.0.spawn.0;
        let name = payload.nickname.owned().or(spawn.nickname.owned());
        let role = payload.agent_role.owned().or(spawn.role.owned());
        self.forked_from = payload.forked_from.owned();
        self.cwd = payload.cwd.owned().map(Rc::from);
        self.info = SessionInfo {
            id,
            cwd: payload.cwd.owned(),
            version: payload.cli_version.owned(),
            branch: payload.git.0.branch.owned(),
            parent: spawn.parent.owned().or(payload.parent.owned()),
            title: match (name, role) {
                (Some(name), Some(role)) => Some(format!("{name} ({role})")),
                (name, role) => name.or(role),
            },
            continues: payload.forked_from.owned().filter(|_| !self.is_agent),
            records_outcome: true,
            ..SessionInfo::default()
        };
    }

    /// Notes that a turn begins, and whether it belongs to a copy.
    fn turn(&mut self, turn: &str, setting: &Setting) {
        if !self.copied.is_empty() && self.copy != CopyState::Outside {
            self.copy = if self.copied.contains(turn) { CopyState::Dropped } else { CopyState::Outside };
        }
        let CopyState::Kept(other) = &self.copy else { return };
        // A turn that is older than the session was copied into it.
        let timed = fork::is_timed(turn) && fork::is_timed(&self.info.id);
        if timed && *turn > *self.info.id {
            let told = format!("what stands before was copied from session {other}");
            let record = self.origin(setting.clone());
            self.story.notice(NoticeKind::Meta, told, record);
            self.copy = CopyState::Outside;
        }
    }

    /// A record of a copied turn: only what is counted on from it is kept.
    fn pass(&mut self, kind: &str, payload: &Payload) -> Fate {
        match (kind, payload.kind.get()) {
            ("turn_context", _) => _ = self.context(payload),
            ("event_msg", Some("token_count")) => _ = self.meter.spent(&payload.info.0),
            _ => {}
        }
        Fate::Skipped("copied")
    }

    fn context(&mut self, payload: &Payload) -> Fate {
        let put = |known: &mut Option<Rc<str>>, now: &Text| {
            if let Some(now) = now.get().filter(|now| known.as_deref() != Some(*now)) {
                *known = Some(Rc::from(now));
            }
        };
        put(&mut self.model, &payload.model);
        put(&mut self.cwd, &payload.cwd);
        Fate::Used
    }

    fn compacted(&mut self, payload: &Payload, setting: Setting) -> Fate {
        let record = self.origin(setting);
        let text = payload.message.get().unwrap_or_default().to_string();
        used_if(self.story.notice(NoticeKind::Compaction, text, record), "mirror")
    }

    fn item(&mut self, payload: Payload, setting: Setting) -> Fate {
        match payload.kind.get().unwrap_or_default() {
            "message" => self.message(payload, setting),
            "reasoning" => {
                let text = [payload.summary.0.text(), payload.content.text()].join("\n");
                self.story.think(text.trim_matches('\n'), Copy::Item);
                used_if(!text.trim().is_empty(), "reasoning-encrypted")
            }
            "function_call" => {
                let name = tool_name(&payload);
                let input = input::function(&name, payload.arguments);
                self.call(&payload, name, input, setting)
            }
            "custom_tool_call" => {
                let name = tool_name(&payload);
                let input = input::custom(&name, payload.input.0.get().unwrap_or_default());
                self.call(&payload, name, input, setting)
            }
            "local_shell_call" => {
                let input = input::local_shell(payload.action);
                self.call(&payload, "local_shell_call".into(), input, setting)
            }
            "tool_search_call" => {
                let input = input::function("tool_search", payload.arguments);
                self.call(&payload, "tool_search".into(), input, setting)
            }
            "web_search_call" => self.web_search(&payload, setting),
            "image_generation_call" => {
                let mut input = input::function("image_generation", None);
                input.fields.extend(input::named("prompt", payload.revised_prompt.get()));
                self.call(&payload, "image_generation".into(), input, setting.clone());
                let result = ResultOf { cut: Some(Cut::Placeholder), ..self.given("<image>".into(), &setting) };
                self.story.settle_last(result);
                Fate::Used
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(&payload, setting)
            }
            "tool_search_output" => {
                let text = payload.tools.map(|raw| compact(raw.get())).unwrap_or_default();
                let given = self.given(text, &setting);
                self.settle(payload.call_id.get(), given)
            }
            "agent_message" => self.agent_message(&payload, setting),
            "compaction" | "compaction_summary" | "context_compaction" => self.compacted(&payload, setting),
            "ghost_snapshot" => Fate::Skipped("ghost_snapshot"),
            _ => Fate::Unknown,
        }
    }

    fn message(&mut self, payload: Payload, setting: Setting) -> Fate {
        match payload.role.get().unwrap_or_default() {
            "assistant" => {
                let text = payload.content.text();
                if text.trim().is_empty() {
                    return Fate::Skipped(EMPTY);
                }
                let record = self.origin(setting);
                self.story.say(Who::Model, text, 0, Copy::Item, payload.id.owned(), record);
                Fate::Used
            }
            "user" => self.user(&payload.content, payload.id.owned(), Copy::Item, setting),
            "developer" | "system" => Fate::Skipped("instructions"),
            _ => Fate::Unknown,
        }
    }

    /// Texts under the user's role: prompts, and what was put there.
    fn user(&mut self, content: &Content, id: Option<String>, copy: Copy, setting: Setting) -> Fate {
        let mut prompt: Vec<&str> = Vec::new();
        let mut noticed = false;
        for piece in &content.blocks {
            let text = piece.text.get().or(piece.stray.get()).unwrap_or_default();
            match said::injected(text) {
                Some(kind) => {
                    let record = self.origin(setting.clone());
                    noticed |= self.story.notice(kind, text.to_string(), record);
                }
                None if text.trim().is_empty() || said::is_frame(text) => {}
                None => prompt.push(text),
            }
        }
        let (text, images) = (prompt.join("\n"), content.images());
        match text.is_empty() && images == 0 {
            true => used_if(noticed, "mirror"),
            false => self.prompt(&text, images, id, copy, setting),
        }
    }

    fn prompt(&mut self, text: &str, images: usize, id: Option<String>, copy: Copy, setting: Setting) -> Fate {
        let (context, prompt) = said::request(text);
        let record = self.origin(setting.clone());
        let new = self.story.say(Who::User, prompt.to_string(), images, copy, id, record);
        if new && !context.trim().is_empty() {
            let record = self.origin(setting);
            self.story.context(context.to_string(), record);
        }
        Fate::Used
    }

    fn call(&mut self, payload: &Payload, name: String, input: Input, setting: Setting) -> Fate {
        self.has_calls = true;
        let id = payload.call_id.owned();
        let ids = payload.id.owned().into_iter().filter(|other| Some(other) != id.as_ref()).collect();
        let record = self.origin(setting.clone());
        self.story.call(Called { id: id.clone(), name, kind: input.kind, fields: input.fields }, ids, record);
        if let Some((plan, id)) = input.plan.zip(id) {
            let record = self.origin(setting);
            let called = Called { id: None, name: "update_plan".into(), kind: ToolKind::Todo, fields: plan };
            self.story.nested(&id, called, record);
        }
        Fate::Used
    }

    fn web_search(&mut self, payload: &Payload, setting: Setting) -> Fate {
        let id = payload.call_id.owned().or(payload.id.owned());
        let input = input::web_search(payload.action, payload.query.0.get());
        let record = self.origin(setting.clone());
        let called = Called { id: id.clone(), name: "web_search".into(), kind: input.kind, fields: input.fields };
        self.story.call(called, Vec::new(), record);
        let found = id.and_then(|id| self.found.remove(&id)).unwrap_or_default();
        let outcome = match payload.status.0.get() {
            Some("completed") => Outcome::Ok,
            Some("failed") => Outcome::Failed,
            _ => Outcome::NotRecorded,
        };
        let given = ResultOf { outcome, ..self.given(found, &setting) };
        self.story.settle_last(given);
        Fate::Used
    }

    fn given(&self, text: String, setting: &Setting) -> ResultOf {
        ResultOf {
            text,
            cut: None,
            outcome: Outcome::NotRecorded,
            exit: Exit::NotRecorded,
            time: setting.time,
            place: setting.place,
            spawned: None,
            extra: Vec::new(),
        }
    }

    fn output(&mut self, payload: &Payload, setting: Setting) -> Fate {
        let Ending { mut text, outcome, exit } = outcome::ending(&payload.output);
        let mut cut = outcome::is_cut(&text).then_some(Cut::ByTool);
        if text.is_empty() && payload.output.images() > 0 {
            (text, cut) = ("<image>".to_string(), Some(Cut::Placeholder));
        }
        let spawned = text.starts_with('{').then(|| started(&text)).flatten();
        let given = ResultOf { cut, outcome, exit, spawned, ..self.given(text, &setting) };
        self.settle(payload.call_id.get().or(payload.id.get()), given)
    }

    fn settle(&mut self, id: Option<&str>, given: ResultOf) -> Fate {
        let place = given.place;
        let id = id.unwrap_or_default();
        match self.story.result(id, given) {
            None => {}
            // The result of a call that was rolled back, or that stands in the session this was forked from.
            Some(code) => self.diagnostics.add(code, place, format!("line {}: of call {id:?}", place.line)),
        }
        Fate::Used
    }

    fn agent_message(&mut self, payload: &Payload, setting: Setting) -> Fate {
        let text = payload.content.text();
        if text.trim().is_empty() {
            return Fate::Skipped("encrypted");
        }
        let record = self.origin(setting);
        // The task of a sub-agent comes from another agent and stands in the user's place.
        match self.is_agent && self.story.is_silent() {
            true => _ = self.story.say(Who::User, text, 0, Copy::Item, payload.id.owned(), record),
            false => {
                let told = format!("{}: {text}", payload.author.get().unwrap_or("another agent"));
                self.story.notice(NoticeKind::Meta, told, record);
            }
        }
        Fate::Used
    }

    fn event(&mut self, payload: Payload, setting: Setting) -> Fate {
        let kind = payload.kind.get().unwrap_or_default();
        let record = self.origin(setting.clone());
        let message = || payload.message.get().unwrap_or_default().to_string();
        match kind {
            "user_message" => {
                let images = payload.images.items.len() + payload.local_images.0.items.len();
                match (payload.message.get().unwrap_or_default(), images) {
                    (text, 0) if text.trim().is_empty() => Fate::Skipped(EMPTY),
                    (text, _) if said::injected(text).is_some() => MIRROR,
                    (text, images) => self.prompt(text, images, None, Copy::Event, setting),
                }
            }
            "agent_message" => match message() {
                text if text.trim().is_empty() => Fate::Skipped(EMPTY),
                text => used_if(self.story.say(Who::Model, text, 0, Copy::Event, None, record), "mirror"),
            },
            "agent_reasoning" | "agent_reasoning_raw_content" => {
                self.story.think(payload.text.get().unwrap_or_default(), Copy::Event);
                Fate::Used
            }
            "token_count" => match self.meter.spent(&payload.info.0) {
                Some(usage) => {
                    self.story.spend(&usage);
                    Fate::Used
                }
                None => Fate::Skipped("token_count"),
            },
            "task_complete" | "turn_complete" => match payload.error.0.message.owned() {
                Some(error) => used_if(self.story.notice(NoticeKind::Fault, error, record), "turn"),
                None => Fate::Skipped("turn"),
            },
            "turn_aborted" => {
                let reason = payload.reason.0.get().unwrap_or_default().to_string();
                used_if(self.story.notice(NoticeKind::Interruption, reason, record), "mirror")
            }
            "context_compacted" => used_if(self.story.notice(NoticeKind::Compaction, String::new(), record), "mirror"),
            "error" | "stream_error" | "warning" => {
                used_if(self.story.notice(NoticeKind::Fault, message(), record), "")
            }
            "thread_rolled_back" => {
                self.story.roll_back(payload.num_turns.count().unwrap_or(0), self.accounting.used);
                Fate::Used
            }
            "thread_name_updated" => {
                self.info.title = payload.thread_name.owned().or(self.info.title.take());
                Fate::Used
            }
            "exited_review_mode" => match payload.review.0.explanation.owned() {
                Some(text) => used_if(self.story.notice(NoticeKind::Meta, text, record), "review"),
                None => Fate::Skipped("review"),
            },
            "item_completed" => self.completed(payload.item.0, setting),
            "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => self.ended(&payload),
            "web_search_end" => {
                if let (Some(id), Some(found)) = (payload.call_id.owned(), payload.results) {
                    self.found.insert(id, compact(found.get()));
                }
                MIRROR
            }
            "collab_agent_spawn_end" => self.spawned(&payload.call_id, &payload.new_thread),
            "sub_agent_activity" => self.spawned(&payload.event_id, &payload.agent_thread),
            kind => match SILENT_EVENTS.iter().find(|known| **known == kind) {
                Some(kind) => Fate::Skipped(kind),
                None => Fate::Unknown,
            },
        }
    }

    fn spawned(&mut self, call: &Text, thread: &Text) -> Fate {
        match (call.get(), thread.owned()) {
            (Some(call), Some(thread)) => used_if(self.story.spawned(call, thread), "mirror"),
            _ => MIRROR,
        }
    }

    /// An event that tells how a call ended.
    fn ended(&mut self, payload: &Payload) -> Fate {
        let Some(id) = payload.call_id.get() else { return MIRROR };
        let (outcome, exit) = match (outcome::status(payload.exit_code), payload.success.0.get()) {
            (Some(code), _) if !payload.is("declined") => outcome::of_code(code),
            _ if payload.is("declined") => (Outcome::Denied, Exit::NotRecorded),
            (_, Some(good)) => (if good { Outcome::Ok } else { Outcome::Failed }, Exit::NotRecorded),
            _ if payload.result.0.bad.0 || payload.result.0.good.0.is_error.set() => {
                (Outcome::Failed, Exit::NotRecorded)
            }
            _ if payload.result.0.good.0.is_error.get() == Some(false) => (Outcome::Ok, Exit::NotRecorded),
            _ => return MIRROR,
        };
        self.tell_end(id, outcome, exit)
    }

    fn tell_end(&mut self, id: &str, outcome: Outcome, exit: Exit) -> Fate {
        let inner = (!self.story.knows(id)).then(|| self.story.open()).flatten();
        used_if(self.story.ended(inner.as_deref().unwrap_or(id), outcome, exit), "mirror")
    }

    /// An item of the paginated history: what the items of the model do not tell.
    fn completed(&mut self, item: Item, setting: Setting) -> Fate {
        let outcome = match item.status.0.get() {
            Some("declined") => Outcome::Denied,
            Some("failed") => Outcome::Failed,
            Some("completed") => Outcome::Ok,
            _ => Outcome::NotRecorded,
        };
        let (ended, exit) = match outcome::status(item.exit_code) {
            Some(code) if outcome != Outcome::Denied => outcome::of_code(code),
            _ => (outcome, Exit::NotRecorded),
        };
        let id = item.id.owned();
        match item.kind.get().unwrap_or_default() {
            "UserMessage" => self.user(&item.content.0, id, Copy::Completed, setting),
            "AgentMessage" => match item.content.0.text() {
                text if text.trim().is_empty() => Fate::Skipped(EMPTY),
                text => {
                    let record = self.origin(setting);
                    used_if(self.story.say(Who::Model, text, 0, Copy::Completed, id, record), "mirror")
                }
            },
            "ContextCompaction" => {
                let record = self.origin(setting);
                used_if(self.story.notice(NoticeKind::Compaction, String::new(), record), "mirror")
            }
            "CommandExecution" | "FileChange" | "McpToolCall" => match self.has_calls {
                true => self.tell_end(&id.unwrap_or_default(), ended, exit),
                false => self.completed_call(&item, ended, exit, setting),
            },
            _ => MIRROR,
        }
    }

    /// A call that stands in the log only as completed.
    fn completed_call(&mut self, item: &Item, outcome: Outcome, exit: Exit, setting: Setting) -> Fate {
        let (name, input) = match item.kind.get() {
            Some("CommandExecution") => {
                let words: Vec<&str> = item.command.0.items.iter().filter_map(Text::get).collect();
                let mut input = input::function("exec_command", None);
                input.fields.extend(input::named("cmd", Some(&input::command_line(&words))));
                input.fields.extend(input::named("workdir", item.cwd.0.get()));
                ("exec_command".to_string(), input)
            }
            Some("FileChange") => {
                let mut input = input::function("apply_patch", None);
                let changes = item.changes.map(|raw| compact(raw.get()));
                input.fields.extend(input::named("changes", changes.as_deref()));
                ("apply_patch".to_string(), input)
            }
            _ => {
                let (server, tool) = (item.server.get().unwrap_or_default(), item.tool.get().unwrap_or_default());
                let name = format!("mcp__{server}__{tool}");
                let input = input::function(&name, item.arguments);
                (name, input)
            }
        };
        let record = self.origin(setting.clone());
        let called = Called { id: item.id.owned(), name, kind: input.kind, fields: input.fields };
        self.story.call(called, Vec::new(), record);
        let result = || item.result.map(|raw| compact(raw.get()));
        let text = item.output.0.owned().or_else(result).unwrap_or_default();
        let given = ResultOf { outcome, exit, ..self.given(text, &setting) };
        self.story.settle_last(given);
        Fate::Used
    }

    /// The session.
    pub fn finish(self, format: &'static str, stem: &str, diagnostics: Diagnostics) -> Parsed {
        let mut session = SessionBuilder::new(format);
        session.info = SessionInfo { format, ..self.info };
        if session.info.id.is_empty() {
            session.info.id = stem.to_string();
        }
        session.info.records_outcome = true;
        session.accounting = self.accounting;
        session.diagnostics = diagnostics;
        session.diagnostics.extend(self.diagnostics);
        self.story.tell(&mut session);
        Parsed { sessions: vec![session.finish()], ..Parsed::default() }
    }
}

impl Payload<'_> {
    fn is(&self, status: &str) -> bool {
        self.status.0.get() == Some(status)
    }
}

/// Name of the tool; one of a server or of a group is named with it.
fn tool_name(payload: &Payload) -> String {
    let name = payload.name.0.get().unwrap_or("(no name)");
    match payload.namespace.get().filter(|space| !space.is_empty()) {
        Some(space) if space.ends_with("__") => format!("{space}{name}"),
        Some(space) => format!("{space}.{name}"),
        None => name.to_string(),
    }
}

lenient! {
    /// What starting a sub-agent returns.
    struct Started<'a> {
        agent: Text<'a> = "agent_id",
        nickname: Text<'a> = "nickname",
    }
}

/// Session of the sub-agent that a result names.
fn started(text: &str) -> Option<String> {
    const LONGEST: usize = 1024;
    let started: Started = (text.len() < LONGEST).then(|| serde_json::from_str(text).ok())??;
    started.agent.owned().filter(|_| started.nickname.get().is_some())
}
