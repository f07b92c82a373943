//! Builds the crate `zygote` as a shared library, to be carried in the executable.
//!
//! In: the sources of that crate. Out: a file `zygote.so`, empty where there can be
//! none: it is loaded by the Python of the machine, so both must have the C library of
//! the GNU project.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The crates whose code is in it.
const SOURCES: [&str; 4] = ["zygote", "jail", "wire", "model"];

pub(crate) fn build(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    for name in SOURCES {
        println!("cargo::rerun-if-changed=../{name}/src");
        println!("cargo::rerun-if-changed=../{name}/Cargo.toml");
    }
    let library = out.join("zygote.so");
    let target = env::var("TARGET")?;
    if !target.ends_with("linux-gnu") {
        return Ok(fs::write(library, [])?);
    }
    // A folder of its own, since the one of the build around this is locked; one for
    // all profiles, since it is always built like this.
    let profiles = out.ancestors().nth(4).ok_or("the output folder is not where it was")?;
    let built = profiles.join("zygote");
    let status = Command::new(env::var("CARGO")?)
        .args(["build", "--package", "tidegate-zygote", "--release", "--locked", "--offline"])
        .args(["--quiet", "--target", &target, "--target-dir"])
        .arg(&built)
        // What is for the crates around it: a linter instead of the compiler, flags of
        // a fuzzer.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .status()?;
    if !status.success() {
        return Err("the library for Python cannot be built; see above".into());
    }
    let made = built.join(&target).join("release/libtidegate_zygote.so");
    fs::copy(made, library)?;
    Ok(())
}
