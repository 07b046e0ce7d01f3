//! Terms that cannot be fulfilled, or that two readers would understand differently, are refused.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::Value;
use sx_json::write_whole;

use super::{Link, Party, Policy, Quorum, Role, Terms};
use crate::id::Id;
use crate::problem::Problem;
use crate::shape::{Faults, Shape, attachment, is_any, is_filled, is_key_id, is_party_id, is_uuid};
use crate::sorting::twice;

const MEMBERS: &[&str] =
    &["attachments", "links", "parties", "policy", "summary", "sxId", "terms", "termsFormat", "title"];
const FORMATS: &[&str] = &["text/plain", "text/markdown", "application/json"];
const RELATIONS: &[&str] = &["supersedes", "amends", "annex", "relates"];

pub(crate) fn terms(value: &Value, hash: Id, text: String) -> Result<Terms, Problem> {
    let faults = Faults::default();
    let shape = Shape::of(Some(value), "the terms", MEMBERS, &faults);
    shape.text("terms", is_filled);
    shape.optional("summary", is_any);
    shape.text("termsFormat", |format| FORMATS.contains(&format));
    attachments(&shape, &faults);
    let items = shape.list("parties");
    if items.is_empty() {
        faults.add_as("NoParties", &["The terms have no parties."]);
    }
    let policy = Policy::of(shape.get("policy"), &faults);
    let mut parties = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        parties.push(party(item, &named(item, at), &faults));
    }
    if !faults.is_any() {
        distinct(&parties, &faults);
        stages(&parties, &policy, &faults);
        feasible(&parties, &policy, &faults);
    }
    let (id, title) = (shape.text("sxId", is_uuid).into(), shape.text("title", is_filled).into());
    let links = links(&shape, &faults);
    faults.end_of_terms(Terms { id, hash, title, parties, policy, links, text })
}

fn attachments(shape: &Shape<'_, '_>, faults: &Faults) {
    let mut names = Vec::new();
    for item in shape.items("attachments") {
        names.push(attachment(Some(item), "an attachment", faults));
    }
    if twice(&names).is_some() {
        faults.add(&["Two attachments have the same name."]);
    }
}

fn links(shape: &Shape<'_, '_>, faults: &Faults) -> Vec<Link> {
    let mut links = Vec::new();
    for item in shape.items("links") {
        let link = Shape::of(Some(item), "a link", &["rel", "sha256", "sxId", "sxVersion"], faults);
        link.optional("sxVersion", is_uuid);
        links.push(Link {
            rel: link.text("rel", |rel| RELATIONS.contains(&rel)).into(),
            id: link.text("sxId", is_uuid).into(),
            hash: link.digest("sha256"),
        });
    }
    links
}

/// The last stage that there can be.
const MOST_STAGE: u32 = 1000;
const PARTY: &[&str] =
    &["agentId", "displayName", "group", "keyIds", "partyId", "required", "role", "stage", "weight"];

/// What messages call a party: by its partyId, as they do elsewhere, and by its place in the terms if it has none.
fn named(value: &Value, at: usize) -> String {
    let id = value.as_object().and_then(|party| party.get("partyId")).and_then(Value::as_str);
    match id.filter(|id| is_party_id(id)) {
        Some(id) => ["the party '", id, "'"].concat(),
        None => ["the party at index ", &write_whole(at as u64), " of 'parties'"].concat(),
    }
}

fn party(value: &Value, what: &str, faults: &Faults) -> Party {
    let shape = Shape::of(Some(value), what, PARTY, faults);
    shape.need("role");
    let role = shape.named("role", Role::of).unwrap_or(Role::Observer);
    if !role.consents() {
        for name in ["weight", "stage", "group", "required"] {
            if shape.get(name).is_some() {
                faults.add(&["The member '", name, "' of ", what, " needs a role that consents."]);
            }
        }
    }
    let key_ids = shape.texts("keyIds", 64, is_key_id);
    Party {
        id: shape.text("partyId", is_party_id).into(),
        agent: shape.text("agentId", is_uuid).into(),
        key_ids: key_ids.into_iter().map(Into::into).collect(),
        role,
        weight: shape.whole("weight", 0, 1_000_000).unwrap_or(1),
        stage: shape.whole("stage", 0, MOST_STAGE).unwrap_or(0),
        group: shape.optional("group", is_filled).map(Into::into),
        is_required: shape.flag("required").unwrap_or(false),
        display_name: shape.optional("displayName", is_any).map(Into::into),
    }
}

fn distinct(parties: &[Party], faults: &Faults) {
    let (mut ids, mut agents) = (Vec::new(), Vec::new());
    for party in parties {
        ids.push(party.id.as_str());
        agents.push(party.agent.as_str());
    }
    if let Some(id) = twice(&ids) {
        faults.add(&["Two parties have the partyId '", id, "'."]);
    }
    if let Some(agent) = twice(&agents) {
        faults.add(&["The agent ", agent, " is a party twice."]);
    }
}

fn stages(parties: &[Party], policy: &Policy, faults: &Faults) {
    // Which stages have a party that consents, up to the last one that has.
    let mut stages: Vec<bool> = Vec::new();
    for party in parties.iter().filter(|party| party.role.consents()) {
        let stage = party.stage as usize;
        if stages.len() <= stage {
            stages.resize(stage.saturating_add(1), false);
        }
        if let Some(has_one) = stages.get_mut(stage) {
            *has_one = true;
        }
    }
    if !policy.is_staged && stages.len() > 1 {
        faults.add(&["A party has a stage, but the order is not 'staged'."]);
    }
    if let Some(hole) = stages.iter().position(|has_one| !has_one) {
        faults.add(&["Stage ", &write_whole(hole as u64), " has no signer or approver."]);
    }
}

/// Refuses what nobody can fulfil.
fn feasible(parties: &[Party], policy: &Policy, faults: &Faults) {
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
    let refused = if consenting().next().is_none() {
        "No party is a signer or an approver."
    } else if weight == 0 {
        "The weights add up to 0."
    } else if !is_possible {
        "The parties cannot reach the quorum."
    } else if policy.witnesses as usize > with(Role::Witness) {
        "There are fewer witnesses than the policy needs."
    } else if policy.notaries as usize > with(Role::Notary) {
        "There are fewer notaries than the policy needs."
    } else if policy.needs_time_proof && with(Role::Notary) == 0 {
        "Time proofs need a notary among the parties."
    } else {
        return;
    };
    faults.add(&[refused]);
}
