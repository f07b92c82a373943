//! Tells prose from identifiers: domains, paths, URLs, file names.
//!
//! A name that was only guessed from prose is replaced in prose and nowhere else:
//! `umbrella.co.uk` and `notes-Ann.md` are addresses of something, and whoever gets them
//! must be able to use them. What is known for certain is replaced in them as well.

/// How far around a place the text is read.
const REACH: usize = 256;

/// Whether a place of a text is inside an identifier.
pub(super) fn is_in_identifier(text: &str, start: usize, end: usize) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(REACH));
    let to = text.floor_char_boundary(end.saturating_add(REACH).min(text.len()));
    let (Some(before), Some(value), Some(after)) =
        (text.get(from..start), text.get(start..end), text.get(end..to))
    else {
        return false;
    };
    if before.ends_with(is_border) && after.starts_with(is_border) {
        return false;
    }
    let left = before
        .rfind(is_border)
        .map_or(before, |at| &before[at + before[at..].chars().next().map_or(1, char::len_utf8)..]);
    let right = &after[..after.find(is_border).unwrap_or(after.len())];
    if has_drive(left) || left.len() > 2 && left.starts_with(r"\\") {
        return true;
    }
    // Elsewhere a backslash begins an escape, such as a line break in JSON.
    let left = left.rfind('\\').map_or(left, |at| left.get(at + 2..).unwrap_or_default());
    let right = &right[..right.find('\\').unwrap_or(right.len())];
    if left.contains("://")
        || left.starts_with("www.")
        || left.contains('@')
        || right.starts_with('@')
    {
        return true;
    }
    let marks = |char| matches!(char, ':' | '=' | '&' | '?' | '#' | '%' | '+');
    let left = left.rfind(marks).map_or(left, |at| &left[at + 1..]);
    let right = &right[..right.find(marks).unwrap_or(right.len())];
    // The marks of emphasis in Markdown.
    let (left, right) = match (left.ends_with(['_', '*', '~']), right.starts_with(['_', '*', '~']))
    {
        (true, true) => {
            (left.trim_start_matches(['_', '*', '~']), right.trim_end_matches(['_', '*', '~']))
        }
        _ => (left, right),
    };
    let right = right.trim_end_matches(['.', '!', '-', '\'']);
    is_path(left, right) || is_dotted(left, right) || is_joined(left, value, right)
}

fn is_border(char: char) -> bool {
    char.is_whitespace() || "\"'`()[]{}<>,;|“”‘’«»—".contains(char)
}

/// `C:\`, as it is written, or in JSON.
fn has_drive(left: &str) -> bool {
    matches!(left.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

/// `/home/Ann`, `docs/Umbrella/x`; not `Smith/Jones`.
fn is_path(left: &str, right: &str) -> bool {
    if !left.contains('/') && !right.contains('/') {
        return false;
    }
    left.starts_with(['/', '.', '~'])
        || left.split('/').rev().skip(1).chain(right.split('/').skip(1)).any(|part| {
            !part.is_empty() && !part.starts_with(|char: char| char.is_uppercase())
                || part.contains('.')
        })
        || right.ends_with('/')
}

/// `umbrella.co.uk`, `mail.umbrella`, `Ann.md`; not `Mr.Smith` or `Smith.Then`.
fn is_dotted(left: &str, right: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && (label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                || label.len() <= 4 && label.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    let is_host = |label: &str| {
        label.len() > 1 && label.bytes().all(|byte| !byte.is_ascii_uppercase() && byte.is_ascii())
    };
    let before = left.strip_suffix('.').map(|rest| rest.rsplit('.').next().unwrap_or_default());
    let extension = right.rsplit_once('.').map(|(_, label)| label);
    before.is_some_and(is_host) || extension.is_some_and(is_label)
}

/// `acme_prod`, `acme-prod-01`, `notes-ann`; not `Umbrella-backed`.
fn is_joined(left: &str, value: &str, right: &str) -> bool {
    let around = || left.bytes().chain(right.bytes());
    if left.ends_with('_') || right.starts_with('_') {
        return true;
    }
    (left.ends_with('-') || right.starts_with('-'))
        && (around().any(|byte| byte.is_ascii_digit() || byte == b'_')
            || !value.contains(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::is_in_identifier;

    fn is_inside(text: &str) -> bool {
        let start = text.to_lowercase().find("umbrella").unwrap();
        is_in_identifier(text, start, start + "umbrella".len())
    }

    #[test]
    fn names_of_machines_and_files_are_identifiers() {
        for text in [
            "umbrella.co.uk",
            "see https://umbrella.com/x.",
            "see https://x.org/a?b=Umbrella&c=1",
            "http://x.org/Umbrella",
            "www.Umbrella.com",
            "mail.umbrella",
            "ann@umbrella.com",
            "@umbrella",
            "/home/Umbrella",
            "./Umbrella/x",
            "docs/Umbrella.md",
            "src/umbrella",
            "a/Umbrella/b",
            "Umbrella/src/main.rs",
            "report-Umbrella.pdf",
            "Umbrella.PDF",
            "umbrella_prod",
            "PROD_UMBRELLA",
            "umbrella-prod",
            "acme-Umbrella-01",
            r"C:\Users\Umbrella\x",
            r#""path":"C:\\Users\\Umbrella""#,
            r"\\server\Umbrella",
        ] {
            assert!(is_inside(text), "{text}");
        }
    }

    #[test]
    fn prose_is_none() {
        for text in [
            "Umbrella",
            "at Umbrella.",
            "(Umbrella)",
            "Umbrella, Inc.",
            "Umbrella's offer",
            "Umbrella-backed",
            "Umbrella/Acme",
            "from Mr.Umbrella",
            "at Umbrella.Then we",
            "**Umbrella** and",
            "_Umbrella_",
            "company:Umbrella",
            "company=Umbrella",
            r#""Hello\nUmbrella said""#,
            "“Umbrella”",
            "Umbrella! e.g. x.md",
        ] {
            assert!(!is_inside(text), "{text}");
        }
    }
}
