//! Replaces `tidegate` as a compromised reader or worker. Test equipment only.
//!
//! It enters the jail with the same call as the real worker, says a correct hello, and then
//! makes the raw system calls that the "program" names. It reports the kernel's own answer
//! to each attempt.
//!
//! ```text
//! attacker worker SPEC                  started by the gateway as a worker
//! attacker reader SPEC [--zygote]       started by the gateway as a reader
//! attacker gateway STATE SETTINGS       a real gateway whose workers are attackers
//! attacker outside ATTACK               the same attempts without a jail: the control
//! attacker jailed SPEC ATTACK           the same attempts in a jail of any kind
//! attacker as UID -- COMMAND…           drops root first
//! attacker without WHAT -- COMMAND…     a system that lacks a layer, for real
//! ```
//!
//! ATTACK is one JSON object: `attack` and its parameters. If the name of the executable ends
//! in `unsealed`, the worker skips the system call filter and lies about it; then the other
//! layers must hold alone.

#![expect(unsafe_code, reason = "attacks are raw system calls")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "test equipment: a panic is a failed test, and its report goes to standard output"
)]

mod attack;
mod attempts;
mod bombs;
mod descendants;
mod host;
mod kernel;
mod reader;
mod sweep;
mod system;
mod tree;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["worker", spec] => worker::enter(spec),
        ["reader", spec] => reader::enter(spec, reader::ReaderStart::Started),
        ["reader", spec, "--zygote"] => reader::enter(spec, reader::ReaderStart::Forked),
        ["gateway", state, settings] => host::serve(state, settings),
        ["outside", attack] => attack::outside(attack),
        ["jailed", spec, attack] => attack::jailed(spec, attack),
        ["as", user, "--", command @ ..] => system::run_as(user.parse().unwrap(), command),
        ["without", what, "--", command @ ..] => system::without(what, command),
        other => {
            eprintln!("what is `{other:?}`?");
            ExitCode::from(2)
        }
    }
}
