//! Verifying documents: the order of the steps (protocol, section 9). Pure: the text and the keys
//! decide, nothing else.

use crate::agent::Agent;
use crate::answer;
use crate::document::{self, AGENT_TYPE, Canonical, Header, SignatureField, Within, field};
use crate::error::{Code, Error, Result};
use crate::files;
use crate::ids::is_uuid;
use crate::json::{self, Limits, Object, Place, Value};
use crate::ring::Ring;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// A document that was read and waits for the keys of its signer.
pub struct Verification {
    /// Of a canonical text only what is of the header: its body was read, but nobody asks for more than its text.
    document: Result<Value>,
    canonical: Option<CanonicalText>,
    /// Whether whoever asks has the text.
    is_at_hand: bool,
}

/// A text that is canonical as it stands, and where its members are.
struct CanonicalText {
    text: String,
    places: Vec<Place>,
}

impl CanonicalText {
    /// What is needed of a document beside its text: its header. `None` where more may be: for an agent document, or
    /// for what is no document of ours.
    fn header(&self, limits: &Limits) -> Option<Value> {
        let mut header = Object::new();
        for Place { name, value } in &self.places {
            let name = self.text.get(name.clone())?;
            if name == field::SCHEMA || field::is_reserved(name) {
                let value = self.text.get(value.clone())?;
                let plain = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let value = match plain.filter(|text| !text.contains('\\')) {
                    Some(text) => text.into(),
                    None => json::parse(value.as_bytes(), limits).ok()?,
                };
                header.insert(name.into(), value);
            }
        }
        let is_agent = header.get(field::TYPE)?.as_str()? == AGENT_TYPE;
        (!is_agent && header.contains(field::SIGNATURE)).then_some(Value::Object(header))
    }
}

/// What a valid signature vouches for.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Name of the key's algorithm.
    pub algorithm: &'static str,
    /// The signature's date.
    pub timestamp: String,
    /// Whether the signer is this agent or in its trust store.
    pub trusted: bool,
    /// What the signer calls itself in the agent document that is known of it; empty if none is.
    pub signer_name: String,
    /// `sxId`.
    pub id: String,
    /// `sxVersion`.
    pub version: String,
    /// `sxPreviousVersion`.
    pub previous: Option<String>,
    /// `sxType`.
    pub document_type: String,
    /// JCS of the payload, as it was handed in for signing; empty where `within` says where it stands.
    pub data: String,
    /// Where the payload stands in the text that was verified.
    pub within: Option<Within>,
    /// Its files, as the result shows them.
    pub attachments: Vec<Value>,
    /// What there is to warn of, likewise.
    pub warnings: Vec<Value>,
}

/// The answer to "is this document valid": who it names as its signer, and what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The signer, as far as the document names one. Only a claim unless the outcome is good.
    pub signer_id: String,
    /// The key, likewise.
    pub key_id: String,
    /// What the signature vouches for, or why it does not.
    pub outcome: Result<Checked>,
}

impl Verification {
    /// Reads a document. What is wrong with it is said by [`finish`](Self::finish).
    pub fn start(text: &[u8], limits: &Limits) -> Self {
        let (document, canonical) = match core::str::from_utf8(text) {
            Ok(text) if text.len() <= limits.bytes => read(text.into(), limits),
            _ => (json::parse(text, limits), None),
        };
        Self { document, canonical, is_at_hand: false }
    }

    /// Reads a document of which the text stays at hand: where it is canonical, the verdict says where its data stand in
    /// it, and does not repeat them.
    pub fn start_within(text: String, limits: &Limits) -> Self {
        let (document, canonical) = read(text, limits);
        Self { document, canonical, is_at_hand: true }
    }

    /// The agent whose keys are needed, if the document names one that could exist.
    pub fn signer_id(&self, which: SignatureField) -> Option<&str> {
        let document = self.document.as_ref().ok()?.as_object()?;
        let id = document.get(which.name())?.as_object()?.get("agentID")?.as_str()?;
        is_uuid(id).then_some(id)
    }

    /// Steps 1 to 3: the document and its header.
    fn read(&self) -> Result<(&Object, Header<'_>)> {
        let document = self.document.as_ref().map_err(Clone::clone)?;
        let header = Header::of(document)?;
        Ok((document.as_object().ok_or(Code::InvalidDocument)?, header))
    }

    /// The canonical members of the document that was read.
    fn members<'a>(&'a self, document: &'a Object) -> Canonical<'a> {
        match &self.canonical {
            Some(CanonicalText { text, places }) => Canonical::at(text, places),
            None => Canonical::of(document),
        }
    }

    /// Decides: shape, key, algorithm label and key id, signature, hash.
    pub fn finish(self, ring: &Ring) -> Verdict {
        self.read().map_or_else(Verdict::unread, |(document, header)| self.decide(document, &header, ring))
    }

    /// Decides like [`finish`](Self::finish), and that the document is the version that was asked
    /// for: a storage that holds another one under its key is damaged or was tampered with. Any
    /// version will do if none is named.
    ///
    /// What cannot be read is `CorruptStore`, but for what is larger than the caller's limits: that
    /// says nothing of the storage.
    pub fn finish_as(self, ring: &Ring, id: &str, version: &str) -> Verdict {
        let (document, header) = match self.read() {
            Ok(read) => read,
            Err(error) if error.code == Code::LimitExceeded => return Verdict::unread(error),
            Err(error) => {
                let found = format!("The stored document is damaged ({}).", error.code.name());
                return Verdict::unread(Error::new(Code::CorruptStore, found));
            }
        };
        let mut verdict = self.decide(document, &header, ring);
        let is_asked_for = header.id == id && (version.is_empty() || header.version == version);
        if verdict.outcome.is_ok() && !is_asked_for {
            verdict.outcome =
                Err(Error::new(Code::CorruptStore, "The storage has another document under this key."));
        }
        verdict
    }

    /// Whether one of the signatures verifies, whatever the hash says (`verifySignature`).
    ///
    /// Errors: those of steps 1 to 7; `MissingSignature` if there is no registration.
    pub fn finish_signature(self, ring: &Ring, which: SignatureField) -> Result<()> {
        let (document, header) = self.read()?;
        let signature = match which {
            SignatureField::Document => &header.signature,
            SignatureField::Registration => header.registration.as_ref().ok_or(Code::MissingSignature)?,
        };
        let signer = ring.resolve(signature.agent_id, signature.key_id)?;
        document::check_signature(document, &mut self.members(document), signature, which, signer.key)
    }

    /// Steps 4 to 9.
    fn decide(&self, document: &Object, header: &Header<'_>, ring: &Ring) -> Verdict {
        let signature = &header.signature;
        Verdict {
            signer_id: signature.agent_id.into(),
            key_id: signature.key_id.into(),
            outcome: self.check(document, header, ring),
        }
    }

    fn check(&self, document: &Object, header: &Header<'_>, ring: &Ring) -> Result<Checked> {
        let signer = ring.resolve(header.signature.agent_id, header.signature.key_id)?;
        let mut members = self.members(document);
        document::check(document, &mut members, header, signer.key)?;
        if header.document_type == AGENT_TYPE {
            Agent::of(document, header)?;
        }
        let at_hand = self.canonical.as_ref().filter(|_| self.is_at_hand);
        let within =
            at_hand.map(|CanonicalText { text, places }| Within::of(text, places, header.document_type));
        let (attachments, warnings) = files::shown(document.get(field::FILES));
        Ok(Checked {
            algorithm: signer.key.key.algorithm().name(),
            timestamp: header.signature.date.into(),
            trusted: signer.trusted,
            signer_name: signer.name.into(),
            id: header.id.into(),
            version: header.version.into(),
            previous: header.previous_version.map(Into::into),
            document_type: header.document_type.into(),
            data: if within.is_some() { String::new() } else { members.body(header.document_type) },
            within,
            attachments,
            warnings,
        })
    }
}

/// Reads a text: as little of it as will do, where it is canonical.
fn read(text: String, limits: &Limits) -> (Result<Value>, Option<CanonicalText>) {
    let canonical = CanonicalText { places: json::places(&text, limits).unwrap_or_default(), text };
    match canonical.header(limits) {
        Some(header) => (Ok(header), Some(canonical)),
        None => (json::parse(canonical.text.as_bytes(), limits), None),
    }
}

impl Verdict {
    /// The verdict on what could not even be read.
    pub fn unread(error: Error) -> Self {
        Self { signer_id: String::new(), key_id: String::new(), outcome: Err(error) }
    }

    /// The verdict on what was refused before it came here, for what [`Error`] names by its code and says.
    pub fn refused(code: &str, found: &str) -> Self {
        Self::unread(Error::new(Code::parse(code).unwrap_or(Code::Internal), found))
    }

    /// The result as every API shows it (protocol, section 9), as JSON. `code` is null if the document is valid, `data`
    /// if it is not, or where its text is at hand.
    pub fn to_json(&self) -> String {
        let (checked, error) = match &self.outcome {
            Ok(checked) => (Some(checked), None),
            Err(error) => (None, Some(error)),
        };
        let text = |read: fn(&Checked) -> &str| checked.map(read).unwrap_or_default();
        let list = |read: fn(&Checked) -> &Vec<Value>| {
            let list = checked.map(read).filter(|list| !list.is_empty());
            list.map_or("[]".into(), |list| json::write(&list.clone().into()))
        };
        let flag = |is_so: bool| if is_so { "true" } else { "false" };
        let errors =
            error.map_or("[]".into(), |error| json::write(&Vec::from([error.to_string().into()]).into()));
        let data = checked.map(|checked| checked.data.as_str()).filter(|data| !data.is_empty());
        json::Members::with_capacity(data.map_or(512, |data| data.len().saturating_add(512)))
            .text("algorithm", text(|c| c.algorithm))
            .json("attachments", &list(|c| &c.attachments))
            .text("code", error.map(|error| error.code.name()))
            .text("documentId", text(|c| &c.id))
            .json("errors", &errors)
            .text("keyId", self.key_id.as_str())
            .text("signerId", self.signer_id.as_str())
            .text("signerName", text(|c| &c.signer_name))
            .text("timestamp", text(|c| &c.timestamp))
            .json("trusted", flag(checked.is_some_and(|c| c.trusted)))
            .text("type", text(|c| &c.document_type))
            .json("valid", flag(checked.is_some()))
            .text("version", text(|c| &c.version))
            .json("warnings", &list(|c| &c.warnings))
            .json("data", data.unwrap_or("null"))
            .end()
    }

    /// Head and result in one text, a line each. The head is `{"error", "identity", "within"}`: of a valid document
    /// `identity` (`id`, `version`, `previous`, `type`), and `within` if its data stand in its text; `error` (`code`,
    /// `found`) of any other; else null.
    pub fn to_lines(&self) -> String {
        let result = self.to_json();
        match &self.outcome {
            Ok(Checked { id, version, previous, document_type, within, .. }) => {
                let identity = document::identity_json(id, version, previous.as_deref(), document_type);
                let within = within.as_ref().map_or("null".into(), within_json);
                let known = [("error", "null"), ("identity", &*identity), ("within", &*within)];
                answer::lines(None, &known, &result)
            }
            Err(error) => answer::lines(Some(error), &[("identity", "null"), ("within", "null")], &result),
        }
    }

    /// What is said of one of the signatures in a text or an image, to be followed by what only one of them has.
    pub(crate) fn signed_by(&self) -> Vec<(&'static str, Value)> {
        let checked = self.outcome.as_ref().ok();
        let text = |read: fn(&Checked) -> &str| checked.map(read).unwrap_or_default().into();
        Vec::from([
            ("signerId", self.signer_id.as_str().into()),
            ("signerName", text(|c| &c.signer_name)),
            ("keyId", self.key_id.as_str().into()),
            ("algorithm", text(|c| c.algorithm)),
            ("signedAt", text(|c| &c.timestamp)),
            ("trusted", checked.is_some_and(|c| c.trusted).into()),
        ])
    }
}

/// `{isBare, lengths}`
fn within_json(Within { lengths, is_bare }: &Within) -> String {
    let number = |length: &Option<usize>| length.map_or(Value::Null, |length| Value::Number(length as f64));
    let lengths = json::write(&Value::Array(lengths.iter().map(number).collect()));
    let is_bare = if *is_bare { "true" } else { "false" };
    json::Members::with_capacity(64).json("isBare", is_bare).json("lengths", &lengths).end()
}
