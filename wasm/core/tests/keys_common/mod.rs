//! Key files for the tests: opened step by step, built from DER, and damaged.
#![allow(
    dead_code,
    unused_macros,
    unused_imports,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)] // each test file uses a part of it

use base64ct::{Base64, Encoding};
use sx_core::{
    entropy::Entropy,
    error::{Code, Result},
    keys::{SecretKey, derive_key, key_derivation, new_key_derivation},
};

macro_rules! openssl {
    ($name:literal) => {
        include_str!(concat!("data/keys/openssl-", $name, ".pem"))
    };
}
pub(crate) use openssl;

pub const PASSWORD: &[u8] = b"correct";
pub const SALT: &[u8] = b"\x04\x08\x01\x02\x03\x04\x05\x06\x07\x08";
pub const IV: &[u8] = b"\x04\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
pub const PBES2: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";
pub const SCRYPT: &[u8] = b"\x06\x09\x2b\x06\x01\x04\x01\xda\x47\x04\x0b";
pub const PBKDF2: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c";
pub const AES_256_CBC: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x2a";
pub const HMAC_SHA256: &[u8] = b"\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x09\x05\x00";

pub fn entropy(n: u8) -> Entropy {
    Entropy::new((0..32).map(|i| i ^ n).collect()).unwrap()
}

/// All three steps from a PEM, encrypted or plain, to its key.
pub fn open(pem: &str, password: &[u8]) -> Result<SecretKey> {
    match key_derivation(pem)? {
        Some(parameters) => SecretKey::open(pem, &*derive_key(&parameters, password)?),
        None => SecretKey::import(pem, None),
    }
}

/// The code with which a file is refused before its password is used.
pub fn refusal(pem: &str) -> Option<Code> {
    key_derivation(pem).err().map(|error| error.code)
}

pub fn encrypt(key: &SecretKey, password: &[u8]) -> String {
    let parameters = new_key_derivation(&entropy(1)).unwrap();
    key.encrypt(&parameters, &*derive_key(&parameters, password).unwrap(), &entropy(2)).unwrap()
}

/// Any bytes in an encrypted PEM, with the derived key that opens it. No key is derived: what
/// the core takes as one need not come from a password.
pub fn encrypted_bytes(plain: &[u8]) -> (String, [u8; 32]) {
    use cbc::cipher::{BlockModeEncrypt as _, KeyIvInit as _, block_padding::Pkcs7};
    let derived = [7; 32];
    let cipher = cbc::Encryptor::<aes::Aes256>::new_from_slices(&derived, &[0; 16]).unwrap();
    let ciphertext = cipher.encrypt_padded_vec::<Pkcs7>(plain);
    let kdf = sequence(&[SCRYPT, &scrypt_parameters(1 << 14, 8, 5)]);
    let scheme = sequence(&[PBES2, &sequence(&[&kdf, &sequence(&[AES_256_CBC, IV])])]);
    (pem("ENCRYPTED PRIVATE KEY", &sequence(&[&scheme, &tlv(4, &ciphertext)])), derived)
}

pub fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", Base64::encode_string(der))
}

pub fn der(pem: &str) -> Vec<u8> {
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    Base64::decode_vec(&body).unwrap()
}

pub fn length(len: usize) -> Vec<u8> {
    match u16::try_from(len).unwrap().to_be_bytes() {
        [0, low] if low < 128 => vec![low],
        [0, low] => vec![0x81, low],
        [high, low] => vec![0x82, high, low],
    }
}

pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    [vec![tag], length(content.len()), content.to_vec()].concat()
}

pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

pub fn integer(value: u128) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(15);
    let sign: &[u8] = if bytes[start] > 127 { &[0] } else { &[] };
    tlv(2, &[sign, &bytes[start..]].concat())
}

/// An OBJECT IDENTIFIER of numbers with dots.
pub fn oid(dotted: &str) -> Vec<u8> {
    let arcs: Vec<u64> = dotted.split('.').map(|arc| arc.parse().unwrap()).collect();
    let base128 = |arc: u64| -> Vec<u8> {
        let digits: Vec<u8> = (0..10).rev().map(|at| (arc >> (7 * at) & 0x7f) as u8).collect();
        let start = digits.iter().position(|digit| *digit != 0).unwrap_or(9);
        let mut digits = digits[start..].to_vec();
        let last = digits.len() - 1;
        digits[..last].iter_mut().for_each(|digit| *digit |= 0x80);
        digits
    };
    let first = base128(arcs[0] * 40 + arcs[1]);
    tlv(6, &[first, arcs[2..].iter().flat_map(|arc| base128(*arc)).collect()].concat())
}

pub fn scrypt_parameters(n: u128, r: u128, p: u128) -> Vec<u8> {
    sequence(&[SALT, &integer(n), &integer(r), &integer(p)])
}

/// A file that names this derivation; its ciphertext is nobody's.
pub fn file(kdf: &[&[u8]], cipher: &[u8], iv: &[u8]) -> String {
    let scheme = sequence(&[PBES2, &sequence(&[&sequence(kdf), &sequence(&[cipher, iv])])]);
    pem("ENCRYPTED PRIVATE KEY", &sequence(&[&scheme, &tlv(4, &[0; 16])]))
}

pub fn with_scrypt(parameters: &[u8]) -> String {
    file(&[SCRYPT, parameters], AES_256_CBC, IV)
}

pub fn with_pbkdf2(parameters: &[u8]) -> String {
    file(&[PBKDF2, parameters], AES_256_CBC, IV)
}

/// The PKCS#8 of an ML-DSA-87 key as both forms and as expanded form (RFC 9881 section 6).
pub fn ml_dsa_forms(seed: &[u8; 32]) -> [Vec<u8>; 2] {
    use fips204::{
        ml_dsa_87::KG,
        traits::{KeyGen as _, SerDes as _},
    };
    let expanded = tlv(4, &KG::keygen_from_seed(seed).1.into_bytes());
    let info = |private_key: &[u8]| {
        let algorithm = sequence(&[&oid("2.16.840.1.101.3.4.3.19")]);
        sequence(&[&integer(0), &algorithm, &tlv(4, private_key)])
    };
    [info(&sequence(&[&tlv(4, seed), &expanded])), info(&expanded)]
}

/// A tree of DER, so that each of its elements can be damaged.
#[derive(Clone)]
pub enum Node {
    Leaf(u8, Vec<u8>),
    /// A tag and what it holds: structures, or an octet string with an element in it.
    Of(u8, Vec<Node>),
}

impl Node {
    /// Reads elements whose tags are constructed, and octet strings at the paths in `inside`.
    pub fn parse(bytes: &[u8], inside: &dyn Fn(&[u8]) -> bool) -> Vec<Self> {
        let mut nodes = Vec::new();
        let mut rest = bytes;
        while let [tag, len, ..] = *rest {
            let (len, start) = match len {
                0x82 => (usize::from(u16::from_be_bytes([rest[2], rest[3]])), 4),
                0x81 => (usize::from(rest[2]), 3),
                short => (usize::from(short), 2),
            };
            let content = &rest[start..start + len];
            nodes.push(if tag & 0x20 != 0 || (tag == 4 && inside(content)) {
                Self::Of(tag, Self::parse(content, inside))
            } else {
                Self::Leaf(tag, content.to_vec())
            });
            rest = &rest[start + len..];
        }
        nodes
    }

    fn tag(&self) -> u8 {
        match self {
            Self::Leaf(tag, _) | Self::Of(tag, _) => *tag,
        }
    }

    fn content(&self) -> Vec<u8> {
        match self {
            Self::Leaf(_, content) => content.clone(),
            Self::Of(_, nodes) => nodes.iter().flat_map(Self::encode).collect(),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        tlv(self.tag(), &self.content())
    }

    /// Every encoding in which one element has one fault, with what it is and where it stands.
    pub fn faults(&self) -> Vec<(String, Vec<u8>)> {
        let (tag, content) = (self.tag(), self.content());
        let header = |tag: u8, len: Vec<u8>| [vec![tag], len, content.clone()].concat();
        let mut faults = vec![
            ("its length in a longer form", header(tag, longer(content.len()))),
            ("an indefinite length", [header(tag, vec![0x80]), vec![0, 0]].concat()),
            ("a length of 0xff", header(tag, vec![0xff])),
            ("a length of four bytes", header(tag, vec![0x84, 0, 0, 0, content.len() as u8])),
            ("a length one too large", header(tag, length(content.len() + 1))),
            ("a byte after it", [self.encode(), vec![0]].concat()),
            ("NULL after it", [self.encode(), vec![5, 0]].concat()),
            ("it is not there", Vec::new()),
            ("another tag", tlv(tag ^ 0x40, &content)),
            (
                "a tag of two bytes",
                [vec![tag | 0x1f, tag & 0x1f], length(content.len()), content.clone()].concat(),
            ),
            ("only its tag", vec![tag]),
        ];
        if !content.is_empty() {
            faults.push(("a length one too small", header(tag, length(content.len() - 1))));
            faults.push(("its length as zero", header(tag, vec![0])));
        }
        let mut all: Vec<_> =
            faults.into_iter().map(|(what, bytes)| (format!("{tag:02x}: {what}"), bytes)).collect();
        if let Self::Of(_, nodes) = self {
            all.push((
                format!("{tag:02x}: a byte before its end"),
                tlv(tag, &[content.as_slice(), &[0]].concat()),
            ));
            all.push((
                format!("{tag:02x}: NULL before its end"),
                tlv(tag, &[content.as_slice(), &[5, 0]].concat()),
            ));
            for (at, node) in nodes.iter().enumerate() {
                let before: Vec<u8> = nodes[..at].iter().flat_map(Self::encode).collect();
                let after: Vec<u8> = nodes[at + 1..].iter().flat_map(Self::encode).collect();
                // Reaches over its end into what follows it, while everything around it is right.
                let own = node.content();
                for more in 1..=after.len().min(100) {
                    let overrun = [vec![node.tag()], length(own.len() + more), own.clone()].concat();
                    let overrun = tlv(tag, &[before.clone(), overrun, after.clone()].concat());
                    all.push((format!("{tag:02x}[{at}]: reaches {more} bytes over its end"), overrun));
                }
                for (what, bytes) in node.faults() {
                    let whole = [before.as_slice(), &bytes, &after].concat();
                    all.push((format!("{tag:02x}[{at}] {what}"), tlv(tag, &whole)));
                }
            }
        }
        all
    }
}

/// A length in a form that is not its shortest.
fn longer(len: usize) -> Vec<u8> {
    match u16::try_from(len).unwrap().to_be_bytes() {
        [0, low] if low < 128 => vec![0x81, low],
        [high, low] if len < 256 => vec![0x82, high, low],
        [high, low] => vec![0x83, 0, high, low],
    }
}
