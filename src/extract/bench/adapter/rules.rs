//! A tool's grammar as a table: patterns of whole lines, and what stands in their groups. Settings are attached to the
//! figures that follow them in the same run; a run ends where the next begins, at a prompt and at a fence.

use std::{ops::Range, sync::OnceLock};

use regex::{Captures, Regex, RegexSet};

use super::{Declined, Taken, build, build::Spec};
use crate::{
    base::unit::{Decimal, Unit, lookup, multiplier, number},
    extract::bench::{
        cell::{self, Reading},
        clean::{Kind, Page},
        direction, figure,
        quality::sum,
    },
    model::metric::{Cell, Direction, Measurement, MetricTable, Role, Value},
};

/// Lines that no rule knows, within a run, that are the tool's or noise. After more the stretch is cut in two.
const NOISE: usize = 6;

/// A tool whose grammar is a table.
pub struct Ruled {
    /// As in [`super::Adapter::name`].
    pub name: &'static str,
    /// As in [`super::Adapter::about`].
    pub about: &'static str,
    /// As in [`super::Adapter::marks`].
    pub marks: &'static [&'static str],
    /// The first rule whose pattern matches a line has it.
    pub rules: &'static [Rule],
    /// Fewest figures, rows and counts by which a run is the tool's.
    pub least: usize,
    /// The patterns, once compiled.
    pub patterns: OnceLock<Patterns>,
}

/// Compiled patterns of the rules.
pub struct Patterns {
    set: RegexSet,
    each: Vec<Regex>,
    /// Patterns within a line.
    inner: Vec<(&'static str, Regex)>,
}

/// Where a line may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// It begins a run.
    Begins,
    /// It begins a run where none is being read.
    Opens,
    /// Only within a run.
    Within,
    /// It is the last one of a run.
    Ends,
}

/// One kind of line.
#[derive(Clone, Copy)]
pub struct Rule {
    like: &'static str,
    place: Place,
    gives: &'static [Give],
}

/// A line that begins a run. The pattern is for the whole line, blanks around it aside.
pub const fn begins(like: &'static str, gives: &'static [Give]) -> Rule {
    Rule { like, place: Place::Begins, gives }
}

/// A line that begins a run where none is being read, and belongs to the one that is.
pub const fn opens(like: &'static str, gives: &'static [Give]) -> Rule {
    Rule { like, place: Place::Opens, gives }
}

/// A line within a run.
pub const fn line(like: &'static str, gives: &'static [Give]) -> Rule {
    Rule { like, place: Place::Within, gives }
}

/// The line that ends a run.
pub const fn ends(like: &'static str, gives: &'static [Give]) -> Rule {
    Rule { like, place: Place::Ends, gives }
}

/// How the direction of a figure is known.
#[derive(Clone, Copy)]
enum Better {
    /// From its name and unit.
    ByName,
    /// It has none, or this.
    Told(Option<Direction>),
}

#[derive(Clone, Copy)]
enum Kinds {
    Figure,
    Setting,
    Whole,
    Quality,
    Section,
    Row(&'static [Spec]),
    Each(&'static str, &'static [Give]),
    Code(Code),
}

/// What a table cannot say.
pub type Code = fn(&mut Run, &Seen);

/// What a line gives. In names and units `$1` … `$9` stand for groups, `$~1` … for the same
/// without zeros at the end, `$s` for the section.
#[derive(Clone, Copy)]
pub struct Give {
    kind: Kinds,
    group: usize,
    name: &'static str,
    unit: &'static str,
    better: Better,
    stat: &'static str,
    own: &'static [(&'static str, &'static str)],
    spread: usize,
    times: usize,
    derived: bool,
}

const fn give(kind: Kinds, group: usize, name: &'static str) -> Give {
    Give {
        kind,
        group,
        name,
        unit: "",
        better: Better::Told(None),
        stat: "",
        own: &[],
        spread: 0,
        times: 0,
        derived: false,
    }
}

/// A figure without a direction, in the unit printed beside it.
pub const fn fig(group: usize, name: &'static str) -> Give {
    give(Kinds::Figure, group, name)
}

/// A setting of what follows in the run.
pub const fn setting(group: usize, name: &'static str) -> Give {
    give(Kinds::Setting, group, name)
}

/// A setting of the whole run, wherever in it it stands.
pub const fn whole(group: usize, name: &'static str) -> Give {
    give(Kinds::Whole, group, name)
}

/// A count that says whether the figures may be trusted.
pub const fn quality(group: usize, name: &'static str) -> Give {
    give(Kinds::Quality, group, name)
}

/// A heading: what `$s` stands for below it, and its unit (`=` in a figure's).
pub const fn section(name: &'static str, unit: &'static str) -> Give {
    give(Kinds::Section, 0, name).unit(unit)
}

/// A row of a table: the groups from the first on are its cells. A table goes on while its columns are the same.
pub const fn row(columns: &'static [Spec]) -> Give {
    give(Kinds::Row(columns), 0, "")
}

/// The same for every place in a group that a pattern fits; the groups are then those of the pattern.
pub const fn each(group: usize, like: &'static str, gives: &'static [Give]) -> Give {
    give(Kinds::Each(like, gives), group, "")
}

/// Read by a function.
pub const fn code(read: Code) -> Give {
    give(Kinds::Code(read), 0, "")
}

impl Give {
    /// The unit where none is printed; `/s` is put behind the printed one, `=` is the section's.
    pub const fn unit(self, unit: &'static str) -> Self {
        Give { unit, ..self }
    }

    /// Less is better.
    pub const fn lower(self) -> Self {
        Give { better: Better::Told(Some(Direction::Lower)), ..self }
    }

    /// More is better.
    pub const fn higher(self) -> Self {
        Give { better: Better::Told(Some(Direction::Higher)), ..self }
    }

    /// The name and the unit say which way is better.
    pub const fn by_name(self) -> Self {
        Give { better: Better::ByName, ..self }
    }

    /// Statistic; without this the name says it.
    pub const fn stat(self, stat: &'static str) -> Self {
        Give { stat, ..self }
    }

    /// Parameters of this figure alone: names and what they are made of.
    pub const fn with(self, own: &'static [(&'static str, &'static str)]) -> Self {
        Give { own, ..self }
    }

    /// The group that holds its spread.
    pub const fn spread(self, group: usize) -> Self {
        Give { spread: group, ..self }
    }

    /// The group that holds a suffix by which it is multiplied.
    pub const fn times(self, group: usize) -> Self {
        Give { times: group, ..self }
    }

    /// Computed from other figures.
    pub const fn derived(self) -> Self {
        Give { derived: true, ..self }
    }
}

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

    /// The cell of a group.
    fn cell(&self, group: usize, spec: &Spec, unit: &str) -> Cell {
        match spec.role {
            Role::Label => build::text_cell(self.page, self.line, self.range(group)),
            _ => {
                let mut cell = build::figure_cell(self.page, self.line, self.range(group), Some(unit));
                if spec.role == Role::Parameter && cell.value == Value::Missing && !cell.text.is_empty() {
                    cell.value = Value::Text(cell.text.clone());
                }
                cell
            }
        }
    }
}

/// A run while it is read.
pub struct Run<'r> {
    patterns: &'r Patterns,
    stretches: Vec<Taken>,
    /// Settings so far.
    pub params: Vec<(String, Value)>,
    /// Heading of what follows.
    pub section: String,
    /// Its unit.
    pub section_unit: String,
    /// Settings that are printed before the runs that they belong to, by name.
    pub named: Vec<(String, Vec<(String, Value)>)>,
    columns: Option<&'static [Spec]>,
    /// The last figure, with the line where it stands and whether it ends the line.
    latest: Option<(usize, bool)>,
}

impl<'r> Run<'r> {
    fn new(patterns: &'r Patterns) -> Self {
        Run {
            patterns,
            stretches: Vec::new(),
            params: Vec::new(),
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

    fn reaches(&mut self, at: usize) {
        let far = self.stretches.last().is_none_or(|s| at > s.lines.end + NOISE);
        if far {
            self.stretches.push(Taken { lines: at..at, ..Taken::default() });
            self.columns = None;
        }
        self.stretch().lines.end = at + 1;
    }

    /// Remembers a setting; a later one of the same name replaces it.
    pub fn set(&mut self, name: String, value: Value) {
        self.params.retain(|p| p.0 != name);
        self.params.push((name, value));
    }

    /// Takes a count that says whether the figures may be trusted.
    pub fn count(&mut self, name: &str, value: f64) {
        let stretch = self.stretch();
        // The line is the one that was reached last.
        stretch.quality_at.get_or_insert(stretch.lines.end.saturating_sub(1));
        sum(&mut stretch.quality, name, value);
    }

    /// Takes what a rule says of a line.
    pub fn take(&mut self, give: &Give, seen: &Seen) {
        match give.kind {
            Kinds::Figure => self.figure(give, seen),
            Kinds::Setting => {
                if seen.found.get(give.group).is_some() {
                    self.set(self.expand(give.name, seen), value_of(seen.group(give.group)));
                }
            }
            Kinds::Whole => {
                let setting = (self.expand(give.name, seen), value_of(seen.group(give.group)));
                if self.params.iter().all(|p| p.0 != setting.0) {
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

    fn unit(&self, give: &Give, seen: &Seen, printed: Option<&Unit>) -> Option<Unit> {
        let unit = if give.unit == "=" { self.section_unit.clone() } else { self.expand(give.unit, seen) };
        match printed {
            Some(printed) if unit.starts_with('/') => lookup(&format!("{}{unit}", printed.token)),
            Some(printed) => Some(printed.clone()),
            None => unit_of(&unit),
        }
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
        let text = seen.page.text(seen.line).get(range.clone()).filter(|t| !cell::is_broken(t))?;
        let mut reading = cell::read(text, Decimal::Point).or_else(|| clock(text))?;
        if let Some(factor) = multiplier(seen.group(give.times)).filter(|_| give.times > 0) {
            (reading.value, reading.approx) = (reading.value * factor, true);
        }
        let unit = self.unit(give, seen, reading.unit.as_ref());
        let at = range.start + reading.at.start..range.start + reading.at.end;
        let mut metric = figure::measurement(seen.page, seen.line, at, name, unit.clone(), &reading);
        if !give.stat.is_empty() {
            metric.stat = Some(give.stat.to_string());
        }
        metric.better = match give.better {
            Better::Told(better) => better,
            Better::ByName => direction::better(name, unit.as_ref(), metric.stat.as_deref()),
        };
        let beside = |group: usize| {
            let reading = cell::read(seen.group(group), Decimal::Point).filter(|_| group > 0)?;
            Some(build::in_unit(&reading, metric.unit.as_deref()))
        };
        metric.spread = metric.spread.or(beside(give.spread));
        metric.derived = give.derived;
        metric.params = self.params.clone();
        Some(metric)
    }

    /// Takes a figure whose text ends at `end`.
    pub fn push(&mut self, seen: &Seen, metric: Measurement, end: usize) {
        self.latest = Some((seen.line, end >= seen.page.text(seen.line).len()));
        self.stretch().metrics.push(metric);
    }

    fn each(&mut self, seen: &Seen, group: usize, like: &str, gives: &[Give]) {
        let Some((_, pattern)) = self.patterns.inner.iter().find(|(p, _)| *p == like) else { return };
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

    fn row(&mut self, give: &Give, columns: &'static [Spec], seen: &Seen) {
        if self.columns != Some(columns) || self.stretch().tables.is_empty() {
            self.stretch().tables.push(build::table_of(columns));
            self.columns = Some(columns);
        }
        let first = columns.iter().position(|c| c.role == Role::Metric).unwrap_or(0);
        let printed = build::printed_unit(seen.page, seen.line, seen.range(first + 1));
        let told = Some(self.expand(give.unit, seen)).filter(|u| !u.is_empty());
        let per = told.as_deref().filter(|u| u.starts_with('/')).unwrap_or("").to_string();
        let own = printed.or_else(|| told.filter(|_| per.is_empty()));
        let by_row = columns.iter().any(|c| c.unit == build::ROW);
        let unit = |c: &Spec| if c.unit == build::ROW { own.clone().unwrap_or_default() } else { c.unit.to_string() };
        let cells: Vec<Cell> = columns.iter().enumerate().map(|(i, c)| seen.cell(i + 1, c, &unit(c))).collect();
        let label = cells.first().map(|c| c.text.clone()).unwrap_or_default();
        let better = match give.better {
            Better::Told(better) => better,
            Better::ByName => direction::better(&label, own.as_deref().and_then(lookup).as_ref(), None),
        };
        let line_ends = seen.range(columns.len()).end >= seen.page.text(seen.line).len();
        self.latest = None;
        let Some(table) = self.stretch().tables.last_mut() else { return };
        if by_row {
            table.row_units.extend(own.and_then(|u| lookup(&format!("{u}{per}"))).map(|u| (label.clone(), u.token)));
            table.row_better.extend(better.map(|b| (label, b)));
        }
        table.rows.push(cells);
        if line_ends {
            cut_row(seen, table);
        }
    }

    /// What the run gave; a number that a text broke off in is dropped.
    fn close(mut self, page: &Page, least: usize) -> Vec<Taken> {
        if let Some((line, true)) = self.latest
            && page.open
            && page.is_last(line)
        {
            drop_cut(&mut self.stretch().metrics);
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

/// Empties the last cell of the last row where the text breaks off inside it.
fn cut_row(seen: &Seen, table: &mut MetricTable) {
    let Some((last, before)) = table.rows.split_last_mut() else { return };
    let at = last.len().saturating_sub(1);
    let above = before.last().and_then(|r| r.get(at)).map(|c| c.text.clone());
    let Some(cell) = last.get_mut(at) else { return };
    let open = seen.page.open && seen.page.is_last(seen.line) && matches!(cell.value, Value::Number(_));
    if open && cell::looks_cut(&cell.text, above.as_deref()) {
        cell.value = Value::Missing;
        table.truncated = true;
    }
}

/// Drops the last figure where it has fewer decimals than the one of its unit before it.
fn drop_cut(metrics: &mut Vec<Measurement>) {
    let Some((last, before)) = metrics.split_last() else { return };
    let above = before.iter().rev().find(|m| m.unit == last.unit).map(|m| m.text.as_str());
    if cell::looks_cut(&last.text, above) {
        metrics.pop();
    }
}

/// `99.50` as `99.5`.
pub fn plain(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// The unit of a spelling; `1/s` is that of things that have no name.
fn unit_of(spelling: &str) -> Option<Unit> {
    let bare = |token: &str| Unit { token: token.into(), dimension: token.into(), factor: 1.0 };
    if spelling == "1/s" { Some(bare("1/s")) } else { lookup(spelling) }
}

/// A setting's value: a number where all of it is one.
pub fn value_of(text: &str) -> Value {
    let text = text.trim().trim_matches('"');
    match number(text, Decimal::Point) {
        Some((value, len)) if len == text.len() => Value::Number(value),
        _ => Value::Text(text.to_string()),
    }
}

/// `0:01.50`, `1:02:03`: seconds.
fn clock(text: &str) -> Option<Reading> {
    let body = text.trim();
    if !body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.')) || !body.contains(':') {
        return None;
    }
    let mut seconds = 0.0;
    for part in body.split(':') {
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    let decimals = body.split_once('.').map_or(0, |(_, d)| d.len());
    let lead = text.len() - text.trim_start().len();
    let value = format!("{seconds:.9}").parse().ok()?;
    Some(Reading { value, unit: lookup("s"), decimals, at: lead..lead + body.len(), ..Reading::default() })
}

impl Ruled {
    fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| {
            let all: Vec<String> = self.rules.iter().map(|r| format!(r"^\s*(?:{})\s*$", r.like)).collect();
            let each = all.iter().map(|p| Regex::new(p).expect("fixed pattern")).collect();
            let gives = self.rules.iter().flat_map(|r| r.gives);
            let inner = gives.filter_map(|give| match give.kind {
                Kinds::Each(like, _) => Some((like, Regex::new(like).expect("fixed pattern"))),
                _ => None,
            });
            Patterns { set: RegexSet::new(&all).expect("fixed patterns"), each, inner: inner.collect() }
        })
    }

    /// The rule that knows a line.
    fn rule<'p>(&self, page: &'p Page<'p>, at: usize, running: bool) -> Option<(&Rule, Seen<'p>)> {
        let patterns = self.patterns();
        let text = page.text(at);
        let fits = |i: &usize| running || matches!(self.rules[*i].place, Place::Begins | Place::Opens);
        let i = patterns.set.matches(text).iter().find(fits)?;
        Some((&self.rules[i], Seen { page, line: at, found: patterns.each[i].captures(text)? }))
    }
}

impl super::Adapter for Ruled {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn marks(&self) -> &'static [&'static str] {
        self.marks
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut run): (Vec<Taken>, Option<Run<'_>>) = (Vec::new(), None);
        let mut begun = false;
        let mut close = |run: &mut Option<Run>| {
            all.extend(run.take().map(|r| r.close(page, self.least)).unwrap_or_default());
        };
        for at in 0..page.lines.len() {
            match page.kind(at) {
                Kind::Prompt | Kind::Fence | Kind::Code => close(&mut run),
                Kind::Blank => {}
                _ => {
                    let Some((rule, seen)) = self.rule(page, at, run.is_some()) else { continue };
                    if rule.place == Place::Begins {
                        close(&mut run);
                    }
                    begun = true;
                    let now = run.get_or_insert_with(|| Run::new(self.patterns()));
                    now.reaches(at);
                    rule.gives.iter().for_each(|give| now.take(give, &seen));
                    if rule.place == Place::Ends {
                        close(&mut run);
                    }
                }
            }
        }
        close(&mut run);
        match () {
            () if !all.is_empty() => Ok(all),
            () if begun => Err("a beginning without results"),
            () => Err("no line begins a run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_settings() {
        assert_eq!(clock("1:02.5").map(|r| r.value), Some(62.5));
        assert_eq!(clock("1:02:03").map(|r| r.value), Some(3723.0));
        assert_eq!(clock("12.5").map(|r| r.value), None);
        assert_eq!(value_of("16"), Value::Number(16.0));
        assert_eq!(value_of("4k"), Value::Text("4k".into()));
    }
}
