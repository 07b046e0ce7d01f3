//! Random histories: all kinds of events, orders, losses, forgeries, keys that were revoked, clocks that disagree.

use super::*;

pub const KINDS: &[&str] = &[
    "propose",
    "sign",
    "decline",
    "withdraw",
    "void",
    "comment",
    "attach",
    "delegate",
    "witness",
    "notarize",
    "dispute",
    "resolve",
    "terminate",
    "supersede",
];
/// What happens more often than the rest.
const USUAL: &[&str] =
    &["sign", "sign", "sign", "sign", "sign", "withdraw", "witness", "notarize", "comment"];

/// What a generator may do.
#[derive(Clone, Copy)]
pub struct Wild {
    pub events: usize,
    pub forgeries: bool,
    pub revocations: bool,
    pub negatives: bool,
}

fn policy(random: &mut Random, parties: usize) -> String {
    let mut policy = Vec::new();
    let choices: &[(&str, &[&str])] = &[
        ("decline", &["any-ends", "quorum-impossible-ends"]),
        ("minStrength", &["pq", "classical"]),
        ("timeProof", &["none", "none", "notary"]),
        ("delegation", &["none", "listed", "document", "document"]),
        ("withdraw", &["until-complete", "until-complete", "never"]),
        ("terminate", &["any", "quorum", "all"]),
    ];
    for (name, values) in choices {
        if random.chance(if *name == "minStrength" { 5 } else { 40 }) {
            policy.push(format!(r#""{name}":"{}""#, random.pick(values)));
        }
    }
    for (name, chance) in [("signBy", 30), ("effectiveFrom", 20), ("expiresAt", 20)] {
        if random.chance(chance) {
            let shift = if name == "expiresAt" { 40 } else { 5 };
            policy.push(format!(r#""{name}":"{}""#, date(START + (shift + random.next() % 30) * MINUTE)));
        }
    }
    for name in ["witnesses", "notaries"] {
        if random.chance(20) {
            policy.push(format!(r#""{name}":1"#));
        }
    }
    match random.below(6) {
        0 => policy.push(r#""quorum":"all""#.into()),
        1 => policy.push(r#""quorum":"majority""#.into()),
        2 => policy.push(format!(r#""quorum":{{"m":{}}}"#, 1 + random.below(parties))),
        3 => policy.push(format!(r#""quorum":{{"weight":{}}}"#, 1 + random.below(parties))),
        4 => policy.push(r#""quorum":{"groups":{"x":1}}"#.into()),
        _ => {}
    }
    policy.join(",")
}

fn terms(random: &mut Random) -> (Vec<String>, String) {
    let signers = 1 + random.below(4);
    let is_staged = random.chance(25);
    let mut parties = Vec::new();
    for at in 0..signers {
        let mut more = vec![format!(r#""weight":{}"#, 1 + random.below(3))];
        if is_staged {
            more.push(format!(r#""stage":{}"#, at.min(1 + random.below(2))));
        }
        if random.chance(50) || at == 0 {
            more.push(r#""group":"x""#.into());
        }
        if random.chance(15) {
            more.push(r#""required":true"#.into());
        }
        let role = if random.chance(80) { "signer" } else { "approver" };
        parties.push(format!("p{at}:{role}:{}", more.join(",")));
    }
    for other in ["w:witness", "v:witness", "n:notary", "o:observer"] {
        parties.push(other.into());
    }
    let mut policy = policy(random, signers);
    if is_staged {
        policy = if policy.is_empty() {
            r#""order":"staged""#.into()
        } else {
            format!(r#"{policy},"order":"staged""#)
        };
    }
    (parties, policy)
}

/// A random history.
pub fn history(random: &mut Random, wild: Wild) -> History {
    let mut history = loop {
        let (parties, policy) = terms(random);
        let parties: Vec<&str> = parties.iter().map(String::as_str).collect();
        let text = terms_of(&parties, &policy);
        if sx_agreement::terms::Terms::parse(&text).is_ok() {
            break History::of(&text);
        }
    };
    history.now = START + random.next() % 120 * MINUTE;
    let mut made: Vec<(String, String)> = Vec::new();
    for step in 0..wild.events {
        let kind = match random.below(10) {
            _ if step == 0 => "propose",
            0..7 => *random.pick(USUAL),
            _ => *random.pick(KINDS),
        };
        if !wild.negatives && ["decline", "withdraw", "void"].contains(&kind) {
            continue;
        }
        let event = event(random, &history, &made, kind, wild);
        // Of a delegation, whose it is.
        let kind = if kind == "delegate" { format!("delegate {}", event.party) } else { kind.into() };
        let id = history.add(event);
        made.push((id, kind));
    }
    history
}

fn event(random: &mut Random, history: &History, made: &[(String, String)], kind: &str, wild: Wild) -> Make {
    let parties = &history.roles;
    let roles: Vec<&str> = match kind {
        "witness" => vec!["witness"],
        "notarize" => vec!["notary"],
        "comment" | "attach" | "propose" | "void" | "supersede" => vec!["signer", "observer"],
        _ => vec!["signer", "approver"],
    };
    let able: Vec<&(String, String)> =
        parties.iter().filter(|(_, role)| roles.contains(&role.as_str())).collect();
    let party = if able.is_empty() || random.chance(4) {
        random.pick(parties).clone()
    } else {
        (*random.pick(&able)).clone()
    };
    let mut make = make(&format!("{kind} {}", party.0));
    // Most have seen nearly all there is, some only the beginning.
    let share = *random.pick(&[100, 90, 50, 20]);
    make.seen = made.iter().filter(|_| random.chance(share)).map(|(id, _)| id.clone()).collect();
    if let Some((proposal, _)) = made.first()
        && random.chance(95)
    {
        make.seen.push(proposal.clone());
    }
    if random.chance(25) {
        make.at = Some(START + random.next() % 60 * MINUTE);
    }
    if random.chance(20) {
        make.alg = "pq2025".into();
    }
    match kind {
        "delegate" => make.data = Some(delegation(random, parties)),
        "sign" | "decline" | "withdraw"
            if random.chance(if made.iter().any(|(_, kind)| kind.starts_with("delegate")) {
                40
            } else {
                5
            }) =>
        {
            let actor = if random.chance(75) { "deputy".into() } else { random.pick(parties).0.clone() };
            make.agent = Some(agent(&actor));
            let delegators: Vec<&str> =
                made.iter().filter_map(|(_, kind)| kind.strip_prefix("delegate ")).collect();
            let delegator = if delegators.is_empty() { &party.0 } else { *random.pick(&delegators) };
            make.role = parties.iter().find(|(id, _)| id == delegator).map(|(_, role)| role.clone());
            make.data = Some(format!(r#"{{"for":"{delegator}"}}"#));
        }
        "resolve" => {
            if let Some((id, _)) = made.iter().rev().find(|(_, kind)| kind == "dispute") {
                make.data = Some(format!(r#"{{"dispute":"{id}"}}"#));
            }
        }
        "supersede" if random.chance(50) => make.verdict = r#"{"valid":true,"successor":true}"#.into(),
        _ => {}
    }
    if wild.revocations && random.chance(10) {
        let reason = *random.pick(&["superseded", "compromised", "unspecified"]);
        make = make.revoked(START + random.next() % 60 * MINUTE, reason);
    }
    if wild.forgeries {
        match random.below(60) {
            0 => make.verdict = BAD.into(),
            1 => make.verdict = r#"{"valid":false,"code":"UnknownSigner"}"#.into(),
            2 => make.agent = Some(agent("stranger")),
            3 => make.hash = Some(sx_agreement::Id::of(b"other terms").text()),
            4 => make.seen.push(sx_agreement::Id::of(&history.clock.to_le_bytes()).text()),
            5 => make.role = Some((*random.pick(&["signer", "notary", "observer"])).into()),
            6 => make.key = Some(key("another")),
            _ => {}
        }
    }
    make
}

fn delegation(random: &mut Random, parties: &[(String, String)]) -> String {
    let to = if random.chance(75) { "deputy".into() } else { random.pick(parties).0.clone() };
    let scope = *random.pick(&[r#""sign""#, r#""sign","decline""#, r#""withdraw""#]);
    let mut more = String::new();
    if random.chance(50) {
        more.push_str(&format!(r#","until":"{}""#, date(START + random.next() % 30 * MINUTE)));
    }
    if random.chance(70) {
        let id = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
        let hash = sx_agreement::Id::of(b"power").text();
        more.push_str(&format!(r#","document":{{"sxId":"{id}","sxVersion":"{id}","sha256":"{hash}"}}"#));
    }
    format!(r#"{{"to":"{}","scope":[{scope}]{more}}}"#, agent(&to))
}
