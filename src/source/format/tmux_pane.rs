//! A terminal's scrollback (`tmux capture-pane`) in which `claude -p --output-format stream-json` ran: each record wrapped
//! at the width of the terminal, blanks at the ends of lines lost, with other output around it. Records are put together
//! again and read as the stream that they are; everything else counts as terminal output.

use unicode_width::UnicodeWidthStr;

use super::{Card, Format, Recorded, claude_stream::Loader};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
    },
    source::{Parsed, document::Source, frame::Records, open::Input, seen::Seen, sniff::Sniff},
};

/// See the module.
pub struct TmuxPane;

/// How a record begins, at the beginning of a line.
const BEGINS: &str = "{\"type\":\"";
/// Fewest wrapped records that tell a scrollback.
const FEWEST: usize = 2;
/// Narrowest terminal that is taken for one.
const NARROWEST: usize = 40;

impl Format for TmuxPane {
    fn name(&self) -> &'static str {
        "tmux-pane"
    }

    fn about(&self) -> &'static str {
        "scrollback of a terminal in which `claude -p --output-format stream-json` ran"
    }

    fn card(&self) -> Card {
        use Recorded::{Cwd, Exits, Failures, Models, Reasoning, Subagents, Todos, Tokens};
        let records = &[Models, Tokens, Exits, Failures, Cwd, Todos, Reasoning, Subagents];
        Card { agent: "Claude Code", versions: "stream-json of 1.0 to 2.1, any width", records }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let text = seen.text();
        let none = || Sniff::No("no JSON records wrapped at the width of a terminal".into());
        // Measuring lines is dear, and most inputs hold no record at all.
        if !text.contains(BEGINS) {
            return none();
        }
        let width = width(text);
        let lines: Vec<&str> = text.lines().collect();
        let wrapped = lines.windows(2).filter(|pair| {
            pair[0].starts_with(BEGINS) && pair[0].width() + 1 >= width && !pair[1].starts_with(['{', '['])
        });
        match wrapped.count() {
            found if found >= FEWEST && width >= NARROWEST => {
                Sniff::Yes(84, format!("{found} records wrapped at {width} columns"))
            }
            _ => none(),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::plain(&bytes);
        let mut diagnostics = Diagnostics::default();
        source.report_repairs(&mut diagnostics);
        let mut pane = Pane { width: width(source.text()), source: &source, diagnostics, ..Pane::new(&source) };
        for (number, line) in source.text().split_inclusive('\n').enumerate() {
            pane.line(number as u32 + 1, line);
        }
        pane.close();
        let mut parsed = pane.loader.finish(self.name(), input.stem(), pane.diagnostics);
        for _ in 0..pane.others {
            parsed.unassigned.skipped("terminal-output");
        }
        Ok(parsed)
    }
}

/// The width of the terminal: that of the widest line, in cells.
fn width(text: &str) -> usize {
    // Characters beside the ordinary ones may count for more cells than the terminal gave them: the width is the one that
    // most of the long lines share.
    let mut counts = std::collections::BTreeMap::new();
    for line in text.lines() {
        let cells = line.width();
        if cells >= NARROWEST {
            *counts.entry(cells).or_insert(0_usize) += 1;
        }
    }
    counts.into_iter().max_by_key(|(cells, count)| (*count, *cells)).map_or(0, |(cells, _)| cells)
}

/// The scrollback on its way.
struct Pane<'a> {
    source: &'a Source<'a>,
    width: usize,
    loader: Loader,
    diagnostics: Diagnostics,
    /// The record that is being put together, its first line, its bytes in the text.
    open: Option<(String, u32, ByteSpan)>,
    at: usize,
    records: u32,
    others: u64,
}

impl<'a> Pane<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Self {
            source,
            width: 0,
            loader: Loader::default(),
            diagnostics: Diagnostics::default(),
            open: None,
            at: 0,
            records: 0,
            others: 0,
        }
    }

    fn line(&mut self, number: u32, line: &str) {
        let span = ByteSpan::new(self.at, self.at + line.len());
        self.at = span.end;
        let bare = line.trim_end_matches(['\n', '\r']);
        if bare.starts_with(BEGINS) {
            self.close();
            self.open = Some((String::new(), number, ByteSpan::new(span.start, span.start)));
        }
        let Some((text, _, bytes)) = self.open.as_mut() else {
            self.others += u64::from(!bare.trim().is_empty());
            return;
        };
        text.push_str(bare);
        bytes.end = span.end;
        let cells = bare.width();
        if cells + 1 < self.width {
            match serde_json::from_str::<serde::de::IgnoredAny>(text) {
                Ok(_) => self.close(),
                // The line was full: the terminal lost the blanks at its end.
                Err(error) if error.is_eof() => text.push_str(&" ".repeat(self.width - cells)),
                Err(_) => self.close(),
            }
        }
    }

    /// Hands the record over, as far as it was put together.
    fn close(&mut self) {
        let Some((text, line, bytes)) = self.open.take() else { return };
        self.records += 1;
        let place = Locator { record: self.records, line, bytes: self.source.raw(bytes) };
        if let Err(error) = self.loader.record(&text, place) {
            let code = if error.is_eof() { DiagCode::RecordTorn } else { DiagCode::RecordDamaged };
            self.diagnostics.add(code, place, format!("line {line}: {error}"));
            self.loader.lost(place);
        }
    }
}
