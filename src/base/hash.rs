//! The door to the hash function: identities of inputs and of quoted texts. Not for secrets.

/// Hash of a text (BLAKE3), the first 8 hex digits: enough to see that a quotation has changed.
pub fn brief(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..8].to_string()
}

/// Hash of a text, the first 16 hex digits: its identity.
pub fn identity(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
}

/// Hash of bytes that come in blocks.
#[derive(Debug, Default)]
pub struct Identity(blake3::Hasher);

impl Identity {
    /// Takes the next block.
    pub fn update(&mut self, block: &[u8]) {
        self.0.update(block);
    }

    /// The first 16 hex digits.
    pub fn finish(self) -> String {
        self.0.finalize().to_hex()[..16].to_string()
    }
}
