//! Shows who can approve here, and what stops a program of the same user from doing it.

use std::path::Path;

use tidegate_gateway::admin::{ApproverKey, ClientForms, KeyPlace};

use super::finding::Finding;

const NAME: &str = "approvals";

const CLIENT_FORMS_COUNT: &str = "A client that shows forms approves without the passphrase, also \
                                  an agent that starts a gateway of its own: \
                                  `approvals setup --no-client-forms` stops this";

pub(super) fn probe(state_dir: &Path) -> Finding {
    let key = match ApproverKey::load(state_dir) {
        Ok(key) => key,
        Err(error) => {
            let remedy = "until then, nothing can be approved on the command line";
            return Finding::problem(NAME, error.to_string(), remedy);
        }
    };
    let path = |place| ApproverKey::path(place, state_dir).display().to_string();
    let forms = key.as_ref().map(|key| match key.client_forms() {
        ClientForms::Count => CLIENT_FORMS_COUNT,
        ClientForms::DoNotCount => "Replies to forms of clients approve nothing",
    });
    let forms = forms.unwrap_or_default();
    match key.map(|key| key.place()) {
        None => Finding::warning(
            NAME,
            "no passphrase is set up, so only a client that shows forms can get an approval; every \
             program of this user can be such a client of a gateway that it starts",
            "run `tidegate approvals setup` in a terminal before you give an agent a shell",
        ),
        Some(KeyPlace::State) => Finding::ok(
            NAME,
            format!(
                "a passphrase is set up, its key is `{}`. A gateway that runs takes no other, but a \
                 program of this user can replace the key for gateways that start later. {forms}. \
                 Stronger: `sudo tidegate approvals setup --system --no-client-forms`, or a gateway \
                 of another user (docs/approvals.md)",
                path(KeyPlace::State)
            ),
        ),
        Some(KeyPlace::System) => Finding::ok(
            NAME,
            format!(
                "a passphrase is set up, its key is `{}`, which only root can replace. {forms}",
                path(KeyPlace::System)
            ),
        ),
    }
}
