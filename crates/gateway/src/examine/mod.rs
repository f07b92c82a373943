//! Examination: a program is read, type-checked and judged before it may run.
//!
//! Contains: the readers, which parse programs in a jail (`stage.rs`); the check of names
//! and types (`check.rs`, `type_check.rs`, `python_types.rs`); the rules about programs
//! (`patterns.rs`) and what follows from them (`judge.rs`, `calls.rs`).
//! In: an admitted program. Out: `Read`, then `Judged`: its executable form, its findings,
//! risk and impact; or an error.
//! Invariant: a reading informs people and rules, and replaces no decision on a call: its
//! program may have compromised the reader.

pub(crate) mod calls;
pub(crate) mod check;
mod checkers;
mod file_access;
pub(crate) mod inspect;
pub(crate) mod judge;
mod missing_modules;
pub(crate) mod patterns;
mod python_types;
pub(crate) mod stage;
mod token_comparisons;
mod type_check;
mod type_report;

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate_config::{PrivacyMode, Settings};
use tidegate_sandbox::Pool;
use tidegate_validate::{Example, ValidationRules as Patterns};

use crate::policy::CurrentPolicy;
use crate::recorder::Recorder;
use crate::tools::Tools;
use patterns::PatternsError;
use python_types::PythonTypes;
use type_check::Types;

/// Reads, checks and judges programs.
pub(crate) struct Examiner {
    readers: Pool,
    /// The rules about dangerous code.
    patterns: Patterns,
    /// None if it is off, or there is no compiler.
    types: Option<Types>,
    /// The same for Python.
    python_types: Option<PythonTypes>,
    policy: Arc<CurrentPolicy>,
    tools: Arc<Tools>,
    privacy_mode: PrivacyMode,
    recorder: Recorder,
}

impl Examiner {
    /// Loads the rules about programs and looks for type checkers. Starts nothing.
    pub(crate) fn open(
        settings: &Settings,
        environment: &BTreeMap<String, String>,
        readers: Pool,
        policy: Arc<CurrentPolicy>,
        tools: Arc<Tools>,
        recorder: Recorder,
    ) -> Result<Self, PatternsError> {
        Ok(Self {
            readers,
            patterns: patterns::load(&settings.checks.patterns)?,
            types: checkers::type_checker(settings, environment),
            python_types: checkers::python_type_checker(settings, environment),
            policy,
            tools,
            privacy_mode: settings.privacy.mode,
            recorder,
        })
    }

    /// Keeps readers ready from now on, and starts the TypeScript checker. The Python
    /// checker waits for the first program: many gateways never see one, and pyright takes
    /// 140 MB.
    pub(crate) fn prepare(&self) {
        self.readers.prepare();
        if let Some(types) = &self.types {
            types.warm_up();
        }
    }

    /// The examples in the user's rule files.
    pub(crate) fn examples(&self) -> &[Example] {
        self.patterns.examples()
    }

    /// Ends the readers.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
    }
}
