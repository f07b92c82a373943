//! An agent with a shell, as the same user on the same machine, tries to say yes itself.
//!
//! The tool is one that leaves a file, so a call was made or it was not.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::jail::attacker::User;
use crate::support::{Bench, PASSPHRASE, Served, query, text};

const SERVER: &str = "
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if 'id' not in request: continue
    tools = json.load(open(sys.argv[1]))
    if request['method'] == 'tools/call': open(request['params']['arguments']['path'], 'w').close()
    result = {'initialize': {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
                             'serverInfo': {'name': 'disk', 'version': '1'}},
              'tools/list': {'tools': tools},
              'tools/call': {'content': [{'type': 'text', 'text': 'wiped'}]}}.get(request['method'], {})
    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
";

const PROMPT: &str = "passphrase (empty to cancel)";

struct Site {
    bench: Bench,
}

impl Site {
    fn new() -> Self {
        let bench = Bench::new();
        let server = bench.write("server.py", SERVER);
        let tools = bench.write("tools.json", &Self::tools("Wipes."));
        bench.write(
            "tidegate.toml",
            &format!(
                "[servers.disk]\ncommand = 'python3'\nargs = [{server:?}, {tools:?}]\n\
                 [approvals]\nwait = '1ms'\n[tools]\non_change = 'quarantine'\n"
            ),
        );
        Self { bench }
    }

    fn tools(description: &str) -> String {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        json!([{"name": "wipe", "description": description, "inputSchema": schema,
                "annotations": {"destructiveHint": true}}])
        .to_string()
    }

    fn wiped(&self, name: &str) -> PathBuf {
        self.bench.path().join(format!("wiped-{name}"))
    }

    fn program(&self, name: &str) -> String {
        format!("return await servers.disk.wipe({{path: {:?}}})", self.wiped(name))
    }

    /// The error code of running it, or the output.
    fn outcome(&self, served: &mut Served, name: &str) -> Value {
        let answer = served.execute(&self.program(name));
        if answer["success"] == true {
            answer["output"].clone()
        } else {
            answer["error"]["code"].clone()
        }
    }

    /// The id of the newest question.
    fn question(&self) -> String {
        let listed = self.bench.command(&["approvals", "list", "--json"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["approvals"][0]["id"].as_str().unwrap().to_owned()
    }

    fn state(&self, sql: &str) -> Vec<String> {
        query(&self.bench.state_dir().join("state.db"), sql)
    }

    /// What an agent does to a row.
    fn tamper(&self, sql: &str) {
        let script = "import sqlite3,sys\n\
            with sqlite3.connect(sys.argv[1]) as db: db.execute(sys.argv[2])";
        let database = self.bench.state_dir().join("state.db");
        let mut command = std::process::Command::new("python3");
        let done = command.args(["-c", script]).arg(database).arg(sql).output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    }

    /// A command with this on standard input and no terminal.
    fn piped(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = std::process::Command::new("setsid");
        command.args(["--wait", env!("CARGO_BIN_EXE_tidegate")]).args(arguments);
        command.current_dir(self.bench.path()).env("TIDEGATE_HOME", self.bench.state_dir());
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        // It may have ended without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }
}

fn refused(output: &Output, code: &str) {
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.contains(code)), (Some(3), true), "{said}");
}

#[test]
fn g47_without_a_channel_every_yes_is_refused_and_a_no_is_not() {
    let site = Site::new();
    let mut served = site.bench.serve();
    assert_eq!(site.outcome(&mut served, "a"), "approval.pending");
    let id = site.question();
    site.bench.write("tools.json", &Site::tools("Wipes more."));
    let file = site.bench.write("t.txt", "[EMAIL_1]");
    let file = file.to_str().unwrap();
    let decisions: [&[&str]; 6] = [
        &["approvals", "approve", &id],
        &["approvals", "approve", "--session", &id],
        &["tools", "accept", "disk", "--yes"],
        &["pii", "restore", file],
        &["pii", "erase", "--session", "work"],
        &["pii", "erase", "--value", file],
    ];
    for decision in decisions {
        refused(&site.piped(decision, "y\nyes\n"), "error[approval.no_channel]");
        refused(&site.bench.at_terminal(decision, &[]).0, "error[approval.no_channel]");
    }
    site.bench.set_passphrase();
    for decision in decisions {
        let typed = format!("{PASSPHRASE}\n").repeat(3);
        refused(&site.piped(decision, &typed), "error[approval.no_terminal]");
        for wrong in ["yes", "correct horse battery stapl", &PASSPHRASE.to_uppercase()] {
            let (tried, _) = site.bench.at_terminal(decision, &[(PROMPT, wrong)]);
            refused(&tried, "error[approval.wrong_passphrase]");
        }
        refused(&site.bench.at_terminal(decision, &[(PROMPT, "")]).0, "error[approval.denied]");
    }
    refused(&site.piped(&["approvals", "setup"], ""), "error[approval.no_terminal]");
    let own = [(PROMPT, "the agent's passphrase"), ("new passphrase", "the agent's passphrase")];
    let (changed, _) = site.bench.at_terminal(&["approvals", "setup"], &own);
    refused(&changed, "error[approval.wrong_passphrase]");
    assert_eq!(site.state("SELECT state FROM approvals"), ["pending"]);
    assert_eq!(site.piped(&["approvals", "deny", &id], "").status.code(), Some(0));
    assert!(!site.wiped("a").exists());
}

#[test]
fn g47_a_row_that_says_yes_is_no_yes() {
    let site = Site::new();
    site.bench.set_passphrase();
    let mut served = site.bench.serve();
    let forgeries = [
        "UPDATE approvals SET state = 'approved', scope = 'once', decided_by = 'client'",
        "UPDATE approvals SET state = 'approved', scope = 'session', decided_by = 'passphrase', \
         signature = randomblob(64)",
        "UPDATE approvals SET state = 'used', scope = 'session', decided_by = 'passphrase'",
    ];
    for (number, forgery) in forgeries.into_iter().enumerate() {
        let name = format!("row-{number}");
        assert_eq!(site.outcome(&mut served, &name), "approval.pending");
        site.tamper(forgery);
        assert_eq!(site.outcome(&mut served, &name), "approval.pending", "{forgery}");
        assert!(!site.wiped(&name).exists());
    }
    // What the person signs is what they saw: a harmless text for another call is none for it.
    assert_eq!(site.outcome(&mut served, "swapped"), "approval.pending");
    let id = site.question();
    site.tamper(&format!(
        "UPDATE approvals SET title = 'read a file', details = '' WHERE id = '{id}'"
    ));
    assert_eq!(site.bench.as_person(&["approvals", "approve", &id]).status.code(), Some(0));
    assert_eq!(site.outcome(&mut served, "swapped"), "approval.pending");
    assert!(!site.wiped("swapped").exists());
    // A yes is used once, whatever its row says later, here and in another process.
    assert_eq!(site.outcome(&mut served, "once"), "approval.pending");
    let id = site.question();
    assert_eq!(site.bench.as_person(&["approvals", "approve", &id]).status.code(), Some(0));
    assert_eq!(site.outcome(&mut served, "once"), "wiped");
    std::fs::remove_file(site.wiped("once")).unwrap();
    site.tamper("UPDATE approvals SET state = 'approved'");
    assert_ne!(site.outcome(&mut served, "once"), "wiped");
    assert!(!site.wiped("once").exists());
}

#[test]
fn g47_a_key_of_the_agent_does_not_count_for_a_gateway_that_runs() {
    let site = Site::new();
    site.bench.set_passphrase();
    let mut served = site.bench.serve();
    assert_eq!(site.outcome(&mut served, "a"), "approval.pending");
    let id = site.question();
    std::fs::remove_file(site.bench.state_dir().join("approver.key")).unwrap();
    let own = "the agent's passphrase";
    let set = [("new passphrase", own), ("repeat the passphrase", own)];
    assert!(site.bench.at_terminal(&["approvals", "setup"], &set).0.status.success());
    let (signed, _) = site.bench.at_terminal(&["approvals", "approve", &id], &[(PROMPT, own)]);
    assert!(signed.status.success());
    assert_eq!(site.outcome(&mut served, "a"), "approval.pending");
    assert!(!site.wiped("a").exists());
    let doctor = site.bench.command(&["doctor"]);
    assert!(text(&doctor.stdout).contains("approvals: a passphrase is set up"));
}

/// What an agent gets that starts a gateway itself, as a client that shows forms, and answers
/// its own: whether it was asked, and the error code or the output.
fn own_client(site: &Site, name: &str) -> (bool, Value) {
    let mut command = site.bench.tidegate();
    let capabilities = json!({"elicitation": {"form": {}}});
    let mut agent = Served::start_as(command.arg("serve"), Stdio::null(), &capabilities);
    let id = agent.begin(
        "tools/call",
        json!({"name": "execute_code", "arguments": {"code": site.program(name)}}),
    );
    let mut was_asked = false;
    loop {
        let message = agent.next();
        if message["method"] == "elicitation/create" {
            was_asked = true;
            let yes = json!({"action": "accept", "content": {"decision": "approve once"}});
            agent.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": yes}));
        } else if message["id"] == id {
            let said = message["result"]["content"][0]["text"].as_str().unwrap();
            let answer: Value = serde_json::from_str(said).unwrap();
            let failed = answer["error"]["code"].clone();
            return (was_asked, if failed.is_null() { answer["output"].clone() } else { failed });
        }
    }
}

#[test]
fn g47_an_agent_that_is_its_own_client_approves_nothing_if_forms_do_not_count() {
    let site = Site::new();
    // Forms count unless the approver says otherwise, and anybody can be a client.
    site.bench.set_passphrase();
    assert_eq!(own_client(&site, "counts"), (true, json!("wiped")));
    let listed = text(&site.bench.command(&["approvals", "list", "--all"]).stdout);
    assert!(listed.contains("by a client's form, without the passphrase)"), "{listed}");
    let doctor = || text(&site.bench.command(&["doctor"]).stdout);
    assert!(doctor().contains("also an agent that starts a gateway of its own"), "{}", doctor());
    // Only with the passphrase is that changed.
    let forms = ["approvals", "setup", "--no-client-forms"];
    refused(&site.bench.at_terminal(&forms, &[(PROMPT, "a guess of mine")]).0, "wrong_passphrase");
    let again = [
        (PROMPT, PASSPHRASE),
        ("new passphrase", PASSPHRASE),
        ("repeat the passphrase", PASSPHRASE),
    ];
    assert!(site.bench.at_terminal(&forms, &again).0.status.success());
    assert_eq!(own_client(&site, "a"), (false, json!("approval.pending")));
    assert!(!site.wiped("a").exists());
    assert!(doctor().contains("Replies to forms of clients approve nothing"), "{}", doctor());
    let back = ["approvals", "setup", "--client-forms"];
    refused(&site.bench.at_terminal(&back, &[(PROMPT, "a guess of mine")]).0, "wrong_passphrase");
    // A new passphrase alone changes nothing about forms.
    assert!(site.bench.at_terminal(&["approvals", "setup"], &again).0.status.success());
    assert_eq!(own_client(&site, "a"), (false, json!("approval.pending")));
    // The person is still obeyed.
    let id = site.question();
    assert_eq!(site.bench.as_person(&["approvals", "approve", &id]).status.code(), Some(0));
    assert!(site.bench.at_terminal(&back, &again).0.status.success());
    assert_eq!(own_client(&site, "b"), (true, json!("wiped")));
}

#[test]
fn g47_a_gateway_that_runs_keeps_what_its_key_says_of_forms() {
    let site = Site::new();
    site.bench.set_passphrase_with(&["--no-client-forms"]);
    let mut command = site.bench.tidegate();
    let capabilities = json!({"elicitation": {}});
    let mut served = Served::start_as(command.arg("serve"), Stdio::null(), &capabilities);
    let key = site.bench.state_dir().join("approver.key");
    let text = std::fs::read_to_string(&key).unwrap();
    std::fs::write(&key, text.replace("do_not_count", "count")).unwrap();
    // An elicitation in between would be no answer to this.
    assert_eq!(site.outcome(&mut served, "a"), "approval.pending");
    std::fs::remove_file(&key).unwrap();
    assert_eq!(site.outcome(&mut served, "b"), "approval.pending");
}

#[test]
fn g47_the_person_with_the_passphrase_is_obeyed_and_recorded() {
    let site = Site::new();
    site.bench.set_passphrase();
    let mut served = site.bench.serve();
    assert_eq!(site.outcome(&mut served, "a"), "approval.pending");
    let id = site.question();
    let approve = ["approvals", "approve", id.as_str()];
    let (approved, seen) = site.bench.at_terminal(&approve, &[(PROMPT, PASSPHRASE)]);
    assert!(approved.status.success(), "{}", text(&approved.stderr));
    assert!(seen.contains("`disk__wipe`") && seen.contains("wiped-a"), "{seen}");
    assert!(!seen.contains(PASSPHRASE), "it is not echoed");
    assert_eq!(site.outcome(&mut served, "a"), "wiped");
    assert!(site.wiped("a").exists());
    let by = "SELECT step, decided_by FROM approval_steps ORDER BY id";
    let record = query(&site.bench.state_dir().join("record.db"), by);
    assert_eq!(record, ["asked|", "approved|passphrase"]);
    let listed = text(&site.bench.command(&["approvals", "list", "--all"]).stdout);
    assert!(listed.contains("by passphrase), asked"), "{listed}");
    assert!(listed.contains("by a client on stdio"), "{listed}");
    for (path, bytes) in crate::privacy::files(&site.bench.state_dir()) {
        assert!(!text(&bytes).contains(PASSPHRASE), "{path}");
    }
}

/// Starts a program with pipes of the same user, and prints what its starter can open of it
/// after it has read nothing, then what the program prints.
const STARTER: &str = "
import os, subprocess, sys, time
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def can_open(name, flags):
    try: os.close(os.open(f'/proc/{child.pid}/{name}', flags))
    except PermissionError: return False
    return True
parts = {'fd/0': os.O_WRONLY, 'mem': os.O_RDWR, 'environ': os.O_RDONLY}
opened = lambda: [name for name in parts if can_open(name, parts[name])]
end = time.monotonic() + 20
# It needs a moment to start.
while 'closed' in sys.argv[1] and opened() and time.monotonic() < end: time.sleep(0.01)
print(*opened(), flush=True)
assert child.poll() is None, 'it has ended'
print(child.communicate(b'return 6 * 7')[0].decode())
";

#[test]
fn g47_no_process_of_the_user_gets_into_a_running_gateway() {
    // Root can do everything.
    let user = if nix::unistd::geteuid().is_root() { User::Dropped } else { User::Own };
    let bench = Bench::of(user);
    bench.write("tidegate.toml", "");
    let started = |expected: &str, program: &[&str]| {
        let mut command = bench.as_user("/usr/bin/python3");
        command.args(["-c", STARTER, expected]).args(program).current_dir(bench.path());
        let output = command.env("TIDEGATE_HOME", bench.state_dir()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let (opened, printed) = said.split_once('\n').unwrap();
        (opened.to_owned(), printed.trim().to_owned())
    };
    // The control: a program that is as open as usual.
    let (opened, _) = started("open", &["/usr/bin/cat"]);
    assert!(opened.starts_with("fd/0 ") && opened.ends_with("environ"), "{opened}");
    let tidegate = bench.tidegate();
    let tidegate = tidegate.get_program().to_str().unwrap();
    assert_eq!(started("closed", &[tidegate, "serve"]).0, "");
    // And guests still start.
    let run = started("closed", &[tidegate, "run", "-"]);
    assert_eq!(run, (String::new(), "42".to_owned()));
}

#[test]
fn a_yes_for_this_session_holds_on_the_command_line() {
    let site = Site::new();
    site.bench.set_passphrase();
    let run = |name: &str, answers: &[(&str, &str)]| {
        let file = site.bench.write("p.ts", &site.program(name));
        let (output, seen) = site.bench.at_terminal(&["run", file.to_str().unwrap()], answers);
        (output.status.code(), site.wiped(name).exists(), seen)
    };
    let choice = "[N] no: ";
    // A no is for that run.
    let (code, exists, seen) = run("a", &[(choice, "n")]);
    assert_eq!((code, exists, seen.contains(choice)), (Some(3), false, true));
    let (code, exists, seen) = run("a", &[(choice, "y"), (PROMPT, PASSPHRASE)]);
    assert_eq!((code, exists), (Some(0), true), "{seen}");
    // Once was once.
    let (code, exists, _) = run("b", &[(choice, "s"), (PROMPT, "wrong"), (PROMPT, PASSPHRASE)]);
    assert_eq!((code, exists), (Some(0), true));
    std::fs::remove_file(site.wiped("b")).unwrap();
    let (code, exists, seen) = run("b", &[]);
    assert_eq!((code, exists, seen.contains("approve?")), (Some(0), true, false));
    // The same from `tidegate approvals`, for another session.
    let file = site.bench.write("p.ts", &site.program("d"));
    let run = ["run", "--session", "work", file.to_str().unwrap()];
    let waits = site.bench.command(&run);
    let said = text(&waits.stderr);
    assert!(said.contains("tidegate approvals approve"), "{said}");
    let id = site.question();
    assert!(site.bench.as_person(&["approvals", "approve", "--session", &id]).status.success());
    for _ in 0..2 {
        assert_eq!(site.bench.command(&run).status.code(), Some(0));
    }
    assert!(site.wiped("d").exists());
}

#[test]
fn a_change_of_what_decides_is_noted_and_shown() {
    let site = Site::new();
    let alerts = || {
        let sql = "SELECT kind, detail FROM alerts ORDER BY id";
        query(&site.bench.state_dir().join("record.db"), sql)
    };
    site.bench.serve().end();
    assert_eq!(alerts(), [""; 0]);
    let rules = site.bench.write("policy.toml", "[defaults]\ndestructive = 'allow'\n");
    site.bench.serve().end();
    let changed = format!("rules-changed|`{}` has changed", rules.display());
    assert_eq!(alerts(), std::slice::from_ref(&changed));
    site.bench.serve().end();
    assert_eq!(alerts(), [changed]);
    let shown = text(&site.bench.command(&["policy", "show"]).stdout);
    assert!(shown.contains("changed (before: sha256 e3b0c44298fc) by a gateway"), "{shown}");
    assert!(shown.contains("first seen by a gateway"), "{shown}");
}
