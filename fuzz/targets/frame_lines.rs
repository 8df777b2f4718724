//! Any bytes as JSON Lines: the records lie in order, do not overlap, and hold what the sink was given or lost.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::{
    base::{diag::Diagnostics, locate::Locator},
    source::{
        frame::{Records, json_lines},
        open::Input,
        packed::Codec,
    },
};

#[derive(Default)]
struct Sink {
    places: Vec<Locator>,
}

impl Records for Sink {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        serde_json::from_str::<serde::de::IgnoredAny>(text)?;
        self.places.push(place);
        Ok(())
    }

    fn lost(&mut self, place: Locator) {
        self.places.push(place);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let (mut diagnostics, mut sink) = (Diagnostics::default(), Sink::default());
    // What begins like a compressed file is expanded, or an error when it is none; places are then not those of `bytes`.
    if Codec::of(bytes).is_some() {
        return;
    }
    json_lines(&Input::from_bytes("fuzz", bytes.to_vec()), &mut diagnostics, &mut sink).expect("memory reads");
    let mut end = 0;
    for place in &sink.places {
        assert!(place.bytes.start >= end || place.bytes.is_empty(), "{:?}", sink.places);
        end = place.bytes.end.max(end);
    }
    assert!(end <= bytes.len());
});
