//! The completion record: what counted, each line checkable by its event.

use alloc::string::String;
use alloc::vec::Vec;

use crate::graph::Node;
use crate::id::Id;
use crate::sorting::sort;
use crate::tally::Tally;
use crate::terms::Terms;

/// A counted signature, witness or notary event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which party, by its place in the terms.
    pub party: usize,
    /// The agent that acted.
    pub by: String,
    /// The key that signed.
    pub key_id: String,
    /// Its algorithm.
    pub algorithm: &'static str,
    /// The date that the actor gave it, in milliseconds.
    pub at: u64,
    /// The earliest time that a notary proves for it.
    pub proof: Option<u64>,
    /// The event.
    pub id: Id,
}

pub(crate) fn lines<'a>(counted: impl Iterator<Item = &'a Node>) -> Vec<Line> {
    let line = |node: &Node| Line {
        party: node.party,
        by: node.event.agent.clone(),
        key_id: node.event.key_id.clone(),
        algorithm: node.event.algorithm.name(),
        at: node.event.at,
        proof: node.proof,
        id: node.event.id,
    };
    let mut lines: Vec<Line> = counted.map(line).collect();
    sort(&mut lines, &|a, b| (a.at, a.id).cmp(&(b.at, b.id)));
    lines
}

/// The earliest date at which what counted up to then met the policy.
pub(crate) fn complete_at<'a>(terms: &Terms, counted: impl Iterator<Item = &'a Node>) -> Option<u64> {
    let dated = |node: &Node| {
        let proved = if terms.policy.needs_time_proof { node.proof } else { Some(node.event.at) };
        Some((proved?, node.party))
    };
    let mut dated: Vec<(u64, usize)> = counted.filter_map(dated).collect();
    sort(&mut dated, &Ord::cmp);
    let mut tally = Tally::new(terms);
    dated.into_iter().find_map(|(at, party)| {
        tally.add(party);
        tally.is_met().then_some(at)
    })
}
