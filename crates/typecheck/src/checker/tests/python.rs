//! Programs in Python with the real checkers.

use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{equipment, file};
use crate::launch::Launch;
use crate::{Code, Complaint, Confinement, PythonChecker, SourceFile, TypeCheckError, TypeChecker};

struct Bench {
    _folder: TempDir,
    checker: TypeChecker,
}

impl Bench {
    /// With more time than a busy machine needs.
    fn new(checker: &PythonChecker) -> Self {
        Self::of(Launch {
            deadline: Duration::from_secs(60),
            ..checker.launch(Confinement::Required)
        })
    }

    fn of(launch: Launch) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let checker = TypeChecker::with(launch, folder.path().join("scratch"));
        Self { _folder: folder, checker }
    }

    /// `line:column-column complaint` of each error.
    async fn errors(&self, program: &str) -> Vec<String> {
        let found = self.checker.check(&crm(), program).await.unwrap();
        let shown = |error: &crate::Diagnostic| {
            let Code::Python(complaint) = &error.code else { panic!("{error:?}") };
            let what = match complaint {
                Complaint::UnknownArgument(name) => format!("no argument {name}"),
                Complaint::Arguments => "arguments".to_owned(),
                Complaint::Mismatch { found } => format!("mismatch {}", found.replace('\'', "\"")),
                Complaint::UnknownKey(name) => format!("no key {name}"),
                Complaint::Other(rule) => rule.clone(),
            };
            format!("{}:{}-{} {what}", error.line, error.column, error.end_column)
        };
        found.iter().map(shown).collect()
    }
}

/// As the gateway writes them.
fn crm() -> Vec<SourceFile> {
    vec![
        file("servers/crm.pyi", include_str!("python/crm.pyi")),
        file(
            "servers/__init__.pyi",
            "from typing import Any\nfrom tidegate_answers import ToolError as ToolError\n\
             def __getattr__(name: str) -> Any: ...\nfrom . import crm as crm\n",
        ),
        file(
            "tidegate_servers.pyi",
            "from tidegate_answers import AnyServers\nclass Servers(AnyServers):\n from servers import crm as crm\n",
        ),
    ]
}

const WRONG: &str = "from servers import crm
crm.get_lead(ID='x')
crm.get_lead(5)
crm.list_leads(stage='wonn')
crm.update_lead({'idd': 'x'})
crm.update_lead({'id': 5})
lead = crm.get_lead('x')
print(lead.nam, lead['nam'])
awaited = await crm.get_lead('x')
return servers.crm.get_lead(id='x').nam, awaited['nam'].x
";

#[tokio::test]
async fn ty_finds_mistakes_at_their_places() {
    let Some(ty) = equipment::ty("ty_finds_mistakes_at_their_places") else { return };
    assert_eq!(
        Bench::new(&ty).errors(WRONG).await,
        [
            "2:1-21 arguments",
            "2:14-20 no argument ID",
            "3:14-15 mismatch Literal[5]",
            "4:16-28 mismatch Literal[\"wonn\"]",
            "5:17-29 arguments",
            "5:18-23 no argument idd",
            "6:24-25 mismatch Literal[5]",
            "8:7-15 no key nam",
            "8:17-21 no key nam",
            "10:8-40 no key nam",
        ]
    );
}

#[tokio::test]
async fn pyright_finds_mistakes_at_their_places() {
    let Some(pyright) = equipment::pyright("pyright_finds_mistakes_at_their_places") else {
        return;
    };
    assert_eq!(
        Bench::new(&pyright).errors(WRONG).await,
        [
            "2:1-21 arguments",
            "2:14-16 no argument ID",
            "3:14-15 mismatch Literal[5]",
            "4:22-28 mismatch Literal[\"wonn\"]",
            "5:18-23 no argument idd",
            "6:24-25 mismatch Literal[5]",
            "8:12-15 no key nam",
            "8:17-28 no key nam",
            "10:37-40 no key nam",
            "10:42-56 no key nam",
        ]
    );
}

const RIGHT: &str = include_str!("python/right.py");

#[tokio::test]
async fn what_works_at_run_time_passes_both() {
    let test = "what_works_at_run_time_passes_both";
    for checker in [equipment::ty(test), equipment::pyright(test)].into_iter().flatten() {
        assert_eq!(Bench::new(&checker).errors(RIGHT).await, Vec::<String>::new(), "{checker:?}");
    }
}

/// Each of these checks ends in time, and the next check works.
#[tokio::test]
async fn programs_made_to_be_slow_end_in_time_and_leave_a_working_ty() {
    let test = "programs_made_to_be_slow_end_in_time_and_leave_a_working_ty";
    let programs = [
        ("brackets", "(".repeat(500_000)),
        ("lists", format!("a = {}{}", "[".repeat(200_000), "]".repeat(200_000))),
        ("a long sum", format!("a = {}1", "1 + ".repeat(200_000))),
        ("a long chain", format!("a = 1\na{}", ".b()".repeat(200_000))),
        ("a megabyte of code", "a: str = 1\n".repeat(90_000)),
        ("flow", format!("a = None\n{}", "if a:\n a = 1\nelse:\n a = ''\n".repeat(25_000))),
        ("deep functions", (0..90).map(|n| format!("{}def f():\n", " ".repeat(n))).collect()),
    ];
    for (what, program) in programs {
        let Some(ty) = equipment::ty(test) else { return };
        let bench = Bench::of(ty.launch(Confinement::Required));
        let started = Instant::now();
        let outcome = bench.checker.check(&crm(), &program).await;
        let took = started.elapsed();
        assert!(took < crate::CHECK_DEADLINE + Duration::from_secs(1), "{what}: {took:?}");
        if let Err(error) = outcome {
            let expected =
                matches!(error, TypeCheckError::Timeout { .. } | TypeCheckError::Broken { .. });
            assert!(expected, "{what}: {error}");
        }
        assert_eq!(bench.errors("nope\n").await, ["1:1-5 unresolved-reference"], "{what}");
    }
}

/// More folders than can be registered with the server at a time, each checked twice.
#[tokio::test]
async fn programs_with_other_declarations_do_not_see_each_other() {
    let test = "programs_with_other_declarations_do_not_see_each_other";
    let Some(ty) = equipment::ty(test) else { return };
    let bench = Bench::new(&ty);
    for number in (0..12).chain(0..12) {
        let files = [file("servers/__init__.pyi", &format!("def only_{number}() -> int: ...\n"))];
        let program =
            format!("import servers\nservers.only_{number}(), servers.only_{}()\n", number + 1);
        let found = bench.checker.check(&files, &program).await.unwrap();
        let messages: Vec<&str> = found.iter().map(|error| error.message.as_str()).collect();
        let expected = format!("Module `servers` has no member `only_{}`", number + 1);
        assert_eq!(messages, [expected]);
    }
}

#[tokio::test]
async fn a_relative_import_is_refused() {
    let test = "a_relative_import_is_refused";
    let Some(ty) = equipment::ty(test) else { return };
    let bench = Bench::new(&ty);
    for program in [
        "from .. import x",
        "from .x import y",
        "from\\\n  ...x import y",
        "if 1:\n\tfrom . import x",
    ] {
        let refused = bench.checker.check(&[], program).await;
        assert!(matches!(refused, Err(TypeCheckError::Refused { .. })), "{program}: {refused:?}");
    }
    assert_eq!(
        bench.errors("'from here on'; x = 1\nfrom json import loads\n").await,
        Vec::<String>::new()
    );
}

/// The kernel separates the checkers from the rest of the machine.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn checkers_of_python_run_with_little() {
    let test = "checkers_of_python_run_with_little";
    for (checker, environment) in [
        (equipment::ty(test), "TY_MAX_PARALLELISM=2\0"),
        (
            equipment::pyright(test),
            "NODE_OPTIONS=--max-old-space-size=512\0OPENSSL_CONF=/dev/null\0",
        ),
    ] {
        let Some(checker) = checker else { continue };
        let bench = Bench::new(&checker);
        assert_eq!(bench.errors("x = 1\n").await, Vec::<String>::new());
        let pid = bench.checker.server().await.unwrap().pid.unwrap();
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
        let limits = read("limits");
        let limit = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().to_owned()
        };
        assert_eq!(limit("Max data size"), (768 * 1024 * 1024).to_string());
        assert_eq!(limit("Max file size"), "0");
        assert_eq!(read("environ"), environment);
        // It has no children either: pyright asks a Python for its packages if it can.
        assert_eq!(read(&format!("task/{pid}/children")), "");
    }
}
