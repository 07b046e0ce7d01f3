//! Files put together at random of texts, whole and broken blocks and blanks: what is valid is what a model of the
//! protocol's rules, written without looking for markers, says is valid.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, moment};
use proptest::prelude::*;
use std::sync::LazyLock;
use sx_core::json::Limits;
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_core::text::{self, BEGIN, END, TextVerification};

/// The texts that are signed. The last line feed of the second one is missing.
const TEXTS: [&str; 3] = ["# Contract\n", "pays 100", ""];

struct World {
    /// Identifier and document of each agent.
    agents: [(String, String); 2],
    /// The block of each agent on each text.
    blocks: [[String; 3]; 2],
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let fixtures = [1, 2].map(|number| Fixture::new(Algorithm::Ed25519, number));
    let blocks = [0, 1].map(|agent: usize| {
        TEXTS.map(|text| {
            let signer = fixtures[agent].signer();
            let splice = text::sign(&signer, text.as_bytes(), &moment(NOW, 9)).unwrap();
            splice.insert.trim().to_string()
        })
    });
    World { agents: fixtures.map(|Fixture { agent, .. }| (agent.id, agent.raw)), blocks }
});

fn ring() -> Ring {
    let mut ring = Ring::default();
    for (id, raw) in &WORLD.agents {
        ring.set(id, Source::Trust, Some(raw.as_bytes()));
    }
    ring
}

#[derive(Clone, Debug)]
enum Part {
    Text(usize),
    Block { agent: usize, text: usize },
    Blank(&'static str),
    Other(String),
}

impl Part {
    fn text(&self) -> String {
        match self {
            Part::Text(at) => TEXTS[*at].into(),
            Part::Block { agent, text } => WORLD.blocks[*agent][*text].clone(),
            Part::Blank(blank) => (*blank).into(),
            Part::Other(other) => other.clone(),
        }
    }
}

fn part() -> impl Strategy<Value = Part> {
    let broken = (0..2_usize, 0..3_usize, any::<prop::sample::Index>(), any::<prop::sample::Index>());
    prop_oneof![
        2 => (0..3_usize).prop_map(Part::Text),
        4 => (0..2_usize, 0..3_usize).prop_map(|(agent, text)| Part::Block { agent, text }),
        4 => prop_oneof![Just("\n"), Just("\r\n"), Just(" \t\n"), Just(" ")].prop_map(Part::Blank),
        1 => prop_oneof![Just(BEGIN.to_string()), Just(END.to_string()), Just("x".to_string()), Just("\u{c}\n".to_string())].prop_map(Part::Other),
        1 => broken.prop_map(|(agent, text, from, to)| {
            let block = &WORLD.blocks[agent][text]; // ASCII
            let (from, to) = (from.index(block.len()), to.index(block.len()));
            Part::Other(block.get(from.min(to)..from.max(to)).unwrap().into())
        }),
    ]
}

/// What stands in a line so far.
#[derive(PartialEq)]
enum Line {
    Empty,
    Blank,
    Block,
}

/// Whether the parts are a text and then, each in lines of their own, blocks of different agents on just that text.
fn is_valid(parts: &[Part]) -> bool {
    let Some(first) = parts.iter().position(|part| matches!(part, Part::Block { .. })) else { return false };
    let before: String = parts[..first].iter().map(Part::text).collect();
    if !before.is_empty() && !before.ends_with('\n') {
        return false;
    }
    let mut signers = vec![];
    let mut line = Line::Empty;
    for part in &parts[first..] {
        match part {
            Part::Block { agent, text } => {
                let signed = TEXTS[*text];
                let is_same = before == signed
                    || (!signed.is_empty() && !signed.ends_with('\n') && before == format!("{signed}\n"));
                if line != Line::Empty || !is_same || signers.contains(agent) {
                    return false;
                }
                signers.push(*agent);
                line = Line::Block;
            }
            Part::Text(2) => {}
            Part::Blank("\n") => line = Line::Empty,
            // Blanks right behind a block are in its last line, and no part of what was written.
            Part::Blank(_) if line == Line::Block => return false,
            Part::Blank(blank) => line = if blank.ends_with('\n') { Line::Empty } else { Line::Blank },
            Part::Other(other) if other.is_empty() => {}
            _ => return false,
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_valid_is_what_the_rules_say(parts in prop::collection::vec(part(), 0..7)) {
        let file: String = parts.iter().map(Part::text).collect();
        let answer = TextVerification::start(file.as_bytes(), &Limits::default()).unwrap().finish(&ring());
        let found = answer.contains(r#""status":"signed","valid":true"#);
        prop_assert_eq!(found, is_valid(&parts), "{:?}\n{}", parts, answer);
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200), parts in prop::collection::vec(part(), 0..3)) {
        let mut file: Vec<u8> = parts.iter().map(Part::text).collect::<String>().into();
        file.extend(bytes);
        let answer = TextVerification::start(&file, &Limits::default()).unwrap().finish(&ring());
        prop_assert_eq!(answer.lines().count(), 2);
        let fixture = Fixture::new(Algorithm::Ed25519, 1);
        let signer = fixture.signer();
        let signed = text::sign(&signer, &file, &moment(NOW, 9));
        if let Ok(splice) = signed {
            let signed = [&file[..splice.from], splice.insert.as_bytes(), &file[splice.to..]].concat();
            let answer = TextVerification::start(&signed, &Limits::default()).unwrap().finish(&ring());
            let own = format!(r#""signerId":"{}","signerName":"Test","status":"valid""#, signer.agent_id);
            let is_signed = answer.contains(r#""status":"signed""#) && answer.contains(&own);
            prop_assert!(is_signed, "{}", answer);
        }
    }
}
