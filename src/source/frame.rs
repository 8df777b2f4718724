//! Framings: cutting bytes into records. What a record means is the format's affair.

use std::{
    io::{self, BufRead},
    ops::Range,
};

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
    },
    source::{
        json::{self, Repairs},
        lenient::Text,
        open::{Input, unreadable},
    },
};

/// Longest line that is read. A longer one is passed over and counted, without being held.
pub const LINE_CAP: usize = 256 * 1024 * 1024;

/// One line of the input.
#[derive(Clone, Copy, Debug)]
pub struct Line<'b> {
    /// Its bytes without the line ending; empty for one that exceeds the cap.
    pub bytes: &'b [u8],
    /// From 1.
    pub number: u32,
    /// Its bytes in the input, line ending included: the spans of all lines tile the input.
    pub span: ByteSpan,
    /// Whether a line ending follows; the last line of a log that is still being written has none.
    pub ended: bool,
    /// Whether it exceeds the cap.
    pub too_long: bool,
}

/// Lines of a stream, read into one buffer that is used again for each.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    offset: usize,
    number: u32,
    cap: usize,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `cap` bytes.
    pub fn new(reader: R, cap: usize) -> Self {
        Self { reader, buffer: Vec::new(), offset: 0, number: 0, cap }
    }

    /// The next line, `None` at the end.
    ///
    /// # Errors
    /// What the stream reports.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let extent = self.append_line(&mut buffer);
        self.buffer = buffer;
        Ok(extent?.map(|extent| extent.line(&self.buffer)))
    }

    /// Appends the next line to `buffer` and says where it stands there; `None` at the end.
    ///
    /// # Errors
    /// What the stream reports.
    pub fn append_line(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<Extent>> {
        let (start, before) = (self.offset, buffer.len());
        let (mut ended, mut too_long) = (false, false);
        while !ended {
            let block = match self.reader.fill_buf() {
                Ok(block) => block,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if block.is_empty() {
                break;
            }
            let newline = memchr::memchr(b'\n', block);
            let content = newline.unwrap_or(block.len());
            ended = newline.is_some();
            too_long |= buffer.len() - before + content > self.cap;
            match too_long {
                true => buffer.truncate(before),
                false => buffer.extend_from_slice(&block[..content]),
            }
            let used = content + usize::from(ended);
            self.offset += used;
            self.reader.consume(used);
        }
        if self.offset == start {
            return Ok(None);
        }
        if too_long {
            buffer.shrink_to(before);
        }
        self.number += 1;
        let bytes = before..buffer.len() - usize::from(buffer[before..].ends_with(b"\r"));
        Ok(Some(Extent { bytes, number: self.number, span: ByteSpan::new(start, self.offset), ended, too_long }))
    }
}

/// Where a line stands in the buffer that it was appended to; the rest as in [`Line`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    bytes: Range<usize>,
    number: u32,
    span: ByteSpan,
    ended: bool,
    too_long: bool,
}

impl Extent {
    /// The line in its buffer.
    pub fn line<'b>(&self, buffer: &'b [u8]) -> Line<'b> {
        let Self { number, span, ended, too_long, .. } = *self;
        Line { bytes: &buffer[self.bytes.clone()], number, span, ended, too_long }
    }
}

/// What receives the records of a file.
pub trait Records {
    /// Reads a record. An error means that `text` is no JSON; then nothing was taken and a repair is tried.
    ///
    /// # Errors
    /// The syntax error.
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error>;

    /// A record that stays unreadable; its diagnostic is already added.
    fn lost(&mut self, place: Locator);
}

/// Tells what is wrong with a record that was read: it is no object (`stray` is what stood there), or a field of it holds
/// another type (`fault`). Says whether it is an object.
pub fn checked(stray: &Text, fault: Option<&str>, place: Locator, diagnostics: &mut Diagnostics) -> bool {
    if *stray != Text::Absent {
        let told = match place.line {
            0 => format!("no JSON object in record {}", place.record),
            line => format!("line {line}: is no JSON object"),
        };
        diagnostics.add(DiagCode::RecordDamaged, place, told);
        return false;
    }
    wrong_type(fault, place, diagnostics);
    true
}

/// Tells which field of a record holds another type, if one does.
pub fn wrong_type(fault: Option<&str>, place: Locator, diagnostics: &mut Diagnostics) {
    let Some(field) = fault else { return };
    let told = match place.line {
        0 => format!("`{field}` in record {}", place.record),
        line => format!("`{field}` on line {line}"),
    };
    diagnostics.add(DiagCode::FieldWrongType, place, told);
}

/// Reads JSON Lines: hands each record to `sink`, repaired where it is damaged, and counts what had to be done.
///
/// # Errors
/// When the input cannot be read.
pub fn json_lines(input: &Input, diagnostics: &mut Diagnostics, sink: &mut impl Records) -> Result<(), Error> {
    let mut lines = Lines::new(input.reader()?, LINE_CAP);
    let mut reader = LineReader::new(diagnostics, sink);
    while let Some(line) = lines.next_line().map_err(|e| unreadable(&input.name, &e))? {
        let (text, repairs) = json::text_of(line.bytes);
        reader.line(line, &text, repairs, |sink, place| sink.record(&text, place));
    }
    Ok(())
}

/// Hands lines to a sink one by one, and tells what had to be done to read them.
pub struct LineReader<'a, S> {
    diagnostics: &'a mut Diagnostics,
    sink: &'a mut S,
    records: u32,
}

impl<'a, S: Records> LineReader<'a, S> {
    /// One that has seen no line yet.
    pub fn new(diagnostics: &'a mut Diagnostics, sink: &'a mut S) -> Self {
        Self { diagnostics, sink, records: 0 }
    }

    fn place(&mut self, line: u32, bytes: ByteSpan) -> Locator {
        self.records += 1;
        Locator { record: self.records, line, bytes }
    }

    /// The next line, of which [`json::text_of`] made `text` with these repairs; `take` hands that to the sink as
    /// [`Records::record`] does.
    pub fn line(
        &mut self,
        line: Line,
        text: &str,
        repairs: Repairs,
        take: impl FnOnce(&mut S, Locator) -> Result<(), serde_json::Error>,
    ) {
        if line.too_long {
            let place = self.place(line.number, line.span);
            let detail = format!("{} bytes, the cap is {LINE_CAP}", line.span.len());
            self.diagnostics.add(DiagCode::RecordTooLong, place, detail);
            return self.sink.lost(place);
        }
        if text.trim().is_empty() {
            let at = Locator { record: self.records, line: line.number, bytes: line.span };
            return self.repaired(repairs, at);
        }
        let place = self.place(line.number, line.span);
        match take(self.sink, place) {
            Ok(()) => self.repaired(repairs, place),
            Err(_) => self.salvage(text, repairs, line, place),
        }
    }

    fn repaired(&mut self, repairs: Repairs, place: Locator) {
        for (code, what) in repairs.list() {
            self.diagnostics.add(code, place, what);
        }
    }

    /// A line that is no JSON as it stands: repaired, cut where several records are glued, else lost.
    fn salvage(&mut self, text: &str, mut repairs: Repairs, line: Line, place: Locator) {
        let fixed = json::repair(text, &mut repairs);
        let text = fixed.as_deref().unwrap_or(text);
        if fixed.is_some() && self.sink.record(text, place).is_ok() {
            return self.repaired(repairs, place);
        }
        let pieces = json::pieces(text, !line.ended);
        // Where the text is the bytes of the line, each piece has its own; else the first stands for all.
        let exact = text.len() == line.bytes.len();
        let mut place = place;
        let mut good = 0;
        for (i, piece) in pieces.iter().enumerate() {
            let end = pieces.get(i + 1).map_or(line.span.len(), |next| next.start);
            let bytes = match (exact, i) {
                (true, 0) => ByteSpan::new(0, end).shift(line.span.start),
                (true, _) => ByteSpan::new(piece.start, end).shift(line.span.start),
                (false, 0) => line.span,
                (false, _) => ByteSpan::new(line.span.end, line.span.end),
            };
            place = if i == 0 { Locator { bytes, ..place } } else { self.place(line.number, bytes) };
            let last = i + 1 == pieces.len();
            match self.sink.record(&text[piece.clone()], place) {
                Ok(()) => good += 1,
                Err(error) => self.damaged(&error, place, last && !line.ended),
            }
        }
        if good > 0 {
            self.repaired(repairs, place);
        }
        if pieces.len() > 1 {
            let detail = format!("{} pieces on line {}, {good} of them whole", pieces.len(), line.number);
            self.diagnostics.add(DiagCode::RecordsGlued, place, detail);
        }
    }

    fn damaged(&mut self, error: &serde_json::Error, place: Locator, may_be_torn: bool) {
        let text = error.to_string();
        let code = match () {
            () if text.starts_with("recursion limit") => DiagCode::NestingTooDeep,
            () if may_be_torn && error.is_eof() => DiagCode::RecordTorn,
            () => DiagCode::RecordDamaged,
        };
        self.diagnostics.add(code, place, format!("line {}: {text}", place.line));
        self.sink.lost(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], cap: usize) -> Vec<(Vec<u8>, u32, ByteSpan, bool, bool)> {
        let mut lines = Lines::new(io::BufReader::with_capacity(3, bytes), cap);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            all.push((line.bytes.to_vec(), line.number, line.span, line.ended, line.too_long));
        }
        all
    }

    #[test]
    fn spans_tile_the_input() {
        for input in ["", "\n", "a", "a\n", "a\r\nbb\n\nccccccc", "\n\n\r\n"] {
            let spans: Vec<ByteSpan> = lines(input.as_bytes(), 4).iter().map(|l| l.2).collect();
            let mut at = 0;
            for span in &spans {
                assert_eq!(span.start, at, "{input:?}");
                at = span.end;
            }
            assert_eq!(at, input.len(), "{input:?}");
        }
    }

    #[test]
    fn a_line_above_the_cap_is_marked_and_not_held() {
        let all = lines(b"ab\n123456789\ncd", 4);
        assert_eq!(all[1], (Vec::new(), 2, ByteSpan::new(3, 13), true, true));
        assert_eq!(all[2], (b"cd".to_vec(), 3, ByteSpan::new(13, 15), false, false));
    }
}
