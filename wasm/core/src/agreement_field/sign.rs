//! Making an agreement, and signing one. Both make the next version of the document.

use super::field::{AGREE, Agreement, Field, RESPONSE, agent_of, check_name};
use super::terms::Terms;
use crate::base64;
use crate::document::{self, Author, Made, Making};
use crate::error::{Code, Error, Result};
use crate::json::{self, Object, Value};
use crate::moment::Moment;
use crate::time;
use alloc::vec::Vec;

/// Asks agents to sign a document: makes its next version, in which the field holds the agreement.
///
/// Errors: `InvalidOption` for an agent document, a deadline that has passed, and a member of that name that is no
/// agreement; `AgreementExists` if it is one that was signed already; `ReservedField`; `LimitExceeded`.
pub fn create(
    author: &Author<'_>,
    field: Field<'_>,
    terms: Terms,
    making: &Making<'_>,
    moment: &Moment,
) -> Result<Made> {
    let Field { document, name } = field;
    check_name(name)?;
    let current = json::parse(document, &author.limits)?;
    let document = object(&current)?;
    if document.contains(name) {
        match Agreement::of(document, name) {
            Ok(agreement) if agreement.signatures.is_empty() => {}
            Ok(_) => return Err(Code::AgreementExists.into()),
            Err(_) => {
                let found = "The document has a member with this field name that is not an agreement.";
                return Err(Error::new(Code::InvalidOption, found));
            }
        }
    }
    if is_over(terms.sign_by(), moment.now) {
        return Err(Error::new(Code::InvalidOption, "`signBy` is in the past."));
    }
    let agreement = Agreement::new(document, name, terms);
    document::revise(author, &current, (name, agreement.into_value()), making, moment)
}

/// Signs the agreement in a field of a document: makes its next version, with the signature. One that the agent
/// has made before is replaced.
///
/// Errors: `NoAgreement`; `InvalidDocument` for one that is malformed; `AgreementHash`, `HashMismatch` if it or the
/// document was changed; `NotAParty`, `TooLate`, `TooWeak`; `ReservedField`, `InvalidOption`, `LimitExceeded`.
pub fn sign(author: &Author<'_>, field: Field<'_>, making: &Making<'_>, moment: &Moment) -> Result<Made> {
    let Field { document, name } = field;
    check_name(name)?;
    let current = json::parse(document, &author.limits)?;
    let mut agreement = Agreement::of(object(&current)?, name)?;
    if let Some(fault) = agreement.fault {
        return Err(fault.into());
    }
    if !agreement.terms.parties().contains(&author.agent_id.into()) {
        return Err(Code::NotAParty.into());
    }
    if is_over(agreement.terms.sign_by(), moment.now) {
        return Err(Code::TooLate.into());
    }
    let key = author.key.public_key();
    if !agreement.terms.accepts(key.algorithm()) {
        return Err(Code::TooWeak.into());
    }
    let mut entry = json::object(Vec::from([
        ("agentID", author.agent_id.into()),
        ("agentVersion", author.agent_version.into()),
        ("date", moment.date()?.into()),
        ("keyId", key.key_id().into()),
        ("nonce", base64::encode_url(&moment.entropy.draw16("agreement nonce")).into()),
        (RESPONSE, AGREE.into()),
        ("signingAlgorithm", key.algorithm().name().into()),
    ]));
    let bytes = if making.is_draft {
        Vec::new()
    } else {
        author.key.sign(&agreement.statement(entry.clone()), &moment.entropy.draw32("agreement hedge"))?
    };
    entry.insert("signature".into(), base64::encode(&bytes).into());
    agreement.signatures.retain(|other| agent_of(other) != Some(author.agent_id));
    agreement.signatures.push(entry.into());
    document::revise(author, &current, (name, agreement.into_value()), making, moment)
}

fn object(document: &Value) -> Result<&Object> {
    Ok(document.as_object().ok_or(Code::InvalidDocument)?)
}

/// Whether a deadline has passed.
pub(super) fn is_over(sign_by: Option<&str>, now: u64) -> bool {
    sign_by.and_then(time::parse).is_some_and(|until| until < now)
}
