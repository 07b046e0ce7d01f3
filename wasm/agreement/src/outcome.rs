//! The answer: the state of the agreement and what became of every event (`INTERFACE.md`, steps 13 and 14).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::bits::{Bits, Set};
use crate::certificate::{self, Line};
use crate::codes::Code;
use crate::completion::counts;
use crate::event::Kind;
use crate::graph::{Graph, Node};
use crate::holding::{Held, Mark, is_negative};
use crate::id::Id;
use crate::input::Input;
use crate::over::{Aftermath, is_late};
use crate::problem::Problem;
use crate::standing::{self, Standing};
use crate::table::State;
use crate::tally::Tally;
use crate::terms::Terms;

/// What follows from terms, events, verdicts and time.
#[derive(Debug)]
pub struct Outcome<'a> {
    /// The terms, if they could be read.
    pub terms: Option<&'a Terms>,
    /// The state.
    pub state: State,
    /// Whether the policy is met, whatever came later.
    pub is_complete: bool,
    /// What the quorum needs and what has been reached, in its own measure.
    pub quorum: (u64, u64),
    /// Witnesses: need, have.
    pub witnesses: (u32, u32),
    /// Notaries: need, have.
    pub notaries: (u32, u32),
    /// Where each party stands, in the order of the terms.
    pub standings: Vec<Standing>,
    /// Why it is not complete.
    pub blocked: Vec<String>,
    /// Events that lost a race.
    pub contested: Vec<Id>,
    /// Events that have an effect.
    pub counted: Vec<Id>,
    /// Events that have none, and why. What is no event has no id.
    pub ignored: Vec<(Option<Id>, Code)>,
    /// Events that are named as seen and cannot be looked at.
    pub missing: Vec<Id>,
    /// What a new event names as seen.
    pub heads: Vec<Id>,
    /// When the policy was met, in milliseconds.
    pub complete_at: Option<u64>,
    /// What is counted, for people.
    pub lines: Vec<Line>,
    /// Why it is invalid.
    pub errors: Vec<Problem>,
}

impl Outcome<'_> {
    /// The answer where nothing can be said but why.
    pub(crate) fn invalid(error: Problem) -> Self {
        Self {
            terms: None,
            state: State::Invalid,
            is_complete: false,
            quorum: (0, 0),
            witnesses: (0, 0),
            notaries: (0, 0),
            standings: Vec::new(),
            blocked: Vec::new(),
            contested: Vec::new(),
            counted: Vec::new(),
            ignored: Vec::new(),
            missing: Vec::new(),
            heads: Vec::new(),
            complete_at: None,
            lines: Vec::new(),
            errors: vec![error],
        }
    }
}

/// Judges a history. The order of the events, and events that come twice, change nothing. `now` is in milliseconds.
pub fn judge(terms: &Terms, inputs: Vec<Input>, now: u64) -> Outcome<'_> {
    let mut graph = Graph::new(terms, inputs);
    let mut held = Held::new(terms, &mut graph);
    let chosen = held.chosen_view(&graph);
    let phase = chosen.as_ref().map(|_| Aftermath::new(&held, &mut graph));
    let is_complete = chosen.is_some();
    let view = chosen.unwrap_or_else(|| all_negatives(&held));
    let signed = settle(&mut held, &mut graph, &view, phase.as_ref());
    let counted: Vec<(usize, &Node)> = graph
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.code.is_none() && counts(node.event.kind))
        .collect();
    let mut tally = Tally::new(terms);
    let is_early = |node: &Node| !is_past_deadline(terms, node) && held.is_in_time(node);
    counted.iter().filter(|(_, node)| is_early(node)).for_each(|(_, node)| tally.add(node.party));
    let belongs = |at: usize| held.pasts.get(at).is_some_and(|past| past.view.is_subset(&view));
    let (mut complete_at, mut lines) = (None, Vec::new());
    if is_complete {
        let belonging = counted.iter().filter(|(at, node)| belongs(*at) && is_early(node));
        complete_at = certificate::complete_at(terms, belonging.map(|(_, node)| *node));
        lines = certificate::lines(counted.iter().map(|(_, node)| *node));
    }
    let state = if graph.is_nobody_known {
        State::Invalid
    } else {
        phase.as_ref().map_or_else(|| open_state(&held, &graph, &view, now), |phase| phase.state(now))
    };
    let unknown = Problem::new("UnknownSigner", "No key of any party is known.");
    let (witnesses, notaries) = tally.attested();
    let mut outcome = Outcome {
        state,
        is_complete,
        quorum: (tally.need(), tally.have()),
        witnesses,
        notaries,
        standings: standing::of(terms, &graph, &signed),
        blocked: standing::blocked(state, &tally, phase.as_ref()),
        complete_at,
        lines,
        missing: core::mem::take(&mut graph.missing),
        heads: core::mem::take(&mut graph.heads),
        ..Outcome::invalid(unknown)
    };
    outcome.terms = Some(terms);
    if state != State::Invalid {
        outcome.errors.clear();
    }
    outcome.ignored.extend((0..graph.unreadable).map(|_| (None, Code::BadEvent)));
    for node in graph.nodes {
        let id = node.event.id;
        match node.code {
            None => outcome.counted.push(id),
            Some(code) => {
                if matches!(code, Code::Contested) {
                    outcome.contested.push(id);
                }
                outcome.ignored.push((Some(id), code));
            }
        }
    }
    outcome
}

fn all_negatives(held: &Held<'_>) -> Set {
    let mut all = Bits::default();
    for (bit, mark) in (0..).zip(&held.marks) {
        if is_negative(mark.kind) {
            all.insert(bit);
        }
    }
    all.into()
}

/// Gives the rest of the events their codes, and returns the counted sign of each party.
fn settle(
    held: &mut Held<'_>,
    graph: &mut Graph,
    view: &Bits,
    phase: Option<&Aftermath<'_>>,
) -> Vec<Option<usize>> {
    let signed = settle_signs(held, graph, view, phase);
    for (bit, mark) in (0..).zip(&held.marks) {
        let Some(phase) = phase.filter(|_| is_negative(mark.kind) && !view.contains(bit)) else { continue };
        let is_late = held.terms.policy.needs_time_proof || phase.is_after.get(mark.node);
        if let Some(node) = graph.nodes.get_mut(mark.node) {
            node.code = Some(if is_late { Code::TooLate } else { Code::Contested });
        }
    }
    for at in 0..graph.nodes.len() {
        let code = graph.nodes.get(at).filter(|node| node.code.is_none()).and_then(|node| {
            let past = held.pasts.get(at)?;
            let is_over = || phase.is_some_and(|phase| phase.is_over.get(at));
            let is_after = || phase.is_some_and(|phase| phase.is_after.get(at));
            match node.event.kind {
                Kind::Witness if !held.is_in_time(node) => Some(Code::NoTimeProof),
                Kind::Witness if is_over() => Some(Code::NotAllowedNow),
                Kind::Delegate if is_after() => Some(Code::NotAllowedNow),
                Kind::Comment | Kind::Attach if phase.is_none() && past.is_ended => Some(Code::NotAllowedNow),
                Kind::Comment | Kind::Attach if phase.is_none() && is_past_deadline(held.terms, node) => {
                    Some(Code::TooLate)
                }
                kind if is_late(kind) && phase.is_none() => Some(Code::NotAllowedNow),
                _ => None,
            }
        });
        if let (Some(code), Some(node)) = (code, graph.nodes.get_mut(at)) {
            node.code = Some(code);
        }
    }
    signed
}

fn is_past_deadline(terms: &Terms, node: &Node) -> bool {
    terms.policy.sign_by.is_some_and(|deadline| node.event.at > deadline)
}

fn settle_signs(
    held: &Held<'_>,
    graph: &mut Graph,
    view: &Bits,
    phase: Option<&Aftermath<'_>>,
) -> Vec<Option<usize>> {
    let declined = held.declined(view);
    let mut signed: Vec<Option<&Mark>> = vec![None; held.terms.parties.len()];
    // Those that belong to the view come first, then the earlier ones.
    let key = |graph: &Graph, mark: &Mark| {
        graph.nodes.get(mark.node).map(|node| (!mark.view.is_subset(view), node.event.at, node.event.id))
    };
    for mark in held.marks.iter().filter(|mark| mark.kind == Kind::Sign) {
        let is_over = phase.is_some_and(|phase| phase.is_over.get(mark.node));
        let code = if !graph.nodes.get(mark.node).is_some_and(|node| held.is_in_time(node)) {
            Some(Code::NoTimeProof)
        } else if is_over {
            Some(Code::NotAllowedNow)
        } else if !held.is_active(mark, view, &declined) {
            Some(Code::Withdrawn)
        } else {
            None
        };
        let Some(slot) = signed.get_mut(mark.party) else { continue };
        let (loser, code) = match (code, *slot) {
            (Some(code), _) => (Some(mark), code),
            (None, Some(other)) if key(graph, other) <= key(graph, mark) => (Some(mark), Code::Duplicate),
            (None, other) => {
                *slot = Some(mark);
                (other, Code::Duplicate)
            }
        };
        if let Some(node) = loser.and_then(|mark| graph.nodes.get_mut(mark.node)) {
            node.code = Some(code);
        }
    }
    signed.into_iter().map(|mark| mark.map(|mark| mark.node)).collect()
}

/// The state of an agreement that is not complete.
fn open_state(held: &Held<'_>, graph: &Graph, view: &Bits, now: u64) -> State {
    let holds = |kind: Kind| {
        held.marks.iter().filter(move |mark| mark.kind == kind).filter_map(|mark| graph.nodes.get(mark.node))
    };
    let (has_void, declines_end) = (held.has(view, Kind::Void), held.declines_end(view));
    if holds(Kind::Propose).next().is_none() {
        State::Draft
    } else if has_void && declines_end {
        let first = |kind| holds(kind).map(|node| node.event.id).min();
        if first(Kind::Void) < first(Kind::Decline) { State::Voided } else { State::Declined }
    } else if has_void {
        State::Voided
    } else if declines_end {
        State::Declined
    } else if held.terms.policy.sign_by.is_some_and(|deadline| now > deadline) {
        State::Expired
    } else if holds(Kind::Sign).any(|node| node.code.is_none()) {
        State::Partial
    } else {
        State::Proposed
    }
}
