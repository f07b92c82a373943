//! References in every form, and programs that probe for servers.

use crate::prepare;

/// Each reference on one line: `server.tool at line:column` and its flags.
fn found(source: &str) -> Vec<String> {
    let shown = |reference: &tidegate_model::Reference| {
        let tool = reference.tool.as_ref().map(|tool| format!(".{tool}")).unwrap_or_default();
        let mut text =
            format!("{}{tool} at {}:{}", reference.server, reference.line, reference.column);
        for (is, word) in [(reference.called, " called"), (reference.guarded, " guarded")] {
            text.push_str(if is { word } else { "" });
        }
        text
    };
    let references = prepare(source).unwrap().references;
    references.iter().filter(|one| !one.probable).map(shown).collect()
}

#[test]
fn all_forms_of_use_are_found() {
    let forms = [
        (
            "from servers import github\ngithub.list_issues(repo='a')",
            &["github at 1:21", "github.list_issues at 2:8"][..],
        ),
        (
            "from servers import github as gh, crm\ngh.list_issues()",
            &["github at 1:21", "crm at 1:35", "github.list_issues at 2:4"],
        ),
        (
            "import servers.github\nservers.github.list_issues()",
            &["github at 1:16", "github.list_issues at 2:16"],
        ),
        (
            "import servers.github as x\nx.list_issues()",
            &["github at 1:16", "github.list_issues at 2:3"],
        ),
        ("import servers\nservers.github.list_issues()", &["github.list_issues at 2:16"]),
        (
            "from servers.github import list_issues as li\nli(repo='a')",
            &["github.list_issues at 1:28", "github.list_issues at 2:1"],
        ),
        ("servers.github.list_issues()", &["github.list_issues at 1:16"]),
        ("await servers['github'].list_issues()", &["github.list_issues at 1:25"]),
        ("call_tool('github__list_issues', {})", &["github.list_issues at 1:1"]),
        ("call_tool('mcp__github__list_issues')", &["github.list_issues at 1:1"]),
        ("call_tool('github', 'list_issues', {})", &["github.list_issues at 1:1"]),
        ("call_tool(name='github.list_issues')", &["github.list_issues at 1:1"]),
        ("from servers.github import *", &["github at 1:14"]),
        ("servers.github('x')", &["github at 1:1 called"]),
        ("é = [servers.crm.get()\n  for x in y]", &["crm.get at 1:18"]),
    ];
    for (source, expected) in forms {
        assert_eq!(found(source), expected, "{source}");
    }
}

#[test]
fn aliases_of_servers_and_tools_are_followed() {
    let forms = [
        ("gh = servers.github\ngh.list_issues()", &["github.list_issues at 2:4"][..]),
        ("f = servers.github.list_issues\nf()", &["github.list_issues at 2:1"]),
        ("a, b = servers.crm, servers.drive\nb.get()", &["drive.get at 2:3"]),
        ("call = call_tool\ncall('crm__get')", &["crm.get at 2:1"]),
        ("def f():\n    return gh.x()\ngh = servers.github", &["github.x at 2:15"]),
        (
            "def f():\n    c = servers.a\n    c.x()\ndef g():\n    c = servers.b\n    c.x()",
            &["a.x at 3:7", "b.x at 6:7"],
        ),
        ("class A:\n    def run(self):\n        return servers.crm.get()", &["crm.get at 3:28"]),
        ("if (gh := servers.github):\n    gh.x()", &["github.x at 2:8 guarded"]),
        ("f'{servers.crm.get()}'", &["crm.get at 1:16"]),
        ("x: object = servers.crm\nx.get()", &["crm.get at 2:3"]),
        ("lambda: servers.crm.get()", &["crm.get at 1:21"]),
        (
            "import asyncio\nawait asyncio.gather(*[servers.crm.get(i) for i in y])",
            &["crm.get at 2:36"],
        ),
    ];
    for (source, expected) in forms {
        assert_eq!(found(source), expected, "{source}");
    }
}

#[test]
fn ambiguous_names_are_left_to_the_run() {
    for source in [
        "servers[name].get()",
        "getattr(servers, name).get()",
        "gh = servers.github\ngh = other\ngh.x()",
        "for gh in [servers.github]:\n    gh.x()",
        "def f(servers):\n    servers.crm.get()",
        "servers = load()\nservers.crm.get()",
        "def call_tool(name): pass\ncall_tool('crm__get')",
        "[servers.get() for servers in y]",
        "with open('x') as servers:\n    servers.crm.get()",
        "try:\n    pass\nexcept E as servers:\n    servers.crm.get()",
        "match x:\n    case servers:\n        servers.crm.get()",
        "def f():\n    global gh\n    gh = 1\ngh = servers.crm\ngh.get()",
        "def f():\n    gh = servers.crm\n    def g():\n        nonlocal gh\n        gh = 1\n    gh.get()",
        "servers.crm = Fake()\nservers.crm.get()",
        "servers.__iter__()",
        "from .servers import github\ngithub.x()",
        "call_tool(name)",
        "call_tool('search')",
        "servers.crm.get",
        "map(servers.crm.get, ids)",
        "class A:\n    gh = servers.crm\n    def f(self):\n        gh.get()",
        "del servers\nservers.crm.get()",
        "lambda servers: servers.crm.get()",
    ] {
        assert_eq!(found(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn a_program_may_probe() {
    for source in [
        "try:\n    servers.crm.get()\nexcept ToolError:\n    pass",
        "try:\n    from servers import crm\nexcept ImportError:\n    crm = None",
        "if 'crm' in servers:\n    servers.crm.get()",
        "if hasattr(servers, 'crm'):\n    pass\nelse:\n    servers.crm.get()",
        "x = servers.crm.get() if hasattr(servers, 'crm') else None",
        "hasattr(servers, 'crm') and servers.crm.get()",
        "if hasattr(servers, 'crm') and servers.crm.get():\n    pass",
        "from contextlib import suppress\nwith suppress(Exception):\n    servers.crm.get()",
        "asyncio.gather(servers.crm.get(), return_exceptions=True)",
    ] {
        let found = found(source);
        assert_eq!(found.len(), 1, "{source}");
        assert!(found[0].ends_with(" guarded"), "{source}: {found:?}");
    }
    for source in [
        "try:\n    servers.crm.get()\nfinally:\n    pass",
        "try:\n    pass\nexcept ToolError:\n    servers.crm.get()",
        "if ready:\n    servers.crm.get()",
        "asyncio.gather(servers.crm.get(), return_exceptions=False)",
        "with open('x') as f:\n    servers.crm.get()",
    ] {
        let found = found(source);
        assert_eq!(found.len(), 1, "{source}");
        assert!(!found[0].ends_with(" guarded"), "{source}: {found:?}");
    }
}

#[test]
fn positions_of_the_server_and_the_arguments_are_reported() {
    let source = "x = servers.crm.get(\n  a=1)\n";
    let reference = prepare(source).unwrap().references.remove(0);
    assert_eq!(reference.server_at, Some((1, 13)));
    assert_eq!(reference.arguments, Some((1, 20, 2, 7)));
}

#[test]
fn lines_refer_to_the_source_as_written() {
    let source = "Here it is:\n\n```python\nx = 1\nservers.crm.get()\n```\nThat's it.\n";
    assert_eq!(found(source), ["crm.get at 5:13"]);
    assert_eq!(found("\u{feff}servers.crm.get()"), ["crm.get at 1:13"]);
    assert_eq!(found("x = 1\r\nservers.crm.get()\r\n"), ["crm.get at 2:13"]);
}

#[test]
fn at_most_five_hundred_are_reported() {
    assert_eq!(found(&"servers.crm.get()\n".repeat(600)).len(), 500);
}

/// What is reported about the only call of a program.
fn known(program: &str) -> String {
    let analysis = crate::prepare(program).unwrap();
    let calls: Vec<_> = analysis.references.iter().filter(|one| one.arguments.is_some()).collect();
    let [one] = calls.as_slice() else { panic!("{program}: {:?}", analysis.references) };
    let known = serde_json::to_string(&one.known).unwrap();
    format!("{}.{} {known}", one.server, one.tool.as_deref().unwrap())
}

#[test]
fn arguments_are_reported_as_far_as_they_are_known() {
    for (call, expected) in [
        ("fs.wipe()", "{}"),
        ("fs.wipe(a=None, b=[1, 'x'])", r#"{"literals":{"a":null,"b":[1,"x"]}}"#),
        ("fs.wipe(a=g())", r#"{"computed":["a"]}"#),
        ("fs.wipe({'a': 1, 'b': {'c': g(), 'd': 2}})", {
            r#"{"literals":{"a":1,"b":{"d":2}},"computed":["b"]}"#
        }),
        ("fs.wipe({'a': 1, **g()})", r#"{"literals":{"a":1},"open":true}"#),
        ("fs.wipe(a=1, **g())", r#"{"literals":{"a":1},"open":true}"#),
        ("fs.wipe('x', g())", r#"{"positional":["x",null]}"#),
        ("fs.wipe(g())", r#"{"open":true}"#),
        ("fs.wipe(*g())", r#"{"open":true}"#),
    ] {
        let program = format!("from servers import fs\nimport time\ng = time.time\n{call}");
        assert_eq!(known(&program), format!("fs.wipe {expected}"), "{call}");
    }
}

#[test]
fn calls_in_other_forms_are_reported_too() {
    for call in [
        "w = fs.wipe\nw(a=1)",
        "getattr(fs, 'wi' + 'pe')(a=1)",
        "call_tool('fs__wipe', {'a': 1})",
        "call_tool('fs__' + 'wipe', {'a': 1})",
        "call_tool('fs', 'wipe', {'a': 1})",
    ] {
        let program = format!("from servers import fs, call_tool\n{call}");
        assert_eq!(known(&program), r#"fs.wipe {"literals":{"a":1}}"#, "{call}");
    }
}

/// The tools that are used as values; `*` for all of a server.
fn passed(source: &str) -> Vec<String> {
    let references = prepare(source).unwrap().references;
    let passed = references.iter().filter(|one| one.passed);
    let shown = |one: &tidegate_model::Reference| {
        assert!(one.repeated && one.probable && one.known.open && one.arguments.is_none());
        one.tool.as_ref().map_or("*".to_owned(), |tool| format!("{}.{tool}", one.server))
    };
    passed.map(shown).collect()
}

#[test]
fn a_tool_that_is_used_as_a_value_may_be_called_by_what_gets_it() {
    for source in [
        "list(map(servers.crm.wipe, ids))",
        "f = servers.crm.wipe\nlist(map(f, ids))",
        "from servers.crm import wipe\nlist(map(wipe, ids))",
        "f = other\nf = servers.crm.wipe",
        "all = {'wipe': servers.crm.wipe}",
        "all = [servers.crm.wipe]",
        "servers.crm.wipe.__call__()",
        "f = lambda: servers.crm.wipe",
        "f = ready and servers.crm.wipe",
        "f = servers.crm.wipe or other",
        "def f(g=servers.crm.wipe):\n    g()",
        "run(each=servers.crm.wipe)",
        "for f in [servers.crm.wipe]:\n    f()",
    ] {
        assert_eq!(passed(source), ["crm.wipe"], "{source}");
    }
    for source in [
        "run(servers.crm)",
        "import inspect\ninspect.getmembers(servers.crm)",
        "from servers import crm\nrun(crm)",
        "all = [servers.crm]",
        "list(map(call_tool, names))",
    ] {
        assert_eq!(passed(source), ["*"], "{source}");
    }
    for source in [
        "servers.crm.wipe()",
        "await servers.crm.wipe()",
        "f = servers.crm.wipe\nf()",
        "a, b = servers.crm, servers.drive\nb.get()",
        "from servers import crm\ncrm.wipe()",
        "if servers.crm and servers.crm.wipe:\n    pass",
        "if 'crm' in servers and not hasattr(servers.crm, 'wipe'):\n    pass",
        "servers.crm.wipe",
        "print(dir(servers.crm), list(servers), servers.crm.wipe.__name__)",
        "for name in servers:\n    print(name)",
        "print([name for name in servers if servers.crm])",
        "servers[name].wipe()",
        "getattr(servers.crm, 'wipe')()",
        "[servers.crm.wipe(id=i) for i in ids]",
        "if (gh := servers.github):\n    gh.x()",
        "x: object = servers.crm\nx.get()",
    ] {
        assert_eq!(passed(source), Vec::<String>::new(), "{source}");
    }
}
