//! Manifests of backups: what is signed of them, and when one counts (protocol, section 19).

use crate::document::{self, Author, Canonical, HEADER_SCHEMA, Header, LEVELS, Made, Making, field};
use crate::error::{Code, Error, Result};
use crate::hash::is_sha256_hex;
use crate::held;
use crate::json::{self, Limits, Object, Value};
use crate::moment::Moment;
use crate::time;
use alloc::format;
use alloc::string::String;

/// `sxType` of a manifest. No caller can have a document of this type signed: it would pass for a backup.
pub const MANIFEST_TYPE: &str = "sx-backup";

/// What a manifest says of the entries.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// How many there are.
    pub entries: u32,
    /// The hexadecimal SHA-256 over their hashes.
    pub sha256: &'a str,
}

/// Members of a manifest: all of them, and no others.
const MEMBERS: [&str; 12] = [
    field::SCHEMA,
    field::ID,
    field::VERSION,
    field::VERSION_DATE,
    field::ORIGINAL_VERSION,
    field::ORIGINAL_DATE,
    field::TYPE,
    field::LEVEL,
    field::HASH,
    field::SIGNATURE,
    ENTRIES,
    SHA256,
];
const ENTRIES: &str = "entries";
const SHA256: &str = "sha256";

fn level() -> &'static str {
    LEVELS.first().copied().unwrap_or_default()
}

/// Signs what is in a backup.
///
/// `agent_date`: the date of the signer's agent document. A clock that is behind it gives way, so that no manifest is
/// older than the agent document that it vouches for.
///
/// Errors: `InvalidDocument` for what is no such hash.
pub fn manifest(
    author: &Author<'_>,
    Contents { entries, sha256 }: Contents<'_>,
    agent_date: &str,
    moment: Moment,
) -> Result<Made> {
    if !is_sha256_hex(sha256) {
        return Err(Error::new(Code::InvalidDocument, "The hash of the entries is not hexadecimal."));
    }
    let document = Object::from_iter([
        (ENTRIES.into(), Value::Number(f64::from(entries))),
        (SHA256.into(), sha256.into()),
        (field::TYPE.into(), MANIFEST_TYPE.into()),
        (field::LEVEL.into(), level().into()),
    ]);
    let moment = Moment { now: moment.now.max(time::parse(agent_date).unwrap_or_default()), ..moment };
    document::first_version(author, document, &Making::default(), &moment)
}

/// Decides whether a manifest is that of a backup, and gives the date at which it was signed.
///
/// `agent`: the latest version of the agent document that the backup holds. Its current key alone signs manifests, and
/// says so by that version: a key that was rotated away vouches for nothing that came after it.
///
/// Errors: `CorruptStore`, which says what is wrong; `LimitExceeded`.
pub fn check(text: &[u8], agent: &[u8], contents: Contents<'_>, limits: &Limits) -> Result<String> {
    let agent = held::verify(agent, limits)?;
    let unsigned = |_| damaged("its manifest is not signed by its agent");
    let document = json::parse(text, limits).map_err(|_| damaged("its manifest cannot be read"))?;
    let header = Header::of(&document).map_err(unsigned)?;
    let object = document.as_object().ok_or_else(|| damaged("its manifest cannot be read"))?;
    let signature = &header.signature;
    if header.document_type != MANIFEST_TYPE || signature.agent_id != agent.id {
        return Err(damaged("its manifest is not signed by its agent"));
    }
    if let Some((name, _)) = object.iter().find(|(name, _)| !MEMBERS.contains(name)) {
        let name: String = name.chars().take(80).filter(char::is_ascii_graphic).collect();
        return Err(damaged(&format!("its manifest has an unknown member '{name}'")));
    }
    let has = |name: &str, text: &str| object.get(name).and_then(Value::as_str) == Some(text);
    if object.len() != MEMBERS.len() || !has(field::SCHEMA, HEADER_SCHEMA) || !has(field::LEVEL, level()) {
        return Err(damaged("its manifest is malformed"));
    }
    if signature.key_id != agent.key_id() {
        let (signed, current) = (signature.key_id, agent.key_id());
        return Err(damaged(&format!(
            "its manifest is signed with the key {signed}, which is not the current one of its agent document, {current}"
        )));
    }
    if signature.agent_version != agent.version {
        return Err(damaged("its manifest does not name the latest version of the agent document in it"));
    }
    document::check(object, &mut Canonical::of(object), &header, &agent.key).map_err(unsigned)?;
    if signature.date < agent.date.as_str() {
        return Err(damaged("its manifest is dated before the agent document in it"));
    }
    let is_same = object.get(ENTRIES) == Some(&Value::Number(f64::from(contents.entries)));
    if !is_same || !has(SHA256, contents.sha256) {
        return Err(damaged("its entries do not match its manifest"));
    }
    Ok(signature.date.into())
}

fn damaged(what: &str) -> Error {
    Error::new(Code::CorruptStore, format!("The backup is damaged: {what}."))
}
