//! Inputs: a file, a member of an archive, or bytes from standard input or a caller; compressed or not. The only place
//! that opens files for reading.
#![expect(clippy::disallowed_methods, reason = "this is the door through which files are read")]

use std::{
    any::Any,
    fs::File,
    io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom},
    path::{Component, Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::{
    archive::{self, Archive},
    database::{self, Database},
    packed::Codec,
    sample::{self, SAMPLE, Sample},
    shelf::Shelf,
};
use crate::base::{error::Error, hash::Identity};

/// Most bytes of a member that are held in memory while it is read; a longer one lies in a nameless file meanwhile.
const SPOOLED: usize = 16 << 20;
/// Most bytes that a compressed document or a member may expand to where it is held in memory.
const HELD: u64 = archive::HELD;

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
    /// What is known of the folders about it.
    shelf: Arc<Shelf>,
}

#[derive(Clone, Debug)]
enum Data {
    File(PathBuf),
    Bytes(Arc<[u8]>),
    Member(Arc<Archive>, usize),
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
        Self { name, data, depth, codec: OnceLock::new(), database: Arc::default(), shelf: Arc::default() }
    }

    /// Shares what is found out of folders with other inputs.
    pub(super) fn on(self, shelf: &Arc<Shelf>) -> Self {
        Self { shelf: shelf.clone(), ..self }
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
    /// archive. `None` when there is none, a link leads there, or it is empty or no regular file.
    pub fn beside(&self, relative: &str) -> Option<Self> {
        match &self.data {
            Data::File(path) => Some(Self::file(&reached(path, relative)?).ok()?.on(&self.shelf)),
            Data::Member(archive, member) => {
                let name = joined(archive::parent(&archive.names()[*member]), relative)?;
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
                let Some(folder) = reached(path, relative) else { return Vec::new() };
                let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
                let mut paths: Vec<PathBuf> =
                    entries.filter(|e| e.file_type().is_ok_and(|t| t.is_file())).map(|e| e.path()).collect();
                paths.sort();
                paths.iter().filter_map(|path| Some(Self::file(path).ok()?.on(&self.shelf))).collect()
            }
            Data::Member(archive, member) => {
                let folder = joined(archive::parent(&archive.names()[*member]), relative);
                let inside = folder.iter().flat_map(|folder| archive.inside(folder));
                inside.map(|at| self.sibling(archive, *at)).collect()
            }
            Data::Bytes(_) => Vec::new(),
        }
    }

    /// What is known of the files in a folder at a relative path, worked out once for all inputs of a walk. It holds
    /// names, never inputs, which hold it.
    pub fn index<T: Any + Send + Sync>(&self, relative: &str, make: impl FnOnce(Vec<Self>) -> T) -> Arc<T> {
        let folder = self.path().unwrap_or(Path::new(&self.name)).parent().unwrap_or(Path::new(""));
        self.shelf.get(folder.join(relative), || make(self.folder(relative)))
    }

    /// Names of the folders at a path relative to the folder of this one, sorted; links are none.
    pub fn subfolders(&self, relative: &str) -> Vec<String> {
        match &self.data {
            Data::File(path) => {
                let Some(folder) = reached(path, relative) else { return Vec::new() };
                let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
                let folders = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
                let mut names: Vec<String> = folders.filter_map(|e| e.file_name().into_string().ok()).collect();
                names.sort();
                names
            }
            Data::Member(archive, member) => {
                let Some(folder) = joined(archive::parent(&archive.names()[*member]), relative) else {
                    return Vec::new();
                };
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
            .on(&self.shelf)
    }

    /// The members of the archive that it is as inputs, in their order in it.
    pub fn members(&self, archive: &Arc<Archive>) -> Vec<Self> {
        let member = |at: usize| {
            let name = format!("{}!/{}", self.name, archive.names()[at]);
            Self::new(name, Data::Member(archive.clone(), at), self.depth + 1).on(&self.shelf)
        };
        (0..archive.names().len()).map(member).collect()
    }

    /// The archive that it is; `None` when it is none. A compressed `.tar` is one; any other compressed file is not.
    ///
    /// # Errors
    /// When it is a damaged archive, or one too deep in others.
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
        let (file, broken) = match (&self.data, codec) {
            (Data::File(path), None) => (File::open(path).map_err(fail)?, None),
            // Its members are met in any order: expanded once, into a file without a name.
            _ => {
                let mut file = tempfile::tempfile().map_err(fail)?;
                let broken = std::io::copy(&mut self.reader()?, &mut file).err();
                file.seek(SeekFrom::Start(0)).map_err(fail)?;
                (file, broken)
            }
        };
        let archive = match (zip, broken) {
            (true, None) => Archive::zip(file),
            (false, None) => Archive::tar(file),
            // The directory of a `.zip` lies at its end; a `.tar` is read as far as it goes.
            (true, Some(error)) => Err(error),
            (false, Some(_)) => Archive::tar(file).map(Archive::torn),
        };
        Ok(Some(Arc::new(archive.map_err(fail)?)))
    }

    /// The database that it is, opened on a copy that is made once.
    ///
    /// # Errors
    /// When it is none, or cannot be copied.
    pub fn database(&self) -> Result<Arc<Database>, Error> {
        let opened = self.database.get_or_init(|| {
            let database = match (&self.data, self.codec().ok().flatten()) {
                (Data::File(path), None) => Database::copy_of(path).map_err(|e| unreadable(&self.name, &e)),
                _ => self.expanded_database(),
            };
            database.map(Arc::new).map_err(|e| e.to_string())
        });
        opened.clone().map_err(|reason| Error::Unreadable { input: self.name.clone(), reason })
    }

    /// Of a database that is compressed or a member of an archive, with what lies beside it there.
    fn expanded_database(&self) -> Result<Database, Error> {
        let beside = |suffix: &&'static str| Some((*suffix, self.beside(&format!("{}{suffix}", self.file_name()))?));
        let companions: Vec<(&str, Self)> = database::COMPANIONS.iter().filter_map(beside).collect();
        let mut streams = vec![("", self.reader()?)];
        for (suffix, input) in &companions {
            streams.push((suffix, input.reader()?));
        }
        Database::of_streams(streams).map_err(|e| unreadable(&self.name, &e))
    }

    /// The bytes as they lie there, compressed or not: of a file, as long as it is when it is opened.
    fn packed(&self) -> Result<Box<dyn Read + Send + '_>, Error> {
        let fail = |e: std::io::Error| unreadable(&self.name, &e);
        match &self.data {
            Data::File(path) => {
                let file = File::open(path).map_err(fail)?;
                let length = file.metadata().map_err(fail)?.len();
                Ok(Box::new(file.take(length)))
            }
            Data::Bytes(bytes) => Ok(Box::new(Cursor::new(&bytes[..]))),
            Data::Member(archive, at) => {
                let mut spool = tempfile::spooled_tempfile(SPOOLED);
                archive.copy(*at, u64::MAX, &mut spool).map_err(fail)?;
                spool.rewind().map_err(fail)?;
                Ok(Box::new(spool))
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
        let mut head = Vec::new();
        match &self.data {
            Data::Member(archive, at) => _ = archive.copy(*at, most, &mut head).map_err(fail)?,
            _ => _ = self.packed()?.take(most).read_to_end(&mut head).map_err(fail)?,
        }
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
    /// When it cannot be read, or a small input expands to more than is held.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let fail = |e: std::io::Error| unreadable(&self.name, &e);
        let plain = self.path().filter(|_| matches!(self.codec(), Ok(None)));
        let length = plain.and_then(|path| std::fs::metadata(path).ok()).map_or(0, |meta| meta.len());
        let mut bytes = Vec::new();
        // Room that is not there shows when it is needed.
        _ = bytes.try_reserve_exact(length as usize);
        let most = HELD.max(length);
        self.reader()?.take(most + 1).read_to_end(&mut bytes).map_err(fail)?;
        match bytes.len() as u64 > most {
            true => Err(fail(std::io::Error::other(format!("a document that expands to more than {HELD} bytes")))),
            false => Ok(bytes),
        }
    }

    /// Beginning and end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn sample(&self) -> Result<Sample, Error> {
        let fail = |e: std::io::Error| unreadable(&self.name, &e);
        let mut sample = match (&self.data, self.codec()?) {
            (Data::File(path), None) => {
                let mut file = File::open(path).map_err(fail)?;
                let length = file.metadata().map_err(fail)?.len();
                let (mut sample, shown) =
                    Sample::of_head(self.name.as_str(), file.by_ref().take(length)).map_err(fail)?;
                let from = length.saturating_sub(SAMPLE as u64).max(shown as u64);
                file.seek(SeekFrom::Start(from)).map_err(fail)?;
                file.take(SAMPLE as u64).read_to_end(&mut sample.tail).map_err(fail)?;
                sample
            }
            (Data::Bytes(bytes), None) => Sample::of_bytes(self.name.as_str(), bytes),
            (Data::Member(..), None) => {
                let head = self.packed_head(sample::FAR as u64 + 1)?;
                Sample::of_head(self.name.as_str(), &head[..]).map_err(fail)?.0
            }
            _ => Sample::of_head(self.name.as_str(), self.reader()?).map_err(fail)?.0,
        };
        if sample.head.is_empty() {
            return Err(Error::Unreadable { input: self.name.clone(), reason: "is empty".into() });
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

/// The path at one relative to the folder of a file; `None` where a link would lead there. Links above that folder are
/// the user's own.
fn reached(file: &Path, relative: &str) -> Option<PathBuf> {
    let mut path = file.parent()?.to_path_buf();
    for part in Path::new(relative).components() {
        match part {
            Component::ParentDir => path.push(".."),
            Component::Normal(part) => {
                path.push(part);
                if path.is_symlink() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
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
