//! What `article` and `retro` share: read the log, write one article, deliver it with its manifest beside it.

use std::path::{Path, PathBuf};

use super::{
    Done, Stop,
    args::{InputArgs, WritingArgs},
    output, plan,
};
use crate::{
    base::{error::Error, ids::MessageIdx},
    model::{article::ArticleKind, session::Session},
    pipeline::{self, Options, Order},
    text::template::Templates,
};

/// Writes one article of the first session that is chosen.
pub fn run(
    args: &InputArgs,
    writing: &WritingArgs,
    kind: ArticleKind,
    subject: impl Fn(&Session) -> Result<Option<MessageIdx>, Error>,
) -> Result<Done, Stop> {
    let templates = templates(writing.templates.as_deref())?;
    let (input, reading) = plan::one_reading(args)?;
    let manifest = args.how.output.as_deref().map(beside);
    output::spare(Path::new(&input.name), manifest.as_ref())?;
    let session = *plan::chosen(&reading, args)?.first().expect("a reading holds a session");
    let options = Options { weights: plan::weights(writing.weights.as_ref())? };
    let analysis = pipeline::analyze(session, &options);
    let identity = input.identity()?;
    let log = Path::new(&input.name).file_name().map_or("-".into(), |n| n.to_string_lossy());
    let named = |error: Error| match error {
        Error::NotFound(text) => Error::NotFound(format!("{}: {text}", input.name)),
        other => other,
    };
    let order =
        Order { kind, subject: subject(session).map_err(named)?, words: writing.words, log: &log, input: &identity };
    let written = pipeline::write(session, &analysis, &order, &templates).map_err(named)?;
    output::deliver(args.how.output.as_ref(), &written.markdown)?;
    if let Some(path) = manifest {
        output::write_file(&path, &written.manifest)?;
    }
    if let Some(folder) = &writing.pictures {
        let files = written.pictures.iter().flat_map(|picture| pipeline::picture_files(picture, session));
        write_below(folder, Path::new(&input.name), files)?;
    }
    Ok(Done::Well)
}

/// Writes files to a folder, which is made where it is not there; none over the input.
fn write_below(folder: &Path, input: &Path, files: impl Iterator<Item = (String, String)>) -> Result<(), Stop> {
    let fail = |e: std::io::Error| Stop::Usage(format!("{}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(fail)?;
    for (name, text) in files {
        let path = folder.join(name);
        output::spare(input, Some(&path))?;
        output::write_file(&path, &text)?;
    }
    Ok(())
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
