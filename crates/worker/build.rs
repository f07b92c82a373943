//! Builds the files that are embedded in the worker.

#[path = "build/scripts.rs"]
mod scripts;
#[path = "build/zygote.rs"]
mod zygote;

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    scripts::build(&out)?;
    zygote::build(&out)
}
