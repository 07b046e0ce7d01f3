//! From a password to the key of a cipher: scrypt (RFC 7914) and PBKDF2 (RFC 8018). A step of its
//! own, since it takes as long as everything else together.

use alloc::{format, string::String, vec::Vec};
use core::ops::RangeInclusive;

use sha2::Sha256;
use zeroize::Zeroizing;

use super::der::{self, Identifier, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE};
use super::{invalid, wiping_stack};
use crate::base64;
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, Object, Value};

/// What is written: the strongest scrypt of the OWASP list that `openssl` opens, whose memory
/// limit is 32 MiB.
const WRITTEN: Cost = Cost::Scrypt { n: 1 << 14, r: 8, p: 5 };

/// What is read. The floors are `openssl pkcs8 -scrypt` (N = 2^14, r = 8, p = 1) and the OWASP
/// number for PBKDF2-SHA256: a file below them was weakened or never protected its key. The
/// ceilings keep a hostile file from taking the memory of a page (64 MiB) or holding its
/// thread for more than some seconds.
const SCRYPT_N_MIN: u64 = 1 << 14;
const SCRYPT_R_RANGE: RangeInclusive<u64> = 8..=32;
const SCRYPT_P_RANGE: RangeInclusive<u64> = 1..=16;
const SCRYPT_MEMORY_MAX: u64 = 64 << 20;
const PBKDF2_RANGE: RangeInclusive<u64> = 600_000..=10_000_000;

/// RFC 8018 section 4.1 asks for 8 bytes at least; nothing is known to write more than 64.
const SALT_RANGE: RangeInclusive<usize> = 8..=64;

/// Bytes of a derived key: that of AES-256.
pub(super) const KEY_LEN: usize = 32;

/// Most bytes of a password, of which no derivation makes more than 32.
pub const MAX_PASSWORD_LEN: usize = 65_536;

/// Most bytes of the parameters as text; the longest that are written have about 140.
const MAX_PARAMETERS_LEN: usize = 256;

const SCRYPT_OID: &[u8] = b"\x2b\x06\x01\x04\x01\xda\x47\x04\x0b";
const PBKDF2_OID: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c";
const HMAC_SHA1_OID: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02\x07";
const HMAC_SHA256_OID: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02\x09";

/// A derivation within the bounds.
pub(super) struct Derivation {
    salt: Vec<u8>,
    cost: Cost,
}

enum Cost {
    Scrypt {
        n: u64,
        r: u64,
        p: u64,
    },
    /// With HMAC-SHA-256.
    Pbkdf2 {
        iterations: u64,
    },
}

impl Derivation {
    /// Errors: `KdfOutOfRange`.
    fn new(salt: &[u8], cost: Cost) -> Result<Self> {
        let within = match cost {
            Cost::Scrypt { n, r, p } => {
                n.is_power_of_two()
                    && n >= SCRYPT_N_MIN
                    && SCRYPT_R_RANGE.contains(&r)
                    && SCRYPT_P_RANGE.contains(&p)
                    && n.saturating_mul(128).saturating_mul(r) <= SCRYPT_MEMORY_MAX
            }
            Cost::Pbkdf2 { iterations } => PBKDF2_RANGE.contains(&iterations),
        };
        if within && SALT_RANGE.contains(&salt.len()) {
            Ok(Self { salt: salt.to_vec(), cost })
        } else {
            Err(Code::KdfOutOfRange.into())
        }
    }

    /// What a file names as its derivation.
    ///
    /// Errors: `InvalidKey` for another derivation and for anything malformed, which is all
    /// looked at first; then `KdfOutOfRange`.
    pub(super) fn from_identifier(identifier: &Identifier<'_>) -> Result<Self> {
        match identifier.oid {
            SCRYPT_OID => Self::from_scrypt(identifier.parameters_as(SEQUENCE)),
            PBKDF2_OID => Self::from_pbkdf2(identifier.parameters_as(SEQUENCE)),
            other => Err(unsupported(other)),
        }
    }

    /// The `scrypt-params` of RFC 7914 section 7.1.
    fn from_scrypt(parameters: Option<&[u8]>) -> Result<Self> {
        let read = der::read_all(parameters.ok_or_else(malformed)?, |elements| {
            let salt = elements.read(OCTET_STRING)?;
            let (n, r, p) = (elements.integer()?, elements.integer()?, elements.integer()?);
            Some((salt, Cost::Scrypt { n, r, p }, read_key_len(elements)?))
        });
        let (salt, cost, key_len) = read.ok_or_else(malformed)?;
        check_key_len(key_len)?;
        Self::new(salt, cost)
    }

    /// The `PBKDF2-params` of RFC 8018 appendix A.2. The function must be named: the one by
    /// default is HMAC-SHA-1.
    fn from_pbkdf2(parameters: Option<&[u8]>) -> Result<Self> {
        let read = der::read_all(parameters.ok_or_else(malformed)?, |elements| {
            let (salt, iterations) = (elements.read(OCTET_STRING)?, elements.integer()?);
            let key_len = read_key_len(elements)?;
            let prf = if elements.next_is(SEQUENCE) { Some(elements.identifier()?) } else { None };
            Some((salt, Cost::Pbkdf2 { iterations }, key_len, prf))
        });
        let (salt, cost, key_len, prf) = read.ok_or_else(malformed)?;
        match prf {
            Some(Identifier { oid: HMAC_SHA256_OID, parameters: Some(der::NULL) }) => {}
            Some(Identifier { oid: HMAC_SHA256_OID, .. }) => return Err(malformed()),
            other => return Err(unsupported(other.map_or(HMAC_SHA1_OID, |prf| prf.oid))),
        }
        check_key_len(key_len)?;
        Self::new(salt, cost)
    }

    /// The AlgorithmIdentifier that names this derivation.
    pub(super) fn to_der(&self) -> Vec<u8> {
        let salt = der::write(OCTET_STRING, &[&self.salt]);
        let (oid, costs) = match self.cost {
            Cost::Scrypt { n, r, p } => (SCRYPT_OID, [n, r, p].map(der::write_integer).concat()),
            Cost::Pbkdf2 { iterations } => {
                let prf = [&der::write(OBJECT_IDENTIFIER, &[HMAC_SHA256_OID]), b"\x05\x00".as_slice()];
                (PBKDF2_OID, [der::write_integer(iterations), der::write(SEQUENCE, &prf)].concat())
            }
        };
        let parameters = der::write(SEQUENCE, &[&salt, &costs]);
        der::write(SEQUENCE, &[&der::write(OBJECT_IDENTIFIER, &[oid]), &parameters])
    }

    /// The one text of these parameters: canonical JSON.
    pub(super) fn to_json(&self) -> String {
        let salt = base64::encode(&self.salt).into();
        let number = |number: u64| Value::Number(number as f64); // below 2^53 within the bounds
        let parameters = match self.cost {
            Cost::Scrypt { n, r, p } => Object::from([
                ("kdf", "scrypt".into()),
                ("n", number(n)),
                ("p", number(p)),
                ("r", number(r)),
                ("salt", salt),
            ]),
            Cost::Pbkdf2 { iterations } => {
                Object::from([("iterations", number(iterations)), ("kdf", "pbkdf2".into()), ("salt", salt)])
            }
        };
        json::write(&parameters.into())
    }

    /// Reads what [`to_json`](Self::to_json) writes, and nothing else.
    ///
    /// Errors: `InvalidKey`, `KdfOutOfRange`.
    pub(super) fn from_json(text: &str) -> Result<Self> {
        let foreign = || invalid("The key derivation parameters are not valid.");
        let limits = Limits { bytes: MAX_PARAMETERS_LEN, ..Limits::default() };
        let value = json::parse(text.as_bytes(), &limits).map_err(|_| foreign())?;
        let object = value.as_object().ok_or_else(foreign)?;
        let number = |name| object.get(name).and_then(Value::as_f64).map(|number| number as u64);
        let read = || {
            let cost = match object.get("kdf")?.as_str()? {
                "scrypt" => Cost::Scrypt { n: number("n")?, r: number("r")?, p: number("p")? },
                "pbkdf2" => Cost::Pbkdf2 { iterations: number("iterations")? },
                _ => return None,
            };
            Some((base64::decode(object.get("salt")?.as_str()?)?, cost))
        };
        let (salt, cost) = read().ok_or_else(foreign)?;
        let derivation = Self::new(&salt, cost)?;
        if derivation.to_json() == text { Ok(derivation) } else { Err(foreign()) }
    }

    fn derive(&self, password: &[u8], key: &mut [u8; KEY_LEN]) -> Result<()> {
        match self.cost {
            Cost::Scrypt { n, r, p } => {
                let small = |number: u64| u32::try_from(number).map_err(internal);
                let log_n = u8::try_from(n.ilog2()).map_err(internal)?;
                let parameters = scrypt::Params::new(log_n, small(r)?, small(p)?).map_err(internal)?;
                scrypt::scrypt(password, &self.salt, &parameters, key).map_err(internal)?;
            }
            Cost::Pbkdf2 { iterations } => {
                let iterations = u32::try_from(iterations).map_err(internal)?;
                pbkdf2::pbkdf2_hmac::<Sha256>(password, &self.salt, iterations, key);
            }
        }
        Ok(())
    }
}

/// The parameters of a new derivation, as canonical JSON: scrypt with N = 2^14, r = 8, p = 5 and
/// a salt of 16 bytes of `entropy`.
///
/// Errors: none in practice (`KdfOutOfRange`).
pub fn new_key_derivation(entropy: &Entropy) -> Result<String> {
    Ok(Derivation::new(&entropy.draw16("salt"), WRITTEN)?.to_json())
}

/// Whether [`derive_key`] would go to work with these parameters and a password of so many bytes: for
/// runtimes that have the same derivation of their own, and faster.
///
/// Errors: those of [`derive_key`].
pub fn check_derivation(parameters: &str, password_len: usize) -> Result<()> {
    checked(parameters, password_len).map(|_| ())
}

fn checked(parameters: &str, password_len: usize) -> Result<Derivation> {
    let derivation = Derivation::from_json(parameters)?;
    if password_len == 0 {
        return Err(Code::PasswordRequired.into());
    }
    if password_len > MAX_PASSWORD_LEN {
        let found = format!("The password has more than {MAX_PASSWORD_LEN} bytes.");
        return Err(Error::new(Code::InvalidOption, found));
    }
    Ok(derivation)
}

/// Derives the key of a file from its password: the slow step, with the parameters that
/// [`key_derivation`](super::key_derivation) or [`new_key_derivation`] gave.
///
/// Errors, all before any work: `InvalidKey` for a text that is not theirs, `KdfOutOfRange`,
/// `PasswordRequired` for an empty password, `InvalidOption` for one longer than
/// [`MAX_PASSWORD_LEN`].
pub fn derive_key(parameters: &str, password: &[u8]) -> Result<Zeroizing<[u8; KEY_LEN]>> {
    let derivation = checked(parameters, password.len())?;
    let mut key = Zeroizing::new([0; KEY_LEN]);
    wiping_stack(|| derivation.derive(password, &mut key))?;
    Ok(key)
}

fn read_key_len(elements: &mut der::Elements<'_>) -> Option<Option<u64>> {
    if elements.next_is(der::INTEGER) { elements.integer().map(Some) } else { Some(None) }
}

fn check_key_len(len: Option<u64>) -> Result<()> {
    if len.is_some_and(|len| len != KEY_LEN as u64) {
        return Err(invalid("The key length in the key file does not match its cipher."));
    }
    Ok(())
}

/// The file is not what it says, in whatever way.
pub(super) fn malformed() -> Error {
    invalid("The private key is not an encrypted PKCS#8 key in DER.")
}

/// The file needs an algorithm that there is not here.
pub(super) fn unsupported(oid: &[u8]) -> Error {
    invalid(format!(
        "The key file is encrypted with {}. Only scrypt or PBKDF2 with HMAC-SHA-256, and AES-256-CBC, are supported.",
        der::oid_text(oid)
    ))
}

fn internal<E>(_: E) -> Error {
    Code::Internal.into()
}
