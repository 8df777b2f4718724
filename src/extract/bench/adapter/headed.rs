//! Tools that print a table under a heading of fixed words: the layouts read it, and the tool's list of columns says
//! what each is for.

use super::{Declined, Taken, build, build::Spec};
use crate::{
    extract::bench::clean::{Kind, Page},
    model::metric::MetricTable,
};

/// Headings without a table after which a page is given up.
const VAIN: usize = 40;

/// A tool known by the heading of its table.
pub struct Headed {
    /// As in [`super::Adapter::name`].
    pub name: &'static str,
    /// As in [`super::Adapter::about`].
    pub about: &'static str,
    /// As in [`super::Adapter::marks`].
    pub marks: &'static [&'static str],
    /// Words that the heading holds, all of them.
    pub heads: &'static [&'static str],
    /// What its columns are for; what is not listed stays as it was read.
    pub columns: &'static [Spec],
    /// Whether the line above a table is its caption.
    pub captioned: bool,
    /// What else is to be done with a table.
    pub then: fn(MetricTable) -> Vec<MetricTable>,
}

impl super::Adapter for Headed {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn marks(&self) -> &'static [&'static str] {
        self.marks
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut at) = (Vec::new(), 0);
        let (mut headed, mut vain) = (false, 0);
        while at < page.lines.len() && vain < VAIN {
            let known = page.kind(at) == Kind::Text && self.heads.iter().all(|word| page.text(at).contains(word));
            headed |= known;
            let Some((mut table, next)) = known.then(|| build::table_at(page, at)).flatten() else {
                vain += usize::from(known);
                at += 1;
                continue;
            };
            build::refine(&mut table, self.columns);
            table.title = table.title.filter(|_| self.captioned);
            all.push(Taken { lines: at..next, tables: (self.then)(table), ..Taken::default() });
            at = next.max(at + 1);
        }
        match () {
            () if !all.is_empty() => Ok(all),
            () if headed => Err("a heading without rows"),
            () => Err("no such heading"),
        }
    }
}

/// The table as it is.
pub fn as_it_is(table: MetricTable) -> Vec<MetricTable> {
    vec![table]
}
