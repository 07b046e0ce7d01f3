//! Whether the agreement is complete, and in which view (`INTERFACE.md`, completion).

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use crate::bits::{Bits, Flags, Set, numbers};
use crate::event::Kind;
use crate::graph::{Graph, Node};
use crate::holding::{Held, Mark, is_negative};
use crate::id::Id;
use crate::sorting::sort;
use crate::tally::Tally;

/// Whether a kind of mark counts towards the policy.
pub(crate) fn counts(kind: Kind) -> bool {
    matches!(kind, Kind::Sign | Kind::Witness | Kind::Notarize)
}

impl Held<'_> {
    /// Which parties have declined in a view.
    pub fn declined(&self, view: &Bits) -> Flags {
        let mut declined = Flags::new(self.terms.parties.len());
        for mark in self.of_kind(view, Kind::Decline) {
            declined.set(mark.party);
        }
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
            let (views, empty) = (Views::new(self, graph), Set::default());
            let mut by_size = views.by_size();
            by_size.insert(0, &empty);
            self.first_met(&counting, &by_size)
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
        sort(&mut steps, &|(a, ..), (b, ..)| a.cmp(b));
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
        let mut best = Tally::new(self.terms);
        counting.iter().for_each(|mark| best.add(mark.party));
        if !best.is_met() {
            return None;
        }
        // Those who knew of the same negatives belong to the same views.
        let (numbers, firsts) = numbers(&counting.iter().map(|mark| &mark.view).collect::<Vec<_>>());
        let mut groups: Vec<Vec<&Mark>> = vec![Vec::new(); firsts.len()];
        for (mark, number) in counting.iter().zip(numbers) {
            if let Some(group) = groups.get_mut(number as usize) {
                group.push(mark);
            }
        }
        let is_met = |view: &&&Set| {
            let mut tally = Tally::new(self.terms);
            let declined = self.declined(view);
            let belongs = |group: &&Vec<&Mark>| group.first().is_some_and(|mark| mark.view.is_subset(view));
            let belonging = groups.iter().filter(belongs).flatten();
            let active = belonging.filter(|mark| self.is_active(mark, view, &declined));
            active.for_each(|mark| tally.add(mark.party));
            tally.is_met() && !self.ends(view)
        };
        views.iter().find(is_met).map(|view| Rc::clone(view))
    }
}

/// The different views of all admitted events. What a negative was made in front of was not complete.
pub(crate) struct Views {
    /// The views, each with the smallest id of an event that has it.
    views: Vec<(Set, Id)>,
    /// Which view each event has.
    of: Vec<Option<u32>>,
}

impl Views {
    pub fn new(held: &Held<'_>, graph: &Graph) -> Self {
        // By id, so the first event of a view has the smallest one.
        let seeing: Vec<(usize, &Node, &Set)> = graph
            .nodes
            .iter()
            .zip(&held.pasts)
            .enumerate()
            .filter(|(_, (node, _))| node.is_admitted && !is_negative(node.event.kind))
            .map(|(at, (node, past))| (at, node, &past.view))
            .collect();
        let (numbers, firsts) = numbers(&seeing.iter().map(|(_, _, view)| *view).collect::<Vec<_>>());
        let mut of = vec![None; graph.nodes.len()];
        for ((at, ..), number) in seeing.iter().zip(numbers) {
            if let Some(slot) = of.get_mut(*at) {
                *slot = Some(number);
            }
        }
        let first = |at: &usize| seeing.get(*at).map(|(_, node, view)| (Rc::clone(view), node.event.id));
        Self { views: firsts.iter().filter_map(first).collect(), of }
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
        let mut views: Vec<(u32, &Id, &Set)> =
            self.views.iter().map(|(view, id)| (view.len(), id, view)).collect();
        sort(&mut views, &|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        views.into_iter().map(|(.., view)| view).collect()
    }
}
