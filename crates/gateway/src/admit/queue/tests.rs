use std::sync::Arc;
use std::time::Duration;

use tidegate_model::{ErrorCode, Principal, RunError, SessionName};
use tokio::task::JoinHandle;

use super::{Bounds, Queue, State, Turn};

const LONG: Duration = Duration::from_secs(60);

fn session(name: &str) -> Principal {
    Principal::Session(SessionName::parse(name).unwrap())
}

fn bounds() -> Bounds {
    Bounds { runs: 2, runs_per_session: 2, starting: 2, waiting: 100 }
}

/// Asks for a place; returns once the request is in the queue or admitted.
async fn ask(queue: &Arc<Queue>, name: &str) -> JoinHandle<Result<Turn, RunError>> {
    let before = queue.state().tickets;
    let (own, name) = (Arc::clone(queue), session(name));
    let asked = tokio::spawn(async move { own.enter(&name, LONG).await });
    while queue.state().tickets == before && !asked.is_finished() {
        tokio::task::yield_now().await;
    }
    asked
}

async fn admitted(asked: JoinHandle<Result<Turn, RunError>>) -> Turn {
    tokio::time::timeout(LONG, asked).await.unwrap().unwrap().unwrap()
}

fn assert_empty(queue: &Queue) {
    let state = queue.state();
    let State { running, starting, waiting, sessions, turns, tickets: _ } = &*state;
    assert_eq!((*running, *starting, *waiting, sessions.len(), turns.len()), (0, 0, 0, 0, 0));
}

#[tokio::test]
async fn a_session_with_one_request_does_not_wait_for_a_hundred_of_another() {
    let queue = Queue::new(Bounds { runs: 1, ..bounds() });
    let first = admitted(ask(&queue, "many").await).await;
    let mut many = Vec::new();
    for _ in 0..50 {
        many.push(ask(&queue, "many").await);
    }
    let one = ask(&queue, "one").await;
    drop(first);
    // One turn of the other session, then its own.
    drop(admitted(many.remove(0)).await);
    let one = admitted(one).await;
    assert!(many.iter().all(|asked| !asked.is_finished()));
    drop(one);
    for asked in many {
        drop(admitted(asked).await);
    }
    assert_empty(&queue);
}

#[tokio::test]
async fn a_session_never_has_more_runs_than_it_may_and_does_not_block_others() {
    let queue = Queue::new(Bounds { runs: 3, runs_per_session: 1, ..bounds() });
    let held = admitted(ask(&queue, "a").await).await;
    let second = ask(&queue, "a").await;
    let other = admitted(ask(&queue, "b").await).await;
    assert!(!second.is_finished());
    drop(held);
    drop((admitted(second).await, other));
    assert_empty(&queue);
}

#[tokio::test]
async fn only_so_many_start_at_once_and_all_may_run() {
    let queue = Queue::new(Bounds { runs: 3, runs_per_session: 3, starting: 1, ..bounds() });
    let mut first = admitted(ask(&queue, "a").await).await;
    let second = ask(&queue, "a").await;
    assert!(!second.is_finished());
    first.started();
    let second = admitted(second).await;
    drop((first, second));
    assert_empty(&queue);
}

#[tokio::test]
async fn a_full_queue_says_busy_with_the_numbers() {
    let queue = Queue::new(Bounds { waiting: 1, ..bounds() });
    let held = (admitted(ask(&queue, "a").await).await, admitted(ask(&queue, "a").await).await);
    let waiting = ask(&queue, "a").await;
    let refused = queue.enter(&session("a"), LONG).await.err().unwrap();
    assert_eq!(
        refused.to_string(),
        "error[sandbox.busy]: the queue is full: 2 of 2 runs are active, 1 of 1 waiting\n\
         hint: try again in a few seconds, with fewer programs at once; an operator can raise \
         `max_runs`, `max_runs_per_session` (now 2) and `max_waiting` in `[sandbox]`"
    );
    drop(held);
    drop(admitted(waiting).await);
    assert_empty(&queue);
}

#[tokio::test]
async fn nobody_can_fill_the_queue_for_all_others() {
    let queue = Queue::new(Bounds { waiting: 3, ..bounds() });
    let held = (admitted(ask(&queue, "a").await).await, admitted(ask(&queue, "a").await).await);
    let mut many = Vec::new();
    for _ in 0..3 {
        many.push(ask(&queue, "a").await);
    }
    let other = ask(&queue, "b").await;
    // The newest of the longest line made room, and only that one.
    let displaced = many.pop().unwrap().await.unwrap().err().unwrap();
    assert_eq!(displaced.code, ErrorCode::Busy);
    // Two against one: nobody would gain.
    let refused = queue.enter(&session("b"), LONG).await.err().unwrap();
    assert_eq!(refused.code, ErrorCode::Busy);
    drop(held);
    drop(admitted(other).await);
    for asked in many {
        drop(admitted(asked).await);
    }
    assert_empty(&queue);
}

#[tokio::test]
async fn a_cancelled_waiter_leaves_the_queue() {
    let queue = Queue::new(Bounds { runs: 1, ..bounds() });
    let held = admitted(ask(&queue, "a").await).await;
    let cancelled = ask(&queue, "b").await;
    let next = ask(&queue, "c").await;
    cancelled.abort();
    assert!(cancelled.await.is_err());
    assert_eq!(queue.state().waiting, 1);
    drop(held);
    drop(admitted(next).await);
    assert_empty(&queue);
}

#[tokio::test]
async fn one_that_is_admitted_while_it_leaves_gives_its_place_back() {
    let queue = Queue::new(Bounds { runs: 1, ..bounds() });
    let held = admitted(ask(&queue, "a").await).await;
    let place = queue.line_up(&session("b")).unwrap();
    // Admits `b`, which has not polled yet and never will.
    drop(held);
    assert_eq!(queue.state().running, 1);
    drop(place);
    assert_empty(&queue);
}

#[tokio::test]
async fn nobody_waits_longer_than_asked() {
    let queue = Queue::new(Bounds { runs: 1, ..bounds() });
    let held = admitted(ask(&queue, "a").await).await;
    let refused = queue.enter(&session("a"), Duration::from_millis(100)).await.err().unwrap();
    assert_eq!(
        refused.message,
        "no slot became free within 0.1 s: 1 of 1 runs are active, 0 of 100 waiting"
    );
    drop(held);
    assert_empty(&queue);
}
