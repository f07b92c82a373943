//! Diversifies the answer to a query with several needs: each of them gets its tools.
//!
//! In: how well every tool fits the whole query, and each clause of it alone. Out: the same
//! scores, with the first ranks assigned one by one, each to the tool that adds most to what is
//! not covered yet. A tool that fits every clause a little no longer precedes the one that does
//! what a single clause asks for.
//!
//! The numbers were tuned like those of the index.

/// How many ranks are assigned this way.
const PLACES: usize = 20;
/// The candidates for each rank: the best for the whole query, and the best for every clause.
const CANDIDATES: usize = 100;
const CANDIDATES_OF_CLAUSE: usize = 5;
/// The weight of the needs that are still open, relative to the whole query.
const NEEDS: f32 = 0.3;

/// Reassigns the first ranks. The first tool stays first.
pub(super) fn diversify(scores: &mut [f32], of_clauses: &[Vec<f32>]) {
    let needs = Needs::new(of_clauses);
    let best = highest(scores);
    if of_clauses.len() < 2 || best <= 0.0 || needs.most <= 0.0 {
        return;
    }
    let mut candidates = candidates(scores, of_clauses);
    let mut open = vec![1.0; of_clauses.len()];
    let mut given: Vec<(usize, f32)> = Vec::with_capacity(PLACES);
    while given.len() < PLACES && !candidates.is_empty() {
        let share = if given.is_empty() { 0.0 } else { NEEDS };
        let value = |tool: usize| {
            let open = (0..open.len()).map(|need| needs.served(tool, need) * open[need]);
            (1.0 - share) * scores[tool] / best + share * open.sum::<f32>()
        };
        let valued = candidates.iter().enumerate().map(|(at, tool)| (at, value(*tool)));
        // Of two with the same value, the earlier one.
        let Some((at, value)) = valued.reduce(|a, b| if b.1 > a.1 { b } else { a }) else { break };
        let tool = candidates.remove(at);
        for (need, open) in open.iter_mut().enumerate() {
            *open *= 1.0 - needs.served(tool, need);
        }
        let before = given.last().map_or(f32::MAX, |(_, score)| *score);
        given.push((tool, (value * best).min(before)));
    }
    give(scores, &given);
}

/// How well tools serve each need, from zero to one. A need that no tool serves well
/// counts less.
struct Needs<'a> {
    of_clauses: &'a [Vec<f32>],
    best: Vec<f32>,
    most: f32,
}

impl<'a> Needs<'a> {
    fn new(of_clauses: &'a [Vec<f32>]) -> Self {
        let best: Vec<f32> = of_clauses.iter().map(|scores| highest(scores)).collect();
        let most = highest(&best);
        Self { of_clauses, best, most }
    }

    fn served(&self, tool: usize, need: usize) -> f32 {
        let best = self.best[need];
        if best <= 0.0 {
            return 0.0;
        }
        let fit = self.of_clauses[need][tool] / best;
        fit * fit * best / self.most
    }
}

/// The tools that can get a rank, the best for the whole query first.
fn candidates(scores: &[f32], of_clauses: &[Vec<f32>]) -> Vec<usize> {
    let mut chosen = first(scores, CANDIDATES);
    for clause in of_clauses {
        for tool in first(clause, CANDIDATES_OF_CLAUSE) {
            if scores[tool] > 0.0 && !chosen.contains(&tool) {
                chosen.push(tool);
            }
        }
    }
    chosen
}

/// The indices of the best scores, in order.
fn first(scores: &[f32], number: usize) -> Vec<usize> {
    let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then_with(|| a.cmp(b));
    let mut found: Vec<usize> = (0..scores.len()).filter(|tool| scores[*tool] > 0.0).collect();
    if found.len() > number {
        found.select_nth_unstable_by(number, better);
        found.truncate(number);
    }
    found.sort_by(better);
    found
}

/// Sets the scores of the chosen tools; all others follow, in their order.
fn give(scores: &mut [f32], given: &[(usize, f32)]) {
    let lowest = given.last().map_or(0.0, |(_, score)| *score);
    for (tool, _) in given {
        scores[*tool] = 0.0;
    }
    let others = highest(scores);
    if others > 0.0 {
        let factor = (lowest * 0.99 / others).min(1.0);
        scores.iter_mut().for_each(|score| *score *= factor);
    }
    // Of two with the same score, the one that was chosen first stays first.
    let steps = (0..given.len()).rev().map(|places| places as f32 * f32::EPSILON * 4.0);
    for ((tool, score), step) in given.iter().zip(steps) {
        scores[*tool] = score * (1.0 + step);
    }
}

fn highest(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::diversify;

    fn order(scores: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }

    #[test]
    fn a_need_that_is_still_open_comes_before_more_of_the_same() {
        // The first three fit the first clause, the last one only the second.
        let mut scores = [9.0, 8.5, 8.0, 6.5];
        diversify(&mut scores, &[vec![6.0, 5.9, 5.8, 0.0], vec![0.0, 0.0, 0.0, 6.0]]);
        assert_eq!(order(&scores), [0, 3, 1, 2]);
    }

    #[test]
    fn the_first_stays_first_and_one_need_stays_as_it_is() {
        let mut scores = [3.0, 2.0, 1.0, 0.0];
        diversify(&mut scores, &[vec![1.0, 2.0, 3.0, 0.0]]);
        assert_eq!(scores, [3.0, 2.0, 1.0, 0.0]);
        diversify(&mut scores, &[vec![1.0, 2.0, 9.0, 0.0], vec![0.0, 9.0, 0.0, 9.0]]);
        assert_eq!(order(&scores)[0], 0);
        assert_eq!(scores[3], 0.0, "who does not fit at all stays out");
    }

    #[test]
    fn places_and_the_rest_keep_their_order() {
        let mut scores: Vec<f32> = (0u8..60).map(|n| 100.0 - f32::from(n)).collect();
        let clauses = [vec![1.0; 60], vec![0.5; 60]];
        diversify(&mut scores, &clauses);
        assert_eq!(order(&scores), (0..60).collect::<Vec<_>>());
    }
}
