//! Verifying documents. Pure: the text and the keys decide, nothing else.

use super::{Canonical, Header, Signature, field};
use crate::error::{Code, Error, Result};
use crate::hash::sha256_hex;
use crate::json::{self, Limits, Object, Value};
use crate::ring::{Held, Ring};
use crate::statement::{Context, pae};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;

/// Which of a document's signatures is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureField {
    /// `sxSignature`: the agent that made this version.
    Document,
    /// `sxRegistration`: the agent that countersigned it.
    Registration,
}

impl SignatureField {
    /// Reads the name of a signature field.
    ///
    /// Errors: `InvalidOption`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            field::SIGNATURE => Ok(Self::Document),
            field::REGISTRATION => Ok(Self::Registration),
            _ => Err(Error::new(
                Code::InvalidOption,
                "The signature field is neither 'sxSignature' nor 'sxRegistration'.",
            )),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Document => field::SIGNATURE,
            Self::Registration => field::REGISTRATION,
        }
    }
}

/// A document that was read and waits for the keys of its signer.
pub struct Verification(Result<Value>);

/// What a valid signature vouches for.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Name of the key's algorithm.
    pub algorithm: &'static str,
    /// The signature's date.
    pub timestamp: String,
    /// Whether the signer is this agent or in its trust store.
    pub trusted: bool,
    /// `sxId`.
    pub id: String,
    /// `sxVersion`.
    pub version: String,
    /// `sxPreviousVersion`.
    pub previous: Option<String>,
    /// `sxType`.
    pub kind: String,
    /// JCS of the payload, as it was handed in for signing.
    pub data: String,
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
        Self(json::parse(text, limits))
    }

    /// The agent whose keys are needed, if the document names one that could exist.
    pub fn signer_id(&self, which: SignatureField) -> Option<&str> {
        let document = self.0.as_ref().ok()?.as_object()?;
        let id = document.get(which.name())?.as_object()?.get("agentID")?.as_str()?;
        crate::ids::is_uuid(id).then_some(id)
    }

    /// Decides: shape, key, algorithm label and key id, signature, hash.
    pub fn finish(self, ring: &Ring) -> Verdict {
        let document = match self.0 {
            Ok(document) => document,
            Err(error) => return Verdict::unread(error),
        };
        let header = match Header::of(&document) {
            Ok(header) => header,
            Err(error) => return Verdict::unread(error),
        };
        let signature = &header.signature;
        Verdict {
            signer_id: signature.agent_id.into(),
            key_id: signature.key_id.into(),
            outcome: check(&document, &header, ring),
        }
    }

    /// Decides like [`finish`](Self::finish), and that the document is the version that was asked
    /// for: a storage that holds another one under its key is damaged or was tampered with.
    pub fn finish_as(self, ring: &Ring, id: &str, version: &str) -> Verdict {
        let well_formed = self.0.as_ref().is_ok_and(|document| Header::of(document).is_ok());
        let mut verdict = self.finish(ring);
        if let (false, Err(error)) = (well_formed, &mut verdict.outcome) {
            let name = error.code.name();
            *error = Error::new(Code::CorruptStore, format!("The stored document is damaged ({name})."));
        }
        if verdict.outcome.as_ref().is_ok_and(|checked| checked.id != id || checked.version != version) {
            verdict.outcome =
                Err(Error::new(Code::CorruptStore, "The storage holds another document under this key."));
        }
        verdict
    }

    /// Whether one of the signatures verifies, whatever the hash says (`verifySignature`).
    pub fn finish_signature(self, ring: &Ring, which: SignatureField) -> Result<()> {
        let document = self.0?;
        let header = Header::of(&document)?;
        let members = Canonical::of(document.as_object().ok_or(Code::InvalidDocument)?);
        let signature = match which {
            SignatureField::Document => &header.signature,
            SignatureField::Registration => header.registration.as_ref().ok_or(Code::MissingSignature)?,
        };
        check_signature(&document, members, signature, which, ring).map(|_| ())
    }
}

fn check(document: &Value, header: &Header<'_>, ring: &Ring) -> Result<Checked> {
    let object = document.as_object().ok_or(Code::InvalidDocument)?;
    let canonical = Canonical::of(object);
    let hashed = canonical.text_without(&[field::HASH, field::SIGNATURE, field::REGISTRATION]);
    let data = canonical.body(header.kind);
    let (held, trusted) =
        check_signature(document, canonical, &header.signature, SignatureField::Document, ring)?;
    if sha256_hex(hashed.as_bytes()) != header.sha256 {
        return Err(Code::HashMismatch.into());
    }
    if header.kind == super::AGENT_TYPE {
        crate::agent::Agent::of(document)?;
    }
    Ok(Checked {
        algorithm: held.key.algorithm().name(),
        timestamp: header.signature.date.into(),
        trusted,
        id: header.id.into(),
        version: header.version.into(),
        previous: header.previous_version.map(Into::into),
        kind: header.kind.into(),
        data,
    })
}

fn check_signature<'r>(
    document: &Value,
    mut members: Canonical,
    signature: &Signature<'_>,
    which: SignatureField,
    ring: &'r Ring,
) -> Result<(&'r Held, bool)> {
    let keys = ring.resolve(signature.agent_id)?;
    let Some(held) = keys.find(signature.key_id) else {
        return Err(Error::new(
            Code::KeyMismatch,
            "The document names a key that this signer is not known to have.",
        ));
    };
    if held.key.algorithm().name() != signature.algorithm {
        return Err(Error::new(Code::KeyMismatch, "The document names another algorithm than its key's."));
    }
    held.check_usable(signature.date)?;
    let signed = document.as_object().and_then(|document| document.get(which.name()));
    let mut unsigned = signed.and_then(Value::as_object).cloned().ok_or(Code::InvalidDocument)?;
    unsigned.remove("signature");
    members.set(which.name(), &Value::Object(unsigned));
    let statement = match which {
        SignatureField::Document => {
            pae(Context::Document, members.text_without(&[field::REGISTRATION]).as_bytes())
        }
        SignatureField::Registration => pae(Context::Registration, members.text_without(&[]).as_bytes()),
    };
    if !held.key.verify(&statement, &signature.bytes) {
        return Err(Code::BadSignature.into());
    }
    Ok((held, keys.trusted))
}

impl Verdict {
    /// The verdict on what could not even be read.
    pub fn unread(error: Error) -> Self {
        Self { signer_id: String::new(), key_id: String::new(), outcome: Err(error) }
    }

    /// The result as every API shows it (protocol, section 9), as JSON. `data` is there only if
    /// the document is valid.
    pub fn to_json(&self) -> String {
        let (checked, error) = match &self.outcome {
            Ok(checked) => (Some(checked), None),
            Err(error) => (None, Some(error)),
        };
        let mut result = Object::from_iter([
            ("valid".into(), Value::Bool(checked.is_some())),
            ("signerId".into(), self.signer_id.as_str().into()),
            ("keyId".into(), self.key_id.as_str().into()),
            ("algorithm".into(), checked.map(|c| c.algorithm).unwrap_or_default().into()),
            ("timestamp".into(), checked.map(|c| c.timestamp.as_str()).unwrap_or_default().into()),
            ("trusted".into(), Value::Bool(checked.is_some_and(|c| c.trusted))),
            ("attachments".into(), Value::Array(vec![])),
            ("errors".into(), Value::Array(error.iter().map(|e| e.to_string().into()).collect())),
        ]);
        if let Some(error) = error {
            result.insert("code".into(), error.code.name().into());
        }
        let mut text = json::write(&Value::Object(result));
        if let Some(checked) = checked {
            text.pop();
            text.push_str(",\"data\":");
            text.push_str(&checked.data);
            text.push('}');
        }
        text
    }

    /// What programs go by, as JSON: `{"identity"}` of a valid document (`id`, `version`,
    /// `previous`, `type`), or `{"error"}` (`code`, `found`) of any other.
    fn head_json(&self) -> String {
        match &self.outcome {
            Ok(checked) => {
                let previous = checked.previous.as_deref();
                let identity = super::identity_json(&checked.id, &checked.version, previous, &checked.kind);
                format!("{{\"identity\":{identity}}}")
            }
            Err(error) => {
                let error = Object::from([
                    ("code", error.code.name().into()),
                    ("found", error.found.as_str().into()),
                ]);
                json::write(&Value::Object(Object::from([("error", error.into())])))
            }
        }
    }
}

/// Head and result in one text, one line each, so that the boundary is crossed once.
impl core::fmt::Display for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&format!("{}\n{}", self.head_json(), self.to_json()))
    }
}
