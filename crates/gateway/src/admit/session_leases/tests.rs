use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tidegate_model::{Clock, Principal, SessionName};

use super::{IDLE_TIMEOUT, LeaseHolder, MAX_IDLE, Sessions};

fn opened() -> (Clock, Arc<Sessions>) {
    let clock = Clock::manual(SystemTime::UNIX_EPOCH);
    (clock.clone(), Sessions::new(clock))
}

fn named(name: &str) -> Principal {
    Principal::Session(SessionName::parse(name).unwrap())
}

fn request(sessions: &Arc<Sessions>, principal: &Principal) {
    drop(sessions.lease(principal, LeaseHolder::Request));
}

#[test]
fn a_session_without_a_client_ends_after_its_idle_time_and_not_before() {
    let (clock, sessions) = opened();
    request(&sessions, &named("a"));
    clock.advance(IDLE_TIMEOUT - Duration::from_secs(1));
    assert!(!sessions.end_unused());
    assert!(sessions.contains(&named("a")));
    // Each request restarts the idle time.
    request(&sessions, &named("a"));
    clock.advance(IDLE_TIMEOUT - Duration::from_secs(1));
    assert!(!sessions.end_unused());
    clock.advance(Duration::from_secs(1));
    assert!(sessions.end_unused());
    assert!(!sessions.contains(&named("a")));
}

#[test]
fn a_session_with_a_client_ends_when_it_disconnects_and_not_before() {
    let (clock, sessions) = opened();
    let client = sessions.lease(&Principal::Process, LeaseHolder::Client);
    request(&sessions, &Principal::Process);
    clock.advance(IDLE_TIMEOUT * 100);
    assert!(!sessions.end_unused());
    drop(client);
    assert!(sessions.end_unused());
    assert!(!sessions.contains(&Principal::Process));
}

#[test]
fn a_request_that_outlives_its_client_keeps_the_session_until_it_ends() {
    let (clock, sessions) = opened();
    let client = sessions.lease(&named("a"), LeaseHolder::Client);
    let run = sessions.lease(&named("a"), LeaseHolder::Request);
    drop(client);
    clock.advance(IDLE_TIMEOUT * 100);
    assert!(!sessions.end_unused());
    drop(run);
    assert!(sessions.end_unused());
    assert!(!sessions.contains(&named("a")));
}

#[test]
fn a_session_ends_with_the_last_of_its_clients() {
    let (_clock, sessions) = opened();
    let first = sessions.lease(&named("a"), LeaseHolder::Client);
    let second = sessions.lease(&named("a"), LeaseHolder::Client);
    drop(first);
    assert!(!sessions.end_unused());
    drop(second);
    assert!(sessions.end_unused());
}

#[test]
fn a_client_that_connects_again_in_time_finds_its_session() {
    let (clock, sessions) = opened();
    drop(sessions.lease(&named("a"), LeaseHolder::Client));
    let _again = sessions.lease(&named("a"), LeaseHolder::Client);
    clock.advance(IDLE_TIMEOUT * 2);
    assert!(!sessions.end_unused());
    assert!(sessions.contains(&named("a")));
}

#[test]
fn ten_thousand_sessions_leave_a_bounded_number_and_the_newest() {
    let (clock, sessions) = opened();
    for number in 0..10_000 {
        request(&sessions, &named(&number.to_string()));
        clock.advance(Duration::from_millis(1));
        sessions.end_unused();
        assert!(sessions.sessions().len() <= MAX_IDLE);
    }
    assert!(sessions.contains(&named("9999")) && !sessions.contains(&named("0")));
}

#[test]
fn no_number_of_sessions_ends_one_that_is_in_use() {
    let (clock, sessions) = opened();
    let client = sessions.lease(&named("client"), LeaseHolder::Client);
    let run = sessions.lease(&named("run"), LeaseHolder::Request);
    for number in 0..10_000 {
        request(&sessions, &named(&number.to_string()));
        clock.advance(Duration::from_secs(60));
        sessions.end_unused();
        assert!(sessions.contains(&named("client")) && sessions.contains(&named("run")));
    }
    drop((client, run));
}
