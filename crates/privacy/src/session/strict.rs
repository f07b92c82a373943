//! Answers questions about a token without revealing its value.
//!
//! For strict mode, where programs see only tokens. Each answer reveals something, but no
//! more than it says: a domain, whether two values are the same, a few characters.

use tidegate_model::DataType;

use super::canonical::canonical;
use super::{RestoreError, SessionValues, Token};

impl SessionValues {
    /// The domain of an email address, in lower case; `None` for other types. The domain
    /// of a small company or of a family is almost a name: policy decides who may ask.
    pub fn domain(&self, token: Token) -> Result<Option<String>, RestoreError> {
        let value = self.known_value(token)?;
        if token.data_type != DataType::Email {
            return Ok(None);
        }
        let form = canonical(token.data_type, value);
        Ok(form.rsplit_once('@').map(|(_, domain)| domain.to_owned()))
    }

    /// Whether two tokens stand for the same value: their types and canonical forms are
    /// equal.
    pub fn equals(&self, a: Token, b: Token) -> Result<bool, RestoreError> {
        let (first, second) = (self.known_value(a)?, self.known_value(b)?);
        Ok(a.data_type == b.data_type
            && canonical(a.data_type, first) == canonical(b.data_type, second))
    }

    /// Whether a token stands for this value, in any of its spellings.
    pub fn is_value(&self, token: Token, value: &str) -> Result<bool, RestoreError> {
        let known = canonical(token.data_type, self.known_value(token)?);
        Ok(known == canonical(token.data_type, value))
    }

    /// The value with most of it hidden. The number of stars does not depend on its length.
    pub fn mask(&self, token: Token) -> Result<String, RestoreError> {
        let value = self.known_value(token)?;
        let form = canonical(token.data_type, value);
        Ok(match token.data_type {
            DataType::Email => mask_email(&form),
            DataType::CreditCard | DataType::Ssn => format!("***{}", last(&form, 4)),
            DataType::Phone | DataType::NationalId => format!("***{}", last(&form, 2)),
            DataType::Iban => format!("{}***{}", first(&form, 2), last(&form, 4)),
            DataType::Person | DataType::Org => mask_words(value),
            DataType::IpAddress
            | DataType::Address
            | DataType::BirthDate
            | DataType::Secret
            | DataType::Custom => "***".to_owned(),
        })
    }

    fn known_value(&self, token: Token) -> Result<&str, RestoreError> {
        self.value_of(token).ok_or_else(|| RestoreError::Unknown(vec![token]))
    }
}

/// `a***@e***.com`
fn mask_email(form: &str) -> String {
    let Some((local, domain)) = form.rsplit_once('@') else { return "***".to_owned() };
    let (name, end) = match domain.rsplit_once('.') {
        Some((name, end)) => (name, format!(".{end}")),
        None => (domain, String::new()),
    };
    format!("{}***@{}***{end}", first(local, 1), first(name, 1))
}

/// `J*** D***`
fn mask_words(value: &str) -> String {
    let words: Vec<String> =
        value.split_whitespace().map(|word| format!("{}***", first(word, 1))).collect();
    words.join(" ")
}

fn first(text: &str, count: usize) -> String {
    // For a short text, this would be most of it.
    if text.chars().count() <= count { String::new() } else { text.chars().take(count).collect() }
}

fn last(text: &str, count: usize) -> String {
    let all: Vec<char> = text.chars().collect();
    // At least twice as much stays hidden.
    if all.len() < 3 * count { String::new() } else { all[all.len() - count..].iter().collect() }
}

#[cfg(test)]
mod tests {
    use tidegate_model::{DataType, Secret};

    use super::super::{RestoreError, SessionValues, Token};

    fn token(data_type: DataType, number: u32) -> Token {
        Token { data_type, number }
    }

    fn session(values: &[(DataType, &str)]) -> SessionValues {
        let mut session = SessionValues::default();
        let tokens = values.iter().zip(1..).map(|((data_type, value), number)| {
            (token(*data_type, number), Secret::new((*value).to_owned()))
        });
        session.load(tokens, []);
        session
    }

    #[test]
    fn a_mask_shows_little_of_a_value() {
        for (data_type, value, mask) in [
            (DataType::Email, "Anna.Schmidt@Example.com", "a***@e***.com"),
            (DataType::Email, "a@b.c", "***@***.c"),
            (DataType::CreditCard, "4111 1111 1111 1234", "***1234"),
            (DataType::Ssn, "123-45-6789", "***"),
            (DataType::Phone, "+49 30 123456", "***56"),
            (DataType::Iban, "DE89 3704 0044 0532 0130 00", "DE***3000"),
            (DataType::Person, "Jane van Doe", "J*** v*** D***"),
            (DataType::Secret, "hunter2", "***"),
        ] {
            assert_eq!(session(&[(data_type, value)]).mask(token(data_type, 1)).unwrap(), mask);
        }
    }

    #[test]
    fn the_domain_of_an_email_can_be_asked_for() {
        let session =
            session(&[(DataType::Email, "Anna@Mail.Example.com"), (DataType::Person, "Anna")]);
        let domain = session.domain(token(DataType::Email, 1)).unwrap();
        assert_eq!(domain.as_deref(), Some("mail.example.com"));
        assert_eq!(session.domain(token(DataType::Person, 2)).unwrap(), None);
        let unknown = token(DataType::Email, 9);
        assert_eq!(session.domain(unknown), Err(RestoreError::Unknown(vec![unknown])));
    }

    #[test]
    fn tokens_are_equal_if_their_values_are() {
        let session = session(&[
            (DataType::Email, "anna@x.org"),
            (DataType::Email, "Anna@X.org"),
            (DataType::Email, "otto@x.org"),
        ]);
        let email = |number| token(DataType::Email, number);
        assert_eq!(session.equals(email(1), email(1)), Ok(true));
        assert_eq!(session.equals(email(1), email(2)), Ok(true));
        assert_eq!(session.equals(email(1), email(3)), Ok(false));
        assert_eq!(session.equals(email(4), email(1)), Err(RestoreError::Unknown(vec![email(4)])));
    }
}
