//! Ed25519 (RFC 8032) with strict verification, in the encodings of RFC 8410.

mod signing;

use alloc::{boxed::Box, format, string::String, vec::Vec};

use ed25519_dalek::{PUBLIC_KEY_LENGTH, SIGNATURE_LENGTH, Signature, VerifyingKey};
use zeroize::Zeroizing;

use super::der::{self, OCTET_STRING};
use super::{KeyPair, SEED_LEN, Scheme, Signer, Verifier, invalid, join_secret};
use crate::error::{Code, Result};
use signing::SigningKey;

const OID: &[u8] = b"\x2b\x65\x70"; // 1.3.101.112
const SPKI_PREFIX: [u8; 12] = *b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
const PKCS8_PREFIX: [u8; 16] = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

pub(super) struct Ed25519;

impl Scheme for Ed25519 {
    fn oid(&self) -> &'static [u8] {
        OID
    }

    fn public_len(&self) -> usize {
        PUBLIC_KEY_LENGTH
    }

    fn signature_len(&self) -> usize {
        SIGNATURE_LENGTH
    }

    fn spki_prefix(&self) -> &'static [u8] {
        &SPKI_PREFIX
    }

    fn jwk(&self, key: &str) -> String {
        format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{key}"}}"#)
    }

    fn verifier(&self, raw: &[u8]) -> Result<Box<dyn Verifier>> {
        let raw: &[u8; PUBLIC_KEY_LENGTH] =
            raw.try_into().map_err(|_| invalid("An Ed25519 public key has 32 bytes."))?;
        let key = VerifyingKey::from_bytes(raw)
            .map_err(|_| invalid("The Ed25519 public key is not a point of the curve."))?;
        if key.is_weak() {
            return Err(Code::WeakPublicKey.into());
        }
        // from_bytes takes y modulo p, so a point can have a second encoding.
        if key.to_edwards().compress().as_bytes() != raw {
            return Err(invalid("The Ed25519 public key is not encoded canonically."));
        }
        Ok(Box::new(key))
    }

    fn key_pair(&self, private_key: &[u8]) -> Result<KeyPair> {
        let seed = der::read_all(private_key, |elements| elements.read(OCTET_STRING));
        let seed = seed.and_then(|seed| <&[u8; SEED_LEN]>::try_from(seed).ok());
        let seed = seed.ok_or_else(|| invalid("An Ed25519 private key has a seed of 32 bytes."))?;
        Ok(self.key_pair_from_seed(seed))
    }

    fn key_pair_from_seed(&self, seed: &[u8; SEED_LEN]) -> KeyPair {
        let key = SigningKey::from_seed(seed);
        let public = key.public().to_vec();
        (Box::new(key), public)
    }
}

impl Verifier for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.verify_strict(message, &signature).is_ok())
    }
}

impl Signer for SigningKey {
    fn sign(&self, message: &[u8], _hedge: &[u8; 32]) -> Result<Vec<u8>> {
        Ok(self.sign(message).to_vec())
    }

    fn to_pkcs8(&self) -> Zeroizing<Vec<u8>> {
        join_secret(&PKCS8_PREFIX, self.seed())
    }
}
