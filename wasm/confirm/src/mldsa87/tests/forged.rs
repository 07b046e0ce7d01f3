//! With t1 = 0 everyone can sign: z and the hint are free. So what is signed with honest keys never, such as
//! coefficients that are all the largest, gets accepted, and the crate that decides has to accept it as well.

use std::boxed::Box;

use fips204::{
    ml_dsa_87::PublicKey,
    traits::{SerDes, Verifier},
};

use super::Numbers;
use crate::mldsa87::{
    BETA, CHALLENGE_LEN, GAMMA_1, HINT_LEN, K, Kept, L, OMEGA, Opened, PUBLIC_LEN, SIGNATURE_LEN, confirms,
    encoding::{self, W1_LEN},
    ring::{self, DEGREE},
    shake,
};

const NORM: i32 = GAMMA_1 - BETA - 1;

fn encode_z(bytes: &mut [u8], coefficients: &[i32]) {
    for (bytes, pair) in bytes.chunks_exact_mut(5).zip(coefficients.chunks_exact(2)) {
        let number = (GAMMA_1 - pair[0]) as u64 | ((GAMMA_1 - pair[1]) as u64) << 20;
        bytes.copy_from_slice(&number.to_le_bytes()[..5]);
    }
}

/// A hint with `count` places, all those of each row at its end.
fn encode_hint(bytes: &mut [u8], count: usize, numbers: &mut Numbers) {
    let mut taken = 0;
    for row in 0..K {
        let here = if row == K - 1 { count - taken } else { numbers.next() as usize % (count - taken + 1) };
        for n in 0..here {
            bytes[taken + n] = (DEGREE - here + n) as u8;
        }
        taken += here;
        bytes[OMEGA + row] = taken as u8;
    }
}

/// A signature that lacks nothing but, where z is too large, the norm.
fn forge(key: &Kept, z: &[i32], count: usize, message: &[u8], numbers: &mut Numbers) -> [u8; SIGNATURE_LEN] {
    let mut signature = [0; SIGNATURE_LEN];
    encode_z(&mut signature[CHALLENGE_LEN..], z);
    encode_hint(&mut signature[SIGNATURE_LEN - HINT_LEN..], count, numbers);
    let mut vector = Box::new([[0; DEGREE]; L + 1]);
    vector.as_flattened_mut()[..z.len()].copy_from_slice(z);
    vector.iter_mut().for_each(ring::transform);
    let hint = encoding::read_hint(signature.last_chunk().unwrap()).unwrap();
    let opened = Opened { challenge: &[0; CHALLENGE_LEN], vector, hint };
    let mut commitment = [[0; W1_LEN]; K];
    for ((row, hint), encoded) in key.rows.iter().zip(opened.hint).zip(&mut commitment) {
        opened.commit(row, hint, encoded);
    }
    let representative = shake::hash(&[&key.hash, &[0, 0], message]);
    let challenge = shake::hash(&[&representative, commitment.as_flattened()]);
    signature[..CHALLENGE_LEN].copy_from_slice(&challenge);
    signature
}

#[test]
fn any_z_and_any_hint_are_accepted_where_t1_is_zero() {
    let numbers = &mut Numbers(10);
    for round in 0..300_usize {
        let mut raw = [0; PUBLIC_LEN];
        raw[..32].fill_with(|| numbers.next() as u8);
        let kept = Kept::new(&raw);
        let theirs = PublicKey::try_from_bytes(raw).unwrap();
        let z: [i32; L * DEGREE] = core::array::from_fn(|_| match round % 6 {
            0 => NORM,
            1 => -NORM,
            2 => [NORM, -NORM][numbers.next() as usize % 2],
            3 => 0,
            4 => numbers.within(1),
            _ => numbers.within(NORM),
        });
        let count = [0, OMEGA, numbers.next() as usize % OMEGA][round % 3];
        let mut signature = forge(&kept, &z, count, b"forged", numbers);
        assert!(theirs.verify(b"forged", &signature, b""), "{round}");
        assert!(kept.confirms(b"forged", &signature, b""), "{round}");
        assert!(confirms(&raw, b"forged", &signature, b""), "{round}");
        signature[numbers.next() as usize % (SIGNATURE_LEN - HINT_LEN)] ^= 1;
        assert!(!theirs.verify(b"forged", &signature, b""), "{round}");
        assert!(!kept.confirms(b"forged", &signature, b""), "{round}");
        assert!(!confirms(&raw, b"forged", &signature, b""), "{round}");
    }
}

#[test]
fn nothing_but_the_norm_refuses() {
    let numbers = &mut Numbers(11);
    let raw = [0; PUBLIC_LEN];
    let (kept, theirs) = (Kept::new(&raw), PublicKey::try_from_bytes(raw).unwrap());
    for place in [0, 1, 255, 256, 1000, L * DEGREE - 1] {
        for (coefficient, allowed) in
            [(NORM, true), (-NORM, true), (NORM + 1, false), (-NORM - 1, false), (GAMMA_1, false)]
        {
            let mut z = [0; L * DEGREE];
            z[place] = coefficient;
            let signature = forge(&kept, &z, 3, b"", numbers);
            assert_eq!(theirs.verify(b"", &signature, b""), allowed, "{coefficient}");
            assert_eq!(kept.confirms(b"", &signature, b""), allowed, "{coefficient}");
            assert_eq!(confirms(&raw, b"", &signature, b""), allowed, "{coefficient}");
        }
    }
}

/// The commitment does not depend on the challenge here, so every byte of it is seen to be compared.
#[test]
fn every_byte_of_the_challenge_counts() {
    let raw = [0; PUBLIC_LEN];
    let kept = Kept::new(&raw);
    let signature = forge(&kept, &[7; L * DEGREE], 5, b"", &mut Numbers(12));
    assert!(kept.confirms(b"", &signature, b""));
    for place in 0..CHALLENGE_LEN {
        let mut damaged = signature;
        damaged[place] ^= 0x80;
        assert!(!kept.confirms(b"", &damaged, b""), "{place}");
        assert!(!confirms(&raw, b"", &damaged, b""), "{place}");
    }
}
