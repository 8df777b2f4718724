//! Diagnostics: what was odd in an input, where, and what was done instead. Parsing never fails; it collects these.

use std::collections::BTreeMap;

use super::locate::Locator;

/// How much a diagnostic matters to a reader of the results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Nothing is lost.
    Note,
    /// Something was repaired or guessed.
    Warning,
    /// Something of the log could not be read.
    Error,
}

/// Kinds of diagnostics. A code says what was found, never advice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum DiagCode {
    /// A record that is no JSON (or not of its format) and could not be repaired.
    RecordDamaged,
    /// The last record ends in the middle: still being written, or cut.
    RecordTorn,
    /// Several records stood on one line.
    RecordsGlued,
    /// A record longer than the cap was passed over.
    RecordTooLong,
    /// A record of a type that the format does not know.
    RecordTypeUnknown,
    /// A known field held a value of another type.
    FieldWrongType,
    /// A lone half of a surrogate pair became U+FFFD.
    SurrogateLone,
    /// Bytes that are no UTF-8 became U+FFFD.
    Utf8Invalid,
    /// A control character stood unescaped in a string.
    ControlRaw,
    /// NUL bytes padded the input.
    NulPadding,
    /// A byte order mark stood at the beginning.
    ByteOrderMark,
    /// Text stood before or after the document.
    NoiseAround,
    /// A record was seen before, byte for byte or by its id.
    RecordRepeated,
    /// A call has no result in the log.
    CallWithoutResult,
    /// A result belongs to no call in the log.
    ResultWithoutCall,
    /// A second result for one call.
    ResultRepeated,
    /// A parent that the log does not hold.
    ParentMissing,
    /// Parents form a circle.
    ParentCircular,
    /// JSON nested deeper than the limit.
    NestingTooDeep,
    /// A tool input or output is shown only in part.
    ContentCut,
    /// The numbers of messages do not rise.
    NumbersNotRising,
    /// A call wrote a task list that could not be read.
    TodoUnreadable,
}

impl DiagCode {
    /// Every code with its printed name, severity and meaning; the table of the documentation.
    #[rustfmt::skip]
    pub const TABLE: &'static [(DiagCode, &'static str, Severity, &'static str)] = &[
        (DiagCode::RecordDamaged,     "record-damaged",      Severity::Error,   "a record could not be read"),
        (DiagCode::RecordTorn,        "record-torn",         Severity::Warning, "the last record ends in the middle (still being written, or cut)"),
        (DiagCode::RecordsGlued,      "records-glued",       Severity::Warning, "several records stand on one line"),
        (DiagCode::RecordTooLong,     "record-too-long",     Severity::Error,   "a record longer than the cap was passed over"),
        (DiagCode::RecordTypeUnknown, "record-type-unknown", Severity::Note,    "a record of a type this version does not know was kept apart"),
        (DiagCode::FieldWrongType,    "field-wrong-type",    Severity::Warning, "a known field holds a value of another type"),
        (DiagCode::SurrogateLone,     "surrogate-lone",      Severity::Warning, "half of a surrogate pair became U+FFFD"),
        (DiagCode::Utf8Invalid,       "utf8-invalid",        Severity::Warning, "bytes that are no UTF-8 became U+FFFD"),
        (DiagCode::ControlRaw,        "control-raw",         Severity::Warning, "a control character stands unescaped in a JSON string"),
        (DiagCode::NulPadding,        "nul-padding",         Severity::Warning, "NUL bytes pad the input"),
        (DiagCode::ByteOrderMark,     "byte-order-mark",     Severity::Note,    "a byte order mark stands at the beginning"),
        (DiagCode::NoiseAround,       "noise-around",        Severity::Note,    "text stands before or after the document"),
        (DiagCode::RecordRepeated,    "record-repeated",     Severity::Note,    "a record stands in the log more than once and counts once"),
        (DiagCode::CallWithoutResult, "call-without-result", Severity::Note,    "a tool call has no result in the log"),
        (DiagCode::ResultWithoutCall, "result-without-call", Severity::Warning, "a tool result belongs to no call in the log"),
        (DiagCode::ResultRepeated,    "result-repeated",     Severity::Note,    "a second result of one call was passed over"),
        (DiagCode::ParentMissing,     "parent-missing",      Severity::Warning, "a record names a parent that the log does not hold"),
        (DiagCode::ParentCircular,    "parent-circular",     Severity::Error,   "records name each other as parents"),
        (DiagCode::NestingTooDeep,    "nesting-too-deep",    Severity::Error,   "JSON nested deeper than the limit"),
        (DiagCode::ContentCut,        "content-cut",         Severity::Note,    "an input or output is shown only in part"),
        (DiagCode::NumbersNotRising,  "numbers-not-rising",  Severity::Warning, "the numbers of messages do not rise"),
        (DiagCode::TodoUnreadable,    "todo-unreadable",     Severity::Note,    "a call wrote a task list that could not be read"),
    ];

    fn row(self) -> &'static (DiagCode, &'static str, Severity, &'static str) {
        Self::TABLE.iter().find(|row| row.0 == self).expect("every code has a row (a test says so)")
    }

    /// Printed name, kebab-case.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// How much it matters.
    pub fn severity(self) -> Severity {
        self.row().2
    }

    /// What it means, one clause.
    pub fn about(self) -> &'static str {
        self.row().3
    }
}

/// One finding: a code, its place, and what was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// Kind.
    pub code: DiagCode,
    /// Record in question; the default locator where it concerns the whole input.
    pub place: Locator,
    /// What was found and what was done instead, one clause.
    pub detail: String,
}

/// How many diagnostics of one code are kept with their place; the rest are counted.
pub const KEPT_PER_CODE: usize = 5;

/// Diagnostics of one input or session: each code counted, the first few kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diagnostics {
    by_code: BTreeMap<DiagCode, (u64, Vec<Diagnostic>)>,
}

impl Diagnostics {
    /// Adds one.
    pub fn add(&mut self, code: DiagCode, place: Locator, detail: impl Into<String>) {
        let entry = self.by_code.entry(code).or_default();
        entry.0 += 1;
        if entry.1.len() < KEPT_PER_CODE {
            entry.1.push(Diagnostic { code, place, detail: detail.into() });
        }
    }

    /// Takes over all of `other`.
    pub fn extend(&mut self, other: Diagnostics) {
        for (code, (count, kept)) in other.by_code {
            let entry = self.by_code.entry(code).or_default();
            entry.0 += count;
            let room = KEPT_PER_CODE.saturating_sub(entry.1.len());
            entry.1.extend(kept.into_iter().take(room));
        }
    }

    /// How many of one code.
    pub fn count(&self, code: DiagCode) -> u64 {
        self.by_code.get(&code).map_or(0, |e| e.0)
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.by_code.is_empty()
    }

    /// Code, count, the first few; in the order of the codes.
    pub fn iter(&self) -> impl Iterator<Item = (DiagCode, u64, &[Diagnostic])> {
        self.by_code.iter().map(|(code, (count, kept))| (*code, *count, kept.as_slice()))
    }

    /// The details, which may quote the input.
    pub fn details_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.by_code.values_mut().flat_map(|(_, kept)| kept).map(|one| &mut one.detail)
    }
}
