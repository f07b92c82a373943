//! The messages of both directions and their layout.
//!
//! The host drives. A reader says hello, gets one [`Prepare`] and answers with one
//! [`FromGuest::Prepared`]. A worker says hello, gets one [`Run`], then sends any number
//! of calls, questions and log lines and exactly one done or failed; it gets one reply
//! per call and question, and a clock whenever the run is paused or resumed. Ids are
//! chosen by the guest and only echoed.

use tidegate_model::{
    ErrorCode, Executable, IsolationReport, Language, Layer, LayerReport, LayerState, NAME_LIMIT,
    Prepared, RunError,
};

use crate::codec::{MAX_FRAME_BYTES, Reader, WireError, Writer};

/// Version of this protocol. Both sides come from one executable today; a
/// container image or a saved machine may be older, and is refused if it is.
pub const VERSION: u32 = 8;

/// Longest error text, hint or file path a guest may send.
pub const TEXT_LIMIT: usize = 64 * 1024;
/// Longest JSON of what a reader says of a program, which may hold its whole text.
pub const READING_LIMIT: usize = 1024 * 1024;
/// Longest body of [`Question::SaveSkill`]: JSON of 64 KiB of code, of which each
/// byte may take an escape of six, with a name and a description.
pub const SKILL_LIMIT: usize = 512 * 1024;

/// What a guest says: a reader hello and prepared, a worker all but prepared.
#[derive(Debug, Clone, PartialEq)]
pub enum FromGuest {
    /// The guest is up.
    Hello {
        /// Protocol version it speaks.
        version: u32,
        /// How it is kept in, as it found by trying. It has not seen a program
        /// yet, so this is our own code speaking.
        report: IsolationReport,
    },
    /// What the reader has read, or why the program cannot run.
    Prepared(Box<Result<Prepared, RunError>>),
    /// The program calls a tool.
    Call {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// `server__tool`, in any spelling that resolves.
        name: String,
        /// JSON text of the arguments.
        arguments: String,
        /// Whether the program wants the answer in MCP's own form.
        raw: bool,
    },
    /// The program wants something from the network.
    Fetch {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// JSON text: url, method, headers, body.
        request: String,
    },
    /// The program wants to run a command of the host.
    Command {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// Its name in the configuration.
        name: String,
        /// JSON text: arguments and input.
        request: String,
    },
    /// The program asks the gateway something that is not a tool call.
    Ask {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// What is asked.
        question: Question,
        /// A server name, a path or JSON text, depending on the question.
        body: String,
    },
    /// The program printed something.
    Log {
        /// How loudly.
        level: LogLevel,
        /// What, possibly several lines.
        text: String,
    },
    /// The program ended well.
    Done {
        /// JSON text of its output, if it had any.
        output: Option<String>,
        /// Peak memory of the worker in bytes, as it says itself.
        memory_bytes: u64,
    },
    /// The program failed.
    Failed {
        /// Why.
        error: RunError,
        /// Peak memory of the worker in bytes, as it says itself.
        memory_bytes: u64,
        /// What the program wanted to print and return in all, in bytes, if that
        /// was too much: what was refused never comes to the host. Zero otherwise.
        output_bytes: u64,
    },
}

/// Questions a program can ask without a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Which servers are there?
    Servers,
    /// Which functions does this server have? With a name on a second line: this
    /// one, with its definition.
    Functions,
    /// Which tools fit this query?
    Search,
    /// What is in this folder of the program's view?
    ReadDir,
    /// What does this file of the program's view say?
    ReadFile,
    /// What does the skill of this name say?
    LoadSkill,
    /// Keep this skill. JSON text: name, code, description. The one question that
    /// changes something.
    SaveSkill,
    /// What may be known of the values behind these tokens? JSON text: what is asked for
    /// (`domain`, `equals`, `mask`) and the tokens. The answer has no value in it.
    Pii,
}

/// How loudly something was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// `console.debug`, `log`, `info`.
    Info,
    /// `console.warn`.
    Warn,
    /// `console.error`.
    Error,
}

/// What the gateway says.
#[derive(Debug, Clone, PartialEq)]
pub enum ToGuest {
    /// Read this program. Sent once, to a reader.
    Prepare(Prepare),
    /// Run this program. Sent once, to a worker.
    Run(Box<Run>),
    /// The answer to a call or a question.
    Reply {
        /// The id of the call or question.
        id: u32,
        /// JSON text of the value, or why there is none.
        outcome: Result<String, RunError>,
    },
    /// The clock of the run was stopped, or goes on.
    Clock {
        /// The time that is left from now on, in milliseconds; none while it is stopped.
        left_ms: Option<u32>,
    },
}

/// A program to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepare {
    /// What it is written in.
    pub language: Language,
    /// Source as written.
    pub source: String,
}

/// A program to run and what it may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Source as written.
    pub source: String,
    /// What the engine runs instead, if the reader made something of the source.
    pub executable: Option<Executable>,
    /// Time after which the engine interrupts the program, in milliseconds.
    pub time_ms: u32,
    /// CPU time after which the engine interrupts the program, in milliseconds.
    pub cpu_ms: u32,
    /// Heap limit of the engine, in bytes.
    pub memory_bytes: u64,
    /// Printed text plus output, in bytes.
    pub output_bytes: u64,
}

impl FromGuest {
    /// The frame for this message, length prefix included.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Hello { version, report } => write_report(Writer::new(1).u32(*version), report),
            Self::Call { id, name, arguments, raw } => {
                Writer::new(2).u32(*id).text(name).text(arguments).u8(u8::from(*raw))
            }
            Self::Ask { id, question, body } => {
                Writer::new(3).u32(*id).u8(question.code()).text(body)
            }
            Self::Log { level, text } => Writer::new(4).u8(level.code()).text(text),
            Self::Done { output, memory_bytes } => {
                Writer::new(5).optional(output.as_deref()).u64(*memory_bytes)
            }
            Self::Failed { error, memory_bytes, output_bytes } => {
                write_error(Writer::new(6), error).u64(*memory_bytes).u64(*output_bytes)
            }
            Self::Fetch { id, request } => Writer::new(7).u32(*id).text(request),
            Self::Command { id, name, request } => Writer::new(8).u32(*id).text(name).text(request),
            Self::Prepared(outcome) => match &**outcome {
                Ok(prepared) => {
                    let json = prepared.clone().to_json(READING_LIMIT);
                    write_executable(Writer::new(9).u8(1).text(&json), prepared.executable.as_ref())
                }
                Err(error) => write_error(Writer::new(9).u8(0), error),
            },
        }
        .finish()
    }

    /// Checks and reads a frame body that a worker sent.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        let message = match reader.u8("kind")? {
            1 => Self::Hello { version: reader.u32("version")?, report: read_report(&mut reader)? },
            2 => Self::Call {
                id: reader.u32("id")?,
                name: reader.text("name", NAME_LIMIT)?,
                arguments: reader.text("arguments", MAX_FRAME_BYTES)?,
                raw: reader.flag("raw")?,
            },
            3 => {
                let id = reader.u32("id")?;
                let question = Question::from_code(reader.u8("question")?)?;
                let body = reader.text("body", question.body_limit())?;
                Self::Ask { id, question, body }
            }
            4 => Self::Log {
                level: LogLevel::from_code(reader.u8("level")?)?,
                text: reader.text("text", MAX_FRAME_BYTES)?,
            },
            5 => Self::Done {
                output: reader.optional("output", MAX_FRAME_BYTES)?,
                memory_bytes: reader.u64("memory")?,
            },
            6 => Self::Failed {
                error: read_error(&mut reader)?,
                memory_bytes: reader.u64("memory")?,
                output_bytes: reader.u64("output")?,
            },
            7 => Self::Fetch {
                id: reader.u32("id")?,
                request: reader.text("request", MAX_FRAME_BYTES)?,
            },
            8 => Self::Command {
                id: reader.u32("id")?,
                name: reader.text("name", NAME_LIMIT)?,
                request: reader.text("request", MAX_FRAME_BYTES)?,
            },
            9 => Self::Prepared(Box::new(match reader.flag("ok")? {
                true => Ok(read_prepared(&mut reader)?),
                false => Err(read_error(&mut reader)?),
            })),
            value => return Err(WireError::BadValue { field: "kind", value: u32::from(value) }),
        };
        reader.finish()?;
        Ok(message)
    }
}

impl ToGuest {
    /// The frame for this message, length prefix included.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Run(run) => {
                let limits = Writer::new(1)
                    .text(&run.source)
                    .u32(run.time_ms)
                    .u32(run.cpu_ms)
                    .u64(run.memory_bytes)
                    .u64(run.output_bytes);
                write_executable(limits, run.executable.as_ref())
            }
            Self::Reply { id, outcome: Ok(value) } => Writer::new(2).u32(*id).u8(1).text(value),
            Self::Reply { id, outcome: Err(error) } => {
                write_error(Writer::new(2).u32(*id).u8(0), error)
            }
            // Nothing left would end the run, so zero is free to mean "stopped".
            Self::Clock { left_ms } => Writer::new(3).u32(left_ms.map_or(0, |left| left.max(1))),
            Self::Prepare(prepare) => {
                Writer::new(4).text(prepare.language.as_str()).text(&prepare.source)
            }
        }
        .finish()
    }

    /// Reads a frame body that the gateway sent.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        let message = match reader.u8("kind")? {
            1 => Self::Run(Box::new(Run {
                source: reader.text("source", MAX_FRAME_BYTES)?,
                time_ms: reader.u32("time")?,
                cpu_ms: reader.u32("cpu")?,
                memory_bytes: reader.u64("memory")?,
                output_bytes: reader.u64("output")?,
                executable: read_executable(&mut reader)?,
            })),
            2 => {
                let id = reader.u32("id")?;
                let outcome = if reader.flag("ok")? {
                    Ok(reader.text("value", MAX_FRAME_BYTES)?)
                } else {
                    Err(read_error(&mut reader)?)
                };
                Self::Reply { id, outcome }
            }
            3 => {
                let left_ms = reader.u32("left")?;
                Self::Clock { left_ms: (left_ms != 0).then_some(left_ms) }
            }
            4 => {
                let language = reader.text("language", NAME_LIMIT)?;
                let language = Language::parse(&language)
                    .ok_or(WireError::BadValue { field: "language", value: 0 })?;
                let source = reader.text("source", MAX_FRAME_BYTES)?;
                Self::Prepare(Prepare { language, source })
            }
            value => return Err(WireError::BadValue { field: "kind", value: u32::from(value) }),
        };
        reader.finish()?;
        Ok(message)
    }
}

fn write_executable(writer: Writer, executable: Option<&Executable>) -> Writer {
    let writer = writer.optional(executable.map(|executable| executable.code.as_str()));
    match executable {
        Some(executable) => writer.bytes(&executable.line_map),
        None => writer,
    }
}

fn read_executable(reader: &mut Reader<'_>) -> Result<Option<Executable>, WireError> {
    let Some(code) = reader.optional("code", MAX_FRAME_BYTES)? else { return Ok(None) };
    let line_map = reader.bytes("line map", MAX_FRAME_BYTES)?.to_vec();
    Ok(Some(Executable { code, line_map }))
}

fn read_prepared(reader: &mut Reader<'_>) -> Result<Prepared, WireError> {
    let json = reader.text("reading", READING_LIMIT)?;
    let prepared: Prepared = serde_json::from_str(&json)
        .map_err(|_| WireError::BadValue { field: "reading", value: 0 })?;
    let executable = read_executable(reader)?;
    Ok(Prepared { reading: prepared.reading.bounded(), executable, ..prepared })
}

fn write_error(writer: Writer, error: &RunError) -> Writer {
    writer
        .text(error.code.as_str())
        .text(clip(&error.message))
        .u32(error.line.unwrap_or(0))
        .u32(error.column.unwrap_or(0))
        .optional(error.hint.as_deref().map(clip))
}

fn read_error(reader: &mut Reader<'_>) -> Result<RunError, WireError> {
    let code = reader.text("code", NAME_LIMIT)?;
    let code = ErrorCode::parse(&code).ok_or(WireError::BadValue { field: "code", value: 0 })?;
    // Lines and columns count from 1, so 0 is free to mean "unknown".
    let known = |number: u32| (number != 0).then_some(number);
    Ok(RunError {
        code,
        message: reader.text("message", TEXT_LIMIT)?,
        line: known(reader.u32("line")?),
        column: known(reader.u32("column")?),
        hint: reader.optional("hint", TEXT_LIMIT)?,
    })
}

fn write_report(writer: Writer, report: &IsolationReport) -> Writer {
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

fn read_report(reader: &mut Reader<'_>) -> Result<IsolationReport, WireError> {
    let count = reader.u32("layers")?;
    if count as usize > Layer::ALL.len() {
        return Err(WireError::BadValue { field: "layers", value: count });
    }
    let mut lines = Vec::new();
    for _ in 0..count {
        let layer = reader.text("layer", NAME_LIMIT)?;
        let layer = Layer::parse(&layer).ok_or(WireError::BadValue { field: "layer", value: 0 })?;
        let state = reader.u8("state")?;
        let known = LayerState::ALL.get(usize::from(state)).copied();
        let state = known.ok_or(WireError::BadValue { field: "state", value: u32::from(state) })?;
        let reason = reader.text("reason", TEXT_LIMIT)?;
        let remedy = reader.text("remedy", TEXT_LIMIT)?;
        lines.push(LayerReport { layer, state, reason, remedy });
    }
    Ok(IsolationReport(lines))
}

/// The longest beginning that fits a text field and ends between characters.
fn clip(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_LIMIT)]
}

impl Question {
    const ALL: [Self; 8] = [
        Self::Servers,
        Self::Functions,
        Self::Search,
        Self::ReadDir,
        Self::ReadFile,
        Self::LoadSkill,
        Self::SaveSkill,
        Self::Pii,
    ];

    /// Longest body of this question.
    pub fn body_limit(self) -> usize {
        match self {
            Self::Servers
            | Self::Functions
            | Self::Search
            | Self::ReadDir
            | Self::ReadFile
            | Self::LoadSkill
            | Self::Pii => TEXT_LIMIT,
            Self::SaveSkill => SKILL_LIMIT,
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::Servers => 1,
            Self::Functions => 2,
            Self::Search => 3,
            Self::ReadDir => 4,
            Self::ReadFile => 5,
            Self::LoadSkill => 6,
            Self::SaveSkill => 7,
            Self::Pii => 8,
        }
    }

    fn from_code(code: u8) -> Result<Self, WireError> {
        Self::ALL
            .into_iter()
            .find(|question| question.code() == code)
            .ok_or(WireError::BadValue { field: "question", value: u32::from(code) })
    }
}

impl LogLevel {
    fn code(self) -> u8 {
        match self {
            Self::Info => 1,
            Self::Warn => 2,
            Self::Error => 3,
        }
    }

    fn from_code(code: u8) -> Result<Self, WireError> {
        [Self::Info, Self::Warn, Self::Error]
            .into_iter()
            .find(|level| level.code() == code)
            .ok_or(WireError::BadValue { field: "level", value: u32::from(code) })
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::{
        ErrorCode, Executable, IsolationReport, Language, Layer, LayerReport, LayerState, Prepared,
        Reference, RunError,
    };

    use super::{
        FromGuest, LogLevel, Prepare, Question, READING_LIMIT, Run, SKILL_LIMIT, TEXT_LIMIT,
        ToGuest,
    };
    use crate::codec::{HEADER_BYTES, MAX_FRAME_BYTES, WireError, Writer, body_length};

    fn error() -> RunError {
        RunError {
            code: ErrorCode::ToolFailed,
            message: "no such file".into(),
            line: Some(3),
            column: None,
            hint: Some("look first".into()),
        }
    }

    fn report() -> IsolationReport {
        IsolationReport(vec![
            LayerReport::enforced(Layer::Seccomp),
            LayerReport::lacking(Layer::Landlock, LayerState::Partial, "old kernel", "a new one"),
        ])
    }

    fn prepared() -> Prepared {
        let executable = Executable { code: "(async () => 1)".into(), line_map: vec![0xff, 0] };
        let reference = Reference { server: "crm".into(), line: 1, ..Reference::default() };
        Prepared {
            references: vec![reference],
            check_text: Some("throw 1".into()),
            executable: Some(executable),
            ..Prepared::default()
        }
    }

    fn guest_messages() -> Vec<FromGuest> {
        vec![
            FromGuest::Hello { version: 1, report: IsolationReport::default() },
            FromGuest::Hello { version: 1, report: report() },
            FromGuest::Fetch { id: 10, request: "{}".into() },
            FromGuest::Command { id: 11, name: "git".into(), request: "[]".into() },
            FromGuest::Call { id: 7, name: "a__b".into(), arguments: "{}".into(), raw: true },
            FromGuest::Ask { id: 8, question: Question::ReadFile, body: "./servers".into() },
            FromGuest::Prepared(Box::new(Ok(prepared()))),
            FromGuest::Prepared(Box::new(Ok(Prepared { executable: None, ..prepared() }))),
            FromGuest::Prepared(Box::new(Err(RunError::new(ErrorCode::Syntax, "no")))),
            FromGuest::Ask { id: 12, question: Question::LoadSkill, body: "a".into() },
            FromGuest::Ask { id: 13, question: Question::SaveSkill, body: "{}".into() },
            FromGuest::Ask { id: 14, question: Question::Pii, body: "{\"ask\":\"mask\"}".into() },
            FromGuest::Log { level: LogLevel::Warn, text: "ünïcode".into() },
            FromGuest::Done { output: Some("[1]".into()), memory_bytes: 5 },
            FromGuest::Done { output: None, memory_bytes: 5 },
            FromGuest::Failed { error: error(), memory_bytes: 9, output_bytes: 8 },
        ]
    }

    #[test]
    fn every_guest_message_survives_the_wire() {
        for message in guest_messages() {
            let frame = message.encode().unwrap();
            let (header, body) = frame.split_at(HEADER_BYTES);
            assert_eq!(body_length(header.try_into().unwrap()), Ok(body.len()));
            assert_eq!(FromGuest::decode(body), Ok(message));
        }
    }

    #[test]
    fn every_host_message_survives_the_wire() {
        let run = Run {
            source: "return 1".into(),
            executable: prepared().executable,
            time_ms: 30_000,
            cpu_ms: 20_000,
            memory_bytes: 1 << 28,
            output_bytes: 9,
        };
        for message in [
            ToGuest::Prepare(Prepare { language: Language::Python, source: "1".into() }),
            ToGuest::Run(Box::new(Run { executable: None, ..run.clone() })),
            ToGuest::Run(Box::new(run)),
            ToGuest::Reply { id: 1, outcome: Ok("{\"a\":1}".into()) },
            ToGuest::Reply { id: 2, outcome: Err(error()) },
        ] {
            let frame = message.encode().unwrap();
            assert_eq!(ToGuest::decode(&frame[HEADER_BYTES..]), Ok(message));
        }
    }

    #[test]
    fn a_cut_or_prolonged_frame_is_refused_everywhere() {
        for message in guest_messages() {
            let frame = message.encode().unwrap();
            let body = &frame[HEADER_BYTES..];
            for end in 0..body.len() {
                assert!(FromGuest::decode(&body[..end]).is_err(), "{message:?} cut at {end}");
            }
            let longer = [body, &[0]].concat();
            assert_eq!(FromGuest::decode(&longer), Err(WireError::Trailing { extra: 1 }));
        }
    }

    #[test]
    fn a_length_inside_the_frame_is_not_believed() {
        // Call 0 whose name claims four gigabytes.
        let body = [2, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let refused = WireError::TooLong { field: "name", length: 0xffff_ffff, limit: 512 };
        assert_eq!(FromGuest::decode(&body), Err(refused));
    }

    #[test]
    fn a_reading_may_hold_a_whole_program_and_no_more() {
        let decode = |json: &str| {
            let frame = Writer::new(9).u8(1).text(json).optional(None).finish().unwrap();
            FromGuest::decode(&frame[HEADER_BYTES..]).map(|_| ())
        };
        let padded = |length: usize| format!("{{}}{}", " ".repeat(length - 2));
        assert_eq!(decode(&padded(READING_LIMIT)), Ok(()));
        let (length, limit) = (READING_LIMIT + 1, READING_LIMIT);
        let refused = WireError::TooLong { field: "reading", length, limit };
        assert_eq!(decode(&padded(length)), Err(refused));
        let refused = WireError::BadValue { field: "reading", value: 0 };
        assert_eq!(decode("{\"references\":1}"), Err(refused));
    }

    #[test]
    fn a_skill_may_bring_its_code_and_no_other_question_as_much() {
        let ask = |question, length| {
            let body = "x".repeat(length);
            let frame = FromGuest::Ask { id: 1, question, body }.encode().unwrap();
            FromGuest::decode(&frame[HEADER_BYTES..]).map(|_| ())
        };
        let refused = |limit| Err(WireError::TooLong { field: "body", length: limit + 1, limit });
        assert_eq!(ask(Question::SaveSkill, SKILL_LIMIT), Ok(()));
        assert_eq!(ask(Question::SaveSkill, SKILL_LIMIT + 1), refused(SKILL_LIMIT));
        for question in [Question::ReadFile, Question::Pii] {
            assert_eq!(ask(question, TEXT_LIMIT), Ok(()));
            assert_eq!(ask(question, TEXT_LIMIT + 1), refused(TEXT_LIMIT));
        }
    }

    #[test]
    fn questions_have_the_numbers_that_the_scripts_of_the_guest_send() {
        for (code, question) in (1..).zip(Question::ALL) {
            assert_eq!((question.code(), Question::from_code(code)), (code, Ok(question)));
        }
        let unknown = WireError::BadValue { field: "question", value: 9 };
        assert_eq!(Question::from_code(9), Err(unknown));
    }

    #[test]
    fn a_frame_over_the_cap_is_neither_read_nor_written() {
        let too_long = u32::try_from(MAX_FRAME_BYTES + 1).unwrap();
        assert_eq!(
            body_length(too_long.to_le_bytes()),
            Err(WireError::BadLength { length: MAX_FRAME_BYTES + 1 })
        );
        assert_eq!(body_length([0; 4]), Err(WireError::BadLength { length: 0 }));
        let text = "x".repeat(MAX_FRAME_BYTES);
        let message = FromGuest::Log { level: LogLevel::Info, text };
        assert_eq!(message.encode(), Err(WireError::BadLength { length: MAX_FRAME_BYTES + 6 }));
    }

    #[test]
    fn random_bytes_never_panic() {
        // SplitMix64: deterministic, and enough to visit every branch.
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (z ^ (z >> 27)).to_le_bytes()
        };
        for _ in 0..20_000 {
            let mut body: Vec<u8> = (0..6).flat_map(|_| next()).collect();
            body[0] %= 10;
            body.truncate(usize::from(next()[0] % 48));
            let _ = FromGuest::decode(&body);
            let _ = ToGuest::decode(&body);
        }
    }
}
