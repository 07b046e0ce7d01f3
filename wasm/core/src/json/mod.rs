//! Strict JSON: one reader and one writer (RFC 8785) for everything that is signed.
