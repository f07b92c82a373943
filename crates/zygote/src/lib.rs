//! Forks jailed workers out of a Python that has everything imported already.
//!
//! A shared library with two functions in C's way of calling, which is carried in the
//! executable and loaded by our own script in a jailed Python, the zygote
//! (`worker/src/python/zygote.py`). In: orders of the gateway on standard input
//! (`jail::ForkRequest`). Out: for each a new process, confined as one that the gateway has
//! started itself, in which [`tidegate_fork`] returns the first frame to send.
//!
//! No line of a guest runs in the zygote, nor in a process that is not confined yet.
//! Everything that confines is in the crate `jail`.

#![expect(unsafe_code, reason = "functions that are called from Python, and forking")]

#[cfg(target_os = "linux")]
mod born;

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

    use crate::born::be_born;

    /// Exit code of a process that could not become a worker.
    const UNBORN: i32 = 2;

    thread_local! {
        /// What the gateway wants next.
        static NEXT: RefCell<Option<ForkRequest>> = const { RefCell::new(None) };
    }

    /// Waits until the gateway wants a worker. Zero if it never will again.
    #[unsafe(no_mangle)]
    pub extern "C" fn tidegate_wait() -> i32 {
        let order = receive_fork_request(&io::stdin());
        let comes = order.is_some();
        NEXT.replace(order);
        i32::from(comes)
    }

    /// Forks the worker that the gateway wants. Zero in the process that called this;
    /// in the worker, which is confined by then, the length of the frame that it is to
    /// send first and that is at `hello`.
    ///
    /// # Safety
    ///
    /// At `hello` there must be `room` bytes that can be written, and this process must
    /// have one thread.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn tidegate_fork(hello: *mut u8, room: usize) -> usize {
        let Some(order) = NEXT.take() else { return 0 };
        // Nobody waits for them.
        // SAFETY: no handler is installed.
        let _ = unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) };
        // SAFETY: there is one thread, so the child finds every lock as it should be.
        match unsafe { fork() } {
            Ok(ForkResult::Child) => {}
            // Without a child its ends of the sockets are closed, so the gateway knows.
            Ok(ForkResult::Parent { .. }) | Err(_) => return 0,
        }
        let Ok(frame) = be_born(order) else { leave() };
        if frame.len() > room {
            leave()
        }
        // SAFETY: the caller promises it.
        let hello = unsafe { slice::from_raw_parts_mut(hello, room) };
        hello[..frame.len()].copy_from_slice(&frame);
        frame.len()
    }

    /// Ends this process, and none of what Python would do at its end.
    fn leave() -> ! {
        // SAFETY: takes a number and does not return.
        unsafe { nix::libc::_exit(UNBORN) }
    }
}
