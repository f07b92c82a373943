//! The framing of the language server protocol: a header with the length, then
//! JSON.
//!
//! In: bytes of an untrusted process. Out: complete frames, or an error.
//! Invariant: nothing is allocated beyond the limits, whatever the header says.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// The largest frame. No useful answer is larger; one with a diagnostic for each line of a
/// megabyte of source would have 40 MB and is refused.
pub(crate) const FRAME_BYTES: usize = 16 * 1024 * 1024;
const HEADER_LINE_BYTES: u64 = 256;
const HEADER_LINES: usize = 8;

/// The next frame, or `None` if the stream ended between frames.
pub(crate) async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    for lines in 0.. {
        let mut line = Vec::new();
        (&mut *from).take(HEADER_LINE_BYTES).read_until(b'\n', &mut line).await?;
        if line.is_empty() && lines == 0 {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\r\n") else { return Err(bad("a header line")) };
        if line.is_empty() {
            break;
        }
        if lines == HEADER_LINES {
            return Err(bad("the header"));
        }
        length = content_length(line).or(length);
    }
    let length = length.filter(|length| *length <= FRAME_BYTES).ok_or_else(|| bad("the length"))?;
    let mut body = vec![0; length];
    from.read_exact(&mut body).await?;
    Ok(Some(body))
}

fn content_length(line: &[u8]) -> Option<usize> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    if !name.eq_ignore_ascii_case("content-length") {
        return None;
    }
    value.trim().parse().ok()
}

fn bad(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{what} of a frame is invalid"))
}

/// A message with its header.
pub(crate) fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{framed, read};

    async fn read_text(mut bytes: &[u8]) -> Result<Option<String>, String> {
        let frame = read(&mut bytes).await.map_err(|error| error.to_string())?;
        Ok(frame.map(|body| String::from_utf8(body).unwrap()))
    }

    #[tokio::test]
    async fn a_frame_comes_back_as_it_was_written() {
        assert_eq!(read_text(&framed("{\"a\":\"ä\"}")).await, Ok(Some("{\"a\":\"ä\"}".into())));
        assert_eq!(read_text(b"").await, Ok(None));
    }

    #[tokio::test]
    async fn other_headers_are_passed_over() {
        let bytes = b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(read_text(bytes).await, Ok(Some("{}".into())));
    }

    #[tokio::test]
    async fn what_is_not_a_frame_is_an_error_and_costs_nothing() {
        let length = Err("the length of a frame is invalid".to_owned());
        assert_eq!(read_text(b"Content-Length: 99999999999\r\n\r\n").await, length);
        assert_eq!(read_text(b"Content-Length: 16777217\r\n\r\n").await, length);
        assert_eq!(read_text(b"Content-Length: -1\r\n\r\n").await, length);
        assert_eq!(read_text(b"A: b\r\n\r\n").await, length);
        let line = Err("a header line of a frame is invalid".to_owned());
        assert_eq!(read_text(b"panic: what\n").await, line);
        assert_eq!(read_text(&[b'x'; 1000]).await, line);
        let many = "A: b\r\n".repeat(1000);
        assert_eq!(
            read_text(many.as_bytes()).await,
            Err("the header of a frame is invalid".to_owned())
        );
    }
}
