//! Runs the one program of a worker, in QuickJS or in a child process.
//!
//! In: the chosen engine, then a run. Out: the JSON text of its output, or an error.

use std::io;
use std::rc::Rc;

use tidegate_wire::{Failure, RunRequest};

use crate::confine;
use crate::engine::Engine;
use crate::host::Host;
use crate::v8::{EngineChoice, V8};

/// A started engine.
pub(crate) enum Runner {
    /// `None` once it has run.
    QuickJs(Option<Engine>),
    V8(V8),
}

impl Runner {
    /// Starts the engine.
    pub(crate) fn start(host: &Rc<Host>, choice: &EngineChoice) -> io::Result<Self> {
        match choice {
            EngineChoice::QuickJs => {
                let engine = Engine::new(host).map_err(io::Error::other)?;
                Ok(Self::QuickJs(Some(engine)))
            }
            EngineChoice::External(external) => V8::start(external).map(Self::V8),
            // A Python worker has already replaced this process.
            EngineChoice::Python(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Runs one program to its end.
    pub(crate) fn run(
        &mut self,
        host: &Rc<Host>,
        request: &RunRequest,
    ) -> Result<Option<String>, Failure> {
        match self {
            Self::QuickJs(engine) => match engine.take() {
                Some(engine) => engine.run(host, request),
                None => Ok(None),
            },
            Self::V8(engine) => engine.run(host, request),
        }
    }

    /// Stops the engine and returns its peak memory in bytes.
    pub(crate) fn end(self) -> u64 {
        match self {
            Self::QuickJs(_) => confine::peak_memory_bytes(),
            Self::V8(mut engine) => engine.end(),
        }
    }
}
