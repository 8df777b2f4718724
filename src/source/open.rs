//! Inputs: a file, a member of an archive, or bytes from standard input or a caller; compressed or not. The only place
//! that opens files for reading.
#![expect(clippy::disallowed_methods, reason = "this is the door through which files are read")]

use std::{
    fs::File,
    io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom},
    path::{Component, Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::{
    archive::{self, Archive},
    database::{self, Database},
    packed::Codec,
};
use crate::base::{error::Error, hash::Identity};

/// How much of the beginning and of the end of an input a format sees when it is asked whether it knows it.
pub const SAMPLE: usize = 64 * 1024;

/// Something to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// As given; used in messages and as the session's name where the log has none. A member of an archive is named
    /// `archive.zip!/folder/member.jsonl`.
    pub name: String,
    data: Data,
    /// How deep in archives it lies.
    depth: usize,
    /// How it is compressed; asked of its first bytes once.
    codec: OnceLock<Option<Codec>>,
    database: Arc<OnceLock<Result<Arc<Database>, String>>>,
}

#[derive(Clone, Debug)]
enum Data {
    File(PathBuf),
    Bytes(Arc<[u8]>),
    Member(Arc<Archive>, usize),
}

/// Beginning and end of an input.
#[derive(Clone, Debug)]
pub struct Sample {
    /// First [`SAMPLE`] bytes, byte order mark and leading NULs included.
    pub head: Vec<u8>,
    /// Last [`SAMPLE`] bytes, not overlapping `head`; empty when the head is all, and of compressed inputs.
    pub tail: Vec<u8>,
    /// Whether `head` is the whole input.
    pub whole: bool,
    /// File name, for the explanation only: no format decides by it.
    pub name: String,
    /// Tables with their columns, when it is a database.
    pub tables: Vec<(String, Vec<String>)>,
    /// Names of the members, when it is a `.zip`.
    pub members: Vec<String>,
    /// What it is a sample of, for a format that must know which file lies beside it; `None` of bytes at hand.
    pub input: Option<Input>,
}

impl Sample {
    /// Of bytes at hand.
    pub fn of_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        let cut = bytes.len().min(SAMPLE);
        let tail = bytes.len().saturating_sub(SAMPLE).max(cut);
        let (head, tail, whole) = (bytes[..cut].to_vec(), bytes[tail..].to_vec(), cut == bytes.len());
        Self { head, tail, whole, name: name.into(), tables: Vec::new(), members: Vec::new(), input: None }
    }
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
        Ok(Self::new(name, Data::File(path.to_path_buf()), 0))
    }

    /// Bytes at hand.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::new(name.into(), Data::Bytes(bytes.into()), 0)
    }

    fn new(name: String, data: Data, depth: usize) -> Self {
        Self { name, data, depth, codec: OnceLock::new(), database: Arc::default() }
    }

    /// The path, when it is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.data {
            Data::File(path) => Some(path),
            _ => None,
        }
    }

    /// File name without folders.
    pub fn file_name(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }

    /// Name of the folder that it lies in, "" where it lies in none.
    pub fn folder_name(&self) -> &str {
        self.name.rsplit(['/', '\\']).nth(1).unwrap_or("")
    }

    /// File name without folders and ending.
    pub fn stem(&self) -> &str {
        let base = self.file_name();
        base.split_once('.').map_or(base, |(stem, _)| stem)
    }

    /// The file at a path relative to the folder of this one (`../todo/a.json`), from the same folder tree or the same
    /// archive. `None` when there is none, or it is a link, empty, or no regular file.
    pub fn beside(&self, relative: &str) -> Option<Self> {
        match &self.data {
            Data::File(path) => {
                let path = path.parent()?.join(relative);
                let meta = std::fs::symlink_metadata(&path).ok()?;
                (meta.is_file() && meta.len() > 0).then(|| Self::file(&path).ok())?
            }
            Data::Member(archive, member) => {
                let name = joined(parent(&archive.names()[*member]), relative)?;
                let at = archive.find(&name)?;
                Some(self.sibling(archive, at))
            }
            Data::Bytes(_) => None,
        }
    }

    /// The regular files in a folder at a path relative to the folder of this one (`.`, `../message/ses_1`), sorted by
    /// name; links are not followed, deeper folders not entered.
    pub fn folder(&self, relative: &str) -> Vec<Self> {
        match &self.data {
            Data::File(path) => {
                let Some(folder) = path.parent().map(|p| p.join(relative)) else { return Vec::new() };
                if std::fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_symlink()) {
                    return Vec::new();
                }
                let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
                let mut paths: Vec<PathBuf> =
                    entries.filter(|e| e.file_type().is_ok_and(|t| t.is_file())).map(|e| e.path()).collect();
                paths.sort();
                paths.iter().filter_map(|path| Self::file(path).ok()).collect()
            }
            Data::Member(archive, member) => {
                let Some(folder) = joined(parent(&archive.names()[*member]), relative) else { return Vec::new() };
                let mut inside: Vec<usize> =
                    (0..archive.names().len()).filter(|i| parent(&archive.names()[*i]) == folder).collect();
                inside.sort_by_key(|i| &archive.names()[*i]);
                inside.into_iter().map(|at| self.sibling(archive, at)).collect()
            }
            Data::Bytes(_) => Vec::new(),
        }
    }

    /// Names of the folders at a path relative to the folder of this one, sorted; links are none.
    pub fn subfolders(&self, relative: &str) -> Vec<String> {
        match &self.data {
            Data::File(path) => {
                let Some(folder) = path.parent().map(|p| p.join(relative)) else { return Vec::new() };
                let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
                let folders = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
                let mut names: Vec<String> = folders.filter_map(|e| e.file_name().into_string().ok()).collect();
                names.sort();
                names
            }
            Data::Member(archive, member) => {
                let Some(folder) = joined(parent(&archive.names()[*member]), relative) else { return Vec::new() };
                let prefix = if folder.is_empty() { folder } else { folder + "/" };
                let below = archive.names().iter().filter_map(|name| name.strip_prefix(&prefix)?.split_once('/'));
                let names: std::collections::BTreeSet<&str> = below.map(|(first, _)| first).collect();
                names.into_iter().map(str::to_string).collect()
            }
            Data::Bytes(_) => Vec::new(),
        }
    }

    fn sibling(&self, archive: &Arc<Archive>, at: usize) -> Self {
        let prefix = self.name.rsplit_once("!/").map_or("", |(prefix, _)| prefix);
        Self::new(format!("{prefix}!/{}", archive.names()[at]), Data::Member(archive.clone(), at), self.depth)
    }

    /// The members of an archive as inputs, in their order in it; `None` when this is no archive. A compressed `.tar`
    /// is one; any other compressed file is not.
    ///
    /// # Errors
    /// When it is a damaged archive, or one too deep in others.
    pub fn members(&self) -> Result<Option<Vec<Self>>, Error> {
        let Some(archive) = self.archive()? else { return Ok(None) };
        let name = |at: usize| format!("{}!/{}", self.name, archive.names()[at]);
        let members = 0..archive.names().len();
        Ok(Some(members.map(|at| Self::new(name(at), Data::Member(archive.clone(), at), self.depth + 1)).collect()))
    }

    /// The archive that it is; `None` when it is none.
    ///
    /// # Errors
    /// As [`Input::members`].
    pub fn archive(&self) -> Result<Option<Arc<Archive>>, Error> {
        let fail = |e: std::io::Error| unreadable(&self.name, &e);
        let codec = self.codec()?;
        let head = if codec.is_some() { self.head(512)? } else { self.packed_head(512)? };
        let (zip, tar) = (archive::is_zip(&head), archive::is_tar(&head));
        if !zip && !tar {
            return Ok(None);
        }
        if self.depth >= archive::DEEPEST {
            return Err(Error::Unreadable { input: self.name.clone(), reason: "an archive too deep in others".into() });
        }
        let file = match (&self.data, codec) {
            (Data::File(path), None) => File::open(path).map_err(fail)?,
            // Its members are met in any order: expanded once, into a file without a name.
            _ => {
                let mut file = tempfile::tempfile().map_err(fail)?;
                std::io::copy(&mut self.reader()?, &mut file).map_err(fail)?;
                file.seek(SeekFrom::Start(0)).map_err(fail)?;
                file
            }
        };
        let archive = if zip { Archive::zip(file) } else { Archive::tar(file) };
        Ok(Some(Arc::new(archive.map_err(fail)?)))
    }

    /// The database that it is, opened on a copy that is made once.
    ///
    /// # Errors
    /// When it is none, or cannot be copied.
    pub fn database(&self) -> Result<Arc<Database>, Error> {
        let opened = self.database.get_or_init(|| {
            let database = match (&self.data, self.codec().ok().flatten()) {
                (Data::File(path), None) => Database::copy_of(path),
                _ => Database::of_bytes(&self.bytes().map_err(|e| e.to_string())?),
            };
            database.map(Arc::new).map_err(|e| e.to_string())
        });
        opened.clone().map_err(|reason| Error::Unreadable { input: self.name.clone(), reason })
    }

    /// The bytes as they lie there, compressed or not.
    fn packed(&self) -> Result<Box<dyn Read + Send + '_>, Error> {
        match &self.data {
            Data::File(path) => Ok(Box::new(File::open(path).map_err(|e| unreadable(&self.name, &e))?)),
            Data::Bytes(bytes) => Ok(Box::new(Cursor::new(&bytes[..]))),
            Data::Member(archive, at) => {
                let bytes = archive.read(*at).map_err(|e| unreadable(&self.name, &e))?;
                Ok(Box::new(Cursor::new(bytes)))
            }
        }
    }

    /// How it is compressed; `None` where it is not.
    fn codec(&self) -> Result<Option<Codec>, Error> {
        if let Some(known) = self.codec.get() {
            return Ok(*known);
        }
        let codec = Codec::of(&self.packed_head(8)?);
        Ok(*self.codec.get_or_init(|| codec))
    }

    fn packed_head(&self, most: u64) -> Result<Vec<u8>, Error> {
        let fail = |e: std::io::Error| unreadable(&self.name, &e);
        if let Data::Member(archive, at) = &self.data {
            return archive.begin(*at, most).map_err(fail);
        }
        let mut head = Vec::new();
        self.packed()?.take(most).read_to_end(&mut head).map_err(fail)?;
        Ok(head)
    }

    /// The first bytes, expanded.
    fn head(&self, most: u64) -> Result<Vec<u8>, Error> {
        let mut head = Vec::new();
        self.reader()?.take(most).read_to_end(&mut head).map_err(|e| unreadable(&self.name, &e))?;
        Ok(head)
    }

    /// A buffered stream over the input, expanded where it is compressed.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn reader(&self) -> Result<Box<dyn BufRead + Send + '_>, Error> {
        match self.codec()? {
            Some(codec) => codec.decode(self.packed()?).map_err(|e| unreadable(&self.name, &e)),
            None => Ok(Box::new(BufReader::with_capacity(256 * 1024, self.packed()?))),
        }
    }

    /// All bytes, expanded, for formats that are one document.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.reader()?.read_to_end(&mut bytes).map_err(|e| unreadable(&self.name, &e))?;
        Ok(bytes)
    }

    /// Beginning and end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn sample(&self) -> Result<Sample, Error> {
        let fail = |e: std::io::Error| unreadable(&self.name, &e);
        let empty = || Error::Unreadable { input: self.name.clone(), reason: "is empty".into() };
        let plain = self.codec()?.is_none();
        let mut sample = match (&self.data, plain) {
            (Data::File(path), true) => {
                let mut file = File::open(path).map_err(fail)?;
                let len = file.metadata().map_err(fail)?.len();
                let mut head = Vec::new();
                file.by_ref().take(SAMPLE as u64).read_to_end(&mut head).map_err(fail)?;
                let from = len.saturating_sub(SAMPLE as u64).max(head.len() as u64);
                let mut tail = Vec::new();
                file.seek(SeekFrom::Start(from)).map_err(fail)?;
                file.take(SAMPLE as u64).read_to_end(&mut tail).map_err(fail)?;
                let whole = tail.is_empty();
                Sample { head, tail, whole, ..Sample::of_bytes(self.name.as_str(), &[]) }
            }
            (Data::Bytes(bytes), true) => Sample::of_bytes(self.name.as_str(), bytes),
            _ => {
                let head = self.head(SAMPLE as u64 + 1)?;
                let whole = head.len() <= SAMPLE;
                let mut sample = Sample::of_bytes(self.name.as_str(), &head[..head.len().min(SAMPLE)]);
                sample.whole = whole;
                sample
            }
        };
        if sample.head.is_empty() {
            return Err(empty());
        }
        sample.input = Some(self.clone());
        if sample.head.starts_with(database::MAGIC) {
            sample.tables = self.database()?.tables().to_vec();
        }
        if archive::is_zip(&sample.head) {
            sample.members = self.archive()?.map(|a| a.names().to_vec()).unwrap_or_default();
        }
        Ok(sample)
    }

    /// Hash of all bytes as they lie there (BLAKE3, 16 hex digits): the identity that articles print.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn identity(&self) -> Result<String, Error> {
        let mut hash = Identity::default();
        let mut reader = BufReader::with_capacity(256 * 1024, self.packed()?);
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

/// The folder of a member's name.
fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder of an archive and a path relative to it; `None` when it would lead out of the archive.
fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in Path::new(relative).components() {
        match part {
            Component::ParentDir => _ = parts.pop()?,
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// An I/O failure as an error of the input.
pub fn unreadable(name: &str, cause: &std::io::Error) -> Error {
    let text = cause.to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text).to_string();
    Error::Unreadable { input: name.to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_an_archive_cannot_lead_out_of_it() {
        assert_eq!(joined("a/b", "../c.json").as_deref(), Some("a/c.json"));
        assert_eq!(joined("a", ".").as_deref(), Some("a"));
        assert_eq!(joined("a", "../../etc"), None);
        assert_eq!(joined("a", "/etc"), None);
    }
}
