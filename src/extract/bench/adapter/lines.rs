//! A tool's grammar as data: the kinds of lines that it prints, each a pattern whose named groups are figures, their
//! bounds, and the parameters under which they were measured.
//!
//! A group that the table of figures names is a figure; `x_lo`, `x_hi`, `x_pm` and `x_unit` are bounds,
//! spread and unit of figure `x`;
//! `q_failed` is a count of failures; `pairs` holds values each named by the unit behind it; every other group is a
//! parameter. In patterns `{n}` is a number and `{q}` a number with the unit that is printed behind it.

use std::{ops::Range, sync::LazyLock};

use regex::{Captures, Regex};

use super::Taken;
use crate::{
    base::unit::{Decimal, Quantity, Unit, lookup, number},
    extract::bench::{
        cell::Reading,
        clean::{Kind, Page},
        figure,
    },
    model::metric::{Direction, Measurement, Value},
};

/// A figure that a group of a pattern holds.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    group: &'static str,
    name: &'static str,
    unit: &'static str,
    better: Better,
    stat: &'static str,
    derived: bool,
}

#[derive(Clone, Copy, Debug)]
enum Better {
    Told,
    Open,
    Known(Direction),
}

/// A figure: its group, its name. Which way is better follows from name and unit unless it is said.
pub const fn figure(group: &'static str, name: &'static str) -> Figure {
    Figure { group, name, unit: "", better: Better::Told, stat: "", derived: false }
}

impl Figure {
    /// The group that holds it.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its unit, where none is printed.
    pub const fn unit(self, unit: &'static str) -> Self {
        Figure { unit, ..self }
    }

    /// Less is better.
    pub const fn lower(self) -> Self {
        Figure { better: Better::Known(Direction::Lower), ..self }
    }

    /// More is better.
    pub const fn higher(self) -> Self {
        Figure { better: Better::Known(Direction::Higher), ..self }
    }

    /// Neither is better.
    pub const fn open(self) -> Self {
        Figure { better: Better::Open, ..self }
    }

    /// What statistic it is.
    pub const fn stat(self, stat: &'static str) -> Self {
        Figure { stat, ..self }
    }

    /// A difference or ratio that the tool computed.
    pub const fn derived(self) -> Self {
        Figure { derived: true, better: Better::Open, ..self }
    }

    /// The measurement that it is where it stands.
    pub fn at(&self, page: &Page, line: usize, range: Range<usize>) -> Option<Measurement> {
        self.in_unit(page, line, range, self.unit)
    }

    /// The same in a unit that is printed elsewhere on the line.
    fn in_unit(&self, page: &Page, line: usize, range: Range<usize>, unit: &str) -> Option<Measurement> {
        let mut one = quantity(page, line, range, self.name, unit)?;
        if !self.stat.is_empty() {
            one.stat = Some(self.stat.to_string());
        }
        match self.better {
            Better::Told => {}
            Better::Open => one.better = None,
            Better::Known(way) => one.better = Some(way),
        }
        one.derived = self.derived;
        Some(one)
    }
}

/// A number with the unit printed behind it, whatever word that is; else the unit that is given. `None` where the text
/// breaks off inside it.
pub fn quantity(page: &Page, line: usize, range: Range<usize>, name: &str, unit: &str) -> Option<Measurement> {
    let raw = page.text(line).get(range.clone())?;
    let text = raw.trim();
    let start = range.start + (raw.len() - raw.trim_start().len());
    let (value, len) = number(text, Decimal::Point)?;
    let whole = Quantity::whole(text, Decimal::Point);
    let word = if whole.is_none() { text[len..].trim() } else { "" };
    let printed = whole.as_ref().and_then(|q| q.unit.clone()).or_else(|| lookup(word));
    let word = if printed.is_none() { word } else { "" };
    if breaks_off(page, line, range.end) && (printed.is_none() || !word.is_empty()) {
        return None;
    }
    let at = start..start + whole.as_ref().map_or(len, |q| q.number.end);
    let reading = Reading {
        value: whole.as_ref().map_or(value, |q| q.value),
        approx: whole.is_some_and(|q| q.rounded),
        ..Reading::default()
    };
    let known = printed.or_else(|| lookup(unit).filter(|_| word.is_empty()));
    let named = known.is_some();
    let mut one = figure::measurement(page, line, at, name, known, &reading);
    if !named {
        one.unit = Some(if word.is_empty() { unit } else { word }).filter(|u| !u.is_empty()).map(str::to_string);
    }
    Some(one)
}

/// Whether the text ends just here without the end of a line: what stands before it may go on.
pub fn breaks_off(page: &Page, line: usize, end: usize) -> bool {
    page.open && line + 1 == page.lines.len() && end >= page.text(line).len()
}

/// What a kind of line is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    /// Its parameters hold for the lines below, until one of the same level or an outer one (a lower number) begins.
    Begins(u8),
    /// It holds figures, or settings that concern nobody else.
    Tells,
    /// It belongs to the tool and says nothing.
    Noise,
}

/// A kind of line.
#[derive(Debug)]
pub struct Line {
    pattern: Regex,
    sort: Sort,
    above: bool,
}

impl Line {
    /// Its name may stand on the line above, where that is not the tool's otherwise.
    pub fn named_above(self) -> Self {
        Self { above: true, ..self }
    }
}

/// `[-+]1,234.5e-06`
const NUMBER: &str = r"[-+−]?(?:\d[\d,']*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?";
/// A number and a word behind it.
const QUANTITY: &str = r"[-+−]?(?:\d[\d,']*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s?(?:[%A-Za-zµμ][\w/µμ%]*)?";

/// A pattern with `{n}` and `{q}` spelled out.
pub fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace("{n}", NUMBER).replace("{q}", QUANTITY)).expect("fixed pattern")
}

/// A line whose parameters hold for those below it; an outer level has a lower number.
pub fn begins(level: u8, text: &str) -> Line {
    Line { pattern: pattern(text), sort: Sort::Begins(level), above: false }
}

/// A line with figures.
pub fn tells(text: &str) -> Line {
    Line { pattern: pattern(text), sort: Sort::Tells, above: false }
}

/// A line that says nothing.
pub fn noise(text: &str) -> Line {
    Line { pattern: pattern(text), sort: Sort::Noise, above: false }
}

/// Kinds of lines, asked in order, and the figures in them.
#[derive(Debug)]
pub struct Grammar {
    lines: Vec<Line>,
    figures: Vec<Figure>,
}

impl Grammar {
    /// A grammar.
    pub fn new(figures: &[Figure], lines: Vec<Line>) -> Self {
        Self { lines, figures: figures.to_vec() }
    }

    /// The stretches of a page that hold lines of this grammar and a figure. Blank lines and rules
    /// do not end a stretch.
    pub fn read(&self, page: &Page) -> Vec<Taken> {
        let mut state =
            State { grammar: self, page, context: Vec::new(), fresh: false, above: None, done: Vec::new(), open: None };
        for at in 0..page.lines.len() {
            if !matches!(page.kind(at), Kind::Blank | Kind::Rule) {
                state.line(at);
            }
        }
        state.close();
        state.done
    }

    fn kind_of<'t>(&self, text: &'t str) -> Option<(&Line, Captures<'t>)> {
        self.lines.iter().find_map(|line| line.pattern.captures(text).map(|found| (line, found)))
    }
}

/// A parameter, and the level of the line that gave it.
type Known = (u8, String, Value);

/// A page half read.
struct State<'g, 'p, 't> {
    grammar: &'g Grammar,
    page: &'p Page<'t>,
    context: Vec<Known>,
    /// A line gave a name, and no figure has been read under it yet.
    fresh: bool,
    /// The last line that is not the tool's, until a figure follows it.
    above: Option<usize>,
    done: Vec<Taken>,
    open: Option<Taken>,
}

/// The name of the parameter that says what was measured.
const NAME: &str = "benchmark";

impl State<'_, '_, '_> {
    fn line(&mut self, at: usize) {
        let page = self.page;
        let text = page.text(at);
        let Some((line, found)) = self.grammar.kind_of(text).filter(|_| page.kind(at) != Kind::Code) else {
            self.above = Some(at).filter(|_| page.kind(at) == Kind::Text);
            return self.close();
        };
        let above = self.above.filter(|above| line.above && !self.fresh && at - above <= 3);
        let from = above.filter(|above| self.named_by(*above, at)).unwrap_or(at);
        if line.sort != Sort::Noise {
            self.above = None;
        }
        let sort = line.sort;
        if let Sort::Begins(level) = sort {
            self.context.retain(|known| known.0 < level);
        }
        let names = || line.pattern.capture_names().flatten();
        let mut own = Vec::new();
        let stretch = self.open.get_or_insert_with(|| Taken { lines: from..at, ..Taken::default() });
        stretch.lines = stretch.lines.start.min(from)..at + 1;
        if sort == Sort::Noise {
            return;
        }
        let mut metrics = Vec::new();
        for name in names() {
            let Some(group) = found.name(name) else { continue };
            if let Some(figure) = self.grammar.figures.iter().find(|f| f.group == name) {
                let unit = found.name(&format!("{name}_unit")).map_or(figure.unit, |unit| unit.as_str());
                let one = figure.in_unit(page, at, group.range(), unit);
                metrics.extend(one.map(|one| bounded(one, name, &found)));
            } else if name == "pairs" {
                metrics.extend(pairs(page, at, group.range()));
            } else if let Some(kind) = name.strip_prefix("q_") {
                stretch.quality.extend(group.as_str().replace(',', "").parse().ok().map(|n| (kind.to_string(), n)));
            } else if !is_bound(name) {
                own.push((name.to_string(), parameter(name, group.as_str())));
            }
        }
        if let Sort::Begins(level) = sort {
            self.fresh |= own.iter().any(|(name, _)| name == NAME);
            self.context.extend(own.drain(..).map(|(name, value)| (level, name, value)));
        }
        let outer = || self.context.iter().filter(|known| own.iter().all(|o| o.0 != known.1));
        for one in &mut metrics {
            one.params.extend(outer().map(|(_, name, value)| (name.clone(), value.clone())));
            one.params.extend(own.iter().cloned());
        }
        self.fresh &= metrics.is_empty();
        stretch.metrics.extend(metrics);
    }

    /// Takes a line that is not the tool's otherwise for the name of what follows it, where it stands further left.
    fn named_by(&mut self, above: usize, at: usize) -> bool {
        let indent = |text: &str| text.len() - text.trim_start().len();
        let (text, below) = (self.page.text(above), self.page.text(at));
        if indent(text) >= indent(below) || text.len() > 300 {
            return false;
        }
        let name = text.trim().trim_end_matches(':');
        self.context.retain(|known| known.1 != NAME);
        self.context.push((1, NAME.to_string(), Value::Text(name.to_string())));
        true
    }

    /// Ends a stretch; one without a figure is nobody's.
    fn close(&mut self) {
        self.done.extend(self.open.take().filter(|t| !t.metrics.is_empty()));
    }
}

/// `210.2 ns/op   4.000 widgets`: values, each named by its unit.
fn pairs(page: &Page, line: usize, range: Range<usize>) -> Vec<Measurement> {
    let text = page.text(line).get(range.clone()).unwrap_or("");
    PAIR.captures_iter(text)
        .filter_map(|found| {
            let whole = found.get(0)?.range();
            quantity(page, line, range.start + whole.start..range.start + whole.end, &found[1], "")
        })
        .collect()
}

static PAIR: LazyLock<Regex> = LazyLock::new(|| pattern(r"{n}\s+([^\s\d]\S*)"));

fn is_bound(name: &str) -> bool {
    ["_lo", "_hi", "_pm", "_unit"].iter().any(|end| name.ends_with(end))
}

/// A number where all of it is one; names stay as they are.
fn parameter(name: &str, text: &str) -> Value {
    let text = text.trim();
    match Quantity::whole(text, Decimal::Point).filter(|q| q.unit.is_none()) {
        Some(q) if name != NAME => Value::Number(q.value),
        _ => Value::Text(text.to_string()),
    }
}

/// The same figure with the bounds and the spread that stand beside it, in its unit.
fn bounded(mut one: Measurement, name: &str, found: &Captures) -> Measurement {
    let unit = one.unit.as_deref().and_then(lookup);
    let beside = |end: &str| {
        let text = found.name(&format!("{name}{end}"))?.as_str();
        let plain = number(text.trim(), Decimal::Point)?.0;
        let read = Quantity::whole(text, Decimal::Point);
        Some(read.map_or(plain, |q| in_unit(&q, unit.as_ref())))
    };
    (one.lo, one.hi, one.spread) = (beside("_lo"), beside("_hi"), beside("_pm"));
    one
}

fn in_unit(found: &Quantity, unit: Option<&Unit>) -> f64 {
    match (unit, &found.unit) {
        (Some(unit), Some(own)) => unit.convert(found.value, own).unwrap_or(found.value),
        _ => found.value,
    }
}
