//! Terms: what the parties agree on and by which rules. They never change; other terms are another agreement.

mod check;
mod compare;
mod policy;

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{self, Limits, Value};
use sx_core::statement::{Context, pae};

pub use compare::loosened;
pub use policy::{Decline, Delegations, Policy, Quorum, Terminate};

use crate::event::names;
use crate::id::Id;
use crate::input;
use crate::problem::Problem;
use crate::sorting::sort;
use crate::tally::Tally;

names! {
    /// What a party does in an agreement.
    Role {
        /// Consents.
        Signer = "signer",
        /// Consents; another word for people who approve and do not contract.
        Approver = "approver",
        /// States that signatures were seen.
        Witness = "witness",
        /// Proves time.
        Notary = "notary",
        /// Reads along.
        Observer = "observer",
    }
}

impl Role {
    /// Whether the consent of such a party counts towards the quorum.
    pub const fn consents(self) -> bool {
        matches!(self, Self::Signer | Self::Approver)
    }
}

names! {
    /// Algorithms of signatures.
    Algorithm {
        /// Ed25519.
        Ed25519 = "ed25519",
        /// ML-DSA-87.
        Pq2025 = "pq2025",
    }
}

/// A party of an agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Its name within the agreement.
    pub id: String,
    /// Who it is.
    pub agent: String,
    /// The keys that it may use; any, if there are none.
    pub key_ids: Vec<String>,
    /// What it does.
    pub role: Role,
    /// How much its signature weighs.
    pub weight: u32,
    /// The stage in which it signs.
    pub stage: u32,
    /// The group that it belongs to.
    pub group: Option<String>,
    /// Whether nothing is complete without it.
    pub is_required: bool,
    /// What people call it. Shown, never compared.
    pub display_name: Option<String>,
}

/// A document that the terms refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// `supersedes`, `amends`, `annex`, `relates`.
    pub rel: String,
    /// The document.
    pub id: String,
    /// Its hash; of an agreement its `agreementHash`.
    pub hash: Id,
}

/// Terms of the right form.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The agreement (`sxId`).
    pub id: String,
    /// The hash of the terms (`agreementHash`).
    pub hash: Id,
    /// The heading.
    pub title: String,
    /// Who takes part, in the order of the terms.
    pub parties: Vec<Party>,
    /// The rules.
    pub policy: Policy,
    /// What the terms refer to.
    pub links: Vec<Link>,
    text: String,
}

impl Terms {
    /// Reads terms.
    ///
    /// Errors: those of the reader; `InvalidTerms`, `NoParties`, `ReservedField`.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        Self::of(&input::parse(text, &Limits::default())?)
    }

    pub(crate) fn of(value: &Value) -> Result<Self, Problem> {
        let text = json::write(value);
        let hash = Id::of(&preimage(&text));
        check::terms(value, hash, text)
    }

    /// Reads terms that are about to be proposed at `now`, in milliseconds.
    ///
    /// Errors: those of [`parse`](Self::parse); `InvalidTerms` for a deadline or an end that has passed.
    pub fn check_new(text: &str, now: u64) -> Result<Self, Problem> {
        let terms = Self::parse(text)?;
        let dates = [("signBy", terms.policy.sign_by), ("expiresAt", terms.policy.expires_at)];
        match dates.iter().find(|(_, date)| date.is_some_and(|date| date <= now)) {
            None => Ok(terms),
            Some((name, _)) => {
                let found = ["The date '", name, "' of the policy has passed."].concat();
                Err(Problem::new("InvalidTerms", found))
            }
        }
    }

    /// The canonical text.
    pub fn canonical(&self) -> &str {
        &self.text
    }

    /// What `agreementHash` is the SHA-256 of.
    pub fn preimage(&self) -> Vec<u8> {
        preimage(&self.text)
    }

    /// Whether these terms, once complete, take the place of others: they link to them by their hash, and those parties of
    /// the others that have consented to these would be enough to terminate the agreement.
    ///
    /// `signed`: the agents for whose parties there are signatures, also by delegates
    pub fn supersedes(&self, other: &Self, mut signed: Vec<&str>) -> bool {
        let follows = |link: &&Link| matches!(&*link.rel, "supersedes" | "amends");
        let is_link = |link: &Link| link.id == other.id && link.hash == other.hash;
        if !self.links.iter().filter(follows).any(is_link) {
            return false;
        }
        sort(&mut signed, &Ord::cmp);
        let consenting = self.parties.iter().filter(|party| party.role.consents()).map(|party| &*party.agent);
        let mut consented: Vec<&str> =
            consenting.filter(|agent| signed.binary_search(agent).is_ok()).collect();
        sort(&mut consented, &Ord::cmp);
        let mut tally = Tally::new(other);
        for (at, party) in other.parties.iter().enumerate().filter(|(_, party)| party.role.consents()) {
            if consented.binary_search(&&*party.agent).is_ok() {
                tally.add(at);
            }
        }
        tally.can_terminate()
    }
}

fn preimage(canonical: &str) -> Vec<u8> {
    pae(Context::AgreementTerms, canonical.as_bytes())
}
