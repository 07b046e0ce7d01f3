//! Terms that cannot be fulfilled, or that two readers would understand differently, are refused.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{Object, Value};

use super::{Link, Party, Policy, Quorum, Role, Terms};
use crate::id::Id;
use crate::shape::{Fault, Result, Shape, attachment, is_any, is_filled, is_key_id, is_party_id, is_uuid};
use crate::sorting::{twice, unique};

pub(crate) enum Refusal {
    NoParties,
    Fault(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

const MEMBERS: &[&str] =
    &["attachments", "links", "parties", "policy", "summary", "sxId", "terms", "termsFormat", "title"];
const FORMATS: &[&str] = &["text/plain", "text/markdown", "application/json"];
const RELATIONS: &[&str] = &["supersedes", "amends", "annex", "relates"];

pub(crate) fn terms(value: &Value, hash: Id, text: String) -> core::result::Result<Terms, Refusal> {
    let shape = Shape::of(value, "the terms", MEMBERS)?;
    shape.text("terms", is_filled)?;
    shape.optional("summary", is_any)?;
    shape.text("termsFormat", |format| FORMATS.contains(&format))?;
    attachments(&shape)?;
    let items = shape.items("parties")?.ok_or_else(|| shape.wrong("parties"))?;
    if items.is_empty() {
        return Err(Refusal::NoParties);
    }
    let policy = match shape.get("policy") {
        Some(policy) => Policy::of(policy)?,
        None => Policy::of(&Value::Object(Object::new()))?,
    };
    let parties = items
        .iter()
        .enumerate()
        .map(|(at, item)| party(item, &format!("party {at}")))
        .collect::<Result<Vec<_>>>()?;
    distinct(&parties)?;
    stages(&parties, &policy)?;
    feasible(&parties, &policy)?;
    let (id, title) = (shape.text("sxId", is_uuid)?.into(), shape.text("title", is_filled)?.into());
    Ok(Terms { id, hash, title, parties, policy, links: links(&shape)?, text })
}

fn attachments(shape: &Shape<'_>) -> Result<()> {
    let items = shape.items("attachments")?.unwrap_or_default();
    let names = items.iter().map(|item| attachment(item, "an attachment")).collect::<Result<Vec<_>>>()?;
    match twice(&names) {
        Some(_) => Err(Fault::new("Two attachments have the same name.")),
        None => Ok(()),
    }
}

fn links(shape: &Shape<'_>) -> Result<Vec<Link>> {
    let link = |item| {
        let link = Shape::of(item, "a link", &["rel", "sha256", "sxId", "sxVersion"])?;
        link.optional("sxVersion", is_uuid)?;
        Ok(Link {
            rel: link.text("rel", |rel| RELATIONS.contains(&rel))?.into(),
            id: link.text("sxId", is_uuid)?.into(),
            hash: link.digest("sha256")?,
        })
    };
    shape.items("links")?.unwrap_or_default().iter().map(link).collect()
}

const PARTY: &[&str] =
    &["agentId", "displayName", "group", "keyIds", "partyId", "required", "role", "stage", "weight"];

fn party(value: &Value, what: &str) -> Result<Party> {
    let shape = Shape::of(value, what, PARTY)?;
    let role = Role::of(shape.text("role", is_any)?).ok_or_else(|| shape.wrong("role"))?;
    if !role.consents()
        && let Some(name) =
            ["weight", "stage", "group", "required"].iter().find(|name| shape.get(name).is_some())
    {
        return Err(Fault::new(format!("The member '{name}' of {what} needs a role that consents.")));
    }
    let key_ids = shape.texts("keyIds", 64, is_key_id)?.unwrap_or_default();
    Ok(Party {
        id: shape.text("partyId", is_party_id)?.into(),
        agent: shape.text("agentId", is_uuid)?.into(),
        key_ids: key_ids.into_iter().map(Into::into).collect(),
        role,
        weight: shape.whole("weight", 0, 1_000_000)?.unwrap_or(1),
        stage: shape.whole("stage", 0, 1000)?.unwrap_or(0),
        group: shape.optional("group", is_filled)?.map(Into::into),
        is_required: shape.flag("required")?.unwrap_or(false),
        display_name: shape.optional("displayName", is_any)?.map(Into::into),
    })
}

fn distinct(parties: &[Party]) -> Result<()> {
    let all = |name: fn(&Party) -> &str| parties.iter().map(name).collect::<Vec<&str>>();
    if let Some(id) = twice(&all(|party| &party.id)) {
        return Err(Fault::new(format!("Two parties are called '{id}'.")));
    }
    match twice(&all(|party| &party.agent)) {
        Some(agent) => Err(Fault::new(format!("The agent {agent} is a party twice."))),
        None => Ok(()),
    }
}

fn stages(parties: &[Party], policy: &Policy) -> Result<()> {
    let mut stages: Vec<u32> =
        parties.iter().filter(|party| party.role.consents()).map(|party| party.stage).collect();
    unique(&mut stages);
    if !policy.is_staged && stages.iter().any(|stage| *stage > 0) {
        return Err(Fault::new("Stages need the order 'staged'."));
    }
    match (0..).zip(&stages).find(|(expected, stage)| expected != *stage) {
        None => Ok(()),
        Some((expected, _)) => Err(Fault::new(format!("No party that consents is in stage {expected}."))),
    }
}

/// Refuses what nobody can fulfil.
fn feasible(parties: &[Party], policy: &Policy) -> Result<()> {
    let with = |role| parties.iter().filter(|party| party.role == role).count();
    let consenting = || parties.iter().filter(|party| party.role.consents());
    let weight: u64 = consenting().map(|party| u64::from(party.weight)).fold(0, u64::saturating_add);
    let is_possible = match &policy.quorum {
        Quorum::All | Quorum::Majority => true,
        Quorum::Count(need) => *need as usize <= consenting().count(),
        Quorum::Weight(need) => u64::from(*need) <= weight,
        Quorum::Groups(groups) => groups.iter().all(|(name, need)| {
            let members = consenting().filter(|party| party.group.as_ref() == Some(name));
            *need as usize <= members.count()
        }),
    };
    let refuse = |message: &str| Err(Fault::new(message));
    if consenting().next().is_none() {
        refuse("No party consents.")
    } else if weight == 0 {
        refuse("The weights add up to nothing.")
    } else if !is_possible {
        refuse("The parties cannot reach the quorum.")
    } else if policy.witnesses as usize > with(Role::Witness) {
        refuse("There are fewer witnesses than the policy needs.")
    } else if policy.notaries as usize > with(Role::Notary) {
        refuse("There are fewer notaries than the policy needs.")
    } else if policy.needs_time_proof && with(Role::Notary) == 0 {
        refuse("Time proofs need a notary among the parties.")
    } else {
        Ok(())
    }
}
