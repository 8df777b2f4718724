//! *The message*: what does the subject really say? For a task list the evolution of the plan; for a question its
//! options and the answer; else its own words.

use std::collections::{BTreeMap, BTreeSet};

use super::{claims, section};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        article::{ArticleRow, ArticleTable, Block, Claim, Piece, Section},
        message::{MessageKind, PartKind},
        todo::{Provenance, TodoItem, TodoSnapshot, TodoSource, TodoStatus},
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
};

/// Most earlier lists that the table of a plan's evolution shows beside the subject.
const COLUMNS: usize = 4;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let subject = m.subject?;
    let blocks = match list_at(m, subject) {
        Some(at) => {
            let own = m.facts.todos[at].message == subject;
            let said = claims([counts(m, at), own.then(|| same(m, at)).flatten(), inferred(m, at)]);
            vec![Block::Paragraph(said), evolution(m, at)]
        }
        None => vec![Block::Paragraph(claims([words(m, subject), result(m, subject)]))],
    };
    section("The message", blocks)
}

/// The list that the subject writes. Where a tool writes one item a call, it stands only after the last of a run of calls.
fn list_at(m: &Material, subject: MessageIdx) -> Option<usize> {
    let at = m.facts.todos.iter().position(|s| s.message == subject)?;
    let lists = &m.facts.todos;
    let adds = |i: &usize| {
        let before = i.checked_sub(1).map_or(0, |before| lists[before].items.len());
        lists[*i].source == TodoSource::Folded && lists[*i].items.len() > before
    };
    let run = (at..lists.len()).take_while(|i| lists[*i].message.at() - subject.at() == i - at && adds(i));
    Some(run.last().unwrap_or(at))
}

fn counts(m: &Material, at: usize) -> Option<Claim> {
    let snapshot = &m.facts.todos[at];
    let all = [
        TodoStatus::Completed,
        TodoStatus::InProgress,
        TodoStatus::Pending,
        TodoStatus::Cancelled,
        TodoStatus::NotShown,
    ];
    let shown = all.map(|status| (status, snapshot.items.iter().filter(|i| i.status == status).count()));
    let shown: Vec<_> = shown.into_iter().filter(|(_, n)| *n > 0).collect();
    let phrase = m.derived("list-counts").weighing(8);
    let phrase = if snapshot.complete {
        phrase.say("The list has ")
    } else {
        phrase.say("The list is truncated in the log; it has at least ")
    };
    let phrase = phrase.count(snapshot.items.len());
    let phrase = if snapshot.items.len() == 1 { phrase.say(" item: ") } else { phrase.say(" items: ") };
    let phrase = phrase
        .list(shown, ", ", " and ", |p: Phrase, (status, n)| p.count(n).say(" ").word(status.word().replace('_', " ")));
    phrase.refs([snapshot.message]).say(".").end()
}

/// How the list differs from the one before it.
fn same(m: &Material, at: usize) -> Option<Claim> {
    let delta = m.findings.deltas.iter().find(|d| d.to == at)?;
    let (snapshot, Some(before)) = (&m.facts.todos[at], delta.from.map(|i| &m.facts.todos[i])) else {
        let subject = m.facts.todos[at].message;
        return m
            .derived("first-list")
            .weighing(5)
            .say("It is the first list of the log")
            .refs([subject])
            .say(".")
            .end();
    };
    let both = [before.message, snapshot.message];
    if delta.changes.is_empty() {
        let phrase = m.derived("list-unchanged").weighing(7);
        return match snapshot.complete && before.complete {
            true => phrase.say("It equals the list before it").refs(both).say(".").end(),
            false => phrase
                .say("As far as shown it equals the list before it: any change lies in the part that is cut")
                .refs(both)
                .say(".")
                .end(),
        };
    }
    let moved = delta.pairs.iter().filter(|&(from, to, _)| before.items[from].status != snapshot.items[to].status);
    let moved: Vec<(TodoStatus, TodoStatus)> = moved
        .map(|(from, to, _)| (before.items[from].status, snapshot.items[to].status))
        .filter(|(a, b)| *a != TodoStatus::NotShown && *b != TodoStatus::NotShown)
        .collect();
    let paired: BTreeSet<usize> = delta.pairs.iter().map(|p| p.1).collect();
    let added: Vec<&TodoItem> =
        snapshot.items.iter().enumerate().filter(|(i, _)| !paired.contains(i)).map(|(_, item)| item).collect();
    let mut groups: Vec<((TodoStatus, TodoStatus), usize)> = Vec::new();
    for change in moved {
        match groups.iter_mut().find(|g| g.0 == change) {
            Some(group) => group.1 += 1,
            None => groups.push((change, 1)),
        }
    }
    if groups.is_empty() && added.is_empty() {
        return None;
    }
    let phrase = m.derived("list-delta").weighing(7).say("Since the list before it ");
    let phrase = phrase.list(groups.iter().map(|g| (*g, false)), ", ", ", ", |p: Phrase, (((a, b), n), _)| {
        let p = p.count(n).say(if n == 1 { " item went from " } else { " items went from " });
        p.word(a.word().replace('_', " ")).say(" to ").word(b.word().replace('_', " "))
    });
    let phrase = match (groups.is_empty(), added.len()) {
        (_, 0) => phrase,
        (true, n) => phrase.count(n).say(if n == 1 { " item was added" } else { " items were added" }),
        (false, n) => phrase.say(", ").count(n).say(if n == 1 { " was added" } else { " were added" }),
    };
    phrase.refs(both).say(".").end()
}

/// A status that was completed from a cut word.
fn inferred(m: &Material, at: usize) -> Option<Claim> {
    let snapshot = &m.facts.todos[at];
    let item = snapshot.items.iter().find(|i| i.known == Provenance::Inferred && !i.status_raw.is_empty())?;
    let raw = m.session.cite_words(snapshot.message, &item.status_raw)?;
    m.inferred("status-from-prefix")
        .weighing(6)
        .say("A status is cut off at ")
        .quote(&raw)
        .say("; only ")
        .word(item.status.word().replace('_', " "))
        .say(" begins so")
        .refs([snapshot.message])
        .say(".")
        .end()
}

/// Items followed through the lists up to one of them, by the pairs of the deltas.
#[derive(Default)]
struct Tracks {
    /// Of each list, the track of each of its items.
    lists: Vec<Vec<usize>>,
    /// Of each track, the list that showed it last, and where.
    last: Vec<(usize, usize)>,
}

impl Tracks {
    /// Where a list shows a track.
    fn position(&self, list: usize, track: usize) -> Option<usize> {
        self.lists[list].iter().position(|held| *held == track)
    }
}

fn tracks(m: &Material, upto: usize) -> Tracks {
    let mut all = Tracks::default();
    for (k, snapshot) in m.facts.todos.iter().enumerate().take(upto + 1) {
        let mut own: Vec<Option<usize>> = vec![None; snapshot.items.len()];
        let delta = m.findings.deltas.get(k).filter(|delta| delta.to == k);
        if let Some((delta, from)) = delta.and_then(|delta| Some((delta, delta.from?))) {
            delta.pairs.iter().for_each(|(f, t, _)| own[t] = Some(all.lists[from][f]));
        }
        let mut here: BTreeSet<usize> = own.iter().flatten().copied().collect();
        let mut list = Vec::with_capacity(own.len());
        for ((i, item), paired) in snapshot.items.iter().enumerate().zip(own) {
            // An item that a cut list did not show is the same item when it shows again.
            let again = || {
                let mut away = (0..all.last.len()).filter(|track| !here.contains(track));
                away.find(|track| same_text(last_item(m, &all, *track), item))
            };
            let known = paired.or_else(|| if here.len() == all.last.len() { None } else { again() });
            let track = known.unwrap_or(all.last.len());
            if track == all.last.len() {
                all.last.push((k, i))
            } else {
                all.last[track] = (k, i)
            }
            here.insert(track);
            list.push(track);
        }
        all.lists.push(list);
    }
    all
}

/// The item as its track last showed it.
fn last_item<'a>(m: &Material<'a>, all: &Tracks, track: usize) -> Option<&'a TodoItem> {
    let (k, i) = *all.last.get(track)?;
    m.facts.todos[k].items.get(i)
}

/// Equal texts, or a text cut off and the text that it begins.
fn same_text(earlier: Option<&TodoItem>, now: &TodoItem) -> bool {
    let Some(earlier) = earlier else { return false };
    let (a, b) = (earlier.content.trim_end_matches('.'), now.content.trim_end_matches('.'));
    a == b
        || earlier.content_cut && a.len() >= 12 && b.starts_with(a)
        || now.content_cut && b.len() >= 12 && a.starts_with(b)
}

fn evolution(m: &Material, at: usize) -> Block {
    let all = tracks(m, at);
    let columns = columns(m, &all, at);
    let mut shown: Vec<usize> = columns.iter().flat_map(|k| all.lists[*k].iter().copied()).collect();
    shown.sort_unstable();
    shown.dedup();
    shown.sort_by_cached_key(|track| {
        let own = all.position(at, *track);
        (own.is_none(), own.or_else(|| columns.iter().find_map(|k| all.position(*k, *track))))
    });
    let mut head = vec![vec![Piece::Glue("item (– not shown)")]];
    head.extend(columns.iter().map(|k| vec![Piece::Number(m.facts.todos[*k].message)]));
    let rows = shown.iter().filter_map(|track| row(m, &all, *track, &columns, at)).collect();
    Block::Table(ArticleTable { lead: None, head, rows })
}

/// The subject's list and the last few before it in which a shown status differs.
fn columns(m: &Material, all: &Tracks, at: usize) -> Vec<usize> {
    let first = m.facts.todos.iter().position(|s| m.told(s.message)).unwrap_or(at).min(at);
    let state = |k: usize| -> BTreeMap<usize, TodoStatus> {
        all.lists[k].iter().copied().zip(m.facts.todos[k].items.iter().map(|item| item.status)).collect()
    };
    let mut picked = vec![at];
    for k in (first..at).rev() {
        if picked.len() > COLUMNS {
            break;
        }
        if state(k) != state(*picked.last().expect("begins with the subject")) {
            picked.push(k);
        }
    }
    picked.reverse();
    picked
}

fn row(m: &Material, all: &Tracks, track: usize, columns: &[usize], at: usize) -> Option<ArticleRow> {
    let mut lists = [at].into_iter().chain(columns.iter().rev().copied());
    let (k, i) = lists.find_map(|k| Some((k, all.position(k, track)?)))?;
    let snapshot = &m.facts.todos[k];
    let item = &snapshot.items[i];
    let weight = if k == at { 8 } else { 5 };
    let mut phrase = content(m, m.derived("plan-evolution").weighing(weight), snapshot, item);
    for k in columns {
        let list = &m.facts.todos[*k];
        let item = all.position(*k, track).map(|i| &list.items[i]);
        phrase = phrase.cell();
        phrase = match item {
            Some(item) if item.status == TodoStatus::NotShown => phrase.say("cut"),
            Some(item) => phrase.word(item.status.word().replace('_', " ")),
            None => phrase.say("–"),
        };
        if let Some(item) = item {
            phrase = phrase.resting(&item.evidence);
        }
    }
    phrase.row()
}

fn content<'a>(m: &Material, phrase: Phrase<'a>, snapshot: &TodoSnapshot, item: &TodoItem) -> Phrase<'a> {
    match m.session.cite_words(snapshot.message, &item.content) {
        Some(words) => {
            let phrase = phrase.plain(&shortened(m.session, &words, 16));
            if item.content_cut && !item.content.ends_with("...") { phrase.say("...") } else { phrase }
        }
        None => phrase.plain(&item.evidence),
    }
}

/// The subject's own words: a text, or the command.
fn words(m: &Material, subject: MessageIdx) -> Option<Claim> {
    let message = m.session.message(subject);
    let who = match message.kind {
        MessageKind::User if message.resumes() => "In the user's place stands a summary of what came before: ",
        MessageKind::User if !m.session.by_user(subject) => "In the user's place stands the assistant's own text: ",
        MessageKind::User => "The user writes: ",
        MessageKind::Text => "The agent writes: ",
        MessageKind::Tool => return call(m, subject),
    };
    let part = message.part_at(PartKind::Prose)?;
    let whole = m.session.cite(subject, part, ByteSpan::new(0, message.parts[part].text.len()))?;
    m.stated("subject-words")
        .weighing(8)
        .say(who)
        .quote(&shortened(m.session, &whole, 60))
        .refs([subject])
        .say(".")
        .end()
}

fn call(m: &Material, subject: MessageIdx) -> Option<Claim> {
    let message = m.session.message(subject);
    let what = message.command().or(message.path())?;
    let evidence = m.session.cite_words(subject, what)?;
    let name = message.call.as_ref()?.name.clone();
    m.stated("subject-call")
        .weighing(8)
        .say("A call of ")
        .word(name)
        .say(": ")
        .code(&shortened(m.session, &evidence, 40))
        .refs([subject])
        .say(".")
        .end()
}

/// The last line that the subject's call printed.
fn result(m: &Material, subject: MessageIdx) -> Option<Claim> {
    let message = m.session.message(subject);
    let part = message.part_at(PartKind::Output)?;
    let text = &message.parts[part].text;
    let line = text.lines().rev().find(|l| l.chars().any(char::is_alphanumeric))?;
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let evidence = m.session.cite(subject, part, ByteSpan::new(start, start + line.len()))?;
    m.stated("subject-result")
        .weighing(7)
        .say("Its output ends in ")
        .quote(&shortened(m.session, &evidence, 24))
        .refs([subject])
        .say(".")
        .end()
}
