//! Finds personal data in text.
//!
//! Implements `Detect` of `model`. Pure: no clock, no disk, no network.
//!
//! `text` scans prose and calls the detectors of single types; `json`, `text::table` and `pair`
//! read keys, class them (`keys`) and judge their values (`keyed_value`). `scan` has what the
//! detectors share; `overlaps` turns their candidates into spans. The words they know are in
//! `dictionary` (names) and `lexicon` (context cues).

mod address;
mod announced;
mod byte_class;
mod byte_pairs;
mod capitalised;
mod detector;
mod dictionary;
mod email;
mod iban;
mod json;
mod keyed_value;
mod keys;
mod lexicon;
mod markup;
mod name_key;
mod number;
mod options;
mod org;
mod overlaps;
mod pair;
mod person;
mod scan;
mod secret;
mod sequence;
#[cfg(test)]
mod testing;
mod text;

pub use detector::Detector;
pub use name_key::may_name_a_person;
pub use options::{CustomRule, Exclusion, Options, OptionsError};
