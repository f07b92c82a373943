//! Messages between a worker and its child, the engine.
//!
//! The child is Deno or Node running our script. It may send at any time; the worker
//! only replies: a question, [`FromEngine::Nearest`] and [`FromEngine::Wait`] each get
//! exactly one message. Calls, questions and logs of the program are frames of
//! [`FromGuest`], so the same code checks them on their way through the worker.
//!
//! Invariant: as for [`FromGuest`], every byte must be understood. The child is as
//! hostile as the program that it runs.

use tidegate_model::NAME_LIMIT;

use crate::codec::{FieldReader, FrameBuilder, MAX_FRAME_BYTES, WireError};
use crate::from_guest::FromGuest;

/// A message from the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum FromEngine {
    /// A message for the gateway, to be relayed.
    Guest(FromGuest),
    /// The globals are built; the engine is ready for a program.
    Ready,
    /// The program is blocked until a reply arrives. Send the next reply, or
    /// [`ToEngine::Nothing`] when the time is over.
    Wait {
        /// How long, in milliseconds.
        milliseconds: u32,
    },
    /// Which of these names is closest to a misspelt one?
    Nearest {
        /// The name that does not exist.
        name: String,
        /// JSON list of the names that exist.
        candidates: String,
    },
    /// The program succeeded.
    Returned {
        /// JSON text of its output, if it had any.
        output: Option<String>,
    },
    /// The program failed.
    Threw {
        /// When it failed.
        phase: Phase,
        /// The value it threw.
        thrown: Thrown,
    },
    /// No pending work can settle the promise that the program awaits.
    Stuck,
}

/// The phase of a run in which a program threw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before it ran: the engine did not accept its text.
    Compile,
    /// While it ran.
    Run,
    /// After it ended: a promise that nothing awaited was rejected.
    Rejection,
    /// While its output was converted to JSON.
    Output,
}

/// What could be read from a thrown value. Any of these reads may have failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thrown {
    /// False for text, numbers, `null` and the like, which have `text` only.
    pub is_object: bool,
    /// The value as text.
    pub text: Option<String>,
    /// Its `name`.
    pub name: Option<String>,
    /// Its `message`.
    pub message: Option<String>,
    /// The request that was answered with this error, if it is one of the gateway's.
    pub request: Option<u32>,
    /// Its `hint`.
    pub hint: Option<String>,
    /// Its `stack`.
    pub stack: Option<String>,
}

/// A message from the worker to the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToEngine {
    /// Our script, evaluated before anything else. Sent once, first.
    Script(String),
    /// The JavaScript of the program. Sent once.
    Program(String),
    /// The answer to a call, a question or [`FromEngine::Nearest`].
    Reply {
        /// The id of the call; 0 where there is none.
        id: u32,
        /// Whether `text` is the value or the error.
        ok: bool,
        /// JSON text of either.
        text: String,
    },
    /// No reply has arrived yet, or no name is close.
    Nothing,
}

/// Smaller kinds are those of [`FromGuest`].
const FIRST_KIND: u8 = 64;

impl FromEngine {
    /// Reads and checks a frame body that an engine sent.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = FieldReader::new(body);
        let message = match reader.u8("kind")? {
            kind if kind < FIRST_KIND => return FromGuest::decode(body).map(Self::Guest),
            64 => Self::Ready,
            65 => Self::Wait { milliseconds: reader.u32("milliseconds")? },
            66 => Self::Nearest {
                name: reader.text("name", NAME_LIMIT)?,
                candidates: reader.text("candidates", MAX_FRAME_BYTES)?,
            },
            67 => Self::Returned { output: reader.optional("output", MAX_FRAME_BYTES)? },
            68 => Self::Threw {
                phase: Phase::from_code(reader.u8("phase")?)?,
                thrown: Thrown {
                    is_object: reader.flag("is_object")?,
                    text: reader.optional("text", MAX_FRAME_BYTES)?,
                    name: reader.optional("name", MAX_FRAME_BYTES)?,
                    message: reader.optional("message", MAX_FRAME_BYTES)?,
                    request: Some(reader.u32("request")?).filter(|&id| id != 0),
                    hint: reader.optional("hint", MAX_FRAME_BYTES)?,
                    stack: reader.optional("stack", MAX_FRAME_BYTES)?,
                },
            },
            69 => Self::Stuck,
            value => return Err(WireError::BadValue { field: "kind", value: u32::from(value) }),
        };
        reader.finish()?;
        Ok(message)
    }
}

impl Phase {
    fn from_code(code: u8) -> Result<Self, WireError> {
        match code {
            1 => Ok(Self::Compile),
            2 => Ok(Self::Run),
            3 => Ok(Self::Rejection),
            4 => Ok(Self::Output),
            _ => Err(WireError::BadValue { field: "phase", value: u32::from(code) }),
        }
    }
}

impl ToEngine {
    /// The frame for this message, length prefix included.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Script(text) => FrameBuilder::new(1).text(text),
            Self::Program(text) => FrameBuilder::new(2).text(text),
            Self::Reply { id, ok, text } => {
                FrameBuilder::new(3).u32(*id).u8(u8::from(*ok)).text(text)
            }
            Self::Nothing => FrameBuilder::new(4),
        }
        .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{FromEngine, Phase, Thrown, ToEngine};
    use crate::codec::WireError;
    use crate::from_guest::{FromGuest, LogLevel};

    #[test]
    fn a_message_from_an_engine_is_read_whole_or_not_at_all() {
        let thrown = Thrown { is_object: true, message: Some("m".to_owned()), ..Thrown::default() };
        let threw = [68, 2, 1, 0, 0, 1, 1, 0, 0, 0, b'm', 0, 0, 0, 0, 0, 0];
        let bodies: [(&[u8], FromEngine); 6] = [
            (&[64], FromEngine::Ready),
            (&[65, 7, 0, 0, 0], FromEngine::Wait { milliseconds: 7 }),
            (&[67, 0], FromEngine::Returned { output: None }),
            (&[67, 1, 1, 0, 0, 0, b'1'], FromEngine::Returned { output: Some("1".to_owned()) }),
            (&threw, FromEngine::Threw { phase: Phase::Run, thrown }),
            (&[69], FromEngine::Stuck),
        ];
        for (body, message) in bodies {
            assert_eq!(FromEngine::decode(body), Ok(message));
            for end in 0..body.len() {
                assert!(FromEngine::decode(&body[..end]).is_err(), "{body:?} cut at {end}");
            }
            let longer = [body, &[0]].concat();
            assert_eq!(FromEngine::decode(&longer), Err(WireError::Trailing { extra: 1 }));
        }
        let bad = |field, value| Err(WireError::BadValue { field, value });
        assert_eq!(FromEngine::decode(&[70]), bad("kind", 70));
        assert_eq!(FromEngine::decode(&[68, 9]), bad("phase", 9));
    }

    #[test]
    fn a_message_for_the_gateway_is_checked_as_if_a_worker_sent_it() {
        let log = FromGuest::Log { level: LogLevel::Warn, text: "a".to_owned() };
        let frame = log.encode().unwrap();
        assert_eq!(FromEngine::decode(&frame[4..]), Ok(FromEngine::Guest(log)));
        let long_name = [2, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let refused = WireError::TooLong { field: "name", length: 0xffff_ffff, limit: 512 };
        assert_eq!(FromEngine::decode(&long_name), Err(refused));
    }

    #[test]
    fn the_layout_towards_the_engine_is_the_one_its_script_reads() {
        let reply = ToEngine::Reply { id: 3, ok: true, text: "é".to_owned() };
        let expected = [12, 0, 0, 0, 3, 3, 0, 0, 0, 1, 2, 0, 0, 0, 0xc3, 0xa9];
        assert_eq!(reply.encode().unwrap(), expected);
        assert_eq!(ToEngine::Nothing.encode().unwrap(), [1, 0, 0, 0, 4]);
    }
}
