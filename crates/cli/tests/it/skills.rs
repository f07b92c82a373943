//! Skills: saved in one run, loaded in the next, by programs, clients and the user.

use std::fs;
use std::os::unix::fs::symlink;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::python::library::{interpreter, run};
use crate::support::{Bench, text};

const SHIPPED: &str = "mcp-progressive-discovery";

/// The error of a refused program, without the place.
fn error_parts(answer: &Value) -> [Value; 3] {
    let error = &answer["error"];
    [error["code"].clone(), error["message"].clone(), error["hint"].clone()]
}

fn json_of(bench: &Bench, arguments: &[&str]) -> Value {
    let output = bench.command(arguments);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// Everything below a folder, as paths.
fn below(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let is_folder = fs::symlink_metadata(&path).unwrap().is_dir();
        if is_folder { found.extend(below(&path)) } else { found.push(path.display().to_string()) }
    }
    found.sort();
    found
}

#[test]
fn what_one_run_saves_the_next_one_loads_in_either_language() {
    let test = "what_one_run_saves_the_next_one_loads_in_either_language";
    let bench = Bench::with_servers(json!({}));
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    let code = "return [1, 2].map((n) => n * 2)";
    let saved = served.execute(&format!("return saveSkill('double', {code:?}, 'Doubles')"));
    assert_eq!(saved["output"], json!({"path": "./skills/double/skill.ts", "replaced": false}));
    let saved = run(&mut served, "save_skill('total', 'result = sum([1, 2])', 'Adds up')");
    assert_eq!(saved["output"], json!({"path": "./skills/total/skill.py", "replaced": false}));
    // As with another gateway on another day.
    served.end();
    let mut served = bench.serve();
    let names = json!(["double", SHIPPED, "total"]);
    assert_eq!(served.execute("return fs.readdirSync('./skills')")["output"], names);
    let listed = run(&mut served, "import os\nsorted(os.listdir('./skills'))");
    assert_eq!(listed["output"], names, "{listed}");
    assert_eq!(served.execute("return loadSkill('double')")["output"], code);
    assert_eq!(run(&mut served, "load_skill('double')")["output"], code);
    assert_eq!(served.execute("return loadSkill('total')")["output"], "result = sum([1, 2])");
    // Only text, until somebody runs it as a program.
    let loaded = served.execute("return loadSkill('double')")["output"].clone();
    assert_eq!(served.execute(loaded.as_str().unwrap())["output"], json!([2, 4]));
    // Saved in the other language, it replaces the skill of that name.
    let again = run(&mut served, "save_skill('double', 'result = 4')");
    assert_eq!(again["output"]["replaced"], true);
    assert_eq!(
        served.execute("return fs.readdirSync('./skills/double')")["output"],
        json!(["SKILL.md", "skill.py"])
    );
}

/// None of these is a valid name.
const HOSTILE_NAMES: [&str; 20] = [
    "''",
    "'.'",
    "'..'",
    "'../up'",
    "'../../tidegate.toml'",
    "'/etc/passwd'",
    "'a/b'",
    "'a\\\\b'",
    "'a\\0b'",
    "'a\\n'",
    "'SKILL.md'",
    "'-rf'",
    "'\\u202ea'",
    "'ａ'",
    "'x'.repeat(65)",
    "'x'.repeat(1e6)",
    "7",
    "null",
    "['a']",
    "{ toString: () => 'a' }",
];

/// Code and description of refused skills, with the reason.
const HOSTILE_CODE: [(&str, &str); 4] = [
    ("'x'.repeat(65537)", "the code of a skill can have 65536 bytes, this one has 65537"),
    (
        "'\\n'.repeat(1e7)",
        "`saveSkill` takes a name, the code as text of at most 65536 bytes, and a description",
    ),
    ("' '", "the code of skill `a` is empty"),
    (
        "'1', 'd'.repeat(1025)",
        "the description of a skill can have 1024 characters, this one has 1025",
    ),
];

/// A program passes on anything: nothing is checked before the gateway.
#[test]
fn g28_a_program_saves_skills_in_their_folder_only_and_only_if_it_may() {
    let bench = Bench::with_servers(json!({}));
    bench.run("return 1");
    let before = below(bench.path());
    let mut served = bench.serve();
    for name in HOSTILE_NAMES {
        let answer = served.execute(&format!("await saveSkill({name}, 'return 1')"));
        assert_eq!(answer["error"]["code"], "call.bad_argument", "{name}: {answer}");
    }
    for (code, message) in HOSTILE_CODE {
        let answer = served.execute(&format!("await saveSkill('a', {code})"));
        assert_eq!(
            error_parts(&answer)[..2],
            [json!("call.bad_argument"), json!(message)],
            "{answer}"
        );
    }
    let shipped = served.execute(&format!("await saveSkill('{SHIPPED}', 'return 1')"));
    assert_eq!(
        error_parts(&shipped)[1],
        format!("skill `{SHIPPED}` comes with tidegate and cannot be changed")
    );
    // Every byte is an escape: the longest form of a skill on the wire.
    let most = served.execute("return saveSkill('most', '\\u0001'.repeat(65536))");
    assert_eq!(most["output"]["path"], "./skills/most/skill.ts", "{most}");
    // A program cannot save without end either.
    let many = served.execute(
        "let saved = 0; for (;; saved++) { try { await saveSkill('many', `${saved}`) } catch (e) { return [saved, e.message] } }",
    );
    assert_eq!(many["output"], json!([100, "a program can save at most 100 skills"]), "{many}");
    served.end();
    let ours = ["/state/record.db", "/state/state.db", "/vault.key"];
    let is_ours = |path: &str| ours.iter().any(|name| path.contains(name));
    let is_new = |path: &&String| !before.contains(path) && !is_ours(path);
    let after = below(bench.path());
    let skills = bench.state_dir().join("skills");
    let expected = ["many/SKILL.md", "many/skill.ts", "most/SKILL.md", "most/skill.ts"];
    assert_eq!(
        after.iter().filter(is_new).collect::<Vec<_>>(),
        expected.map(|path| skills.join(path).display().to_string()).iter().collect::<Vec<_>>()
    );
    let refused = [
        json!("call.denied"),
        json!(
            "`./skills` may not be written to: the folder is not in `write` of profile `read_only`"
        ),
        json!("the user can list it there, or choose a wider `profile`"),
    ];
    let mut served = bench.serve();
    let request = json!({"code": "await saveSkill('a', 'return 1')", "profile": "read_only"});
    assert_eq!(error_parts(&served.execute_with(request)), refused);
    assert_eq!(below(&skills).len(), expected.len());
}

#[test]
fn profiles_decide_who_saves_and_who_reads() {
    let test = "profiles_decide_who_saves_and_who_reads";
    let bench = Bench::new();
    let own = "[profiles.blind]\nextends = \"default\"\nread = [\"servers\"]\n";
    let save = "return saveSkill('a', 'return 1')";
    for (profile, saves) in [
        ("read_only", false),
        ("write_restricted", true),
        ("default", true),
        ("execute_full", true),
    ] {
        bench.write("tidegate.toml", &format!("profile = \"{profile}\"\n{own}"));
        let mut served = bench.serve();
        let answer = served.execute(save);
        assert_eq!(answer["success"], saves, "{profile}: {answer}");
        let (is_error, _) = served.call("save_skill", json!({"name": "b", "code": "return 1"}));
        assert_eq!(is_error, !saves, "{profile}");
        // A run that asks for more gets no more.
        let asked = served.execute_with(json!({"code": save, "profile": "execute_full"}));
        assert_eq!(asked["success"], saves, "{profile}: {asked}");
        if interpreter(&mut served, test).is_some() {
            let python = run(&mut served, "save_skill('c', '1')");
            assert_eq!(python["success"], saves, "{profile}: {python}");
        }
        // All of these profiles can read.
        let read = served.execute(&format!("return loadSkill('{SHIPPED}')"));
        assert_eq!(read["success"], true, "{profile}: {read}");
    }
    bench.write("tidegate.toml", &format!("profile = \"blind\"\n{own}"));
    let mut served = bench.serve();
    let refused = "`./skills` may not be read: the folder is not in `read` of profile `blind`";
    for look in
        ["loadSkill('a')", "fs.readdirSync('./skills')", "fs.readFileSync('skills/a/skill.ts')"]
    {
        let answer = served.execute(&format!("return {look}"));
        assert_eq!(error_parts(&answer)[1], refused, "{look}: {answer}");
    }
    for (tool, arguments) in [("load_skill", json!({"name": "a"})), ("list_skills", json!({}))] {
        let (is_error, answer) = served.call(tool, arguments);
        assert!(is_error && answer.contains(refused), "{answer}");
    }
}

#[test]
fn clients_save_load_and_list() {
    let bench = Bench::new();
    bench.write(".mcp.json", "{\"mcpServers\": {}}");
    let mut served = bench.serve();
    let save = |code: &str| json!({"name": "odd", "code": code, "description": "Says\u{202e} so\nand more"});
    let saved = |replaced: bool| {
        (false, json!({"path": "./skills/odd/skill.ts", "replaced": replaced}).to_string())
    };
    assert_eq!(served.call("save_skill", save("return 'a'")), saved(false));
    // Hidden characters are shown to a reader, and kept for a program that runs it.
    let hidden = "return '\u{202e}\u{1b}[2J'";
    assert_eq!(served.call("save_skill", save(hidden)), saved(true));
    let (_, shown) = served.call("load_skill", json!({"name": "odd"}));
    assert_eq!(shown, "return '\\u{202e}\\u{1b}[2J'");
    assert_eq!(served.execute("return loadSkill('odd')")["output"], hidden);
    let (_, list) = served.call("list_skills", json!({}));
    let shipped = list.lines().next().unwrap();
    assert!(shipped.starts_with("mcp-progressive-discovery (text)  The cheapest way"), "{list}");
    assert_eq!(list.lines().skip(1).collect::<Vec<_>>(), ["odd (typescript)  Says so and more"]);
    let (_, guide) = served.call("load_skill", json!({"name": SHIPPED}));
    assert!(guide.starts_with("---\nname: mcp-progressive-discovery\n"), "{guide}");
    let python = json!({"name": "py", "code": "def main():\n    return 1\n\nmain()"});
    let (_, answer) = served.call("save_skill", python);
    assert_eq!(answer, json!({"path": "./skills/py/skill.py", "replaced": false}).to_string());
    for (tool, arguments, error) in [
        (
            "load_skill",
            json!({"name": "od"}),
            "error[file.refused]: there is no skill `od`\nhint: did you mean `odd`?",
        ),
        (
            "save_skill",
            json!({"name": "My Skill", "code": "1"}),
            "error[call.bad_argument]: `My Skill` cannot be the name of a skill\nhint: use \
             `my-skill`: names have up to 64 lower-case letters, digits and hyphens",
        ),
        (
            "save_skill",
            json!({"name": "a", "code": "1", "language": "cobol"}),
            "error[call.bad_argument]: `language` is `typescript` or `python`",
        ),
    ] {
        assert_eq!(served.call(tool, arguments), (true, error.to_owned()));
    }
    // The surface `lean` has none of these tools.
    let mut lean =
        crate::support::Served::start(bench.tidegate().args(["serve", "--surface", "lean"]));
    let refused = lean.request("tools/call", json!({"name": "list_skills", "arguments": {}}));
    assert!(
        refused["error"]["message"].as_str().unwrap().starts_with("there is no tool"),
        "{refused}"
    );
}

#[test]
fn every_attempt_to_save_is_recorded_without_its_text() {
    let bench = Bench::new();
    bench.write(".mcp.json", "{\"mcpServers\": {}}");
    let mut served = bench.serve();
    let program = "await saveSkill('a', 'secret'); await saveSkill('a', 'secret2'); await saveSkill('A', 'secret')";
    let answer = served.execute(program);
    served.execute_with(json!({"code": "await saveSkill('b', 'secret')", "profile": "read_only"}));
    served.call("save_skill", json!({"name": "c", "code": "secret", "language": "python"}));
    served.end();
    let database = Connection::open(bench.state_dir().join("record.db")).unwrap();
    let mut query = database
        .prepare(
            "SELECT name, runs.kind, saved_skills.outcome, saved_skills.error_code, replaced,
                    saved_skills.language, code_bytes, substr(code_sha256, 1, 8)
             FROM saved_skills JOIN runs ON runs.id = run_id ORDER BY saved_skills.id",
        )
        .unwrap();
    type Row = (String, String, String, Option<String>, bool, String, u64, String);
    let rows: Vec<Row> = query
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
                row.get(6)?,
                row.get(7)?,
            ))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let row = |name: &str,
               kind: &str,
               error: Option<&str>,
               replaced,
               language: &str,
               bytes,
               hash: &str| {
        let outcome = if error.is_some() { "failed" } else { "succeeded" };
        let error = error.map(str::to_owned);
        (
            name.into(),
            kind.into(),
            outcome.into(),
            error,
            replaced,
            language.into(),
            bytes,
            hash.into(),
        )
    };
    // `printf secret | sha256sum`
    let (one, two) = ("2bb80d53", "35224d0d");
    let bad = Some("call.bad_argument");
    assert_eq!(
        rows,
        [
            row("a", "execute_code", None, false, "typescript", 6, one),
            row("a", "execute_code", None, true, "typescript", 7, two),
            row("A", "execute_code", bad, false, "typescript", 6, one),
            row("b", "execute_code", Some("call.denied"), false, "typescript", 6, one),
            row("c", "save_skill", None, false, "python", 6, one),
        ],
        "{answer}"
    );
}

#[test]
fn the_user_lists_shows_and_removes() {
    let bench = Bench::new();
    bench.write(".mcp.json", "{\"mcpServers\": {}}");
    bench.run("return saveSkill('count', 'return 1', 'Counts')");
    let entry = |name: &str, description: &str, language: Value| json!({"name": name, "description": description, "triggers": [], "language": language, "shipped": false});
    let list = json_of(&bench, &["skills", "list", "--json"]);
    assert_eq!(list["skills"][0], entry("count", "Counts", json!("typescript")));
    assert_eq!(list["skills"][1]["name"], SHIPPED);
    assert_eq!(list["skills"][1]["shipped"], true);
    assert!(!list["skills"][1]["triggers"].as_array().unwrap().is_empty());
    assert_eq!(list["skipped"], json!([]));
    let shown = text(&bench.command(&["skills", "show", "count"]).stdout);
    assert!(
        shown.starts_with("---\nname: \"count\"\n") && shown.ends_with("skill.ts\nreturn 1\n"),
        "{shown}"
    );
    let whole = json_of(&bench, &["skills", "show", "count", "--json"]);
    assert_eq!((&whole["code"], &whole["language"]), (&json!("return 1"), &json!("typescript")));
    let said = |arguments: &[&str]| {
        let output = bench.command(arguments);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let failed = |code, message: &str| (Some(code), String::new(), format!("{message}\n"));
    assert_eq!(
        said(&["skills", "show", "coun"]),
        failed(1, "error: there is no skill `coun`\nhint: did you mean `count`?")
    );
    assert_eq!(
        said(&["skills", "show", "zzz"]),
        failed(1, "error: there is no skill `zzz`\nhint: `tidegate skills list` has all of them")
    );
    assert_eq!(
        said(&["skills", "remove", SHIPPED]),
        failed(
            1,
            &format!(
                "error: skill `{SHIPPED}` comes with tidegate and cannot be changed\nhint: save it under another name"
            )
        )
    );
    assert_eq!(
        said(&["skills", "remove", "../count"]),
        failed(
            2,
            "error: `../count` cannot be the name of a skill\nhint: use `count`: names have up to 64 lower-case letters, digits and hyphens"
        )
    );
    assert_eq!(
        said(&["skills", "remove", "count"]),
        (Some(0), "removed `count`\n".into(), String::new())
    );
    assert_eq!(
        json_of(&bench, &["skills", "list", "--json"])["skills"].as_array().unwrap().len(),
        1
    );
    assert!(!bench.state_dir().join("skills/count").exists());
    assert!(
        said(&["skills", "--help"]).1.contains("tidegate skills show mcp-progressive-discovery")
    );
}

#[test]
fn damaged_skills_are_named_and_the_rest_is_served() {
    let bench = Bench::new();
    bench.write(".mcp.json", "{\"mcpServers\": {}}");
    bench.run("return saveSkill('good', 'return 1', 'Works')");
    bench.write("state/skills/headless/SKILL.md", "no head");
    bench.write(
        "state/skills/by-hand/SKILL.md",
        "---\nname: by-hand\ndescription: Of a person\n---\nText\n",
    );
    fs::create_dir(bench.state_dir().join("skills/bytes")).unwrap();
    fs::write(bench.state_dir().join("skills/bytes/SKILL.md"), [0xff, 0xfe]).unwrap();
    bench.write("secret/SKILL.md", "---\nname: linked\ndescription: Outside\n---\n");
    symlink(bench.path().join("secret"), bench.state_dir().join("skills/linked")).unwrap();
    let skipped = json!([
        {"name": "bytes", "problem": "`SKILL.md` is not UTF-8 text"},
        {"name": "headless", "problem": "`SKILL.md` does not begin with a line `---`"},
        {"name": "linked", "problem": "is a link or not a folder"},
    ]);
    assert_eq!(json_of(&bench, &["skills", "list", "--json"])["skipped"], skipped);
    let output = bench.command(&["skills", "list"]);
    assert_eq!(text(&output.stdout).lines().count(), 3, "{}", text(&output.stdout));
    assert!(
        text(&output.stderr).contains("warning: `linked` is skipped: is a link or not a folder"),
        "{}",
        text(&output.stderr)
    );
    let mut served = bench.serve();
    let names = served.execute("return fs.readdirSync('./skills')");
    assert_eq!(names["output"], json!(["by-hand", "good", SHIPPED]));
    let text_of = served.execute("return loadSkill('by-hand')");
    assert_eq!(text_of["output"], "---\nname: by-hand\ndescription: Of a person\n---\nText\n");
    for name in ["linked", "headless", "bytes"] {
        let answer =
            served.execute(&format!("return fs.readFileSync('./skills/{name}/SKILL.md', 'utf8')"));
        assert_eq!(answer["error"]["code"], "file.refused", "{name}: {answer}");
    }
    let (_, list) = served.call("list_skills", json!({}));
    assert!(
        list.ends_with(
            "3 damaged and left out; the user can see them with `tidegate skills list`\n"
        ),
        "{list}"
    );
}
