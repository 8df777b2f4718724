//! One input, start to finish: the only place where verbs meet. Read this file second.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use crate::{
    base::{error::Error, ids::MessageIdx},
    check, extract, infer,
    model::{
        article::{Article, ArticleKind, Claim},
        audit::Audit,
        facts::Facts,
        findings::Findings,
        message::Message,
        metric::Extraction,
        picture::Picture,
        session::Session,
        verdict::{Finding, Verdict},
    },
    render::{
        html,
        json::manifest,
        markdown::{self, Identity},
        svg::{self, Theme},
    },
    report::{self, Material, Wanted},
    source::{
        self,
        open::Input,
        story::{self, Imprint},
    },
    text::{
        flavour::Flavour,
        markdown::plain,
        redact::{self, Redactor},
        template::Templates,
    },
};

pub use crate::extract::bench::Readers;
pub use crate::infer::{
    Options, check_weights,
    series::{Side, compare},
};
pub use crate::source::Reading;

/// What a session was found to hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// Read off the log.
    pub facts: Facts,
    /// Concluded from the facts.
    pub findings: Findings,
}

/// How an input is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Replace secrets by markers, in every text, before anything else sees them.
    pub redact: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { redact: true }
    }
}

/// Opens, recognises and parses one input.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::Unrecognised`] or [`Error::NoTurns`]; everything milder is a diagnostic in the
/// reading.
pub fn read(input: &Input, options: ReadOptions) -> Result<Reading, Error> {
    let mut reading = fenced(input, || source::read(input))?;
    if options.redact {
        redact_reading(&mut reading);
    }
    Ok(reading)
}

/// Reads many inputs and calls `each` with one reading for each story, in the order of the inputs: files of one session
/// joined, copies counted once, sub-agents below their parents. What cannot be read is given as the error it is, in its
/// place. Inputs are first read for their imprints, several at a time, and let go where there is no room for all of them;
/// then story by story. `seen` is called for each input when its imprint is taken.
///
/// # Errors
/// The first error that `each` returns.
pub fn read_stories<E>(
    inputs: Vec<Result<Input, Error>>,
    options: ReadOptions,
    seen: impl Fn() + Sync,
    mut each: impl FnMut(Result<Reading, Error>) -> Result<(), E>,
) -> Result<(), E> {
    // One alone is kept whatever its size: it is held once in any case.
    let room = AtomicUsize::new(if inputs.len() == 1 { usize::MAX } else { KEPT });
    let first = |input: Result<Input, Error>| {
        let first = input.and_then(|input| First::of(input, &room));
        seen();
        first
    };
    // One alone is read outside the pool, so that its own parts may be read on all threads.
    let mut firsts: Vec<Result<First, Error>> = match inputs.len() {
        1 => inputs.into_iter().map(first).collect(),
        _ => inputs.into_par_iter().map(first).collect(),
    };
    let imprint = |first: &mut First| std::mem::take(&mut first.imprint);
    let marks: Vec<Imprint> =
        firsts.iter_mut().map(|first| first.as_mut().map_or_else(|_| Imprint::default(), imprint)).collect();
    let mut slots: Vec<Option<Result<First, Error>>> = firsts.into_iter().map(Some).collect();
    for group in story::groups(&marks) {
        let mut readings = Vec::new();
        for at in group {
            match slots[at].take().expect("an input is in one group").and_then(First::reading) {
                Ok(reading) => readings.push(reading),
                Err(error) => each(Err(error))?,
            }
        }
        if let Some(mut reading) = story::join(readings) {
            if options.redact {
                redact_reading(&mut reading);
            }
            each(Ok(reading))?;
        }
    }
    Ok(())
}

/// Most bytes of readings that are kept from their imprints on; inputs beyond that are read a second time.
const KEPT: usize = 64 << 20;

/// An input that was read for its imprint.
struct First {
    input: Input,
    imprint: Imprint,
    /// What was read, where there was room to keep it.
    kept: Option<Reading>,
}

impl First {
    fn of(input: Input, room: &AtomicUsize) -> Result<Self, Error> {
        let mut reading = fenced(&input, || source::read(&input))?;
        let imprint = Imprint::of(&reading);
        let size = size(&mut reading);
        let fits = room.fetch_update(Relaxed, Relaxed, |room| room.checked_sub(size)).is_ok();
        Ok(Self { input, imprint, kept: fits.then_some(reading) })
    }

    fn reading(self) -> Result<Reading, Error> {
        match self.kept {
            Some(reading) => Ok(reading),
            None => fenced(&self.input, || source::read(&self.input)),
        }
    }
}

/// Bytes that a reading takes, about.
fn size(reading: &mut Reading) -> usize {
    let messages: usize = reading.sessions.iter().flat_map(|s| s.tree()).map(|s| s.messages.len()).sum();
    let mut bytes = messages * size_of::<Message>();
    each_text(reading, &mut |text| bytes += text.capacity());
    bytes
}

/// Runs the reading of one input behind a fence: a fault of ours is that input's error, and the others go on.
fn fenced(input: &Input, read: impl FnOnce() -> Result<Reading, Error>) -> Result<Reading, Error> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let reason = panic.downcast_ref::<&str>().map(|s| s.to_string());
        let reason = reason.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Error::Internal { input: input.name.clone(), reason })
    })
}

/// Replaces the secrets in every text of a reading: first all are found, then all are replaced, so that a value which
/// only one place gives away is gone from the others too.
fn redact_reading(reading: &mut Reading) {
    let mut texts = Vec::new();
    each_text(reading, &mut |text| texts.push(std::mem::take(text)));
    let mut redactor = Redactor::default();
    // Within a pool other inputs keep the threads busy.
    let found: Vec<_> = match rayon::current_thread_index() {
        None => texts.par_iter().map(|text| redact::find(text)).collect(),
        Some(_) => texts.iter().map(|text| redact::find(text)).collect(),
    };
    let hits: Vec<_> = found.into_iter().map(|found| redactor.number(found)).collect();
    let mut back = texts.into_iter().zip(hits);
    each_text(reading, &mut |text| {
        let (own, hits) = back.next().expect("the second pass meets the texts of the first");
        *text = redactor.rewrite(&own, &hits).unwrap_or(own);
    });
    reading.redactions = redactor.into_redactions();
}

fn each_text(reading: &mut Reading, edit: &mut dyn FnMut(&mut String)) {
    reading.sessions.iter_mut().for_each(|session| session.texts_mut(edit));
    reading.diagnostics.details_mut().for_each(&mut *edit);
}

/// Reads the measurements of any text, no session needed. Never fails.
pub fn measurements(text: &str, options: ReadOptions, readers: Readers) -> Extraction {
    let text = if options.redact { redact::redact(text) } else { text.into() };
    extract::bench::extract_by(&text, extract::bench::Mode::Prose, readers)
}

/// Extracts the facts of a session and infers the findings. Never fails.
pub fn analyze(session: &Session, options: &Options) -> Analysis {
    let facts = extract::run(session);
    let findings = infer::run(session, &facts, options);
    Analysis { facts, findings }
}

/// Holds what the agent said against its own log. Never fails.
pub fn audit(session: &Session, analysis: &Analysis) -> Audit {
    infer::audit::audit(session, &analysis.facts, &analysis.findings)
}

/// The task lists of a session and no other facts. Much cheaper than [`analyze`]. Never fails.
pub fn todo_lists(session: &Session) -> Facts {
    extract::todo_lists(session)
}

/// Which article is wanted, and how.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// The kind.
    pub kind: ArticleKind,
    /// The message that it is about; for a turning-point article without one, the first-ranked turning point.
    pub subject: Option<MessageIdx>,
    /// Most words.
    pub words: usize,
    /// File name of the log, printed in the subtitle.
    pub log: &'a str,
    /// Hash of the input.
    pub input: &'a str,
    /// For whom the Markdown is written.
    pub flavour: Flavour,
    /// What the names of the picture files begin with, seen from the Markdown; "" leaves them out of it.
    pub pictures: &'a str,
    /// Most bytes of the Markdown, where there is a limit: whole sections are left out from the end.
    pub most_bytes: Option<usize>,
}

impl Order<'_> {
    fn identity(&self) -> Identity {
        Identity {
            input: self.input.to_string(),
            words: self.words,
            flavour: self.flavour,
            pictures: self.pictures.into(),
        }
    }
}

/// A finished article.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// The article, for further renderings.
    pub article: Article,
    /// The article as Markdown.
    pub markdown: String,
    /// Its manifest, one JSON document.
    pub manifest: String,
}

/// Writes an article of a session.
///
/// # Errors
/// [`Error::NotFound`] when a turning-point article is wanted and the session has no turning point; [`Error::Setup`]
/// when a template fails.
pub fn write(session: &Session, analysis: &Analysis, order: &Order, templates: &Templates) -> Result<Written, Error> {
    let audit = infer::audit::for_article(session, &analysis.facts, &analysis.findings);
    let material = Material::whole(session, &analysis.facts, &analysis.findings, &audit, order.log);
    let material = match order.kind {
        ArticleKind::Retrospective => material,
        ArticleKind::TurningPoint => material.about(subject(session, analysis, order.subject)?),
    };
    let mut article = report::compose(order.kind, &material, Wanted { words: order.words })
        .ok_or_else(|| Error::NotFound("the session holds nothing to write about".into()))?;
    let identity = order.identity();
    // Pictures are no statements: they are not proofread.
    let bare = Identity { pictures: String::new(), ..identity.clone() };
    let mut markdown = markdown::render(&article, session, &bare, templates)?;
    // Prepared once: what a message says does not change from one reading of the article to the next.
    let log = check::log::Log::new(session);
    while let Some(fault) = proofread(&markdown, &log) {
        let holds = |text: &str| plain(text).contains(&fault.words);
        let sentence = |claim: &Claim| holds(&markdown::sentence(session, claim));
        if !article.drop_where(sentence, |row| holds(&markdown::row(session, &row.cells))) {
            return Err(Error::Refused { statement: fault.words, reason: fault.reason });
        }
        markdown = markdown::render(&article, session, &bare, templates)?;
    }
    let (markdown, kept) =
        markdown::within(order.most_bytes.unwrap_or(usize::MAX), &article, session, &identity, templates)?;
    article.sections.truncate(kept);
    let manifest = manifest::Document::new(&article, session, order.log, order.input);
    let manifest = serde_json::to_string_pretty(&manifest).expect("plain data") + "\n";
    Ok(Written { article, markdown, manifest })
}

/// The files of a picture by their names: `01-strip-light.svg`, `01-strip-dark.svg`, and its data as a table, `01-strip.md`.
pub fn picture_files(picture: &Picture, session: &Session, flavour: Flavour) -> Vec<(String, String)> {
    let drawn = Theme::ALL.iter().map(|theme| (svg::file_name(picture, *theme), svg::draw(picture, *theme)));
    drawn.chain([(format!("{}.md", picture.slug), markdown::picture(picture, session, flavour))]).collect()
}

/// A written article as one HTML page.
///
/// # Errors
/// [`Error::Setup`] when a template fails.
pub fn page(session: &Session, article: &Article, order: &Order, templates: &Templates) -> Result<String, Error> {
    html::render(article, session, &order.identity(), templates)
}

/// Reads a finished article as if a stranger had written it: the first statement that does not hold. It is taken out
/// before the article is delivered, for a reader is better served by a gap than by a doubt.
fn proofread(markdown: &str, log: &check::log::Log) -> Option<Finding> {
    let report = check::others::check(markdown, log);
    report.findings.into_iter().find(|f| f.verdict == Verdict::False)
}

/// The message to write about: the one asked for, else that of the first-ranked turning point.
fn subject(session: &Session, analysis: &Analysis, asked: Option<MessageIdx>) -> Result<MessageIdx, Error> {
    let first = || subjects(session, analysis, 1).pop();
    let none = || Error::NotFound("the session has no turning point; name a message with --at".into());
    asked.or_else(first).ok_or_else(none)
}

/// The messages of the first-ranked turning points, at most so many: the strongest marker of each, else its own message.
pub fn subjects(session: &Session, analysis: &Analysis, most: usize) -> Vec<MessageIdx> {
    let mut found = Vec::new();
    for turn in &analysis.findings.turns {
        let at = turn.markers.first().copied().unwrap_or_else(|| session.main_of(turn.step));
        if !found.contains(&at) && found.len() < most {
            found.push(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_gone_from_every_text_unless_they_are_wanted() {
        let log = "<msg id=1>\n[user] use postgres://app:Harbor-41-x@db/app\n\n\
                   <msg id=2>\n[assistant] [bash] {\"command\":\"PGPASSWORD=Harbor-41-x psql\"}\nok Harbor-41-x\n";
        let input = Input::from_bytes("log", log.into());
        let reading = read(&input, ReadOptions::default()).unwrap();
        assert!(!format!("{:?}", reading.sessions).contains("Harbor"));
        assert_eq!((reading.redactions.len(), reading.redactions[0].places), (1, 3));
        let whole = read(&input, ReadOptions { redact: false }).unwrap();
        assert_eq!(format!("{:?}", whole.sessions).matches("Harbor").count(), 3);
        assert!(whole.redactions.is_empty());
    }

    #[test]
    fn what_finds_no_room_is_read_again() {
        let input = Input::from_bytes("log", b"<msg id=1>\n[user] go on\n\n<msg id=2>\n[assistant] done\n".into());
        let first = |room| First::of(input.clone(), &AtomicUsize::new(room)).unwrap();
        let (kept, again) = (first(1 << 20), first(0));
        assert!(kept.kept.is_some() && again.kept.is_none());
        assert_eq!(kept.reading().unwrap(), again.reading().unwrap());
    }
}
