//! A program is read and judged before it runs.
//!
//! In: an [`Admitted`] program. Out: a [`Read`] one, then a [`Judged`] one; or an error.
//! The gateway parses no program itself: a reader does, in a jail and in a process of its
//! own, which ends after one program (`crates/reader`). It gets the program and answers
//! once; any other message ends the run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use tidegate_model::{ErrorCode, LimitName, Prepared, Program, RunError};
use tidegate_sandbox::{ChannelError, Worker};
use tidegate_wire::{Failure, Fault, FromGuest, PrepareRequest, ToGuest};
use tokio::time::timeout;

use super::Examiner;
use crate::admit::stage::{Admitted, Submitted};
use crate::examine::check::Examined;
use crate::examine::judge::Judgement;
use crate::explain::limit::{limit_error, start_error};
use crate::explain::{self, reported};
use crate::tools::view::View;

/// The most time that a reader may take. Chosen: a thousand times what it takes.
pub(crate) const READING_TIME: Duration = Duration::from_secs(10);

/// A program that was read.
pub(crate) struct Read {
    admitted: Admitted,
    prepared: Prepared,
    /// When its time started to count.
    since: Instant,
}

/// A program that was checked and judged, and may run as far as the checks are concerned.
pub(crate) struct Judged {
    pub(crate) admitted: Admitted,
    pub(crate) prepared: Prepared,
    pub(crate) view: View,
    pub(crate) judgement: Judgement,
    /// Warnings for its author, sent with the result.
    pub(crate) warnings: Vec<String>,
    /// When its time started to count.
    pub(crate) since: Instant,
    /// Only this module can make one.
    _sealed: Sealed,
}

struct Sealed;

/// Why a program was not read.
pub(crate) enum NotRead {
    /// The program is wrong: it does not parse.
    Invalid(RunError),
    /// There is no reader, or it was lost.
    Failed(RunError),
}

impl From<NotRead> for RunError {
    fn from(not_read: NotRead) -> Self {
        match not_read {
            NotRead::Invalid(error) | NotRead::Failed(error) => error,
        }
    }
}

impl Examiner {
    /// Has a reader read a program.
    pub(crate) async fn read(&self, admitted: Admitted) -> Result<Read, RunError> {
        let since = Instant::now();
        let within = admitted.run.limits.time.min(READING_TIME);
        match self.prepared(&admitted.run.program, within).await {
            Ok(prepared) => Ok(Read { admitted, prepared, since }),
            Err(_) if since.elapsed() >= admitted.run.limits.time => {
                Err(self.out_of_time(&admitted.run, since))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Checks a program that was read, and judges it, within the time of its run. `modules`
    /// are the Python modules available here, if known.
    pub(crate) async fn judge(
        &self,
        read: Read,
        modules: Option<&BTreeSet<String>>,
    ) -> Result<Judged, RunError> {
        let Read { admitted, prepared, since } = read;
        let run = &admitted.run;
        let view = View::new(self.tools.catalog(), run.program.language);
        let left = run.limits.time.saturating_sub(since.elapsed());
        let (permissions, source) = (&run.permissions, &run.program.source);
        let examining = self.examine(&view, permissions, source, &prepared, modules);
        let Ok(Examined { verdict, judgement }) = timeout(left, examining).await else {
            return Err(self.out_of_time(run, since));
        };
        let (warnings, _sealed) = (verdict?, Sealed);
        let principal = &run.person.context().principal;
        self.recorder.passed(principal, &run.id, judgement.stage());
        Ok(Judged { admitted, prepared, view, judgement, warnings, since, _sealed })
    }

    fn out_of_time(&self, run: &Submitted, since: Instant) -> RunError {
        let used = u64::try_from(since.elapsed().as_millis()).ok();
        let configured = self.policy.configured_limits();
        limit_error(LimitName::Time, used, &run.limits, configured, &run.permissions)
    }

    /// What a reader reports about a program.
    pub(super) async fn prepared(
        &self,
        program: &Program,
        within: Duration,
    ) -> Result<Prepared, NotRead> {
        let (reader, _lease) = self.readers.take().await.map_err(|error| {
            tracing::error!(%error, "no reader");
            let limits = self.policy.configured_limits();
            NotRead::Failed(explain::sandbox(&error, |limit| start_error(limit, limits)))
        })?;
        // Killed when it is dropped, after its one answer.
        let Worker { mut reader, mut writer, handle: _handle, report: _ } = reader;
        let (language, source) = (program.language, program.source.clone());
        let asking = async {
            writer.send(&ToGuest::Prepare(PrepareRequest { language, source })).await?;
            reader.next().await
        };
        match timeout(within, asking).await {
            Ok(Ok(FromGuest::Prepared(prepared))) => {
                (*prepared).map_err(|failure| not_parsed(&failure, &program.source))
            }
            Ok(Ok(_)) => Err(NotRead::Failed(reader_lost())),
            Ok(Err(ChannelError::Malformed(error))) => {
                tracing::warn!(%error, "a reader broke the protocol, or its program is too long");
                Err(NotRead::Failed(reader_lost()))
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "reader lost");
                Err(NotRead::Failed(reader_lost()))
            }
            Err(_) => {
                tracing::warn!("a reader took too long");
                Err(NotRead::Failed(reader_lost()))
            }
        }
    }
}

/// A reader can only say that a program does not parse, or uses a value as what it is not.
fn not_parsed(failure: &Failure, source: &str) -> NotRead {
    match failure.complaint() {
        Some(complaint) if matches!(complaint.fault, Fault::Syntax | Fault::Type) => {
            NotRead::Invalid(reported::placed(reported::complaint(complaint), failure, source))
        }
        _ => NotRead::Failed(reader_lost()),
    }
}

fn reader_lost() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the program could not be read").with_hint(
        "the user can find the reason in the log; a program that is nested very deeply does this",
    )
}
