//! The table of states and events (`agreements.md` 3.3), read by the code and by people.
//!
//! The state function asks it for every event: may this be done in the state in which its actor had the agreement?

use crate::event::{Kind, names};

names! {
    /// The state of an agreement. It is never stored: it follows from terms, events and time.
    State {
        /// Terms without a valid proposal.
        Draft = "draft",
        /// Proposed, and not signed by anybody.
        Proposed = "proposed",
        /// Signed by somebody; the policy is not met.
        Partial = "partial",
        /// The policy is met; the agreement has no dates, or does not take effect yet.
        Complete = "complete",
        /// Complete and in effect.
        Active = "active",
        /// Ended by those who declined.
        Declined = "declined",
        /// Ended by who proposed it.
        Voided = "voided",
        /// Not complete at its deadline.
        Expired = "expired",
        /// Active, and a party disputes it.
        Disputed = "disputed",
        /// Ended by the parties while active.
        Terminated = "terminated",
        /// A complete successor has taken its place.
        Superseded = "superseded",
        /// Its time has passed.
        Ended = "ended",
        /// The terms are broken, or nobody's key is known.
        Invalid = "invalid",
    }
}

use Kind::{
    Attach, Comment, Decline, Delegate, Dispute, Notarize, Propose, Resolve, Sign, Supersede, Terminate,
    Void, Withdraw, Witness,
};
use State::{
    Active, Complete, Declined, Disputed, Draft, Ended, Expired, Invalid, Partial, Proposed, Superseded,
    Terminated, Voided,
};

/// A row: in this state, these events have an effect, and lead to one of these states.
pub type Row = (State, &'static [(Kind, &'static [State])]);

/// Every state. What is not listed is `NotAllowedNow`.
///
/// Time alone leads from `proposed` and `partial` to `expired` (`signBy`), from `complete` to `active`
/// (`effectiveFrom`), and from `active` to `ended` (`expiresAt`). A notary proves time in every state but `draft`.
/// Signatures after completion are counted and change nothing. `complete` without dates allows what `active` allows.
pub const TABLE: &[Row] = &[
    (Draft, &[(Propose, &[Proposed])]),
    (
        Proposed,
        &[
            (Sign, &[Partial, Complete, Active]),
            (Decline, &[Proposed, Declined]),
            (Void, &[Voided]),
            (Comment, &[Proposed]),
            (Attach, &[Proposed]),
            (Delegate, &[Proposed]),
            (Notarize, &[Proposed]),
        ],
    ),
    (
        Partial,
        &[
            (Sign, &[Partial, Complete, Active]),
            (Decline, &[Partial, Declined]),
            (Withdraw, &[Partial, Proposed]),
            (Void, &[Voided]),
            (Comment, &[Partial]),
            (Attach, &[Partial]),
            (Delegate, &[Partial]),
            (Witness, &[Partial, Complete, Active]),
            (Notarize, &[Partial, Complete, Active]),
        ],
    ),
    (
        Complete,
        &[
            (Sign, &[Complete]),
            (Comment, &[Complete]),
            (Attach, &[Complete]),
            (Witness, &[Complete]),
            (Notarize, &[Complete]),
        ],
    ),
    (
        Active,
        &[
            (Sign, &[Active]),
            (Comment, &[Active]),
            (Attach, &[Active]),
            (Witness, &[Active]),
            (Notarize, &[Active]),
            (Dispute, &[Disputed]),
            (Terminate, &[Active, Terminated]),
            (Supersede, &[Superseded]),
        ],
    ),
    (Declined, &[(Notarize, &[Declined])]),
    (Voided, &[(Notarize, &[Voided])]),
    (Expired, &[(Notarize, &[Expired])]),
    (
        Disputed,
        &[
            (Sign, &[Disputed]),
            (Comment, &[Disputed]),
            (Attach, &[Disputed]),
            (Witness, &[Disputed]),
            (Notarize, &[Disputed]),
            (Dispute, &[Disputed]),
            (Resolve, &[Disputed, Active, Ended]),
            (Terminate, &[Disputed, Terminated]),
        ],
    ),
    (Terminated, &[(Comment, &[Terminated]), (Attach, &[Terminated]), (Notarize, &[Terminated])]),
    (Superseded, &[(Comment, &[Superseded]), (Attach, &[Superseded]), (Notarize, &[Superseded])]),
    (
        Ended,
        &[
            (Sign, &[Ended]),
            (Comment, &[Ended]),
            (Attach, &[Ended]),
            (Witness, &[Ended]),
            (Notarize, &[Ended]),
        ],
    ),
    (Invalid, &[]),
];

/// Whether an event of this kind has an effect in this state.
pub fn allows(state: State, kind: Kind) -> bool {
    TABLE.iter().any(|(row, kinds)| *row == state && kinds.iter().any(|(other, _)| *other == kind))
}

/// Which roles may do it.
pub fn roles(kind: Kind) -> &'static [crate::terms::Role] {
    use crate::terms::Role::{Approver, Notary, Observer, Signer, Witness};
    match kind {
        Kind::Sign | Decline | Withdraw | Delegate | Dispute | Resolve | Terminate => &[Signer, Approver],
        Kind::Witness => &[Witness],
        Notarize => &[Notary],
        Propose | Void | Comment | Attach | Supersede => &[Signer, Approver, Witness, Notary, Observer],
    }
}
