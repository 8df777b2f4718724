//! Any text: redaction never panics, and no value that was caught stands in what it leaves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::text::{
    quote,
    redact::{self, Redactor},
};

fuzz_target!(|text: &str| {
    let mut redactor = Redactor::default();
    let hits = redactor.number(redact::find(text));
    let once = redactor.rewrite(text, &hits);
    assert_eq!(once.is_some(), !hits.is_empty());
    assert_eq!(redactor.rewrite(once.as_deref().unwrap_or_default(), &[]), None);
    let shown = quote::terminal(text);
    assert!(shown.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
});
