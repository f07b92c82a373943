//! Numbers that look random and are the same on every machine.
//!
//! `SplitMix64` (Steele, Lea, Flood 2014): nine lines, no state beyond one word.
//! Not for secrets. Our own, because the demo's data must not change when a
//! crate changes its generator.

/// A seeded generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..end`; 0 if `end` is 0. The bias of the remainder is below
    /// one in 10^13 for the small ranges used here.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy, const N: usize>(&mut self, choices: &[T; N]) -> T {
        const { assert!(N > 0, "nothing to pick from") };
        choices[self.below(N)]
    }

    /// One of `choices`, with a preference for the front: the smaller of two
    /// draws. Real owners, labels and countries are never evenly spread.
    pub(crate) fn pick_early<T: Copy, const N: usize>(&mut self, choices: &[T; N]) -> T {
        const { assert!(N > 0, "nothing to pick from") };
        choices[self.below(N).min(self.below(N))]
    }

    /// Replaces every `{name}` in `template` by one of the choices of that name.
    /// `{n}` is a number from 2 to 48.
    pub(crate) fn fill(&mut self, template: &str, slots: &[(&str, &[&str])]) -> String {
        let mut out = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let (name, tail) = after.split_once('}').unwrap_or((after, ""));
            match slots.iter().find(|(slot, _)| *slot == name) {
                Some((_, choices)) if !choices.is_empty() => {
                    out.push_str(choices[self.below(choices.len())]);
                }
                _ => out.push_str(&self.between(2, 48).to_string()),
            }
            rest = tail;
        }
        out.push_str(rest);
        out
    }
}

/// The sentence with a capital first letter: it may start with a filled slot.
pub(crate) fn capitalised(mut sentence: String) -> String {
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

/// FNV-1a. The tests pin the data with it: a change of the data is a change of
/// every published number.
#[cfg(test)]
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_first_numbers_are_those_of_the_published_algorithm() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn a_template_is_filled_slot_by_slot() {
        let filled =
            Random::new(7).fill("{who} ate {what}.", &[("who", &["Ada"]), ("what", &["plums"])]);
        assert_eq!(filled, "Ada ate plums.");
    }
}
