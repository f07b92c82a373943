use std::time::{Duration, SystemTime};

use tidegate_model::Clock;

use super::{
    Answered, ApprovalAnswer, ApprovalFilter, ApprovalScope, ApprovalState, Approvals, NewApproval,
    Quota,
};
use crate::Store;

fn opened() -> (tempfile::TempDir, Clock, Approvals) {
    let state = tempfile::tempdir().unwrap();
    let clock = Clock::manual(SystemTime::UNIX_EPOCH + Duration::from_hours(1));
    let approvals = Store::open(state.path(), clock.clone()).unwrap().approvals();
    (state, clock, approvals)
}

async fn asked(approvals: &Approvals, id: &str, subject: &str, clock: &Clock) {
    let new = NewApproval {
        id: id.into(),
        run_id: "r1".into(),
        asked_by: "by hand".into(),
        kind: "call".into(),
        subject: subject.into(),
        title: "files__delete".into(),
        details: "…".into(),
        form_sha256: "form".into(),
        created_at: clock.now(),
        expires_at: clock.now() + Duration::from_secs(60),
    };
    approvals.ask(new).await.unwrap();
}

const ONCE: ApprovalAnswer = ApprovalAnswer::Approve(ApprovalScope::Once);

#[tokio::test]
async fn a_yes_is_used_once_and_only_for_its_own_subject() {
    let (_state, clock, approvals) = opened();
    asked(&approvals, "a1", "hash-a", &clock).await;
    let used = async |id: &str, subject: &str| approvals.use_up(id, subject).await.unwrap();
    assert!(!used("a1", "hash-a").await, "pending is no yes");
    let Answered { is_first, approval } =
        approvals.answer("a1", ONCE, "cli", None).await.unwrap().unwrap();
    assert!(is_first);
    assert_eq!((approval.state, approval.scope), (ApprovalState::Approved, ApprovalScope::Once));
    assert_eq!(approval.decided_by.as_deref(), Some("cli"));
    assert!(!used("a1", "hash-b").await, "swapped");
    assert!(!used("a2", "hash-a").await, "forged");
    assert!(used("a1", "hash-a").await);
    assert!(!used("a1", "hash-a").await, "replayed");
    assert!(approvals.of_subject("hash-a").await.unwrap().is_none());
}

#[tokio::test]
async fn a_yes_for_the_session_is_found_after_its_use_until_it_expires() {
    let (_state, clock, approvals) = opened();
    asked(&approvals, "a1", "hash-a", &clock).await;
    let session = ApprovalAnswer::Approve(ApprovalScope::Session);
    approvals.answer("a1", session, "cli", None).await.unwrap().unwrap();
    assert!(approvals.use_up("a1", "hash-a").await.unwrap());
    let found = approvals.of_subject("hash-a").await.unwrap().unwrap();
    assert_eq!((found.state, found.scope), (ApprovalState::Used, ApprovalScope::Session));
    assert!(!approvals.use_up("a1", "hash-a").await.unwrap(), "it is no second yes");
    clock.advance(Duration::from_secs(60));
    assert!(approvals.of_subject("hash-a").await.unwrap().is_none());
}

#[tokio::test]
async fn an_answer_is_given_once_and_in_time() {
    let (_state, clock, approvals) = opened();
    let answer = async |id: &str, answer| {
        let answered = approvals.answer(id, answer, "cli", None).await.unwrap();
        answered.map(|answered| (answered.is_first, answered.approval.state))
    };
    asked(&approvals, "a1", "hash-a", &clock).await;
    assert_eq!(answer("a9", ONCE).await, None);
    assert_eq!(answer("a1", ApprovalAnswer::Deny).await, Some((true, ApprovalState::Denied)));
    assert_eq!(answer("a1", ONCE).await, Some((false, ApprovalState::Denied)));
    asked(&approvals, "a2", "hash-b", &clock).await;
    asked(&approvals, "a3", "hash-c", &clock).await;
    assert_eq!(answer("a3", ONCE).await, Some((true, ApprovalState::Approved)));
    let listed = async |which| -> Vec<String> {
        let listed = approvals.list(which).await.unwrap();
        listed.into_iter().map(|one| one.asked.id).collect()
    };
    assert_eq!(listed(ApprovalFilter::Pending).await, ["a2"]);
    assert_eq!(listed(ApprovalFilter::All).await, ["a3", "a2", "a1"]);
    clock.advance(Duration::from_secs(60));
    assert_eq!(answer("a2", ONCE).await, Some((false, ApprovalState::Expired)));
    assert!(!approvals.use_up("a3", "hash-c").await.unwrap(), "expired");
    assert_eq!(listed(ApprovalFilter::Pending).await, [""; 0]);
    assert!(approvals.of_subject("hash-b").await.unwrap().is_none());
    let found = approvals.find("a3").await.unwrap().unwrap();
    assert_eq!(found.state, ApprovalState::Expired);
}

/// Stands for many processes that answer or resume at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_try_the_same_one_succeeds() {
    let (state, clock, approvals) = opened();
    asked(&approvals, "a1", "hash-a", &clock).await;
    let open = || Store::open(state.path(), clock.clone()).unwrap().approvals();
    let gateways: Vec<Approvals> = (0..4).map(|_| open()).collect();
    let answers: Vec<_> = gateways.iter().map(|one| one.answer("a1", ONCE, "cli", None)).collect();
    let mut first = 0;
    for answer in answers {
        first += usize::from(answer.await.unwrap().unwrap().is_first);
    }
    assert_eq!(first, 1);
    let uses: Vec<_> = gateways.iter().map(|one| one.use_up("a1", "hash-a")).collect();
    let mut used = 0;
    for one in uses {
        used += usize::from(one.await.unwrap());
    }
    assert_eq!(used, 1);
}

#[tokio::test]
async fn a_statement_differs_in_everything_that_a_person_signs() {
    let (_state, clock, approvals) = opened();
    asked(&approvals, "a1", "hash-a", &clock).await;
    let one = approvals.find("a1").await.unwrap().unwrap().asked;
    let changed = [
        NewApproval { id: "a2".into(), ..one.clone() },
        NewApproval { asked_by: "session x".into(), ..one.clone() },
        NewApproval { kind: "program".into(), ..one.clone() },
        NewApproval { subject: "hash-b".into(), ..one.clone() },
        NewApproval { title: "files__delete…".into(), details: String::new(), ..one.clone() },
        NewApproval { details: String::new(), ..one.clone() },
        NewApproval { form_sha256: "other".into(), ..one.clone() },
        NewApproval { expires_at: one.expires_at + Duration::from_secs(1), ..one.clone() },
    ];
    let mut statements: Vec<Vec<u8>> =
        changed.iter().map(|one| one.statement(ApprovalScope::Once)).collect();
    statements.push(one.statement(ApprovalScope::Once));
    statements.push(one.statement(ApprovalScope::Session));
    let count = statements.len();
    statements.sort();
    statements.dedup();
    assert_eq!(statements.len(), count);
}

#[tokio::test]
async fn g40_questions_have_a_quota_and_the_oldest_past_ones_go() {
    let (_state, clock, approvals) = opened();
    let most = Quota { pending: 3, pending_bytes: 100, past: 2 };
    let ask = |id: usize, details: &str| {
        let new = NewApproval {
            id: format!("a{id}"),
            run_id: "r1".into(),
            asked_by: "s".into(),
            kind: "call".into(),
            subject: format!("hash-{id}"),
            title: "files__delete".into(),
            details: details.into(),
            form_sha256: "form".into(),
            created_at: clock.now(),
            expires_at: clock.now() + Duration::from_secs(60),
        };
        approvals.ask_within(new, most)
    };
    for id in 0..3 {
        ask(id, "…").await.unwrap();
    }
    let refused = ask(3, "…").await.unwrap_err().to_string();
    assert_eq!(refused, "there are too many questions that wait for an answer");
    // Answered or expired, they make room, and the oldest of them are removed.
    clock.advance(Duration::from_secs(61));
    assert!(ask(4, &"x".repeat(101)).await.is_err());
    ask(4, "…").await.unwrap();
    let listed = approvals.list(ApprovalFilter::All).await.unwrap();
    let ids: Vec<&str> = listed.iter().map(|one| one.asked.id.as_str()).collect();
    assert_eq!(ids, ["a4", "a2", "a1"]);
}
