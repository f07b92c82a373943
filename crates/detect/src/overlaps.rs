//! Resolves overlaps between candidates.
//!
//! In: the candidates of a scan, nearly in order. Out: candidates in order, without
//! overlaps. The higher rank wins.

use crate::scan::Candidate;

/// Sorts by start, the longer first. Candidates are nearly in order: a few steps each are
/// cheaper than a sort, which takes over when the steps become many.
fn order(candidates: &mut [Candidate]) {
    let key = |one: &Candidate| (one.start, usize::MAX - one.end);
    let mut steps = candidates.len() * 4;
    for place in 1..candidates.len() {
        let mut at = place;
        while at > 0 && key(&candidates[at]) < key(&candidates[at - 1]) {
            if steps == 0 {
                candidates.sort_by_key(key);
                return;
            }
            candidates.swap(at - 1, at);
            steps -= 1;
            at -= 1;
        }
    }
}

/// Sorts the candidates and resolves overlaps: the higher rank wins, then the longer one; the
/// part of the loser outside the winner stays.
pub(crate) fn resolve_overlaps(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    // Most texts have no overlaps at all.
    if candidates.is_sorted_by(|one, next| one.end <= next.start) {
        return candidates;
    }
    order(&mut candidates);
    let mut settled: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for mut candidate in candidates {
        loop {
            let Some(last) = settled.last_mut() else {
                settled.push(candidate);
                break;
            };
            if candidate.start >= last.end {
                settled.push(candidate);
                break;
            }
            let inner = candidate.end <= last.end;
            let stronger = candidate.rank > last.rank
                || (candidate.rank == last.rank
                    && candidate.end - candidate.start > last.end - last.start);
            if !stronger {
                if inner {
                    break;
                }
                candidate.start = last.end;
                continue;
            }
            // The stronger one takes its range; the weaker one keeps the part before it.
            let tail = Candidate { start: candidate.end, ..*last };
            if candidate.start > last.start {
                last.end = candidate.start;
                settled.push(candidate);
            } else {
                *last = candidate;
            }
            if inner && tail.start < tail.end {
                settled.push(tail);
            }
            break;
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use tidegate_model::DataType;

    use super::*;

    fn find(start: usize, end: usize, rank: u8) -> Candidate {
        Candidate { start, end, data_type: DataType::Custom, rank }
    }

    fn borders(found: Vec<Candidate>) -> Vec<(usize, usize)> {
        resolve_overlaps(found).iter().map(|find| (find.start, find.end)).collect()
    }

    #[test]
    fn the_higher_rank_stays_and_the_rest_of_the_lower_too() {
        assert_eq!(borders(vec![find(0, 10, 3), find(4, 6, 9)]), [(0, 4), (4, 6), (6, 10)]);
        assert_eq!(borders(vec![find(0, 10, 9), find(4, 16, 3)]), [(0, 10), (10, 16)]);
        assert_eq!(borders(vec![find(0, 10, 3), find(8, 16, 9)]), [(0, 8), (8, 16)]);
        assert_eq!(
            borders(vec![find(0, 10, 9), find(2, 5, 3), find(20, 25, 3)]),
            [(0, 10), (20, 25)]
        );
    }
}
