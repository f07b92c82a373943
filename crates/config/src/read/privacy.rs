//! Reads `[privacy]`.

use std::collections::BTreeSet;

use tidegate_model::{DataType, Decision, did_you_mean};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::privacy::{PRIVACY, PrivacyKey, TYPES};
use crate::read::node::Entry;
use crate::read::raw::RawText;
use crate::read::reader::{Reader, Unknown};
use crate::read::value::Reading;
use crate::settings::privacy::{BinaryContent, PrivacyMode};

impl<'a> Reader<'a> {
    pub(super) fn privacy(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `privacy`";
        for (key, entry) in self.known(PRIVACY, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let texts = |reading: &Reading<'_>| -> Result<Vec<String>, ConfigError> {
                let written = reading.text_list()?;
                Ok(written.into_iter().map(|one| one.text.expose().clone()).collect())
            };
            match key.id {
                PrivacyKey::Mode => {
                    let modes = PrivacyMode::ALL.map(|mode| (mode.as_str(), mode));
                    self.raw.privacy.mode = reading.one_of(&modes)?;
                }
                PrivacyKey::Types => {
                    let types = DataType::ALL.map(|one| (one.as_str(), one));
                    self.raw.privacy.types = reading.some_of(&types)?;
                }
                PrivacyKey::Patterns => self.raw.privacy.patterns = texts(&reading)?,
                PrivacyKey::Keys => self.raw.privacy.keys = texts(&reading)?,
                PrivacyKey::Terms => self.raw.privacy.terms = texts(&reading)?,
                PrivacyKey::Exclude => self.raw.privacy.exclude = texts(&reading)?,
                PrivacyKey::Receive => {
                    for (server, types) in reading.texts_map()? {
                        let types = self.types_of(&types)?;
                        self.raw.privacy.receive.insert(server, types);
                    }
                }
                PrivacyKey::Binary => {
                    let words = BinaryContent::ALL.map(|word| (word.as_str(), word));
                    self.raw.privacy.binary = reading.one_of(&words)?;
                }
                PrivacyKey::Restore => {
                    let words = Decision::ALL.map(|word| (word.as_str(), word));
                    self.raw.privacy.restore = reading.one_of(&words)?;
                }
                PrivacyKey::Expires => self.raw.privacy.expires = reading.duration()?,
            }
        }
        Ok(())
    }

    fn types_of(&self, written: &[RawText]) -> Result<BTreeSet<DataType>, ConfigError> {
        let mut types = BTreeSet::new();
        for one in written {
            let word = one.text.expose();
            if word == "none" && written.len() == 1 {
                continue;
            }
            let found = DataType::ALL.into_iter().find(|data_type| data_type.as_str() == word);
            types.insert(found.ok_or_else(|| {
                let message = format!("{} is not a type of personal data", one.label);
                let hint = match did_you_mean(word, TYPES.iter().copied()) {
                    Some(near) => near,
                    None => format!("there are `{}`", TYPES.join("`, `")),
                };
                let kind = ConfigErrorKind::BadValue;
                self.source.error(kind, one.offset, message).with_hint(hint)
            })?);
        }
        Ok(types)
    }
}
