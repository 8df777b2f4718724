//! What training loops print: a step, an iteration or an epoch, then names with values. Lines of one shape are one
//! series; nothing of it is a benchmark's result.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{Adapter, Declined, Taken, build};
use crate::{
    base::lexicon::Lexicon,
    base::unit::{Decimal, Unit, lookup},
    extract::bench::{
        cell,
        clean::{Kind, Page},
        direction, figure,
        signs::DIGIT,
        words,
    },
    model::metric::{Cell, Column, MetricTable, Role, Value},
};

/// See the module.
pub struct Training;

/// Lines between two of a series that are something else.
const NOISE: usize = 12;

/// Shapes of lines that may take turns.
const SHAPES: usize = 8;

/// `step 100:`, `iter 5/100 |`, `Epoch [3/10],`, `| epoch   1 |   200/ 2983 batches |`, `[Epoch 3]`
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*[|\[(]?\s*(?i:(step|iter|iteration|epoch|round|batch|update))s?[ =:#]*\[?\s*(\d+)\b(?:\s*/\s*\d+)?\s*(?:\(\s*[\d.]+%\s*\))?[\])]?\s*(?:[:|,;-]|\s)\s*(.*)$").expect("fixed pattern")
});

/// `{'loss': 0.51, 'grad_norm': 1.2, 'learning_rate': 4e-05, 'epoch': 0.2}`
static RECORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*\{('(?:loss|train_loss|eval_loss)': .*'epoch': [\d.]+)\}\s*$").expect("fixed pattern")
});

/// `train loss 0.51`, `lr: 3e-4`, `ms/batch 12.3`, `time 0.20ms`, `grad_norm=1.2`, `'loss': 0.51`
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\s'(]*([A-Za-z][\w /.@%-]*?)'?\s*[:= ]\s*([-+]?\d[\d,.]*(?:e[-+]?\d+)?)\s*([\w/%]*)\)?\s*$")
        .expect("fixed pattern")
});

/// `1309697 samples/s`, `12.5% MFU`
static RATE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(\d[\d,.]*)(%)?\s*([A-Za-z][\w/ ]*?)\s*$").expect("fixed pattern"));

/// `Step [100/400]`, `200/ 1800 batches`: a second count of steps.
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:(?i:(step|batch|iter|iteration))\s*)?[=:]?\s*\[?(\d+)\s*/\s*\d+\]?(?:\s*(batches|steps|iters))?\s*$",
    )
    .expect("fixed pattern")
});

/// `100/100 [=====] - `: Keras, below a line `Epoch 3/10`.
static KERAS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*\d+/\d+ \S*(?:\[=+\]|━+)\S* ?-? (.*\bloss: .*)$").expect("fixed pattern"));

/// `Epoch 3/10`
static EPOCH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*Epoch (\d+)/\d+\s*$").expect("fixed pattern"));

/// `Epoch 3:  45%|████▌     | 45/100 [00:12<00:15,  3.62it/s, loss=0.53]`: a bar, with what its loop tells of itself.
static BAR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:(?:(?i:(epoch)) *(\d+)(?:/\d+)?|[^|%]{0,60}?):?\s+)?\d{1,3}%\|[^|]{0,200}\|\s*(\d+)/\d+ \[[\d:?]+<[\d:?]+,\s*([^\]]*)\]")
        .expect("fixed pattern")
});

/// Words of which a series holds at least one; sorted.
static TRAINED: Lexicon = Lexicon::new(&["acc", "accuracy", "loss", "perplexity", "ppl", "reward"]);

/// Words of what is set for a step rather than measured; sorted.
static SCHEDULED: Lexicon = Lexicon::new(&["learning", "lr", "lrm", "momentum"]);

impl Adapter for Training {
    fn name(&self) -> &'static str {
        "training-log"
    }

    fn about(&self) -> &'static str {
        "the progress of training: loss and speed by step, iteration or epoch"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["loss", "Loss", "reward", "accuracy"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut open): (Vec<Taken>, Taken) = (Vec::new(), Taken::default());
        for at in 0..page.lines.len() {
            if matches!(page.kind(at), Kind::Prompt | Kind::Fence | Kind::Code) || at > open.lines.end + NOISE {
                all.push(std::mem::take(&mut open));
            }
            let Some(line) = Line::read(page, at) else { continue };
            open.lines = if open.tables.is_empty() { at..at + 1 } else { open.lines.start..at + 1 };
            line.add(page, at, &mut open);
        }
        all.push(open);
        // A single line of this kind is a sentence, unless it is a bar: of those only the last state is left.
        let bar = |t: &Taken| t.lines.clone().any(|line| BAR.is_match(page.text(line)));
        all.retain(|t| t.tables.iter().any(|table| table.rows.len() > 1) || !t.tables.is_empty() && bar(t));
        if all.is_empty() { Err("no two lines of one series") } else { Ok(all) }
    }
}

/// What counts the steps, line and bytes of its number.
type Step = (String, usize, Range<usize>);

/// Name, bytes of the number, unit.
type Pair = (String, Range<usize>, Option<Unit>);

/// One line: the steps and what was measured at them.
struct Line {
    steps: Vec<Step>,
    pairs: Vec<Pair>,
}

impl Line {
    fn read(page: &Page, at: usize) -> Option<Self> {
        let text = page.text(at);
        if page.kind(at) != Kind::Text || !page.signs(at).any(DIGIT) || text.len() > 400 {
            return None;
        }
        let (mut steps, body) = Self::begins(page, at)?;
        let (mut pairs, mut other) = (Vec::new(), 0);
        for piece in pieces(text, body) {
            if let Some(found) = COUNT.captures(&text[piece.clone()]) {
                let name = found.get(1).or(found.get(3)).map_or("batch", |m| m.as_str()).to_lowercase();
                steps.extend(found.get(2).map(|m| (name, at, piece.start + m.start()..piece.start + m.end())));
                continue;
            }
            match pair(text, piece) {
                Some((name, number, _)) if name == "epoch" && steps.is_empty() => steps.push((name, at, number)),
                Some(pair) if !pair.0.is_empty() => pairs.push(pair),
                _ => other += 1,
            }
        }
        let trained = pairs.iter().any(|(name, ..)| words::has(name, &TRAINED));
        (trained && !steps.is_empty() && other <= pairs.len()).then_some(Line { steps, pairs })
    }

    /// The steps that begin a line, and where the rest is.
    fn begins(page: &Page, at: usize) -> Option<(Vec<Step>, Range<usize>)> {
        let text = page.text(at);
        if let Some(found) = text.contains("%|").then(|| BAR.captures(text)).flatten() {
            let epoch = found.get(1).zip(found.get(2)).map(|(name, n)| (name.as_str().to_lowercase(), at, n.range()));
            let steps = epoch.into_iter().chain([("step".to_string(), at, found.get(3)?.range())]).collect();
            return Some((steps, found.get(4)?.range()));
        }
        let first = text.trim_start().as_bytes().first()?.to_ascii_lowercase();
        if first == b'{' {
            return Some((Vec::new(), RECORD.captures(text)?.get(1)?.range()));
        }
        if !(first.is_ascii_digit() || matches!(first, b'|' | b'[' | b'(' | b'b' | b'e' | b'i' | b'r' | b's' | b'u')) {
            return None;
        }
        if let Some(found) = first.is_ascii_digit().then(|| KERAS.captures(text)).flatten() {
            let above = (1..=3).find_map(|n| Some((at.checked_sub(n)?, EPOCH.captures(page.text(at - n))?)))?;
            let step = ("epoch".to_string(), above.0, above.1.get(1)?.range());
            return Some((vec![step], found.get(1)?.range()));
        }
        let found = BEGINS.captures(text)?;
        Some((vec![(found[1].to_lowercase(), at, found.get(2)?.range())], found.get(3)?.range()))
    }

    /// Adds the line to the series of its shape.
    fn add(self, page: &Page, at: usize, taken: &mut Taken) {
        let breaks = page.open && page.is_last(at);
        let width = self.steps.len() + self.pairs.len();
        let same = |t: &&mut MetricTable| {
            let names = self.steps.iter().map(|s| &s.0).chain(self.pairs.iter().map(|p| &p.0));
            // The last line of a text that breaks off may lack the rest of its shape.
            let whole = t.columns.len() == width || breaks && t.columns.len() > width;
            whole && t.columns.iter().zip(names).all(|(c, name)| c.name == *name)
        };
        let known = taken.tables.iter_mut().rev().take(SHAPES).find(same);
        let table = match known {
            Some(table) => table,
            None => {
                taken.tables.push(self.table());
                taken.tables.last_mut().expect("just pushed")
            }
        };
        let step = |s: &Step| build::figure_cell(page, s.1, s.2.clone(), None);
        let mut cells: Vec<Cell> = self.steps.iter().map(step).collect();
        for ((_, number, unit), column) in self.pairs.iter().zip(&table.columns[self.steps.len()..]) {
            let mut cell = build::figure_cell(page, at, number.clone(), None);
            let own = column.unit.as_deref().and_then(lookup).zip(unit.as_ref());
            if let (Value::Number(value), Some((to, from))) = (&mut cell.value, own) {
                *value = to.convert(*value, from).unwrap_or(*value);
            }
            cells.push(cell);
        }
        table.truncated |= breaks && (cut(page, at, &mut cells, table) || cells.len() < table.columns.len());
        cells.resize_with(table.columns.len(), build::missing_cell);
        table.rows.push(cells);
    }

    fn table(&self) -> MetricTable {
        let step = |s: &Step| Column { name: s.0.clone(), role: Some(Role::Parameter), ..Column::default() };
        let column = |(name, _, unit): &Pair| {
            let scheduled = words::has(name, &SCHEDULED);
            Column {
                name: name.clone(),
                unit: unit.as_ref().map(|u| u.token.to_string()),
                role: Some(Role::Metric),
                better: if scheduled { None } else { direction::better(name, unit.as_ref(), None) },
                ..Column::default()
            }
        };
        let columns = self.steps.iter().map(step).chain(self.pairs.iter().map(column)).collect();
        MetricTable { columns, kind: Some("training"), ..MetricTable::default() }
    }
}

/// Empties the last cell where the text breaks off inside it.
fn cut(page: &Page, at: usize, cells: &mut [Cell], table: &MetricTable) -> bool {
    let above = table.rows.last().and_then(|r| r.get(cells.len() - 1)).map(|c| c.text.as_str());
    let Some(last) = cells.last_mut() else { return false };
    let ends = page.text(at).ends_with(last.text.as_str());
    let broken = ends && cell::looks_cut(&last.text, above);
    if broken {
        last.value = Value::Missing;
    }
    broken
}

/// What stands between commas, bars and dashes.
fn pieces(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut from = within.start;
    let body = &text[within.clone()];
    let mut push = |piece: Range<usize>| {
        if !text[piece.clone()].trim().is_empty() {
            all.push(piece);
        }
    };
    for (at, mark) in body.match_indices([',', '|', ';', ' ']) {
        let here = within.start + at;
        let next = text.as_bytes().get(here + 1).copied().unwrap_or(b' ');
        let cuts = match mark {
            "," => next == b' ',
            " " => ends_pair(text.get(from..here).unwrap_or(""), &text[here..within.end]),
            _ => true,
        };
        if cuts && here >= from {
            push(from..here);
            from = here + if text[here..].starts_with(" - ") { 3 } else { 1 };
        }
    }
    push(from.min(within.end)..within.end);
    all
}

/// Whether a blank ends a pair: a dash or a second blank follows, or a word that is a name again (`a=1 b=2`).
fn ends_pair(before: &str, rest: &str) -> bool {
    let word = rest[1..].split(' ').next().unwrap_or("");
    let named = word.contains('=') || word.ends_with(':');
    let valued = before.bytes().any(|b| b.is_ascii_digit());
    rest.starts_with(" - ") || valued && (named || rest.starts_with("  "))
}

/// A name with its number; a name of "" for what is no measurement.
fn pair(text: &str, piece: Range<usize>) -> Option<Pair> {
    let part = &text[piece.clone()];
    let shifted = |r: Range<usize>| piece.start + r.start..piece.start + r.end;
    if let Some(found) = PAIR.captures(part) {
        let number = shifted(found.get(2)?.range());
        let unit = lookup(&found[3]).or_else(|| figure::unit_of_name(&found[1]));
        cell::read(&text[number.clone()], Decimal::Point)?;
        return Some((found[1].trim().to_string(), number, unit));
    }
    let found = RATE.captures(part)?;
    let number = shifted(found.get(1)?.range());
    let unit = if found.get(2).is_some() { lookup("%") } else { lookup(&found[3]) };
    let counted = unit.as_ref().is_none_or(|u| u.is_count()) && found.get(2).is_none();
    let name = if counted { String::new() } else { found[3].to_string() };
    Some((name, number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_no_steps() {
        assert!(!BEGINS.is_match("In step 4 we look at the loss"));
        assert!(!RECORD.is_match("{'loss': 0.5}"));
        assert!(!PAIR.is_match("the loss went down"));
        assert!(!RATE.is_match("samples 12"));
    }
}
