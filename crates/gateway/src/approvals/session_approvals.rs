//! Approvals for the rest of a session.
//!
//! In: the principal of a request, or the key of one whose run was started by another process.
//! Out: the approvals of its session, shared by all of its requests.
//!
//! Invariant: those of this process end with its sessions; those of other processes, whose
//! sessions are unknown here, are bounded in number.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tidegate_model::{Principal, PrincipalKey};
use tidegate_policy::Approved;

/// The most sessions of other processes that are remembered; the newest are kept. Chosen: a
/// run of another process is resumed here when that process is gone, which is rare.
const MAX_OF_OTHER_PROCESSES: usize = 64;

/// The approvals of all sessions.
#[derive(Default)]
pub(super) struct SessionApprovals {
    own: HashMap<Principal, Arc<Approved>>,
    /// The oldest first.
    of_other_processes: VecDeque<(PrincipalKey, Arc<Approved>)>,
}

impl SessionApprovals {
    /// The approvals of a session of this process.
    pub(super) fn of(&mut self, principal: &Principal) -> Arc<Approved> {
        Arc::clone(self.own.entry(principal.clone()).or_default())
    }

    /// The approvals of a session of another process, one of whose runs is resumed here.
    pub(super) fn of_other_process(&mut self, key: &PrincipalKey) -> Arc<Approved> {
        let known = self.of_other_processes.iter().find(|(other, _)| other == key);
        if let Some((_, approved)) = known {
            return Arc::clone(approved);
        }
        if self.of_other_processes.len() >= MAX_OF_OTHER_PROCESSES {
            self.of_other_processes.pop_front();
        }
        let approved = Arc::<Approved>::default();
        self.of_other_processes.push_back((key.clone(), Arc::clone(&approved)));
        approved
    }

    #[cfg(test)]
    pub(super) fn own_count(&self) -> usize {
        self.own.len()
    }

    /// Forgets the sessions of this process that are not open.
    pub(super) fn retain(&mut self, is_open: impl Fn(&Principal) -> bool) {
        self.own.retain(|principal, _| is_open(principal));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidegate_model::{Principal, SessionName};

    use super::{MAX_OF_OTHER_PROCESSES, SessionApprovals};

    fn named(name: &str) -> Principal {
        Principal::Session(SessionName::parse(name).unwrap())
    }

    #[test]
    fn requests_of_one_session_share_its_approvals_until_it_ends() {
        let mut approvals = SessionApprovals::default();
        let (first, other) = (approvals.of(&named("a")), approvals.of(&named("b")));
        assert!(Arc::ptr_eq(&first, &approvals.of(&named("a"))));
        assert!(!Arc::ptr_eq(&first, &other));
        approvals.retain(|principal| *principal == named("b"));
        assert!(!Arc::ptr_eq(&first, &approvals.of(&named("a"))));
        assert!(Arc::ptr_eq(&other, &approvals.of(&named("b"))));
    }

    #[test]
    fn ten_thousand_sessions_of_other_processes_leave_the_newest() {
        let mut approvals = SessionApprovals::default();
        let key = |number: usize| Principal::Process.key(&number.to_string());
        for number in 0..10_000 {
            let approved = approvals.of_other_process(&key(number));
            assert!(Arc::ptr_eq(&approved, &approvals.of_other_process(&key(number))));
        }
        assert_eq!(approvals.of_other_processes.len(), MAX_OF_OTHER_PROCESSES);
        let oldest = &approvals.of_other_processes[0].0;
        assert_eq!(*oldest, key(10_000 - MAX_OF_OTHER_PROCESSES));
    }
}
