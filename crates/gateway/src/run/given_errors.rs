//! The errors that the requests of a run were answered with.
//!
//! In: each error on its way to the program, with the id of its request. Out: the same error,
//! when the worker reports that the program did not catch it.
//! Invariant: an error of the gateway is recognized by its request, never by its text. What
//! comes back is what was given.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tidegate_model::{ErrorCode, RunError};

/// The most bytes of errors that are remembered for one run; then the oldest go. Chosen: more
/// than ten thousand ordinary ones.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What an entry takes besides its texts.
const ENTRY_BYTES: usize = 64;

/// The errors that were given to one run.
#[derive(Debug, Default)]
pub(super) struct GivenErrors(Mutex<Given>);

#[derive(Debug, Default)]
struct Given {
    by_request: BTreeMap<u32, Arc<RunError>>,
    oldest_first: VecDeque<u32>,
    bytes: usize,
    /// Whether some had to go.
    forgot: bool,
}

impl GivenErrors {
    /// Remembers the error of a request.
    pub(super) fn add(&self, request: u32, error: &RunError) {
        let mut given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The guest chooses the ids, and may use one again.
        if given.forget(request) {
            given.oldest_first.retain(|one| *one != request);
        }
        // Thousands of refused calls share one text.
        let last = given.oldest_first.back().and_then(|last| given.by_request.get(last));
        let error = match last {
            Some(last) if **last == *error => Arc::clone(last),
            _ => Arc::new(error.clone()),
        };
        given.bytes += bytes(&error);
        given.by_request.insert(request, error);
        given.oldest_first.push_back(request);
        while given.bytes > MAX_BYTES
            && let Some(oldest) = given.oldest_first.pop_front()
        {
            given.forget(oldest);
            given.forgot = true;
        }
    }

    /// The error that a request was answered with. `None` if it was not answered with one.
    pub(super) fn find(&self, request: u32) -> Option<RunError> {
        let given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match given.by_request.get(&request) {
            Some(error) => Some(RunError::clone(error)),
            None => given.forgot.then(|| {
                let message = "the program threw: the error of an early request";
                RunError::new(ErrorCode::Thrown, message)
            }),
        }
    }
}

impl Given {
    fn forget(&mut self, request: u32) -> bool {
        let known = self.by_request.remove(&request);
        self.bytes -= known.as_deref().map_or(0, bytes);
        known.is_some()
    }
}

/// An upper bound: shared texts count each time.
fn bytes(error: &RunError) -> usize {
    ENTRY_BYTES + error.message.len() + error.hint.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    use tidegate_model::{ErrorCode, RunError};

    use super::GivenErrors;

    fn error(text: &str) -> RunError {
        RunError::new(ErrorCode::Denied, text)
    }

    #[test]
    fn an_error_is_found_by_its_request_only() {
        let given = GivenErrors::default();
        given.add(1, &error("one"));
        given.add(2, &error("two"));
        given.add(1, &error("another"));
        assert_eq!(given.find(1), Some(error("another")));
        assert_eq!(given.find(2), Some(error("two")));
        assert_eq!(given.find(3), None);
    }

    #[test]
    fn errors_without_end_take_bounded_memory() {
        let given = GivenErrors::default();
        for request in 0..20_000 {
            given.add(request, &error(&format!("{request} {}", "x".repeat(1000))));
        }
        let kept = given.0.lock().unwrap().by_request.len();
        assert!((1000..5000).contains(&kept), "{kept}");
        assert_eq!(given.find(19_999).unwrap().code, ErrorCode::Denied);
        assert_eq!(given.find(0).unwrap().code, ErrorCode::Thrown);
    }
}
