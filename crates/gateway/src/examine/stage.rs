//! A program is read and judged before it runs.
//!
//! In: an [`Admitted`] program. Out: a [`Read`] one, then a [`Judged`] one; or why it
//! cannot run. The gateway parses no program itself: a reader does, in a jail and in a
//! process of its own that reads one program and is gone (`crates/reader`). It is told
//! what to read and answers once; whatever else it says ends the run.

use std::time::Duration;

use tidegate_model::{ErrorCode, LimitName, Prepared, Program, RunError};
use tidegate_sandbox::{ChannelError, Worker};
use tidegate_wire::{FromGuest, PrepareRequest, ToGuest};
use tokio::time::timeout;

use crate::admit::stage::Admitted;
use crate::examine::check::Examined;
use crate::examine::judge::Judgement;
use crate::explain;
use crate::explain::limit::{limit_error, start_error};
use crate::gateway::Gateway;
use crate::run::is_said_by_host_only;
use crate::tools::view::View;

/// How long a reader may take at most. Chosen: a thousand times what it takes.
pub(crate) const READING_TIME: Duration = Duration::from_secs(10);

/// A program that was read.
pub(crate) struct Read {
    admitted: Admitted,
    prepared: Prepared,
}

/// A program that was checked and judged, and may run as far as the checks are concerned.
pub(crate) struct Judged {
    pub(crate) admitted: Admitted,
    pub(crate) prepared: Prepared,
    pub(crate) view: View,
    pub(crate) judgement: Judgement,
    /// What its author is told beside the result.
    pub(crate) warnings: Vec<String>,
    /// Nobody else can make one.
    _sealed: Sealed,
}

struct Sealed;

/// Why nothing was read.
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

impl Gateway {
    /// Has a program read.
    pub(crate) async fn read(&self, admitted: Admitted) -> Result<Read, RunError> {
        // Meanwhile, if none is ready.
        admitted.workers.start_ahead();
        let within = admitted.run.limits.time.min(READING_TIME);
        match self.prepared(&admitted.run.program, within).await {
            Ok(prepared) => Ok(Read { admitted, prepared }),
            Err(_) if admitted.since.elapsed() >= admitted.run.limits.time => {
                Err(self.out_of_time(&admitted))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Checks a program that was read, and judges it, within the time of its run.
    pub(crate) async fn judged(&self, read: Read) -> Result<Judged, RunError> {
        let Read { admitted, prepared } = read;
        let run = &admitted.run;
        let view = View::new(self.catalog(), run.program.language);
        let left = run.limits.time.saturating_sub(admitted.since.elapsed());
        let examining = self.examine(&view, &run.permissions, &run.program.source, &prepared);
        let Ok(Examined { verdict, judgement }) = timeout(left, examining).await else {
            return Err(self.out_of_time(&admitted));
        };
        let warnings = verdict?;
        Ok(Judged { admitted, prepared, view, judgement, warnings, _sealed: Sealed })
    }

    fn out_of_time(&self, Admitted { run, since, .. }: &Admitted) -> RunError {
        let used = u64::try_from(since.elapsed().as_millis()).ok();
        let configured = &self.settings.limits;
        limit_error(LimitName::Time, used, &run.limits, configured, &run.permissions)
    }

    /// What a reader says of a program.
    pub(crate) async fn prepared(
        &self,
        program: &Program,
        within: Duration,
    ) -> Result<Prepared, NotRead> {
        let (reader, _lease) = self.readers.take().await.map_err(|error| {
            tracing::error!(%error, "no reader");
            let limits = &self.settings.limits;
            NotRead::Failed(explain::sandbox(&error, |limit| start_error(limit, limits)))
        })?;
        let said = timeout(within, ask(reader, program)).await;
        match said {
            Ok(Ok(FromGuest::Prepared(prepared))) => {
                (*prepared).map_err(|error| match is_said_by_host_only(error.code) {
                    true => NotRead::Failed(reader_lost()),
                    false => NotRead::Invalid(error.clipped()),
                })
            }
            Ok(Ok(_)) => Err(NotRead::Failed(reader_lost())),
            Ok(Err(ChannelError::Broken(error))) => {
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

/// Sends the program and waits for the one answer. The reader is killed with its end.
async fn ask(reader: Worker, program: &Program) -> Result<FromGuest, ChannelError> {
    let Worker { mut reader, mut writer, life: _life, report: _ } = reader;
    let (language, source) = (program.language, program.source.clone());
    writer.send(&ToGuest::Prepare(PrepareRequest { language, source })).await?;
    reader.next().await
}

fn reader_lost() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the program could not be read").with_hint(
        "the user can see why in the log; a program that is nested very deeply does this",
    )
}
