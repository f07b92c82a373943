//! Selects an attack by name, and where it is carried out.

use std::process::ExitCode;

use nix::libc;
use serde_json::{Value, json};
use tidegate_jail::{Origin, Spec};

use crate::kernel::{at, raw};
use crate::{attempts, bombs, descendants, sweep, tree};

/// Carries out an attack that ends by itself.
pub(crate) fn carry_out(attack: &Value) -> Value {
    match attack["attack"].as_str().unwrap_or_default() {
        "nothing" => json!("nothing"),
        "attempts" => attempts::all().into(),
        "misuses" => attempts::misuses().into(),
        "sweep" => sweep::all(),
        "tree" => tree::all(attack),
        "scratch" => tree::fill_scratch(attack),
        "descendants" => descendants::leave(attack),
        "walls" => descendants::walls(attack),
        "who" => descendants::who(),
        "namespaces" => descendants::namespaces(),
        _ => bombs::carry_out(attack),
    }
}

/// The control: the same attack without a jail. Root uses a mount namespace of its own, so
/// that successful changes do not persist.
pub(crate) fn outside(attack: &str) -> ExitCode {
    if nix::unistd::geteuid().is_root() {
        let namespaces = libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
        assert_eq!(raw(libc::SYS_unshare, &[namespaces.into()]), 0);
        let private = (libc::MS_REC | libc::MS_PRIVATE).cast_signed();
        assert_eq!(raw(libc::SYS_mount, &[at(c"none"), at(c"/"), 0, private, 0]), 0);
    }
    let attack: Value = serde_json::from_str(attack).unwrap();
    println!("{}", json!({"outcome": carry_out(&attack)}));
    ExitCode::SUCCESS
}

/// Carries out an attack in a jail of the given kind, such as that of an engine or a command.
pub(crate) fn jailed(spec: &str, attack: &str) -> ExitCode {
    let confined = tidegate_jail::enter(Spec::from_argument(spec).unwrap(), Origin::Started);
    let report = confined.seal();
    let attack: Value = serde_json::from_str(attack).unwrap();
    let outcome = carry_out(&attack);
    println!("{}", json!({"level": report.level(), "report": report, "outcome": outcome}));
    ExitCode::SUCCESS
}
