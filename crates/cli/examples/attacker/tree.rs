//! Attacks of an engine or a command on granted folders and on the scratch folder.
//!
//! `readable` and `writable` are granted folders; `secret` is a file outside of both.

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use nix::errno::Errno;
use nix::libc;
use serde_json::{Map, Value, json};

use crate::kernel::{at, call};

pub(crate) fn all(attack: &Value) -> Value {
    let path = |key: &str| PathBuf::from(attack[key].as_str().unwrap());
    let (readable, writable, secret) = (path("readable"), path("writable"), path("secret"));
    let mut said = Map::new();
    let mut note = |name: &str, what: String| drop(said.insert(name.to_owned(), what.into()));
    note("read what may be read", text(fs::read(readable.join("file"))));
    note("write what may be written", text(fs::write(writable.join("made"), "x")));
    for (name, said) in rights(&readable, &writable) {
        note(name, said);
    }
    note("write what may only be read", text(fs::write(readable.join("file"), "x")));
    note("make a file where one may only read", text(fs::write(readable.join("new"), "x")));
    note("remove what may only be read", text(fs::remove_file(readable.join("file"))));
    note("read outside", text(fs::read(&secret)));
    note("read outside through dots", text(fs::read(dots(&readable, &secret))));
    note("list the folder above", text(fs::read_dir(readable.parent().unwrap())));
    note("list the root", text(fs::read_dir("/")));
    let link = writable.join("link");
    note("make a link to the outside", text(symlink(&secret, &link)));
    note("read through the link", text(fs::read(&link)));
    note("write through the link", text(fs::write(&link, "x")));
    note(
        "hard link what may only be read",
        text(fs::hard_link(readable.join("file"), writable.join("hard"))),
    );
    note("hard link the outside", text(fs::hard_link(&secret, writable.join("hard link"))));
    note("rename across", text(fs::rename(readable.join("file"), writable.join("file"))));
    note(
        "change rights of what may only be read",
        text(fs::set_permissions(readable.join("file"), fs::Permissions::from_mode(0o777))),
    );
    let program = writable.join("program");
    note("copy a program", text(copy(&readable.join("program"), &program)));
    note("run a program that was written", run(&program));
    note("run a program that may be read", run(&readable.join("program")));
    note("run a program of root", run(&readable.join("setuid")));
    note("make a device", device(&writable));
    note("open a device of the tree", text(fs::File::open(readable.join("device"))));
    note("a sparse file of a terabyte", sparse(&writable));
    note(
        "a hook beside the grant",
        text(fs::write(readable.parent().unwrap().join(".bashrc"), "x")),
    );
    said.into()
}

/// Permissions and times of readable and of written files, and a socket that is granted like a
/// file.
fn rights(readable: &Path, writable: &Path) -> [(&'static str, String); 6] {
    let mode = fs::Permissions::from_mode;
    let (read, made) = (readable.join("file"), writable.join("made"));
    let lending = fs::OpenOptions::new().write(true).create_new(true).mode(0o4755).clone();
    let opened = |path: &Path| fs::File::open(path);
    [
        ("make a file that lends its owner's rights", text(lending.open(writable.join("lends")))),
        ("let a file lend its owner's rights", text(fs::set_permissions(&made, mode(0o4755)))),
        (
            "let an open file lend its group's rights",
            text(opened(&made).and_then(|file| file.set_permissions(mode(0o2755)))),
        ),
        (
            "change rights of an open file that may only be read",
            text(opened(&read).and_then(|file| file.set_permissions(mode(0o777)))),
        ),
        (
            "change times of an open file that may only be read",
            text(opened(&read).and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH))),
        ),
        ("send to a socket that may only be read", datagram(&readable.join("socket"))),
    ]
}

/// From one end of a pair, which is a socket without `socket`.
fn datagram(to: &Path) -> String {
    let sent = UnixDatagram::pair().and_then(|(end, _)| end.send_to(b"x", to));
    text(sent)
}

/// Not `fs::copy`, which sets permissions with a separate call.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(to)?;
    file.write_all(&fs::read(from)?)
}

/// Fills `/tmp` with one file, then with many.
pub(crate) fn fill_scratch(attack: &Value) -> Value {
    let folder = Path::new(attack["folder"].as_str().unwrap_or("/tmp"));
    let mut bytes = 0_u64;
    let block = vec![1_u8; 1 << 16];
    let large = folder.join("large");
    let full = match fs::File::create(&large) {
        Err(error) => name(&error),
        Ok(mut file) => loop {
            match file.write(&block) {
                Ok(count) => bytes += count as u64,
                Err(error) => break name(&error),
            }
            if bytes > 1 << 30 {
                break "ok".to_owned();
            }
        },
    };
    let _ = fs::remove_file(&large);
    let (mut files, mut many) = (0_u64, "ok".to_owned());
    while files < 1_000_000 {
        if let Err(error) = fs::File::create(folder.join(files.to_string())) {
            many = name(&error);
            break;
        }
        files += 1;
    }
    json!({"bytes": bytes, "full": full, "files": files, "many": many})
}

/// A path to a file, relative to another folder.
fn dots(from: &Path, to: &Path) -> PathBuf {
    let up: PathBuf = from.components().skip(1).map(|_| "..").collect();
    from.join(up).join(to.strip_prefix("/").unwrap())
}

fn device(folder: &Path) -> String {
    let path = CString::new(folder.join("device").to_str().unwrap()).unwrap();
    call(libc::SYS_mknodat, &[libc::AT_FDCWD.into(), at(path.as_c_str()), 0o60_666, 0x700])
}

fn sparse(folder: &Path) -> String {
    match fs::File::create(folder.join("sparse")) {
        Ok(file) => {
            // Otherwise the kernel would kill the process with a signal.
            // SAFETY: no handler of ours runs.
            let _ = unsafe {
                nix::sys::signal::signal(
                    nix::sys::signal::Signal::SIGXFSZ,
                    nix::sys::signal::SigHandler::SigIgn,
                )
            };
            text(file.set_len(1 << 40))
        }
        Err(error) => name(&error),
    }
}

/// The user that a started program runs as.
fn run(program: &Path) -> String {
    match Command::new(program).arg("-u").output() {
        Ok(output) => format!("ran as {}", String::from_utf8_lossy(&output.stdout).trim()),
        Err(error) => name(&error),
    }
}

fn text<T>(outcome: std::io::Result<T>) -> String {
    outcome.map_or_else(|error| name(&error), |_| "ok".to_owned())
}

fn name(error: &std::io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.to_string(), |error| format!("{:?}", Errno::from_raw(error)))
}
