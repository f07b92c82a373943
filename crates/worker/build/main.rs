//! What the worker carries that has to be made before it is compiled.

mod scripts;
mod zygote;

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    scripts::build(&out)?;
    zygote::build(&out)
}
