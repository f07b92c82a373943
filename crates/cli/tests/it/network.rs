//! `fetch` in real programs, against listeners of this machine: hosts opened by the
//! configuration work as in browsers and Node, everything else is refused, and every hop
//! is in the database.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, WHATEVER_THE_RISK, text};

/// Uses most features that programs use.
const PROGRAM: &str = r#"
const base = 'http://127.0.0.1:PORT';
const got = await fetch(`${base}/json`);
const posted = await fetch(base + '/echo', {
  method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Key': 'k' }, body: JSON.stringify({ a: 'ü' }),
});
const form = await fetch(new URL('/echo', base), { method: 'PUT', body: new URLSearchParams({ q: 'a b' }) });
const moved = await fetch(`${base}/moved`);
const manual = await fetch(`${base}/moved`, { redirect: 'manual' });
const missing = await fetch(`${base}/missing`);
const many = await Promise.all([1, 2, 3].map(async (n) => (await fetch(`${base}/echo?${n}`)).text()));
const bytes = await (await fetch(`${base}/bytes`)).bytes();
return {
  got: [got.ok, got.status, got.statusText, got.headers.get('content-type'), await got.json()],
  posted: await posted.text(),
  form: await form.text(),
  moved: [moved.redirected, moved.url === `${base}/json`, (await moved.json()).n],
  manual: [manual.status, manual.headers.get('location')],
  missing: [missing.ok, missing.status, await missing.text()],
  many,
  bytes: [bytes instanceof Uint8Array, ...bytes],
};
"#;

#[test]
fn programs_fetch_as_in_browsers_and_node() {
    let server = Server::start();
    let bench = Bench::new();
    bench.write("tidegate.toml", &opened(&server, ""));
    let answer = bench.run(&server.program(PROGRAM));
    let form = "application/x-www-form-urlencoded;charset=UTF-8";
    assert_eq!(
        answer["output"],
        json!({
            "got": [true, 200, "OK", "application/json", {"n": 1}],
            "posted": "POST /echo application/json k {\"a\":\"ü\"}",
            "form": format!("PUT /echo {form} - q=a+b"),
            "moved": [true, true, 1],
            "manual": [302, "/json"],
            "missing": [false, 404, "nothing here"],
            "many": ["GET /echo?1 - - ", "GET /echo?2 - - ", "GET /echo?3 - - "],
            "bytes": [true, 0, 255, 128, 10],
        }),
        "{answer}"
    );
    // Each hop, with the run that made it; a redirect has two.
    assert_eq!(answer["metrics"]["tool_calls"], 10);
    let run = answer["run_id"].as_str().unwrap();
    let hops = rows(&bench, "run_id, method, address, verdict, rule, status, alert", "");
    let rule = server.rule();
    let hop =
        |method: &str, status: u16| format!("{run}|{method}|127.0.0.1|allowed|{rule}|{status}|-");
    let mut expected: Vec<String> = [200; 5].map(|status| hop("GET", status)).to_vec();
    expected.extend([hop("GET", 200), hop("GET", 302), hop("GET", 302), hop("GET", 404)]);
    expected.extend([hop("POST", 200), hop("PUT", 200)]);
    assert_eq!(sorted(hops), sorted(expected));
}

#[test]
fn without_a_configuration_the_same_program_reaches_nothing() {
    let server = Server::start();
    let bench = Bench::new();
    bench.write("tidegate.toml", "");
    let file = bench.write("program.ts", &server.program(PROGRAM));
    let output = bench.command(&["run", "--json", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The column of a call depends on the engine.
    answer["error"].as_object_mut().unwrap().remove("column");
    assert_eq!(
        answer["error"],
        json!({
            "code": "fetch.denied",
            "message": "programs have no network",
            "line": 3,
            "hint": "call a tool of a server instead; `mode` and `allow` say what programs can reach \
                     (`[network]` in tidegate.toml)",
        })
    );
    assert_eq!(server.seen(), [""; 0]);
    // An attempt to reach this machine raises an alert.
    let row = "127.0.0.1|127.0.0.1|denied|loopback address|0|-|denied_target";
    assert_eq!(rows(&bench, "host, address, verdict, rule, bytes_sent, status, alert", ""), [row]);
}

#[test]
fn a_list_that_is_open_to_the_world_stays_closed_to_this_machine() {
    let server = Server::start();
    let bench = Bench::new();
    bench.write("tidegate.toml", "[network]\nmode = \"denylist\"");
    let program = r#"
const urls = ['http://127.0.0.1:PORT/json', 'http://2130706433:PORT/', 'http://[::ffff:7f00:1]:PORT/',
  'http://localhost:PORT/json', 'http://169.254.169.254/latest/meta-data/', 'http://user@127.0.0.1:PORT/'];
return Promise.all(urls.map((url) => fetch(url).then((r) => r.status, (e) => `${e.code} ${e.message}`)));
"#;
    let answer = bench.run(&server.program(program));
    assert_eq!(
        answer["output"],
        json!([
            "fetch.denied `127.0.0.1` is not a public address",
            "fetch.denied `127.0.0.1` is not a public address",
            "fetch.denied `[::ffff:7f00:1]` is not a public address",
            "fetch.denied `localhost` resolves to an address that is not public",
            "fetch.denied `169.254.169.254` is not a public address",
            "fetch.denied the URL has a user name or a password",
        ]),
        "{answer}"
    );
    assert_eq!(server.seen(), [""; 0]);
    assert_eq!(rows(&bench, "host", "WHERE alert = 'denied_target'").len(), 5);
    assert_eq!(rows(&bench, "host", "WHERE verdict = 'denied'").len(), 6);
}

#[test]
fn a_redirect_out_of_the_list_is_refused_at_its_hop() {
    let [server, other] = [Server::start(), Server::start()];
    let bench = Bench::new();
    bench.write("tidegate.toml", &opened(&server, ""));
    let program = format!("return (await fetch('{}/to?{}')).status;", server.base(), other.base());
    let answer = bench.run(&program);
    assert_eq!(answer["error"]["code"], "fetch.denied", "{answer}");
    assert_eq!(other.seen(), [""; 0]);
    let verdicts = rows(&bench, "verdict", "");
    assert_eq!(verdicts, ["allowed", "denied"]);
}

#[test]
fn limits_of_a_request_have_their_own_errors() {
    let server = Server::start();
    let bench = Bench::new();
    let limits = "max_bytes = 1000\ntimeout = \"700ms\"\nrate_per_minute = 4";
    bench.write("tidegate.toml", &opened(&server, limits));
    let program = r#"
const base = 'http://127.0.0.1:PORT';
const told = (url) => fetch(base + url).then((r) => r.status, (e) => `${e.code} ${e.message}`);
return [await told('/json'), await told('/large'), await told('/drip'), await told('/bomb'), await told('/json')];
"#;
    let answer = bench.run(&server.program(program));
    assert_eq!(
        answer["output"],
        json!([
            200,
            "fetch.limit the answer of `127.0.0.1` has more than 1000 bytes",
            "fetch.limit no complete answer from `127.0.0.1` within 700 ms",
            "fetch.limit the answer of `127.0.0.1` has more than 1000 bytes",
            "fetch.limit more than 4 requests to `127.0.0.1` within a minute",
        ]),
        "{answer}"
    );
    assert_eq!(
        rows(&bench, "verdict", ""),
        ["allowed", "limited", "limited", "limited", "limited"]
    );
    // An uncaught limit sets the exit code of the command.
    let file = bench.write("large.ts", &format!("await fetch('{}/large')", server.base()));
    let output = bench.command(&["run", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
}

#[test]
fn a_request_ends_with_its_run_and_is_recorded() {
    let server = Server::start();
    let bench = Bench::new();
    let config = opened(&server, "") + "\n[limits]\ntime = \"1s\"\n";
    bench.write("tidegate.toml", &config);
    let answer = bench.run(&format!("await fetch('{}/drip')", server.base()));
    assert_eq!(answer["error"]["code"], "limit.time", "{answer}");
    assert_eq!(rows(&bench, "verdict, host", ""), ["cut_off|127.0.0.1"]);
}

#[test]
fn variables_that_name_a_proxy_are_not_honoured() {
    let [server, proxy] = [Server::start(), Server::start()];
    let bench = Bench::new();
    bench.write("tidegate.toml", &opened(&server, ""));
    let file = bench
        .write("program.ts", &format!("return (await fetch('{}/json')).status", server.base()));
    let mut command = bench.tidegate();
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, proxy.base());
    }
    let output =
        command.args(["run", file.to_str().unwrap()]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(text(&output.stdout), "200\n", "{}", text(&output.stderr));
    assert_eq!((server.seen().len(), proxy.seen().len()), (1, 0));
}

#[test]
fn a_program_cannot_say_another_host_than_it_asks() {
    let server = Server::start();
    let bench = Bench::new();
    bench.write("tidegate.toml", &opened(&server, ""));
    let program = r#"
const told = (headers) => fetch('http://127.0.0.1:PORT/echo', { headers }).then((r) => r.status, (e) => e.message);
return [await told({ Host: 'evil.test' }), await told({ 'Transfer-Encoding': 'chunked' }), await told({ 'X-Ok': '1' })];
"#;
    let answer = bench.run(&server.program(program));
    let refused = |name: &str| format!("the header `{name}` is set by the gateway");
    assert_eq!(
        answer["output"],
        json!([refused("host"), refused("transfer-encoding"), 200]),
        "{answer}"
    );
}

#[test]
fn a_bad_list_stops_the_start_and_not_the_protection() {
    let bench = Bench::new();
    bench.write("tidegate.toml", "[network]\nmode = \"allowlist\"\nallow = [\"http://*\"]");
    let file = bench.write("program.ts", "return 1");
    let output = bench.command(&["run", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("`allow[0]` in `network` has a `*`"), "{message}");
}

#[test]
fn a_list_that_is_empty_or_missing_allows_nothing_and_a_change_waits_for_the_next_start() {
    let server = Server::start();
    let bench = Bench::new();
    let program =
        format!("return fetch('{}/json').then((r) => r.status, (e) => e.code)", server.base());
    let private = "allow_private = [\"127.0.0.1/32\"]";
    for list in ["mode = \"allowlist\"", "mode = \"allowlist\"\nallow = []"] {
        bench.write("tidegate.toml", &format!("[network]\n{list}\n{private}\n"));
        assert_eq!(bench.run(&program)["output"], "fetch.denied", "{list}");
    }
    assert_eq!(server.seen(), [""; 0]);
    // A gateway keeps the configuration that it has read, whatever is written over it.
    bench.write("tidegate.toml", &opened(&server, ""));
    let mut open = bench.serve();
    assert_eq!(open.execute(&program)["output"], 200);
    bench.write("tidegate.toml", "[network]\nmode = \"allowlist\"\n");
    let mut closed = bench.serve();
    assert_eq!(closed.execute(&program)["output"], "fetch.denied");
    for broken in ["[network]\nallow = [\"http://*\"]", "[network\n", ""] {
        bench.write("tidegate.toml", broken);
        assert_eq!(open.execute(&program)["output"], 200, "{broken}");
        assert_eq!(closed.execute(&program)["output"], "fetch.denied", "{broken}");
    }
}

/// The engines of the machine have network APIs of their own, but cannot reach the
/// network.
#[test]
fn engines_fetch_through_the_gateway_only() {
    let test = "engines_fetch_through_the_gateway_only";
    let server = Server::start();
    let program = r#"
const told = (url) => fetch(url).then((r) => r.status, (e) => e.code);
const doors = ['Deno', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'WebSocketStream', 'Worker', 'SharedWorker'];
const open = [];
for (const name of doors) {
  try { if (typeof globalThis[name] === 'function') { new globalThis[name]('http://127.0.0.1:PORT/direct'); open.push(name); } } catch {}
}
const modules = [];
for (const name of ['net', 'node:net', 'node:http', 'node:dgram', 'node:dns', 'node:tls', 'undici']) {
  try { await import(name); modules.push(name); } catch {}
  try { require(name); modules.push(name); } catch {}
}
return [await told('http://127.0.0.1:PORT/json'), await told('http://127.0.0.2:PORT/json'), open, modules];
"#;
    for engine in ["quickjs", "deno", "node"] {
        let mut config = opened(&server, "") + WHATEVER_THE_RISK;
        if engine != "quickjs" {
            let Some(equipment) = Equipment::get(test, &[engine]) else { return };
            let program = &equipment.server(engine, &[])["command"];
            config += &format!("[sandbox]\n{engine} = {program}\n");
        }
        let bench = Bench::new();
        bench.write("tidegate.toml", &config);
        let mut served = bench.serve();
        let run = |program: &str| json!({"code": server.program(program), "engine": engine});
        let answer = served.execute_with(run(program));
        assert_eq!(answer["output"], json!([200, "fetch.denied", [], []]), "{engine}: {answer}");
        assert_eq!(rows(&bench, "verdict", ""), ["allowed", "denied"], "{engine}");
        // All other features work alike in all of them.
        let answer = served.execute_with(run(PROGRAM));
        assert_eq!(
            answer["output"]["posted"], "POST /echo application/json k {\"a\":\"ü\"}",
            "{engine}: {answer}"
        );
    }
    assert!(server.seen().iter().all(|path| path != "/direct"), "{:?}", server.seen());
}

/// A configuration that opens this server on this machine.
pub(crate) fn opened(server: &Server, more: &str) -> String {
    let rule = server.rule();
    format!(
        "[network]\nmode = \"allowlist\"\nallow = [\"{rule}\"]\nallow_private = [\"127.0.0.1/32\"]\n{more}\n"
    )
}

/// Rows of the recorded connections, in order, with `|` between the columns.
pub(crate) fn rows(bench: &Bench, columns: &str, condition: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(bench.state_dir().join("record.db")).unwrap();
    let shown = columns.split(", ").map(|column| format!("coalesce({column}, '-')"));
    let shown = shown.collect::<Vec<_>>().join(" || '|' || ");
    let query = format!("SELECT {shown} FROM connections {condition} ORDER BY id");
    let mut statement = database.prepare(&query).unwrap();
    let found = statement.query_map([], |row| row.get(0)).unwrap();
    found.map(Result::unwrap).collect()
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

/// A plain HTTP server with the paths that the tests need.
pub(crate) struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                thread::spawn(move || respond(stream, &log));
            }
        });
        Self { port, seen }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn rule(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn program(&self, source: &str) -> String {
        source.replace("PORT", &self.port.to_string())
    }

    /// The requested paths.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn respond(mut stream: TcpStream, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let Some(first) = head.first() else { return };
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    log.lock().unwrap().push(path.to_owned());
    let header = |name: &str| {
        let found = head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or("-")
    };
    let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let echo =
        format!("{method} {path} {} {} {}", header("content-type"), header("x-key"), text(&body));
    let answer: (&str, &str, Vec<u8>) = match path.split('?').next().unwrap_or_default() {
        "/json" => ("200 OK", "Content-Type: application/json", b"{\"n\": 1}".to_vec()),
        "/echo" => ("200 OK", "X: y", echo.into_bytes()),
        "/bytes" => ("200 OK", "X: y", vec![0, 255, 128, 10]),
        "/moved" => ("302 Found", "Location: /json", Vec::new()),
        "/to" => {
            let location = format!("Location: {}/", path.split_once('?').unwrap().1);
            return send(&mut stream, "307 Temporary Redirect", &location, b"");
        }
        "/large" => ("200 OK", "X: y", vec![b'x'; 1001]),
        "/bomb" => ("200 OK", "Content-Encoding: gzip", BOMB.to_vec()),
        "/drip" => return drip(&mut stream),
        _ => ("404 Not Found", "X: y", b"nothing here".to_vec()),
    };
    send(&mut stream, answer.0, answer.1, &answer.2);
}

fn send(stream: &mut TcpStream, status: &str, header: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
}

/// A byte every 20 ms, until the reader is gone.
fn drip(stream: &mut TcpStream) {
    let mut next: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
    while stream.write_all(next).is_ok() {
        next = b"x";
        thread::sleep(Duration::from_millis(20));
    }
}

/// `head -c 100000 /dev/zero | gzip -9n`
const BOMB: [u8; 132] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 13, 15, 160,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    128, 87, 3, 125, 149, 17, 212, 160, 134, 1, 0,
];
