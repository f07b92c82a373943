//! What runs the one program of a worker: QuickJS in here, or a child.

use std::io;
use std::rc::Rc;

use tidegate_model::RunError;
use tidegate_wire::RunRequest;

use crate::confine;
use crate::engine::Engine;
use crate::host::Host;
use crate::v8::{Choice, V8};

/// A started engine.
pub(crate) enum Runner {
    /// Taken when it runs.
    QuickJs(Option<Engine>),
    V8(V8),
}

impl Runner {
    /// Starts the engine, so that whoever gets this worker finds it warm.
    pub(crate) fn start(host: &Rc<Host>, choice: &Choice) -> io::Result<Self> {
        match choice {
            Choice::QuickJs => {
                let engine = Engine::new(host).map_err(io::Error::other)?;
                Ok(Self::QuickJs(Some(engine)))
            }
            Choice::External(external) => V8::start(external).map(Self::V8),
            // It has become something else by now.
            Choice::Python(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Runs one program to its end.
    pub(crate) fn run(
        &mut self,
        host: &Rc<Host>,
        request: &RunRequest,
    ) -> Result<Option<String>, RunError> {
        match self {
            Self::QuickJs(engine) => match engine.take() {
                Some(engine) => engine.run(host, request),
                None => Ok(None),
            },
            Self::V8(engine) => engine.run(host, request),
        }
    }

    /// Ends what was started. The most memory that it has used.
    pub(crate) fn end(self) -> u64 {
        match self {
            Self::QuickJs(_) => confine::peak_memory_bytes(),
            Self::V8(mut engine) => engine.end(),
        }
    }
}
