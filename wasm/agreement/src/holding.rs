//! Which events hold: each judged on what its actor had seen, so that nothing that is added later changes it
//! (`INTERFACE.md`, steps 8 to 12).

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::bits::{Bits, Flags, Joiner, Set};
use crate::codes::Code;
use crate::event::{Delegation, Event, Kind};
use crate::graph::{Graph, Node};
use crate::table::{State, allows};
use crate::tally::Tally;
use crate::terms::{Decline, Delegations, Terms};

/// Withdrawals of one party in the past of another one of it.
const MOST_WITHDRAWALS: usize = 8;
/// Delegations of one party in the past of another one of it.
const MOST_DELEGATIONS: usize = 16;

/// An event that holds and that others depend on. Its number is its place in [`Held::marks`].
pub(crate) struct Mark {
    pub node: usize,
    pub party: usize,
    pub kind: Kind,
    /// The negatives that hold in its past.
    pub view: Set,
    /// Of a sign: the withdrawals that take it back.
    pub withdrawn_by: Vec<u32>,
    delegation: Option<Delegation>,
}

/// What an event has in its past, as numbers of marks.
#[derive(Clone, Default)]
pub(crate) struct Past {
    /// All marks.
    pub marks: Set,
    /// The negatives.
    pub view: Set,
    /// The signs that are withdrawn.
    withdrawn: Set,
    /// The smallest date of a proposal.
    begun: Option<u64>,
    has_sign: bool,
    /// Whether a void or declines end the agreement.
    pub is_ended: bool,
}

/// What holds.
pub(crate) struct Held<'a> {
    pub terms: &'a Terms,
    pub marks: Vec<Mark>,
    /// The past of each event.
    pub pasts: Vec<Past>,
    /// Which events hold.
    pub holds: Flags,
    /// The marks of each party, in causal order.
    own: Vec<Vec<u32>>,
    /// All signs.
    signs: Bits,
    /// What the last look at the stages has counted: the next one goes on from there, as most of it is the same.
    counted: RefCell<(Bits, Tally<'a>)>,
}

/// `decline`, `withdraw` and `void`.
pub(crate) fn is_negative(kind: Kind) -> bool {
    matches!(kind, Kind::Decline | Kind::Withdraw | Kind::Void)
}

/// Kinds that hold or do not in the state in which their actor saw an agreement that is not complete.
fn is_early(kind: Kind) -> bool {
    is_negative(kind)
        || matches!(kind, Kind::Propose | Kind::Sign | Kind::Delegate | Kind::Witness | Kind::Notarize)
}

impl<'a> Held<'a> {
    /// Judges every admitted event, in causal order.
    pub fn new(terms: &'a Terms, graph: &mut Graph) -> Self {
        let count = graph.nodes.len();
        let mut held = Self {
            terms,
            marks: Vec::new(),
            pasts: vec![Past::default(); count],
            holds: Flags::new(count),
            own: vec![Vec::new(); terms.parties.len()],
            signs: Bits::default(),
            counted: RefCell::new((Bits::default(), Tally::new(terms))),
        };
        let mut joiner = Joiner::default();
        // What a later event gets from this one: its past, and itself.
        let mut closures: Vec<Past> = vec![Past::default(); count];
        for at in &graph.order {
            let Some(node) = graph.nodes.get_mut(*at) else { continue };
            let past = held.join(&node.parents, &closures, &mut joiner);
            let mut closure = past.clone();
            if node.is_admitted {
                match held.check(node, &past) {
                    Ok(()) if is_early(node.event.kind) => {
                        held.holds.set(*at);
                        held.mark(*at, node, &past, &mut closure);
                    }
                    Ok(()) => {}
                    Err(code) => node.code = Some(code),
                }
            }
            for (list, value) in [(&mut held.pasts, past), (&mut closures, closure)] {
                if let Some(slot) = list.get_mut(*at) {
                    *slot = value;
                }
            }
        }
        held
    }

    fn join(&self, parents: &[usize], closures: &[Past], joiner: &mut Joiner) -> Past {
        if let [parent] = parents {
            return closures.get(*parent).cloned().unwrap_or_default();
        }
        let parents: Vec<&Past> = parents.iter().filter_map(|parent| closures.get(*parent)).collect();
        let mut union =
            |set: fn(&Past) -> &Set| joiner.join(&parents.iter().map(|past| set(past)).collect::<Vec<_>>());
        let (marks, view, withdrawn) =
            (union(|past| &past.marks), union(|past| &past.view), union(|past| &past.withdrawn));
        let has_ended = parents.iter().any(|past| past.is_ended);
        let is_known = parents.iter().any(|past| Rc::ptr_eq(&past.view, &view));
        Past {
            is_ended: has_ended || (!is_known && self.ends(&view)),
            begun: parents.iter().filter_map(|past| past.begun).min(),
            has_sign: parents.iter().any(|past| past.has_sign),
            marks,
            view,
            withdrawn,
        }
    }

    /// Whether these negatives end the agreement.
    pub fn ends(&self, view: &Bits) -> bool {
        self.has(view, Kind::Void) || self.declines_end(view)
    }

    /// Whether a set has a mark of a kind.
    pub fn has(&self, set: &Bits, kind: Kind) -> bool {
        self.of_kind(set, kind).next().is_some()
    }

    pub fn declines_end(&self, view: &Bits) -> bool {
        if !self.has(view, Kind::Decline) {
            return false;
        }
        if self.terms.policy.decline == Decline::AnyEnds {
            return true;
        }
        let mut others = Tally::full(self.terms);
        for mark in self.of_kind(view, Kind::Decline) {
            others.drop(mark.party);
        }
        !others.has_consent()
    }

    /// The marks of a kind in a set.
    pub fn of_kind(&self, set: &Bits, kind: Kind) -> impl Iterator<Item = &Mark> {
        set.iter().filter_map(|bit| self.get(bit)).filter(move |mark| mark.kind == kind)
    }

    pub fn get(&self, bit: u32) -> Option<&Mark> {
        self.marks.get(bit as usize)
    }

    /// The marks of a kind that a party has in a past. Goes through the past or through the party's marks, whichever
    /// is shorter.
    fn own(&self, past: &Past, party: usize, kind: Kind) -> Vec<(u32, &Mark)> {
        let own = self.own.get(party).map(Vec::as_slice).unwrap_or_default();
        let mut found = Vec::new();
        let mut look = |bit: u32| {
            if let Some(mark) = self.get(bit)
                && mark.kind == kind
                && mark.party == party
            {
                found.push((bit, mark));
            }
        };
        if own.len() <= past.marks.words() {
            own.iter().copied().filter(|bit| past.marks.contains(*bit)).for_each(look);
        } else {
            past.marks.iter().for_each(&mut look);
        }
        found
    }

    /// The signs of a party in a past that are not withdrawn there.
    fn active(&self, past: &Past, party: usize) -> Vec<u32> {
        let signs = self.own(past, party, Kind::Sign);
        signs.into_iter().map(|(bit, _)| bit).filter(|bit| !past.withdrawn.contains(*bit)).collect()
    }

    fn check(&self, node: &Node, past: &Past) -> Result<(), Code> {
        let event = &node.event;
        let Some(begun) = past.begun else {
            return if allows(State::Draft, event.kind) { Ok(()) } else { Err(Code::NotAllowedNow) };
        };
        if event.kind == Kind::Propose {
            return Err(Code::NotAllowedNow);
        }
        if event.at < begun {
            return Err(Code::BeforeTerms);
        }
        if event.on_behalf.is_some() {
            self.check_delegation(node, past)?;
        }
        if !is_early(event.kind) || event.kind == Kind::Notarize {
            return Ok(());
        }
        // `Partial` allows all that `Proposed` does; what needs a signature of one's own is looked at below.
        let state = if past.is_ended { State::Voided } else { State::Partial };
        if !allows(state, event.kind) {
            return Err(Code::NotAllowedNow);
        }
        if self.terms.policy.sign_by.is_some_and(|deadline| event.at > deadline) {
            return Err(Code::TooLate);
        }
        self.check_kind(node, past)
    }

    fn check_delegation(&self, node: &Node, past: &Past) -> Result<(), Code> {
        let mut code = Code::NotAParty;
        for (_, mark) in self.own(past, node.party, Kind::Delegate) {
            let Some(delegation) = &mark.delegation else { continue };
            if delegation.to != node.event.agent || !delegation.scope.contains(&node.event.kind) {
                continue;
            }
            if delegation.until.is_none_or(|until| node.event.at <= until) {
                return Ok(());
            }
            code = Code::DelegationExpired;
        }
        Err(code)
    }

    fn check_kind(&self, node: &Node, past: &Past) -> Result<(), Code> {
        let (event, party) = (&node.event, node.party);
        let has_declined = || !self.own(past, party, Kind::Decline).is_empty();
        let is_active = || !self.active(past, party).is_empty();
        let refused = match event.kind {
            Kind::Sign if has_declined() => Some(Code::NotAllowedNow),
            Kind::Sign if is_active() => Some(Code::Duplicate),
            Kind::Sign if !self.is_stage_open(past, party) => Some(Code::OutOfOrder),
            Kind::Decline if has_declined() => Some(Code::Duplicate),
            Kind::Decline if is_active() => Some(Code::NotAllowedNow),
            Kind::Withdraw if !self.terms.policy.can_withdraw => Some(Code::NotAllowedByPolicy),
            Kind::Withdraw if !is_active() => Some(Code::NotAllowedNow),
            Kind::Withdraw if self.own(past, party, Kind::Withdraw).len() >= MOST_WITHDRAWALS => {
                Some(Code::NotAllowedNow)
            }
            Kind::Void if self.own(past, party, Kind::Propose).is_empty() => Some(Code::WrongRole),
            Kind::Delegate if self.own(past, party, Kind::Delegate).len() >= MOST_DELEGATIONS => {
                Some(Code::NotAllowedNow)
            }
            Kind::Delegate if !self.can_delegate(event, party) => Some(Code::NotAllowedByPolicy),
            Kind::Witness if !past.has_sign => Some(Code::NotAllowedNow),
            _ => None,
        };
        refused.map_or(Ok(()), Err)
    }

    fn can_delegate(&self, event: &Event, party: usize) -> bool {
        let Some(delegation) = &event.delegation else { return false };
        let mut parties = self.terms.parties.iter();
        let is_own = self.terms.parties.get(party).is_some_and(|party| party.agent == delegation.to);
        let is_allowed = match self.terms.policy.delegation {
            Delegations::None => false,
            Delegations::Listed => parties.any(|party| party.agent == delegation.to),
            Delegations::Document => delegation.has_document,
        };
        is_allowed && !is_own
    }

    /// Whether the stages before that of a party are satisfied by what its signature has in its past.
    fn is_stage_open(&self, past: &Past, party: usize) -> bool {
        let stage = self.terms.parties.get(party).map_or(0, |party| party.stage);
        if stage == 0 {
            return true;
        }
        let mut counted = self.counted.borrow_mut();
        let (before, tally) = &mut *counted;
        let active = past.marks.common(&self.signs, &past.withdrawn);
        for mark in active.without(before).iter().filter_map(|bit| self.get(bit)) {
            tally.add(mark.party);
        }
        for mark in before.without(&active).iter().filter_map(|bit| self.get(bit)) {
            tally.remove(mark.party);
        }
        *before = active;
        let lacking = if self.has(&past.view, Kind::Decline) {
            let mut tally = tally.clone();
            for mark in self.of_kind(&past.view, Kind::Decline) {
                tally.drop(mark.party);
            }
            tally.lacking_stage()
        } else {
            tally.lacking_stage()
        };
        lacking.is_none_or(|(lacking, _, _)| lacking >= stage)
    }

    /// Notes an event that holds, and what it changes for those that see it.
    fn mark(&mut self, at: usize, node: &mut Node, past: &Past, closure: &mut Past) {
        let (kind, party) = (node.event.kind, node.party);
        match kind {
            Kind::Propose => {
                closure.begun = Some(past.begun.map_or(node.event.at, |begun| begun.min(node.event.at)))
            }
            Kind::Sign => closure.has_sign = true,
            // Another attestation of the same party belongs to no view to which the first one does not belong.
            Kind::Witness | Kind::Notarize if !self.own(past, party, kind).is_empty() => return,
            Kind::Notarize if self.terms.policy.sign_by.is_some_and(|deadline| node.event.at > deadline) => {
                return;
            }
            _ => {}
        }
        let bit = u32::try_from(self.marks.len()).unwrap_or(u32::MAX);
        if kind == Kind::Withdraw {
            let mut withdrawn = (*past.withdrawn).clone();
            for sign in self.active(past, party) {
                withdrawn.insert(sign);
                if let Some(mark) = self.marks.get_mut(sign as usize) {
                    mark.withdrawn_by.push(bit);
                }
            }
            closure.withdrawn = Rc::new(withdrawn);
        }
        if kind == Kind::Sign {
            self.signs.insert(bit);
        }
        self.marks.push(Mark {
            node: at,
            party,
            kind,
            view: Rc::clone(&past.view),
            withdrawn_by: Vec::new(),
            delegation: node.event.delegation.clone(),
        });
        if let Some(own) = self.own.get_mut(party) {
            own.push(bit);
        }
        closure.marks = past.marks.with(bit);
        if is_negative(kind) {
            closure.view = past.view.with(bit);
            closure.is_ended = past.is_ended || (kind != Kind::Withdraw && self.ends(&closure.view));
        }
    }
}
