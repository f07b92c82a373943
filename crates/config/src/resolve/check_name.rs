//! Checks the names of servers, profiles and commands.
//!
//! A server name becomes a folder under `./servers`, an identifier in programs and
//! the first half of `server__tool`, and must work as all three. It is shown to
//! people and models unchanged.

use tidegate_model::visible;

/// Why a server cannot have this name, as the rest of a sentence "server name `x` ...".
pub(crate) fn problem(name: &str) -> Option<&'static str> {
    if !(1..=64).contains(&name.chars().count()) {
        Some("must have from 1 to 64 characters")
    } else if name.chars().any(char::is_control) {
        Some("has a control character")
    } else if *visible(name) != *name {
        Some("has an invisible character")
    } else if name.contains(['/', '\\']) {
        Some("has a slash, and it becomes a folder")
    } else if name.contains("__") {
        Some("has `__`, which separates a server from its tool")
    } else if name.ends_with('_') {
        // `a_` and its tool would be joined by three underscores.
        Some("ends with `_`, and `__` separates a server from its tool")
    } else if name.eq_ignore_ascii_case("README.md") {
        Some("is the name of a file beside the servers")
    } else if fold(name).is_empty() {
        // This includes `.` and `..`.
        Some("has no letter and no digit to make an identifier of")
    } else {
        None
    }
}

/// Why a profile or command cannot have this name, as the rest of a sentence "… name `x` ...".
pub(crate) fn word_problem(name: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !(1..=64).contains(&name.len()) {
        Some("must have from 1 to 64 characters")
    } else if !name.chars().all(plain) || name.starts_with('-') {
        Some("must have letters, digits, `_` and `-` only")
    } else {
        None
    }
}

/// The part of a name that is left in an identifier. Two servers must differ in it.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn common_names_are_good() {
        let longest = "x".repeat(64);
        for name in ["git", "my-server", "my_server", "GitHub (work)", "7", "größe 🏳️‍🌈", &longest]
        {
            assert_eq!(problem(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_would_break_a_folder_or_an_identifier_are_not() {
        let too_long = "x".repeat(65);
        for (name, expected) in [
            ("", "must have from 1 to 64 characters"),
            (&*too_long, "must have from 1 to 64 characters"),
            ("a\nb", "has a control character"),
            ("git\u{200b}", "has an invisible character"),
            ("\u{202e}tig", "has an invisible character"),
            ("git\u{3164}", "has an invisible character"),
            ("git\u{e0041}", "has an invisible character"),
            ("a/b", "has a slash, and it becomes a folder"),
            ("a\\b", "has a slash, and it becomes a folder"),
            ("a__b", "has `__`, which separates a server from its tool"),
            ("README.md", "is the name of a file beside the servers"),
            ("readme.MD", "is the name of a file beside the servers"),
            (".", "has no letter and no digit to make an identifier of"),
            ("..", "has no letter and no digit to make an identifier of"),
            ("--", "has no letter and no digit to make an identifier of"),
        ] {
            assert_eq!(problem(name), Some(expected), "{name:?}");
        }
    }
}
