//! Title and subtitle: the finding, never the type of message; what the article covers.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    base::path::base_name,
    model::{
        article::{Basis, Claim},
        audit::Shown,
        facts::{Change, ChangeOf, Failure, RequestKind, Statement, StatementKind},
        message::MessageKind,
        session::Numbering,
        todo::{TodoSource, TodoStatus},
    },
    report::{
        Material, aims, checks, delivery,
        figures::{self, Profile, Series, Sweep, with_unit},
        phrase::{Phrase, shortened},
        products, reported,
        runs::{self, Repeated},
    },
};

/// Rules for the title, the most telling first. The last one always has something to say.
const RULES: &[Rule] = &[
    profile,
    gain,
    sweep,
    baseline,
    long_problem,
    delivered,
    reported,
    answered,
    problem_closed,
    named,
    outcome,
    phase_change,
    closing,
    last_found,
    worked_on,
    opening,
];

/// Rules for the title of an article about a message: first what the message itself says.
const OF_MESSAGE: &[Rule] = &[
    asked,
    said,
    profile,
    gain,
    sweep,
    baseline,
    long_problem,
    outcome,
    problem_closed,
    phase_change,
    closing,
    opening,
];

/// Makes a title of the material, where it finds what it needs.
type Rule = fn(&Material) -> Option<Claim>;

/// The title.
pub fn make(m: &Material) -> Option<Claim> {
    let rules = if m.subject.is_some() { OF_MESSAGE } else { RULES };
    rules.iter().find_map(|rule| rule(m))
}

/// What it is about and what the log covers.
pub fn subtitle(m: &Material) -> Option<Claim> {
    let first = m.session.indices().next()?;
    let phrase = m.derived("subtitle");
    let phrase = match m.subject {
        Some(subject) => phrase.say("About message ").number(subject).say(". Log: "),
        None => phrase.say("Retrospective of "),
    };
    let numbered = match m.session.numbering {
        Numbering::Own => ", numbered as in the log. † = computed here.",
        Numbering::Counted => ", counted from the first. † = computed here.",
    };
    phrase.word(m.log).say(", messages ").number(first).say("–").number(m.last).say(numbered).end()
}

fn profile(m: &Material) -> Option<Claim> {
    let Profile { placed, label, share, top, total } = figures::profile(m)?;
    let rows = &placed.table.rows;
    let mut phrase = Phrase::new(m.session, "title-profile", Basis::Derived).plain(&figures::cell(
        m.session,
        placed,
        &rows[top][label],
    ));
    if let Some(object) = conceded_object(m) {
        phrase = phrase.say(", not ").plain(&object);
    }
    phrase =
        phrase.say(": ").figure(rows[top][share].text.clone(), &figures::cell(m.session, placed, &rows[top][share]));
    if let Some(total) = total {
        phrase = phrase.say(" of ").plain(&figures::cell(m.session, placed, &rows[total][label]));
    }
    phrase.end()
}

/// The object of a hypothesis that was given up in the stretch, when it is short enough for a title.
fn conceded_object(m: &Material) -> Option<crate::model::evidence::Evidence> {
    let conceded = m.facts.statements.iter().filter(|s| s.kind == StatementKind::Concession && m.told(s.message));
    let about = conceded.filter_map(|s| s.about).next_back()?;
    let hypothesis = m.facts.statements.get(about).filter(|s| s.kind == StatementKind::Hypothesis)?;
    let object = hypothesis.parts.first()?;
    (m.session.quoted(object).split_whitespace().count() <= 6).then(|| object.clone())
}

/// The headline figure at its first and last run; what ended worse belongs in the same line, since a mean hides it.
fn gain(m: &Material) -> Option<Claim> {
    let mut headline_of = String::new();
    let phrase = match headline_key(m) {
        Some((repeated, key)) => {
            headline_of.clone_from(&key);
            let (a, b) = (repeated.keys[&key].first()?, repeated.keys[&key].last()?);
            m.derived("title-gain")
                .label(&key, &a.evidence)
                .say(": ")
                .figure(a.text.clone(), &a.evidence)
                .say(" → ")
                .figure(with_unit(&b.text, repeated.unit.as_deref()), &b.evidence)
                .say(", ")
                .computed(figures::times(a.value.min(b.value), a.value.max(b.value))?)
        }
        None => {
            let (first, last, name) = headline(m)?;
            let (a, b) = (*first.figures.get(&name)?, *last.figures.get(&name)?);
            m.derived("title-gain")
                .label(&name, &a.evidence)
                .say(": ")
                .figure(a.metric.text.clone(), &a.evidence)
                .say(" → ")
                .figure(with_unit(&b.metric.text, b.metric.unit.as_deref()), &b.evidence)
                .say(", ")
                .computed(figures::times(a.metric.value, b.metric.value)?)
        }
    };
    let mut lost = m.audit.left_by("ended-worse").filter(|end| m.told(end.what.message()));
    let worse = lost.find_map(|end| match end.shown {
        Shown::Change { series, .. } => Some((runs::label(m, m.findings.series.get(series)?), end.what.clone())),
        _ => None,
    });
    match worse {
        Some((key, evidence)) if key != headline_of => {
            phrase.say("; but ").label(&key, &evidence).say(" got worse").end()
        }
        _ => phrase.end(),
    }
}

/// A figure without keys that one command printed twice under equal settings and that texts repeat: the one that the
/// session is about.
pub fn headline<'a>(m: &Material<'a>) -> Option<(figures::Run<'a>, figures::Run<'a>, String)> {
    figures::series(m, |at| m.told(at)).into_iter().find_map(|series| {
        let (first, last, name) = pair(&series)?;
        let told = figures::Told::of(m).holds(last.figures[name])
            && first.figures[name].metric.value != last.figures[name].metric.value;
        told.then(|| (first.clone(), last.clone(), name.clone()))
    })
}

/// Where there is no such figure: the key of a repeated table that improved most from its first to its last run.
pub fn headline_key(m: &Material) -> Option<(Repeated, String)> {
    if headline(m).is_some() {
        return None;
    }
    runs::repeated(m).into_iter().find_map(|repeated| {
        let key = repeated.most_improved()?.to_string();
        Some((repeated, key))
    })
}

/// First and last run with equal settings, and the figure to compare.
pub fn pair<'s, 'a>(series: &'s Series<'a>) -> Option<(&'s figures::Run<'a>, &'s figures::Run<'a>, &'s String)> {
    let name = series.names.first()?;
    let last = series.runs.last()?;
    let words = |run: &figures::Run| run.settings.iter().map(|s| s.0.clone()).collect::<Vec<_>>();
    let candidates = series.runs.iter().filter(|r| r.message < last.message && words(r) == words(last));
    let first = candidates.into_iter().next();
    match first {
        Some(first) => Some((first, last, name)),
        None => {
            let (a, b) = (0..series.runs.len())
                .flat_map(|i| (i + 1..series.runs.len()).map(move |j| (i, j)))
                .find(|(i, j)| words(&series.runs[*i]) == words(&series.runs[*j]))?;
            Some((&series.runs[a], &series.runs[b], name))
        }
    }
}

fn sweep(m: &Material) -> Option<Claim> {
    let all = figures::sweeps(m);
    let Sweep { placed, parameter, metrics } = all.last()?;
    let (metric, first, last, factor) = *metrics.first()?;
    let table = &placed.table;
    let cite = |row: usize, column: usize| figures::cell(m.session, placed, &table.rows[row][column]);
    let column = &table.columns[metric];
    m.derived("title-sweep")
        .label(&column.name, &placed.evidence)
        .say(": ")
        .figure(table.rows[first][metric].text.clone(), &cite(first, metric))
        .say(" → ")
        .figure(with_unit(&table.rows[last][metric].text, column.unit.as_deref()), &cite(last, metric))
        .say(" from ")
        .label(&table.columns[*parameter].name, &placed.evidence)
        .say(" = ")
        .figure(table.rows[first][*parameter].text.clone(), &cite(first, *parameter))
        .say(" to ")
        .figure(table.rows[last][*parameter].text.clone(), &cite(last, *parameter))
        .say(", ")
        .computed(figures::by_factor(factor))
        .end()
}

/// A figure that was measured once and that a text repeats, and the item that begins at the subject.
fn baseline(m: &Material) -> Option<Claim> {
    let all = figures::series(m, |at| m.told(at));
    let told = figures::Told::of(m);
    let once = all.iter().filter(|s| s.runs.len() == 1);
    let (name, figure) = once.rev().find_map(|series| {
        let figures = &series.runs[0].figures;
        let name = series.names.iter().find(|name| told.holds(figures[*name]))?;
        Some((name, figures[name]))
    })?;
    let phrase = m
        .derived("title-baseline")
        .label(name, &figure.evidence)
        .say(": ")
        .figure(with_unit(&figure.metric.text, figure.metric.unit.as_deref()), &figure.evidence);
    let begun = begun(m);
    match begun {
        Some(item) => phrase.say("; next: ").plain(&shortened(m.session, &item, 12)).end(),
        None => phrase.end(),
    }
}

/// The item that is in progress in the subject's list.
fn begun(m: &Material) -> Option<crate::model::evidence::Evidence> {
    let snapshot = m.facts.todos.iter().find(|s| Some(s.message) == m.subject)?;
    let item = snapshot.items.iter().find(|i| i.status == TodoStatus::InProgress)?;
    m.session.cite_words(snapshot.message, &item.content)
}

/// What the user asks in the subject itself.
fn asked(m: &Material) -> Option<Claim> {
    let request = m.facts.requests.iter().find(|r| {
        Some(r.message) == m.subject
            && matches!(r.kind, RequestKind::Goal | RequestKind::Asks | RequestKind::Correction)
    })?;
    m.stated("title-asked").quote(&shortened(m.session, &request.evidence, 16)).end()
}

/// What the subject says, where it is a text of the assistant: the cause, the decision, the result.
fn said(m: &Material) -> Option<Claim> {
    const KINDS: &[StatementKind] = &[
        StatementKind::Cause,
        StatementKind::Concession,
        StatementKind::Decision,
        StatementKind::Finding,
        StatementKind::Completion,
    ];
    let at = m.subject.filter(|at| m.session.message(*at).kind == MessageKind::Text)?;
    let of = |kind: &StatementKind| {
        let mut all = m.facts.statements.iter().filter(|s| s.message == at && s.kind == *kind);
        all.find(|s| figures::whole_sentence(m.session.quoted(&s.evidence)))
    };
    let words =
        KINDS.iter().find_map(of).map(|s| s.evidence.clone()).or_else(|| reported::of(m, at).into_iter().next())?;
    m.stated("title-said").quote(&shortened(m.session, &words, 18)).end()
}

/// How the agent called what it handed over: the pull request, or the commit where there is but one or two.
fn delivered(m: &Material) -> Option<Claim> {
    let titles = delivery::titles(m);
    let requests: Vec<&delivery::Titled> = titles.iter().filter(|t| t.request).collect();
    if let Some(last) = requests.last() {
        let phrase = m.stated("title-delivered").say("Pull request ").quote(&last.words);
        let phrase = match requests.len() {
            1 => phrase,
            n => requests.iter().fold(phrase, |p, t| p.resting(&t.words)).say(", the last of ").count(n),
        };
        return short_of(m, phrase).end();
    }
    let last = titles.last().filter(|_| titles.len() <= FEW)?;
    short_of(m, m.stated("title-delivered").say("Committed: ").quote(&last.words)).end()
}

/// A title that does not promise more than the end of the session holds.
fn short_of<'a>(m: &Material<'a>, phrase: Phrase<'a>) -> Phrase<'a> {
    if let Some(said) = m.shortfalls().next() {
        return phrase.say("; not all is done").resting(&said.evidence);
    }
    match checks::last(m).filter(|check| check.end != checks::End::Passed) {
        Some(check) => phrase.say("; last check failed").resting(&m.session.whole(check.run.end())),
        None => phrase,
    }
}

/// Of more commits the last is seldom what the session was about.
const FEW: usize = 2;

/// The question with most work under it, and what was found: the first one only where nothing else was worked on.
fn answered(m: &Material) -> Option<Claim> {
    let told = aims::told(m);
    let asked = told.heaviest.or(told.first).filter(|r| aims::asks(m, r))?;
    let answer = aims::answer(m, asked)?;
    m.stated("title-answered").quote(&shortened(m.session, &answer, 20)).end()
}

/// The log's own title, where it names a subject.
fn named(m: &Material) -> Option<Claim> {
    let title = log_title(m)?;
    m.stated("title-of-log").word(title).resting(&m.session.whole(m.from)).end()
}

/// The log's own title; not a date, an address, or the beginning of the first text over again.
pub fn log_title<'a>(m: &Material<'a>) -> Option<&'a str> {
    let title = m.session.info.title.as_deref()?.trim();
    let words = title.split_whitespace().count();
    let opening =
        m.session.iter().find(|(at, _)| m.session.by_user(*at)).map_or("", |(_, message)| message.prose().trim());
    let begins: String = title.trim_end_matches(['.', '…']).chars().take(40).collect();
    let fits = (3..=14).contains(&words) && !title.contains(['/', '\n', '<', '{', '[']) && aims::speaks(title);
    (fits && !title.starts_with("New session") && !opening.starts_with(&begins)).then_some(title)
}

/// What the closing text says is done, where it says it shortly, and of the session's aim: what was asked for in between
/// was something else.
fn reported(m: &Material) -> Option<Claim> {
    let closing = m.closing().filter(|_| m.subject.is_none() && m.shortfalls().next().is_none())?;
    let red = checks::last(m).is_some_and(|check| check.end != checks::End::Passed);
    let whole = !red && m.aim().is_none_or(|aim| m.under(aim, closing));
    let said = m.facts.statements.iter().filter(|_| whole).find(|s| {
        let words = m.session.quoted(&s.evidence);
        let short = (3..=18).contains(&words.split_whitespace().count());
        let done = s.message == closing && s.kind == StatementKind::Completion;
        done && short
            && aims::speaks(words)
            && !reported::passing(words)
            && !words.ends_with([':', '：'])
            && !m.tells_of_deleted(words)
    })?;
    m.stated("title-reported").say("The agent reports: ").quote(&said.evidence).end()
}

/// A failure that came back again and again before it was gone is what the session was about.
fn long_problem(m: &Material) -> Option<Claim> {
    main_failure(m).filter(|f| f.seen.len() >= 3).and_then(|_| problem_closed(m))
}

/// The longest-lived failure that was seen gone.
fn problem_closed(m: &Material) -> Option<Claim> {
    let failure = main_failure(m)?;
    let gone = failure.gone?;
    let phrase = m.derived("title-problem-closed").quote(&shortened(m.session, &failure.evidence, 12));
    let phrase = match mending(m, failure) {
        Some(change) => phrase.say(" gone after ").code(&change.evidence),
        None => phrase.say(" gone"),
    };
    phrase.resting(&m.session.whole(gone)).end()
}

/// Among the failures of the stretch that were seen gone, the one that took most messages, if it took some.
pub fn main_failure<'a>(m: &Material<'a>) -> Option<&'a Failure> {
    // A complaint of a linter is put right in passing.
    let lint = |f: &Failure| m.facts.commands.iter().any(|c| c.message == f.seen[0] && c.class.0 == "lint");
    // A probe or a test that was itself changed may have stopped asking: that is no solution.
    let bent = |f: &Failure| f.changes.iter().any(|c| c.of != ChangeOf::Work);
    let sound = |f: &Failure| !f.tooling && !f.fails_differently && f.proof.is_some() && !lint(f) && !bent(f);
    let closed = m.facts.failures.iter().filter(|f| sound(f) && one_sight(m, f) && f.gone.is_some_and(|at| m.told(at)));
    closed
        .filter(|f| span(f) >= 10 || span(f) >= 6 && f.seen.len() > 1)
        .max_by_key(|f| (span(f), std::cmp::Reverse(f.seen[0])))
}

/// The change that a failure's own line points at: an edit of the file that it names; without a file in the line, the
/// last change before the proof.
pub fn mending<'a>(m: &Material, failure: &'a Failure) -> Option<&'a Change> {
    let line = m.session.quoted(&failure.evidence);
    let named = failure.changes.iter().rev().find(|c| line.contains(base_name(&c.what)));
    let names_a_file = FILE.is_match(line);
    named.or_else(|| failure.changes.last().filter(|_| !names_a_file))
}

/// A file with its line: `auth.go:30`.
static FILE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\w-]\.[A-Za-z]{1,4}:\d").expect("valid"));

/// Whether every sight of a failure shows the very line: where variants were taken as one, the line tells of one only.
pub fn one_sight(m: &Material, failure: &Failure) -> bool {
    let line = m.session.quoted(&failure.evidence);
    failure.seen.iter().all(|at| m.session.message(*at).parts.iter().any(|p| p.text.contains(line)))
}

fn span(failure: &Failure) -> u32 {
    failure.gone.map_or(0, |at| at.0.saturating_sub(failure.seen[0].0))
}

/// The user's aim, and what checks and counts say of it: those that stand under it, not under a later request.
fn outcome(m: &Material) -> Option<Claim> {
    let aim = m.aim().filter(|aim| aims::speaks(m.session.quoted(&aim.evidence)))?;
    let phrase = m.derived("title-outcome").quote(&shortened(m.session, &aim.evidence, 12));
    let short = m.shortfalls().next().is_some();
    let check = checks::last(m).filter(|check| m.under(aim, check.run.end()));
    if let Some(check) = check.filter(|check| check.end == checks::End::Failed || !short) {
        let word = match check.end {
            checks::End::Passed => ": last check passed",
            checks::End::Failed | checks::End::Status => ": last check failed",
        };
        return phrase.say(word).resting(&m.session.whole(check.run.end())).end();
    }
    // A plan that was written once and never ticked off, or left behind by the work, says nothing of what was done.
    let kept = m.facts.todos.iter().any(|s| matches!(s.source, TodoSource::FullList | TodoSource::Folded));
    let one_aim = m.facts.todos.iter().all(|list| m.under(aim, list.message));
    let kept = kept && m.facts.todos.last().is_some_and(|list| !m.worked_after(list.message));
    let open = m.findings.ledger.iter().filter(|e| kept && one_aim && e.first <= m.to);
    let (done, all) = open.fold((0, 0), |(d, n), e| (d + usize::from(e.last == TodoStatus::Completed), n + 1));
    if all > 1 && m.subject.is_none() && !short {
        let phrase = m.findings.ledger.iter().flat_map(|e| &e.evidence).fold(phrase, Phrase::resting);
        return phrase.say(": ").count(done).say(" of ").count(all).say(" planned items completed").end();
    }
    phrase.end()
}

fn phase_change(m: &Material) -> Option<Claim> {
    let subject = m.subject?;
    let now = m.phase(subject)?;
    let before = m.findings.phases.iter().take_while(|p| p.from < now.from).last().filter(|p| p.kind != now.kind)?;
    m.inferred("title-phase")
        .word(before.kind.word())
        .say(" → ")
        .word(now.kind.word())
        .refs([m.first_of(now.from)])
        .end()
}

/// What the closing text says first, where no aim is known.
fn closing(m: &Material) -> Option<Claim> {
    let said = reported::first(m);
    m.stated("title-closing").quote(&shortened(m.session, said.first()?, 12)).end()
}

/// The last result that the agent stated, where nobody said what was wanted: how a session begins says little of it.
fn last_found(m: &Material) -> Option<Claim> {
    let result = |s: &&Statement| {
        let words = m.session.quoted(&s.evidence);
        matches!(s.kind, StatementKind::Completion | StatementKind::Finding)
            && figures::density(words) > 0
            && figures::whole_sentence(words)
            && !reported::passing(words)
            && !m.tells_of_deleted(words)
    };
    let last = m.facts.statements.iter().rfind(result)?;
    m.stated("title-last-found").quote(&shortened(m.session, &last.evidence, 18)).end()
}

/// The files that were changed, where the log begins with what is to come.
fn worked_on(m: &Material) -> Option<Claim> {
    let (_, first) = m.session.iter().find(|(_, message)| !message.prose().trim().is_empty())?;
    let files = products::of(m);
    if files.is_empty() || !ANNOUNCED.iter().any(|words| first.prose().trim_start().starts_with(words)) {
        return None;
    }
    let phrase = m.derived("title-files").say("Work on ");
    phrase.list(files.iter().take(2), ", ", " and ", |p: Phrase, file| p.code(&file.name)).end()
}

/// How an agent begins to say what it will do.
const ANNOUNCED: &[&str] =
    &["First", "I will", "I'll", "I’ll", "I'm going to", "Let me", "Now let me", "我将", "我来", "让我"];

/// The first words that are words: no placeholder and no markup.
fn opening(m: &Material) -> Option<Claim> {
    let (first, _) = m.session.iter().next()?;
    let words =
        |text: &str| text.trim_start_matches(['#', '*', ' ', '\n', '"', '“']).starts_with(char::is_alphanumeric);
    let mut said = m.session.iter().filter(|(_, message)| words(message.prose()));
    let opening = said.find_map(|(at, message)| Some((at, message.part_at(crate::model::message::PartKind::Prose)?)));
    match opening {
        Some((at, part)) => {
            let text = &m.session.message(at).parts[part].text;
            let whole = m.session.cite(at, part, crate::base::span::ByteSpan::new(0, text.len()))?;
            m.stated("title-opening").quote(&shortened(m.session, &whole, 12)).end()
        }
        None => m
            .derived("title-opening")
            .say("Session of ")
            .count(m.session.messages.len())
            .say(" messages")
            .refs([first])
            .end(),
    }
}
