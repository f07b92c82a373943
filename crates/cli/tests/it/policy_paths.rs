//! One boundary: every path by which a tool can be called, against every kind of rule.
//!
//! The tool is the real filesystem server's `write_file`, so the proof is the file
//! afterwards, not the gateway's answer. The first row is the control: where the rules
//! allow it, every path writes.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served};

/// How a tool is called. `PATH` stands for the file and `NAME` for its name.
#[derive(Clone, Copy)]
enum How {
    TypeScript(&'static str),
    Engine(&'static str, &'static str),
    Python(&'static str),
    /// `call_tool` of the standard surface.
    CallTool,
    /// The tool itself on the surface `direct`.
    Direct,
    /// `tidegate run`, in its own process.
    CommandLine(&'static str),
    /// A run that waited for a person, was approved, and is resumed under these rules.
    Resumed(&'static str),
}

const PATHS: [(&str, How); 17] = [
    ("function", How::TypeScript("await servers.fs.writeFile({path: 'PATH', content: 'x'})")),
    (
        "own spelling",
        How::TypeScript("await servers.fs['write_file']({path: 'PATH', content: 'x'})"),
    ),
    (
        "import",
        How::TypeScript(
            "import { writeFile } from './servers/fs'; await writeFile({path: 'PATH', content: 'x'})",
        ),
    ),
    (
        "by name",
        How::TypeScript("await callMCPTool('fs__write_file', {path: 'PATH', content: 'x'})"),
    ),
    (
        "raw",
        How::TypeScript(
            "await callMCPTool('fs__write_file', {path: 'PATH', content: 'x'}, {raw: true})",
        ),
    ),
    (
        "computed name",
        How::TypeScript(
            "await callMCPTool(['fs', 'write', 'file'].join('_').replace('_', '__'), \
             {path: 'PATH', content: 'x'})",
        ),
    ),
    (
        "computed member",
        How::TypeScript(
            "const name = 'fileWrite'.replace('fileWrite', 'writeFile'); \
             await servers.fs[name]({path: 'PATH', content: 'x'})",
        ),
    ),
    (
        "parallel",
        How::TypeScript(
            "await Promise.all([1, 2, 3].map(() => \
             servers.fs.writeFile({path: 'PATH', content: 'x'})))",
        ),
    ),
    (
        "not awaited",
        How::TypeScript("servers.fs.writeFile({path: 'PATH', content: 'x'}); return 1"),
    ),
    ("deno", How::Engine("deno", "await servers.fs.writeFile({path: 'PATH', content: 'x'})")),
    ("node", How::Engine("node", "await servers.fs.writeFile({path: 'PATH', content: 'x'})")),
    ("Python", How::Python("from servers import fs\nfs.write_file(path='PATH', content='x')")),
    (
        "Python, computed and parallel",
        How::Python(
            "import asyncio\nfrom servers import fs\nwrite = getattr(fs, 'elif_etirw'[::-1])\n\
             await asyncio.gather(*[write(path='PATH', content='x') for _ in range(3)])",
        ),
    ),
    ("call_tool", How::CallTool),
    ("direct surface", How::Direct),
    ("tidegate run", How::CommandLine("await servers.fs.writeFile({path: 'PATH', content: 'x'})")),
    (
        "resumed after a yes",
        How::Resumed(
            "await callMCPTool(['fs', 'write', 'file'].join('_').replace('_', '__'), \
             {path: 'PATH', content: 'x'})",
        ),
    ),
];

/// One kind of rule: its name, its additions to `tidegate.toml`, its `policy.toml`, and
/// the code of the refusal; `None` for the control.
struct Kind {
    name: &'static str,
    config: &'static str,
    policy: &'static str,
    refusal: Option<&'static str>,
}

const ALLOWED: &str = "[defaults]\ndestructive = \"allow\"\n";

const fn denying(name: &'static str, policy: &'static str) -> Kind {
    Kind { name, config: "", policy, refusal: Some("call.denied") }
}

const KINDS: [Kind; 11] = [
    Kind { name: "allowed (control)", config: "", policy: ALLOWED, refusal: None },
    Kind {
        name: "destructive, by default",
        config: "",
        policy: "",
        refusal: Some("approval.denied"),
    },
    Kind {
        name: "ask",
        config: "",
        policy: "[[rule]]\nname = \"r\"\ndecision = \"ask\"\nserver = \"fs\"\ntool = \"write_*\"\n",
        refusal: Some("approval.denied"),
    },
    denying(
        "deny by tool",
        "[[rule]]\nname = \"r\"\ndecision = \"deny\"\nserver = \"fs\"\ntool = \"write_file\"\n",
    ),
    denying("deny by server", "[[rule]]\nname = \"r\"\ndecision = \"deny\"\nserver = \"f*\"\n"),
    denying(
        "deny by argument",
        "[defaults]\ndestructive = \"allow\"\n[[rule]]\nname = \"r\"\ndecision = \"deny\"\nserver = \"fs\"\n\
         arguments = { path = \"*/here/*\" }\n",
    ),
    denying(
        "deny by profile",
        "[[rule]]\nname = \"r\"\ndecision = \"deny\"\nserver = \"fs\"\nprofile = \"default\"\n",
    ),
    denying(
        "deny by risk",
        "[[rule]]\nname = \"r\"\ndecision = \"deny\"\nserver = \"fs\"\nrisk = \"low\"\n",
    ),
    Kind {
        name: "profile read_only",
        config: "profile = \"read_only\"\n",
        policy: ALLOWED,
        refusal: Some("call.denied"),
    },
    Kind {
        name: "`deny` of a profile",
        config: "profile = \"mine\"\n[profiles.mine]\nextends = \"default\"\ndeny = [\"fs__write_file\"]\n",
        policy: ALLOWED,
        refusal: Some("call.denied"),
    },
    Kind {
        name: "wrong arguments",
        config: "",
        policy: ALLOWED,
        refusal: Some("call.bad_argument"),
    },
];

#[test]
fn g31_every_path_meets_every_kind_of_rule() {
    let needed = ["filesystem", "deno", "node"];
    let Some(equipment) = Equipment::get("g31_every_path_meets_every_kind_of_rule", &needed) else {
        return;
    };
    let bench = Bench::new();
    let folder = bench.path().join("here");
    std::fs::create_dir(&folder).unwrap();
    let server = equipment.server("filesystem", &[folder.to_str().unwrap()]);
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (row, kind) in KINDS.iter().enumerate() {
        let site = Site { bench: &bench, server: &server, equipment: &equipment, kind };
        site.configure(kind.config, kind.policy);
        let mut standard = bench.serve();
        let mut direct = Served::start(bench.tidegate().args(["serve", "--surface", "direct"]));
        for (column, (path, how)) in PATHS.iter().enumerate() {
            let file = folder.join(format!("{row}-{column}.txt"));
            let said = site.attempt(*how, &file, &mut standard, &mut direct);
            let met = match kind.refusal {
                None => file.exists(),
                Some(code) => !file.exists() && said.contains(code),
            };
            let mark = if met { "ok" } else { "WRONG" };
            table.push_str(&format!("{:<26} {path:<30} {mark}\n", kind.name));
            if !met {
                wrong.push(format!("{} / {path}: file {}: {said}", kind.name, file.exists()));
            }
        }
    }
    eprintln!("{table}");
    assert!(
        wrong.is_empty(),
        "{}\n{} of {}",
        wrong.join("\n"),
        wrong.len(),
        KINDS.len() * PATHS.len()
    );
}

struct Site<'a> {
    bench: &'a Bench,
    server: &'a Value,
    equipment: &'a Equipment,
    kind: &'a Kind,
}

impl Site<'_> {
    fn configure(&self, config: &str, policy: &str) {
        let engine = |name: &str| {
            let command = self.equipment.command(name);
            format!("{name} = {:?}\n", command.get_program().to_str().unwrap())
        };
        let text = format!(
            "{config}[servers.fs]\ncommand = {}\nargs = {}\n[approvals]\npending = false\n\
             [sandbox]\n{}{}",
            self.server["command"],
            self.server["args"],
            engine("deno"),
            engine("node"),
        );
        self.bench.write("tidegate.toml", &text);
        self.bench.write("policy.toml", policy);
    }

    /// Calls the tool by one path. Returns the answer as text.
    fn attempt(&self, how: How, file: &Path, standard: &mut Served, direct: &mut Served) -> String {
        let program = |template: &str| {
            let program = template.replace("PATH", file.to_str().unwrap());
            match self.kind.name {
                "wrong arguments" => {
                    program.replace("content: 'x'", "text: 1").replace("content='x'", "text=1")
                }
                _ => program,
            }
        };
        let arguments = || match self.kind.name {
            "wrong arguments" => json!({"path": file, "text": 1}),
            _ => json!({"path": file, "content": "x"}),
        };
        match how {
            How::TypeScript(template) => standard
                .execute_with(json!({"code": program(template), "language": "typescript"}))
                .to_string(),
            How::Engine(engine, template) => standard
                .execute_with(json!({
                    "code": program(template), "language": "typescript", "engine": engine
                }))
                .to_string(),
            How::Python(template) => standard
                .execute_with(json!({"code": program(template), "language": "python"}))
                .to_string(),
            How::CallTool => {
                standard
                    .call("call_tool", json!({"name": "fs__write_file", "arguments": arguments()}))
                    .1
            }
            How::Direct => direct.call("fs__write_file", arguments()).1,
            How::CommandLine(template) => {
                self.run(&["run", "--json", &self.saved(&program(template))])
            }
            How::Resumed(template) => self.resumed(&program(template)),
        }
    }

    fn saved(&self, program: &str) -> String {
        let file: PathBuf = self.bench.write("program.ts", program);
        file.to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.bench.tidegate().args(arguments).stdin(Stdio::null()).output().unwrap();
        format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    }

    /// Lets a run wait, approves it, and resumes it under the rules of this kind.
    fn resumed(&self, program: &str) -> String {
        let asks = "[[rule]]\nname = \"first\"\ndecision = \"ask\"\nserver = \"fs\"\n";
        self.configure("", asks);
        let waiting = std::fs::read_to_string(self.bench.path().join("tidegate.toml")).unwrap();
        let waiting = waiting.replace("pending = false", "wait = \"1ms\"");
        self.bench.write("tidegate.toml", &waiting);
        let said = self.run(&["run", "--json", &self.saved(program)]);
        self.configure(self.kind.config, self.kind.policy);
        let answer: Value = match serde_json::from_str(&said) {
            Ok(answer) => answer,
            Err(error) => return format!("{error}: {said}"),
        };
        let Some(run) = answer["run_id"].as_str() else { return said };
        let listed = self.run(&["approvals", "list", "--json"]);
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let id = listed["approvals"].as_array().unwrap().iter().find(|one| one["run_id"] == run);
        let Some(id) = id.and_then(|one| one["id"].as_str()) else { return said };
        // An approval would allow the call. Where the test expects a denial, the person
        // denies it.
        if self.kind.refusal == Some("approval.denied") {
            self.run(&["approvals", "deny", id]);
        } else {
            self.bench.as_person(&["approvals", "approve", id]);
        }
        self.run(&["run", "--json", "--resume", run])
    }
}
