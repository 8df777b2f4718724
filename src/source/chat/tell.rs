//! A list of role messages told to the session builder: reasoning kept with what it led to, results paired with calls by
//! id or by position, calls taken out of texts, what a harness wrote told apart from prompts.

use std::collections::VecDeque;

use super::{
    content::{Answer, Call, Piece},
    message::{Message, Role},
    said, text_calls,
};
use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, Usage},
    },
    source::{exit_words::ending, tool_names::kind_of_call},
    text::cut_mark,
};

/// A message, taken out of its record.
#[derive(Debug)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// Its id.
    pub id: Option<String>,
    /// Where it lies.
    pub place: Locator,
    /// When it was recorded.
    pub time: Option<Timestamp>,
    /// Model that wrote it.
    pub model: Option<String>,
    /// Tokens and cost.
    pub usage: Option<Usage>,
    /// What it says.
    pub pieces: Vec<Piece>,
    /// An item that belongs to one response with the items of the model around it.
    pub item: bool,
    /// How the calls whose results it holds ended, where fields of the format tell; else their texts are asked.
    pub ended: Option<(Outcome, Exit)>,
    /// Structured extras of its results.
    pub extra: Vec<(&'static str, String)>,
    /// Set when it is no message; its text is the notice's.
    pub notice: Option<NoticeKind>,
}

impl Turn {
    /// Takes a message over.
    pub fn of(message: Message, place: Locator) -> Self {
        Self {
            role: message.role(),
            id: message.id(),
            place,
            time: message.time(),
            model: message.model(),
            usage: message.usage(),
            item: message.is_item(),
            pieces: message.pieces(),
            ended: None,
            extra: Vec::new(),
            notice: None,
        }
    }

    /// A notice among the messages.
    pub fn notice(kind: NoticeKind, text: String, place: Locator, time: Option<Timestamp>) -> Self {
        let mut turn = Self::of(Message::default(), place);
        (turn.role, turn.notice, turn.time, turn.pieces) = (Role::System, Some(kind), time, vec![Piece::Said(text)]);
        turn
    }

    fn has_calls(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Call(_)))
    }

    /// The text, where it is nothing else.
    fn only_text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Said(text)] => Some(text),
            _ => None,
        }
    }
}

/// What became of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// It gave something to the session.
    Used,
    /// It holds nothing for the session; why.
    Skipped(&'static str),
    /// Nobody known speaks; the role.
    Unknown(String),
}

/// Tells turns in order, and what became of each. They may be read one by one: only the next one is looked at ahead.
pub fn tell(session: &mut SessionBuilder, turns: impl IntoIterator<Item = Turn>) -> Vec<Told> {
    let mut teller = Teller {
        session,
        open: VecDeque::new(),
        thought: String::new(),
        response: String::new(),
        start: 0,
        begun: false,
    };
    let mut told = Vec::new();
    let mut items = false;
    let mut turns = turns.into_iter().enumerate().peekable();
    while let Some((i, mut turn)) = turns.next() {
        take_out_calls(&mut turn, turns.peek_mut().map(|(_, next)| next));
        let joins = items && turn.item && turn.role == Role::Assistant;
        items = turn.item && turn.role == Role::Assistant;
        if !joins && turn.role == Role::Assistant {
            teller.response = turn.id.clone().filter(|_| !turn.item).unwrap_or_else(|| format!("response {i}"));
            // A result without an id belongs to a call of the response before it.
            teller.open.clear();
        }
        told.push(teller.turn(turn));
    }
    told
}

/// Counts turns as records.
pub fn count(session: &mut SessionBuilder, told: Vec<Told>) {
    for one in told {
        match one {
            Told::Used => session.accounting.used(),
            Told::Skipped(reason) => session.accounting.skipped(reason),
            Told::Unknown(role) => session.accounting.unknown(&role),
        }
    }
}

/// Calls that stand in the text of the model, and their results in the user's place. A fenced command counts as a call
/// only where its result follows.
fn take_out_calls(turn: &mut Turn, next: Option<&mut Turn>) {
    if turn.role != Role::Assistant || turn.has_calls() {
        return;
    }
    let split = turn.only_text().and_then(text_calls::split);
    let next = next.filter(|next| matches!(next.role, Role::User));
    let answer = next.as_ref().and_then(|next| next.only_text()).and_then(text_calls::result);
    let pieces = match (split, &answer) {
        (Some(pieces), _) => pieces,
        (None, Some(_)) => match turn.only_text().and_then(text_calls::fenced) {
            Some(pieces) => pieces,
            None => return,
        },
        (None, None) => return,
    };
    turn.pieces = pieces;
    if let (Some(next), Some(answer)) = (next, answer) {
        next.role = Role::Tool;
        next.pieces = vec![Piece::Result(answer)];
    }
}

/// A call that has no result yet.
struct Open {
    at: usize,
    id: Option<String>,
    name: String,
}

struct Teller<'a> {
    session: &'a mut SessionBuilder,
    open: VecDeque<Open>,
    thought: String,
    response: String,
    /// How many messages there were before the turn.
    start: usize,
    /// Whether anybody but the system spoke.
    begun: bool,
}

/// Most calls without a result that are kept in mind.
const OPEN: usize = 256;

impl Teller<'_> {
    fn turn(&mut self, turn: Turn) -> Told {
        if let Some(kind) = turn.notice {
            return self.notice(kind, &turn);
        }
        match &turn.role {
            Role::System if !self.begun => return Told::Skipped("system-prompt"),
            Role::System => return self.notice(NoticeKind::Meta, &turn),
            Role::Unknown(role) => {
                let role = role.clone();
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, turn.place, format!("a message of `{role}`"));
                return Told::Unknown(role);
            }
            Role::User | Role::Assistant | Role::Tool => {}
        }
        self.begun = true;
        self.start = self.session.len();
        if turn.role != Role::Assistant {
            self.thought.clear();
        }
        let mut used = false;
        let mut turn = turn;
        for piece in std::mem::take(&mut turn.pieces) {
            used |= self.piece(&turn, piece);
        }
        match used || self.session.len() > self.start {
            true => Told::Used,
            false => Told::Skipped("empty"),
        }
    }

    fn notice(&mut self, kind: NoticeKind, turn: &Turn) -> Told {
        let said = turn.pieces.iter().find_map(|piece| match piece {
            Piece::Said(text) => Some(text.as_str()),
            _ => None,
        });
        self.session.notice(kind, turn.place, turn.time, said.unwrap_or_default());
        Told::Used
    }

    fn origin(&mut self, turn: &Turn, call: Option<String>) -> Origin {
        let model = turn.role == Role::Assistant;
        Origin {
            ids: Aliases { message: turn.id.clone(), call, ..Default::default() },
            turn: model.then(|| self.response.clone()),
            time: turn.time,
            place: turn.place,
            reasoning: if model { std::mem::take(&mut self.thought) } else { String::new() },
            model: turn.model.clone(),
            usage: turn.usage,
            ..Default::default()
        }
    }

    /// Tells a piece; whether it gave something that is no message.
    fn piece(&mut self, turn: &Turn, piece: Piece) -> bool {
        match (piece, &turn.role) {
            (Piece::Result(answer), _) => self.result(turn, answer),
            (Piece::Thought(text), Role::Assistant) => {
                self.think(&text);
                true
            }
            (Piece::Said(text), _) if text.trim().is_empty() => false,
            (Piece::Said(text), Role::Assistant) => self.text(turn, text),
            (Piece::Said(text), _) => self.user(turn, text),
            (Piece::Call(call), _) => {
                self.call(turn, call);
                true
            }
            (Piece::Placeholder(text), Role::User) if self.session.len() > self.start => {
                self.session.placeholder(text);
                true
            }
            (Piece::Placeholder(text), role) => {
                let origin = self.origin(turn, None);
                match role {
                    Role::Assistant => self.session.text(origin, text),
                    _ => self.session.user(origin, text),
                }
                self.session.cut_last(Cut::Placeholder);
                true
            }
            (Piece::Unknown(kind), _) => {
                self.session.diagnostics.add(
                    DiagCode::RecordTypeUnknown,
                    turn.place,
                    format!("a block of type `{kind}`"),
                );
                false
            }
            (Piece::Thought(_), _) => false,
        }
    }

    fn think(&mut self, text: &str) {
        if !self.thought.is_empty() {
            self.thought.push_str("\n\n");
        }
        self.thought.push_str(text);
    }

    fn text(&mut self, turn: &Turn, text: String) -> bool {
        let split = said::without_thoughts(&text).map(|(thought, answer)| (thought.to_string(), answer.to_string()));
        let text = match split {
            Some((thought, answer)) => {
                self.think(&thought);
                answer
            }
            None => text,
        };
        if !text.trim().is_empty() {
            let origin = self.origin(turn, None);
            self.session.text(origin, text);
        }
        true
    }

    fn user(&mut self, turn: &Turn, text: String) -> bool {
        match said::classify(&text) {
            Ok(prompt) => {
                let prompt = prompt.to_string();
                let origin = self.origin(turn, None);
                self.session.user(origin, prompt);
            }
            Err(kind) => self.session.notice(kind, turn.place, turn.time, text),
        }
        true
    }

    fn call(&mut self, turn: &Turn, call: Call) {
        let kind = kind_of_call(&call.name, &call.input);
        if self.open.len() == OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Open { at: self.session.len(), id: call.id.clone(), name: call.name.clone() });
        let origin = self.origin(turn, call.id);
        self.session.call(origin, &call.name, kind, call.input);
    }

    /// Gives a call its result: the one with its id; without an id the first open one of its name, or at all.
    fn result(&mut self, turn: &Turn, answer: Answer) -> bool {
        let Answer { id, name, text, is_error, cut } = answer;
        let (outcome, exit) = turn.ended.unwrap_or_else(|| outcome(&text, is_error));
        self.session.info.records_outcome |= outcome != Outcome::NotRecorded;
        let result = ResultOf {
            cut: cut.or_else(|| cut_mark::by_tool(&text).then_some(Cut::ByTool)),
            text,
            outcome,
            exit,
            time: turn.time,
            place: turn.place,
            spawned: None,
            extra: turn.extra.clone(),
        };
        if let Some(id) = id {
            if let Some(at) = self.open.iter().position(|open| open.id.as_deref() == Some(id.as_str())) {
                self.open.remove(at);
            }
            return self.session.result(&id, result);
        }
        let named = name.and_then(|name| self.open.iter().position(|open| open.name == name));
        match named.or(if self.open.is_empty() { None } else { Some(0) }).and_then(|at| self.open.remove(at)) {
            Some(open) => self.session.result_at(open.at, result),
            None => {
                self.session.diagnostics.add(
                    DiagCode::ResultWithoutCall,
                    turn.place,
                    "a result of no call that is open",
                );
                false
            }
        }
    }
}

/// How a call ended by its error flag and its text.
pub fn outcome(text: &str, is_error: Option<bool>) -> (Outcome, Exit) {
    let (told, exit) = ending(text);
    match (is_error, told) {
        (_, Outcome::Failed) | (None, _) => (told, exit),
        (Some(true), _) => (Outcome::Failed, Exit::NotRecorded),
        (Some(false), _) => (Outcome::Ok, exit),
    }
}
