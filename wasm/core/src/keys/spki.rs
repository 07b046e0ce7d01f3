//! SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).

use der::Decode;
use spki::SubjectPublicKeyInfoRef;

use super::{Algorithm, invalid};
use crate::error::Result;

/// The algorithm and the raw key of an SPKI in DER.
pub(super) fn decode(der: &[u8]) -> Result<(Algorithm, &[u8])> {
    let info = SubjectPublicKeyInfoRef::from_der(der)
        .map_err(|_| invalid("The public key is not a SubjectPublicKeyInfo in DER."))?;
    let algorithm = Algorithm::from_identifier(&info.algorithm)?;
    let raw = info.subject_public_key.as_bytes();
    Ok((algorithm, raw.ok_or_else(|| invalid("The public key does not end at a byte."))?))
}
