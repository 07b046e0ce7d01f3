//! SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).

use super::der::{self, BIT_STRING};
use super::{Algorithm, invalid};
use crate::error::Result;

/// The algorithm and the raw key of an SPKI in DER.
pub(super) fn decode(der: &[u8]) -> Result<(Algorithm, &[u8])> {
    let info = der::read_all(der, |elements| {
        elements.sequence(|elements| {
            Some((elements.identifier()?, der::whole_bytes(elements.read(BIT_STRING)?)?))
        })
    });
    let (identifier, raw) =
        info.ok_or_else(|| invalid("The public key is not a SubjectPublicKeyInfo in DER."))?;
    Ok((Algorithm::from_identifier(&identifier)?, raw))
}
