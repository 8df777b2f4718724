//! What the agent said of its work, what its own log says to that, and what it did not say.

use super::evidence::Evidence;

/// The audit of a session.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Audit {
    /// What the agent said, in the order in which it stands in the log.
    pub claims: Vec<Claimed>,
    /// What the session left behind, by rule.
    pub loose_ends: Vec<LooseEnd>,
}

impl Audit {
    /// Whether the log contradicts anything.
    pub fn accuses(&self) -> bool {
        self.claims.iter().any(|claim| claim.ruling == Ruling::Contradicted)
    }

    /// What needs an action and no text of the agent tells.
    pub fn omissions(&self) -> impl Iterator<Item = &LooseEnd> {
        self.loose_ends.iter().filter(|end| end.omitted)
    }

    /// What a rule found.
    pub fn left_by<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a LooseEnd> {
        self.loose_ends.iter().filter(move |end| end.rule == rule)
    }
}

/// What a claim is about (`reference/audit-guide.md` names the kinds).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ClaimKind {
    /// A figure.
    Number,
    /// One thing against another.
    Comparison,
    /// A check and how it ended.
    Test,
    /// What stands in a file, or was changed in one.
    File,
    /// Something that was run, pushed, filed, read.
    Command,
    /// That all is done.
    Completion,
    /// Why something is as it is.
    Cause,
    /// That something is nowhere.
    Absence,
    /// What others say.
    Outside,
}

impl ClaimKind {
    /// Word used in JSON and in texts.
    pub fn word(self) -> &'static str {
        match self {
            ClaimKind::Number => "number",
            ClaimKind::Comparison => "comparison",
            ClaimKind::Test => "test",
            ClaimKind::File => "file",
            ClaimKind::Command => "command",
            ClaimKind::Completion => "completion",
            ClaimKind::Cause => "cause",
            ClaimKind::Absence => "absence",
            ClaimKind::Outside => "outside",
        }
    }
}

/// What a claim names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EntityKind {
    /// A number with its unit.
    Figure,
    /// How many times as much.
    Factor,
    /// `all`, `every`, `no other`.
    Quantifier,
    /// A file.
    Path,
    /// A code span that is nothing else.
    Code,
    /// A code span that is a command.
    Command,
    /// The name of a test.
    Test,
    /// The wording of an item of the task list.
    Item,
}

impl EntityKind {
    /// Word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            EntityKind::Figure => "figure",
            EntityKind::Factor => "factor",
            EntityKind::Quantifier => "quantifier",
            EntityKind::Path => "path",
            EntityKind::Code => "code",
            EntityKind::Command => "command",
            EntityKind::Test => "test",
            EntityKind::Item => "item",
        }
    }
}

/// What the log says to a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ruling {
    /// It says otherwise, of the same thing in the same state of the work.
    Contradicted,
    /// It could show it, and does not.
    NotShown,
    /// It cannot show such a thing.
    NotCheckable,
    /// It says so.
    Supported,
}

impl Ruling {
    /// Every ruling, what needs attention first.
    pub const ALL: [Ruling; 4] = [Ruling::Contradicted, Ruling::NotShown, Ruling::NotCheckable, Ruling::Supported];

    /// Word used in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Ruling::Contradicted => "contradicted",
            Ruling::NotShown => "not_shown",
            Ruling::NotCheckable => "not_checkable",
            Ruling::Supported => "supported",
        }
    }

    /// Words for a person.
    pub fn words(self) -> &'static str {
        match self {
            Ruling::Contradicted => "the log says otherwise",
            Ruling::NotShown => "the log does not show it",
            Ruling::NotCheckable => "no log can show it",
            Ruling::Supported => "the log bears it out",
        }
    }
}

/// A claim with its ruling.
#[derive(Clone, PartialEq, Debug)]
pub struct Claimed {
    /// The agent's words, an exact quotation.
    pub words: Evidence,
    /// What it is about.
    pub kind: ClaimKind,
    /// What the log says.
    pub ruling: Ruling,
    /// Name of the rule that decided.
    pub rule: &'static str,
    /// What was looked for and what was found, in a clause.
    pub why: String,
    /// The same without any figure or name, for a sentence that cites them itself; "" where there is nothing to say.
    pub short: &'static str,
    /// The words within the claim that decide: the figures that no output shows, the name that no search holds. Empty:
    /// all of them.
    pub parts: Vec<Evidence>,
    /// What the claim names, in order.
    pub entities: Vec<(EntityKind, Evidence)>,
    /// Where the log says so; for what is missing, the range that was searched. Never empty.
    pub log: Vec<Evidence>,
    /// The first of the claims that say the same under the same ruling, where this is a later one.
    pub repeats: Option<Evidence>,
}

/// Something that is left behind at the end of a session and may need an action.
#[derive(Clone, PartialEq, Debug)]
pub struct LooseEnd {
    /// Name of the rule that found it.
    pub rule: &'static str,
    /// What it is about, an exact quotation.
    pub what: Evidence,
    /// What the log shows of it, in a clause.
    pub why: String,
    /// The same without any figure or name, said behind what it is about.
    pub short: &'static str,
    /// What is shown behind that.
    pub shown: Shown,
    /// Where the log shows it, the place that matters most first; never empty.
    pub log: Vec<Evidence>,
    /// No text of the agent tells it, though one had to.
    pub omitted: bool,
}

/// What is shown of a loose end.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// Nothing more.
    Nothing,
    /// Words of the log.
    Words(Evidence),
    /// A range in which nothing else was found.
    Searched(Evidence),
    /// Two readings of a series.
    Change {
        /// Position in [`Findings::series`](super::findings::Findings::series).
        series: usize,
        /// Positions of the earlier and the later one among its readings.
        readings: (usize, usize),
    },
}
