//! A program's `commands.run`: decided, run in a jail of its own, and recorded.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use tidegate_model::{
    CommandRecord, CommandSizes, CommandSpec, ErrorCode, Event, ExitStatus, Outcome, Principal,
    RunError, RunId,
};
use tidegate_policy::Permissions;
use tidegate_sandbox::{CommandExit, CommandJob, CommandOutcome, LimitHit};

use super::Bridge;
use crate::explain;
use crate::explain::command as explain_command;
use crate::explain::limit::{bound_of_command, command_error};
use crate::privacy::Unscanned;
use crate::recorder::Recorder;

/// What a program can send in addition to the name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    args: Vec<String>,
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    timeout_ms: Option<f64>,
}

/// A command that has ended, and notices for the program.
struct Done {
    ended: CommandOutcome,
    notices: Vec<String>,
}

impl Bridge {
    /// Runs a host command for a program. `request` and the answer are JSON text.
    pub(crate) async fn command(
        &self,
        run: &RunId,
        principal: &Principal,
        permissions: &Permissions,
        name: &str,
        request: &str,
    ) -> Result<Unscanned<Result<String, RunError>>, RunError> {
        self.recorder.ready(principal).await;
        let mut record = Recording::start(&self.recorder, principal, run);
        let ended = self.decided_command(permissions, name, request, &mut record).await;
        // An unknown name was chosen by the program, and may be personal data.
        if record.record.path.is_none() {
            record.record.name = self.privacy.leaving(principal).text(clip(name)).into_string();
        }
        record.finish(&ended);
        ended.map(|done| Unscanned::new(done).map(|done| Ok(answer(&done))))
    }

    async fn decided_command(
        &self,
        permissions: &Permissions,
        name: &str,
        request: &str,
        record: &mut Recording<'_>,
    ) -> Result<Done, RunError> {
        let request: Request = serde_json::from_str(request).map_err(|_| {
            let message = format!("`{}` got arguments that are not a list of text", clip(name));
            RunError::new(ErrorCode::CommandDenied, message).with_hint(
                "write `commands.run(\"name\", [\"first\", \"second\"], { input: \"…\" })`",
            )
        })?;
        record.sizes(&request);
        let permit = self
            .policy
            .grants()
            .decide_command(permissions, name, request.args)
            .map_err(|denial| explain_command::denial(&denial, clip(name)))?;
        let (spec, arguments) = permit.into_parts();
        record.record.name = name.to_owned();
        record.record.path = Some(spec.path.display().to_string());
        let input = request.input.unwrap_or_default();
        let timeout = request.timeout_ms.map(duration);
        let job = self.job(permissions, spec, arguments, input, timeout)?;
        let limits = job.limits.clone();
        let Some(runner) = &self.commands else { return Err(explain::internal()) };
        let limited = |hit: LimitHit| {
            let configured = self.policy.configured_limits();
            let bound = bound_of_command(hit.limit, &limits, configured, permissions, spec);
            command_error(name, hit, &limits, &bound)
        };
        let ended = runner.run(job).await.map_err(|error| {
            tracing::warn!(error = %explain_command::chain(&error), command = name, "command failed");
            explain_command::failure(&error, name, limited)
        })?;
        // A limit that cost a command something without ending it, worded like an error.
        let notice = |error: RunError| match error.hint {
            Some(hint) => format!("{}; {hint}", error.message),
            None => error.message,
        };
        let notices = ended.hits.iter().map(|&hit| notice(limited(hit))).collect();
        Ok(Done { ended, notices })
    }

    fn job(
        &self,
        permissions: &Permissions,
        spec: &CommandSpec,
        arguments: Vec<String>,
        input: String,
        timeout: Option<Duration>,
    ) -> Result<CommandJob, RunError> {
        let identity = spec.identity.ok_or_else(|| explain_command::missing(&spec.name))?;
        let mut limits = permissions.limits(self.policy.configured_limits().clone());
        limits.time = limits.time.min(spec.time).min(timeout.unwrap_or(spec.time));
        limits.memory_bytes = limits.memory_bytes.min(spec.memory_bytes);
        limits.output_bytes = limits.output_bytes.min(spec.output_bytes);
        let variables = spec.environment.iter();
        Ok(CommandJob {
            path: spec.path.clone(),
            identity,
            arguments,
            environment: variables
                .map(|(name, value)| (name.clone(), value.expose().clone()))
                .collect(),
            read: spec.read.clone(),
            write: spec.write.clone(),
            input,
            limits,
        })
    }
}

/// A duration from what a program wrote. Nonsense gives the shortest one.
fn duration(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds.clamp(1.0, 86_400_000.0).max(1.0) / 1000.0)
}

fn clip(name: &str) -> &str {
    &name[..name.floor_char_boundary(100)]
}

fn answer(Done { ended: end, notices }: &Done) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let exit_code = match end.exit {
        CommandExit::Code(code) => Some(code),
        CommandExit::Signal(_) => None,
    };
    let mut answer = json!({
        "exit_code": exit_code,
        "stdout": text(&end.output),
        "stderr": text(&end.error),
        "truncated": end.truncated,
    });
    if let Some(signal) = end.exit.signal_name() {
        answer["signal"] = signal.into();
    }
    if !notices.is_empty() {
        answer["notices"] = json!(notices);
    }
    answer.to_string()
}

/// Records a command when it ends, even if it is dropped because nothing waits for it any
/// more: run, refused, failed or cancelled, every command has a row.
struct Recording<'a> {
    recorder: &'a Recorder,
    principal: &'a Principal,
    started: Instant,
    record: CommandRecord,
}

impl<'a> Recording<'a> {
    fn start(recorder: &'a Recorder, principal: &'a Principal, run: &RunId) -> Self {
        let record = CommandRecord {
            run_id: run.clone(),
            started_at: recorder.now(),
            name: "(not decided)".to_owned(),
            path: None,
            outcome: Outcome::Failed(ErrorCode::Cancelled),
            exit: ExitStatus::default(),
            duration: Duration::ZERO,
            sizes: CommandSizes::default(),
        };
        Self { recorder, principal, started: Instant::now(), record }
    }

    fn sizes(&mut self, request: &Request) {
        self.record.sizes.arguments = request.args.len() as u64;
        self.record.sizes.argument_bytes = request.args.iter().map(|arg| arg.len() as u64).sum();
        self.record.sizes.input_bytes = request.input.as_ref().map_or(0, String::len) as u64;
    }

    fn finish(mut self, ended: &Result<Done, RunError>) {
        match ended {
            Ok(Done { ended: end, .. }) => {
                self.record.outcome = Outcome::Succeeded;
                self.record.exit.signal = end.exit.signal_name();
                if let CommandExit::Code(code) = end.exit {
                    self.record.exit.code = Some(code);
                }
                self.record.sizes.output_bytes = (end.output.len() + end.error.len()) as u64;
            }
            Err(error) => self.record.outcome = Outcome::Failed(error.code),
        }
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        self.record.duration = self.started.elapsed();
        self.recorder.tell(self.principal, Event::Command(self.record.clone()));
    }
}
