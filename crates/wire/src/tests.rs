//! Both directions: round trips, and frames that must be refused.

use tidegate_model::{
    ErrorCode, Executable, IsolationReport, Language, Layer, LayerReport, LayerState, Prepared,
    Reference, RunError,
};

use crate::codec::{FrameBuilder, HEADER_BYTES, MAX_FRAME_BYTES, WireError, body_length};
use crate::failure::{Cause, EngineLimit, Failure, Fault};
use crate::fields::TEXT_LIMIT;
use crate::from_guest::{FromGuest, LogLevel, READING_LIMIT};
use crate::question::{Question, SKILL_LIMIT};
use crate::to_guest::{PrepareRequest, RunRequest, ToGuest};

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

fn failed(failure: Failure) -> FromGuest {
    FromGuest::Failed { failure, memory_bytes: 9, output_bytes: 8 }
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
        FromGuest::Prepared(Box::new(Err(Failure::of(Fault::Syntax, "no")))),
        FromGuest::Ask { id: 12, question: Question::LoadSkill, body: "a".into() },
        FromGuest::Ask { id: 13, question: Question::SaveSkill, body: "{}".into() },
        FromGuest::Ask { id: 14, question: Question::Pii, body: "{\"ask\":\"mask\"}".into() },
        FromGuest::Log { level: LogLevel::Warn, text: "ünïcode".into() },
        FromGuest::Done { output: Some("[1]".into()), memory_bytes: 5 },
        FromGuest::Done { output: None, memory_bytes: 5 },
        failed(Failure::of(Fault::Threw, "odd").with_hint("look first")),
        failed(Failure { line: Some(3), column: Some(4), ..Failure::of(Fault::BadOutput, "") }),
        failed(Failure::new(Cause::Stuck)),
        failed(Failure { line: Some(1), ..EngineLimit::Disk.into() }),
        failed(Failure::new(Cause::Answered { id: u32::MAX })),
        failed(Failure::new(Cause::Engine)),
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
    let run = RunRequest {
        source: "return 1".into(),
        executable: prepared().executable,
        time_ms: 30_000,
        cpu_ms: 20_000,
        memory_bytes: 1 << 28,
        output_bytes: 9,
    };
    for message in [
        ToGuest::Prepare(PrepareRequest { language: Language::Python, source: "1".into() }),
        ToGuest::Run(Box::new(RunRequest { executable: None, ..run.clone() })),
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
        let frame = FrameBuilder::new(9).u8(1).text(json).optional(None).finish().unwrap();
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

#[test]
fn a_guest_cannot_name_an_error_code() {
    // As a worker of an earlier version sent it: a code, a message, a place, a hint.
    let old = FrameBuilder::new(6).text("approval.denied").text("a person said yes");
    let frame = old.u32(1).u32(1).optional(None).u64(0).u64(0).finish().unwrap();
    assert!(FromGuest::decode(&frame[HEADER_BYTES..]).is_err());
    for (cause, kinds, field) in [(1, 4, "fault"), (2, 6, "limit")] {
        for kind in 0..=u8::MAX {
            let frame = FrameBuilder::new(6).u8(cause).u8(kind).finish().unwrap();
            let refused = WireError::BadValue { field, value: kind.into() };
            let is_known = (1..=kinds).contains(&kind);
            let decoded = FromGuest::decode(&frame[HEADER_BYTES..]);
            assert_eq!(decoded == Err(refused), !is_known, "{cause} {kind}");
        }
    }
}
