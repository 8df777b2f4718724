//! What a SQL statement does to the table of todos. Only plain statements are understood; of any other it is said what it
//! may have done, so that nothing is told that may be false.

use super::tokens::Token;
use crate::base::span::ByteSpan;

/// The table.
const TABLE: &str = "todos";
/// Its columns.
const COLUMNS: &[&str] = &["created_at", "description", "id", "priority", "status", "title", "updated_at"];

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Statement {
    /// Nothing to the todos.
    Nothing,
    /// Begins a transaction.
    Begin,
    /// Ends a transaction.
    Commit,
    /// Takes a transaction back.
    Rollback,
    /// Makes the table, if there is none yet: its columns, each with the text that it has by default.
    Create(Vec<(String, Option<String>)>),
    /// Puts rows in.
    Insert(Insert),
    /// Changes rows.
    Update { sets: Vec<(String, Value)>, condition: Condition },
    /// Takes rows out.
    Delete(Condition),
    /// Puts rows in that are not shown.
    InsertUnknown,
    /// Something else.
    Unknown,
}

/// Rows that are put in.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Insert {
    /// Columns of the rows; `None` where the table's own order counts.
    pub columns: Option<Vec<String>>,
    pub rows: Vec<Vec<Value>>,
    pub conflict: Conflict,
}

/// What happens to a row whose id stands in the table.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Conflict {
    /// It takes the place of the old one; the default, too, since an error would have failed.
    Replace,
    /// The old one stays.
    Ignore,
    /// The old one is changed.
    Update(Vec<(String, Value)>),
}

/// A value in a statement.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// A text or number, and its bytes, without quotes, where it is a text.
    Literal(String, Option<ByteSpan>),
    /// A column of the row that was to be put in (`excluded.title`).
    Excluded(String),
    /// Anything that has to be computed.
    Opaque,
}

/// Which rows a statement is about.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Condition {
    Always,
    /// A column is one of some values.
    Among(String, Vec<Value>),
    /// A column begins, ends with, holds or is a text (`LIKE`); letter case does not count.
    Like {
        column: String,
        text: String,
        open_start: bool,
        open_end: bool,
    },
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Opaque,
}

/// The statements of a text.
pub(super) fn statements(tokens: &[Token]) -> Vec<Statement> {
    tokens.split(|token| *token == Token::Sign(";")).filter(|part| !part.is_empty()).map(statement).collect()
}

fn statement(tokens: &[Token]) -> Statement {
    let mut reader = Reader { tokens };
    let verb = reader.name().unwrap_or_default();
    let read = match verb.as_str() {
        "begin" => Some(Statement::Begin),
        "commit" | "end" => Some(Statement::Commit),
        "rollback" => (!tokens.iter().any(|token| token.is("to"))).then_some(Statement::Rollback),
        "select" | "pragma" | "explain" | "values" | "analyze" | "vacuum" | "savepoint" | "release" => {
            Some(Statement::Nothing)
        }
        _ if !touches(tokens) => Some(Statement::Nothing),
        "with" => (!tokens.iter().any(writes)).then_some(Statement::Nothing),
        "create" => create(reader),
        "insert" | "replace" => insert(reader, verb == "replace"),
        "update" => update(reader),
        "delete" => delete(reader),
        "drop" => drop_table(reader),
        "alter" => alter(reader),
        _ => None,
    };
    read.unwrap_or(Statement::Unknown)
}

fn writes(token: &Token) -> bool {
    ["insert", "replace", "update", "delete"].iter().any(|verb| token.is(verb))
}

/// Whether a statement names the table at all.
fn touches(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.name().is_some_and(is_table))
}

fn is_table(name: &str) -> bool {
    name.eq_ignore_ascii_case(TABLE)
}

/// The rest of a statement.
#[derive(Clone, Copy)]
struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
}

impl<'t, 'a> Reader<'t, 'a> {
    fn next(&mut self) -> Option<&'t Token<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.first()
    }

    fn ended(&self) -> bool {
        self.tokens.is_empty()
    }

    fn word(&mut self, keyword: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(keyword));
        self.tokens = &self.tokens[usize::from(found)..];
        found
    }

    /// Several keywords in a row, or none of them.
    fn words(&mut self, keywords: &[&str]) -> bool {
        let before = self.tokens;
        let found = keywords.iter().all(|keyword| self.word(keyword));
        if !found {
            self.tokens = before;
        }
        found
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.tokens = &self.tokens[usize::from(found)..];
        found
    }

    fn name(&mut self) -> Option<String> {
        self.next()?.name().map(str::to_ascii_lowercase)
    }

    /// A table, with or without the name of its database; whether it is that of the todos.
    fn table(&mut self) -> Option<bool> {
        let mut name = self.name()?;
        if self.sign(".") {
            name = self.name()?;
        }
        Some(is_table(&name))
    }

    /// A column, with or without the name of its table.
    fn column(&mut self) -> Option<String> {
        let name = self.name()?;
        if self.sign(".") { self.name() } else { Some(name) }
    }

    /// The names in a pair of brackets.
    fn columns(&mut self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        loop {
            names.push(self.name()?);
            if self.sign(")") {
                return Some(names);
            }
            self.sign(",").then_some(())?;
        }
    }

    /// A value up to the comma, bracket or keyword behind it.
    fn value(&mut self, ends: &[&str]) -> Value {
        let before = self.tokens;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") if depth == 0 => break,
                Token::Sign(")") => depth -= 1,
                Token::Sign(",") if depth == 0 => break,
                Token::Word(word) if depth == 0 && ends.iter().any(|end| word.eq_ignore_ascii_case(end)) => break,
                _ => {}
            }
            self.next();
        }
        value(&before[..before.len() - self.tokens.len()])
    }

    /// The values in a pair of brackets that is open.
    fn row(&mut self) -> Option<Vec<Value>> {
        let mut row = Vec::new();
        loop {
            row.push(self.value(&[]));
            if self.sign(")") {
                return Some(row);
            }
            self.sign(",").then_some(())?;
        }
    }

    /// `a = 1, b = 2`.
    fn sets(&mut self) -> Option<Vec<(String, Value)>> {
        let mut sets = Vec::new();
        loop {
            let column = self.column()?;
            (self.sign("=") || self.sign("==")).then_some(())?;
            sets.push((column, self.value(&["where", "from", "returning", "order", "limit"])));
            if !self.sign(",") {
                return Some(sets);
            }
        }
    }

    /// `WHERE …` to its end, and what may stand behind it; a condition that is not understood is opaque.
    fn condition(&mut self) -> Condition {
        /// Brackets and negations in each other.
        const DEEPEST: usize = 32;
        let condition = match (self.ended(), self.word("where")) {
            (true, _) => Condition::Always,
            (false, true) => self.any(DEEPEST).unwrap_or(Condition::Opaque),
            (false, false) if self.peek().is_some_and(|t| t.is("returning")) => Condition::Always,
            (false, false) => Condition::Opaque,
        };
        if self.ended() || self.word("returning") { condition } else { Condition::Opaque }
    }

    fn any(&mut self, deepest: usize) -> Option<Condition> {
        let mut any = vec![self.all(deepest)?];
        while self.word("or") {
            any.push(self.all(deepest)?);
        }
        Some(if any.len() == 1 { any.remove(0) } else { Condition::Or(any) })
    }

    fn all(&mut self, deepest: usize) -> Option<Condition> {
        let mut all = vec![self.one_or_opaque(deepest)?];
        while self.word("and") {
            all.push(self.one_or_opaque(deepest)?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { Condition::And(all) })
    }

    /// A condition that is not understood may hold or not; the others beside it still decide.
    fn one_or_opaque(&mut self, deepest: usize) -> Option<Condition> {
        let before = self.tokens;
        let ended = |reader: &Self| {
            reader
                .peek()
                .is_none_or(|t| *t == Token::Sign(")") || ["and", "or", "returning"].iter().any(|end| t.is(end)))
        };
        if let Some(one) = self.one(deepest).filter(|_| ended(self)) {
            return Some(one);
        }
        self.tokens = before;
        self.value(&["and", "or", "returning", "order", "limit"]);
        let passed = &before[..before.len() - self.tokens.len()];
        // Inside a CASE these words do not part conditions.
        (!passed.is_empty() && !passed.iter().any(|token| token.is("case"))).then_some(Condition::Opaque)
    }

    fn one(&mut self, deepest: usize) -> Option<Condition> {
        let deepest = deepest.checked_sub(1)?;
        if self.word("not") {
            return Some(Condition::Not(Box::new(self.one(deepest)?)));
        }
        if self.sign("(") {
            let inner = self.any(deepest)?;
            return self.sign(")").then_some(inner);
        }
        let column = self.column()?;
        let negated = self.word("not");
        let positive = if self.word("in") {
            self.sign("(").then_some(())?;
            Condition::Among(column, self.row()?)
        } else if self.word("like") {
            like(column, self.next()?)?
        } else if !negated && (self.sign("=") || self.sign("==") || self.word("is")) {
            Condition::Among(column, vec![self.compared()?])
        } else if !negated && (self.sign("<>") || self.sign("!=")) {
            Condition::Not(Box::new(Condition::Among(column, vec![self.compared()?])))
        } else {
            return None;
        };
        Some(if negated { Condition::Not(Box::new(positive)) } else { positive })
    }

    /// What a column is compared with: one literal. Anything else is not understood.
    fn compared(&mut self) -> Option<Value> {
        let literal = value(std::slice::from_ref(self.next()?));
        (matches!(literal, Value::Literal(..))
            && !self.peek().is_some_and(|t| matches!(t, Token::Sign("||" | "+" | "-"))))
        .then_some(literal)
    }
}

fn value(tokens: &[Token]) -> Value {
    match tokens {
        [Token::Text(text, span)] => Value::Literal(text.to_string(), Some(*span)),
        // Double quotes around what is no column of the table are taken for those of a text.
        [Token::Name(text)] if !COLUMNS.iter().any(|column| text.eq_ignore_ascii_case(column)) => {
            Value::Literal(text.to_string(), None)
        }
        [Token::Number(number)] => Value::Literal(number.to_string(), None),
        [table, Token::Sign("."), column] if table.is("excluded") => {
            column.name().map_or(Value::Opaque, |name| Value::Excluded(name.to_ascii_lowercase()))
        }
        _ => Value::Opaque,
    }
}

/// `LIKE '%text%'` with the signs at the ends alone.
fn like(column: String, pattern: &Token) -> Option<Condition> {
    let Token::Text(pattern, _) = pattern else { return None };
    let text = pattern.strip_prefix('%').unwrap_or(pattern);
    let text = text.strip_suffix('%').unwrap_or(text);
    let (open_start, open_end) = (pattern.starts_with('%'), pattern.ends_with('%'));
    (!text.contains(['%', '_'])).then(|| Condition::Like {
        column,
        text: text.to_ascii_lowercase(),
        open_start,
        open_end,
    })
}

fn create(mut reader: Reader) -> Option<Statement> {
    let passing = reader.word("temp") || reader.word("temporary");
    if reader.word("index") || reader.words(&["unique", "index"]) || reader.word("view") {
        return Some(Statement::Nothing);
    }
    if !reader.word("table") || passing {
        // A trigger may do anything later, and a passing table hides the lasting one.
        return reader.table().filter(|todos| !todos && passing).map(|_| Statement::Nothing);
    }
    reader.words(&["if", "not", "exists"]);
    if !reader.table()? {
        return Some(Statement::Nothing);
    }
    let mut columns = Vec::new();
    if reader.sign("(") {
        while !reader.ended() {
            columns.extend(definition(&mut reader));
            if !reader.sign(",") {
                break;
            }
        }
    }
    Some(Statement::Create(columns))
}

/// A column with its default; nothing for a constraint of the table.
fn definition(reader: &mut Reader) -> Option<(String, Option<String>)> {
    const CONSTRAINTS: &[&str] = &["primary", "foreign", "unique", "check", "constraint"];
    let before = reader.tokens;
    reader.value(&[]);
    let tokens = &before[..before.len() - reader.tokens.len()];
    let name = tokens.first().filter(|t| !CONSTRAINTS.iter().any(|word| t.is(word)))?.name()?;
    let default = tokens.iter().position(|token| token.is("default"));
    let text = default.and_then(|at| match value(tokens.get(at + 1..at + 2)?) {
        Value::Literal(text, _) => Some(text),
        _ => None,
    });
    Some((name.to_ascii_lowercase(), text))
}

fn insert(mut reader: Reader, mut replaces: bool) -> Option<Statement> {
    let mut ignores = false;
    if reader.word("or") {
        let way = reader.next()?;
        (replaces, ignores) = (way.is("replace"), way.is("ignore"));
    }
    reader.word("into").then_some(())?;
    if !reader.table()? {
        return Some(Statement::Nothing);
    }
    let columns = if reader.sign("(") { Some(reader.columns()?) } else { None };
    if !reader.word("values") {
        let changes = replaces || reader.tokens.iter().any(|token| token.is("conflict"));
        return (!changes).then_some(Statement::InsertUnknown);
    }
    let mut rows = Vec::new();
    loop {
        reader.sign("(").then_some(())?;
        rows.push(reader.row()?);
        if !reader.sign(",") {
            break;
        }
    }
    let conflict = match on_conflict(&mut reader)? {
        None if ignores => Conflict::Ignore,
        None => Conflict::Replace,
        Some(conflict) => conflict,
    };
    (reader.ended() || reader.word("returning")).then_some(())?;
    Some(Statement::Insert(Insert { columns, rows, conflict }))
}

/// `ON CONFLICT(id) DO …`; `None` outside where it is not understood, inside where there is none.
fn on_conflict(reader: &mut Reader) -> Option<Option<Conflict>> {
    if !reader.words(&["on", "conflict"]) {
        return Some(None);
    }
    if reader.sign("(") {
        (reader.columns()? == ["id"]).then_some(())?;
    }
    if reader.words(&["do", "nothing"]) {
        return Some(Some(Conflict::Ignore));
    }
    reader.words(&["do", "update", "set"]).then_some(())?;
    let sets = reader.sets()?;
    Some(Some(Conflict::Update(sets)))
}

fn update(mut reader: Reader) -> Option<Statement> {
    if reader.word("or") {
        reader.next()?;
    }
    if !reader.table()? {
        return Some(Statement::Nothing);
    }
    reader.word("set").then_some(())?;
    let sets = reader.sets()?;
    Some(Statement::Update { sets, condition: reader.condition() })
}

fn delete(mut reader: Reader) -> Option<Statement> {
    reader.word("from").then_some(())?;
    match reader.table()? {
        true => Some(Statement::Delete(reader.condition())),
        false => Some(Statement::Nothing),
    }
}

fn drop_table(mut reader: Reader) -> Option<Statement> {
    if !reader.word("table") {
        return Some(Statement::Nothing);
    }
    reader.words(&["if", "exists"]);
    Some(if reader.table()? { Statement::Delete(Condition::Always) } else { Statement::Nothing })
}

/// A further column changes no row that is told.
fn alter(mut reader: Reader) -> Option<Statement> {
    reader.word("table").then_some(())?;
    let todos = reader.table()?;
    (!todos || reader.word("add")).then_some(Statement::Nothing)
}

#[cfg(test)]
mod tests {
    use super::{super::tokens::tokens, *};

    fn one(sql: &str) -> Statement {
        statements(&tokens(sql)).remove(0)
    }

    fn condition(sql: &str) -> Condition {
        match one(&format!("DELETE FROM todos WHERE {sql}")) {
            Statement::Delete(condition) => condition,
            other => panic!("{other:?}"),
        }
    }

    fn among(column: &str, values: &[&str]) -> Condition {
        let literal = |text: &&str| Value::Literal(text.to_string(), None);
        Condition::Among(column.into(), values.iter().map(literal).collect())
    }

    #[test]
    fn other_tables_and_questions_are_nothing() {
        for sql in [
            "SELECT * FROM todos",
            "INSERT INTO todo_deps VALUES ('a', 'b')",
            "WITH x AS (SELECT 1 FROM todos) SELECT * FROM x",
            "DELETE FROM other WHERE id IN (SELECT id FROM todos)",
            "CREATE INDEX i ON todos(id)",
            "ALTER TABLE todos ADD COLUMN note TEXT",
            "PRAGMA table_info(todos)",
        ] {
            assert_eq!(one(sql), Statement::Nothing, "{sql}");
        }
    }

    #[test]
    fn what_is_not_understood_is_unknown() {
        for sql in [
            "WITH x AS (SELECT 1) UPDATE todos SET status = 'done'",
            "UPDATE todos AS t SET status = 'done'",
            "ALTER TABLE todos RENAME TO old",
            "INSERT OR REPLACE INTO todos SELECT * FROM old",
            "CREATE TRIGGER t AFTER INSERT ON todos BEGIN UPDATE todos SET status = 'x'",
            "INSERT INTO todos (id) VALUES ('a'",
            "ROLLBACK TO here",
            "TRUNCATE todos",
        ] {
            assert_eq!(one(sql), Statement::Unknown, "{sql}");
        }
        assert_eq!(one("INSERT INTO main.todos SELECT * FROM old"), Statement::InsertUnknown);
    }

    #[test]
    fn conditions_are_understood_as_far_as_they_are_plain() {
        assert_eq!(condition("id = 1"), among("id", &["1"]));
        assert_eq!(condition("(todos.id IN (1, 2)) RETURNING id"), among("id", &["1", "2"]));
        assert_eq!(condition("status NOT IN (1)"), Condition::Not(Box::new(among("status", &["1"]))));
        assert_eq!(condition("a = 1 OR b = 2 AND NOT c <> 3"), {
            let not_not = Condition::Not(Box::new(Condition::Not(Box::new(among("c", &["3"])))));
            Condition::Or(vec![among("a", &["1"]), Condition::And(vec![among("b", &["2"]), not_not])])
        });
        assert_eq!(
            condition("id = 1 AND EXISTS (SELECT 1 WHERE 2 = 2 OR 3)"),
            Condition::And(vec![among("id", &["1"]), Condition::Opaque])
        );
        for opaque in [
            "id = lower(x)",
            "id = 'a' || 'b'",
            "id IS NULL",
            "id = 1 COLLATE NOCASE",
            "CASE WHEN status = 'x' AND id = 'g' THEN 1 END",
            "title LIKE 'a_b'",
            "id = 1 LIMIT 1",
            "rowid",
        ] {
            assert_eq!(condition(opaque), Condition::Opaque, "{opaque}");
        }
        assert_eq!(condition(&"(".repeat(5_000)), Condition::Opaque);
    }

    #[test]
    fn a_created_table_tells_its_columns_and_defaults() {
        let sql = "CREATE TABLE IF NOT EXISTS todos (id TEXT PRIMARY KEY, status TEXT CHECK(status IN ('a', 'b')) DEFAULT 'a', \
                   at TEXT DEFAULT (datetime('now')), UNIQUE(id))";
        let columns = vec![("id".into(), None), ("status".into(), Some("a".into())), ("at".into(), None)];
        assert_eq!(one(sql), Statement::Create(columns));
    }
}
