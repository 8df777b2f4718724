//! Inputs: a file, or bytes from standard input or a caller. The only place that opens files for reading.
#![expect(clippy::disallowed_methods, reason = "this is the door through which files are read")]

use std::{
    fs::File,
    io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use crate::base::{error::Error, hash::Identity};

/// How much of the beginning and of the end of an input a format sees when it is asked whether it knows it.
pub const SAMPLE: usize = 64 * 1024;

/// Something to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// As given; used in messages and as the session's name where the log has none.
    pub name: String,
    data: Data,
}

#[derive(Clone, Debug)]
enum Data {
    File(PathBuf),
    Bytes(Vec<u8>),
}

/// Beginning and end of an input.
#[derive(Clone, Debug)]
pub struct Sample {
    /// First [`SAMPLE`] bytes, byte order mark and leading NULs included.
    pub head: Vec<u8>,
    /// Last [`SAMPLE`] bytes, not overlapping `head`; empty when the head is all.
    pub tail: Vec<u8>,
    /// Whether `head` is the whole input.
    pub whole: bool,
    /// File name, for the explanation only: no format decides by it.
    pub name: String,
}

impl Input {
    /// A file.
    ///
    /// # Errors
    /// When it does not exist, is no regular file, or is empty.
    pub fn file(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let meta = std::fs::metadata(path).map_err(|e| unreadable(&name, &e))?;
        if !meta.is_file() {
            return Err(Error::Unreadable { input: name, reason: "is no regular file".into() });
        }
        if meta.len() == 0 {
            return Err(Error::Unreadable { input: name, reason: "is empty".into() });
        }
        Ok(Self { name, data: Data::File(path.to_path_buf()) })
    }

    /// Bytes at hand.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), data: Data::Bytes(bytes) }
    }

    /// The path, when it is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.data {
            Data::File(path) => Some(path),
            Data::Bytes(_) => None,
        }
    }

    /// File name without folders and ending.
    pub fn stem(&self) -> &str {
        let base = self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name);
        base.split_once('.').map_or(base, |(stem, _)| stem)
    }

    /// A buffered stream over the input.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn reader(&self) -> Result<Box<dyn BufRead + '_>, Error> {
        match &self.data {
            Data::File(path) => {
                let file = File::open(path).map_err(|e| unreadable(&self.name, &e))?;
                Ok(Box::new(BufReader::with_capacity(256 * 1024, file)))
            }
            Data::Bytes(bytes) => Ok(Box::new(Cursor::new(bytes.as_slice()))),
        }
    }

    /// All bytes, for formats that are one document.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        match &self.data {
            Data::File(path) => std::fs::read(path).map_err(|e| unreadable(&self.name, &e)),
            Data::Bytes(bytes) => Ok(bytes.clone()),
        }
    }

    /// Beginning and end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn sample(&self) -> Result<Sample, Error> {
        let name = self.name.clone();
        match &self.data {
            Data::Bytes(bytes) => {
                if bytes.is_empty() {
                    return Err(Error::Unreadable { input: name, reason: "is empty".into() });
                }
                let cut = bytes.len().min(SAMPLE);
                let tail = bytes.len().saturating_sub(SAMPLE).max(cut);
                Ok(Sample {
                    head: bytes[..cut].to_vec(),
                    tail: bytes[tail..].to_vec(),
                    whole: cut == bytes.len(),
                    name,
                })
            }
            Data::File(path) => {
                let mut file = File::open(path).map_err(|e| unreadable(&name, &e))?;
                let len = file.metadata().map_err(|e| unreadable(&name, &e))?.len();
                let mut head = Vec::new();
                file.by_ref().take(SAMPLE as u64).read_to_end(&mut head).map_err(|e| unreadable(&name, &e))?;
                let from = len.saturating_sub(SAMPLE as u64).max(head.len() as u64);
                let mut tail = Vec::new();
                file.seek(SeekFrom::Start(from)).map_err(|e| unreadable(&name, &e))?;
                file.take(SAMPLE as u64).read_to_end(&mut tail).map_err(|e| unreadable(&name, &e))?;
                let whole = tail.is_empty();
                Ok(Sample { head, tail, whole, name })
            }
        }
    }

    /// Hash of all bytes (BLAKE3, 16 hex digits): the identity that articles print.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn identity(&self) -> Result<String, Error> {
        let mut hash = Identity::default();
        let mut reader = self.reader()?;
        loop {
            let block = reader.fill_buf().map_err(|e| unreadable(&self.name, &e))?;
            if block.is_empty() {
                break;
            }
            hash.update(block);
            let used = block.len();
            reader.consume(used);
        }
        Ok(hash.finish())
    }
}

/// An I/O failure as an error of the input.
pub fn unreadable(name: &str, cause: &std::io::Error) -> Error {
    let text = cause.to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text).to_string();
    Error::Unreadable { input: name.to_string(), reason }
}
