//! Secrets replaced by typed, stable markers such as `[REDACTED:github-pat:1]`, by a table of rules. The same value gets
//! the same number wherever it stands, and a value that was caught once is replaced everywhere, also where no rule would
//! have known it. It works on decoded text, never on raw JSON. It does not touch hashes, UUIDs, ids of messages and
//! calls, or figures; names, hosts and paths are no secrets here.
//!
//! Two passes: [`find`] and [`Redactor::number`] over every text, then [`Redactor::rewrite`] over every text. A search for
//! all keywords of all rules comes first; a rule's expression runs only around its own keywords.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use aho_corasick::{AhoCorasick, Match, MatchKind, packed};
use regex::bytes::{Regex, RegexBuilder};

use super::quote;
use crate::base::span::{ceil, floor};

/// What a rule demands of a value besides its expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Demand {
    /// The prefix says enough.
    Nothing,
    /// Looks random: letters and digits, [`RANDOM_BITS`] of entropy a character, no hash and no id.
    Random,
    /// As [`Demand::Random`], but a hash will do: the name beside it says that it is a secret.
    RandomOrHash,
    /// Is no placeholder, type name, variable or expression.
    Literal,
    /// As [`Demand::Literal`], but a plain word will do: it stands where only a value can.
    Given,
}

/// One kind of secret.
#[derive(Debug)]
struct Rule {
    /// Name in the marker, kebab-case.
    id: &'static str,
    /// Words of which one stands in every match, as they are spelled.
    keywords: &'static [&'static str],
    /// Expression; its last group that took part is the secret, the whole match where there is none.
    pattern: &'static str,
    /// What else must hold.
    demand: Demand,
}

const fn rule(id: &'static str, keywords: &'static [&'static str], demand: Demand, pattern: &'static str) -> Rule {
    Rule { id, keywords, pattern, demand }
}

/// Version of the table, for outputs that depend on it.
pub const RULES_VERSION: u32 = 1;

/// The rules, the surest first: where two claim one stretch, the earlier one names it. One row a kind; a row needs a
/// value that it catches and one that it leaves in the tests below.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule("private-key", &["-----BEGIN "], Demand::Nothing, r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----((?:\\[nrt]|(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*|[A-Za-z0-9+/=\s|]|→){40,})"),
    rule("github-pat", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], Demand::Nothing, r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})"),
    rule("gitlab-token", &["glpat-", "gldt-", "glrt-"], Demand::Nothing, r"\bgl(?:pat|dt|rt)-[A-Za-z0-9_.-]{20,}"),
    rule("anthropic-key", &["sk-"], Demand::Nothing, r"\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{20,}"),
    rule("openrouter-key", &["sk-"], Demand::Nothing, r"\bsk-or-(?:v\d+-)?[A-Za-z0-9]{32,}"),
    rule("openai-key", &["sk-"], Demand::Random, r"\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})"),
    rule("huggingface-token", &["hf_"], Demand::Random, r"\bhf_[A-Za-z0-9]{30,}"),
    rule("aws-key-id", &["AKIA", "ASIA"], Demand::Nothing, r"\bA[KS]IA[A-Z2-7]{16}\b"),
    rule("aws-secret-key", &["aws", "AWS", "SecretAccessKey"], Demand::Random, r#"(?i)(?:aws[_-]?secret[_-]?(?:access[_-]?)?key|SecretAccessKey)["']?\s*(?:=|:)\s*["']?([A-Za-z0-9/+]{40})"#),
    rule("google-key", &["AIza", "ya29.", "GOCSPX-"], Demand::Nothing, r"\b(?:AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,})"),
    rule("slack-token", &["xox", "xapp-"], Demand::Nothing, r"\b(?:xox[abeprs][.-][A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})"),
    rule("slack-webhook", &["hooks.slack.com"], Demand::Nothing, r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})"),
    rule("stripe-key", &["k_live_", "k_test_", "whsec_"], Demand::Nothing, r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})"),
    rule("npm-token", &["npm_"], Demand::Random, r"\bnpm_[A-Za-z0-9]{36}\b"),
    rule("pypi-token", &["pypi-"], Demand::Nothing, r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    rule("service-token", &["dckr_pat_", "_v1_", "sbp_", "sntry", "lin_api_", "gsk_", "xai-", "dapi", "SG."], Demand::Nothing, r"\b(?:dckr_pat_[A-Za-z0-9_-]{20,}|do[opr]_v1_[a-f0-9]{64}|sbp_[a-f0-9]{40}|sntry[su]_[A-Za-z0-9+/=_]{40,}|lin_api_[A-Za-z0-9]{32,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}|dapi[a-f0-9]{32}\b|SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50})"),
    rule("telegram-token", &[":AA"], Demand::Nothing, r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,34}\b"),
    rule("jwt", &["eyJ"], Demand::Nothing, r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}"),
    rule("url-password", &["://"], Demand::Given, r#"://[^\s:/@?#'"<>\\]*:([^\s@/'"<>\\]{3,})@"#),
    rule("authorization", &["uthorization", "UTHORIZATION", "earer "], Demand::Literal, r#"(?i)(?:authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|apikey)\s+([A-Za-z0-9+/=._~-]{8,})|\bbearer\s+([A-Za-z0-9+/=._~-]{20,}))"#),
    rule("password", &["assw", "ASSW", "assp", "ASSP"], Demand::Given, r#"(?i)(?:generated|temporary|initial|admin|root|default|new|your|the) (?:[a-z]+ )?(?:password|passphrase)(?: (?:is|for [^\s:]{1,60}))?\s*[:=]\s*["'`]?([^\s"'`,;]{6,})"#),
    rule("password", &["ASSW", "ASSP"], Demand::Given, r#"\b[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE)=["']?([^\s"'`,;)}\]&|]{4,})"#),
    rule("password", &["assw", "ASSW", "assp", "ASSP"], Demand::Literal, r#"(?i)(?:password|passwd|passphrase)["']?\s*(?:=>|:=|=|:)\s*["']?([^\s"'`,;)}\]&|]{4,})"#),
    rule("command-line-secret", &["--token", "--api-key", "--secret"], Demand::Random, r#"--(?:[a-z]+-)?(?:token|api-key|secret)[ =]["']?([A-Za-z0-9+/=_.~-]{16,})"#),
    rule("command-line-secret", &["--password"], Demand::Given, r#"--password[ =]["']?([^\s"'`$<{-][^\s"'`]{5,})"#),
    rule("command-line-secret", &["curl", "sshpass"], Demand::Given, r#"(?:curl[^\n|;]{0,200}? (?:-u|--user) ["']?[^\s:"']+:([^\s"']{4,})|sshpass -p ?["']?([^\s"']{4,}))"#),
    rule("azure-key", &["AccountKey=", "sig="], Demand::Nothing, r"(?:AccountKey=([A-Za-z0-9+/=]{40,})|[?&]sig=([A-Za-z0-9%+/=]{30,}))"),
    rule("age-key", &["AGE-SECRET-KEY-1"], Demand::Nothing, r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    rule("discord-webhook", &["/api/webhooks/"], Demand::Nothing, r"discord(?:app)?\.com/api/webhooks/\d+/([A-Za-z0-9_-]{40,})"),
    rule("secret", &["ecret", "ECRET", "pi_key", "PI_KEY", "piKey", "pikey", "pi-key", "PI-KEY", "pi-Key"], Demand::RandomOrHash, r#"(?i)(?:secret|api[_-]?key)(?:[_-]?(?:key|token|value))?["']?\s*(?:=>|:=|=|:)\s*["']?([A-Za-z0-9+/=_.~-]{16,})"#),
    rule("secret", &["oken", "OKEN", "ccess_key", "CCESS_KEY", "rivate_key", "RIVATE_KEY"], Demand::Random, r#"(?i)(?:token|access_key|private_key)["']?\s*(?:=>|:=|=|:)\s*["']?([A-Za-z0-9+/=_.~-]{16,})"#),
];

/// Least entropy of a value that counts as random, in bits a character. English words in camel case reach 3.4.
const RANDOM_BITS: f64 = 3.5;

/// Least length and variety of a value that is replaced wherever else it stands; a short word would take innocent text
/// along.
const ANYWHERE: usize = 8;

/// How far before a keyword a rule looks.
const BEFORE: usize = 64;
/// How far after it, and on to the end of the word there, so that no tail of a long token is left standing.
const AFTER: usize = 256;
/// How far at most: private keys and web tokens are long.
const AFTER_AT_MOST: usize = 16 * 1024;

/// Values that stand where a secret would and are none: placeholders, types, defaults of examples. Sorted.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "admin", "any", "bool", "boolean", "bytes", "changeme", "default", "dummy", "empty", "example", "false", "field",
    "foobar", "guest", "hidden", "input", "masked", "mysql", "none", "null", "optional", "pass", "passwd", "password",
    "placeholder", "postgres", "postgresql", "prompt", "redacted", "redis", "required", "root", "secret", "self", "some",
    "str", "string", "test", "testing", "text", "token", "true", "undefined", "user", "username", "value", "your",
];

/// Ids that producers give to messages, calls, sessions and requests.
const ID_PREFIXES: &[&str] =
    &["toolu_", "msg_", "prt_", "ses_", "call_", "req_", "chatcmpl-", "resp_", "run_", "agent-"];

/// The rules' expressions on bytes: what they look for is ASCII, and Unicode classes would make them ten times slower.
static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile = |pattern| RegexBuilder::new(pattern).unicode(false).build().expect("a test compiles every rule");
    RULES.iter().map(|rule| compile(rule.pattern)).collect()
});

/// `550e8400-e29b-41d4-a716-446655440000` alone. Not a longer text.
static UUID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$").expect("valid")
});

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::new);

/// All keywords, each with the rules that want it.
struct Keywords {
    rules: Vec<Vec<usize>>,
    searches: Vec<Search>,
}

/// Finds some of the keywords, those from the number `first` on.
struct Search {
    first: usize,
    /// `None` on machines whose vectors are too small for it.
    vector: Option<packed::Searcher>,
    automaton: AhoCorasick,
}

/// How many keywords are searched at once, the shortest first. A vector search takes at most 64; it looks at as many
/// letters of each as the shortest has, up to four, and is the faster the fewer places look like a keyword.
const AT_ONCE: usize = 24;

impl Search {
    fn new(first: usize, words: &[&str]) -> Self {
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).expect("few words");
        Self { first, vector: packed::Config::new().builder().extend(words).build(), automaton }
    }

    fn each(&self, text: &str, mut see: impl FnMut(Match)) {
        match &self.vector {
            Some(vector) => vector.find_iter(text).for_each(&mut see),
            None => self.automaton.find_iter(text).for_each(&mut see),
        }
    }
}

impl Keywords {
    fn new() -> Self {
        let mut wanted: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
        for (i, rule) in RULES.iter().enumerate() {
            for word in rule.keywords {
                wanted.entry((word.len(), word)).or_default().push(i);
            }
        }
        let words: Vec<&str> = wanted.keys().map(|(_, word)| *word).collect();
        let chunks = words.chunks(AT_ONCE).enumerate();
        let searches = chunks.map(|(i, words)| Search::new(i * AT_ONCE, words)).collect();
        Self { rules: wanted.into_values().collect(), searches }
    }

    /// Places of keywords, in order.
    fn places(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let mut places = Vec::new();
        for search in &self.searches {
            search.each(text, |found| {
                places.push((found.start(), found.end(), search.first + found.pattern().as_usize()))
            });
        }
        places.sort_unstable();
        places
    }

    /// Stretches of `text` in which each rule has to look, by rule, without overlaps.
    fn windows(&self, text: &str) -> BTreeMap<usize, Vec<(usize, usize)>> {
        let mut windows: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (start, end, word) in self.places(text) {
            for &rule in &self.rules[word] {
                let from = floor(text, start.saturating_sub(BEFORE));
                let to =
                    if RULES[rule].id == "private-key" { ceil(text, end + AFTER_AT_MOST) } else { word_end(text, end) };
                let list = windows.entry(rule).or_default();
                match list.last_mut() {
                    Some(last) if from <= last.1 => last.1 = to.max(last.1),
                    _ => list.push((from, to)),
                }
            }
        }
        windows
    }
}

/// The end of the word that stands [`AFTER`] bytes after `at`.
fn word_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (from, most) = ((at + AFTER).min(bytes.len()), (at + AFTER_AT_MOST).min(bytes.len()));
    let rest = &bytes[from..most];
    let word = rest.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'')).unwrap_or(rest.len());
    ceil(text, from + word)
}

/// A secret found in a text: its bytes there, and which value it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hit {
    start: usize,
    end: usize,
    value: usize,
}

/// A redacted value, as `inspect` lists it. It does not hold the value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Redaction {
    /// The marker that stands for it.
    pub marker: String,
    /// In how many places it was replaced.
    pub places: u64,
}

/// A secret as a rule finds it, before it has a number.
#[derive(Debug)]
pub struct Found {
    start: usize,
    end: usize,
    rule: &'static str,
    value: String,
}

/// The secrets of one text.
pub fn find(text: &str) -> Vec<Found> {
    if !text.contains('\u{1b}') {
        return find_plain(text);
    }
    let stretches = quote::between_ansi(text);
    let plain: String = stretches.iter().map(|(from, to)| &text[*from..*to]).collect();
    let mut found = find_plain(&plain);
    for secret in &mut found {
        (secret.start, secret.end) = (origin(&stretches, secret.start), origin(&stretches, secret.end - 1) + 1);
        secret.end = ceil(text, secret.end);
    }
    found
}

fn find_plain(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (rule, windows) in KEYWORDS.windows(text) {
        for (from, to) in windows {
            search(rule, text, from, to, &mut found);
        }
    }
    found
}

/// Adds what one rule finds in `text[from..to]`.
fn search(rule: usize, text: &str, from: usize, to: usize, all: &mut Vec<Found>) {
    let window = &text.as_bytes()[from..to];
    let mut at = 0;
    while let Some(found) = EXPRESSIONS[rule].captures_at(window, at) {
        let secret = found.iter().flatten().last().expect("a match has a whole");
        let (start, end) = (from + secret.start(), floor(text, from + secret.end()));
        let free = !all.iter().any(|f| f.start < end && start < f.end);
        match text.get(start..end).filter(|s| free && holds(RULES[rule].demand, s)) {
            Some(value) => {
                all.push(Found { start, end, rule: RULES[rule].id, value: value.to_string() });
                at = secret.end();
            }
            // What was refused may hold another: `token=password=…`. Long stretches are passed over whole.
            None if secret.len() <= AFTER => at = secret.start().max(at + 1),
            None => at = secret.end(),
        }
    }
}

/// Finds and replaces the secrets of one session and its sub-agents.
#[derive(Debug, Default)]
pub struct Redactor {
    values: Vec<Value>,
    by_text: BTreeMap<String, usize>,
    per_rule: BTreeMap<&'static str, u32>,
    everywhere: Option<AhoCorasick>,
    forms: Vec<usize>,
}

#[derive(Debug)]
struct Value {
    text: String,
    marker: String,
    places: u64,
}

impl Redactor {
    /// First pass: numbers what [`find`] found in one text. Give the hits to [`Redactor::rewrite`] for the same text.
    pub fn number(&mut self, found: Vec<Found>) -> Vec<Hit> {
        let hit = |f: Found| Hit { start: f.start, end: f.end, value: self.value(f.rule, f.value) };
        let mut hits: Vec<Hit> = found.into_iter().map(hit).collect();
        hits.sort();
        hits
    }

    fn value(&mut self, rule: &'static str, text: String) -> usize {
        if let Some(&known) = self.by_text.get(&text) {
            return known;
        }
        let number = self.per_rule.entry(rule).or_default();
        *number += 1;
        self.values.push(Value { text: text.clone(), marker: format!("[REDACTED:{rule}:{number}]"), places: 0 });
        self.by_text.insert(text, self.values.len() - 1);
        self.everywhere = None;
        self.values.len() - 1
    }

    /// Second pass: the text with its own hits and every known value replaced; `None` when nothing is to be replaced.
    pub fn rewrite(&mut self, text: &str, hits: &[Hit]) -> Option<String> {
        if self.values.is_empty() {
            return None;
        }
        let mut all = hits.to_vec();
        if self.everywhere.is_none() {
            self.prepare();
        }
        let known = self.everywhere.as_ref().expect("prepared above");
        for found in known.find_iter(text) {
            let (start, end) = (found.start(), found.end());
            if hits.iter().all(|h| end <= h.start || h.end <= start) {
                all.push(Hit { start, end, value: self.forms[found.pattern().as_usize()] });
            }
        }
        if all.is_empty() {
            return None;
        }
        all.sort();
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for hit in all {
            out.push_str(&text[done..hit.start]);
            out.push_str(&self.values[hit.value].marker);
            self.values[hit.value].places += 1;
            done = hit.end;
        }
        out.push_str(&text[done..]);
        Some(out)
    }

    /// The searcher for all values and their encoded forms.
    fn prepare(&mut self) {
        let mut forms: BTreeMap<String, usize> = BTreeMap::new();
        for (i, value) in self.values.iter().enumerate().filter(|(_, v)| stands_out(&v.text)) {
            for form in [value.text.clone(), json_escaped(&value.text), url_escaped(&value.text), base64(&value.text)] {
                forms.entry(form).or_insert(i);
            }
        }
        let words: Vec<String> = forms.keys().cloned().collect();
        self.forms = forms.into_values().collect();
        let searcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&words);
        self.everywhere = Some(searcher.expect("secrets are few and short"));
    }

    /// What was replaced, by marker.
    pub fn into_redactions(self) -> Vec<Redaction> {
        let mut list: Vec<Redaction> = self
            .values
            .into_iter()
            .filter(|v| v.places > 0)
            .map(|v| Redaction { marker: v.marker, places: v.places })
            .collect();
        list.sort();
        list
    }
}

/// One text on its own, for those that belong to no session.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut redactor = Redactor::default();
    let hits = redactor.number(find(text));
    redactor.rewrite(text, &hits).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether a value is distinctive enough to be replaced wherever it stands.
fn stands_out(value: &str) -> bool {
    let classes = [
        value.bytes().any(|b| b.is_ascii_lowercase()),
        value.bytes().any(|b| b.is_ascii_uppercase()),
        value.bytes().any(|b| b.is_ascii_digit()),
        value.bytes().any(|b| !b.is_ascii_alphanumeric()),
    ];
    value.len() >= ANYWHERE && classes.iter().filter(|c| **c).count() >= 2
}

fn holds(demand: Demand, value: &str) -> bool {
    match demand {
        Demand::Nothing => true,
        Demand::Random => random(value) && !hash(value),
        Demand::RandomOrHash => random(value) && !UUID.is_match(value.as_bytes()),
        Demand::Literal => given(value) && literal(value),
        Demand::Given => given(value),
    }
}

fn random(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    // Hexadecimal has at most four bits a character and reaches 3.5 only when long.
    let least = if value.bytes().all(|b| b.is_ascii_hexdigit()) { 3.0 } else { RANDOM_BITS };
    letters >= 4 && digits >= 2 && entropy(value) >= least && !ID_PREFIXES.iter().any(|p| value.starts_with(p))
}

/// A git object, a checksum, a UUID.
fn hash(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_hexdigit()) || UUID.is_match(value.as_bytes())
}

/// No placeholder, variable or expression.
fn given(value: &str) -> bool {
    let bare = value.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    let opens = value.starts_with(['$', '<', '{', '[', '(', '%', '*', '/', '~', '.', '&', '@', '#', '?', '-']);
    let expression = value.contains(['(', '{', '[', '<']) || value.contains("...") || value.contains("::");
    let distinct = value.bytes().collect::<std::collections::BTreeSet<_>>().len();
    let placeholder = bare.len() < 3 || PLACEHOLDERS.binary_search(&bare.as_str()).is_ok() || bare.starts_with("your");
    !opens && !expression && !placeholder && distinct > 2 && !bare.contains("redacted")
}

/// No type name and no path of a program's names.
fn literal(value: &str) -> bool {
    let words = value.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'.'));
    let dotted = value.contains('.') && value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'));
    !words && !dotted
}

/// Shannon entropy of the bytes, in bits a byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|b| counts[b as usize] += 1);
    let all = value.len() as f64;
    counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / all).map(|p| -p * p.log2()).sum()
}

/// Where a byte of the text that `stretches` of the original make up stands in the original.
fn origin(stretches: &[(usize, usize)], mut at: usize) -> usize {
    for (from, to) in stretches {
        match at.checked_sub(to - from) {
            Some(rest) => at = rest,
            None => return from + at,
        }
    }
    stretches.last().map_or(at, |(_, to)| to + at)
}

fn json_escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', r#"\""#).replace('/', r"\/").replace('\n', r"\n")
}

fn url_escaped(value: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    value.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// The whole groups of the base64 of a value: what follows the value would change the last one.
fn base64(value: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in value.as_bytes().chunks_exact(3) {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        [18, 12, 6, 0].iter().for_each(|shift| out.push(char::from(DIGITS[(bits >> shift & 63) as usize])));
    }
    if out.len() >= 12 { out } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random-looking text of letters and digits, spelled here in no piece that a scanner of repositories would take
    /// for a real one.
    fn noise(length: usize) -> String {
        const LETTERS: &[u8] = b"q7Zr2KxW9mTb4VnL8cHs5JdY3gPf6RkB1tXwM0aQzEuNvCiGoSyDhFjLpU";
        (0..length).map(|i| char::from(LETTERS[(i * 7 + i / 8 * 3) % LETTERS.len()])).collect()
    }

    fn hex(length: usize) -> String {
        (0..length).map(|i| char::from(b"0a7f3c91e5d24b86"[(i * i * 3 + i * 5 + i / 3) % 16])).collect()
    }

    #[test]
    fn placeholders_are_sorted() {
        assert!(PLACEHOLDERS.is_sorted());
        assert_eq!(EXPRESSIONS.len(), RULES.len());
    }

    #[test]
    fn every_rule_catches_its_kind() {
        let (n, h) = (noise(48), hex(64));
        let upper: String = n.to_uppercase().replace(['0', '1', '8', '9'], "Q");
        let cases: Vec<(&str, String)> = vec![
            ("github-pat", format!("token is ghp_{} ok", &n[..36])),
            ("github-pat", format!("github_pat_{n}{n}")),
            ("gitlab-token", format!("glpat-{}", &n[..20])),
            ("anthropic-key", format!("sk-ant-api03-{n}")),
            ("openrouter-key", format!("sk-or-v1-{h}")),
            ("openai-key", format!("OPENAI_API_KEY=sk-proj-{n}")),
            ("openai-key", format!("sk-{n}")),
            ("huggingface-token", format!("hf_{}", &n[..34])),
            ("aws-key-id", format!("AKIA{}", &upper[..16])),
            ("aws-secret-key", format!("aws_secret_access_key = {}", &n[..40])),
            ("google-key", format!("AIza{}", &n[..35])),
            ("slack-token", format!("xoxb-{}", &n[..24])),
            ("slack-webhook", format!("https://hooks.slack.com/services/T00/{}", &n[..24])),
            ("stripe-key", format!("sk_live_{}", &n[..24])),
            ("npm-token", format!("//registry.npmjs.org/:_authToken=npm_{}", &n[..36])),
            ("pypi-token", format!("pypi-AgEIcHlwaS5vcmc{n}{n}")),
            ("service-token", format!("dop_v1_{h}")),
            ("telegram-token", format!("bot 123456789:AA{}", &n[..33])),
            ("jwt", format!("eyJ{}.eyJ{}.{}", &n[..20], &n[..30], &n[..40])),
            ("url-password", "postgres://app:Harbor-41-x@db:5432/app".into()),
            ("authorization", format!("curl -H 'Authorization: Basic {}=='", &n[..24])),
            ("password", "Generated password: kT3-plum-44".into()),
            ("password", "DB_PASSWORD=Marigold7".into()),
            ("password", "export PGPASSWORD=marigold psql".into()),
            ("password", "{\"password\": \"x9!Lantern\"}".into()),
            ("secret", format!("CLIENT_SECRET={}", &n[..32])),
            ("secret", format!("X-Api-Key: {}", &h[..32])),
            ("secret", format!("\"access_token\":\"{}\"", &n[..40])),
            // A keyword that begins inside another one.
            ("secret", format!("dapi_key = {}", &n[..32])),
            ("command-line-secret", format!("deploy --token {}", &n[..32])),
            ("command-line-secret", "login --password Marigold7!".into()),
            ("command-line-secret", "curl -s -u ada:Marigold7 https://example.test".into()),
            ("azure-key", format!("AccountName=a;AccountKey={}==", &n[..44])),
            ("age-key", format!("AGE-SECRET-KEY-1{}{}", &upper[..40], &upper[..20])),
            ("discord-webhook", format!("https://discord.com/api/webhooks/12345/{n}")),
            ("private-key", format!("-----BEGIN RSA PRIVATE KEY-----\n{n}\n{n}\n-----END RSA PRIVATE KEY-----")),
            ("private-key", format!("     1→-----BEGIN OPENSSH PRIVATE KEY-----\n     2→{n}\n     3→{n}\n")),
            ("private-key", format!("\"-----BEGIN PRIVATE KEY-----\\n{n}\\n{n}\\n-----END PRIVATE KEY-----\\n\"")),
        ];
        for (id, text) in &cases {
            let marker = format!("[REDACTED:{id}:1]");
            assert!(redact(text).contains(&marker), "{id}: {text} -> {}", redact(text));
        }
        for rule in RULES {
            assert!(cases.iter().any(|(id, _)| *id == rule.id), "{} has no case", rule.id);
        }
    }

    #[test]
    fn innocent_text_survives() {
        let sha = hex(40);
        let cases = [
            format!("commit {sha}\nAuthor: Ada <ada@example.org>"),
            format!("\"token\": \"{sha}\", sha256:{}", hex(64)),
            format!("key_throughput={sha} tok/s=1906.4 total tokens: 128000"),
            "session 550e8400-e29b-41d4-a716-446655440000 token=550e8400-e29b-41d4-a716-446655440000".into(),
            "toolu_01A09q90qw90lq917835lq9 msg_01VEWApSRR3eFaXWZcwwZUBD".into(),
            "def login(user: str, password: str) -> Token: ...".into(),
            "password = os.environ[\"DB_PASSWORD\"]; password=$DB_PASSWORD; PASSWORD=${PW}".into(),
            "password: string; password?: string | null; passwordHash".into(),
            "postgres://postgres:postgres@localhost/test http://user:password@host http://[::1]:8080/@x".into(),
            "Enter password: ".into(),
            "max_tokens=4096 tokenizer=cl100k_base token_count: 16000 next_token = self.peek_token_or_end()".into(),
            "Authorization: Bearer $TOKEN, Authorization: Bearer <token>".into(),
            "sk-learn, task-force, risk-adjusted, AKIA is a prefix, hf_hub_download(repo_id)".into(),
            "the secret = self.config.client_secret_provider_name".into(),
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----".into(),
            "PWD=/home/ada OLDPWD=/tmp".into(),
        ];
        for text in &cases {
            assert_eq!(redact(text), *text);
        }
    }

    #[test]
    fn the_same_value_has_the_same_number_and_is_replaced_everywhere() {
        let (one, two) = (format!("ghp_{}", noise(36)), format!("ghp_{}", noise(40)));
        let texts = [
            format!("bare Harbor-41+x/ and Harbor-41%2Bx%2F and {}", base64("Harbor-41+x/")),
            format!("{one} {two} {one}"),
            "DB_PASSWORD=Harbor-41+x/".to_string(),
        ];
        let mut redactor = Redactor::default();
        let hits: Vec<_> = texts.iter().map(|t| redactor.number(find(t))).collect();
        let out: Vec<_> = texts.iter().zip(&hits).map(|(t, h)| redactor.rewrite(t, h).unwrap()).collect();
        assert_eq!(out[0], "bare [REDACTED:password:1] and [REDACTED:password:1] and [REDACTED:password:1]");
        assert_eq!(out[1], "[REDACTED:github-pat:1] [REDACTED:github-pat:2] [REDACTED:github-pat:1]");
        let listed: Vec<_> = redactor.into_redactions().into_iter().map(|r| (r.marker, r.places)).collect();
        assert_eq!(listed[2], ("[REDACTED:password:1]".to_string(), 4));
    }

    #[test]
    fn short_words_are_replaced_only_where_they_are_secrets() {
        assert_eq!(redact("ftp://x:Sun7@h Sun7"), "ftp://x:[REDACTED:url-password:1]@h Sun7");
    }

    #[test]
    fn colour_inside_a_token_does_not_hide_it() {
        let n = noise(36);
        let text = format!("\x1b[1mghp_{}\x1b[0m\x1b[31m{}\x1b[0m é", &n[..10], &n[10..]);
        assert_eq!(redact(&text), "\x1b[1m[REDACTED:github-pat:1]\x1b[0m é");
    }

    #[test]
    fn no_tail_of_a_long_token_is_left() {
        let text = format!("eyJ{}.eyJ{}.{} end", noise(40), noise(3000), noise(60));
        assert_eq!(redact(&text), "[REDACTED:jwt:1] end");
    }

    #[test]
    fn redaction_is_idempotent() {
        let once = redact("DB_PASSWORD=Marigold7 https://u:Marigold7@h").into_owned();
        assert_eq!(redact(&once), once);
    }

    #[test]
    fn a_uuid_is_known_alone() {
        assert!(!UUID.is_match(b"x550e8400-e29b-41d4-a716-446655440000"));
    }
}
