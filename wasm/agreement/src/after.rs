//! Which events are after completion: the agreement, judged on their past alone, is complete. So nothing that is added
//! changes it.

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use crate::bits::{Bits, Flags, Joiner, Set};
use crate::completion::{Views, counts};
use crate::event::Kind;
use crate::graph::{Graph, Node};
use crate::holding::{Held, Mark, is_negative};
use crate::over::is_late;

/// What is known of the events up to one.
#[derive(Clone, Default)]
struct Past {
    /// The views that somebody had in it; with time proofs the places of the notary events that are in it.
    evidence: Set,
    is_after: bool,
}

pub(crate) struct After {
    pub is_after: Flags,
}

impl After {
    pub fn new(held: &Held<'_>, graph: &Graph) -> Self {
        let needs_proof = held.terms.policy.needs_time_proof;
        let views = Views::new(held, graph);
        let mut is_after = Flags::new(graph.nodes.len());
        let mut joiner = Joiner::default();
        let mut closures: Vec<Past> = vec![Past::default(); graph.nodes.len()];
        let mut last: Option<(Set, Set, bool)> = None;
        for at in &graph.order {
            let (Some(node), Some(seen)) = (graph.nodes.get(*at), held.pasts.get(*at)) else { continue };
            let mut past = join(&node.parents, &closures, &mut joiner);
            // Without time proofs more events never undo a completion.
            if needs_proof || !past.is_after {
                past.is_after = is_asked(node, needs_proof)
                    && match &last {
                        Some((marks, evidence, is_after))
                            if Rc::ptr_eq(marks, &seen.marks) && Rc::ptr_eq(evidence, &past.evidence) =>
                        {
                            *is_after
                        }
                        _ => {
                            let is_after = is_complete(held, graph, &views, &seen.marks, &past.evidence);
                            last = Some((Rc::clone(&seen.marks), Rc::clone(&past.evidence), is_after));
                            is_after
                        }
                    };
            }
            if past.is_after {
                is_after.set(*at);
            }
            let own =
                if needs_proof { u32::try_from(*at).ok().filter(|_| node.is_prover) } else { views.of(*at) };
            if let Some(own) = own.filter(|own| !past.evidence.contains(*own)) {
                past.evidence = past.evidence.with(own);
            }
            if let Some(slot) = closures.get_mut(*at) {
                *slot = past;
            }
        }
        Self { is_after }
    }
}

/// Whether it makes a difference for an event.
fn is_asked(node: &Node, needs_proof: bool) -> bool {
    let kind = node.event.kind;
    node.code.is_none() && (is_late(kind) || kind == Kind::Delegate || (is_negative(kind) && !needs_proof))
}

fn join(parents: &[usize], closures: &[Past], joiner: &mut Joiner) -> Past {
    if let [parent] = parents {
        return closures.get(*parent).cloned().unwrap_or_default();
    }
    let parents: Vec<&Past> = parents.iter().filter_map(|parent| closures.get(*parent)).collect();
    Past {
        evidence: joiner.join(&parents.iter().map(|past| &past.evidence).collect::<Vec<_>>()),
        is_after: parents.iter().any(|past| past.is_after),
    }
}

/// Whether the agreement is complete by these marks and this evidence alone.
fn is_complete(held: &Held<'_>, graph: &Graph, views: &Views, marks: &Bits, evidence: &Bits) -> bool {
    let there = || marks.iter().filter_map(|bit| Some((bit, held.get(bit)?)));
    if !held.terms.policy.needs_time_proof {
        let counting: Vec<&Mark> = there().map(|(_, mark)| mark).filter(|mark| counts(mark.kind)).collect();
        let empty = Set::default();
        let mut seen: Vec<&Set> = Vec::from([&empty]);
        seen.extend(evidence.iter().filter_map(|at| views.get(at)));
        return held.first_met(&counting, &seen).is_some();
    }
    let mut proofs: Vec<Option<u64>> = vec![None; held.marks.len()];
    for prover in evidence.iter() {
        let place = prover as usize;
        let (Some(node), Some(past)) = (graph.nodes.get(place), held.pasts.get(place)) else { continue };
        let own = marks.iter().filter(|bit| held.get(*bit).is_some_and(|mark| mark.node == place));
        for bit in past.marks.iter().chain(own) {
            if let Some(proof) = proofs.get_mut(bit as usize) {
                *proof = Some(proof.map_or(node.event.at, |other| other.min(node.event.at)));
            }
        }
    }
    let proof = |bit: u32| proofs.get(bit as usize).copied().flatten();
    let proved = there().filter_map(|(bit, mark)| Some((proof(bit)?, bit, mark)));
    held.first_in_time(graph, proved.collect()).is_some()
}
