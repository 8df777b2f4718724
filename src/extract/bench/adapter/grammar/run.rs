//! A run while it is read: what its lines said so far, and what they give.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;
use regex::Captures;

use super::{
    Grammar,
    figure::{self, NAME, parameter, plain, value_of},
    pattern::pattern,
    rule::{Give, Kinds, Place, Rule},
};
use crate::{
    base::unit::{Decimal, multiplier, number},
    extract::bench::{
        adapter::{Taken, build, build::Spec},
        cell,
        clean::Page,
        quality,
    },
    model::metric::{Measurement, Value},
};

/// Most settings that a run holds.
const SETTINGS: usize = 64;

/// A line that a rule knows.
pub struct Seen<'p> {
    /// The page.
    pub page: &'p Page<'p>,
    /// Its number.
    pub line: usize,
    /// The groups of the pattern.
    pub found: Captures<'p>,
}

impl Seen<'_> {
    /// The bytes of a group; empty where it is missing.
    pub fn range(&self, group: usize) -> Range<usize> {
        self.found.get(group).map_or(0..0, |m| m.range())
    }

    /// The text of a group.
    pub fn group(&self, group: usize) -> &str {
        self.found.get(group).map_or("", |m| m.as_str())
    }
}

/// A run while it is read.
pub struct Run<'g> {
    pub(super) grammar: &'g Grammar,
    pub(super) stretches: Vec<Taken>,
    /// The next line begins a stretch of its own.
    pub(super) parted: bool,
    /// Settings so far.
    pub params: Vec<(String, Value)>,
    /// Parameters of headings, by level.
    heads: Vec<(u8, String, Value)>,
    /// A heading gave a name, and no figure has been read under it yet.
    pub(super) fresh: bool,
    /// Parameters of the line that is being read.
    own: Vec<(String, Value)>,
    /// Heading of what follows.
    pub section: String,
    /// Its unit.
    pub section_unit: String,
    /// Settings that are printed before the runs that they belong to, by name.
    pub named: Vec<(String, Vec<(String, Value)>)>,
    pub(super) columns: Option<&'static [Spec]>,
    /// The last figure's line, and whether the figure ends it.
    pub(super) latest: Option<(usize, bool)>,
}

impl<'g> Run<'g> {
    pub(super) fn new(grammar: &'g Grammar) -> Self {
        Run {
            grammar,
            stretches: Vec::new(),
            parted: true,
            params: Vec::new(),
            heads: Vec::new(),
            fresh: false,
            own: Vec::new(),
            section: String::new(),
            section_unit: String::new(),
            named: Vec::new(),
            columns: None,
            latest: None,
        }
    }

    /// The stretch that is being read.
    pub fn stretch(&mut self) -> &mut Taken {
        if self.stretches.is_empty() {
            self.stretches.push(Taken::default());
        }
        self.stretches.last_mut().expect("just pushed")
    }

    /// Goes on with the stretch up to a line, which may begin `from` lines above; or begins one.
    pub(super) fn reaches(&mut self, from: usize, at: usize) {
        if std::mem::take(&mut self.parted) {
            self.stretches.push(Taken { lines: from..at, ..Taken::default() });
            self.columns = None;
        }
        let lines = &mut self.stretch().lines;
        *lines = lines.start.min(from)..at + 1;
    }

    /// Remembers a setting; a later one of the same name replaces it.
    pub fn set(&mut self, name: String, value: Value) {
        self.params.retain(|p| p.0 != name);
        if self.params.len() < SETTINGS {
            self.params.push((name, value));
        }
    }

    /// Takes a line for the name of what follows it.
    pub(super) fn name(&mut self, name: &str) {
        self.heads.retain(|known| known.1 != NAME);
        self.heads.push((1, NAME.to_string(), Value::Text(name.to_string())));
    }

    /// Takes a count that says whether the figures may be trusted.
    pub fn count(&mut self, name: &str, value: f64) {
        let stretch = self.stretch();
        // The line is the one that was reached last.
        stretch.quality_at.get_or_insert(stretch.lines.end.saturating_sub(1));
        quality::sum(&mut stretch.quality, name, value);
    }

    /// Takes a line that the rule of this number knows.
    pub(super) fn line(&mut self, number: usize, rule: &Rule, seen: &Seen) {
        let named = &self.grammar.patterns.named[number];
        let params = named.params.iter().filter(|(group, _)| seen.found.get(*group).is_some());
        self.own = params.map(|(group, name)| (name.clone(), parameter(name, seen.group(*group)))).collect();
        if let Place::Heads(level) = rule.place {
            self.heads.retain(|known| known.0 < level);
            self.fresh |= self.own.iter().any(|(name, _)| name == NAME);
            self.heads.extend(self.own.drain(..).map(|(name, value)| (level, name, value)));
        }
        let before = self.stretch().metrics.len();
        rule.gives.iter().chain(&named.figures).for_each(|give| self.take(give, seen));
        self.fresh &= self.stretch().metrics.len() == before;
        self.own.clear();
    }

    /// Takes what a rule says of a line.
    fn take(&mut self, give: &Give, seen: &Seen) {
        match give.kind {
            Kinds::Figure => self.figure(give, seen),
            Kinds::Pairs => self.pairs(give, seen),
            Kinds::Setting => {
                if seen.found.get(give.group).is_some() {
                    self.set(self.expand(give.name, seen), value_of(seen.group(give.group)));
                }
            }
            Kinds::Whole => {
                let setting = (self.expand(give.name, seen), value_of(seen.group(give.group)));
                if self.params.iter().all(|p| p.0 != setting.0) && self.params.len() < SETTINGS {
                    let before = self.stretches.iter_mut().flat_map(|s| &mut s.metrics);
                    before.for_each(|metric| metric.params.push(setting.clone()));
                }
                self.set(setting.0, setting.1);
            }
            Kinds::Quality => {
                if let Some((value, _)) = number(seen.group(give.group), Decimal::Point) {
                    self.count(&self.expand(give.name, seen), value);
                }
            }
            Kinds::Section => {
                let (name, unit) = (self.expand(give.name, seen), self.expand(give.unit, seen));
                (self.section, self.section_unit) = (name.trim().to_string(), unit);
            }
            Kinds::Row(columns) => self.row(give, columns, seen),
            Kinds::Each(like, gives) => self.each(seen, give.group, like, gives),
            Kinds::Code(read) => read(self, seen),
        }
    }

    /// A name with its groups filled in.
    pub fn expand(&self, name: &str, seen: &Seen) -> String {
        let mut out = String::new();
        let mut chars = name.chars();
        while let Some(c) = chars.next() {
            match (c, chars.clone().next()) {
                ('$', Some(d)) if d.is_ascii_digit() => {
                    out.push_str(seen.group(d as usize - '0' as usize).trim());
                    chars.next();
                }
                ('$', Some('~')) => {
                    chars.next();
                    let group = chars.next().and_then(|d| d.to_digit(10)).unwrap_or(0);
                    out.push_str(plain(seen.group(group as usize).trim()));
                }
                ('$', Some('s')) => {
                    out.push_str(&self.section);
                    chars.next();
                }
                _ => out.push(c),
            }
        }
        out.trim().to_string()
    }

    fn figure(&mut self, give: &Give, seen: &Seen) {
        let name = self.expand(give.name, seen);
        let Some(mut metric) = self.measure(give, seen, seen.range(give.group), &name) else { return };
        for (name, value) in give.own {
            let value = self.expand(value, seen);
            metric.params.push((name.to_string(), value_of(&value)));
        }
        self.push(seen, metric, seen.range(give.group).end);
    }

    /// A figure that stands in a stretch of the line, as a rule says; `None` where none does.
    pub fn measure(&self, give: &Give, seen: &Seen, range: Range<usize>, name: &str) -> Option<Measurement> {
        let text = seen.page.text(seen.line).get(range.clone())?;
        let (mut reading, word) = figure::read(text)?;
        // Where lines stand by themselves nothing tells whether the last number of a text is whole.
        let cut = self.grammar.by_line() && figure::breaks_off(seen.page, seen.line, range.end);
        if cut && (reading.unit.is_none() || !word.is_empty()) {
            return None;
        }
        if let Some(factor) = multiplier(seen.group(give.beside.times)).filter(|_| give.beside.times > 0) {
            (reading.value, reading.approx) = (reading.value * factor, true);
        }
        let printed = seen.found.get(give.beside.unit).filter(|_| give.beside.unit > 0);
        let unit = match (printed, give.unit) {
            (Some(unit), _) => unit.as_str().to_string(),
            (None, "=") => self.section_unit.clone(),
            (None, unit) => self.expand(unit, seen),
        };
        let metric = figure::measurement(seen.page, seen.line, range.start, name, &reading, word, &unit);
        let mut metric = Measurement { params: self.parameters(), ..give.told(metric) };
        let beside = |group: usize| {
            let text = seen.found.get(group).filter(|_| group > 0)?.as_str();
            let read = cell::read(text, Decimal::Point).map(|r| build::in_unit(&r, metric.unit.as_deref()));
            read.or_else(|| Some(number(text.trim(), Decimal::Point)?.0))
        };
        let (lo, hi, spread) = (beside(give.beside.lo), beside(give.beside.hi), beside(give.beside.spread));
        (metric.lo, metric.hi, metric.spread) = (lo, hi, metric.spread.or(spread));
        Some(metric)
    }

    /// The parameters of a figure here: of the headings, of the run, of the line.
    fn parameters(&self) -> Vec<(String, Value)> {
        let heads = self.heads.iter().filter(|known| self.own.iter().all(|own| own.0 != known.1));
        let heads = heads.map(|(_, name, value)| (name.clone(), value.clone()));
        heads.chain(self.params.iter().cloned()).chain(self.own.iter().cloned()).collect()
    }

    /// Takes a figure whose text ends at `end`.
    pub fn push(&mut self, seen: &Seen, metric: Measurement, end: usize) {
        self.latest = Some((seen.line, end >= seen.page.text(seen.line).len()));
        self.stretch().metrics.push(metric);
    }

    /// `210.2 ns/op   4.000 widgets`: values, each named by its unit.
    fn pairs(&mut self, give: &Give, seen: &Seen) {
        let range = seen.range(give.group);
        let text = seen.page.text(seen.line).get(range.clone()).unwrap_or("");
        for found in PAIR.captures_iter(text) {
            let whole = found.get(0).map_or(0..0, |m| m.range());
            let whole = range.start + whole.start..range.start + whole.end;
            let end = whole.end;
            if let Some(metric) = self.measure(give, seen, whole, &found[1]) {
                self.push(seen, metric, end);
            }
        }
    }

    fn each(&mut self, seen: &Seen, group: usize, like: &str, gives: &[Give]) {
        let Some((_, pattern)) = self.grammar.patterns.inner.iter().find(|(p, _)| *p == like) else { return };
        let Range { start: mut from, end } = seen.range(group);
        let text = seen.page.text(seen.line).get(..end).unwrap_or("");
        while from < end
            && let Some(found) = pattern.captures_at(text, from)
        {
            from = found.get(0).map_or(end, |m| m.end().max(from + 1));
            let inner = Seen { page: seen.page, line: seen.line, found };
            gives.iter().for_each(|give| self.take(give, &inner));
        }
    }
}

static PAIR: LazyLock<Regex> = LazyLock::new(|| pattern(r"{n}\s+([^\s\d]\S*)"));
