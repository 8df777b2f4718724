//! What a format is shown of an input when it is asked whether it knows it: beginning and end as text, JSON read as far
//! as it goes, tables of a database, members of an archive. Made once for all formats.

use std::borrow::Cow;

use super::{json::text_of, open::Input, sample::Sample};
use crate::text::partial_json::{self, Node, Stop, Value};

/// How many lines of a sample are read as JSON.
const LINES: usize = 400;

/// The view of a sample.
pub struct Seen<'a> {
    /// The bytes.
    pub sample: &'a Sample,
    head: &'a str,
    lines: Vec<Node<'a>>,
    others: usize,
    document: Option<Node<'a>>,
}

/// Beginning and end of a sample as text; what [`Seen`] borrows from.
pub struct Texts<'a> {
    head: Cow<'a, str>,
    tail: Cow<'a, str>,
}

impl<'a> Texts<'a> {
    /// Texts of a sample; a database has none.
    pub fn of(sample: &'a Sample) -> Self {
        match sample.tables.is_empty() {
            true => Self { head: text_of(&sample.head).0, tail: text_of(&sample.tail).0 },
            false => Self { head: Cow::Borrowed(""), tail: Cow::Borrowed("") },
        }
    }
}

impl<'a> Seen<'a> {
    /// Looks at a sample.
    pub fn new(sample: &'a Sample, texts: &'a Texts<'a>) -> Self {
        let head: &str = &texts.head;
        let mut seen = Self { sample, head, lines: Vec::new(), others: 0, document: document(head) };
        let cut = if sample.whole { head.len() } else { head.rfind('\n').unwrap_or(head.len()) };
        let tail = texts.tail.split_once('\n').map_or("", |(_, rest)| rest);
        for line in head[..cut].lines().chain(tail.lines()).filter(|l| !l.trim().is_empty()).take(LINES) {
            let node = line.trim_start().starts_with('{').then(|| partial_json::read(line)).and_then(|p| p.node);
            // A line that the input is cut in counts by what it shows.
            let last = line.as_bytes().as_ptr_range().end == head.as_bytes().as_ptr_range().end;
            match node.filter(|n| n.whole || !sample.whole || last || n.get("type").is_some()) {
                Some(node) => seen.lines.push(node),
                None => seen.others += 1,
            }
        }
        seen
    }

    /// The objects of the sampled lines that hold one each. A document on a single line counts as one.
    pub fn lines(&self) -> &[Node<'a>] {
        &self.lines
    }

    /// How many sampled lines hold no object.
    pub fn other_lines(&self) -> usize {
        self.others
    }

    /// How many of the lines satisfy a test, and how many lines there are, those that hold no object included: the vote
    /// by which a format of JSON Lines decides.
    pub fn vote(&self, test: impl Fn(&Node) -> bool) -> (usize, usize) {
        (self.lines.iter().filter(|n| test(n)).count(), self.lines.len() + self.others)
    }

    /// The document that the input is, as far as the sample shows it: an object or a list. `None` for JSON Lines of
    /// several lines and for other text.
    pub fn document(&self) -> Option<&Node<'a>> {
        self.document.as_ref()
    }

    /// The beginning as text; empty for a database.
    pub fn text(&self) -> &'a str {
        self.head
    }

    /// Tables of the database with their columns; empty where the input is none.
    pub fn tables(&self) -> &[(String, Vec<String>)] {
        &self.sample.tables
    }

    /// Whether the database has a table with all these columns.
    pub fn has_table(&self, name: &str, columns: &[&str]) -> bool {
        let has = |known: &[String]| columns.iter().all(|c| known.iter().any(|k| k == c));
        self.sample.tables.iter().any(|(table, known)| table == name && has(known))
    }

    /// The file at a path relative to the folder of the input (see [`Input::beside`]).
    pub fn beside(&self, relative: &str) -> Option<Input> {
        self.sample.input.as_ref()?.beside(relative)
    }

    /// Names of the members of a `.zip`; empty where the input is none.
    pub fn members(&self) -> &[String] {
        &self.sample.members
    }
}

/// The document that a text is or begins, noise before it passed over; not one that another record follows. One that is
/// damaged somewhere stands as far as that, where no other is found.
fn document(head: &str) -> Option<Node<'_>> {
    const TRIED: usize = 16;
    let mut damaged = None;
    let mut broken_line = false;
    let starts = std::iter::once(0).chain(head.match_indices('\n').map(|(at, _)| at + 1));
    let starts = starts.filter(|at| head[*at..].trim_start_matches([' ', '\t', '\r']).starts_with(['{', '[']));
    for start in starts.take(TRIED) {
        let partial = partial_json::read(&head[start..]);
        let end = match partial.stop {
            Stop::Whole(at) => start + at,
            Stop::Cut(_) => head.len(),
            Stop::Fault(at) => {
                let alone = !head[start + at..].lines().skip(1).any(|line| line.starts_with('{'));
                broken_line |= head[start..].starts_with('{');
                damaged = damaged.or(partial.node.filter(|node| alone && holds_objects(node)));
                continue;
            }
        };
        if head[end..].lines().any(|line| line.trim_start().starts_with('{')) {
            return None;
        }
        // What is whole behind a damaged document is a piece of it.
        let node = partial.node.filter(|_| !broken_line);
        return damaged.or(node.filter(|n| matches!(&n.value, Value::Object(_) | Value::List(_))));
    }
    damaged
}

/// Whether a value is more than brackets in a text: an object with members, or a list that begins with one.
fn holds_objects(node: &Node) -> bool {
    match &node.value {
        Value::Object(members) => !members.is_empty(),
        Value::List(items) => items.first().is_some_and(holds_objects),
        _ => false,
    }
}

/// Whether a node is an object with all these members.
pub fn has(node: &Node, names: &[&str]) -> bool {
    names.iter().all(|name| node.get(name).is_some())
}

/// The text of a member; "" where there is none.
pub fn text<'n>(node: &'n Node, name: &str) -> &'n str {
    node.get(name).and_then(Node::text).unwrap_or_default()
}

/// The member of a member of a member …: `at(node, &["payload", "type"])`.
pub fn at<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(node, |node, name| node.get(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str, test: impl FnOnce(&Seen)) {
        let sample = Sample::of_bytes("x", text.as_bytes());
        let texts = Texts::of(&sample);
        test(&Seen::new(&sample, &texts));
    }

    #[test]
    fn lines_and_documents_are_told_apart() {
        look("{\"a\":1}\nnoise\n{\"b\":{\"c\":2}}\n", |seen| {
            assert_eq!((seen.lines().len(), seen.other_lines()), (2, 1));
            assert!(seen.document().is_none());
            assert!(at(&seen.lines()[1], &["b", "c"]).is_some());
        });
        look("Exporting\n{\n \"a\": [1, 2\n", |seen| {
            assert!(seen.document().is_some_and(|n| has(n, &["a"])));
        });
        look("[{\"a\":1},{\"b\" oops},\n {\"c\":1}]", |seen| {
            assert!(seen.document().is_some_and(|n| n.list().is_some_and(|items| has(&items[0], &["a"]))));
        });
        look("[12:30] said\n[user] {", |seen| assert!(seen.document().is_none()));
        look("{\"a\" oops}\n{\"b\":1}\n", |seen| assert!(seen.document().is_none()));
        look("{\"messages\":[]}", |seen| {
            assert_eq!(seen.lines().len(), 1);
            assert!(seen.document().is_some());
        });
        look("plain", |seen| assert!(seen.document().is_none() && seen.lines().is_empty()));
    }
}
