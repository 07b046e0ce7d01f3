//! Whether the agreement is complete, and in which view (`INTERFACE.md`, completion).

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use crate::bits::{Bits, Flags, Set};
use crate::event::Kind;
use crate::graph::{Graph, Node};
use crate::holding::{Held, Mark, is_negative};
use crate::id::Id;
use crate::tally::Tally;

/// Whether a kind of mark counts towards the policy.
pub(crate) fn counts(kind: Kind) -> bool {
    matches!(kind, Kind::Sign | Kind::Witness | Kind::Notarize)
}

impl Held<'_> {
    /// Which parties have declined in a view.
    pub fn declined(&self, view: &Bits) -> Flags {
        let mut declined = Flags::new(self.terms.parties.len());
        self.of_kind(view, Kind::Decline).for_each(|(_, mark)| {
            declined.set(mark.party);
        });
        declined
    }

    /// Whether what counts is not taken back in a view in which these have declined.
    pub fn is_active(&self, mark: &Mark, view: &Bits, declined: &Flags) -> bool {
        mark.kind != Kind::Sign
            || !(declined.get(mark.party) || mark.withdrawn_by.iter().any(|by| view.contains(*by)))
    }

    /// Whether a time proof is there and early enough.
    pub fn is_proof_in_time(&self, proof: Option<u64>) -> bool {
        proof.is_some_and(|proof| self.terms.policy.sign_by.is_none_or(|deadline| proof <= deadline))
    }

    /// Whether an event is proved in time, if the terms ask for a proof.
    pub fn is_in_time(&self, node: &Node) -> bool {
        !self.terms.policy.needs_time_proof || self.is_proof_in_time(node.proof)
    }

    /// The view in which the policy is met, if there is one.
    pub fn chosen_view(&self, graph: &Graph) -> Option<Set> {
        let all = (0..).zip(&self.marks);
        if self.terms.policy.needs_time_proof {
            let proved = all.filter_map(|(bit, mark)| Some((graph.nodes.get(mark.node)?.proof?, bit, mark)));
            self.first_in_time(graph, proved.collect())
        } else {
            let counting: Vec<&Mark> = all.map(|(_, mark)| mark).filter(|mark| counts(mark.kind)).collect();
            self.first_met(&counting, &Views::new(self, graph).by_size())
        }
    }

    /// Notaries prove the order of these marks.
    pub fn first_in_time(&self, graph: &Graph, proved: Vec<(u64, u32, &Mark)>) -> Option<Set> {
        let mut steps: Vec<((u64, u32, Id), u32, &Mark)> = Vec::new();
        for (proof, bit, mark) in proved {
            let Some(node) = graph.nodes.get(mark.node) else { continue };
            if is_negative(mark.kind) || (counts(mark.kind) && self.is_proof_in_time(Some(proof))) {
                steps.push(((proof, node.depth, node.event.id), bit, mark));
            }
        }
        steps.sort_by_key(|(key, ..)| *key);
        let mut tally = Tally::new(self.terms);
        let mut view = Bits::default();
        let mut declined = Flags::new(self.terms.parties.len());
        let mut counted: Vec<&Mark> = Vec::new();
        for (_, bit, mark) in steps {
            match mark.kind {
                Kind::Decline => {
                    declined.set(mark.party);
                    tally.drop(mark.party);
                }
                Kind::Withdraw => {
                    counted.retain(|sign| {
                        let is_meant = sign.withdrawn_by.contains(&bit);
                        if is_meant {
                            tally.remove(sign.party);
                        }
                        !is_meant
                    });
                }
                Kind::Void => {}
                _ if self.is_active(mark, &view, &declined) => {
                    tally.add(mark.party);
                    counted.push(mark);
                }
                _ => {}
            }
            if is_negative(mark.kind) {
                view.insert(bit);
                if self.ends(&view) {
                    return None;
                }
            } else if tally.is_met() {
                return Some(Rc::new(view));
            }
        }
        None
    }

    /// Nobody proves an order: somebody must have had a complete agreement in front of them, together with those who
    /// knew of no more negatives. The first of these views in which the policy is met.
    pub fn first_met(&self, counting: &[&Mark], views: &[&Set]) -> Option<Set> {
        let mut groups: BTreeMap<&Bits, Vec<&Mark>> = BTreeMap::new();
        let mut best = Tally::new(self.terms);
        for mark in counting {
            groups.entry(&mark.view).or_default().push(mark);
            best.add(mark.party);
        }
        if !best.is_met() {
            return None;
        }
        let is_met = |view: &&&Set| {
            let mut tally = Tally::new(self.terms);
            let declined = self.declined(view);
            let belonging = groups.iter().filter(|(own, _)| own.is_subset(view)).flat_map(|(_, marks)| marks);
            let active = belonging.filter(|mark| self.is_active(mark, view, &declined));
            active.for_each(|mark| tally.add(mark.party));
            tally.is_met() && !self.ends(view)
        };
        views.iter().find(is_met).map(|view| Rc::clone(view))
    }
}

/// The different views of all admitted events. What a negative was made in front of was not complete.
pub(crate) struct Views {
    /// The views, each with the smallest id of an event that has it; first the empty one.
    views: Vec<(Set, Option<Id>)>,
    /// Which view each event has.
    of: Vec<Option<u32>>,
}

impl Views {
    pub fn new(held: &Held<'_>, graph: &Graph) -> Self {
        let mut known: BTreeMap<&Set, u32> = BTreeMap::new();
        let empty = Set::default();
        known.insert(&empty, 0);
        let mut views =
            Self { views: vec![(Rc::clone(&empty), None)], of: Vec::with_capacity(graph.nodes.len()) };
        let mut last: Option<(&Set, u32)> = None;
        // Ids ascend, so the first event of a view has the smallest one.
        for (node, past) in graph.nodes.iter().zip(&held.pasts) {
            if !node.is_admitted || is_negative(node.event.kind) {
                views.of.push(None);
                continue;
            }
            let number = match last {
                Some((set, number)) if Rc::ptr_eq(set, &past.view) => number,
                _ => *known.entry(&past.view).or_insert_with(|| {
                    views.views.push((Rc::clone(&past.view), Some(node.event.id)));
                    u32::try_from(views.views.len()).unwrap_or(u32::MAX).saturating_sub(1)
                }),
            };
            last = Some((&past.view, number));
            views.of.push(Some(number));
        }
        views
    }

    /// The number of the view of an event.
    pub fn of(&self, node: usize) -> Option<u32> {
        self.of.get(node).copied().flatten()
    }

    pub fn get(&self, number: u32) -> Option<&Set> {
        self.views.get(number as usize).map(|(view, _)| view)
    }

    /// All views, the smallest first.
    fn by_size(&self) -> Vec<&Set> {
        let mut views: Vec<&(Set, Option<Id>)> = self.views.iter().collect();
        views.sort_by_key(|(view, id)| (view.len(), *id));
        views.into_iter().map(|(view, _)| view).collect()
    }
}
