//! Host commands in their jails, with real executables of the machine. Each refusal is tested
//! beside the same thing one step inside of the grant. Everything that the jail decides is
//! tested as root and as an unprivileged user.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::jail::attacker::{NOBODY, User, users};
use crate::programs::status_bytes;
use crate::support::{Bench, descendants, query, skip, text};

fn bench(user: User, configuration: &str) -> Bench {
    let bench = Bench::of(user);
    bench.write("tidegate.toml", &format!("profile = \"execute_full\"\n{configuration}"));
    bench
}

/// A folder with these files, all of them readable and writable for the user, so that any
/// refusal comes from the jail. Not below `/tmp`, where a command has its own.
fn files(bench: &Bench, names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    open(folder.path());
    for name in names {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("content of {name}")).unwrap();
        // As root, a command runs as another user.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        bench.give(&path);
    }
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
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

/// A program for the system's Python, granted as a file, as command `py`. `more` is added to
/// the configuration.
fn python(user: User, script: &str, more: &str) -> Bench {
    let bench = Bench::of(user);
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

fn run_python(user: User, script: &str, more: &str) -> Value {
    run_marked(user, script, "none", more)
}

/// Runs it with a mark on its command line, by which its processes are found.
fn run_marked(user: User, script: &str, mark: &str, more: &str) -> Value {
    let bench = python(user, script, more);
    let file = bench.path().join("script.py");
    run(&bench, &format!("'py', ['-I', '-S', {file:?}, {mark:?}]"))
}

#[test]
fn a_configured_command_runs_with_arguments_and_input() {
    for user in users("a_configured_command_runs_with_arguments_and_input") {
        let sort = "[commands.sort]\npath = \"/usr/bin/sort\"\nargs = [\"regex:-r|-n\"]\n";
        let bench = bench(user, sort);
        let sorted = run(&bench, "'sort', ['-r'], { input: 'a\\nc\\nb\\n' }");
        assert_eq!(sorted, ended(0, "c\nb\na\n"));
        let rows = query(
            &bench.state_dir().join("record.db"),
            "SELECT c.name, c.path, c.outcome, c.exit_code, c.arguments, c.argument_bytes, \
             c.input_bytes, c.output_bytes, r.kind FROM commands c JOIN runs r ON r.id = c.run_id",
        );
        assert_eq!(rows, ["sort|/usr/bin/sort|succeeded|0|1|2|6|6|execute_code"]);
    }
}

#[test]
fn a_failing_command_is_a_result_and_its_code_is_exact() {
    for user in users("a_failing_command_is_a_result_and_its_code_is_exact") {
        let bench = bench(user, "[commands.cat]\npath = \"/usr/bin/cat\"\nrest = \"*\"\n");
        let answer = run(&bench, "'cat', ['/nope']");
        assert_eq!(answer["exit_code"], 1);
        assert_eq!(answer["stderr"], "/usr/bin/cat: /nope: No such file or directory\n");
        if has_python("exit codes and signals") {
            // Exit code 129 is not signal 1: a signal is not an exit code.
            assert_eq!(run_python(user, "import os; os._exit(129)", "")["exit_code"], 129);
            let killed = run_python(user, "import os; os.kill(os.getpid(), 9)", "");
            let (code, signal) = (&killed["exit_code"], &killed["signal"]);
            assert_eq!((code, signal), (&Value::Null, &json!("SIGKILL")));
        }
    }
}

#[test]
fn what_is_not_configured_or_not_in_the_profile_is_refused() {
    let sort = "[commands.sort]\npath = \"/usr/bin/sort\"\n";
    // Refused before a jail is made, so one user is enough.
    let bench = bench(User::Own, sort);
    assert_eq!(run(&bench, "'sort', []"), ended(0, ""));
    assert_eq!(
        run(&bench, "'srot', []"),
        denied("there is no command `srot`", "did you mean `sort`?")
    );
    assert_eq!(
        run(&bench, "'/usr/bin/sort', []"),
        denied("there is no command `/usr/bin/sort`", "did you mean `sort`?")
    );
    // Only profiles that list commands have them, configured or not.
    bench.write("tidegate.toml", sort);
    let refused = denied(
        "`sort` may not be run: it is not among the `commands` of profile `default`",
        "the user can choose a `profile` that has it, such as `execute_full`",
    );
    assert_eq!(run(&bench, "'sort', []"), refused);
    // Asking for a wider profile does not add them either.
    let file = bench.write("program.ts", &program("'sort', []"));
    let file = file.to_str().unwrap();
    let output = bench.command(&["run", "--json", "--profile", "execute_full", file]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["output"], refused);
    bench.write("tidegate.toml", "");
    let none = denied("there is no command `sort`", "call a tool of a server instead");
    assert_eq!(run(&bench, "'sort', []"), none);
    let outcomes = query(
        &bench.state_dir().join("record.db"),
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
    // Refused before a jail is made, so one user is enough.
    let bench = bench(
        User::Own,
        "[commands.echo]\npath = \"/usr/bin/echo\"\nargs = [\"clone\", \"*\"]\nrest = \"regex:[a-z]+\"\n",
    );
    assert_eq!(run(&bench, "'echo', ['clone', 'x; id', 'abc']"), ended(0, "clone x; id abc\n"));
    let hint = "the user allows others under `args` of command `echo`";
    let refused =
        |number: u32| denied(&format!("argument {number} of `echo` is not allowed"), hint);
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
    for user in users("files_are_read_and_written_only_where_granted") {
        let bench = Bench::of(user);
        let folder = files(&bench, &["a.txt", "b.txt"]);
        let [granted, other, out] = ["a.txt", "b.txt", "out"].map(|name| folder.path().join(name));
        bench.write(
            "tidegate.toml",
            &format!(
                "profile = \"execute_full\"\n\
                 [commands.cat]\npath = \"/usr/bin/cat\"\nrest = \"*\"\nread = [{granted:?}]\n\
                 [commands.tee]\npath = \"/usr/bin/tee\"\nargs = [\"*\"]\nread = [{granted:?}]\nwrite = [{out:?}]\n"
            ),
        );
        let mut served = bench.serve();
        let mut call = |call: &str| served.execute(&program(call))["output"].clone();
        assert_eq!(call(&format!("'cat', [{granted:?}]")), ended(0, "content of a.txt"));
        let new = out.join("new");
        let tee = |path: &Path| format!("'tee', [{path:?}], {{ input: 'x' }}");
        assert_eq!(call(&tee(&new)), ended(0, "x"));
        assert_eq!(std::fs::read_to_string(&new).unwrap(), "x");
        // Outside of the jail all of them can be read. A file that one command may write is
        // not one that another may read.
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "content of b.txt");
        let walk = PathBuf::from(format!("/proc/self/root{}", other.display()));
        let kernel = ["/etc/passwd", "/proc/self/environ", "/proc/1/environ"].map(Path::new);
        for path in [&*other, &*new, &*walk].into_iter().chain(kernel) {
            let answer = call(&format!("'cat', [{path:?}]"));
            let (code, said) = (&answer["exit_code"], &answer["stdout"]);
            assert_eq!((code, said), (&json!(1), &json!("")), "{path:?}");
        }
        let configuration = bench.path().join("tidegate.toml");
        let settings = ["/proc/sys/kernel/core_pattern", "/sys/fs/cgroup/release_agent"];
        let beside = [granted, other, folder.path().join(".bashrc"), configuration];
        for path in beside.into_iter().chain(settings.map(PathBuf::from)) {
            let before = std::fs::read(&path).ok();
            assert_eq!(call(&tee(&path))["exit_code"], 1, "{path:?}");
            assert_eq!(std::fs::read(&path).ok(), before, "{path:?}");
        }
        // Its own `/tmp` is empty, and is removed after it.
        let scratch = PathBuf::from(format!("/tmp/tidegate-test-{}", std::process::id()));
        assert_eq!(call(&tee(&scratch)), ended(0, "x"));
        assert!(!scratch.exists());
    }
}

#[test]
fn a_grant_inside_another_one_neither_empties_a_file_nor_follows_a_link() {
    for user in users("a_grant_inside_another_one_neither_empties_a_file_nor_follows_a_link") {
        let bench = Bench::of(user);
        let folder = files(&bench, &["elsewhere.txt", "kept.txt"]);
        let out = folder.path().join("out");
        let (kept, elsewhere) = (out.join("kept.txt"), folder.path().join("elsewhere.txt"));
        std::fs::rename(folder.path().join("kept.txt"), &kept).unwrap();
        bench.write(
            "tidegate.toml",
            &format!(
                "profile = \"execute_full\"\n\
                 [commands.inner]\npath = \"/usr/bin/cat\"\nrest = \"*\"\nwrite = [{out:?}, {kept:?}]\n"
            ),
        );
        let call = format!("'inner', [{kept:?}]");
        assert_eq!(run(&bench, &call), ended(0, "content of kept.txt"));
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "content of kept.txt");
        // A command that may write there could leave such a link for the next one.
        std::fs::remove_file(&kept).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &kept).unwrap();
        run(&bench, &call);
        assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "content of elsewhere.txt");
    }
}

/// Two commands and a folder that one of them can write: `ln` has it in its `write`; `more`
/// configures the other command.
fn conspirators(user: User, folder: &Path, more: &str) -> Bench {
    open(folder);
    let shared = folder.join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::create_dir(shared.join("inner")).unwrap();
    std::fs::write(shared.join("inner/file"), "granted").unwrap();
    let bench = Bench::of(user);
    bench.write(
        "tidegate.toml",
        &format!(
            "profile = \"execute_full\"\n\
             [commands.mv]\npath = \"/usr/bin/mv\"\nrest = \"*\"\nwrite = [{shared:?}]\n\
             [commands.ln]\npath = \"/usr/bin/ln\"\nargs = [\"-s\", \"*\", \"*\"]\n\
             write = [{shared:?}]\n{more}"
        ),
    );
    bench
}

#[test]
fn a_grant_that_another_command_exchanged_for_a_link_is_not_given() {
    for user in users("a_grant_that_another_command_exchanged_for_a_link_is_not_given") {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let inner = folder.path().join("shared/inner");
        let more =
            format!("[commands.cat]\npath = \"/usr/bin/cat\"\nrest = \"*\"\nread = [{inner:?}]\n");
        let bench = conspirators(user, folder.path(), &more);
        let secret = folder.path().join("secret");
        std::fs::create_dir(&secret).unwrap();
        std::fs::write(secret.join("file"), "secret").unwrap();
        let mut served = bench.serve();
        let mut run = |call: String| served.execute(&program(&call))["output"].clone();
        let file = inner.join("file");
        assert_eq!(run(format!("'cat', [{file:?}]")), ended(0, "granted"));
        let moved = inner.with_file_name("moved");
        assert_eq!(run(format!("'mv', [{inner:?}, {moved:?}]")), ended(0, ""));
        assert_eq!(run(format!("'ln', ['-s', {secret:?}, {inner:?}]")), ended(0, ""));
        // The control: outside of the jail the path leads there.
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "secret");
        assert_eq!(
            run(format!("'cat', [{file:?}]")),
            json!([
                "command.failed",
                "a path that `cat` may read or write has changed since tidegate started",
                "the user can find the path in the log"
            ])
        );
    }
}

#[test]
fn nothing_that_a_command_can_write_is_started_outside_of_a_jail() {
    for user in users("nothing_that_a_command_can_write_is_started_outside_of_a_jail") {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let (script, interpreter) = (folder.path().join("tool"), folder.path().join("shared/cat"));
        std::fs::write(&script, format!("#!{}\n", interpreter.display())).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let more = format!("[commands.tool]\npath = {script:?}\n");
        let bench = conspirators(user, folder.path(), &more);
        // A file that a command with this grant could leave there: an executable that names
        // its own loader, which leaves a trace when it is run.
        let (loader, trace) = (folder.path().join("shared/loader"), folder.path().join("trace"));
        std::fs::write(&loader, format!("#!/bin/sh\necho > {}\n", trace.display())).unwrap();
        std::fs::write(&interpreter, executable_with_loader(&loader)).unwrap();
        for file in [&loader, &interpreter] {
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let answer = run(&bench, "'tool', []");
        assert_eq!(answer[1], "the executable of `tool` cannot be used");
        assert!(!trace.exists());
        // The control: outside of the gateway it does leave a trace.
        Command::new(&loader).status().unwrap();
        assert!(trace.exists());
    }
}

/// A 64-bit ELF file that only names its loader.
fn executable_with_loader(loader: &Path) -> Vec<u8> {
    let name = format!("{}\0", loader.display()).into_bytes();
    let mut file = vec![0; 64 + 56];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    // One program header of type 3 after the ELF header, then the name.
    for (at, value) in [(32, 64), (54, 56), (56, 1), (64, 3), (64 + 8, 120), (64 + 32, name.len())]
    {
        file[at] = u8::try_from(value).unwrap();
    }
    file.extend(name);
    file
}

#[test]
fn the_environment_is_what_is_configured_and_nothing_else() {
    for user in users("the_environment_is_what_is_configured_and_nothing_else") {
        let bench = bench(
            user,
            "[commands.printenv]\npath = \"/usr/bin/printenv\"\nenv = { A = \"${HOME:-x}1\" }\n\
             [commands.bare]\npath = \"/usr/bin/printenv\"\n",
        );
        let home = std::env::var("HOME").unwrap_or_else(|_| "x".into());
        assert_eq!(run(&bench, "'printenv', []"), ended(0, &format!("A={home}1\n")));
        assert_eq!(run(&bench, "'bare', []"), ended(0, ""));
    }
}

/// The same attempts inside of the jail and outside, where they work.
#[test]
fn there_is_no_network() {
    if !has_python("no network for commands") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket as s\n\
         def told(what):\n try: what(); return 'ok'\n except OSError as error: return error.errno\n\
         udp = lambda port: s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))\n\
         print(told(lambda: s.create_connection(('127.0.0.1', {port}), 5)),\n\
         told(lambda: udp({port})), told(lambda: udp(53)),\n\
         told(lambda: s.socket(s.AF_INET, s.SOCK_RAW, s.IPPROTO_ICMP)),\n\
         told(lambda: s.socket(s.AF_UNIX)), told(lambda: s.getaddrinfo('localhost', 80)))"
    );
    for user in users("there_is_no_network") {
        let mut outside = Command::new("/usr/bin/python3");
        outside.args(["-I", "-c", &script]);
        if user == User::Dropped {
            outside.uid(NOBODY).gid(NOBODY);
        }
        let outside = outside.output().unwrap();
        // Only root may send raw packets.
        let raw = if user == User::Root { "ok" } else { "1" };
        let possible = format!("ok ok ok {raw} ok ok\n");
        assert_eq!(text(&outside.stdout), possible, "{}", text(&outside.stderr));
        // 1: refused. The name is looked up in a file that is missing, and then through a
        // socket; -3 is the library's answer to that.
        let inside = run_python(user, &script, "");
        assert_eq!(inside["stdout"], "1 1 1 1 1 -3\n", "{inside}");
    }
}

#[test]
fn a_flood_is_truncated_and_the_exit_code_is_kept() {
    if !has_python("a flood of output") {
        return;
    }
    // A gigabyte without a line end, alternating between both streams.
    let script = "import os\nfor _ in range(8192): os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)\n\
                  os._exit(3)";
    for user in users("a_flood_is_truncated_and_the_exit_code_is_kept") {
        let bench = python(user, script, "output = \"64KB\"\ntime = \"25s\"");
        let file = bench.path().join("script.py");
        let mut served = bench.serve();
        assert_eq!(served.execute("return 1")["output"], 1);
        let before = status_bytes(served.pid(), "VmHWM:");
        let answer = served.execute(&format!(
            "const end = await commands.run('py', ['-I', '-S', {file:?}]);\n\
             return [end.exit_code, end.truncated, end.stdout === 'x'.repeat(65536), end.stderr === 'y'.repeat(65536)];"
        ));
        assert_eq!(answer["output"], json!([3, true, true, true]), "{answer}");
        let grown = status_bytes(served.pid(), "VmHWM:") - before;
        // By trial zero: less than the start of the gateway has used.
        assert!(grown < 64 << 20, "the gateway has grown by {grown} bytes");
        assert_eq!(served.execute("return 1")["output"], 1);
    }
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

/// The measured number in a message, which follows this start.
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
    let hold = "while True: time.sleep(1)";
    let ignores = format!("import signal,time\nsignal.signal(15, signal.SIG_IGN)\n{hold}");
    let bomb = "import os,time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.01)";
    let session = format!(
        "import os,time\nif os.fork():\n {hold}\nos.setsid()\nif os.fork(): os._exit(0)\n{hold}"
    );
    let scripts = [("ignores", &*ignores), ("bomb", bomb), ("session", &session)];
    let resist = |user: User, name: &str, script: &str| {
        let mark = format!("mark{name}{user:?}{}", std::process::id());
        let answer = run_marked(user, script, &mark, "time = \"3s\"");
        let used =
            of_limit(&answer, "command.time", "`py` hit its limit `time` of 3 s: it ran for");
        assert!((3000..20_000).contains(&used), "{name} {user:?}: {answer}");
        assert_eq!(answer[2], "do less at once, or let the user raise `commands.py.time`");
        assert_eq!(wait_for_none(&mark), Vec::<u32>::new(), "{name} {user:?}");
    };
    // In parallel, since they wait for their deadlines.
    std::thread::scope(|scope| {
        for user in users("what_resists_is_gone_at_the_deadline") {
            for (name, script) in scripts {
                scope.spawn(move || resist(user, name, script));
            }
        }
    });
}

#[test]
fn a_daemon_does_not_survive_its_command() {
    if !has_python("daemons of commands") {
        return;
    }
    // Reports that it runs through its second argument, if it can.
    let script = "import os,sys,time\nif os.fork(): os._exit(0)\nos.setsid()\n\
                  if os.fork(): os._exit(0)\n\
                  if len(sys.argv) > 2: open(sys.argv[2], 'w').close()\ntime.sleep(60)";
    for user in users("a_daemon_does_not_survive_its_command") {
        let mark = format!("daemon{user:?}{}", std::process::id());
        // The control: outside of a jail it survives, and its mark finds it.
        let bench = python(user, script, "");
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
        assert_eq!(run_marked(user, script, &mark, "time = \"20s\""), ended(0, ""));
        assert_eq!(wait_for_none(&mark), Vec::<u32>::new());
    }
}

#[test]
fn processes_are_bounded() {
    if !has_python("limits of commands") {
        return;
    }
    let bomb = "import os,time\nn=0\ntry:\n while n < 500:\n  if os.fork() == 0: time.sleep(60)\n  \
                n += 1\nexcept OSError: pass\nos.write(1, b'%d' % n)\nos._exit(0)";
    for user in users("processes_are_bounded") {
        let answer = run_python(user, bomb, "");
        let forks: u32 = answer["stdout"].as_str().unwrap().parse().unwrap();
        assert!((1..=66).contains(&forks), "{forks} processes with a limit of 64");
    }
}

/// Each command has its own limits, so commands in parallel multiply them.
#[test]
fn few_commands_of_one_run_run_at_the_same_time() {
    let mark = format!("0.5{}", std::process::id());
    let bench = bench(
        User::Own,
        &format!("[commands.sleep]\npath = \"/usr/bin/sleep\"\nargs = [{mark:?}]\n"),
    );
    let mut served = bench.serve();
    let source = format!(
        "const one = () => commands.run('sleep', ['{mark}']);\n\
         return (await Promise.all(Array.from({{ length: 12 }}, one))).map((end) => end.exit_code);"
    );
    let (mut most, pid) = (0, served.pid());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| served.execute(&source));
        while !run.is_finished() {
            // Processes that have not executed the command yet have another command line.
            let line = format!("/usr/bin/sleep\0{mark}\0");
            let ours = descendants(pid).into_iter().filter(|pid| {
                std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|it| text(&it) == line)
            });
            most = most.max(ours.count());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(run.join().unwrap()["output"], json!(vec![0; 12]));
    });
    assert!((1..=4).contains(&most), "{most} at once");
}

#[test]
fn an_executable_that_is_exchanged_is_not_run() {
    for user in users("an_executable_that_is_exchanged_is_not_run") {
        let bench = Bench::of(user);
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
        // The link was resolved when the configuration was read.
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&second, &link).unwrap();
        assert_eq!(say(), ended(0, "x\n"));
        std::fs::rename(&second, &first).unwrap();
        assert_eq!(
            say(),
            json!([
                "command.failed",
                "the executable of `say` has changed since tidegate started",
                "the user must restart tidegate if the change is intended"
            ])
        );
    }
}

#[test]
fn a_setuid_executable_gains_nothing() {
    for user in users("a_setuid_executable_gains_nothing") {
        if user == User::Own {
            return skip("a_setuid_executable_gains_nothing", "only root can make such a file");
        }
        let bench = Bench::of(user);
        let id = bench.path().join("id-as-root");
        std::fs::copy("/usr/bin/id", &id).unwrap();
        std::fs::set_permissions(&id, std::fs::Permissions::from_mode(0o4755)).unwrap();
        let outside = Command::new(&id).arg("-u").uid(NOBODY).gid(NOBODY).output().unwrap();
        assert_eq!(text(&outside.stdout), "0\n");
        bench.write(
            "tidegate.toml",
            &format!("profile = \"execute_full\"\n[commands.id]\npath = {id:?}\nargs = [\"-u\"]\n"),
        );
        let is = run(&bench, "'id', ['-u']")["stdout"].as_str().unwrap().trim().to_owned();
        let is: u32 = is.parse().unwrap();
        // Root becomes a user that nobody else has; everybody else keeps theirs.
        assert!(if user == User::Root { is >= 0x7000_0000 } else { is == NOBODY }, "{is}");
    }
}
