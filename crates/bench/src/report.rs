//! The results, for people and for scripts.

use serde_json::{Value, json};

/// All results.
#[derive(Default)]
pub struct Report {
    pub(crate) figures: Vec<Figure>,
    pub(crate) amounts: Vec<Amount>,
}

impl Report {
    /// One JSON document.
    pub fn json(&self) -> Value {
        let figures: Vec<Value> = self.figures.iter().map(Figure::json).collect();
        let amounts: Vec<Value> = self.amounts.iter().map(Amount::json).collect();
        json!({"figures": figures, "amounts": amounts})
    }

    /// A line for each figure.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.figures.iter().map(Figure::line).chain(self.amounts.iter().map(Amount::line))
    }
}

/// One measured figure.
pub(crate) struct Figure {
    pub(crate) name: String,
    /// Median, or what the name says, in milliseconds.
    pub(crate) ms: f64,
    /// What it is compared with.
    pub(crate) yardstick: String,
    pub(crate) yardstick_ms: f64,
}

impl Figure {
    fn ratio(&self) -> f64 {
        self.ms / self.yardstick_ms
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "p50_ms": nanoseconds(self.ms),
            "yardstick": self.yardstick,
            "yardstick_p50_ms": nanoseconds(self.yardstick_ms),
            "ratio": round(self.ratio()),
        })
    }

    fn line(&self) -> String {
        format!(
            "{:56}{:>10}  {:>6.2} × {} ({})",
            self.name,
            time(self.ms),
            self.ratio(),
            self.yardstick,
            time(self.yardstick_ms)
        )
    }
}

/// Measured memory or tokens, with their limit.
pub(crate) struct Amount {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) amount: u64,
    pub(crate) goal: u64,
    /// Its parts by name.
    pub(crate) parts: Vec<(&'static str, u64)>,
}

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Bytes,
    Tokens,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Tokens => "tokens",
        }
    }

    fn text(self, amount: u64) -> String {
        match self {
            Self::Bytes => format!("{:.1} MB", amount as f64 / (1024.0 * 1024.0)),
            Self::Tokens => format!("{amount} tokens"),
        }
    }
}

impl Amount {
    fn json(&self) -> Value {
        let parts: serde_json::Map<String, Value> =
            self.parts.iter().map(|(name, amount)| ((*name).to_owned(), json!(amount))).collect();
        let unit = self.unit.name();
        json!({
            "name": self.name,
            unit: self.amount,
            format!("goal_{unit}"): self.goal,
            "parts": parts,
        })
    }

    fn line(&self) -> String {
        let text = |amount| self.unit.text(amount);
        let parts: Vec<String> =
            self.parts.iter().map(|(name, amount)| format!("{name} {}", text(*amount))).collect();
        let (amount, goal) = (text(self.amount), text(self.goal));
        format!("{:56}{amount:>10}  goal {goal} ({})", self.name, parts.join(", "))
    }
}

/// A time in a readable unit.
fn time(ms: f64) -> String {
    if ms < 0.1 { format!("{:.2} µs", ms * 1000.0) } else { format!("{ms:.2} ms") }
}

/// Milliseconds without meaningless digits.
fn nanoseconds(ms: f64) -> f64 {
    (ms * 1_000_000.0).round() / 1_000_000.0
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::{nanoseconds, time};

    #[test]
    fn a_short_time_is_shown_in_microseconds() {
        assert_eq!(
            [time(0.0031), time(0.0999), time(0.1), time(12.346)],
            ["3.10 µs", "99.90 µs", "0.10 ms", "12.35 ms"]
        );
        assert!((nanoseconds(0.003_141_592_6) - 0.003_142).abs() < f64::EPSILON);
    }
}
