//! Events of standalone agreements: their signatures (protocol, section 24). What follows from the events is decided by
//! the module for agreements, which has no cryptography.

use crate::base64;
use crate::document::{Author, Canonical};
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::hash::sha256_hex;
use crate::ids::uuid_v4;
use crate::json::{self, Limits, Members, Object, Value};
use crate::known_key::Revocation;
use crate::limits::CEILING;
use crate::message::Claimed;
use crate::moment::Moment;
use crate::ring::Ring;
use crate::statement::{Context, pae};
use crate::time;
use alloc::string::String;
use alloc::vec::Vec;

/// An agreement with all its events: 32 MiB.
pub const MAX_BYTES: usize = 32 << 20;

const SIGNATURE: &str = "signature";

/// An event that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeEvent {
    /// Its id.
    pub id: String,
    /// Its date.
    pub date: String,
    /// Its canonical text.
    pub raw: String,
}

impl MadeEvent {
    /// A line each for date and id, then the text.
    pub fn to_lines(&self) -> String {
        [self.date.as_str(), &self.id, &self.raw].join("\n")
    }
}

/// Makes an event of `{agreementHash, data, role, seen, type}`, and signs it, unless it is a draft.
///
/// Errors: `InvalidOption` for anything else; those of signing.
pub(crate) fn make(author: &Author<'_>, draft: &[u8], is_draft: bool, moment: &Moment) -> Result<MadeEvent> {
    let draft = json::parse(draft, &author.limits)?;
    let mut event = draft.as_object().cloned().unwrap_or_default();
    let expected = ["agreementHash", "data", "role", "seen", "type"];
    if event.len() != expected.len() || !expected.iter().all(|name| event.contains(name)) {
        return Err(Error::new(Code::InvalidOption, "The draft of an event has other members."));
    }
    let public = author.key.public_key();
    let date = moment.date()?;
    let actor = Object::from([
        ("agentId", author.agent_id.into()),
        ("agentVersion", author.agent_version.into()),
        ("keyId", public.key_id().into()),
    ]);
    event.insert("actor".into(), actor.into());
    event.insert("alg".into(), public.algorithm().name().into());
    event.insert("at".into(), date.as_str().into());
    event.insert("nonce".into(), base64::encode_url(&moment.entropy.draw16("nonce")).into());
    let unsigned = json::write(&event.clone().into());
    let statement = pae(Context::AgreementEvent, unsigned.as_bytes());
    let signature =
        if is_draft { Vec::from([0; 3]) } else { author.key.sign(&statement, &moment.hedge())? };
    event.insert(SIGNATURE.into(), base64::encode(&signature).as_str().into());
    let id = sha256_hex(&pae(Context::AgreementEventId, unsigned.as_bytes()));
    Ok(MadeEvent { id, date, raw: json::write(&event.into()) })
}

/// The question that the module for agreements answers: the terms, each event with the verdict on its signature, and the
/// time. Before it, in a line of its own, what is known of each agent that has signed: `{agentId, name, trusted}`.
///
/// Errors: those of the reader; `LimitExceeded`; `InvalidDocument` for what is no agreement.
pub fn judged(ring: &Ring, text: &[u8], now: u64) -> Result<String> {
    if text.len() > MAX_BYTES {
        return Err(Error::new(Code::LimitExceeded, "The agreement with its events has more than 32 MiB."));
    }
    let document = json::parse(text, &Limits { bytes: MAX_BYTES, ..CEILING })?;
    let (terms, events) = document
        .as_object()
        .and_then(|document| Some((document.get("terms")?, document.get("events")?.as_array()?)))
        .ok_or_else(|| Error::new(Code::InvalidDocument, "The document is not an agreement."))?;
    let mut signers: Vec<(&str, Value)> = Vec::new();
    let mut judged = String::with_capacity(text.len().saturating_add(events.len().saturating_mul(64)));
    judged.push_str("{\"events\":[");
    for (at, event) in events.iter().enumerate() {
        let verdict = match verify(event, ring) {
            Ok(Good { agent_id, name, trusted, revoked }) => {
                if let Err(place) = signers.binary_search_by(|(id, _)| (*id).cmp(agent_id)) {
                    let signer = Object::from([
                        ("agentId", agent_id.into()),
                        ("name", name.into()),
                        ("trusted", trusted.into()),
                    ]);
                    signers.insert(place, (agent_id, signer.into()));
                }
                good(revoked)
            }
            Err(error) => {
                Members::with_capacity(64).text("code", error.code.name()).json("valid", "false").end()
            }
        };
        if at > 0 {
            judged.push(',');
        }
        for part in ["{\"event\":", &json::write(event), ",\"verdict\":", &verdict, "}"] {
            judged.push_str(part);
        }
    }
    for part in ["],\"now\":\"", &time::format(now)?, "\",\"terms\":", &json::write(terms), "}"] {
        judged.push_str(part);
    }
    let signers = json::write(&Value::Array(signers.into_iter().map(|(_, signer)| signer).collect()));
    Ok(crate::answer::line(&signers, &judged))
}

/// The id of a new agreement.
pub fn agreement_id(entropy: &Entropy) -> String {
    uuid_v4(entropy.draw16("id"))
}

struct Good<'a> {
    agent_id: &'a str,
    name: &'a str,
    trusted: bool,
    revoked: Option<&'a Revocation>,
}

fn good(revoked: Option<&Revocation>) -> String {
    let mut members = Members::with_capacity(96);
    if let Some(Revocation { at, reason }) = revoked {
        let revoked = Members::with_capacity(64).text("at", at.as_str()).text("reason", reason.name()).end();
        members.json("revoked", &revoked);
    }
    members.json("valid", "true").end()
}

/// Whether the signature of an event is by the key that it names. A revocation is told, not judged: what it means depends
/// on what a notary has proved.
fn verify<'a>(event: &'a Value, ring: &'a Ring) -> Result<Good<'a>> {
    let event = event.as_object().ok_or(Code::InvalidDocument)?;
    let text = |object: &'a Object, name: &str| object.get(name)?.as_str();
    let read = || {
        let actor = event.get("actor")?.as_object()?;
        let signature = base64::decode(text(event, SIGNATURE)?)?;
        Some((text(actor, "agentId")?, text(actor, "keyId")?, text(event, "alg")?, signature))
    };
    let (agent_id, key_id, algorithm, signature) = read().ok_or(Code::InvalidDocument)?;
    let statement = Canonical::of(event).statement_without(&[SIGNATURE], Context::AgreementEvent);
    let signer = Claimed { agent_id, key_id, algorithm, date: None, signature }.check(ring, &statement)?;
    Ok(Good { agent_id, name: signer.name, trusted: signer.trusted, revoked: signer.key.revoked.as_ref() })
}
