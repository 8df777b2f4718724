//! *The message*: what does the subject really say? For a task list the evolution of the plan; for a question its
//! options and the answer; else its own words.

use std::collections::BTreeSet;

use super::{claims, section};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        article::{ArticleRow, ArticleTable, Block, Claim, Piece, Section},
        message::{MessageKind, PartKind},
        todo::{Provenance, TodoItem, TodoSnapshot, TodoStatus},
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
    let blocks = match m.facts.todos.iter().position(|s| s.message == subject) {
        Some(at) => vec![Block::Paragraph(claims([counts(m, at), same(m, at), inferred(m, at)])), evolution(m, at)],
        None => vec![Block::Paragraph(claims([words(m, subject), result(m, subject)]))],
    };
    section("The message", blocks)
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

/// One item followed through the lists: its position in each, by the pairs of the deltas.
struct Track {
    positions: Vec<Option<usize>>,
}

fn tracks(m: &Material) -> Vec<Track> {
    let mut all: Vec<Track> = Vec::new();
    for (k, snapshot) in m.facts.todos.iter().enumerate() {
        let delta = m.findings.deltas.iter().find(|d| d.to == k);
        for track in &mut all {
            let before = k.checked_sub(1).and_then(|b| track.positions[b]);
            let now = before.and_then(|b| delta?.pairs.later(b));
            track.positions.push(now);
        }
        for (i, item) in snapshot.items.iter().enumerate() {
            if all.iter().any(|t| t.positions[k] == Some(i)) {
                continue;
            }
            // An item that a cut list did not show is the same item when it shows again.
            match all.iter().position(|t| t.positions[k].is_none() && same_text(last_item(m, t), item)) {
                Some(known) => all[known].positions[k] = Some(i),
                None => {
                    let mut positions = vec![None; k];
                    positions.push(Some(i));
                    all.push(Track { positions });
                }
            }
        }
    }
    all
}

/// The item as its track last showed it.
fn last_item<'a>(m: &Material<'a>, track: &Track) -> Option<&'a TodoItem> {
    let (k, i) = track.positions.iter().enumerate().rev().find_map(|(k, i)| i.map(|i| (k, i)))?;
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
    let all = tracks(m);
    let columns = columns(m, &all, at);
    let mut shown: Vec<&Track> = all.iter().filter(|t| columns.iter().any(|k| t.positions[*k].is_some())).collect();
    shown.sort_by_key(|t| (t.positions[at].is_none(), t.positions[at].or_else(|| first_position(t, &columns))));
    let mut head = vec![vec![Piece::Glue("item (– not shown)")]];
    head.extend(columns.iter().map(|k| vec![Piece::Number(m.facts.todos[*k].message)]));
    let rows = shown.iter().filter_map(|t| row(m, t, &columns, at)).collect();
    Block::Table(ArticleTable { lead: None, head, rows })
}

fn first_position(track: &Track, columns: &[usize]) -> Option<usize> {
    columns.iter().find_map(|k| track.positions[*k])
}

/// The subject's list and the last few before it in which a shown status differs.
fn columns(m: &Material, all: &[Track], at: usize) -> Vec<usize> {
    let first = m.facts.todos.iter().position(|s| m.told(s.message)).unwrap_or(at).min(at);
    let state = |k: usize| -> Vec<Option<TodoStatus>> {
        all.iter().map(|t| t.positions[k].map(|i| m.facts.todos[k].items[i].status)).collect()
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

fn row(m: &Material, track: &Track, columns: &[usize], at: usize) -> Option<ArticleRow> {
    let k = track.positions[at]
        .map(|_| at)
        .or_else(|| columns.iter().rev().copied().find(|k| track.positions[*k].is_some()))?;
    let snapshot = &m.facts.todos[k];
    let item = &snapshot.items[track.positions[k]?];
    let weight = if k == at { 8 } else { 5 };
    let mut phrase = content(m, m.derived("plan-evolution").weighing(weight), snapshot, item);
    for k in columns {
        let list = &m.facts.todos[*k];
        let item = track.positions[*k].map(|i| &list.items[i]);
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
        MessageKind::User => "The user writes: ",
        MessageKind::Text => "The assistant writes: ",
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
