//! Decides whether a key looks like the name of a field or like a value: an id, an
//! address, a date, a title.
//!
//! Pure. In doubt it is a value: then the type is a map, which is correct as well.

/// Field names are rarely longer.
const MAX_CHARACTERS: usize = 40;

/// Whether a key may be shown as a field.
pub(super) fn looks_like_a_field(key: &str) -> bool {
    // `@type` and `$ref` are fields; an `@` further on is an address.
    let name = key.strip_prefix('@').unwrap_or(key);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    begins
        && key.len() <= MAX_CHARACTERS
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.$".contains(&byte))
        && !looks_like_an_id(name)
}

fn looks_like_an_id(name: &str) -> bool {
    let runs: Vec<usize> = name
        .split(|c: char| !c.is_ascii_digit())
        .map(str::len)
        .filter(|length| *length > 0)
        .collect();
    let digits: usize = runs.iter().sum();
    let has_long_number = runs.iter().any(|length| *length >= 4);
    // `a1b2c3`, `B07XJ8C8F5`; `line2` and `sha256` have only one number.
    let is_code = name.len() >= 6 && runs.len() >= 2 && digits * 4 >= name.len();
    has_long_number || is_code || is_hex(name) || is_base64(name, digits) || is_issue_key(name)
}

/// `deadbeef`, and the groups of a UUID.
fn is_hex(name: &str) -> bool {
    let digits = name.bytes().filter(u8::is_ascii_hexdigit).count();
    digits >= 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Letters and digits alternate as in no word: `dGVzdDEyM3RleHQx`. In camel case
/// far less than a third of the letters begin or end a word.
fn is_base64(name: &str, digits: usize) -> bool {
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        _ => 3,
    };
    let bytes = name.as_bytes();
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let long = (name.len() >= 11 && digits >= 2) || (name.len() >= 16 && digits >= 1);
    long && changes * 3 > name.len()
}

/// `PROJ-12`.
fn is_issue_key(name: &str) -> bool {
    name.split_once('-').is_some_and(|(project, number)| {
        project.bytes().all(|byte| byte.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::looks_like_a_field;

    #[test]
    fn names_of_fields_are_fields() {
        let names = [
            "id",
            "_id",
            "$ref",
            "@type",
            "created_at",
            "content-type",
            "user.name",
            "shippingAddressLine2",
            "sha256",
            "utf8",
            "URL",
            "x",
            "isInTheUsersDb",
        ];
        let refused: Vec<&str> = names.into_iter().filter(|key| !looks_like_a_field(key)).collect();
        assert_eq!(refused, Vec::<&str>::new());
    }

    #[test]
    fn values_are_no_fields() {
        let values = [
            "",
            "jane@example.com",
            "@jane@example.com",
            "2026-01-02",
            "Jane Doe",
            "12",
            "user_12345",
            "deadbeef",
            "c0ffee00-dead-beef",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "B07XJ8C8F5",
            "dGVzdDEyM3RleHQx",
            "PROJ-12",
            "/etc/hosts",
            "a/b",
            "größe",
            "key:value",
            "a_name_that_goes_on_and_on_and_on_and_on_and_on",
        ];
        let accepted: Vec<&str> =
            values.into_iter().filter(|key| looks_like_a_field(key)).collect();
        assert_eq!(accepted, Vec::<&str>::new());
    }
}
