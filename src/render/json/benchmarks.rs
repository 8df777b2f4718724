//! `benchmarks --json`: `turnpoint.benchmarks/1`.

use serde::Serialize;
use serde_json::{Number, Value as Json};

use super::series::OverRuns;
use crate::{
    base::ids::MessageIdx,
    model::{
        command::Setting,
        evidence::Evidence,
        facts::Facts,
        findings::Findings,
        message::Exit,
        metric::{Column, Direction, Extraction, Measurement, MetricTable, Origin, Place, Role, Value},
        session::Session,
    },
};

/// The document.
#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbering: Option<&'static str>,
    tables: Vec<Table>,
    metrics: Vec<Metric>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<serde_json::Map<String, Json>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<Tests>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scaling: Vec<Scaling>,
    #[serde(flatten)]
    over_runs: Option<OverRuns>,
}

#[derive(Serialize)]
struct Table {
    title: Option<String>,
    tool: Option<String>,
    columns: Vec<ColumnView>,
    rows: Vec<Vec<Json>>,
    truncated: bool,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    row_units: serde_json::Map<String, Json>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    row_better: serde_json::Map<String, Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At>,
}

#[derive(Serialize)]
struct ColumnView {
    name: String,
    unit: Option<String>,
    role: Option<&'static str>,
    better: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stat: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    derived: bool,
}

#[derive(Serialize)]
struct Metric {
    name: String,
    value: Json,
    unit: Option<String>,
    params: serde_json::Map<String, Json>,
    better: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stat: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approx: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    derived: bool,
    at: At,
}

/// Where something stands: in a session the message, in a plain text only the bytes.
#[derive(Serialize, Default)]
struct At {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// `measured`, `quoted`, `stated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
    /// Message of the command that measured it, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u32>,
    #[serde(flatten)]
    context: Option<Context>,
    start: usize,
    end: usize,
}

/// Counts of one run of a test runner.
#[derive(Serialize)]
struct Tests {
    counts: serde_json::Map<String, Json>,
    at: At,
}

/// Growth of a metric with its parameter.
#[derive(Serialize)]
struct Scaling {
    table: usize,
    parameter: String,
    metric: String,
    from: Json,
    to: Json,
    factor: f64,
    parameter_factor: f64,
    efficiency: f64,
    /// Of each row, how many times as good as the first: null where it holds no number.
    speedups: Vec<Option<f64>>,
    derived: bool,
}

impl Document {
    /// The document of a plain text.
    pub fn of_text(found: &Extraction) -> Self {
        let place = |start, end| At { start, end, ..At::default() };
        let table = |t: &MetricTable| {
            let span = t.span();
            Table::new(t, Some(place(span.start, span.end)))
        };
        Self {
            schema: SCHEMA,
            session: None,
            numbering: None,
            tables: found.tables.iter().map(table).collect(),
            metrics: found.metrics.iter().map(|m| Metric::new(m, place(m.span.start, m.span.end))).collect(),
            quality: (!found.quality.is_empty()).then(|| counts(&found.quality)),
            tests: Vec::new(),
            scaling: Vec::new(),
            over_runs: None,
        }
    }

    /// The document of a session.
    pub fn of_session(session: &Session, facts: &Facts, findings: &Findings, over_runs: Option<OverRuns>) -> Self {
        let at = |place: &Place, evidence: &Evidence| At::new(session, facts, place, evidence);
        let last = facts.quality.last();
        Self {
            schema: SCHEMA,
            session: Some(session.info.id.clone()),
            numbering: Some(session.numbering.name()),
            tables: facts.tables.iter().map(|t| Table::new(&t.table, Some(at(&t.at, &t.evidence)))).collect(),
            metrics: facts.metrics.iter().map(|m| Metric::new(&m.metric, at(&m.at, &m.evidence))).collect(),
            quality: last.map(|q| counts(&q.counts)),
            tests: facts
                .quality
                .iter()
                .map(|q| Tests { counts: counts(&q.counts), at: at(&q.at, &q.evidence) })
                .collect(),
            scaling: findings.scaling.iter().filter_map(|s| Scaling::new(s, facts)).collect(),
            over_runs,
        }
    }
}

const SCHEMA: &str = "turnpoint.benchmarks/1";

impl Table {
    fn new(table: &MetricTable, at: Option<At>) -> Self {
        let text = |v: &str| Json::String(v.to_string());
        Self {
            title: table.title.clone(),
            tool: table.tool.clone(),
            columns: table.columns.iter().map(ColumnView::new).collect(),
            rows: table.rows.iter().map(|r| r.iter().map(|c| value(&c.value)).collect()).collect(),
            truncated: table.truncated,
            row_units: table.row_units.iter().map(|(l, u)| (l.clone(), text(u))).collect(),
            row_better: table.row_better.iter().map(|(l, d)| (l.clone(), text(direction(*d)))).collect(),
            kind: table.kind,
            at,
        }
    }
}

impl ColumnView {
    fn new(column: &Column) -> Self {
        Self {
            name: column.name.clone(),
            unit: column.unit.clone(),
            role: column.role.map(role),
            better: column.better.map(direction),
            stat: column.stat.clone(),
            derived: column.derived,
        }
    }
}

impl Metric {
    fn new(m: &Measurement, at: At) -> Self {
        Self {
            name: m.name.clone(),
            value: number(m.value),
            unit: m.unit.clone(),
            params: m.params.iter().map(|(name, v)| (name.clone(), value(v))).collect(),
            better: m.better.map(direction),
            lo: m.lo.map(number),
            hi: m.hi.map(number),
            spread: m.spread.map(number),
            stat: m.stat.clone(),
            approx: m.approx,
            derived: m.derived,
            at,
        }
    }
}

/// Under which circumstances a command measured, as far as the log says.
#[derive(Serialize)]
struct Context {
    step: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    on: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settings: Vec<SettingView>,
}

/// A setting of a command line; a switch has no value.
#[derive(Serialize)]
struct SettingView {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

impl Context {
    fn new(session: &Session, facts: &Facts, run: MessageIdx) -> Self {
        let message = session.message(run);
        let call = message.call.as_ref();
        let invocation = facts.run_of(run).and_then(|r| r.invocation.as_ref());
        let setting = |s: &Setting| SettingView { name: s.name.clone(), value: s.value.clone() };
        Self {
            step: session.step_of(run).0,
            cwd: message.setting.cwd.as_deref().map(str::to_string),
            exit: call.and_then(|c| if let Exit::Code(code) = c.exit { Some(code) } else { None }),
            outcome: call.and_then(|c| c.outcome.word()),
            by: invocation.map(|i| i.by.clone()),
            on: invocation.map(|i| i.on.clone()).unwrap_or_default(),
            settings: invocation.map(|i| i.settings.iter().map(setting).collect()).unwrap_or_default(),
        }
    }
}

impl At {
    fn new(session: &Session, facts: &Facts, place: &Place, evidence: &Evidence) -> Self {
        let span = evidence.quote().map(|(_, span)| span).unwrap_or_default();
        Self {
            message: Some(session.message(place.message).number),
            id: Some(session.public_id(place.message)),
            part: Some(place.part),
            command: place.command.clone(),
            origin: Some(match place.origin {
                Origin::Run(_) => "measured",
                Origin::Quoted => "quoted",
                Origin::Stated => "stated",
            }),
            run: place.run().filter(|run| *run != place.message).map(|run| session.message(run).number),
            context: place.run().map(|run| Context::new(session, facts, run)),
            start: span.start,
            end: span.end,
        }
    }
}

impl Scaling {
    fn new(found: &crate::model::metric::Scaling, facts: &Facts) -> Option<Self> {
        let table = &facts.tables.get(found.table)?.table;
        let cell = |row: usize| value(&table.rows[row][found.metric].value);
        Some(Self {
            table: found.table,
            parameter: table.columns[found.parameter].name.clone(),
            metric: table.columns[found.metric].name.clone(),
            from: cell(found.rows.0),
            to: cell(found.rows.1),
            factor: found.factor,
            parameter_factor: found.parameter_factor,
            efficiency: found.factor / found.parameter_factor,
            speedups: found.speedups(table).into_iter().map(|s| s.map(|(speedup, _)| speedup)).collect(),
            derived: true,
        })
    }
}

fn counts(all: &[(String, f64)]) -> serde_json::Map<String, Json> {
    all.iter().map(|(name, n)| (name.clone(), number(*n))).collect()
}

fn value(value: &Value) -> Json {
    match value {
        Value::Number(n) => number(*n),
        Value::Text(text) => Json::String(text.clone()),
        Value::Missing => Json::Null,
    }
}

/// Integers as integers; whatever JSON cannot hold as null.
pub fn number(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Json::Number(Number::from(value as i64));
    }
    Number::from_f64(value).map_or(Json::Null, Json::Number)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Parameter => "parameter",
        Role::Metric => "metric",
        Role::Label => "label",
        Role::Count => "count",
    }
}

/// Printed word of a direction.
pub fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
    }
}
