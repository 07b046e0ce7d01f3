//! Keys: algorithms behind one trait, their standard encodings and encryption at rest.
