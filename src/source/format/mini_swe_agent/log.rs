//! Logs of a terminal in which mini-swe-agent ran (`script`, `tmux pipe-pane`, a redirected output): what it showed, escape
//! codes and all. What other programs wrote before and after it is counted and left out.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::console::{self, Part};
use crate::{
    base::{diag::Diagnostics, error::Error, span::ByteSpan},
    model::builder::SessionBuilder,
    source::{
        Parsed,
        chat::tell::count,
        document::Source,
        format::{Card, Format, Recorded},
        open::Input,
        sections::Places,
        seen::Seen,
        sniff::Sniff,
        terminal::Page,
    },
};

/// See the module.
pub struct MiniSweLog;

/// `mini-swe-agent (step 3, $0.02):` alone on its line, with the codes of its colours.
static STEP: LazyLock<Regex> = LazyLock::new(|| {
    let code = r"(?:\x1b\[[0-9;]{0,20}m)*";
    let line = [r"mini-swe-agent", r" \(step ", r"\d{1,9}", r", ", r"\$[\d.]{1,20}", r"\):", r"[ \r]*$"].join(code);
    Regex::new(&format!("(?m)^{code}{line}")).expect("valid")
});

impl Format for MiniSweLog {
    fn name(&self) -> &'static str {
        "mini-swe-log"
    }

    fn about(&self) -> &'static str {
        "logs of a terminal in which mini-swe-agent ran (`script`, `tmux pipe-pane`)"
    }

    fn card(&self) -> Card {
        use Recorded::{Cost, Exits, Failures, Models};
        Card { agent: "mini-swe-agent", versions: "1.0 to 2.4", records: &[Models, Cost, Exits, Failures] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let sample = seen.sample;
        match [&sample.head, &sample.tail].iter().map(|bytes| STEP.find_iter(bytes).count()).sum() {
            0 => Sniff::No("no line `mini-swe-agent (step N, $N):`".into()),
            1 => Sniff::Yes(60, "a step of mini-swe-agent as its console shows it".into()),
            n => Sniff::Yes(83, format!("{n} steps of mini-swe-agent as its console shows them")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::plain(&bytes);
        let page = Page::of(source.text(), &[]);
        let parts = console::parts(&page);
        let spans = spans(&page, &parts, source.text().len());
        let mut places = Places::of(&source);
        let mut parsed = Parsed::default();
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            let of_run = parts[at..].iter().take_while(|other| other.run == part.run).count();
            let run = &parts[at..at + of_run];
            let mut spans = spans[at..at + of_run].iter();
            let mut place = |_: &Part| (places.next(*spans.next().expect("one for each part")), None);
            at += of_run;
            if part.run.is_none() {
                run.iter().for_each(|part| _ = place(part));
                run.iter().for_each(|_| parsed.unassigned.skipped("terminal-output"));
                continue;
            }
            let mut session = SessionBuilder::new(self.name());
            session.info.id = console::id(input.stem(), part);
            let told = console::tell(&mut session, &page, run, None, place);
            count(&mut session, told);
            parsed.add(session.finish());
        }
        let mut diagnostics = Diagnostics::default();
        source.report_repairs(&mut diagnostics);
        match parsed.sessions.as_mut_slice() {
            [only] => only.diagnostics.extend(diagnostics),
            _ => parsed.diagnostics.extend(diagnostics),
        }
        Ok(parsed)
    }
}

/// The bytes of each part: together they are the whole text.
fn spans(page: &Page, parts: &[Part], end: usize) -> Vec<ByteSpan> {
    let mut from = 0;
    let mut begins: Vec<usize> = Vec::with_capacity(parts.len() + 1);
    for (i, part) in parts.iter().enumerate() {
        // A row may be printed later than one below it.
        from = if i == 0 { 0 } else { page.row(part.rows.start).start.max(from) };
        begins.push(from);
    }
    begins.push(end);
    begins.windows(2).map(|pair| ByteSpan::new(pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::{console::Kind, *};

    #[test]
    fn steps_are_seen_with_and_without_colours() {
        let coloured = "\x1b[1;31mmini-swe-agent\x1b[0m\x1b[31m (step \x1b[0m\x1b[1;31m2\x1b[0m\x1b[31m, \x1b[0m\x1b[1;31m$0.01\x1b[0m\x1b[31m):\x1b[0m\r\n";
        assert!(STEP.is_match(coloured.as_bytes()));
        assert!(STEP.is_match(b"x\nmini-swe-agent (step 2, $0.01):\n"));
        assert!(!STEP.is_match(b"> mini-swe-agent (step 2, $0.01):\n"));
    }

    #[test]
    fn parts_tile_the_text() {
        let text = "$ mini\nThis is mini-swe-agent version 1.9.0.\n\nUser:\nGo.\n\nmini-swe-agent (step 1, $0.00):\nI go.\nSaved trajectory to 'x'\nbye\n";
        let page = Page::of(text, &[]);
        let parts = console::parts(&page);
        let kinds: Vec<&Kind> = parts.iter().map(|part| &part.kind).collect();
        assert!(matches!(
            kinds[..],
            [Kind::Outside, Kind::Opening(_), Kind::Speaks(_), Kind::Step(1, _), Kind::Outside]
        ));
        let spans = spans(&page, &parts, text.len());
        assert_eq!(spans.iter().map(|span| span.of(text).unwrap_or_default()).collect::<String>(), text);
    }
}
