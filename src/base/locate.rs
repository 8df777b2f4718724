//! Where a record lies in its input.

use super::span::ByteSpan;

/// Place of one record: its ordinal, its line where the format has lines, its bytes in the (decompressed) input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Locator {
    /// Ordinal of the record in the input, from 1.
    pub record: u32,
    /// Line on which the record begins, from 1; 0 where the format has no lines of its own.
    pub line: u32,
    /// Bytes of the record in the input.
    pub bytes: ByteSpan,
}
