//! A compromised worker, which behaves like the real one until the program arrives.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Value, json};
use tidegate_jail::{Confined, Origin, Spec};
use tidegate_model::{IsolationReport, Layer, LayerReport};
use tidegate_wire::{FromGuest, HEADER_BYTES, PROTOCOL_VERSION, ToGuest, body_length};

use crate::attack::carry_out;

/// As in `crates/worker/src/enter.rs`.
const ENGINE_STACK_BYTES: usize = 8 * 1024 * 1024;

/// The channel of a compromised worker.
pub(crate) struct Wire(pub(crate) UnixStream);

pub(crate) fn enter(spec: &str) -> ExitCode {
    let confined = tidegate_jail::enter(Spec::from_argument(spec).unwrap(), Origin::Started);
    let descriptor: OwnedFd = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    let watched = descriptor.try_clone().unwrap();
    let wire = Wire(UnixStream::from(descriptor));
    let engine = thread::Builder::new().stack_size(ENGINE_STACK_BYTES).spawn(move || {
        serve(wire, confined);
        std::process::exit(0);
    });
    engine.unwrap();
    loop {
        let mut descriptors = [PollFd::new(watched.as_fd(), PollFlags::empty())];
        if poll(&mut descriptors, PollTimeout::NONE).is_ok() {
            return ExitCode::from(3);
        }
    }
}

fn serve(mut wire: Wire, confined: Confined) {
    let report = match is_unsealed() {
        // A worker that was compromised earlier would lie here.
        true => {
            IsolationReport(Layer::ALL.iter().map(|&layer| LayerReport::enforced(layer)).collect())
        }
        false => confined.seal(),
    };
    wire.send(&FromGuest::Hello { version: PROTOCOL_VERSION, report });
    let ToGuest::Run(run) = wire.receive() else { return };
    let attack: Value = serde_json::from_str(&run.source).unwrap_or_else(|_| json!({}));
    if attack["reader"] == true {
        let output = run.executable.map(|executable| executable.code);
        wire.send(&FromGuest::Done { output, memory_bytes: 1 });
        return;
    }
    if crate::bombs::on_the_wire(&mut wire, &attack) {
        return;
    }
    let output = Some(carry_out(&attack).to_string());
    wire.send(&FromGuest::Done { output, memory_bytes: 1 });
}

fn is_unsealed() -> bool {
    std::env::args().next().is_some_and(|name| name.ends_with("unsealed"))
}

impl Wire {
    pub(crate) fn send(&mut self, message: &FromGuest) {
        self.0.write_all(&message.encode().unwrap()).unwrap();
    }

    pub(crate) fn receive(&mut self) -> ToGuest {
        let mut header = [0; HEADER_BYTES];
        self.0.read_exact(&mut header).unwrap();
        let mut body = vec![0; body_length(header).unwrap()];
        self.0.read_exact(&mut body).unwrap();
        ToGuest::decode(&body).unwrap()
    }
}
