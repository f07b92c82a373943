//! Admission: a submitted program waits for its turn.
//!
//! Contains: the queue, which is fair between sessions (`queue.rs`), its bounds, which
//! depend on the machine (`capacity.rs`), the sessions in use (`session_leases.rs`), and
//! the stage `Submitted -> Admitted` (`stage.rs`).
//! In: a run and the person behind it. Out: the terms of the run, and its turn; or an error
//! if the gateway is busy or the program is too large.
//! Invariant: no session can keep the others from running.

mod capacity;
pub(crate) mod queue;
pub(crate) mod session_leases;
pub(crate) mod stage;

use std::sync::Arc;

use tidegate_config::{Capacity, Input};
use tidegate_model::Clock;

use crate::policy::CurrentPolicy;
use crate::recorder::Recorder;
use queue::Queue;
use session_leases::Sessions;

/// Admits runs.
pub(crate) struct Admission {
    queue: Arc<Queue>,
    pub(crate) sessions: Arc<Sessions>,
    policy: Arc<CurrentPolicy>,
    input: Input,
    recorder: Recorder,
}

impl Admission {
    pub(crate) fn new(
        capacity: &Capacity,
        input: Input,
        policy: Arc<CurrentPolicy>,
        recorder: Recorder,
        clock: Clock,
    ) -> Self {
        let sessions = Sessions::new(clock);
        Self { queue: Queue::new(capacity::bounds(capacity)), sessions, policy, input, recorder }
    }
}
