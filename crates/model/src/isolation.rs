//! The isolation of a program: its layers, the state of each, and the level they amount to.
//!
//! In: reports of jails, which have tested each layer. Out: the level, to be compared with the
//! one that the configuration demands. Invariant: a layer that is missing from a report does not
//! count as enforced.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! layers {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// One layer of isolation around a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Layer {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Layer {
            /// Every layer, from the outermost to the innermost.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The text form, as in reports and on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The layer with this text form.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

// A macro, because each layer and its text would otherwise be in four lists.
layers! {
    /// An unprivileged user, never root.
    User = "user",
    /// A user namespace: privileges inside it mean nothing outside.
    UserNamespace = "user_namespace",
    /// Host processes cannot be seen or signalled; all processes inside end with the first one.
    PidNamespace = "pid_namespace",
    /// No network interface but a loopback that is down.
    NetNamespace = "net_namespace",
    /// A mount table of its own.
    MountNamespace = "mount_namespace",
    /// No shared memory and no message queue of the host.
    IpcNamespace = "ipc_namespace",
    /// A host name of its own.
    UtsNamespace = "uts_namespace",
    /// A view of the control groups of its own.
    CgroupNamespace = "cgroup_namespace",
    /// A read-only root that holds only what the engine needs.
    PrivateRoot = "private_root",
    /// Memory and processes counted by the kernel for the whole run.
    Cgroup = "cgroup",
    /// Limits of each process.
    ResourceLimits = "resource_limits",
    /// No descriptor but the channel.
    Descriptors = "descriptors",
    /// No capability, not even in its own namespace.
    Capabilities = "capabilities",
    /// No program that it starts can gain privileges.
    NoNewPrivileges = "no_new_privileges",
    /// The kernel refuses every file and port that is not granted.
    Landlock = "landlock",
    /// The kernel refuses every system call that the engine does not need.
    Seccomp = "seccomp",
}

/// The state of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    /// Requested and verified.
    Enforced,
    /// Requested, and enforced in part.
    Partial,
    /// Requested, and not available here.
    Unavailable,
    /// Not requested.
    NotRequested,
}

impl LayerState {
    /// Every state.
    pub const ALL: [Self; 4] =
        [Self::Enforced, Self::Partial, Self::Unavailable, Self::NotRequested];

    /// The text form, as in reports and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Partial => "partial",
            Self::Unavailable => "unavailable",
            Self::NotRequested => "not_requested",
        }
    }
}

/// One line of an isolation report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerReport {
    /// Which layer.
    pub layer: Layer,
    /// Its state.
    pub state: LayerState,
    /// Why it is not enforced; empty if it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What a person can do about it; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

impl LayerReport {
    /// A layer that is enforced.
    pub fn enforced(layer: Layer) -> Self {
        let (reason, remedy) = (String::new(), String::new());
        Self { layer, state: LayerState::Enforced, reason, remedy }
    }

    /// A layer that is not enforced, or only in part.
    pub fn lacking(
        layer: Layer,
        state: LayerState,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { layer, state, reason: reason.into(), remedy: remedy.into() }
    }
}

/// The layers of one worker, each verified by a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IsolationReport(pub Vec<LayerReport>);

/// The level of isolation, the weakest first. A configuration names the weakest that it accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Any, including a plain process.
    Any,
    /// System calls are filtered and no file of the host can be opened, but
    /// namespaces may be missing, as in a default container.
    #[default]
    Reduced,
    /// Every layer is enforced, except that memory may be limited without a control group.
    Strict,
}

impl Isolation {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::Any, Self::Reduced, Self::Strict];

    /// The word for it in configurations and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Reduced => "reduced",
            Self::Strict => "strict",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl IsolationReport {
    /// The level that these layers amount to.
    pub fn level(&self) -> Isolation {
        if Layer::ALL.iter().all(|&layer| self.holds(layer) || layer == Layer::Cgroup) {
            return Isolation::Strict;
        }
        // The layers that need no namespace. For files, either of two layers is enough.
        let needed = [
            Layer::User,
            Layer::ResourceLimits,
            Layer::Descriptors,
            Layer::Capabilities,
            Layer::NoNewPrivileges,
            Layer::Seccomp,
        ];
        let files = self.holds(Layer::Landlock) || self.holds(Layer::PrivateRoot);
        // Partial: the gateway enforces what the kernel does not.
        let limited = self.state(Layer::ResourceLimits) == Some(LayerState::Partial);
        let holds = |layer| self.holds(layer) || (layer == Layer::ResourceLimits && limited);
        if files && needed.into_iter().all(holds) {
            return Isolation::Reduced;
        }
        Isolation::Any
    }

    /// The layers that keep the report below `wanted`.
    pub fn missing(&self, wanted: Isolation) -> Vec<&LayerReport> {
        if self.level() >= wanted {
            return Vec::new();
        }
        let lacking =
            |line: &&LayerReport| line.state != LayerState::Enforced && line.layer != Layer::Cgroup;
        self.0.iter().filter(lacking).collect()
    }

    fn holds(&self, layer: Layer) -> bool {
        self.state(layer) == Some(LayerState::Enforced)
    }

    fn state(&self, layer: Layer) -> Option<LayerState> {
        self.0.iter().find(|line| line.layer == layer).map(|line| line.state)
    }
}

#[cfg(test)]
mod tests {
    use super::{Isolation, IsolationReport, Layer, LayerReport, LayerState};

    fn all_but(lacking: &[Layer]) -> IsolationReport {
        let line = |&layer: &Layer| match lacking.contains(&layer) {
            true => LayerReport::lacking(layer, LayerState::Unavailable, "no", "none"),
            false => LayerReport::enforced(layer),
        };
        IsolationReport(Layer::ALL.iter().map(line).collect())
    }

    #[test]
    fn every_layer_is_needed_for_strict_but_the_control_group() {
        assert_eq!(all_but(&[]).level(), Isolation::Strict);
        assert_eq!(all_but(&[Layer::Cgroup]).level(), Isolation::Strict);
        for &layer in Layer::ALL.iter().filter(|&&layer| layer != Layer::Cgroup) {
            assert!(all_but(&[layer]).level() < Isolation::Strict, "{layer:?}");
        }
    }

    #[test]
    fn without_namespaces_it_is_reduced_and_without_a_filter_any() {
        let docker = [
            Layer::UserNamespace,
            Layer::PidNamespace,
            Layer::NetNamespace,
            Layer::MountNamespace,
            Layer::PrivateRoot,
        ];
        assert_eq!(all_but(&docker).level(), Isolation::Reduced);
        assert_eq!(all_but(&[Layer::Seccomp]).level(), Isolation::Any);
        assert_eq!(all_but(&[Layer::Landlock]).level(), Isolation::Reduced);
        assert_eq!(all_but(&[Layer::Landlock, Layer::PrivateRoot]).level(), Isolation::Any);
    }

    #[test]
    fn limits_that_the_gateway_enforces_are_enough_for_reduced() {
        let with = |state| {
            let mut report = all_but(&[Layer::UserNamespace]);
            let line = report.0.iter_mut().find(|line| line.layer == Layer::ResourceLimits);
            line.unwrap().state = state;
            report.level()
        };
        assert_eq!(with(LayerState::Enforced), Isolation::Reduced);
        assert_eq!(with(LayerState::Partial), Isolation::Reduced);
        assert_eq!(with(LayerState::Unavailable), Isolation::Any);
    }

    #[test]
    fn a_layer_that_is_missing_from_a_report_is_not_enforced() {
        let mut report = all_but(&[]);
        report.0.retain(|line| line.layer != Layer::Seccomp);
        assert_eq!(report.level(), Isolation::Any);
        assert_eq!(IsolationReport::default().level(), Isolation::Any);
    }

    #[test]
    fn what_is_missing_is_named_only_below_the_wanted_level() {
        let report = all_but(&[Layer::PidNamespace, Layer::Cgroup]);
        assert_eq!(report.missing(Isolation::Reduced), Vec::<&LayerReport>::new());
        let missing: Vec<Layer> =
            report.missing(Isolation::Strict).into_iter().map(|line| line.layer).collect();
        assert_eq!(missing, [Layer::PidNamespace]);
    }

    #[test]
    fn every_layer_survives_its_text_form() {
        for &layer in Layer::ALL {
            assert_eq!(Layer::parse(layer.as_str()), Some(layer));
        }
    }
}
