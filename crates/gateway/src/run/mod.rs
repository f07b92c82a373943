//! Runs one program in one worker, after its consent.
//!
//! `drive.rs` takes a worker and listens to it until the run has ended; `active.rs` is
//! the run meanwhile, and what each frame of the worker means; `requests.rs` starts what
//! the program asks for; `clock.rs` stops while a person is asked; `limits.rs` names the
//! limit that was hit.
//!
//! The worker is not believed in anything: calls and bytes are counted here, the clock is
//! here, and whoever breaks the protocol loses the run. The worker's own limits only make
//! for better errors.

mod active;
mod clock;
mod drive;
pub(crate) mod engines;
pub(crate) mod guest;
mod limits;
pub(crate) mod request;
mod requests;

pub(crate) use active::{Ended, RunShared, cancelled, is_said_by_host_only};
pub(crate) use clock::RunClock;
