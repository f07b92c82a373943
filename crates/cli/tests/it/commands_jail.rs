//! Host commands in their jails, with real executables of the machine. Each
//! refusal stands beside the same thing one step inside of what is granted.

use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::geteuid;
use serde_json::{Value, json};

use crate::support::{Bench, query, skip, text};

/// Somebody without rights, who owns nothing: `nobody` on Linux.
const NOBODY: u32 = 65534;

/// A folder that everybody may enter: as root, a command runs as a user of its
/// own, who must be able to reach what is granted.
fn bench(configuration: &str) -> Bench {
    let bench = Bench::new();
    open(bench.path());
    bench.write("tidegate.toml", &format!("profile = \"execute_full\"\n{configuration}"));
    bench
}

fn open(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs `commands.run(…)` and returns its result, or its error.
fn run(bench: &Bench, call: &str) -> Value {
    let answer = bench.run(&program(call));
    assert_eq!(answer["error"], Value::Null, "{answer}");
    answer["output"].clone()
}

fn program(call: &str) -> String {
    format!(
        "try {{ return await commands.run({call}); }}\n\
         catch (error) {{ return [error.code, error.message, error.hint]; }}"
    )
}

fn ended(exit_code: i32, stdout: &str) -> Value {
    json!({"exit_code": exit_code, "stdout": stdout, "stderr": "", "truncated": false})
}

fn denied(message: &str, hint: &str) -> Value {
    json!(["command.denied", message, hint])
}

/// A program for the system's Python, granted as a file, as command `py`. What
/// is in `more` is added to the configuration.
fn python(script: &str, more: &str) -> Bench {
    let bench = Bench::new();
    open(bench.path());
    let file = bench.write("script.py", script);
    bench.write(
        "tidegate.toml",
        &format!(
            "profile = \"execute_full\"\n[commands.py]\npath = \"/usr/bin/python3\"\n\
             args = [\"-I\", \"-S\", {file:?}]\nrest = \"*\"\n\
             read = [\"/usr/lib/python3.11\", {file:?}]\n{more}\n"
        ),
    );
    bench
}

fn has_python(test: &str) -> bool {
    let there = Path::new("/usr/bin/python3").exists() && Path::new("/usr/lib/python3.11").exists();
    if !there {
        skip(test, "there is no Python 3.11 in `/usr`");
    }
    there
}

fn run_python(script: &str, more: &str) -> Value {
    run_marked(script, "none", more)
}

/// With a word on its command line, by which its processes are found.
fn run_marked(script: &str, mark: &str, more: &str) -> Value {
    let bench = python(script, more);
    let file = bench.path().join("script.py");
    run(&bench, &format!("'py', ['-I', '-S', {file:?}, {mark:?}]"))
}

#[test]
fn a_configured_command_runs_with_arguments_and_input() {
    let bench = bench("[commands.sort]\npath = \"/usr/bin/sort\"\nargs = [\"regex:-r|-n\"]\n");
    assert_eq!(run(&bench, "'sort', ['-r'], { input: 'a\\nc\\nb\\n' }"), ended(0, "c\nb\na\n"));
    let rows = query(
        &bench.state_dir().join("tidegate.db"),
        "SELECT c.name, c.path, c.outcome, c.exit_code, c.arguments, c.argument_bytes, \
         c.input_bytes, c.output_bytes, r.kind FROM commands c JOIN runs r ON r.id = c.run_id",
    );
    assert_eq!(rows, ["sort|/usr/bin/sort|succeeded|0|1|2|6|6|execute_code"]);
}

#[test]
fn a_failing_command_is_a_result_and_its_code_is_exact() {
    let bench = bench("[commands.cat]\npath = \"/usr/bin/cat\"\nrest = \"*\"\n");
    let answer = run(&bench, "'cat', ['/nope']");
    assert_eq!(answer["exit_code"], 1);
    assert_eq!(answer["stderr"], "/usr/bin/cat: /nope: No such file or directory\n");
    if has_python("exit codes and signals") {
        // 129 is not the first signal, and a signal is not an exit code.
        assert_eq!(run_python("import os; os._exit(129)", "")["exit_code"], 129);
        let killed = run_python("import os; os.kill(os.getpid(), 9)", "");
        assert_eq!((&killed["exit_code"], &killed["signal"]), (&Value::Null, &json!("SIGKILL")));
    }
}

#[test]
fn what_is_not_configured_or_not_in_the_profile_is_refused() {
    let sort = "[commands.sort]\npath = \"/usr/bin/sort\"\n";
    let bench = bench(sort);
    assert_eq!(run(&bench, "'sort', []"), ended(0, ""));
    assert_eq!(
        run(&bench, "'srot', []"),
        denied("there is no command `srot`", "did you mean `sort`?")
    );
    assert_eq!(
        run(&bench, "'/usr/bin/sort', []"),
        denied("there is no command `/usr/bin/sort`", "did you mean `sort`?")
    );
    // Without a profile that has them there are no commands, configured or not.
    bench.write("tidegate.toml", sort);
    let refused = denied(
        "`sort` may not be run: it is not among the `commands` of profile `default`",
        "the user can choose a `profile` that has it, such as `execute_full`",
    );
    assert_eq!(run(&bench, "'sort', []"), refused);
    // And asking for a wider profile does not bring them.
    let file = bench.write("program.ts", &program("'sort', []"));
    let file = file.to_str().unwrap();
    let output = bench.command(&["run", "--json", "--profile", "execute_full", file]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["output"], refused);
    bench.write("tidegate.toml", "");
    let none = denied("there is no command `sort`", "call a tool of a server instead");
    assert_eq!(run(&bench, "'sort', []"), none);
    let outcomes = query(
        &bench.state_dir().join("tidegate.db"),
        "SELECT name, path, outcome, error_code FROM commands ORDER BY id",
    );
    assert_eq!(
        outcomes,
        [
            "sort|/usr/bin/sort|succeeded|",
            "srot||failed|command.denied",
            "/usr/bin/sort||failed|command.denied",
            "sort||failed|command.denied",
            "sort||failed|command.denied",
            "sort||failed|command.denied",
        ]
    );
}

#[test]
fn arguments_outside_of_their_patterns_are_refused() {
    let bench = bench(
        "[commands.echo]\npath = \"/usr/bin/echo\"\nargs = [\"clone\", \"*\"]\nrest = \"regex:[a-z]+\"\n",
    );
    assert_eq!(run(&bench, "'echo', ['clone', 'x; id', 'abc']"), ended(0, "clone x; id abc\n"));
    let hint = "the user allows others under `args` of command `echo`";
    let refused = |number: u32| {
        denied(&format!("argument {number} of `echo` is not one that is allowed"), hint)
    };
    assert_eq!(run(&bench, "'echo', ['push', 'x']"), refused(1));
    assert_eq!(run(&bench, "'echo', ['clone', '--upload-pack=/bin/sh']"), refused(2));
    assert_eq!(run(&bench, "'echo', ['clone', '-']"), refused(2));
    assert_eq!(run(&bench, "'echo', ['clone', 'x', 'a1']"), refused(3));
    let character =
        denied("argument 2 of `echo` has a NUL or a line end", "pass such text as `input`");
    assert_eq!(run(&bench, "'echo', ['clone', 'a\\nb']"), character);
    assert_eq!(run(&bench, "'echo', ['clone', 'a\\0b']"), character);
    assert_eq!(
        run(&bench, "'echo', ['clone']"),
        denied("`echo` takes at least 2 and at most 256 arguments", hint)
    );
    assert_eq!(
        run(&bench, "'echo', 'clone x'"),
        denied(
            "`commands.run` takes the arguments as a list",
            "write `commands.run(\"name\", [\"first\", \"second\"])`"
        )
    );
}

#[test]
fn files_are_read_and_written_only_where_granted() {
    let bench = Bench::new();
    // Not below `/tmp`, where a command has its own.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    open(folder.path());
    let (granted, other) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
    std::fs::write(&granted, "granted").unwrap();
    std::fs::write(&other, "not granted").unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o777)).unwrap();
    bench.write(
        "tidegate.toml",
        &format!(
            "profile = \"execute_full\"\n\
             [commands.cat]\npath = \"/usr/bin/cat\"\nrest = \"*\"\nread = [{granted:?}]\n\
             [commands.tee]\npath = \"/usr/bin/tee\"\nargs = [\"*\"]\nread = [{granted:?}]\nwrite = [{out:?}]\n"
        ),
    );
    let cat = |path: &Path| run(&bench, &format!("'cat', [{path:?}]"));
    let tee = |path: &Path| run(&bench, &format!("'tee', [{path:?}], {{ input: 'x' }}"));
    assert_eq!(cat(&granted), ended(0, "granted"));
    // Outside of the jail both can be read.
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "not granted");
    for path in [other.as_path(), Path::new("/etc/passwd"), Path::new("/proc/self/environ")] {
        let answer = cat(path);
        assert_eq!((&answer["exit_code"], &answer["stdout"]), (&json!(1), &json!("")), "{path:?}");
    }
    assert_eq!(tee(&out.join("new")), ended(0, "x"));
    assert_eq!(std::fs::read_to_string(out.join("new")).unwrap(), "x");
    for path in [&granted, &other, &folder.path().join("new")] {
        assert_eq!(tee(path)["exit_code"], 1, "{path:?}");
    }
    assert_eq!(std::fs::read_to_string(&granted).unwrap(), "granted");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "not granted");
    // Its own `/tmp` is empty, and gone after it.
    let scratch = PathBuf::from(format!("/tmp/tidegate-test-{}", std::process::id()));
    assert_eq!(tee(&scratch), ended(0, "x"));
    assert!(!scratch.exists());
}

#[test]
fn a_grant_inside_another_one_neither_empties_a_file_nor_follows_a_link() {
    let bench = Bench::new();
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    open(folder.path());
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o777)).unwrap();
    let kept = out.join("kept.txt");
    let elsewhere = folder.path().join("elsewhere.txt");
    for file in [&kept, &elsewhere] {
        std::fs::write(file, "kept").unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o666)).unwrap();
    }
    bench.write(
        "tidegate.toml",
        &format!(
            "profile = \"execute_full\"\n\
             [commands.inner]\npath = \"/usr/bin/cat\"\nrest = \"*\"\nwrite = [{out:?}, {kept:?}]\n"
        ),
    );
    assert_eq!(run(&bench, &format!("'inner', [{kept:?}]")), ended(0, "kept"));
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
    // As a command that may write there could leave it for the next one.
    std::fs::remove_file(&kept).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &kept).unwrap();
    run(&bench, &format!("'inner', [{kept:?}]"));
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "kept");
}

#[test]
fn the_environment_is_what_is_configured_and_nothing_else() {
    let bench = bench(
        "[commands.printenv]\npath = \"/usr/bin/printenv\"\nenv = { A = \"${HOME:-x}1\" }\n\
         [commands.bare]\npath = \"/usr/bin/printenv\"\n",
    );
    let home = std::env::var("HOME").unwrap_or_else(|_| "x".into());
    assert_eq!(run(&bench, "'printenv', []"), ended(0, &format!("A={home}1\n")));
    assert_eq!(run(&bench, "'bare', []"), ended(0, ""));
}

#[test]
fn there_is_no_network() {
    if !has_python("no network for commands") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('connected')"
    );
    let outside = Command::new("/usr/bin/python3").args(["-I", "-c", &script]).output().unwrap();
    assert_eq!(text(&outside.stdout), "connected\n", "{}", text(&outside.stderr));
    let inside = run_python(&script, "");
    assert_eq!(inside["exit_code"], 1, "{inside}");
    assert_eq!(inside["stdout"], "");
    let error = inside["stderr"].as_str().unwrap();
    assert!(error.ends_with("PermissionError: [Errno 1] Operation not permitted\n"), "{error}");
}

#[test]
fn a_flood_is_truncated_and_the_exit_code_is_kept() {
    if !has_python("a flood of output") {
        return;
    }
    let script = "import os\nfor _ in range(300): os.write(1, b'x' * 65536)\nos._exit(3)";
    let bench = python(script, "output = \"64KB\"\ntime = \"25s\"");
    let file = bench.path().join("script.py");
    let answer = bench.run(&format!(
        "const end = await commands.run('py', ['-I', '-S', {file:?}]);\n\
         return [end.exit_code, end.truncated, end.stdout.length, end.stderr];"
    ));
    assert_eq!(answer["output"], json!([3, true, 64 * 1024, ""]), "{answer}");
}

/// Processes whose command line has this text.
fn processes_with(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let marked = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        text(&line).contains(mark)
    };
    numbers.filter(|&pid| pid != std::process::id()).filter(marked).collect()
}

fn wait_for_none(mark: &str) -> Vec<u32> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let left = processes_with(mark);
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The number behind the start of a message, which is all that was measured in it.
fn of_limit(answer: &Value, code: &str, start: &str) -> u64 {
    assert_eq!(answer[0], code, "{answer}");
    let message = answer[1].as_str().unwrap();
    let rest = message.strip_prefix(start).unwrap_or_else(|| panic!("{message}")).trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or_else(|_| panic!("{message}"))
}

#[test]
fn what_resists_is_gone_at_the_deadline() {
    if !has_python("commands that resist") {
        return;
    }
    let mark = format!("mark{}", std::process::id());
    let hold = "while True: time.sleep(1)";
    let ignores = format!("import signal,time\nsignal.signal(15, signal.SIG_IGN)\n{hold}");
    let bomb = "import os,time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.01)";
    let session = format!(
        "import os,time\nif os.fork():\n {hold}\nos.setsid()\nif os.fork(): os._exit(0)\n{hold}"
    );
    for (name, script) in [("ignores", &*ignores), ("bomb", bomb), ("session", &session)] {
        let answer = run_marked(script, &mark, "time = \"3s\"");
        let used =
            of_limit(&answer, "command.time", "`py` hit its limit `time` of 3 s: it ran for");
        assert!((3000..20_000).contains(&used), "{name}: {answer}");
        assert_eq!(answer[2], "do less at once, or let the user raise `commands.py.time`");
        assert_eq!(wait_for_none(&mark), Vec::<u32>::new(), "{name}");
    }
}

#[test]
fn a_daemon_does_not_survive_its_command() {
    if !has_python("daemons of commands") {
        return;
    }
    let mark = format!("daemon{}", std::process::id());
    // Says that it is there in its second argument, if it can.
    let script = "import os,sys,time\nif os.fork(): os._exit(0)\nos.setsid()\n\
                  if os.fork(): os._exit(0)\n\
                  if len(sys.argv) > 2: open(sys.argv[2], 'w').close()\ntime.sleep(60)";
    // Outside of a jail it survives, and is found by its mark, so that is a test.
    let bench = python(script, "");
    let (file, ready) = (bench.path().join("script.py"), bench.path().join("ready"));
    let outside =
        Command::new("/usr/bin/python3").arg(file).args([&mark]).arg(&ready).status().unwrap();
    assert!(outside.success());
    while !ready.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let survivors = processes_with(&mark);
    assert_eq!(survivors.len(), 1);
    for pid in survivors {
        let killed = Command::new("kill").arg("-KILL").arg(pid.to_string()).status().unwrap();
        assert!(killed.success());
    }
    assert_eq!(wait_for_none(&mark), Vec::<u32>::new());
    assert_eq!(run_marked(script, &mark, "time = \"20s\""), ended(0, ""));
    assert_eq!(wait_for_none(&mark), Vec::<u32>::new());
}

#[test]
fn processes_are_bounded() {
    if !has_python("limits of commands") {
        return;
    }
    let script =
        "import os,time\nn=0\ntry:\n while n < 500:\n  if os.fork() == 0: time.sleep(60)\n  \
                  n += 1\nexcept OSError: pass\nprint(n)\nos._exit(0)"
            .replace("print(n)", "os.write(1, b'%d' % n)");
    let answer = run_python(&script, "");
    let forks: u32 = answer["stdout"].as_str().unwrap().parse().unwrap();
    assert!((1..=66).contains(&forks), "{forks} processes with a limit of 64");
}

#[test]
fn an_executable_that_is_exchanged_is_not_run() {
    let bench = Bench::new();
    open(bench.path());
    let (first, second) = (bench.path().join("first"), bench.path().join("second"));
    std::fs::copy("/usr/bin/echo", &first).unwrap();
    std::fs::copy("/usr/bin/id", &second).unwrap();
    let link = bench.path().join("link");
    std::os::unix::fs::symlink(&first, &link).unwrap();
    bench.write(
        "tidegate.toml",
        &format!("profile = \"execute_full\"\n[commands.say]\npath = {link:?}\nrest = \"*\"\n"),
    );
    let mut served = bench.serve();
    let mut say = || served.execute(&program("'say', ['x']"))["output"].clone();
    assert_eq!(say(), ended(0, "x\n"));
    // The link was followed when the configuration was read.
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&second, &link).unwrap();
    assert_eq!(say(), ended(0, "x\n"));
    std::fs::rename(&second, &first).unwrap();
    assert_eq!(
        say(),
        json!([
            "command.failed",
            "the executable of `say` is another one than at the start",
            "the user must start tidegate again if that is meant"
        ])
    );
}

#[test]
fn a_setuid_executable_gains_nothing() {
    if !geteuid().is_root() {
        return skip("setuid", "only root can make such a file");
    }
    let bench = Bench::new();
    open(bench.path());
    let id = bench.path().join("id-as-root");
    std::fs::copy("/usr/bin/id", &id).unwrap();
    std::fs::set_permissions(&id, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let outside = Command::new(&id).arg("-u").uid(NOBODY).gid(NOBODY).output().unwrap();
    assert_eq!(text(&outside.stdout), "0\n");
    bench.write(
        "tidegate.toml",
        &format!("profile = \"execute_full\"\n[commands.id]\npath = {id:?}\nargs = [\"-u\"]\n"),
    );
    let user = run(&bench, "'id', ['-u']")["stdout"].as_str().unwrap().trim().to_owned();
    assert!(user.parse::<u32>().unwrap() >= 0x7000_0000, "{user}");
}

#[test]
fn commands_run_for_an_ordinary_user_too() {
    if !geteuid().is_root() {
        return skip("commands of an ordinary user", "the other tests are that");
    }
    let bench = bench(
        "[commands.id]\npath = \"/usr/bin/id\"\nargs = [\"-u\"]\n\
         [commands.cat]\npath = \"/usr/bin/cat\"\nargs = [\"*\"]\n",
    );
    let state = tempfile::tempdir().unwrap();
    std::os::unix::fs::chown(state.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let run = |call: &str| -> Value {
        let mut child = bench
            .tidegate()
            .args(["run", "--json", "-"])
            .env("TIDEGATE_HOME", state.path())
            .uid(NOBODY)
            .gid(NOBODY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(program(call).as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error} {}", text(&output.stderr)));
        answer["output"].clone()
    };
    assert_eq!(run("'id', ['-u']"), ended(0, "65534\n"));
    assert_eq!(run("'cat', ['/etc/passwd']")["exit_code"], 1);
}
