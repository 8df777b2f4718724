//! A grid read: units, roles, statistics and directions of columns; values in the unit of their column; and whether the
//! whole is a table of measurements at all.

use super::{
    cell::{self, Reading},
    clean::Page,
    direction,
    figure::{is_metric, unit_in_parentheses, unit_of_name},
    grid::{Drawn, Grid, Head, Piece},
    layout::Near,
    roles::{self, Sight},
    vetoes,
    words::{self, SECONDARY, WEAK_METRICS, Words},
};
use crate::{
    base::lexicon::Lexicon,
    base::{
        span::ByteSpan,
        unit::{Decimal, Unit, lookup},
    },
    model::metric::{Cell, Column, MetricTable, Role, Value},
};

/// What became of a grid.
pub enum Verdict {
    /// Measurements.
    Table(MetricTable),
    /// A listing of some other kind: its lines are used up.
    Listing,
    /// Nothing says that it is a table of measurements; another layout may see something else.
    Unsure,
}

/// One column on its way.
struct Draft {
    head: Head,
    /// Its heading, spelled out.
    name: String,
    /// The words and the statistic of the heading.
    words: Words,
    stat: Option<String>,
    pieces: Vec<Piece>,
    readings: Vec<Option<Reading>>,
    unit: Option<Unit>,
    /// Share of figures among the cells that hold something.
    figures: usize,
    filled: usize,
}

/// Reads a grid.
pub fn read(page: &Page, grid: &Grid, near: Near) -> Verdict {
    if vetoes::is_listing(grid) || vetoes::is_table_of_goals(grid) {
        return Verdict::Listing;
    }
    if near == Near::Nothing && !may_measure(page, grid) {
        return Verdict::Unsure;
    }
    let mut drafts = drafts(page, grid);
    drop_index(page, &mut drafts);
    let arrows = join_marks(page, &mut drafts);
    if drafts.len() < 2 {
        return Verdict::Unsure;
    }
    let mut table = match transposed(page, &drafts) {
        true => by_row(page, grid, &drafts),
        false => match by_column(page, grid, &mut drafts, near) {
            Some(table) => table,
            None => return Verdict::Unsure,
        },
    };
    told_directions(&mut table, &arrows);
    table.truncated = grid.truncated || broken(page, grid);
    table.title.clone_from(&grid.title);
    Verdict::Table(table)
}

/// Whether a heading, a label or a cell has a unit or a metric's noun: asked before anything is read, since most of what
/// looks like a table in code and listings has none.
fn may_measure(page: &Page, grid: &Grid) -> bool {
    let head = |h: &Head| !h.unit.is_empty() || !h.group.is_empty() || is_measure(&h.name);
    let cells = || grid.rows.iter().flatten().map(|piece| piece.of(page));
    // Numbers of rows may stand before the labels.
    let labels = || grid.rows.iter().flat_map(|row| row.iter().take(2)).map(|piece| piece.of(page));
    let title = grid.title.as_deref().is_some_and(|title| title.contains('('));
    title || grid.heads.iter().any(head) || cells().any(has_unit) || grid.rows.len() > 1 && labels().any(is_measure)
}

/// Whether a name has a metric's noun or a unit, or says that units or metrics stand below it.
fn is_measure(name: &str) -> bool {
    let name = name.trim_matches(['*', '`', '\'', '"', '_', ' ']);
    let all = words::words(name);
    let told = || all.iter().any(|word| word.starts_with("metric") || word.starts_with("unit"));
    name.contains('(') || is_metric(&all) || told() || unit_of_name(name).is_some()
}

/// Whether something beside a number stands in a cell with a digit.
fn has_unit(cell: &str) -> bool {
    let unit = |b: u8| b.is_ascii_alphabetic() || b == b'%' || !b.is_ascii();
    cell.bytes().any(|b| b.is_ascii_digit()) && cell.bytes().any(unit)
}

/// What is known of a column before it is read: all but its values, and what stands after `±` in its cells.
pub type Told = (Column, &'static str);

/// Reads a grid that a known tool printed: `told` says what the column with a heading is; the others are judged.
pub fn read_told(page: &Page, grid: &Grid, told: &dyn Fn(&str) -> Option<Told>) -> MetricTable {
    let mut drafts = drafts(page, grid);
    let arrows = join_marks(page, &mut drafts);
    let shared = shared_unit(grid, &drafts);
    drafts.iter_mut().for_each(|d| d.unit = column_unit(d, shared.as_ref()));
    let known: Vec<Option<Told>> = drafts.iter().map(|d| told(&d.name)).collect();
    for (draft, (column, _)) in drafts.iter_mut().zip(&known).filter_map(|(d, k)| Some((d, k.as_ref()?))) {
        draft.unit = column.unit.as_deref().map_or_else(|| draft.unit.take(), lookup);
    }
    let sights: Vec<Sight> = drafts.iter().map(|d| sight(page, d)).collect();
    let mut table = MetricTable { rows: vec![Vec::new(); grid.rows.len()], ..MetricTable::default() };
    for ((draft, judged), known) in drafts.iter().zip(roles::of(&sights)).zip(known) {
        let at = table.columns.len();
        let role = known.as_ref().map_or(judged, |(column, _)| column.role);
        push_column(page, &mut table, draft, role);
        let Some((column, spread)) = known else { continue };
        let own = std::mem::take(&mut table.columns[at]);
        table.columns[at] = Column { name: own.name, unit: column.unit.or(own.unit), ..column };
        if let Some(beside) = table.columns.get_mut(at + 1).filter(|_| !spread.is_empty()) {
            beside.stat = Some(spread.to_string());
        }
    }
    told_directions(&mut table, &arrows);
    table.rows.retain(|row| row.iter().any(|cell| cell.value != Value::Missing));
    table.truncated = grid.truncated || broken(page, grid);
    table.title.clone_from(&grid.title);
    table
}

fn drafts(page: &Page, grid: &Grid) -> Vec<Draft> {
    (0..grid.heads.len())
        .map(|at| {
            let pieces: Vec<Piece> = grid.rows.iter().map(|r| r[at].clone()).collect();
            let decimal = Decimal::of(pieces.iter().map(|p| p.of(page)));
            let readings: Vec<Option<Reading>> = pieces
                .iter()
                .map(|p| cell::read(p.of(page), decimal).filter(|_| !cell::is_nothing(p.of(page))))
                .collect();
            let filled = pieces.iter().filter(|p| !cell::is_nothing(p.of(page))).count();
            let figures = readings.iter().flatten().count();
            let name = name(&grid.heads[at]);
            let (words, stat) = (words::words(&name), words::stat(&name));
            Draft { head: grid.heads[at].clone(), name, words, stat, pieces, readings, unit: None, figures, filled }
        })
        .collect()
}

/// The heading of a column in one line.
fn name(head: &Head) -> String {
    let own = match head.unit.is_empty() {
        false if head.unit.starts_with('(') && lookup(&head.unit).is_none() => format!("{} {}", head.name, head.unit),
        _ => head.name.clone(),
    };
    let own = own.trim_matches(['*', '`', '\'', '"', '_', ' ']);
    if head.group.is_empty() { own.to_string() } else { format!("{} {own}", head.group) }
}

impl Draft {
    fn numeric(&self) -> bool {
        self.figures > 0 && self.figures * 10 >= self.filled * 6
    }

    fn integers(&self) -> bool {
        self.readings.iter().flatten().all(|r| r.value.fract() == 0.0 && r.decimals == 0 && r.spread.is_none())
    }

    /// The unit that the cells print, where most of them print one of its dimension.
    fn cell_unit(&self) -> Option<Unit> {
        let first = self.readings.iter().flatten().find_map(|r| r.unit.clone())?;
        let same =
            self.readings.iter().flatten().filter(|r| r.unit.as_ref().is_some_and(|u| u.dimension == first.dimension));
        (same.count() * 2 >= self.figures).then_some(first)
    }
}

/// Row numbers that a data frame prints without a heading.
fn drop_index(page: &Page, drafts: &mut Vec<Draft>) {
    let Some(first) = drafts.first() else { return };
    let counts = first.readings.iter().enumerate().all(|(i, r)| r.as_ref().is_some_and(|r| r.value == i as f64));
    if first.head.name.is_empty() && (counts || first.pieces.iter().all(|p| p.of(page).is_empty())) {
        drafts.remove(0);
    }
}

/// Columns that hold only `±` or arrows: the one belongs between its neighbours, the other says which way is better.
fn join_marks(page: &Page, drafts: &mut Vec<Draft>) -> Vec<String> {
    let mut arrows = Vec::new();
    drafts.retain(|d| {
        let mut texts = d.pieces.iter().map(|p| p.of(page)).filter(|t| !t.is_empty()).peekable();
        let marks = texts.peek().is_some() && texts.all(|t| matches!(t, "±" | "+-" | "↑" | "↓" | "|"));
        // Arrows that differ stay: they belong to their rows.
        let mixed = ["↑", "↓"].iter().all(|arrow| d.pieces.iter().any(|p| p.of(page) == *arrow));
        let gone = marks && d.head.name.is_empty() && !mixed;
        if gone && d.pieces.iter().any(|p| matches!(p.of(page), "↑" | "↓")) {
            arrows = d.pieces.iter().map(|p| p.of(page).to_string()).collect();
        }
        !gone
    });
    arrows
}

/// Where every row has the same arrow, it is the direction of the values that are results.
fn told_directions(table: &mut MetricTable, arrows: &[String]) {
    let Some(first) = arrows.first().filter(|f| arrows.iter().all(|a| a == *f)) else { return };
    let better = direction::better(first, None, None);
    let results = table.columns.iter_mut().filter(|c| c.role == Some(Role::Metric));
    results.filter(|c| c.stat.as_deref().is_none_or(|s| !SECONDARY.contains(&s))).for_each(|c| c.better = better);
}

/// A number in it ends in its decimal mark.
fn broken(page: &Page, grid: &Grid) -> bool {
    grid.rows.last().is_some_and(|r| r.iter().any(|p| cell::is_broken(p.of(page))))
}

/// Whether rows are metrics and columns are statistics or conditions.
fn transposed(page: &Page, drafts: &[Draft]) -> bool {
    let Some((labels, rest)) = drafts.split_first() else { return false };
    let rows = labels.pieces.len();
    if labels.numeric() || rows < 2 {
        return false;
    }
    let rated = |p: &&Piece| {
        let all = words::words(p.of(page));
        is_metric(&all)
            || unit_of_name(p.of(page)).is_some_and(|u| !u.is_count())
            || unit_in_parentheses(p.of(page)).is_some()
    };
    let named = labels.pieces.iter().filter(rated).count();
    let conditions = |d: &&Draft| d.stat.is_some() || d.words.any(&roles::CONDITIONS);
    let heads = rest.iter().filter(conditions).count();
    let units: Vec<_> = rest.iter().filter_map(|d| d.cell_unit()).map(|u| u.dimension).collect();
    let mixed = rest.iter().any(|d| dimensions(d) > 1);
    let own = rest.iter().filter(|d| d.numeric() && unit_of_name(&d.name).is_some()).count();
    own == 0 && heads * 2 >= rest.len() && (named * 2 >= rows || mixed) && !(units.is_empty() && named == 0)
}

fn dimensions(draft: &Draft) -> usize {
    let mut all: Vec<&str> =
        draft.readings.iter().flatten().filter_map(|r| r.unit.as_ref()).map(|u| u.dimension.as_ref()).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// A transposed table: each row has its own unit and direction.
fn by_row(page: &Page, grid: &Grid, drafts: &[Draft]) -> MetricTable {
    let labels = &drafts[0];
    let (mut row_units, mut row_better) = (Vec::new(), Vec::new());
    let mut units: Vec<Option<Unit>> = Vec::new();
    for row in 0..grid.rows.len() {
        let label = plain(labels.pieces[row].of(page));
        let printed = drafts[1..].iter().find_map(|d| {
            d.readings[row]
                .as_ref()
                .and_then(|r| r.unit.clone())
                .filter(|u| u.token != "%" || d.cell_unit().is_none_or(|c| c.token != "%"))
        });
        let unit = unit_of_name(&label).or_else(|| unit_in_parentheses(&label)).or(printed);
        if let Some(better) = direction::better(&label, unit.as_ref(), None) {
            row_better.push((label.clone(), better));
        }
        if let Some(unit) = &unit {
            row_units.push((label, unit.token.to_string()));
        }
        units.push(unit);
    }
    let columns = drafts.iter().enumerate().map(|(i, d)| transposed_column(i, d)).collect::<Vec<_>>();
    let rows = (0..grid.rows.len())
        .map(|row| {
            let one = |(i, d): (usize, &Draft)| {
                let column = &columns[i];
                let unit = if column.unit.is_some() { d.cell_unit() } else { units[row].clone() };
                cell_of(page, &d.pieces[row], d.readings[row].as_ref().filter(|_| i > 0), unit.as_ref())
            };
            drafts.iter().enumerate().map(one).collect()
        })
        .collect();
    MetricTable { columns, rows, row_units, row_better, ..MetricTable::default() }
}

fn transposed_column(at: usize, draft: &Draft) -> Column {
    let name = draft.name.clone();
    if at == 0 || !draft.numeric() {
        return Column { name, role: Some(Role::Label), ..Column::default() };
    }
    if vetoes::is_goal(&draft.words) {
        return Column { name, ..Column::default() };
    }
    let stat = draft.stat.clone();
    let percent = draft.cell_unit().filter(|u| u.token == "%").map(|u| u.token.into_owned());
    Column {
        name,
        unit: percent,
        role: Some(Role::Metric),
        derived: is_derived(stat.as_deref()),
        stat,
        ..Column::default()
    }
}

fn is_derived(stat: Option<&str>) -> bool {
    matches!(stat, Some("delta" | "ratio"))
}

/// A table with one metric per column.
fn by_column(page: &Page, grid: &Grid, drafts: &mut [Draft], near: Near) -> Option<MetricTable> {
    let shared = shared_unit(grid, drafts);
    let told = units_column(page, drafts);
    for draft in drafts.iter_mut() {
        draft.unit = column_unit(draft, shared.as_ref());
        if draft.unit.is_none() && draft.numeric() && !draft.integers() {
            draft.unit.clone_from(&told);
        }
    }
    let roles = roles::of(&drafts.iter().map(|d| sight(page, d)).collect::<Vec<Sight>>());
    let goal = |d: &Draft| vetoes::is_goal(&d.words);
    let roles: Vec<Option<Role>> =
        roles.into_iter().zip(drafts.iter()).map(|(r, d)| r.filter(|r| *r != Role::Metric || !goal(d))).collect();
    if !is_benchmark(page, grid, drafts, &roles, near) {
        return None;
    }
    let mut table = MetricTable { rows: vec![Vec::new(); grid.rows.len()], ..MetricTable::default() };
    for (at, (draft, role)) in drafts.iter().zip(roles).enumerate() {
        push_column(page, &mut table, draft, role);
        let after_sign = at > 0 && drafts[at - 1].pieces.iter().any(|p| p.of(page).ends_with('±'));
        if let Some(column) = table.columns.last_mut().filter(|c| after_sign && c.role == Some(Role::Metric)) {
            (column.stat, column.better) = (Some("spread".into()), None);
        }
    }
    Some(table)
}

/// A unit that the caption or the first heading gives to every column of statistics: `Name (time in ns)`.
fn shared_unit(grid: &Grid, drafts: &[Draft]) -> Option<Unit> {
    let first =
        drafts.first().map(|d| d.head.name.as_str()).filter(|n| n.contains("(time in ")).and_then(unit_in_parentheses);
    first.or_else(|| grid.title.as_deref().and_then(unit_in_parentheses))
}

/// The unit that a column headed `Units` gives to the results of its row, where all rows agree.
fn units_column(page: &Page, drafts: &[Draft]) -> Option<Unit> {
    let units = drafts.iter().find(|d| matches!(d.name.to_lowercase().as_str(), "unit" | "units"))?;
    let first = units.pieces.first()?.of(page);
    units.pieces.iter().all(|p| p.of(page) == first).then(|| lookup(first)).flatten()
}

fn column_unit(draft: &Draft, shared: Option<&Unit>) -> Option<Unit> {
    if !draft.numeric() {
        return None;
    }
    let below = lookup(&draft.head.unit).filter(|_| !draft.head.unit.is_empty());
    let named = below.or_else(|| unit_of_name(&draft.name)).or_else(|| unit_in_parentheses(&draft.name));
    let stat = draft.stat.is_some() && !draft.words.any(&words::COUNTS);
    named.or_else(|| draft.cell_unit()).or_else(|| shared.filter(|_| stat).cloned())
}

fn sight<'d>(page: &Page, draft: &'d Draft) -> Sight<'d> {
    let values: Vec<f64> = draft.readings.iter().flatten().map(|r| r.value).collect();
    let texts: Vec<&str> = draft.pieces.iter().map(|p| p.of(page)).collect();
    Sight {
        name: &draft.name,
        words: &draft.words,
        stat: draft.stat.is_some(),
        numeric: draft.numeric(),
        integers: draft.integers(),
        rising: values.len() > 1 && values.windows(2).all(|w| w[0] < w[1]),
        constant: values.len() > 1 && values.windows(2).all(|w| w[0] == w[1]),
        repeats: texts.len() > 1 && texts[1..].contains(&texts[0]),
        unit: draft.unit.as_ref(),
        values,
    }
}

/// At least one column that is surely measured, and something to tell the rows apart.
fn is_benchmark(page: &Page, grid: &Grid, drafts: &[Draft], roles: &[Option<Role>], near: Near) -> bool {
    let with = |d: &&Draft, role: &Option<Role>, wanted: Role| *role == Some(wanted) && !d.pieces.is_empty();
    let sure = drafts.iter().zip(roles).any(|(d, r)| with(&d, r, Role::Metric) && surely_measured(d, grid.drawn));
    let named = metrics_named(page, drafts) || has_units_line(drafts);
    let beside = near == Near::Measurements && weak(drafts, roles);
    if !sure && !named && !beside {
        return false;
    }
    let keys = drafts.iter().zip(roles).any(|(d, r)| with(&d, r, Role::Label) || with(&d, r, Role::Parameter));
    let headed = drafts.iter().filter(|d| !d.head.name.is_empty()).count();
    match grid.drawn {
        Drawn::Marked => true,
        Drawn::Aligned => keys && (grid.rows.len() > 1 || has_units_line(drafts)) && headed + 1 >= drafts.len(),
    }
}

/// Whether a column is a result by its unit and heading alone. A time needs more than its unit: files, jobs and tests
/// take time too.
fn surely_measured(draft: &Draft, drawn: Drawn) -> bool {
    let (name, all) = (&draft.name, &draft.words);
    if vetoes::is_setting(all) || draft.stat.as_deref().is_some_and(|s| SECONDARY.contains(&s)) {
        return false;
    }
    let Some(unit) = &draft.unit else { return is_metric(all) && !draft.integers() };
    if unit.is_rate() || unit.is_time_per() || is_metric(all) {
        return true;
    }
    let weak = all.any(&WEAK_METRICS) || draft.stat.is_some();
    let spelled = lookup(name).is_some() || draft.head.unit.len() > 1 || name.contains(['(', '_']);
    let phrase = drawn == Drawn::Marked && name.contains(' ');
    unit.is_time() && (weak || spelled || phrase)
}

/// A column headed `Metric` whose cells name some, beside values with decimals.
fn metrics_named(page: &Page, drafts: &[Draft]) -> bool {
    let named = drafts.iter().any(|d| {
        let hits = || d.pieces.iter().filter(|p| words::has(p.of(page), &NAMED)).count();
        d.head.name.to_lowercase().starts_with("metric") && hits() * 2 >= d.pieces.len()
    });
    named && drafts.iter().any(|d| d.numeric() && !d.integers())
}

/// Names of metrics that stand in cells; sorted.
#[rustfmt::skip]
static NAMED: Lexicon = Lexicon::new(&["acc", "accuracy", "bleu", "em", "exact", "f1", "latency", "loss", "perplexity", "rouge", "throughput"]);

/// A line of units below the headings, for most columns.
fn has_units_line(drafts: &[Draft]) -> bool {
    let units = drafts.iter().filter(|d| lookup(&d.head.unit).is_some()).count();
    units >= 3 && units * 10 >= drafts.len() * 7
}

/// A result that is one only in company, with decimals.
fn weak(drafts: &[Draft], roles: &[Option<Role>]) -> bool {
    drafts.iter().zip(roles).any(|(d, r)| *r == Some(Role::Metric) && !d.integers() && d.words.any(&WEAK_METRICS))
}

fn push_column(page: &Page, table: &mut MetricTable, draft: &Draft, role: Option<Role>) {
    let name = draft.name.clone();
    let stat = draft.stat.clone().filter(|_| role == Some(Role::Metric));
    let better =
        (role == Some(Role::Metric)).then(|| direction::better(&name, draft.unit.as_ref(), stat.as_deref())).flatten();
    let unit = draft.unit.as_ref().map(|u| u.token.to_string());
    let derived = is_derived(stat.as_deref());
    table.columns.push(Column { name: name.clone(), unit: unit.clone(), role, better, stat, derived });
    let figures = role != Some(Role::Label);
    for (row, piece) in draft.pieces.iter().enumerate() {
        let reading = draft.readings[row].as_ref().filter(|_| figures);
        let mut cell = cell_of(page, piece, reading, draft.unit.as_ref());
        if !figures && cell.value == Value::Missing && !cell::is_blank(&cell.text) {
            cell.value = Value::Text(plain(&cell.text));
        }
        table.rows[row].push(cell);
    }
    if draft.readings.iter().flatten().any(|r| r.spread.is_some()) {
        let own = draft.readings.iter().flatten().find_map(|r| r.spread.as_ref()?.1.clone());
        let unit = own.as_ref().filter(|u| u.token == "%").map(|u| u.token.to_string()).or(unit);
        let column = Column {
            name: format!("{name} ±"),
            unit,
            role: Some(Role::Metric),
            stat: Some("spread".into()),
            ..Column::default()
        };
        table.columns.push(column);
        for (row, piece) in draft.pieces.iter().enumerate() {
            let spread = draft.readings[row].as_ref().and_then(|r| r.spread.clone());
            let reading = spread.map(|(value, unit)| Reading { value, unit, at: 0..0, ..Reading::default() });
            let mut cell = cell_of(page, piece, reading.as_ref(), draft.unit.as_ref());
            if reading.is_none() {
                cell.value = Value::Missing;
            }
            table.rows[row].push(cell);
        }
    }
}

/// A cell in the unit of its column (or row).
fn cell_of(page: &Page, piece: &Piece, reading: Option<&Reading>, unit: Option<&Unit>) -> Cell {
    let text = piece.of(page);
    let span =
        if piece.range.is_empty() { ByteSpan::default() } else { page.lines[piece.line].span(piece.range.clone()) };
    let value = match reading {
        Some(r) => Value::Number(in_unit(r, unit)),
        None if cell::is_nothing(text) || cell::is_broken(text) => Value::Missing,
        None => match unit.and_then(|_| cell::scaled(text)) {
            Some(value) => Value::Number(value),
            None => Value::Text(plain(text)),
        },
    };
    Cell { text: text.to_string(), value, span }
}

fn in_unit(reading: &Reading, unit: Option<&Unit>) -> f64 {
    match (unit, &reading.unit) {
        (Some(to), Some(from)) => to.convert(reading.value, from).unwrap_or(reading.value),
        _ => reading.value,
    }
}

/// Text without emphasis and quotes.
fn plain(text: &str) -> String {
    text.trim_matches(['*', '`', '\'', '"', ' ']).to_string()
}
