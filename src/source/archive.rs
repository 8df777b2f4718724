//! Archives (`.zip`, `.tar`, also compressed): their members are read one by one, under caps, and nothing is unpacked
//! into a folder. A compressed `.tar` is expanded once into a nameless temporary file. What is not read is counted.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    sync::Mutex,
};

#[cfg(feature = "archives")]
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

#[cfg(feature = "archives")]
use super::packed::Counted;

/// Most members that are looked at.
pub const MOST_MEMBERS: usize = 200_000;
/// Most bytes of a member that is held in memory.
pub const HELD: u64 = 1 << 30;
/// An archive inside an archive inside an archive is opened, a deeper one is not.
pub const DEEPEST: usize = 3;

/// An opened archive.
#[derive(Debug)]
pub struct Archive {
    kind: Kind,
    names: Vec<String>,
    /// Members by their names; of several of one name the last, which is the newest.
    by_name: HashMap<String, usize>,
    /// Members by the folders that they lie in.
    by_folder: HashMap<String, Vec<usize>>,
    left: BTreeMap<Left, usize>,
}

#[derive(Debug)]
enum Kind {
    #[cfg(feature = "archives")]
    Zip(Zip, Vec<usize>),
    /// The file, and where each member lies in it.
    Tar(Mutex<File>, Vec<(u64, u64)>),
}

/// A `.zip`; what is taken from its file is counted.
#[cfg(feature = "archives")]
#[derive(Debug)]
struct Zip {
    archive: Mutex<zip::ZipArchive<Counted<File>>>,
    taken: Arc<AtomicU64>,
}

/// Why something of an archive is not read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Left {
    /// A link: what it names may be a member of its own, or lie outside.
    Link,
    /// Encrypted.
    Encrypted,
    /// Its header is damaged.
    Damaged,
    /// Another member has the same name.
    Repeated,
    /// Stored with holes, in a way that only `tar` reads.
    Sparse,
    /// Beyond [`MOST_MEMBERS`].
    Beyond,
    /// The archive ends in the middle, or is damaged from here on.
    Torn,
}

impl Left {
    /// Whether something is lost with it.
    pub fn is_loss(self) -> bool {
        self != Left::Link
    }

    /// For people.
    fn told(self, count: usize) -> String {
        let (one, many) = match self {
            Left::Link => ("link", "links"),
            Left::Encrypted => ("encrypted member", "encrypted members"),
            Left::Damaged => ("member with a damaged header", "members with damaged headers"),
            Left::Repeated => ("member under the name of another", "members under names of others"),
            Left::Sparse => ("sparse member", "sparse members"),
            Left::Beyond => ("member beyond the most", "members beyond the most"),
            Left::Torn => return "its end, which is torn or damaged".into(),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// Whether these are the first bytes of a `.zip`.
pub fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Whether these are the first bytes of a `.tar`: they have its mark, or, in the oldest kind, a header's checksum.
pub fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar") || head.get(..512).is_some_and(|header| header[0] > b' ' && is_summed(header))
}

/// Whether the sum of a header's bytes, its own field taken as blanks, stands in it in octal.
fn is_summed(header: &[u8]) -> bool {
    const SUM: std::ops::Range<usize> = 148..156;
    let told = std::str::from_utf8(&header[SUM]).unwrap_or_default().trim_matches(['\0', ' ']);
    let all: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
    let own: u64 = header[SUM].iter().map(|byte| u64::from(*byte)).sum();
    u64::from_str_radix(told, 8) == Ok(all - own + 8 * u64::from(b' '))
}

impl Archive {
    fn new(kind: Kind, names: Vec<String>, left: BTreeMap<Left, usize>) -> Self {
        let by_name = names.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        let mut by_folder: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            by_folder.entry(parent(name).to_string()).or_default().push(at);
        }
        by_folder.values_mut().for_each(|inside| inside.sort_by_key(|at| &names[*at]));
        Self { kind, names, by_name, by_folder, left }
    }

    /// Opens a `.zip`.
    ///
    /// # Errors
    /// When it is none, or was left out of this build.
    #[cfg(feature = "archives")]
    pub fn zip(file: File) -> io::Result<Self> {
        let mut directory = file.try_clone()?;
        let file = Counted::new(file);
        let taken = file.taken.clone();
        let mut zip = zip::ZipArchive::new(file).map_err(io::Error::other)?;
        directory.seek(SeekFrom::Start(zip.central_directory_start()))?;
        let (mut names, mut places, mut left) = (Vec::new(), Vec::new(), BTreeMap::new());
        // Of members of one name the library knows only one.
        let repeated = entries(directory)?.saturating_sub(zip.len());
        if repeated > 0 {
            left.insert(Left::Repeated, repeated);
        }
        for i in 0..zip.len() {
            let why = match zip.by_index_raw(i) {
                Err(_) => Left::Damaged,
                Ok(member) if member.is_dir() || member.size() == 0 => continue,
                Ok(member) if member.is_symlink() => Left::Link,
                Ok(member) if member.encrypted() => Left::Encrypted,
                Ok(_) if names.len() == MOST_MEMBERS => Left::Beyond,
                Ok(member) => {
                    names.push(member.name().to_string());
                    places.push(i);
                    continue;
                }
            };
            *left.entry(why).or_default() += 1;
        }
        Ok(Self::new(Kind::Zip(Zip { archive: Mutex::new(zip), taken }, places), names, left))
    }

    /// Opens a `.zip`.
    ///
    /// # Errors
    /// Always: it was left out of this build.
    #[cfg(not(feature = "archives"))]
    pub fn zip(_: File) -> io::Result<Self> {
        Err(io::Error::other("this build reads no .zip (feature `archives`)"))
    }

    /// Opens a `.tar` that is not compressed. One that is torn keeps what stands before the tear.
    ///
    /// # Errors
    /// When it is none.
    pub fn tar(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let (mut names, mut places, mut left) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut tar = tar::Archive::new(&file);
        for member in tar.entries_with_seek()? {
            let Ok(member) = member else {
                left.insert(Left::Torn, 1);
                break;
            };
            let (start, size, kind) = (member.raw_file_position(), member.size(), member.header().entry_type());
            let why = match () {
                () if kind.is_symlink() || kind.is_hard_link() => Left::Link,
                () if kind.is_gnu_sparse() => Left::Sparse,
                () if !(kind.is_file() || kind.is_contiguous()) || size == 0 => continue,
                () if names.len() == MOST_MEMBERS => Left::Beyond,
                () => {
                    names.push(String::from_utf8_lossy(&member.path_bytes()).into_owned());
                    places.push((start, size.min(length.saturating_sub(start))));
                    if start.saturating_add(size) > length {
                        left.insert(Left::Torn, 1);
                    }
                    continue;
                }
            };
            *left.entry(why).or_default() += 1;
        }
        Ok(Self::new(Kind::Tar(Mutex::new(file), places), names, left))
    }

    /// Notes that what it was expanded from broke off.
    pub(super) fn torn(mut self) -> Self {
        self.left.insert(Left::Torn, 1);
        self
    }

    /// Names of the members that are files with content, in their order in the archive.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The member with a name; of several the last.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The members in a folder, sorted by name.
    pub fn inside(&self, folder: &str) -> &[usize] {
        self.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// What of it is not read, of the kinds that `which` names: "2 encrypted members, 1 link"; `None` where that is
    /// nothing.
    pub fn left(&self, which: impl Fn(Left) -> bool) -> Option<String> {
        let told: Vec<String> =
            self.left.iter().filter(|(why, _)| which(**why)).map(|(why, count)| why.told(*count)).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// The bytes of a member.
    ///
    /// # Errors
    /// When it is damaged, beyond the caps, or of a compression that is not known.
    pub fn read(&self, member: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.copy(member, HELD + 1, &mut bytes)? > HELD {
            true => Err(io::Error::other(format!("a member of more than {HELD} bytes"))),
            false => Ok(bytes),
        }
    }

    /// Writes the first bytes of a member, and says how many they were. It is expanded piece by piece.
    ///
    /// # Errors
    /// As [`Archive::read`]; then what stands before the fault was written.
    pub fn copy(&self, member: usize, most: u64, to: &mut impl Write) -> io::Result<u64> {
        match &self.kind {
            #[cfg(feature = "archives")]
            Kind::Zip(zip, places) => {
                let mut archive = zip.archive.lock().map_err(|_| io::Error::other("lost"))?;
                let at = *places.get(member).ok_or(io::ErrorKind::NotFound)?;
                let stream = archive.by_index(at).map_err(io::Error::other)?;
                let deflated = stream.compression() == zip::CompressionMethod::Deflated;
                zip.taken.store(0, Relaxed);
                io::copy(&mut super::packed::member(stream, zip.taken.clone(), deflated).take(most), to)
            }
            Kind::Tar(file, places) => {
                let mut file = file.lock().map_err(|_| io::Error::other("lost"))?;
                let (start, size) = *places.get(member).ok_or(io::ErrorKind::NotFound)?;
                file.seek(SeekFrom::Start(start))?;
                io::copy(&mut (&mut *file).take(size.min(most)), to)
            }
        }
    }
}

/// The folder of a member's name.
pub(super) fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// How many entries the directory of a `.zip` has, those included that stand under the name of another.
#[cfg(feature = "archives")]
fn entries(directory: File) -> io::Result<usize> {
    const HEADER: usize = 46;
    // Of its name, its extra fields and its comment, which follow the header.
    const LENGTHS: [usize; 3] = [28, 30, 32];
    let mut directory = io::BufReader::new(directory);
    let mut header = [0; HEADER];
    let mut count = 0;
    while directory.read_exact(&mut header).is_ok() && header.starts_with(b"PK\x01\x02") {
        count += 1;
        let follows: u64 = LENGTHS.iter().map(|at| u64::from(u16::from_le_bytes([header[*at], header[at + 1]]))).sum();
        io::copy(&mut directory.by_ref().take(follows), &mut io::sink())?;
    }
    Ok(count)
}
