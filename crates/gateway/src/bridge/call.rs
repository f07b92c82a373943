//! One call of a tool, whoever makes it: resolve, decide, call, learn, record.
//!
//! This is where a call is decided: [`Policy::decide`](tidegate_policy::Policy)
//! makes the [`Permit`], and `Discovery::call`, the only way from here to the
//! servers, takes nothing else.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use serde_json::{Map, Value};
use tidegate_model::{
    Answer, CallRecord, Change, Effect, ErrorCode, Event, Language, Outcome, Principal, RunError,
    RunId, ToolCall, ToolDef, ToolRef, Towards, json_bytes, whole_words,
};
use tidegate_policy::{Denial, Permissions};

use super::Bridge;
use crate::approvals::person::Person;
use crate::privacy::Unscanned;
use crate::recorder::Recorder;
use crate::{explain, input_limits, tokens};

/// How many calls of unknown names are recorded of one run; of the others, every so manieth is.
const UNRESOLVED_NAMES: u32 = 200;

/// The caller of a tool: a run, with its permissions and its language.
pub(crate) struct Caller<'a> {
    pub(crate) run: &'a RunId,
    pub(crate) permissions: &'a Permissions,
    pub(crate) language: Language,
    /// The person to ask if necessary.
    pub(crate) person: &'a Person,
    /// The journal entry of the call, for a run that resumes later.
    pub(crate) entry: Option<usize>,
    /// The tool that was called, once that is known.
    pub(crate) called: &'a OnceLock<ToolRef>,
}

impl Bridge {
    /// Makes a call by name, for a program or for `call_tool`. `argument_bytes` is the
    /// length of the arguments as JSON text.
    pub(crate) async fn call(
        &self,
        caller: &Caller<'_>,
        name: &str,
        arguments: Map<String, Value>,
        argument_bytes: u64,
    ) -> Result<Unscanned<Answer>, RunError> {
        self.recorder.ready(&caller.person.context().principal).await;
        let mut record = Recording::start(&self.recorder, caller, argument_bytes);
        let answered =
            self.decided_call(caller, name, arguments, argument_bytes, &mut record.tool).await;
        self.name_unresolved(caller, name, &mut record);
        record.finish(&answered);
        answered
    }

    /// Refuses a call whose arguments are not one object, with the names that
    /// the tool takes.
    pub(crate) async fn refuse_unnamed(
        &self,
        caller: &Caller<'_>,
        name: &str,
        arguments: &str,
    ) -> RunError {
        self.recorder.ready(&caller.person.context().principal).await;
        let mut record = Recording::start(&self.recorder, caller, arguments.len() as u64);
        let error = self.unnamed(caller, name, arguments, &mut record.tool).await;
        self.name_unresolved(caller, name, &mut record);
        record.outcome = Outcome::Failed(error.code);
        error
    }

    /// Records an unresolved name, redacted and truncated: programs choose it, and may pass
    /// personal data. Real ones are shorter. A program may also pass ten thousand names: after
    /// the first ones, only some are recorded.
    fn name_unresolved(&self, caller: &Caller<'_>, name: &str, record: &mut Recording<'_>) {
        const LONGEST: usize = 130;
        if record.tool == unresolved() {
            let number = caller.person.calls.unresolved.fetch_add(1, Ordering::Relaxed);
            if number >= UNRESOLVED_NAMES {
                record.is_left_out = !number.is_multiple_of(UNRESOLVED_NAMES);
                record.tool = ToolRef::new("", format!("(unknown names, {number} so far)"));
                return;
            }
            let principal = &caller.person.context().principal;
            // A name may have any length; so much of it is searched that no value is cut.
            let name = whole_words(name, 8 * LONGEST);
            let shown = self.privacy.leaving(principal).text(name);
            record.tool = ToolRef::new("", &shown[..shown.floor_char_boundary(LONGEST)]);
        }
    }

    async fn unnamed(
        &self,
        caller: &Caller<'_>,
        name: &str,
        arguments: &str,
        named: &mut ToolRef,
    ) -> RunError {
        // JSON that is too deep for the parser looks like invalid JSON.
        if let Err(error) =
            input_limits::name(name).and_then(|()| input_limits::depth_of_text(name, arguments))
        {
            return error;
        }
        let (id, _) = match self.tools.discovery.resolve_in(caller.language, name).await {
            Ok(found) => found,
            Err(error) => return error,
        };
        *named = id.clone();
        let catalog = self.tools.catalog();
        let Some(tool) = catalog.shown(&id) else { return explain::no_tools(&id.server) };
        let schema = &tool.input_schema;
        let required = schema.get("required").and_then(Value::as_array);
        let mut wanted: Vec<&str> =
            required.into_iter().flatten().filter_map(Value::as_str).collect();
        if wanted.is_empty() {
            let known = schema.get("properties").and_then(Value::as_object);
            wanted = known.into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        }
        let function = catalog.function_name(&id).unwrap_or("tool");
        explain::not_named(&id, function, arguments, &wanted)
    }

    async fn decided_call(
        &self,
        caller: &Caller<'_>,
        name: &str,
        arguments: Map<String, Value>,
        argument_bytes: u64,
        named: &mut ToolRef,
    ) -> Result<Unscanned<Answer>, RunError> {
        input_limits::name(name)?;
        input_limits::length(name, argument_bytes, &self.input)?;
        input_limits::depth(name, &arguments)?;
        let mut arguments = arguments;
        let mut restored = false;
        loop {
            let (id, tool, change) = self.resolve_to_call(caller, name).await?;
            *named = id.clone();
            // Before the decision, whose rules are about what will really be sent. And only
            // once: a restored value may contain text that looks like a token.
            if !std::mem::replace(&mut restored, true) {
                // Already set if a question came in between.
                let _ = caller.called.set(id.clone());
                arguments = self.restore(caller, (&id, &tool), arguments)?;
            }
            let call = ToolCall { tool: id.clone(), arguments };
            let standing = caller.person.call_context();
            let policy = self.policy.with_current_rules();
            let decided = policy.decide(caller.permissions, call, &tool, change.as_ref(), standing);
            match decided {
                Ok(permit) => {
                    if permit.effect() != Effect::ReadOnly {
                        self.about_to(caller, &id).await?;
                    }
                    let answer = self.tools.discovery.call(permit).await?;
                    self.tools.shapes.learn(&id, &tool, &answer);
                    return Ok(answer);
                }
                // Decided again after approval: by then rules, tool and profile may have
                // changed.
                Err(Denial::NeedsApproval(asked)) => {
                    self.approvals.ask_about_call(caller.person, caller.run, &asked).await?;
                    arguments = asked.call.arguments;
                }
                Err(denial) => return Err(explain::denial(&denial, &id)),
            }
        }
    }

    /// Replaces tokens in arguments by values, if the server may receive them.
    fn restore(
        &self,
        caller: &Caller<'_>,
        (id, tool): (&ToolRef, &ToolDef),
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, RunError> {
        let principal = &caller.person.context().principal;
        let meant = |token| caller.person.wrote_token(token);
        let restored =
            self.privacy.restore(principal, (&id.server, &tool.input_schema), arguments, &meant)?;
        if let Some(token) = restored.left.first() {
            caller.person.note(format!(
                "`{token}` came with data and is not in the program: it was passed on as it is"
            ));
        }
        let towards = Towards::Server(id.server.clone());
        self.privacy.note_restores(principal, caller.run, towards, &restored.counts);
        Ok(restored.value)
    }

    /// Resolves a name to a tool that can be called now.
    async fn resolve_to_call(
        &self,
        caller: &Caller<'_>,
        name: &str,
    ) -> Result<(ToolRef, Arc<ToolDef>, Option<Change>), RunError> {
        let resolve = || self.tools.discovery.resolve_to_call(caller.language, name);
        let (id, tool, change) = resolve().await?;
        let quarantined =
            self.policy.grants().quarantined(caller.permissions, &id, change.as_ref()).is_some();
        // A person may have accepted it since, in another process.
        if quarantined && self.tools.discovery.acceptance.refresh() {
            return resolve().await;
        }
        Ok((id, tool, change))
    }
}

/// The recorded tool until the name of a call is resolved.
fn unresolved() -> ToolRef {
    ToolRef::new("", "(not resolved)")
}

/// Records a call when it ends, even if it is dropped because nothing waits for it any more:
/// made, refused, failed or cancelled, every call has a row.
struct Recording<'a> {
    recorder: &'a Recorder,
    principal: &'a Principal,
    run: &'a RunId,
    started_at: SystemTime,
    started: Instant,
    tool: ToolRef,
    outcome: Outcome,
    argument_bytes: u64,
    answer_bytes: u64,
    /// Another row stands for it.
    is_left_out: bool,
}

impl<'a> Recording<'a> {
    fn start(recorder: &'a Recorder, caller: &'a Caller<'_>, argument_bytes: u64) -> Self {
        Self {
            recorder,
            principal: &caller.person.context().principal,
            run: caller.run,
            started_at: recorder.now(),
            started: Instant::now(),
            tool: unresolved(),
            outcome: Outcome::Failed(ErrorCode::Cancelled),
            argument_bytes,
            answer_bytes: 0,
            is_left_out: false,
        }
    }

    fn finish(mut self, answered: &Result<Unscanned<Answer>, RunError>) {
        self.outcome = match answered {
            Ok(answer) if answer.fact(|answer| answer.is_error) => {
                Outcome::Failed(ErrorCode::ToolFailed)
            }
            Ok(_) => Outcome::Succeeded,
            Err(error) => Outcome::Failed(error.code),
        };
        self.answer_bytes = answered.as_ref().map_or(0, |answer| answer.fact(answer_bytes));
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if self.is_left_out {
            return;
        }
        let bytes = usize::try_from(self.answer_bytes).unwrap_or(usize::MAX);
        let call = CallRecord {
            run_id: self.run.clone(),
            started_at: self.started_at,
            tool: self.tool.clone(),
            outcome: self.outcome,
            duration: self.started.elapsed(),
            argument_bytes: self.argument_bytes,
            answer_bytes: self.answer_bytes,
            answer_tokens: tokens::estimate(bytes) as u64,
        };
        self.recorder.tell(self.principal, Event::Call(call));
    }
}

/// What the answer would have cost if the model had called the tool itself: its content
/// blocks.
fn answer_bytes(answer: &Answer) -> u64 {
    if answer.content.is_empty() {
        answer.structured.as_ref().map_or(0, json_bytes)
    } else {
        json_bytes(&answer.content)
    }
}
