//! The story that the records of a rollout add up to, until its end is known: copies of one turn laid together, results
//! beside their calls, turns that were rolled back taken out again.

use std::{collections::HashMap, rc::Rc};

use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        accounting::Accounting,
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
        session::Branch,
    },
    text::quote::shorten,
};

/// Which copy of a turn a record is. A turn may stand in the log as several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copy {
    /// What went to or came from the model.
    Item = 1,
    /// What the screen was told.
    Event = 2,
    /// An item of the paginated history.
    Completed = 4,
}

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// The user.
    User,
    /// The model.
    Model,
}

/// Circumstances of a record.
#[derive(Clone, Default, Debug)]
pub struct Setting {
    /// When it was written.
    pub time: Option<Timestamp>,
    /// Where it lies.
    pub place: Locator,
    /// Model in use.
    pub model: Option<Rc<str>>,
    /// Working directory.
    pub cwd: Option<Rc<str>>,
}

/// A call as the model made it.
#[derive(Debug)]
pub struct Called {
    /// Its id.
    pub id: Option<String>,
    /// The producer's name of the tool.
    pub name: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// Its input.
    pub fields: Vec<Field>,
}

/// A call and what is known of its end.
#[derive(Debug)]
struct Call {
    called: Called,
    result: Option<ResultOf>,
    spawned: Option<String>,
    /// What events told of its end before its result was met.
    told: (Outcome, Exit),
    /// The call that happened within it.
    inner: Option<usize>,
}

#[derive(Debug)]
enum What {
    Said(Who, String),
    Call(Box<Call>),
    Notice(NoticeKind, String),
}

#[derive(Debug)]
struct Entry {
    what: What,
    setting: Setting,
    /// The copies that were met, as a sum of [`Copy`].
    copies: u8,
    /// Number of the model response.
    response: u32,
    also: Vec<String>,
    reasoning: String,
    usage: Option<Usage>,
    images: usize,
    /// Records used before it.
    used: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Story {
    entries: Vec<Entry>,
    calls: HashMap<String, usize>,
    branches: Vec<Branch>,
    /// Number of the current response, and whether the next item of the model begins another.
    response: u32,
    stale: bool,
    thought: String,
    whispered: String,
    /// Where the entries of the response begin whose tokens are not told yet.
    untold: usize,
    spent: Usage,
    waiting: Usage,
}

/// How far back the copy of a turn may lie.
const BACK: usize = 8;

impl Story {
    fn push(&mut self, what: What, setting: Setting, used: u64) -> &mut Entry {
        let model = !matches!(what, What::Notice(..) | What::Said(Who::User, _));
        let reasoning = if model { self.thoughts() } else { String::new() };
        if model {
            self.speaks();
        }
        let response = self.response;
        self.entries.push(Entry {
            what,
            setting,
            copies: 0,
            response,
            also: Vec::new(),
            reasoning,
            usage: None,
            images: 0,
            used,
        });
        self.entries.last_mut().expect("one was pushed")
    }

    /// The model goes on: with another response, where the last one has ended.
    fn speaks(&mut self) {
        self.response += u32::from(std::mem::take(&mut self.stale));
    }

    fn thoughts(&mut self) -> String {
        let (thought, whispered) = (std::mem::take(&mut self.thought), std::mem::take(&mut self.whispered));
        if thought.is_empty() { whispered } else { thought }
    }

    /// Adds reasoning that leads to what the model does next.
    pub fn think(&mut self, text: &str, copy: Copy) {
        self.speaks();
        let into = if copy == Copy::Item { &mut self.thought } else { &mut self.whispered };
        if !text.is_empty() && !into.is_empty() {
            into.push('\n');
        }
        into.push_str(text);
    }

    /// Adds a text, or lays it to the copy of it that was met before. Says whether it was new.
    pub fn say(
        &mut self,
        who: Who,
        text: String,
        images: usize,
        copy: Copy,
        id: Option<String>,
        record: Record,
    ) -> bool {
        if let Some(twin) = self.twin(who, &text, copy) {
            twin.copies |= copy as u8;
            twin.images = twin.images.max(images);
            twin.also.extend(id.filter(|id| !twin.also.contains(id)));
            // The item of the model is the record that other readers know its text by.
            if who == Who::Model && copy == Copy::Item {
                twin.setting.place = record.setting.place;
            }
            return false;
        }
        let entry = self.push(What::Said(who, text), record.setting, record.used);
        entry.copies = copy as u8;
        entry.images = images;
        entry.also.extend(id);
        if who == Who::User {
            self.stale = true;
            self.thoughts();
        }
        true
    }

    fn twin(&mut self, who: Who, text: &str, copy: Copy) -> Option<&mut Entry> {
        let words = text.trim();
        let same = |known: &str| {
            let empty = words.is_empty() || known.is_empty();
            known == words || who == Who::User && !empty && (known.ends_with(words) || words.ends_with(known))
        };
        let recent = self.entries.iter_mut().rev().take(BACK);
        // What the user says next is no copy of what was said before the model answered.
        let recent =
            recent.take_while(|e| who == Who::Model || !matches!(e.what, What::Said(Who::Model, _) | What::Call(_)));
        let mut spoken = recent.filter(|e| e.copies & copy as u8 == 0);
        spoken.find(|e| matches!(&e.what, What::Said(by, known) if *by == who && same(known.trim())))
    }

    /// Adds a call.
    pub fn call(&mut self, called: Called, ids: Vec<String>, record: Record) {
        if let Some(id) = &called.id {
            self.calls.insert(id.clone(), self.entries.len());
        }
        let told = (Outcome::NotRecorded, Exit::NotRecorded);
        let call = Call { called, result: None, spawned: None, told, inner: None };
        let entry = self.push(What::Call(Box::new(call)), record.setting, record.used);
        entry.also = ids;
    }

    /// Adds a call that happened within another one, after it; it ends as that one does.
    pub fn nested(&mut self, within: &str, called: Called, record: Record) {
        let at = self.entries.len();
        if let Some(outer) = self.slot(within) {
            outer.inner = Some(at);
        }
        self.call(called, Vec::new(), record);
    }

    fn slot(&mut self, id: &str) -> Option<&mut Call> {
        match &mut self.entries.get_mut(*self.calls.get(id)?)?.what {
            What::Call(call) if call.called.id.as_deref() == Some(id) => Some(call),
            _ => None,
        }
    }

    /// Gives a call its result; the diagnostic where that is not possible.
    pub fn result(&mut self, id: &str, given: ResultOf) -> Option<DiagCode> {
        self.stale = true;
        match self.slot(id) {
            None => Some(DiagCode::ResultWithoutCall),
            Some(Call { result: Some(_), .. }) => Some(DiagCode::ResultRepeated),
            Some(call) => {
                let inner = call.inner.map(|at| (at, of_inner(&given)));
                call.result = Some(given);
                call.settle();
                if let Some((at, given)) = inner
                    && let Some(Entry { what: What::Call(call), .. }) = self.entries.get_mut(at)
                {
                    call.result = Some(given);
                }
                None
            }
        }
    }

    /// Gives the last call its result, for those that the provider carries out itself.
    pub fn settle_last(&mut self, given: ResultOf) {
        if let Some(Entry { what: What::Call(call), .. }) = self.entries.last_mut() {
            call.result = Some(given);
        }
    }

    /// What an event tells of the end of a call. Says whether there is such a call.
    pub fn ended(&mut self, id: &str, outcome: Outcome, exit: Exit) -> bool {
        let Some(call) = self.slot(id) else { return false };
        // Of several commands in one call the first that failed counts.
        if call.told.0 != Outcome::Failed {
            call.told = (outcome, exit);
        }
        call.settle();
        true
    }

    /// Whether a call with this id is known.
    pub fn knows(&mut self, id: &str) -> bool {
        self.slot(id).is_some()
    }

    /// The last call, while it has no result: the one within which an event happens.
    pub fn open(&self) -> Option<String> {
        let calls = self.entries.iter().rev().take(BACK);
        let mut named = calls.filter_map(|e| match &e.what {
            What::Call(call) if call.called.id.is_some() => Some(call),
            _ => None,
        });
        named.next().filter(|call| call.result.is_none())?.called.id.clone()
    }

    /// Notes which session a call started. Says whether there is such a call.
    pub fn spawned(&mut self, id: &str, thread: String) -> bool {
        let Some(call) = self.slot(id) else { return false };
        call.spawned.get_or_insert(thread);
        call.settle();
        true
    }

    /// Adds what is no message. A second one of a kind that tells of one event is none.
    pub fn notice(&mut self, kind: NoticeKind, text: String, record: Record) -> bool {
        let once = matches!(kind, NoticeKind::Compaction | NoticeKind::Interruption);
        let told = self.entries.iter().rev().take(BACK).take_while(|e| matches!(e.what, What::Notice(..)));
        let mut told = told.filter(|e| matches!(e.what, What::Notice(known, _) if known == kind));
        if once && told.next().is_some() {
            return false;
        }
        self.push(What::Notice(kind, text), record.setting, record.used);
        true
    }

    /// Adds what an editor put in front of the prompt that was said last.
    pub fn context(&mut self, text: String, record: Record) {
        self.notice(NoticeKind::Meta, text, record);
        let end = self.entries.len();
        if end > 1 {
            self.entries.swap(end - 2, end - 1);
        }
    }

    /// Adds the tokens of the response that has just ended.
    pub fn spend(&mut self, usage: &Usage) {
        self.stale = true;
        self.spent.add(usage);
        self.waiting.add(usage);
        let from = std::mem::replace(&mut self.untold, self.entries.len()).min(self.entries.len());
        let (before, now) = self.entries.split_at_mut(from);
        let first = now.iter_mut().find(|e| matches!(e.what, What::Said(Who::Model, _) | What::Call(_)));
        // A response that left nothing behind is counted with the one before it.
        let holder = match first {
            Some(first) => Some(first),
            None => before.iter_mut().rev().take(BACK).find(|e| e.usage.is_some()),
        };
        if let Some(holder) = holder {
            holder.usage.get_or_insert_default().add(&std::mem::take(&mut self.waiting));
        }
    }

    /// Takes the last turns of the user out again. `used`: how many records gave something so far.
    pub fn roll_back(&mut self, turns: u64, used: u64) {
        let users = self.entries.iter().enumerate().rev().filter(|(_, e)| matches!(e.what, What::Said(Who::User, _)));
        let Some((from, first)) = users.take(turns.min(1 << 20) as usize).last() else { return };
        let opening = match &first.what {
            What::Said(_, text) => shorten(text, 80).into_owned(),
            _ => String::new(),
        };
        let before = self.entries[..from].iter().rev().find_map(Entry::name);
        self.branches.push(Branch { after: before, records: used.saturating_sub(first.used), opening });
        self.entries.truncate(from);
        self.stale = true;
        self.thoughts();
    }

    /// Whether nobody said anything yet.
    pub fn is_silent(&self) -> bool {
        !self.entries.iter().any(|e| matches!(e.what, What::Said(Who::User, _)))
    }

    /// Tells it to the session.
    pub fn tell(self, session: &mut SessionBuilder) {
        let lost = !self.branches.is_empty() || !self.waiting.is_empty();
        session.info.usage = (lost && !self.spent.is_empty()).then_some(self.spent);
        session.branches = self.branches;
        self.entries.into_iter().for_each(|entry| entry.tell(session));
    }
}

/// A record as the story sees it.
#[derive(Debug)]
pub struct Record {
    /// Its circumstances.
    pub setting: Setting,
    /// How many records gave something before it.
    pub used: u64,
}

impl Record {
    /// Of circumstances and what was read so far.
    pub fn new(setting: Setting, accounting: &Accounting) -> Self {
        Self { setting, used: accounting.used }
    }
}

/// The result of a call within another: only how that one ended is known, by its first line.
fn of_inner(outer: &ResultOf) -> ResultOf {
    let text = outer.text.lines().next().unwrap_or_default().to_string();
    ResultOf { text, cut: None, extra: Vec::new(), spawned: None, exit: Exit::NotRecorded, ..outer.clone() }
}

impl Call {
    /// Completes the result by what was told elsewhere.
    fn settle(&mut self) {
        let Some(result) = &mut self.result else { return };
        if matches!(result.exit, Exit::NotRecorded | Exit::Running) && self.told.1 != Exit::NotRecorded {
            result.exit = self.told.1;
        }
        if result.outcome == Outcome::NotRecorded {
            result.outcome = self.told.0;
        }
        if let Some(thread) = &self.spawned {
            result.spawned.get_or_insert_with(|| thread.clone());
        }
    }
}

impl Entry {
    fn name(&self) -> Option<String> {
        match &self.what {
            What::Call(call) if call.called.id.is_some() => call.called.id.clone(),
            What::Notice(..) => None,
            _ => Some(format!("L{}", self.setting.place.line)),
        }
    }

    fn tell(self, session: &mut SessionBuilder) {
        let Setting { time, place, model, cwd } = self.setting;
        let mut origin = Origin {
            // Only some versions give messages an id: it is a further name, the line is the name in all.
            ids: Aliases { also: self.also, ..Aliases::default() },
            time,
            place,
            cwd: cwd.as_deref().map(str::to_string),
            ..Origin::default()
        };
        match self.what {
            What::Notice(kind, text) => session.notice(kind, place, time, text),
            What::Said(Who::User, text) => {
                let (text, images) = match self.images {
                    images if images > 0 && text.is_empty() => (IMAGE.to_string(), images - 1),
                    images => (text, images),
                };
                let bare = text == IMAGE;
                session.user(origin, text);
                if bare {
                    session.cut_last(Cut::Placeholder);
                }
                (0..images).for_each(|_| session.placeholder(IMAGE.to_string()));
            }
            by_model => {
                origin.model = model.as_deref().map(str::to_string);
                // What the provider looks up in the middle of a response is a step beside the text before it.
                let apart = matches!(&by_model, What::Call(call) if call.called.kind == ToolKind::Web);
                origin.turn = (!apart).then(|| format!("response {}", self.response));
                origin.reasoning = self.reasoning;
                origin.usage = self.usage;
                match by_model {
                    What::Call(call) => {
                        origin.ids.call = call.called.id;
                        session.call(origin, &call.called.name, call.called.kind, call.called.fields);
                        if let Some(result) = call.result {
                            session.result_of_last(result);
                        }
                    }
                    What::Said(_, text) => session.text(origin, text),
                    What::Notice(..) => {}
                }
            }
        }
    }
}

/// What stands for an image.
const IMAGE: &str = "<image>";
