//! Text as terms: what tools and queries are compared by.
//!
//! In: any text of a tool or a query. Out: stemmed lower-case words without stop
//! words. Identifiers are split at case changes, separators and digits. Scripts
//! that do not write spaces become pairs of characters, so that they can be
//! searched without a dictionary. Total: no text fails, none is refused.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing about what a tool does, and those with which people
/// speak to an assistant.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let text = include_str!("stop_words.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Endings after an apostrophe: they belong to no word.
const CONTRACTIONS: [&str; 7] = ["s", "ll", "re", "ve", "m", "d", "t"];

/// Makes terms, and remembers the stems of words it has seen: a catalog uses the
/// same few thousand words again and again.
pub(super) struct Terms {
    stemmer: Stemmer,
    known: HashMap<String, Option<Box<str>>>,
}

impl Terms {
    pub(super) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: HashMap::new() }
    }

    /// The terms of a text, in its order.
    pub(super) fn of(&mut self, text: &str) -> Vec<Box<str>> {
        let mut terms = Vec::new();
        for word in words(text) {
            if let Some(known) = self.known.get(&word) {
                terms.extend(known.clone());
                continue;
            }
            let stop = STOP_WORDS.contains(word.as_str());
            let term = (!stop).then(|| self.stem(&word));
            terms.extend(term.clone());
            self.known.insert(word, term);
        }
        terms
    }

    /// Also of stop words: what is called `do` or `what` can still be found by it.
    pub(super) fn of_name(&mut self, name: &str) -> Vec<Box<str>> {
        let terms = self.of(name);
        if terms.is_empty() {
            return words(name).iter().map(|word| self.stem(word)).collect();
        }
        terms
    }

    fn stem(&self, word: &str) -> Box<str> {
        // The stemmer knows English only.
        let english = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        if english { self.stemmer.stem(word).into() } else { word.into() }
    }
}

/// Lower-case words, identifiers split.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c)) {
        let run = run.trim_matches(is_apostrophe);
        let run = match run.rsplit_once(is_apostrophe) {
            Some((word, end)) if CONTRACTIONS.contains(&end.to_lowercase().as_str()) => word,
            _ => run,
        };
        split_run(run, &mut words);
    }
    words
}

/// `listIssues`, `HTTPServer` and `mp3` are two words each.
fn split_run(run: &str, words: &mut Vec<String>) {
    let mut word = String::new();
    let mut before = Class::None;
    let mut chars = run.chars().filter(|c| !is_apostrophe(*c)).peekable();
    while let Some(c) = chars.next() {
        let class = Class::of(c);
        let lower_follows = chars.peek().is_some_and(|next| Class::of(*next) == Class::Lower);
        let border = match (before, class) {
            (Class::None, _) | (Class::Upper, Class::Lower) => false,
            (Class::Upper, Class::Upper) => lower_follows,
            (before, class) => before != class,
        };
        if border {
            finish(&mut word, before, words);
        }
        word.extend(c.to_lowercase());
        before = class;
    }
    finish(&mut word, before, words);
}

fn finish(word: &mut String, class: Class, words: &mut Vec<String>) {
    if word.is_empty() {
        return;
    }
    if class == Class::Unspaced {
        let chars: Vec<char> = word.chars().collect();
        match chars.len() {
            1 => words.push(word.clone()),
            _ => words.extend(chars.windows(2).map(|pair| pair.iter().collect())),
        }
        word.clear();
    } else {
        words.push(std::mem::take(word));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    None,
    Lower,
    Upper,
    Digit,
    /// Of a script without spaces between words.
    Unspaced,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            // Thai to Burmese, kana, the ideographs, Hangul.
            '\u{e00}'..='\u{109f}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{20000}'..='\u{3ffff}' => Self::Unspaced,
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
    use super::{Terms, words};

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
        assert_eq!(*terms.of("Could you please list the issues"), ["list".into(), "issu".into()]);
        assert_eq!(*terms.of_name("do"), ["do".into()]);
    }

    #[test]
    fn odd_text_has_no_terms() {
        assert!(words("").is_empty());
        assert!(words("'; -- ' \u{202e} 🙂 .*+?^${}()|[]\\").is_empty());
    }
}
