//! Systems without any of these layers: says so, and confines nothing.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::errno::Errno;
use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};

use crate::spec::Spec;
use crate::words::{Said, tell};

/// How a process came to be one that is to be confined.
pub enum Way<'a> {
    /// The gateway has started it for this.
    Started,
    /// The same, to become a process that workers are forked from.
    Zygote(&'a [u8]),
}

/// A process that could give up nothing.
pub struct Confined;

/// Confines nothing; the report says so.
pub fn enter(_: Spec, _: Way<'_>) -> Confined {
    Confined
}

/// Becomes no command: says that nothing holds, and that none can be started.
pub fn become_command(spec: &str) -> ExitCode {
    let Some(spec) = Spec::from_argument(spec) else { return ExitCode::from(2) };
    let report = enter(spec, Way::Started).seal();
    if let Ok(host) = io::stdin().as_fd().try_clone_to_owned() {
        let mut host = UnixStream::from(host);
        // If this fails, the host is gone.
        let _ = tell(&mut host, &report)
            .and_then(|()| tell(&mut host, &Said::NotStarted(Errno::ENOSYS as i32)));
    }
    ExitCode::FAILURE
}

impl Confined {
    /// A report in which every layer is missing.
    pub fn seal(self) -> IsolationReport {
        let line = |&layer: &Layer| {
            let reason = format!("{} has no such layer", std::env::consts::OS);
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
    fn every_layer_is_said_to_be_missing_with_reason_and_remedy() {
        let report = Confined.seal();
        assert_eq!(report.level(), Isolation::Any);
        assert_eq!(report.0.len(), Layer::ALL.len());
        for line in report.0 {
            assert_eq!(line.state, LayerState::Unavailable);
            assert_eq!(line.reason, format!("{} has no such layer", std::env::consts::OS));
            assert!(line.remedy.contains("on Linux"));
        }
    }
}
