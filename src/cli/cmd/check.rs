//! `check`: an article against its log.

use std::path::Path;

use crate::{
    check::{log::Log, manifest, others, ours, trailer::Trailer},
    cli::{Done, Stop, args::CheckArgs, output, plan, writing},
    model::{
        session::Session,
        verdict::{Origin, Report, Verdict},
    },
    pipeline::{self, Options, Order, ReadOptions, Reading},
    render::{json::check::Document, plain},
    source::open::Input,
    text::template::Templates,
};

/// Runs the command. Only what is false makes it fail.
pub fn run(args: &CheckArgs) -> Result<Done, Stop> {
    if args.article == Path::new("-") && args.session == Path::new("-") {
        return Err(Stop::Usage("the article and the log cannot both be standard input".into()));
    }
    let article = plan::input(&args.article)?;
    let text = String::from_utf8_lossy(&article.bytes()?).into_owned();
    let log = plan::input(&args.session)?;
    let reading = pipeline::read(&log, ReadOptions { redact: !args.no_redact })?;
    let beside = manifest_beside(&args.article)?;
    let report = match Trailer::of(&text) {
        Some(trailer) => {
            let templates = writing::templates(args.templates.as_deref())?;
            let options = Options { weights: plan::weights(args.weights.as_ref())? };
            let again = Again { log: &log, reading: &reading, templates, options };
            again.check(&text, &trailer, beside.as_deref())?
        }
        None => others::check(&text, &Log::new(&reading.sessions[0])),
    };
    let printed = match args.json {
        true => crate::render::json::line(&Document::new(&article.name, &report)) + "\n",
        false => plain::check::text(&article.name, &report),
    };
    output::deliver(None, &printed)?;
    Ok(if report.count(Verdict::False) > 0 { Done::Faults } else { Done::Well })
}

/// Text of `ARTICLE` with the ending `.manifest.json`, when there is such a file.
fn manifest_beside(article: &Path) -> Result<Option<String>, Stop> {
    let path = article.with_extension("manifest.json");
    if article == Path::new("-") || !path.is_file() {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&Input::file(&path)?.bytes()?).into_owned()))
}

fn file_name(input: &Input) -> String {
    Path::new(&input.name).file_name().map_or("-".into(), |n| n.to_string_lossy().into_owned())
}

/// Stands for the log's name while an article is written again; a word that occurs nowhere else.
const NAME: &str = "turnpointlogname";

/// What it takes to write an article of ours again.
struct Again<'a> {
    log: &'a Input,
    reading: &'a Reading,
    templates: Templates,
    options: Options,
}

impl Again<'_> {
    fn check(&self, article: &str, trailer: &Trailer, beside: Option<&str>) -> Result<Report, Stop> {
        let identity = self.log.identity()?;
        let session = self.session(article, trailer, beside);
        let mut report = Report::new(Origin::Ours);
        report.findings = trailer.faults(article, session, &identity);
        let log = Log::new(session);
        match self.write(session, trailer) {
            Some(fresh) => {
                let fresh = ours::named(article, &fresh, NAME, &file_name(self.log), trailer.flavour());
                report.merge(ours::check(article, &fresh, trailer, &log));
            }
            None => report.merge(others::check(article, &log)),
        }
        if let Some(manifest) = beside {
            report.merge(manifest::check(manifest, session, &identity));
        }
        Ok(report)
    }

    /// The session that the article is about: the one that its manifest names, else the one that holds its subject, else
    /// the one whose article has the same title, else the first.
    fn session(&self, article: &str, trailer: &Trailer, beside: Option<&str>) -> &Session {
        let all: Vec<&Session> = self.reading.sessions.iter().flat_map(|s| s.tree()).collect();
        if let [only] = all[..] {
            return only;
        }
        let named = beside.and_then(manifest::session_id);
        let by_name = all.iter().find(|s| named.as_ref() == Some(&s.info.id));
        let by_subject = || all.iter().find(|s| !trailer.subject.is_empty() && s.find(&trailer.subject).is_some());
        let title = |text: &str| text.lines().next().unwrap_or("").to_string();
        let same = |s: &&&Session| self.write(s, trailer).is_some_and(|t| title(&t) == title(article));
        by_name.or_else(by_subject).or_else(|| all.iter().find(same)).copied().unwrap_or(&self.reading.sessions[0])
    }

    fn write(&self, session: &Session, trailer: &Trailer) -> Option<String> {
        let (kind, words) = (trailer.kind()?, trailer.words()?);
        let analysis = pipeline::analyze(session, &self.options);
        let order = Order {
            kind,
            subject: session.find(&trailer.subject),
            words,
            log: NAME,
            input: &trailer.input,
            flavour: trailer.flavour(),
            pictures: &trailer.pictures,
            most_bytes: None,
        };
        pipeline::write(session, &analysis, &order, &self.templates).ok().map(|w| w.markdown)
    }
}
