//! Turns a query text into weighted terms.

use std::collections::BTreeMap;

use super::synonyms;
use super::terms::Terms;

/// The weight of a synonym, relative to the word itself.
const SYNONYM_WEIGHT: f32 = 0.3;

/// The terms of a text with their weights, including synonyms. Sorted, since floating-point
/// sums depend on the order.
pub(super) fn weighted(text: &str, terms: &mut Terms) -> BTreeMap<Box<str>, f32> {
    let mut numbers: BTreeMap<u32, f32> = BTreeMap::new();
    terms.each(text, |term| *numbers.entry(term).or_default() += 1.0);
    let of_number = |(term, times): (u32, f32)| (terms.list()[term as usize].clone(), times);
    let times: BTreeMap<Box<str>, f32> = numbers.into_iter().map(of_number).collect();
    let mut weights = BTreeMap::new();
    for (term, times) in times {
        // The second occurrence says less than the first.
        let weight = times * 2.25 / (times + 1.25);
        for other in synonyms::of(&term) {
            boost(&mut weights, other.clone(), weight * SYNONYM_WEIGHT);
        }
        boost(&mut weights, term, weight);
    }
    weights
}

fn boost(weights: &mut BTreeMap<Box<str>, f32>, term: Box<str>, weight: f32) {
    let entry = weights.entry(term).or_default();
    *entry = entry.max(weight);
}
