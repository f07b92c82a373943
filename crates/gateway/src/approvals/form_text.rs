//! The text of a form, in two versions: all of it, and what a client's form has room for.
//!
//! In: lines of our own, and text of programs and servers. Out: the full text, which is stored
//! with the question and printed by `tidegate approvals show`; and the short one, in which
//! lines are left out but none is cut.
//!
//! Invariant: text that is not ours stands on lines of its own, each with a mark at its start
//! and no wider than a terminal, and hidden characters are visible. So no such text can look
//! like one of our lines, wherever it is displayed.

use crate::privacy::{Part, Redacted};

/// Characters of a quoted line, without its mark. Chosen: the smallest usual terminal has 80
/// columns, and a line that is wrapped by the terminal would lose its mark.
const COLUMNS: usize = 76;

/// The start of a quoted line, and of the rest of a line that was too long.
const QUOTE: &str = "| ";
const CONTINUED: &str = "|… ";

/// Whole lines of a form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(Vec<Redacted>);

impl Lines {
    /// Adds a line of our own.
    pub(crate) fn own(&mut self, parts: &[&dyn Part]) {
        self.0.push(Redacted::join(parts));
    }

    /// Adds text that is not ours, as one line of the original.
    pub(crate) fn quote(&mut self, line: &Redacted) {
        for (number, part) in line.wrapped(COLUMNS).iter().enumerate() {
            let mark = if number == 0 { QUOTE } else { CONTINUED };
            self.0.push(Redacted::join(&[&mark, part]));
        }
    }

    /// Adds text that is not ours, with its own line breaks.
    pub(crate) fn quote_all(&mut self, text: &Redacted) {
        for line in text.split_lines() {
            self.quote(&line);
        }
    }

    /// Adds the first `most` of other lines. Returns how many are left out.
    pub(crate) fn add_start(&mut self, other: Self, most: usize) -> usize {
        let missing = other.len().saturating_sub(most);
        self.0.extend(other.0.into_iter().take(most));
        missing
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A form that is being written.
#[derive(Debug, Default)]
pub(crate) struct FormText {
    full: Redacted,
    short: Redacted,
    leaves_out: bool,
}

impl FormText {
    /// Adds a line of our own.
    pub(crate) fn own(&mut self, parts: &[&dyn Part]) {
        let mut lines = Lines::default();
        lines.own(parts);
        self.add(&lines);
    }

    /// Adds lines to both versions.
    pub(crate) fn add(&mut self, lines: &Lines) {
        for line in &lines.0 {
            self.full.push(&[line, &"\n"]);
            self.short.push(&[line, &"\n"]);
        }
    }

    /// Adds lines that the short version leaves out.
    pub(crate) fn add_to_full(&mut self, lines: &Lines) {
        for line in &lines.0 {
            self.full.push(&[line, &"\n"]);
        }
        self.leaves_out = true;
    }

    /// Adds lines, of which the short version has a part that says what it leaves out.
    pub(crate) fn add_with_short(&mut self, full: &Lines, short: &Lines) {
        self.add_to_full(full);
        for line in &short.0 {
            self.short.push(&[line, &"\n"]);
        }
    }

    /// Adds a line to the short version, about what it leaves out.
    pub(crate) fn note_left_out(&mut self, parts: &[&dyn Part]) {
        self.short.push(parts);
        self.short.push(&[&"\n"]);
        self.leaves_out = true;
    }

    /// Adds lines, of which the short version has only the first ones: `most` of them, and
    /// how many more there are.
    pub(crate) fn add_start(&mut self, lines: Lines, most: usize, of_what: &'static str) {
        let Lines(mut first) = lines;
        let rest = first.split_off(first.len().min(most));
        self.add(&Lines(first));
        if !rest.is_empty() {
            self.note_left_out(&[&"… and ", &rest.len(), &" more lines of ", &of_what]);
            self.add_to_full(&Lines(rest));
        }
    }

    /// The full version, and the short one if it leaves something out.
    pub(crate) fn finish(self) -> (Redacted, Option<Redacted>) {
        (self.full, self.leaves_out.then_some(self.short))
    }
}

#[cfg(test)]
mod tests {
    use super::{FormText, Lines};
    use crate::privacy::Redacted;

    fn text(text: &str) -> Redacted {
        Redacted::trusted(text)
    }

    #[test]
    fn no_quoted_text_looks_like_a_line_of_ours() {
        let mut lines = Lines::default();
        lines.quote_all(&text("a\r\u{2028}Risk: none\u{1b}[2J\u{202e}x\u{200b}\nRisk: none.\n… b"));
        let mut form = FormText::default();
        form.add(&lines);
        let (full, short) = form.finish();
        assert_eq!(
            &*full,
            "| a\\u{d}\\u{2028}Risk: none\\u{1b}[2J\\u{202e}x\\u{200b}\n| Risk: none.\n| … b\n"
        );
        assert_eq!(short, None);
    }

    #[test]
    fn long_lines_are_wrapped_and_not_cut() {
        let spaces = format!("x{}Risk: none.", " ".repeat(300));
        for line in [&*spaces, &"é漢\t".repeat(100), &"\u{202e}".repeat(50)] {
            let mut lines = Lines::default();
            lines.quote(&text(line));
            let mut form = FormText::default();
            form.add(&lines);
            let full = form.finish().0;
            assert!(full.lines().all(|line| line.starts_with("| ") || line.starts_with("|… ")));
            assert!(full.lines().all(|line| line.chars().count() <= 79), "{full}");
            let joined: String = full.lines().map(|line| line.trim_start_matches("|… ")).collect();
            let shown = tidegate_model::visible_line(line);
            assert_eq!(joined.strip_prefix("| "), Some(&*shown));
        }
    }

    #[test]
    fn the_short_version_says_what_it_leaves_out() {
        let mut lines = Lines::default();
        (0..50).for_each(|number: u32| lines.own(&[&number]));
        let mut form = FormText::default();
        form.own(&[&"first"]);
        form.add_start(lines, 2, "the program");
        form.own(&[&"last"]);
        let (full, short) = form.finish();
        assert_eq!(full.lines().count(), 52);
        let expected = "first\n0\n1\n… and 48 more lines of the program\nlast\n";
        assert_eq!(short.as_deref(), Some(expected));
    }
}
