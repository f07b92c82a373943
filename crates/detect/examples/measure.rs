//! Measures the detector.
//!
//! `measure predict GOLD.jsonl` prints predictions for a scorer, one JSON line each;
//! `measure speed FILE [text|json|auto]` prints the throughput on one core.
#![expect(clippy::print_stdout, reason = "a program that prints its result")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};
use tidegate_detect::{Detector, Options};
use tidegate_model::{Detect, TextKind};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let detector = Detector::new(Options::default())?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["predict", file] => predict(&detector, file),
        ["speed", file] => speed(&detector, file, TextKind::Text),
        ["speed", file, kind] => {
            speed(&detector, file, if kind == "json" { TextKind::Json } else { TextKind::Auto })
        }
        _ => Err("usage: measure predict GOLD.jsonl | measure speed FILE [json|auto]".into()),
    }
}

fn predict(detector: &Detector, file: &str) -> Result<(), Box<dyn Error>> {
    for line in std::fs::read_to_string(file)?.lines() {
        let record: Value = serde_json::from_str(line)?;
        let text = record["text"].as_str().ok_or("no text")?;
        let kind = if record["kind"] == "json" { TextKind::Json } else { TextKind::Auto };
        let spans: Vec<Value> = detector
            .scan(text, kind)
            .iter()
            .map(|span| json!({"start": span.start, "end": span.end, "type": span.data_type.as_str()}))
            .collect();
        println!("{}", json!({"id": record["id"], "spans": spans}));
    }
    Ok(())
}

fn speed(detector: &Detector, file: &str, kind: TextKind) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let mut best = f64::MAX;
    let mut count = 0;
    for _ in 0..7 {
        let start = Instant::now();
        count = black_box(detector.scan(black_box(&text), kind)).len();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{:8.1} MB/s  {:8.2} ms  {count} spans  {file}",
        text.len() as f64 / 1e6 / best,
        best * 1e3
    );
    Ok(())
}
