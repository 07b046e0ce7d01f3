//! Whether the agreement is complete, and in which view (`INTERFACE.md`, completion).

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::bits::{Bits, Flags, Set};
use crate::event::Kind;
use crate::graph::Graph;
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

    /// Whether an event is dated or proved in time to count.
    pub fn is_in_time(&self, graph: &Graph, node: usize) -> bool {
        let policy = &self.terms.policy;
        if !policy.needs_time_proof {
            return true;
        }
        let proof = graph.nodes.get(node).and_then(|node| node.proof);
        proof.is_some_and(|proof| policy.sign_by.is_none_or(|deadline| proof <= deadline))
    }

    /// The view in which the policy is met, if there is one.
    pub fn chosen_view(&self, graph: &Graph) -> Option<Set> {
        if self.terms.policy.needs_time_proof { self.first_in_time(graph) } else { self.first_by_views(graph) }
    }

    /// Notaries prove the order.
    fn first_in_time(&self, graph: &Graph) -> Option<Set> {
        let mut steps: Vec<((u64, u32, Id), u32, &Mark)> = Vec::new();
        for (bit, mark) in (0..).zip(&self.marks) {
            let Some(node) = graph.nodes.get(mark.node) else { continue };
            let Some(proof) = node.proof else { continue };
            if is_negative(mark.kind) || (counts(mark.kind) && self.is_in_time(graph, mark.node)) {
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
    /// knew of no more negatives.
    fn first_by_views(&self, graph: &Graph) -> Option<Set> {
        let mut groups: BTreeMap<&Bits, Vec<&Mark>> = BTreeMap::new();
        let mut best = Tally::new(self.terms);
        for mark in self.marks.iter().filter(|mark| counts(mark.kind)) {
            groups.entry(&mark.view).or_default().push(mark);
            best.add(mark.party);
        }
        if !best.is_met() {
            return None;
        }
        self.views(graph).into_iter().find(|view| {
            let mut tally = Tally::new(self.terms);
            let declined = self.declined(view);
            let belonging = groups.iter().filter(|(own, _)| own.is_subset(view)).flat_map(|(_, marks)| marks);
            let active = belonging.filter(|mark| self.is_active(mark, view, &declined));
            active.for_each(|mark| tally.add(mark.party));
            tally.is_met() && !self.ends(view)
        })
    }

    /// The different views of all admitted events, the smallest first.
    fn views(&self, graph: &Graph) -> Vec<Set> {
        let mut views: BTreeMap<&Set, Id> = BTreeMap::new();
        let mut last: Option<&Set> = None;
        let order = graph.nodes.iter().zip(&self.pasts).filter(|(node, _)| node.is_admitted);
        for (node, past) in order {
            // Ids ascend, so the first event of a view has the smallest one.
            if !last.is_some_and(|last| Rc::ptr_eq(last, &past.view)) {
                views.entry(&past.view).or_insert(node.event.id);
                last = Some(&past.view);
            }
        }
        let empty = Set::default();
        let mut views: Vec<(u32, Id, Set)> = views
            .into_iter()
            .filter(|(view, _)| !view.is_empty())
            .map(|(view, id)| (view.len(), id, Rc::clone(view)))
            .collect();
        views.sort_by_key(|(len, id, _)| (*len, *id));
        core::iter::once(empty).chain(views.into_iter().map(|(_, _, view)| view)).collect()
    }
}
