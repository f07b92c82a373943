//! The Python of the machine: found, missing, too old, wrong, with packages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::forked::until_forked;
use super::library::{interpreter, run};
use crate::jail::attacker::{Camp, User, users};
use crate::support::{Bench, Equipment, Served, WHATEVER_THE_RISK, skip, text};

const HINT: &str = "write the program in TypeScript, or ask the user to install Python 3.9 or \
                    later on PATH or to set `python.path`; `tidegate doctor` shows what was found";

fn error_of(bench: &Bench, path: &Path) -> Value {
    let mut served = Served::start(bench.tidegate().arg("serve").env("PATH", path));
    let answer = run(&mut served, "1");
    // TypeScript continues to work.
    assert_eq!(served.execute("return 1")["output"], 1);
    answer["error"].clone()
}

fn no_engine(message: &str) -> Value {
    json!({"code": "sandbox.no_engine", "message": message, "hint": HINT})
}

#[test]
fn a_python_that_is_missing_broken_or_too_old_is_an_error_with_a_remedy() {
    let bench = Bench::new();
    let empty = bench.path().join("empty");
    let missing = no_engine("there is no Python on this machine");
    assert_eq!(error_of(&bench, &empty), missing);
    bench.write("tidegate.toml", "[python]\npath = '/none/python3'");
    assert_eq!(error_of(&bench, Path::new("/usr/bin")), missing);

    let stand_in = |says: &str| {
        let file = bench.write("bin/python3", &format!("#!/bin/sh\n{says}\n"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        bench.write("tidegate.toml", "[python]\npath = 'bin/python3'");
        error_of(&bench, &empty)
    };
    let broken = no_engine("the Python of this machine does not run");
    assert_eq!(stand_in("exit 3"), broken);
    assert_eq!(stand_in("echo '{not json'"), broken);
    let said = json!({
        "program": "/usr/bin/python3.8", "version": [3, 8, 18], "implementation": "cpython",
        "library": ["/usr/lib"]
    });
    let old = no_engine("found Python 3.8.18; 3.9 or later is required");
    assert_eq!(stand_in(&format!("echo '{said}'")), old);
    let said = said.to_string().replace("cpython", "pypy").replace("[3,8,18]", "[3,11,0]");
    assert_eq!(stand_in(&format!("echo '{said}'")), broken);
}

#[test]
fn a_real_python_that_is_too_old_is_passed_over() {
    let test = "a_real_python_that_is_too_old_is_passed_over";
    let Some(old) = versions().into_iter().find(|(minor, _)| *minor < 9) else {
        skip(test, "there is no Python before 3.9 in `~/.pyenv/versions`");
        return;
    };
    let bench = Bench::new();
    let folders = [old.1.parent().unwrap().to_owned(), "/usr/bin".into()];
    let path = std::env::join_paths(folders).unwrap();
    let mut served = Served::start(bench.tidegate().arg("serve").env("PATH", path));
    assert_ne!(interpreter(&mut served, test), None);
    bench.write("tidegate.toml", &format!("[python]\npath = {}", json!(old.1)));
    let message = error_of(&bench, Path::new("/usr/bin"))["message"].clone();
    let message = message.as_str().unwrap();
    assert!(message.starts_with("found Python 3."), "{message}");
}

/// All versions in use, as far as they are installed on this machine.
#[test]
fn every_version_from_3_9_on_runs_programs() {
    let test = "every_version_from_3_9_on_runs_programs";
    let found: Vec<_> = versions().into_iter().filter(|(minor, _)| *minor >= 9).collect();
    if found.is_empty() {
        skip(test, "there is no Python in `~/.pyenv/versions`");
    }
    let program = "import asyncio, json, os, sys\n\
        from servers import drive\n\
        async def one(path):\n    return (await drive.read_file(path=path)).text\n\
        paths = [file.path for file in drive.list_files().files][:2]\n\
        texts = await asyncio.gather(*(one(path) for path in paths), drive.list_files())\n\
        try:\n    drive.read_file(path='nope')\n\
        except ToolError as error:\n    code = error.code\n\
        write_file('a.txt', 'x')\n\
        return [len(texts), code, os.listdir('servers'), os.path.getsize('servers/drive/__init__.py') > 100, read_file('a.txt'), sys.version_info[1]]";
    for (minor, python) in found {
        let bench = Bench::new();
        let own = json!(env!("CARGO_BIN_EXE_tidegate"));
        let servers = format!("[servers.drive]\ncommand = {own}\nargs = ['demo-server', 'drive']");
        bench.write("tidegate.toml", &format!("[python]\npath = {}\n{servers}", json!(python)));
        let mut served = bench.serve();
        let expected = json!([3, "call.tool_failed", ["drive"], true, "x", minor]);
        // First a started worker, then a forked one.
        for _ in 0..2 {
            let answer = run(&mut served, program);
            assert_eq!(answer["output"], expected, "3.{minor}: {answer}");
            until_forked(&mut served);
        }
        let answer = run(&mut served, "def f():\n    return {}['a']\nf()");
        assert_eq!(answer["error"]["line"], 2, "3.{minor}: {answer}");
    }
}

/// Interpreters of pyenv by their minor version.
fn versions() -> Vec<(u64, PathBuf)> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let entries = fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let minor = name.strip_prefix("3.")?.split('.').next()?.parse().ok()?;
            let python = entry.path().join("bin/python3");
            python.exists().then_some((minor, python))
        })
        .collect();
    found.sort();
    found
}

#[test]
fn packages_of_a_virtual_environment_can_be_imported_and_nothing_else_of_it_is_seen() {
    let test = "packages_of_a_virtual_environment_can_be_imported_and_nothing_else_of_it_is_seen";
    let bench = Bench::new();
    let Some(python) = interpreter(&mut bench.serve(), test) else { return };
    let venv = bench.path().join("venv");
    let mut make = Command::new(&python);
    make.args(["-m", "venv", "--without-pip"]).arg(&venv);
    if !make.output().is_ok_and(|made| made.status.success()) {
        skip(test, "this Python makes no virtual environments");
        return;
    }
    let minor = run(&mut bench.serve(), "import sys\nsys.version_info[1]")["output"].clone();
    let package = format!("venv/lib/python3.{minor}/site-packages/greeting/__init__.py");
    bench.write(&package, "def hello(name):\n    return f'hello {name}'\n");
    bench.write("venv/private.txt", "private");
    let missing = run(&mut bench.serve(), "import greeting");
    assert_eq!(
        missing["error"]["message"].as_str().unwrap().lines().next().unwrap(),
        "the program threw: ModuleNotFoundError: No module named 'greeting'"
    );

    bench.write("tidegate.toml", "[python]\npackages = 'venv'");
    let mut served = bench.serve();
    let seen = format!(
        "import greeting, os\n[greeting.hello('you'), os.path.exists({}), os.access(os.path.dirname(greeting.__file__), os.W_OK)]",
        json!(venv.join("private.txt"))
    );
    assert_eq!(run(&mut served, &seen)["output"], json!(["hello you", false, false]));

    bench.write("tidegate.toml", "[python]\npackages = 'nowhere'");
    let answer = run(&mut bench.serve(), "1");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("`python.packages` has no packages for Python 3."), "{message}");
}

/// A real environment with compiled packages: the libraries that they load are found
/// too.
#[test]
fn compiled_packages_of_a_real_environment_work() {
    let test = "compiled_packages_of_a_real_environment_work";
    let Some(equipment) = Equipment::get(test, &["git"]) else { return };
    let python = equipment.server("git", &[])["command"].as_str().map(PathBuf::from).unwrap();
    let bench = Bench::new();
    let venv = python.parent().unwrap().parent().unwrap();
    bench.write("tidegate.toml", &format!("[python]\npackages = {}", json!(venv)));
    let program = "from pydantic import BaseModel\n\
        class Lead(BaseModel):\n    name: str\n    value: int = 0\n\
        Lead.model_validate({'name': 'a', 'value': '5'})";
    let answer = run(&mut bench.serve(), program);
    assert_eq!(answer["output"], json!({"name": "a", "value": 5}), "{answer}");
}

#[test]
fn the_doctor_runs_a_program_in_python() {
    let test = "the_doctor_runs_a_program_in_python";
    let bench = Bench::new();
    let Some(python) = interpreter(&mut bench.serve(), test) else { return };
    let said = Command::new(&python).arg("--version").output().unwrap();
    let version = text(&said.stdout).trim().trim_start_matches("Python ").to_owned();
    let (message, status) = finding(&bench);
    let start = format!("{version} at `{python}` ran `return 1` in ");
    assert!(message.starts_with(&start), "{message}");
    assert!(message.ends_with(" ms; later ones are forked"), "{message}");
    assert_eq!(status, "ok");
    bench.write("tidegate.toml", "[python]\nfork = false");
    let (message, _) = finding(&bench);
    assert!(message.ends_with(" ms; each starts a new process, as configured"), "{message}");
    bench.write("tidegate.toml", "[python]\npath = '/none/python3'");
    let missing = "there is no Python at `/none/python3`; programs in Python cannot run";
    assert_eq!(finding(&bench), (missing.to_owned(), "problem".to_owned()));
}

fn finding(bench: &Bench) -> (String, String) {
    let output = bench.command(&["doctor", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap();
    let found = findings.iter().find(|one| one["name"] == "programs in Python").unwrap();
    let word = |key: &str| found[key].as_str().unwrap().to_owned();
    (word("message"), word("status"))
}

/// As in a container that allows no namespaces: the other layers hold, and the program
/// has no folder of its own.
#[test]
fn without_namespaces_programs_run_and_have_no_files() {
    let test = "without_namespaces_programs_run_and_have_no_files";
    // A Python that an unprivileged user can read.
    let python = Path::new("/usr/bin/python3");
    if !python.is_file() {
        return skip(test, "there is no `/usr/bin/python3`");
    }
    for user in users(test) {
        let camp = Camp::without(user, "namespaces");
        let secret = camp.file("private/secret", "mine");
        let settings = format!("[python]\npath = '/usr/bin/python3'\n{WHATEVER_THE_RISK}");
        camp.file("home/tidegate.toml", &settings);
        let home = camp.folder("home");
        let mut serve = Command::new(camp.executable("attacker"));
        if user == User::Dropped {
            serve.args(["as", "65534", "--"]).arg(camp.executable("attacker"));
        }
        serve.args(["without", "namespaces", "--"]).arg(camp.executable("tidegate"));
        serve.arg("serve").current_dir(&home).env("TIDEGATE_HOME", home.join("state"));
        let mut served = Served::start(&mut serve);
        let source = format!(
            "import hashlib, json, os, socket, threading\n\
             def tried(what, *arguments):\n    \
                 try:\n        return what(*arguments) and None\n    \
                 except (OSError, ToolError) as error:\n        return type(error).__name__\n\
             result = [hashlib.sha256(b'').hexdigest()[:4], tried(open, {secret}), tried(os.listdir, '/'),\n  \
                 tried(write_file, 'a', 'b'), tried(socket.socket), tried(os.kill, {neighbour}, 0)]",
            secret = json!(secret),
            neighbour = std::process::id(),
        );
        // Every worker is started: there can be no zygote.
        for _ in 0..4 {
            let answer = run(&mut served, &source);
            let denied = "PermissionError";
            let expected = json!(["e3b0", denied, denied, denied, denied, denied]);
            assert_eq!(answer["output"], expected, "{user:?} {answer}");
        }
        // The same holds for the engines of the machine.
        let answer = served.execute_with(json!({"code": "return 1 + 1", "engine": "node"}));
        assert_eq!(answer["output"], 2, "{user:?} {answer}");
    }
}
