//! Tests the wording of every limit, for a program and for a command.

use std::time::Duration;

use tidegate_model::{LimitName, Limits};
use tidegate_sandbox::LimitHit;

use super::{Bound, Subject, hint, message};

fn limits() -> Limits {
    Limits {
        time: Duration::from_millis(500),
        cpu: Duration::from_secs(2),
        memory_bytes: 64 << 20,
        disk_bytes: 1 << 20,
        output_bytes: 8 << 20,
        tool_calls: 500,
        parallel_calls: 4,
        processes: 64,
    }
}

fn message_of(subject: Subject<'_>, limit: LimitName, used: Option<u64>) -> String {
    message(subject, LimitHit { limit, used }, &limits())
}

#[test]
fn a_program_is_told_the_limit_its_value_and_what_was_used() {
    use LimitName::{Cpu, Disk, Memory, Output, Processes, Time, ToolCalls};
    let mega = 1 << 20;
    for (limit, used, expected) in [
        (Time, Some(512), "`time` of 500 ms: it ran for 512 ms"),
        (Cpu, Some(2010), "`cpu` of 2 s: it used 2010 ms of CPU time"),
        (Cpu, None, "`cpu` of 2 s"),
        (Memory, Some(71 * mega + mega / 2), "`memory` of 64 MB: it used 71.5 MB"),
        (
            Memory,
            Some(9 * mega),
            "`memory` of 64 MB: it used 9 MB of physical memory and asked for more",
        ),
        (Disk, Some(mega), "`disk` of 1 MB: it had written 1 MB and wanted more"),
        (Output, Some(8 * mega + 1), "`output` of 8 MB: it wrote 8.0 MB"),
        (ToolCalls, Some(501), "`tool_calls` of 500 calls: it made 501 calls"),
        (
            Processes,
            Some(64),
            "`processes` of 64 processes and threads: it had 64 processes and threads and asked for more",
        ),
        (
            Processes,
            Some(70),
            "`processes` of 64 processes and threads: it had 70 processes and threads",
        ),
    ] {
        let expected = format!("the program hit its limit {expected}");
        assert_eq!(message_of(Subject::Program, limit, used), expected);
    }
    let command = message_of(Subject::Command("py"), Time, Some(501));
    assert_eq!(command, "`py` hit its limit `time` of 500 ms: it ran for 501 ms");
}

#[test]
fn the_hint_names_what_can_be_raised_and_by_whom() {
    let key = Bound::Key("limits.memory".into());
    assert_eq!(
        hint(Subject::Program, LimitName::Memory, &key),
        "work in smaller pieces, or let the user raise `limits.memory`"
    );
    let asked = Bound::Request(30_000);
    assert_eq!(
        hint(Subject::Program, LimitName::Time, &asked),
        "do less per run, or ask for a larger `timeout_ms`, up to 30000"
    );
}
