//! What was typed. Only clap's descriptions live here; [`plan`](super::plan) says what it means.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

use crate::text::flavour::Flavour;

/// Reads the log of a coding agent's session and tells what happened in it: the plan, the measurements, the phases, the
/// turning points. Every sentence names its evidence.
#[derive(Parser, Debug)]
#[command(name = "turnpoint", version, about, max_term_width = 100)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// The retrospective of a session: what came out, what to check, what broke, what is open.
    ///
    /// With `-o DIR` (a folder, or a name without an ending) it writes the retrospective, articles about the first turning
    /// points and an index there, as Markdown and as HTML.
    #[command(alias = "report")]
    Retro(RetroArgs),
    /// An article about one message: the one named by --at, else the first-ranked turning point.
    Article(ArticleArgs),
    /// What the agent said of its work, held against its own log.
    Audit(AuditArgs),
    /// The phases of the work, one line each.
    Phases(PhasesArgs),
    /// The turning points, ranked.
    TurningPoints(TurningPointsArgs),
    /// The task list as it evolved, and what became of each item.
    Todos(TodosArgs),
    /// What was measured, in a session or in any text.
    Benchmarks(BenchmarksArgs),
    /// The same measurements on two sides: sessions, texts, or messages.
    Compare(CompareArgs),
    /// The messages themselves, safely printed.
    Show(ShowArgs),
    /// What was recognised: format, counts, accounting, diagnostics.
    Inspect(InspectArgs),
    /// Verify an article against the log, ours or anybody's.
    Check(CheckArgs),
    /// The sessions found in the agents' own stores, or below a folder, one line each.
    Sessions(SessionsArgs),
    /// The formats that can be read.
    Formats(FormatsArgs),
}

/// Where to read and where to write; most commands take it.
#[derive(ClapArgs, Debug, Clone)]
pub struct InputArgs {
    /// A log file, a folder or archive of logs, the beginning of a session id, or `-` for standard input; left out, the
    /// latest finished session of this folder's project, else of all.
    #[arg(value_name = "INPUT")]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "clap shows the flattened group's own texts")]
    pub how: ReadArgs,
}

/// How to read, and where to write.
#[derive(ClapArgs, Debug, Clone)]
pub struct ReadArgs {
    /// The session to take where the input holds several: its id, or the beginning of it.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Leave secrets as they stand in the log.
    #[arg(long)]
    pub no_redact: bool,
    /// Write to this file, atomically, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How findings are printed.
#[derive(ClapArgs, Debug, Clone, Copy)]
pub struct FormArgs {
    /// Print one JSON document (JSON Lines over several sessions).
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown tables.
    #[arg(long)]
    pub markdown: bool,
}

/// How articles are written.
#[derive(ClapArgs, Debug, Clone)]
pub struct WritingArgs {
    /// What to write; left out, what the ending of the output file says, else Markdown.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// For whom Markdown is written: what its extensions and templates would act on is defused.
    #[arg(long, alias = "flavor", value_name = "FLAVOUR", default_value = "github")]
    pub flavour: FlavourArg,
    /// Most bytes that the Markdown may have, such as 1000000 for a job summary: sections are left out from the end, and
    /// named.
    #[arg(long, value_name = "N")]
    pub max_bytes: Option<usize>,
    /// Folder whose templates replace the built-in ones of the same name.
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
    /// Most words that an article may have.
    #[arg(long, value_name = "N", default_value_t = 900)]
    pub words: usize,
    /// Phase weights to use in place of the built-in ones.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Folder to write the pictures to: SVG files, light and dark, and the data of each as a table.
    #[arg(long, value_name = "DIR")]
    pub pictures: Option<PathBuf>,
}

/// For whom Markdown is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum FlavourArg {
    /// GitHub and whatever reads CommonMark with tables.
    Github,
    /// A page of an mdBook.
    Mdbook,
    /// A page of a MkDocs site, with front matter.
    Mkdocs,
}

impl FlavourArg {
    /// The flavour that is meant.
    pub fn flavour(self) -> Flavour {
        match self {
            FlavourArg::Github => Flavour::GitHub,
            FlavourArg::Mdbook => Flavour::MdBook,
            FlavourArg::Mkdocs => Flavour::MkDocs,
        }
    }
}

/// What an article is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// One HTML page that needs no other file, no script and no network.
    Html,
    /// The manifest: each statement with its rule and its evidence, one JSON document.
    Json,
}

/// `retro`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct RetroArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub writing: WritingArgs,
}

/// `article`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct ArticleArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The message that it is about: its number or a producer's id.
    #[arg(long, value_name = "MSG")]
    pub at: Option<String>,
    #[command(flatten)]
    pub writing: WritingArgs,
}

/// `audit`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct AuditArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub form: FormArgs,
    /// Show the statements that the log bears out, too.
    #[arg(long)]
    pub all: bool,
    /// End with 1 when a statement is contradicted.
    #[arg(long, value_name = "RULING")]
    pub fail_on: Option<FailOn>,
}

/// What makes `audit` end with 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum FailOn {
    /// A statement that the log contradicts.
    Contradicted,
}

/// `phases`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct PhasesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub form: FormArgs,
    /// Phase weights to use in place of the built-in ones.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Print the terms that made each boundary.
    #[arg(long)]
    pub why: bool,
    /// Name the group of each phase: understand, prepare, build, ship, check, measure, close. Neighbours of one group are
    /// one stretch, unless the user sets a new aim between them.
    #[arg(long)]
    pub groups: bool,
}

/// `turning-points`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct TurningPointsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub form: FormArgs,
    /// Phase weights to use in place of the built-in ones.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

/// `todos`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct TodosArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub form: FormArgs,
}

/// `benchmarks`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct BenchmarksArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub form: FormArgs,
    /// Take the input as plain text even if it looks like a session log.
    #[arg(long)]
    pub text: bool,
    /// Of plain text, read what the general recogniser sees, without the adapters of single tools.
    #[arg(long)]
    pub no_adapters: bool,
    /// Of a session, the same metric over its runs: first, best and latest value, and what was changed before each run.
    #[arg(long, conflicts_with = "text")]
    pub series: bool,
}

/// `compare`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct CompareArgs {
    /// The first side: a log, a session's id, or any text (`-` for standard input); `@MSG` behind it names one message.
    #[arg(value_name = "A[@MSG]")]
    pub a: String,
    /// The second side, which is held against the first.
    #[arg(value_name = "B[@MSG]")]
    pub b: String,
    #[command(flatten)]
    pub how: ReadArgs,
    #[command(flatten)]
    pub form: FormArgs,
}

/// `show`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct ShowArgs {
    /// A log file, a folder or archive of logs, the beginning of a session id, or `-` for standard input.
    #[arg(value_name = "INPUT")]
    pub input: PathBuf,
    #[command(flatten)]
    pub how: ReadArgs,
    /// Messages to print: a number, a range `70-77`, or a producer's id.
    #[arg(value_name = "MSG", required = true)]
    pub messages: Vec<String>,
    /// Also print this many messages before and after.
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    pub context: usize,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// `inspect`.
#[derive(ClapArgs, Debug)]
#[allow(missing_docs, reason = "clap shows the flattened groups' own texts")]
pub struct InspectArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Print one JSON document (JSON Lines over several inputs).
    #[arg(long)]
    pub json: bool,
    /// List the steps.
    #[arg(long)]
    pub steps: bool,
    /// Tell what each format said of the input.
    #[arg(long)]
    pub why: bool,
}

/// `check`.
#[derive(ClapArgs, Debug)]
pub struct CheckArgs {
    /// The article, in Markdown or plain text; `-` for standard input.
    #[arg(value_name = "ARTICLE")]
    pub article: PathBuf,
    /// The log that it is about.
    #[arg(long, value_name = "INPUT")]
    pub session: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
    /// Leave secrets as they stand in the log.
    #[arg(long)]
    pub no_redact: bool,
    /// Folder of templates that an article of ours was written with.
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
    /// Phase weights that an article of ours was written with.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

/// `formats`.
#[derive(ClapArgs, Debug)]
pub struct FormatsArgs {
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// `sessions`.
#[derive(ClapArgs, Debug)]
pub struct SessionsArgs {
    /// A folder, an archive or a log; left out, the places where agents keep their logs.
    #[arg(value_name = "DIR")]
    pub input: Option<PathBuf>,
    /// Only sessions of this agent or format (a part of its name).
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Only sessions that worked in this folder, or whose folder's name holds this word.
    #[arg(long, value_name = "DIR")]
    pub project: Option<String>,
    /// Only sessions that ended at or after this time: `2026-02-01`, `2026-02-01T10:00:00Z`, or an age such as `7d`, `12h`.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only sessions that began before this time.
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Also sub-agents, below the sessions that started them.
    #[arg(long)]
    pub subagents: bool,
    /// Print at most this many, the latest first; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Print JSON Lines, one session each.
    #[arg(long)]
    pub json: bool,
    /// Leave secrets as they stand in the log.
    #[arg(long)]
    pub no_redact: bool,
}
