//! PKCS#8 private keys, versions 1 and 2 (RFC 5958).

use der::Decode;
use pkcs8::{ObjectIdentifier, PrivateKeyInfoRef};

use super::{Algorithm, invalid};
use crate::error::Result;

/// RSA and elliptic curves, the kinds of key that are handed in by mistake.
const OTHER_KINDS: [ObjectIdentifier; 2] =
    [ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1"), ObjectIdentifier::new_unwrap("1.2.840.10045.2.1")];

/// The members of a PKCS#8 key.
pub(super) struct Info<'a> {
    pub(super) algorithm: Algorithm,
    /// The content of the octet string, which has a structure of its own for each algorithm.
    pub(super) private_key: &'a [u8],
    /// The raw public key that version 2 can carry.
    pub(super) public_key: Option<&'a [u8]>,
}

/// Reads an unencrypted PKCS#8 key in DER.
pub(super) fn decode(der: &[u8]) -> Result<Info<'_>> {
    let malformed = || invalid("The private key is not PKCS#8 in DER.");
    let info = PrivateKeyInfoRef::from_der(der).map_err(|_| malformed())?;
    let algorithm = Algorithm::from_identifier(&info.algorithm)?;
    let public_key = match info.public_key {
        Some(bits) => Some(bits.as_bytes().ok_or_else(malformed)?),
        None => None,
    };
    Ok(Info { algorithm, private_key: info.private_key.as_bytes(), public_key })
}

/// Whether this is a well-formed key of a kind that is not supported. Its identifier is so
/// unlike those of supported keys that damage does not turn one into the other; saying so
/// after decryption therefore tells nothing about what was damaged.
pub(super) fn is_of_other_kind(der: &[u8]) -> bool {
    PrivateKeyInfoRef::from_der(der).is_ok_and(|info| OTHER_KINDS.contains(&info.algorithm.oid))
}
