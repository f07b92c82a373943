//! Fields that occur in several messages: an error, an isolation report, an executable.
//!
//! In: a value, or the reader of a frame body. Out: the same, one field further.
//! Invariant: the `write_` and `read_` functions of a type agree on its layout.

use tidegate_model::{
    ErrorCode, Executable, IsolationReport, Layer, LayerReport, LayerState, NAME_LIMIT, RunError,
};

use crate::codec::{FieldReader, FrameBuilder, MAX_FRAME_BYTES, WireError};

/// Longest error text, hint or file path that a guest may send.
pub const TEXT_LIMIT: usize = 64 * 1024;

pub(crate) fn write_executable(
    writer: FrameBuilder,
    executable: Option<&Executable>,
) -> FrameBuilder {
    let writer = writer.optional(executable.map(|executable| executable.code.as_str()));
    match executable {
        Some(executable) => writer.bytes(&executable.line_map),
        None => writer,
    }
}

pub(crate) fn read_executable(
    reader: &mut FieldReader<'_>,
) -> Result<Option<Executable>, WireError> {
    let Some(code) = reader.optional("code", MAX_FRAME_BYTES)? else { return Ok(None) };
    let line_map = reader.bytes("line map", MAX_FRAME_BYTES)?.to_vec();
    Ok(Some(Executable { code, line_map }))
}

pub(crate) fn write_error(writer: FrameBuilder, error: &RunError) -> FrameBuilder {
    writer
        .text(error.code.as_str())
        .text(clip(&error.message))
        .u32(error.line.unwrap_or(0))
        .u32(error.column.unwrap_or(0))
        .optional(error.hint.as_deref().map(clip))
}

pub(crate) fn read_error(reader: &mut FieldReader<'_>) -> Result<RunError, WireError> {
    let code = reader.text("code", NAME_LIMIT)?;
    let code = ErrorCode::parse(&code).ok_or(WireError::BadValue { field: "code", value: 0 })?;
    // Lines and columns start at 1, so 0 is free to mean "unknown".
    let position = |number: u32| (number != 0).then_some(number);
    Ok(RunError {
        code,
        message: reader.text("message", TEXT_LIMIT)?,
        line: position(reader.u32("line")?),
        column: position(reader.u32("column")?),
        hint: reader.optional("hint", TEXT_LIMIT)?,
    })
}

pub(crate) fn write_report(writer: FrameBuilder, report: &IsolationReport) -> FrameBuilder {
    let count = u32::try_from(report.0.len()).unwrap_or(u32::MAX);
    report.0.iter().fold(writer.u32(count), |writer, line| {
        let state = LayerState::ALL.iter().position(|&state| state == line.state);
        writer
            .text(line.layer.as_str())
            .u8(state.and_then(|state| u8::try_from(state).ok()).unwrap_or(u8::MAX))
            .text(clip(&line.reason))
            .text(clip(&line.remedy))
    })
}

pub(crate) fn read_report(reader: &mut FieldReader<'_>) -> Result<IsolationReport, WireError> {
    let count = reader.u32("layers")?;
    if count as usize > Layer::ALL.len() {
        return Err(WireError::BadValue { field: "layers", value: count });
    }
    let mut lines = Vec::new();
    for _ in 0..count {
        let layer = reader.text("layer", NAME_LIMIT)?;
        let layer = Layer::parse(&layer).ok_or(WireError::BadValue { field: "layer", value: 0 })?;
        let state = reader.u8("state")?;
        let found = LayerState::ALL.get(usize::from(state)).copied();
        let state = found.ok_or(WireError::BadValue { field: "state", value: u32::from(state) })?;
        let reason = reader.text("reason", TEXT_LIMIT)?;
        let remedy = reader.text("remedy", TEXT_LIMIT)?;
        lines.push(LayerReport { layer, state, reason, remedy });
    }
    Ok(IsolationReport(lines))
}

/// The longest prefix that fits a text field and ends on a character boundary.
pub(crate) fn clip(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_LIMIT)]
}
