use tidegate_model::{Finding, Severity};

use crate::analyse;

fn found(source: &str) -> Vec<String> {
    let shown = |finding: &Finding| format!("{} {}:{}", finding.rule, finding.line, finding.column);
    analyse(source).unwrap().findings.iter().map(shown).collect()
}

#[test]
fn a_finding_says_what_where_and_what_instead() {
    let expected = Finding {
        rule: "python.process",
        severity: Severity::High,
        line: 2,
        column: 5,
        message: "`os.system` starts another process, and there is none to start".into(),
        suggestion: "use `commands.run(name, args)` with a command that is configured",
    };
    assert_eq!(analyse("import os\nx = os.system('ls')").unwrap().findings, [expected]);
}

#[test]
fn dangerous_calls_are_found_under_any_name() {
    let cases = [
        ("eval('1')", &["python.dynamic_code 1:1"][..]),
        ("run = exec\nrun('x')", &["python.dynamic_code 1:7", "python.dynamic_code 2:1"]),
        ("import ctypes", &["python.native 1:8"]),
        ("from ctypes import CDLL as C\nC(None)", &["python.native 1:20", "python.native 2:1"]),
        ("import subprocess as sp\nsp.run(['ls'])", &["python.process 1:8", "python.process 2:1"]),
        ("from os import popen", &["python.process 1:16"]),
        ("import os\nos.execvp('a', [])\nos.fork()", &["python.process 2:1", "python.process 3:1"]),
        ("import socket", &["python.network 1:8"]),
        ("import urllib.request", &["python.network 1:8"]),
        (
            "import pickle\npickle.loads(x)",
            &["python.deserialisation 1:8", "python.deserialisation 2:1"],
        ),
        ("().__class__.__base__.__subclasses__()", &["python.introspection 1:23"]),
        ("def f(): pass\nf.__globals__['x']", &["python.introspection 2:3"]),
        ("import os\ndef f():\n    return os.environ['A']", &["python.environment 3:12"]),
        (
            "import importlib\n__import__('os')",
            &["python.dynamic_import 1:8", "python.dynamic_import 2:1"],
        ),
        ("import signal", &["python.signals 1:8"]),
    ];
    for (source, expected) in cases {
        assert_eq!(found(source), expected, "{source}");
    }
}

#[test]
fn ordinary_programs_have_no_findings() {
    for source in [
        "import json, re, math, os.path\nos.path.join('a', 'b')\nprint(json.dumps({}))",
        "def eval(x):\n    return x\neval(1)",
        "import urllib.parse\nurllib.parse.quote('x')",
        "class A:\n    def __init__(self):\n        super().__init__()\n        print(self.__class__.__name__)",
        "code = 1\nsignal = code\npicklejar = 2",
        "df.eval('a + b')\nmodel.compile()",
        "import os\nos.getcwd()\nos.listdir('.')\nos.setup = 1",
    ] {
        let found = found(source);
        let set_up = source.contains("os.setup");
        assert_eq!(found.is_empty(), !set_up, "{source}: {found:?}");
    }
}

#[test]
fn a_line_is_told_once_per_rule() {
    assert_eq!(found("eval(eval(eval('1'))); exec('')"), ["python.dynamic_code 1:1"]);
    assert_eq!(found(&"eval('1')\n".repeat(300)).len(), 200);
}
