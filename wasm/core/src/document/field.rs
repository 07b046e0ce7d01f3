//! Names of the header fields.
#![allow(missing_docs)]
pub const SCHEMA: &str = "$schema";
pub const ID: &str = "sxId";
pub const VERSION: &str = "sxVersion";
pub const ORIGINAL_VERSION: &str = "sxOriginalVersion";
pub const PREVIOUS_VERSION: &str = "sxPreviousVersion";
pub const VERSION_DATE: &str = "sxVersionDate";
pub const ORIGINAL_DATE: &str = "sxOriginalDate";
pub const TYPE: &str = "sxType";
pub const LEVEL: &str = "sxLevel";
pub const HASH: &str = "sxSha256";
pub const SIGNATURE: &str = "sxSignature";
pub const REGISTRATION: &str = "sxRegistration";
pub const FILES: &str = "sxFiles";
pub const AGREEMENT: &str = "sxAgreement";

pub const AGENT_TYPE: &str = "sxAgentType";
pub const AGENT_DOMAIN: &str = "sxAgentDomain";
pub const PUBLIC_KEYS: &str = "sxPublicKeys";
pub const KEY_ROTATION: &str = "sxKeyRotation";
pub const FORMER_KEYS: &str = "sxFormerKeys";

/// The payload of `signMessage`.
pub const CONTENT: &str = "content";

/// The header but for `sxFiles` and `sxAgreement`, which can be as large as any body.
pub const FRAME: &[&str] = match HEADER {
    [frame @ .., _, _] => frame,
    _ => &[],
};
/// Fields of every document; what is not among them is the document's body.
pub const HEADER: &[&str] = &[
    SCHEMA,
    ID,
    VERSION,
    ORIGINAL_VERSION,
    PREVIOUS_VERSION,
    VERSION_DATE,
    ORIGINAL_DATE,
    TYPE,
    LEVEL,
    HASH,
    SIGNATURE,
    REGISTRATION,
    FILES,
    AGREEMENT,
];
/// Further fields of the `sx` name space, allowed on agent documents only.
pub const AGENT: &[&str] = &[AGENT_TYPE, AGENT_DOMAIN, PUBLIC_KEYS, KEY_ROTATION, FORMER_KEYS];

/// The members of the document in a signed text or image, in canonical order: these and no others.
/// Versions follow each other in other places, and a registration would be something that the signer
/// does not vouch for.
pub const ALONE: [&str; 11] = [
    SCHEMA,
    CONTENT,
    ID,
    LEVEL,
    ORIGINAL_DATE,
    ORIGINAL_VERSION,
    HASH,
    SIGNATURE,
    TYPE,
    VERSION,
    VERSION_DATE,
];

/// Whether it is one of [`HEADER`].
pub fn is_header(name: &str) -> bool {
    (name.starts_with("sx") || name == SCHEMA) && HEADER.contains(&name)
}

/// Whether the name belongs to the name space of the library: `sx` and a capital letter.
pub fn is_reserved(name: &str) -> bool {
    name.strip_prefix("sx").and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Object, Value};
    use alloc::string::String;

    #[test]
    fn every_header_field_is_told_by_its_name() {
        assert!(HEADER.iter().all(|name| is_header(name)));
        assert!(!["", "s", "sx", "sxOther", "content", "$schemas"].iter().any(|name| is_header(name)));
    }

    #[test]
    fn the_members_of_a_document_that_stands_alone_are_in_canonical_order() {
        let object = Object::from_iter(ALONE.map(|name| (String::from(name), Value::Null)));
        assert!(object.iter().map(|(name, _)| name).eq(ALONE));
    }
}
