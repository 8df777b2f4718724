//! Compressed inputs as streams, under caps: a small file cannot become an endless one. Text in UTF-16, as PowerShell
//! writes it, is read the same way.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Most bytes that one input may expand to.
const MOST: u64 = 16 << 30;
/// Up to here the ratio is not looked at: small logs of one repeated line are honest.
const FREE: u64 = 64 << 20;
/// Most bytes out per byte in, beyond [`FREE`], of a compression that looks back some kilobytes (deflate). Logs of short
/// repetitive records reach about 100.
const RATIO_NEAR: u64 = 200;
/// The same, of a compression that looks back megabytes: logs with repeated copies of their history reach about 500.
#[cfg(feature = "archives")]
const RATIO_FAR: u64 = 1000;

/// A compression or encoding, told by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.xz`
    Xz,
    /// UTF-16 with its byte order mark, the lower byte first.
    Utf16Little,
    /// The higher byte first.
    Utf16Big,
}

impl Codec {
    /// The compression of which these are the first bytes.
    pub fn of(head: &[u8]) -> Option<Self> {
        const MARKS: &[(&[u8], Codec)] = &[
            (b"\x1f\x8b\x08", Codec::Gzip),
            (b"\x28\xb5\x2f\xfd", Codec::Zstd),
            (b"\xfd7zXZ\0", Codec::Xz),
            (b"\xff\xfe", Codec::Utf16Little),
            (b"\xfe\xff", Codec::Utf16Big),
        ];
        MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, codec)| *codec)
    }

    /// The expanded stream.
    ///
    /// # Errors
    /// When the decoder cannot begin, or was left out of this build.
    pub fn decode<'a>(self, packed: impl Read + Send + 'a) -> io::Result<Box<dyn BufRead + Send + 'a>> {
        let packed = Counted::new(packed);
        let taken = packed.taken.clone();
        let packed = BufReader::new(packed);
        let (expanded, ratio): (Box<dyn Read + Send + 'a>, u64) = match self {
            Codec::Gzip => (Box::new(Gzip(Some(flate2::bufread::GzDecoder::new(packed)))), RATIO_NEAR),
            #[cfg(feature = "archives")]
            Codec::Zstd => (Box::new(zstd::stream::read::Decoder::with_buffer(packed)?), RATIO_FAR),
            #[cfg(feature = "archives")]
            Codec::Xz => (Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(packed)), RATIO_FAR),
            Codec::Utf16Little => (Box::new(Utf16::new(packed, u16::from_le_bytes)), RATIO_NEAR),
            Codec::Utf16Big => (Box::new(Utf16::new(packed, u16::from_be_bytes)), RATIO_NEAR),
            #[cfg(not(feature = "archives"))]
            Codec::Zstd | Codec::Xz => {
                return Err(io::Error::other("this build reads no .zst and .xz (feature `archives`)"));
            }
        };
        Ok(Box::new(BufReader::with_capacity(256 * 1024, Capped { expanded, taken, ratio, given: 0 })))
    }
}

/// What a member of a `.zip` expands to, held to the caps; `taken` counts the bytes that its decoder takes.
#[cfg(feature = "archives")]
pub(super) fn member<'a>(expanded: impl Read + 'a, taken: Arc<AtomicU64>, deflated: bool) -> impl Read + 'a {
    Capped { expanded, taken, ratio: if deflated { RATIO_NEAR } else { RATIO_FAR }, given: 0 }
}

/// A stream that counts what is taken from it.
#[derive(Debug)]
pub(super) struct Counted<R> {
    inner: R,
    /// Bytes so far.
    pub taken: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    /// Counts from 0.
    pub fn new(inner: R) -> Self {
        Self { inner, taken: Arc::default() }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.taken.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

#[cfg(feature = "archives")]
impl<R: io::Seek> io::Seek for Counted<R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// The members of a `.gz` one behind the other; zeros behind the last are the padding of a tape.
struct Gzip<R: BufRead>(Option<flate2::bufread::GzDecoder<R>>);

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let rest = self.0.take().map(flate2::bufread::GzDecoder::into_inner);
            self.0 = rest.map(behind_padding).transpose()?.flatten().map(flate2::bufread::GzDecoder::new);
        }
        Ok(0)
    }
}

/// What stands behind zeros; `None` at the end.
fn behind_padding<R: BufRead>(mut rest: R) -> io::Result<Option<R>> {
    loop {
        let block = rest.fill_buf()?;
        let zeros = block.iter().take_while(|byte| **byte == 0).count();
        let (end, more) = (block.is_empty(), zeros < block.len());
        rest.consume(zeros);
        if end || more {
            return Ok(more.then_some(rest));
        }
    }
}

/// UTF-16 as UTF-8; halves of pairs become U+FFFD.
struct Utf16<R> {
    packed: R,
    unit: fn([u8; 2]) -> u16,
    /// Bytes that were taken and not yet decoded: less than a character.
    carried: Vec<u8>,
    text: io::Cursor<Vec<u8>>,
}

impl<R: Read> Utf16<R> {
    fn new(packed: R, unit: fn([u8; 2]) -> u16) -> Self {
        Self { packed, unit, carried: Vec::new(), text: io::Cursor::default() }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let taken = self.packed.by_ref().take(64 * 1024).read_to_end(&mut self.carried)?;
            let mut units: Vec<u16> =
                self.carried.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]])).collect();
            // The other half of a pair comes with the next bytes.
            if taken > 0 && matches!(units.last(), Some(0xD800..=0xDBFF)) {
                units.pop();
            }
            if taken == 0 && units.is_empty() {
                return Ok(0);
            }
            self.carried.drain(..2 * units.len());
            let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>();
            self.text = io::Cursor::new(text.into_bytes());
        }
    }
}

/// An expanded stream held to the caps.
struct Capped<R> {
    expanded: R,
    taken: Arc<AtomicU64>,
    ratio: u64,
    given: u64,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.expanded.read(buffer)?;
        self.given += read as u64;
        let taken = self.taken.load(Relaxed);
        if self.given > MOST || self.given > FREE && self.given / taken.max(1) > self.ratio {
            return Err(io::Error::other(format!(
                "expands beyond the caps ({} bytes from {taken}; at most {MOST}, and {} for one above {FREE})",
                self.given, self.ratio,
            )));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: impl Read) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        io::copy(&mut BufReader::new(bytes), &mut out).expect("memory");
        out.flush().expect("memory");
        out.finish().expect("memory")
    }

    #[test]
    fn streams_are_told_by_their_first_bytes_and_read_on_over_members() {
        let packed = [gzip(&b"one\n"[..]), gzip(&b"two\n"[..]), vec![0; 1000]].concat();
        let codec = Codec::of(&packed).expect("gzip");
        let mut text = String::new();
        codec.decode(&packed[..]).expect("begins").read_to_string(&mut text).expect("whole");
        assert_eq!(text, "one\ntwo\n");
        assert_eq!(Codec::of(b"{\"a\":1}"), None);
    }

    #[test]
    fn text_of_windows_is_decoded() {
        let text = format!("\u{feff}{}é\u{1F600}", "a".repeat(32 * 1024 - 3));
        for big in [false, true] {
            let units = text.encode_utf16().chain([0xD800]);
            let mut packed: Vec<u8> =
                units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect();
            packed.push(b'x');
            let mut read = String::new();
            let codec = Codec::of(&packed).expect("its mark");
            codec.decode(&packed[..]).expect("begins").read_to_string(&mut read).expect("whole");
            assert!(read == format!("{text}\u{FFFD}"), "{big}");
        }
    }

    #[test]
    fn other_bytes_behind_a_stream_are_an_error() {
        let packed = [gzip(&b"one\n"[..]), b"garbage".to_vec()].concat();
        assert!(io::copy(&mut Codec::Gzip.decode(&packed[..]).expect("begins"), &mut io::sink()).is_err());
    }

    #[test]
    fn a_bomb_is_stopped() {
        let bomb = || io::repeat(b'\n').take(FREE + (16 << 20));
        let mut bombs = vec![(Codec::Gzip, gzip(bomb()))];
        #[cfg(feature = "archives")]
        bombs.push((Codec::Zstd, zstd::stream::encode_all(bomb(), 3).expect("memory")));
        for (codec, bomb) in bombs {
            let mut stream = codec.decode(&bomb[..]).expect("begins");
            let mut given = 0;
            let error = loop {
                match stream.fill_buf().map(<[u8]>::len) {
                    Ok(0) => panic!("{codec:?}: the end was reached"),
                    Ok(read) => (given += read as u64, stream.consume(read)).1,
                    Err(error) => break error,
                }
            };
            assert!(error.to_string().contains("caps") && given <= FREE, "{codec:?}: {given}, {error}");
        }
    }

    #[test]
    fn a_torn_stream_is_an_error() {
        let packed = gzip(&b"one\ntwo\n"[..]);
        let mut stream = Codec::Gzip.decode(&packed[..packed.len() - 9]).expect("begins");
        assert!(io::copy(&mut stream, &mut io::sink()).is_err());
    }
}
