//! A compromised guest, which uses the wire as an attacker would.
//!
//! A gateway starts it in place of tidegate, as a reader or as a worker. The name of the
//! executable selects its behaviour before it has a program (`worker-<habit>`, or
//! `worker-reads-<habit>` for its reader); the program selects its attack: `reader <attack>`
//! attacks in the reader, any other in the worker. It is a tool of the tests and never part
//! of the product.

mod attack;
mod wire;

use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use tidegate_model::IsolationReport;
use tidegate_wire::{FromGuest, PROTOCOL_VERSION, ToGuest};

use crate::wire::Wire;

/// Longer than any test waits.
const FOREVER: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let habit = name.rsplit_once("worker-").map_or("good", |(_, habit)| habit);
    let reads = arguments.next().is_some_and(|role| role == "reader");
    if arguments.any(|argument| argument == "--zygote") {
        // It cannot be a zygote, so each reader is started.
        return ExitCode::from(2);
    }
    let Ok(mut wire) = Wire::from_standard_input() else { return ExitCode::from(2) };
    // Most attacks end with an error, since the gateway closes the wire.
    let _ = match (reads, habit.strip_prefix("reads-")) {
        (true, habit) => read(&mut wire, habit.unwrap_or("good")),
        (false, None) => work(&mut wire, habit),
        (false, Some(_)) => work(&mut wire, "good"),
    };
    ExitCode::SUCCESS
}

fn read(wire: &mut Wire, habit: &str) -> std::io::Result<()> {
    greet(wire, habit)?;
    let ToGuest::Prepare(program) = wire.receive()? else { return Ok(()) };
    match program.source.strip_prefix("reader ") {
        Some(attack) => attack::run(wire, attack),
        None => wire.send(&attack::prepared()),
    }
}

fn work(wire: &mut Wire, habit: &str) -> std::io::Result<()> {
    greet(wire, habit)?;
    let ToGuest::Run(run) = wire.receive()? else { return Ok(()) };
    // An attack in the reader is over by now.
    attack::run(wire, if run.source.starts_with("reader ") { "good" } else { &run.source })
}

/// Says hello, or what the habit sends instead.
fn greet(wire: &mut Wire, habit: &str) -> std::io::Result<()> {
    let hello = |version| FromGuest::Hello { version, report: IsolationReport::default() };
    match habit {
        "silent" => sleep(FOREVER),
        "gone" => std::process::exit(7),
        "garbage" => wire.raw(b"\x05\0\0\0GET / HTTP/1.1\r\n")?,
        "huge" => wire.raw(&[0xff; 64])?,
        "old" => wire.send(&hello(PROTOCOL_VERSION + 1))?,
        "done-first" => wire.send(&FromGuest::Done { output: None, memory_bytes: 0 })?,
        "half-hello" => {
            let frame = wire::frame(&hello(PROTOCOL_VERSION));
            wire.raw(&frame[..frame.len() / 2])?;
            std::process::exit(0);
        }
        "twice" => {
            wire.send(&hello(PROTOCOL_VERSION))?;
            wire.send(&hello(PROTOCOL_VERSION))?;
        }
        "drip" => wire.drip(&wire::frame(&hello(PROTOCOL_VERSION)))?,
        // Dies while it waits for its program.
        "mortal" => {
            wire.send(&hello(PROTOCOL_VERSION))?;
            sleep(Duration::from_millis(300));
            std::process::exit(0);
        }
        _ => wire.send(&hello(PROTOCOL_VERSION))?,
    }
    Ok(())
}
