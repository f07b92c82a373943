//! Misbehaving programs in place of the compiler.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

use crate::TypeCheckError;
use crate::checker::TypeChecker;
use crate::confine::{Confinement, Readable, spawn};
use crate::dialect::CHECK_DEADLINE;
use crate::launch::Launch;

/// A shell script as the compiler. It may read what a shell needs.
fn impostor(script: &str) -> (TempDir, TypeChecker) {
    let folder = tempfile::tempdir().unwrap();
    let tsc = folder.path().join("tsc");
    // A file that this process has open for writing may be open in the child of another
    // test for a moment, and cannot be started then.
    let written = std::process::Command::new("/bin/sh")
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""])
        .arg(&tsc)
        .arg(script)
        .status();
    assert!(written.unwrap().success());
    let scratch = folder.path().join("scratch");
    let launch = Launch { programs: shell(), ..Launch::typescript(tsc, Confinement::Required) };
    (folder, TypeChecker::with(launch, scratch))
}

/// The folders of a shell and its programs.
fn shell() -> Vec<PathBuf> {
    ["/bin", "/usr", "/lib", "/lib64", "/dev"].map(PathBuf::from).to_vec()
}

async fn outcome(checker: &TypeChecker) -> String {
    match checker.check(&[], "").await {
        Ok(errors) => format!("{} errors", errors.len()),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn one_that_never_answers_is_killed_at_the_deadline() {
    let (_folder, checker) = impostor("while read -r line; do :; done");
    let started = Instant::now();
    assert_eq!(outcome(&checker).await, "the type check did not finish within 2000 ms");
    assert!(started.elapsed() >= CHECK_DEADLINE);
}

#[tokio::test]
async fn one_that_ends_or_says_what_is_not_lsp_is_an_error_at_once() {
    let ok = r#"body='{"jsonrpc":"2.0","id":1,"result":{}}'; printf 'Content-Length: 36\r\n\r\n%s' "$body""#;
    for (script, reason) in [
        ("exit 3".to_owned(), "it ended"),
        ("echo hello".to_owned(), "a header line of a frame is invalid"),
        ("printf 'Content-Length: 99999999999\\r\\n\\r\\n'".to_owned(), "the length of a frame is invalid"),
        ("printf 'Content-Length: 5\\r\\n\\r\\nhello'".to_owned(), "it sent a message that is not JSON-RPC"),
        (format!("{ok}; sleep 0.1"), "it ended"),
        (
            "while printf 'Content-Length: 100000\\r\\n\\r\\n{\"a\":\"%099991d\"}\\n' 0; do :; done".to_owned(),
            "it sent too many unsolicited messages",
        ),
    ] {
        let (_folder, checker) = impostor(&script);
        let expected = format!("the type checker failed: {reason}");
        assert_eq!(outcome(&checker).await, expected, "{script}");
    }
}

#[tokio::test]
async fn after_three_failures_it_is_left_alone() {
    let (_folder, checker) = impostor("exit 3");
    for _ in 0..3 {
        assert_eq!(outcome(&checker).await, "the type checker failed: it ended");
    }
    let refused = checker.check(&[], "").await;
    assert!(matches!(refused, Err(TypeCheckError::Off { .. })), "{refused:?}");
}

#[tokio::test]
async fn one_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let checker =
        TypeChecker::new("/nowhere/tsc".into(), folder.path().to_owned(), Confinement::Required);
    assert_eq!(outcome(&checker).await, "the type checker `/nowhere/tsc` could not be started");
}

/// The child reports its own limits and what it can access.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_child_is_limited_and_can_neither_write_nor_read_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("inside"), "").unwrap();
    // The first line is sent after the limits have been set.
    let script = "read -r go; ulimit -c; ulimit -f; ulimit -d; \
                  (: > here) && echo wrote; \
                  (: < /etc/passwd) && echo read elsewhere; \
                  (: < inside) && echo read inside";
    let mut command = tokio::process::Command::new("/bin/sh");
    command.args(["-c", script]).env_clear().current_dir(folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let readable = Readable { programs: shell(), data: vec![folder.path().to_owned()] };
    let mut child = spawn(command, readable, Confinement::Required).await.unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "0\n0\n786432\nread inside\n");
}
