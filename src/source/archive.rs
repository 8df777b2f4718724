//! Archives (`.zip`, `.tar`, also compressed): their members are read one by one, under caps, and nothing is unpacked
//! into a folder. A compressed `.tar` is expanded once into a nameless temporary file.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::Mutex,
};

/// Most members that are looked at.
pub const MOST_MEMBERS: usize = 200_000;
/// Most bytes of one member.
pub const MEMBER_CAP: u64 = 8 << 30;
/// An archive inside an archive inside an archive is opened, a deeper one is not.
pub const DEEPEST: usize = 3;

/// An opened archive.
#[derive(Debug)]
pub struct Archive {
    kind: Kind,
    names: Vec<String>,
}

#[derive(Debug)]
enum Kind {
    #[cfg(feature = "archives")]
    Zip(Mutex<zip::ZipArchive<File>>, Vec<usize>),
    /// The file, and where each member lies in it.
    Tar(Mutex<File>, Vec<(u64, u64)>),
}

/// Whether these are the first bytes of a `.zip`.
pub fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Whether these are the first bytes of a `.tar`.
pub fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

impl Archive {
    /// Opens a `.zip`.
    ///
    /// # Errors
    /// When it is none, or was left out of this build.
    #[cfg(feature = "archives")]
    pub fn zip(file: File) -> io::Result<Self> {
        let mut zip = zip::ZipArchive::new(file).map_err(io::Error::other)?;
        let (mut names, mut places) = (Vec::new(), Vec::new());
        for i in 0..zip.len() {
            let Ok(member) = zip.by_index_raw(i) else { continue };
            if member.is_dir() || member.is_symlink() || member.encrypted() {
                continue;
            }
            if names.len() == MOST_MEMBERS {
                break;
            }
            names.push(member.name().to_string());
            places.push(i);
        }
        Ok(Self { kind: Kind::Zip(Mutex::new(zip), places), names })
    }

    /// Opens a `.zip`.
    ///
    /// # Errors
    /// Always: it was left out of this build.
    #[cfg(not(feature = "archives"))]
    pub fn zip(_: File) -> io::Result<Self> {
        Err(io::Error::other("this build reads no .zip (feature `archives`)"))
    }

    /// Opens a `.tar` that is not compressed.
    ///
    /// # Errors
    /// When it is none.
    pub fn tar(file: File) -> io::Result<Self> {
        let (mut names, mut places) = (Vec::new(), Vec::new());
        let mut tar = tar::Archive::new(&file);
        for member in tar.entries_with_seek()? {
            // A torn archive keeps the members before the tear.
            let Ok(member) = member else { break };
            if !member.header().entry_type().is_file() {
                continue;
            }
            if names.len() == MOST_MEMBERS {
                break;
            }
            names.push(String::from_utf8_lossy(&member.path_bytes()).into_owned());
            places.push((member.raw_file_position(), member.size()));
        }
        Ok(Self { kind: Kind::Tar(Mutex::new(file), places), names })
    }

    /// Names of the members that are files, in their order in the archive.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The member with a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// The bytes of a member.
    ///
    /// # Errors
    /// When it is damaged, larger than the cap or than it says, or of a compression that is not known.
    pub fn read(&self, member: usize) -> io::Result<Vec<u8>> {
        self.begin(member, MEMBER_CAP + 1).and_then(|bytes| match bytes.len() as u64 > MEMBER_CAP {
            true => Err(io::Error::other(format!("a member of more than {MEMBER_CAP} bytes"))),
            false => Ok(bytes),
        })
    }

    /// The first bytes of a member.
    ///
    /// # Errors
    /// As [`Archive::read`].
    pub fn begin(&self, member: usize, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &self.kind {
            #[cfg(feature = "archives")]
            Kind::Zip(zip, places) => {
                let mut zip = zip.lock().map_err(|_| io::Error::other("lost"))?;
                let at = *places.get(member).ok_or(io::ErrorKind::NotFound)?;
                let mut stream = zip.by_index(at).map_err(io::Error::other)?;
                let packed = stream.compressed_size();
                (&mut stream).take(most).read_to_end(&mut bytes)?;
                let size = bytes.len() as u64;
                if size > super::packed::FREE && size / packed.max(1) > super::packed::RATIO {
                    return Err(io::Error::other("a member expands beyond the caps"));
                }
            }
            Kind::Tar(file, places) => {
                let mut file = file.lock().map_err(|_| io::Error::other("lost"))?;
                let (start, size) = *places.get(member).ok_or(io::ErrorKind::NotFound)?;
                file.seek(SeekFrom::Start(start))?;
                (&mut *file).take(size.min(most)).read_to_end(&mut bytes)?;
            }
        }
        Ok(bytes)
    }
}
