//! Splits text into the terms that tools and queries are compared by.
//!
//! In: any text of a tool or a query. Out: stemmed lower-case words without stop
//! words. Identifiers are split at case changes, separators and digits. Scripts
//! that do not write spaces become pairs of characters, so that they can be
//! searched without a dictionary. Accepts every text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing about what a tool does, and words that people use to address an
/// assistant.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let text = include_str!("stop_words.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Endings after an apostrophe, which are dropped.
const CONTRACTIONS: [&str; 7] = ["s", "ll", "re", "ve", "m", "d", "t"];

/// Creates terms and numbers them in order of first use. A catalog uses the same few
/// thousand words again and again: each is stemmed only once.
pub(crate) struct Terms {
    stemmer: Stemmer,
    /// The term of a word; `None` if it is a stop word.
    known: HashMap<Box<str>, Option<u32>>,
    places: HashMap<Box<str>, u32>,
    list: Vec<Box<str>>,
}

impl Terms {
    pub(crate) fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            known: HashMap::new(),
            places: HashMap::new(),
            list: Vec::new(),
        }
    }

    /// Calls `take` with the number of every term of a text, in order.
    pub(crate) fn each(&mut self, text: &str, mut take: impl FnMut(u32)) {
        each_word(text, |word| {
            let term = match self.known.get(word) {
                Some(known) => *known,
                None => {
                    let term = (!STOP_WORDS.contains(word)).then(|| self.stem(word));
                    self.known.insert(word.into(), term);
                    term
                }
            };
            if let Some(term) = term {
                take(term);
            }
        });
    }

    /// Like `each`, but a name of only stop words keeps them: a tool called `do` or `what` can be
    /// found by its name.
    pub(crate) fn each_of_name(&mut self, name: &str, mut take: impl FnMut(u32)) {
        let mut none = true;
        self.each(name, |term| {
            none = false;
            take(term);
        });
        if none {
            each_word(name, |word| take(self.stem(word)));
        }
    }

    /// All terms so far, in the order of their numbers.
    pub(crate) fn list(&self) -> &[Box<str>] {
        &self.list
    }

    pub(crate) fn into_list(self) -> Vec<Box<str>> {
        self.list
    }

    fn stem(&mut self, word: &str) -> u32 {
        // The stemmer knows English only.
        let english = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let stem = if english { self.stemmer.stem(word) } else { Cow::Borrowed(word) };
        if let Some(place) = self.places.get(&*stem) {
            return *place;
        }
        let place = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(stem.as_ref().into());
        self.places.insert(stem.into(), place);
        place
    }
}

/// Calls `take` with every word: lower case, identifiers split.
pub(crate) fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    for run in text.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c)) {
        let run = run.trim_matches(is_apostrophe);
        let run = match run.rsplit_once(is_apostrophe) {
            Some((word, end)) if CONTRACTIONS.contains(&end.to_lowercase().as_str()) => word,
            _ => run,
        };
        split_run(run, &mut word, &mut take);
    }
}

/// `listIssues`, `HTTPServer` and `mp3` are two words each.
fn split_run(run: &str, word: &mut String, take: &mut impl FnMut(&str)) {
    let mut before = Class::None;
    let mut chars = run.chars().filter(|c| !is_apostrophe(*c)).peekable();
    while let Some(c) = chars.next() {
        let class = Class::of(c);
        let mut lower_follows =
            || chars.peek().is_some_and(|next| Class::of(*next) == Class::Lower);
        let border = match (before, class) {
            (Class::None, _) | (Class::Upper, Class::Lower) => false,
            (Class::Upper, Class::Upper) => lower_follows(),
            (before, class) => before != class,
        };
        if border {
            finish(word, before, take);
        }
        if c.is_ascii() {
            word.push(c.to_ascii_lowercase());
        } else {
            word.extend(c.to_lowercase());
        }
        before = class;
    }
    finish(word, before, take);
}

fn finish(word: &mut String, class: Class, take: &mut impl FnMut(&str)) {
    if word.is_empty() {
        return;
    }
    let starts = || word.char_indices().map(|(at, _)| at);
    if class == Class::Unspaced && starts().nth(1).is_some() {
        let ends = starts().skip(2).chain([word.len()]);
        for (start, end) in starts().zip(ends) {
            take(&word[start..end]);
        }
    } else {
        take(word);
    }
    word.clear();
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    None,
    Lower,
    Upper,
    Digit,
    /// A script without spaces between words.
    Unspaced,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            // Thai to Burmese, kana, ideographs, Hangul.
            '\u{e00}'..='\u{109f}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{20000}'..='\u{3ffff}' => Self::Unspaced,
            'a'..='z' => Self::Lower,
            _ if c.is_uppercase() => Self::Upper,
            _ if c.is_numeric() => Self::Digit,
            _ => Self::Lower,
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::{Terms, each_word};

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn identifiers_are_split_at_case_separators_and_digits() {
        let split = |text| words(text).join(" ");
        assert_eq!(
            split("listIssues list_issues list-issues"),
            "list issues list issues list issues"
        );
        assert_eq!(split("HTTPServer getURL mp3"), "http server get url mp 3");
        assert_eq!(split("What's the user's 'name'?"), "what the user name");
    }

    #[test]
    fn text_without_spaces_becomes_pairs_and_other_letters_stay() {
        assert_eq!(words("使用必应搜索"), ["使用", "用必", "必应", "应搜", "搜索"]);
        assert_eq!(words("搜 Größe ПОИСК"), ["搜", "größe", "поиск"]);
    }

    #[test]
    fn stop_words_are_left_out_unless_they_are_the_name() {
        let mut terms = Terms::new();
        let mut numbers = Vec::new();
        terms.each("Could you please list the issues", |term| numbers.push(term));
        terms.each_of_name("do", |term| numbers.push(term));
        terms.each("listing", |term| numbers.push(term));
        assert_eq!(numbers, [0, 1, 2, 0]);
        assert_eq!(terms.list(), ["list".into(), "issu".into(), "do".into()]);
    }

    #[test]
    fn odd_text_has_no_terms() {
        assert!(words("").is_empty());
        assert!(words("'; -- ' \u{202e} 🙂 .*+?^${}()|[]\\").is_empty());
    }
}
