//! What a layout reads off a page: headings and pieces of lines in rows and columns, nothing interpreted yet.

use std::ops::Range;

use super::clean::Page;

/// A stretch of one line; empty where a row has nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Piece {
    /// Index of the line.
    pub line: usize,
    /// Bytes in the cleaned line.
    pub range: Range<usize>,
}

impl Piece {
    /// The stretch without blanks around it.
    pub fn trimmed(page: &Page, line: usize, range: Range<usize>) -> Self {
        let text = page.text(line).get(range.clone()).unwrap_or("");
        let start = range.start + (text.len() - text.trim_start().len());
        Self { line, range: start..start + text.trim().len() }
    }

    /// Nothing, on this line.
    pub fn empty(line: usize) -> Self {
        Self { line, range: 0..0 }
    }

    /// What it says.
    pub fn of<'p>(&self, page: &'p Page) -> &'p str {
        page.text(self.line).get(self.range.clone()).unwrap_or("")
    }
}

/// Heading of a column.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Head {
    /// Its own words; "" for none.
    pub name: String,
    /// Words of a line of units below it.
    pub unit: String,
    /// Words of a heading above that spans it.
    pub group: String,
}

/// How much the layout itself says that this is a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Drawn {
    /// Only alignment.
    Aligned,
    /// Separators or a rule.
    Marked,
}

/// A table as read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Caption above it.
    pub title: Option<String>,
    /// One per column.
    pub heads: Vec<Head>,
    /// Pieces; each row as long as `heads`.
    pub rows: Vec<Vec<Piece>>,
    /// How it is drawn.
    pub drawn: Drawn,
    /// It goes on past what is shown.
    pub truncated: bool,
    /// Line after it.
    pub next: usize,
}

/// Marks by which somebody says that more was there.
const ELLIPSES: &[&str] = &["...", "…", "[...]", "(...)", ".."];

impl Grid {
    /// A table without rows yet, drawn with marks.
    pub fn marked(heads: Vec<Head>, next: usize) -> Self {
        Grid { title: None, heads, rows: Vec::new(), drawn: Drawn::Marked, truncated: false, next }
    }

    /// Reads what follows the last row: an ellipsis, alone or after the key of a row, says that the table goes on.
    pub fn read_end(&mut self, page: &Page) {
        let text = page.text(self.next).trim();
        if ELLIPSES.contains(&text) {
            self.truncated = true;
            self.next += 1;
            return;
        }
        let key = ELLIPSES.iter().find_map(|e| text.strip_suffix(e)).map(str::trim);
        let Some(key) = key.filter(|k| !k.is_empty() && k.len() <= 40 && !k.contains("  ")) else { return };
        let line = page.text(self.next);
        let at = line.len() - line.trim_start().len();
        let mut row = vec![Piece::empty(self.next); self.heads.len()];
        row[0] = Piece { line: self.next, range: at..at + key.len() };
        self.rows.push(row);
        self.truncated = true;
        self.next += 1;
    }

    /// Caption in the line before `at`: short, no row of figures, no sentence.
    pub fn title_before(page: &Page, at: usize) -> Option<String> {
        let mut above = at.checked_sub(1)?;
        while above > 0 && matches!(page.kind(above), super::clean::Kind::Rule | super::clean::Kind::Blank) {
            if at - above > 2 {
                return None;
            }
            above -= 1;
        }
        let text = page.text(above).trim().trim_matches(['#', '*', '=', '-', ' ', ':', '_', '`']).trim();
        let plain = page.kind(above) == super::clean::Kind::Text && !text.is_empty() && text.len() <= 90;
        let marked = |c: char| matches!(c, '|' | '{' | '}' | ';' | '\u{2500}'..='\u{257f}');
        (plain && !text.contains(marked) && !text.ends_with(['.', ','])).then(|| text.to_string())
    }
}
