//! Dates as ISO text, counted from the demo's own calendar instead of a clock.

/// Days from 1970-01-01 to 2024-01-01, the first day of the demo's data.
const FIRST_DAY: usize = 19_723;

/// The demo's present: 2026-04-01, in days since 2024-01-01. No data is later.
pub(crate) const TODAY: usize = 821;

/// `2024-01-01` plus `day` days, as `YYYY-MM-DD`.
pub(crate) fn date(day: usize) -> String {
    let mut text = String::with_capacity(20);
    push_date(&mut text, day);
    text
}

/// The same with a time of day, as `YYYY-MM-DDTHH:MM:SSZ`.
pub(crate) fn instant(day: usize, second: usize) -> String {
    let mut text = date(day);
    text.push('T');
    push_clock(&mut text, second);
    text.push('Z');
    text
}

/// Seconds since the start of a recording, as `HH:MM:SS`.
pub(crate) fn clock(second: usize) -> String {
    let mut text = String::with_capacity(8);
    push_clock(&mut text, second);
    text
}

fn push_date(text: &mut String, day: usize) {
    // Howard Hinnant's `civil_from_days`, for dates after the epoch.
    let shifted = FIRST_DAY + day + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + usize::from(month <= 2);
    push_two(text, year / 100);
    push_two(text, year);
    text.push('-');
    push_two(text, month);
    text.push('-');
    push_two(text, day_of_month);
}

fn push_clock(text: &mut String, second: usize) {
    push_two(text, second / 3_600);
    text.push(':');
    push_two(text, second / 60 % 60);
    text.push(':');
    push_two(text, second % 60);
}

/// The last two digits. Without `format!`, 25,000 calls of which took more than half of
/// the tracker's start-up time.
fn push_two(text: &mut String, number: usize) {
    for digit in [number / 10 % 10, number % 10] {
        text.extend(u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 10)));
    }
}

#[cfg(test)]
mod tests {
    use super::{TODAY, date, instant};

    #[test]
    fn days_become_dates_across_leap_days_and_years() {
        let days = [0, 59, 60, 365, 366, TODAY - 90, TODAY];
        assert_eq!(
            days.map(date),
            [
                "2024-01-01",
                "2024-02-29",
                "2024-03-01",
                "2024-12-31",
                "2025-01-01",
                "2026-01-01",
                "2026-04-01",
            ]
        );
        assert_eq!(instant(0, 45_296), "2024-01-01T12:34:56Z");
    }
}
