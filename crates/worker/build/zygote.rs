//! Builds the crate `zygote` as a shared library, which is embedded in the executable.
//!
//! In: the sources of that crate. Out: a file `zygote.so`, empty on targets without glibc:
//! the Python of the machine loads the library, so both must use the same C library.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The crates that the library is built from.
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
    // A separate folder, since the outer build has locked its own; the same one for all
    // profiles, since the library is always built in the same way.
    let profiles = out.ancestors().nth(4).ok_or("the output folder is not where it was")?;
    let built = profiles.join("zygote");
    let status = Command::new(env::var("CARGO")?)
        .args(["build", "--package", "tidegate-zygote", "--release", "--locked", "--offline"])
        .args(["--quiet", "--target", &target, "--target-dir"])
        .arg(&built)
        // Settings meant for the outer build: a linter instead of the compiler, flags of
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
