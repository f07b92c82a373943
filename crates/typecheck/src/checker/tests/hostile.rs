//! Programs that try to get more than a check: other files, time, memory.

use std::time::{Duration, Instant};

use super::{Bench, file, shown};
use crate::TypeCheckError;
use crate::dialect::CHECK_DEADLINE;

const CANARY: &str =
    "export const CANARY = { secret: 'CANARY' } as const;\nexport default CANARY;\n";

/// We write the declarations, but their texts come from servers. Here they contain what
/// would be refused in a program, so that only the kernel prevents the access.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_compiler_cannot_read_outside_of_its_folder() {
    let Some(bench) = Bench::new("the_compiler_cannot_read_outside_of_its_folder") else { return };
    let outside = bench.path().join("canary.ts");
    std::fs::write(&outside, CANARY).unwrap();
    std::fs::write(bench.path().join("canary.json"), r#"{"CANARY": "CANARY"}"#).unwrap();
    let modules = bench.path().join("node_modules/canary");
    std::fs::create_dir_all(&modules).unwrap();
    std::fs::write(modules.join("index.d.ts"), CANARY).unwrap();
    std::fs::write(modules.join("package.json"), r#"{"name": "canary", "types": "index.d.ts"}"#)
        .unwrap();
    let absolute = outside.with_extension("").display().to_string();
    let lines = [
        // Out of the world, this process's folder and the scratch folder.
        "import { CANARY } from '../../../../canary'; export const a = CANARY;".to_owned(),
        format!("export const a: typeof import('{absolute}').CANARY = null!;"),
        "import CANARY from '../../../../canary.json'; export const a = CANARY;".to_owned(),
        "import CANARY from 'canary'; export const a = CANARY;".to_owned(),
        format!("/// <reference path=\"{absolute}.ts\" />\nexport const a = CANARY;"),
        "/// <reference types=\"canary\" />\nexport const a = CANARY;".to_owned(),
    ];
    for text in lines {
        let files = [file("servers/a.ts", &text)];
        let program = "import { a } from './servers/a';\nconst wrong: boolean = a;\nwrong.x;";
        let errors = bench.checker.check(&files, program).await.unwrap();
        for error in &errors {
            assert!(!error.message.contains("CANARY"), "{text}: {error:?}");
        }
        // The same text is an error in the declarations, which are not checked: the
        // program gets `any`, or something without a type.
        let errors: Vec<String> = errors.iter().map(shown).collect();
        assert_eq!(errors, ["3:7 2339 Property 'x' does not exist on type 'boolean'."], "{text}");
    }
    // The allowed case: the same import within the folder works.
    let files = [
        file("servers/a.ts", "export * from './b';"),
        file("servers/b.ts", "export const a = 'CANARY';"),
    ];
    let errors =
        bench.checker.check(&files, "import { a } from './servers/a';\nconst b: 1 = a;").await;
    let errors: Vec<String> = errors.unwrap().iter().map(shown).collect();
    assert_eq!(errors, ["2:7 2322 Type '\"CANARY\"' is not assignable to type '1'."]);
}

#[tokio::test]
async fn a_program_that_names_other_files_is_refused() {
    let Some(bench) = Bench::new("a_program_that_names_other_files_is_refused") else { return };
    for program in ["/// <reference path='/etc/x.ts' />", "import '../x'"] {
        let refused = bench.checker.check(&[], program).await;
        assert!(matches!(refused, Err(TypeCheckError::Refused { .. })), "{refused:?}");
    }
    // Nothing was started for them.
    assert!(bench.checker.server().await.is_none());
}

/// Each of these checks ends in time, and the next check works.
#[tokio::test]
async fn programs_made_to_be_slow_end_in_time_and_leave_a_working_checker() {
    let test = "programs_made_to_be_slow_end_in_time_and_leave_a_working_checker";
    let programs = [
        ("brackets", "(".repeat(500_000)),
        ("lists", format!("const a = {}{};", "[".repeat(200_000), "]".repeat(200_000))),
        ("types", format!("type A = {}1{};", "Array<".repeat(100_000), ">".repeat(100_000))),
        ("a megabyte of names", "aaaaaaaaaaaaaaaaaaaaaaaaa;\n".repeat(38_000)),
        ("a megabyte of code", "{ const a: string = 1; }\n".repeat(40_000)),
        (
            "exponential types",
            "type T<A, N extends any[] = []> = N['length'] extends 40 ? A : [T<[A, 1], [...N, 1]>, T<[A, 2], [...N, 1]>, T<A | N, [...N, 1]>];\nconst x: T<0> = 1; const y: T<1> = x; y.z;".to_owned(),
        ),
        (
            "a large union",
            "type D = 0|1|2|3|4|5|6|7|8|9; type S = `${D}${D}${D}${D}`; type L = `${S}` | `x${S}` | `y${S}`; const a: L = 'q'; type M = { [K in L]: { [J in S]: K } }; const m: M = {} as { [K in L]: { [J in S]: J } };".to_owned(),
        ),
        ("a long sum", format!("const a = {}1;", "1 + ".repeat(200_000))),
        ("a long chain", format!("declare const a: any; a{};", ".b()".repeat(200_000))),
        ("a deep function", "() => ".repeat(150_000) + "1"),
        ("flow", format!("let a: any; {} a;", "if (a) { a = 1 } else { a = '' }\n".repeat(25_000))),
    ];
    for (what, program) in programs {
        let Some(bench) = Bench::new(test) else { return };
        let started = Instant::now();
        let outcome = bench.checker.check(&[], &program).await;
        let took = started.elapsed();
        eprintln!(
            "{what}: {took:?}, {}",
            match &outcome {
                Ok(errors) => format!("{} errors", errors.len()),
                Err(error) => error.to_string(),
            }
        );
        assert!(took < CHECK_DEADLINE + Duration::from_secs(1), "{what}: {took:?}");
        if let Err(error) = outcome {
            let expected =
                matches!(error, TypeCheckError::Timeout { .. } | TypeCheckError::Broken { .. });
            assert!(expected, "{what}: {error}");
        }
        let errors: Vec<String> =
            bench.checker.check(&[], "nope;").await.unwrap().iter().map(shown).collect();
        assert_eq!(errors, ["1:1 2304 Cannot find name 'nope'."], "{what}");
    }
}

/// Killing the compiler for one check does not fail the others.
#[tokio::test]
async fn a_killed_compiler_is_started_again_for_the_checks_beside() {
    let test = "a_killed_compiler_is_started_again_for_the_checks_beside";
    let Some(bench) = Bench::new(test) else { return };
    bench.checker.check(&[], "").await.unwrap();
    let server = bench.checker.server().await.unwrap();
    // Long enough that the compiler is still busy with it when it is killed.
    let program = "nope;\n".repeat(2000);
    let check = bench.checker.check(&[], &program);
    let (errors, ()) = tokio::join!(check, async {
        while !server.is_busy() {
            tokio::task::yield_now().await;
        }
        server.stop();
    });
    let errors: Vec<String> = errors.unwrap().iter().map(shown).collect();
    assert_eq!(errors[0], "1:1 2304 Cannot find name 'nope'.");
    assert_eq!(errors.len(), 10);
}

/// No process is left behind, neither after the checker is dropped nor after we are killed,
/// which closes the compiler's standard input.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_compiler_ends_with_us() {
    let Some(bench) = Bench::new("the_compiler_ends_with_us") else { return };
    bench.checker.check(&[], "").await.unwrap();
    let pid = bench.checker.server().await.unwrap().pid.unwrap();
    assert!(is_running(pid));
    drop(bench);
    let deadline = Instant::now() + Duration::from_secs(5);
    while is_running(pid) && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!is_running(pid));
    let tsc = super::equipment::tsc("the_compiler_ends_with_us").unwrap();
    let mut child = tokio::process::Command::new(tsc)
        .args(["--lsp", "--stdio"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    let ended = tokio::time::timeout(Duration::from_secs(5), child.wait()).await;
    assert!(ended.unwrap().unwrap().success());
}

/// Whether a process is running. A zombie is not.
#[cfg(target_os = "linux")]
fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// The limits apply to the real compiler too.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_compiler_runs_with_little() {
    let Some(bench) = Bench::new("the_compiler_runs_with_little") else { return };
    bench.checker.check(&[], "").await.unwrap();
    let pid = bench.checker.server().await.unwrap().pid.unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(limit("Max data size"), (768 * 1024 * 1024).to_string());
    assert_eq!(limit("Max core file size"), "0");
    let environment = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert_eq!(environment, "GOMAXPROCS=2\0GOMEMLIMIT=256MiB\0");
}
