//! What the agent said of its work, and what its own log says to that.

use super::evidence::Evidence;

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
    /// The same without any figure or name, for a sentence that cites them itself.
    pub short: &'static str,
    /// Where the log says so; for what is missing, the range that was searched. Never empty.
    pub log: Vec<Evidence>,
}
