//! Shows who can approve here, and what stops a program of the same user from doing it.

use std::path::Path;

use tidegate_gateway::admin::{ApproverKey, KeyPlace};

use super::finding::Finding;

const NAME: &str = "approvals";

pub(super) fn probe(state_dir: &Path) -> Finding {
    let key = match ApproverKey::load(state_dir) {
        Ok(key) => key,
        Err(error) => {
            let remedy = "until then, nothing can be approved on the command line";
            return Finding::problem(NAME, error.to_string(), remedy);
        }
    };
    let path = |place| ApproverKey::path(place, state_dir).display().to_string();
    match key.map(|key| key.place()) {
        None => Finding::warning(
            NAME,
            "no passphrase is set up, so only a client that shows forms can get an approval",
            "run `tidegate approvals setup` in a terminal before you give an agent a shell",
        ),
        Some(KeyPlace::State) => Finding::ok(
            NAME,
            format!(
                "a passphrase is set up, its key is `{}`. An agent with a shell cannot decide \
                 without it, but a program of this user can replace the key for gateways that start \
                 later. Stronger: `sudo tidegate approvals setup --system`, or a gateway of another \
                 user (docs/approvals.md)",
                path(KeyPlace::State)
            ),
        ),
        Some(KeyPlace::System) => Finding::ok(
            NAME,
            format!(
                "a passphrase is set up, its key is `{}`, which only root can replace",
                path(KeyPlace::System)
            ),
        ),
    }
}
