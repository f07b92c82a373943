//! QuickJS: one runtime, one program, one event loop.
//!
//! In: JavaScript from the reader, and its limits. Out: JSON text of its output, or why it
//! failed. The engine runs in this thread, and replies arrive on the channel, so the event
//! loop is: run jobs, fire timers, wait for a reply, repeat.
//! Invariant: the runtime is never freed, since the process exits right after the run.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Promise, Runtime, Value};
use tidegate_model::LineMap;
use tidegate_wire::{EngineLimit, Failure, Fault, RunRequest};

use crate::exception::{Known, pending_error};
use crate::globals::{self, Callbacks, SavedCallbacks, error_json, named};
use crate::host::Host;
use crate::jobs::{self, JobOutcome, Rejections};
use crate::thrown::{
    FILE_NAME, as_bad_output, as_rejection, as_syntax_error, lost, stuck, with_mistake_hint,
};

/// JavaScript stack. The thread's real stack is much larger: QuickJS aborts the process if
/// its limit exceeds the real stack.
pub(crate) const STACK_BYTES: usize = 1024 * 1024;

/// An engine with its globals, ready for one program. Created before the program is known,
/// so that a spare worker is warm.
pub(crate) struct Engine {
    runtime: Runtime,
    context: Context,
    callbacks: SavedCallbacks,
    rejections: Rejections,
}

impl Engine {
    /// Starts the engine and builds the globals.
    pub(crate) fn new(host: &Rc<Host>) -> rquickjs::Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_max_stack_size(STACK_BYTES);
        let watched = Rc::clone(host);
        runtime.set_interrupt_handler(Some(Box::new(move || watched.stop_reason().is_some())));
        let rejections = Rejections::watch(&runtime);
        let context = Context::full(&runtime)?;
        let callbacks = context
            .with(|ctx| globals::install(&ctx, host).map(|callbacks| callbacks.save(&ctx)))?;
        Ok(Self { runtime, context, callbacks, rejections })
    }

    /// Runs one program to its end.
    pub(crate) fn run(
        self,
        host: &Rc<Host>,
        request: &RunRequest,
    ) -> Result<Option<String>, Failure> {
        // Never freed: that could take longer than the time left, and the process exits
        // right after.
        let engine = ManuallyDrop::new(self);
        let executable = request.executable.as_ref().ok_or_else(lost)?;
        let map = LineMap::from_bytes(&executable.line_map);
        let memory_bytes = usize::try_from(request.memory_bytes).unwrap_or(usize::MAX);
        engine.runtime.set_memory_limit(memory_bytes);
        engine.context.with(|ctx| {
            let (map, rejections) = (&map, &engine.rejections);
            let callbacks = engine.callbacks.restore(&ctx);
            let request_of = callbacks.as_ref().ok().map(|callbacks| callbacks.request_of.clone());
            let run =
                ActiveProgram { ctx: ctx.clone(), host, request, map, rejections, request_of };
            let callbacks = callbacks.map_err(|_| run.error())?;
            run.program(&executable.code, &callbacks)
        })
    }
}

struct ActiveProgram<'js, 'r> {
    ctx: Ctx<'js>,
    host: &'r Rc<Host>,
    request: &'r RunRequest,
    map: &'r LineMap,
    rejections: &'r Rejections,
    request_of: Option<Function<'js>>,
}

impl<'js> ActiveProgram<'js, '_> {
    fn program(&self, code: &str, callbacks: &Callbacks<'js>) -> Result<Option<String>, Failure> {
        let options = named(FILE_NAME);
        let program: Function<'js> =
            self.ctx.eval_with_options(code, options).map_err(|_| as_syntax_error(self.error()))?;
        let running: Promise<'js> =
            program.call((callbacks.port.clone(),)).map_err(|_| self.error())?;
        let returned = self.settled(&running, callbacks)?;
        let finished: Promise<'js> =
            callbacks.finish.call((returned,)).map_err(|_| self.error())?;
        let output = self.settled(&finished, callbacks)?;
        // A call that is not awaited must still be made.
        while self.host.in_flight() > 0 {
            self.turn(callbacks, WaitFor::CallsOnly)?;
        }
        // And its failure must be reported.
        if self.rejections.throw_first(&self.ctx) {
            return Err(as_rejection(self.error()));
        }
        self.encode(&output, callbacks)
    }

    /// Runs the event loop until a promise settles.
    fn settled(
        &self,
        promise: &Promise<'js>,
        callbacks: &Callbacks<'js>,
    ) -> Result<Value<'js>, Failure> {
        loop {
            self.run_jobs()?;
            match promise.state() {
                PromiseState::Resolved | PromiseState::Rejected => break,
                PromiseState::Pending => self.turn(callbacks, WaitFor::Anything)?,
            }
        }
        match promise.result::<Value<'js>>() {
            Some(Ok(value)) => Ok(value),
            _ => Err(self.error()),
        }
    }

    fn run_jobs(&self) -> Result<(), Failure> {
        loop {
            if let Some(reason) = self.host.stop_reason() {
                return Err(reason.into());
            }
            match jobs::run_next(&self.ctx) {
                JobOutcome::None => return Ok(()),
                JobOutcome::Ran => {}
                JobOutcome::Threw => return Err(self.error()),
            }
        }
    }

    /// One turn of the event loop: a due timer, else the next reply.
    fn turn(&self, callbacks: &Callbacks<'js>, wait: WaitFor) -> Result<(), Failure> {
        let timer = match wait {
            WaitFor::Anything => self.host.next_timer(),
            WaitFor::CallsOnly => None,
        };
        if timer.is_some()
            && let Some(id) = self.host.due_timer()
        {
            let fired: rquickjs::Result<()> = callbacks.fire_timer.call((id,));
            return fired.map_err(|_| self.error());
        }
        if timer.is_none() && self.host.in_flight() == 0 {
            return Err(stuck());
        }
        let reply = self.host.next_reply(timer).map_err(|_| lost())?;
        if let Some((id, outcome)) = reply {
            let (ok, text) = match outcome {
                Ok(value) => (true, value),
                Err(error) => (false, error_json(id, error)),
            };
            let settled: rquickjs::Result<()> = callbacks.settle.call((id, ok, text));
            settled.map_err(|_| self.error())?;
        }
        self.run_jobs()
    }

    fn encode(
        &self,
        output: &Value<'js>,
        callbacks: &Callbacks<'js>,
    ) -> Result<Option<String>, Failure> {
        let encoded: rquickjs::Result<Value<'js>> = callbacks.encode_output.call((output.clone(),));
        let encoded = encoded.map_err(|_| as_bad_output(self.error()))?;
        let Some(text) = encoded.as_string() else { return Ok(None) };
        let text = text.to_string().map_err(|_| {
            Failure::of(Fault::BadOutput, "the output holds text that is not valid Unicode")
        })?;
        if !self.host.count_output(text.len() as u64) {
            return Err(EngineLimit::Output.into());
        }
        Ok(Some(text))
    }

    fn error(&self) -> Failure {
        let known = Known {
            map: self.map,
            host: self.host,
            memory_limit: self.request.memory_bytes,
            request_of: self.request_of.as_ref(),
        };
        let error = pending_error(&self.ctx, &known);
        with_mistake_hint(error, &self.request.source, self.host)
    }
}

#[derive(Clone, Copy)]
enum WaitFor {
    Anything,
    CallsOnly,
}
