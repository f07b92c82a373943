//! Writes records as rows.

use rusqlite::{Connection, params};

use super::{CallRecord, CommandRecord, RunRecord, SkillRecord};
use crate::StoreError;
use crate::store::{micros, unix_ms};

pub(crate) fn insert_call(connection: &Connection, call: &CallRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO calls (run_id, started_at_ms, server, tool, outcome, error_code,
                 duration_us, argument_bytes, answer_bytes, answer_tokens)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            call.run_id.0,
            unix_ms(call.started_at),
            call.tool.server,
            call.tool.tool,
            call.outcome.as_str(),
            call.outcome.error_code(),
            micros(call.duration),
            call.argument_bytes,
            call.answer_bytes,
            call.answer_tokens,
        ])?;
    Ok(())
}

pub(crate) fn insert_command(
    connection: &Connection,
    command: &CommandRecord,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO commands (run_id, started_at_ms, name, path, outcome, error_code,
                 exit_code, signal, duration_us, arguments, argument_bytes, input_bytes,
                 output_bytes)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            command.run_id.0,
            unix_ms(command.started_at),
            command.name,
            command.path,
            command.outcome.as_str(),
            command.outcome.error_code(),
            command.exit_code,
            command.signal,
            micros(command.duration),
            command.arguments,
            command.argument_bytes,
            command.input_bytes,
            command.output_bytes,
        ])?;
    Ok(())
}

pub(crate) fn insert_skill(connection: &Connection, skill: &SkillRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO saved_skills (run_id, saved_at_ms, name, outcome, error_code, replaced,
                 language, code_bytes, code_sha256)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            skill.run_id.0,
            unix_ms(skill.saved_at),
            skill.name,
            skill.outcome.as_str(),
            skill.outcome.error_code(),
            skill.replaced,
            skill.language,
            skill.code_bytes,
            skill.code_sha256,
        ])?;
    Ok(())
}

pub(crate) fn insert_run(connection: &Connection, run: &RunRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            // A run that waited for a person and went on is recorded again.
            "INSERT OR REPLACE INTO runs (id, started_at_ms, kind, language, source_sha256, outcome,
                 error_code, duration_us, tool_calls, result_bytes, answer_tokens, handle)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            run.id.0,
            unix_ms(run.started_at),
            run.kind,
            run.language,
            run.source_sha256,
            run.outcome.as_str(),
            run.outcome.error_code(),
            micros(run.duration),
            run.tool_calls,
            run.result_bytes,
            run.answer_tokens as u64,
            run.handle,
        ])?;
    Ok(())
}
