//! Content blocks as they stand in JSON, and as the pieces that are kept of them.

use super::{
    turn::{Answer, Piece},
    usage::Spent,
};
use crate::{
    model::message::Cut,
    source::lenient::{self, Any, Flag, Length, Raw, Text, lenient},
};

lenient! {
    /// An Anthropic message.
    pub struct Message<'a> {
        /// Shared by all records of one response.
        id: Text<'a> = "id",
        /// `user` or `assistant`.
        role: Text<'a> = "role",
        /// Model that wrote it.
        model: Text<'a> = "model",
        /// What it says.
        content: Content<'a> = "content",
        /// What the response cost.
        usage: Any<Spent<'a>> = "usage",
    }
}

lenient! {
    /// One block of a message's content, of any type.
    pub struct Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        tool_use_id: Text<'a> = "tool_use_id",
        tool_name: Text<'a> = "tool_name",
        is_error: Flag = "is_error",
        content: Content<'a> = "content",
        source: Source<'a> = "source",
        title: Text<'a> = "title",
        url: Text<'a> = "url",
    }
}

lenient! {
    /// Where an image or a document comes from. Its data are measured, not kept.
    pub struct Source<'a> {
        media_type: Text<'a> = "media_type",
        data: Length = "data",
        url: Text<'a> = "url",
    }
}

/// What a message or a result says.
pub type Content<'a> = lenient::Content<Block<'a>>;

impl Content<'_> {
    /// The pieces of it that are kept, in order.
    pub fn pieces(self) -> Vec<Piece> {
        self.blocks.into_iter().filter_map(Block::piece).collect()
    }

    /// All of it as one text, as the model saw it; and whether a placeholder stands for a part of it.
    pub fn flat(self) -> (String, bool) {
        self.joined(Block::flat)
    }
}

impl Block<'_> {
    fn piece(mut self) -> Option<Piece> {
        if let Some(text) = self.stray.take() {
            return Some(Piece::Said(text));
        }
        match self.kind.get()? {
            "text" => self.text.take().map(Piece::Said),
            "thinking" => self.thinking.take().or_else(|| self.text.take()).map(Piece::Thought),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(Piece::Call {
                id: self.id.owned(),
                name: self.name.take().unwrap_or_default(),
                input: self.input.map_or("", |raw| raw.get()).to_string(),
            }),
            "image" | "document" => Some(Piece::Placeholder(self.placeholder())),
            kind if kind.ends_with("tool_result") => Some(Piece::Result(self.answer())),
            _ => None,
        }
    }

    fn answer(self) -> Answer {
        let (text, placeholder) = self.content.flat();
        let cut = placeholder.then_some(Cut::Placeholder);
        Answer { id: self.tool_use_id.owned(), text, is_error: self.is_error.get(), cut }
    }

    /// Its text inside a result, and whether a placeholder stands for it.
    fn flat(mut self) -> (String, bool) {
        if let Some(text) = self.stray.take() {
            return (text, false);
        }
        match self.kind.get() {
            Some("image" | "document") => (self.placeholder(), true),
            Some("tool_reference") => (format!("[tool {}]", self.tool_name.get().unwrap_or_default()), true),
            Some("web_search_result") => {
                let line = [self.title.get(), self.url.get()].into_iter().flatten().collect::<Vec<_>>().join(" ");
                (line, false)
            }
            _ => match self.text.take() {
                Some(text) => (text, false),
                None => self.content.flat(),
            },
        }
    }

    fn placeholder(&self) -> String {
        let kind = self.kind.get().unwrap_or("block");
        let media = self.source.media_type.get().or(self.source.url.get()).unwrap_or("of unknown type");
        match self.source.data {
            Length(0) => format!("[{kind} {media}]"),
            // Base64 writes three bytes as four characters.
            Length(written) => format!("[{kind} {media}, {} bytes]", written / 4 * 3),
        }
    }
}
