//! `retro -o DIR`: the retrospective, an article about each of the first turning points, and an index, in one folder. All
//! is made before anything is written; the index comes last, so that what it names is there.

use std::path::Path;

use super::{
    Done, Stop,
    args::{Format, InputArgs, WritingArgs},
    messages, output, plan,
    writing::{self, Desk},
};
use crate::{
    model::article::{Article, ArticleKind},
    pipeline::{self, Order},
    render::index::{self, Entry},
};

/// Turning points that get an article.
const ARTICLES: usize = 3;

/// Folder of the pictures that the Markdown shows; pages hold theirs themselves.
const PICTURES: &str = "pictures";

/// Whether a path means a folder: it is one, or it is nothing yet and has no ending of a file.
pub fn is_meant(path: &Path) -> bool {
    let ends_open = path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    path.is_dir() || !path.exists() && !path.is_symlink() && (ends_open || path.extension().is_none())
}

/// Writes the folder.
pub fn run(args: &InputArgs, writing: &WritingArgs, folder: &Path) -> Result<Done, Stop> {
    let templates = writing::templates(writing.templates.as_deref())?;
    let (input, reading) = plan::one_reading(args)?;
    let desk = Desk::new(args, writing, &input, &reading, &templates)?;
    let set = Set::of(&desk, formats(writing))?;
    for (name, _) in &set.files {
        output::spare(Path::new(&input.name), Some(&folder.join(name)))?;
    }
    output::write_folder(folder, &set.files)?;
    let shown =
        set.files.iter().map(|(name, _)| name.as_str()).filter(|name| !name.contains(['/']) && !is_manifest(name));
    let names = shown.collect::<Vec<_>>().join(", ");
    messages::note(&format!("wrote {} files to {}: {names}; pictures, manifests", set.files.len(), folder.display()));
    Ok(Done::Well)
}

/// What is written of each article besides its manifest.
fn formats(writing: &WritingArgs) -> &'static [Format] {
    match writing.format {
        None => &[Format::Markdown, Format::Html],
        Some(Format::Markdown) => &[Format::Markdown],
        Some(Format::Html) => &[Format::Html],
        Some(Format::Json) => &[],
    }
}

/// The files of a folder, made so far: names as paths below it, texts.
struct Set<'a> {
    desk: &'a Desk<'a>,
    formats: &'static [Format],
    files: Vec<(String, String)>,
    articles: Vec<(String, Article)>,
}

impl<'a> Set<'a> {
    fn of(desk: &'a Desk<'a>, formats: &'static [Format]) -> Result<Self, Stop> {
        let mut set = Self { desk, formats, files: Vec::new(), articles: Vec::new() };
        set.add("retrospective".to_string(), &desk.order(ArticleKind::Retrospective, None))?;
        for at in pipeline::subjects(desk.session, &desk.analysis, ARTICLES) {
            let stem = format!("turning-point-{}", desk.session.message(at).number);
            match set.add(stem, &desk.order(ArticleKind::TurningPoint, Some(at))) {
                // One article less is no reason to write none.
                Err(Stop::Failed(error)) => messages::note(&format!("left out: {error}")),
                other => other?,
            }
        }
        set.index()?;
        Ok(set)
    }

    fn add(&mut self, stem: String, order: &Order) -> Result<(), Stop> {
        let pictures = format!("{PICTURES}/{stem}-");
        let order = &Order { pictures: &pictures, ..order.clone() };
        let written = self.desk.write(order)?;
        if self.formats.contains(&Format::Markdown) {
            self.files.extend(self.desk.pictures(&written, &pictures));
        }
        for format in self.formats {
            self.files.push((format!("{stem}.{}", ending(*format)), self.desk.text(&written, order, *format)?));
        }
        self.files.push((format!("{stem}.manifest.json"), written.manifest));
        self.articles.push((stem, written.article));
        Ok(())
    }

    fn index(&mut self) -> Result<(), Stop> {
        let Desk { session, templates, .. } = self.desk;
        let flavour = self.desk.order(ArticleKind::Retrospective, None).flavour;
        let entries: Vec<Entry> =
            self.articles.iter().map(|(stem, article)| Entry { article, stem: stem.clone() }).collect();
        for format in self.formats {
            let text = match format {
                Format::Html => index::html(&entries, session, templates)?,
                _ => index::markdown(&entries, session, flavour, templates)?,
            };
            self.files.push((format!("index.{}", ending(*format)), text));
        }
        Ok(())
    }
}

fn is_manifest(name: &str) -> bool {
    name.ends_with(".manifest.json")
}

fn ending(format: Format) -> &'static str {
    match format {
        Format::Markdown => "md",
        Format::Html => "html",
        Format::Json => "json",
    }
}
