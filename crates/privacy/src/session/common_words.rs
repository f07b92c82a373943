//! Common words that are also names: on their own they do not identify a person.

/// Whether a word is one of them, in any case.
pub(crate) fn is_common(word: &str) -> bool {
    if word.len() > LONGEST {
        return false;
    }
    let folded = word.bytes().map(|byte| byte.to_ascii_lowercase());
    COMMON.binary_search_by(|common| common.bytes().cmp(folded.clone())).is_ok()
}

/// The length of `wednesday` and `president`.
const LONGEST: usize = 9;

/// Names that are also English words, words that occur in place of names, and companies
/// named like things. Sorted.
#[rustfmt::skip]
const COMMON: [&str; 268] = [
    "account", "address", "admin", "amazon", "amber", "apple", "april", "art", "august", "autumn",
    "baker", "bank", "banks", "bear", "been", "berlin", "best", "bill", "bird", "bishop", "black",
    "bond", "bonds", "box", "brown", "bush", "carpenter", "case", "cash", "charity", "chase",
    "church", "city", "client", "close", "company", "contact", "cook", "corp", "country", "crow",
    "crystal", "customer", "daisy", "data", "dawn", "day", "days", "dean", "dear", "december",
    "default", "dell", "delta", "director", "discover", "doctor", "draft", "drake", "drew",
    "duke", "earl", "east", "email", "england", "eve", "express", "faith", "false", "farmer",
    "february", "field", "fields", "finch", "first", "fisher", "foot", "ford", "forest", "fox",
    "france", "frank", "frau", "friday", "from", "full", "gap", "gate", "gates", "gene", "good",
    "grace", "grant", "gray", "green", "grey", "group", "guest", "guy", "hall", "halls", "hand",
    "hands", "have", "hawk", "head", "hello", "herr", "hill", "hills", "hope", "house", "hunter",
    "inc", "info", "iris", "ivy", "jack", "january", "jay", "joy", "july", "june", "king",
    "knight", "lamb", "lane", "last", "lily", "limited", "lions", "little", "london", "long",
    "love", "lyon", "mail", "manager", "march", "mark", "martin", "mason", "match", "max", "may",
    "meta", "mill", "miller", "mills", "miss", "mister", "monday", "moon", "name", "names",
    "next", "none", "north", "note", "notes", "november", "null", "october", "office", "open",
    "oracle", "order", "orders", "owner", "page", "paris", "park", "parks", "pat", "pearl",
    "people", "person", "phone", "porter", "post", "potter", "president", "price", "prince",
    "private", "prof", "professor", "public", "rate", "rates", "ray", "read", "regards", "reply",
    "rich", "river", "rivers", "rob", "robin", "room", "rooms", "rose", "ruby", "rusty", "sage",
    "sales", "sandy", "saturday", "send", "september", "service", "sharp", "shell", "sincerely",
    "sky", "slack", "small", "south", "spring", "square", "star", "state", "stone", "storm",
    "street", "stripe", "strong", "sue", "summer", "sun", "sunday", "support", "swan", "swift",
    "system", "target", "taylor", "team", "test", "tester", "thanks", "that", "there", "they",
    "this", "thursday", "true", "tuesday", "united", "unknown", "user", "users", "violet", "visa",
    "walker", "wednesday", "west", "white", "will", "winter", "with", "wolf", "wood", "woods",
    "write", "young", "your", "zoom",
];

#[cfg(test)]
mod tests {
    use super::{COMMON, LONGEST, is_common};

    #[test]
    fn the_words_are_sorted_and_found_in_any_case() {
        assert!(COMMON.is_sorted());
        assert!(COMMON.iter().all(|word| word.len() <= LONGEST && is_common(word)));
        assert!(is_common("Will"));
        assert!(!is_common("Jane"));
    }
}
