//! Seals texts that are stored outside of the vault's own tables.
//!
//! In: a text and its place. Out: bytes that open only with the same key and in the same
//! place. Each purpose has its own key, derived from the vault's: a text that was sealed
//! for one purpose cannot be passed off as another's.

use chacha20poly1305::{KeyInit, XChaCha20Poly1305};

use super::VaultKey;
use super::cipher::{NONCE_BYTES, Sealed, derive, open, seal};
use crate::StoreError;

/// The vault's key in use for one purpose.
pub(crate) struct TextSeal {
    aead: XChaCha20Poly1305,
}

impl TextSeal {
    /// `purpose` is the label that the key is derived with; no two uses share one.
    pub(crate) fn new(key: &VaultKey, purpose: &str) -> Self {
        Self { aead: XChaCha20Poly1305::new((&*derive(key, purpose)).into()) }
    }

    /// The nonce, followed by the sealed text.
    pub(crate) fn seal(&self, place: &str, text: &str) -> Result<Vec<u8>, StoreError> {
        let Sealed { nonce, bytes } = seal(&self.aead, place.as_bytes(), text.as_bytes())?;
        Ok([nonce.as_slice(), &bytes].concat())
    }

    /// `None` if the key or the place differs, or a byte was changed.
    pub(crate) fn open(&self, place: &str, sealed: &[u8]) -> Option<String> {
        let (nonce, bytes) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        String::from_utf8(open(&self.aead, place.as_bytes(), nonce, bytes)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::TextSeal;
    use crate::VaultKey;

    fn key() -> VaultKey {
        VaultKey::from_bytes([7; 32])
    }

    #[test]
    fn a_text_opens_in_its_place_with_its_key_and_purpose_only() {
        let texts = TextSeal::new(&key(), "test");
        let sealed = texts.seal("a", "answer").unwrap();
        assert_eq!(texts.open("a", &sealed).as_deref(), Some("answer"));
        assert_eq!(texts.open("b", &sealed), None);
        assert_eq!(TextSeal::new(&key(), "other").open("a", &sealed), None);
        let other = VaultKey::from_bytes([8; 32]);
        assert_eq!(TextSeal::new(&other, "test").open("a", &sealed), None);
    }

    #[test]
    fn a_text_of_which_any_byte_was_changed_or_cut_does_not_open() {
        let texts = TextSeal::new(&key(), "test");
        let sealed = texts.seal("a", "answer").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(texts.open("a", &changed), None);
            assert_eq!(texts.open("a", &sealed[..at]), None);
        }
    }

    #[test]
    fn the_same_text_looks_different_each_time() {
        let texts = TextSeal::new(&key(), "test");
        assert_ne!(texts.seal("a", "answer").unwrap(), texts.seal("a", "answer").unwrap());
        assert_eq!(texts.open("a", &texts.seal("a", "").unwrap()).as_deref(), Some(""));
    }
}
