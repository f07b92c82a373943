//! Encodes and decodes the fields of a frame.
//!
//! In: a frame body. Out: checked integers and texts.
//! Invariant: a length sent by the other side is compared with the number of bytes present
//! before it is used.

use thiserror::Error;

/// Version of this protocol. Both sides come from one executable today; a container image
/// or a machine snapshot with another version is refused.
pub const PROTOCOL_VERSION: u32 = 8;

/// Bytes of the length prefix.
pub const HEADER_BYTES: usize = 4;

/// The largest frame body that either side accepts. A single tool result of this size
/// already exceeds the default memory limit of an engine.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// Why bytes are not a valid frame.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    /// Longer than [`MAX_FRAME_BYTES`], or too short for a kind byte.
    #[error("the frame has {length} bytes; 1 to {MAX_FRAME_BYTES} are allowed")]
    BadLength {
        /// The length as claimed.
        length: usize,
    },
    /// The frame ends inside a field.
    #[error("the frame ends inside `{field}`")]
    Truncated {
        /// The field that was being read.
        field: &'static str,
    },
    /// Bytes follow the last field.
    #[error("the frame has {extra} extra bytes after its last field")]
    Trailing {
        /// How many bytes.
        extra: usize,
    },
    /// A kind, level or flag that does not exist.
    #[error("`{field}` has the unknown value `{value}`")]
    BadValue {
        /// The field.
        field: &'static str,
        /// The value as sent.
        value: u32,
    },
    /// Text that is not UTF-8.
    #[error("`{field}` is not UTF-8")]
    NotUtf8 {
        /// The field.
        field: &'static str,
    },
    /// A text longer than its field allows.
    #[error("`{field}` has {length} bytes; at most {limit} are allowed")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length.
        length: usize,
        /// The longest that is allowed.
        limit: usize,
    },
}

/// Reads and checks the length prefix of a frame.
pub fn body_length(header: [u8; HEADER_BYTES]) -> Result<usize, WireError> {
    let length = u32::from_le_bytes(header) as usize;
    if (1..=MAX_FRAME_BYTES).contains(&length) {
        Ok(length)
    } else {
        Err(WireError::BadLength { length })
    }
}

/// Builds one frame. The length prefix is filled in by [`FrameBuilder::finish`].
pub(crate) struct FrameBuilder(Vec<u8>);

impl FrameBuilder {
    pub(crate) fn new(kind: u8) -> Self {
        let mut bytes = vec![0; HEADER_BYTES];
        bytes.push(kind);
        Self(bytes)
    }

    pub(crate) fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    pub(crate) fn bytes(mut self, value: &[u8]) -> Self {
        // A text of 4 GiB cannot be here; `finish` would refuse the frame anyway.
        self = self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn optional(self, value: Option<&str>) -> Self {
        match value {
            Some(text) => self.u8(1).text(text),
            None => self.u8(0),
        }
    }

    pub(crate) fn finish(mut self) -> Result<Vec<u8>, WireError> {
        let length = self.0.len() - HEADER_BYTES;
        if length > MAX_FRAME_BYTES {
            return Err(WireError::BadLength { length });
        }
        let prefix = u32::try_from(length).map_err(|_| WireError::BadLength { length })?;
        self.0[..HEADER_BYTES].copy_from_slice(&prefix.to_le_bytes());
        Ok(self.0)
    }
}

/// Reads fields from the front of a frame body.
pub(crate) struct FieldReader<'a>(&'a [u8]);

impl<'a> FieldReader<'a> {
    pub(crate) fn new(body: &'a [u8]) -> Self {
        Self(body)
    }

    fn take(&mut self, count: usize, field: &'static str) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(WireError::Truncated { field })?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], WireError> {
        self.take(N, field)?.try_into().map_err(|_| WireError::Truncated { field })
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, WireError> {
        Ok(self.array::<1>(field)?[0])
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    pub(crate) fn u64(&mut self, field: &'static str) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    pub(crate) fn flag(&mut self, field: &'static str) -> Result<bool, WireError> {
        match self.u8(field)? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(WireError::BadValue { field, value: u32::from(value) }),
        }
    }

    pub(crate) fn bytes(
        &mut self,
        field: &'static str,
        limit: usize,
    ) -> Result<&'a [u8], WireError> {
        let length = self.u32(field)? as usize;
        if length > limit {
            return Err(WireError::TooLong { field, length, limit });
        }
        self.take(length, field)
    }

    pub(crate) fn text(&mut self, field: &'static str, limit: usize) -> Result<String, WireError> {
        let bytes = self.bytes(field, limit)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| WireError::NotUtf8 { field })
    }

    pub(crate) fn optional(
        &mut self,
        field: &'static str,
        limit: usize,
    ) -> Result<Option<String>, WireError> {
        if self.flag(field)? { self.text(field, limit).map(Some) } else { Ok(None) }
    }

    pub(crate) fn finish(self) -> Result<(), WireError> {
        match self.0.len() {
            0 => Ok(()),
            extra => Err(WireError::Trailing { extra }),
        }
    }
}
