//! What a terminal showed of the bytes that programs wrote to it: escape codes obeyed, overwritten progress and erased
//! status lines gone, wrapped lines whole. Every row keeps the way back to the text that it was printed from. Kept as a
//! transcript, not as a screen: what a program cleared had been shown and stays, what it drew on the alternate screen is
//! an interface and no output.

use std::{collections::VecDeque, mem};

use unicode_width::UnicodeWidthChar;

use crate::{
    base::span::{ByteSpan, floor},
    text::ansi,
};

/// Columns and rows of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    columns: usize,
    rows: usize,
}

/// Widest terminal: what edits a row costs that much at most.
const WIDEST: usize = 1024;
/// Highest terminal: how many rows a cursor can go back.
const HIGHEST: usize = 256;
/// How many columns of one wrapped row stay within reach of the cursor, at least.
const REACH: usize = 32 * WIDEST;
/// How many blank rows in a row are kept.
const BLANKS: usize = 64;
/// Longest text that is read, so that places fit into 32 bits.
const LONGEST: usize = u32::MAX as usize - 1;

impl Size {
    /// A terminal of so many columns and rows; of absurd numbers the nearest that makes sense.
    pub fn new(columns: usize, rows: usize) -> Self {
        Self { columns: columns.clamp(2, WIDEST), rows: rows.clamp(1, HIGHEST) }
    }

    /// The columns.
    pub fn columns(self) -> usize {
        self.columns
    }
}

impl Default for Size {
    /// What is taken where nothing tells the size: so wide that nothing wraps that is no data.
    fn default() -> Self {
        Self::new(WIDEST, 50)
    }
}

/// The rows of a transcript.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
    rows: Vec<Meta>,
    runs: Vec<Run>,
    blanks: usize,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'p> {
    /// What stands on it; blanks at its end only where they were printed.
    pub text: &'p str,
    /// Where in the text that was read its first character that stayed was printed; of a blank row, where it ended.
    pub start: usize,
    /// Whether it begins in bold.
    pub bold: bool,
    /// From where in `text` on it was written while the shell let the user type (bracketed paste), if at all.
    pub typed: Option<usize>,
    runs: &'p [Run],
}

impl Row<'_> {
    /// The stretches of the text that was read that are still seen in it.
    pub fn runs(&self) -> impl Iterator<Item = ByteSpan> {
        self.runs.iter().map(|run| ByteSpan::new(run.start as usize, run.end as usize))
    }
}

#[derive(Clone, Copy, Debug)]
struct Meta {
    end: u32,
    start: u32,
    runs: u32,
    typed: u32,
    bold: bool,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    start: u32,
    end: u32,
}

/// In place of a position: nowhere.
const NONE: u32 = u32::MAX;

impl Page {
    /// Reads a text on a terminal. `sizes` tells from which byte of the text on the terminal has which size, in order.
    pub fn of(text: &str, sizes: &[(usize, Size)]) -> Self {
        let text = &text[..floor(text, LONGEST)];
        let mut screen = Screen::new(text);
        let (mut at, mut sizes) = (0, sizes.iter().peekable());
        while at < text.len() {
            while let Some((_, size)) = sizes.next_if(|(from, _)| *from <= at) {
                screen.size = *size;
            }
            at += screen.step(at);
        }
        screen.finish()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row.
    ///
    /// # Panics
    /// Behind the last one.
    pub fn row(&self, at: usize) -> Row<'_> {
        let meta = self.rows[at];
        let (from, runs) = match at.checked_sub(1).map(|before| self.rows[before]) {
            Some(before) => (before.end as usize, before.runs as usize),
            None => (0, 0),
        };
        Row {
            text: &self.text[from..meta.end as usize],
            start: meta.start as usize,
            bold: meta.bold,
            typed: (meta.typed != NONE).then_some(meta.typed as usize),
            runs: &self.runs[runs..meta.runs as usize],
        }
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(|at| self.row(at))
    }

    fn push(&mut self, line: &mut Line, source: &str) {
        let Some(touched) = line.touched else { return };
        line.settle(usize::MAX, source);
        let blank = line.text.is_empty();
        self.blanks = if blank { self.blanks + 1 } else { 0 };
        if self.blanks > BLANKS || self.text.len() + line.text.len() > LONGEST {
            return;
        }
        self.text += &line.text;
        self.runs.append(&mut line.runs);
        self.rows.push(Meta {
            end: self.text.len() as u32,
            start: if blank { touched } else { line.start },
            runs: self.runs.len() as u32,
            typed: if line.typed == NONE && line.asked { line.text.len() as u32 } else { line.typed },
            bold: line.bold,
        });
    }
}

/// One column of a row: a stretch of the text, usually one character.
#[derive(Clone, Copy, Debug)]
struct Cell {
    at: u32,
    len: u8,
    bold: bool,
    typed: bool,
}

/// Nothing was printed there.
const BLANK: Cell = Cell { at: NONE, len: 0, bold: false, typed: false };
/// The rest of a wide character or of a tabulator.
const REST: Cell = Cell { at: NONE, len: 1, bold: false, typed: false };

/// A row that the cursor can still reach. Wrapped rows are one line; their segments are what a terminal shows as rows.
#[derive(Debug)]
struct Line {
    cells: Vec<Cell>,
    /// How many columns before `cells` are settled.
    settled: usize,
    touched: Option<u32>,
    text: String,
    runs: Vec<Run>,
    start: u32,
    typed: u32,
    /// The shell let the user type here, whether anything was typed or not.
    asked: bool,
    bold: bool,
}

impl Line {
    fn new() -> Self {
        Self {
            cells: Vec::new(),
            settled: 0,
            touched: None,
            text: String::new(),
            runs: Vec::new(),
            start: NONE,
            typed: NONE,
            asked: false,
            bold: false,
        }
    }

    fn width(&self) -> usize {
        self.settled + self.cells.len()
    }

    /// The cells from a column on.
    fn from(&mut self, x: usize) -> &mut [Cell] {
        let at = x.saturating_sub(self.settled).min(self.cells.len());
        &mut self.cells[at..]
    }

    fn put(&mut self, x: usize, cell: Cell) {
        let at = x.saturating_sub(self.settled);
        match self.cells.get_mut(at) {
            Some(old) => *old = cell,
            None => {
                self.cells.resize(at, BLANK);
                self.cells.push(cell);
            }
        }
    }

    fn cut(&mut self, x: usize) {
        self.cells.truncate(x.saturating_sub(self.settled));
    }

    /// Turns the first cells into text, for good.
    fn settle(&mut self, most: usize, source: &str) {
        let count = self.cells.len().min(most);
        for cell in self.cells.drain(..count) {
            match cell {
                Cell { at: NONE, len: 0, .. } => self.text.push(' '),
                Cell { at: NONE, .. } => {}
                Cell { at, len, bold, typed } => {
                    if self.text.is_empty() {
                        self.bold = bold;
                    }
                    if typed && self.typed == NONE {
                        self.typed = self.text.len() as u32;
                    }
                    self.start = self.start.min(at);
                    let end = at + u32::from(len);
                    self.text += &source[at as usize..end as usize];
                    match self.runs.last_mut() {
                        Some(run) if run.end == at => run.end = end,
                        _ => self.runs.push(Run { start: at, end }),
                    }
                }
            }
        }
        self.settled += count;
    }
}

struct Screen<'t> {
    source: &'t str,
    size: Size,
    page: Page,
    /// The rows on the screen.
    live: VecDeque<Line>,
    y: usize,
    /// Column in the line, over all its segments.
    x: usize,
    /// The cursor stands behind the last column of its segment, not in the first of the next.
    full: bool,
    saved: (usize, usize),
    bold: bool,
    typing: bool,
    alternate: bool,
}

impl<'t> Screen<'t> {
    fn new(source: &'t str) -> Self {
        Self {
            source,
            size: Size::default(),
            page: Page::default(),
            live: VecDeque::from([Line::new()]),
            y: 0,
            x: 0,
            full: false,
            saved: (0, 0),
            bold: false,
            typing: false,
            alternate: false,
        }
    }

    fn finish(mut self) -> Page {
        self.new_page();
        self.page
    }

    fn line(&mut self) -> &mut Line {
        &mut self.live[self.y]
    }

    /// Obeys what stands at a byte of the text; how many bytes that is.
    fn step(&mut self, at: usize) -> usize {
        let bytes = &self.source.as_bytes()[at..];
        if let Some(length) = ansi::length(bytes) {
            self.obey(&bytes[..length], at);
            return length;
        }
        match bytes[0] {
            b'\n' | 0x0B | 0x0C => self.newline(at),
            b'\r' => self.go_to_column(0),
            0x08 => self.go_to_column((self.x - self.segment()).saturating_sub(1)),
            b'\t' => self.tabulator(at),
            0..0x20 | 0x7F => {}
            _ => {
                let c = self.source[at..].chars().next().expect("a step ends on a boundary");
                self.print(c, at);
                return c.len_utf8();
            }
        }
        1
    }

    /// Column at which the cursor's segment begins.
    fn segment(&self) -> usize {
        let at = if self.full { self.x - 1 } else { self.x };
        at - at % self.size.columns
    }

    /// The column behind the cursor's segment.
    fn segment_end(&self) -> usize {
        self.segment() + self.size.columns
    }

    fn go_to_column(&mut self, column: usize) {
        let segment = self.segment();
        self.full = false;
        self.x = segment + column.min(self.size.columns - 1);
    }

    fn print(&mut self, c: char, at: usize) {
        let (width, len) = (c.width().unwrap_or(0), c.len_utf8() as u8);
        if self.alternate || c.is_control() {
            return;
        }
        if width == 0 {
            return self.combine(at, len);
        }
        if width == 2 && self.x % self.size.columns + 1 == self.size.columns {
            let x = self.x;
            self.line().put(x, REST);
            self.x += 1;
        }
        self.cell(Cell { at: at as u32, len, bold: self.bold, typed: self.typing });
        if width == 2 {
            self.cell(REST);
        }
        self.settle_far();
    }

    fn cell(&mut self, cell: Cell) {
        let x = self.x;
        let line = self.line();
        line.touched.get_or_insert(cell.at);
        line.put(x, cell);
        self.x += 1;
        self.full = self.x.is_multiple_of(self.size.columns);
    }

    /// A character without a width belongs to the one before it.
    fn combine(&mut self, at: usize, len: u8) {
        let line = self.line();
        let before = line.cells.iter_mut().rev().take(2).find(|cell| cell.at != NONE);
        if let Some(cell) = before.filter(|cell| cell.at as usize + usize::from(cell.len) == at) {
            cell.len = cell.len.checked_add(len).unwrap_or(cell.len);
        }
    }

    /// A tabulator moves on; where nothing stands yet it is kept as it is.
    fn tabulator(&mut self, at: usize) {
        let column = self.x - self.segment();
        let stop = (column / 8 * 8 + 8).min(self.size.columns - 1);
        if !self.alternate && self.x >= self.live[self.y].width() && column < stop {
            self.cell(Cell { at: at as u32, len: 1, bold: self.bold, typed: self.typing });
            for _ in column + 1..stop {
                self.cell(REST);
            }
            return;
        }
        self.go_to_column(stop);
    }

    /// Long lines are settled up to what the cursor can reach.
    fn settle_far(&mut self) {
        let columns = self.size.columns;
        let source = self.source;
        let line = self.line();
        if line.cells.len() > 2 * REACH {
            let far = line.cells.len() - REACH;
            line.settle(far - far % columns, source);
        }
    }

    /// The next line, as terminals make one of what programs write: at its beginning.
    fn newline(&mut self, at: usize) {
        if self.alternate {
            return;
        }
        self.line().touched.get_or_insert(at as u32);
        self.down();
        self.go_to_column(0);
    }

    fn down(&mut self) {
        if self.segment_end() < self.live[self.y].width() {
            self.x += self.size.columns;
            return;
        }
        self.x -= self.segment();
        self.full = false;
        self.y += 1;
        self.reach();
    }

    fn up(&mut self) {
        let columns = self.size.columns;
        if self.segment() > self.live[self.y].settled {
            self.x -= columns;
        } else if self.y > 0 {
            let column = self.x - self.segment();
            self.y -= 1;
            let width = self.live[self.y].width().saturating_sub(1);
            self.full = false;
            self.x = width - width % columns + column.min(columns - 1);
        }
    }

    /// Makes the row of the cursor one that there is, the screen moving on where it must.
    fn reach(&mut self) {
        while self.live.len() <= self.y {
            self.live.push_back(Line::new());
        }
        while self.live.len() > self.size.rows.max(1) && self.y > 0 {
            let mut line = self.live.pop_front().expect("more than one");
            self.page.push(&mut line, self.source);
            self.y -= 1;
        }
    }

    /// Everything that was shown is kept, and a new screen begins.
    fn new_page(&mut self) {
        for mut line in mem::take(&mut self.live) {
            self.page.push(&mut line, self.source);
        }
        self.live.push_back(Line::new());
        (self.y, self.x, self.full) = (0, 0, false);
    }

    /// Does what a sequence says. Titles, links and clipboards are nothing that is shown.
    fn obey(&mut self, sequence: &[u8], at: usize) {
        match sequence {
            [0x1B, b'[', rest @ ..] | [0xC2, 0x9B, rest @ ..] => self.control(rest),
            b"\x1b7" => self.saved = (self.y, self.x),
            b"\x1b8" => self.restore(),
            b"\x1bD" | b"\x1bE" => self.newline(at),
            b"\x1bM" if !self.alternate => self.up(),
            b"\x1bc" => self.new_page(),
            _ => {}
        }
    }

    fn restore(&mut self) {
        (self.y, self.x) = (self.saved.0.min(self.live.len() - 1), self.saved.1);
        self.x = self.x.clamp(self.live[self.y].settled, self.live[self.y].width());
        self.full = false;
    }

    /// A control sequence behind its introducer.
    fn control(&mut self, rest: &[u8]) {
        let Some((last, parameters)) = rest.split_last() else { return };
        let (private, written) = match parameters {
            [b'?', written @ ..] => (true, written),
            written => (false, written),
        };
        let written = std::str::from_utf8(written).unwrap_or_default();
        match (private, last) {
            (true, b'h' | b'l') => written.split(';').for_each(|mode| self.mode(mode, *last == b'h')),
            (true, _) => {}
            (false, b'm') => self.style(written),
            (false, _) if !self.alternate => self.motion(*last, written),
            (false, _) => {}
        }
    }

    fn mode(&mut self, mode: &str, on: bool) {
        match mode {
            "2004" => {
                self.typing = on;
                if let Some(line) = self.live.get_mut(self.y).filter(|_| on) {
                    line.asked = true;
                }
            }
            "47" | "1047" | "1049" => self.alternate = on,
            _ => {}
        }
    }

    fn style(&mut self, written: &str) {
        let mut codes = written.split(';');
        while let Some(code) = codes.next() {
            match code {
                "" | "0" | "00" | "22" => self.bold = false,
                "1" | "01" => self.bold = true,
                // A colour by its number or its parts, which are no codes.
                "38" | "48" | "58" => match codes.next() {
                    Some("5") => _ = codes.next(),
                    Some("2") => _ = codes.nth(2),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Moves the cursor, erases, inserts.
    fn motion(&mut self, last: u8, written: &str) {
        let mut numbers = written.split(';').map(|n| n.parse::<usize>().ok());
        let mut next = || numbers.next().flatten();
        let first = next();
        let count = first.unwrap_or(1).clamp(1, WIDEST);
        let column = self.x - self.segment();
        match last {
            b'A' | b'F' => (0..count.min(HIGHEST)).for_each(|_| self.up()),
            b'B' | b'E' => self.go_down(count),
            b'C' => self.go_to_column(column + count),
            b'D' => self.go_to_column(column.saturating_sub(count)),
            b'G' | b'`' => self.go_to_column(count - 1),
            b'H' | b'f' => {
                let to = next().unwrap_or(1).clamp(1, self.size.columns);
                self.go_to_row(count - 1);
                self.x = self.live[self.y].settled + to - 1;
            }
            b'd' => {
                self.go_to_row(count - 1);
                self.x = self.live[self.y].settled + column.min(self.size.columns - 1);
            }
            b'J' => self.erase_screen(first.unwrap_or(0)),
            b'K' => self.erase_segment(first.unwrap_or(0)),
            b'P' => self.shift_out(count),
            b'@' => self.shift_in(count),
            b'X' => {
                let (x, end) = (self.x, (self.x + count).min(self.segment_end()));
                self.line().from(x).iter_mut().take(end - x).for_each(|cell| *cell = BLANK);
            }
            b's' => self.saved = (self.y, self.x),
            b'u' => self.restore(),
            _ => {}
        }
        if matches!(last, b'E' | b'F') {
            self.go_to_column(0);
        }
    }

    fn go_to_row(&mut self, row: usize) {
        self.y = row.min(self.size.rows - 1);
        self.full = false;
        self.reach();
    }

    /// Down, but not below the screen.
    fn go_down(&mut self, count: usize) {
        for _ in 0..count.min(HIGHEST) {
            if self.y + 1 < self.size.rows || self.segment_end() < self.live[self.y].width() {
                self.down();
            }
        }
    }

    fn erase_screen(&mut self, what: usize) {
        let home = self.y == 0 && self.x == self.live[0].settled;
        match what {
            0 if !home => {
                let (x, y) = (self.x, self.y);
                self.live.truncate(y + 1);
                self.line().cut(x);
            }
            0 | 2 | 3 => self.new_page(),
            _ => {}
        }
    }

    fn erase_segment(&mut self, what: usize) {
        let (from, to) = match what {
            0 => (self.x, self.segment_end()),
            1 => (self.segment(), self.x + 1),
            2 => (self.segment(), self.segment_end()),
            _ => return,
        };
        let line = self.line();
        match to < line.width() {
            true => line.from(from).iter_mut().take(to - from).for_each(|cell| *cell = BLANK),
            false if what == 1 => line.from(from).fill(BLANK),
            false => line.cut(from),
        }
    }

    /// Takes cells out at the cursor; the rest of the segment moves up.
    fn shift_out(&mut self, count: usize) {
        let (x, end) = (self.x, self.segment_end());
        let line = self.line();
        let last = end >= line.width();
        let cells = line.from(x);
        let reach = cells.len().min(end - x);
        let count = count.min(reach);
        cells[..reach].rotate_left(count);
        cells[reach - count..reach].fill(BLANK);
        if last {
            let width = line.width();
            line.cut(width - count);
        }
    }

    /// Makes room at the cursor; what moves out of the segment is gone.
    fn shift_in(&mut self, count: usize) {
        let (x, end) = (self.x, self.segment_end());
        let line = self.line();
        if x >= line.width() {
            return;
        }
        if end > line.width() {
            let wanted = (line.width() + count).min(end);
            line.cells.resize(wanted - line.settled, BLANK);
        }
        let cells = line.from(x);
        let reach = cells.len().min(end - x);
        let count = count.min(reach);
        cells[..reach].rotate_right(count);
        cells[..count].fill(BLANK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, columns: usize) -> Vec<String> {
        let page = Page::of(text, &[(0, Size::new(columns, 5))]);
        page.rows().map(|row| row.text.to_string()).collect()
    }

    #[test]
    fn progress_is_overwritten_and_status_lines_are_erased() {
        assert_eq!(shown("10%\r\x1b[2K20%\r30% done\r\nx\r\n", 40), ["30% done", "x"]);
        assert_eq!(shown("a\r\n| wait\r\n\x1b[1A\x1b[2Kb\r\n", 40), ["a", "b"]);
        assert_eq!(shown("abcd\x08\x08X\x1b[K\n", 40), ["abX"]);
        assert_eq!(shown("abcd\r\x1b[2Pxy\x1b[1@-\n", 40), ["xy-"]);
    }

    #[test]
    fn wrapped_rows_are_one() {
        // What readline writes at the right edge: a blank and back.
        assert_eq!(shown("$ echo ab \rcdef\r\n", 9), ["$ echo abcdef"]);
        assert_eq!(shown("123456789012\r\x1b[Ax\r\n", 10), ["x23456789012"]);
        assert_eq!(shown("1234567890\rx\r\n", 10), ["x234567890"]);
    }

    #[test]
    fn what_was_cleared_stays_and_the_alternate_screen_does_not() {
        assert_eq!(shown("a\r\n\x1b[H\x1b[J\x1b[3Jb\r\n\x1b[?1049hmenu\r\n\x1b[?1049lc\r\n", 40), ["a", "b", "c"]);
    }

    #[test]
    fn wide_and_combining_characters_keep_their_columns() {
        assert_eq!(shown("a\u{301}日本x\x1b[5Dz\n", 40), ["a\u{301}z本x"]);
        assert_eq!(shown("a\tb\n", 40), ["a\tb"]);
    }

    #[test]
    fn codes_that_are_torn_or_strings_that_do_not_end_cost_one_line() {
        assert_eq!(shown("a\x1b]0;title\nb\x1b[\nc\x1b", 40), ["a", "b", "c"]);
    }

    #[test]
    fn rows_lead_back_to_what_they_were_printed_from() {
        let text = "old\rnew\x1b[1m!\x1b[0m\n\x1b[1;38;5;1mB\x1b[0m\n\x1b[?2004h$ ls\n";
        let page = Page::of(text, &[]);
        let runs: Vec<&str> = page.row(0).runs().filter_map(|run| run.of(text)).collect();
        assert_eq!((page.row(0).text, runs), ("new!", vec!["new", "!"]));
        assert_eq!((page.row(0).start, page.row(0).bold, page.row(1).bold), (4, false, true));
        assert_eq!((page.row(1).typed, page.row(2).typed), (None, Some(0)));
    }

    #[test]
    fn absurd_sizes_and_jumps_are_bounded() {
        let jumps = "\x1b[2J\x1b[99999;99999Hx".repeat(2000);
        assert_eq!(Page::of(&jumps, &[(0, Size::new(0, 0))]).len(), 2000);
        assert!(Page::of(&"\n".repeat(100_000), &[]).len() <= BLANKS);
        let long = "x".repeat(300_000);
        assert_eq!(Page::of(&format!("{long}\ny"), &[(0, Size::new(80, 24))]).row(0).text, long);
    }
}
