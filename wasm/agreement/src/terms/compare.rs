//! Where new terms are less strict than those that they amend. Nothing forbids that; people should see it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::sorting::sort;

use super::{Algorithm, Decline, Delegations, Party, Policy, Quorum, Terminate, Terms};

/// The members of the policy in which `new` is looser than `old`, by name; `required <partyId>` for a party that was
/// required and is not.
pub fn loosened(old: &Terms, new: &Terms) -> Vec<String> {
    let (was, is) = (&old.policy, &new.policy);
    let rank_delegation = |delegation| match delegation {
        Delegations::None => 0,
        Delegations::Listed => 1,
        Delegations::Document => 2,
    };
    let rank_terminate = |terminate| match terminate {
        Terminate::All => 0,
        Terminate::Quorum => 1,
        Terminate::Any => 2,
    };
    let is_later = |was: Option<u64>, is: Option<u64>| match (was, is) {
        (Some(was), Some(is)) => is > was,
        (Some(_), None) => true,
        _ => false,
    };
    let rows = [
        ("quorum", fewest(new) < fewest(old)),
        ("order", was.is_staged && !is.is_staged),
        ("witnesses", is.witnesses < was.witnesses),
        ("notaries", is.notaries < was.notaries),
        ("decline", was.decline == Decline::AnyEnds && is.decline != Decline::AnyEnds),
        ("algorithms", Algorithm::ALL.iter().any(|one| allows(is, *one) && !allows(was, *one))),
        ("minStrength", was.needs_pq && !is.needs_pq),
        ("signBy", is_later(was.sign_by, is.sign_by)),
        ("expiresAt", is_later(was.expires_at, is.expires_at)),
        ("timeProof", was.needs_time_proof && !is.needs_time_proof),
        ("delegation", rank_delegation(is.delegation) > rank_delegation(was.delegation)),
        ("withdraw", was.can_withdraw && !is.can_withdraw),
        ("terminate", rank_terminate(is.terminate) > rank_terminate(was.terminate)),
    ];
    let mut names = Vec::new();
    for (name, is_looser) in rows {
        if is_looser {
            names.push(name.into());
        }
    }
    let still_required = |id: &str| new.parties.iter().any(|party| party.is_required && party.id == id);
    for Party { id, is_required, .. } in &old.parties {
        if *is_required && !still_required(id) {
            names.push(["required ", id].concat());
        }
    }
    names
}

fn allows(policy: &Policy, algorithm: Algorithm) -> bool {
    policy.algorithms.is_empty() || policy.algorithms.contains(&algorithm)
}

/// How many signatures are enough in the best case.
fn fewest(terms: &Terms) -> u32 {
    let mut weights: Vec<u32> =
        terms.parties.iter().filter(|party| party.role.consents()).map(|party| party.weight).collect();
    let all = u32::try_from(weights.len()).unwrap_or(u32::MAX);
    match &terms.policy.quorum {
        Quorum::All => all,
        Quorum::Majority => (all >> 1).saturating_add(1),
        Quorum::Count(need) => *need,
        Quorum::Groups(groups) => groups.iter().map(|(_, need)| *need).fold(0, u32::saturating_add),
        Quorum::Weight(need) => {
            sort(&mut weights, &|a, b| b.cmp(a));
            let mut left = *need;
            let mut count = 0_u32;
            for weight in weights {
                if left == 0 {
                    break;
                }
                left = left.saturating_sub(weight);
                count = count.saturating_add(1);
            }
            count
        }
    }
}
