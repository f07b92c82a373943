//! Our own scripts, embedded in the executable. Each is a function that takes the native
//! functions.
//!
//! In: the file of a script. Out: bytecode for QuickJS, compiled by the build script of this
//! crate, and source text for an external engine.

use rquickjs::{Ctx, Function, Object, Value, qjs};

/// One script, as source and bytecode: see [`script`].
#[derive(Clone, Copy)]
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) bytecode: &'static [u8],
}

/// The script `$name` in the file `$path`, with its bytecode from the build script.
macro_rules! script {
    ($name:literal, $path:literal) => {
        $crate::script::Script {
            name: $name,
            source: include_str!($path),
            bytecode: include_bytes!(concat!(env!("OUT_DIR"), "/", $name)),
        }
    };
}
pub(crate) use script;

impl Script {
    /// Runs the script, which returns a function, and calls that function.
    pub(crate) fn call<'js>(
        &self,
        ctx: &Ctx<'js>,
        native: &Object<'js>,
    ) -> rquickjs::Result<Value<'js>> {
        self.function(ctx)?.call((native.clone(),))
    }

    #[expect(unsafe_code, reason = "rquickjs reads modules only, and a module could be imported")]
    fn function<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Function<'js>> {
        let (start, length) = (self.bytecode.as_ptr(), self.bytecode.len());
        let flags = qjs::JS_READ_OBJ_BYTECODE.cast_signed();
        // SAFETY: the same engine wrote these bytes when this crate was built, and
        // it copies them. `JS_EvalFunction` takes ownership of the object that was
        // read, and passes an exception through; we own what it returns.
        let value = unsafe {
            let raw = ctx.as_raw().as_ptr();
            let script = qjs::JS_ReadObject(raw, start, length as _, flags);
            if qjs::JS_IsException(script) {
                return Err(rquickjs::Error::Exception);
            }
            let made = qjs::JS_EvalFunction(raw, script);
            if qjs::JS_IsException(made) {
                return Err(rquickjs::Error::Exception);
            }
            Value::from_raw(ctx.clone(), made)
        };
        value.get()
    }
}
