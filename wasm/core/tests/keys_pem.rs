//! PEM as section 4 of the protocol has it, for public and private keys, and how long a key may be.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects
)]

mod keys_common;

use base64ct::{Base64, Encoding as _};
use keys_common::{encrypt, entropy, openssl};
use proptest::prelude::*;
use sx_core::error::Code;
use sx_core::keys::{
    Algorithm, MAX_PEM_LEN, PublicKey, SecretKey, derive_key, key_derivation, new_key_derivation,
};
use sx_core::strings;

const PUBLIC: &str = openssl!("public");
const PLAIN: &str = openssl!("plain");
const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const END: &str = "-----END PUBLIC KEY-----";
const BODY: &str = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

fn reads(text: &str) -> bool {
    match PublicKey::from_spki_pem(text) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code, Code::InvalidKey, "{text:?}");
            false
        }
    }
}

/// The block with its base64 in lines of this width.
fn wrapped(width: usize) -> String {
    let lines: Vec<&str> = BODY.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"))
}

#[test]
fn as_people_paste_it() {
    for text in [
        PUBLIC.replace('\n', "\r\n"),
        PUBLIC.replace('\n', "\r"),
        format!("\n\n  {PUBLIC}\n\n"),
        format!("\u{3000}\u{85}\t{PUBLIC}\u{2028}\x0b\x0c"),
        PUBLIC.trim_end().to_owned(),
        format!("{BEGIN}\r{BODY}\r\n{END}"),
    ] {
        assert!(reads(&text), "{text:?}");
    }
    for width in 1..=BODY.len() + 1 {
        assert_eq!(reads(&wrapped(width)), width >= 4, "{width}");
    }
}

#[test]
fn one_block_and_nothing_else() {
    let lines = |lines: &[&str]| lines.join("\n");
    let (head, tail) = BODY.split_at(32);
    assert!(reads(&lines(&[BEGIN, head, tail, END])));
    for text in [
        "",
        "\n",
        "PUBLIC KEY",
        BEGIN,
        END,
        BODY,
        PLAIN,
        &lines(&[BEGIN, END]),
        &lines(&[BEGIN, "", END]),
        &lines(&[BEGIN, BODY]),
        &lines(&[BODY, END]),
        &lines(&[BEGIN, BODY, "-----END PRIVATE KEY-----"]),
        &lines(&["-----BEGIN PRIVATE KEY-----", BODY, END]),
        &lines(&["-----BEGIN public key-----", BODY, "-----END public key-----"]),
        &lines(&["-----BEGIN X.509-----", BODY, "-----END X.509-----"]),
        &lines(&["-----BEGIN PUBLIC KEY ----", BODY, "-----END PUBLIC KEY ----"]),
        &lines(&["----BEGIN PUBLIC KEY-----", BODY, END]),
        &lines(&["-----BEGINPUBLIC KEY-----", BODY, END]),
        &lines(&["-----BEGIN  PUBLIC KEY-----", BODY, END]),
        &lines(&["-----BEGIN PUBLIC KEY----", BODY, END]),
        &lines(&["-----BEGIN PUBLIC KEY------", BODY, END]),
        &lines(&[BEGIN, BODY, "-----END PUBLIC KEY----"]),
        &lines(&[BEGIN, BODY, "-----END  PUBLIC KEY-----"]),
        &lines(&[END, BODY, BEGIN]),
        &lines(&["text", BEGIN, BODY, END]),
        &lines(&[BEGIN, BODY, END, "text"]),
        &lines(&[BEGIN, "Proc-Type: 4", "", BODY, END]),
        &lines(&[BEGIN, "", BODY, END]),
        &lines(&[BEGIN, BODY, "", END]),
        &lines(&[BEGIN, head, "", tail, END]),
        &lines(&[BEGIN, tail, head, END]),
        &lines(&[BEGIN, &BODY[..28], &BODY[28..], END]),
        &lines(&[BEGIN, &BODY[..20], &BODY[20..36], &BODY[36..], END]),
        &lines(&[&format!("{BEGIN} "), BODY, END]),
        &lines(&[BEGIN, &format!("{BODY} "), END]),
        &lines(&[BEGIN, &format!(" {BODY}"), END]),
        &lines(&[BEGIN, BODY, &format!(" {END}")]),
        &lines(&[BEGIN, &BODY.replace('=', ""), END]),
        &lines(&[BEGIN, &BODY.replace("E=", "F="), END]),
        &lines(&[BEGIN, &BODY.replace('=', "A"), END]),
        &lines(&[BEGIN, &format!("{BODY}===="), END]),
        &lines(&[BEGIN, &BODY.replace('G', "-"), END]),
        &lines(&[BEGIN, &BODY.replace('G', "é"), END]),
        &format!("{BEGIN}{BODY}{END}"),
        &format!("{BEGIN}\n{BODY}{END}"),
        &format!("{BEGIN}\n\r{BODY}\n{END}"),
        &format!("{BEGIN}\r\r\n{BODY}\n{END}"),
        &format!("{BEGIN}\x0b{BODY}\n{END}"),
        &format!("{BEGIN}\u{85}{BODY}\n{END}"),
        &format!("\u{feff}{PUBLIC}"),
        &format!("\0{PUBLIC}"),
        &[PUBLIC, PUBLIC].concat(),
    ] {
        assert!(!reads(text), "{text:?}");
    }
}

/// The rules of the page once more, line by line.
fn by_the_page(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_matches(char::is_whitespace).replace("\r\n", "\n").replace('\r', "\n");
    let inner = text.strip_prefix(BEGIN)?.strip_prefix('\n')?.strip_suffix(END)?.strip_suffix('\n')?;
    let lines: Vec<&str> = inner.split('\n').collect();
    let width = lines[0].len();
    let last = lines[lines.len() - 1];
    if width < 4
        || last.is_empty()
        || last.len() > width
        || lines[..lines.len() - 1].iter().any(|l| l.len() != width)
    {
        return None;
    }
    let content = Base64::decode_vec(&lines.concat()).ok()?;
    (Base64::encode_string(&content) == lines.concat()).then_some(content)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..ProptestConfig::default() })]

    /// A block in lines of some width with some changes is read if the page says so.
    #[test]
    fn changed_blocks(
        width in 1..66_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, "[\r\n \t=A-]|\r\n"), 0..3),
        ends in prop::sample::select(vec!["\n", "\r", "\r\n"]),
    ) {
        let mut text = wrapped(width).replace('\n', ends);
        for (at, kind, put) in changes {
            let at = at.index(text.len());
            match kind {
                0 => text.insert_str(at, &put),
                1 => drop(text.remove(at)),
                _ => text.replace_range(at..=at, &put),
            }
        }
        let expected = by_the_page(&text).is_some_and(|der| PublicKey::from_spki_der(&der).is_ok());
        prop_assert_eq!(reads(&text), expected, "{:?}", text);
    }
}

#[test]
fn private_keys_follow_the_same_rules() {
    let key = SecretKey::import(PLAIN, None).unwrap();
    let encrypted = encrypt(&key, b"p");
    let parameters = new_key_derivation(&entropy(1)).unwrap();
    let derived = derive_key(&parameters, b"p").unwrap();
    let one_line = |pem: &str| {
        let lines: Vec<&str> = pem.lines().collect();
        [lines[0], &lines[1..lines.len() - 1].concat(), lines[lines.len() - 1]].join("\n")
    };
    for pem in [PLAIN, &encrypted] {
        for text in [pem.replace('\n', "\r\n"), pem.replace('\n', "\r"), format!("\n {pem} "), one_line(pem)]
        {
            let read = SecretKey::import(&text, Some(&*derived)).unwrap();
            assert_eq!(read.public_key(), key.public_key(), "{text:?}");
            assert_eq!(key_derivation(&text).unwrap(), key_derivation(pem).unwrap());
        }
        for text in [
            format!("{pem}text"),
            format!("text\n{pem}"),
            [pem, pem].concat(),
            pem.replacen('\n', "\n\n", 1),
            pem.replace("END", "BEGIN"),
            pem.replace("PRIVATE", "PUBLIC"),
            pem.replace("PRIVATE", "RSA PRIVATE"),
            pem.replace("PRIVATE", "private"),
            pem.replace("BEGIN ENCRYPTED", "BEGIN").replacen(
                "BEGIN PRIVATE",
                "BEGIN ENCRYPTED PRIVATE",
                usize::from(pem == PLAIN),
            ),
        ] {
            assert_eq!(key_derivation(&text).unwrap_err().code, Code::InvalidKey, "{text:?}");
            for refused in [SecretKey::import(&text, Some(&*derived)), SecretKey::open(&text, &*derived)] {
                assert_eq!(refused.unwrap_err().code, Code::InvalidKey, "{text:?}");
            }
        }
    }
}

#[test]
fn what_is_written() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let key = SecretKey::from_seed(algorithm, &[42; 32]).unwrap();
        for (pem, label) in
            [(key.public_key().to_spki_pem(), "PUBLIC KEY"), (encrypt(&key, b"p"), "ENCRYPTED PRIVATE KEY")]
        {
            assert!(pem.is_ascii() && pem.ends_with(&format!("\n-----END {label}-----\n")));
            assert!(pem.starts_with(&format!("-----BEGIN {label}-----\n")));
            let lines: Vec<&str> = pem.lines().collect();
            let body = &lines[1..lines.len() - 1];
            assert!(body[..body.len() - 1].iter().all(|line| line.len() == 64));
            assert!((1..=64).contains(&body[body.len() - 1].len()));
        }
    }
}

/// A key of 20 MB is refused by its length; one at the bound is read.
#[test]
fn no_key_is_longer_than_its_bound() {
    let padded = |pem: &str, len: usize| format!("{pem}{}", " ".repeat(len - pem.len()));
    let key = SecretKey::import(PLAIN, None).unwrap();
    let encrypted = encrypt(&key, b"p");
    for (len, is_read) in [(MAX_PEM_LEN, true), (MAX_PEM_LEN + 1, false), (20_000_000, false)] {
        assert_eq!(reads(&padded(PUBLIC, len)), is_read, "{len}");
        let any = PublicKey::from_any(padded(PUBLIC, len).as_bytes(), Algorithm::Ed25519);
        assert_eq!(any.map_err(|error| error.code).is_ok(), is_read, "{len}");
        assert_eq!(SecretKey::import(&padded(PLAIN, len), None).is_ok(), is_read, "{len}");
        assert_eq!(key_derivation(&padded(&encrypted, len)).is_ok(), is_read, "{len}");
    }
    for bytes in [vec![0; 20_000_000], vec![0x30; 20_000_000], vec![0xff; MAX_PEM_LEN + 1]] {
        for refused in [
            PublicKey::from_any(&bytes, Algorithm::Pq2025).map(|_| ()),
            PublicKey::from_raw(Algorithm::Pq2025, &bytes).map(|_| ()),
            PublicKey::from_spki_der(&bytes).map(|_| ()),
            SecretKey::from_pkcs8_der(&bytes).map(|_| ()),
        ] {
            assert_eq!(refused.unwrap_err().code, Code::InvalidKey);
        }
    }
    // Of what the library reads, the bound leaves room for the longest form in the narrowest lines.
    let [both, _] = keys_common::ml_dsa_forms(&[5; 32]);
    let narrow = Base64::encode_string(&both);
    let narrow: Vec<&str> = narrow.as_bytes().chunks(4).map(|line| str::from_utf8(line).unwrap()).collect();
    let narrow =
        format!("-----BEGIN PRIVATE KEY-----\r\n{}\r\n-----END PRIVATE KEY-----\r\n", narrow.join("\r\n"));
    assert!(SecretKey::import(&narrow, None).is_ok());
}

#[test]
fn a_signature_of_another_length_is_none() {
    for algorithm in [Algorithm::Ed25519, Algorithm::Pq2025] {
        let key = SecretKey::from_seed(algorithm, &[42; 32]).unwrap();
        let pem = key.public_key().to_spki_pem();
        let verify = |signature: &str| strings::verify("text", signature, pem.as_bytes(), algorithm.name());
        let signature = strings::sign(&key, "text", &[1; 32]).unwrap();
        assert!(verify(&signature));
        assert!(signature.len() <= strings::MAX_SIGNATURE_LEN);
        for other in [
            String::new(),
            signature.trim_end_matches('=').to_owned(),
            format!("{signature}AAAA"),
            format!("{signature}===="),
            signature[4..].to_owned(),
            "A".repeat(20_000_000),
        ] {
            assert!(!verify(&other), "{}", other.len());
        }
    }
    let longest = Base64::encode_string(&vec![0; Algorithm::Pq2025.signature_len()]);
    assert_eq!(longest.len(), strings::MAX_SIGNATURE_LEN);
}
