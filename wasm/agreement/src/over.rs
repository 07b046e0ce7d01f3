//! What comes after completion: disputes, termination, successors (`INTERFACE.md`, step 13).

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use crate::after::After;
use crate::bits::{Bits, Flags, Joiner, Set};
use crate::codes::Code;
use crate::event::Kind;
use crate::graph::{Graph, Node};
use crate::holding::Held;
use crate::id::Id;
use crate::input::Verdict;
use crate::sorting::{sort, unique};
use crate::table::{State, allows};
use crate::tally::Tally;
use crate::terms::Terms;

/// Disputes of one party in the past of another one of it.
const MOST_DISPUTES: usize = 16;

/// An accepted event of this phase.
struct Accepted {
    id: Id,
    party: usize,
    kind: Kind,
    /// Of a `resolve`: the dispute.
    dispute: Option<Id>,
}

/// What an event has in its past of this phase.
#[derive(Clone, Default)]
struct Past {
    accepted: Set,
    is_over: bool,
}

/// The phase after completion.
pub(crate) struct Aftermath<'a> {
    terms: &'a Terms,
    accepted: Vec<Accepted>,
    /// Which events are after completion.
    pub is_after: Flags,
    /// Which events have an end of the agreement in their past.
    pub is_over: Flags,
}

/// Events of this phase.
pub(crate) fn is_late(kind: Kind) -> bool {
    matches!(kind, Kind::Dispute | Kind::Resolve | Kind::Terminate | Kind::Supersede)
}

impl<'a> Aftermath<'a> {
    /// Judges the events of this phase, and finds out which events are after completion.
    pub fn new(held: &Held<'a>, graph: &mut Graph) -> Self {
        let count = graph.nodes.len();
        let after = After::new(held, graph);
        let mut phase = Self {
            terms: held.terms,
            accepted: Vec::new(),
            is_after: after.is_after,
            is_over: Flags::new(count),
        };
        let mut joiner = Joiner::default();
        let mut closures: Vec<Past> = vec![Past::default(); count];
        for at in &graph.order {
            let Some(node) = graph.nodes.get_mut(*at) else { continue };
            let mut past = phase.join(&node.parents, &closures, &mut joiner);
            if past.is_over {
                phase.is_over.set(*at);
            }
            if node.code.is_none() && is_late(node.event.kind) {
                match phase.check(node, &past, phase.is_after.get(*at)) {
                    Ok(()) => phase.accept(node, &mut past),
                    Err(code) => node.code = Some(code),
                }
            }
            if let Some(slot) = closures.get_mut(*at) {
                *slot = past;
            }
        }
        phase
    }

    fn join(&self, parents: &[usize], closures: &[Past], joiner: &mut Joiner) -> Past {
        if let [parent] = parents {
            return closures.get(*parent).cloned().unwrap_or_default();
        }
        let parents: Vec<&Past> = parents.iter().filter_map(|parent| closures.get(*parent)).collect();
        let accepted = joiner.join(&parents.iter().map(|past| &past.accepted).collect::<Vec<_>>());
        let was_over = parents.iter().any(|past| past.is_over);
        let is_known = parents.iter().any(|past| Rc::ptr_eq(&past.accepted, &accepted));
        Past { is_over: was_over || (!is_known && self.is_over(&accepted)), accepted }
    }

    fn of_kind(&self, set: &Bits, kind: Kind) -> Vec<&Accepted> {
        let mut accepted: Vec<_> = set.iter().filter_map(|at| self.accepted.get(at as usize)).collect();
        accepted.retain(|accepted| accepted.kind == kind);
        accepted
    }

    fn is_over(&self, set: &Bits) -> bool {
        !self.of_kind(set, Kind::Supersede).is_empty()
            || self.is_terminated(&self.of_kind(set, Kind::Terminate))
    }

    /// Whether these are enough to end the agreement.
    fn is_terminated(&self, ends: &[&Accepted]) -> bool {
        self.tally(ends).can_terminate()
    }

    fn tally(&self, events: &[&Accepted]) -> Tally<'a> {
        let mut tally = Tally::new(self.terms);
        for event in events {
            tally.add(event.party);
        }
        tally
    }

    fn check(&self, node: &Node, past: &Past, is_after: bool) -> Result<(), Code> {
        let (event, party) = (&node.event, node.party);
        // A `resolve` has an effect as long as its dispute is there, also if others have resolved it.
        let state = if past.is_over {
            State::Terminated
        } else if event.kind == Kind::Resolve || self.has_open_dispute(&past.accepted) {
            State::Disputed
        } else {
            State::Active
        };
        if !is_after || !allows(state, event.kind) {
            return Err(Code::NotAllowedNow);
        }
        let own = |kind: Kind| {
            let mut own = self.of_kind(&past.accepted, kind);
            own.retain(|other| other.party == party);
            own
        };
        if event.kind != Kind::Resolve {
            if self.terms.policy.effective_from.is_some_and(|from| event.at < from) {
                return Err(Code::TooEarly);
            }
            if self.terms.policy.expires_at.is_some_and(|end| event.at >= end) {
                return Err(Code::TooLate);
            }
        }
        let is_about = |other: &&Accepted| event.dispute == Some(other.id);
        let refused = match event.kind {
            Kind::Resolve if !self.of_kind(&past.accepted, Kind::Dispute).iter().any(is_about) => {
                Some(Code::NotAllowedNow)
            }
            Kind::Resolve if own(Kind::Resolve).iter().any(|other| other.dispute == event.dispute) => {
                Some(Code::Duplicate)
            }
            Kind::Terminate if !own(Kind::Terminate).is_empty() => Some(Code::Duplicate),
            Kind::Dispute if own(Kind::Dispute).len() >= MOST_DISPUTES => Some(Code::Duplicate),
            Kind::Supersede if !matches!(node.verdict, Verdict::Valid { has_successor: true, .. }) => {
                Some(Code::BadSuccessor)
            }
            _ => None,
        };
        refused.map_or(Ok(()), Err)
    }

    fn accept(&mut self, node: &Node, past: &mut Past) {
        let bit = u32::try_from(self.accepted.len()).unwrap_or(u32::MAX);
        self.accepted.push(Accepted {
            id: node.event.id,
            party: node.party,
            kind: node.event.kind,
            dispute: node.event.dispute,
        });
        past.accepted = past.accepted.with(bit);
        past.is_over = past.is_over || self.is_over(&past.accepted);
    }

    fn all(&self, kind: Kind) -> Vec<&Accepted> {
        self.accepted.iter().filter(|accepted| accepted.kind == kind).collect()
    }

    fn has_open_dispute(&self, set: &Bits) -> bool {
        let disputes = self.of_kind(set, Kind::Dispute);
        !disputes.is_empty() && !self.open(&disputes, self.of_kind(set, Kind::Resolve)).is_empty()
    }

    /// Those disputes that these resolves do not settle.
    fn open(&self, disputes: &[&Accepted], mut resolves: Vec<&Accepted>) -> Vec<Id> {
        sort(&mut resolves, &|a, b| a.dispute.cmp(&b.dispute));
        let is_resolved = |id: &Id| {
            let first = resolves.partition_point(|resolve| resolve.dispute < Some(*id));
            let after = resolves.get(first..).unwrap_or_default();
            let about = after.iter().take_while(|resolve| resolve.dispute == Some(*id)).count();
            self.tally(after.get(..about).unwrap_or_default()).has_quorum()
        };
        disputes.iter().map(|dispute| dispute.id).filter(|id| !is_resolved(id)).collect()
    }

    /// The disputes that are not resolved.
    pub fn open_disputes(&self) -> Vec<Id> {
        let mut open = self.open(&self.all(Kind::Dispute), self.all(Kind::Resolve));
        unique(&mut open);
        open
    }

    /// The state of a complete agreement.
    pub fn state(&self, now: u64) -> State {
        let policy = &self.terms.policy;
        let has_dates = policy.effective_from.is_some() || policy.expires_at.is_some();
        if self.is_terminated(&self.all(Kind::Terminate)) {
            State::Terminated
        } else if !self.all(Kind::Supersede).is_empty() {
            State::Superseded
        } else if !self.open_disputes().is_empty() {
            State::Disputed
        } else if policy.expires_at.is_some_and(|end| now >= end) {
            State::Ended
        } else if !has_dates || policy.effective_from.is_some_and(|from| now < from) {
            State::Complete
        } else {
            State::Active
        }
    }
}
