//! Counting: do these signatures meet the policy?

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use sx_json::write_whole;

use crate::terms::{Policy, Quorum, Role, Terminate, Terms};

/// One stage, or the whole agreement: who is to sign and who has.
#[derive(Clone, Copy, Default)]
struct Part {
    parties: u32,
    signed: u32,
    required: u32,
    required_signed: u32,
}

impl Part {
    /// Whether a stage is satisfied.
    fn is_satisfied(&self, quorum: &Quorum) -> bool {
        let enough = match quorum {
            Quorum::All => self.signed == self.parties,
            Quorum::Majority => self.signed > self.parties >> 1,
            _ => self.signed > 0,
        };
        enough && self.required_signed == self.required
    }
}

/// `name have/need`
pub(crate) fn share(name: &[&str], have: u64, need: u64) -> String {
    [&name.concat(), " ", &write_whole(have), "/", &write_whole(need)].concat()
}

/// What has been counted so far. Every step takes the same time, however many parties there are.
#[derive(Clone)]
pub(crate) struct Tally<'a> {
    terms: &'a Terms,
    /// Signatures, or attestations, of each party.
    times: Vec<u32>,
    whole: Part,
    stages: Vec<Part>,
    /// The lowest stage that is not satisfied.
    lowest: usize,
    weight: u64,
    groups: Vec<u32>,
    witnesses: u32,
    notaries: u32,
}

fn step(count: &mut u32, is_more: bool) {
    *count = if is_more { count.saturating_add(1) } else { count.saturating_sub(1) };
}

impl<'a> Tally<'a> {
    /// Nobody has signed.
    pub fn new(terms: &'a Terms) -> Self {
        let groups = if let Quorum::Groups(groups) = &terms.policy.quorum { groups.len() } else { 0 };
        let mut tally = Self {
            terms,
            times: vec![0; terms.parties.len()],
            whole: Part::default(),
            stages: Vec::new(),
            lowest: 0,
            weight: 0,
            groups: vec![0; groups],
            witnesses: 0,
            notaries: 0,
        };
        for party in terms.parties.iter().filter(|party| party.role.consents()) {
            let stage = party.stage as usize;
            if tally.stages.len() <= stage {
                tally.stages.resize(stage.saturating_add(1), Part::default());
            }
            let expect = |part: &mut Part| {
                step(&mut part.parties, true);
                if party.is_required {
                    step(&mut part.required, true);
                }
            };
            expect(&mut tally.whole);
            tally.stages.get_mut(stage).map(expect);
        }
        tally
    }

    /// Everybody who consents has signed.
    pub fn full(terms: &'a Terms) -> Self {
        let mut tally = Self::new(terms);
        for (at, _) in terms.parties.iter().enumerate().filter(|(_, party)| party.role.consents()) {
            tally.add(at);
        }
        tally
    }

    fn policy(&self) -> &'a Policy {
        &self.terms.policy
    }

    /// One more signature, or attestation, of a party.
    pub fn add(&mut self, party: usize) {
        if let Some(times) = self.times.get_mut(party) {
            *times = times.saturating_add(1);
            if *times == 1 {
                self.change(party, true);
            }
        }
    }

    /// One less.
    pub fn remove(&mut self, party: usize) {
        if let Some(times) = self.times.get_mut(party)
            && *times > 0
        {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.change(party, false);
            }
        }
    }

    /// None any more.
    pub fn drop(&mut self, party: usize) {
        if let Some(times) = self.times.get_mut(party)
            && core::mem::take(times) > 0
        {
            self.change(party, false);
        }
    }

    fn change(&mut self, at: usize, is_more: bool) {
        let Some(party) = self.terms.parties.get(at) else { return };
        match party.role {
            Role::Witness => return step(&mut self.witnesses, is_more),
            Role::Notary => return step(&mut self.notaries, is_more),
            _ => {}
        }
        let count = |part: &mut Part| {
            step(&mut part.signed, is_more);
            if party.is_required {
                step(&mut part.required_signed, is_more);
            }
        };
        count(&mut self.whole);
        self.stages.get_mut(party.stage as usize).map(count);
        if !is_more {
            self.lowest = self.lowest.min(party.stage as usize);
        }
        while self.stages.get(self.lowest).is_some_and(|part| part.is_satisfied(&self.policy().quorum)) {
            self.lowest = self.lowest.saturating_add(1);
        }
        let weight = u64::from(party.weight);
        self.weight =
            if is_more { self.weight.saturating_add(weight) } else { self.weight.saturating_sub(weight) };
        if let Quorum::Groups(groups) = &self.policy().quorum {
            for ((name, _), have) in groups.iter().zip(&mut self.groups) {
                if party.group.as_ref() == Some(name) {
                    step(have, is_more);
                }
            }
        }
    }

    fn has(&self, party: usize) -> bool {
        self.times.get(party).is_some_and(|times| *times > 0)
    }

    /// What the quorum needs, in its own measure.
    pub fn need(&self) -> u64 {
        match &self.policy().quorum {
            Quorum::All => u64::from(self.whole.parties),
            Quorum::Majority => u64::from((self.whole.parties >> 1).saturating_add(1)),
            Quorum::Count(need) | Quorum::Weight(need) => u64::from(*need),
            Quorum::Groups(groups) => {
                groups.iter().map(|(_, need)| u64::from(*need)).fold(0, u64::saturating_add)
            }
        }
    }

    /// What has been reached of it.
    pub fn have(&self) -> u64 {
        match &self.policy().quorum {
            Quorum::Weight(_) => self.weight,
            Quorum::Groups(_) => {
                self.groups().map(|(_, need, have)| u64::from(have.min(need))).fold(0, u64::saturating_add)
            }
            _ => u64::from(self.whole.signed),
        }
    }

    /// The groups of the quorum: name, need, have.
    fn groups(&self) -> impl Iterator<Item = (&'a str, u32, u32)> {
        let groups: &'a [_] = if let Quorum::Groups(groups) = &self.policy().quorum { groups } else { &[] };
        groups.iter().zip(&self.groups).map(|((name, need), have)| (name.as_str(), *need, *have))
    }

    /// Whether the quorum is reached, without anything else that the policy asks for.
    pub fn has_quorum(&self) -> bool {
        self.have() >= self.need()
    }

    /// What lacks of the quorum, for people.
    pub fn lacking_quorum(&self) -> Vec<String> {
        if self.has_quorum() {
            return Vec::new();
        }
        match &self.policy().quorum {
            Quorum::Groups(_) => {
                let mut lacking = Vec::new();
                for (name, need, have) in self.groups().filter(|(_, need, have)| have < need) {
                    lacking.push(share(&["group ", name], u64::from(have), u64::from(need)));
                }
                lacking
            }
            Quorum::Weight(_) => vec![share(&["weight"], self.have(), self.need())],
            _ => vec![share(&["quorum"], self.have(), self.need())],
        }
    }

    /// The required parties that have not signed.
    pub fn lacking_parties(&self) -> impl Iterator<Item = &'a str> {
        let parties =
            self.terms.parties.iter().enumerate().filter(|(at, party)| party.is_required && !self.has(*at));
        parties.map(|(_, party)| party.id.as_str())
    }

    /// Whether those who consent are enough: quorum, required parties, stages.
    pub fn has_consent(&self) -> bool {
        self.has_quorum()
            && self.whole.required_signed == self.whole.required
            && self.lacking_stage().is_none()
    }

    /// Whether the policy is met.
    pub fn is_met(&self) -> bool {
        let (witnesses, notaries) = self.attested();
        witnesses.1 >= witnesses.0 && notaries.1 >= notaries.0 && self.has_consent()
    }

    /// Witnesses and notaries: need, have.
    pub fn attested(&self) -> ((u32, u32), (u32, u32)) {
        let policy = self.policy();
        ((policy.witnesses, self.witnesses), (policy.notaries, self.notaries))
    }

    /// The lowest stage that is not satisfied, if there are stages: its number, need, have.
    pub fn lacking_stage(&self) -> Option<(u32, u32, u32)> {
        let part = self.stages.get(self.lowest).filter(|_| self.policy().is_staged)?;
        Some((u32::try_from(self.lowest).unwrap_or(u32::MAX), part.parties, part.signed))
    }

    /// Whether those who consent are enough to end the agreement when it is in effect.
    pub fn can_terminate(&self) -> bool {
        match self.policy().terminate {
            Terminate::Any => self.whole.signed > 0,
            Terminate::Quorum => self.has_quorum(),
            Terminate::All => self.whole.signed == self.whole.parties,
        }
    }
}
