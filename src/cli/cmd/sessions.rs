//! `sessions`: what is there to read, one line each.

use crate::{
    base::time::Timestamp,
    cli::{Done, Stop, args::SessionsArgs, find, messages, output, plan},
    model::session::Session,
    pipeline::{self, ReadOptions, Reading},
    render::{
        json::sessions::Document,
        plain::sessions::{self, Row},
    },
    source::{format::FORMATS, stores, walk},
};

/// Runs the command.
pub fn run(args: &SessionsArgs) -> Result<Done, Stop> {
    let wanted = Wanted::new(args)?;
    let inputs = match &args.input {
        Some(path) => walk::inputs(path)?,
        None => {
            let files = stores::files(&find::surroundings());
            walk::of_files(files.iter().map(|(path, _)| path.as_path()))
        }
    };
    if inputs.is_empty() && args.input.is_none() {
        messages::note("no agent's logs were found on this machine");
        return Ok(Done::Well);
    }
    let mut rows = Vec::new();
    let told = plan::several(inputs, ReadOptions { redact: !args.no_redact }, |reading| {
        for session in &reading.sessions {
            let tree = if args.subagents { session.tree() } else { vec![session] };
            rows.extend(tree.into_iter().map(|s| row(&reading, s)).filter(|row| wanted.takes(row)));
        }
        Ok(())
    })?;
    if let (0, Some(path)) = (told.good, &args.input) {
        return Err(plan::no_log(path));
    }
    // The latest first; those without a time last, by name.
    rows.sort_by(|a, b| (b.ended, &a.input, &a.id).cmp(&(a.ended, &b.input, &b.id)));
    let all = rows.len();
    if args.limit > 0 {
        rows.truncate(args.limit);
    }
    let text = match args.json {
        true => rows.iter().map(|row| crate::render::json::line(&Document::new(row)) + "\n").collect(),
        false => sessions::table(&rows),
    };
    output::deliver(None, &text)?;
    if rows.len() < all {
        messages::note(&format!("{} of {all} sessions; --limit 0 lists all", rows.len()));
    }
    Ok(if told.faults > 0 { Done::Faults } else { Done::Well })
}

fn row(reading: &Reading, session: &Session) -> Row {
    let card = FORMATS.iter().find(|f| f.name() == session.info.format).map(|f| f.card().agent);
    let agent = session.info.agent.clone().or_else(|| card.filter(|a| !a.is_empty()).map(str::to_string));
    Row {
        id: session.info.id.clone(),
        agent: agent.unwrap_or_else(|| session.info.format.to_string()),
        format: session.info.format,
        title: session.info.title.clone(),
        project: session.info.cwd.clone(),
        parent: session.info.parent.clone(),
        started: session.started(),
        ended: session.ended(),
        messages: session.messages.len(),
        steps: session.steps.len(),
        todos: pipeline::todo_lists(session).todos.len(),
        usage: session.usage(),
        input: reading.input.clone(),
    }
}

/// The filters.
struct Wanted {
    agent: Option<String>,
    project: Option<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Wanted {
    fn new(args: &SessionsArgs) -> Result<Self, Stop> {
        let time = |text: &Option<String>| text.as_deref().map(point_in_time).transpose();
        Ok(Self {
            agent: args.agent.as_ref().map(|a| a.to_lowercase()),
            project: args.project.clone(),
            since: time(&args.since)?,
            until: time(&args.until)?,
        })
    }

    fn takes(&self, row: &Row) -> bool {
        let holds = |text: &str, word: &str| text.to_lowercase().contains(word);
        let agent = self.agent.as_ref().is_none_or(|word| holds(&row.agent, word) || holds(row.format, word));
        let project = self.project.as_ref().is_none_or(|word| {
            let absolute = std::path::absolute(word).ok();
            row.project.as_ref().is_some_and(|cwd| {
                let below = absolute.as_ref().is_some_and(|folder| std::path::Path::new(cwd).starts_with(folder));
                below || holds(cwd, &word.to_lowercase())
            })
        });
        // A session without times is in no stretch of time.
        let since = self.since.is_none_or(|since| row.ended.is_some_and(|ended| ended >= since));
        let until = self.until.is_none_or(|until| row.started.is_some_and(|started| started < until));
        agent && project && since && until
    }
}

/// A date, a time, or an age before now: `30m`, `12h`, `7d`, `2w`.
fn point_in_time(text: &str) -> Result<Timestamp, Stop> {
    const UNITS: &[(char, i64)] = &[('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];
    let age = UNITS.iter().find_map(|(unit, seconds)| {
        let number: i64 = text.strip_suffix(*unit)?.parse().ok()?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Timestamp::from_millis(now.as_millis() as i64 - number.checked_mul(seconds * 1000)?))
    });
    let day = || Timestamp::parse_zoneless(&format!("{text}T00:00:00"));
    age.or_else(|| Timestamp::parse_zoneless(text)).or_else(day).ok_or_else(|| {
        Stop::Usage(format!("{text}: is no time; write 2026-02-01, 2026-02-01T10:00:00Z, or an age such as 7d"))
    })
}
