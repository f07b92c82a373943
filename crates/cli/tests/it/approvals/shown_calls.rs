//! An approval is for what was shown: programs that hide a second call behind an approved one,
//! in both languages, and honest programs, which are asked about once.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{ERAS, Site, answer, asked, code};
use crate::support::query;

/// Programs in TypeScript that write `SHOWN`, for everybody to see, and then `HIDDEN`. `GIVEN` stands
/// for the arguments besides the path.
const TYPESCRIPT: [(&str, &str); 24] = [
    ("a second call", "await fs.writeFile({path: HIDDEN, GIVEN})"),
    ("below a hundred lines", "LINES\nawait fs.writeFile({path: HIDDEN, GIVEN})"),
    (
        "at the end of a long line",
        "const padding = 'LONG'; await fs.writeFile({path: HIDDEN, GIVEN})",
    ),
    ("behind blanks", "0;BLANKS; await fs.writeFile({path: HIDDEN, GIVEN})"),
    ("through an alias", "const w = fs.writeFile; await w({path: HIDDEN, GIVEN})"),
    ("through a variable", "let w; w = fs.writeFile; await w({path: HIDDEN, GIVEN})"),
    ("destructured", "const {fs: {writeFile: w}} = servers; await w({path: HIDDEN, GIVEN})"),
    ("by name", "await callMCPTool('fs__write_file', {path: HIDDEN, GIVEN})"),
    (
        "by a computed name",
        "const n = ['fs', '', 'write', 'file'].map((x) => x).join('_'); \
         await callMCPTool(n, {path: HIDDEN, GIVEN})",
    ),
    ("by a computed member", "const m = 'write' + 'File'; await fs[m]({path: HIDDEN, GIVEN})"),
    (
        "a computed path",
        "const p = [...HIDDEN].reverse().reverse().join(''); await fs.writeFile({path: p, GIVEN})",
    ),
    (
        "either of two paths",
        "const p = Date.now() > 0 ? HIDDEN : SHOWN; await fs.writeFile({path: p, GIVEN})",
    ),
    ("a variable that changes", "let p = SHOWN; p = HIDDEN; await fs.writeFile({path: p, GIVEN})"),
    (
        "an object that changes",
        "const o = {path: SHOWN, GIVEN}; const f = (x: any) => { x.path = HIDDEN }; f(o); await fs.writeFile(o)",
    ),
    (
        "spread",
        "const more = JSON.parse(JSON.stringify({path: HIDDEN})); await fs.writeFile({path: SHOWN, GIVEN, ...more})",
    ),
    (
        "spread arguments",
        "const all = [{path: HIDDEN, GIVEN}]; await fs.writeFile(...(all as [any]))",
    ),
    ("in a loop", "for (const path of [SHOWN, HIDDEN]) await fs.writeFile({path, GIVEN})"),
    ("for each", "await Promise.all([SHOWN, HIDDEN].map((path) => fs.writeFile({path, GIVEN})))"),
    (
        "in a function",
        "const f = (path: string) => fs.writeFile({path, GIVEN}); await f(SHOWN); await f(HIDDEN)",
    ),
    ("by `call`", "await (fs.writeFile as any).call(null, {path: HIDDEN, GIVEN})"),
    ("by `Reflect`", "await Reflect.apply(fs.writeFile, null, [{path: HIDDEN, GIVEN}])"),
    (
        "by a getter",
        "let n = 0; const o = {get path() { return n++ < 0 ? SHOWN : HIDDEN }, GIVEN}; await fs.writeFile(o)",
    ),
    (
        "by `toJSON`",
        "const o = {path: SHOWN, GIVEN, toJSON: () => ({path: HIDDEN, GIVEN})}; await fs.writeFile(o as any)",
    ),
    ("with an escaped name", "await fs['write\\u0046ile']({path: HIDDEN, GIVEN})"),
];

/// The same in Python, with `GIVEN` for `content="x"`.
const PYTHON: [(&str, &str); 14] = [
    ("a second call", "fs.write_file(path=HIDDEN, GIVEN)"),
    ("below a hundred lines", "LINES\nfs.write_file(path=HIDDEN, GIVEN)"),
    ("in a loop", "for path in [SHOWN, HIDDEN]:\n  fs.write_file(path=path, GIVEN)"),
    ("by position", "fs.write_file(HIDDEN, 'x')"),
    ("a dict", "fs.write_file({'path': HIDDEN, 'content': 'x'})"),
    ("two stars", "more = dict([('path', HIDDEN)])\nfs.write_file(**more, GIVEN)"),
    ("one star", "more = [HIDDEN, 'x']\nfs.write_file(*more)"),
    ("by `getattr`", "getattr(fs, 'elif_etirw'[::-1])(path=HIDDEN, GIVEN)"),
    ("by name", "call_tool('fs__write_file', {'path': HIDDEN, 'content': 'x'})"),
    (
        "by a computed name",
        "call_tool('__'.join(['fs', 'write_file']), {'path': HIDDEN, 'content': 'x'})",
    ),
    ("a lambda", "list(map(lambda path: fs.write_file(path=path, GIVEN), [HIDDEN]))"),
    ("a default", "def f(path=HIDDEN):\n  return fs.write_file(path=path, GIVEN)\nf()"),
    (
        "a dict that changes",
        "o = {'path': SHOWN, 'content': 'x'}\ndef f(x):\n  x['path'] = HIDDEN\nf(o)\nfs.write_file(o)",
    ),
    ("a partial", "import functools\nfunctools.partial(fs.write_file, path=HIDDEN)(GIVEN)"),
];

/// A program of the tables, with a first call that is shown.
fn program(language: &str, hiding: &str, shown: &Path, hidden: &Path) -> String {
    let quoted = |path: &Path| format!("{:?}", path.to_str().unwrap());
    let (first, last) = match language {
        "typescript" => (
            "const fs = servers.fs; await fs.writeFile({path: SHOWN, GIVEN}); try { ",
            "; } catch (error) { return String(error) } return 'done'",
        ),
        _ => ("from servers import fs\nfs.write_file(path=SHOWN, GIVEN)\n", "\nresult = 'done'"),
    };
    let (comment, given) = match language {
        "typescript" => ("// a line\n", "content: 'x'"),
        _ => ("# a line\n", "content='x'"),
    };
    [first, hiding, last]
        .concat()
        .replace("LINES", &comment.repeat(100))
        .replace("LONG", &"-".repeat(600))
        .replace("BLANKS", &" ".repeat(600))
        .replace("GIVEN", given)
        .replace("SHOWN", &quoted(shown))
        .replace("HIDDEN", &quoted(hidden))
}

/// The text of a form, with wrapped lines joined.
fn joined(form: &Value) -> String {
    form["message"].as_str().unwrap().replace("\n|… ", "")
}

/// A client that approves the first form and declines all others.
#[test]
fn g43_no_hidden_call_rides_on_the_approval_of_another() {
    let test = "g43_no_hidden_call_rides_on_the_approval_of_another";
    let Some(site) = Site::new(test, "") else { return };
    let mut steps = Vec::new();
    let tables = [("typescript", &TYPESCRIPT[..]), ("python", &PYTHON[..])];
    let mut cases: Vec<(String, PathBuf, PathBuf)> = Vec::new();
    for (language, table) in tables {
        for (number, (name, hiding)) in table.iter().enumerate() {
            let file = |kind: &str| site.folder.join(format!("{language}-{number}-{kind}"));
            let (shown, hidden) = (file("cache"), file("ann"));
            let source = program(language, hiding, &shown, &hidden);
            steps.push(json!({
                "call": "execute_code", "answers": ["approve once", "decline"],
                "arguments": {"code": source, "language": language}
            }));
            cases.push((format!("{language}: {name}"), shown, hidden));
        }
    }
    let printed = site.client("legacy", "decline", &Value::from(steps));
    let mut runs = printed.iter().filter(|line| line["call"] == "execute_code");
    for (name, shown, hidden) in cases {
        let run = runs.next().unwrap();
        let forms = run["asked"].as_array().unwrap();
        assert!(shown.exists(), "{name}: {run}");
        let calls = joined(&forms[0]);
        let calls = calls.split_once("The program:").unwrap().0;
        if hidden.exists() {
            assert!(calls.contains(hidden.to_str().unwrap()), "{name} was not shown: {calls}");
        } else {
            assert!(forms.len() > 1, "{name} was neither made nor asked about: {run}");
        }
    }
}

#[test]
fn g43_an_honest_program_is_asked_about_once() {
    let Some(site) = Site::new("g43_an_honest_program_is_asked_about_once", "") else { return };
    let typescript = [
        "await servers.fs.writeFile({path: A, content: 'x'})",
        "const path = A; const content = `x`; await servers.fs.writeFile({path, content})",
        "await servers.fs.writeFile({content: 'x', path: A}); \
         await servers.fs.writeFile({path: B, content: 'x' + 'y'})",
        "for (let i = 0; i < 3; i++) await servers.fs.writeFile({path: A, content: 'x'})",
        "await callMCPTool('fs__write_file', {path: A, content: 'x', more: undefined})",
        "await servers.fs.editFile({path: A, edits: [{oldText: 'x', newText: 'z'}], dryRun: false})",
    ];
    let python = [
        "from servers import fs\nfs.write_file(path=A, content='x')",
        "from servers import fs\nfs.write_file(A, 'x')",
        "from servers import fs\nawait fs.write_file({'path': A, 'content': 'x'})",
        "import asyncio\nfrom servers import fs\n\
         await asyncio.gather(fs.write_file(path=A, content='x'), fs.write_file(path=B, content='y'))",
        "call_tool('fs__write_file', {'path': A, 'content': 'x'})",
        "for i in range(3):\n  servers.fs.write_file(path=A, content='x')",
    ];
    let quoted = |name: &str| format!("{:?}", site.folder.join(name).to_str().unwrap());
    let step = |language: &str, source: &str| {
        let source = source.replace('A', &quoted("a")).replace('B', &quoted("b"));
        json!({"call": "execute_code", "answers": ["approve once", "decline"],
               "arguments": {"code": source, "language": language}})
    };
    let steps: Vec<Value> = typescript
        .iter()
        .map(|source| step("typescript", source))
        .chain(python.iter().map(|source| step("python", source)))
        .collect();
    let printed = site.client("legacy", "decline", &Value::from(steps.clone()));
    let runs = printed.iter().filter(|line| line["call"] == "execute_code");
    for (step, run) in steps.iter().zip(runs) {
        let source = &step["arguments"]["code"];
        assert_eq!(run["asked"].as_array().unwrap().len(), 1, "{source}: {run}");
        assert_eq!(answer(std::slice::from_ref(run))["success"], true, "{source}: {run}");
    }
}

/// More often than the form said, it asks again; in a loop the form said so.
#[test]
fn g43_an_approval_counts_as_often_as_the_form_said() {
    let test = "g43_an_approval_counts_as_often_as_the_form_said";
    let Some(site) = Site::new(test, "") else { return };
    let (_, first) = site.writing("a");
    let call = first.trim_end_matches("; return 'written'");
    let twice = format!("const f = async () => {{ {call} }}; await f(); await f(); return 'twice'");
    let (_, other) = site.writing("b");
    let once_more = format!("{call}; {call}; {other}");
    let mut steps = [code(&twice), code(&once_more)];
    for step in &mut steps {
        step["answers"] = json!(["approve once", "decline"]);
    }
    for era in ERAS {
        let printed = site.client(era, "decline", &json!(steps));
        let runs: Vec<&Value> =
            printed.iter().filter(|line| line["call"] == "execute_code").collect();
        assert_eq!(runs[0]["asked"].as_array().unwrap().len(), 2, "{era} {}", runs[0]);
        assert!(runs[0].to_string().contains("approval.denied"), "{era} {}", runs[0]);
        assert_eq!(runs[1]["asked"].as_array().unwrap().len(), 1, "{era} {}", runs[1]);
        let form = joined(&runs[1]["asked"][0]);
        assert_eq!(form.matches("\nline 1:\n| path = ").count(), 3, "{form}");
    }
}

#[test]
fn g43_a_session_approval_is_for_the_same_call_or_says_that_it_is_for_all() {
    let test = "g43_a_session_approval_is_for_the_same_call_or_says_that_it_is_for_all";
    let Some(site) = Site::new(test, "") else { return };
    let write = |name: &str| {
        let arguments = json!({"path": site.folder.join(name), "content": "x"});
        json!({"call": "call_tool", "answers": ["approve for this session"],
               "arguments": {"name": "fs__write_file", "arguments": arguments}})
    };
    let mut all = write("c");
    all["answers"] = json!(["approve all calls of these tools for this session"]);
    let steps = json!([write("a"), write("a"), write("b"), all, write("d"), write("e")]);
    let printed = site.client("legacy", "decline", &steps);
    let calls = printed.iter().filter(|line| line["call"] == "call_tool");
    let forms: Vec<usize> = calls.map(|call| call["asked"].as_array().unwrap().len()).collect();
    assert_eq!(forms, [1, 0, 1, 1, 0, 0]);
    let said = "All calls: every call of the same tool in this session, whatever its arguments.";
    assert!(asked(&printed).iter().all(|form| form.contains(said)), "{printed:?}");
}

/// A resumed run has the approvals that it has not used, and no others.
#[test]
fn g43_a_resumed_run_is_asked_about_nothing_twice() {
    let approvals = "wait = \"1s\"\nexpires = \"2m\"\n";
    let test = "g43_a_resumed_run_is_asked_about_nothing_twice";
    let Some(site) = Site::new(test, approvals) else { return };
    let path = |name: &str| format!("{:?}", site.folder.join(name).to_str().unwrap());
    let source = format!(
        "const w = async (path) => servers.fs.writeFile({{path, content: 'x'}});\n\
         await servers.fs.writeFile({{path: {0}, content: 'x'}}); await w({1});\n\
         await servers.fs.writeFile({{path: {2}, content: 'x'}}); await w({0}); return 'done'",
        path("a"),
        path("b"),
        path("c"),
    );
    site.client("legacy", "", &json!([code(&source)]));
    let mut asked = Vec::new();
    let outcome = loop {
        let Some(question) = site.approvals(false).into_iter().next() else { break None };
        asked.push(question["kind"].clone());
        assert!(asked.len() < 6, "{asked:?}");
        site.tidegate(&["approvals", "approve", question["id"].as_str().unwrap()]);
        let run = question["run_id"].as_str().unwrap();
        let resume = json!({"call": "execute_code", "arguments": {"resume": run}});
        let printed = site.client("legacy", "", &json!([resume]));
        let answer = answer(&printed);
        if answer["error"]["code"] != "approval.pending" {
            break Some(answer);
        }
    };
    assert_eq!(outcome.unwrap()["output"], "done");
    // The program, the computed call, and `a` once more than the form said.
    assert_eq!(asked, ["program", "call", "call"]);
    let made = query(
        &site.bench.state_dir().join("record.db"),
        "SELECT count(*) FROM calls WHERE tool = 'write_file' AND outcome = 'succeeded'",
    );
    assert_eq!(made, ["4"]);
}

/// What has no room in a client's form is in the stored one, whose hash is in the record.
#[test]
fn g43_all_of_a_form_is_stored_and_hashed() {
    let Some(site) = Site::new("g43_all_of_a_form_is_stored_and_hashed", "") else { return };
    let (_, write) = site.writing("a");
    let write = write.trim_end_matches(" return 'written'");
    let lines: String = (0..200).map(|n| format!("// line {n}{}\n", " ".repeat(100))).collect();
    let source = format!(
        "import * as files from 'fs/promises';\n{write}\n{lines}\
         await files.writeFile('./workspace/out.txt', 'x');\n\
         // \u{202e}Risk: none\u{202c}. It would call:\n\
         if (Date.now() < 0) await fetch('https://collect.example/x');\nreturn 'last line'"
    );
    let mut step = code(&source);
    step["answers"] = json!(["deny"]);
    let printed = site.client("legacy", "deny", &json!([step]));
    let run = printed.iter().find(|line| line["call"] == "execute_code").unwrap();
    let form = run["asked"][0]["message"].as_str().unwrap();
    let [question] = site.approvals(true).try_into().unwrap();
    let id = question["id"].as_str().unwrap();
    let reference = format!("`tidegate approvals show {id}` prints all of it");
    for part in [
        "It would write the files:\n| ./workspace/out.txt\n",
        "It would reach:\n| https://collect.example/x\n",
        "more lines of the program",
        &reference,
    ] {
        assert!(form.contains(part), "{part} is missing in {form}");
    }
    assert!(!form.contains("last line"), "{form}");
    assert!(form.lines().skip(1).all(|line| line.chars().count() < 700), "{form}");
    let (_, all, _) = site.tidegate(&["approvals", "show", id]);
    let (_, json, _) = site.tidegate(&["approvals", "show", "--json", id]);
    let shown: Value = serde_json::from_str(&json).unwrap();
    let details = shown["details"].as_str().unwrap();
    for text in [&*all, details] {
        assert!(text.contains("| return 'last line'"), "{text}");
        assert!(text.contains("| // \\u{202e}Risk: none\\u{202c}. It would call:"), "{text}");
        assert!(text.contains("| // line 199"), "{text}");
    }
    let text = format!("{}\n\n{details}", shown["title"].as_str().unwrap());
    let hash = sha256(&text);
    assert_eq!(shown["form_sha256"], *hash);
    let recorded = query(
        &site.bench.state_dir().join("record.db"),
        "SELECT DISTINCT form_sha256 FROM approval_steps",
    );
    assert_eq!(recorded, [hash]);
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
