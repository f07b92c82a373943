//! The session of a client in this gateway: opened when the client connects, ended when it
//! disconnects.
//!
//! In: a principal. Out: an [`OpenSession`] for a client, or a lease for one request. When a
//! session has ended (`admit/session_leases.rs` keeps track), the floors forget what they
//! remember for it: what a person approved "for this session", and the values of personal
//! data that it has seen. Values in the vault stay.
//!
//! Invariant: nothing of a session is forgotten while a client has it open or one of its
//! requests is under way.

use std::sync::Arc;

use tidegate_model::Principal;

use crate::admit::session_leases::{LeaseHolder, SessionLease};
use crate::gateway::Gateway;
use crate::privacy::named_session::{SessionError, SessionLock};

/// A session that a client has open. It ends when this is dropped.
#[must_use]
pub struct OpenSession {
    gateway: Arc<Gateway>,
    principal: Principal,
    /// Present until this is dropped.
    lease: Option<SessionLease>,
    /// Released last, when nothing is written for the session any more.
    _lock: Option<SessionLock>,
}

impl OpenSession {
    /// The gateway that the session belongs to.
    pub fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    /// The principal that makes the session's requests.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
}

impl Drop for OpenSession {
    fn drop(&mut self) {
        drop(self.lease.take());
        self.gateway.forget_ended_sessions();
        // The next owner of a named session reads its values from the vault.
        self.gateway.privacy.flush();
    }
}

impl Gateway {
    /// Opens a session for a client. Only one process at a time can hold a named session.
    pub fn open_session(
        self: &Arc<Self>,
        principal: &Principal,
    ) -> Result<OpenSession, SessionError> {
        let lock = match principal.session() {
            Some(name) => Some(self.privacy.lock_session(name)?),
            None => None,
        };
        let lease = self.admission.sessions.lease(principal, LeaseHolder::Client);
        Ok(OpenSession {
            gateway: Arc::clone(self),
            principal: principal.clone(),
            lease: Some(lease),
            _lock: lock,
        })
    }

    /// Keeps the session alive while the request is under way.
    pub(crate) fn begin_request(&self, principal: &Principal) -> SessionLease {
        let lease = self.admission.sessions.lease(principal, LeaseHolder::Request);
        self.forget_ended_sessions();
        lease
    }

    fn forget_ended_sessions(&self) {
        let sessions = &self.admission.sessions;
        if sessions.end_unused() {
            let is_open = |principal: &Principal| sessions.contains(principal);
            self.approvals.retain_sessions(is_open);
            self.privacy.retain_sessions(is_open);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use tidegate_config::{Settings, TypeCheck};
    use tidegate_model::{Clock, Principal, SessionName};

    use crate::context::RunContext;
    use crate::gateway::Gateway;

    const ANN: &str = "ann.lee@example.org";

    fn opened() -> (tempfile::TempDir, Arc<Gateway>) {
        let state = tempfile::tempdir().unwrap();
        let mut settings = Settings::new(state.path().to_owned());
        settings.checks.types = TypeCheck::Off;
        let gateway =
            Gateway::open(settings, "/bin/false".into(), BTreeMap::new(), Clock::system()).unwrap();
        (state, gateway)
    }

    fn named(name: &str) -> RunContext {
        let principal = Principal::Session(SessionName::parse(name).unwrap());
        RunContext { principal, ..RunContext::default() }
    }

    fn remembered(gateway: &Gateway) -> (usize, usize) {
        (gateway.privacy.session_count(), gateway.approvals.session_count())
    }

    #[tokio::test]
    async fn nothing_is_remembered_of_a_session_whose_client_has_disconnected() {
        let (_state, gateway) = opened();
        let context = named("work");
        let client = gateway.open_session(&context.principal).unwrap();
        assert_eq!(gateway.sanitize_pii(ANN, &context).unwrap().text, "[EMAIL_1]");
        gateway.approvals.person(&context);
        assert_eq!(remembered(&gateway), (1, 1));
        drop(client);
        assert_eq!(remembered(&gateway), (0, 0));
        // Its tokens are in the vault, and its name is free again.
        let _again = gateway.open_session(&context.principal).unwrap();
        assert_eq!(gateway.reveal_pii("[EMAIL_1]", &context).unwrap().text, ANN);
        assert_eq!(gateway.sanitize_pii("bob@example.org", &context).unwrap().text, "[EMAIL_2]");
    }

    #[tokio::test]
    async fn many_sessions_leave_a_bounded_number_and_end_none_that_is_open() {
        let (_state, gateway) = opened();
        let _client = gateway.open_session(&Principal::Process).unwrap();
        let own = RunContext::default();
        assert_eq!(gateway.sanitize_pii(ANN, &own).unwrap().text, "[EMAIL_1]");
        for number in 0..3000 {
            let context = named(&number.to_string());
            let _lease = gateway.begin_request(&context.principal);
            gateway.privacy.session(&context.principal);
            gateway.approvals.person(&context);
        }
        let (privacy, approvals) = remembered(&gateway);
        assert!(privacy <= 1026 && approvals <= 1026, "{privacy} {approvals}");
        assert_eq!(gateway.reveal_pii("[EMAIL_1]", &own).unwrap().text, ANN);
    }
}
