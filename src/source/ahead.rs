//! JSON Lines read ahead: the records of a stretch of lines are parsed on all threads, then taken in one by one. It pays
//! for formats whose logs reach hundreds of megabytes; what comes of it is what [`frame::json_lines`] makes.

use std::{
    borrow::Cow,
    io::{self, BufRead},
    sync::{OnceLock, mpsc},
};

use serde::Deserialize;

use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator},
    source::{
        frame::{self, Extent, LINE_CAP, Line, LineReader, Lines, Records},
        json::{self, Repairs},
        open::{Input, unreadable},
    },
};

/// What receives the records of a file, parsed before it is their turn.
pub trait Ahead: Records {
    /// What a line is parsed to.
    type Record<'t>: Deserialize<'t> + Send;

    /// Takes in what was parsed from `text`.
    fn take(&mut self, record: Self::Record<'_>, text: &str, place: Locator);
}

/// Bytes of lines that are parsed as one piece of work, about: handing one out costs nothing beside it.
const STRETCH: usize = 256 << 10;
/// Stretches that are held at once: while the first is taken in, the others are parsed.
const AT_ONCE: usize = 16;

/// Reads JSON Lines: hands each record to `sink`, repaired where it is damaged, and counts what had to be done.
///
/// # Errors
/// When the input cannot be read.
pub fn json_lines(input: &Input, diagnostics: &mut Diagnostics, sink: &mut impl Ahead) -> Result<(), Error> {
    // Within a pool other inputs keep the threads busy; a wait here would begin to read yet another one on this stack.
    if rayon::current_thread_index().is_some() {
        return frame::json_lines(input, diagnostics, sink);
    }
    let mut lines = Lines::new(input.reader()?, LINE_CAP);
    let mut reader = LineReader::new(diagnostics, sink);
    let mut stretches: [Stretch; AT_ONCE] = Default::default();
    loop {
        let mut held = 0;
        while held < AT_ONCE && stretches[held].fill(&mut lines).map_err(|e| unreadable(&input.name, &e))? {
            held += 1;
        }
        if held == 0 {
            return Ok(());
        }
        take_in(&stretches[..held], &mut reader);
    }
}

/// Some lines after each other.
#[derive(Default)]
struct Stretch {
    buffer: Vec<u8>,
    lines: Vec<Extent>,
}

impl Stretch {
    /// The next lines in place of those before. Says whether there are any.
    fn fill(&mut self, lines: &mut Lines<impl BufRead>) -> io::Result<bool> {
        self.buffer.clear();
        self.lines.clear();
        while self.buffer.len() < STRETCH
            && let Some(line) = lines.append_line(&mut self.buffer)?
        {
            self.lines.push(line);
        }
        Ok(!self.lines.is_empty())
    }

    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines.iter().map(|extent| extent.line(&self.buffer))
    }
}

/// What the lines of a stretch read as; kept apart, since the records borrow from it.
type Texts<'s> = OnceLock<Vec<(Cow<'s, str>, Repairs)>>;

/// What a line was parsed to.
type Parsed<'t, S> = Result<<S as Ahead>::Record<'t>, serde_json::Error>;

fn parse<'s, 't, S: Ahead>(stretch: &'s Stretch, texts: &'t Texts<'s>) -> Vec<Parsed<'t, S>> {
    let texts = texts.get_or_init(|| stretch.lines().map(|line| json::text_of(line.bytes)).collect());
    texts.iter().map(|(text, _)| serde_json::from_str(text)).collect()
}

/// Parses the stretches on all threads and hands their records to the reader on this one, in order.
fn take_in<S: Ahead>(stretches: &[Stretch], reader: &mut LineReader<S>) {
    let texts: Vec<Texts> = stretches.iter().map(|_| OnceLock::new()).collect();
    rayon::in_place_scope_fifo(|scope| {
        let mut parsed = Vec::new();
        for (stretch, texts) in stretches.iter().zip(&texts) {
            let (done, records) = mpsc::channel();
            // Nobody listens any more only where taking in has failed.
            scope.spawn_fifo(move |_| _ = done.send(parse::<S>(stretch, texts)));
            parsed.push(records);
        }
        for ((stretch, texts), records) in stretches.iter().zip(&texts).zip(parsed) {
            // A piece of work that failed ends the scope, and tells there.
            let Ok(records) = records.recv() else { return };
            let texts = texts.get().expect("records are parsed from them");
            for ((line, (text, repairs)), record) in stretch.lines().zip(texts).zip(records) {
                reader.line(line, text, *repairs, |sink, place| {
                    sink.take(record?, text, place);
                    Ok(())
                });
            }
        }
    });
}
