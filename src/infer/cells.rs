//! The numbers of a table of weights by their place in its text. Fitting changes numbers and nothing else: comments, order
//! and the choice of cells stay as a person wrote them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Where a number stands: `[section]`, the row's name, the column's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// `emission`.
    pub section: String,
    /// `act:edit`; "" where the section has no rows.
    pub row: String,
    /// `implement`.
    pub column: String,
}

/// `implement = 1.0`, `"kind:surprise" = -0.5`.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"("?)([\w:+-]+)("? = )(-?\d+(?:\.\d+)?)"#).expect("valid"));

/// Sections whose numbers are weights. Sorted.
const SECTIONS: &[&str] = &["cut", "emission", "start", "transition", "turning"];

/// The cells of a table and their numbers, in the order of the text.
pub fn cells(text: &str) -> Vec<(Cell, f64)> {
    let mut found = Vec::new();
    rewrite(text, |cell, value| {
        found.push((cell, value));
        None
    });
    found
}

/// The text with other numbers; `None` leaves one as it is. Two decimals.
pub fn rewrite(text: &str, mut value: impl FnMut(Cell, f64) -> Option<f64>) -> String {
    let mut section = String::new();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            section = name.0.to_string();
        }
        if line.starts_with('#') || !SECTIONS.contains(&section.as_str()) {
            out.push_str(line);
            continue;
        }
        let (row, _) = line.split_once(" = {").unwrap_or_default();
        out += &NUMBER.replace_all(line, |found: &Captures| {
            let (section, row) = (section.clone(), row.trim_matches('"').to_string());
            let cell = Cell { section, row, column: found[2].to_string() };
            let new = found[4].parse().ok().and_then(|old| value(cell, old));
            let number = new
                .map_or_else(|| found[4].to_string(), |new: f64| format!("{:.2}", (new * 100.0).round() / 100.0 + 0.0));
            format!("{}{}{}{number}", &found[1], &found[2], &found[3])
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "name = \"x\"\nversion = 1\n[cut]\n# as 1 = 2\n\"act:a+b\" = { any = -0.5, run = 1.0 }\n\
                         [turning]\n\"kind:y\" = 2\nevery = 25\n";

    #[test]
    fn numbers_have_places() {
        let found: Vec<String> =
            cells(TABLE).into_iter().map(|(c, v)| format!("{}/{}/{}={v}", c.section, c.row, c.column)).collect();
        assert_eq!(found, ["cut/act:a+b/any=-0.5", "cut/act:a+b/run=1", "turning//kind:y=2", "turning//every=25"]);
    }

    #[test]
    fn only_numbers_change() {
        let text = rewrite(TABLE, |cell, value| (cell.column == "run").then_some(value / 3.0));
        assert_eq!(text, TABLE.replace("run = 1.0", "run = 0.33"));
    }
}
