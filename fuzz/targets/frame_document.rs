//! Any bytes as one JSON document: items that are called whole are JSON, places lie in order within the input, a cut
//! loses nothing before it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::source::document::Source;

fuzz_target!(|bytes: &[u8]| {
    let source = Source::of(bytes);
    let document = source.cut(&["messages", "steps"]);
    for name in ["", "messages", "steps"] {
        let mut end = 0;
        for item in document.list(name) {
            assert!(!item.whole || serde_json::from_str::<serde::de::IgnoredAny>(item.raw).is_ok(), "{:?}", item.raw);
            assert!(item.place.bytes.start >= end && item.place.bytes.end <= bytes.len());
            end = item.place.bytes.end;
        }
    }
    let (mut diagnostics, mut unassigned) = Default::default();
    source.report(&document, &mut diagnostics, &mut unassigned);
});
