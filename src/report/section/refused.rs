//! Rows of *Check first* for what was tried and did not come through: denied, stopped by a time limit, failed to the end.

use super::check_first::{called, row_of};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::ArticleRow,
        command::{CommandRun, Invocation, SimpleCommand},
        evidence::Evidence,
        message::{Exit, Message, MessageKind, Outcome, PartKind},
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
    text::sentence::{Sentence, sentences},
};

/// Most rows of one kind.
const EACH: usize = 2;

/// See the module; nothing for an article about a message.
pub fn rows<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let all = denied(m).take(EACH).chain(stopped(m).take(EACH)).chain(red(m).take(EACH));
    all.filter(|_| m.subject.is_none())
}

/// Whether a message is told by itself: the log ends with it.
fn is_last(m: &Material, at: MessageIdx) -> bool {
    at == m.last
}

/// Calls that the user or a rule refused, and that no later call makes again.
fn denied<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let refused = |msg: &Message| msg.call.as_ref().is_some_and(|call| call.outcome == Outcome::Denied);
    let made = |msg: &Message| {
        let name = msg.call.as_ref().map(|call| call.name.clone());
        msg.command().or(msg.path()).map(String::from).or(name)
    };
    let again = move |at: MessageIdx, what: &Option<String>| {
        let mut later = m.session.iter().skip(at.at() + 1);
        later.any(|(_, msg)| msg.call.is_some() && made(msg) == *what)
    };
    let all = m.session.iter().filter(move |(at, msg)| m.told(*at) && refused(msg) && !is_last(m, *at));
    all.filter_map(move |(at, msg)| {
        if again(at, &made(msg)) {
            return None;
        }
        let phrase = called(m, m.derived("call-denied").weighing(8), at).cell();
        row_of(phrase.say("denied; not called so again").searched(at, m.last), vec![at])
    })
}

/// Commands that a time limit stopped, where no later run of the same thing ends well.
fn stopped<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let killed = |run: &CommandRun| {
        !outlives(run) && m.session.message(run.end()).call.as_ref().is_some_and(|c| c.exit == Exit::Killed)
    };
    let mut groups: Vec<(String, Vec<MessageIdx>)> = Vec::new();
    for run in m.facts.commands.iter().filter(|run| m.told(run.message) && run.ran) {
        let Some(by) = run.invocation.as_ref().map(named) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == by) {
            Some((_, all)) if killed(run) => all.push(run.message),
            // What ended well later is no longer open.
            Some((_, all)) if ended_well(m, run) => all.clear(),
            None if killed(run) => groups.push((by, vec![run.message])),
            _ => {}
        }
    }
    groups.into_iter().filter(|(_, all)| !all.is_empty()).filter_map(|(by, all)| {
        let (first, last) = (*all.first()?, *all.last()?);
        let phrase = m.derived("run-stopped").weighing(8).code(&m.session.cite_words(last, &by)?).cell();
        let phrase = match all.len() {
            1 => phrase.say("stopped before its end"),
            n => phrase.say("stopped before its end in ").count(n).say(" runs"),
        };
        let phrase = phrase.say("; no later run of it is shown to end well").searched(last, m.last);
        row_of(all.iter().fold(phrase, |p: Phrase, at| p.resting(&m.session.whole(*at))), vec![first, last])
    })
}

/// Whether a command is not meant to end by itself: a server, a watcher, somebody who waits.
fn outlives(run: &CommandRun) -> bool {
    let lasting = |p: &SimpleCommand| {
        matches!(p.class.0.as_str(), "log-read" | "orchestrate" | "poll" | "serve" | "wait")
            || p.background
            || p.args.iter().any(|a| LASTING.contains(&a.as_str()))
    };
    run.parts.iter().any(lasting)
}

/// Flags and sub-commands under which a program goes on until it is stopped. Sorted.
const LASTING: &[&str] = &["--follow", "--reload", "--serve", "--watch", "-f", "dev", "serve", "start", "watch"];

/// What was run, with the word that says what it did: `trainer fit` is another thing than `trainer test`.
fn named(run: &Invocation) -> String {
    let word = |o: &&String| o.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    match run.operands.first().filter(word) {
        Some(verb) => format!("{} {verb}", run.by),
        None => run.by.clone(),
    }
}

/// Checks that the audit calls left red, each with what the agent said of it and with what passed later.
fn red<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    m.audit.left_by("check-left-red").filter_map(|end| {
        let run = m.facts.run_of(end.what.message())?;
        let phrase = m.derived("check-left-red").weighing(8).code(&end.what).cell().say(end.short);
        let phrase = phrase.searched(run.end(), m.last);
        let mut seen = vec![run.message, run.end()];
        let phrase = match explained(m, run, m.session.quoted(&end.what)) {
            Some(why) => {
                seen.push(why.message());
                phrase.say("; the agent: ").quote(&shortened(m.session, &why, 24))
            }
            None => phrase,
        };
        let phrase = match passed_later(m, run) {
            Some((later, name)) => {
                seen.push(later.end());
                phrase.say("; ").code(&name).say(" passed after it")
            }
            None => phrase,
        };
        row_of(phrase, seen)
    })
}

/// What the agent says of a failed check in the texts soon after it: the first sentence that names the command.
fn explained(m: &Material, run: &CommandRun, by: &str) -> Option<Evidence> {
    let after = m.session.iter().skip(run.end().at() + 1).take(EXPLAINS);
    let mut texts = after.filter(|(_, message)| message.kind == MessageKind::Text);
    texts.find_map(|(at, message)| {
        let part = message.part_at(PartKind::Prose)?;
        let text = &message.parts[part].text;
        let names =
            |s: &&Sentence| s.span.of(text).is_some_and(|words| words.contains(by) && !words.ends_with([':', '?']));
        sentences(text).iter().find(names).and_then(|s| m.session.cite(at, part, s.span))
    })
}

/// An explanation stands at most so many messages after the failure.
const EXPLAINS: usize = 6;

/// The last later check of the same kind or by the same program whose exit status says that it passed.
fn passed_later<'a>(m: &Material<'a>, failed: &CommandRun) -> Option<(&'a CommandRun, Evidence)> {
    let own = failed.only_check()?;
    let alike = |part: &SimpleCommand| part.class == own.class || part.program == own.program;
    let passed = |run: &&CommandRun| {
        let exit = m.session.message(run.end()).call.as_ref().map(|call| call.exit);
        run.ran && m.told(run.message) && exit == Some(Exit::Code(0)) && run.only_check().is_some_and(alike)
    };
    let later = m.facts.commands.iter().filter(|run| run.message > failed.end()).rfind(passed)?;
    Some((later, m.session.cite_words(later.message, &later.only_check()?.called)?))
}

fn ended_well(m: &Material, run: &CommandRun) -> bool {
    let call = m.session.message(run.end()).call.as_ref();
    call.is_some_and(|call| {
        call.result_at.is_some()
            && matches!(call.exit, Exit::Code(0) | Exit::NotRecorded)
            && !matches!(call.outcome, Outcome::Failed | Outcome::Denied | Outcome::Interrupted)
    })
}
