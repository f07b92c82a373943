//! The same interface for systems other than Linux, which have none of these layers.
//!
//! In: a [`Spec`], which is ignored. Out: a report in which every layer is unavailable.
//! Invariant: it never claims that a layer holds.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::errno::Errno;
use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};

use crate::command_protocol::{CommandStatus, send_line};
use crate::spec::Spec;

/// How the process to be confined was started.
pub enum Origin<'a> {
    /// The gateway started it, as a guest.
    Started,
    /// The gateway started it, as a Python zygote.
    Zygote(&'a [u8]),
}

/// A process that is not confined at all.
pub struct Confined;

/// Does not confine the process; the report says so.
pub fn enter(_: Spec, _: Origin<'_>) -> Confined {
    Confined
}

/// Starts no command: reports that no layer holds and that commands are not supported.
pub fn become_command(spec: &str) -> ExitCode {
    let Some(spec) = Spec::from_argument(spec) else { return ExitCode::from(2) };
    let report = enter(spec, Origin::Started).seal();
    if let Ok(host) = io::stdin().as_fd().try_clone_to_owned() {
        let mut host = UnixStream::from(host);
        // If this fails, the host is gone.
        let _ = send_line(&mut host, &report)
            .and_then(|()| send_line(&mut host, &CommandStatus::NotStarted(Errno::ENOSYS as i32)));
    }
    ExitCode::FAILURE
}

impl Confined {
    /// A report in which every layer is unavailable.
    pub fn seal(self) -> IsolationReport {
        let line = |&layer: &Layer| {
            let reason = format!("`{}` has no such layer", std::env::consts::OS);
            let remedy = "run tidegate on Linux, in a container or in a virtual machine";
            LayerReport::lacking(layer, LayerState::Unavailable, reason, remedy)
        };
        IsolationReport(Layer::ALL.iter().map(line).collect())
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::{Isolation, Layer, LayerState};

    use super::Confined;

    #[test]
    fn every_layer_is_reported_as_unavailable_with_reason_and_remedy() {
        let report = Confined.seal();
        assert_eq!(report.level(), Isolation::Any);
        assert_eq!(report.0.len(), Layer::ALL.len());
        for line in report.0 {
            assert_eq!(line.state, LayerState::Unavailable);
            assert_eq!(line.reason, format!("`{}` has no such layer", std::env::consts::OS));
            assert!(line.remedy.contains("on Linux"));
        }
    }
}
