//! What a message says: a text or a list of typed blocks, in the spellings of all interfaces.

use super::message::Arguments;
use crate::{
    model::{builder::Field, message::Cut},
    source::lenient::{self, Any, Flag, Length, Text, lenient},
};

lenient! {
    /// One block of any type.
    pub struct Block<'a> {
        kind: Text<'a> = "type",
        text: Any<Text<'a>> = "text",
        refusal: Any<Text<'a>> = "refusal",
        thinking: Any<Text<'a>> = "thinking",
        reasoning: Any<Text<'a>> = "reasoning",
        summary: Any<Content<'a>> = "summary",
        redacted: Any<Flag> = "redacted",
        id: Any<Text<'a>> = "id",
        name: Any<Text<'a>> = "name",
        input: Arguments<'a> = "input",
        arguments: Arguments<'a> = "arguments",
        result: Any<Content<'a>> = "result",
        tool_use_id: Any<Text<'a>> = "tool_use_id",
        is_error: Flag = "is_error",
        error: Any<Text<'a>> = "error",
        content: Content<'a> = "content",
        source: Any<Source<'a>> = "source",
        media_type: Any<Text<'a>> = "media_type",
        filename: Any<Text<'a>> = "filename",
    }
}

lenient! {
    /// Where an image or a document comes from. Its data are measured, not kept.
    pub struct Source<'a> {
        media_type: Text<'a> = "media_type",
        data: Length = "data",
    }
}

/// Content in any of the spellings.
pub type Content<'a> = lenient::Content<Block<'a>>;

/// A piece of a message that is kept.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// A text.
    Said(String),
    /// Recorded reasoning.
    Thought(String),
    /// A tool call.
    Call(Call),
    /// What a tool returned.
    Result(Answer),
    /// What stands for an image, a sound or a document.
    Placeholder(String),
    /// A block of a type that is not known.
    Unknown(String),
}

/// A tool call.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Call {
    /// The producer's id.
    pub id: Option<String>,
    /// Raw name of the tool.
    pub name: String,
    /// Its input.
    pub input: Vec<Field>,
}

/// What a tool returned.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answer {
    /// Id of the call.
    pub id: Option<String>,
    /// Name of the tool, where the result repeats it.
    pub name: Option<String>,
    /// What the model saw.
    pub text: String,
    /// The error flag, where there is one.
    pub is_error: Option<bool>,
    /// Set when a placeholder stands for a part of it.
    pub cut: Option<Cut>,
}

impl Content<'_> {
    /// The pieces of it that are kept, in order.
    pub fn pieces(self) -> Vec<Piece> {
        self.blocks.into_iter().flat_map(Block::pieces).collect()
    }

    /// All of it as one text, as the model saw it; and whether a placeholder stands for a part of it.
    pub fn flat(self) -> (String, bool) {
        self.joined(Block::flat)
    }
}

impl Block<'_> {
    fn pieces(mut self) -> Vec<Piece> {
        if let Some(text) = self.stray.take() {
            return vec![Piece::Said(text)];
        }
        let kind = self.kind.take().unwrap_or_default();
        match kind.as_str() {
            "text" | "input_text" | "output_text" | "summary_text" => one(self.text.0.take().map(Piece::Said)),
            "refusal" => one(self.refusal.0.take().map(Piece::Said)),
            "thinking" => one(self.thinking.0.take().or_else(|| self.text.0.take()).map(Piece::Thought)),
            "reasoning" => one(self.thought().map(Piece::Thought)),
            "redacted_thinking" => Vec::new(),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => self.call(),
            "" => one(self.text.0.take().map(Piece::Said)),
            _ if kind.ends_with("tool_result") => vec![Piece::Result(self.answer())],
            _ if is_medium(&kind) => vec![Piece::Placeholder(self.placeholder(&kind))],
            _ => match self.text.0.take() {
                Some(text) => vec![Piece::Said(text)],
                None => vec![Piece::Unknown(kind)],
            },
        }
    }

    /// A reasoning block; one that is encrypted may hold a summary.
    fn thought(&mut self) -> Option<String> {
        let own = self.reasoning.0.take().or_else(|| self.text.0.take()).filter(|_| !self.redacted.0.set());
        let summary = || std::mem::take(&mut self.summary.0).flat().0;
        Some(own.filter(|text| !text.is_empty()).unwrap_or_else(summary)).filter(|text| !text.is_empty())
    }

    /// A call; Inspect keeps the result of a provider's own tool in the same block.
    fn call(&mut self) -> Vec<Piece> {
        let input = match self.input {
            Arguments(None) => self.arguments.fields(),
            _ => self.input.fields(),
        };
        let id = self.id.0.owned();
        let call = Call { id: id.clone(), name: self.name.0.take().unwrap_or_default(), input };
        let (text, placeholder) = std::mem::take(&mut self.result.0).flat();
        let error = self.error.0.owned();
        let mut pieces = vec![Piece::Call(call)];
        if !text.is_empty() || error.is_some() {
            let cut = placeholder.then_some(Cut::Placeholder);
            let is_error = error.is_some().then_some(true);
            let text = if text.is_empty() { error.unwrap_or_default() } else { text };
            pieces.push(Piece::Result(Answer { id, name: None, text, is_error, cut }));
        }
        pieces
    }

    fn answer(self) -> Answer {
        let (text, placeholder) = self.content.flat();
        let cut = placeholder.then_some(Cut::Placeholder);
        Answer { id: self.tool_use_id.0.owned(), name: None, text, is_error: self.is_error.get(), cut }
    }

    /// Its text inside a result, and whether a placeholder stands for it.
    fn flat(mut self) -> (String, bool) {
        if let Some(text) = self.stray.take() {
            return (text, false);
        }
        let kind = self.kind.get().unwrap_or_default().to_string();
        if is_medium(&kind) {
            return (self.placeholder(&kind), true);
        }
        match self.text.0.take() {
            Some(text) => (text, false),
            None => self.content.flat(),
        }
    }

    fn placeholder(&self, kind: &str) -> String {
        let source = &self.source.0;
        let named = source.media_type.get().or(self.media_type.0.get()).or(self.filename.0.get());
        match (named, source.data) {
            (None, _) => format!("[{kind}]"),
            (Some(named), Length(0)) => format!("[{kind} {named}]"),
            // Base64 writes three bytes as four characters.
            (Some(named), Length(written)) => format!("[{kind} {named}, {} bytes]", written / 4 * 3),
        }
    }
}

fn one(piece: Option<Piece>) -> Vec<Piece> {
    piece.into_iter().collect()
}

/// Whether a block holds something that is no text.
fn is_medium(kind: &str) -> bool {
    ["image", "audio", "video", "document", "file", "data"].iter().any(|medium| {
        kind == *medium || kind.strip_prefix("input_") == Some(medium) || kind.strip_suffix("_url") == Some(medium)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(json: &str) -> Vec<Piece> {
        serde_json::from_str::<Content>(json).expect("JSON").pieces()
    }

    #[test]
    fn blocks_of_all_interfaces() {
        let said = |text: &str| Piece::Said(text.to_string());
        assert_eq!(pieces(r#"[{"type":"input_text","text":"a"},"b",{"text":"c"}]"#), [said("a"), said("b"), said("c")]);
        assert_eq!(
            pieces(r#"[{"type":"thinking","thinking":"hm"},{"type":"reasoning","reasoning":"","summary":"so"}]"#),
            [Piece::Thought("hm".into()), Piece::Thought("so".into())]
        );
        assert_eq!(
            pieces(r#"[{"type":"image","source":{"media_type":"image/png","data":"AAAA"}},{"type":"hologram"}]"#),
            [Piece::Placeholder("[image image/png, 3 bytes]".into()), Piece::Unknown("hologram".into())]
        );
    }

    #[test]
    fn a_result_is_one_text() {
        let json = r#"[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"a"},{"type":"image_url"}]}]"#;
        let Piece::Result(answer) = pieces(json).remove(0) else { panic!("a result") };
        assert_eq!((answer.text.as_str(), answer.is_error), ("a\n[image_url]", Some(true)));
    }
}
