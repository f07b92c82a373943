//! Why an engine is gone, from its last words.
//!
//! V8 ends the process when the heap is full, and so do others when the kernel
//! refuses memory. What stands on standard error is the only sign of it; a
//! program that forges it gets a wrong label and nothing else.

use tidegate_model::{ErrorCode, RunError};

/// What engines write before they end for want of memory.
const OUT_OF_MEMORY: [&str; 6] = [
    "heap out of memory",
    "out of memory",
    "Fatal process OOM",
    "OOM error",
    "Cannot allocate memory",
    "memory allocation of",
];

/// The error for an engine that ended without an outcome.
pub(crate) fn explain(last_words: &str) -> RunError {
    if OUT_OF_MEMORY.iter().any(|sign| last_words.contains(sign)) {
        return RunError::new(ErrorCode::MemoryLimit, "out of memory");
    }
    RunError::new(ErrorCode::WorkerDied, "the engine died").with_hint(
        "the program may have used too much memory, or crashed the engine; change it and try again",
    )
}

#[cfg(test)]
mod tests {
    use tidegate_model::ErrorCode;

    use super::explain;

    #[test]
    fn only_words_about_memory_mean_memory() {
        let heap = "<--- JS stacktrace --->\nFATAL ERROR: Reached heap limit Allocation failed - \
                    JavaScript heap out of memory";
        assert_eq!(explain(heap).code, ErrorCode::MemoryLimit);
        assert_eq!(explain("Segmentation fault").code, ErrorCode::WorkerDied);
        assert_eq!(explain("").code, ErrorCode::WorkerDied);
    }
}
