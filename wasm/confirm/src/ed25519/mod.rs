//! Ed25519 (RFC 8032), strictly.
