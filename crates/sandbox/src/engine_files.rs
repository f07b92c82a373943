//! Which files of the machine an engine needs to run.
//!
//! In: an executable. Out: itself, the dynamic loader and every shared library,
//! under the names by which the loader opens them. A jail that holds these files
//! and nothing else can start the engine. The loader itself is asked, in its
//! listing mode: it runs nothing of the executable.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of an executable, itself first.
pub fn engine_files(program: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![program.to_owned()];
    let Some(loader) = interpreter(program)? else { return Ok(files) };
    let output = Command::new(&loader)
        .arg("--list")
        .arg(program)
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("`{}` cannot list it", loader.display())));
    }
    files.push(loader);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match library(line)? {
            Some(library) if !files.contains(&library) => files.push(library),
            _ => {}
        }
    }
    Ok(files)
}

/// The file in a line such as `libc.so.6 => /lib/libc.so.6 (0x7f…)`. Nothing for
/// what is in the kernel.
fn library(line: &str) -> io::Result<Option<PathBuf>> {
    let line = line.trim();
    let named = line.split_once(" => ").map_or(line, |(_, place)| place);
    if named == "not found" {
        return Err(io::Error::other(format!("a library is missing: `{line}`")));
    }
    let place = named.rsplit_once(" (").map_or(named, |(place, _)| place);
    Ok(place.starts_with('/').then(|| PathBuf::from(place)))
}

const INTERPRETER: u32 = 3;

/// The dynamic loader that an executable names. Nothing if it needs none.
fn interpreter(program: &Path) -> io::Result<Option<PathBuf>> {
    let mut file = File::open(program)?;
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    // ELF of 64 bits, little-endian, as on all machines that the jail is for.
    if header[..6] != *b"\x7fELF\x02\x01" {
        return Err(io::Error::other("not an executable of this machine"));
    }
    let table = number(&header, 32, 8);
    let (size, count) = (number(&header, 54, 2), number(&header, 56, 2));
    for index in 0..count {
        let mut entry = [0; 56];
        file.seek(SeekFrom::Start(table.saturating_add(index * size)))?;
        file.read_exact(&mut entry)?;
        if number(&entry, 0, 4) != u64::from(INTERPRETER) {
            continue;
        }
        let mut name = Vec::new();
        file.seek(SeekFrom::Start(number(&entry, 8, 8)))?;
        // A path: what is longer is none.
        file.take(number(&entry, 32, 8).min(4096)).read_to_end(&mut name)?;
        name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
        return Ok(Some(PathBuf::from(std::ffi::OsString::from_vec(name))));
    }
    Ok(None)
}

fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let bytes = bytes.get(at..at + length).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::{engine_files, library};

    #[test]
    fn lines_of_the_loader_are_read() {
        let read = |line| library(line).map_err(|error| error.to_string());
        let path = |text| Ok(Some(PathBuf::from(text)));
        assert_eq!(read("\tlinux-vdso.so.1 (0x00007ffc)"), Ok(None));
        assert_eq!(read("\tlibc.so.6 => /lib/libc.so.6 (0x00007f)"), path("/lib/libc.so.6"));
        assert_eq!(
            read("\t/lib64/ld-linux-x86-64.so.2 (0x00007f)"),
            path("/lib64/ld-linux-x86-64.so.2")
        );
        assert_eq!(
            read("\tlibx.so => not found"),
            Err("a library is missing: `libx.so => not found`".to_owned())
        );
    }

    /// The proof is a root with nothing else in it.
    #[test]
    fn the_files_of_an_executable_are_all_that_it_needs() {
        let this = std::env::current_exe().unwrap();
        let files = engine_files(&this).unwrap();
        assert_eq!(files[0], this);
        assert!(files.len() > 2, "{files:?}");
        assert!(files.iter().all(|file| file.is_absolute() && file.is_file()), "{files:?}");
    }

    #[test]
    fn node_is_listed_with_its_loader_and_libraries() {
        let Ok(output) = Command::new("node").args(["-p", "process.execPath"]).output() else {
            eprintln!("skipped: there is no `node` on PATH");
            return;
        };
        let node = String::from_utf8(output.stdout).unwrap();
        let files = engine_files(Path::new(node.trim())).unwrap();
        let names: Vec<String> = files
            .iter()
            .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names[0], "node");
        assert!(names[1].starts_with("ld-"), "{names:?}");
        assert!(names.iter().any(|name| name.starts_with("libc.")), "{names:?}");
        assert!(files.iter().all(|file| file.is_file()), "{files:?}");
    }

    #[test]
    fn a_script_has_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        std::fs::write(&script, format!("#!/bin/sh\n{}", "#".repeat(100))).unwrap();
        let error = engine_files(&script).unwrap_err();
        assert_eq!(error.to_string(), "not an executable of this machine");
    }
}
