//! The rules of an agreement.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::Value;

use super::Algorithm;
use crate::event::names;
use crate::shape::{Result, Shape, is_any, whole};

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
    pub(crate) fn of(value: &Value) -> Result<Self> {
        let shape = Shape::of(value, "the policy", MEMBERS)?;
        let choice = |name: &str, usual: bool, yes: &str, no: &str| match shape.optional(name, is_any)? {
            None => Ok(usual),
            Some(text) if text == yes => Ok(true),
            Some(text) if text == no => Ok(false),
            Some(_) => Err(shape.wrong(name)),
        };
        let named = |name: &str| shape.optional(name, is_any);
        let algorithms =
            shape.texts("algorithms", 2, |name| Algorithm::of(name).is_some())?.unwrap_or_default();
        let policy = Self {
            quorum: shape.get("quorum").map_or(Ok(Quorum::All), |value| quorum(value, &shape))?,
            is_staged: choice("order", false, "staged", "parallel")?,
            witnesses: shape.whole("witnesses", 0, MANY)?.unwrap_or(0),
            notaries: shape.whole("notaries", 0, MANY)?.unwrap_or(0),
            decline: match named("decline")? {
                None => Decline::QuorumImpossibleEnds,
                Some(name) => Decline::of(name).ok_or_else(|| shape.wrong("decline"))?,
            },
            algorithms: algorithms.into_iter().filter_map(Algorithm::of).collect(),
            needs_pq: choice("minStrength", false, "pq", "classical")?,
            sign_by: shape.date("signBy")?,
            effective_from: shape.date("effectiveFrom")?,
            expires_at: shape.date("expiresAt")?,
            needs_time_proof: choice("timeProof", false, "notary", "none")?,
            delegation: match named("delegation")? {
                None => Delegations::None,
                Some(name) => Delegations::of(name).ok_or_else(|| shape.wrong("delegation"))?,
            },
            can_withdraw: choice("withdraw", true, "until-complete", "never")?,
            terminate: match named("terminate")? {
                None => Terminate::All,
                Some(name) => Terminate::of(name).ok_or_else(|| shape.wrong("terminate"))?,
            },
        };
        if policy.needs_pq && !policy.algorithms.is_empty() && !policy.algorithms.contains(&Algorithm::Pq2025)
        {
            return Err(shape.wrong("minStrength"));
        }
        match (policy.effective_from, policy.expires_at) {
            (Some(from), Some(to)) if from >= to => Err(shape.wrong("expiresAt")),
            _ => Ok(policy),
        }
    }
}

fn quorum(value: &Value, policy: &Shape<'_>) -> Result<Quorum> {
    let wrong = || policy.wrong("quorum");
    match value.as_str() {
        Some("all") => return Ok(Quorum::All),
        Some("majority") => return Ok(Quorum::Majority),
        Some(_) => return Err(wrong()),
        None => {}
    }
    let members =
        value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
    let (name, value) = members.ok_or_else(wrong)?;
    let number = || whole(value, 1, u32::MAX).ok_or_else(wrong);
    match name {
        "m" => Ok(Quorum::Count(number()?)),
        "weight" => Ok(Quorum::Weight(number()?)),
        "groups" => {
            let groups = value.as_object().filter(|groups| !groups.is_empty()).ok_or_else(wrong)?;
            let need = |(name, value): (&str, &Value)| Some((name.into(), whole(value, 1, MANY)?));
            Ok(Quorum::Groups(groups.iter().map(need).collect::<Option<_>>().ok_or_else(wrong)?))
        }
        _ => Err(wrong()),
    }
}
