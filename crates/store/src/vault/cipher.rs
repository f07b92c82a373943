//! Seals and opens the rows of the vault.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use tidegate_model::{DataType, Secret};
use zeroize::Zeroizing;

use super::{VaultEntry, VaultKey};
use crate::StoreError;

pub(super) const NONCE_BYTES: usize = 24;

/// A sealed value.
pub(super) struct Sealed {
    pub(super) nonce: [u8; NONCE_BYTES],
    pub(super) bytes: Vec<u8>,
}

/// The vault's key in use, as two keys: the one that seals must not also hash.
pub(super) struct Cipher {
    aead: XChaCha20Poly1305,
    hash_key: Zeroizing<[u8; 32]>,
}

impl Cipher {
    pub(super) fn new(key: &VaultKey) -> Self {
        let seal_key = derive(key, "tidegate vault: seal");
        Self {
            aead: XChaCha20Poly1305::new((&*seal_key).into()),
            hash_key: derive(key, "tidegate vault: hash"),
        }
    }

    /// Seals a value for its row.
    pub(super) fn seal(&self, session: &str, entry: &VaultEntry) -> Result<Sealed, StoreError> {
        let place = place(session, entry.data_type, entry.number);
        seal(&self.aead, &place, entry.value.expose().as_bytes())
    }

    /// Opens a row. `None` if the key differs or anything in the row was changed.
    pub(super) fn open(
        &self,
        session: &str,
        data_type: DataType,
        number: u32,
        nonce: &[u8],
        sealed: &[u8],
    ) -> Option<Secret<String>> {
        let place = place(session, data_type, number);
        let value = open(&self.aead, &place, nonce.try_into().ok()?, sealed)?;
        Some(Secret::new(String::from_utf8(value).ok()?))
    }

    /// The hash by which a value is found in its session, and nowhere else.
    pub(super) fn hash(&self, session: &str, data_type: DataType, canonical: &str) -> Vec<u8> {
        let mut text = place(session, data_type, 0);
        text.extend_from_slice(canonical.as_bytes());
        hmac(&self.hash_key, &text).to_vec()
    }
}

/// Seals bytes for a place, with a fresh nonce.
pub(super) fn seal(
    aead: &XChaCha20Poly1305,
    place: &[u8],
    bytes: &[u8],
) -> Result<Sealed, StoreError> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|_| StoreError::NoRandomness)?;
    let payload = Payload { msg: bytes, aad: place };
    let bytes =
        aead.encrypt(&XNonce::from(nonce), payload).map_err(|_| StoreError::TooLongForVault)?;
    Ok(Sealed { nonce, bytes })
}

/// Opens bytes that were sealed for a place.
pub(super) fn open(
    aead: &XChaCha20Poly1305,
    place: &[u8],
    nonce: &[u8; NONCE_BYTES],
    sealed: &[u8],
) -> Option<Vec<u8>> {
    let payload = Payload { msg: sealed, aad: place };
    aead.decrypt(&XNonce::from(*nonce), payload).ok()
}

/// A row's place, encoded so that no two places are equal: the length of the session's
/// name comes first.
fn place(session: &str, data_type: DataType, number: u32) -> Vec<u8> {
    let mut place = (session.len() as u64).to_le_bytes().to_vec();
    place.extend_from_slice(session.as_bytes());
    place.extend_from_slice(data_type.as_str().as_bytes());
    place.push(0);
    place.extend_from_slice(&number.to_le_bytes());
    place
}

pub(super) fn derive(key: &VaultKey, purpose: &str) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(hmac(key.expose(), purpose.as_bytes()))
}

fn hmac(key: &[u8; 32], text: &[u8]) -> [u8; 32] {
    // A key of 32 bytes fits into one block: it is used as it is.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    let mut hmac = <Hmac<Sha256> as Mac>::new(&block.into());
    zeroize::Zeroize::zeroize(&mut block);
    hmac.update(text);
    hmac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use tidegate_model::{DataType, Secret};

    use super::{Cipher, hmac};
    use crate::vault::{VaultEntry, VaultKey};

    fn entry(value: &str) -> VaultEntry {
        VaultEntry {
            data_type: DataType::Email,
            number: 1,
            value: Secret::new(value.to_owned()),
            canonical: Secret::new(value.to_owned()),
        }
    }

    #[test]
    fn a_row_opens_in_its_place_with_its_key_only() {
        let cipher = Cipher::new(&VaultKey::from_bytes([7; 32]));
        let sealed = cipher.seal("s1", &entry("jane@x.org")).unwrap();
        let open = |cipher: &Cipher, session, data_type, number| {
            let opened = cipher.open(session, data_type, number, &sealed.nonce, &sealed.bytes);
            opened.map(|value| value.expose().clone())
        };
        assert_eq!(open(&cipher, "s1", DataType::Email, 1).as_deref(), Some("jane@x.org"));
        assert_eq!(open(&cipher, "s2", DataType::Email, 1), None);
        assert_eq!(open(&cipher, "s1", DataType::Phone, 1), None);
        assert_eq!(open(&cipher, "s1", DataType::Email, 2), None);
        let other = Cipher::new(&VaultKey::from_bytes([8; 32]));
        assert_eq!(open(&other, "s1", DataType::Email, 1), None);
        for at in 0..sealed.bytes.len() {
            let mut changed = sealed.bytes.clone();
            changed[at] ^= 1;
            let opened = cipher.open("s1", DataType::Email, 1, &sealed.nonce, &changed);
            assert_eq!(opened, None);
        }
        assert_eq!(cipher.open("s1", DataType::Email, 1, &[], &sealed.bytes), None);
    }

    #[test]
    fn the_same_value_looks_different_in_every_row_and_session() {
        let cipher = Cipher::new(&VaultKey::from_bytes([7; 32]));
        let (first, second) =
            (cipher.seal("s1", &entry("a")).unwrap(), cipher.seal("s1", &entry("a")).unwrap());
        assert_ne!(first.nonce, second.nonce);
        assert_ne!(first.bytes, second.bytes);
        let hash = |session, data_type| cipher.hash(session, data_type, "a");
        assert_eq!(hash("s1", DataType::Email), hash("s1", DataType::Email));
        assert_ne!(hash("s1", DataType::Email), hash("s2", DataType::Email));
        assert_ne!(hash("s1", DataType::Email), hash("s1", DataType::Phone));
    }

    /// RFC 4231, test case 1, with its key of 20 bytes padded as in HMAC.
    #[test]
    fn the_hash_is_hmac_sha_256() {
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let hash = hmac(&key, b"Hi There");
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }
}
