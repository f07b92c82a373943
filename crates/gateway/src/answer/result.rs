//! Turns the end of a run into the client's answer.
//!
//! Small outputs are sent whole, and the summary only says what they are, so that no token
//! is paid twice. Large ones stay in a file that the handle names, and the client gets their
//! structure. If a program returned nothing, what it printed is its output.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tidegate_model::{ErrorCode, Metrics, Response, RunError, RunId, values_in};
use tidegate_store::Outputs;

use crate::answer::ended::Ended;
use crate::answer::summary;
use crate::privacy::{Counts, Withheld};
use crate::tokens;

/// An output up to this many tokens is sent whole.
const WHOLE_OUTPUT_TOKENS: usize = 400;
/// Tokens for what a program printed in addition to its output.
const LOG_TOKENS: usize = 200;

/// Tokens for the note that a part of a text was not searched for personal data.
const NOTE_TOKENS: usize = 60;

/// An output with more values is stored without being parsed: it would take more than 72 MB
/// of the gateway's memory, and no summary can show it. Chosen.
const MOST_VALUES: u64 = 1_000_000;

/// What may be shown of a run.
pub(crate) struct ShownParts<'a> {
    /// With tokens.
    pub(crate) ended: &'a Ended,
    pub(crate) withheld: WithheldParts,
    /// How many values were replaced.
    pub(crate) counts: Counts,
}

/// Texts of which only the start was searched for personal data.
#[derive(Default)]
pub(crate) struct WithheldParts {
    pub(crate) output: Option<Withheld>,
    pub(crate) logs: Option<Withheld>,
}

/// Builds the answer to a run from what may be shown of it, and returns the bytes of the
/// whole output. Output that is too large to be
/// sent is stored unredacted: no model sees it.
pub(crate) fn respond(
    ShownParts { ended, withheld, counts: pii_counts }: ShownParts<'_>,
    real: &Ended,
    id: &RunId,
    execution_ms: f64,
    outputs: &Outputs,
) -> (Response, u64) {
    let mut response = Response {
        success: ended.outcome.is_ok(),
        output: None,
        summary: String::new(),
        error: None,
        warnings: ended.warnings.clone(),
        logs: None,
        run_id: id.clone(),
        handle: None,
        metrics: Metrics {
            execution_ms,
            memory_bytes: ended.memory_bytes,
            tokens_in_summary: 0,
            tool_calls: ended.tool_calls,
        },
        pii_tokenized: !pii_counts.is_empty(),
        pii_counts,
    };
    let whole = WholeOutput {
        outputs,
        outcome: real.outcome.as_ref().ok().and_then(Option::as_deref),
        logs: real.logs.trim_end(),
    };
    let logs = ended.logs.trim_end();
    let result_bytes = match &ended.outcome {
        Ok(Some(text)) => match withheld.output {
            Some(withheld) => answer_with_start(&mut response, text, &whole, withheld),
            None => answer_with_output(&mut response, text, &whole),
        },
        Ok(None) if !logs.is_empty() || withheld.logs.is_some() => match withheld.logs {
            Some(withheld) => start_of_text(&mut response, logs, whole.logs, &whole, withheld),
            None => answer_with_text(&mut response, logs, whole.logs, &whole),
        },
        Ok(None) => {
            "the program returned nothing".clone_into(&mut response.summary);
            0
        }
        Err(error) => {
            fail(&mut response, error.clone());
            0
        }
    };
    let returned_something = !matches!(ended.outcome, Ok(None));
    if returned_something && !ended.logs.is_empty() {
        let note = withheld.logs.map(|withheld| format!("\n[{withheld}]")).unwrap_or_default();
        response.logs = Some(summary::of_text(logs, LOG_TOKENS) + &note);
    }
    response.metrics.tokens_in_summary = tokens::count(&response.summary);
    (response, result_bytes)
}

/// The whole output with real values, and where it is written if it is too large to be sent.
struct WholeOutput<'a> {
    outputs: &'a Outputs,
    outcome: Option<&'a str>,
    logs: &'a str,
}

fn answer_with_output(response: &mut Response, text: &str, whole: &WholeOutput<'_>) -> u64 {
    let real = whole.outcome.unwrap_or_default();
    if values_in(text, MOST_VALUES) > MOST_VALUES
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
    {
        response.summary = format!(
            "JSON of {} bytes with more than {MOST_VALUES} values, too many to describe",
            text.len()
        );
        keep(response, "json", real.as_bytes(), whole.outputs);
        return real.len() as u64;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(text)) => {
            let real: String = serde_json::from_str(real).unwrap_or_default();
            answer_with_text(response, &text, &real, whole)
        }
        Ok(value) => {
            if fits(text) {
                response.summary = summary::size(&value);
                response.output = Some(value);
            } else {
                response.summary = summary::of_json(&value);
                keep(response, "json", real.as_bytes(), whole.outputs);
            }
            real.len() as u64
        }
        Err(_) => {
            // The worker's encoder writes JSON, so only its depth can be wrong, unless the
            // worker was compromised.
            let message = "the output is not JSON, or nested more than 128 levels deep";
            let error = RunError::new(ErrorCode::BadOutput, message);
            fail(response, error.with_hint("return a flatter structure"));
            0
        }
    }
}

/// For an output of which only the start was searched for personal data: `start` is that, as
/// a string in JSON.
fn answer_with_start(
    response: &mut Response,
    start: &str,
    whole: &WholeOutput<'_>,
    withheld: Withheld,
) -> u64 {
    let start: String = serde_json::from_str(start).unwrap_or_default();
    let real = whole.outcome.unwrap_or_default();
    match serde_json::from_str::<PlainText<'_>>(real) {
        Ok(PlainText(text)) => start_of_text(response, &start, &text, whole, withheld),
        Err(_) => {
            let start = summary::of_text(&start, summary::TOKENS - NOTE_TOKENS);
            response.summary = format!("JSON: {withheld}\n{start}");
            keep(response, "json", real.as_bytes(), whole.outputs);
            real.len() as u64
        }
    }
}

/// A string of JSON, without a copy if it has no escapes.
#[derive(Deserialize)]
struct PlainText<'a>(#[serde(borrow)] Cow<'a, str>);

fn start_of_text(
    response: &mut Response,
    start: &str,
    real: &str,
    whole: &WholeOutput<'_>,
    withheld: Withheld,
) -> u64 {
    let start = summary::of_text(start, summary::TOKENS - NOTE_TOKENS);
    response.summary = format!("text: {withheld}\n{start}");
    keep(response, "txt", real.as_bytes(), whole.outputs);
    real.len() as u64
}

fn answer_with_text(
    response: &mut Response,
    text: &str,
    real: &str,
    whole: &WholeOutput<'_>,
) -> u64 {
    if fits(text) {
        response.summary = summary::text_size(text);
        response.output = Some(Value::String(text.to_owned()));
    } else {
        response.summary = summary::of_text(text, summary::TOKENS);
        keep(response, "txt", real.as_bytes(), whole.outputs);
    }
    real.len() as u64
}

/// Whether an output may be sent whole.
fn fits(text: &str) -> bool {
    // A token has at most a few dozen bytes: no need to count a megabyte.
    text.len() <= WHOLE_OUTPUT_TOKENS * 16 && tokens::count(text) <= WHOLE_OUTPUT_TOKENS
}

fn keep(response: &mut Response, extension: &str, content: &[u8], outputs: &Outputs) {
    match outputs.store(&response.run_id, extension, content) {
        Ok(handle) => response.handle = Some(handle),
        Err(error) => {
            tracing::error!(%error, run = %response.run_id, "output not kept");
            let error = RunError::new(ErrorCode::Internal, "the output could not be stored")
                .with_hint(
                    "the user can find the reason in the log; return less to get it at once",
                );
            fail(response, error);
        }
    }
}

fn fail(response: &mut Response, error: RunError) {
    // The worker truncates its messages; a compromised one may not.
    let error = error.clipped();
    response.success = false;
    // The error itself says it all; a summary of it would cost its tokens twice.
    response.summary = format!("failed: {}", error.code.as_str());
    response.error = Some(error);
}
