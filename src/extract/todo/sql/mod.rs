//! A list that is kept in a table: the agent runs SQL against `todos(id, title, description, status, …)`, and the rows as
//! of each call are what its statements so far made of them. What a statement that is not understood may have changed is
//! not told any more, and the list is then one of at least so many items.

mod statement;
mod tokens;

use super::{Found, Write, board::Board, status};
use crate::{
    base::span::ByteSpan,
    model::{
        message::{Outcome, Part, PartKind},
        todo::{Provenance, TodoItem, TodoStatus},
    },
};
use statement::{Condition, Conflict, Insert, Statement, Value};

/// The tool, in lower case.
pub(super) const TOOL: &str = "sql";
/// Names of the field that holds the statements.
const QUERIES: &[&str] = &["query", "sql", "statement", "statements", "command"];
/// The database of the session, where the tool knows several.
const OWN: &str = "session";

/// The table so far.
#[derive(Default)]
pub(super) struct Tables {
    board: Board,
    /// Columns in their order, each with its default, where a statement told them.
    columns: Vec<(String, Option<String>)>,
    /// The rows before the transaction that is open.
    begun: Option<Board>,
}

impl Tables {
    /// Applies the statements of a call; the list after them, if they changed it.
    pub fn apply(&mut self, write: Write) -> Found {
        if write.input(&["database"]).is_some_and(|(_, part)| part.text != OWN) {
            return Found::Nothing;
        }
        let unnamed = || write.message.parts.iter().position(|p| p.kind == PartKind::Input && p.name.is_none());
        let named = write.input(QUERIES).map(|(part, _)| part);
        let Some(part) = named.or_else(unnamed) else { return Found::Nothing };
        let statements = shown(&write.message.parts[part]);
        let writes = |s: &&Statement| **s != Statement::Nothing;
        let count = statements.iter().filter(writes).count();
        if count == 0 || write.call.outcome == Outcome::Denied {
            return Found::Nothing;
        }
        if !write.may_have_worked() {
            // One statement that failed changed nothing; of several, some may have been run.
            if count > 1 {
                self.board.forget();
            }
            return Found::Nothing;
        }
        self.board.turn();
        let before = self.board.clone();
        statements.into_iter().for_each(|statement| self.run(write, part, statement));
        let same = before.items() == self.board.items() && before.more == self.board.more;
        if same { Found::Nothing } else { Found::List(self.board.snapshot(&write)) }
    }

    fn run(&mut self, write: Write, part: usize, statement: Statement) {
        match statement {
            Statement::Nothing => {}
            Statement::Begin => self.begun = Some(self.board.clone()),
            Statement::Commit => self.begun = None,
            Statement::Rollback => match self.begun.take() {
                Some(board) => self.board = board,
                None => self.board.forget(),
            },
            Statement::Create(columns) => self.columns = columns,
            Statement::Insert(insert) => self.insert(write, part, insert),
            Statement::Update { sets, condition } => self.update(write, part, &sets, &condition),
            Statement::Delete(condition) => self.delete(&condition),
            Statement::InsertUnknown => self.board.more = true,
            Statement::Unknown => self.board.forget(),
        }
    }

    fn insert(&mut self, write: Write, part: usize, insert: Insert) {
        let names: Vec<String> = match insert.columns {
            Some(names) => names,
            None => self.columns.iter().map(|(name, _)| name.clone()).collect(),
        };
        for values in insert.rows {
            let row: Vec<(String, Value)> = match names.len() == values.len() {
                true => names.iter().cloned().zip(values).collect(),
                false => Vec::new(),
            };
            self.put(write, part, &row, &insert.conflict);
        }
    }

    fn put(&mut self, write: Write, part: usize, row: &[(String, Value)], conflict: &Conflict) {
        let Some(item) = self.item(write, part, row) else {
            self.board.more = true;
            return;
        };
        match (item.id.as_deref().and_then(|id| self.board.find(id)), conflict) {
            (Some(at), Conflict::Replace) => self.board.set(at, item),
            (None, Conflict::Replace) => self.board.push(item),
            // A row that is not shown may have that id.
            (None, _) if self.board.more => {}
            (None, _) => self.board.push(item),
            (Some(_), Conflict::Ignore) => {}
            (Some(at), Conflict::Update(sets)) => {
                let value = |value: &Value| match value {
                    Value::Excluded(column) => of(row, column).cloned().unwrap_or(Value::Opaque),
                    value => value.clone(),
                };
                let sets: Vec<_> = sets.iter().map(|(column, v)| (column.clone(), value(v))).collect();
                self.change(write, part, at, &sets, Truth::Yes);
            }
        }
    }

    /// A row as an item; `None` where its text is not shown.
    fn item(&self, write: Write, part: usize, row: &[(String, Value)]) -> Option<TodoItem> {
        let literal = |column: &str| match of(row, column)? {
            Value::Literal(text, span) if !text.trim().is_empty() => Some((text.clone(), *span)),
            _ => None,
        };
        let (content, span) = ["title", "description", "id"].iter().find_map(|column| literal(column))?;
        let default = || self.columns.iter().find(|(name, _)| name == "status").and_then(|(_, text)| text.clone());
        let raw = match of(row, "status") {
            Some(Value::Literal(text, _)) => text.clone(),
            Some(_) => String::new(),
            None => default().unwrap_or_default(),
        };
        Some(TodoItem {
            evidence: cite(write, part, span, &content),
            content,
            content_cut: false,
            status: status::of_shown(&raw),
            status_raw: raw,
            priority: literal("priority").map(|(text, _)| text),
            id: literal("id").map(|(text, _)| text),
            group: None,
            known: Provenance::Input,
        })
    }

    fn update(&mut self, write: Write, part: usize, sets: &[(String, Value)], condition: &Condition) {
        let hit: Vec<Truth> = self.board.items().iter().map(|item| holds(condition, item)).collect();
        // From the end, so that an item that is lost leaves the places before it.
        for (at, truth) in hit.into_iter().enumerate().rev() {
            if truth != Truth::No {
                self.change(write, part, at, sets, truth);
            }
        }
        let unseen = |id: &String| self.board.find(id).is_none();
        if ids(condition).iter().any(unseen) {
            self.board.more = true;
        }
    }

    /// Sets columns of a row that certainly, or perhaps, is meant.
    fn change(&mut self, write: Write, part: usize, at: usize, sets: &[(String, Value)], meant: Truth) {
        let mut item = self.board.items()[at].clone();
        for (column, value) in sets {
            match (column.as_str(), value, meant) {
                ("status", Value::Literal(text, _), _) if *text == item.status_raw => {}
                ("status", Value::Literal(text, _), Truth::Yes) => {
                    (item.status, item.status_raw) = (status::of_shown(text), text.clone());
                }
                ("status", ..) => (item.status, item.status_raw) = (TodoStatus::NotShown, String::new()),
                ("title", Value::Literal(text, _), _) if *text == item.content => {}
                ("title", Value::Literal(text, span), Truth::Yes) => {
                    item.evidence = cite(write, part, *span, text);
                    item.content.clone_from(text);
                }
                // Its text is not known any more.
                ("title", ..) => {
                    self.board.remove(at);
                    self.board.more = true;
                    return;
                }
                ("id", Value::Literal(text, _), Truth::Yes) => item.id = Some(text.clone()),
                ("id", ..) => item.id = None,
                ("priority", Value::Literal(text, _), Truth::Yes) => item.priority = Some(text.clone()),
                ("priority", ..) => item.priority = None,
                _ => {}
            }
        }
        if item != self.board.items()[at] {
            self.board.set(at, TodoItem { known: Provenance::Input, ..item });
        }
    }

    fn delete(&mut self, condition: &Condition) {
        for at in (0..self.board.items().len()).rev() {
            match holds(condition, &self.board.items()[at]) {
                Truth::No => continue,
                Truth::Yes => {}
                Truth::Maybe => self.board.more = true,
            }
            self.board.remove(at);
        }
        if *condition == Condition::Always {
            self.board.more = false;
        }
    }
}

/// The statements of a part; of a text that is cut, anything may follow.
fn shown(part: &Part) -> Vec<Statement> {
    let mut statements = statement::statements(&tokens::tokens(&part.text));
    if part.cut.is_some() {
        statements.pop();
        statements.push(Statement::Unknown);
    }
    statements
}

fn of<'r>(row: &'r [(String, Value)], column: &str) -> Option<&'r Value> {
    row.iter().find(|(name, _)| name == column).map(|(_, value)| value)
}

fn cite(write: Write, part: usize, span: Option<ByteSpan>, words: &str) -> crate::model::evidence::Evidence {
    span.map_or_else(|| write.words(words), |span| write.evidence(part, span))
}

/// Whether a row is meant, as far as its columns are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Truth {
    Yes,
    No,
    Maybe,
}

impl Truth {
    fn of(holds: bool) -> Self {
        if holds { Truth::Yes } else { Truth::No }
    }
}

fn holds(condition: &Condition, item: &TodoItem) -> Truth {
    match condition {
        Condition::Always => Truth::Yes,
        Condition::Opaque => Truth::Maybe,
        Condition::Among(column, values) => {
            let Some(own) = known(column, item) else { return Truth::Maybe };
            let equal = values.iter().any(|value| matches!(value, Value::Literal(text, _) if text == own));
            match values.iter().all(|value| matches!(value, Value::Literal(..))) {
                true => Truth::of(equal),
                false if equal => Truth::Yes,
                false => Truth::Maybe,
            }
        }
        Condition::Like { column, text, open_start, open_end } => {
            let Some(own) = known(column, item).map(str::to_ascii_lowercase) else { return Truth::Maybe };
            Truth::of(match (open_start, open_end) {
                (true, true) => own.contains(text),
                (true, false) => own.ends_with(text),
                (false, true) => own.starts_with(text),
                (false, false) => own == *text,
            })
        }
        Condition::And(all) => together(all, item, Truth::No),
        Condition::Or(any) => together(any, item, Truth::Yes),
        Condition::Not(inner) => match holds(inner, item) {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Maybe => Truth::Maybe,
        },
    }
}

/// Conditions of which one with the `deciding` truth decides.
fn together(conditions: &[Condition], item: &TodoItem, deciding: Truth) -> Truth {
    let truths: Vec<Truth> = conditions.iter().map(|condition| holds(condition, item)).collect();
    let other = if deciding == Truth::No { Truth::Yes } else { Truth::No };
    match truths {
        _ if truths.contains(&deciding) => deciding,
        _ if truths.contains(&Truth::Maybe) => Truth::Maybe,
        _ => other,
    }
}

/// What a column of a row holds, where that is known.
fn known<'i>(column: &str, item: &'i TodoItem) -> Option<&'i str> {
    match column {
        "id" => item.id.as_deref(),
        "status" => Some(item.status_raw.as_str()).filter(|raw| !raw.is_empty()),
        "title" => Some(&item.content),
        "priority" => item.priority.as_deref(),
        _ => None,
    }
}

/// The ids that a condition names.
fn ids(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::Among(column, values) if column == "id" => values
            .iter()
            .filter_map(|value| match value {
                Value::Literal(text, _) => Some(text.clone()),
                _ => None,
            })
            .collect(),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(ids).collect(),
        _ => Vec::new(),
    }
}
