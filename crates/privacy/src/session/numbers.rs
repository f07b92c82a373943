//! Gives out the numbers of tokens: the `1` in `[EMAIL_1]`.
//!
//! In: a type. Out: a number that was never given out, in this session or, with a
//! [`ReserveNumbers`], in any session of the same vault. So a token that reaches another
//! session, in a skill, a file or a copied program, is unknown there: it never stands for
//! somebody else's value.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tidegate_model::DataType;

/// The most numbers that are reserved at once. The first block has one number, and each
/// further one as many as all before it: numbers stay small, and reserving is rare.
const LARGEST_BLOCK: u32 = 65_536;

/// Reserves numbers for the sessions of one vault.
pub trait ReserveNumbers: Send + Sync {
    /// The first of `count` successive numbers above `above` that no other session gets.
    fn reserve(&self, data_type: DataType, above: u32, count: u32) -> u32;
}

/// The numbers of one session.
#[derive(Default)]
pub(super) struct Numbers {
    source: Option<Arc<dyn ReserveNumbers>>,
    types: BTreeMap<DataType, OfType>,
}

#[derive(Default)]
struct OfType {
    /// The highest number so far.
    last: u32,
    /// Reserved and not given out yet.
    free: Range<u32>,
    /// How many were reserved so far.
    reserved: u32,
}

impl Numbers {
    pub(super) fn reserved_by(source: Arc<dyn ReserveNumbers>) -> Self {
        Self { source: Some(source), types: BTreeMap::new() }
    }

    /// The next number of a type.
    pub(super) fn next(&mut self, data_type: DataType) -> u32 {
        let numbers = self.types.entry(data_type).or_default();
        if let Some(source) = &self.source
            && numbers.free.is_empty()
        {
            let count = numbers.reserved.clamp(1, LARGEST_BLOCK);
            let first = source.reserve(data_type, numbers.last, count);
            numbers.free = first..first.saturating_add(count);
            numbers.reserved = numbers.reserved.saturating_add(count);
        }
        // Cannot overflow: four billion values of a type do not fit into memory.
        let next = numbers.free.next().unwrap_or(numbers.last.saturating_add(1));
        numbers.last = next.max(numbers.last);
        next
    }

    /// Keeps a number from being given out.
    pub(super) fn used(&mut self, data_type: DataType, number: u32) {
        let numbers = self.types.entry(data_type).or_default();
        numbers.last = number.max(numbers.last);
        if numbers.free.contains(&number) {
            numbers.free.start = number + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex};

    use tidegate_model::DataType::{self, Email};

    use super::{Numbers, ReserveNumbers};

    #[derive(Default)]
    struct Counter {
        last: AtomicU32,
        counts: Mutex<Vec<u32>>,
    }

    impl ReserveNumbers for Counter {
        fn reserve(&self, _: DataType, above: u32, count: u32) -> u32 {
            self.counts.lock().unwrap().push(count);
            self.last.fetch_max(above, Ordering::Relaxed);
            self.last.fetch_add(count, Ordering::Relaxed) + 1
        }
    }

    #[test]
    fn two_sessions_never_give_out_the_same_number() {
        let counter = Arc::new(Counter::default());
        let mut first = Numbers::reserved_by(counter.clone());
        let mut second = Numbers::reserved_by(counter.clone());
        let mut given: Vec<u32> =
            (0..500).flat_map(|_| [first.next(Email), second.next(Email)]).collect();
        assert_eq!(given[..2], [1, 2]);
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), 1000);
        // 1, 1, 2, 4 and so on, for each.
        assert_eq!(counter.counts.lock().unwrap().len(), 20);
    }

    #[test]
    fn a_session_that_goes_on_counts_above_what_it_had() {
        let mut alone = Numbers::default();
        alone.used(Email, 7);
        assert_eq!((alone.next(Email), alone.next(Email)), (8, 9));
        let mut numbers = Numbers::reserved_by(Arc::new(Counter::default()));
        numbers.used(Email, 7);
        assert_eq!(numbers.next(Email), 8);
    }
}
