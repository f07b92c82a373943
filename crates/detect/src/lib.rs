//! Finds personal data in text.
//!
//! Implements `Detect` of `model`. Pure: no clock, no disk, no network.
//!
//! `text` reads prose once and calls the finders; `json` and `table` read keys and give
//! the values their classes (`keys`, `labelled`); `pair` does so for `key: value`.

mod address;
mod capital;
mod card;
mod check;
mod cjk;
mod class;
mod columns;
mod cue;
mod detector;
mod digits;
mod email;
mod escape;
mod iban;
mod insert;
mod ip;
mod json;
mod key_words;
mod keys;
mod labelled;
mod legal;
mod lexicon;
mod markup;
mod name;
mod name_value;
mod national;
mod number;
mod options;
mod org;
mod org_value;
mod pair;
mod phone;
mod pim;
mod place;
mod prefix;
mod run;
mod secret;
mod secret_value;
mod sequence;
mod street;
mod table;
mod text;
mod told;
mod vendor;
mod words;

pub use detector::Detector;
pub use options::{CustomRule, Exclusion, Options, OptionsError};
