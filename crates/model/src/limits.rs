//! The limits of one run. A run can ask for less than the configured ones, never for more.

use std::time::Duration;

/// The most that one run may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Memory, in bytes.
    pub memory_bytes: u64,
    /// Files it can write, in bytes.
    pub disk_bytes: u64,
    /// Captured logs plus output, in bytes.
    pub output_bytes: u64,
    /// Tool calls in total.
    pub tool_calls: u32,
    /// Concurrent tool calls.
    pub parallel_calls: u32,
    /// Processes and threads at once.
    pub processes: u32,
}

impl Default for Limits {
    /// 256 MB of memory: 10 MB of JSON take 73 MB of QuickJS heap (measured), so three such
    /// results fit. The other values were chosen to be far above honest programs.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            cpu: Duration::from_secs(30),
            memory_bytes: 256 * 1024 * 1024,
            disk_bytes: 64 * 1024 * 1024,
            output_bytes: 32 * 1024 * 1024,
            tool_calls: 10_000,
            parallel_calls: 64,
            processes: 64,
        }
    }
}
