//! Durations and sizes as people write them.
//!
//! Pure. A text is a whole number and a unit. The caller handles a bare number,
//! since only the key determines its unit.

use std::time::Duration;

/// The longest duration that a key accepts: a longer one surely has a wrong unit.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The largest size that a key accepts.
pub(crate) const LARGEST: u64 = 1 << 40;

/// Units of time in milliseconds, smallest first.
const TIME_UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// Units of size, smallest first. All names (`k`, `KB`, `KiB`) are powers of 1024:
/// limits are about memory, which is measured in such powers.
const SIZE_UNITS: [(&str, u64); 5] =
    [("B", 1), ("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)];

/// Milliseconds in a text such as `30s`. Saturates: the range is checked later.
pub(crate) fn parse_duration(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let (_, factor) = TIME_UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(number.saturating_mul(*factor))
}

/// Bytes in a text such as `256MB`. Saturates: the range is checked later.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    // `k`, `KB` and `KiB` are one unit; case is ignored.
    let unit = unit.to_ascii_uppercase().replace("IB", "B");
    let same = |name: &str| name == unit || (name.len() == 2 && name[..1] == unit);
    let (_, factor) = SIZE_UNITS.iter().find(|(name, _)| same(name))?;
    Some(number.saturating_mul(*factor))
}

/// The shortest text for a duration, such as `30s`.
pub(crate) fn show_duration(duration: Duration) -> String {
    show(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), &TIME_UNITS)
}

/// The shortest text for a size, such as `256MB`.
pub(crate) fn show_size(bytes: u64) -> String {
    show(bytes, &SIZE_UNITS)
}

fn show(amount: u64, units: &[(&str, u64)]) -> String {
    let fits = |&&(_, factor): &&(&str, u64)| amount != 0 && amount.is_multiple_of(factor);
    match units.iter().rev().find(fits).or(units.first()) {
        Some((name, factor)) => format!("{}{name}", amount / factor),
        None => amount.to_string(),
    }
}

/// Number and unit. Numbers too large for a `u64` saturate, too.
fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    if end == 0 {
        return None;
    }
    Some((text[..end].parse().unwrap_or(u64::MAX), text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{parse_duration, parse_size, show_duration, show_size};

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        assert_eq!(parse_duration("500ms"), Some(500));
        assert_eq!(parse_duration("30s"), Some(30_000));
        assert_eq!(parse_duration(" 2 m "), Some(120_000));
        assert_eq!(parse_duration("1h"), Some(3_600_000));
    }

    #[test]
    fn what_is_not_a_number_and_a_unit_is_no_duration() {
        for text in ["", "30", "s", "-1s", "1.5s", "30S", "30 seconds", "1h30m", "\u{661}s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_size_counts_in_1024_under_each_of_its_names() {
        for text in ["64k", "64K", "64kb", "64KB", "64KiB", "65536B", "65536b"] {
            assert_eq!(parse_size(text), Some(65_536), "{text}");
        }
        assert_eq!(parse_size("256MB"), parse_size("256MiB"));
        assert_eq!(parse_size("1g"), Some(1 << 30));
    }

    #[test]
    fn what_is_not_a_number_and_a_unit_is_no_size() {
        for text in ["", "64", "MB", "-1MB", "1.5MB", "64XB", "64i", "64KBs"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_too_large_to_count_saturates() {
        assert_eq!(parse_duration("99999999999999999999h"), Some(u64::MAX));
        assert_eq!(parse_size("18446744073709551615TB"), Some(u64::MAX));
    }

    #[test]
    fn amounts_print_in_their_largest_whole_unit() {
        assert_eq!(show_duration(Duration::from_millis(1_500)), "1500ms");
        assert_eq!(show_duration(Duration::from_secs(60)), "1m");
        assert_eq!(show_duration(Duration::from_secs(24 * 60 * 60)), "24h");
        assert_eq!(show_size(256 * 1024 * 1024), "256MB");
        assert_eq!(show_size(0), "0B");
    }
}
