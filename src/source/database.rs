//! SQLite databases of agents, opened on a copy: the database and its write-ahead log are copied aside first, so that
//! nothing is left in the user's folder, nothing recent is missed, and a busy or locked database can be read.
#![allow(clippy::disallowed_methods, reason = "copies a database aside before it is opened")]

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read},
    path::Path,
};

#[cfg(feature = "sqlite")]
use std::sync::Mutex;

use crate::{
    base::{diag::DiagCode, locate::Locator},
    model::builder::SessionBuilder,
};

/// First bytes of every SQLite database.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// An opened copy.
#[derive(Debug)]
pub struct Database {
    #[cfg(feature = "sqlite")]
    connection: Mutex<rusqlite::Connection>,
    tables: Vec<(String, Vec<String>)>,
    // Dropped last: the files of the copy.
    _folder: tempfile::TempDir,
}

/// A row of a query; columns counted from 0.
pub struct Row<'r> {
    #[cfg(feature = "sqlite")]
    row: &'r rusqlite::Row<'r>,
    #[cfg(not(feature = "sqlite"))]
    never: std::marker::PhantomData<&'r ()>,
}

/// Names of the files beside a database that hold what is not yet in it.
pub const COMPANIONS: &[&str] = &["-wal", "-journal"];
/// How often the copy is tried anew when the database changes meanwhile.
const TRIES: usize = 5;

impl Database {
    /// Opens a copy of the database at a path.
    ///
    /// # Errors
    /// When it cannot be copied, is no SQLite database, or is encrypted.
    pub fn copy_of(path: &Path) -> io::Result<Self> {
        // The log lies beside the database, not beside a link to it.
        let path = &path.canonicalize()?;
        let folder = tempfile::tempdir()?;
        let copy = folder.path().join("copy.db");
        let stamp = |suffix: &str| {
            let meta = std::fs::metadata(beside(path, suffix)).ok()?;
            Some((meta.len(), meta.modified().ok()))
        };
        for _ in 0..TRIES {
            let before = ["", "-wal", "-journal"].map(stamp);
            for suffix in COMPANIONS {
                let (from, to) = (beside(path, suffix), beside(&copy, suffix));
                match std::fs::copy(&from, &to) {
                    Ok(_) => {}
                    // What an earlier try copied belongs to an older state.
                    Err(_) => _ = std::fs::remove_file(&to),
                }
            }
            std::fs::copy(path, &copy)?;
            // The log is copied first: had it been moved into the database in between, the two would not fit.
            if before == ["", "-wal", "-journal"].map(stamp) {
                break;
            }
        }
        Self::open(folder, &copy)
    }

    /// Opens a database out of streams: its own (""), and those of its [`COMPANIONS`] by their names.
    ///
    /// # Errors
    /// As [`Database::copy_of`].
    pub fn of_streams<'s>(streams: impl IntoIterator<Item = (&'s str, impl Read)>) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let copy = folder.path().join("copy.db");
        for (suffix, mut stream) in streams {
            io::copy(&mut stream, &mut File::create(beside(&copy, suffix))?)?;
        }
        Self::open(folder, &copy)
    }

    /// Ordinary tables with their columns, sorted by name. Views and virtual tables are none: a foreign database must
    /// not choose what a query runs.
    pub fn tables(&self) -> &[(String, Vec<String>)] {
        &self.tables
    }

    /// Columns of a table; empty when there is no such table.
    pub fn columns(&self, table: &str) -> &[String] {
        self.tables.iter().find(|(name, _)| name == table).map_or(&[], |(_, columns)| columns)
    }

    /// Whether a table has a column.
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.columns(table).iter().any(|c| c == column)
    }

    /// Runs a query over the rows of one session, whose id is `?1`. A fault of the database costs what stands behind it,
    /// and is told.
    pub fn each(
        &self,
        session: &mut SessionBuilder,
        query: &str,
        id: &str,
        mut take: impl FnMut(&mut SessionBuilder, &Row),
    ) {
        if let Err(fault) = self.rows(query, &[id], |row| take(session, row)) {
            session.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
        }
    }

    /// The columns of a query: each by its name, or NULL where the table has none of that name, as in older and
    /// derived products.
    pub fn select(&self, table: &str, columns: &[&str]) -> String {
        let one = |column: &&str| if self.has(table, column) { format!("\"{column}\"") } else { "NULL".to_string() };
        columns.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Makes sure that rows are found by a column without a walk through the table: an index on the copy, where the
    /// database has none.
    ///
    /// # Errors
    /// What SQLite says.
    #[cfg(feature = "sqlite")]
    pub fn index(&self, table: &str, column: &str) -> Result<(), String> {
        let connection = self.connection.lock().map_err(|_| "the connection is lost")?;
        let known = "SELECT count(*) FROM pragma_index_list(?1) l, pragma_index_info(l.name) i \
                     WHERE i.seqno = 0 AND i.name = ?2 AND l.partial = 0";
        let count = connection.query_row(known, [table, column], |row| row.get::<_, i64>(0));
        if count.map_err(|e| e.to_string())? > 0 {
            return Ok(());
        }
        let make =
            format!("PRAGMA query_only=OFF; CREATE INDEX turnpoint_{table}_{column} ON \"{table}\" (\"{column}\");");
        let made = connection.execute_batch(&make).map_err(|e| e.to_string());
        connection.execute_batch("PRAGMA query_only=ON;").map_err(|e| e.to_string())?;
        made
    }

    /// Makes sure that rows are found by a column.
    ///
    /// # Errors
    /// Always: databases were left out of this build.
    #[cfg(not(feature = "sqlite"))]
    pub fn index(&self, _: &str, _: &str) -> Result<(), String> {
        Err("this build reads no databases".to_string())
    }

    #[cfg(feature = "sqlite")]
    fn open(folder: tempfile::TempDir, copy: &Path) -> io::Result<Self> {
        let fault = |e: rusqlite::Error| io::Error::other(format!("cannot be read as a SQLite database: {e}"));
        let connection = rusqlite::Connection::open(copy).map_err(fault)?;
        connection.execute_batch("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;").map_err(fault)?;
        let mut tables = Vec::new();
        {
            let mut names = connection
                .prepare(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
                )
                .map_err(fault)?;
            let names: Vec<String> =
                names.query_map([], |row| row.get(0)).map_err(fault)?.filter_map(Result::ok).collect();
            for name in names {
                let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)").map_err(fault)?;
                let columns = columns.query_map([&name], |row| row.get(0)).map_err(fault)?.filter_map(Result::ok);
                let columns: Vec<String> = columns.collect();
                tables.push((name, columns));
            }
        }
        connection.execute_batch("PRAGMA query_only=ON;").map_err(fault)?;
        Ok(Self { connection: Mutex::new(connection), tables, _folder: folder })
    }

    #[cfg(not(feature = "sqlite"))]
    fn open(_: tempfile::TempDir, _: &Path) -> io::Result<Self> {
        Err(io::Error::other("this build reads no databases (feature `sqlite`)"))
    }

    /// Calls `each` with every row of a query; `?1`, `?2` … stand for `values`.
    ///
    /// # Errors
    /// What SQLite says: a missing column, a damaged page. Rows before the fault were given.
    #[cfg(feature = "sqlite")]
    pub fn rows(&self, query: &str, values: &[&str], mut each: impl FnMut(&Row)) -> Result<(), String> {
        let connection = self.connection.lock().map_err(|_| "the connection is lost")?;
        let mut statement = connection.prepare(query).map_err(|e| e.to_string())?;
        let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(|e| e.to_string())?;
        while let Some(row) = rows.next().map_err(|e| e.to_string())? {
            each(&Row { row });
        }
        Ok(())
    }

    /// Calls `each` with every row of a query.
    ///
    /// # Errors
    /// Always: databases were left out of this build.
    #[cfg(not(feature = "sqlite"))]
    pub fn rows(&self, _: &str, _: &[&str], _: impl FnMut(&Row)) -> Result<(), String> {
        Err("this build reads no databases".to_string())
    }
}

#[cfg(feature = "sqlite")]
impl Row<'_> {
    /// Bytes of a text or blob.
    pub fn bytes(&self, column: usize) -> Option<&[u8]> {
        match self.row.get_ref(column).ok()? {
            rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A text, or a blob that is one; a number as it would be written. Invalid UTF-8 becomes U+FFFD.
    pub fn text(&self, column: usize) -> Option<Cow<'_, str>> {
        match self.row.get_ref(column).ok()? {
            rusqlite::types::ValueRef::Integer(n) => Some(Cow::Owned(n.to_string())),
            rusqlite::types::ValueRef::Real(n) => Some(Cow::Owned(n.to_string())),
            _ => self.bytes(column).map(String::from_utf8_lossy),
        }
    }

    /// A number, also one stored as text.
    pub fn number(&self, column: usize) -> Option<f64> {
        match self.row.get_ref(column).ok()? {
            rusqlite::types::ValueRef::Integer(n) => Some(n as f64),
            rusqlite::types::ValueRef::Real(n) => Some(n),
            _ => self.text(column)?.trim().parse().ok(),
        }
    }
}

#[cfg(not(feature = "sqlite"))]
impl Row<'_> {
    /// Bytes of a text or blob.
    pub fn bytes(&self, _: usize) -> Option<&[u8]> {
        let _ = self.never;
        None
    }

    /// A text.
    pub fn text(&self, _: usize) -> Option<Cow<'_, str>> {
        None
    }

    /// A number.
    pub fn number(&self, _: usize) -> Option<f64> {
        None
    }
}

/// The file whose name is that of another and a suffix.
fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;

    #[test]
    fn a_busy_database_is_read_with_what_is_still_in_its_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.db");
        let live = rusqlite::Connection::open(&path).expect("opens");
        live.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x');
             BEGIN EXCLUSIVE; INSERT INTO t VALUES ('not yet');",
        )
        .expect("runs");
        let copy = Database::copy_of(&path).expect("is copied");
        let mut seen = Vec::new();
        copy.rows("SELECT a, 7 FROM t", &[], |row| {
            seen.push((row.text(0).map(Cow::into_owned), row.number(1)));
        })
        .expect("reads");
        assert_eq!(seen, [(Some("x".to_string()), Some(7.0))]);
        assert_eq!(copy.tables(), [("t".to_string(), vec!["a".to_string()])]);
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).expect("lists").map(|e| e.expect("entry").file_name()).collect();
        assert_eq!(left.len(), 3, "only the user's own files: {left:?}");
    }

    #[test]
    fn what_is_no_database_is_an_error() {
        let cut = [MAGIC, &[7; 200]].concat();
        for bytes in [&b"SQLite format 4"[..], &cut, &[0; 4096]] {
            let opened = Database::of_streams([("", bytes)]);
            assert!(opened.map_or(true, |database| database.tables().is_empty()));
        }
    }
}
