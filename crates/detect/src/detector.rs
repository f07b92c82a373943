//! The detector: scans a text according to its kind and resolves overlaps.
//!
//! In: a text and its kind. Out: spans in bytes, sorted, without overlaps, each on character
//! boundaries. The time is linear in the length of the text, for any text.

use tidegate_model::{Certainty, Detect, Span, TextKind};

use crate::options::{Options, OptionsError, Rules};
use crate::overlaps::resolve_overlaps;
use crate::scan::{CHECKED, Candidate, KEYED, Scan};
use crate::{byte_class, json, text};

/// Finds personal data by built-in rules and by the rules of a user.
#[derive(Debug)]
pub struct Detector {
    rules: Rules,
}

impl Detector {
    /// Creates a detector with these options.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        Ok(Self { rules: Rules::compile(options)? })
    }
}

impl Detect for Detector {
    fn scan(&self, text: &str, kind: TextKind) -> Vec<Span> {
        let mut scan = Scan::new(&self.rules);
        let as_json = match kind {
            TextKind::Text => false,
            TextKind::Json => true,
            TextKind::Auto => json::looks_like_json(text),
        };
        if !as_json {
            text::scan_text(&mut scan, text);
        } else if let Err(json::NotJson(at)) = json::scan_document(&mut scan, text, 0) {
            // If the caller says that it is JSON, the part read as JSON keeps its candidates.
            let from = if kind == TextKind::Json { byte_class::floor_char(text, at) } else { 0 };
            if kind == TextKind::Auto {
                scan.out.clear();
            }
            scan.base = from;
            text::scan_text(&mut scan, text.get(from..).unwrap_or_default());
            scan.base = 0;
        }
        self.add_custom(&mut scan, text);
        self.spans(text, scan.out)
    }
}

impl Detector {
    /// Applies the rules of the user.
    fn add_custom(&self, scan: &mut Scan<'_>, text: &str) {
        for (regex, data_type) in &self.rules.patterns {
            for found in regex.find_iter(text) {
                scan.add(found.start(), found.end(), *data_type, CHECKED + 2);
            }
        }
        if let Some((searcher, types)) = &self.rules.terms {
            for found in searcher.find_iter(text) {
                if let Some(data_type) = types.get(found.pattern().as_usize()) {
                    scan.add(found.start(), found.end(), *data_type, CHECKED + 2);
                }
            }
        }
    }

    /// Resolves overlaps and drops blank and excluded values.
    fn spans(&self, text: &str, candidates: Vec<Candidate>) -> Vec<Span> {
        let keeps_all = self.rules.excludes_nothing();
        resolve_overlaps(candidates)
            .into_iter()
            .filter(|find| {
                text.get(find.start..find.end).is_some_and(|value| {
                    (value.as_bytes().first().is_some_and(u8::is_ascii_graphic)
                        || !value.trim().is_empty())
                        && (keeps_all || !self.rules.excludes(value))
                })
            })
            .map(|find| Span {
                start: find.start,
                end: find.end,
                data_type: find.data_type,
                certainty: if find.rank < KEYED { Certainty::Guess } else { Certainty::Certain },
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
