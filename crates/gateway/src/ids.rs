//! Generates ids of runs and approvals.

use std::time::SystemTime;

use tidegate_model::RunId;

/// Sorts by time and is short: it goes into every answer.
pub(crate) fn new_run_id(now: SystemTime) -> RunId {
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut random = [0; 4];
    // Without randomness the time alone still tells runs apart.
    let _ = getrandom::fill(&mut random);
    let random = u64::from(u32::from_le_bytes(random)) % 36_u64.pow(5);
    let time = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    RunId(format!("{}{:0>5}", base36(time), base36(random)))
}

/// An id that people type. 32 bits are enough: it need not be unguessable, since only
/// someone who can write to the state folder can answer.
pub(crate) fn short_id() -> String {
    let mut random = [0; 4];
    let _ = getrandom::fill(&mut random);
    format!("{:0>7}", base36(u64::from(u32::from_le_bytes(random))))
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(number % 36).unwrap_or(0);
        digits.extend(char::from_digit(digit, 36));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
