//! The text of a configuration file, and the places in it.
//!
//! In: a path or bytes. Out: text of at most 4 MiB, and places for byte offsets.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::libc::O_NONBLOCK;

use crate::error::{ConfigError, ConfigErrorKind, Place};
use crate::keys::key::Format;

/// The largest file that is read. Chosen, not measured: it is enough for thousands of servers,
/// and a wrong path (a log, a disk image) does not fill the memory.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A configuration file in memory. No `Debug`: it is full of credentials.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Source {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        // The user named it and may mean a pipe.
        let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
        Self::read_open(path, file)
    }

    /// Opens a file that was found by search. Does not block on a pipe that somebody has
    /// put there.
    pub(crate) fn open(path: &Path) -> Result<File, ConfigError> {
        let opened = File::options().read(true).custom_flags(O_NONBLOCK).open(path);
        opened.map_err(|cause| unreadable(path, cause))
    }

    /// Reads an opened file.
    pub(crate) fn read_open(path: &Path, file: File) -> Result<Self, ConfigError> {
        let mut bytes = Vec::new();
        // One byte more than allowed distinguishes "too large" from "just fits".
        let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|cause| unreadable(path, cause))?;
        Self::from_bytes(path, bytes)
    }

    /// Takes the bytes of a file as text.
    pub(crate) fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        if bytes.len() as u64 > MAX_BYTES {
            let message = format!("`{}` is larger than 4 MiB", path.display());
            return Err(ConfigError::new(ConfigErrorKind::TooLarge, message)
                .with_hint("check that this is the right file"));
        }
        let path = path.to_owned();
        match String::from_utf8(bytes) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
                Ok(Self { path, text })
            }
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
                let source = Self { path, text };
                Err(source
                    .error(ConfigErrorKind::Syntax, good, "the file is not UTF-8 text")
                    .with_hint("save the file as UTF-8"))
            }
        }
    }

    /// The format of the file: by its extension, or else by its first character.
    pub(crate) fn format(&self) -> Format {
        match self.path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Format::Toml,
            Some("json" | "jsonc") => Format::Json,
            // `/` begins a comment in JSON and nothing in TOML.
            _ if self.text.trim_start().starts_with(['{', '/']) => Format::Json,
            _ => Format::Toml,
        }
    }

    /// Line and column of a byte offset.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            file: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// An error at a byte offset.
    pub(crate) fn error(
        &self,
        kind: ConfigErrorKind,
        offset: usize,
        message: impl Into<String>,
    ) -> ConfigError {
        ConfigError::new(kind, message).at(self.place(offset))
    }
}

fn unreadable(path: &Path, cause: io::Error) -> ConfigError {
    let shown = path.display();
    let (kind, message, hint) = match cause.kind() {
        io::ErrorKind::NotFound => (
            ConfigErrorKind::MissingFile,
            format!("there is no file `{shown}`"),
            "check the path; without one, `tidegate.toml` and `.mcp.json` are looked for",
        ),
        io::ErrorKind::PermissionDenied => (
            ConfigErrorKind::UnreadableFile,
            format!("`{shown}` may not be read"),
            "check the permissions of the file and its folders",
        ),
        io::ErrorKind::IsADirectory => {
            (ConfigErrorKind::UnreadableFile, format!("`{shown}` is a folder"), "name a file in it")
        }
        _ => (
            ConfigErrorKind::UnreadableFile,
            format!("`{shown}` cannot be read"),
            "check that it is a plain file on a disk that works",
        ),
    };
    ConfigError::new(kind, message).with_hint(hint).with_cause(cause)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Source;
    use crate::keys::key::Format;

    fn source(path: &str, text: &str) -> Source {
        Source::from_bytes(Path::new(path), text.into()).unwrap()
    }

    #[test]
    fn columns_count_characters_from_one() {
        let source = source("a.toml", "x = 1\n\u{e9}\u{e9} = 2");
        assert_eq!(source.place(0).to_string(), "a.toml:1:1");
        assert_eq!(source.place("x = 1\n\u{e9}\u{e9}".len()).to_string(), "a.toml:2:3");
        assert_eq!(source.place(10_000).to_string(), "a.toml:2:7");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        assert_eq!(source("a.json", "\u{feff}{}").text, "{}");
    }

    #[test]
    fn the_format_follows_the_extension_and_then_the_text() {
        assert_eq!(source("a.toml", "{").format(), Format::Toml);
        assert_eq!(source("a.json", "").format(), Format::Json);
        assert_eq!(source("a.jsonc", "").format(), Format::Json);
        assert_eq!(source(".claude", " // x\n{}").format(), Format::Json);
        assert_eq!(source("config", "[servers]").format(), Format::Toml);
    }

    #[test]
    fn a_file_that_is_not_utf_8_says_where() {
        let error = Source::from_bytes(Path::new("a.toml"), b"a = 1\nb\xff".to_vec());
        assert_eq!(
            error.err().unwrap().to_string(),
            "error[config.syntax]: the file is not UTF-8 text\n  at a.toml:2:2\n\
             hint: save the file as UTF-8"
        );
    }

    #[test]
    fn a_file_one_byte_over_4_mib_is_refused_and_one_of_4_mib_is_not() {
        let fits = vec![b' '; 4 * 1024 * 1024];
        let mut too_large = fits.clone();
        too_large.push(b' ');
        assert!(Source::from_bytes(Path::new("a.toml"), fits).is_ok());
        let error = Source::from_bytes(Path::new("a.toml"), too_large);
        assert_eq!(
            error.err().unwrap().to_string(),
            "error[config.too_large]: `a.toml` is larger than 4 MiB\n\
             hint: check that this is the right file"
        );
    }
}
