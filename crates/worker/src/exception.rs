//! Reads a value thrown in QuickJS.
//!
//! In: the pending exception of a context. Out: an error, made by `thrown.rs`.
//! Invariant: every read may fail and is then skipped. The value is the program's own and
//! may be anything: a getter that throws, a proxy, not an error at all.

use rquickjs::{Coerced, Ctx, FromJs, Function, Object, Value};
use tidegate_model::LineMap;
use tidegate_wire::{EngineLimit, Failure, Thrown};

use crate::confine;
use crate::globals::LossyText;
use crate::host::Host;
use crate::thrown::{explain, placed};

/// What is known of a program besides the value that it threw.
pub(crate) struct Known<'r, 'js> {
    pub(crate) map: &'r LineMap,
    pub(crate) host: &'r Host,
    pub(crate) memory_limit: u64,
    /// The function of api.js that knows which request the gateway answered with an error.
    pub(crate) request_of: Option<&'r Function<'js>>,
}

/// Describes the exception that is pending in the context.
pub(crate) fn pending_error<'js>(ctx: &Ctx<'js>, known: &Known<'_, 'js>) -> Failure {
    let thrown = ctx.catch();
    describe(ctx, &thrown, known)
}

/// Describes a thrown value.
fn describe<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>, known: &Known<'_, 'js>) -> Failure {
    let Known { map, host, memory_limit, request_of } = *known;
    if let Some(reason) = host.stop_reason() {
        return placed(reason.into(), stack_of(ctx, thrown).as_deref(), map);
    }
    let Some(object) = thrown.as_object() else {
        // Out of memory, QuickJS cannot create an error object and throws null. Two thirds
        // of the limit in physical pages distinguish this from `throw null`.
        if thrown.is_null() && confine::peak_memory_bytes() > memory_limit / 3 * 2 {
            return EngineLimit::Memory.into();
        }
        let text = text_of(ctx, thrown.clone());
        return explain(Thrown { text, ..Thrown::default() }, map);
    };
    let request = request_of.and_then(|request_of| match request_of.call((thrown.clone(),)) {
        Ok(id) => Some(id),
        Err(_) => {
            ctx.catch();
            None
        }
    });
    let read = Thrown {
        is_object: true,
        text: None,
        name: property(ctx, object, "name"),
        message: property(ctx, object, "message"),
        request: request.filter(|&id| id != 0),
        hint: property(ctx, object, "hint"),
        stack: stack_of(ctx, thrown),
    };
    // A getter or `toString` of the thrown value may have run until the limit.
    if let Some(reason) = host.stop_reason() {
        return reason.into();
    }
    explain(read, map)
}

/// Reads a property as text, if it exists and reading it does not throw.
fn property<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    let value: Value<'js> = match object.get(key) {
        Ok(value) => value,
        Err(_) => {
            ctx.catch();
            return None;
        }
    };
    if value.is_undefined() || value.is_null() { None } else { text_of(ctx, value) }
}

fn text_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Option<String> {
    let text = Coerced::<rquickjs::String<'js>>::from_js(ctx, value)
        .and_then(|text| LossyText::from_js(ctx, text.0.into_value()));
    match text {
        Ok(text) => Some(text.0),
        Err(_) => {
            // A throwing `toString`; the exception must not stay pending.
            ctx.catch();
            None
        }
    }
}

/// The innermost frames, which are the first lines.
fn stack_of<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> Option<String> {
    property(ctx, thrown.as_object()?, "stack")
}
