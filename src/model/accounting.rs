//! The accounting law: records used + skipped + unknown + damaged = records read.

use std::collections::BTreeMap;

/// What became of the records of a session (or of the lines of a file that belong to none).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Accounting {
    /// Records met.
    pub read: u64,
    /// Records that gave something to the session.
    pub used: u64,
    /// Records of known kind that hold nothing for the session, by reason (kebab-case).
    pub skipped: BTreeMap<String, u64>,
    /// Records of types this version does not know, by type.
    pub unknown: BTreeMap<String, u64>,
    /// Records that could not be read.
    pub damaged: u64,
}

impl Accounting {
    /// Counts a record that gave something.
    pub fn used(&mut self) {
        self.read += 1;
        self.used += 1;
    }

    /// Counts a record knowingly passed over.
    pub fn skipped(&mut self, reason: &str) {
        self.read += 1;
        *self.skipped.entry(reason.to_string()).or_default() += 1;
    }

    /// Counts a record of unknown type.
    pub fn unknown(&mut self, kind: &str) {
        self.read += 1;
        *self.unknown.entry(kind.to_string()).or_default() += 1;
    }

    /// Counts a record that could not be read.
    pub fn damaged(&mut self) {
        self.read += 1;
        self.damaged += 1;
    }

    /// Sum of the skipped.
    pub fn skipped_total(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// Sum of the unknown.
    pub fn unknown_total(&self) -> u64 {
        self.unknown.values().sum()
    }

    /// Whether the law holds.
    pub fn balanced(&self) -> bool {
        self.used + self.skipped_total() + self.unknown_total() + self.damaged == self.read
    }

    /// Adds another account to this one.
    pub fn merge(&mut self, other: &Accounting) {
        self.read += other.read;
        self.used += other.used;
        self.damaged += other.damaged;
        for (reason, count) in &other.skipped {
            *self.skipped.entry(reason.clone()).or_default() += count;
        }
        for (kind, count) in &other.unknown {
            *self.unknown.entry(kind.clone()).or_default() += count;
        }
    }
}
