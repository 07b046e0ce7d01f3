//! PEM blocks (RFC 7468).

use alloc::{format, string::String, vec, vec::Vec};

use base64ct::{Base64, Encoding}; // constant-time: private keys pass here
use zeroize::Zeroizing;

use super::invalid;
use crate::base64;
use crate::error::Result;

/// The label of public keys.
pub(super) const PUBLIC_LABEL: &str = "PUBLIC KEY";

/// Most bytes of a text that is read as a PEM block, white space around it included. The largest
/// key, one of ML-DSA-87 in both forms with its public key, has 10,300 in lines
/// of 64 columns.
pub const MAX_PEM_LEN: usize = 65_536;

/// Narrowest lines that are read.
const MIN_WIDTH: usize = 4;

/// Bytes that give a base64 line of 64 columns.
const LINE_BYTES: usize = 48;

/// The label and the content of the one block in `text`, whatever its line width and line ends.
pub(super) fn decode(text: &str) -> Result<(&str, Zeroizing<Vec<u8>>)> {
    let malformed = || invalid("The text is not a single well-formed PEM block.");
    if text.len() > MAX_PEM_LEN {
        return Err(invalid(format!("The PEM block has more than {MAX_PEM_LEN} bytes.")));
    }
    let lines: Vec<&str> = lines(text.trim()).collect();
    let [begin, body @ .., end] = lines.as_slice() else {
        return Err(malformed());
    };
    let label = boundary(begin, "BEGIN").filter(|label| boundary(end, "END") == Some(label));
    let content = label.filter(|_| are_even(body)).and_then(|label| decode_base64(label, body));
    label.zip(content).ok_or_else(malformed)
}

/// The lines of `text`, which end with LF, CR LF or CR.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// The label in a line that begins or ends a block.
fn boundary<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.strip_prefix("-----")?.strip_prefix(word)?.strip_prefix(' ')?.strip_suffix("-----")
}

/// Whether all lines are of the same width but for the last, which may be shorter.
fn are_even(lines: &[&str]) -> bool {
    let (Some(first), Some((last, others))) = (lines.first(), lines.split_last()) else {
        return false;
    };
    let width = first.len();
    width >= MIN_WIDTH && others.iter().all(|line| line.len() == width) && (1..=width).contains(&last.len())
}

fn decode_base64(label: &str, lines: &[&str]) -> Option<Zeroizing<Vec<u8>>> {
    let text = Zeroizing::new(lines.concat());
    if label == PUBLIC_LABEL {
        return base64::decode(&text).map(Zeroizing::new); // not in constant time, and much faster
    }
    let mut content = Zeroizing::new(vec![0; text.len()]);
    let len = Base64::decode(text.as_bytes(), &mut content).ok()?.len();
    content.truncate(len);
    Some(content)
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
