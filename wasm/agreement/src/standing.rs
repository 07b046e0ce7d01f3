//! What people want to know: who has signed, who is next, why it is not complete.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use sx_json::write_whole;

use crate::event::{Kind, names};
use crate::graph::{Graph, Node};
use crate::id::Id;
use crate::over::Aftermath;
use crate::table::State;
use crate::tally::{Tally, share};
use crate::terms::{Role, Terms};

names! {
    /// Where a party stands.
    Stand {
        /// It has done nothing that counts.
        Pending = "pending",
        /// It has signed, witnessed or notarised.
        Signed = "signed",
        /// It has declined.
        Declined = "declined",
        /// It has taken its signature back.
        Withdrawn = "withdrawn",
        /// It has handed signing on.
        Delegated = "delegated",
    }
}

/// Where a party stands, and by which event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Where it stands.
    pub stand: Stand,
    /// The event that says so.
    pub by: Option<By>,
}

/// The event by which a party stands where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The event.
    pub id: Id,
    /// The date that its actor gave it, in milliseconds.
    pub at: u64,
    /// The agent that acted.
    pub agent: String,
    /// The earliest time that a notary proves for it.
    pub proof: Option<u64>,
}

impl By {
    fn of(node: &Node) -> Self {
        let event = &node.event;
        Self { id: event.id, at: event.at, agent: event.agent.clone(), proof: node.proof }
    }
}

/// Of the counted events of one kind of a party, the one that is shown.
#[derive(Clone, Copy, Default)]
struct Shown<'a>(Option<&'a Node>);

impl<'a> Shown<'a> {
    fn take(&mut self, node: &'a Node, is_first: bool) {
        let key = |node: &Node| (node.event.at, node.event.id);
        let is_better = self.0.is_none_or(|other| (key(node) < key(other)) == is_first);
        if is_better {
            self.0 = Some(node);
        }
    }
}

/// Where each party stands.
pub(crate) fn of(terms: &Terms, graph: &Graph, signed: &[Option<usize>]) -> Vec<Standing> {
    // Declines, withdrawals, delegations and attestations of each party.
    let mut shown = vec![[Shown::default(); 4]; terms.parties.len()];
    for node in graph.nodes.iter().filter(|node| node.code.is_none()) {
        let Some([decline, withdrawal, delegation, attestation]) = shown.get_mut(node.party) else {
            continue;
        };
        match node.event.kind {
            Kind::Decline => decline.take(node, true),
            Kind::Withdraw => withdrawal.take(node, false),
            Kind::Delegate => delegation.take(node, false),
            Kind::Witness | Kind::Notarize => attestation.take(node, true),
            _ => {}
        }
    }
    let standing = |((party, sign), shown): ((&crate::terms::Party, &Option<usize>), &[Shown<'_>; 4])| {
        let [decline, withdrawal, delegation, attestation] = *shown;
        let sign = sign.and_then(|at| graph.nodes.get(at));
        let own = [
            (Stand::Signed, sign),
            (Stand::Declined, decline.0),
            (Stand::Withdrawn, withdrawal.0),
            (Stand::Delegated, delegation.0),
        ];
        let attested = [(Stand::Signed, attestation.0)];
        let candidates: &[(Stand, Option<&Node>)] = match party.role {
            Role::Witness | Role::Notary => &attested,
            Role::Observer => &[],
            Role::Signer | Role::Approver => &own,
        };
        match candidates.iter().find_map(|(stand, node)| Some((*stand, (*node)?))) {
            Some((stand, node)) => Standing { stand, by: Some(By::of(node)) },
            None => Standing { stand: Stand::Pending, by: None },
        }
    };
    terms.parties.iter().zip(signed).zip(&shown).map(standing).collect()
}

/// Why the agreement is not complete, or not in effect.
pub(crate) fn blocked(state: State, tally: &Tally<'_>, phase: Option<&Aftermath<'_>>) -> Vec<String> {
    match state {
        State::Draft => vec!["propose".into()],
        State::Proposed | State::Partial | State::Expired => lacking(tally),
        State::Disputed => {
            let mut open = Vec::new();
            for id in phase.map(Aftermath::open_disputes).unwrap_or_default() {
                open.push(["dispute ", &id.text()].concat());
            }
            open
        }
        _ => Vec::new(),
    }
}

fn lacking(tally: &Tally<'_>) -> Vec<String> {
    let mut lacking = tally.lacking_quorum();
    for id in tally.lacking_parties() {
        lacking.push(["required ", id].concat());
    }
    if let Some((stage, need, have)) = tally.lacking_stage() {
        lacking.push(share(&["stage ", &write_whole(u64::from(stage))], u64::from(have), u64::from(need)));
    }
    let (witnesses, notaries) = tally.attested();
    for (name, (need, have)) in [("witnesses", witnesses), ("notaries", notaries)] {
        if have < need {
            lacking.push(share(&[name], u64::from(have), u64::from(need)));
        }
    }
    if lacking.is_empty() {
        lacking.push("withdrawals not seen together".into());
    }
    lacking
}
