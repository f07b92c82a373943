//! The memory for what programs print: bounded for all runs together.
//!
//! Each run has a part that it can always use, and may use more as long as all runs together
//! have not used up the rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one run can always keep.
const OWN_BYTES: u64 = 1024 * 1024;

/// What all runs can keep together beyond their own parts.
const SHARED_BYTES: u64 = 64 * 1024 * 1024;

/// The bytes that all runs keep beyond their own parts.
#[derive(Clone, Default)]
pub(crate) struct AllLogs(Arc<AtomicU64>);

/// The bytes that one run keeps. Given back when it is dropped.
pub(crate) struct LogMemory {
    all: AllLogs,
    kept: u64,
    lost: u64,
}

impl AllLogs {
    pub(crate) fn of_run(&self) -> LogMemory {
        LogMemory { all: self.clone(), kept: 0, lost: 0 }
    }
}

impl LogMemory {
    /// Whether a text may be kept. It is counted either way.
    pub(crate) fn keep(&mut self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let more = shared(self.kept + bytes) - shared(self.kept);
        let before = self.all.0.fetch_add(more, Ordering::Relaxed);
        // The end of what was printed is lost, not the middle.
        if self.lost > 0 || more > 0 && before + more > SHARED_BYTES {
            self.all.0.fetch_sub(more, Ordering::Relaxed);
            self.lost += bytes;
            return false;
        }
        self.kept += bytes;
        true
    }

    /// A warning for the author of the program, if something was lost.
    pub(crate) fn warning(&self) -> Option<String> {
        (self.lost > 0).then(|| {
            format!(
                "the last {} bytes that the program printed were not kept: all programs together \
                 print too much at the moment",
                self.lost
            )
        })
    }
}

impl Drop for LogMemory {
    fn drop(&mut self) {
        self.all.0.fetch_sub(shared(self.kept), Ordering::Relaxed);
    }
}

fn shared(kept: u64) -> u64 {
    kept.saturating_sub(OWN_BYTES)
}

#[cfg(test)]
mod tests {
    use super::{AllLogs, OWN_BYTES, SHARED_BYTES};

    #[test]
    fn g40_what_programs_print_is_bounded_for_all_together() {
        let all = AllLogs::default();
        let piece = 64 * 1024;
        let mut flood: Vec<_> = (0..8).map(|_| all.of_run()).collect();
        let mut kept = 0;
        for _ in 0..512 {
            for run in &mut flood {
                kept += u64::from(run.keep(piece)) * piece as u64;
            }
        }
        assert!(kept <= SHARED_BYTES + 8 * OWN_BYTES, "{kept}");
        assert!(flood.iter().all(|run| run.warning().is_some()));
        // Another run has its own part.
        let mut honest = all.of_run();
        assert!(honest.keep(1000) && honest.warning().is_none());
        drop(flood);
        assert!(honest.keep(32 * 1024 * 1024));
        drop(honest);
        assert_eq!(all.0.load(std::sync::atomic::Ordering::Relaxed), 0);
    }
}
