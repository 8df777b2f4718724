//! How a call ended and what it printed, out of the several forms of an output.

use super::record::Content;
use crate::{
    model::message::{Exit, Outcome},
    source::{
        exit_words,
        lenient::{Any, Number, Text, lenient},
    },
};

lenient! {
    /// An output as JSON (2025): what was printed, and the status.
    struct Wrapped<'a> {
        output: Text<'a> = "output",
        metadata: Any<Metadata<'a>> = "metadata",
    }
}

lenient! {
    /// Beside a wrapped output.
    struct Metadata<'a> {
        exit_code: Number = "exit_code",
    }
}

/// What a call printed and how it ended.
pub struct Ending {
    /// The text.
    pub text: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Exit status.
    pub exit: Exit,
}

/// Reads an output.
pub fn ending(output: &Content) -> Ending {
    let text = output.text();
    if text.starts_with("{\"output\":")
        && let Ok(Wrapped { output: Text::Is(inner), metadata, .. }) = serde_json::from_str(&text)
        && let Some(code) = status(metadata.0.exit_code)
    {
        let (outcome, exit) = of_code(code);
        return Ending { text: inner.into_owned(), outcome, exit };
    }
    let (mut outcome, exit) = exit_words::ending(unnamed(&text));
    let failed = output.blocks.first().and_then(|piece| piece.success.get()) == Some(false);
    if failed && outcome == Outcome::NotRecorded {
        outcome = Outcome::Failed;
    }
    Ending { text, outcome, exit }
}

/// Whether an output says of itself that it was cut.
pub fn is_cut(text: &str) -> bool {
    const HEAD: usize = 8;
    let mark = |line: &str| line.starts_with("Warning: truncated output (original token count:");
    text.lines().take(HEAD).any(mark) || text.contains(" tokens truncated…")
}

/// An exit status as a whole number.
pub fn status(number: Number) -> Option<i32> {
    number.whole().and_then(|code| i32::try_from(code).ok())
}

/// How a command with this status ended.
pub fn of_code(code: i32) -> (Outcome, Exit) {
    (if code == 0 { Outcome::Ok } else { Outcome::Failed }, Exit::Code(code))
}

/// The head without the command line that some versions begin it with; that one may have many lines.
fn unnamed(text: &str) -> &str {
    match text.starts_with("Command: ").then(|| text.find("\nChunk ID: ")).flatten() {
        Some(at) => &text[at + 1..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> (String, Outcome, Exit) {
        let content: Content = serde_json::from_str(json).expect("JSON");
        let ending = ending(&content);
        (ending.text, ending.outcome, ending.exit)
    }

    #[test]
    fn forms_of_outputs() {
        let wrapped = r#""{\"output\":\"no\\n\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}""#;
        assert_eq!(read(wrapped), ("no\n".to_string(), Outcome::Failed, Exit::Code(1)));
        let named =
            r#""Command: sh -c 'a\nb\nc\nd\ne\nf\ng\nh\ni'\nChunk ID: 1\nProcess exited with code 0\nOutput:\n""#;
        assert_eq!(read(named).2, Exit::Code(0));
        let pieces = r#"[{"type":"input_text","text":"Script completed\n"},{"type":"input_text","text":"x"}]"#;
        assert_eq!(read(pieces), ("Script completed\nx".to_string(), Outcome::NotRecorded, Exit::NotRecorded));
        assert_eq!(read(r#"{"content":"no","success":false}"#).1, Outcome::Failed);
    }
}
