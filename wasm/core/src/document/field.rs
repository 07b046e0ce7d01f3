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

pub const AGENT_TYPE: &str = "sxAgentType";
pub const AGENT_DOMAIN: &str = "sxAgentDomain";
pub const PUBLIC_KEYS: &str = "sxPublicKeys";

/// The payload of `signMessage`.
pub const CONTENT: &str = "content";

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
];
/// Further fields of the `sx` name space, allowed on agent documents only.
pub const AGENT: &[&str] = &[AGENT_TYPE, AGENT_DOMAIN, PUBLIC_KEYS];

/// Whether the name belongs to the name space of the library: `sx` and a capital letter.
pub fn is_reserved(name: &str) -> bool {
    name.strip_prefix("sx").and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_ascii_uppercase())
}
