//! Ordered turns told to the session builder: records of one response folded, results paired with calls, texts under
//! the user's role told apart.

use std::collections::{BTreeMap, HashMap};

use super::{
    fold::fold,
    outcome,
    said::{Said, classify},
    structured::Structured,
    turn::{Answer, Piece, Role, Turn},
    usage::Responses,
};
use crate::{
    base::diag::DiagCode,
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, NoticeKind, ToolKind},
    },
    source::{fields::fields, tool_names::kind_of},
};

/// Model name of texts that the harness wrote in the model's place.
const SYNTHETIC: &str = "<synthetic>";

/// What is known of a conversation besides its records.
pub struct Around<'a> {
    /// The sub-agents that calls started, by the calls' ids, where the results do not say.
    pub spawned: &'a BTreeMap<String, String>,
    /// The whole of a result that was put into a file, by the file's name.
    pub stored: &'a dyn Fn(&str) -> Option<String>,
}

/// Tells the turns of one conversation, in order.
pub fn emit(session: &mut SessionBuilder, mut turns: Vec<Turn>, around: &Around) {
    session.info.records_outcome = true;
    for place in fold(&mut turns) {
        session.diagnostics.add(DiagCode::RecordRepeated, place, "a call that already has its result");
    }
    let responses = Responses::of(&mut turns);
    let mut emitter =
        Emitter { session, around, tools: HashMap::new(), thought: String::new(), response: None, responses };
    for turn in turns {
        emitter.turn(turn);
    }
}

struct Emitter<'a> {
    session: &'a mut SessionBuilder,
    around: &'a Around<'a>,
    tools: HashMap<String, ToolKind>,
    thought: String,
    response: Option<String>,
    responses: Responses,
}

impl Emitter<'_> {
    fn turn(&mut self, turn: Turn) {
        match turn.role {
            Role::User => self.user(turn),
            Role::Assistant => self.assistant(turn),
            Role::Notice(kind) => {
                let text = turn.said().unwrap_or_default().to_string();
                self.session.notice(kind, turn.place, turn.time, text);
            }
        }
    }

    fn origin(&mut self, turn: &Turn, call: Option<String>) -> Origin {
        Origin {
            number: None,
            ids: Aliases { message: turn.uuid.clone(), part: None, call, also: turn.also.clone() },
            turn: turn.response().map(str::to_string),
            time: turn.time,
            place: turn.place,
            reasoning: std::mem::take(&mut self.thought),
            model: turn.model.clone().filter(|m| turn.role == Role::Assistant && m != SYNTHETIC),
            cwd: turn.cwd.as_deref().map(str::to_string),
            branch: turn.branch.as_deref().map(str::to_string),
            usage: (turn.role == Role::Assistant).then(|| self.responses.take(turn.response())).flatten(),
        }
    }

    fn user(&mut self, mut turn: Turn) {
        self.thought.clear();
        let pieces = std::mem::take(&mut turn.pieces);
        let results = pieces.iter().filter(|p| matches!(p, Piece::Result(_))).count();
        // The structured result of a record belongs to its one result.
        let structured = turn.structured.take().filter(|_| results == 1).map(|s| *s).unwrap_or_default();
        let mut prompts = 0;
        let mut placeholders = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Said(text) => prompts += self.said(&turn, text),
                Piece::Result(answer) => self.result(&turn, &structured, answer),
                Piece::Placeholder(text) => placeholders.push(text),
                Piece::Thought(_) | Piece::Call { .. } => {}
            }
        }
        for text in placeholders {
            match prompts {
                0 if turn.meta || results > 0 => {}
                0 => {
                    let origin = self.origin(&turn, None);
                    self.session.user(origin, text);
                    self.session.cut_last(Cut::Placeholder);
                    prompts += 1;
                }
                _ => self.session.placeholder(text),
            }
        }
    }

    /// Tells a text under the user's role; how many messages it gave.
    fn said(&mut self, turn: &Turn, text: String) -> usize {
        if text.trim().is_empty() {
            return 0;
        }
        let (kind, text) = match classify(&text) {
            _ if turn.summary => (NoticeKind::Compaction, text),
            _ if turn.meta => (NoticeKind::Meta, text),
            Said::Notice(kind, text) => (kind, text.into_owned()),
            Said::Prompt(text) => {
                let text = text.into_owned();
                let origin = self.origin(turn, None);
                self.session.user(origin, text);
                return 1;
            }
        };
        self.session.notice(kind, turn.place, turn.time, text);
        0
    }

    fn result(&mut self, turn: &Turn, structured: &Structured, answer: Answer) {
        let Answer { id, text, is_error, cut } = answer;
        let kind = id.as_ref().and_then(|id| self.tools.get(id)).copied().unwrap_or(ToolKind::Other);
        let whole = stored_in(&text, structured).and_then(|name| (self.around.stored)(name));
        let cut = if whole.is_some() { cut } else { outcome::cut(&text, structured).or(cut) };
        let text = whole.unwrap_or(text);
        let (outcome, exit) = outcome::outcome(kind, &text, is_error, structured);
        let linked = id.as_ref().and_then(|id| self.around.spawned.get(id));
        let result = ResultOf {
            cut,
            text,
            outcome,
            exit,
            time: turn.time,
            place: turn.place,
            spawned: structured.agent.clone().or(linked.cloned()),
            extra: structured.extra.clone(),
        };
        let settled = match &id {
            Some(id) => self.session.result(id, result),
            None => self.session.result_of_last(result),
        };
        if !settled && id.is_none() {
            self.session.diagnostics.add(
                DiagCode::ResultWithoutCall,
                turn.place,
                "a result without the id of its call",
            );
        }
    }

    fn assistant(&mut self, mut turn: Turn) {
        let response = turn.response().map(str::to_string);
        if self.response != response {
            self.thought.clear();
            self.response = response;
        }
        if let Some(model) = turn.model.as_deref().filter(|m| *m != SYNTHETIC) {
            self.session.model(model);
        }
        for piece in std::mem::take(&mut turn.pieces) {
            match piece {
                Piece::Thought(text) => self.think(&text),
                Piece::Said(text) if text.trim().is_empty() => {}
                Piece::Said(text) => {
                    if turn.api_error {
                        self.session.notice(NoticeKind::Fault, turn.place, turn.time, text.as_str());
                    }
                    let origin = self.origin(&turn, None);
                    self.session.text(origin, text);
                }
                Piece::Call { id, name, input } => self.call(&turn, id, &name, input),
                // What the provider's own tools returned stands among the model's blocks.
                Piece::Result(answer) => self.result(&turn, &Structured::default(), answer),
                Piece::Placeholder(text) => {
                    let origin = self.origin(&turn, None);
                    self.session.text(origin, text);
                    self.session.cut_last(Cut::Placeholder);
                }
            }
        }
    }

    fn think(&mut self, text: &str) {
        if !self.thought.is_empty() {
            self.thought.push('\n');
        }
        self.thought.push_str(text);
    }

    fn call(&mut self, turn: &Turn, id: Option<String>, name: &str, input: String) {
        let kind = kind_of(name);
        if let Some(id) = &id {
            self.tools.insert(id.clone(), kind);
        }
        let origin = self.origin(turn, id);
        self.session.call(origin, name, kind, fields(&input));
    }
}

/// Name of the file that holds the whole of a result; the structured result says, else the text in its place.
fn stored_in<'a>(text: &'a str, structured: &'a Structured) -> Option<&'a str> {
    let told = || text.strip_prefix("<persisted-output>")?.split_once("saved to: ")?.1.lines().next();
    let path = structured.persisted.as_deref().or_else(told)?.trim();
    let name = path.rsplit(['/', '\\']).next()?;
    (!name.is_empty() && name != "..").then_some(name)
}
