//! What `article` and `retro` share: read the log, write articles, deliver one with its manifest beside it.

use std::path::{Path, PathBuf};

use super::{
    Done, Stop,
    args::{Format, InputArgs, WritingArgs},
    output, plan,
};
use crate::{
    base::{error::Error, ids::MessageIdx},
    model::{article::ArticleKind, session::Session},
    pipeline::{self, Analysis, Options, Order, Reading, Written},
    source::open::Input,
    text::template::Templates,
};

/// Writes one article of the first session that is chosen.
pub fn run(
    args: &InputArgs,
    writing: &WritingArgs,
    kind: ArticleKind,
    subject: impl Fn(&Session) -> Result<Option<MessageIdx>, Error>,
) -> Result<Done, Stop> {
    let format = format(writing, args.how.output.as_deref());
    if format != Format::Markdown && (writing.max_bytes.is_some() || writing.flavour.flavour() != Default::default()) {
        return Err(Stop::Usage("--flavour and --max-bytes are about Markdown".into()));
    }
    let templates = templates(writing.templates.as_deref())?;
    let (input, reading) = plan::one_reading(args)?;
    let manifest = args.how.output.as_deref().filter(|_| format != Format::Json).map(beside);
    output::spare(Path::new(&input.name), manifest.as_ref())?;
    let desk = Desk::new(args, writing, &input, &reading, &templates)?;
    let pictures = pictures_from(args.how.output.as_deref(), writing.pictures.as_deref());
    let order = Order { pictures: &pictures, ..desk.order(kind, subject(desk.session).map_err(|e| desk.named(e))?) };
    let written = desk.write(&order)?;
    output::deliver(args.how.output.as_ref(), &desk.text(&written, &order, format)?)?;
    if let Some(path) = manifest {
        output::write_file(&path, &written.manifest)?;
    }
    if let Some(folder) = &writing.pictures {
        let files: Vec<_> = desk.pictures(&written, "").collect();
        for (name, _) in &files {
            output::spare(Path::new(&input.name), Some(&folder.join(name)))?;
        }
        output::write_folder(folder, &files)?;
    }
    Ok(Done::Well)
}

/// How the names of picture files begin, seen from the article; "" where they do not lie below its folder, or the way
/// there has letters that a link would have to spell.
fn pictures_from(article: Option<&Path>, pictures: Option<&Path>) -> String {
    let below = article.and_then(Path::parent).zip(pictures).and_then(|(home, folder)| folder.strip_prefix(home).ok());
    let path = below.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    if path.is_empty() || !plain { String::new() } else { format!("{}/", path.trim_end_matches('/')) }
}

/// A session that is ready to be written about.
pub struct Desk<'a> {
    /// The session.
    pub session: &'a Session,
    /// What it was found to hold.
    pub analysis: Analysis,
    /// Layouts.
    pub templates: &'a Templates,
    writing: &'a WritingArgs,
    input: &'a Input,
    /// File name of the log.
    log: String,
    identity: String,
}

impl<'a> Desk<'a> {
    /// Analyses the first session of a reading that is chosen.
    pub fn new(
        args: &InputArgs,
        writing: &'a WritingArgs,
        input: &'a Input,
        reading: &'a Reading,
        templates: &'a Templates,
    ) -> Result<Self, Stop> {
        let session = *plan::chosen(reading, args)?.first().expect("a reading holds a session");
        let analysis = pipeline::analyze(session, &Options { weights: plan::weights(writing.weights.as_ref())? });
        let log = Path::new(&input.name).file_name().map_or("-".into(), |n| n.to_string_lossy().into_owned());
        Ok(Self { session, analysis, templates, writing, input, log, identity: input.identity()? })
    }

    /// The order for an article, as the arguments want it.
    pub fn order(&self, kind: ArticleKind, subject: Option<MessageIdx>) -> Order<'_> {
        Order {
            kind,
            subject,
            words: self.writing.words,
            log: &self.log,
            input: &self.identity,
            flavour: self.writing.flavour.flavour(),
            pictures: "",
            most_bytes: self.writing.max_bytes,
        }
    }

    /// Writes an article.
    pub fn write(&self, order: &Order) -> Result<Written, Stop> {
        Ok(pipeline::write(self.session, &self.analysis, order, self.templates).map_err(|e| self.named(e))?)
    }

    /// The text of a written article in a format.
    pub fn text(&self, written: &Written, order: &Order, format: Format) -> Result<String, Stop> {
        Ok(match format {
            Format::Markdown => written.markdown.clone(),
            Format::Html => pipeline::page(self.session, &written.article, order, self.templates)?,
            Format::Json => written.manifest.clone(),
        })
    }

    /// The files of a written article's pictures: names that begin so, texts.
    pub fn pictures(&self, written: &Written, prefix: &str) -> impl Iterator<Item = (String, String)> {
        let files = written
            .article
            .pictures
            .iter()
            .flat_map(|picture| pipeline::picture_files(picture, self.session, self.writing.flavour.flavour()));
        files.map(move |(name, text)| (format!("{prefix}{name}"), text))
    }

    /// An error with the input that it is about.
    fn named(&self, error: Error) -> Error {
        match error {
            Error::NotFound(text) => Error::NotFound(format!("{}: {text}", self.input.name)),
            other => other,
        }
    }
}

/// What was asked for, else what the file's name says.
fn format(writing: &WritingArgs, output: Option<&Path>) -> Format {
    let ending = output.and_then(Path::extension).and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    writing.format.unwrap_or(match ending.as_str() {
        "html" | "htm" => Format::Html,
        "json" => Format::Json,
        _ => Format::Markdown,
    })
}

/// `night.md` → `night.manifest.json`.
fn beside(article: &Path) -> PathBuf {
    article.with_extension("manifest.json")
}

/// The built-in templates, with those of a folder over them.
pub fn templates(folder: Option<&Path>) -> Result<Templates, Stop> {
    let mut own = Vec::new();
    if let Some(folder) = folder {
        let fail = |e: std::io::Error| Stop::Usage(format!("{}: {e}", folder.display()));
        for entry in std::fs::read_dir(folder).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.is_file() {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                own.push((name, std::fs::read_to_string(&path).map_err(fail)?));
            }
        }
        own.sort();
    }
    Ok(Templates::new(&own)?)
}
