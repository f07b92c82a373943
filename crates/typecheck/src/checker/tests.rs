//! Tests with the real compiler: which errors are found, their wording, concurrent
//! checks. Hostile programs are in `hostile`, misbehaving compilers in `impostor`.

mod equipment;
mod hostile;
mod impostor;
mod measure;
mod python;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::TypeChecker;
use crate::confine::Confinement;
use crate::diagnostic::Diagnostic;
use crate::world::SourceFile;

/// A checker with a folder of its own.
struct Bench {
    folder: TempDir,
    checker: TypeChecker,
}

impl Bench {
    /// With the real compiler; `None` if it is not installed.
    fn new(test: &str) -> Option<Self> {
        let tsc = equipment::tsc(test)?;
        let folder = tempfile::tempdir().unwrap();
        let checker = TypeChecker::new(tsc, folder.path().join("scratch"), Confinement::Required);
        Some(Self { folder, checker })
    }

    async fn check(&self, program: &str) -> Vec<Diagnostic> {
        self.checker.check(&github(), program).await.unwrap()
    }

    /// `line:column code message` of each error.
    async fn errors(&self, program: &str) -> Vec<String> {
        self.check(program).await.iter().map(shown).collect()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn shown(error: &Diagnostic) -> String {
    format!("{}:{} {} {}", error.line, error.column, error.code.number(), error.message)
}

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: Arc::from(text) }
}

fn github() -> Vec<SourceFile> {
    vec![
        file("servers/github/index.ts", include_str!("tests/github/index.ts")),
        file("servers/github/types.ts", include_str!("tests/github/types.ts")),
    ]
}

#[tokio::test]
async fn errors_have_their_place_and_say_what_to_change() {
    let Some(bench) = Bench::new("errors_have_their_place_and_say_what_to_change") else { return };
    let program = "import * as github from './servers/github';\n\
        const issues = await github.listIssues({ owner: 'a' });\n\
        const more = await github.listIssues({ owner: 'a', repo: 1, state: 'opened' });\n\
        github.listIssue({ owner: 'a', repo: 'b' });\n\
        console.log(issues[0].titel, issues.lenght, (await github.getIssue({ owner: 'a', repo: 'b', issue_number: 1 })).user.name);\n\
        const created = github.createIssue({ owner: 'a', repo: 'b', title: 'c', labels: 'bug' });\n\
        return created.number;\n";
    assert_eq!(
        bench.errors(program).await,
        [
            "2:40 2741 Property 'repo' is missing in type '{ owner: string; }' but required in type '{ owner: string; repo: string; direction?: \"asc\" | \"desc\"; labels?: string[]; page?: numbe…'.",
            "3:52 2322 Type 'number' is not assignable to type 'string'.",
            "3:61 2820 Type '\"opened\"' is not assignable to type '\"all\" | \"closed\" | \"open\"'. Did you mean '\"open\"'?",
            "4:8 2551 Property 'listIssue' does not exist on type 'typeof import(\"./servers/github\")'. Did you mean 'listIssues'?",
            "5:23 2551 Property 'titel' does not exist on type 'Issue'. Did you mean 'title'?",
            "5:37 2551 Property 'lenght' does not exist on type 'Issue[]'. Did you mean 'length'?",
            "5:118 2339 Property 'name' does not exist on type 'User'.",
            "6:73 2322 Type 'string' is not assignable to type 'string[]'.",
            "7:16 2339 Property 'number' does not exist on type 'Promise<Issue>'.",
        ]
    );
    let error = &bench.check("const a = 1;\nlet b: string =\n  a;").await[0];
    let place = (error.line, error.column, error.end_line, error.end_column);
    assert_eq!(place, (2, 5, 2, 6));
}

#[tokio::test]
async fn what_works_at_run_time_passes() {
    let Some(bench) = Bench::new("what_works_at_run_time_passes") else { return };
    let none: [String; 0] = [];
    for program in [
        "",
        "import { listIssues, type Issue } from './servers/github/index.ts';\nconst issues: Issue[] = await listIssues({ owner: 'a', repo: 'b' });\nreturn issues.map(issue => issue.title);",
        "import * as github from 'servers/github';\nexport default async () => github.getMe;"
            .replace("github.getMe", "github.getIssue({ owner: 'a', repo: 'b', issue_number: 1 })")
            .as_str(),
        "async () => { return 1 }",
        "const f = (a, b) => a + b;\nfunction g(x) { return x.y }\nreturn f(1, g({ y: 2 }));",
        "try { await callMCPTool('github__list_issues', { owner: 'a' }, { raw: true }) } catch (error) { if (error instanceof ToolError) return error.hint; return error.message }",
        "import fs, { readFile } from 'node:fs/promises'; import * as path from 'path'; import { inspect } from 'util';\nconst { readdirSync } = require('fs');\nreturn [await fs.readdir('./servers'), await readFile('x', 'utf8'), path.join('a', inspect({})), readdirSync('.')];",
        "const id: ReturnType<typeof setTimeout> = setTimeout(() => {}, 5); clearTimeout(id); await new Promise(r => setTimeout(r, 1));",
        "const url = new URL('https://a/b?c=d'); const q: string | null = url.searchParams.get('c'); const b: Buffer = Buffer.from('x'); return [b.toString('base64'), new TextEncoder().encode(q ?? ''), structuredClone({ a: 1 }).a, process.env.HOME, crypto.randomUUID(), btoa('x')];",
        "return [3, 1].toSorted().findLast(x => x > 1), Object.groupBy([1], x => 'a'), new Set([1]).union(new Set([2])), Promise.withResolvers<void>()",
        "const found = await searchTools('issues', 'full'); return found.length, (await searchTools('x', { detail: 'name', limit: 3 }))[0]",
        "const one: string | null = await pii.domain('[EMAIL_1]'); const same: boolean = await pii.equals('[EMAIL_1]', '[EMAIL_2]'); return [one?.length, same, (await pii.mask('[NAME_1]')).length]",
        "const tokens = ['[EMAIL_1]', '[EMAIL_2]'] as const; const unknown = await callMCPTool('a__b', {}); return [(await pii.domain([...tokens])).map(domain => domain ?? ''), (await pii.mask(tokens)).join(), (await pii.mask(unknown.list)).map(x => x), (await pii.domain(unknown.email)).length]",
        "let x; x = 5; const list = []; list.push(x); for (const [key, value] of Object.entries({ a: 1 })) list.push(key, value); return list;",
        "const servers = 1; return servers",
    ] {
        assert_eq!(bench.errors(program).await, none, "{program}");
    }
}

/// Programs that run without errors although TypeScript reports some. The gateway
/// decides what to do about those.
const SLOPPY: [&str; 2] = ["types_that_are_wider_than_values.ts", "variables_that_change.ts"];

/// The programs that the worker's tests run, except those that import the servers of
/// those tests, which are not declared here.
#[tokio::test]
async fn the_programs_of_the_worker_s_tests_pass() {
    let Some(bench) = Bench::new("the_programs_of_the_worker_s_tests_pass") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/guests/allowed");
    let mut failing = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let program = std::fs::read_to_string(&path).unwrap();
        // The caller removes Markdown fences.
        if program.contains("servers/") || program.contains("```") {
            continue;
        }
        let program = program + "\ndeclare const servers: any;";
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if SLOPPY.contains(&name.as_str()) {
            continue;
        }
        for error in bench.errors(&program).await {
            failing.push(format!("{name}:{error}"));
        }
    }
    failing.sort();
    assert_eq!(failing, Vec::<String>::new());
}

#[tokio::test]
async fn fifty_checks_at_once_see_each_their_own_declarations() {
    let Some(bench) = Bench::new("fifty_checks_at_once_see_each_their_own_declarations") else {
        return;
    };
    let checker = Arc::new(bench.checker);
    let checks: Vec<_> = (0..50)
        .map(|number| {
            let checker = Arc::clone(&checker);
            tokio::spawn(async move {
                let text = format!("export const version = 'v{}';", number % 5);
                let program = format!(
                    "import {{ version }} from './servers/a';\nconst wrong: {number} = version;"
                );
                checker.check(&[file("servers/a/index.ts", &text)], &program).await.unwrap()
            })
        })
        .collect();
    for (number, check) in checks.into_iter().enumerate() {
        let errors: Vec<String> = check.await.unwrap().iter().map(shown).collect();
        let expected =
            format!("2:7 2322 Type '\"v{}\"' is not assignable to type '{number}'.", number % 5);
        assert_eq!(errors, [expected]);
    }
}

#[tokio::test]
async fn a_path_with_blanks_and_accents_works_and_the_folder_goes_at_the_end() {
    let test = "a_path_with_blanks_and_accents_works_and_the_folder_goes_at_the_end";
    let Some(tsc) = equipment::tsc(test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scratch: PathBuf = folder.path().join("a b/ü%20#");
    let checker = TypeChecker::new(tsc, scratch.clone(), Confinement::Required);
    let errors =
        checker.check(&github(), "import { nope } from './servers/github';").await.unwrap();
    let errors: Vec<String> = errors.iter().map(shown).collect();
    assert_eq!(errors, ["1:10 2305 Module '\"./servers/github\"' has no exported member 'nope'."]);
    drop(checker);
    let left: Vec<_> =
        std::fs::read_dir(scratch).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"]);
}
