//! Many runs: workers are used once, kept ready, dropped and replaced; turns are fair; a
//! request that cannot be served gets an error.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tidegate_gateway::RunContext;
use tidegate_model::{Isolation, Limits};
use tidegate_sandbox::{Driver, Pool, PoolSettings, ProcessDriver, SandboxError, Worker};
use tokio::task::JoinSet;

use crate::support::{
    Bench, Traces, alone, child_ids, children, context_of, double, ending, program,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_of_two_hundred_succeeds_and_no_worker_serves_twice() {
    let _alone = alone().await;
    let bench = Bench::with("good", |settings| {
        settings.limits.time = Duration::from_secs(60);
        settings.sandbox.capacity.max_runs = Some(20);
    });
    bench.gateway.prepare_worker();
    let mut runs = JoinSet::new();
    for _ in 0..200 {
        let gateway = Arc::clone(&bench.gateway);
        let program = program("pid");
        runs.spawn(async move { gateway.execute(program, &RunContext::default()).await });
    }
    let endings: Vec<String> = runs.join_all().await.iter().map(ending).collect();
    let processes: HashSet<u32> = endings.iter().map(|pid| pid.parse().unwrap()).collect();
    assert_eq!(processes.len(), 200);
    bench.gateway.close().await;
    // The last runs were answered before their workers were collected.
    until("all workers are gone", || children() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_may_wait_are_told_so_at_once() {
    let _alone = alone().await;
    let bench = Bench::with("good", |settings| {
        settings.limits.time = Duration::from_secs(60);
        settings.sandbox.capacity.max_runs = Some(4);
        settings.sandbox.capacity.max_runs_per_session = Some(4);
        settings.sandbox.capacity.max_waiting = 16;
    });
    let mut runs = JoinSet::new();
    for _ in 0..200 {
        let gateway = Arc::clone(&bench.gateway);
        let program = program("pause 1000");
        runs.spawn(async move { gateway.execute(program, &RunContext::default()).await });
    }
    let responses = runs.join_all().await;
    let busy = responses.iter().filter(|one| ending(one) == "sandbox.busy").count();
    let succeeded = responses.iter().filter(|one| one.success).count();
    // All 200 asked while the first four were pausing.
    assert_eq!((succeeded, busy), (20, 180));
    assert_eq!(ending(&bench.run("good").await), "\"good\"");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_request_does_not_wait_for_a_hundred_of_another_session() {
    let _alone = alone().await;
    let bench = Bench::with("good", |settings| {
        settings.limits.time = Duration::from_secs(60);
        settings.sandbox.capacity.max_runs = Some(2);
        settings.sandbox.capacity.max_runs_per_session = Some(2);
    });
    let mut many = JoinSet::new();
    for _ in 0..100 {
        let gateway = Arc::clone(&bench.gateway);
        many.spawn(async move {
            let context = context_of("many");
            gateway.execute(program("pause 100"), &context).await
        });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(bench.run_as("good", "one").await.success);
    let mut ended = 0;
    while many.try_join_next().is_some() {
        ended += 1;
    }
    // In a plain queue it would have been all of them.
    assert!(ended < 50, "{ended} of the other session came first");
    many.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_run_leaves_the_queue_and_nothing_else() {
    let _alone = alone().await;
    let bench = Bench::with("good", |settings| {
        settings.limits.time = Duration::from_secs(60);
        settings.sandbox.capacity.max_runs = Some(1);
    });
    assert!(bench.run("good").await.success);
    let before = Traces::at_rest().await;
    let gateway = Arc::clone(&bench.gateway);
    let first = RunContext::default();
    let cancel_first = first.cancelled.clone();
    let holding = tokio::spawn(async move { gateway.execute(program("wait"), &first).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let context = RunContext::default();
    let cancel = context.cancelled.clone();
    let gateway = Arc::clone(&bench.gateway);
    let waiting = tokio::spawn(async move { gateway.execute(program("good"), &context).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let started = Instant::now();
    cancel.cancel();
    assert_eq!(ending(&waiting.await.unwrap()), "run.cancelled");
    assert!(started.elapsed() < Duration::from_secs(5));
    cancel_first.cancel();
    assert_eq!(ending(&holding.await.unwrap()), "run.cancelled");
    assert!(bench.run("good").await.success);
    before.settle().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_run_starts_a_single_worker() {
    let _alone = alone().await;
    let bench = Bench::new("good");
    assert!(bench.run("good").await.success);
    until("the worker is gone", || children() == 0).await;
    // And it stays so: nobody has asked for warm ones.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(children(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_kept_ready_follows_the_runs_and_falls_again() {
    let _alone = alone().await;
    let folder = tempfile::tempdir().unwrap();
    let driver =
        ProcessDriver::new(double(folder.path(), "good"), Limits::default(), Isolation::Any);
    let settings = PoolSettings { most: 4, window: Duration::from_millis(700) };
    let pool = Pool::new(Arc::new(driver), settings);
    pool.prepare();
    until("one is ready", || pool.ready() == 1).await;
    let mut taken = Vec::new();
    for _ in 0..6 {
        taken.push(pool.take().await.unwrap());
    }
    drop(taken);
    until("as many as may be are ready", || pool.ready() == 4).await;
    until("the idle ones are let go", || pool.ready() == 1).await;
    until("their processes too", || children() == 1).await;
    pool.close().await;
    assert_eq!(children(), 0);
    assert!(pool.take().await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_dies_while_it_waits_is_replaced() {
    let _alone = alone().await;
    let folder = tempfile::tempdir().unwrap();
    let driver =
        ProcessDriver::new(double(folder.path(), "mortal"), Limits::default(), Isolation::Any);
    let pool = Pool::new(Arc::new(driver), PoolSettings::at_most(4));
    pool.prepare();
    let mut seen = HashSet::new();
    until("three have followed each other", || {
        seen.extend(child_ids());
        seen.len() >= 3
    })
    .await;
    assert!(children() <= 2, "{} at once", children());
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_fail_or_speak_out_of_turn_are_not_started_again_and_again() {
    let _alone = alone().await;
    for habit in ["gone", "twice"] {
        let folder = tempfile::tempdir().unwrap();
        let driver =
            ProcessDriver::new(double(folder.path(), habit), Limits::default(), Isolation::Any);
        let driver = Arc::new(Counted { driver, starts: AtomicUsize::new(0) });
        let pool = Pool::new(Arc::clone(&driver) as Arc<dyn Driver>, PoolSettings::at_most(4));
        pool.prepare();
        tokio::time::sleep(Duration::from_millis(1200)).await;
        let starts = driver.starts.load(Ordering::Relaxed);
        // At most one every half second.
        assert!((1..=3).contains(&starts), "{habit}: {starts} starts");
        pool.close().await;
    }
}

/// Counts the starts: a worker that fails at once may be gone before anybody
/// sees it.
struct Counted {
    driver: ProcessDriver,
    starts: AtomicUsize,
}

impl Driver for Counted {
    fn start(&self) -> Pin<Box<dyn Future<Output = Result<Worker, SandboxError>> + Send + '_>> {
        self.starts.fetch_add(1, Ordering::Relaxed);
        self.driver.start()
    }
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "not within 20 s: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
