#![no_main]
//! Signed texts: reading ends, what is signed verifies until a byte of it changes, and no other text is valid for
//! the agents of the test vectors than those that they have signed.

mod memory;

use sx_core::agent::{self, Profile};
use sx_core::document::{Author, Made};
use sx_core::error::Result;
use sx_core::json::{self, Limits, Value};
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::moment::Moment;
use sx_core::ring::{Ring, Source};
use sx_core::text::{self, BEGIN, TextVerification};

const AGENTS: &str = include_str!("../../../test/vectors/agents.json");
const TEXTS: &str = include_str!("../../../test/vectors/texts.json");
/// 2026-11-20T14:49:19.007Z
const NOW: u64 = 1_795_186_159_007;
/// What deciding may take beside the text, and beside as much again for each of a few copies of its blocks.
const BESIDE: usize = 4 << 20;

struct World {
    key: SecretKey,
    agent: Made,
    ring: Ring,
    /// The texts that the agents of the vectors have signed.
    signed: Vec<Vec<u8>>,
}

fn moment() -> Moment {
    Moment::new(NOW, (0..32).collect()).unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.as_object().unwrap().get(name).unwrap().as_array().unwrap()
}

fn text_of<'a>(value: &'a Value, name: &str) -> &'a str {
    value.as_object().unwrap().get(name).unwrap().as_str().unwrap()
}

fn world() -> World {
    let limits = Limits::default();
    let key = SecretKey::from_seed(Algorithm::Ed25519, &[7; 32]).unwrap();
    let profile = Profile { name: "Fuzzer".into(), ..Profile::default() };
    let agent = agent::create(&profile, &key, &moment()).unwrap();
    let mut ring = Ring::default();
    ring.set(&agent.id, Source::Own, Some(agent.raw.as_bytes()));
    let agents = json::parse(AGENTS.as_bytes(), &limits).unwrap();
    for known in list(&agents, "agents") {
        ring.set(text_of(known, "agentId"), Source::Trust, Some(text_of(known, "raw").as_bytes()));
    }
    let texts = json::parse(TEXTS.as_bytes(), &limits).unwrap();
    let cases = list(&texts, "cases").iter().map(|case| text_of(case, "text").as_bytes());
    let signed: Vec<Vec<u8>> =
        cases.filter_map(|case| verdict(case, &ring).ok()?.map(|length| case[..length].to_vec())).collect();
    assert!(signed.len() > 8);
    World { key, agent, ring, signed }
}

thread_local! {
    static WORLD: World = world();
}

/// How many bytes are signed, if the text is valid; an error where it is too large.
fn verdict(bytes: &[u8], ring: &Ring) -> Result<Option<usize>> {
    let decide = || TextVerification::start(bytes, &Limits::default()).map(|text| text.finish(ring));
    let answer = memory::within(bytes.len() * 8 + BESIDE, decide)?;
    let (head, result) = answer.split_once('\n').unwrap();
    let result = json::parse(result.as_bytes(), &Limits::default()).unwrap();
    let result = result.as_object().unwrap();
    let is_valid = result.get("valid") == Some(&Value::Bool(true));
    assert_eq!(is_valid, head == "{}");
    let signers = result.get("signers").unwrap().as_array().unwrap();
    let are_valid = signers.iter().all(|signer| text_of(signer, "status") == "valid");
    assert_eq!(is_valid, are_valid && !signers.is_empty());
    let length = result.get("length").and_then(Value::as_f64).unwrap() as usize;
    assert!(is_valid || length == 0);
    Ok(is_valid.then_some(length))
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| WORLD.with(|world| judge(world, bytes)));

fn judge(World { key, agent, ring, signed }: &World, bytes: &[u8]) {
    let Ok(known) = verdict(bytes, ring) else { return };
    if let Some(length) = known {
        assert!(signed.iter().any(|text| *text == bytes[..length]), "a text that nobody has signed");
    }
    let author =
        Author { agent_id: &agent.id, agent_version: &agent.version, key, limits: Limits::default() };
    let Ok(splice) = text::sign(&author, bytes, &moment()) else { return };
    let mut file = [&bytes[..splice.from], splice.insert.as_bytes(), &bytes[splice.to..]].concat();
    let marks = |file: &[u8]| file.windows(BEGIN.len()).filter(|window| *window == BEGIN.as_bytes()).count();
    let length = verdict(&file, ring).expect("not too large for who verifies it");
    if known.is_some() || marks(&file) == 1 {
        assert_eq!(length, Some(splice.length), "what was signed verifies");
        assert_eq!(file[..splice.length], bytes[..splice.length]);
    }
    // One byte of the text; which one follows from its bytes.
    if splice.length > 0 {
        let sum =
            bytes.iter().fold(17_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
        let at = sum % splice.length;
        file[at] ^= 1 << (sum / splice.length % 8);
        assert_eq!(verdict(&file, ring).ok().flatten(), None, "byte {at}");
    }
}
