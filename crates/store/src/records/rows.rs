//! Events as rows.

use rusqlite::{Connection, params};
use tidegate_model::{
    Alert, AlertRecord, ApprovalRecord, CallRecord, CommandRecord, EffectRecord, ErrorCode, Event,
    Outcome, RunRecord, SkillRecord, StageRecord,
};

use super::personal;
use crate::StoreError;
use crate::units::{micros, unix_ms};

/// Whether there is nothing to record.
pub(super) fn is_empty(event: &Event) -> bool {
    let counts = match event {
        Event::Seen(seen) => &seen.counts,
        Event::Restores(restores) => &restores.counts,
        _ => return false,
    };
    counts.iter().all(|(_, count)| *count == 0)
}

pub(super) fn insert(connection: &Connection, event: &Event) -> Result<(), StoreError> {
    match event {
        Event::Run(run) => insert_run(connection, run),
        Event::Stage(stage) => insert_stage(connection, stage),
        Event::Effect(effect) => insert_effect(connection, effect),
        Event::Call(call) => insert_call(connection, call),
        Event::Connection(of_program) => insert_connection(connection, of_program),
        Event::Command(command) => insert_command(connection, command),
        Event::Skill(skill) => insert_skill(connection, skill),
        Event::Seen(seen) => personal::insert_seen(connection, seen),
        Event::Restores(restores) => personal::insert_restores(connection, restores),
        Event::Alert(alert) => insert_alert(connection, alert),
        Event::Approval(approval) => insert_approval(connection, approval),
    }
}

/// A run that waited for a person and was resumed has a row for each part; the view
/// `runs` has the last one.
pub(super) fn insert_run(connection: &Connection, run: &RunRecord) -> Result<(), StoreError> {
    let program = run.program.as_ref();
    connection
        .prepare_cached(
            "INSERT INTO run_ends (id, started_at_ms, kind, language, source_sha256, outcome,
                 error_code, duration_us, tool_calls, result_bytes, answer_tokens, handle, action)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            run.id.0,
            unix_ms(run.started_at),
            run.kind,
            program.map(|program| program.language),
            program.map(|program| &program.source_sha256),
            run.outcome.as_str(),
            error_code(run.outcome),
            micros(run.duration),
            run.tool_calls,
            run.result_bytes,
            run.answer_tokens as u64,
            run.handle,
            program.and_then(|program| program.action.as_deref()),
        ])?;
    Ok(())
}

/// The result is JSON text.
fn insert_stage(connection: &Connection, record: &StageRecord) -> Result<(), StoreError> {
    // Serialising plain data cannot fail.
    let result = serde_json::to_string(&record.stage).unwrap_or_default();
    connection
        .prepare_cached("INSERT INTO stages (run_id, at_ms, stage, result) VALUES (?, ?, ?, ?)")?
        .execute(params![record.run_id.0, unix_ms(record.at), record.stage.as_str(), result])?;
    Ok(())
}

fn insert_effect(connection: &Connection, effect: &EffectRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO effects (run_id, at_ms, server, tool) VALUES (?, ?, ?, ?)")?
        .execute(params![
            effect.run_id.0,
            unix_ms(effect.at),
            effect.tool.server,
            effect.tool.tool,
        ])?;
    Ok(())
}

fn insert_call(connection: &Connection, call: &CallRecord) -> Result<(), StoreError> {
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
            error_code(call.outcome),
            micros(call.duration),
            call.argument_bytes,
            call.answer_bytes,
            call.answer_tokens,
        ])?;
    Ok(())
}

/// One hop of one `fetch`.
fn insert_connection(
    database: &Connection,
    connection: &tidegate_model::Connection,
) -> Result<(), StoreError> {
    database
        .prepare_cached(
            "INSERT INTO connections (run_id, started_at_ms, duration_us, method, host, port,
                 address, verdict, rule, bytes_sent, bytes_received, status, alert)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            connection.run.0,
            unix_ms(connection.started_at),
            micros(connection.duration),
            connection.method,
            connection.host,
            connection.port,
            connection.address.map(|address| address.to_string()),
            connection.verdict.as_str(),
            connection.rule,
            connection.bytes_sent,
            connection.bytes_received,
            connection.status,
            connection.alert.map(Alert::as_str),
        ])?;
    Ok(())
}

fn insert_command(connection: &Connection, command: &CommandRecord) -> Result<(), StoreError> {
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
            error_code(command.outcome),
            command.exit.code,
            command.exit.signal,
            micros(command.duration),
            command.sizes.arguments,
            command.sizes.argument_bytes,
            command.sizes.input_bytes,
            command.sizes.output_bytes,
        ])?;
    Ok(())
}

fn insert_skill(connection: &Connection, skill: &SkillRecord) -> Result<(), StoreError> {
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
            error_code(skill.outcome),
            skill.replaced,
            skill.language,
            skill.code_bytes,
            skill.code_sha256,
        ])?;
    Ok(())
}

fn insert_alert(connection: &Connection, alert: &AlertRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO alerts (at_ms, run_id, kind, detail) VALUES (?, ?, ?, ?)")?
        .execute(params![unix_ms(alert.at), alert.run_id.0, alert.kind, alert.detail])?;
    Ok(())
}

fn insert_approval(connection: &Connection, approval: &ApprovalRecord) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO approval_steps (at_ms, approval_id, run_id, kind, subject_sha256,
                 form_sha256, step, decided_by)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            unix_ms(approval.at),
            approval.approval_id,
            approval.run_id.0,
            approval.kind,
            approval.subject_sha256,
            approval.form_sha256,
            approval.step.as_str(),
            approval.step.by(),
        ])?;
    Ok(())
}

fn error_code(outcome: Outcome) -> Option<&'static str> {
    outcome.error_code().map(ErrorCode::as_str)
}
