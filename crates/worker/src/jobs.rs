//! Promise jobs: runs them one at a time, and tracks unhandled rejections.
//!
//! In: the context of an engine. Out: the result of each job, and the first rejection
//! without a handler.
//! Invariant: the exception of a job that threw stays pending in the context.

use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;

use rquickjs::{Ctx, Persistent, Promise, Runtime, Value, qjs};

/// The result of running the next job.
pub(crate) enum JobOutcome {
    /// There was no job.
    None,
    /// It ran.
    Ran,
    /// It threw, and the exception is pending in the context: the program was
    /// interrupted, or the callback of `queueMicrotask` threw.
    Threw,
}

/// Runs the next job.
///
/// Not `Ctx::execute_pending_job`: it drops the exception of a job that threw,
/// and with it the line of the loop that was interrupted.
#[expect(unsafe_code, reason = "rquickjs has no call that keeps the exception")]
pub(crate) fn run_next(ctx: &Ctx<'_>) -> JobOutcome {
    let mut ran_in = ptr::null_mut();
    // SAFETY: the context is alive while we hold it, so its runtime is too, and `ran_in`
    // outlives the call. There is one context, so a pending exception is pending in `ctx`.
    let outcome = unsafe {
        let runtime = qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        qjs::JS_ExecutePendingJob(runtime, &raw mut ran_in)
    };
    match outcome {
        0 => JobOutcome::None,
        1.. => JobOutcome::Ran,
        _ => JobOutcome::Threw,
    }
}

/// Rejected promises without a handler, oldest first.
#[derive(Clone, Default)]
pub(crate) struct Rejections(Rc<RefCell<Vec<Persistent<Value<'static>>>>>);

impl Rejections {
    /// Tracks the rejections of a runtime from now on.
    pub(crate) fn watch(runtime: &Runtime) -> Self {
        let rejections = Self::default();
        let unhandled = rejections.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx, promise, _reason, is_handled| {
                let promise = Persistent::save(&ctx, promise);
                let mut unhandled = unhandled.0.borrow_mut();
                if is_handled {
                    unhandled.retain(|other| *other != promise);
                } else {
                    unhandled.push(promise);
                }
            },
        )));
        rejections
    }

    /// Makes the oldest rejection the pending exception of the context. False if there is
    /// none.
    pub(crate) fn throw_first(&self, ctx: &Ctx<'_>) -> bool {
        let first = self.0.borrow().first().cloned();
        let promise = first.and_then(|first| Promise::from_value(first.restore(ctx).ok()?).ok());
        // `result` throws the reason of a rejected promise.
        promise.is_some_and(|promise| matches!(promise.result::<Value<'_>>(), Some(Err(_))))
    }
}
