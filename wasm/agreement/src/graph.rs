//! Events as a graph of who has seen what, and which of them are admitted (`INTERFACE.md`, steps 1 to 7).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::bits::Flags;
use crate::codes::Code;
use crate::event::{Event, Kind};
use crate::id::Id;
use crate::input::{Input, Revocation, Verdict};
use crate::sorting::{sort, unique};
use crate::table;
use crate::terms::{Algorithm, Party, Role, Terms};

/// An event in the graph.
pub(crate) struct Node {
    pub event: Event,
    pub verdict: Verdict,
    /// The party that acts, or for which is acted.
    pub party: usize,
    /// Why it has no effect, once that is known.
    pub code: Option<Code>,
    /// Whether it got past steps 1 to 7.
    pub is_admitted: bool,
    /// What it has seen, as far as that is there and genuine.
    pub parents: Vec<usize>,
    pub depth: u32,
    /// The earliest time that a notary proves for it.
    pub proof: Option<u64>,
    /// Whether it proves a time.
    pub is_prover: bool,
}

impl Node {
    fn is_genuine(&self) -> bool {
        matches!(self.verdict, Verdict::Valid { .. }) && !self.is_foreign()
    }

    /// Whether it is of another agreement.
    fn is_foreign(&self) -> bool {
        matches!(self.code, Some(Code::WrongAgreement))
    }

    fn revoked(&self) -> Option<&Revocation> {
        if let Verdict::Valid { revoked, .. } = &self.verdict { revoked.as_ref() } else { None }
    }

    /// Whether nothing is against it so far.
    fn is_open(&self) -> bool {
        self.code.is_none()
    }
}

/// All events of a history, by id.
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    /// How many different texts are no events.
    pub unreadable: usize,
    /// Positions of all genuine events, each after what it has seen.
    pub order: Vec<usize>,
    /// Ids that are named in `seen` and cannot be looked at.
    pub missing: Vec<Id>,
    /// What a new event names in `seen`.
    pub heads: Vec<Id>,
    /// Whether there are events of parties, and nobody's key is known.
    pub is_nobody_known: bool,
}

/// Events by id, one for each; and how many texts are none.
fn one_each(inputs: Vec<Input>) -> (Vec<(Event, Verdict)>, usize) {
    let mut unreadable: Vec<String> = Vec::new();
    let mut events: Vec<(Event, Verdict, String)> = Vec::with_capacity(inputs.len());
    for input in inputs {
        match input.event {
            Some(event) => events.push((event, input.verdict, input.text)),
            None => unreadable.push(input.text),
        }
    }
    unique(&mut unreadable);
    sort(&mut events, &|(a, va, ta), (b, vb, tb)| {
        let invalid = |verdict: &Verdict| matches!(verdict, Verdict::Invalid(_));
        (a.id, invalid(va), ta, va.rank()).cmp(&(b.id, invalid(vb), tb, vb.rank()))
    });
    events.dedup_by(|b, a| a.0.id == b.0.id);
    (events.into_iter().map(|(event, verdict, _)| (event, verdict)).collect(), unreadable.len())
}

impl Graph {
    pub fn new(terms: &Terms, inputs: Vec<Input>) -> Self {
        let (events, unreadable) = one_each(inputs);
        let roll = Roll::new(terms);
        let nodes: Vec<Node> = events
            .into_iter()
            .map(|(event, verdict)| {
                let (party, code) = roll.admit(&event, &verdict);
                Node {
                    event,
                    verdict,
                    party,
                    code,
                    is_admitted: false,
                    parents: Vec::new(),
                    depth: 0,
                    proof: None,
                    is_prover: false,
                }
            })
            .collect();
        let is_nobody_known = roll.is_nobody_known(&nodes);
        let mut graph = Self {
            nodes,
            unreadable,
            order: Vec::new(),
            missing: Vec::new(),
            heads: Vec::new(),
            is_nobody_known,
        };
        let holes = graph.connect();
        graph.sort();
        let is_holey = graph.spread(&holes);
        graph.prove(&is_holey);
        graph.judge_keys(&is_holey);
        graph.find_heads();
        graph
    }

    pub fn position(&self, id: &Id) -> Option<usize> {
        self.nodes.binary_search_by(|node| node.event.id.cmp(id)).ok()
    }

    /// Finds the parents of each genuine event, and returns the holes in what it has seen.
    fn connect(&mut self) -> Vec<Vec<Id>> {
        let mut all_holes = Vec::with_capacity(self.nodes.len());
        let mut all_parents = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let (mut parents, mut holes) = (Vec::new(), Vec::new());
            if node.is_genuine() {
                for id in &node.event.seen {
                    match self.position(id).and_then(|at| Some((at, self.nodes.get(at)?))) {
                        Some((at, parent)) if parent.is_genuine() => parents.push(at),
                        _ => holes.push(*id),
                    }
                }
            }
            all_parents.push(parents);
            all_holes.push(holes);
        }
        for (node, parents) in self.nodes.iter_mut().zip(all_parents) {
            node.parents = parents;
        }
        all_holes
    }

    /// Orders the genuine events so that each comes after what it has seen, and measures their depth.
    fn sort(&mut self) {
        let count = self.nodes.len();
        let mut children = vec![Vec::new(); count];
        let mut waits = vec![0_usize; count];
        for (at, node) in self.nodes.iter().enumerate() {
            for parent in &node.parents {
                if let Some(list) = children.get_mut(*parent) {
                    list.push(at);
                }
            }
            if let Some(wait) = waits.get_mut(at) {
                *wait = node.parents.len();
            }
        }
        let mut ready: Vec<usize> = (0..count)
            .filter(|at| self.nodes.get(*at).is_some_and(|node| node.is_genuine() && node.parents.is_empty()))
            .collect();
        while let Some(at) = ready.pop() {
            self.order.push(at);
            let below = self.nodes.get(at).map_or(0, |node| node.depth).saturating_add(1);
            for child in children.get(at).into_iter().flatten() {
                if let Some(node) = self.nodes.get_mut(*child) {
                    node.depth = node.depth.max(below);
                }
                if let Some(wait) = waits.get_mut(*child) {
                    *wait = wait.saturating_sub(1);
                    if *wait == 0 {
                        ready.push(*child);
                    }
                }
            }
        }
        // By depth, so that the order does not depend on anything but the graph.
        let depth = |at: &usize| (self.nodes.get(*at).map_or(0, |node| node.depth), *at);
        sort(&mut self.order, &|a, b| depth(a).cmp(&depth(b)));
    }

    /// Which events have a hole in their past; fills `missing`.
    fn spread(&mut self, holes: &[Vec<Id>]) -> Flags {
        let mut is_holey = Flags::new(self.nodes.len());
        for at in &self.order {
            let Some(node) = self.nodes.get(*at) else { continue };
            let own = holes.get(*at).is_some_and(|holes| !holes.is_empty());
            if own || node.parents.iter().any(|parent| is_holey.get(*parent)) {
                is_holey.set(*at);
            }
        }
        let mut is_reached = Flags::new(self.nodes.len());
        for at in self.order.iter().rev() {
            let Some(node) = self.nodes.get(*at) else { continue };
            if !(is_reached.get(*at) || node.is_open()) || !is_holey.get(*at) {
                continue;
            }
            self.missing.extend(holes.get(*at).into_iter().flatten());
            for parent in &node.parents {
                is_reached.set(*parent);
            }
        }
        unique(&mut self.missing);
        is_holey
    }

    /// The smallest date of the proposals in the past of each event: nothing can be proved to be earlier.
    fn begun(&self, is_holey: &Flags) -> Vec<Option<u64>> {
        let mut begun: Vec<Option<u64>> = vec![None; self.nodes.len()];
        for at in &self.order {
            let Some(node) = self.nodes.get(*at) else { continue };
            let of = |parent: &usize| {
                let node = self.nodes.get(*parent)?;
                let is_proposal =
                    node.event.kind == Kind::Propose && node.is_open() && !is_holey.get(*parent);
                let before = begun.get(*parent).copied().flatten();
                if !is_proposal {
                    return before;
                }
                Some(before.map_or(node.event.at, |before| before.min(node.event.at)))
            };
            let earliest = node.parents.iter().filter_map(of).min();
            if let Some(slot) = begun.get_mut(*at) {
                *slot = earliest;
            }
        }
        begun
    }

    /// Finds the earliest time that a notary proves for each event.
    fn prove(&mut self, is_holey: &Flags) {
        let begun = self.begun(is_holey);
        for at in self.order.iter().rev() {
            let Some(node) = self.nodes.get_mut(*at) else { continue };
            let is_usable =
                node.revoked().is_none_or(|revoked| revoked.is_harmless && node.event.at < revoked.at);
            let has_begun = begun.get(*at).copied().flatten().is_some_and(|begun| begun <= node.event.at);
            if node.event.kind == Kind::Notarize
                && node.is_open()
                && is_usable
                && has_begun
                && !is_holey.get(*at)
            {
                node.is_prover = true;
                node.proof = Some(node.proof.map_or(node.event.at, |proof| proof.min(node.event.at)));
            }
            let Some(proof) = node.proof else { continue };
            for parent in node.parents.clone() {
                if let Some(node) = self.nodes.get_mut(parent) {
                    node.proof = Some(node.proof.map_or(proof, |other| other.min(proof)));
                }
            }
        }
    }

    /// Steps 6 and 7.
    fn judge_keys(&mut self, is_holey: &Flags) {
        for (at, node) in self.nodes.iter_mut().enumerate().filter(|(_, node)| node.code.is_none()) {
            let is_revoked = node.revoked().is_some_and(|revoked| {
                if revoked.is_harmless {
                    node.event.at >= revoked.at
                } else {
                    node.proof.is_none_or(|proof| proof >= revoked.at)
                }
            });
            if is_holey.get(at) {
                node.code = Some(Code::UnknownSeen);
            } else if is_revoked {
                node.code = Some(Code::KeyRevoked);
            } else {
                node.is_admitted = true;
            }
        }
    }

    fn find_heads(&mut self) {
        let mut is_seen = Flags::new(self.nodes.len());
        for at in self.order.iter().rev() {
            let Some(node) = self.nodes.get(*at) else { continue };
            if node.is_admitted && !is_seen.get(*at) {
                self.heads.push(node.event.id);
            }
            if node.is_admitted || is_seen.get(*at) {
                for parent in &node.parents {
                    is_seen.set(*parent);
                }
            }
        }
        unique(&mut self.heads);
    }
}

fn place(names: &[(&str, usize)], name: &str) -> Option<usize> {
    let at = names.binary_search_by_key(&name, |(name, _)| name).ok()?;
    names.get(at).map(|(_, place)| *place)
}

/// Who is who.
struct Roll<'a> {
    terms: &'a Terms,
    /// Places of the parties, by agent and by their name.
    agents: Vec<(&'a str, usize)>,
    ids: Vec<(&'a str, usize)>,
}

impl<'a> Roll<'a> {
    fn new(terms: &'a Terms) -> Self {
        let sorted = |name: fn(&'a Party) -> &'a str| {
            let mut names: Vec<(&str, usize)> = terms.parties.iter().map(name).zip(0..).collect();
            sort(&mut names, &Ord::cmp);
            names
        };
        Self { terms, agents: sorted(|party| &party.agent), ids: sorted(|party| &party.id) }
    }

    fn party(&self, event: &Event) -> Option<usize> {
        match &event.on_behalf {
            Some(id) => place(&self.ids, id),
            None => place(&self.agents, &event.agent),
        }
    }

    /// Steps 2 to 5.
    fn admit(&self, event: &Event, verdict: &Verdict) -> (usize, Option<Code>) {
        if event.agreement != self.terms.hash {
            return (usize::MAX, Some(Code::WrongAgreement));
        }
        if let Verdict::Invalid(code) = verdict {
            return (usize::MAX, Some(Code::Verdict(code.clone())));
        }
        let found = self.party(event).and_then(|at| Some((at, self.terms.parties.get(at)?)));
        let Some((at, party)) = found else { return (usize::MAX, Some(Code::NotAParty)) };
        let policy = &self.terms.policy;
        let has_role = |role: Role| role == event.role && table::roles(event.kind).contains(&role);
        let is_key_named =
            event.on_behalf.is_some() || party.key_ids.is_empty() || party.key_ids.contains(&event.key_id);
        let code = if !has_role(party.role) {
            Some(Code::WrongRole)
        } else if !is_key_named {
            Some(Code::WrongKey)
        } else if !policy.algorithms.is_empty() && !policy.algorithms.contains(&event.algorithm) {
            Some(Code::WrongAlgorithm)
        } else if policy.needs_pq && event.algorithm != Algorithm::Pq2025 {
            Some(Code::TooWeak)
        } else {
            None
        };
        (at, code)
    }

    fn is_nobody_known(&self, nodes: &[Node]) -> bool {
        let (mut has_one, mut are_unknown) = (false, true);
        for node in nodes {
            if !node.is_foreign() && place(&self.agents, &node.event.agent).is_some() {
                has_one = true;
                are_unknown &= matches!(&node.verdict, Verdict::Invalid(code) if code == "UnknownSigner");
            }
        }
        has_one && are_unknown
    }
}
