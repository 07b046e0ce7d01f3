//! Making documents: the first version, and further versions.

use super::{
    Author, Canonical, HEADER_SCHEMA, Header, Kind, LEVELS, Made, Making, SignatureField, field, header,
};
use crate::base64;
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::files;
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Value};
use crate::moment::Moment;
use crate::time;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What the body of a document that is made leaves unused of the limits: the longest header, with
/// signature and registration by ML-DSA-87, so that every next version is within them too.
const HEADER_MEMBERS: usize = 64;
const HEADER_BYTES: usize = 16 * 1024;

/// How types begin that only the library gives: to the documents in signed texts and images, and to manifests
/// of backups.
const RESERVED_TYPES: &str = "sx-";

/// Levels that every signed document has: itself and its signature.
const SIGNED_DEPTH: usize = 2;

/// Makes the first version of a document of a JSON text.
///
/// The limits count for the document that is made ([`sign`]), so that it does not matter whether a
/// payload comes alone or inside of its document.
///
/// Errors: those of the reader; `InvalidDocument` if a document's text is not an object;
/// `ReservedField` if it carries header fields; `InvalidSchema`; `InvalidOption` for the files; `LimitExceeded`.
pub fn create(author: &Author<'_>, text: &[u8], making: &Making<'_>, moment: &Moment) -> Result<Made> {
    let value = json::parse(text, &author.limits)?;
    let document = match (making.kind, value) {
        (Kind::Message, value) => Object::from_iter([(field::CONTENT.into(), value)]),
        (Kind::Document, Value::Object(object)) => object,
        (Kind::Document, _) => {
            return Err(Error::new(
                Code::InvalidDocument,
                "A document must be a JSON object; sign other values as messages.",
            ));
        }
    };
    create_of(author, document, making, moment)
}

/// Makes the first version of a document of its own members, of which type and level may be left out.
///
/// Errors: those of [`create`] but for the reader's.
pub(crate) fn create_of(
    author: &Author<'_>,
    mut document: Object,
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let default_type = if making.kind == Kind::Message { super::MESSAGE_TYPE } else { "document" };
    let own_type = document.remove(field::TYPE).unwrap_or_else(|| default_type.into());
    let own_level =
        document.remove(field::LEVEL).unwrap_or_else(|| LEVELS.first().copied().unwrap_or_default().into());
    if document.get(field::SCHEMA) == Some(&making.schema()?) {
        document.remove(field::SCHEMA); // says what would be set
    }
    for (name, _) in document.iter() {
        if field::is_header(name) || field::is_reserved(name) {
            return Err(reserved(name));
        }
    }
    match (&own_type, &own_level) {
        (Value::String(own), _) if own == super::AGENT_TYPE || own.starts_with(RESERVED_TYPES) => {
            return Err(reserved(field::TYPE));
        }
        (Value::String(own), Value::String(level)) if LEVELS.contains(&level.as_str()) => {
            header::check_type(own)?
        }
        (Value::String(_), _) => {
            return Err(Error::new(
                Code::InvalidDocument,
                "'sxLevel' is not one of raw, config, artifact, derived.",
            ));
        }
        _ => return Err(Error::new(Code::InvalidDocument, "'sxType' is not a string.")),
    }
    document.insert(field::TYPE.into(), own_type);
    document.insert(field::LEVEL.into(), own_level);
    attach(&mut document, making.files, &author.limits)?;
    first_version(author, document, making, moment)
}

/// Puts the files that are described into a document, in the place of those that it has; no description leaves
/// these.
fn attach(document: &mut Object, files: Option<&str>, limits: &Limits) -> Result<()> {
    let Some(files) = files else { return Ok(()) };
    match files::make(files, limits)? {
        Some(made) => drop(document.insert(field::FILES.into(), made)),
        None => drop(document.remove(field::FILES)),
    }
    Ok(())
}

fn reserved(name: &str) -> Error {
    // Only names of our own name space come here; it has no need of escaping but of an end.
    let shown: String = name.chars().take(64).filter(|c| c.is_ascii_alphanumeric() || *c == '$').collect();
    Error::new(
        Code::ReservedField,
        format!("The input has the field '{shown}', which only the library sets."),
    )
}

/// Adds the header of a first version and signs. `document` holds its own members, type and level.
pub(crate) fn first_version(
    author: &Author<'_>,
    mut document: Object,
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let (id, version, date) = (moment.id(), moment.version(), moment.date()?);
    document.insert(field::SCHEMA.into(), making.schema()?);
    document.insert(field::ID.into(), id.as_str().into());
    document.insert(field::VERSION.into(), version.as_str().into());
    document.insert(field::ORIGINAL_VERSION.into(), version.as_str().into());
    document.insert(field::VERSION_DATE.into(), date.as_str().into());
    document.insert(field::ORIGINAL_DATE.into(), date.as_str().into());
    let raw = sign(author, &document, making, &date, &moment.entropy)?;
    Ok(Made { raw, id, version, previous: None, date })
}

/// Makes the document that a text or an image carries as its signature: it holds what is claimed of them, and has the
/// default limits, whatever those of the text are.
pub(crate) fn create_claim(
    author: &Author<'_>,
    document_type: &str,
    content: Object,
    moment: &Moment,
) -> Result<Made> {
    let document = json::object(Vec::from([
        (field::CONTENT, content.into()),
        (field::TYPE, document_type.into()),
        (field::LEVEL, LEVELS.first().copied().unwrap_or_default().into()),
    ]));
    let author = Author { limits: Limits::default(), ..*author };
    first_version(&author, document, &Making::default(), moment)
}

/// Makes the next version of `current` (the text of a verified document).
///
/// `text` is the new payload, or the whole document with its body changed: header fields in it
/// must be those of the current version (protocol, section 6). The payload of a message may be anything,
/// also another document, so only what names this message or looks like a whole one is taken for one.
///
/// Errors: those of the reader; `ReservedField` for other header fields, and for documents of types that
/// only the library gives; `InvalidOption` for agent documents; `SchemaRequired` for a document
/// of a custom schema if none is given, `InvalidSchema`; `InvalidDocument`; `InvalidOption` for the files.
pub fn update(
    author: &Author<'_>,
    current: &[u8],
    text: &[u8],
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let current = json::parse(current, &author.limits)?;
    let header = Header::of(&current)?;
    check_open(&header)?;
    let offered = json::parse(text, &author.limits)?;
    let is_message = header.document_type == super::MESSAGE_TYPE && is_content_only(&current);
    let members = match offered {
        Value::Object(object) if !is_message => object,
        Value::Object(object) if is_whole_message(&object, header.id) => object,
        payload if is_message => Object::from_iter([(field::CONTENT.into(), payload)]),
        _ => {
            return Err(Error::new(
                Code::InvalidDocument,
                "The new content of this document must be a JSON object.",
            ));
        }
    };
    next_version(author, &current, members, making, moment)
}

/// Whether callers may make versions of a document.
///
/// Errors: `InvalidOption`, `ReservedField`.
fn check_open(header: &Header<'_>) -> Result<()> {
    if header.document_type == super::AGENT_TYPE {
        return Err(Error::new(
            Code::InvalidOption,
            "This is an agent document. Update it with updateAgent.",
        ));
    }
    if header.document_type.starts_with(RESERVED_TYPES) {
        return Err(reserved(field::TYPE)); // the caller would say what only the library says
    }
    Ok(())
}

fn is_header(name: &str) -> bool {
    field::is_header(name) || field::is_reserved(name)
}

fn is_content_only(document: &Value) -> bool {
    document.as_object().is_some_and(|document| {
        document.contains(field::CONTENT) && document.iter().filter(|(name, _)| !is_header(name)).count() == 1
    })
}

fn is_whole_message(offered: &Object, id: &str) -> bool {
    offered.get(field::ID).is_some_and(|named| {
        offered.contains(field::CONTENT) || (*named == id.into() && offered.contains(field::VERSION))
    })
}

/// Makes the next version of a well-formed document, with these members as its body. Header
/// fields among them must be the current ones. Its files stay, unless others are described.
pub(crate) fn next_version(
    author: &Author<'_>,
    current: &Value,
    members: Object,
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let header = Header::of(current)?;
    let kept = current.as_object().ok_or(Code::InvalidDocument)?;
    let agent = header.document_type == super::AGENT_TYPE;
    if members.get(field::ID) == kept.get(field::ID) {
        require_version(members.get(field::VERSION), header.version)?;
    }
    let mut document = Object::new();
    for (name, value) in members {
        if !is_header(&name) || (agent && field::AGENT.contains(&name.as_str())) {
            document.insert(name, value);
        } else if kept.get(&name) != Some(&value)
            && !(name == field::SCHEMA
                && making.schema.is_some()
                && value.as_str() == making.schema.as_deref())
        {
            return Err(reserved(&name));
        }
    }
    if making.schema.is_none() && kept.get(field::SCHEMA) != Some(&HEADER_SCHEMA.into()) {
        return Err(Code::SchemaRequired.into()); // nobody would have looked whether it still fits
    }
    document.insert(field::SCHEMA.into(), making.schema()?);
    for name in [
        field::ID,
        field::ORIGINAL_VERSION,
        field::ORIGINAL_DATE,
        field::TYPE,
        field::LEVEL,
        field::FILES,
        field::AGREEMENT,
    ] {
        if let Some(value) = kept.get(name) {
            document.insert(name.into(), value.clone());
        }
    }
    attach(&mut document, making.files, &author.limits)?;
    following(author, document, &header, making, moment)
}

/// Makes the next version of a verified document in which one member has another value, and all else stays.
///
/// Errors: `InvalidOption` for agent documents, `ReservedField` for documents of types that only the library gives;
/// `SchemaRequired` for a member of the body of a document of a custom schema, unless `making` names that;
/// `LimitExceeded`.
pub(crate) fn revise(
    author: &Author<'_>,
    current: &Value,
    (name, value): (&str, Value),
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let header = Header::of(current)?;
    check_open(&header)?;
    let mut document = current.as_object().ok_or(Code::InvalidDocument)?.clone();
    if !is_header(name) && document.get(field::SCHEMA) != Some(&making.schema()?) {
        return Err(Code::SchemaRequired.into()); // nobody would have looked whether it still fits
    }
    for gone in [field::HASH, field::SIGNATURE, field::REGISTRATION] {
        document.remove(gone);
    }
    document.insert(name.into(), value);
    following(author, document, &header, making, moment)
}

/// Gives a document the header of the version after one, and signs.
fn following(
    author: &Author<'_>,
    mut document: Object,
    header: &Header<'_>,
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let (version, date) = (moment.version(), later(header.version_date, moment.now)?);
    document.insert(field::VERSION.into(), version.as_str().into());
    document.insert(field::PREVIOUS_VERSION.into(), header.version.into());
    document.insert(field::VERSION_DATE.into(), date.as_str().into());
    let agent = header.document_type == super::AGENT_TYPE;
    let author = Author { agent_version: if agent { &version } else { author.agent_version }, ..*author };
    let raw = sign(&author, &document, making, &date, &moment.entropy)?;
    Ok(Made { raw, id: header.id.into(), version, previous: Some(header.version.into()), date })
}

/// Refuses what was made of another version than the current one.
fn require_version(offered: Option<&Value>, current: &str) -> Result<()> {
    let Some(offered) = offered.and_then(Value::as_str) else { return Ok(()) };
    if offered == current || !is_uuid(offered) {
        return Ok(());
    }
    Err(Error::new(
        Code::VersionConflict,
        format!("The given document is based on version {offered}, but the current version is {current}."),
    ))
}

/// Now, but later than the predecessor (protocol, section 6), so that dates order the versions also
/// where a clock stands still or goes back.
pub(crate) fn later(previous: &str, now: u64) -> Result<String> {
    let previous = time::parse(previous).unwrap_or_default();
    time::format(now.max(previous.saturating_add(1)))
}

/// Hashes and signs a document that has everything but `sxSha256` and `sxSignature`; gives its text.
///
/// Errors: `LimitExceeded` for a document that is too large, see [`check_room`].
fn sign(
    author: &Author<'_>,
    document: &Object,
    making: &Making<'_>,
    date: &str,
    entropy: &Entropy,
) -> Result<String> {
    let mut canonical = Canonical::of(document);
    check_room(document, &canonical, &author.limits)?;
    let hash = canonical.hash_without(&[]);
    canonical.set(field::HASH, &hash.into());
    let added = Added { which: SignatureField::Document, date, is_draft: making.is_draft };
    added.to(canonical, author, entropy) // a custom `$schema` can be long, too
}

/// Adds a countersignature to a verified document, in place of one that is there; gives its text.
///
/// Errors: `LimitExceeded`.
pub(crate) fn countersign(author: &Author<'_>, document: &mut Object, moment: &Moment) -> Result<String> {
    document.remove(field::REGISTRATION);
    let date = moment.date()?;
    let added = Added { which: SignatureField::Registration, date: &date, is_draft: false };
    added.to(Canonical::of(document), author, &moment.entropy)
}

/// A signature that a document gets, over all that it has already.
struct Added<'a> {
    which: SignatureField,
    date: &'a str,
    is_draft: bool,
}

impl Added<'_> {
    /// The canonical text of the document with it.
    ///
    /// Errors: `LimitExceeded`; those of signing.
    fn to(self, mut canonical: Canonical<'_>, author: &Author<'_>, entropy: &Entropy) -> Result<String> {
        let Self { which, date, is_draft } = self;
        let public = author.key.public_key();
        let mut signature = Object::from_iter([
            ("agentID".into(), author.agent_id.into()),
            ("agentVersion".into(), author.agent_version.into()),
            ("date".into(), date.into()),
            ("keyId".into(), public.key_id().into()),
            ("nonce".into(), base64::encode_url(&entropy.draw16("nonce")).into()),
            ("signingAlgorithm".into(), public.algorithm().name().into()),
        ]);
        canonical.set(which.name(), &Value::Object(signature.clone()));
        let statement = canonical.statement_without(&[], which.context());
        let bytes =
            if is_draft { Vec::new() } else { author.key.sign(&statement, &entropy.draw32("hedge"))? };
        signature.insert("signature".into(), base64::encode(&bytes).into());
        canonical.set(which.name(), &Value::Object(signature));
        let raw = canonical.text_without(&[]);
        let limit = author.limits.bytes;
        if raw.len() > limit { too_large("bytes", raw.len(), limit) } else { Ok(raw) }
    }
}

/// Whether a document that has no signature yet leaves room for everything that its header may hold.
///
/// Errors: `LimitExceeded`.
fn check_room(document: &Object, canonical: &Canonical<'_>, limits: &Limits) -> Result<()> {
    let mut body = document.iter().filter(|(name, _)| !field::FRAME.contains(name)).map(|(_, value)| value);
    let (levels, members) = measure(&mut body);
    let levels = levels.max(SIGNED_DEPTH);
    let bytes = canonical.len_without(field::FRAME);
    for (unit, found, limit) in [
        ("levels", levels, limits.depth),
        ("members and items", members, limits.members.saturating_sub(HEADER_MEMBERS)),
        ("bytes", bytes, limits.bytes.saturating_sub(HEADER_BYTES)),
    ] {
        if found > limit {
            return too_large(unit, found, limit);
        }
    }
    Ok(())
}

fn too_large<T>(unit: &str, found: usize, limit: usize) -> Result<T> {
    let found = format!("The document would have {found} {unit}; the limit is {limit}.");
    Err(Error::new(Code::LimitExceeded, found))
}

/// Levels of a container of these values, and members and items in it, in all.
fn measure(values: &mut dyn Iterator<Item = &Value>) -> (usize, usize) {
    let (levels, count) = values.fold((0_usize, 0_usize), |(levels, count), value| {
        let (inner, more) = match value {
            Value::Array(items) => measure(&mut items.iter()),
            Value::Object(object) => measure(&mut object.iter().map(|(_, value)| value)),
            _ => (0, 0),
        };
        (levels.max(inner), count.saturating_add(more).saturating_add(1))
    });
    (levels.saturating_add(1), count)
}
