//! The laws of quoting, against pulldown-cmark itself: what was escaped reads back as the same text, with no effect.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use turnpoint::text::{quote, redact};

/// Texts full of what Markdown, HTML and template engines act on.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,6}",
        "[*_`~$|\\[\\]<>{}#!&\\\\]{1,4}",
        Just("[x](http://e.test)".to_string()),
        Just("&amp; &#65; <b> <!-- -->".to_string()),
        Just("@ada #12 o/r#3 https://e.test/a_b".to_string()),
        Just("{{#include /etc/passwd}} {% x %}".to_string()),
        Just("```\n".to_string()),
        Just("\n\n# head\n- item\n1. one\n    code\n> quote\n---\n| a | b |\n".to_string()),
        Just("é 漢字 🙂 ".to_string()),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn events(markdown: &str) -> Vec<Event<'_>> {
    let github = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    Parser::new_ext(markdown, github).collect()
}

/// All text of a document; panics on anything but one paragraph (or table) of text and code.
fn text_of(markdown: &str) -> String {
    let mut out = String::new();
    for event in events(markdown) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::Start(Tag::Paragraph | Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell) => {}
            Event::End(_) => {}
            other => panic!("{markdown:?} gives {other:?}"),
        }
    }
    out
}

/// What `inline` promises to keep: the text on one line.
fn one_line(text: &str) -> String {
    let lines = text.split('\n').map(|l| l.trim_matches([' ', '\t'])).filter(|l| !l.is_empty());
    lines.collect::<Vec<_>>().join(" ").replace('\t', " ").trim().to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn inline_reads_back(text in hostile()) {
        prop_assert_eq!(text_of(&quote::inline(&text)), one_line(&text));
    }

    #[test]
    fn inline_reads_back_between_other_words(text in hostile()) {
        let line = one_line(&text);
        let markdown = format!("said \"{}\" [msg 3] and {}.", quote::inline(&text), quote::inline(&text));
        prop_assert_eq!(text_of(&markdown), format!("said \"{line}\" [msg 3] and {line}."));
    }

    #[test]
    fn code_reads_back(text in hostile()) {
        prop_assert_eq!(text_of(&quote::code(&text)), one_line(&text));
    }

    #[test]
    fn cells_keep_their_bounds(text in hostile()) {
        let markdown = format!("| a | b |\n|---|---|\n| {} | {} |\n", quote::inline(&text), quote::code_cell(Default::default(), &text));
        prop_assert_eq!(text_of(&markdown), format!("ab{0}{0}", one_line(&text)));
    }

    #[test]
    fn fences_hold(text in hostile(), language in "\\PC{0,8}") {
        let markdown = quote::fence(&text, &language) + "after\n";
        let parsed = events(&markdown);
        let starts = parsed.iter().filter(|e| matches!(e, Event::Start(_))).count();
        prop_assert_eq!(starts, 2, "one code block and one paragraph: {:?}", parsed);
    }

    #[test]
    fn template_engines_find_nothing(text in hostile()) {
        let markdown = quote::inline(&text) + &quote::code(&text);
        for mark in ["{{", "{%", "{#"] {
            prop_assert!(!markdown.contains(mark), "{}", markdown);
        }
    }

    #[test]
    fn terminals_are_safe(text in "\\PC*[\\x00-\\x1f\\x7f-\\u{9f}]*\\PC*") {
        let shown = quote::terminal(&text);
        prop_assert!(shown.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
        prop_assert_eq!(quote::terminal(&shown), shown);
    }

    #[test]
    fn shortened_texts_begin_the_same(text in "\\PC{0,40}", most in 0usize..30) {
        let short = quote::shorten(&text, most);
        match short.strip_suffix(" …") {
            Some(kept) if short != text => {
                prop_assert!(text.starts_with(kept));
                prop_assert!(short.chars().count() <= most.max(2));
            }
            _ => prop_assert_eq!(&short, &text),
        }
    }

    #[test]
    fn redaction_is_total_and_leaves_no_caught_value(text in "(\\PC{0,12}(password=|token: |://u:|@h|ghp_|sk-|eyJ|-----BEGIN |\u{1b}\\[1m|[A-Za-z0-9]{12}|é){0,3}){0,6}") {
        let mut redactor = redact::Redactor::default();
        let hits = redactor.number(redact::find(&text));
        let once = redactor.rewrite(&text, &hits);
        prop_assert_eq!(once.is_some(), !hits.is_empty());
        prop_assert_eq!(redactor.rewrite(once.as_deref().unwrap_or_default(), &[]), None);
    }
}
