//! What a check found: verdicts, findings and the report that they make.

/// What the log says to a statement that does not simply hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The log says otherwise, or the message does not exist.
    False,
    /// It could stand in the log, and does not.
    NotShown,
    /// Nothing in the log could decide it by a rule of ours.
    NotCheckable,
}

impl Verdict {
    /// All, most serious first.
    pub const ALL: [Verdict; 3] = [Verdict::False, Verdict::NotShown, Verdict::NotCheckable];

    /// Printed word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::False => "false",
            Verdict::NotShown => "not shown",
            Verdict::NotCheckable => "not checkable",
        }
    }

    /// Key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Verdict::False => "false",
            Verdict::NotShown => "not_shown",
            Verdict::NotCheckable => "not_checkable",
        }
    }
}

/// What comes nearest in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearest {
    /// Number of the message in which it stands.
    pub message: u32,
    /// Its words there.
    pub text: String,
}

/// One thing in the article that does not simply hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What the log says to it.
    pub verdict: Verdict,
    /// Name of the rule that found it.
    pub rule: &'static str,
    /// Line of the article, from 1.
    pub line: usize,
    /// Heading under which it stands, "" before the first.
    pub section: String,
    /// The words in question.
    pub words: String,
    /// Why, one clause.
    pub reason: String,
    /// What comes nearest, where anything does.
    pub nearest: Option<Nearest>,
}

/// Whose article it was, by its last line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Written by this program: each sentence was made again and compared.
    Ours,
    /// Written by anybody: references, quotations and figures were held against the log.
    Others,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Which way of checking was used.
    pub origin: Origin,
    /// Statements, references, quotations and figures that hold.
    pub held: usize,
    /// What does not, in the order of the article.
    pub findings: Vec<Finding>,
}

impl Report {
    /// An empty report.
    pub fn new(origin: Origin) -> Self {
        Self { origin, held: 0, findings: Vec::new() }
    }

    /// How many findings have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.of(verdict).count()
    }

    /// Findings with a verdict, in the order of the article.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.verdict == verdict)
    }

    /// Takes over another report's findings, and puts all in the order of the article, each once.
    pub fn merge(&mut self, other: Report) {
        self.held += other.held;
        self.findings.extend(other.findings);
        self.findings.sort_by_key(|f| (f.line, f.verdict));
        self.findings.dedup();
    }
}
