//! ML-DSA-87 (FIPS 204) by the crate `fips204`, in the encodings of RFC 9881.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use fips204::{
    ml_dsa_87::{self as fips, KG, PK_LEN, SIG_LEN, SK_LEN},
    traits::{KeyGen, SerDes, Signer as _, Verifier as _},
};
use sx_confirm::mldsa87 as quick;
use zeroize::Zeroizing;

use super::der::{self, OCTET_STRING, SEQUENCE};
use super::{Kept, KeyPair, SEED_LEN, Scheme, Signer, Verifier, invalid, join_secret};
use crate::error::{Code, Error, Result};

const OID: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x03\x13"; // 2.16.840.1.101.3.4.3.19
const SPKI_PREFIX: [u8; 22] =
    *b"\x30\x82\x0a\x32\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13\x03\x82\x0a\x21\x00";
const PKCS8_SEED_PREFIX: [u8; 22] =
    *b"\x30\x34\x02\x01\x00\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13\x04\x22\x80\x20";
const PKCS8_EXPANDED_PREFIX: [u8; 28] =
    *b"\x30\x82\x13\x38\x02\x01\x00\x30\x0b\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x13\x04\x82\x13\x24\x04\x82\x13\x20";

/// Tag of a private key that is a seed alone.
const SEED_FORM: u8 = 0x80;

/// Bytes of rho, which stands before t1 in a public key.
const RHO_LEN: usize = 32;

/// Longest context string that FIPS 204 allows.
const MAX_CONTEXT_LEN: usize = 255;

pub(super) struct MlDsa87;

impl Scheme for MlDsa87 {
    fn oid(&self) -> &'static [u8] {
        OID
    }

    fn public_len(&self) -> usize {
        PK_LEN
    }

    fn signature_len(&self) -> usize {
        SIG_LEN
    }

    fn spki_prefix(&self) -> &'static [u8] {
        &SPKI_PREFIX
    }

    fn jwk(&self, key: &str) -> String {
        format!(r#"{{"alg":"ML-DSA-87","kty":"AKP","pub":"{key}"}}"#)
    }

    fn worth_keeping(&self) -> u32 {
        2
    }

    fn kept_len(&self) -> usize {
        const { quick::Kept::BYTES + size_of::<VerifyingKey>() + PK_LEN }
    }

    fn verifier(&self, raw: &[u8]) -> Result<Box<dyn Verifier>> {
        let key = VerifyingKey::from_raw(raw)?;
        // With t1 = 0 a signature does not depend on the private key.
        if raw.iter().skip(RHO_LEN).all(|byte| *byte == 0) {
            return Err(Code::WeakPublicKey.into());
        }
        Ok(Box::new(key))
    }

    /// The form is decided by the tag (RFC 9881 section 6), not by the length.
    fn key_pair(&self, private_key: &[u8]) -> Result<KeyPair> {
        let malformed = || invalid("The ML-DSA private key is not in an RFC 9881 format.");
        match private_key.first() {
            Some(&SEED_FORM) => {
                let seed = der::read_all(private_key, |elements| elements.read(SEED_FORM));
                Ok(self.key_pair_from_seed(seed_of(seed.ok_or_else(malformed)?)?))
            }
            Some(&SEQUENCE) => {
                let both = der::read_all(private_key, |elements| {
                    elements.sequence(|both| Some((both.read(OCTET_STRING)?, both.read(OCTET_STRING)?)))
                });
                let (seed, expanded) = both.ok_or_else(malformed)?;
                let (key, public) = SigningKey::derive(seed_of(seed)?);
                if key.to_expanded().as_slice() != expanded {
                    return Err(Code::KeyMismatch.into());
                }
                Ok((Box::new(key), public))
            }
            _ => {
                let expanded = der::read_all(private_key, |elements| elements.read(OCTET_STRING));
                let (key, public) = SigningKey::expand(expanded.ok_or_else(malformed)?)?;
                Ok((Box::new(key), public))
            }
        }
    }

    fn key_pair_from_seed(&self, seed: &[u8; SEED_LEN]) -> KeyPair {
        let (key, public) = SigningKey::derive(seed);
        (Box::new(key), public)
    }
}

fn apart() -> Error {
    invalid("The parts of the ML-DSA private key do not match.")
}

fn seed_of(bytes: &[u8]) -> Result<&[u8; SEED_LEN]> {
    bytes.try_into().map_err(|_| invalid("The ML-DSA seed does not have 32 bytes."))
}

/// A raw public key, weak or not. The context is always empty outside of test vectors.
pub(super) struct VerifyingKey(Box<[u8; PK_LEN]>);

impl VerifyingKey {
    /// A raw public key of the right length; every one can be expanded.
    pub(super) fn from_raw(raw: &[u8]) -> Result<Self> {
        let raw =
            raw.try_into().map_err(|_| invalid("The ML-DSA-87 public key does not have 2592 bytes."))?;
        Ok(Self(Box::new(raw)))
    }

    pub(super) fn confirms_in_context(&self, message: &[u8], signature: &[u8], context: &[u8]) -> bool {
        quick::confirms(&self.0, message, signature, context)
    }

    pub(super) fn decides_in_context(&self, message: &[u8], signature: &[u8], context: &[u8]) -> bool {
        let key = fips::PublicKey::try_from_bytes(*self.0);
        let signature = <&[u8; SIG_LEN]>::try_from(signature);
        matches!((key, signature), (Ok(key), Ok(signature)) if key.verify(message, signature, context))
    }

    pub(super) fn verify_in_context(&self, message: &[u8], signature: &[u8], context: &[u8]) -> bool {
        self.confirms_in_context(message, signature, context)
            || self.decides_in_context(message, signature, context)
    }
}

impl Verifier for VerifyingKey {
    fn confirms(&self, message: &[u8], signature: &[u8]) -> bool {
        self.confirms_in_context(message, signature, b"")
    }

    fn decides(&self, message: &[u8], signature: &[u8]) -> bool {
        self.decides_in_context(message, signature, b"")
    }

    fn keep(&self) -> Option<Arc<dyn Kept>> {
        Some(Arc::new(quick::Kept::new(&self.0)))
    }
}

impl Kept for quick::Kept {
    fn confirms(&self, message: &[u8], signature: &[u8]) -> bool {
        self.confirms(message, signature, b"")
    }
}

/// A private key with s1, s2 and t0 in NTT form.
pub(super) struct SigningKey {
    key: fips::PrivateKey,
    origin: Origin,
}

/// What a private key was made from.
enum Origin {
    Seed(Zeroizing<[u8; SEED_LEN]>),
    /// The expanded key alone. Nothing proves that its parts belong together, so every
    /// signature is verified before it is given out.
    Expanded(Box<VerifyingKey>),
}

impl SigningKey {
    /// The private key of a seed, and its raw public key.
    pub(super) fn derive(seed: &[u8; SEED_LEN]) -> (Self, Vec<u8>) {
        let (public, key) = KG::keygen_from_seed(seed);
        (Self { key, origin: Origin::Seed(Zeroizing::new(*seed)) }, public.into_bytes().to_vec())
    }

    /// Expands a private key without a seed, and derives its raw public key. Coefficients of s1
    /// and s2 out of range are refused, and so is a key that does not sign for its public key.
    pub(super) fn expand(expanded: &[u8]) -> Result<(Self, Vec<u8>)> {
        let bytes: &[u8; SK_LEN] = expanded
            .try_into()
            .map_err(|_| invalid("The expanded ML-DSA-87 private key does not have 4896 bytes."))?;
        let key = fips::PrivateKey::try_from_bytes(*bytes)
            .map_err(|_| invalid("The ML-DSA private key has coefficients out of range."))?;
        // Expanded anew: get_public_key copies the hash of the public key unchecked.
        let public = key.get_public_key().into_bytes();
        let key = Self { key, origin: Origin::Expanded(Box::new(VerifyingKey::from_raw(&public)?)) };
        key.sign_in_context(b"", &[0; 32], b"").map_err(|_| apart())?;
        Ok((key, public.to_vec()))
    }

    pub(super) fn sign_in_context(&self, message: &[u8], rnd: &[u8; 32], context: &[u8]) -> Result<Vec<u8>> {
        if context.len() > MAX_CONTEXT_LEN {
            return Err(Error::new(Code::InvalidOption, "The context is longer than 255 bytes."));
        }
        let signature = self.key.try_sign_with_seed(rnd, message, context);
        let signature = signature.map_err(|found| Error::new(Code::Internal, found))?.to_vec();
        match &self.origin {
            Origin::Expanded(public) if !public.verify_in_context(message, &signature, context) => {
                Err(apart())
            }
            _ => Ok(signature),
        }
    }

    fn to_expanded(&self) -> Zeroizing<[u8; SK_LEN]> {
        Zeroizing::new(self.key.clone().into_bytes())
    }
}

impl Signer for SigningKey {
    fn sign(&self, message: &[u8], hedge: &[u8; 32]) -> Result<Vec<u8>> {
        self.sign_in_context(message, hedge, b"")
    }

    fn to_pkcs8(&self) -> Zeroizing<Vec<u8>> {
        match &self.origin {
            Origin::Seed(seed) => join_secret(&PKCS8_SEED_PREFIX, seed.as_slice()),
            Origin::Expanded(_) => join_secret(&PKCS8_EXPANDED_PREFIX, self.to_expanded().as_slice()),
        }
    }
}
