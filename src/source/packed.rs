//! Compressed inputs as streams, under caps: a small file cannot become an endless one.

use std::io::{self, BufRead, BufReader, Read};

/// Most bytes that one input may expand to.
const MOST: u64 = 64 << 30;
/// Up to here the ratio is not looked at: small logs of one repeated line are honest.
pub(super) const FREE: u64 = 256 << 20;
/// Most bytes out per byte in, beyond [`FREE`]. Logs with repeated copies of their history reach about 500.
pub(super) const RATIO: u64 = 2000;

/// A compression, told by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.xz`
    Xz,
}

impl Codec {
    /// The compression of which these are the first bytes.
    pub fn of(head: &[u8]) -> Option<Self> {
        const MARKS: &[(&[u8], Codec)] =
            &[(b"\x1f\x8b\x08", Codec::Gzip), (b"\x28\xb5\x2f\xfd", Codec::Zstd), (b"\xfd7zXZ\0", Codec::Xz)];
        MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, codec)| *codec)
    }

    /// The expanded stream.
    ///
    /// # Errors
    /// When the decoder cannot begin, or was left out of this build.
    pub fn decode<'a>(self, packed: impl Read + Send + 'a) -> io::Result<Box<dyn BufRead + Send + 'a>> {
        let counted = Counted { inner: packed, taken: 0 };
        let inner: Box<dyn Unpacked + Send + 'a> = match self {
            Codec::Gzip => Box::new(Gzip(flate2::bufread::MultiGzDecoder::new(BufReader::new(counted)))),
            #[cfg(feature = "archives")]
            Codec::Zstd => Box::new(Zstd(zstd::stream::read::Decoder::with_buffer(BufReader::new(counted))?)),
            #[cfg(feature = "archives")]
            Codec::Xz => Box::new(Xz(liblzma::bufread::XzDecoder::new_multi_decoder(BufReader::new(counted)))),
            #[cfg(not(feature = "archives"))]
            Codec::Zstd | Codec::Xz => {
                return Err(io::Error::other("this build reads no .zst and .xz (feature `archives`)"));
            }
        };
        Ok(Box::new(BufReader::with_capacity(256 * 1024, Capped { inner, given: 0 })))
    }
}

/// A stream that counts what is taken from it.
struct Counted<R> {
    inner: R,
    taken: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.taken += read as u64;
        Ok(read)
    }
}

/// A decoder that tells how much it took.
trait Unpacked: Read {
    fn taken(&self) -> u64;
}

macro_rules! unpacked {
    ($name:ident, $decoder:ty, |$inner:ident| $counted:expr) => {
        struct $name<R: Read>($decoder);
        impl<R: Read> Read for $name<R> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.read(buffer)
            }
        }
        impl<R: Read> Unpacked for $name<R> {
            fn taken(&self) -> u64 {
                let $inner = &self.0;
                $counted.get_ref().taken
            }
        }
    };
}

unpacked!(Gzip, flate2::bufread::MultiGzDecoder<BufReader<Counted<R>>>, |inner| inner.get_ref());
#[cfg(feature = "archives")]
unpacked!(Zstd, zstd::stream::read::Decoder<'static, BufReader<Counted<R>>>, |inner| inner.get_ref());
#[cfg(feature = "archives")]
unpacked!(Xz, liblzma::bufread::XzDecoder<BufReader<Counted<R>>>, |inner| inner.get_ref());

/// A decoder held to the caps.
struct Capped<'a> {
    inner: Box<dyn Unpacked + Send + 'a>,
    given: u64,
}

impl Read for Capped<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.given += read as u64;
        if self.given > MOST || self.given > FREE && self.given / self.inner.taken().max(1) > RATIO {
            return Err(io::Error::other(format!(
                "expands beyond the caps ({} bytes from {}; at most {MOST}, and {RATIO} for one above {FREE})",
                self.given,
                self.inner.taken()
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
        let packed = [gzip(&b"one\n"[..]), gzip(&b"two\n"[..])].concat();
        let codec = Codec::of(&packed).expect("gzip");
        let mut text = String::new();
        codec.decode(&packed[..]).expect("begins").read_to_string(&mut text).expect("whole");
        assert_eq!(text, "one\ntwo\n");
        assert_eq!(Codec::of(b"{\"a\":1}"), None);
    }

    #[cfg(feature = "archives")]
    #[test]
    fn a_bomb_is_stopped() {
        let bomb = zstd::stream::encode_all(io::repeat(0).take(FREE + (64 << 20)), 3).expect("memory");
        let mut stream = Codec::Zstd.decode(&bomb[..]).expect("begins");
        let error = io::copy(&mut stream, &mut io::sink()).expect_err("is stopped");
        assert!(error.to_string().contains("caps"), "{error}");
    }

    #[test]
    fn a_torn_stream_is_an_error() {
        let packed = gzip(&b"one\ntwo\n"[..]);
        let mut stream = Codec::Gzip.decode(&packed[..packed.len() - 9]).expect("begins");
        assert!(io::copy(&mut stream, &mut io::sink()).is_err());
    }
}
