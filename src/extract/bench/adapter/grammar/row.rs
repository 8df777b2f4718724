//! Rows of a tool's table.

use super::{
    Run, Seen,
    rule::{Better, Give},
};
use crate::{
    base::unit::lookup,
    extract::bench::{
        adapter::build::{self, Spec},
        direction,
    },
    model::metric::{Cell, Role, Value},
};

impl Seen<'_> {
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

impl Run<'_> {
    /// Takes a line as a row of the table with these columns.
    pub(super) fn row(&mut self, give: &Give, columns: &'static [Spec], seen: &Seen) {
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
            table
                .row_units
                .extend(own.and_then(|u| lookup(&format!("{u}{per}"))).map(|u| (label.clone(), u.token.into_owned())));
            table.row_better.extend(better.map(|b| (label, b)));
        }
        table.rows.push(cells);
        if line_ends {
            build::cut_row(seen.page, seen.line, table);
        }
    }
}
