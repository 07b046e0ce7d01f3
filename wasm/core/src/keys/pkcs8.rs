//! PKCS#8 private keys, versions 1 and 2 (RFC 5958).

use super::Algorithm;
use super::der::{self, Identifier, OCTET_STRING};
use crate::error::Result;

/// Tags of the optional members: attributes, and the public key of version 2 (a BIT STRING).
const ATTRIBUTES: u8 = 0xa0;
const PUBLIC_KEY: u8 = 0x81;

/// With [`is_other_kind`], the kinds of key besides ours that `openssl genpkey` 3.5 makes.
const OTHER_KINDS: [&[u8]; 9] = [
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01", // RSA
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a", // RSASSA-PSS
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x03\x01", // Diffie-Hellman of PKCS #3
    b"\x2a\x86\x48\xce\x3e\x02\x01",         // Diffie-Hellman of X9.42
    b"\x2a\x86\x48\xce\x38\x04\x01",         // DSA
    b"\x2a\x86\x48\xce\x3d\x02\x01",         // elliptic curves
    b"\x2b\x65\x6e",                         // X25519
    b"\x2b\x65\x6f",                         // X448
    b"\x2b\x65\x71",                         // Ed448
];
const NIST_ALGORITHMS: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04";

/// The members of a PKCS#8 key.
pub(super) struct Info<'a> {
    identifier: Identifier<'a>,
    /// The content of the octet string, which has a structure of its own for each algorithm.
    pub(super) private_key: &'a [u8],
    /// The raw public key that version 2 carries.
    pub(super) public_key: Option<&'a [u8]>,
}

impl<'a> Info<'a> {
    /// Reads an unencrypted PKCS#8 key in DER. Attributes are not looked at.
    pub(super) fn read(der: &'a [u8]) -> Option<Self> {
        der::read_all(der, |elements| {
            elements.sequence(|elements| {
                let version = elements.integer()?;
                let identifier = elements.identifier()?;
                let private_key = elements.read(OCTET_STRING)?;
                if elements.next_is(ATTRIBUTES) {
                    elements.read(ATTRIBUTES)?;
                }
                let public_key = if elements.next_is(PUBLIC_KEY) {
                    Some(der::whole_bytes(elements.read(PUBLIC_KEY)?)?)
                } else {
                    None
                };
                let of_version = u64::from(public_key.is_some());
                (version == of_version).then_some(Self { identifier, private_key, public_key })
            })
        })
    }

    /// Errors: `InvalidKey` for an algorithm that is not supported.
    pub(super) fn algorithm(&self) -> Result<Algorithm> {
        Algorithm::from_identifier(&self.identifier)
    }

    /// Whether this is a key of a known kind that is not supported.
    pub(super) fn is_of_other_kind(&self) -> bool {
        let oid = self.identifier.oid;
        let of_nist = oid.strip_prefix(NIST_ALGORITHMS);
        // ML-DSA-44, ML-DSA-65, the twelve of SLH-DSA; ML-KEM-512, -768, -1024
        OTHER_KINDS.contains(&oid) || matches!(of_nist, Some([3, 17 | 18 | 20..=31] | [4, 1..=3]))
    }
}
