//! Ed25519 (RFC 8032) with strict verification, in the encodings of RFC 8410.

mod signing;
#[cfg(test)]
mod tests;

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use curve25519_dalek::{
    EdwardsPoint, Scalar, constants::ED25519_BASEPOINT_POINT, edwards::CompressedEdwardsY,
    traits::VartimeMultiscalarMul as _,
};
use sx_confirm::ed25519 as quick;
use zeroize::Zeroizing;

use super::der::{self, OCTET_STRING};
use super::{Kept, KeyPair, SEED_LEN, Scheme, Signer, Verifier, invalid, join_secret};
use crate::error::{Code, Result};
use signing::{SigningKey, hash_to_scalar};

const PUBLIC_LEN: usize = 32;
const SIGNATURE_LEN: usize = 64;

const OID: &[u8] = b"\x2b\x65\x70"; // 1.3.101.112
const SPKI_PREFIX: [u8; 12] = *b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
const PKCS8_PREFIX: [u8; 16] = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

pub(super) struct Ed25519;

impl Scheme for Ed25519 {
    fn oid(&self) -> &'static [u8] {
        OID
    }

    fn public_len(&self) -> usize {
        PUBLIC_LEN
    }

    fn signature_len(&self) -> usize {
        SIGNATURE_LEN
    }

    fn spki_prefix(&self) -> &'static [u8] {
        &SPKI_PREFIX
    }

    fn jwk(&self, key: &str) -> String {
        format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{key}"}}"#)
    }

    fn worth_keeping(&self) -> u32 {
        9
    }

    fn kept_len(&self) -> usize {
        const { quick::Kept::BYTES + size_of::<VerifyingKey>() }
    }

    fn verifier(&self, raw: &[u8]) -> Result<Box<dyn Verifier>> {
        let raw = raw.try_into().map_err(|_| invalid("The Ed25519 public key does not have 32 bytes."))?;
        let quick = quick::Key::new(raw);
        if quick.is_none() {
            checked(raw)?;
        }
        Ok(Box::new(VerifyingKey { raw: *raw, quick }))
    }

    fn key_pair(&self, private_key: &[u8]) -> Result<KeyPair> {
        let seed = der::read_all(private_key, |elements| elements.read(OCTET_STRING));
        let seed = seed.and_then(|seed| <&[u8; SEED_LEN]>::try_from(seed).ok());
        let seed =
            seed.ok_or_else(|| invalid("The Ed25519 private key does not have a seed of 32 bytes."))?;
        Ok(self.key_pair_from_seed(seed))
    }

    fn key_pair_from_seed(&self, seed: &[u8; SEED_LEN]) -> KeyPair {
        let key = SigningKey::from_seed(seed);
        let public = key.public().to_vec();
        (Box::new(key), public)
    }
}

/// The point of a public key, in its one encoding and not of small order.
///
/// Errors: `InvalidKey`, `WeakPublicKey`.
fn checked(raw: &[u8; PUBLIC_LEN]) -> Result<EdwardsPoint> {
    let point = CompressedEdwardsY(*raw).decompress();
    let point = point.ok_or_else(|| invalid("The Ed25519 public key is not a point of the curve."))?;
    if point.is_small_order() {
        return Err(Code::WeakPublicKey.into());
    }
    // Decompression takes y modulo p, so a point can have a second encoding.
    if point.compress().as_bytes() != raw {
        return Err(invalid("The Ed25519 public key is not encoded canonically."));
    }
    Ok(point)
}

struct VerifyingKey {
    raw: [u8; PUBLIC_LEN],
    quick: Option<quick::Key>,
}

impl Verifier for VerifyingKey {
    fn confirms(&self, message: &[u8], signature: &[u8]) -> bool {
        self.quick.as_ref().is_some_and(|key| key.confirms(message, signature))
    }

    fn decides(&self, message: &[u8], signature: &[u8]) -> bool {
        is_signature(&self.raw, message, signature)
    }

    fn keep(&self) -> Option<Arc<dyn Kept>> {
        Some(Arc::new(self.quick.as_ref()?.keep()))
    }
}

impl Kept for quick::Kept {
    fn confirms(&self, message: &[u8], signature: &[u8]) -> bool {
        self.confirms(message, signature)
    }
}

/// RFC 8032 section 5.1.7 without the cofactor, with S < L, and R canonical and not of small order: what
/// `verify_strict` of `ed25519-dalek` checks, without the table of 7.5 KiB that it brings along. Tests compare the two on
/// keys and signatures that were made to have verifiers differ.
#[expect(clippy::arithmetic_side_effects, reason = "arithmetic modulo the order")]
fn is_signature(raw: &[u8; PUBLIC_LEN], message: &[u8], signature: &[u8]) -> bool {
    let check = || {
        let signature: &[u8; SIGNATURE_LEN] = signature.try_into().ok()?;
        let (commitment, response) = (signature.first_chunk::<32>()?, signature.last_chunk::<32>()?);
        let response = Option::<Scalar>::from(Scalar::from_canonical_bytes(*response))?;
        if CompressedEdwardsY(*commitment).decompress()?.is_small_order() {
            return None;
        }
        let key = checked(raw).ok()?;
        let challenge = hash_to_scalar(&[commitment, raw, message]);
        // The point is negated, and not the scalar: for a key with a part of small order [L - k]A is not -[k]A.
        let points = [ED25519_BASEPOINT_POINT, -key];
        let found = EdwardsPoint::vartime_multiscalar_mul([response, challenge], points);
        Some(found.compress().as_bytes() == commitment)
    };
    check().unwrap_or(false)
}

impl Signer for SigningKey {
    fn sign(&self, message: &[u8], _hedge: &[u8; 32]) -> Result<Vec<u8>> {
        Ok(self.sign(message).to_vec())
    }

    fn to_pkcs8(&self) -> Zeroizing<Vec<u8>> {
        join_secret(&PKCS8_PREFIX, self.seed())
    }
}
