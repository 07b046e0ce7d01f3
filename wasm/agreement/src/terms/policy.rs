//! The rules of an agreement.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::Value;

use super::Algorithm;
use crate::event::names;
use crate::shape::{Faults, Shape, whole};

/// Whose signatures are enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quorum {
    /// Those of all parties that consent.
    All,
    /// Those of more than half of them.
    Majority,
    /// Those of so many.
    Count(u32),
    /// Those that weigh so much.
    Weight(u32),
    /// Those of so many of each group.
    Groups(Vec<(String, u32)>),
}

names! {
    /// What a decline does.
    Decline {
        /// It ends the agreement.
        AnyEnds = "any-ends",
        /// It ends the agreement once the others cannot complete it.
        QuorumImpossibleEnds = "quorum-impossible-ends",
    }
}

names! {
    /// To whom a party may delegate.
    Delegations {
        /// To nobody.
        None = "none",
        /// To other parties.
        Listed = "listed",
        /// To any agent, by a document.
        Document = "document",
    }
}

names! {
    /// Who can end an active agreement.
    Terminate {
        /// Any party that consents.
        Any = "any",
        /// A quorum of them.
        Quorum = "quorum",
        /// All of them.
        All = "all",
    }
}

/// The rules of an agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whose signatures are enough.
    pub quorum: Quorum,
    /// Whether a stage opens when the one before is satisfied.
    pub is_staged: bool,
    /// How many witnesses there must be.
    pub witnesses: u32,
    /// How many notaries there must be.
    pub notaries: u32,
    /// What a decline does.
    pub decline: Decline,
    /// The algorithms that are allowed; any, if there are none.
    pub algorithms: Vec<Algorithm>,
    /// Whether classical algorithms are too weak.
    pub needs_pq: bool,
    /// The last millisecond for signatures.
    pub sign_by: Option<u64>,
    /// When it takes effect.
    pub effective_from: Option<u64>,
    /// When it ends.
    pub expires_at: Option<u64>,
    /// Whether notaries prove times and order.
    pub needs_time_proof: bool,
    /// To whom a party may delegate.
    pub delegation: Delegations,
    /// Whether signatures may be withdrawn.
    pub can_withdraw: bool,
    /// Who can end it.
    pub terminate: Terminate,
}

const MEMBERS: &[&str] = &[
    "algorithms",
    "decline",
    "delegation",
    "effectiveFrom",
    "expiresAt",
    "minStrength",
    "notaries",
    "order",
    "quorum",
    "signBy",
    "terminate",
    "timeProof",
    "withdraw",
    "witnesses",
];

/// More parties than terms of 32 MiB can hold.
const MANY: u32 = 1_000_000;

impl Policy {
    pub(crate) fn of(value: Option<&Value>, faults: &Faults) -> Self {
        let shape = Shape::of(value, "the policy", MEMBERS, faults);
        let algorithms = shape.texts("algorithms", 2, |name| Algorithm::of(name).is_some());
        let quorum = shape.get("quorum").map(|value| quorum(value).ok_or_else(|| shape.wrong("quorum")));
        let policy = Self {
            quorum: quorum.and_then(Result::ok).unwrap_or(Quorum::All),
            is_staged: is_chosen(&shape, "order", "parallel", "staged"),
            witnesses: shape.whole("witnesses", 0, MANY).unwrap_or(0),
            notaries: shape.whole("notaries", 0, MANY).unwrap_or(0),
            decline: shape.named("decline", Decline::of).unwrap_or(Decline::QuorumImpossibleEnds),
            algorithms: algorithms.into_iter().filter_map(Algorithm::of).collect(),
            needs_pq: is_chosen(&shape, "minStrength", "classical", "pq"),
            sign_by: shape.date("signBy"),
            effective_from: shape.date("effectiveFrom"),
            expires_at: shape.date("expiresAt"),
            needs_time_proof: is_chosen(&shape, "timeProof", "none", "notary"),
            delegation: shape.named("delegation", Delegations::of).unwrap_or(Delegations::None),
            can_withdraw: !is_chosen(&shape, "withdraw", "until-complete", "never"),
            terminate: shape.named("terminate", Terminate::of).unwrap_or(Terminate::All),
        };
        if policy.needs_pq && !policy.algorithms.is_empty() && !policy.algorithms.contains(&Algorithm::Pq2025)
        {
            shape.wrong("minStrength");
        }
        if let (Some(from), Some(to)) = (policy.effective_from, policy.expires_at)
            && from >= to
        {
            shape.wrong("expiresAt");
        }
        policy
    }
}

/// Whether a member has its other value, and not its usual one.
fn is_chosen(policy: &Shape<'_, '_>, name: &str, usual: &str, other: &str) -> bool {
    let text = policy.get(name).and_then(Value::as_str);
    if policy.get(name).is_some() && text != Some(usual) && text != Some(other) {
        policy.wrong(name);
    }
    text == Some(other)
}

fn quorum(value: &Value) -> Option<Quorum> {
    match value.as_str() {
        Some("all") => return Some(Quorum::All),
        Some("majority") => return Some(Quorum::Majority),
        _ => {}
    }
    let members = value.as_object().filter(|object| object.len() == 1)?;
    let (name, value) = members.iter().next()?;
    match name {
        "m" => Some(Quorum::Count(whole(value, 1, u32::MAX)?)),
        "weight" => Some(Quorum::Weight(whole(value, 1, u32::MAX)?)),
        "groups" => {
            let mut needs = Vec::new();
            for (name, value) in value.as_object().filter(|groups| !groups.is_empty())?.iter() {
                needs.push((name.into(), whole(value, 1, MANY)?));
            }
            Some(Quorum::Groups(needs))
        }
        _ => None,
    }
}
