//! Any article against a small log: the Markdown door keeps its spans inside the text, checking never panics, and what
//! is quoted from any text has no effect.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::{
    check::{log::Log, others},
    pipeline,
    source::open::Input,
    text::{
        markdown::{self, BlockKind},
        quote,
    },
};

const LOG: &str = "<msg id=7>\n[user] is p99 below 10 ms?\n\n<msg id=8>\n[assistant] [bash] {\"command\":\"./bench\"}\n\
                   p50 3.62 ms\np99 7.76 ms\n\n<msg id=9>\n[assistant] Yes: 7.76 ms.\n";

fuzz_target!(|text: &str| {
    for block in markdown::blocks(text) {
        assert!(block.span.of(text).is_some());
    }
    let reading = pipeline::read(&Input::from_bytes("log", LOG.into()), Default::default()).expect("a good log");
    let log = Log::new(&reading.sessions[0]);
    let report = others::check(text, &log);
    assert_eq!(format!("{report:?}"), format!("{:?}", others::check(text, &log)));
    let markdown = format!("said {} and {}.\n", quote::inline(text), quote::code(text));
    let parsed = markdown::blocks(&markdown);
    assert!(parsed.len() == 1 && parsed[0].kind == BlockKind::Paragraph, "{markdown:?}");
    let fenced = markdown::blocks(&(quote::fence(text, "") + "\nafter\n"));
    // A fence around nothing is no block.
    let (after, code) = fenced.split_last().expect("a paragraph follows");
    assert!(after.kind == BlockKind::Paragraph && after.text.text == "after", "{fenced:?}");
    assert!(code.len() <= 1 && code.iter().all(|b| b.kind == BlockKind::Code), "{fenced:?}");
});
