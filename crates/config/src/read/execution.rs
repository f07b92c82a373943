//! Reads `mcpCodeExecution` of a client's file.

use tidegate_model::RiskLevel;

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::execution::{EXECUTION, ExecutionKey, RESOURCES, ResourceKey};
use crate::read::node::Entry;
use crate::read::reader::{Reader, Unknown};
use crate::read::value::Reading;
use crate::settings::checks::TypeCheck;
use crate::settings::privacy::PrivacyMode;

impl<'a> Reader<'a> {
    pub(super) fn code_execution(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `mcpCodeExecution`";
        for (key, entry) in self.known(EXECUTION, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let offset = entry.key_span.start;
            match key.id {
                ExecutionKey::Enabled => {
                    self.warn_if_false(&reading, offset, "running code is what tidegate is for")?;
                }
                ExecutionKey::SandboxMode => {
                    if reading.word()?.text.expose() != "process" {
                        let message =
                            format!("{} asks for a sandbox that is not available", reading.label());
                        return Err(reading
                            .error(ConfigErrorKind::Unsupported, message)
                            .with_hint("this version has the `process` sandbox only"));
                    }
                }
                ExecutionKey::SecurityLevel => {
                    // Of these words only the last differs from ours.
                    self.raw.risk.least = reading.one_of(&[
                        ("low", RiskLevel::Low),
                        ("medium", RiskLevel::Medium),
                        ("high", RiskLevel::High),
                        ("strict", RiskLevel::Critical),
                    ])?;
                }
                ExecutionKey::MaxExecutionTime => {
                    self.raw.limits.time = Some(self.duration(&reading)?);
                }
                ExecutionKey::PiiTokenization => {
                    self.raw.privacy.mode = match reading.flag()? {
                        true => PrivacyMode::Boundary,
                        false => PrivacyMode::Off,
                    };
                }
                ExecutionKey::AuditLogging => {
                    self.warn_if_false(&reading, offset, "runs and calls are always recorded")?;
                }
                ExecutionKey::TypeCheck => {
                    self.raw.checks.types =
                        Some(reading.one_of(&TypeCheck::ALL.map(|mode| (mode.as_str(), mode)))?);
                }
                ExecutionKey::Tsc => self.raw.checks.tsc = Some(reading.text()?),
                ExecutionKey::PythonChecker => {
                    self.raw.checks.python = Some(reading.text()?);
                }
                ExecutionKey::Network => {
                    self.network(reading.section()?, " in `mcpCodeExecution.network`")?;
                }
                ExecutionKey::ResourceLimits => self.resource_limits(reading.section()?)?,
            }
        }
        Ok(())
    }

    fn warn_if_false(
        &mut self,
        reading: &Reading<'_>,
        offset: usize,
        why: &str,
    ) -> Result<(), ConfigError> {
        if !reading.flag()? {
            self.warn(&format!("{} is false, without effect: {why}", reading.label()), offset);
        }
        Ok(())
    }

    fn resource_limits(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `mcpCodeExecution.resourceLimits`";
        for (key, entry) in self.known(RESOURCES, entries, scope, Unknown::Refused)? {
            match key.id {
                ResourceKey::Memory => {
                    let bytes = self.reading(key, entry, scope).size()?;
                    self.raw.limits.memory_bytes = Some(bytes);
                }
                ResourceKey::Unenforced => self.foreign(&key.kind, entry, scope),
                ResourceKey::Disk => {
                    let bytes = self.reading(key, entry, scope).size()?;
                    self.raw.limits.disk_bytes = Some(bytes);
                }
            }
        }
        Ok(())
    }
}
