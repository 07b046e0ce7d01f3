//! Signing with Ed25519 (RFC 8032, section 5.1.6), on the constant-time arithmetic of
//! `curve25519-dalek`. `ed25519-dalek` signs with a table of the base point that is 30 KiB in the
//! core; here it is made once it pays.
#![expect(clippy::arithmetic_side_effects, reason = "arithmetic modulo the order, and of points")]

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, Ordering};

use curve25519_dalek::{
    EdwardsPoint, Scalar, constants::ED25519_BASEPOINT_POINT, edwards::EdwardsBasepointTable,
    scalar::clamp_integer, traits::BasepointTable as _,
};
use once_cell::race::OnceBox;
use sha2::{Digest as _, Sha512};
use zeroize::{Zeroize as _, Zeroizing};

use super::super::SEED_LEN;

/// A private key with what RFC 8032 derives from its seed.
pub(super) struct SigningKey {
    seed: Zeroizing<[u8; SEED_LEN]>,
    scalar: Zeroizing<Scalar>,
    prefix: Zeroizing<[u8; 32]>,
    public: [u8; 32],
}

impl SigningKey {
    pub(super) fn from_seed(seed: &[u8; SEED_LEN]) -> Self {
        let mut hash: [u8; 64] = Sha512::digest(seed).into();
        let (mut low, mut prefix) = ([0; 32], Zeroizing::new([0; 32]));
        for (to, from) in low.iter_mut().chain(prefix.iter_mut()).zip(&hash) {
            *to = *from;
        }
        let scalar = Zeroizing::new(Scalar::from_bytes_mod_order(clamp_integer(low)));
        hash.zeroize();
        low.zeroize();
        let public = multiply_base(&scalar).compress().to_bytes();
        Self { seed: Zeroizing::new(*seed), scalar, prefix, public }
    }

    pub(super) fn seed(&self) -> &[u8; SEED_LEN] {
        &self.seed
    }

    /// The raw public key.
    pub(super) fn public(&self) -> &[u8; 32] {
        &self.public
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        let nonce = Zeroizing::new(hash_to_scalar(&[self.prefix.as_slice(), message]));
        let commitment = multiply_base(&nonce).compress().to_bytes();
        let challenge = hash_to_scalar(&[&commitment, &self.public, message]);
        let response = (challenge * *self.scalar + *nonce).to_bytes();
        let mut signature = [0; 64];
        for (to, from) in signature.iter_mut().zip(commitment.iter().chain(&response)) {
            *to = *from;
        }
        signature
    }
}

pub(super) fn hash_to_scalar(parts: &[&[u8]]) -> Scalar {
    let mut hash = Sha512::new();
    for part in parts {
        hash.update(part);
    }
    let mut wide: [u8; 64] = hash.finalize().into();
    let scalar = Scalar::from_bytes_mod_order_wide(&wide);
    wide.zeroize();
    scalar
}

/// To make the table costs what so many multiplications cost without it.
const WORTH_A_TABLE: u32 = 32;

/// The scalar times the base point, in time that does not depend on it.
fn multiply_base(scalar: &Scalar) -> EdwardsPoint {
    static USES: AtomicU32 = AtomicU32::new(0);
    static TABLE: OnceBox<EdwardsBasepointTable> = OnceBox::new();
    if let Some(table) = TABLE.get() {
        return table.mul_base(scalar);
    }
    if USES.fetch_add(1, Ordering::Relaxed) < WORTH_A_TABLE {
        return scalar * ED25519_BASEPOINT_POINT;
    }
    TABLE.get_or_init(|| Box::new(EdwardsBasepointTable::create(&ED25519_BASEPOINT_POINT))).mul_base(scalar)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// More than there are multiplications before the table is there, so both ways are compared.
    #[test]
    fn signs_as_ed25519_dalek_does() {
        use ed25519_dalek::Signer as _;
        for round in 0..200_u8 {
            let seed: [u8; SEED_LEN] = Sha512::digest([round])[..32].try_into().unwrap();
            let message: Vec<u8> = (0..usize::from(round) * 3).map(|at| at as u8 ^ round).collect();
            let (ours, theirs) = (SigningKey::from_seed(&seed), ed25519_dalek::SigningKey::from_bytes(&seed));
            assert_eq!(ours.public(), theirs.verifying_key().as_bytes());
            assert_eq!(ours.sign(&message), theirs.sign(&message).to_bytes());
            assert_eq!(ours.seed(), &seed);
        }
    }
}
