//! Which files a program reads, writes and removes.
//!
//! In: the calls of a program. Out: each file with the access to it, as far as its path is
//! written out. A mode that is not written out counts as writing.

use tidegate_model::FileImpact;
use tidegate_model::reading::{AbstractValue, Fact, ValueForm};

/// Stands for something that is not written out.
pub(super) const COMPUTED: &str = "*";

/// An argument as far as it is written out.
pub(super) fn written(fact: &Fact, at: usize) -> String {
    match fact.arguments.get(at).map(|argument| &argument.form) {
        Some(ValueForm::Text(text)) => text.clone(),
        Some(ValueForm::Begins(text)) => format!("{text}{COMPUTED}"),
        _ => COMPUTED.to_owned(),
    }
}

/// How a function accesses the file that one of its arguments names.
#[derive(Clone, Copy)]
enum Access {
    Read(usize),
    Write(usize),
    Remove(usize),
    /// Removes the first and writes the second.
    Move,
    /// As the mode at this place says.
    Mode(usize),
}

/// The files that a call accesses.
pub(super) fn files_of(fact: &Fact) -> Vec<FileImpact> {
    let Some(access) = access(&fact.path) else { return Vec::new() };
    // The file of a `Path` is where that was made, and not an argument of its methods.
    let is_method = fact.path.contains("Path().");
    let file = |at: usize, access: &str| {
        let path = if is_method { COMPUTED.to_owned() } else { written(fact, at) };
        FileImpact { path, access: access.to_owned() }
    };
    match access {
        Access::Read(at) => vec![file(at, "read")],
        Access::Write(at) => vec![file(at, "write")],
        Access::Remove(at) => vec![file(at, "remove")],
        Access::Move if is_method => {
            let target = FileImpact { path: written(fact, 0), access: "write".to_owned() };
            vec![file(0, "remove"), target]
        }
        Access::Move => vec![file(0, "remove"), file(1, "write")],
        Access::Mode(at) => vec![file(0, if reads(fact, at) { "read" } else { "write" })],
    }
}

/// Whether a mode, by position or by name, only reads. Without one, files are read.
fn reads(fact: &Fact, at: usize) -> bool {
    let is_reading = |value: &AbstractValue| match &value.form {
        ValueForm::Text(mode) => !mode.contains(['w', 'a', 'x', '+']),
        ValueForm::Object(keys) => !keys.iter().any(|(key, _)| WRITING_OPTIONS.contains(&&**key)),
        ValueForm::Function => true,
        ValueForm::Unknown
        | ValueForm::Begins(_)
        | ValueForm::Number(_)
        | ValueForm::Flag(_)
        | ValueForm::List => false,
    };
    let named = fact.arguments.iter().filter_map(|argument| match &argument.form {
        ValueForm::Object(keys) => keys.iter().find(|(key, _)| key == "mode" || key == "flags"),
        _ => None,
    });
    let by_position = fact.arguments.get(at).into_iter();
    named.map(|(_, value)| value).chain(by_position).all(is_reading)
}

/// Options of `Deno.open`.
const WRITING_OPTIONS: &[&str] = &["append", "create", "createNew", "truncate", "write"];

/// How a function accesses a file, by the function's path.
fn access(path: &str) -> Option<Access> {
    let (module, function) = path.rsplit_once('.').unwrap_or(("", path));
    let module = module.trim_start_matches("node:");
    let known = match module {
        "" => of_ours(function),
        "Deno" | "Bun" | "fs" | "fs/promises" | "fs.promises" | "fs.default" => of_node(function),
        "os" | "shutil" => of_python(module, function),
        "io" | "codecs" | "gzip" | "bz2" | "lzma" | "tarfile" | "zipfile" | "shelve" | "dbm" => {
            matches!(function, "open" | "ZipFile").then_some(Access::Mode(1))
        }
        _ => None,
    };
    let is_path = module.contains("Path()") && module.starts_with("pathlib");
    known.or_else(|| if is_path { of_path(function) } else { None })
}

/// Functions that programs have without an import.
fn of_ours(function: &str) -> Option<Access> {
    match function {
        "read_file" | "readFile" => Some(Access::Read(0)),
        "write_file" | "writeFile" => Some(Access::Write(0)),
        "open" => Some(Access::Mode(1)),
        _ => None,
    }
}

fn of_node(function: &str) -> Option<Access> {
    Some(match function.strip_suffix("Sync").unwrap_or(function) {
        "createReadStream" | "readFile" | "readTextFile" | "readdir" | "readlink" => {
            Access::Read(0)
        }
        "open" | "openAsBlob" => Access::Mode(1),
        "appendFile" | "chmod" | "chown" | "create" | "createWriteStream" | "lchown"
        | "lutimes" | "mkdir" | "mkdtemp" | "truncate" | "utimes" | "utime" | "write"
        | "writeFile" | "writeTextFile" => Access::Write(0),
        "copyFile" | "cp" | "link" | "symlink" => Access::Write(1),
        "rename" => Access::Move,
        "remove" | "rm" | "rmdir" | "unlink" => Access::Remove(0),
        _ => return None,
    })
}

fn of_python(module: &str, function: &str) -> Option<Access> {
    Some(match (module, function) {
        ("os", "listdir" | "scandir" | "walk") => Access::Read(0),
        ("os", "open") => Access::Mode(1),
        (
            "os",
            "chmod" | "chown" | "makedirs" | "mkdir" | "mkfifo" | "mknod" | "truncate" | "utime",
        ) => Access::Write(0),
        ("os", "link" | "symlink") | ("shutil", "copy" | "copy2" | "copyfile" | "copymode") => {
            Access::Write(1)
        }
        ("shutil", "copystat" | "copytree") => Access::Write(1),
        ("shutil", "chown" | "make_archive") => Access::Write(0),
        ("shutil", "unpack_archive") => Access::Write(1),
        ("os", "rename" | "renames" | "replace") | ("shutil", "move") => Access::Move,
        ("os", "remove" | "removedirs" | "rmdir" | "unlink") | ("shutil", "rmtree") => {
            Access::Remove(0)
        }
        _ => return None,
    })
}

/// Methods of `pathlib.Path`.
fn of_path(function: &str) -> Option<Access> {
    Some(match function {
        "iterdir" | "read_bytes" | "read_text" => Access::Read(0),
        "open" => Access::Mode(0),
        "chmod" | "hardlink_to" | "mkdir" | "symlink_to" | "touch" | "write_bytes"
        | "write_text" => Access::Write(0),
        "rename" | "replace" => Access::Move,
        "rmdir" | "unlink" => Access::Remove(0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use tidegate_model::reading::{AbstractValue, Fact, FactKind, ValueForm};

    use super::files_of;

    fn accessed(path: &str, arguments: &[ValueForm]) -> Vec<String> {
        let value = |form: &ValueForm| AbstractValue { form: form.clone(), ..Default::default() };
        let arguments = arguments.iter().map(value).collect();
        let fact = Fact { kind: FactKind::Call, path: path.into(), arguments, ..Fact::default() };
        files_of(&fact).iter().map(|file| format!("{} {}", file.access, file.path)).collect()
    }

    #[test]
    fn an_open_file_is_written_unless_its_mode_reads() {
        let text = |text: &str| ValueForm::Text(text.into());
        let keyword = |mode: &str| {
            let value = AbstractValue { form: text(mode), ..AbstractValue::default() };
            ValueForm::Object(vec![("mode".into(), value)])
        };
        for path in ["open", "io.open", "gzip.open", "fs.openSync", "fs.promises.open"] {
            assert_eq!(accessed(path, &[text("a")]), ["read a"], "{path}");
            for mode in ["r", "rb", "rt"] {
                assert_eq!(accessed(path, &[text("a"), text(mode)]), ["read a"], "{path} {mode}");
            }
            for mode in ["w", "a", "x", "r+", "wb", "ab+"] {
                assert_eq!(accessed(path, &[text("a"), text(mode)]), ["write a"], "{path} {mode}");
            }
            assert_eq!(accessed(path, &[text("a"), ValueForm::Unknown]), ["write a"], "{path}");
        }
        assert_eq!(accessed("open", &[text("a"), keyword("w")]), ["write a"]);
        assert_eq!(accessed("open", &[text("a"), keyword("r")]), ["read a"]);
        assert_eq!(accessed("pathlib.Path().open", &[text("w")]), ["write *"]);
        assert_eq!(accessed("pathlib.Path().open", &[]), ["read *"]);
    }

    #[test]
    fn writes_moves_and_removals_are_seen_in_both_languages() {
        let two = [ValueForm::Text("a".into()), ValueForm::Text("b".into())];
        for (path, expected) in [
            ("fs.writeFileSync", &["write a"][..]),
            ("fs.promises.appendFile", &["write a"]),
            ("fs.appendFileSync", &["write a"]),
            ("fs.mkdirSync", &["write a"]),
            ("fs.createWriteStream", &["write a"]),
            ("fs.createReadStream", &["read a"]),
            ("fs.copyFileSync", &["write b"]),
            ("fs.promises.cp", &["write b"]),
            ("fs.renameSync", &["remove a", "write b"]),
            ("fs.promises.rename", &["remove a", "write b"]),
            ("fs.promises.rm", &["remove a"]),
            ("fs.unlinkSync", &["remove a"]),
            ("Deno.writeTextFile", &["write a"]),
            ("writeFile", &["write a"]),
            ("os.rename", &["remove a", "write b"]),
            ("os.replace", &["remove a", "write b"]),
            ("os.remove", &["remove a"]),
            ("os.makedirs", &["write a"]),
            ("shutil.copy", &["write b"]),
            ("shutil.move", &["remove a", "write b"]),
            ("shutil.rmtree", &["remove a"]),
            ("pathlib.Path().write_text", &["write *"]),
            ("pathlib.Path().unlink", &["remove *"]),
            ("pathlib.Path().rename", &["remove *", "write a"]),
            ("pathlib.Path().parent.mkdir", &["write *"]),
            ("?.remove", &[]),
            ("list.remove", &[]),
            ("db.open", &[]),
        ] {
            assert_eq!(accessed(path, &two), expected, "{path}");
        }
    }
}
