//! References in every form, and programs that probe for servers.

use serde_json::json;
use tidegate_model::{KnownArguments, LiteralArguments, Reference};

use crate::program::prepare;

/// Each certain reference as `server.tool line:column`, with marks: `?` for guarded, `()`
/// for a server that is called.
fn found(source: &str) -> Vec<String> {
    let prepared = prepare(source).unwrap();
    let shown = |one: &Reference| {
        let tool = one.tool.as_ref().map(|tool| format!(".{tool}")).unwrap_or_default();
        let called = if one.called { "()" } else { "" };
        let guarded = if one.guarded { "?" } else { "" };
        format!("{}{tool}{called}{guarded} {}:{}", one.server, one.line, one.column)
    };
    prepared.references.iter().filter(|one| !one.probable).map(shown).collect()
}

#[test]
fn calls_through_the_global_are_found_in_all_spellings() {
    assert_eq!(found("await servers.crm.getLead({})"), ["crm.getLead 1:19"]);
    assert_eq!(found("await servers['crm'].getLead({})"), ["crm.getLead 1:22"]);
    assert_eq!(found("await servers.crm['get-lead']({})"), ["crm.get-lead 1:19"]);
    assert_eq!(found("await servers.crm[`get_lead`]({})"), ["crm.get_lead 1:19"]);
    assert_eq!(found("await (servers as any).crm!.getLead({})"), ["crm.getLead 1:29"]);
    assert_eq!(found("await (await servers.crm).getLead({})"), ["crm.getLead 1:27"]);
    assert_eq!(found("servers.crm({})"), ["crm() 1:1"]);
}

#[test]
fn constants_are_followed() {
    assert_eq!(found("const crm = servers.crm;\nawait crm.getLead({})"), ["crm.getLead 2:11"]);
    assert_eq!(
        found("const { getLead, listLeads: list } = servers.crm;\nawait list({})"),
        ["crm.getLead 1:9", "crm.listLeads 1:18", "crm.listLeads 2:7"]
    );
    assert_eq!(
        found("const { crm: { getLead } } = servers;\nawait getLead({})"),
        ["crm.getLead 1:16", "crm.getLead 2:7"]
    );
    assert_eq!(
        found("let crm = servers.crm;\nawait crm.getLead({})"),
        ["crm.getLead 2:11"],
        "never assigned again"
    );
    assert_eq!(
        found("async function one() { return api.getLead({}) }\nconst api = servers.crm;\none()"),
        ["crm.getLead 1:35"],
        "declared below its use"
    );
}

#[test]
fn imports_are_followed() {
    let call = "\nawait crm.getLead({})";
    for import in [
        "import * as crm from './servers/crm';",
        "import crm from './servers/crm/index.ts';",
        "const crm = await import('./servers/crm');",
        "const crm = require('./servers/crm');",
    ] {
        let references = found(&format!("{import}{call}"));
        assert_eq!(references.last().map(String::as_str), Some("crm.getLead 2:11"), "{import}");
    }
    assert_eq!(
        found("import { getLead as get } from './servers/crm';\nget({})"),
        ["crm.getLead 1:10", "crm.getLead 2:1"]
    );
    assert_eq!(
        found("import { getLead } from '../servers/crm/getLead.ts';\ngetLead({})"),
        ["crm.getLead 1:10", "crm.getLead 2:1"]
    );
    assert_eq!(
        found("import { crm } from './servers';\ncrm.getLead({})"),
        ["crm 1:10", "crm.getLead 2:5"]
    );
    assert_eq!(
        found("import * as all from './servers';\nall.crm.getLead({})"),
        ["crm.getLead 2:9"]
    );
    assert_eq!(found("import './servers/crm';"), ["crm 1:8"]);
}

#[test]
fn calls_by_name_are_found_if_the_name_is_a_literal() {
    for name in ["'crm__get_lead'", "\"crm.get_lead\"", "`mcp__crm__get_lead`"] {
        assert_eq!(found(&format!("await callMCPTool({name}, {{}})")), ["crm.get_lead 1:7"]);
    }
    assert_eq!(found("await callMCPTool(`crm__${'get'}`, {})"), [""; 0]);
    assert_eq!(found("await callMCPTool('get_lead', {})"), [""; 0]);
}

#[test]
fn reads_computed_names_and_types_are_not_uses() {
    for source in [
        "typeof servers.crm.getLead",
        "const get = servers.crm.getLead",
        "const name = 'crm' as string; await servers[name].getLead({})",
        "import { Lead } from './servers/crm'; const lead: Lead = 1 as any; lead",
        "import type { Lead } from './servers/crm'; const lead: Lead = 1 as any; lead",
        "import { getLead } from './servers/crm';",
        "servers.crm.toString()",
        "let crm = servers.crm; crm = null; crm.getLead({})",
        "var crm = servers.crm; crm.getLead({})",
    ] {
        assert_eq!(found(source), [""; 0], "{source}");
    }
}

#[test]
fn names_of_the_program_shadow_ours() {
    for source in [
        "const servers = { crm: { getLead: (a: any) => a } }; servers.crm.getLead({})",
        "function use(servers: any) { return servers.crm.getLead({}) } use({})",
        "globalThis.servers = { crm: 1 }; servers.crm.getLead({})",
        "servers = { crm: 1 }; servers.crm.getLead({})",
        "const callMCPTool = (name: string) => name; callMCPTool('crm__get_lead')",
    ] {
        assert_eq!(found(source), [""; 0], "{source}");
    }
}

#[test]
fn a_use_that_may_fail_is_guarded() {
    for source in [
        "try { await servers.crm.getLead({}) } catch {}",
        "servers.crm?.getLead({})",
        "servers.crm.getLead?.({})",
        "servers.crm.getLead({}).catch(() => null)",
        "servers.crm.getLead({}).then((a) => a).catch(() => null)",
        "servers.crm.getLead({}).then((a) => a, () => null)",
        "await Promise.allSettled([servers.crm.getLead({})])",
        "if ('crm' in servers) await servers.crm.getLead({})",
        "Object.keys(servers).includes('crm') && await servers.crm.getLead({})",
    ] {
        let references = found(source);
        assert_eq!(references.len(), 1, "{source}");
        assert!(references[0].starts_with("crm.getLead? "), "{source}: {references:?}");
    }
    for source in [
        "try { await servers.crm.getLead({}) } finally {}",
        "try {} catch { await servers.crm.getLead({}) }",
        "if ((await servers.crm.getLead({})).open) 1",
        "servers.crm.getLead({}).then((a) => a)",
    ] {
        let references = found(source);
        assert!(references[0].starts_with("crm.getLead 1:"), "{source}: {references:?}");
    }
    assert_eq!(
        found("if ((await servers.crm.a({})).open) await servers.crm.b({})"),
        ["crm.a 1:24", "crm.b 1:55"]
    );
}

#[test]
fn argument_spans_include_the_parentheses() {
    let source = "await servers.crm.getLead<any>({ id: 'ä' });\nawait servers.crm.getLead();";
    let prepared = prepare(source).unwrap();
    let written = LiteralArguments {
        objects: vec![(1, 32)],
        values: vec![(1, 34), (1, 32)],
        keys: vec![(1, 34)],
        ..LiteralArguments::default()
    };
    let first = Reference {
        server: "crm".to_owned(),
        tool: Some("getLead".to_owned()),
        line: 1,
        column: 19,
        server_at: Some((1, 15)),
        arguments: Some((1, 31, 1, 44)),
        written,
        known: KnownArguments {
            literals: json!({"id": "ä"}).as_object().unwrap().clone(),
            ..KnownArguments::default()
        },
        ..Reference::default()
    };
    let second = Reference {
        line: 2,
        server_at: Some((2, 15)),
        arguments: Some((2, 26, 2, 28)),
        written: LiteralArguments::default(),
        known: KnownArguments::default(),
        ..first.clone()
    };
    assert_eq!(prepared.references, [first, second]);
    assert_eq!(prepared.check_text.as_deref(), Some(source));
    assert!(prepared.reading.complete);
}

#[test]
fn lines_refer_to_the_source_as_written() {
    assert_eq!(found("```ts\n\nawait servers.crm.getLead({});\n```"), ["crm.getLead 3:19"]);
}

#[test]
fn the_number_of_references_is_bounded() {
    let prepared = prepare(&"servers.crm.getLead({});".repeat(2000)).unwrap();
    assert_eq!(prepared.references.len(), 500);
    let long = "x".repeat(600);
    assert_eq!(found(&format!("servers.{long}.getLead({{}})")), [""; 0]);
}

#[test]
fn a_long_chain_is_analysed_in_linear_time() {
    // The members of a tool may be anything, `bind` too: it counts as passed.
    for (source, expected) in [
        (format!("servers{}", ".a".repeat(20_000)), 1),
        (format!("1{}", " && 1".repeat(20_000)), 0),
        (format!("x = servers.a{}", " && servers.a".repeat(10_000)), 1),
    ] {
        let started = std::time::Instant::now();
        // On a stack as deep as the worker's: the parser recurses too.
        let reading = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || prepare(&source).map(|prepared| prepared.references.len()));
        assert_eq!(reading.unwrap().join().unwrap(), Ok(expected));
        // Measured: 0.1 s, and 12 s if each link is walked from the start.
        assert!(started.elapsed().as_secs() < 3, "took {:?}", started.elapsed());
    }
}

#[test]
fn arguments_are_reported_as_far_as_they_are_known() {
    let source = "const sql = 'DROP ' + 'TABLE t';
        await servers.db.query({ sql, limit: -1, rows: [1, { a: true }], who: name(), deep: { x: f(), y: 2.5 } });
        await callMCPTool('db__query', { sql: `SELECT ${1 + 1}` });";
    let prepared = prepare(source).unwrap();
    let told: Vec<String> =
        prepared.references.iter().map(|one| serde_json::to_string(&one.known).unwrap()).collect();
    assert_eq!(
        told,
        [
            r#"{"literals":{"sql":"DROP TABLE t","limit":-1,"rows":[1,{"a":true}],"deep":{"y":2.5}},"computed":["who","deep"]}"#,
            r#"{"literals":{"sql":"SELECT 2"}}"#
        ]
    );
}

/// What is reported about the only call of a program.
fn known(call: &str) -> String {
    let prepared = prepare(call).unwrap();
    let calls: Vec<_> = prepared.references.iter().filter(|one| one.arguments.is_some()).collect();
    let [one] = calls.as_slice() else { panic!("{call}: {:?}", prepared.references) };
    format!("{}.{} {}", one.server, one.tool.as_deref().unwrap(), json!(one.known))
}

#[test]
fn a_spread_a_getter_and_an_unknown_value_leave_arguments_open() {
    for (call, expected) in [
        ("f.wipe()", "{}"),
        ("f.wipe({a: null, b: undefined})", r#"{"literals":{"a":null}}"#),
        ("f.wipe({a: 1, a: g()})", r#"{"computed":["a"]}"#),
        ("f.wipe({a: 1, ...g()})", r#"{"literals":{"a":1},"open":true}"#),
        ("f.wipe({a: 1, get b() { return 2 }})", r#"{"literals":{"a":1},"open":true}"#),
        ("f.wipe({a: 1, [g()]: 2})", r#"{"literals":{"a":1},"open":true}"#),
        ("f.wipe(g())", r#"{"open":true}"#),
        ("f.wipe(...g())", r#"{"open":true}"#),
        ("f.wipe({a: `x${g()}`})", r#"{"literals":{"a":"x…"},"computed":["a"]}"#),
    ] {
        let source = format!("const f = servers.fs; const g = (): any => Date.now(); await {call}");
        assert_eq!(known(&source), format!("fs.wipe {expected}"), "{call}");
    }
}

#[test]
fn calls_in_other_forms_are_reported_too() {
    for call in [
        "const w = servers.fs.wipe; w({a: 1})",
        "let w; w = servers.fs.wipe; w({a: 1})",
        "const {fs: {wipe}} = servers; wipe({a: 1})",
        "servers.fs.wipe.call(null, {a: 1})",
        "servers.fs.wipe.apply(null, [{a: 1}])",
        "Reflect.apply(servers.fs.wipe, null, [{a: 1}])",
        "callMCPTool('fs__' + 'wipe', {a: 1})",
        "const m = 'wi' + 'pe'; servers.fs[m]({a: 1})",
    ] {
        assert_eq!(known(call), r#"fs.wipe {"literals":{"a":1}}"#, "{call}");
    }
}

#[test]
fn repeated_calls_are_marked() {
    let source = "await servers.a.once({});
        for (const x of xs) await servers.a.loop({ x });
        await Promise.all(xs.map((x) => servers.a.map({ x })));
        const each = async (x) => servers.a.named({ x });
        xs.forEach(each);
        async function inner(x) { return servers.a.inner({ x }) }
        while (more()) { await inner(1); }
        servers.a.chained({}).then((x) => servers.a.after({ x }));";
    let prepared = prepare(source).unwrap();
    let repeated: Vec<&str> = prepared
        .references
        .iter()
        .filter(|one| one.repeated)
        .filter_map(|one| one.tool.as_deref())
        .collect();
    assert_eq!(repeated, ["loop", "map", "named", "inner"]);
}

/// The tools that are used as values; `*` for all of a server.
fn passed(source: &str) -> Vec<String> {
    let prepared = prepare(source).unwrap();
    let passed = prepared.references.iter().filter(|one| one.passed);
    let shown = |one: &Reference| {
        assert!(one.repeated && one.probable && one.known.open && one.arguments.is_none());
        one.tool.as_ref().map_or("*".to_owned(), |tool| format!("{}.{tool}", one.server))
    };
    passed.map(shown).collect()
}

#[test]
fn a_tool_that_is_used_as_a_value_may_be_called_by_what_gets_it() {
    for source in [
        "ids.map(servers.crm.wipe)",
        "await Promise.all(ids.map((servers as any).crm['wipe']))",
        "const wipe = servers.crm.wipe;\nids.forEach(wipe)",
        "const { wipe } = servers.crm;\nids.forEach(wipe)",
        "import { wipe } from './servers/crm';\nids.forEach(wipe)",
        "var wipe = servers.crm.wipe;\nids.forEach(wipe)",
        "let wipe;\nwipe = servers.crm.wipe",
        "const all = { wipe: servers.crm.wipe }",
        "const all = [servers.crm.wipe]",
        "await servers.crm.wipe.call(null, {})",
        "const f = servers.crm.wipe.bind(null)",
        "const f = () => servers.crm.wipe",
        "const f = ready && servers.crm.wipe",
        "const f = servers.crm.wipe ?? other",
        "const { wipe = other } = servers.crm",
        "function f(g = servers.crm.wipe) { g({}) }",
        "(0, servers.crm.wipe)({})",
    ] {
        assert_eq!(passed(source), ["crm.wipe"], "{source}");
    }
    for source in [
        "for (const f of Object.values(servers.crm)) await f({})",
        "for (const one of Object.values(servers)) await run(one)",
        "const crm = servers.crm;\nrun(crm)",
        "const { a, ...rest } = servers.crm",
        "const { [name]: f } = servers.crm",
        "const copy = { ...servers.crm }",
        "names.map(callMCPTool)",
        "Object.values(require('./servers/crm'))",
    ] {
        assert_eq!(passed(source), ["*"], "{source}");
    }
    for source in [
        "await servers.crm.wipe({})",
        "const wipe = servers.crm.wipe;\nawait wipe({})",
        "const { wipe } = servers.crm;\nawait wipe({})",
        "const crm = servers.crm;\nawait crm.wipe({})",
        "if (servers.crm && servers.crm.wipe) {}",
        "if ('crm' in servers && typeof servers.crm.wipe === 'function') {}",
        "if (!servers.crm?.wipe) {}",
        "servers.crm && await servers.crm.wipe({})",
        "servers.crm.wipe",
        "console.log(Object.keys(servers), Object.keys(servers.crm))",
        "for (const name in servers.crm) console.log(name)",
        "console.log(servers.crm.wipe.name)",
        "await servers[name].wipe({})",
        "const map = { wipe: () => servers.crm.wipe({}) }",
        "ids.map((id) => servers.crm.wipe({ id }))",
    ] {
        assert_eq!(passed(source), Vec::<String>::new(), "{source}");
    }
}
