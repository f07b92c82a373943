//! `fetch` in programs in Python: the same requests, the same border and the same
//! records as in TypeScript (`network.rs`), and no other way out.

use serde_json::{Value, json};

use super::library::{interpreter, run};
use crate::network::{Server, opened, rows};
use crate::support::{Bench, Served, WHATEVER_THE_RISK, text};

/// Uses most features that programs use, with `await` and without.
const PROGRAM: &str = r#"
import asyncio
from urllib.parse import urlencode

base = "http://127.0.0.1:PORT"
got = fetch(f"{base}/json")
posted = await fetch(base + "/echo", method="POST", headers={"X-Key": "k"}, json={"a": "ü"})
form = fetch(base + "/echo", "PUT", data={"q": "a b"})
as_in_javascript = await fetch(base + "/echo", {"method": "PATCH", "headers": {"Content-Type": "text/x"}, "body": "ü"})
moved = fetch(f"{base}/moved")
manual = fetch(f"{base}/moved", redirect="manual")
missing = fetch(f"{base}/missing", timeout=5)
many = await asyncio.gather(*(fetch(f"{base}/echo", params={"n": n}) for n in (1, 2, 3)))
{
    "got": [got.ok, got.status, got.status_text, got.headers["Content-Type"], got.json().n, await got.json()],
    "posted": await posted.text(),
    "form": form.text,
    "as_in_javascript": as_in_javascript.text(),
    "moved": [moved.redirected, moved.url == f"{base}/json", moved.json()["n"]],
    "manual": [manual.status, manual.headers.get("location"), manual.headers.get("none")],
    "missing": [missing.ok, missing.status_code, missing.text()],
    "many": [each.text() for each in many],
    "bytes": list(fetch(f"{base}/bytes").content),
}
"#;

/// A gateway with this configuration, if Python is installed.
fn served(bench: &Bench, settings: &str, test: &str) -> Option<Served> {
    bench.write("tidegate.toml", &format!("{settings}{WHATEVER_THE_RISK}"));
    let mut served = bench.serve();
    interpreter(&mut served, test)?;
    Some(served)
}

#[test]
fn programs_in_python_fetch_with_await_and_without() {
    let test = "programs_in_python_fetch_with_await_and_without";
    let (server, bench) = (Server::start(), Bench::new());
    let Some(mut served) = served(&bench, &opened(&server, ""), test) else { return };
    let answer = run(&mut served, &server.program(PROGRAM));
    assert_eq!(
        answer["output"],
        json!({
            "got": [true, 200, "OK", "application/json", 1, {"n": 1}],
            "posted": "POST /echo application/json k {\"a\": \"ü\"}",
            "form": "PUT /echo application/x-www-form-urlencoded - q=a+b",
            "as_in_javascript": "PATCH /echo text/x - ü",
            "moved": [true, true, 1],
            "manual": [302, "/json", null],
            "missing": [false, 404, "nothing here"],
            "many": ["GET /echo?n=1 - - ", "GET /echo?n=2 - - ", "GET /echo?n=3 - - "],
            "bytes": [0, 255, 128, 10],
        }),
        "{answer}"
    );
    assert_eq!(answer["metrics"]["tool_calls"], 11);
    // Each hop, with the run that made it; a redirect that is followed has two.
    let of_the_run = format!("WHERE run_id = '{}'", answer["run_id"].as_str().unwrap());
    assert_eq!(rows(&bench, "verdict", &of_the_run), ["allowed"; 12]);
}

#[test]
fn without_a_configuration_python_reaches_nothing() {
    let (server, bench) = (Server::start(), Bench::new());
    if served(&bench, "", "without_a_configuration_python_reaches_nothing").is_none() {
        return;
    }
    let file = bench.write("program.py", &server.program(PROGRAM));
    let output = bench.command(&["run", "--json", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Before Python 3.11 there is no column.
    answer["error"].as_object_mut().unwrap().remove("column");
    assert_eq!(
        answer["error"],
        json!({
            "code": "fetch.denied",
            "message": "programs have no network",
            "line": 6,
            "hint": "call a tool of a server instead; `mode` and `allow` say what programs can reach \
                     (`[network]` in tidegate.toml)",
        })
    );
    assert_eq!(server.seen(), [""; 0]);
    assert_eq!(rows(&bench, "verdict, alert", ""), ["denied|denied_target"]);
}

#[test]
fn the_border_of_the_network_is_the_same_for_python() {
    let test = "the_border_of_the_network_is_the_same_for_python";
    let (server, other, bench) = (Server::start(), Server::start(), Bench::new());
    let settings = opened(&server, "max_bytes = 1000");
    let Some(mut served) = served(&bench, &settings, test) else { return };
    let program = r#"
def told(url, **options):
    try:
        return fetch(url, **options).status
    except ToolError as error:
        return [error.code, str(error), error.hint and error.hint.split(",")[0]]
base = "http://127.0.0.1:PORT"
[told(base + "/json"), told(f"{base}/to?OTHER"), told("http://169.254.169.254/latest/meta-data/"),
 told(base + "/large"), told(base + "/moved", redirect="error"), told(base + "/echo", headers={"Host": "evil.test"}),
 told("http://127.0.0.1:PORT/a\tb"), told(base + "/echo", method="GET", body="x")]
"#;
    let answer = run(&mut served, &server.program(program).replace("OTHER", &other.base()));
    let told = answer["output"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let code = |at: usize| told[at][0].as_str().unwrap_or_else(|| panic!("{at}: {answer}"));
    assert_eq!(told[0], 200);
    assert_eq!([1, 2, 3].map(code), ["fetch.denied", "fetch.denied", "fetch.limit"]);
    assert_eq!(told[4][2], "use `redirect=\"follow\"` or `\"manual\"`");
    assert_eq!(told[5][1], "the header `Host` is set by the gateway");
    assert_eq!(told[6][2], "percent-encode it");
    assert_eq!(told[7][2], "use `POST` to send a body");
    assert_eq!(other.seen(), [""; 0]);
    // Hosts that a profile closes stay closed.
    let closed = json!({
        "code": format!("fetch('{}/json').status", server.base()), "language": "python", "profile": "read_only"
    });
    let answer = served.execute_with(closed);
    assert_eq!(answer["error"]["code"], "fetch.denied", "{answer}");
}

/// A host that is open to `fetch` is open to nothing else, and the error says so.
#[test]
fn python_reaches_an_open_host_through_the_gateway_only() {
    let test = "python_reaches_an_open_host_through_the_gateway_only";
    let (server, bench) = (Server::start(), Bench::new());
    let Some(mut served) = served(&bench, &opened(&server, ""), test) else { return };
    let hint = "the run suggests: programs make no connections of their own: use `fetch(url)`, or call a \
         tool of a server";
    for program in [
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT/direct')",
        "import http.client\nhttp.client.HTTPConnection('127.0.0.1', PORT).request('GET', '/direct')",
        "import socket\nsocket.create_connection(('127.0.0.1', PORT))",
        "import ssl",
    ] {
        let answer = run(&mut served, &server.program(program));
        assert_eq!(answer["error"]["hint"], hint, "{program}: {answer}");
    }
    // The control.
    let answer = run(&mut served, &server.program("fetch('http://127.0.0.1:PORT/json').status"));
    assert_eq!(answer["output"], 200, "{answer}");
    assert_eq!(server.seen(), ["/json"]);
}

#[test]
fn a_request_of_python_ends_with_its_run_and_is_recorded() {
    let test = "a_request_of_python_ends_with_its_run_and_is_recorded";
    let (server, bench) = (Server::start(), Bench::new());
    let Some(mut served) = served(&bench, &opened(&server, ""), test) else { return };
    let code = format!("fetch('{}/drip')", server.base());
    let answer =
        served.execute_with(json!({"code": code, "language": "python", "timeout_ms": 1500}));
    assert_eq!(answer["error"]["code"], "limit.time", "{answer}");
    assert_eq!(rows(&bench, "verdict, host", ""), ["cut_off|127.0.0.1"]);
}
