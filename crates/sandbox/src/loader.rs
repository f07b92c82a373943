//! Finds the files that an executable needs to start: its loader and its libraries.
//!
//! In: an absolute path, and the folders that guests can write. Out: the paths under which
//! the kernel and the loader will look for these files. The executable itself is never run
//! here: a static one would ignore the request for a listing and start.
//! Invariant: its loader is run outside of any jail, so no guest can choose that file.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

/// Maximum nesting of scripts as interpreters: as many as Linux follows.
const MAX_SCRIPTS: usize = 4;

/// How long a listing may take. Chosen far above the usual few milliseconds.
const LISTING_TIME: Duration = Duration::from_secs(10);

/// The longest path of a loader or an interpreter: `PATH_MAX`.
const MAX_PATH_BYTES: u64 = 4096;

/// The cache that the loader reads before it searches folders.
const CACHE: &str = "/etc/ld.so.cache";

/// Libraries per listing: their names must fit into one variable, which Linux limits to
/// 128 KB.
const MAX_LISTED: usize = 200;

/// Maximum symbolic links in one path: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The files, besides the executable itself, that must exist when it starts. An error if
/// one of them is in a folder of `changeable`, or is reached through one.
pub async fn needed_files(executable: &Path, changeable: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    needed_files_and(executable, &[], changeable).await
}

/// The same, plus the files needed by libraries that it may load later.
pub(crate) async fn needed_files_and(
    executable: &Path,
    later: &[PathBuf],
    changeable: &[PathBuf],
) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut current = resolve(executable, changeable)?;
    for _ in 0..=MAX_SCRIPTS {
        match ExecutableKind::of(&current)? {
            ExecutableKind::Script { interpreter } => {
                current = resolve(&interpreter, changeable)?;
                files.push(interpreter);
            }
            ExecutableKind::Dynamic { loader } => {
                let resolved_loader = resolve(&loader, changeable)?;
                // At least once, for the executable alone.
                let once = later.is_empty().then_some(later);
                for some in once.into_iter().chain(later.chunks(MAX_LISTED)) {
                    let libraries = list_libraries(&resolved_loader, &current, some).await?;
                    for library in &libraries {
                        resolve(library, changeable)?;
                    }
                    files.extend(libraries);
                }
                files.push(loader);
                if Path::new(CACHE).exists() {
                    files.push(CACHE.into());
                }
                break;
            }
            ExecutableKind::Static => break,
        }
    }
    files.sort();
    files.dedup();
    files.retain(|file| file != executable);
    Ok(files)
}

/// Resolves a path, link by link. An error if any component is in `changeable`: it could be
/// another file by the time it is used.
fn resolve(path: &Path, changeable: &[PathBuf]) -> io::Result<PathBuf> {
    let parts = |path: &Path| path.iter().rev().map(OsString::from).collect::<Vec<_>>();
    let (mut left, mut done, mut links) = (parts(path), PathBuf::from("/"), 0);
    while let Some(part) = left.pop() {
        if part == ".." {
            done.pop();
            continue;
        }
        done.push(part);
        if changeable.iter().any(|folder| done.starts_with(folder)) {
            return Err(invalid("a file that it needs to start is writable by a command"));
        }
        // Fails if the path is not a link or does not exist.
        if let Ok(target) = fs::read_link(&done) {
            links += 1;
            if links > MAX_LINKS {
                return Err(invalid("its path has too many links"));
            }
            done.pop();
            left.extend(parts(&target));
        }
    }
    Ok(done)
}

#[derive(Debug, PartialEq)]
enum ExecutableKind {
    /// Begins with `#!`.
    Script {
        interpreter: PathBuf,
    },
    /// Names the loader that the kernel starts first.
    Dynamic {
        loader: PathBuf,
    },
    Static,
}

impl ExecutableKind {
    fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        (&mut file).take(MAX_PATH_BYTES).read_to_end(&mut head)?;
        if let Some(line) = head.strip_prefix(b"#!") {
            return Ok(Self::Script { interpreter: interpreter(line)? });
        }
        match loader_entry(&head)? {
            None => Ok(Self::Static),
            Some((offset, length)) => {
                let mut name = Vec::new();
                file.seek(SeekFrom::Start(offset))?;
                file.take(length.min(MAX_PATH_BYTES)).read_to_end(&mut name)?;
                let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
                Ok(Self::Dynamic { loader: absolute(name)? })
            }
        }
    }
}

fn interpreter(line: &[u8]) -> io::Result<PathBuf> {
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty());
    absolute(words.next().unwrap_or_default())
}

fn absolute(name: &[u8]) -> io::Result<PathBuf> {
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(name));
    if path.is_absolute() { Ok(path) } else { Err(invalid("its loader has no absolute path")) }
}

/// Offset and length of the loader's name, from the first bytes of a 64-bit ELF
/// file: the entry of the program header table with type `PT_INTERP`.
fn loader_entry(head: &[u8]) -> io::Result<Option<(u64, u64)>> {
    const PT_INTERP: u64 = 3;
    // Magic number, 64-bit, little-endian.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Err(invalid("it is neither a script nor a 64-bit ELF file"));
    }
    let table = number(head, 32, 8)?;
    let (size, count) = (number(head, 54, 2)?, number(head, 56, 2)?);
    for index in 0..count {
        let entry = table.saturating_add(index * size);
        if number(head, entry, 4)? == PT_INTERP {
            return Ok(Some((number(head, entry + 8, 8)?, number(head, entry + 32, 8)?)));
        }
    }
    Ok(None)
}

fn number(head: &[u8], at: u64, bytes: usize) -> io::Result<u64> {
    let found = usize::try_from(at).ok().and_then(|at| head.get(at..at.checked_add(bytes)?));
    let found = found.ok_or_else(|| invalid("its ELF header is cut off"))?;
    Ok(found.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}

/// The files that the loader would load. It maps them and runs none of their code.
async fn list_libraries(
    loader: &Path,
    executable: &Path,
    later: &[PathBuf],
) -> io::Result<Vec<PathBuf>> {
    let mut command = Command::new(loader);
    command.arg("--list").arg(executable).env_clear().current_dir("/").kill_on_drop(true);
    // Preloading them gives one listing for all of them.
    let all: Vec<&OsStr> = later.iter().map(|path| path.as_os_str()).collect();
    command.env("LD_PRELOAD", all.join(OsStr::new(":")));
    let output = timeout(LISTING_TIME, command.output()).await??;
    if !output.status.success() {
        return Err(invalid("its loader cannot list its libraries"));
    }
    Ok(libraries(&String::from_utf8_lossy(&output.stdout)))
}

/// The paths of a listing: `name => /path (address)` or `/path (address)`.
fn libraries(listing: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let line = line.rsplit_once(" (").map_or(line, |(line, _)| line);
        let path = line.split_once(" => ").map_or(line, |(_, path)| path).trim();
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    listing.lines().filter_map(path).collect()
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{ExecutableKind, interpreter, libraries, loader_entry, needed_files, resolve};

    #[test]
    fn a_listing_gives_paths_and_nothing_else() {
        let listing = "\tlinux-vdso.so.1 (0x00007fb587c98000)\n\
            \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fb587a88000)\n\
            \tlibgone.so => not found\n\
            \t/lib64/ld-linux-x86-64.so.2 (0x00007fb587c9a000)\n";
        let expected = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(libraries(listing), expected.map(PathBuf::from));
    }

    #[test]
    fn a_script_names_its_interpreter() {
        assert_eq!(interpreter(b" /bin/x -e\nrest").unwrap(), Path::new("/bin/x"));
        assert!(interpreter(b"python3\n").is_err());
        assert!(interpreter(b"").is_err());
    }

    #[test]
    fn broken_executables_are_errors() {
        assert!(loader_entry(b"MZ").is_err());
        let mut head = b"\x7fELF\x02\x01".to_vec();
        assert!(loader_entry(&head).is_err());
        head.resize(64, 0xff);
        assert!(loader_entry(&head).is_err());
    }

    #[tokio::test]
    async fn the_files_of_a_real_executable_are_found_and_it_is_not_run() {
        let own = std::env::current_exe().unwrap();
        let ExecutableKind::Dynamic { loader } = ExecutableKind::of(&own).unwrap() else { return };
        let files = needed_files(&own, &[]).await.unwrap();
        assert!(files.contains(&loader), "{files:?}");
        assert!(files.iter().any(|file| file.to_string_lossy().contains("libc.so")), "{files:?}");
        assert!(files.iter().all(|file| file.exists()), "{files:?}");
    }

    #[tokio::test]
    async fn what_a_command_can_write_is_in_the_way_of_nothing_that_is_started() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let (writable, fixed) = (folder.join("writable"), folder.join("fixed"));
        std::fs::create_dir(&writable).unwrap();
        std::fs::create_dir(&fixed).unwrap();
        let link = |target: &Path, name: PathBuf| {
            std::os::unix::fs::symlink(target, &name).unwrap();
            name
        };
        // Out of the fixed folder, over the writable one, and back to the system.
        let inner = link("/bin/sh".as_ref(), writable.join("sh"));
        let outer = link("../writable/sh".as_ref(), fixed.join("sh"));
        let script = fixed.join("script");
        std::fs::write(&script, format!("#!{}\n", outer.display())).unwrap();
        let shell = Path::new("/bin/sh").canonicalize().unwrap();
        for path in [&inner, &outer] {
            assert_eq!(resolve(path, &[]).unwrap(), shell);
            assert!(resolve(path, std::slice::from_ref(&writable)).is_err(), "{path:?}");
        }
        assert!(needed_files(&script, &[]).await.unwrap().contains(&outer));
        assert!(needed_files(&script, &[writable]).await.is_err());
        let around = link(&fixed.join("b"), fixed.join("a"));
        link(&fixed.join("a"), fixed.join("b"));
        assert!(resolve(&around, &[]).is_err());
    }
}
