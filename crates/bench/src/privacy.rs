//! Finding and replacing personal data, compared with time limits.
//!
//! Every answer of a tool pays for it. Dense text is the demo's leads, in which every
//! record is a person; sparse text is a log without any. The findings are asserted, so
//! that a search that looks at less does not count as fast.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use anyhow::ensure;
use serde_json::Value;
use tidegate_demo::leads_json;
use tidegate_detect::{Detector, Options};
use tidegate_model::{Detect, TextKind};
use tidegate_privacy::SessionValues;

use crate::report::Figure;
use crate::samples::Samples;

const MEGABYTE: usize = 1_000_000;
const ROUNDS: usize = 9;

/// The time limits for a megabyte of text, in milliseconds.
const DENSE_MS: f64 = 1000.0 / 150.0;
const SPARSE_MS: f64 = 1000.0 / 300.0;
/// The time limit for an answer of ten megabytes, without the call itself.
const ANSWER_MS: f64 = 100.0;

pub(crate) fn measure() -> anyhow::Result<Vec<Figure>> {
    let detector = Detector::new(Options::default())?;
    let dense = dense(4 * MEGABYTE);
    let sparse = sparse(4 * MEGABYTE);
    let found = detector.scan(&dense, TextKind::Json).len();
    ensure!(found * 150 > dense.len(), "only {found} values in {} bytes", dense.len());
    ensure!(detector.scan(&sparse, TextKind::Text).len() < 10, "the log has no personal data");
    let scan = |text: &str, kind: TextKind| {
        median(|| {
            black_box(detector.scan(black_box(text), kind));
        })
    };
    let answer = self::dense(10 * MEGABYTE);
    let remembered = median(|| {
        let spans = detector.scan(&answer, TextKind::Json);
        let mut session = SessionValues::default();
        session.remember(&answer, &spans);
        black_box(session.len());
    });
    let tokenized = median(|| {
        let spans = detector.scan(&answer, TextKind::Json);
        let mut session = SessionValues::default();
        black_box(session.tokenize_json(&answer, &spans).text.len());
    });
    let figure = |name: &str, ms: f64, goal: &str, goal_ms: f64| Figure {
        name: name.to_owned(),
        ms,
        yardstick: goal.to_owned(),
        yardstick_ms: goal_ms,
    };
    Ok(vec![
        figure(
            "personal data, 4 MB of contacts",
            scan(&dense, TextKind::Json),
            "the goal of 150 MB/s",
            4.0 * DENSE_MS,
        ),
        figure(
            "personal data, 4 MB of a log",
            scan(&sparse, TextKind::Text),
            "the goal of 300 MB/s",
            4.0 * SPARSE_MS,
        ),
        figure(
            "answer of 10 MB of contacts, found and remembered",
            remembered,
            "the goal of 100 ms",
            ANSWER_MS,
        ),
        figure(
            "answer of 10 MB of contacts, tokenized (strict)",
            tokenized,
            "the goal of 100 ms",
            ANSWER_MS,
        ),
    ])
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut samples = Samples::default();
    // The first round does not count: caches warm up.
    for round in 0..=ROUNDS {
        let started = Instant::now();
        work();
        if round > 0 {
            samples.add(started.elapsed());
        }
    }
    samples.median()
}

/// Leads as JSON, each with an address of its own.
fn dense(bytes: usize) -> String {
    let leads = leads_json();
    let mut text = String::from("[");
    for (number, lead) in leads.iter().cycle().enumerate() {
        let mut lead = lead.clone();
        if let Some(email) = lead["email"].as_str() {
            lead["email"] = Value::String(format!("{number}.{email}"));
        }
        let _ = write!(text, "{}{lead}", if number == 0 { "" } else { "," });
        if text.len() > bytes {
            break;
        }
    }
    text.push(']');
    text
}

/// A log in which nobody is named.
fn sparse(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    let mut number: u32 = 1;
    while text.len() < bytes {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (job, took) = (number >> 12, number % 900);
        let _ = writeln!(
            text,
            "2026-11-18T04:10:{:02}.{took:03}Z info worker={} job={job:08x} state=done took={took}ms queue \
             length is {} and the next batch will be read from the second partition",
            number % 60,
            number % 16,
            number % 300
        );
    }
    text
}
