//! Aider's chat history (`.aider.chat.history.md`): runs one after the other, each under a header with the local time of
//! its start. Lines of the user begin with `####`, lines of Aider itself with `>`, and both end in two blanks, by which
//! they are told from the model's Markdown. What commands printed is not in it, nor how they ended.

use std::sync::LazyLock;

use regex::Regex;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator, span::ByteSpan, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        Parsed,
        document::Source,
        open::Input,
        sections::{Places, Responses},
        seen::Seen,
        sniff::Sniff,
    },
};

/// See the module.
pub struct Aider;

/// `# aider chat started at 2026-01-10 14:02:11`
static STARTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)[ \t]*\r?$").expect("valid")
});
/// `Tokens: 5.2k sent, 1k cache hit, 310 received.`: each count with its name.
static TOKENS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\d+(?:\.\d+)?)([kM]?) (sent|cache write|cache hit|received)\b").expect("valid"));
/// `Cost: $0.02 message`
static COST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"Cost: \$(\d+(?:\.\d+)?) message").expect("valid"));
/// `Model: acme/demo with diff edit format`
static MODEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:Main model|Model): (\S+) with \S+ edit format").expect("valid"));
/// A question of Aider's with its answer: `Add file to the chat? (Y)es/(N)o [Yes]: y`.
static ANSWERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[^\n]*\(Y\)es/\(N\)o[^\n]*\[\w+\]: [^\n]*$").expect("valid"));
/// `<thinking-content-7bbe…>`, the model's reasoning.
static THINKING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)<thinking-content-[0-9a-f]+>(.*?)(?:</thinking-content-[0-9a-f]+>\s*|$)").expect("valid")
});

impl Format for Aider {
    fn name(&self) -> &'static str {
        "aider-md"
    }

    fn about(&self) -> &'static str {
        "Aider's chat history, `.aider.chat.history.md`"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Aider",
            versions: "0.50 to 0.86",
            records: &[Recorded::Models, Recorded::Tokens, Recorded::Cost, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match STARTED.find_iter(seen.text()).count() {
            0 => Sniff::No("no line `# aider chat started at`".into()),
            n => Sniff::Yes(93, format!("{n} runs of Aider begin")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::plain(&bytes);
        let mut reader = Reader::new(self.name(), input.stem());
        let mut places = Places::of(&source);
        let blocks = blocks(source.text());
        for (i, block) in blocks.iter().enumerate() {
            let place = places.next(block.span);
            let usage = blocks[i + 1..].iter().take_while(|b| b.kind != Kind::User && b.kind != Kind::Run);
            let usage = usage.take(2).filter(|b| b.kind == Kind::Aider).find_map(|b| usage_of(&b.text));
            reader.block(block, usage.filter(|_| block.kind == Kind::Model), place);
        }
        let mut diagnostics = Diagnostics::default();
        source.report_repairs(&mut diagnostics);
        Ok(reader.finish(diagnostics))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Run,
    User,
    Aider,
    Model,
}

/// Lines of one kind that follow each other.
struct Block {
    kind: Kind,
    span: ByteSpan,
    /// Without the marks of its lines.
    text: String,
}

/// What a line is and what it says; a blank one is of the kind of the lines around it.
fn line_kind(line: &str) -> Option<(Kind, &str)> {
    let bare = line.trim_end_matches(['\n', '\r']);
    let marked = bare.ends_with("  ");
    if STARTED.is_match(bare) {
        return Some((Kind::Run, bare));
    }
    if let Some(said) = bare.strip_prefix("####").filter(|said| marked && (said.starts_with(' '))) {
        return Some((Kind::User, said[1..].trim_end()));
    }
    if let Some(told) = bare.strip_prefix('>').filter(|told| marked && told.starts_with(' ')) {
        return Some((Kind::Aider, told[1..].trim_end()));
    }
    (!bare.trim().is_empty()).then_some((Kind::Model, bare))
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut at, mut blanks) = (0, String::new());
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match line_kind(line) {
            None => blanks.push('\n'),
            Some((kind, said)) => {
                let goes_on = blocks.last().is_some_and(|b| b.kind == kind && kind != Kind::Run)
                    // Two prompts stand apart by a blank line; the lines of one do not.
                    && (kind == Kind::Model || blanks.is_empty());
                match blocks.last_mut().filter(|_| goes_on) {
                    Some(last) => {
                        last.text += if last.text.ends_with('\n') { "" } else { "\n" };
                        last.text += &blanks;
                        last.text += said;
                        last.span.end = end;
                    }
                    None => blocks.push(Block { kind, span: ByteSpan::new(at, end), text: said.to_string() }),
                }
                blanks.clear();
            }
        }
        at = end;
    }
    blocks
}

/// Tokens and cost as Aider rounds them.
fn usage_of(text: &str) -> Option<Usage> {
    let line = text.lines().find(|line| line.starts_with("Tokens: "))?;
    let mut usage = Usage::default();
    for found in TOKENS.captures_iter(line) {
        let unit = match &found[2] {
            "k" => 1e3,
            "M" => 1e6,
            _ => 1.0,
        };
        let count = found[1].parse::<f64>().ok().map(|n| (n * unit).round() as u64);
        match &found[3] {
            "sent" => usage.input = count,
            "received" => usage.output = count,
            "cache hit" => usage.cache_read = count,
            _ => usage.cache_write = count,
        }
    }
    usage.input = usage.input.map(|sent| sent.saturating_sub(usage.cache_read.unwrap_or(0)));
    usage.cost = COST.captures(line).and_then(|found| found[1].parse().ok());
    Some(usage)
}

struct Reader {
    format: &'static str,
    stem: String,
    done: Vec<SessionBuilder>,
    responses: Responses,
}

impl Reader {
    fn new(format: &'static str, stem: &str) -> Self {
        Self { format, stem: stem.to_string(), done: Vec::new(), responses: Responses::default() }
    }

    /// The run that is being read; what stands before the first header is a run that was cut.
    fn run(&mut self) -> &mut SessionBuilder {
        if self.done.is_empty() {
            self.begin(None);
        }
        self.done.last_mut().expect("one was begun")
    }

    fn begin(&mut self, started: Option<&str>) {
        let mut session = SessionBuilder::new(self.format);
        session.info.id = started.unwrap_or(&self.stem).to_string();
        self.done.push(session);
        self.responses.user();
    }

    fn block(&mut self, block: &Block, usage: Option<Usage>, place: Locator) {
        match block.kind {
            Kind::Run => {
                let found = STARTED.captures(&block.text).map(|f| (f[1].to_string(), f[2].to_string()));
                let (date, clock) = found.unwrap_or_default();
                self.begin(Some(&format!("{date} {clock}")));
                let time = Timestamp::parse_zoneless(&format!("{date}T{clock}"));
                self.run().notice(NoticeKind::Meta, place, time, block.text.as_str());
            }
            Kind::User => {
                self.responses.user();
                if ANSWERED.is_match(&block.text) {
                    self.run().notice(NoticeKind::Meta, place, None, block.text.as_str());
                } else if block.text.trim() != "<blank>" {
                    self.run().user(Origin { place, ..Default::default() }, block.text.as_str());
                }
            }
            Kind::Model => self.model(block, usage, place),
            Kind::Aider => self.aider(block, place),
        }
        self.run().accounting.used();
    }

    fn model(&mut self, block: &Block, usage: Option<Usage>, place: Locator) {
        let thoughts: Vec<&str> =
            THINKING.captures_iter(&block.text).filter_map(|f| f.get(1)).map(|m| m.as_str().trim()).collect();
        let reasoning = thoughts.join("\n\n");
        let text = THINKING.replace_all(&block.text, "");
        let turn = self.responses.text();
        let session = self.run();
        let model = session.info.models.last().cloned();
        if !text.trim().is_empty() || !reasoning.is_empty() {
            session.text(Origin { place, turn, reasoning, usage, model, ..Default::default() }, text.trim());
        }
    }

    fn aider(&mut self, block: &Block, place: Locator) {
        let mut told: Vec<&str> = Vec::new();
        for line in block.text.lines() {
            let turn = self.responses.call();
            let session = self.run();
            let origin = Origin { place, turn, ..Default::default() };
            if let Some(version) = line.strip_prefix("Aider v") {
                session.info.version = Some(version.trim().to_string());
            } else if let Some(found) = MODEL.captures(line) {
                session.model(&found[1]);
            }
            if let Some(path) = line.strip_prefix("Applied edit to ") {
                session.call(origin, "edit", ToolKind::Edit, field("path", path));
                session.result_of_last(ResultOf::new(line, place).ended((Outcome::Ok, Exit::NotRecorded)));
            } else if let Some(command) = line.strip_prefix("Running ") {
                session.call(origin, "run", ToolKind::Shell, field("command", command));
            } else {
                told.push(line);
            }
        }
        if !told.is_empty() {
            let kind = match told.iter().any(|line| line.starts_with("^C ")) {
                true => NoticeKind::Interruption,
                false => NoticeKind::Meta,
            };
            self.run().notice(kind, place, None, told.join("\n"));
        }
    }

    /// Runs in which nothing was said are told where every one is so; else they are left out.
    fn finish(self, diagnostics: Diagnostics) -> Parsed {
        let mut parsed = Parsed { diagnostics, ..Parsed::default() };
        for run in self.done {
            if run.is_empty() {
                parsed.unassigned.merge(&run.accounting);
            } else {
                parsed.sessions.push(run.finish());
            }
        }
        parsed.settled()
    }
}

fn field(name: &str, text: &str) -> Vec<Field> {
    vec![Field { name: Some(name.to_string()), text: text.trim().to_string(), cut: None }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_user_are_told_from_headings() {
        assert_eq!(line_kind("#### do it  \n"), Some((Kind::User, "do it")));
        assert_eq!(line_kind("#### A heading\n"), Some((Kind::Model, "#### A heading")));
        assert_eq!(line_kind("> quoted\n"), Some((Kind::Model, "> quoted")));
        assert_eq!(line_kind("> told  \n"), Some((Kind::Aider, "told")));
        assert_eq!(line_kind("  \n"), None);
    }

    #[test]
    fn tokens_as_rounded() {
        let usage = usage_of("x\nTokens: 5.2k sent, 1k cache hit, 310 received. Cost: $0.02 message, $0.15 session.");
        let usage = usage.expect("a line of tokens");
        assert_eq!((usage.input, usage.cache_read, usage.output), (Some(4200), Some(1000), Some(310)));
        assert_eq!(usage.cost, Some(0.02));
        assert!(usage_of("Tokens are cheap").is_none());
        assert!(!TOKENS.is_match("5 people"));
        assert!(!COST.is_match("Cost: 5"));
        assert!(ANSWERED.is_match("Add it? (Y)es/(N)o [Yes]: y"));
        assert!(!ANSWERED.is_match("Yes: (Y)es"));
        assert!(!MODEL.is_match("Model of a car"));
        assert!(!THINKING.is_match("<thinking>"));
        assert!(!STARTED.is_match("# aider chat started"));
    }
}
