//! PEM blocks (RFC 7468).

use alloc::{format, string::String, vec::Vec};

use base64ct::{Base64, Encoding}; // constant-time: private keys pass here
use der::pem::{self, Decoder};
use zeroize::Zeroizing;

use super::invalid;
use crate::error::Result;

/// Bytes that give a base64 line of 64 columns.
const LINE_BYTES: usize = 48;

/// The label and the content of the one block in `text`, whatever its line width and line ends.
pub(super) fn decode(text: &str) -> Result<(&str, Zeroizing<Vec<u8>>)> {
    let malformed = |_: pem::Error| invalid("The text is not one well-formed PEM block.");
    let text = text.trim();
    // The decoder skips what stands before the block, and one blank line in it.
    if !text.starts_with("-----BEGIN ") || text.lines().any(str::is_empty) {
        return Err(malformed(pem::Error::Preamble));
    }
    let mut decoder = Decoder::new_detect_wrap(text.as_bytes()).map_err(malformed)?;
    let mut content = Zeroizing::new(Vec::with_capacity(decoder.remaining_len()));
    decoder.decode_to_end(&mut content).map_err(malformed)?;
    Ok((decoder.type_label(), content))
}

/// The label of the block in `text`, or nothing if there is none.
pub(super) fn label(text: &str) -> Option<&str> {
    pem::decode_label(text.trim().as_bytes()).ok()
}

/// The block as `openssl` writes it: 64 columns, LF line ends.
pub(super) fn encode(label: &str, content: &[u8]) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in content.chunks(LINE_BYTES) {
        text.push_str(&Base64::encode_string(line));
        text.push('\n');
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}
