//! Private keys at rest: PKCS#8 encrypted by PBES2 (RFC 8018) with AES-256-CBC.

use alloc::vec::Vec;

use aes::Aes256;
use cbc::cipher::block_padding::{Padding as _, Pkcs7};
use cbc::cipher::{Array, BlockModeDecrypt as _, BlockModeEncrypt as _, KeyIvInit as _};
use zeroize::Zeroizing;

use super::der::{self, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE};
use super::derivation::{Derivation, malformed, unsupported};
use crate::error::{Code, Error, Result};

/// Bytes of a block of AES.
const BLOCK_LEN: usize = 16;

const PBES2_OID: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";
const AES_256_CBC_OID: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01\x2a";

/// An EncryptedPrivateKeyInfo (RFC 5958 section 3) that can be opened with the right password.
pub(super) struct Encrypted<'a> {
    pub(super) derivation: Derivation,
    iv: [u8; BLOCK_LEN],
    ciphertext: &'a [u8],
}

impl<'a> Encrypted<'a> {
    /// Reads the DER, and checks all that can be checked without a key.
    ///
    /// Errors: `InvalidKey`, and only if nothing else is wrong `KdfOutOfRange`.
    pub(super) fn read(der: &'a [u8]) -> Result<Self> {
        let info = der::read_all(der, |elements| {
            elements.sequence(|elements| Some((elements.identifier()?, elements.read(OCTET_STRING)?)))
        });
        let (scheme, ciphertext) = info.ok_or_else(malformed)?;
        if scheme.oid != PBES2_OID {
            return Err(unsupported(scheme.oid));
        }
        let pair = scheme.parameters_as(SEQUENCE).and_then(|parameters| {
            der::read_all(parameters, |elements| Some((elements.identifier()?, elements.identifier()?)))
        });
        let (derivation, cipher) = pair.ok_or_else(malformed)?;
        if cipher.oid != AES_256_CBC_OID {
            return Err(unsupported(cipher.oid));
        }
        let iv = cipher.parameters_as(OCTET_STRING).and_then(|iv| iv.try_into().ok());
        let iv = iv.ok_or_else(malformed)?;
        if ciphertext.is_empty() || !ciphertext.len().is_multiple_of(BLOCK_LEN) {
            return Err(malformed());
        }
        Ok(Self { derivation: Derivation::from_identifier(&derivation)?, iv, ciphertext })
    }

    /// Decrypts with the derived key. That the result is a key remains to be seen: one wrong
    /// key in 256 gives a valid padding.
    ///
    /// Errors: `WrongPassword`, also for a key that does not have 32 bytes.
    pub(super) fn decrypt(&self, key: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, &self.iv);
        let mut cipher = cipher.map_err(|_| Code::WrongPassword)?;
        let mut buffer = Zeroizing::new(self.ciphertext.to_vec());
        // Block by block: a key is short, and what decrypts several blocks at once would have to be downloaded.
        let (blocks, _) = Array::slice_as_chunks_mut(&mut buffer);
        for block in blocks.iter_mut() {
            cipher.decrypt_block(block);
        }
        let len = Pkcs7::unpad_blocks(blocks).map_err(|_| Code::WrongPassword)?.len();
        buffer.truncate(len);
        Ok(buffer)
    }
}

/// Encrypts a PKCS#8 key into an EncryptedPrivateKeyInfo in DER, with the key that `derivation`
/// has given.
///
/// Errors: `InvalidOption` for a key that does not have 32 bytes.
pub(super) fn encrypt(
    plain: &[u8],
    derivation: &Derivation,
    key: &[u8],
    iv: &[u8; BLOCK_LEN],
) -> Result<Vec<u8>> {
    let cipher = cbc::Encryptor::<Aes256>::new_from_slices(key, iv);
    let cipher =
        cipher.map_err(|_| Error::new(Code::InvalidOption, "The derived key does not have 32 bytes."))?;
    let ciphertext = cipher.encrypt_padded_vec::<Pkcs7>(plain);
    let iv = der::write(OCTET_STRING, &[iv]);
    let cipher = der::write(SEQUENCE, &[&der::write(OBJECT_IDENTIFIER, &[AES_256_CBC_OID]), &iv]);
    let parameters = der::write(SEQUENCE, &[&derivation.to_der(), &cipher]);
    let scheme = der::write(SEQUENCE, &[&der::write(OBJECT_IDENTIFIER, &[PBES2_OID]), &parameters]);
    Ok(der::write(SEQUENCE, &[&scheme, &der::write(OCTET_STRING, &[&ciphertext])]))
}
