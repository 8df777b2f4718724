//! The wrapper document `{"loglines": [record, …]}`, read record by record as far as it goes.

use serde_json::value::RawValue;

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
    },
    source::{
        frame::Records,
        json::{repair, text_of},
        open::Input,
        sample::Sample,
    },
};

/// How far into the document its one key stands.
const HEAD: usize = 256;

/// Whether a sample begins such a document.
pub fn is_document(sample: &Sample) -> bool {
    let (text, _) = text_of(&sample.head);
    list(&text).is_some()
}

/// Where the list of records begins, just behind its bracket.
fn list(text: &str) -> Option<usize> {
    let cut = (0..=HEAD.min(text.len())).rev().find(|at| text.is_char_boundary(*at))?;
    let head = &text[..cut];
    let key = head.find("\"loglines\"")?;
    let bracket = key + head[key..].find('[')? + 1;
    let between = &head[key + "\"loglines\"".len()..bracket - 1];
    (head.trim_start().starts_with('{') && between.trim() == ":").then_some(bracket)
}

/// Hands each record to `sink`.
///
/// # Errors
/// When the input cannot be read.
pub fn records(input: &Input, diagnostics: &mut Diagnostics, sink: &mut impl Records) -> Result<(), Error> {
    let bytes = input.bytes()?;
    let (text, mut repairs) = text_of(&bytes);
    let fixed = repair(&text, &mut repairs);
    let text = fixed.as_deref().unwrap_or(&text);
    for (code, what) in repairs.list() {
        diagnostics.add(code, Locator::default(), what);
    }
    let mut at = list(text).unwrap_or(text.len());
    let mut number = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\r', '\n', ',']).len();
        if text[at..].is_empty() || text[at..].starts_with(']') {
            return Ok(());
        }
        number += 1;
        let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter::<&RawValue>();
        let whole = stream.next().and_then(Result::ok);
        let end = if whole.is_some() { at + stream.byte_offset() } else { text.len() };
        let place = Locator { record: number, line: 0, bytes: ByteSpan::new(at, end) };
        if let Err(error) = sink.record(whole.map_or(&text[at..], RawValue::get), place) {
            let code = if error.is_eof() { DiagCode::RecordTorn } else { DiagCode::RecordDamaged };
            diagnostics.add(code, place, format!("record {number}: {error}"));
            sink.lost(place);
        }
        at = end;
    }
}
