//! Recordings of asciinema (asciicast 2 and 3): JSON Lines, a header and then what was written to the terminal when. Where
//! an agent ran whose console is known, its run is told; else the commands that were typed at the shell's prompt, or the
//! one that was recorded. What somebody typed is read off what the terminal showed of it.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    Card, Format, Recorded,
    mini_swe_agent::console::{self, Part},
    shell_session,
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Exit, Outcome, ToolKind},
    },
    source::{
        Parsed,
        chat::{
            moment::{self, Moment},
            tell::Told,
        },
        frame::{Records, checked, json_lines},
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
        terminal::{Page, Size},
    },
};

/// See the module.
pub struct Asciinema;

/// `[0.25, "o", "text"]`
static EVENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\[ ?\d{1,12}(?:\.\d{1,12})?, ?"[a-z]", ?""#).expect("valid"));

impl Format for Asciinema {
    fn name(&self) -> &'static str {
        "asciinema-cast"
    }

    fn about(&self) -> &'static str {
        "recordings of asciinema (`.cast`): of a shell, or of mini-swe-agent in it"
    }

    fn card(&self) -> Card {
        use Recorded::{Cost, Exits, Failures, Models, Times};
        Card { agent: "", versions: "asciicast 2 and 3", records: &[Times, Models, Cost, Exits, Failures] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let header = seen
            .lines()
            .first()
            .is_some_and(|node| has(node, &["version"]) && (has(node, &["width", "height"]) || has(node, &["term"])));
        let lines = seen.text().lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let (events, all) =
            lines.fold((0, 0), |(events, all), line| (events + u32::from(EVENT.is_match(line)), all + 1));
        match events {
            0 => Sniff::No("no events `[time, code, text]`".into()),
            _ if header && events * 10 >= (all - 1) * 5 => {
                Sniff::Yes(96, format!("the header of a recording and {events} events"))
            }
            _ if events >= 5 && events * 10 >= all * 8 => Sniff::Yes(80, format!("{events} events of a recording")),
            _ => Sniff::No(format!("{events} events `[time, code, text]` among {all} lines, without a header")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let (mut recording, mut diagnostics) = (Recording::default(), Diagnostics::default());
        json_lines(input, &mut diagnostics, &mut recording)?;
        diagnostics.extend(std::mem::take(&mut recording.diagnostics));
        Ok(recording.finish(self.name(), input.stem(), diagnostics))
    }
}

lenient! {
    /// The first line.
    struct Header<'a> {
        version: Number = "version",
        width: Any<Number> = "width",
        height: Any<Number> = "height",
        term: Any<Term<'a>> = "term",
        timestamp: Moment<'a> = "timestamp",
        title: Text<'a> = "title",
        command: Text<'a> = "command",
    }
}

lenient! {
    /// The terminal, in version 3.
    struct Term<'a> {
        kind: Any<Text<'a>> = "type",
        columns: Any<Number> = "cols",
        rows: Any<Number> = "rows",
    }
}

/// What was written to the terminal at once.
#[derive(Clone, Copy, Debug)]
struct Output {
    /// Its first byte in [`Recording::text`].
    at: usize,
    time: Option<Timestamp>,
    place: Locator,
}

/// Takes in a file.
#[derive(Debug, Default)]
struct Recording {
    /// All output, one after the other.
    text: String,
    outputs: Vec<Output>,
    sizes: Vec<(usize, Size)>,
    /// Times of events count from the event before.
    relative: bool,
    began: Option<Timestamp>,
    /// Seconds since then.
    clock: f64,
    header: Locator,
    title: Option<String>,
    command: Option<String>,
    exit: Option<i32>,
    /// Of the records that are no output.
    accounting: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Recording {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        match text.trim_start().as_bytes() {
            [b'#', ..] => self.accounting.skipped("comment"),
            [b'[', ..] => self.event(&serde_json::from_str::<List<Raw>>(text)?.items, place)?,
            _ => self.header(&serde_json::from_str(text)?, place),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Recording {
    fn header(&mut self, header: &Header, place: Locator) {
        // One that is added to the end of a file begins anew; anything else in the middle is no header.
        let again = self.header.record > 0;
        if again && header.version.get().is_none() {
            return self.no_event(place);
        }
        if !checked(&header.stray, header.fault(), place, &mut self.diagnostics) {
            return self.accounting.damaged();
        }
        let term = &header.term.0;
        let either = |one: &Number, other: &Number| one.count().or(other.count()).map(|count| count as usize);
        let size = either(&header.width.0, &term.columns.0).zip(either(&header.height.0, &term.rows.0));
        if let Some((columns, rows)) = size {
            self.sizes.push((self.text.len(), Size::new(columns, rows)));
        }
        self.relative = header.version.get().is_some_and(|version| version >= 3.0);
        (self.began, self.clock) = (moment::of(header.timestamp.0), 0.0);
        if !again {
            (self.title, self.command, self.header) = (header.title.owned(), header.command.owned(), place);
        }
        self.accounting.used();
    }

    /// An event; an error where a text in it is damaged.
    fn event(&mut self, items: &[Raw], place: Locator) -> Result<(), serde_json::Error> {
        let texts = items.iter().skip(1).take(2).flatten().map(|raw| serde_json::from_str(raw.get()));
        match (items, texts.collect::<Result<Vec<Text>, _>>()?.as_slice()) {
            ([at, ..], [Text::Is(code), Text::Is(data)]) => self.happened(*at, code, data, place),
            _ => self.no_event(place),
        }
        Ok(())
    }

    fn happened(&mut self, at: Raw, code: &str, data: &str, place: Locator) {
        let seconds = at.and_then(|raw| raw.get().parse::<f64>().ok()).filter(|n| (0.0..1e9).contains(n));
        if seconds.is_none() {
            self.diagnostics.add(DiagCode::FieldWrongType, place, format!("no time on line {}", place.line));
        }
        match self.relative {
            true => self.clock += seconds.unwrap_or(0.0),
            false => self.clock = seconds.unwrap_or(self.clock),
        }
        match code {
            "o" => {
                self.outputs.push(Output { at: self.text.len(), time: seconds.and_then(|_| self.now()), place });
                self.text += data;
            }
            "i" => self.accounting.skipped("input"),
            "m" => self.accounting.skipped("marker"),
            "r" => {
                let size = data.split_once('x').and_then(|(w, h)| Some(Size::new(w.parse().ok()?, h.parse().ok()?)));
                self.sizes.extend(size.map(|size| (self.text.len(), size)));
                self.accounting.skipped("resize");
            }
            "x" => {
                self.exit = data.trim().parse().ok();
                self.accounting.skipped("exit");
            }
            other => {
                let told = format!("an event `{}`", other.chars().take(20).collect::<String>());
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                self.accounting.unknown(other);
            }
        }
    }

    fn no_event(&mut self, place: Locator) {
        let told = format!("no event `[time, code, text]` on line {}", place.line);
        self.diagnostics.add(DiagCode::RecordDamaged, place, told);
        self.accounting.damaged();
    }

    fn now(&self) -> Option<Timestamp> {
        Some(Timestamp::from_millis(self.began?.millis() + (self.clock * 1e3).round() as i64))
    }

    /// The outputs that a stretch of the text was written by.
    fn outputs(&self, span: ByteSpan) -> Range<usize> {
        let first = self.outputs.partition_point(|output| output.at <= span.start).saturating_sub(1);
        first..self.outputs.partition_point(|output| output.at < span.end).max(first)
    }

    /// When a byte of the text was written.
    fn time(&self, at: usize) -> Option<Timestamp> {
        self.outputs[self.outputs(ByteSpan::new(at, at + 1))].first()?.time
    }

    /// Where the lines lie whose output stands on rows.
    fn place(&self, page: &Page, rows: Range<usize>) -> Locator {
        let from = page.row(rows.start).start;
        let to = rows.filter_map(|at| page.row(at).runs().last()).map(|run| run.end).max().unwrap_or(from + 1);
        match &self.outputs[self.outputs(ByteSpan::new(from, to))] {
            [first, .., last] => {
                Locator { bytes: ByteSpan::new(first.place.bytes.start, last.place.bytes.end), ..first.place }
            }
            [only] => only.place,
            [] => Locator::default(),
        }
    }

    fn finish(mut self, format: &'static str, stem: &str, diagnostics: Diagnostics) -> Parsed {
        let page = Page::of(&self.text, &self.sizes);
        let parts = console::parts(&page);
        let mut fates = Fates::of(&self, &page);
        let mut sessions: Vec<(usize, SessionBuilder)> = Vec::new();
        for run in parts.chunk_by(|a, b| a.run == b.run).filter(|run| run[0].run.is_some()) {
            let mut session = self.session(format, console::id(stem, &run[0]));
            self.run(&mut session, &page, run, &mut fates);
            sessions.push((page.row(run[0].rows.start).start, session));
        }
        if sessions.is_empty() {
            let mut session = self.session(format, stem.to_string());
            self.shell(&mut session, &page, &mut fates);
            sessions.push((0, session));
        }
        let mut parsed = Parsed::default();
        for (output, fate) in self.outputs.iter().zip(&fates.0) {
            let session = sessions.iter_mut().rfind(|(from, _)| *from <= output.at);
            fate.count(session.map_or(&mut parsed.unassigned, |(_, session)| &mut session.accounting));
        }
        match sessions.as_mut_slice() {
            [(_, only)] => {
                only.accounting.merge(&std::mem::take(&mut self.accounting));
                only.diagnostics.extend(diagnostics);
            }
            _ => {
                parsed.unassigned.merge(&self.accounting);
                parsed.diagnostics.extend(diagnostics);
            }
        }
        sessions.into_iter().for_each(|(_, session)| parsed.add(session.finish()));
        parsed
    }

    fn session(&self, format: &'static str, id: String) -> SessionBuilder {
        let mut session = SessionBuilder::new(format);
        session.info.id = id;
        session.info.title.clone_from(&self.title);
        session
    }

    /// A run of an agent.
    fn run(&self, session: &mut SessionBuilder, page: &Page, run: &[Part], fates: &mut Fates) {
        let columns = self.sizes.last().map(|(_, size)| size.columns());
        let place = |part: &Part| (self.place(page, part.rows.clone()), self.time(page.row(part.rows.start).start));
        let told = console::tell(session, page, run, columns, place);
        for (part, _) in run.iter().zip(told).filter(|(_, told)| *told == Told::Used) {
            fates.set(self, page, part.rows.clone(), Fate::Used);
        }
    }

    /// What was typed; else the one command that was recorded.
    fn shell(&self, session: &mut SessionBuilder, page: &Page, fates: &mut Fates) {
        let commands = shell_session::commands(page);
        shell_session::tell(session, page, &commands, |rows| self.place(page, rows), |at| self.time(at));
        for command in &commands {
            fates.set(self, page, command.typed.start..command.output.end, Fate::Used);
        }
        if let Some(command) = self.command.as_deref().filter(|_| commands.is_empty()) {
            let origin = Origin { place: self.header, time: self.began, ..Default::default() };
            session.call(origin, "shell", ToolKind::Shell, shell_session::input(command));
            if !page.is_empty() {
                let rows = 0..page.len();
                let result = ResultOf::new(shell_session::text(page, rows.clone()), self.place(page, rows.clone()));
                session.result_of_last(ResultOf {
                    time: self.exit.and_then(|_| self.now()),
                    ..result.ended(self.ended())
                });
                fates.set(self, page, rows, Fate::Used);
            }
            session.info.records_outcome = self.exit.is_some();
        }
    }

    /// How the recorded command ended.
    fn ended(&self) -> (Outcome, Exit) {
        match self.exit {
            None => (Outcome::NotRecorded, Exit::NotRecorded),
            Some(0) => (Outcome::Ok, Exit::Code(0)),
            Some(code) => (Outcome::Failed, Exit::Code(code)),
        }
    }
}

/// What became of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Nothing of it stayed on the terminal.
    Overwritten,
    /// It stayed, and belongs to no message.
    Shown,
    /// It stayed, and a message holds it.
    Used,
}

impl Fate {
    fn count(self, accounting: &mut Accounting) {
        match self {
            Fate::Overwritten => accounting.skipped("overwritten"),
            Fate::Shown => accounting.skipped("terminal-output"),
            Fate::Used => accounting.used(),
        }
    }
}

/// What became of each output.
struct Fates(Vec<Fate>);

impl Fates {
    fn of(recording: &Recording, page: &Page) -> Self {
        let mut fates = Self(vec![Fate::Overwritten; recording.outputs.len()]);
        fates.set(recording, page, 0..page.len(), Fate::Shown);
        fates
    }

    fn set(&mut self, recording: &Recording, page: &Page, rows: Range<usize>, fate: Fate) {
        for run in rows.flat_map(|at| page.row(at).runs().collect::<Vec<_>>()) {
            self.0[recording.outputs(run)].fill(fate);
        }
    }
}
