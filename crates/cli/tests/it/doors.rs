//! Personal data at every door through which something comes in.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served};

/// What `testing/leaking_server.py` and the HTTP server here give out.
const EMAIL: &str = "zofia.kowalczyk@canary.example";

/// Code of a program that says whether it sees the address, plain or encoded.
const SEES: &str = "const canary = ['zofia.kowalczyk', 'canary.example'].join(String.fromCharCode(64));
const sees = (value, level = 0) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? '';
  if (text.includes(canary) || decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '')).includes(canary)) return true;
  return level < 3 && (text.replace(/\\\\n|\\n/g, '').match(/[A-Za-z0-9+\\/_-]{20,}/g) ?? []).some((code) => {
    try { return sees(atob(code.replace(/-/g, '+').replace(/_/g, '/')), level + 1); } catch { return false; }
  });
};";

/// Doors behind which a program sees nothing of the value in any mode: the MCP library drops
/// fields that it does not know, and the value of an answer is without its metadata.
const NOT_SEEN: [&str; 12] = [
    "meta",
    "meta_key",
    "annotation",
    "annotation_audience",
    "annotation_audience, raw",
    "annotation_key",
    "annotation_key, raw",
    "block_meta",
    "extra_field",
    "extra_field, raw",
    "error_structured",
    "status text",
];

struct Site {
    bench: Bench,
    doors: Vec<String>,
    port: u16,
}

impl Site {
    fn new(test: &str, mode: &str) -> Option<Self> {
        let equipment = Equipment::get(test, &["hostile"])?;
        let python = equipment.server("hostile", &[])["command"].as_str().unwrap().to_owned();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/leaking_server.py");
        let script = script.canonicalize().unwrap().display().to_string();
        let listed = std::process::Command::new(&python).args([&script, "--doors"]).output();
        let doors: Vec<String> = serde_json::from_slice(&listed.unwrap().stdout).unwrap();
        let port = http();
        let bench = Bench::new();
        bench.write(
            "tidegate.toml",
            &format!(
                "[servers.leaking]\ncommand = {python:?}\nargs = [{script:?}]\n\n\
             [servers.broken]\ncommand = {python:?}\nargs = [{script:?}, \"--broken\"]\n\n\
             [network]\nmode = \"allowlist\"\nallow = [\"http://127.0.0.1:{port}\"]\n\
             allow_private = [\"127.0.0.1/32\"]\n\n\
             [tools]\nread_only = [\"leaking__*\"]\n\n[privacy]\nmode = \"{mode}\"\n"
            ),
        );
        let skill = bench.state_dir().join("skills/leaking");
        std::fs::create_dir_all(&skill).unwrap();
        std::fs::write(
            skill.join("SKILL.md"),
            format!(
                "---\nname: leaking\ndescription: Writes to {EMAIL}\n---\n\nAsk {EMAIL} first.\n"
            ),
        )
        .unwrap();
        Some(Self { bench, doors, port })
    }

    /// What a program does to look through each door.
    fn looks(&self) -> Vec<(String, String)> {
        let mut looks: Vec<(String, String)> = Vec::new();
        for door in &self.doors {
            looks.push((door.clone(), format!("await callMCPTool('leaking__{door}', {{}})")));
            let raw = format!("await callMCPTool('leaking__{door}', {{}}, {{ raw: true }})");
            looks.push((format!("{door}, raw"), raw));
        }
        let fetched = |path: &str, read: &str| {
            format!(
                "await (async (r) => {read})(await fetch('http://127.0.0.1:{}/{path}'))",
                self.port
            )
        };
        for (name, look) in [
            ("body", fetched("text", "await r.text()")),
            ("JSON body", fetched("json", "await r.json()")),
            (
                "bytes of the body",
                fetched("text", "new TextDecoder().decode(await r.arrayBuffer())"),
            ),
            ("body of another encoding", fetched("latin", "await r.text()")),
            ("headers", fetched("headers", "[...r.headers]")),
            ("URL", fetched("moved", "r.url")),
            ("status text", fetched("status", "r.statusText")),
            ("skill", "await loadSkill('leaking')".into()),
            ("file of a skill", "await fs.readFile('./skills/leaking/SKILL.md', 'utf8')".into()),
            ("definitions", "await fs.readFile('./servers/leaking/text.ts', 'utf8')".into()),
            ("search", "await searchTools('answers', 'full')".into()),
            ("server that does not start", "await callMCPTool('broken__x', {})".into()),
        ] {
            looks.push((name.to_owned(), look));
        }
        looks
    }

    fn program(look: &str, result: &str) -> String {
        format!(
            "import * as fs from 'fs/promises';\n{SEES}\nlet found;\n\
             try {{ found = {look} }} catch (e) {{ found = [e.message, e.hint ?? ''] }}\n{result}"
        )
    }
}

/// A server on loopback whose answers carry the address.
fn http() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            thread::spawn(move || answer(stream));
        }
    });
    port
}

fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    let _ = reader.read_line(&mut first);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let (mut status, mut headers, mut body) =
        ("200 OK".to_owned(), String::new(), format!("write to {EMAIL}").into_bytes());
    match first.split(' ').nth(1).unwrap_or_default() {
        "/json" => {
            body = json!([{"email": EMAIL, "full_name": "Zofia Kowalczyk"}]).to_string().into();
        }
        "/latin" => body = [b"F\xfcr ", EMAIL.as_bytes()].concat(),
        "/headers" => headers = format!("X-Owner: {EMAIL}\r\n"),
        "/moved" => {
            "302 Found".clone_into(&mut status);
            headers = format!("Location: /there?to={EMAIL}\r\n");
        }
        "/status" => status = format!("200 by {EMAIL}"),
        _ => {}
    }
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
}

/// Whether the address is in a text, plain or encoded.
fn shows(text: &str) -> bool {
    let plain = text.replace("%40", "@").replace("\\n", "");
    let codes = plain.split(|c: char| !c.is_ascii_alphanumeric() && !"+/".contains(c));
    plain.contains(EMAIL)
        || codes.filter(|code| code.len() > 15).any(|code| {
            let whole = &code[..code.len() - code.len() % 4];
            STANDARD.decode(whole).is_ok_and(|bytes| {
                let decoded = String::from_utf8_lossy(&bytes);
                decoded.contains(EMAIL) || (bytes.is_ascii() && shows(&decoded))
            })
        })
}

#[test]
fn g41_in_strict_mode_no_door_shows_a_value_to_a_program() {
    let test = "g41_in_strict_mode_no_door_shows_a_value_to_a_program";
    let Some(site) = Site::new(test, "strict") else { return };
    let mut served = site.bench.serve();
    let looks = site.looks();
    assert!(looks.len() >= 60, "{}", looks.len());
    let mut leaks = Vec::new();
    for (door, look) in &looks {
        let answer = served.execute(&Site::program(look, "return [sees(found), typeof found]"));
        if answer["output"][0] != false {
            leaks.push(format!("{door}: {answer}"));
        }
    }
    assert!(leaks.is_empty(), "{} of {}:\n{}", leaks.len(), looks.len(), leaks.join("\n"));
    // The control: outside of strict mode the program sees the value behind every door that
    // it can see through at all.
    let Some(open) = Site::new(test, "boundary") else { return };
    let mut served = open.bench.serve();
    let mut unseen = Vec::new();
    for (door, look) in &open.looks() {
        let answer = served.execute(&Site::program(look, "return sees(found)"));
        if answer["output"] != true {
            unseen.push(door.clone());
        }
    }
    assert_eq!(unseen, NOT_SEEN);
}

#[test]
fn g41_no_door_shows_a_value_to_the_model() {
    let test = "g41_no_door_shows_a_value_to_the_model";
    let mut leaks = Vec::new();
    let mut tried = 0;
    for mode in ["boundary", "strict"] {
        let Some(site) = Site::new(test, mode) else { return };
        let mut served = site.bench.serve();
        for (door, shown) in shown_to_the_model(&site, &mut served) {
            tried += 1;
            // A program may encode what it got; the model is not given it in clear text.
            let is_output = door.starts_with("output");
            if if is_output { shown.contains(EMAIL) } else { shows(&shown) } {
                leaks.push(format!("{mode}, {door}: {shown}"));
            }
        }
    }
    assert!(tried >= 120, "{tried}");
    assert!(leaks.is_empty(), "{} of {tried}:\n{}", leaks.len(), leaks.join("\n"));
}

/// Everything that a model is sent.
fn shown_to_the_model(site: &Site, served: &mut Served) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for door in &site.doors {
        let call = json!({"name": "call_tool", "arguments": {"name": format!("leaking__{door}"), "arguments": {}}});
        shown.push((format!("call of {door}"), served.request("tools/call", call).to_string()));
    }
    for (door, look) in site.looks() {
        let returned = served.execute(&Site::program(&look, "return found"));
        shown.push((format!("output: {door}"), returned.to_string()));
    }
    let thrown = served.execute("await callMCPTool('leaking__tool_error', {})");
    shown.push(("error of a program".into(), thrown.to_string()));
    for (tool, arguments) in [
        ("get_tool_definition", json!({"name": "leaking__text"})),
        ("search_tools", json!({"query": "answers", "detail": "full"})),
        ("load_skill", json!({"name": "leaking"})),
        ("list_skills", json!({})),
        ("call_tool", json!({"name": "broken__x", "arguments": {}})),
    ] {
        let call = json!({"name": tool, "arguments": arguments});
        let answer: Value = served.request("tools/call", call);
        shown.push((tool.to_owned(), answer.to_string()));
    }
    shown
}
