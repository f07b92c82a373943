//! Thresholds of a rule for measures.
//!
//! In: names with minimum values, then measures. Out: whether all thresholds are reached.

use tidegate_model::reading::Measures;

/// The name of a measure and its accessor.
type Measure = (&'static str, fn(&Measures) -> f64);

/// The measures by name.
const MEASURES: [Measure; 18] = [
    ("bytes", |one| one.bytes as f64),
    ("lines", |one| one.lines as f64),
    ("longest_line", |one| one.longest_line as f64),
    ("nodes", |one| one.nodes as f64),
    ("depth", |one| one.depth as f64),
    ("cyclomatic", |one| one.cyclomatic as f64),
    ("most_branched", |one| one.most_branched as f64),
    ("escapes", |one| one.escapes as f64),
    ("escape_density", |one| one.escape_density),
    ("escaped_names", |one| one.escaped_names as f64),
    ("symbol_share", |one| one.symbol_share),
    ("longest_encoded", |one| one.longest_encoded as f64),
    ("encoded_entropy", |one| one.encoded_entropy),
    ("computed_members", |one| one.computed_members as f64),
    ("folded_texts", |one| one.folded_texts as f64),
    ("mixed_names", |one| one.mixed_names as f64),
    ("mangled_names", |one| one.mangled_names as f64),
    ("names", |one| one.names as f64),
];

/// Measures with their minimum values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Thresholds(Vec<(usize, f64)>);

impl Thresholds {
    /// Adds a threshold; false if the measure does not exist.
    pub(crate) fn add(&mut self, name: &str, least: f64) -> bool {
        let found = MEASURES.iter().position(|(known, _)| *known == name);
        self.0.extend(found.map(|at| (at, least)));
        found.is_some()
    }

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        MEASURES.iter().map(|(name, _)| *name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn reached(&self, measures: &Measures) -> bool {
        self.0.iter().all(|(at, least)| MEASURES[*at].1(measures) >= *least)
    }

    /// The actual values, for a message.
    pub(crate) fn shown(&self, measures: &Measures) -> String {
        let shown = |(at, _): &(usize, f64)| {
            let (name, value) = (MEASURES[*at].0, MEASURES[*at].1(measures));
            let digits = usize::from(value.fract() != 0.0) * 2;
            format!("`{name}` {value:.digits$}")
        };
        self.0.iter().map(shown).collect::<Vec<_>>().join(", ")
    }
}
