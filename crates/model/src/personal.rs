//! The types of personal data, with their names in reports and in tokens.

use serde::{Deserialize, Serialize};

/// A type of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DataType {
    /// An email address.
    Email,
    /// A telephone number.
    Phone,
    /// A social security number of the United States.
    Ssn,
    /// An identity, tax or insurance number of any other country.
    NationalId,
    /// The number of a payment card.
    CreditCard,
    /// An international bank account number.
    Iban,
    /// An IPv4 or IPv6 address.
    IpAddress,
    /// The name of a person.
    Person,
    /// The name of a company or another organisation.
    Org,
    /// A postal address.
    Address,
    /// A date of birth.
    BirthDate,
    /// A key, password, token or other secret.
    Secret,
    /// A match of a user's rule.
    Custom,
}

impl DataType {
    /// Every type, in the order of reports.
    pub const ALL: [Self; 13] = [
        Self::Email,
        Self::Phone,
        Self::Ssn,
        Self::NationalId,
        Self::CreditCard,
        Self::Iban,
        Self::IpAddress,
        Self::Person,
        Self::Org,
        Self::Address,
        Self::BirthDate,
        Self::Secret,
        Self::Custom,
    ];

    /// Its name in reports and configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "EMAIL",
            Self::Phone => "PHONE",
            Self::Ssn => "SSN",
            Self::NationalId => "NATIONAL_ID",
            Self::CreditCard => "CREDIT_CARD",
            Self::Iban => "IBAN",
            Self::IpAddress => "IP_ADDRESS",
            Self::Person => "PERSON",
            Self::Org => "ORG",
            Self::Address => "ADDRESS",
            Self::BirthDate => "BIRTH_DATE",
            Self::Secret => "SECRET",
            Self::Custom => "CUSTOM",
        }
    }

    /// Its name in a token such as `[NAME_1]`: the words that models understand best.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Person => "NAME",
            Self::Org => "COMPANY",
            other => other.as_str(),
        }
    }

    /// The type and number of a token that is written like `[EMAIL_1]`, in any case.
    pub fn of_token(token: &str) -> Option<(Self, u32)> {
        let (label, number) = token.strip_prefix('[')?.strip_suffix(']')?.rsplit_once('_')?;
        let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        let number = number.parse().ok().filter(|_| plain)?;
        let data_type = Self::ALL.into_iter().find(|one| one.label().eq_ignore_ascii_case(label));
        data_type.map(|data_type| (data_type, number))
    }

    /// The type of a label.
    pub fn of_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data_type| data_type.label() == label)
    }
}
