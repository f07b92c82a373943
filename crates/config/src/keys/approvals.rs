//! Keys of `[approvals]` and `[risk]`.

use crate::keys::key::{Key, Kind, yes};
use crate::quantity::show_duration;
use crate::settings::Approvals;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalKey {
    Wait,
    Expires,
    Pending,
}

pub(crate) const APPROVALS: &[Key<ApprovalKey>] = &[
    Key {
        id: ApprovalKey::Wait,
        toml: &["wait"],
        json: &[],
        kind: Kind::Duration,
        default: default_wait,
        doc: "For clients that cannot ask their user: how long a request waits for `tidegate \
              approvals` before it is answered as pending. Clients that can ask are waited for \
              until the question expires.",
    },
    Key {
        id: ApprovalKey::Expires,
        toml: &["expires"],
        json: &[],
        kind: Kind::Duration,
        default: default_expiry,
        doc: "How long a question can be answered, its approval used, and the waiting run resumed.",
    },
    Key {
        id: ApprovalKey::Pending,
        toml: &["pending"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether questions wait for `tidegate approvals` if the client cannot ask its user. \
              `false` refuses at once.",
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RiskKey {
    Least,
    Low,
    Medium,
    High,
    Critical,
}

const LEVELS: &[&str] = &["low", "medium", "high", "critical"];
/// Sandboxes, and what happens before a program of the level runs.
const RISK_WORDS: &[&str] = &["process", "strict", "docker", "vm", "ask", "deny"];

pub(crate) const RISK: &[Key<RiskKey>] = &[
    Key {
        id: RiskKey::Least,
        toml: &["least"],
        json: &[],
        kind: Kind::Word(LEVELS),
        default: low,
        doc: "The lowest risk level that is used to choose the sandbox of a program. By itself it \
              does not require approval.",
    },
    Key {
        id: RiskKey::Low,
        toml: &["low"],
        json: &[],
        kind: Kind::Words(RISK_WORDS),
        default: process,
        doc: "Where programs of low risk run: the first available sandbox of the list. Other \
              sandboxes are never used; if none of the list is available, the run is refused. \
              `ask`: a person is always asked first. `deny`: such programs are refused. Both apply \
              whatever the rules allow. A list without a sandbox stands for the default sandboxes.",
    },
    Key {
        id: RiskKey::Medium,
        toml: &["medium"],
        json: &[],
        kind: Kind::Words(RISK_WORDS),
        default: process,
        doc: "The same for medium risk.",
    },
    Key {
        id: RiskKey::High,
        toml: &["high"],
        json: &[],
        kind: Kind::Words(RISK_WORDS),
        default: docker_first,
        doc: "The same for high risk. `strict` is a process with the profile `strict`.",
    },
    Key {
        id: RiskKey::Critical,
        toml: &["critical"],
        json: &[],
        kind: Kind::Words(RISK_WORDS),
        default: vm_first,
        doc: "The same for critical risk, for which a person is asked unless a rule allows it.",
    },
];

fn default_wait() -> String {
    format!("`{}`", show_duration(Approvals::default().wait))
}

fn default_expiry() -> String {
    format!("`{}`", show_duration(Approvals::default().expires))
}

fn low() -> String {
    "`low`".into()
}

fn process() -> String {
    "`[\"process\"]`".into()
}

fn docker_first() -> String {
    "`[\"docker\", \"strict\"]`".into()
}

fn vm_first() -> String {
    "`[\"vm\", \"docker\", \"strict\"]`".into()
}
