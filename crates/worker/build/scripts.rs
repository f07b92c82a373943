//! Compiles our own scripts to the engine's bytecode.
//!
//! In: `src/api.js` and `src/prelude/*.js`. Out: a bytecode file of the same name for
//! each. Parsing them took a fifth of the startup time of every worker.
//!
//! The same engine compiles and runs them: both come from the same version of the same
//! crate. Bytecode depends on the byte order, so a target with another one is an error.

#![expect(unsafe_code, reason = "rquickjs compiles modules only, and a module could be imported")]

use std::env;
use std::error::Error;
use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use rquickjs::{Context, Ctx, Runtime, qjs};

pub(crate) fn build(out: &Path) -> Result<(), Box<dyn Error>> {
    let order = env::var("CARGO_CFG_TARGET_ENDIAN")?;
    let ours = if cfg!(target_endian = "little") { "little" } else { "big" };
    if order != ours {
        return Err(format!("the target is {order}-endian; build on a machine that is, too").into());
    }
    let context = Context::full(&Runtime::new()?)?;
    for path in scripts()? {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_stem().and_then(|name| name.to_str()).ok_or("not a name")?;
        let bytecode = context.with(|ctx| compile(&ctx, name, &path));
        fs::write(out.join(name), bytecode.map_err(|error| format!("{name}: {error}"))?)?;
    }
    println!("cargo::rerun-if-changed=src/prelude");
    Ok(())
}

fn scripts() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = vec![PathBuf::from("src/api.js")];
    for entry in fs::read_dir("src/prelude")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "js") {
            found.push(path);
        }
    }
    Ok(found)
}

fn compile(ctx: &Ctx<'_>, name: &str, path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let source = CString::new(fs::read(path)?)?;
    let file = CString::new(format!("tidegate:{name}"))?;
    let (length, ctx) = (source.as_bytes().len(), ctx.as_raw().as_ptr());
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    // Without the source: nothing inside the engine needs it.
    let parts = qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE;
    let mut size = 0;
    // SAFETY: the context lives as long as the borrow; both texts end with a zero
    // byte and outlive the calls. The returned bytes are copied and freed.
    let bytecode = unsafe {
        let script =
            qjs::JS_Eval(ctx, source.as_ptr(), length as _, file.as_ptr(), flags.cast_signed());
        if qjs::JS_IsException(script) {
            return Err("it does not compile".into());
        }
        let start = qjs::JS_WriteObject(ctx, &raw mut size, script, parts.cast_signed());
        if start.is_null() {
            return Err("its bytecode cannot be written".into());
        }
        let bytecode = slice::from_raw_parts(start, usize::try_from(size)?).to_vec();
        qjs::js_free(ctx, start.cast());
        qjs::JS_FreeValue(ctx, script);
        bytecode
    };
    Ok(bytecode)
}
