//! Histories in few words.
#![allow(dead_code)] // no test needs all of it

pub mod generator;

use sx_agreement::document::Document;
use sx_agreement::terms::Terms;
use sx_agreement::{Id, judge};
use sx_core::json::{self, Limits, Value};
use sx_core::time;

/// The date of the first event: 2026-01-01.
pub const START: u64 = 1_767_225_600_000;
pub const MINUTE: u64 = 60_000;
pub const DAY: u64 = 24 * 60 * MINUTE;

pub fn date(ms: u64) -> String {
    time::format(ms).unwrap()
}

/// The agent of a party: the same for the same name.
pub fn agent(name: &str) -> String {
    format!("00000000-0000-4000-8000-{}", &Id::of(name.as_bytes()).text()[..12])
}

/// Copies as one.
pub fn merged(copies: &[String]) -> String {
    Document::open(copies).unwrap().to_json()
}

/// The ids of the events of a copy.
pub fn ids_in(copy: &str) -> Vec<String> {
    let answer = Document::open(&[copy.into()]).unwrap().answer();
    Answer(json::parse(answer.as_bytes(), &Limits::default()).unwrap(), answer.clone()).strings("events")
}

fn key(name: &str) -> String {
    format!("{}A", &Id::of(name.as_bytes()).text()[..42])
}

/// A party from `name`, `name:role` or `name:role:"more":"members"`.
pub fn party(text: &str) -> String {
    let mut parts = text.splitn(3, ':');
    let (name, role) = (parts.next().unwrap(), parts.next().unwrap_or("signer"));
    let more = parts.next().map(|more| format!(",{more}")).unwrap_or_default();
    format!(r#"{{"partyId":"{name}","agentId":"{}","role":"{role}"{more}}}"#, agent(name))
}

pub fn terms_of(parties: &[&str], policy: &str) -> String {
    let parties: Vec<String> = parties.iter().map(|text| party(text)).collect();
    format!(
        r#"{{"sxId":"6fa459ea-ee8a-4ca4-894e-db77e160355e","title":"Delivery","terms":"Ten boxes.","termsFormat":"text/plain","parties":[{}],"policy":{{{policy}}}}}"#,
        parties.join(",")
    )
}

/// An event to be made.
#[derive(Clone)]
pub struct Make {
    pub kind: String,
    pub party: String,
    pub agent: Option<String>,
    pub key: Option<String>,
    pub role: Option<String>,
    pub at: Option<u64>,
    pub seen: Vec<String>,
    pub data: Option<String>,
    pub alg: String,
    pub hash: Option<String>,
    pub verdict: String,
}

pub const VALID: &str = r#"{"valid":true}"#;
pub const BAD: &str = r#"{"valid":false,"code":"BadSignature"}"#;

/// `kind party`, as `sign anna`.
pub fn make(what: &str) -> Make {
    let (kind, party) = what.split_once(' ').unwrap();
    Make {
        kind: kind.into(),
        party: party.into(),
        agent: None,
        key: None,
        role: None,
        at: None,
        seen: Vec::new(),
        data: None,
        alg: "ed25519".into(),
        hash: None,
        verdict: VALID.into(),
    }
}

impl Make {
    pub fn seen(mut self, ids: &[&String]) -> Self {
        self.seen.extend(ids.iter().map(|id| (*id).clone()));
        self
    }
    pub fn at(mut self, at: u64) -> Self {
        self.at = Some(at);
        self
    }
    pub fn data(mut self, data: &str) -> Self {
        self.data = Some(data.into());
        self
    }
    pub fn by(mut self, name: &str) -> Self {
        self.agent = Some(agent(name));
        self
    }
    pub fn key(mut self, name: &str) -> Self {
        self.key = Some(key(name));
        self
    }
    pub fn role(mut self, role: &str) -> Self {
        self.role = Some(role.into());
        self
    }
    pub fn alg(mut self, alg: &str) -> Self {
        self.alg = alg.into();
        self
    }
    pub fn verdict(mut self, verdict: &str) -> Self {
        self.verdict = verdict.into();
        self
    }
    pub fn revoked(self, at: u64, reason: &str) -> Self {
        self.verdict(&format!(r#"{{"valid":true,"revoked":{{"at":"{}","reason":"{reason}"}}}}"#, date(at)))
    }
    pub fn of(mut self, hash: &str) -> Self {
        self.hash = Some(hash.into());
        self
    }
}

/// What `data` has for a kind where nothing is said.
fn usual_data(kind: &str) -> String {
    match kind {
        "comment" => r#"{"text":"Hello"}"#.into(),
        "attach" => format!(
            r#"{{"attachment":{{"name":"a.pdf","mediaType":"application/pdf","size":3,"sha256":"{}"}}}}"#,
            Id::of(b"abc").text()
        ),
        "dispute" => r#"{"reason":"Nine boxes came."}"#.into(),
        "delegate" => format!(r#"{{"to":"{}","scope":["sign"]}}"#, agent("deputy")),
        "resolve" => format!(r#"{{"dispute":"{}"}}"#, Id::of(b"no dispute").text()),
        "supersede" => format!(
            r#"{{"successor":{{"sxId":"01890a5d-ac96-774b-bcce-b302099a8057","sha256":"{}"}}}}"#,
            Id::of(b"successor").text()
        ),
        _ => "{}".into(),
    }
}

#[derive(Clone)]
pub struct History {
    pub terms: String,
    pub hash: String,
    pub roles: Vec<(String, String)>,
    /// Events with their verdicts.
    pub entries: Vec<(String, String)>,
    pub now: u64,
    /// The next date.
    pub clock: u64,
    serial: u64,
}

impl History {
    /// Terms of these parties and this policy.
    pub fn new(parties: &[&str], policy: &str) -> Self {
        Self::of(&terms_of(parties, policy))
    }

    pub fn of(terms: &str) -> Self {
        let read = Terms::parse(terms).unwrap_or_else(|problem| panic!("{problem:?}: {terms}"));
        let roles = read.parties.iter().map(|party| (party.id.clone(), party.role.name().into())).collect();
        Self {
            terms: terms.into(),
            hash: read.hash.text(),
            roles,
            entries: Vec::new(),
            now: START + DAY,
            clock: START,
            serial: 0,
        }
    }

    pub fn event(&mut self, make: &Make) -> String {
        self.serial += 1;
        self.clock += MINUTE;
        let role = self.roles.iter().find(|(id, _)| *id == make.party).map(|(_, role)| role.clone());
        let mut seen = make.seen.clone();
        seen.sort();
        seen.dedup();
        let seen: Vec<String> = seen.iter().map(|id| format!("\"{id}\"")).collect();
        format!(
            r#"{{"type":"{}","agreementHash":"{}","actor":{{"agentId":"{}","agentVersion":"01890a5d-ac96-774b-bcce-b302099a8057","keyId":"{}"}},"role":"{}","at":"{}","nonce":"{:021x}A","seen":[{}],"data":{},"alg":"{}","signature":"AAAA"}}"#,
            make.kind,
            make.hash.as_ref().unwrap_or(&self.hash),
            make.agent.clone().unwrap_or_else(|| agent(&make.party)),
            make.key.clone().unwrap_or_else(|| key(&make.party)),
            make.role.clone().or(role).unwrap_or_else(|| "signer".into()),
            date(make.at.unwrap_or(self.clock)),
            self.serial,
            seen.join(","),
            make.data.clone().unwrap_or_else(|| usual_data(&make.kind)),
            make.alg,
        )
    }

    /// Adds an event, and returns its id.
    pub fn add(&mut self, make: Make) -> String {
        let event = self.event(&make);
        let read = sx_agreement::event::Event::parse(&event);
        let id = read.unwrap_or_else(|problem| panic!("{problem:?}: {event}")).id.text();
        self.entries.push((event, make.verdict));
        id
    }

    /// Adds `kind party` that has seen these.
    pub fn act(&mut self, what: &str, seen: &[&String]) -> String {
        self.add(make(what).seen(seen))
    }

    /// Adds `kind party` that has seen all there is.
    pub fn next(&mut self, what: &str) -> String {
        let make = make(what);
        self.next_of(make)
    }

    pub fn next_of(&mut self, mut make: Make) -> String {
        make.seen = self.answer().strings("heads");
        self.add(make)
    }

    /// The id of the event that was added at this place.
    pub fn entry_id(&self, at: usize) -> String {
        sx_agreement::event::Event::parse(&self.entries[at].0).unwrap().id.text()
    }

    pub fn line(&self) -> String {
        let entries: Vec<String> = self
            .entries
            .iter()
            .map(|(event, verdict)| format!(r#"{{"event":{event},"verdict":{verdict}}}"#))
            .collect();
        format!(r#"{{"terms":{},"events":[{}],"now":"{}"}}"#, self.terms, entries.join(","), date(self.now))
    }

    pub fn answer(&self) -> Answer {
        Answer::of(&self.line())
    }

    pub fn status(&self) -> String {
        self.answer().text("status")
    }

    /// The canonical copy that holds these events.
    pub fn copy(&self) -> String {
        let events: Vec<&str> = self.entries.iter().map(|(event, _)| event.as_str()).collect();
        let text = format!(r#"{{"terms":{},"events":[{}]}}"#, self.terms, events.join(","));
        merged(&[text])
    }

    /// The same history with the entries for which `keep` holds.
    pub fn only(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let mut part = self.clone();
        let mut at = 0;
        part.entries.retain(|_| {
            at += 1;
            keep(at - 1)
        });
        part
    }
}

pub struct Answer(pub Value, pub String);

impl Answer {
    pub fn of(line: &str) -> Self {
        let text = judge::line(line);
        let limits = Limits { members: 10_000_000, bytes: 1 << 30, ..Limits::default() };
        Self(json::parse(text.as_bytes(), &limits).unwrap(), text)
    }

    pub fn get(&self, path: &str) -> &Value {
        path.split('.').fold(&self.0, |value, name| {
            value.as_object().unwrap().get(name).unwrap_or_else(|| panic!("no {path} in {}", self.1))
        })
    }

    pub fn text(&self, path: &str) -> String {
        self.get(path).as_str().unwrap_or_else(|| panic!("{path} of {}", self.1)).into()
    }

    pub fn strings(&self, path: &str) -> Vec<String> {
        self.get(path).as_array().unwrap().iter().map(|item| item.as_str().unwrap().into()).collect()
    }

    pub fn number(&self, path: &str) -> f64 {
        self.get(path).as_f64().unwrap()
    }

    pub fn is(&self, path: &str) -> bool {
        self.get(path).as_bool().unwrap()
    }

    pub fn have(&self) -> (f64, f64) {
        (self.number("have"), self.number("need"))
    }

    pub fn status(&self) -> String {
        self.text("status")
    }

    /// `counted`, or the code of the event.
    pub fn fate(&self, id: &str) -> String {
        if self.strings("events.counted").iter().any(|counted| counted == id) {
            return "counted".into();
        }
        let ignored = self.get("events.ignored").as_array().unwrap().iter();
        let mut found = ignored.filter_map(|entry| {
            let entry = entry.as_object().unwrap();
            (entry.get("eventId")?.as_str()? == id).then(|| entry.get("code").unwrap().as_str().unwrap())
        });
        found.next().unwrap_or_else(|| panic!("{id} is not in {}", self.1)).into()
    }

    /// The state of each party, in order.
    pub fn states(&self) -> Vec<String> {
        let parties = self.get("byParty").as_array().unwrap().iter();
        parties
            .map(|party| party.as_object().unwrap().get("state").unwrap().as_str().unwrap().into())
            .collect()
    }

    /// The ids of the counted signatures of the parties that consent.
    pub fn signed(&self) -> Vec<String> {
        let parties = self.get("byParty").as_array().unwrap().iter().map(|party| party.as_object().unwrap());
        let signed = parties.filter(|party| party.get("state").unwrap().as_str() == Some("signed"));
        signed.map(|party| party.get("partyId").unwrap().as_str().unwrap().into()).collect()
    }
}

/// Small numbers from a seed (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
