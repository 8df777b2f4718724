//! Names that a reader needs to repeat the work, with the first message that holds each.
//!
//! Kinds differ in where they are trusted: settings and hosts in commands, versions in prose and in short outputs,
//! hardware and models anywhere. A name is kept with its count of messages; each kind has room for a few, the most
//! mentioned ones, so that no kind crowds out the others.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use crate::text::pattern::{Regex, in_ascii};
use aho_corasick::{AhoCorasick, MatchKind};

use super::Extractor;
use crate::{
    base::{ids::MessageIdx, path::base_name},
    model::{
        command::SimpleCommand,
        facts::{Facts, FileAct, Name, NameKind},
        message::{Message, PartKind, ToolKind},
        session::Session,
    },
};

/// See the module.
pub struct Names;

impl Extractor for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn about(&self) -> &'static str {
        "Names that a reader needs, with the first message that holds each"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut found = BTreeMap::new();
        for (_, message) in session.iter() {
            in_texts(message, &mut found);
        }
        in_commands(session, facts, &mut found);
        in_files(facts, &mut found);
        facts.names = chosen(session, found);
    }
}

/// Candidates: the name and its kind; the first kind that claims a name keeps it.
type Found = BTreeMap<String, NameKind>;

/// How many names of each kind are kept.
#[rustfmt::skip]
const ROOM: &[(NameKind, usize)] = &[
    (NameKind::Model, 4), (NameKind::Hardware, 3), (NameKind::Version, 4), (NameKind::Host, 3), (NameKind::Service, 4),
    (NameKind::File, 5), (NameKind::Setting, 8), (NameKind::Environment, 8), (NameKind::Url, 3), (NameKind::Revision, 3),
];

/// Outputs beyond this many bytes are searched only so far for names.
const SEARCHED: usize = 16_384;

/// Beginnings of model and hardware names: long outputs without any are not searched further.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "a100", "apple m", "b200", "b300", "baichuan", "bert", "claude", "codellama", "command-r", "deepseek", "epyc", "ernie",
    "falcon", "gb200", "gb300", "gemini", "gemma", "gh200", "glm", "gpt", "granite", "grok", "gtx", "h100", "h200", "h800",
    "internlm", "kimi", "l40s", "llama", "mi2", "mi3", "mimo", "minimax", "mistral", "mixtral", "nemotron", "nvidia ",
    "olmo", "qwen", "rtx", "ryzen", "starcoder", "tesla", "vicuna", "whisper", "xeon",
];

static FAMILIES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder().ascii_case_insensitive(true).build(STEMS).expect("the stems are plain words")
});

/// `Qwen3.5-122B-A10B`, `GLM-5-NVFP4`, `Kimi-K2.5 INT4`, `gpt-5.5`; not `llama.cpp`.
static MODEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"\b(?i:qwen|llama|kimi|glm|deepseek|mistral|mixtral|gemma|gpt|claude|gemini|minimax|mimo|falcon|command-r|olmo|granite|nemotron|starcoder|codellama|whisper|bert|vicuna|internlm|baichuan|ernie|grok)(?:-(?i:opus|sonnet|haiku|coder|chat|instruct|linear|vl|oss|mini|nano|pro|flash|turbo|lite|large|small|base|r|v|k|m))*[-_ ]?(?:[A-Z]?\d[\w.]*\w|\d)(?:[-_](?:[A-Za-z0-9][\w.]*))*"))
        .expect("valid")
});

/// `RTX PRO 6000 Blackwell`, `H100`, `EPYC 9554`, `Apple M3 Max`; not `rtx`.
static HARDWARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"\b(?:(?:NVIDIA )?(?:GeForce )?(?:RTX|GTX)(?: PRO)? ?A?\d{3,4}(?: ?Ti| SUPER| Ada)?(?: Blackwell)?|(?:NVIDIA )?(?:Tesla )?(?:[ABHL]\d{2,3}S?X?|GB?[23]00|GH200)(?:-(?:SXM\d?|PCIE|NVL)\b[\w-]*)|(?:NVIDIA )(?:[ABHL]\d{2,3}S?|T4|V100|GB?[23]00)|[AH]100|H[28]00|B[23]00|GB[23]00|L40S|MI[23]\d{2}X?|(?:AMD )?EPYC \d{4}\w*|(?:Intel\S* )?Xeon\S* [\w-]+ ?\d{4}\w*|Ryzen \d \d{4}\w*|Apple M\d(?: (?:Pro|Max|Ultra))?)\b"))
        .expect("valid")
});

/// `vLLM 0.16.0rc2.dev344`, `torch==2.11.0+cu130`, `Triton 3.6.0`; not `10.0.0.1`.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"\b[A-Za-z][\w.-]*[A-Za-z0-9](?: v?|==| version |@)\d+\.\d+(?:\.\d+)?(?:[a-z]+\d+)*(?:\.?(?:dev|post|rc|alpha|beta)[\d.]*)?(?:\+[\w.]+)?\b|\bv?\d+\.\d+\.\d+(?:rc|a|b|\.dev|-rc\.?|-beta\.?|-alpha\.?)\d+(?:\.dev\d+)?(?:\+\w+)?\b")).expect("valid")
});

/// `https://example.org/a`; not `file:///a`.
static URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&in_ascii(r#"https?://[^\s"'<>)\]}`|\\,]+[^\s"'<>)\]}`|\\,.;:]"#)).expect("valid"));

/// `[main 1a2b3c4]`, `commit 1a2b3c4d`, `Committed as 1a2b3c4`; not `deadbeef`.
static REVISION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"(?:^|\n)\[[\w./-]+(?: \(root-commit\))? ([0-9a-f]{7,40})\]|(?i:\bcommit(?:ted)?(?: (?:as|hash|is|to))? `?)([0-9a-f]{7,40})\b")).expect("valid")
});

/// `NCCL_P2P_DISABLE=1`; not `a=1`.
static ENVIRONMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&in_ascii(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+=[\w./:+-]*\w\b")).expect("valid"));

/// `mem-fraction-static=0.9`, `tensor_parallel_size=8`, `--tp 4`, `amd_iommu=on`; not `x=3`.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"(?:^|[\s`(\x22'])(--[a-z][\w-]{2,}[= ]-?[\w.]*\d[\w.]*|--[a-z][\w-]*-[\w-]+|[a-z][a-z0-9]*[_-][a-z0-9_-]+=[\w.-]+)(?:$|[\s`),.;:\x22'])")).expect("valid")
});

/// `tensor_parallel_size=8` as start-up lines print it; not `rank_0: 8`.
static PRINTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+=(?:\d[\w.]*|True|False)\b")).expect("valid")
});

fn in_texts(message: &Message, found: &mut Found) {
    for part in &message.parts {
        let prose = part.kind == PartKind::Prose;
        let output = part.kind == PartKind::Output;
        if part.kind == PartKind::Reasoning || (output && message.tool() == Some(ToolKind::Todo)) {
            continue;
        }
        let text = head(&part.text);
        let short = output && text.lines().count() <= 6;
        if !FAMILIES.is_match(text) && !prose && !short {
            continue;
        }
        take(found, NameKind::Model, MODEL.find_iter(text).map(|m| m.as_str()).filter(|m| is_model(m)));
        take(found, NameKind::Hardware, HARDWARE.find_iter(text).map(|m| m.as_str()));
        if prose || short {
            take(found, NameKind::Version, VERSION.find_iter(text).map(|m| m.as_str()).filter(|v| is_version(v)));
            let revisions = REVISION.captures_iter(text).filter_map(|c| c.get(1).or(c.get(2)));
            take(found, NameKind::Revision, revisions.map(|m| m.as_str()));
        }
        if short {
            let printed = PRINTED.find_iter(text).filter(|m| !in_address(text, m.start()));
            take(found, NameKind::Setting, printed.map(|m| m.as_str()));
        }
        if prose {
            take(found, NameKind::Url, URL.find_iter(text).map(|m| m.as_str()));
            take(found, NameKind::Environment, ENVIRONMENT.find_iter(text).map(|m| m.as_str()));
            let settings = SETTING.captures_iter(text).filter_map(|c| c.get(1));
            take(found, NameKind::Setting, settings.map(|m| m.as_str()));
        }
    }
}

/// Whether a place lies within an address: `https://h/a?utm_content=1`, also where `&` is written `\\u0026`.
fn in_address(text: &str, at: usize) -> bool {
    let word =
        text[..at].rfind(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '(')).map_or(0, |end| end + 1);
    text[word..at].contains("://")
}

fn head(text: &str) -> &str {
    if text.len() <= SEARCHED {
        return text;
    }
    let end = (0..=SEARCHED).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    &text[..end]
}

/// Longer names of models are not in use.
const LONGEST_MODEL: usize = 40;

/// Whether a name is a model's rather than a folder's: `claude-501` is a user's temporary folder.
fn is_model(name: &str) -> bool {
    let numbered = name.split_once(['-', ' ']).is_some_and(|(_, rest)| rest.chars().all(|c| c.is_ascii_digit()));
    // `claude 0.0452` is a score, and what goes on for long a folder.
    let scored = name.split_once(' ').is_some_and(|(_, rest)| rest.starts_with("0."));
    let model = !(numbered && name.to_ascii_lowercase().starts_with("claude"));
    model && !scored && name.len() <= LONGEST_MODEL
}

/// Whether the word before the number can be a product: written like a name, or joined to the number.
fn is_version(text: &str) -> bool {
    const NO_PRODUCTS: &[&str] = &[
        "Release", "Released", "Version", "Tag", "To", "From", "The", "At", "Section", "Step", "About", "Only", "Under",
    ];
    let Some((product, number)) = text.split_once(['=', '@', ' ']) else { return true };
    let dotted = number.matches('.').count() >= 2 || text.contains("==");
    let address = number.matches('.').count() >= 3 && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let joined = text.contains("==") || text.contains('@');
    let named = product.contains(|c: char| c.is_uppercase() || c == '-') && !NO_PRODUCTS.contains(&product);
    dotted && !address && (joined || named)
}

fn in_commands(session: &Session, facts: &Facts, found: &mut Found) {
    let prose: Vec<&str> = session.iter().map(|(_, m)| m.prose()).filter(|p| !p.is_empty()).collect();
    let mut flags: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for run in facts.commands.iter().filter(|r| r.ran) {
        for part in &run.parts {
            take(found, NameKind::Host, part.on.iter().map(String::as_str).filter(|h| is_host(h)));
            let env = part.env.iter().map(|(n, v)| format!("{n}={v}")).filter(|e| run.line.contains(e) && e.len() < 60);
            let env: Vec<String> = env.filter(|e| ENVIRONMENT.is_match(e)).collect();
            take(found, NameKind::Environment, env.iter().map(String::as_str));
            for (flag, value) in valued_flags(part).filter(|(f, v)| run.line.contains(&format!("{f} {v}"))) {
                flags.entry((part.program.clone(), flag.into())).or_default().insert(value.into());
            }
        }
    }
    // A flag that kept one value throughout is no knob, unless somebody speaks of the value.
    let spoken = |v: &str| v.len() >= 3 && v.chars().any(char::is_alphabetic) && prose.iter().any(|p| p.contains(v));
    let turned = flags.into_iter().filter(|(_, vs)| (2..=6).contains(&vs.len()) || vs.iter().all(|v| spoken(v)));
    let turned: Vec<String> =
        turned.flat_map(|((_, f), values)| values.into_iter().map(move |v| format!("{f} {v}"))).collect();
    take(found, NameKind::Setting, turned.iter().map(String::as_str));
    take(found, NameKind::Service, facts.jobs.iter().filter(|j| j.service).map(|j| j.name.as_str()));
}

/// Long flags with the value that follows them.
fn valued_flags(part: &SimpleCommand) -> impl Iterator<Item = (&str, &str)> {
    const QUERIES: &[&str] =
        &["read", "search", "list", "vcs-read", "help", "noop", "hw-query", "log-read", "vcs-write", "vcs-commit"];
    let asks = QUERIES.contains(&part.class.0.as_str())
        || matches!(part.program.as_str(), "git" | "gh" | "curl" | "grep" | "rg");
    let pairs = part.args.windows(2).filter(move |_| !asks).map(|w| (w[0].as_str(), w[1].as_str()));
    pairs.filter(|(f, v)| {
        f.starts_with("--") && f.len() > 3 && !v.starts_with('-') && v.len() < 32 && !v.contains(char::is_whitespace)
    })
}

fn is_host(name: &str) -> bool {
    name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '@'))
}

/// Files that were changed more than once or written by a tool.
fn in_files(facts: &Facts, found: &mut Found) {
    let changed = facts.files.iter().filter(|f| f.succeeded && matches!(f.act, FileAct::Edited | FileAct::Written));
    let names = changed.map(|f| base_name(&f.path)).filter(|n| n.contains('.') && n.len() > 3);
    take(found, NameKind::File, names);
}

fn take<'a>(found: &mut Found, kind: NameKind, names: impl Iterator<Item = &'a str>) {
    for name in names {
        if name.len() > 1 && name.len() <= 100 && !found.contains_key(name) {
            found.insert(name.to_string(), kind);
        }
    }
}

/// Counts the messages that hold each candidate in one pass and keeps the most mentioned of each kind.
fn chosen(session: &Session, found: Found) -> Vec<Name> {
    let words: Vec<&String> = found.keys().collect();
    let Ok(scan) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&words) else {
        return Vec::new();
    };
    let mut counts: Vec<(usize, Option<MessageIdx>)> = vec![(0, None); words.len()];
    for (at, message) in session.iter() {
        let mut here = BTreeSet::new();
        for part in message.parts.iter().filter(|p| p.kind != PartKind::Reasoning) {
            here.extend(scan.find_iter(&part.text).map(|m| m.pattern().as_usize()));
        }
        for word in here {
            counts[word].0 += 1;
            counts[word].1.get_or_insert(at);
        }
    }
    let named = words.iter().zip(counts).filter_map(|(word, (mentions, first))| {
        let evidence = session.cite_words(first?, word)?;
        Some(Name { text: word.to_string(), kind: found[*word], mentions, evidence })
    });
    let mut named: Vec<Name> = named.collect();
    named.sort_by(|a, b| b.mentions.cmp(&a.mentions).then_with(|| a.evidence.cmp(&b.evidence)));
    let mut cased = BTreeSet::new();
    named.retain(|n| cased.insert((n.kind, n.text.to_lowercase())));
    let longer: Vec<(NameKind, String)> = named.iter().map(|n| (n.kind, n.text.to_lowercase())).collect();
    named.retain(|n| !MAKES.contains(&n.kind) || !is_part_of_another(n, &longer));
    let mut room: BTreeMap<NameKind, usize> = ROOM.iter().copied().collect();
    named.retain(|n| room.get_mut(&n.kind).is_some_and(|left| std::mem::replace(left, left.saturating_sub(1)) > 0));
    named
}

/// Kinds of which a shorter name is part of a longer one.
const MAKES: &[NameKind] = &[NameKind::Model, NameKind::Hardware];

/// Whether a longer name of the kind holds this one, but for case.
fn is_part_of_another(name: &Name, all: &[(NameKind, String)]) -> bool {
    let own = name.text.to_lowercase();
    all.iter().any(|(kind, other)| *kind == name.kind && other.len() > own.len() && other.contains(&own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_asks_is_no_setting() {
        let text = "see https://h/a?utm_content=1 and clock_rate=2";
        assert!(in_address(text, text.find("utm").unwrap()) && !in_address(text, text.find("clock").unwrap()));
    }

    #[test]
    fn each_pattern_knows_its_name_and_leaves_the_other_alone() {
        let rows: &[(&Regex, &str, &str)] = &[
            (&MODEL, "Qwen3.5-122B-A10B", "llama.cpp"),
            (&HARDWARE, "RTX PRO 6000 Blackwell", "rtx"),
            (&VERSION, "torch==2.11.0+cu130", "10.0.0.1"),
            (&URL, "https://example.org/a", "file:///a"),
            (&REVISION, "[main 1a2b3c4] Fix", "deadbeef"),
            (&ENVIRONMENT, "NCCL_P2P_DISABLE=1", "a=1"),
            (&PRINTED, "tensor_parallel_size=8", "rank_0: 8"),
            (&SETTING, "tensor_parallel_size=8", "x=3"),
        ];
        for (pattern, yes, no) in rows {
            assert!(pattern.is_match(yes), "{pattern} is for {yes}");
            assert!(!pattern.is_match(no), "{pattern} is not for {no}");
        }
    }
}
