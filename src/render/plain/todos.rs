//! `todos` for a person: the list as it evolved, then what became of the items that did not simply go from pending to
//! completed. Plain for a terminal, or Markdown. Messages are named by their number.

use std::{borrow::Cow, collections::BTreeSet, fmt::Write};

use unicode_width::UnicodeWidthStr;

use super::Form;
use crate::{
    base::ids::MessageIdx,
    model::{
        session::Session,
        todo::{LedgerEntry, ListEvent, TodoDelta, TodoSnapshot, TodoSource, TodoStatus},
    },
    text::{number::count, quote},
};

/// Columns of one table; more lists go on in the next one.
const COLUMNS: usize = 6;
/// Characters of an item's text in a plain table.
const WIDEST: usize = 48;

/// The evolution of a session's task list and its ledger.
pub fn text(
    session: &Session,
    snapshots: &[TodoSnapshot],
    deltas: &[TodoDelta],
    ledger: &[LedgerEntry],
    form: Form,
) -> String {
    let mut page = Page { session, form, out: String::new() };
    page.heading();
    if snapshots.is_empty() {
        page.line("The session keeps no task list: no todo tool wrote one, and no plan or checklist was found.");
        return page.out;
    }
    page.summary(snapshots, ledger);
    let shown = columns(snapshots, ledger);
    for columns in shown.chunks(COLUMNS) {
        page.table(snapshots, ledger, columns);
    }
    page.lives(ledger);
    page.replaced(snapshots, deltas);
    page.out
}

struct Page<'a> {
    session: &'a Session,
    form: Form,
    out: String,
}

/// The messages whose list shows a status for the first time or another one, or no longer shows an item.
fn columns(snapshots: &[TodoSnapshot], ledger: &[LedgerEntry]) -> Vec<MessageIdx> {
    let mut shown: BTreeSet<MessageIdx> = ledger.iter().flat_map(|e| &e.history).map(|(at, _)| *at).collect();
    shown.extend(ledger.iter().filter_map(|e| e.dropped));
    // The last list stands there even if it changed nothing.
    shown.extend(snapshots.last().map(|s| s.message).filter(|_| !ledger.is_empty()));
    let shown: Vec<MessageIdx> = shown.into_iter().collect();
    // Of a run of lists that only put up new items, the last one stands for all.
    let only_grows = |at: MessageIdx| {
        let grown = |e: &LedgerEntry| e.history.iter().position(|(seen, _)| *seen == at).is_none_or(|place| place == 0);
        ledger.iter().all(|e| grown(e) && e.dropped != Some(at))
    };
    let run = |i: usize| only_grows(shown[i]) && shown.get(i + 1).is_some_and(|next| only_grows(*next));
    (0..shown.len()).filter(|i| !run(*i)).map(|i| shown[i]).collect()
}

/// What a list shows of an item: its status, `cut` where that is cut off, `–` where a cut list does not show the item,
/// nothing where a whole list does not hold it.
fn cell(entry: &LedgerEntry, at: MessageIdx, list_is_cut: bool) -> &'static str {
    match entry.shown_at(at) {
        Some(TodoStatus::NotShown) if list_is_cut => "cut",
        Some(TodoStatus::InProgress) => "in progress",
        Some(status) => status.word(),
        None if list_is_cut => "–",
        None => "",
    }
}

impl Page<'_> {
    fn n(&self, at: MessageIdx) -> u32 {
        self.session.message(at).number
    }

    /// Words of the log, made safe for where they go.
    fn words(&self, text: &str, most: usize) -> String {
        let text = quote::shorten(text, most);
        match self.form {
            Form::Terminal => quote::terminal_line(&text),
            Form::Markdown => quote::inline(&text),
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn heading(&mut self) {
        let info = &self.session.info;
        let title = info.title.as_deref().unwrap_or(&info.id);
        let title = self.words(title, 2 * WIDEST);
        match self.form {
            Form::Terminal => self.line(&format!("Todos of {title}")),
            Form::Markdown => self.line(&format!("# Todos of {title}")),
        }
        self.line("");
    }

    fn summary(&mut self, snapshots: &[TodoSnapshot], ledger: &[LedgerEntry]) {
        let Some(last) = snapshots.iter().rev().find(|s| is_kept(s)).or(snapshots.last()) else { return };
        let kinds: BTreeSet<Cow<str>> = snapshots.iter().map(|s| self.words(&s.tool, WIDEST).into()).collect();
        let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
        let lists = count(snapshots.len(), "list", "lists");
        let of = |wanted: TodoStatus| last.items.iter().filter(|i| i.status == wanted).count();
        let least = if last.complete { "" } else { "at least " };
        let items = count(last.items.len(), "item", "items");
        let mut parts = Vec::new();
        for (status, word) in [
            (TodoStatus::Completed, "completed"),
            (TodoStatus::InProgress, "in progress"),
            (TodoStatus::Pending, "pending"),
            (TodoStatus::Cancelled, "cancelled"),
            (TodoStatus::Blocked, "blocked"),
            (TodoStatus::NotShown, "not shown"),
        ] {
            if of(status) > 0 {
                parts.push(format!("{} {word}", of(status)));
            }
        }
        let statuses = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let seen = count(ledger.len(), "item", "items");
        let first = self.n(snapshots[0].message);
        let at = self.n(last.message);
        self.line(&format!("{lists} ({kinds}), {seen} over the session, first at msg {first}."));
        self.line(&format!("The last one, at msg {at}, has {least}{items}{statuses}."));
        self.line("");
    }

    fn table(&mut self, snapshots: &[TodoSnapshot], ledger: &[LedgerEntry], columns: &[MessageIdx]) {
        let cuts: BTreeSet<MessageIdx> =
            snapshots.iter().filter(|s| !s.complete && columns.contains(&s.message)).map(|s| s.message).collect();
        let cut = |at: &MessageIdx| cuts.contains(at);
        let head = match (self.form, columns.iter().any(cut)) {
            (Form::Markdown, true) => "item (– not shown; cut: incomplete)",
            (Form::Markdown, false) => "item",
            (Form::Terminal, _) => "item \\ msg",
        };
        let mut rows: Vec<Vec<String>> = vec![vec![head.to_string()]];
        rows[0].extend(columns.iter().map(|at| self.n(*at).to_string()));
        let mut group = None;
        for entry in ledger {
            if !columns.iter().any(|at| entry.shown_at(*at).is_some()) {
                continue;
            }
            if let Some(name) = entry.group.as_deref().filter(|_| entry.group != group) {
                let name = self.words(name, WIDEST);
                let name = if self.form == Form::Markdown { format!("**{name}**") } else { format!("{name}:") };
                rows.push([name].into_iter().chain(columns.iter().map(|_| String::new())).collect());
            }
            group.clone_from(&entry.group);
            let widest = if self.form == Form::Terminal { WIDEST } else { usize::MAX };
            let mut row = vec![self.words(&entry.content, widest)];
            row.extend(columns.iter().map(|at| cell(entry, *at, cut(at)).to_string()));
            rows.push(row);
        }
        match self.form {
            Form::Terminal => self.aligned(&rows),
            Form::Markdown => self.piped(&rows),
        }
        if self.form == Form::Terminal && columns.iter().any(cut) {
            self.line("– not shown in a cut list; cut: the status is not shown");
        }
        self.line("");
    }

    fn aligned(&mut self, rows: &[Vec<String>]) {
        let widths: Vec<usize> =
            (0..rows[0].len()).map(|c| rows.iter().map(|r| r[c].width()).max().unwrap_or(0)).collect();
        for row in rows {
            let mut line = String::new();
            for (text, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{text}{}  ", " ".repeat(width - text.width()));
            }
            self.line(line.trim_end());
        }
    }

    fn piped(&mut self, rows: &[Vec<String>]) {
        for (i, row) in rows.iter().enumerate() {
            self.line(&format!("| {} |", row.join(" | ")));
            if i == 0 {
                self.line(&format!("|{}", " --- |".repeat(row.len())));
            }
        }
    }

    /// The items whose life is worth a sentence.
    fn lives(&mut self, ledger: &[LedgerEntry]) {
        let lines: Vec<String> = ledger.iter().filter_map(|e| self.life(e)).collect();
        if lines.is_empty() {
            return;
        }
        self.line(match self.form {
            Form::Terminal => "Not simply from pending to completed:",
            Form::Markdown => "## Not simply from pending to completed\n",
        });
        for line in lines {
            self.line(&format!("- {line}"));
        }
    }

    fn life(&self, entry: &LedgerEntry) -> Option<String> {
        let mut told = Vec::new();
        if let Some(earlier) = entry.earlier.first() {
            told.push(format!("first worded \"{}\"", self.words(earlier, 2 * WIDEST)));
        }
        for at in &entry.reopened {
            told.push(format!("open again [msg {}]", self.n(*at)));
        }
        if let Some(at) = entry.dropped {
            let was = entry.last.word().replace('_', " ");
            told.push(format!("no longer listed, last {was} [msg {}]", self.n(at)));
        } else {
            told.extend(self.ending(entry));
        }
        if told.is_empty() {
            return None;
        }
        Some(format!("{}: {}", self.words(&entry.content, 2 * WIDEST), told.join("; ")))
    }

    /// How an item stands at the end, where that is not completed.
    fn ending(&self, entry: &LedgerEntry) -> Option<String> {
        let at = self.n(entry.seen.last()?.last);
        match (entry.last, entry.started) {
            (TodoStatus::Completed | TodoStatus::NotShown, _) => None,
            (TodoStatus::Pending, None) => Some(format!("never started [msg {at}]")),
            (status, _) => Some(format!("{} at the end [msg {at}]", status.word().replace('_', " "))),
        }
    }

    /// Lists that have little in common with the one before.
    fn replaced(&mut self, snapshots: &[TodoSnapshot], deltas: &[TodoDelta]) {
        let at: Vec<String> = deltas
            .iter()
            .filter(|d| d.events.contains(&ListEvent::Replaced))
            .map(|d| self.n(snapshots[d.to].message).to_string())
            .collect();
        if !at.is_empty() {
            self.line("");
            self.line(&format!("A new list takes the place of the earlier one [msg {}].", at.join(", ")));
        }
    }
}

fn is_kept(snapshot: &TodoSnapshot) -> bool {
    matches!(snapshot.source, TodoSource::FullList | TodoSource::Folded)
}
