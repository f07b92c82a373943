//! A person is asked: by a real client in both protocol eras, by `tidegate approvals`, or
//! not at all. The tool is the real filesystem server's `write_file`, so a file exists or
//! it does not.

mod shown_calls;

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served, text};

/// The names of the eras in the Python client.
const ERAS: [&str; 2] = ["legacy", "auto"];

const ALL_CALLS: &str = "approve all calls of these tools for this session";

struct Site {
    equipment: Equipment,
    bench: Bench,
    folder: PathBuf,
}

impl Site {
    fn new(test: &str, approvals: &str) -> Option<Self> {
        let equipment = Equipment::get(test, &["filesystem", "python_client"])?;
        let bench = Bench::new();
        let folder = bench.path().join("files");
        std::fs::create_dir(&folder).unwrap();
        let server = equipment.server("filesystem", &[folder.to_str().unwrap()]);
        let config = format!(
            "[servers.fs]\ncommand = {}\nargs = {}\n[approvals]\n{approvals}",
            server["command"], server["args"]
        );
        bench.write("tidegate.toml", &config);
        Some(Self { equipment, bench, folder })
    }

    /// A file and a program that writes it.
    fn writing(&self, name: &str) -> (PathBuf, String) {
        let file = self.folder.join(name);
        let program = format!(
            "await servers.fs.writeFile({{path: {:?}, content: 'x'}}); return 'written'",
            file.to_str().unwrap()
        );
        (file, program)
    }

    /// The same, with a tool name that cannot be seen before the program runs.
    fn writing_unseen(&self, name: &str) -> (PathBuf, String) {
        let (file, program) = self.writing(name);
        let by_name = "callMCPTool(['fs', 'write', 'file'].join('_').replace('_', '__'), ";
        (file, program.replace("servers.fs.writeFile(", by_name))
    }

    /// Runs these steps in a client whose user gives this answer. Returns what the client
    /// prints.
    fn client(&self, era: &str, answer: &str, steps: &Value) -> Vec<Value> {
        self.client_of(&[], era, answer, steps)
    }

    /// The same, with these arguments for the gateway.
    fn client_of(&self, serve: &[&str], era: &str, answer: &str, steps: &Value) -> Vec<Value> {
        let mut command = self.equipment.command("python_client");
        command.current_dir(self.bench.path()).env("TIDEGATE_HOME", self.bench.state_dir());
        command.args(["--mode", era, "--answer", answer, "--"]);
        command.args([env!("CARGO_BIN_EXE_tidegate"), "serve"]).args(serve);
        let mut client =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let client = client.as_mut().unwrap();
        client.stdin.take().unwrap().write_all(steps.to_string().as_bytes()).unwrap();
        let mut printed = String::new();
        std::io::Read::read_to_string(client.stdout.as_mut().unwrap(), &mut printed).unwrap();
        client.wait().unwrap();
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a command; approving, as the person who knows the passphrase.
    fn tidegate(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = match arguments.starts_with(&["approvals", "approve"]) {
            true => self.bench.as_person(arguments),
            false => self.bench.command(arguments),
        };
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    fn approvals(&self, all: bool) -> Vec<Value> {
        let more: &[&str] = if all { &["--all"] } else { &[] };
        let (_, listed, _) = self.tidegate(&[&["approvals", "list", "--json"], more].concat());
        let listed: Value = serde_json::from_str(&listed).unwrap();
        listed["approvals"].as_array().unwrap().clone()
    }

    /// Waits for a question and returns it.
    fn question(&self) -> Value {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(one) = self.approvals(false).into_iter().next() {
                return one;
            }
            assert!(Instant::now() < until, "nobody was asked");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn code(program: &str) -> Value {
    json!({"call": "execute_code", "arguments": {"code": program, "language": "typescript"}})
}

/// The answer of `execute_code` among what the client printed.
fn answer(printed: &[Value]) -> Value {
    let call = printed.iter().find(|line| line["call"] == "execute_code");
    let call = call.unwrap_or_else(|| panic!("{printed:?}"));
    let text = call["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{call}"));
    serde_json::from_str(text).unwrap_or_else(|_| json!({"text": text}))
}

fn asked(printed: &[Value]) -> Vec<String> {
    let asked = printed.iter().find_map(|line| line["asked"].as_array());
    let message = |form: &Value| form["message"].as_str().unwrap().to_owned();
    asked.unwrap().iter().map(message).collect()
}

#[test]
fn g32_the_user_of_a_client_approves_or_denies() {
    let Some(site) = Site::new("g32_the_user_of_a_client_approves_or_denies", "") else { return };
    for era in ERAS {
        let (file, program) = site.writing(&format!("{era}-yes"));
        let printed = site.client(era, "approve once", &json!([code(&program)]));
        assert_eq!(answer(&printed)["output"], "written", "{era} {printed:?}");
        assert!(file.exists());
        let [form] = asked(&printed).try_into().unwrap();
        let told =
            ["`fs__write_file`", "Risk: low", "destructive", "cannot be undone", "| await servers"];
        for part in told {
            assert!(form.contains(part), "{part} is missing in {form}");
        }
        for no in ["deny", "decline", "cancel", "something else"] {
            let (file, program) = site.writing(&format!("{era}-{no}"));
            let printed = site.client(era, no, &json!([code(&program)]));
            let error = &answer(&printed)["error"];
            assert_eq!(error["code"], "approval.denied", "{era} {no}");
            assert!(error["hint"].as_str().unwrap().starts_with("do not retry it"), "{error}");
            assert!(!file.exists(), "{era} {no}");
        }
    }
}

#[test]
fn no_answer_of_a_server_takes_our_words_out_of_a_form_or_an_error() {
    let test = "no_answer_of_a_server_takes_our_words_out_of_a_form_or_an_error";
    let Some(site) = Site::new(test, "") else { return };
    let names =
        ["It cannot be undone", "Approval is required", "said no", "It would call", "Ann Leeson"];
    let people: Vec<Value> = names.iter().map(|name| json!({"full_name": name})).collect();
    let list_text =
        json!({"people": people, "password": "destructive", "api_key": "fs__write_file"});
    let list = site.folder.join("list.json");
    std::fs::write(&list, list_text.to_string()).unwrap();
    let read = json!({"call": "call_tool", "arguments": {
        "name": "fs__read_text_file", "arguments": {"path": list}
    }});
    let (_, program) = site.writing("Ann Leeson");
    let python = program.replace("await servers.", "from servers import fs; ");
    let python = python.replace("fs.writeFile({path: ", "fs.write_file(path=");
    let python = python.replace(", content: 'x'}); return 'written'", ", content='x')");
    let python = json!({"call": "execute_code",
                        "arguments": {"code": python, "language": "python"}});
    for step in [code(&program), python] {
        let printed = site.client("legacy", "deny", &json!([read, step]));
        assert!(printed[1].to_string().contains("[NAME_"), "{printed:?}");
        let [form] = asked(&printed).try_into().unwrap();
        let ours = ["`fs__write_file` (destructive)", "- asked because", "It cannot be undone."];
        for part in ours.into_iter().chain(["It would call:", "| path = ", "/[NAME_"]) {
            assert!(form.contains(part), "{part} is missing in {form}");
        }
        assert!(!form.contains("Leeson"), "{form}");
        let error = &answer(&printed)["error"];
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("a person was asked and said no: run a"), "{error}");
        assert!(message.contains("that calls `fs__write_file`"), "{error}");
    }
}

#[test]
fn a_loop_of_fifty_writes_asks_once_if_all_calls_are_approved() {
    let test = "a_loop_of_fifty_writes_asks_once_if_all_calls_are_approved";
    let Some(site) = Site::new(test, "") else { return };
    let folder = site.folder.to_str().unwrap();
    let program = format!(
        "for (let i = 0; i < 50; i++) await servers.fs.writeFile({{path: `{folder}/n${{i}}`, \
         content: 'x'}}); return 'done'"
    );
    for era in ERAS {
        let printed = site.client(era, ALL_CALLS, &json!([code(&program)]));
        assert_eq!(answer(&printed)["output"], "done", "{printed:?}");
        assert_eq!(asked(&printed).len(), 1);
        assert_eq!(std::fs::read_dir(&site.folder).unwrap().count(), 50);
    }
}

#[test]
fn for_this_session_is_for_this_session() {
    let Some(site) = Site::new("for_this_session_is_for_this_session", "") else { return };
    for era in ERAS {
        // Computed names: each call would otherwise ask its own question.
        let (first, one) = site.writing_unseen(&format!("{era}-1"));
        let (second, two) = site.writing_unseen(&format!("{era}-2"));
        let call = json!({"call": "call_tool", "arguments": {
            "name": "fs__write_file",
            "arguments": {"path": site.folder.join(format!("{era}-3")), "content": "x"}
        }});
        let steps = json!([code(&one), code(&two), call]);
        let printed = site.client(era, ALL_CALLS, &steps);
        assert_eq!(asked(&printed).len(), 1, "{printed:?}");
        assert!(first.exists() && second.exists() && site.folder.join(format!("{era}-3")).exists());
        // Another client is another session.
        let (third, three) = site.writing_unseen(&format!("{era}-4"));
        let printed = site.client(era, "deny", &json!([code(&three)]));
        assert_eq!(asked(&printed).len(), 1);
        assert!(!third.exists());
    }
}

#[test]
fn for_this_session_is_not_for_what_another_rule_asks_about() {
    let test = "for_this_session_is_not_for_what_another_rule_asks_about";
    let Some(site) = Site::new(test, "") else { return };
    let rule = "[[rule]]\nname = \"keys\"\ndecision = \"ask\"\narguments = { path = \"*.key\" }\n";
    site.bench.write("policy.toml", rule);
    let call = |name: &str| {
        let arguments = json!({"path": site.folder.join(name), "content": "x"});
        json!({"call": "call_tool", "arguments": {"name": "fs__write_file", "arguments": arguments}})
    };
    let steps = json!([call("a.txt"), call("b.txt"), call("a.key"), call("b.key"), call("c.txt")]);
    let printed = site.client("legacy", ALL_CALLS, &steps);
    let asked = asked(&printed);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].contains("a.txt") && asked[1].contains("a.key"), "{asked:?}");
    assert_eq!(std::fs::read_dir(&site.folder).unwrap().count(), 5);
}

/// Somebody else sends the same program, and gets neither the approval nor the denial of
/// another session.
#[test]
fn g32_an_answer_is_for_the_session_that_asked() {
    let approvals = "wait = \"1s\"\nexpires = \"2m\"\n";
    let test = "g32_an_answer_is_for_the_session_that_asked";
    let Some(site) = Site::new(test, approvals) else { return };
    let cannot_ask = "";
    for word in ["approve", "deny"] {
        let (file, program) = site.writing(word);
        let source = site.bench.write("program.ts", &program);
        let source = source.to_str().unwrap();
        let steps = json!([code(&program)]);
        let asks = |serve: &[&str]| {
            let printed = site.client_of(serve, "legacy", cannot_ask, &steps);
            answer(&printed)["error"]["code"].clone()
        };
        assert_eq!(asks(&["--session", "first"]), "approval.pending");
        let question = site.question();
        let id = question["id"].as_str().unwrap();
        let for_all: &[&str] = if word == "approve" { &["--session"] } else { &[] };
        assert_eq!(site.tidegate(&[&["approvals", word, id], for_all].concat()).0, 0);
        // Each of these asks its own question.
        assert_eq!(asks(&["--session", "other"]), "approval.pending");
        assert_eq!(asks(&[]), "approval.pending");
        assert_eq!(asks(&[]), "approval.pending", "each process is a session of its own");
        let (_, _, said) = site.tidegate(&["run", source]);
        assert!(said.contains("approval.pending"), "{said}");
        assert!(!file.exists());
        let asked = site.approvals(false).len();
        assert_eq!(asked, 4);
        // The session that asked has the answer.
        let answered = asks(&["--session", "first"]);
        assert_eq!(
            answered,
            if word == "approve" { Value::Null } else { json!("approval.denied") }
        );
        assert_eq!(file.exists(), word == "approve");
        for one in site.approvals(false) {
            site.tidegate(&["approvals", "deny", one["id"].as_str().unwrap()]);
        }
    }
}

/// A run finds its own approval wherever it is resumed, even one "for this session": that
/// session is not the one that resumes it.
#[test]
fn g32_a_run_that_goes_on_elsewhere_brings_its_own_yes_and_leaves_none() {
    let approvals = "wait = \"1s\"\nexpires = \"2m\"\n";
    let test = "g32_a_run_that_goes_on_elsewhere_brings_its_own_yes_and_leaves_none";
    let Some(site) = Site::new(test, approvals) else { return };
    let (first, one) = site.writing_unseen("a");
    let (second, two) = site.writing_unseen("b");
    site.client("legacy", "", &json!([code(&one)]));
    let question = site.question();
    site.tidegate(&["approvals", "approve", "--session", question["id"].as_str().unwrap()]);
    let run = question["run_id"].as_str().unwrap();
    let resume = json!({"call": "execute_code", "arguments": {"resume": run}});
    let printed = site.client("legacy", "", &json!([resume, code(&two)]));
    assert_eq!(answer(&printed)["output"], "written", "{printed:?}");
    assert!(first.exists());
    assert!(!second.exists(), "the yes became one of the other session: {printed:?}");
}

/// The token in the program stands for another value where the run would be resumed.
#[test]
fn g35_a_run_does_not_go_on_where_its_tokens_stand_for_others() {
    let approvals = "wait = \"1s\"\nexpires = \"2m\"\n";
    let test = "g35_a_run_does_not_go_on_where_its_tokens_stand_for_others";
    let Some(site) = Site::new(test, approvals) else { return };
    let email = |address: &str| json!({"call": "sanitize_pii", "arguments": {"text": format!("to {address}")}});
    let (file, program) = site.writing_unseen("a");
    let program = code(&program.replace("content: 'x'", "content: '[EMAIL_1]'"));
    site.client("legacy", "", &json!([email("alice.one@mailbox.example"), program]));
    let question = site.question();
    site.tidegate(&["approvals", "approve", question["id"].as_str().unwrap()]);
    let run = question["run_id"].as_str().unwrap();
    let resume = json!({"call": "execute_code", "arguments": {"resume": run}});
    let steps = json!([email("bob.two@mailbox.example"), resume]);
    let printed = site.client("legacy", "", &steps);
    let refused = answer(&printed)["text"].as_str().unwrap().to_owned();
    assert!(refused.contains("its tokens stand for other values here"), "{refused}");
    assert!(!file.exists());
    // The run still waits to be resumed where its tokens are right, and has its approval
    // there.
    let (exit, _, said) = site.tidegate(&["run", "--resume", run]);
    assert_eq!(exit, 0, "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "alice.one@mailbox.example");
}

#[test]
fn g32_a_run_goes_on_as_it_was_approved_or_not_at_all() {
    let approvals = "wait = \"1s\"\nexpires = \"2m\"\n";
    let test = "g32_a_run_goes_on_as_it_was_approved_or_not_at_all";
    let Some(site) = Site::new(test, approvals) else { return };
    let (file, program) = site.writing_unseen("a");
    let mut step = code(&program);
    step["arguments"]["profile"] = json!("execute_full");
    site.client("legacy", "", &json!([step]));
    let question = site.question();
    site.tidegate(&["approvals", "approve", question["id"].as_str().unwrap()]);
    let run = question["run_id"].as_str().unwrap();
    let others = [
        ("profile", json!("read_only")),
        ("profile", json!("default")),
        ("engine", json!("quickjs")),
        ("timeout_ms", json!(1000)),
        ("language", json!("python")),
    ];
    for (key, value) in others {
        let resume = json!({"call": "execute_code", "arguments": {"resume": run, key: value}});
        let refused = answer(&site.client("legacy", "", &json!([resume])))["text"].to_string();
        assert!(refused.contains("call.bad_argument") && refused.contains(key), "{refused}");
    }
    assert_eq!(site.tidegate(&["run", "--resume", run, "--timeout", "1s"]).0, 2);
    let (_, _, said) = site.tidegate(&["run", "--resume", run, "--profile", "read_only"]);
    assert!(said.contains("has the profile `execute_full`"), "{said}");
    assert!(!file.exists());
    let resume = json!({"resume": run, "profile": "execute_full"});
    let step = json!({"call": "execute_code", "arguments": resume});
    let printed = site.client("legacy", "", &json!([step]));
    assert_eq!(answer(&printed)["output"], "written", "{printed:?}");
    assert!(file.exists());
}

/// It announces elicitation but does not implement it.
#[test]
fn a_client_that_cannot_ask_after_all_is_as_one_that_cannot() {
    let test = "a_client_that_cannot_ask_after_all_is_as_one_that_cannot";
    for (pending, code) in [(true, "approval.pending"), (false, "approval.denied")] {
        let approvals = format!("wait = \"1s\"\nexpires = \"5m\"\npending = {pending}\n");
        let Some(site) = Site::new(test, &approvals) else { return };
        let (file, program) = site.writing("a");
        let mut command = site.bench.tidegate();
        command.arg("serve");
        let mut client = Served::start_as(&mut command, Stdio::null(), &json!({"elicitation": {}}));
        let arguments = json!({"code": program, "language": "typescript"});
        client.begin("tools/call", json!({"name": "execute_code", "arguments": arguments}));
        let form = client.next();
        assert_eq!(form["method"], "elicitation/create", "{form}");
        let error = json!({"code": -32601, "message": "no such method"});
        client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error}));
        let since = Instant::now();
        let answer = client.next();
        assert!(answer.to_string().contains(code), "{answer}");
        assert!(since.elapsed() < Duration::from_secs(20));
        assert!(!file.exists());
    }
}

#[test]
fn g32_nobody_answers_in_time() {
    let approvals = "expires = \"2s\"\n";
    let Some(site) = Site::new("g32_nobody_answers_in_time", approvals) else { return };
    for (before, era) in ERAS.into_iter().enumerate() {
        let (file, program) = site.writing(era);
        let mut step = code(&program);
        if era == "auto" {
            // In this era the client waits for its user.
            step["cancel_after_ms"] = json!(6000);
        }
        let printed = site.client(era, "never", &json!([step]));
        // The user was asked once, and silence approved nothing.
        assert_eq!(asked(&printed).len(), 1, "{era} {printed:?}");
        if era == "legacy" {
            let error = &answer(&printed)["error"];
            assert_eq!(error["code"], "approval.denied", "{printed:?}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("did not answer in time"), "{message}");
        } else {
            let call = printed.iter().find(|line| line["call"] == "execute_code").unwrap();
            assert_eq!((&call["cancelled"], &call["result"]), (&json!(true), &Value::Null));
        }
        assert!(!file.exists(), "{era}");
        // One question for each era, and a late approval revives none of them.
        let questions = site.approvals(true);
        let states: Vec<&Value> = questions.iter().map(|one| &one["state"]).collect();
        assert_eq!(states, vec!["expired"; before + 1], "{era}");
        for question in &questions {
            let late = site.tidegate(&["approvals", "approve", question["id"].as_str().unwrap()]);
            assert_ne!(late.0, 0, "{era} {late:?}");
        }
        assert_eq!(site.approvals(true), questions, "{era}");
        assert!(!file.exists(), "{era}");
    }
}

#[test]
fn g33_a_run_goes_on_after_its_client_has_gone() {
    let approvals = "wait = \"30s\"\nexpires = \"2m\"\n";
    let Some(site) = Site::new("g33_a_run_goes_on_after_its_client_has_gone", approvals) else {
        return;
    };
    for (era, before) in ERAS.into_iter().flat_map(|era| [(era, true), (era, false)]) {
        // Once with a call before the question, once without.
        let (file, program) = site.writing_unseen(&format!("{era}-{before}"));
        let count = site.folder.join(format!("{era}-{before}-dirs"));
        let first = match before {
            true => format!(
                "await servers.fs.createDirectory({{path: {:?}}});",
                count.to_str().unwrap()
            ),
            false => String::new(),
        };
        let program = format!("{first} {program}");
        let step = json!({
            "call": "execute_code", "cancel_after_ms": 4000,
            "arguments": {"code": program, "language": "typescript"}
        });
        // The client gives up, and its gateway ends with it.
        site.client(era, "never", &json!([step]));
        let question = site.question();
        assert!(!file.exists());
        let id = question["id"].as_str().unwrap();
        assert_eq!(site.tidegate(&["approvals", "approve", id]).0, 0);
        let run = question["run_id"].as_str().unwrap();
        let resume = json!({"call": "execute_code", "arguments": {"resume": run}});
        let printed = site.client(era, "deny", &json!([resume, resume]));
        assert_eq!(answer(&printed)["output"], "written", "{printed:?}");
        assert_eq!(answer(&printed)["run_id"], run);
        assert!(file.exists());
        let again = printed.iter().filter(|line| line["call"] == "execute_code").nth(1).unwrap();
        assert!(again.to_string().contains("approval.no_such_run"), "{again}");
        // The call before the question was not repeated: the record has it once.
        let calls = crate::support::query(
            &site.bench.state_dir().join("record.db"),
            &format!(
                "SELECT tool FROM calls WHERE run_id = '{run}' AND outcome = 'succeeded' ORDER BY id"
            ),
        );
        let made: &[&str] =
            if before { &["create_directory", "write_file"] } else { &["write_file"] };
        assert_eq!(calls, made, "{era}");
    }
}

#[test]
fn g33_a_run_that_lives_does_not_go_on_beside_itself() {
    let approvals = "wait = \"30s\"\n";
    let test = "g33_a_run_that_lives_does_not_go_on_beside_itself";
    let Some(site) = Site::new(test, approvals) else { return };
    let (file, program) = site.writing_unseen("a");
    let source = site.bench.write("program.ts", &program);
    let source = source.to_str().unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| site.tidegate(&["run", "--json", source]));
        let question = site.question();
        let id = question["run_id"].as_str().unwrap();
        let (exit, _, said) = site.tidegate(&["run", "--resume", id]);
        assert_eq!((exit, said.contains("still waiting")), (3, true), "{said}");
        let resume = json!({"call": "execute_code", "arguments": {"resume": id}});
        let printed = site.client("legacy", "deny", &json!([resume]));
        assert!(
            answer(&printed)["text"].as_str().unwrap().contains("still waiting"),
            "{printed:?}"
        );
        // Nobody else was asked, and the run itself continues with its answer.
        site.tidegate(&["approvals", "approve", question["id"].as_str().unwrap()]);
        let (exit, printed, _) = run.join().unwrap();
        assert_eq!(exit, 0, "{printed}");
        let (_, _, said) = site.tidegate(&["run", "--resume", id]);
        assert!(said.contains("approval.no_such_run"), "{said}");
    });
    assert!(file.exists());
}

#[test]
fn a_person_answers_from_the_command_line() {
    let approvals = "wait = \"30s\"\n";
    let Some(site) = Site::new("a_person_answers_from_the_command_line", approvals) else {
        return;
    };
    for yes in [true, false] {
        let (file, program) = site.writing(&format!("{yes}"));
        let source = site.bench.write("program.ts", &program);
        let source = source.to_str().unwrap();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| site.tidegate(&["run", "--json", source]));
            let question = site.question();
            let id = question["id"].as_str().unwrap();
            let (_, shown, _) = site.tidegate(&["approvals", "show", id]);
            assert!(shown.contains("| await servers.fs.writeFile"), "{shown}");
            let word = if yes { "approve" } else { "deny" };
            assert_eq!(site.tidegate(&["approvals", word, id]).0, 0);
            // An answer can be given only once.
            let (exit, _, said) = site.tidegate(&["approvals", "approve", id]);
            assert_eq!((exit, said.contains("cannot be answered any more")), (1, true), "{said}");
            let (exit, printed, _) = run.join().unwrap();
            assert_eq!(exit, if yes { 0 } else { 3 }, "{printed}");
        });
        assert_eq!(file.exists(), yes);
    }
}

#[test]
fn g32_forged_replayed_and_swapped_answers_are_refused() {
    let approvals = "wait = \"1ms\"\nexpires = \"1m\"\n";
    let test = "g32_forged_replayed_and_swapped_answers_are_refused";
    let Some(site) = Site::new(test, approvals) else { return };
    let run = |program: &str| {
        let file = site.bench.write("program.ts", program);
        site.tidegate(&["run", "--json", file.to_str().unwrap()])
    };
    // Forged: there is no such question.
    let (exit, _, said) = site.tidegate(&["approvals", "approve", "0000000"]);
    assert_eq!((exit, said.contains("there is no approval")), (2, true), "{said}");
    // Swapped: approve one, run another that differs by one character.
    let (file, program) = site.writing("a");
    let (exit, _, _) = run(&program);
    assert_eq!(exit, 3);
    let id = site.question()["id"].as_str().unwrap().to_owned();
    site.tidegate(&["approvals", "approve", &id]);
    let (other, swapped) = site.writing("b");
    assert_eq!(run(&swapped).0, 3);
    assert_eq!(run(&format!("{program} ")).0, 3, "a space is another program");
    assert!(!file.exists() && !other.exists());
    // The approved program uses it up.
    let (exit, printed, _) = run(&program);
    assert_eq!(exit, 0, "{printed}");
    assert!(file.exists());
    // Replayed.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(run(&program).0, 3);
    assert!(!file.exists());
    // Naming a run does not give access to the answer that it got.
    let (exit, _, said) = site.tidegate(&["run", "--resume", "no-such-run"]);
    assert_eq!((exit, said.contains("approval.no_such_run")), (1, true), "{said}");
}

#[test]
fn a_denied_program_is_not_asked_about_again() {
    let approvals = "wait = \"1ms\"\n";
    let Some(site) = Site::new("a_denied_program_is_not_asked_about_again", approvals) else {
        return;
    };
    let (file, program) = site.writing("a");
    let source = site.bench.write("program.ts", &program);
    let source = source.to_str().unwrap();
    site.tidegate(&["run", source]);
    let id = site.question()["id"].as_str().unwrap().to_owned();
    site.tidegate(&["approvals", "deny", &id]);
    let (exit, _, said) = site.tidegate(&["run", source]);
    assert_eq!((exit, said.contains("approval.denied")), (3, true), "{said}");
    assert_eq!(site.approvals(true).len(), 1);
    assert!(!file.exists());
}

/// The time limit does not run while a person thinks, in every engine.
#[test]
fn waiting_for_a_person_takes_no_time_of_the_run() {
    let approvals = "wait = \"30s\"\n";
    let test = "waiting_for_a_person_takes_no_time_of_the_run";
    let Some(site) = Site::new(test, approvals) else { return };
    let typescript = site.writing_unseen("ts");
    let file = site.folder.join("py");
    let python = format!(
        "from servers import fs\nwrite = getattr(fs, 'elif_etirw'[::-1])\n\
         write(path={:?}, content='x')\nresult = 'written'",
        file.to_str().unwrap()
    );
    for (name, file, program) in [("p.ts", typescript.0, typescript.1), ("p.py", file, python)] {
        let source = site.bench.write(name, &program);
        let source = source.to_str().unwrap();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| site.tidegate(&["run", "--json", "--timeout", "3s", source]));
            let question = site.question();
            // Longer than the run's time limit.
            std::thread::sleep(Duration::from_secs(4));
            site.tidegate(&["approvals", "approve", question["id"].as_str().unwrap()]);
            let (exit, printed, said) = run.join().unwrap();
            assert_eq!(exit, 0, "{name} {printed} {said}");
        });
        assert!(file.exists());
    }
}
