//! The detector: reads a text in the way its kind asks for, and settles what was found.
//!
//! In: a text and its kind. Out: spans in bytes, sorted, without overlaps, each on
//! character boundaries. The time is linear in the length of the text, for any text.

use tidegate_model::{Detect, Span, TextKind};

use crate::options::{Options, OptionsError, Rules};
use crate::run::{CHECKED, Found, Run, settle};
use crate::{class, json, text};

/// Finds personal data by fixed rules and the rules of a user.
#[derive(Debug)]
pub struct Detector {
    rules: Rules,
}

impl Detector {
    /// A detector with these options.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        Ok(Self { rules: Rules::compile(options)? })
    }
}

impl Detect for Detector {
    fn scan(&self, text: &str, kind: TextKind) -> Vec<Span> {
        let mut run = Run::new(&self.rules);
        let as_json = match kind {
            TextKind::Text => false,
            TextKind::Json => true,
            TextKind::Auto => json::looks_like_json(text),
        };
        if !as_json {
            text::scan(&mut run, text);
        } else if let Err(json::NotJson(at)) = json::scan(&mut run, text, 0) {
            // What JSON was read stays read, if the caller says that it is JSON.
            let from = if kind == TextKind::Json { class::floor_char(text, at) } else { 0 };
            if kind == TextKind::Auto {
                run.out.clear();
            }
            run.base = from;
            text::scan(&mut run, text.get(from..).unwrap_or_default());
            run.base = 0;
        }
        self.custom(&mut run, text);
        self.finish(text, run.out)
    }
}

impl Detector {
    /// The rules of the user.
    fn custom(&self, run: &mut Run<'_>, text: &str) {
        for (regex, data_type) in &self.rules.patterns {
            for found in regex.find_iter(text) {
                run.add(found.start(), found.end(), *data_type, CHECKED + 2);
            }
        }
        if let Some((searcher, types)) = &self.rules.terms {
            for found in searcher.find_iter(text) {
                if let Some(data_type) = types.get(found.pattern().as_usize()) {
                    run.add(found.start(), found.end(), *data_type, CHECKED + 2);
                }
            }
        }
    }

    fn finish(&self, text: &str, found: Vec<Found>) -> Vec<Span> {
        let all = self.rules.excludes_nothing();
        settle(found)
            .into_iter()
            .filter(|find| {
                text.get(find.start..find.end).is_some_and(|value| {
                    (value.as_bytes().first().is_some_and(u8::is_ascii_graphic)
                        || !value.trim().is_empty())
                        && (all || !self.rules.excludes(value))
                })
            })
            .map(|find| Span { start: find.start, end: find.end, data_type: find.data_type })
            .collect()
    }
}

#[cfg(test)]
mod tests;
