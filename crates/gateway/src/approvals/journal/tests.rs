use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use tidegate_model::{
    Clock, EffectRecord, ErrorCode, Event, Language, Outcome, Principal, Program, RunError, RunId,
    RunRecord, SandboxKind, ToolRef,
};
use tidegate_policy::Uses;
use tidegate_store::{ParkedRun, Store};

use super::{
    ALL_JOURNALS_BYTES, AllJournals, Begun, Identity, JOURNAL_BYTES, Journal, LEASE, State, find,
};
use crate::privacy::{Unscanned, Vaults};

/// When the tests begin.
fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_hours(1)
}

fn opened() -> (tempfile::TempDir, Vaults, Journal) {
    let state = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(state.path(), Clock::manual(start())).unwrap());
    let program = Program {
        source: "return 1".into(),
        language: Language::TypeScript,
        engine: None,
        timeout: Some(Duration::from_secs(5)),
    };
    let identity = Identity {
        id: RunId("r1".into()),
        program,
        profile: Some("read_only".into()),
        session: "s".into(),
        tokens_of: "t".into(),
        requester: Principal::LocalUser.key("p"),
        sandbox: Some(SandboxKind::Strict),
        options: tidegate_model::RunOptions::default(),
    };
    let vaults = Vaults { store, state_dir: state.path().to_owned() };
    let journal = Journal::new(vaults.clone(), identity);
    (state, vaults, journal)
}

fn tool(name: &str, arguments: &str) -> String {
    format!("{name} {arguments}")
}

/// Makes a request and answers it.
async fn made(journal: &Journal, request: &str, answer: &str) {
    let Begun::New(number) = journal.begin(request.to_owned()) else { panic!("known") };
    journal.send(number, true).await.unwrap();
    journal.finish(number, &Unscanned::new(Ok(answer.to_owned()))).await;
}

fn answer(text: &str) -> Unscanned<Result<String, RunError>> {
    Unscanned::new(Ok(text.to_owned()))
}

fn known(journal: &Journal, request: &str) -> Option<Unscanned<Result<String, RunError>>> {
    match journal.begin(request.to_owned()) {
        Begun::Known(outcome) => Some(outcome),
        Begun::New(_) => None,
    }
}

/// The run waits for a person, and its client leaves.
async fn kept(journal: &Journal) {
    waits(journal).await;
    journal.release();
}

async fn waits(journal: &Journal) {
    journal.park(journal.vaults.now() + Duration::from_secs(60)).await.unwrap();
}

async fn resume(
    vaults: &Vaults,
    id: &RunId,
    session: &str,
) -> Result<(Identity, Journal), RunError> {
    find(vaults, id, session).await?.take(vaults).await
}

#[tokio::test]
async fn a_run_that_goes_on_gets_the_same_answers_and_each_once() {
    let (_state, vaults, journal) = opened();
    made(&journal, &tool("a", "{}"), "1").await;
    made(&journal, &tool("a", "{}"), "2").await;
    let Begun::New(waiting) = journal.begin(tool("delete", "{}")) else { panic!() };
    waits(&journal).await;
    let pending = Unscanned::new(Err(RunError::new(ErrorCode::ApprovalPending, "waits")));
    journal.finish(waiting, &pending).await;
    drop(journal);

    let (identity, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
    assert_eq!(identity.program.source, "return 1");
    assert_eq!(identity.program.timeout, Some(Duration::from_secs(5)));
    assert_eq!(identity.profile.as_deref(), Some("read_only"));
    assert_eq!(identity.requester.as_str(), "by hand");
    assert_eq!(identity.sandbox, Some(SandboxKind::Strict));
    assert_eq!(known(&journal, &tool("a", "{}")), Some(answer("1")));
    assert_eq!(known(&journal, &tool("a", "{}")), Some(answer("2")));
    let Begun::New(number) = journal.begin(tool("delete", "{}")) else { panic!() };
    assert_eq!(journal.send(number, true).await, Ok(()));
    assert_eq!(known(&journal, &tool("a", "{}")), None, "each answer once");
    // A run resumes once.
    let again = resume(&vaults, &RunId("r1".into()), "s").await.err().unwrap();
    assert_eq!(again.code, ErrorCode::NotParked);
}

#[tokio::test]
async fn what_was_sent_and_not_answered_is_not_sent_again() {
    let (_state, vaults, journal) = opened();
    let Begun::New(number) = journal.begin(tool("pay", "{}")) else { panic!() };
    journal.send(number, true).await.unwrap();
    let Begun::New(number) = journal.begin(tool("look", "{}")) else { panic!() };
    journal.send(number, false).await.unwrap();
    kept(&journal).await;
    let (_, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
    assert_eq!(known(&journal, &tool("look", "{}")), None);
    let outcome = known(&journal, &tool("pay", "{}")).unwrap();
    assert_eq!(outcome.fact(super::code), Some(ErrorCode::Diverged));
}

#[tokio::test]
async fn g33_what_was_sent_is_not_sent_again_however_often_the_run_goes_on() {
    let (_state, vaults, journal) = opened();
    let Begun::New(number) = journal.begin(tool("pay", "{}")) else { panic!() };
    journal.send(number, true).await.unwrap();
    kept(&journal).await;
    for _ in 0..3 {
        let (_, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
        let outcome = known(&journal, &tool("pay", "{}")).expect("it would be made again");
        assert_eq!(outcome.fact(super::code), Some(ErrorCode::Diverged));
        kept(&journal).await;
    }
}

#[tokio::test]
async fn g33_answers_that_a_run_did_not_come_to_are_kept_when_it_is_broken_off_again() {
    let (_state, vaults, journal) = opened();
    made(&journal, &tool("add", "{}"), "1").await;
    kept(&journal).await;
    for _ in 0..2 {
        // It waits for a person again, and has not asked for its earlier answer yet.
        let (_, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
        assert_eq!(known(&journal, &tool("delete", "{}")), None);
        kept(&journal).await;
    }
    let (_, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
    assert_eq!(known(&journal, &tool("add", "{}")), Some(answer("1")));
}

#[tokio::test]
async fn a_run_that_takes_another_way_changes_nothing() {
    let (_state, vaults, journal) = opened();
    made(&journal, &tool("write", "{\"at\":1}"), "1").await;
    kept(&journal).await;
    let (_, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
    let Begun::New(number) = journal.begin(tool("write", "{\"at\":2}")) else { panic!() };
    assert_eq!(journal.send(number, true).await.unwrap_err().code, ErrorCode::Diverged);
    assert_eq!(journal.send(number, false).await, Ok(()), "what changes nothing may be done");
}

#[tokio::test]
async fn an_answer_that_comes_while_the_run_waits_is_kept_too() {
    let (_state, vaults, journal) = opened();
    let Begun::New(number) = journal.begin(tool("slow", "{}")) else { panic!() };
    journal.send(number, true).await.unwrap();
    waits(&journal).await;
    journal.finish(number, &answer("late")).await;
    journal.release();
    let (_, journal) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
    assert_eq!(known(&journal, &tool("slow", "{}")), Some(answer("late")));
}

#[tokio::test]
async fn nothing_is_kept_of_a_run_that_goes_on_here_or_belongs_to_others() {
    let (_state, vaults, journal) = opened();
    let code = async |session: &str| {
        let resumed = resume(&vaults, &RunId("r1".into()), session).await;
        resumed.err().map(|error| error.code)
    };
    assert_eq!(code("s").await, Some(ErrorCode::NotParked));
    waits(&journal).await;
    journal.forget().await.unwrap();
    assert_eq!(code("s").await, Some(ErrorCode::NotParked));
    kept(&journal).await;
    assert_eq!(code("other").await, Some(ErrorCode::NotParked));
}

#[tokio::test]
async fn a_run_with_too_many_answers_says_so() {
    let (_state, vaults, journal) = opened();
    made(&journal, &tool("a", "{}"), &"x".repeat(JOURNAL_BYTES)).await;
    kept(&journal).await;
    let error = resume(&vaults, &RunId("r1".into()), "s").await.err().unwrap();
    assert!(error.message.contains("exceed the limit"), "{error}");
}

#[tokio::test]
async fn g33_a_run_that_lives_does_not_go_on_beside_itself() {
    let (_state, vaults, journal) = opened();
    let id = RunId("r1".into());
    waits(&journal).await;
    let error = resume(&vaults, &id, "s").await.err().unwrap();
    assert_eq!(error.code, ErrorCode::ApprovalPending, "{error}");
    assert!(error.message.contains("still waiting"), "{error}");
    // Its process is gone, so it can be resumed at once.
    drop(journal);
    assert!(resume(&vaults, &id, "s").await.is_ok());
}

#[tokio::test]
async fn g33_a_run_that_was_taken_for_dead_does_nothing_more() {
    let (_state, vaults, journal) = opened();
    waits(&journal).await;
    // Its process did not renew the lease in time.
    journal.lease_until(SystemTime::UNIX_EPOCH).await.unwrap();
    let (_, copy) = resume(&vaults, &RunId("r1".into()), "s").await.unwrap();
    waits(&copy).await;
    let Begun::New(number) = journal.begin(tool("add", "{}")) else { panic!() };
    assert_eq!(journal.send(number, true).await.unwrap_err().code, ErrorCode::NotParked);
    assert_eq!(journal.forget().await.unwrap_err().code, ErrorCode::NotParked);
    assert_eq!(journal.park(start()).await.unwrap_err().code, ErrorCode::NotParked);
    drop(journal);
    // The new owner is not affected.
    let Begun::New(number) = copy.begin(tool("add", "{}")) else { panic!() };
    assert_eq!(copy.send(number, true).await, Ok(()));
    assert_eq!(copy.forget().await, Ok(()));
}

#[tokio::test]
async fn g33_a_run_of_a_silent_process_can_be_resumed_when_its_lease_ends() {
    let (_state, vaults, journal) = opened();
    let (id, clock) = (RunId("r1".into()), vaults.store.clock());
    waits(&journal).await;
    clock.advance(LEASE - Duration::from_millis(1));
    let error = resume(&vaults, &id, "s").await.err().unwrap();
    assert_eq!(error.code, ErrorCode::ApprovalPending, "{error}");
    journal.renew_lease().await;
    clock.advance(LEASE - Duration::from_millis(1));
    assert!(resume(&vaults, &id, "s").await.is_err(), "it was heard of again");
    clock.advance(Duration::from_millis(1));
    assert!(resume(&vaults, &id, "s").await.is_ok());
    assert_eq!(journal.park(start()).await.unwrap_err().code, ErrorCode::NotParked);
}

#[tokio::test]
async fn g33_nothing_is_sent_that_a_resume_would_not_know() {
    let (state, _vaults, journal) = opened();
    waits(&journal).await;
    let Begun::New(number) = journal.begin(tool("delete", "{}")) else { panic!("known") };
    let key = state.path().join("vault.key");
    let bytes = std::fs::read(&key).unwrap();
    std::fs::write(&key, "no key").unwrap();
    let refused = journal.send(number, true).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Internal);
    assert_eq!(refused.message, "what this run has done could not be stored");
    std::fs::write(&key, bytes).unwrap();
    assert_eq!(journal.send(number, true).await, Ok(()));
}

/// Puts an older copy of the run's row back, as whoever can write the database can.
async fn put_back(vaults: &Vaults, copy: &str) {
    let id = &RunId("s/r1".into());
    let (lease_ends, expires_at) = (SystemTime::UNIX_EPOCH, vaults.now() + Duration::from_secs(60));
    let row = ParkedRun { id, owner: "o", lease_ends, expires_at, state: copy };
    vaults.park(&row).await.unwrap();
}

/// The record of something that the run sends.
async fn recorded(vaults: &Vaults) {
    let (at, tool) = (vaults.now(), ToolRef::new("disk", "wipe"));
    let effect = EffectRecord { at, run_id: RunId("r1".into()), tool };
    vaults.store.records().add_now("s", Event::Effect(effect)).await.unwrap();
}

async fn ended(vaults: &Vaults, outcome: Outcome) {
    let record = RunRecord {
        id: RunId("r1".into()),
        started_at: vaults.now(),
        kind: "execute_code",
        program: None,
        outcome,
        duration: Duration::ZERO,
        tool_calls: 0,
        result_bytes: 0,
        answer_tokens: 0,
        handle: None,
    };
    vaults.store.records().run_ended("s", record).await.unwrap();
}

#[tokio::test]
async fn g33_a_run_that_has_ended_is_not_resumed_from_a_copy_of_its_row() {
    let id = &RunId("r1".into());
    let goes_on = [ErrorCode::ApprovalPending, ErrorCode::Cancelled];
    let ends = [Outcome::Succeeded, Outcome::Failed(ErrorCode::Thrown)];
    for outcome in goes_on.map(Outcome::Failed).into_iter().chain(ends) {
        let (_state, vaults, journal) = opened();
        kept(&journal).await;
        let copy = find(&vaults, id, "s").await.unwrap().seen.state;
        let (_, journal) = resume(&vaults, id, "s").await.unwrap();
        ended(&vaults, outcome).await;
        drop(journal);
        put_back(&vaults, &copy).await;
        let again = resume(&vaults, id, "s").await;
        assert_eq!(again.is_ok(), !ends.contains(&outcome), "{outcome:?}");
        if let Err(error) = again {
            assert_eq!(error.code, ErrorCode::NotParked);
        }
    }
}

/// However the run ended, and if it did not: its process may have been killed, or it waits for
/// the next approval.
#[tokio::test]
async fn g33_an_older_copy_of_a_run_makes_no_call_twice() {
    let id = &RunId("r1".into());
    let (_state, vaults, journal) = opened();
    kept(&journal).await;
    let copy = find(&vaults, id, "s").await.unwrap().seen.state;
    let (_, journal) = resume(&vaults, id, "s").await.unwrap();
    made(&journal, &tool("wipe", "{}"), "wiped").await;
    recorded(&vaults).await;
    assert_eq!(journal.is_alone().await, Ok(()));
    kept(&journal).await;
    drop(journal);
    // The newest one resumes.
    let newest = find(&vaults, id, "s").await.unwrap().seen.state;
    put_back(&vaults, &copy).await;
    let error = resume(&vaults, id, "s").await.err().unwrap();
    assert_eq!(error.code, ErrorCode::NotParked);
    put_back(&vaults, &newest).await;
    assert!(find(&vaults, id, "s").await.is_ok());
}

/// Both were taken before either has sent anything.
#[tokio::test]
async fn g33_two_copies_of_a_run_do_not_both_make_a_call() {
    let id = &RunId("r1".into());
    let (_state, vaults, journal) = opened();
    kept(&journal).await;
    let copy = find(&vaults, id, "s").await.unwrap().seen.state;
    let (_, first) = resume(&vaults, id, "s").await.unwrap();
    put_back(&vaults, &copy).await;
    let (_, second) = resume(&vaults, id, "s").await.unwrap();
    made(&first, &tool("wipe", "{}"), "wiped").await;
    recorded(&vaults).await;
    assert_eq!(first.is_alone().await, Ok(()));
    made(&second, &tool("wipe", "{}"), "wiped").await;
    recorded(&vaults).await;
    let error = second.is_alone().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotParked);
}

/// The row is sealed with a key that others of the same user can read.
#[tokio::test]
async fn what_is_stored_with_a_run_approves_nothing_where_only_signatures_count() {
    let id = &RunId("r1".into());
    for forgets in [false, true] {
        let (_state, vaults, journal) = opened();
        journal.approved().approve("this", Uses::Times(1));
        kept(&journal).await;
        let mut found = find(&vaults, id, "s").await.unwrap();
        if forgets {
            found.forget_approvals();
        }
        let (_, journal) = found.take(&vaults).await.unwrap();
        assert_eq!(journal.approved().has("this"), !forgets);
    }
}

#[test]
fn g40_all_journals_together_are_bounded_and_give_back_what_they_kept() {
    static ALL: AtomicUsize = AtomicUsize::new(0);
    let journal = || {
        let mut state = State::default();
        state.all = AllJournals(&ALL);
        state.entries = Some(Vec::new());
        let number = state.add("a".to_owned());
        state.finish(number, &answer(&"x".repeat(JOURNAL_BYTES - 10)));
        state
    };
    let all: Vec<State> = (0..12).map(|_| journal()).collect();
    let kept = all.iter().filter(|state| state.entries.is_some()).count();
    assert_eq!(kept, ALL_JOURNALS_BYTES / JOURNAL_BYTES);
    assert!(ALL.load(Ordering::Relaxed) <= ALL_JOURNALS_BYTES);
    drop(all);
    assert_eq!(ALL.load(Ordering::Relaxed), 0);
}
