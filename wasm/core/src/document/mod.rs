//! Documents: their header, how they are made and how they are verified (protocol, sections 6 and 9).

mod header;
mod make;
mod verify;

pub use header::{Header, Signature};
pub use make::{Kind, Made, Signer, create, update};
pub use verify::{Checked, SignatureField, Verdict, Verification};

pub(crate) use make::{first_version, next_version};

use crate::error::Result;
use crate::json::{self, Limits, Object, Value};
use alloc::string::String;
use alloc::vec::Vec;

/// Where the schemas of the library are named. An identifier, never fetched (decisions 42).
pub const SCHEMA_BASE: &str = "urn:sx-agent:schemas";
/// `$schema` of a document without a custom schema.
pub const HEADER_SCHEMA: &str = "urn:sx-agent:schemas/header/v1/header.schema.json";

/// Names of the header fields.
pub mod field {
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
}

/// `sxType` of what `signMessage` makes.
pub const MESSAGE_TYPE: &str = "message";
/// `sxType` of an agent document.
pub const AGENT_TYPE: &str = "agent";
/// Allowed values of `sxLevel`.
pub const LEVELS: &[&str] = &["raw", "config", "artifact", "derived"];

/// What a stored text says it is: `{id, version, previous, type}` as JSON. Its shape is checked,
/// its signature is not.
///
/// Errors: those of the reader and of [`Header::of`].
pub fn identity(text: &[u8], limits: &Limits) -> Result<String> {
    let document = json::parse(text, limits)?;
    let header = Header::of(&document)?;
    Ok(identity_json(header.id, header.version, header.previous_version, header.kind))
}

fn identity_json(id: &str, version: &str, previous: Option<&str>, kind: &str) -> String {
    json::write(&Value::Object(Object::from([
        ("id", id.into()),
        ("version", version.into()),
        ("previous", previous.map_or(Value::Null, Value::from)),
        ("type", kind.into()),
    ])))
}

/// The members of a document, each already in canonical form, so that the canonical text of the
/// document without some members is a concatenation and large members are written once.
pub(crate) struct Canonical(Vec<(String, String)>);

impl Canonical {
    pub(crate) fn of(object: &Object) -> Self {
        Self(object.iter().map(|(name, value)| (name.into(), json::write(value))).collect())
    }

    /// Sets a member, in its canonical place.
    pub(crate) fn set(&mut self, name: &str, value: &Value) {
        let text = json::write(value);
        match self.0.binary_search_by(|(other, _)| json::compare_names(other, name)) {
            Ok(at) => {
                if let Some(member) = self.0.get_mut(at) {
                    member.1 = text;
                }
            }
            Err(at) => self.0.insert(at, (name.into(), text)),
        }
    }

    /// JCS of the document's body as people gave it: the payload of a message, else the object of
    /// all members that are not header fields.
    pub(crate) fn body(&self, kind: &str) -> String {
        let mut own = self.0.iter().filter(|(name, _)| !field::HEADER.contains(&name.as_str()));
        match (own.next(), own.next()) {
            (Some((name, text)), None) if kind == MESSAGE_TYPE && name == field::CONTENT => text.clone(),
            _ => self.text_without(field::HEADER),
        }
    }

    /// JCS of the object without the members in `skip`.
    pub(crate) fn text_without(&self, skip: &[&str]) -> String {
        let size = self.0.iter().fold(2usize, |n, (name, text)| {
            n.saturating_add(name.len()).saturating_add(text.len()).saturating_add(8)
        });
        let mut out = String::with_capacity(size);
        out.push('{');
        for (name, text) in self.0.iter().filter(|(name, _)| !skip.contains(&name.as_str())) {
            if out.len() > 1 {
                out.push(',');
            }
            json::write_string_into(name, &mut out);
            out.push(':');
            out.push_str(text);
        }
        out.push('}');
        out
    }
}
