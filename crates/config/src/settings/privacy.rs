//! How personal data is treated.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tidegate_model::{DataType, Decision};

/// How personal data is kept from the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privacy {
    /// Where it is replaced by tokens.
    pub mode: PrivacyMode,
    /// The types that are detected.
    pub types: Vec<DataType>,
    /// Regular expressions for further personal data.
    pub patterns: Vec<String>,
    /// Keys whose values are personal.
    pub keys: Vec<String>,
    /// Terms that are personal.
    pub terms: Vec<String>,
    /// Exceptions that are never personal: text, or `regex:…`.
    pub exclude: Vec<String>,
    /// The types that servers may receive for tokens; `*` is every server that is not named.
    pub receive: BTreeMap<String, BTreeSet<DataType>>,
    /// How images and other content that cannot be searched are handled.
    pub binary: BinaryContent,
    /// Whether the model may restore real values from tokens.
    pub restore: Decision,
    /// How long a token can be restored.
    pub expires: Duration,
}

impl Privacy {
    /// Whether a server may receive values of this type for tokens.
    pub fn may_receive(&self, server: &str, data_type: DataType) -> bool {
        self.received(server).is_none_or(|types| types.contains(&data_type))
    }

    /// The types that a server may receive, if they are limited.
    pub fn received(&self, server: &str) -> Option<&BTreeSet<DataType>> {
        self.receive.get(server).or_else(|| self.receive.get("*"))
    }
}

impl Default for Privacy {
    fn default() -> Self {
        Self {
            mode: PrivacyMode::Boundary,
            types: DataType::ALL.to_vec(),
            patterns: Vec::new(),
            keys: Vec::new(),
            terms: Vec::new(),
            exclude: Vec::new(),
            receive: BTreeMap::new(),
            binary: BinaryContent::Handle,
            restore: Decision::Ask,
            // Chosen: a working day; work that continues the next day gets new tokens.
            expires: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// How images and other content that cannot be searched for personal data are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryContent {
    /// It is stored, and the model gets its handle.
    #[default]
    Handle,
    /// The model gets it.
    Pass,
}

impl BinaryContent {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Handle, Self::Pass];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Handle => "handle",
            Self::Pass => "pass",
        }
    }
}

/// Where personal data is replaced by tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivacyMode {
    /// Nowhere.
    Off,
    /// On its way to the model; programs see real values.
    #[default]
    Boundary,
    /// Before programs see it.
    Strict,
}

impl PrivacyMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Off, Self::Boundary, Self::Strict];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Boundary => "boundary",
            Self::Strict => "strict",
        }
    }
}
