//! A pending answer of the database.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::oneshot;

use crate::StoreError;

/// A pending answer of the database. The work is done whether or not anybody waits for it.
///
/// Async code awaits it. [`Reply::wait`] is for code that cannot: a gateway that opens its
/// state before it serves anybody, and destructors.
#[must_use = "await it, `wait` for it, or leave it `in_background`"]
pub struct Reply<T>(oneshot::Receiver<Result<T, StoreError>>);

pub(super) fn reply<T>() -> (oneshot::Sender<Result<T, StoreError>>, Reply<T>) {
    let (sender, receiver) = oneshot::channel();
    (sender, Reply(receiver))
}

impl<T> Reply<T> {
    /// An answer that is known without the database.
    pub fn ready(answer: Result<T, StoreError>) -> Self {
        let (sender, reply) = reply();
        // Cannot fail: the receiver still exists.
        let _ = sender.send(answer);
        reply
    }

    /// Blocks this thread, as [`wait`] does.
    pub fn wait(self) -> Result<T, StoreError> {
        wait(self)
    }

    /// Lets the database finish on its own. Failures are only in its log.
    pub fn in_background(self) {
        drop(self);
    }
}

/// Blocks this thread until the database answers. The database has its own threads, so this
/// ends even on a thread of an async runtime; other tasks of that thread wait meanwhile.
pub fn wait<T>(answer: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    // Exempt from the budget of an async task that may be running on this thread: if the
    // task had used it up, the answer would never become ready here.
    let mut answer = std::pin::pin!(tokio::task::unconstrained(answer));
    loop {
        match answer.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}

impl<T> Future for Reply<T> {
    type Output = Result<T, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = Pin::new(&mut self.0).poll(context);
        answer.map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
