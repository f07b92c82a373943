//! Classifies keys by the value that they imply.
//!
//! In: a key as written (`contactName`, `bill-to`, `Ansprechpartner`, `owner.name`). Out: a
//! `KeyClass`. Splits the key into words at case changes and separators and looks each up; the
//! last known word decides, and the words before it can turn a `name` into a person, a company
//! or a thing.

pub(crate) mod words;

use std::sync::LazyLock;

use crate::dictionary::{Hasher, hash};
use crate::keys::words::WORDS;

/// The kind of value that a key implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyClass {
    /// No known word.
    Unknown,
    /// `name` alone: the keys around it decide.
    Name,
    /// A person's name, or part of one.
    Person,
    /// A person if the value looks like a name; for an object, a person.
    Role,
    /// A company.
    Org,
    /// A thing: names inside it are not personal.
    Thing,
    Phone,
    Email,
    Address,
    /// A city, a post code, a country.
    Place,
    Birth,
    /// A password: any value.
    Password,
    /// A key or token: a value that looks random.
    Token,
    Ssn,
    NationalId,
    Card,
    Iban,
    Ip,
    Version,
    /// An identifier, hash or count.
    Id,
    /// A login name.
    Login,
    /// An authorization header.
    Auth,
    /// A rule of the user.
    Custom,
}

use KeyClass::{
    Address, Card, Custom, Email, Iban, Id, Ip, Login, Name, NationalId, Org, Person, Phone, Place,
    Role, Ssn, Thing, Token, Unknown,
};

/// Words that make the name after them a person's.
const PERSON_WORDS: &str =
    "first last full given family middle display real preferred maiden legal nick birth holder";
/// Words that make the key after them a secret.
const SECRET_WORDS: &str = "api access secret private auth encryption signing master session bearer refresh client service ssh deploy webhook bot app \
    account storage admin license jwt oauth stripe openai anthropic sendgrid mailgun twilio datadog algolia mapbox";
/// Words that make the number before them not personal.
const COUNT_WORDS: &str = "id count type hash";
/// Words that make the token after them a position in a list.
const PAGE_WORDS: &str = "next page max continuation sync token";
const KEY_WORDS: &str = "key keys";

const PERSON_WORD: u8 = 1;
const SECRET_WORD: u8 = 2;
const COUNT_WORD: u8 = 4;
const PAGE_WORD: u8 = 8;
const KEY_WORD: u8 = 16;

/// A word of a key: its class, and its effect on its neighbours.
#[derive(Clone, Copy)]
struct KeyWord {
    hash: u64,
    class: KeyClass,
    roles: u8,
}

const NOTHING: KeyWord = KeyWord { hash: 0, class: Unknown, roles: 0 };

/// A hash table with open addressing.
struct Table(Vec<KeyWord>);

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table(vec![NOTHING; 1 << 13]);
    for (class, words) in WORDS {
        for word in words.split_whitespace() {
            let known = table.slot(folded_hash(word));
            known.class = if known.class == Unknown { *class } else { known.class };
        }
    }
    for (role, words) in [
        (PERSON_WORD, PERSON_WORDS),
        (SECRET_WORD, SECRET_WORDS),
        (COUNT_WORD, COUNT_WORDS),
        (PAGE_WORD, PAGE_WORDS),
        (KEY_WORD, KEY_WORDS),
    ] {
        for word in words.split_whitespace() {
            table.slot(folded_hash(word)).roles |= role;
        }
    }
    table
});

impl Table {
    /// The slot of a word, created if missing. The table is never half full.
    fn slot(&mut self, hash: u64) -> &mut KeyWord {
        let mask = self.0.len() - 1;
        let mut index = (hash >> 40) as usize & mask;
        while self.0[index].hash != hash && self.0[index].hash != 0 {
            index = (index + 1) & mask;
        }
        self.0[index].hash = hash;
        &mut self.0[index]
    }

    fn get(&self, hash: u64) -> KeyWord {
        let mask = self.0.len() - 1;
        let mut index = (hash >> 40) as usize & mask;
        loop {
            match self.0.get(index) {
                Some(known) if known.hash == hash => return *known,
                Some(known) if known.hash != 0 => index = (index + 1) & mask,
                _ => return NOTHING,
            }
        }
    }

    fn class(&self, hash: u64) -> Option<KeyClass> {
        Some(self.get(hash).class).filter(|class| *class != Unknown)
    }
}

/// The class of a key.
pub(crate) fn classify(key: &str, custom: &dyn Fn(u64) -> bool) -> KeyClass {
    if key.len() > 64 {
        return Unknown;
    }
    let table = &*TABLE;
    // Most keys are one word and need no splitting.
    let plain = key.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    if plain && key.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        let whole = hash(key);
        return if custom(whole) { Custom } else { whole_word(table.get(whole).class, key) };
    }
    let mut words = [NOTHING; 8];
    let mut count = 0;
    let mut joined = Hasher::new();
    for word in split(key) {
        word.chars().for_each(|c| joined.folded(c));
        if let Some(slot) = words.get_mut(count) {
            *slot = table.get(hash(word));
            count += 1;
        }
    }
    let whole = joined.finish();
    if custom(whole) {
        return Custom;
    }
    if let Some(class) = table.class(whole) {
        return class;
    }
    if count > 1
        && let Some(class) = last_two(table, key)
    {
        return class;
    }
    whole_word(by_words(words.get(..count).unwrap_or_default()), key)
}

/// `PGPASSWORD`, `ftppassword`: recognised by the ending.
fn whole_word(class: KeyClass, key: &str) -> KeyClass {
    let ends = |end: &str| {
        key.len()
            .checked_sub(end.len())
            .and_then(|from| key.get(from..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    if class == Unknown
        && matches!(key.as_bytes().last(), Some(b'd' | b'D' | b't' | b'T'))
        && ["password", "passwort", "passwd"].into_iter().any(ends)
    {
        return KeyClass::Password;
    }
    class
}

/// `work_phone_number`, `owner.first.name`: the last two words, joined, may be known.
fn last_two(table: &Table, key: &str) -> Option<KeyClass> {
    let mut before = "";
    let mut last = "";
    for word in split(key) {
        before = last;
        last = word;
    }
    let mut joined = Hasher::new();
    before.chars().chain(last.chars()).for_each(|c| joined.folded(c));
    table.class(joined.finish())
}

fn by_words(words: &[KeyWord]) -> KeyClass {
    let Some((last, before)) = words.split_last() else { return Unknown };
    let roles = before.iter().fold(0, |roles, word| roles | word.roles);
    let qualified = before.iter().rev().map(|word| word.class).find(|class| *class != Unknown);
    match last.class {
        Name if roles & PERSON_WORD != 0 => Person,
        Name => match qualified {
            Some(Role | Person) => Person,
            Some(Org) => Org,
            Some(Address) => Address,
            Some(Login) => Login,
            Some(_) => Thing,
            None if before.is_empty() => Name,
            None => Unknown,
        },
        Unknown if roles & SECRET_WORD != 0 && last.roles & KEY_WORD != 0 => Token,
        // `address_1`, `phone2`, `email_primary`, `iban_number`.
        Unknown | Id | Place => match qualified {
            Some(found @ (Phone | Email | Ssn | NationalId | Card | Iban | Ip))
                if last.roles & COUNT_WORD == 0 =>
            {
                found
            }
            Some(found @ (Address | Person | Name)) if last.class == Unknown => found,
            _ => last.class,
        },
        Token if roles & PAGE_WORD != 0 => Id,
        other => other,
    }
}

/// The words of a key.
fn split(key: &str) -> impl Iterator<Item = &str> {
    let mut rest = key;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len();
        let mut previous = None;
        for (at, character) in rest.char_indices() {
            let border = match previous {
                None => false,
                Some(before) if !character.is_alphanumeric() && character != '\'' => before != ' ',
                Some(before) => {
                    let next_lower = rest
                        .get(at + character.len_utf8()..)
                        .and_then(|r| r.chars().next())
                        .is_some_and(char::is_lowercase);
                    character.is_uppercase()
                        && (char::is_lowercase(before) || (before.is_uppercase() && next_lower))
                        || character.is_ascii_digit() != before.is_ascii_digit()
                }
            };
            if border {
                end = at;
                break;
            }
            previous = Some(character);
        }
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// The hash of the folded, joined form that keys are compared by.
pub(crate) fn folded_hash(key: &str) -> u64 {
    let mut joined = Hasher::new();
    key.chars().filter(|c| c.is_alphanumeric()).for_each(|c| joined.folded(c));
    joined.finish()
}

#[cfg(test)]
mod tests {
    use super::KeyClass::{Birth, Password, Version};
    use super::*;

    fn class(key: &str) -> KeyClass {
        classify(key, &|_| false)
    }

    #[test]
    fn keys_in_many_styles_and_languages_are_understood() {
        for (key, expected) in [
            ("email", Email),
            ("contact_name", Person),
            ("fullName", Person),
            ("Company", Org),
            ("first-name", Person),
            ("nom", Name),
            ("apellido", Person),
            ("Ansprechpartner", Person),
            ("firma", Org),
            ("telefon", Phone),
            ("adresse", Address),
            ("owner.name", Person),
            ("work_phone_number", Phone),
            ("billingAddress", Address),
            ("AccountName", Org),
            ("API_KEY", Token),
            ("awsSecretAccessKey", Password),
            ("stripe_api_key", Token),
            ("DATABASE_PASSWORD", Password),
            ("date_of_birth", Birth),
            ("Telefonnummer", Phone),
            ("customerPhone1", Phone),
            ("userEmail", Email),
            ("PGPASSWORD", Password),
            ("chaveApi", Token),
            ("nomeFantasia", Org),
            ("osobaKontaktowa", Person),
        ] {
            assert_eq!(class(key), expected, "{key}");
        }
    }

    #[test]
    fn keys_of_things_are_no_people() {
        for (key, expected) in [
            ("product_name", Thing),
            ("fileName", Id),
            ("repo_name", Thing),
            ("tool name", Thing),
            ("column_name", Thing),
            ("user_id", Login),
            ("next_page_token", Id),
            ("max_tokens", Id),
            ("username", Login),
            ("agent_version", Version),
            ("customer_id", Id),
            ("company_id", Id),
            ("key", Unknown),
        ] {
            assert_eq!(class(key), expected, "{key}");
        }
    }
}
