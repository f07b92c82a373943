//! Whole tasks over real servers, one program each.
//!
//! The fixtures and the numbers are those of seed 7: 1,000 log files with 39,446 lines,
//! a repository with 30 commits, 50 notes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served, descendants, text};

const NEEDED: &[&str] =
    &["everything", "filesystem", "memory", "git", "sqlite", "time", "fixtures"];

/// Six real servers in one configuration, on fresh fixtures.
struct Workshop {
    bench: Bench,
    fixtures: PathBuf,
}

impl Workshop {
    fn open(test: &str) -> Option<Self> {
        let equipment = Equipment::get(test, NEEDED)?;
        let bench = Bench::new().asks_nobody();
        let fixtures = bench.path().join("fixtures");
        let made = equipment.command("fixtures").arg(&fixtures).arg("7").output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        let folder = fixtures.to_str().unwrap();
        let repository = format!("{folder}/repo");
        let database = bench.path().join("counts.db");
        let mut memory = equipment.server("memory", &[]);
        memory["env"] = json!({"MEMORY_FILE_PATH": bench.path().join("memory.json")});
        let servers = json!({
            "everything": equipment.server("everything", &[]),
            "filesystem": equipment.server("filesystem", &[folder]),
            "memory": memory,
            "git": equipment.server("git", &["--repository", &repository]),
            "sqlite": equipment.server("sqlite", &["--db-path", database.to_str().unwrap()]),
            "time": equipment.server("time", &["--local-timezone", "UTC"]),
        });
        bench.write(".mcp.json", &json!({"mcpServers": servers}).to_string());
        Some(Self { bench, fixtures })
    }

    /// The same for a program in Python.
    fn python(&self, source: &str) -> String {
        format!("FX = {}\n{source}", json!(self.fixtures))
    }

    /// A program with the folder of the fixtures as `FX`.
    fn program(&self, source: &str) -> String {
        format!("const FX = {};\n{source}", json!(self.fixtures))
    }
}

/// Runs a program. Returns its output, and how many characters of the whole answer the
/// model sees.
fn execute(served: &mut Served, source: &str) -> (Value, usize) {
    execute_with(served, json!({"code": source}))
}

fn execute_with(served: &mut Served, request: Value) -> (Value, usize) {
    let (is_error, answer) = served.call("execute_code", request);
    assert!(!is_error, "{answer}");
    let response: Value = serde_json::from_str(&answer).unwrap();
    (response["output"].clone(), answer.chars().count())
}

fn git(repository: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).trim().to_owned()
}

const S1: &str = r#"
import * as filesystem from './servers/filesystem';
import { createTable, writeQuery, readQuery } from './servers/sqlite';
import { gitAdd, gitCommit, gitLog } from './servers/git';

const listing = (await filesystem.listDirectory({ path: `${FX}/logs` })).content;
const paths = [...listing.matchAll(/\[FILE\] (\S+)/g)].map(([, name]) => `${FX}/logs/${name}`);
const batches: string[][] = [];
for (let at = 0; at < paths.length; at += 100) batches.push(paths.slice(at, at + 100));
const read = await Promise.all(batches.map((paths) => filesystem.readMultipleFiles({ paths })));

let lines = 0, characters = 0;
const errors: Record<string, number> = {};
for (const { content } of read) {
  characters += content.length;
  for (const [, level, service] of content.matchAll(/^\S+Z (\w+) (\w+) latency=/gm)) {
    lines++;
    if (level === 'ERROR') errors[service] = (errors[service] ?? 0) + 1;
  }
}
const counts = Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1));

await createTable({ query: 'CREATE TABLE error_counts (service TEXT PRIMARY KEY, errors INTEGER)' });
const values = counts.map(([service, count]) => `('${service}', ${count})`).join(', ');
await writeQuery({ query: `INSERT INTO error_counts VALUES ${values}` });
const stored = await readQuery({ query: 'SELECT SUM(errors) AS total, COUNT(*) AS services FROM error_counts' });

const csv = ['service,errors', ...counts.map((row) => row.join(','))].join('\n') + '\n';
await filesystem.writeFile({ path: `${FX}/repo/errors.csv`, content: csv });
const repo_path = `${FX}/repo`;
await gitAdd({ repo_path, files: ['errors.csv'] });
await gitCommit({ repo_path, message: 'docs: errors per service' });
const log = await gitLog({ repo_path, max_count: 100 });

return {
  files: paths.length, lines, raw_characters: characters, errors: Object.fromEntries(counts),
  stored, commits: log.match(/^Commit: /gm).length,
};
"#;

const S1_PYTHON: &str = r#"
import asyncio, csv, io, re
from collections import Counter
from servers import filesystem, sqlite, git

listing = filesystem.list_directory(path=f"{FX}/logs").content
paths = [f"{FX}/logs/{name}" for name in re.findall(r"\[FILE\] (\S+)", listing)]
batches = [paths[at:at + 100] for at in range(0, len(paths), 100)]
texts = [answer.content for answer in await asyncio.gather(*(filesystem.read_multiple_files(paths=batch) for batch in batches))]

found = [match for text in texts for match in re.findall(r"^\S+Z (\w+) (\w+) latency=", text, re.M)]
errors = Counter(service for level, service in found if level == "ERROR")

sqlite.create_table(query="CREATE TABLE error_counts (service TEXT PRIMARY KEY, errors INTEGER)")
values = ", ".join(f"('{service}', {count})" for service, count in sorted(errors.items()))
sqlite.write_query(query=f"INSERT INTO error_counts VALUES {values}")
stored = sqlite.read_query(query="SELECT SUM(errors) AS total, COUNT(*) AS services FROM error_counts")

table = io.StringIO()
writer = csv.writer(table, lineterminator="\n")
writer.writerow(["service", "errors"])
writer.writerows(sorted(errors.items()))
filesystem.write_file(path=f"{FX}/repo/errors.csv", content=table.getvalue())
repo = f"{FX}/repo"
git.git_add(repo_path=repo, files=["errors.csv"])
git.git_commit(repo_path=repo, message="docs: errors per service")
log = git.git_log(repo_path=repo, max_count=100)

result = {
    "files": len(paths), "lines": len(found), "raw_characters": sum(map(len, texts)), "errors": errors,
    "stored": stored, "commits": len(re.findall("^Commit: ", log, re.M)),
}
"#;

#[test]
fn s1_a_thousand_logs_become_a_table_a_file_and_a_commit_in_one_program() {
    let Some(shop) = Workshop::open("s1") else { return };
    let program = shop.program(S1);
    s1(&shop, json!({"code": program}));
}

#[test]
fn s1_in_python() {
    let Some(shop) = Workshop::open("s1 in Python") else { return };
    let program = shop.python(S1_PYTHON);
    s1(&shop, json!({"code": program, "language": "python"}));
}

fn s1(shop: &Workshop, request: Value) {
    let mut served = shop.bench.serve();
    let (mut output, characters) = execute_with(&mut served, request);
    let raw = output.as_object_mut().unwrap().remove("raw_characters").unwrap();
    assert_eq!(
        output,
        json!({
            "files": 1000,
            "lines": 39_446,
            "errors": {
                "auth": 632, "billing": 642, "cart": 713, "gateway": 685,
                "mail": 644, "search": 664, "stock": 648
            },
            "stored": "[{'total': 4628, 'services': 7}]",
            "commits": 31
        })
    );
    assert_eq!(
        std::fs::read_to_string(shop.fixtures.join("repo/errors.csv")).unwrap(),
        "service,errors\nauth,632\nbilling,642\ncart,713\ngateway,685\nmail,644\nsearch,664\n\
         stock,648\n"
    );
    let repository = shop.fixtures.join("repo");
    assert_eq!(git(&repository, &["rev-list", "--count", "HEAD"]), "31");
    assert_eq!(
        git(&repository, &["show", "--format=%s", "--name-only", "HEAD"]),
        "docs: errors per service\n\nerrors.csv"
    );
    assert_eq!(git(&repository, &["status", "--porcelain"]), "");
    // The paths in the result depend on the folder, so the size is only approximate.
    let raw = usize::try_from(raw.as_u64().unwrap()).unwrap();
    assert!((2_100_000..2_500_000).contains(&raw), "{raw} characters were read");
    assert!(characters * 4000 < raw, "{characters} characters reached the model");
}

const S3: &str = r#"
const { filesystem, memory } = servers;
const listing = (await filesystem.listDirectory({ path: `${FX}/notes` })).content;
const names = [...listing.matchAll(/\[FILE\] (\S+)\.md/g)].map(([, name]) => name);
const notes = await Promise.all(names.map(async (name) => {
  const { content } = await filesystem.readTextFile({ path: `${FX}/notes/${name}.md` });
  return { name, content, links: [...content.matchAll(/\[\[(.+?)\]\]/g)].map(([, to]) => to) };
}));
await memory.createEntities({ entities: notes.map(({ name, content }) =>
  ({ name, entityType: 'note', observations: [content.split('\n')[1]] })) });
await memory.createRelations({ relations: notes.flatMap(({ name, links }) =>
  links.map((to) => ({ from: name, to, relationType: 'links' }))) });

const graph = await memory.readGraph();
const linked = new Map<string, number>();
for (const { to } of graph.relations) linked.set(to, (linked.get(to) ?? 0) + 1);
const [note, times] = [...linked].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
return { entities: graph.entities.length, relations: graph.relations.length, note, times };
"#;

#[test]
fn s3_fifty_notes_become_a_graph_and_the_most_linked_note_is_found() {
    let Some(shop) = Workshop::open("s3") else { return };
    let mut served = shop.bench.serve();
    let (output, characters) = execute(&mut served, &shop.program(S3));
    assert_eq!(output, json!({"entities": 50, "relations": 138, "note": "note49", "times": 8}));
    assert!(characters < 400, "{characters} characters reached the model");
}

const S3_PYTHON: &str = r#"
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from servers import filesystem, memory

listing = filesystem.list_directory(path=f"{FX}/notes").content
names = re.findall(r"\[FILE\] (\S+)\.md", listing)

def read(name):
    return filesystem.read_text_file(path=f"{FX}/notes/{name}.md").content

with ThreadPoolExecutor(8) as pool:
    notes = dict(zip(names, pool.map(read, names)))
memory.create_entities(entities=[
    {"name": name, "entityType": "note", "observations": [text.split("\n")[1]]} for name, text in notes.items()
])
memory.create_relations(relations=[
    {"from": name, "to": to, "relationType": "links"}
    for name, text in notes.items() for to in re.findall(r"\[\[(.+?)\]\]", text)
])

graph = memory.read_graph()
linked = Counter(relation.to for relation in graph.relations)
note, times = min(linked.items(), key=lambda item: (-item[1], item[0]))
return {"entities": len(graph.entities), "relations": len(graph.relations), "note": note, "times": times}
"#;

#[test]
fn s3_in_python() {
    let Some(shop) = Workshop::open("s3 in Python") else { return };
    let mut served = shop.bench.serve();
    let request = json!({"code": shop.python(S3_PYTHON), "language": "python"});
    let (output, characters) = execute_with(&mut served, request);
    assert_eq!(output, json!({"entities": 50, "relations": 138, "note": "note49", "times": 8}));
    assert!(characters < 400, "{characters} characters reached the model");
}

const S6_PYTHON: &str = r#"
import re
from collections import Counter
from servers import git, filesystem, memory, time

log = git.git_log(repo_path=f"{FX}/repo", max_count=100)
authors = Counter(re.findall(r"^Author: \W*(?:git\.Actor\W+)?(\w+)", log, re.M))
kinds = Counter(re.findall(r"^Message: .*?(feat|fix|docs)\b", log, re.M))

converted = time.convert_time(source_timezone="Europe/Paris", time="09:00", target_timezone="UTC")
footer = f"09:00 in Paris is {converted.target.datetime[11:16]} UTC"
rows = [f"| {name} | {count} |" for name, count in authors.most_common()]
filesystem.write_file(path=f"{FX}/repo/AUTHORS.md", content="\n".join(["| author | commits |", "|---|---|", *rows, "", footer, ""]))
memory.create_entities(entities=[
    {"name": name, "entityType": "author", "observations": [f"commits={count}"]} for name, count in authors.items()
])
graph = memory.read_graph()
{"authors": authors, "kinds": kinds, "commits": sum(authors.values()), "footer": footer,
 "observed": {entity.name: entity.observations[0] for entity in graph.entities}}
"#;

#[test]
fn s6_authors_of_a_repository_become_a_page_and_a_graph_in_python() {
    let Some(shop) = Workshop::open("s6 in Python") else { return };
    let mut served = shop.bench.serve();
    let request = json!({"code": shop.python(S6_PYTHON), "language": "python"});
    let (mut output, characters) = execute_with(&mut served, request);
    // Paris is one or two hours ahead of UTC, depending on the season.
    let footer = output.as_object_mut().unwrap().remove("footer").unwrap();
    let footer = footer.as_str().unwrap();
    assert!(
        ["07", "08"]
            .map(|hour| format!("09:00 in Paris is {hour}:00 UTC"))
            .contains(&footer.to_owned()),
        "{footer}"
    );
    // Names become tokens; the page below has the real ones.
    assert!(!output.to_string().contains("Ada"), "{output}");
    let observed = output.as_object_mut().unwrap().remove("observed").unwrap();
    for (name, count) in output["authors"].as_object().unwrap() {
        assert_eq!(observed[name], format!("commits={count}"), "{name} of {observed}");
    }
    let authors = output.as_object_mut().unwrap().remove("authors").unwrap();
    let mut counts: Vec<u64> =
        authors.as_object().unwrap().values().filter_map(Value::as_u64).collect();
    counts.sort_unstable();
    assert_eq!(counts, [6, 6, 8, 10]);
    assert_eq!(
        output,
        json!({
            "kinds": {"docs": 12, "feat": 7, "fix": 11},
            "commits": 30,
        })
    );
    let page = std::fs::read_to_string(shop.fixtures.join("repo/AUTHORS.md")).unwrap();
    assert_eq!(
        page,
        format!(
            "| author | commits |\n|---|---|\n| Ada | 10 |\n| Bob | 8 |\n| Cyd | 6 |\n| Dee | 6 |\n\n{footer}\n"
        )
    );
    assert!(characters < 700, "{characters} characters reached the model");
}

/// Makes a call that must fail, and returns the error that the program can catch.
fn caught(call: &str) -> String {
    format!(
        "try {{ await {call}; }} catch (error) {{\n\
         return [error.name, error.server, error.tool, error.code, error.message];\n}}"
    )
}

#[test]
fn every_failure_of_a_real_server_is_clear_and_the_next_call_works() {
    let Some(shop) = Workshop::open("failures of real servers") else { return };
    let mut served = shop.bench.serve();

    let wrong_argument =
        caught("servers.git.gitLog({ repo_path: `${FX}/repo`, max_count: 'two' })");
    assert_eq!(
        execute(&mut served, &shop.program(&wrong_argument)).0,
        json!([
            "ToolError",
            "git",
            "git_log",
            "call.bad_argument",
            "`git__git_log`: `max_count` must be an integer, got string `\"two\"`"
        ])
    );

    let missing_file = caught("servers.filesystem.readTextFile({ path: `${FX}/nope.txt` })");
    let path = shop.fixtures.join("nope.txt");
    assert_eq!(
        execute(&mut served, &shop.program(&missing_file)).0,
        json!([
            "ToolError",
            "filesystem",
            "read_text_file",
            "call.tool_failed",
            format!(
                "`filesystem__read_text_file` failed, its server says: ENOENT: no such file or directory, open '{}'",
                path.display()
            )
        ])
    );

    let answer = served.execute_with(json!({
        "code": "return await servers.everything.triggerLongRunningOperation({ duration: 60, steps: 5 })",
        "timeout_ms": 5000
    }));
    let error = &answer["error"];
    assert_eq!(error["code"], "limit.time", "{answer}");
    let message = error["message"].as_str().unwrap();
    let took = message.strip_prefix("the program hit its limit `time` of 5 s: it ran for ");
    let took = took.and_then(|took| took.strip_suffix(" ms")).unwrap_or_else(|| panic!("{answer}"));
    assert!((5000..6500).contains(&took.parse::<u32>().unwrap()), "{message}");
    assert_eq!(error["hint"], "do less per run, or ask for a larger `timeout_ms`, up to 30000");
    let after = "return await servers.everything.echo({ message: 'still there' })";
    assert_eq!(execute(&mut served, after).0, json!("Echo: still there"));
}

const LONG_CALL: &str = r#"
const { everything } = servers;
const long = everything.triggerLongRunningOperation({ duration: 60, steps: 60 })
  .catch((error) => [error.name, error.server, error.tool, error.code, error.message]);
await everything.echo({ message: 'the long call is under way' });
return [await long, await everything.echo({ message: 'again' })];
"#;

#[test]
fn a_real_server_killed_in_the_middle_of_a_program_is_reported_and_started_again() {
    let Some(shop) = Workshop::open("a real server killed") else { return };
    let mut served = shop.bench.serve();
    let run = json!({
        "name": "execute_code",
        "arguments": {"code": LONG_CALL},
        "_meta": {"progressToken": "run"}
    });
    let id = served.begin("tools/call", run);
    let echoed = |message: &Value| {
        let text = message["params"]["message"].as_str();
        text.is_some_and(|text| text.starts_with("1 of 2 tool calls done"))
    };
    while !echoed(&served.next()) {}
    kill_server(served.pid(), "server-everything");
    let answer = loop {
        let message = served.next();
        if message["id"] == id {
            break message;
        }
    };
    let response: Value =
        serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        response["output"],
        json!([
            [
                "ToolError",
                "everything",
                "trigger-long-running-operation",
                "upstream.died",
                "server `everything` died while it worked on the call: it exited with code 137"
            ],
            "Echo: again"
        ])
    );
}

/// Kills the process below the gateway that runs a script of this package.
fn kill_server(gateway: u32, package: &str) {
    let is_it = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = text(&line);
        line.contains(package) && !line.contains("guard")
    };
    let pid = descendants(gateway).into_iter().find(is_it).unwrap();
    let killed = Command::new("kill").arg("-KILL").arg(pid.to_string()).status().unwrap();
    assert!(killed.success());
}
