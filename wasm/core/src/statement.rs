//! The only place where bytes to sign are built (protocol, section 3).

use crate::error::{Code, Result};
use alloc::vec::Vec;
use sx_json::write_whole;

/// How every statement begins. `signString` refuses texts that begin with it, so that no
/// caller can have a statement signed as if it were a plain string.
pub const PREFIX: &str = "SXv2 ";

macro_rules! contexts {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What a signature is for. A signature made in one context never verifies in another.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Context { $($(#[$doc])* $name,)* }

        impl Context {
            /// Every context, in the order of the protocol's table.
            pub const ALL: &'static [Context] = &[$(Context::$name,)*];

            /// The text that stands in the signed bytes.
            pub const fn text(self) -> &'static str {
                match self { $(Context::$name => $text,)* }
            }
        }
    };
}

contexts! {
    /// Signature of a document, also of an agent document.
    Document = "sx-document-v1";
    /// Countersignature of another agent's document.
    Registration = "sx-registration-v1";
    /// A key of an agent with several shows that it is this agent's.
    KeyProof = "sx-key-proof-v1";
    /// The old key vouches for the new one.
    KeyRotation = "sx-key-rotation-v1";
    /// A key revokes itself, in a statement that is kept until it is needed.
    KeyRevocation = "sx-key-revocation-v1";
    /// Hash over the keys that an agent document no longer holds.
    FormerKeys = "sx-former-keys-v1";
    /// Legacy agreement: hash of what is agreed.
    Agreement = "sx-agreement-v1";
    /// Legacy agreement: signature of a party.
    AgreementSign = "sx-agreement-v1-sign";
    /// Standalone agreement: hash of the terms.
    AgreementTerms = "sx-agreement-v2";
    /// Standalone agreement: id of an event.
    AgreementEventId = "sx-agreement-event-id";
    /// Standalone agreement: signature of an event.
    AgreementEvent = "sx-agreement-event-v2";
    /// Request header.
    Request = "sx-request-v2";
    /// Response and event envelope.
    Response = "sx-response-v2";
    /// MCP message.
    Mcp = "sx-mcp-v1";
}

/// `PAE(context, payload)`: the context and the payload, each framed by its length in bytes,
/// so that no two pairs give the same bytes.
///
/// ```
/// use sx_core::statement::{Context, pae};
/// assert_eq!(pae(Context::Document, b"{}"), b"SXv2 14 sx-document-v1 2 {}");
/// ```
pub fn pae(context: Context, payload: &[u8]) -> Vec<u8> {
    let mut statement = begin(context, payload.len());
    statement.extend_from_slice(payload);
    statement
}

/// What stands before a payload of `len` bytes, with room for it.
pub(crate) fn begin(context: Context, len: usize) -> Vec<u8> {
    let name = context.text();
    let mut statement = Vec::with_capacity(len.saturating_add(64));
    let lengths = [name.len(), len].map(|len| write_whole(len as u64));
    let [of_name, of_payload] = &lengths;
    for part in [PREFIX, of_name, " ", name, " ", of_payload, " "] {
        statement.extend_from_slice(part.as_bytes());
    }
    statement
}

/// The bytes that `signString` signs: the text as it is, unless it could pass for a statement.
///
/// Errors: `ReservedPrefix`.
pub fn string(text: &str) -> Result<&[u8]> {
    if text.starts_with(PREFIX) {
        return Err(Code::ReservedPrefix.into());
    }
    Ok(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_payload_has_a_length_too() {
        assert_eq!(pae(Context::Mcp, b""), b"SXv2 9 sx-mcp-v1 0 ");
    }

    #[test]
    fn t44_no_two_contexts_give_the_same_bytes() {
        for (i, a) in Context::ALL.iter().enumerate() {
            for b in Context::ALL.iter().skip(i + 1) {
                assert_ne!(pae(*a, b"x"), pae(*b, b"x"), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn t44_a_string_cannot_be_a_statement() {
        assert_eq!(string("SXv2 14 sx-document-v1 2 {}").map_err(|e| e.code), Err(Code::ReservedPrefix));
        assert_eq!(string("SXv2"), Ok(b"SXv2".as_slice()));
    }
}
