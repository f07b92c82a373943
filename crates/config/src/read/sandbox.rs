//! Reads `[sandbox]` and `[python]`, which configure what runs programs.

use tidegate_model::{Engine, Isolation};

use crate::error::ConfigError;
use crate::keys::python::{PYTHON, PythonKey};
use crate::keys::sandbox::{SANDBOX, SandboxKey};
use crate::read::node::Entry;
use crate::read::reader::{Reader, Unknown};

impl<'a> Reader<'a> {
    pub(super) fn sandbox(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `sandbox`";
        for (key, entry) in self.known(SANDBOX, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                SandboxKey::MinIsolation => {
                    let levels = Isolation::ALL.map(|level| (level.as_str(), level));
                    self.raw.sandbox.min_isolation = reading.one_of(&levels)?;
                }
                SandboxKey::Engine => {
                    let engines = Engine::ALL.map(|engine| (engine.as_str(), engine));
                    self.raw.sandbox.engine = reading.one_of(&engines)?;
                }
                SandboxKey::Engines => {
                    let engines = Engine::ALL.map(|engine| (engine.as_str(), engine));
                    self.raw.sandbox.engines = reading.some_of(&engines)?;
                    self.raw.engines.offset = entry.node.span.start;
                }
                SandboxKey::Deno => self.raw.engines.deno = Some(reading.text()?),
                SandboxKey::Node => self.raw.engines.node = Some(reading.text()?),
                SandboxKey::MaxRuns => {
                    self.raw.sandbox.capacity.max_runs = Some(reading.count()?);
                }
                SandboxKey::MaxRunsPerSession => {
                    self.raw.sandbox.capacity.max_runs_per_session = Some(reading.count()?);
                }
                SandboxKey::MaxWaiting => {
                    self.raw.sandbox.capacity.max_waiting = reading.count()?;
                }
                SandboxKey::WarmWorkers => {
                    self.raw.sandbox.capacity.warm_workers = reading.count()?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn python(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `python`";
        for (key, entry) in self.known(PYTHON, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                PythonKey::Path => self.raw.python.path = Some(reading.text()?),
                PythonKey::Packages => self.raw.python.packages = Some(reading.text()?),
                PythonKey::Fork => self.raw.sandbox.fork = reading.flag()?,
            }
        }
        Ok(())
    }
}
