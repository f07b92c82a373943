//! Admission: a submitted program waits for its turn, within bounds of size and number.

pub(crate) mod admission;
pub(crate) mod allowance;
pub(crate) mod capacity;
pub(crate) mod sanitise;
pub(crate) mod stage;
