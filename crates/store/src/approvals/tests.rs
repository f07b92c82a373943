use std::time::{Duration, SystemTime};

use super::{ApprovalScope, ApprovalState, Approvals, NewApproval};
use crate::Store;

fn opened() -> (tempfile::TempDir, Store, Approvals) {
    let state = tempfile::tempdir().unwrap();
    let store = Store::open(state.path()).unwrap();
    let approvals = store.approvals().unwrap();
    (state, store, approvals)
}

fn asked(approvals: &Approvals, id: &str, subject: &str, now: SystemTime) {
    let new = NewApproval {
        id: id.into(),
        run_id: "r1".into(),
        kind: "call".into(),
        subject: subject.into(),
        title: "files__delete".into(),
        details: "…".into(),
        created_at: now,
        expires_at: now + Duration::from_secs(60),
    };
    approvals.ask(&new).unwrap();
}

#[test]
fn a_yes_is_used_once_and_only_for_its_own_subject() {
    let (_state, _store, approvals) = opened();
    let now = SystemTime::now();
    asked(&approvals, "a1", "hash-a", now);
    assert!(!approvals.take("a1", "hash-a", now).unwrap(), "pending is no yes");
    let (changed, approval) =
        approvals.answer("a1", true, ApprovalScope::Session, "cli", now).unwrap().unwrap();
    assert!(changed);
    assert_eq!((approval.state, approval.scope), (ApprovalState::Approved, ApprovalScope::Session));
    assert!(!approvals.take("a1", "hash-b", now).unwrap(), "swapped");
    assert!(!approvals.take("a2", "hash-a", now).unwrap(), "forged");
    assert!(approvals.take("a1", "hash-a", now).unwrap());
    assert!(!approvals.take("a1", "hash-a", now).unwrap(), "replayed");
    assert!(approvals.of_subject("hash-a", now).unwrap().is_none());
}

#[test]
fn an_answer_is_given_once_and_in_time() {
    let (_state, _store, approvals) = opened();
    let now = SystemTime::now();
    asked(&approvals, "a1", "hash-a", now);
    let answer = |id: &str, yes, at| {
        let answered = approvals.answer(id, yes, ApprovalScope::Once, "cli", at).unwrap();
        answered.map(|(changed, approval)| (changed, approval.state))
    };
    assert_eq!(answer("a9", true, now), None);
    assert_eq!(answer("a1", false, now), Some((true, ApprovalState::Denied)));
    assert_eq!(answer("a1", true, now), Some((false, ApprovalState::Denied)));
    asked(&approvals, "a2", "hash-b", now);
    let late = now + Duration::from_secs(61);
    assert_eq!(answer("a2", true, late), Some((false, ApprovalState::Expired)));
    asked(&approvals, "a3", "hash-c", now);
    assert_eq!(answer("a3", true, now), Some((true, ApprovalState::Approved)));
    assert!(!approvals.take("a3", "hash-c", late).unwrap(), "expired");
    let open: Vec<String> =
        approvals.list(true, now).unwrap().into_iter().map(|one| one.asked.id).collect();
    assert_eq!(open, ["a2"]);
    assert_eq!(approvals.list(false, now).unwrap().len(), 3);
}
