//! Decompresses the body of an answer as it arrives, within limits.
//!
//! In: the bytes of the connection. Out: the body, or which limit it exceeds.
//! Invariant: never more than the limit in memory, however little was received.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The highest ratio of decompressed to received bytes. Chosen: repetitive text compresses
/// by a factor of 20 to 50, a bomb by a thousand.
pub(crate) const MAX_RATIO: u64 = 200;

/// Below this size an answer is not a bomb, whatever its ratio.
const HARMLESS_BYTES: u64 = 1 << 20;

/// What is wrong with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BodyProblem {
    TooLarge,
    Ratio,
    Corrupt,
}

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain,
    Gzip,
    Deflate,
}

impl Encoding {
    /// From the value of `Content-Encoding`; `None` if it was not requested.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Some(Self::Plain),
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            _ => None,
        }
    }
}

/// Decompresses a body.
pub(crate) struct Unpacker {
    encoding: Encoding,
    /// `None` until the first byte arrives.
    decoder: Option<Decoder>,
    received: u64,
    limit: u64,
}

enum Decoder {
    Plain(Capped),
    Gzip(MultiGzDecoder<Capped>),
    Zlib(ZlibDecoder<Capped>),
    Deflate(DeflateDecoder<Capped>),
}

impl Unpacker {
    pub(crate) fn new(encoding: Encoding, limit: u64) -> Self {
        Self { encoding, decoder: None, received: 0, limit }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), BodyProblem> {
        let Some(&first) = bytes.first() else { return Ok(()) };
        self.received = self.received.saturating_add(bytes.len() as u64);
        let encoding = self.encoding;
        let decoder = self.decoder.get_or_insert_with(|| Decoder::begin(encoding, first));
        let by_ratio = self.received.saturating_mul(MAX_RATIO).max(HARMLESS_BYTES);
        let room = if encoding == Encoding::Plain { self.limit } else { self.limit.min(by_ratio) };
        decoder.sink().room = room;
        let written = decoder.write(bytes);
        match written {
            Ok(()) => Ok(()),
            Err(_) if decoder.sink().is_full && room == self.limit => Err(BodyProblem::TooLarge),
            Err(_) if decoder.sink().is_full => Err(BodyProblem::Ratio),
            Err(_) => Err(BodyProblem::Corrupt),
        }
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, BodyProblem> {
        let sink = match self.decoder {
            // An answer to HEAD has an encoding but no body.
            None => return Ok(Vec::new()),
            Some(Decoder::Plain(sink)) => Ok(sink),
            Some(Decoder::Gzip(decoder)) => decoder.finish(),
            Some(Decoder::Zlib(decoder)) => decoder.finish(),
            Some(Decoder::Deflate(decoder)) => decoder.finish(),
        };
        sink.map(|sink| sink.bytes).map_err(|_| BodyProblem::Corrupt)
    }
}

impl Decoder {
    fn begin(encoding: Encoding, first: u8) -> Self {
        let sink = Capped::default();
        match encoding {
            Encoding::Plain => Self::Plain(sink),
            Encoding::Gzip => Self::Gzip(MultiGzDecoder::new(sink)),
            // `deflate` means zlib, but some servers send raw deflate. The low bits of the
            // first zlib byte are always 8.
            Encoding::Deflate if first & 0x0f == 8 => Self::Zlib(ZlibDecoder::new(sink)),
            Encoding::Deflate => Self::Deflate(DeflateDecoder::new(sink)),
        }
    }

    /// Writes and flushes: otherwise the end of a piece would be written with the next one
    /// or never, and not be counted.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(bytes),
            Self::Gzip(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
            Self::Zlib(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
            Self::Deflate(decoder) => decoder.write_all(bytes).and_then(|()| decoder.flush()),
        }
    }

    fn sink(&mut self) -> &mut Capped {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
        }
    }
}

/// Bytes up to a limit.
#[derive(Default)]
struct Capped {
    bytes: Vec<u8>,
    room: u64,
    is_full: bool,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.room {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::{BodyProblem, Encoding, Unpacker};

    fn unpack(encoding: Encoding, limit: u64, packed: &[u8]) -> Result<Vec<u8>, BodyProblem> {
        let mut unpacker = Unpacker::new(encoding, limit);
        for piece in packed.chunks(1000) {
            unpacker.push(piece)?;
        }
        unpacker.finish()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Compresses about 20 times.
    fn text() -> Vec<u8> {
        (0..40_000).flat_map(|n| format!("line {n} of a text\n").into_bytes()).collect()
    }

    #[test]
    fn every_encoding_gives_the_body_back() {
        let text = text();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).unwrap();
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(&text).unwrap();
        for (encoding, packed) in [
            (Encoding::Plain, text.clone()),
            (Encoding::Gzip, gzip(&text)),
            (Encoding::Deflate, zlib.finish().unwrap()),
            (Encoding::Deflate, bare.finish().unwrap()),
        ] {
            assert!(unpack(encoding, 10 << 20, &packed).unwrap() == text, "{encoding:?}");
            assert_eq!(unpack(encoding, 0, &[]), Ok(Vec::new()));
        }
    }

    #[test]
    fn the_cap_is_exact_and_counts_what_is_unpacked() {
        let text = text();
        let length = text.len() as u64;
        for (encoding, packed) in [(Encoding::Plain, text.clone()), (Encoding::Gzip, gzip(&text))] {
            assert!(unpack(encoding, length, &packed).is_ok());
            assert_eq!(unpack(encoding, length - 1, &packed), Err(BodyProblem::TooLarge));
        }
    }

    #[test]
    fn a_bomb_is_stopped_by_its_ratio() {
        let bomb = gzip(&vec![0; 64 << 20]);
        assert_eq!(unpack(Encoding::Gzip, 1 << 40, &bomb), Err(BodyProblem::Ratio));
        // The same in one piece, with a lower limit.
        let mut unpacker = Unpacker::new(Encoding::Gzip, 10 << 20);
        assert_eq!(unpacker.push(&bomb), Err(BodyProblem::TooLarge));
        // A little of the same is harmless.
        assert!(unpack(Encoding::Gzip, 10 << 20, &gzip(&vec![0; 1 << 20])).is_ok());
    }

    #[test]
    fn a_body_that_is_cut_or_wrong_is_corrupt() {
        let packed = gzip(b"hello");
        assert_eq!(
            unpack(Encoding::Gzip, 100, &packed[..packed.len() - 1]),
            Err(BodyProblem::Corrupt)
        );
        assert_eq!(unpack(Encoding::Gzip, 100, b"no gzip at all"), Err(BodyProblem::Corrupt));
    }

    #[test]
    fn only_what_was_asked_for_is_unpacked() {
        assert_eq!(Encoding::parse(" GZIP "), Some(Encoding::Gzip));
        for text in ["br", "zstd", "gzip, gzip", "compress"] {
            assert_eq!(Encoding::parse(text), None, "{text}");
        }
    }
}
