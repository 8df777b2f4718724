//! *In short*: can I stop reading here? The question, the answer with its size, what fell, what is next.

use super::{claims, section};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::{Block, Claim, Section},
        facts::{Request, RequestKind, Statement, StatementKind},
        todo::TodoStatus,
    },
    report::{
        Material, aims, checks, delivery,
        figures::{self, with_unit},
        phrase::{Phrase, shortened},
        products, reported, runs,
    },
    text::number,
};

/// The result that is told is the one with most figures among the last so many.
const LAST: usize = 4;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let measured = profile(m).or_else(|| compared(m)).or_else(|| sweep(m));
    let said = reported(m);
    let short = shortfall(m);
    // Under a text that says what is blocked or red, nothing else that is green: the reader would stop there.
    let (solved, check) = if short.is_none() { (solved(m), checked(m)) } else { (None, None) };
    let told = measured.is_some() || said.is_some() || short.is_some() || check.is_some();
    let answer = measured.or_else(|| if told { None } else { finding(m) });
    let check = check.filter(|_| answer.is_none());
    let mut sentences = claims(asked(m));
    sentences.extend(claims([
        said,
        short,
        answer,
        check,
        fell(m),
        solved,
        products(m),
        delivered(m),
        next(m),
        change(m),
        ending(m),
    ]));
    section("In short", vec![Block::Paragraph(sentences)])
}

/// What was asked: in an article about a message its aim; of a session the first request, that with most work under it
/// and the last.
fn asked(m: &Material) -> Vec<Option<Claim>> {
    if m.subject.is_some() {
        return vec![m.aim().and_then(|aim| wrote(m, "The user wrote ", aim))];
    }
    let told = aims::told(m);
    let several = told.heaviest.is_some() || told.last.is_some();
    // What the log ends with is told at the end.
    let open = m.closing().is_none().then(|| last_said(m)).flatten();
    let last = told.last.filter(|r| Some(r.message) != open);
    vec![
        told.first.and_then(|r| opened(m, if several { "The user first wrote " } else { "The user wrote " }, r)),
        found(m, told.first),
        told.heaviest.and_then(|r| wrote(m, "Most messages stand under ", r)),
        last.and_then(|r| wrote(m, "The last request is ", r)),
    ]
}

/// A request in the user's words.
fn wrote(m: &Material, lead: &'static str, r: &Request) -> Option<Claim> {
    let words = shortened(m.session, &r.evidence, 30);
    m.stated("user-request").weighing(9).say(by(m, lead)).quote(&words).refs([r.message]).say(".").end()
}

/// What a sub-agent is asked comes from the agent that started it, or from there with the user's own words.
fn by(m: &Material, lead: &'static str) -> &'static str {
    let started = m.session.info.parent.is_some() || m.session.info.spawned_by.is_some();
    match lead {
        "The user wrote " if started => "The prompt is ",
        "The user first wrote " if started => "The first prompt is ",
        _ => lead,
    }
}

/// The first request; where its words name no subject, with the title that the log gives itself.
fn opened(m: &Material, lead: &'static str, r: &Request) -> Option<Claim> {
    let title = super::title::log_title(m).filter(|_| !aims::speaks(m.session.quoted(&r.evidence)));
    let Some(title) = title else { return wrote(m, lead, r) };
    let words = shortened(m.session, &r.evidence, 30);
    let phrase = m.stated("user-request").weighing(9).say(by(m, lead)).quote(&words).refs([r.message]);
    phrase.say("; the log calls the session ").word(title).say(".").end()
}

/// The answer to the first request, where that wants to know something: the cause that the agent found.
fn found(m: &Material, first: Option<&Request>) -> Option<Claim> {
    let answer = aims::answer(m, first.filter(|r| aims::asks(m, r))?)?;
    if reported::first(m).contains(&answer) {
        return None;
    }
    let phrase = m.stated("question-answered-by").weighing(9).say("The answer: ");
    phrase.quote(&shortened(m.session, &answer, 40)).refs([answer.message()]).say(".").end()
}

/// The last message that the user wrote.
fn last_said(m: &Material) -> Option<MessageIdx> {
    m.session.indices().rfind(|at| m.session.by_user(*at))
}

/// How a session ends that no text of the agent closes: with what the user said last.
fn ending(m: &Material) -> Option<Claim> {
    if m.subject.is_some() || m.closing().is_some() {
        return None;
    }
    let last = last_said(m)?;
    let told = aims::told(m);
    let mut before = [told.first, told.heaviest].into_iter().flatten();
    let phrase = m.derived("left-open").weighing(8);
    if before.any(|r| r.message == last) {
        return phrase.say("The log ends before a closing text of the agent").searched(last, m.last).say(".").end();
    }
    let said = m.facts.requests.iter().filter(|r| r.message == last && r.kind != RequestKind::Affirmation);
    let weight =
        |r: &&Request| (r.kind == RequestKind::Correction, r.kind != RequestKind::Constraint, r.evidence.clone());
    let said = said.max_by_key(weight)?;
    let phrase = phrase.say("The user's last words are ").quote(&shortened(m.session, &said.evidence, 24)).refs([last]);
    phrase.say("; the log ends before a closing text of the agent").searched(last, m.last).say(".").end()
}

fn profile(m: &Material) -> Option<Claim> {
    let p = figures::profile(m)?;
    let table = &p.placed.table;
    let cite = |row: usize, column: usize| figures::cell(m.session, p.placed, &table.rows[row][column]);
    let mut phrase =
        m.derived("profile-top").weighing(9).say("The profile shows: ").plain(&cite(p.top, p.label)).say(" takes ");
    // Beside the share the column that the total row sums up; a count of calls has no total.
    if let (Some(total), Some(cost)) = (p.total, p.cost()) {
        let unit = table.columns[cost].unit.as_deref();
        phrase = phrase
            .figure(table.rows[p.top][cost].text.clone(), &cite(p.top, cost))
            .say(" of ")
            .figure(with_unit(&table.rows[total][cost].text, unit), &cite(total, cost))
            .say(" ")
            .plain(&cite(total, p.label))
            .say(", ");
    }
    phrase = phrase.figure(table.rows[p.top][p.share].text.clone(), &cite(p.top, p.share));
    if let Some(second) = (0..table.rows.len()).find(|i| *i != p.top && Some(*i) != p.total) {
        phrase = phrase
            .say("; then ")
            .plain(&cite(second, p.label))
            .say(" with ")
            .figure(table.rows[second][p.share].text.clone(), &cite(second, p.share));
    }
    phrase.refs([p.placed.at.message]).say(".").end()
}

/// The headline figure of a command that ran more than once under equal settings.
fn compared(m: &Material) -> Option<Claim> {
    if let Some((repeated, key)) = super::title::headline_key(m) {
        let readings = &repeated.keys[&key];
        let (a, b) = (readings.first()?, readings.last()?);
        return m
            .derived("runs-compared")
            .weighing(9)
            .say("Over ")
            .count(readings.len())
            .say(" runs ")
            .label(&key, &a.evidence)
            .say(" went from ")
            .figure(a.text.clone(), &a.evidence)
            .say(" to ")
            .figure(with_unit(&b.text, repeated.unit.as_deref()), &b.evidence)
            .say(", ")
            .computed(figures::times(a.value.min(b.value), a.value.max(b.value))?)
            .refs([repeated.runs[a.run], repeated.runs[b.run]])
            .say(".")
            .end();
    }
    let Some((first, last, name)) = super::title::headline(m) else { return unsteady(m) };
    let (a, b) = (*first.figures.get(&name)?, *last.figures.get(&name)?);
    m.derived("runs-compared")
        .weighing(9)
        .say("Under equal settings ")
        .label(&name, &a.evidence)
        .say(" went from ")
        .figure(a.metric.text.clone(), &a.evidence)
        .say(" to ")
        .figure(with_unit(&b.metric.text, b.metric.unit.as_deref()), &b.evidence)
        .say(", ")
        .computed(figures::times(a.metric.value, b.metric.value)?)
        .say(", one run each")
        .refs([first.message, last.message])
        .say(".")
        .end()
}

/// Runs of which none lies further from the first than two runs lie apart with nothing changed in between: nothing can be
/// said to have become better or worse.
fn unsteady(m: &Material) -> Option<Claim> {
    let all = runs::repeated(m);
    let repeated = all.first().filter(|r| r.most_improved().is_none())?;
    let step = repeated.widest_repeat()?;
    let change = number::change_between(step.from.value, step.to.value).filter(|c| c.abs() > runs::UNSTEADY)?;
    m.derived("runs-unsteady")
        .weighing(9)
        .say("From the first to the last of ")
        .count(repeated.runs.len())
        .say(" runs no ")
        .label(repeated.unit.as_deref().unwrap_or(&repeated.metric), &step.from.evidence)
        .say(" became better by more than what two runs differ by with no change shown between them: ")
        .label(step.key, &step.to.evidence)
        .say(" went from ")
        .figure(step.from.text.clone(), &step.from.evidence)
        .say(" to ")
        .figure(with_unit(&step.to.text, repeated.unit.as_deref()), &step.to.evidence)
        .say(", ")
        .computed(number::change(change))
        .refs([repeated.runs[step.from.run], repeated.runs[step.to.run]])
        .say(".")
        .end()
}

fn sweep(m: &Material) -> Option<Claim> {
    let all = figures::sweeps(m);
    let s = all.last()?;
    let (metric, first, last, factor) = *s.metrics.first()?;
    let table = &s.placed.table;
    let cite = |row: usize, column: usize| figures::cell(m.session, s.placed, &table.rows[row][column]);
    let parameter = &table.columns[s.parameter].name;
    m.derived("sweep-ends")
        .weighing(9)
        .say("From ")
        .label(parameter, &s.placed.evidence)
        .say(" = ")
        .figure(table.rows[first][s.parameter].text.clone(), &cite(first, s.parameter))
        .say(" to ")
        .figure(table.rows[last][s.parameter].text.clone(), &cite(last, s.parameter))
        .say(" ")
        .label(&table.columns[metric].name, &s.placed.evidence)
        .say(" goes from ")
        .figure(table.rows[first][metric].text.clone(), &cite(first, metric))
        .say(" to ")
        .figure(with_unit(&table.rows[last][metric].text, table.columns[metric].unit.as_deref()), &cite(last, metric))
        .say(", ")
        .computed(figures::by_factor(factor))
        .refs([s.placed.at.message])
        .say(".")
        .end()
}

/// What the closing text says first.
fn reported(m: &Material) -> Option<Claim> {
    let said = reported::first(m);
    let at = said.first()?.message();
    m.stated("closing-words")
        .weighing(9)
        .say("The agent's last text: ")
        .list(&said, " ", " ", |p: Phrase, e| p.quote(&shortened(m.session, e, 30)))
        .refs([at])
        .say(".")
        .end()
}

/// What the closing text says is blocked, red or not done.
fn shortfall(m: &Material) -> Option<Claim> {
    let said = m.shortfalls().next()?;
    let words = said.parts.first().unwrap_or(&said.evidence);
    m.stated("shortfall-stated")
        .weighing(9)
        .say(if reported::first(m).is_empty() { "The agent's last text: " } else { "The agent writes there as well: " })
        .quote(&shortened(m.session, words, 30))
        .refs([said.message])
        .say(".")
        .end()
}

/// How the last check of this session ended.
fn checked(m: &Material) -> Option<Claim> {
    let check = checks::last(m)?;
    let phrase = m.derived("last-check").weighing(8).say("The last check");
    let by = check.by.and_then(|by| m.session.cite_words(check.run.message, by));
    let phrase = match &by {
        Some(by) => phrase.say(", ").code(by).say(","),
        None => phrase,
    };
    let phrase = phrase.say(match check.end {
        checks::End::Passed if check.line.is_none() => " ended with the exit status of success",
        checks::End::Passed => " passed",
        checks::End::Failed => " failed",
        checks::End::Status => " ended with a failing exit status",
    });
    let phrase = match check.line {
        Some(line) if !check.counts.is_empty() => {
            phrase
                .say(": ")
                .resting(line)
                .list(check.counts, ", ", ", ", |p: Phrase, (name, n)| p.computed(number::plain(n)).say(" ").word(name))
        }
        Some(line) => phrase.say(": ").quote(&shortened(m.session, line, 14)),
        None => phrase,
    };
    phrase.refs([check.line.map_or(check.run.end(), |line| line.message())]).say(".").end()
}

/// The result that the assistant stated last: for a session in its closing text, else the one with most figures among
/// the last few, if the user said nothing after it.
fn finding(m: &Material) -> Option<Claim> {
    let closing = m.closing().filter(|_| m.subject.is_none());
    let fits = |s: &&Statement| {
        let kind =
            s.kind == StatementKind::Finding || s.kind == StatementKind::Completion && closing == Some(s.message);
        let last = m.subject.is_some() || m.next_user(s.message).is_none() && !m.worked_after(s.message);
        let place = closing.map_or(last, |at| at == s.message);
        let words = m.session.quoted(&s.evidence);
        kind && place && m.told(s.message) && figures::whole_sentence(words) && !m.tells_of_deleted(words)
    };
    let results = m.facts.statements.iter().rev().filter(fits);
    let said = results.take(LAST).max_by_key(|s| (figures::density(m.session.quoted(&s.evidence)), s.message))?;
    m.stated("finding-stated")
        .weighing(7)
        .say(if closing.is_some() { "The agent's last text: " } else { "The agent writes: " })
        .quote(&shortened(m.session, &said.evidence, 30))
        .refs([said.message])
        .say(".")
        .end()
}

/// A hypothesis that was given up.
fn fell(m: &Material) -> Option<Claim> {
    let given_up = m
        .facts
        .statements
        .iter()
        .rfind(|s| s.kind == StatementKind::Concession && m.told(s.message) && gives_up_a_hypothesis(m, s))?;
    let earlier = &m.facts.statements[given_up.about?];
    let what = earlier.parts.first().unwrap_or(&earlier.evidence);
    m.stated("given-up")
        .weighing(8)
        .say("The working hypothesis, ")
        .quote(&shortened(m.session, what, 14))
        .refs([earlier.message])
        .say(", was given up: ")
        .quote(&shortened(m.session, &given_up.evidence, 20))
        .refs([given_up.message])
        .say(".")
        .end()
}

/// The failure that took longest and was seen gone.
fn solved(m: &Material) -> Option<Claim> {
    let failure = super::title::main_failure(m)?;
    let gone = failure.gone?;
    let phrase = m
        .derived("failure-solved")
        .weighing(8)
        .say("What stood in the way: ")
        .quote(&shortened(m.session, &failure.evidence, 16))
        .refs([failure.seen[0]])
        .say("; gone");
    let phrase = match super::title::mending(m, failure) {
        Some(change) => phrase.say(" after ").code(&change.evidence).refs([change.message]).say(","),
        None => phrase,
    };
    phrase.say(" as seen").refs([gone]).say(".").end()
}

/// The files that were changed most, where the article is about the whole session.
fn products(m: &Material) -> Option<Claim> {
    let mut files = if m.subject.is_none() { products::of(m) } else { return None };
    let more = files.len().saturating_sub(NAMED);
    files.truncate(NAMED);
    if files.is_empty() {
        return None;
    }
    let phrase = m.derived("files-changed").weighing(6).say("Changed: ");
    let phrase = phrase.list(&files, ", ", ", ", |p: Phrase, file| p.code(&file.name));
    let phrase = match more {
        0 => phrase,
        1 => phrase.say(" and one more file"),
        more => phrase.say(" and ").count(more).say(" more files"),
    };
    phrase.refs(files.iter().map(|file| file.message)).say(".").end()
}

/// Most changed files that are named.
const NAMED: usize = 3;

/// Whether a concession takes back a hypothesis (a proposal may live on in part).
fn gives_up_a_hypothesis(m: &Material, s: &Statement) -> bool {
    s.about.and_then(|at| m.facts.statements.get(at)).is_some_and(|e| e.kind == StatementKind::Hypothesis)
}

/// What was handed over last, where the article is about the whole session.
fn delivered(m: &Material) -> Option<Claim> {
    let done = delivery::last(m).filter(|_| m.subject.is_none())?;
    let phrase = m.derived("delivered").weighing(6).say("Last delivery: ").code(&done.what);
    let phrase = match &done.sign {
        Some(sign) => phrase.say(", ").code(sign),
        None => phrase,
    };
    phrase.refs([done.message]).say(".").end()
}

/// What is in progress in the list of the subject, or in the last list, if that was kept to the end.
fn next(m: &Material) -> Option<Claim> {
    let snapshot = m.facts.todos.iter().rfind(|s| s.message <= m.to)?;
    if m.subject.is_none() && m.worked_after(snapshot.message) {
        return None;
    }
    let begun: Vec<_> = snapshot
        .items
        .iter()
        .filter(|i| i.status == TodoStatus::InProgress)
        .filter_map(|i| m.session.cite_words(snapshot.message, &i.content))
        .take(2)
        .collect();
    if begun.is_empty() {
        return None;
    }
    let lead = if m.subject.is_some() { "In progress from here: " } else { "In progress in the last list: " };
    m.stated("todo-in-progress")
        .weighing(7)
        .say(lead)
        .list(&begun, "; ", "; ", |p: Phrase, e| p.quote(&shortened(m.session, e, 14)))
        .refs([snapshot.message])
        .say(".")
        .end()
}

/// Which kind of work ended and which began.
fn change(m: &Material) -> Option<Claim> {
    let subject = m.subject?;
    let step = m.session.step_of(subject);
    let near = |p: &&crate::model::phase::Phase| p.from.0 + 6 >= step.0 && p.from.0 <= step.0 + 3 && p.from.0 > 0;
    let after = m.findings.phases.iter().filter(near).min_by_key(|p| (p.from.0.abs_diff(step.0), p.from))?;
    let before: Vec<_> = m.findings.phases.iter().filter(|p| p.to < after.from && m.told(m.first_of(p.to))).collect();
    // Neighbours of one kind (a new aim lies between them) are one stretch.
    let mut before: Vec<&str> = before.iter().map(|p| p.kind.word()).collect();
    before.dedup();
    let before = before.split_off(before.len().saturating_sub(2));
    let same = before.last().is_none_or(|last| *last == after.kind.word());
    // Below a half the place of the boundary is not worth reporting (phases.md 6.5).
    if same || after.boundary < 0.5 {
        return None;
    }
    let boundary = m.first_of(after.from);
    m.inferred("phase-change")
        .weighing(8)
        .say("The work turns here from ")
        .list(before, ", ", " and ", |p: Phrase, w| p.word(w))
        .say(" to ")
        .word(after.kind.word())
        .say(": the boundary is put at")
        .refs([boundary])
        .say(" (")
        .word(certainty(after.boundary))
        .say(").")
        .end()
}

/// Words for a score (phases.md 6.5).
pub fn certainty(score: f64) -> &'static str {
    match score {
        s if s >= 0.9 => "clear",
        s if s >= 0.7 => "likely",
        _ => "possible",
    }
}
