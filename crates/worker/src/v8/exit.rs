//! Finds out why an engine exited, from its standard error.
//!
//! In: the text that the engine wrote. Out: an error.
//! V8 aborts when the heap is full, and other code does when the kernel refuses memory.
//! Standard error is the only sign of it. A program that forges it only gets a wrong error
//! code.

use tidegate_wire::{Cause, EngineLimit, Failure};

/// What engines write when they run out of memory.
const OUT_OF_MEMORY: [&str; 6] = [
    "heap out of memory",
    "out of memory",
    "Fatal process OOM",
    "OOM error",
    "Cannot allocate memory",
    "memory allocation of",
];

/// The failure of an engine that ended without an outcome.
pub(crate) fn explain(child_stderr: &str) -> Failure {
    match OUT_OF_MEMORY.iter().any(|sign| child_stderr.contains(sign)) {
        true => EngineLimit::Memory.into(),
        false => Failure::new(Cause::Engine),
    }
}

#[cfg(test)]
mod tests {
    use tidegate_wire::{Cause, EngineLimit};

    use super::explain;

    #[test]
    fn only_words_about_memory_mean_memory() {
        let heap = "<--- JS stacktrace --->\nFATAL ERROR: Reached heap limit Allocation failed - \
                    JavaScript heap out of memory";
        assert_eq!(explain(heap).cause, Cause::Limit(EngineLimit::Memory));
        assert_eq!(explain("Segmentation fault").cause, Cause::Engine);
        assert_eq!(explain("").cause, Cause::Engine);
    }
}
