//! Figures of reports, looked up in everything that tools printed or were given and users wrote.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    base::{
        span::{ByteSpan, floor},
        unit::lookup,
    },
    infer::audit::{
        contents,
        ledger::{AS_PRINTED, SHARES, UNITS, Wanted, value},
    },
    model::{
        audit::{ClaimKind, Ruling},
        message::{MessageKind, PartKind},
    },
    text::pattern::Regex,
};

/// A bound that no printed value keeps.
pub static BEYOND: Rule = Rule {
    name: "beyond-all-values",
    kind: ClaimKind::Number,
    about: "A named figure is said to lie over a number; every value printed under that name lies below it.",
    example: "\"peak_fraction just over 0.61\" where 0.6099 is the highest that was printed: contradicted",
    limits: "Only names that stand in outputs as `name: value` or `name=value`.",
    against: "every printed value lies below it",
    missing: "",
    judge: beyond,
};

/// Figures that outputs show or do not show.
pub static SHOWN: Rule = Rule {
    name: "figure-in-outputs",
    kind: ClaimKind::Number,
    about: "A report states figures; each is looked up in all outputs, inputs and user texts before it, rounded, as a share, in the next unit.",
    example: "\"Shape 1 hits 941 GB/s\" where no output shows 941: not shown",
    limits: "A figure that is computed from others is passed over where two of the same text give it; a number that stands elsewhere by chance counts.",
    against: "",
    missing: "in no output shown",
    judge: shown,
};

/// `peak_fraction just over 0.61`
static OVER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)`?\b([a-z]\w*(?:_\w+)+|accuracy|speedup|score)\b`?(?: is| of| at)? (?:just |slightly |well )?(?:over|above|more than) `?(\d+\.\d+)").expect("valid")
});

fn beyond(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = OVER.captures(said.text)?;
    if !said.reports && is_intent(said.text) {
        return None;
    }
    let (name, bound) = (found.get(1)?.as_str(), value(found.get(2)?.as_str())?);
    let printed = Regex::new(&format!(
        r#"\b{}\b["'`]?\s*[:=]\s*["'`]?(\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"#,
        regex::escape(name)
    ))
    .ok()?;
    let mut best = None;
    for (at, message) in session_before(log, said) {
        let named = |part: &usize| message.parts[*part].text.contains(name);
        let Some(part) = message.part_at(PartKind::Output).filter(named) else { continue };
        for hit in printed.captures_iter(&message.parts[part].text) {
            let figure = hit.get(1)?;
            let reading = value(figure.as_str())?;
            if best.as_ref().is_none_or(|(most, _)| reading > *most) {
                best = Some((reading, (at, part, ByteSpan::new(figure.start(), figure.end()))));
            }
        }
    }
    let (most, (at, part, span)) = best?;
    (most < bound).then(|| {
        let place = log.session.cite(at, part, span).unwrap_or_else(|| log.session.whole(at));
        Judgement::new(Ruling::Contradicted, format!("the highest {name} that was printed is {most}"), vec![place])
    })
}

fn session_before<'l>(
    log: &Ledger<'l>,
    said: &Statement,
) -> impl Iterator<Item = (crate::base::ids::MessageIdx, &'l crate::model::message::Message)> {
    let end = said.message;
    log.session.iter().take_while(move |(at, _)| *at < end).filter(|(_, m)| m.kind == MessageKind::Tool)
}

/// A figure worth looking up: a decimal, a number of three digits or more, a share.
static FIGURE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d{3,}|\d+ ?%").expect("valid"));

/// Words by which a figure is computed, rounded or foreseen rather than read off.
static COMPUTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:geomean|average|mean|total|sum|roughly|around|about|approx\w*|estimat\w*|faster|slower|improv\w*|speed-?ups?|reduc\w*|increase\w*|decrease\w*|more|less|fewer|better|worse|gain|of peak|theoretical|up to|between|×|x)\b|[~≈→±+–-] ?\d|\d ?[x×]").expect("valid")
});

/// Whether a figure is how many lines a file holds that is known whole.
fn counts_lines(log: &Ledger, said: &Statement, figure: &Range<usize>) -> bool {
    let wanted = value(&said.text[figure.clone()]);
    let lines = said.text[figure.end..].trim_start().starts_with("line");
    let long = |path: &str| contents::of(log, path, said.message).map(|content| content.text.lines().count() as f64);
    let paths: BTreeSet<&str> =
        log.facts.files.iter().filter(|f| lines && f.message < said.message).map(|f| f.path.as_str()).collect();
    lines && paths.into_iter().any(|path| long(path) == wanted)
}

/// First cells of rows that are computed from the others.
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\|\W*(?:(?:grand|sub) ?)?(?:total|sum|average|mean|geomean|median|overall)\b").expect("valid")
});

fn shown(log: &Ledger, said: &Statement) -> Option<Judgement> {
    if !said.reports || is_intent(said.text) || is_code(said.text) {
        return None;
    }
    let row = said.text.starts_with('|');
    let mut figures = figures(said.text);
    // A round hundred is a way of speaking.
    figures.retain(|figure| !matches!(&said.text[figure.clone()], "100" | "100%" | "100 %"));
    if figures.is_empty() || !row && COMPUTED.is_match(said.text) {
        return None;
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for figure in figures {
        let wanted = wanted(said.text, figure.clone(), row)?;
        match log.shows(&wanted, said.message) {
            Some(place) => found.push(place),
            // A row holds what was read off, unless it adds up; sentences compute.
            None if row && SUM.is_match(said.text) => {}
            None if counts_lines(log, said, &figure) => {}
            None if !row && follows(said.around, wanted.value, wanted.digits) => {}
            None if wanted.digits > 1 && log.adds_up(&wanted, said.message) => {}
            None => missing.push(figure),
        }
    }
    if missing.is_empty() {
        return (!found.is_empty()).then(|| Judgement::new(Ruling::Supported, "outputs show its figures", found));
    }
    let named: Vec<&str> = missing.iter().map(|figure| &said.text[figure.clone()]).collect();
    let why = format!("no output shows {}", named.join(", "));
    Some(Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, missing))
}

/// Lines of scripts and trailers of commits, which stand in tool inputs beside reports.
fn is_code(text: &str) -> bool {
    let code =
        text.contains("print(") || text.contains("echo ") || text.contains(" = ") || text.ends_with(['{', ';', ')']);
    code || text.starts_with("Co-Authored-By") || text.starts_with("Signed-off-by")
}

/// How a figure of a text is looked up: a setting (`L=1024`) wherever it may stand; what reads as measured only in what
/// was printed; in other units only where one stands behind it.
fn wanted(text: &str, at: Range<usize>, row: bool) -> Option<Wanted> {
    let (token, before, after) = (&text[at.clone()], &text[..at.start], text[at.end..].trim_start());
    let digits = token.trim_end_matches(|c: char| !c.is_ascii_digit()).rsplit_once('.').map_or(0, |(_, d)| d.len());
    let share = token.ends_with('%') || after.starts_with('%');
    let scales = match () {
        () if share => SHARES,
        // A whole number in another unit would be a rounding too coarse to tell it from chance.
        () if digits > 0 && after.starts_with(|c: char| c.is_alphabetic()) => UNITS,
        () => AS_PRINTED,
    };
    let rated = is_rated(after);
    let setting = before.trim_end().ends_with('=') && row;
    Some(Wanted { value: value(token)?, digits, scales, measured: !setting && (share || digits > 0 || row || rated) })
}

/// Whether a unit of measurement stands behind a figure.
fn is_rated(after: &str) -> bool {
    let unit = after.split_whitespace().next().and_then(|word| lookup(word.trim_end_matches(['.', ',', ';', ')'])));
    unit.is_some_and(|unit| !unit.is_count())
}

/// The figures of a statement that stand alone: no part of a name, a version, a date, a place in a file.
fn figures(text: &str) -> Vec<Range<usize>> {
    let glue = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '.' | '#' | '@' | ':' | '$' | 'v');
    let alone = |start: usize, end: usize| {
        let before = text[..start].chars().next_back();
        let mut after = text[end..].chars();
        let (next, second) = (after.next(), after.next());
        let ends = matches!(next, Some('.' | ':' | ',')) && second.is_none_or(char::is_whitespace);
        !before.is_some_and(glue) && (ends || !next.is_some_and(glue))
    };
    // Examples in quotation marks, and numbers of sections, are no figures.
    let (mut counted, mut marks) = (0, 0);
    let mut quoted = |start: usize| {
        marks += text[counted..start].matches('"').count();
        counted = start;
        marks % 2 == 1
    };
    let section = |end: usize, start: usize| {
        let before = text[..start].split_whitespace().next_back().unwrap_or_default().to_lowercase();
        let named =
            ["section", "chapter", "step", "task", "version", "&", "§"].iter().any(|word| before.ends_with(word));
        named || start == 0 && text[end..].starts_with(' ') && text[..end].contains('.')
    };
    // Rounded by hand, or types and sizes in code.
    let rough = |start: usize, end: usize| {
        let before = text[..start].trim_end();
        before.ends_with(['~', '≈', '<', '>', '≥', '≤'])
            || before.ends_with(" not")
            || before.ends_with("(not")
            || text[end..].starts_with('+')
    };
    FIGURE
        .find_iter(text)
        .filter(|f| !quoted(f.start()))
        .filter(|f| alone(f.start(), f.end()) && !is_year(f.as_str()))
        .filter(|f| !section(f.end(), f.start()) && !rough(f.start(), f.end()))
        .filter(|f| !is_model(&text[..f.start()]))
        .map(|f| f.range())
        .collect()
}

/// Whether a number belongs to the name before it: `RTX 4090`, `Gradle 8.5`; not the first word of a sentence, `Takes 4.5`.
fn is_model(before: &str) -> bool {
    let Some((rest, word)) = before.trim_end().rsplit_once(' ') else { return false };
    let mut letters = word.chars();
    let capital = letters.next().is_some_and(char::is_uppercase) && letters.clone().all(char::is_alphanumeric);
    let inside = rest.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '+' | ','));
    capital && before.ends_with(' ') && (letters.all(char::is_uppercase) || inside)
}

fn is_year(token: &str) -> bool {
    token.len() == 4 && (token.starts_with("19") || token.starts_with("20"))
}

/// How much of a text is searched for figures that give another.
const AROUND: usize = 8_000;

/// Whether two figures of the same text give a third: a sum, a difference, a ratio, a change in per cent.
fn follows(text: &str, wanted: f64, digits: usize) -> bool {
    let text = &text[..floor(text, AROUND.min(text.len()))];
    let half = 0.5 * 10f64.powi(-(digits as i32)) + 1e-9;
    let all: Vec<f64> = figures(text).into_iter().filter_map(|at| value(&text[at])).take(60).collect();
    let near = |v: f64| (v - wanted).abs() <= half;
    all.iter().any(|a| {
        all.iter().any(|b| {
            a != b
                && *b != 0.0
                && (near(a + b) || near(a - b) || near(a / b) || near((a - b) / b * 100.0) || near(a / b * 100.0))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_alone() {
        let text = "hits 941 GB/s, v1.2.3, x_128, line 12:345, 2026, 0.5 and 1,024.";
        let found: Vec<&str> = figures(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["941", "0.5", "1,024"]);
        assert!(figures("on an RTX 4090 (not 144), Gradle ≥ 8.5, 1100+ lines, AGP + Gradle 9.5").is_empty());
        assert_eq!(figures("| Rust | 296 | Takes 4.5 s").len(), 2);
        assert!(follows("from 100 to 250", 150.0, 0) && follows("from 100 to 250", 2.5, 1) && !follows("100", 50.0, 0));
    }
}
