//! Lists that are kept in a table, held against SQLite itself: whatever statements are run, an item is told only if its row
//! stands in the table, with that text and that status; a list that is called whole has all rows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rusqlite::Connection;
use turnpoint::{extract, model::todo::TodoStatus, pipeline, source::open::Input};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS todos (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, \
                      status TEXT DEFAULT 'pending', created_at TEXT DEFAULT '2026-01-01')";

fn id() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c", "d", "e"])
}

fn status() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["pending", "in_progress", "done", "blocked"])
}

fn title() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["Grind the wheat", "Bake; the bread", "Sell the miller''s bread", "wait -- for rain"])
}

/// A condition, understood or not.
fn condition() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        id().prop_map(|id| format!("id = '{id}'")),
        (id(), id()).prop_map(|(one, other)| format!("todos.id IN ('{one}', '{other}')")),
        status().prop_map(|status| format!("status = '{status}'")),
        status().prop_map(|status| format!("status <> '{status}'")),
        status().prop_map(|status| format!("\"status\" NOT IN ('{status}')")),
        title().prop_map(|title| format!("title = '{title}'")),
        Just("title LIKE '%BREAD'".to_string()),
        Just("title LIKE 'Grind%'".to_string()),
        Just("created_at < '2027-01-01'".to_string()),
        Just("description IS NULL".to_string()),
        Just("length(title) > 15".to_string()),
        Just("created_at BETWEEN '2025' AND '2027'".to_string()),
        Just("CASE WHEN status = 'done' AND id = 'a' THEN 1 ELSE 0 END".to_string()),
        Just("NOT EXISTS (SELECT 1 FROM todos AS t WHERE t.status = 'done' AND t.id <> todos.id)".to_string()),
        Just("id IN (SELECT id FROM todos WHERE status = 'done')".to_string()),
        Just("status = lower('DONE')".to_string()),
        Just("status = 'do' || 'ne'".to_string()),
        Just("status IS NOT NULL".to_string()),
    ];
    plain.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} AND {other}")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} OR {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} OR {other}")),
            inner.prop_map(|one| format!("NOT ({one})")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let insert =
        prop::sample::select(vec!["INSERT INTO", "INSERT OR IGNORE INTO", "INSERT OR REPLACE INTO", "REPLACE INTO"]);
    let after = prop::sample::select(vec![
        "",
        "ON CONFLICT(id) DO NOTHING",
        "ON CONFLICT (id) DO UPDATE SET status = excluded.status",
        "ON CONFLICT(id) DO UPDATE SET title = excluded.title, status = 'blocked'",
        "ON CONFLICT(id) DO UPDATE SET status = 'done' WHERE todos.status = 'pending'",
    ]);
    let row = (id(), title(), status()).prop_map(|(id, title, status)| format!("('{id}', '{title}', '{status}')"));
    let rows = prop::collection::vec(row, 1..4).prop_map(|rows| rows.join(",\n")).boxed();
    let set = prop_oneof![
        4 => status().prop_map(|status| format!("status = '{status}'")),
        1 => (status(), title()).prop_map(|(status, title)| format!("status='{status}', title = '{title}'")),
        1 => Just("status = CASE WHEN id = 'a' THEN 'done' ELSE status END".to_string()),
        1 => Just("title = title || '!', description = 'x'".to_string()),
        1 => Just("created_at = '2026-02-02'".to_string()),
    ]
    .boxed();
    prop_oneof![
        4 => (insert, rows.clone()).prop_map(|(verb, rows)| format!("{verb} todos (id, title, status) VALUES {rows}")),
        2 => (rows, after).prop_map(|(rows, after)| format!("INSERT INTO todos(id,title,status) VALUES {rows} {after}")),
        1 => (id(), title()).prop_map(|(id, title)| format!("INSERT INTO todos (title, id) VALUES ('{title}', '{id}')")),
        1 => (id(), title()).prop_map(|(id, title)| {
            format!("INSERT INTO todos VALUES ('{id}', '{title}', NULL, 'pending', '2026-03-03')")
        }),
        1 => Just("INSERT OR IGNORE INTO todos (id, title) SELECT id || 'x', title FROM todos LIMIT 1".to_string()),
        1 => Just("INSERT OR REPLACE INTO todos (id, title, status) SELECT id, 'Rest', 'done' FROM todos".to_string()),
        6 => (set.clone(), condition()).prop_map(|(set, condition)| format!("UPDATE todos SET {set} WHERE {condition}")),
        1 => set.prop_map(|set| format!("UPDATE todos SET {set}")),
        1 => Just("WITH x AS (SELECT 'a' AS i) UPDATE todos SET status = 'done' WHERE id IN (SELECT i FROM x)".to_string()),
        2 => condition().prop_map(|condition| format!("DELETE FROM todos WHERE {condition}")),
        1 => Just("SELECT count(*) FROM todos WHERE status = 'done'".to_string()),
        1 => Just("-- UPDATE todos SET status = 'done';\nSELECT 1".to_string()),
    ]
}

/// What one call runs.
fn call() -> impl Strategy<Value = String> {
    let several = prop::collection::vec(statement(), 1..4).prop_map(|all| all.join(";\n")).boxed();
    prop_oneof![
        6 => several.clone(),
        1 => several.prop_map(|all| format!("BEGIN; {all}; ROLLBACK;")),
    ]
}

fn log(calls: &[(String, bool)]) -> String {
    let block = |(n, (sql, worked)): (usize, &(String, bool))| {
        let result = if *worked { "ok" } else { "Error: constraint failed" };
        let input = serde_json::json!({ "description": "plan", "query": sql });
        format!("<msg id={}>\n[assistant] [sql] {input}\n{result}\n\n", n + 1)
    };
    calls.iter().enumerate().map(block).collect()
}

/// Ids, titles and statuses of the table.
fn rows(database: &Connection) -> BTreeMap<String, (String, Option<String>)> {
    let mut query = database.prepare("SELECT id, title, status FROM todos").unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))).unwrap();
    rows.map(Result::unwrap).collect()
}

proptest! {
    #[test]
    fn no_row_is_told_otherwise_than_the_table_holds_it(
        calls in prop::collection::vec(call(), 1..12),
        shows_schema in any::<bool>(),
    ) {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(SCHEMA).unwrap();
        let mut run = Vec::new();
        let mut tables = Vec::new();
        let schema = shows_schema.then(|| SCHEMA.to_string());
        for sql in schema.into_iter().chain(calls) {
            let worked = database.execute_batch(&sql).is_ok();
            if !worked && !database.is_autocommit() {
                database.execute_batch("ROLLBACK").unwrap();
            }
            run.push((sql, worked));
            tables.push(rows(&database));
        }
        let reading = pipeline::read(&Input::from_bytes("log", log(&run).into_bytes()), Default::default()).unwrap();
        for list in extract::todo_lists(&reading.sessions[0]).todos {
            let table = &tables[list.message.at()];
            for item in &list.items {
                let row = item.id.as_ref().and_then(|id| table.get(id));
                prop_assert!(row.is_some_and(|row| row.0 == item.content), "{item:?} in {table:?} after {run:?}");
                let told = item.status == TodoStatus::NotShown || row.and_then(|row| row.1.as_ref()) == Some(&item.status_raw);
                prop_assert!(told, "{item:?} in {table:?} after {run:?}");
            }
            prop_assert!(!list.complete || list.items.len() == table.len(), "{list:?} of {table:?} after {run:?}");
            prop_assert!(list.items.len() <= table.len());
        }
    }
}
