//! Public keys.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::fmt;

use sha2::{Digest, Sha256};

use super::{Algorithm, Kept, MAX_PEM_LEN, Verifier, invalid, met, pem, spki};
use crate::base64;
use crate::error::Result;
use crate::json;

/// A public key that was checked: it is not weak and has its one canonical encoding. Cloning shares it.
#[derive(Clone)]
pub struct PublicKey(Arc<Inner>);

struct Inner {
    algorithm: Algorithm,
    raw: Vec<u8>,
    thumbprint: [u8; 32],
    key_id: String,
    verifier: Box<dyn Verifier>,
}

impl PublicKey {
    /// Reads a raw public key: 32 bytes (RFC 8032) or 2592 bytes (FIPS 204).
    ///
    /// Errors: `InvalidKey` for another length or an encoding that is not canonical,
    /// `WeakPublicKey` for an Ed25519 point of small order or an ML-DSA key whose t1 is zero.
    pub fn from_raw(algorithm: Algorithm, raw: &[u8]) -> Result<Self> {
        if let Some(key) = met::find(algorithm, raw) {
            return Ok(key);
        }
        let verifier = algorithm.scheme().verifier(raw)?;
        let thumbprint: [u8; 32] = Sha256::digest(jwk(algorithm, raw).as_bytes()).into();
        let key_id = base64::encode_url(&thumbprint);
        Ok(Self(Arc::new(Inner { algorithm, raw: raw.to_vec(), thumbprint, key_id, verifier })))
    }

    /// Reads a SubjectPublicKeyInfo in DER (RFC 8410, RFC 9881).
    ///
    /// Errors: `InvalidKey` for anything but the exact encoding of a supported key, and those
    /// of [`from_raw`](Self::from_raw).
    pub fn from_spki_der(der: &[u8]) -> Result<Self> {
        let (algorithm, raw) = spki::decode(der)?;
        Self::from_raw(algorithm, raw)
    }

    /// Reads a `PUBLIC KEY` PEM block (RFC 7468).
    ///
    /// Errors: those of [`from_spki_der`](Self::from_spki_der), `InvalidKey` for another block.
    pub fn from_spki_pem(text: &str) -> Result<Self> {
        let (label, der) = pem::decode(text)?;
        if label != pem::PUBLIC_LABEL {
            return Err(invalid("The PEM block is not a PUBLIC KEY block."));
        }
        Self::from_spki_der(&der)
    }

    /// Reads a key that is SPKI PEM, SPKI DER or raw bytes, and must be of the given algorithm
    /// (protocol, section 4).
    ///
    /// Errors: `InvalidKey` also where the key is of another algorithm, `WeakPublicKey`.
    pub fn from_any(bytes: &[u8], algorithm: Algorithm) -> Result<Self> {
        if bytes.len() > MAX_PEM_LEN {
            return Err(invalid(format!("The public key has more than {MAX_PEM_LEN} bytes.")));
        }
        // No SPKI is as short as a raw key of its algorithm, and no PEM is as short as its SPKI.
        if bytes.len() == algorithm.public_len() {
            return Self::from_raw(algorithm, bytes);
        }
        let key = match core::str::from_utf8(bytes) {
            Ok(text) if text.contains("-----BEGIN ") => Self::from_spki_pem(text)?,
            _ => Self::from_spki_der(bytes)?,
        };
        if key.algorithm() != algorithm {
            return Err(invalid("The key does not have the named algorithm."));
        }
        Ok(key)
    }

    /// The algorithm of the key.
    pub fn algorithm(&self) -> Algorithm {
        self.0.algorithm
    }

    /// The SHA-256 thumbprint (RFC 7638) of the public JWK, base64url without padding.
    pub fn key_id(&self) -> &str {
        &self.0.key_id
    }

    /// The raw public key.
    pub fn to_raw(&self) -> &[u8] {
        &self.0.raw
    }

    /// The SubjectPublicKeyInfo in DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        [self.0.algorithm.scheme().spki_prefix(), &self.0.raw].concat()
    }

    /// The SubjectPublicKeyInfo as a PEM block of 64 columns with LF line ends, as `openssl`
    /// writes it.
    pub fn to_spki_pem(&self) -> String {
        pem::encode(pem::PUBLIC_LABEL, &self.to_spki_der())
    }

    /// The JWK with the required members alone, in canonical JSON: OKP (RFC 8037: `crv`, `kty`,
    /// `x`) or AKP (RFC 9964: `alg`, `kty`, `pub`).
    pub fn to_jwk(&self) -> String {
        jwk(self.0.algorithm, &self.0.raw)
    }

    /// `{algorithm, keyId, pem}`, as JSON.
    pub fn to_json(&self) -> String {
        json::texts(&[
            ("algorithm", Some(self.algorithm().name())),
            ("keyId", Some(self.key_id())),
            ("pem", Some(&self.to_spki_pem())),
        ])
    }

    /// Whether `signature` is one over exactly these bytes by this key. A signature of another
    /// length is false. Ed25519 is strict: canonical R, S < L, no point of small order.
    ///
    /// A key by which several signatures were right is kept with what verification derives from it; see
    /// [`bound_kept`](super::bound_kept).
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let verifier = &self.0.verifier;
        let confirmed = match met::kept(self) {
            Some(kept) => kept.confirms(message, signature),
            None => verifier.confirms(message, signature),
        };
        let is_right = confirmed || verifier.decides(message, signature);
        if is_right {
            met::count(self);
        }
        is_right
    }

    pub(super) fn thumbprint(&self) -> &[u8; 32] {
        &self.0.thumbprint
    }

    pub(super) fn worth_keeping(&self) -> u32 {
        self.0.algorithm.scheme().worth_keeping()
    }

    /// Bytes that keeping the key takes, the key itself among them: whoever keeps it keeps it from being freed.
    pub(super) fn kept_len(&self) -> usize {
        let Inner { algorithm, raw, key_id, .. } = &*self.0;
        let own = size_of::<Inner>().saturating_add(raw.len()).saturating_add(key_id.len());
        algorithm.scheme().kept_len().saturating_add(own)
    }

    pub(super) fn keep(&self) -> Option<Arc<dyn Kept>> {
        self.0.verifier.keep()
    }
}

#[cfg(test)]
impl PublicKey {
    /// The same key under a name that was made up.
    pub(super) fn with_thumbprint(&self, name: &[u8]) -> Self {
        let Inner { algorithm, raw, key_id, .. } = &*self.0;
        let verifier = algorithm.scheme().verifier(raw).unwrap();
        let thumbprint = Sha256::digest(name).into();
        Self(Arc::new(Inner {
            algorithm: *algorithm,
            raw: raw.clone(),
            thumbprint,
            key_id: key_id.clone(),
            verifier,
        }))
    }
}

fn jwk(algorithm: Algorithm, raw: &[u8]) -> String {
    algorithm.scheme().jwk(&base64::encode_url(raw))
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.algorithm == other.0.algorithm && self.0.raw == other.0.raw
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({} {})", self.0.algorithm.name(), self.0.key_id)
    }
}
