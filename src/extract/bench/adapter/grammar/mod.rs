//! A tool's grammar as data: the kinds of lines that it prints, each a pattern, and what stands in the groups: figures,
//! settings, counts, cells of a table.
//!
//! `rule` is the vocabulary, `pattern` compiles it, `run` and `row` take what a line gives, `figure` reads a number. There
//! are two ways to tell a tool's lines from others. Most tools print runs: one begins, settings hold until it ends, and
//! lines that no rule knows may stand in between. Others print lines that stand by themselves: what no rule knows ends the
//! stretch, and the parameters of a heading hold until the next.

mod figure;
mod pattern;
mod row;
mod rule;
mod run;

use std::borrow::Cow;

pub use figure::{breaks_off, plain, quantity, value_of};
pub use pattern::pattern;
pub use rule::{
    Give, Rule, begins, code, each, ends, fig, figure, heads, line, noise, opens, pairs, quality, row, section,
    setting, tells, whole,
};
pub use run::{Run, Seen};

use pattern::Patterns;
use rule::Place;

use super::{Taken, build::indent};
use crate::extract::bench::clean::{Kind, Page};

/// Lines that no rule knows, within a run, that are the tool's or noise. After more the stretch is cut in two.
const NOISE: usize = 6;

/// How far above a line its name may stand.
const ABOVE: usize = 3;

/// Kinds of lines, asked in order.
pub struct Grammar {
    rules: Cow<'static, [Rule]>,
    patterns: Patterns,
    /// Fewest figures, rows and counts by which a run is the tool's; lines stand by themselves where it is `None`.
    least: Option<usize>,
}

impl Grammar {
    /// A tool that prints runs, and the fewest figures, rows and counts by which one is the tool's.
    pub fn of_runs(least: usize, rules: &'static [Rule]) -> Self {
        Self { patterns: Patterns::new(rules, &[]), rules: Cow::Borrowed(rules), least: Some(least) }
    }

    /// A tool whose lines stand by themselves, and the figures that groups are named for.
    pub fn of_lines(figures: &[Give], rules: Vec<Rule>) -> Self {
        Self { patterns: Patterns::new(&rules, figures), rules: Cow::Owned(rules), least: None }
    }

    fn by_line(&self) -> bool {
        self.least.is_none()
    }

    /// The stretches of a page that the tool printed.
    pub fn read(&self, page: &Page) -> Vec<Taken> {
        let mut reader = Reader { grammar: self, page, run: None, above: None, done: Vec::new() };
        for at in 0..page.lines.len() {
            match (page.kind(at), self.by_line()) {
                (Kind::Blank, _) | (Kind::Rule, true) => {}
                (Kind::Code, true) => reader.unknown(at),
                (Kind::Prompt | Kind::Fence | Kind::Code, false) => reader.close(),
                _ => reader.line(at),
            }
        }
        reader.close();
        reader.done
    }

    /// The rule that knows a line.
    fn rule<'p>(&self, page: &'p Page<'p>, at: usize, running: bool) -> Option<(usize, Seen<'p>)> {
        let text = page.text(at);
        let anywhere = running || self.by_line();
        let fits = |i: &usize| anywhere || matches!(self.rules[*i].place, Place::Begins | Place::Opens);
        let i = self.patterns.set.matches(text).iter().find(fits)?;
        Some((i, Seen { page, line: at, found: self.patterns.each[i].captures(text)? }))
    }
}

/// A page half read.
struct Reader<'g, 'p> {
    grammar: &'g Grammar,
    page: &'p Page<'p>,
    run: Option<Run<'g>>,
    /// The last line that is not the tool's, until a figure follows it.
    above: Option<usize>,
    done: Vec<Taken>,
}

impl Reader<'_, '_> {
    fn line(&mut self, at: usize) {
        let Some((number, seen)) = self.grammar.rule(self.page, at, self.run.is_some()) else {
            return self.unknown(at);
        };
        let rule = &self.grammar.rules[number];
        if rule.place == Place::Begins {
            self.close();
        }
        let run = self.run.get_or_insert_with(|| Run::new(self.grammar));
        let far = |run: &Run| run.stretches.last().is_some_and(|s| at > s.lines.end + NOISE);
        run.parted |= !self.grammar.by_line() && far(run);
        let above = self.above.filter(|above| rule.above && !run.fresh && at - above <= ABOVE);
        let from = above.filter(|above| is_name(self.page, *above, at));
        if let Some(above) = from {
            run.name(self.page.text(above).trim().trim_end_matches(':'));
        }
        if !self.grammar.says_nothing(number) {
            self.above = None;
        }
        run.reaches(from.unwrap_or(at), at);
        run.line(number, rule, &seen);
        if rule.place == Place::Ends {
            self.close();
        }
    }

    /// A line that no rule knows.
    fn unknown(&mut self, at: usize) {
        if self.grammar.by_line() {
            self.above = Some(at).filter(|_| self.page.kind(at) == Kind::Text);
            self.run.iter_mut().for_each(|run| run.parted = true);
        }
    }

    /// Ends a run.
    fn close(&mut self) {
        self.done.extend(self.run.take().map(|run| run.close(self.page)).unwrap_or_default());
    }
}

impl Grammar {
    /// Whether a rule gives nothing: its lines are the tool's, and no more.
    fn says_nothing(&self, number: usize) -> bool {
        let named = &self.patterns.named[number];
        self.rules[number].gives.is_empty() && named.figures.is_empty() && named.params.is_empty()
    }
}

/// Whether a line is the name of what follows it: it stands further left, and is short.
fn is_name(page: &Page, above: usize, at: usize) -> bool {
    let (text, below) = (page.text(above), page.text(at));
    indent(text) < indent(below) && text.len() <= 300
}

impl Run<'_> {
    /// What the run gave; a number that a text broke off in is dropped.
    fn close(mut self, page: &Page) -> Vec<Taken> {
        let Some(least) = self.grammar.least else {
            // A stretch without a figure is nobody's.
            self.stretches.retain(|stretch| !stretch.metrics.is_empty());
            return self.stretches;
        };
        if let Some((line, true)) = self.latest
            && page.open
            && page.is_last(line)
        {
            figure::drop_cut(&mut self.stretch().metrics);
        }
        let given =
            |s: &Taken| s.metrics.len() + s.quality.len() + s.tables.iter().map(|t| t.rows.len()).sum::<usize>();
        if self.stretches.iter().map(given).sum::<usize>() < least.max(1) {
            return Vec::new();
        }
        self.stretches.retain(|s| given(s) > 0);
        self.stretches
    }
}
