//! Base64; see [`sx_json::base64`].

pub use sx_json::base64::{decode, decode_len, decode_url, encode, encode_url};
