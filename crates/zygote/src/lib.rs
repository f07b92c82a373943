//! Forks jailed workers from a Python process that has finished all imports.
//!
//! A shared library with two C functions. It is embedded in the executable and loaded by our
//! own script in a jailed Python, the zygote (`worker/src/python/zygote.py`).
//! In: requests from the gateway on standard input (`jail::ForkRequest`). Out: for each request
//! a new process, confined like one that the gateway started itself, in which
//! [`tidegate_fork`] returns the first frame to send.
//!
//! Invariant: no guest code runs in the zygote, or in a process that is not confined yet.
//! All confinement code is in the crate `jail`.

#![expect(unsafe_code, reason = "functions that are called from Python, and forking")]

#[cfg(target_os = "linux")]
mod worker;

#[cfg(target_os = "linux")]
pub use linux::{tidegate_fork, tidegate_wait};

#[cfg(target_os = "linux")]
mod linux {
    use std::cell::RefCell;
    use std::io;
    use std::slice;

    use nix::sys::signal::{SigHandler, Signal, signal};
    use nix::unistd::{ForkResult, fork};

    use tidegate_jail::{ForkRequest, receive_fork_request};

    use crate::worker::become_worker;

    /// Exit code of a process that could not become a worker.
    const SETUP_FAILED: i32 = 2;

    thread_local! {
        /// The pending request from the gateway.
        static PENDING: RefCell<Option<ForkRequest>> = const { RefCell::new(None) };
    }

    /// Waits for the next request. Zero if there are no more.
    #[unsafe(no_mangle)]
    pub extern "C" fn tidegate_wait() -> i32 {
        let order = receive_fork_request(&io::stdin());
        let comes = order.is_some();
        PENDING.replace(order);
        i32::from(comes)
    }

    /// Forks the requested worker. Returns zero in the calling process. In the worker, which
    /// is confined by then, it returns the length of its first frame, which is at `hello`.
    ///
    /// # Safety
    ///
    /// At `hello` there must be `room` bytes that can be written, and this process must
    /// have one thread.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn tidegate_fork(hello: *mut u8, room: usize) -> usize {
        let Some(order) = PENDING.take() else { return 0 };
        // The zygote does not wait for its children.
        // SAFETY: no handler is installed.
        let _ = unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) };
        // SAFETY: there is one thread, so no other thread holds a lock at the fork.
        match unsafe { fork() } {
            Ok(ForkResult::Child) => {}
            // If there is no child, dropping the request closes its sockets, which the
            // gateway notices.
            Ok(ForkResult::Parent { .. }) | Err(_) => return 0,
        }
        let Ok(frame) = become_worker(order) else { leave() };
        if frame.len() > room {
            leave()
        }
        // SAFETY: the caller guarantees `room` writable bytes at `hello`.
        let hello = unsafe { slice::from_raw_parts_mut(hello, room) };
        hello[..frame.len()].copy_from_slice(&frame);
        frame.len()
    }

    /// Exits without running Python's exit handlers.
    fn leave() -> ! {
        // SAFETY: takes a number and does not return.
        unsafe { nix::libc::_exit(SETUP_FAILED) }
    }
}
