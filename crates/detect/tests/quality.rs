//! Checks that the detector keeps the quality it has reached on labelled data.
//!
//! The rules of the scorer: a value is covered if every byte of it is in some span; a
//! span is right if it touches a labelled value of any type, and does not count if it
//! touches only text labelled `IGNORE`. The limits are a little below the figures in
//! `docs/privacy-detection.md`.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;
use tidegate_detect::{Detector, Options};
use tidegate_model::{Detect, TextKind};

/// The counts for one type.
#[derive(Default)]
struct Count {
    labelled: usize,
    covered: usize,
    right: usize,
    wrong: usize,
}

#[derive(Default)]
struct Score {
    types: BTreeMap<String, Count>,
    documents: usize,
    clean: usize,
    negatives: usize,
    alarms: usize,
}

fn score(file: &str) -> Score {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/pii").join(file);
    let detector = Detector::new(Options::default()).unwrap();
    let mut score = Score::default();
    for line in BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines() {
        let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
        add(&mut score, &detector, &record);
    }
    score
}

fn add(score: &mut Score, detector: &Detector, record: &Value) {
    let kind = if record["kind"] == "json" { TextKind::Json } else { TextKind::Auto };
    let found = detector.scan(record["text"].as_str().unwrap(), kind);
    let (ignored, labelled): (Vec<_>, Vec<_>) = record["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| {
            let place = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
            (span["type"].as_str().unwrap(), place("start")..place("end"))
        })
        .partition(|(name, _)| *name == "IGNORE");
    let mut leak = false;
    for (name, range) in &labelled {
        let covered =
            range.clone().all(|byte| found.iter().any(|span| span.range().contains(&byte)));
        let count = score.types.entry((*name).to_owned()).or_default();
        count.labelled += 1;
        count.covered += usize::from(covered);
        leak |= !covered;
    }
    if !labelled.is_empty() {
        score.documents += 1;
        score.clean += usize::from(!leak);
    }
    let negative = record["group"] == "negative";
    score.negatives += usize::from(negative);
    let touches = |spans: &[(&str, Range<usize>)], range: &Range<usize>| {
        spans.iter().any(|(_, other)| other.start < range.end && range.start < other.end)
    };
    for span in &found {
        let count = score.types.entry(span.data_type.as_str().to_owned()).or_default();
        if touches(&labelled, &span.range()) {
            count.right += 1;
        } else if !touches(&ignored, &span.range()) {
            count.wrong += 1;
            score.alarms += usize::from(negative);
        }
    }
}

/// Each line: the type, the minimum share covered, and the minimum share of spans that are right.
fn check(score: &Score, limits: &[(&str, f64, f64)]) {
    for (name, covered, right) in limits {
        let count = &score.types[*name];
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let reached = share(count.covered, count.labelled);
        assert!(reached >= *covered, "{name}: {reached:.4} covered");
        let reached = share(count.right, count.right + count.wrong);
        assert!(reached >= *right, "{name}: {reached:.4} right");
    }
}

#[test]
fn the_detector_keeps_its_quality_on_our_own_samples() {
    let score = score("dev.jsonl.gz");
    check(
        &score,
        &[
            ("EMAIL", 0.999, 0.99),
            ("CREDIT_CARD", 0.999, 0.99),
            ("SSN", 0.999, 0.99),
            ("IBAN", 0.999, 0.99),
            ("IP_ADDRESS", 0.999, 0.99),
            ("SECRET", 0.99, 0.98),
            ("PHONE", 0.99, 0.99),
            ("PERSON", 0.98, 0.99),
            ("ORG", 0.95, 0.99),
            ("ADDRESS", 0.96, 0.99),
        ],
    );
    let clean = score.clean as f64 / score.documents as f64;
    assert!(clean >= 0.96, "{clean:.4} of the documents without a leak");
    assert!(score.alarms <= 4, "{} alarms in {} hard negatives", score.alarms, score.negatives);
}

#[test]
fn the_detector_keeps_its_quality_on_independent_sentences() {
    check(
        &score("presidio.jsonl.gz"),
        &[
            ("EMAIL", 0.999, 0.99),
            ("CREDIT_CARD", 0.999, 0.99),
            ("SSN", 0.999, 0.99),
            ("IBAN", 0.999, 0.99),
            ("IP_ADDRESS", 0.999, 0.99),
            ("PHONE", 0.90, 0.95),
            ("PERSON", 0.82, 0.97),
            ("ORG", 0.33, 0.95),
            ("ADDRESS", 0.48, 0.95),
        ],
    );
}
