//! `show`: the messages themselves, which is how a reader at a terminal opens a reference.

use crate::{
    base::{error::Error, ids::MessageIdx},
    cli::{
        Done, Stop,
        args::{InputArgs, ShowArgs},
        output, plan,
    },
    model::session::Session,
    render::{json::show::Document, plain::show},
};

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<Done, Stop> {
    let mut text = String::new();
    let mut missing = args.messages.clone();
    let input = InputArgs { input: Some(args.input.clone()), how: args.how.clone() };
    let done = plan::each_reading(&input, |reading| {
        for session in plan::chosen(&reading, &input)?.into_iter().flat_map(Session::tree) {
            let picks = picks(session, &mut missing, args.context)?;
            if !picks.is_empty() {
                text += &print(session, &picks, args.json);
            }
        }
        Ok(())
    })?;
    if let Some(name) = missing.first() {
        let input = args.input.display();
        return Err(Stop::Failed(Error::NotFound(format!("{input}: no message {name:?} in this log"))));
    }
    output::deliver(args.how.output.as_ref(), &text)?;
    Ok(done)
}

fn print(session: &Session, picks: &[MessageIdx], json: bool) -> String {
    if json { crate::render::json::line(&Document::new(session, picks)) + "\n" } else { show::render(session, picks) }
}

/// The messages of a session that are asked for, with their context, in order; their names are taken off `missing`.
fn picks(session: &Session, missing: &mut Vec<String>, context: usize) -> Result<Vec<MessageIdx>, Stop> {
    let mut wanted = vec![false; session.messages.len()];
    let mut rest = Vec::new();
    for name in missing.drain(..) {
        match find(session, &name)? {
            Some((first, last)) => {
                let from = first.at().saturating_sub(context);
                let to = last.at().saturating_add(context).min(wanted.len() - 1);
                wanted[from..=to].fill(true);
            }
            None => rest.push(name),
        }
    }
    *missing = rest;
    Ok(session.indices().filter(|at| wanted[at.at()]).collect())
}

/// A number, a range `70-77` (also with a dash as articles print it), or a producer's id.
fn find(session: &Session, name: &str) -> Result<Option<(MessageIdx, MessageIdx)>, Stop> {
    if let Some(at) = session.find(name) {
        return Ok(Some((at, at)));
    }
    let ends = name.split_once(['-', '–']).map(|(a, b)| (a.trim().parse::<u32>(), b.trim().parse::<u32>()));
    let Some((Ok(from), Ok(to))) = ends else { return Ok(None) };
    if from > to {
        return Err(Stop::Usage(format!("{name}: a range begins with its smaller number")));
    }
    // Numbers of a log need not rise; a range is what lies between its ends.
    let ends = session.numbered(from).zip(session.numbered(to));
    Ok(ends.map(|(a, b)| (a.min(b), a.max(b))))
}
