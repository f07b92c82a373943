//! Prints the CPU time to remember and to tokenize a large tool result, the best of a few
//! rounds. Two well-known operations are measured as well, since machines differ.
//!
//! `cargo run --release -p tidegate-privacy --example measure_session`

#![expect(clippy::print_stdout, reason = "a command that prints")]

use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

use tidegate_model::{DataType, Span};
use tidegate_privacy::{SessionValues, TokenAction};

const ROUNDS: usize = 5;

fn main() {
    let (text, spans) = customers(50_000, 10_000_000);
    println!("{} bytes of JSON, {} values detected", text.len(), spans.len());
    let answer = &text[..20_000];
    // Nested JSON: every quote has a backslash.
    let escaped = text.replace('"', "\\\"");

    best(
        "reference: count line ends, byte by byte",
        text.len(),
        || (),
        |()| {
            let lines = text.bytes().fold(0_usize, |lines, byte| {
                std::hint::black_box(lines) + usize::from(byte == b'\n')
            });
            assert!(lines > 0);
        },
    );
    best("reference: values into a standard map", text.len(), HashMap::new, |map| {
        for span in &spans {
            map.insert(text[span.range()].to_owned(), span.data_type);
        }
    });
    best("remember", text.len(), SessionValues::default, |session| session.remember(&text, &spans));
    best(
        "remember and tokenize, as strict mode does",
        text.len(),
        SessionValues::default,
        |session| {
            session.tokenize(&text, &spans);
        },
    );
    let (fewer, fewer_spans) = customers(5_000, 10_000_000);
    best("the same with a tenth of the values", fewer.len(), SessionValues::default, |session| {
        session.tokenize(&fewer, &fewer_spans);
    });
    let known = || {
        let mut session = SessionValues::default();
        session.remember(&text, &spans);
        session
    };
    best("tokenize, all known, nothing detected", text.len(), known, |session| {
        session.tokenize(&text, &[]);
    });
    best("tokenize it with escapes", escaped.len(), known, |session| {
        session.tokenize(&escaped, &[]);
    });
    best("tokenize an answer of 20 kB", answer.len(), known, |session| {
        session.tokenize(answer, &[]);
    });
    let mut session = known();
    let tokenized = session.tokenize(&text, &[]);
    best(
        "restore",
        tokenized.text.len(),
        || (),
        |()| {
            let restored = session.restore(&tokenized.text, &|_| TokenAction::Restore);
            assert!(restored.is_ok_and(|restored| restored.value == text));
        },
    );
    println!("{} tokens, {session:?}", tokenized.new.len());
}

fn best<T>(what: &str, bytes: usize, prepare: impl Fn() -> T, run: impl Fn(&mut T)) {
    // With an argument, only measurements with it in their name.
    if std::env::args().nth(1).is_some_and(|part| !what.contains(&part)) {
        return;
    }
    let mut least = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut prepared = prepare();
        let start = cpu_time();
        run(&mut prepared);
        least = least.min(cpu_time().saturating_sub(start));
    }
    let speed = bytes as f64 / 1e6 / least.as_secs_f64();
    println!("{what:45} {:8.2} ms {speed:7.0} MB/s", least.as_secs_f64() * 1e3);
}

/// The CPU time that this thread has used so far.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// A list of customers, each with an email and a name.
fn customers(count: usize, bytes: usize) -> (String, Vec<Span>) {
    const FIRST: [&str; 12] = [
        "Jane", "Otto", "Maria", "Jörg", "Aisha", "Bogdan", "Chloe", "Dmitri", "Elena", "Farid",
        "Greta", "Hiro",
    ];
    const SYLLABLES: [&str; 16] = [
        "ber", "man", "sch", "tor", "lin", "gar", "nov", "kow", "ski", "dan", "mar", "vel", "ros",
        "hol", "fen", "wick",
    ];
    let filler = bytes / count;
    let mut text = String::from("[");
    let mut spans = Vec::new();
    for number in 0..count {
        let mut last = String::new();
        let mut rest = number;
        for _ in 0..4 {
            last.push_str(SYLLABLES[rest % SYLLABLES.len()]);
            rest /= SYLLABLES.len();
        }
        let email = format!("{}{}@{last}.example.com", &last[..3], number * 7919 % 100_003);
        last[..1].make_ascii_uppercase();
        let first = FIRST[number % FIRST.len()];
        let from = text.len();
        let mut value = |text: &mut String, key: &str, value: &str, data_type| {
            let _ = write!(text, "\"{key}\":\"");
            spans.push(Span::certain(text.len()..text.len() + value.len(), data_type));
            let _ = write!(text, "{value}\",");
        };
        let _ = write!(text, "{{\"id\":{number},");
        value(&mut text, "name", &format!("{first} {last}"), DataType::Person);
        value(&mut text, "email", &email, DataType::Email);
        text.push_str("\"active\":true,\"note\":\"");
        while text.len() - from + 4 < filler {
            let _ = write!(text, "ordered {} items on 2026-03-0{}, ", number % 97, number % 9 + 1);
        }
        text.push_str("\"},\n");
    }
    text.push_str("{}]");
    (text, spans)
}
