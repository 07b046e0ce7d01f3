//! Every small change of a signed text is noticed: each bit flipped, each byte deleted, bytes inserted at each offset.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use common::{Fixture, NOW, moment};
use sx_core::json::Limits;
use sx_core::keys::Algorithm;
use sx_core::ring::{Ring, Source};
use sx_core::text::{self, BEGIN, END, Splice, TextVerification};

fn sign(agent: &Fixture, text: &[u8]) -> Vec<u8> {
    let Splice { from, to, insert, .. } = text::sign(&agent.signer(), text, &moment(NOW, 9)).unwrap();
    [&text[..from], insert.as_bytes(), &text[to..]].concat()
}

fn is_valid(text: &[u8], ring: &Ring) -> bool {
    TextVerification::start(text, &Limits::default())
        .is_ok_and(|text| text.finish(ring).contains(r#""status":"signed","valid":true"#))
}

/// The text before the first block, and the blocks: all but the blanks between and after them.
fn vouched(text: &[u8]) -> Vec<Vec<u8>> {
    let begin = format!("{BEGIN}\n");
    let find =
        |rest: &[u8], what: &str| rest.windows(what.len()).position(|window| window == what.as_bytes());
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = find(rest, &begin) {
        let end = find(&rest[at..], END).map_or(rest.len(), |end| at + end + END.len());
        let before = &rest[..at];
        parts.push(if parts.is_empty() { before.to_vec() } else { before.trim_ascii().to_vec() });
        parts.push(rest[at..end].to_vec());
        rest = &rest[end..];
    }
    parts.push(rest.iter().copied().filter(|b| !b" \t\r\n".contains(b)).collect());
    parts
}

/// Bytes that mean something somewhere, and some that mean nothing.
const INSERTED: &[u8] = b"\0\t\n\x0b\x0c\r\x1b !\"#&*-09:=AZ\\az{|~\x7f\x80\xa0\xc2\xe2\xff";

#[test]
fn no_single_change_goes_unnoticed() {
    let agents = [Fixture::new(Algorithm::Ed25519, 1), Fixture::new(Algorithm::Ed25519, 2)];
    let mut ring = Ring::default();
    for Fixture { agent, .. } in &agents {
        ring.set(&agent.id, Source::Trust, Some(agent.raw.as_bytes()));
    }
    let [first, second] = &agents;
    for signed in [sign(second, &sign(first, "é\n x".as_bytes())), sign(first, b"")] {
        assert!(is_valid(&signed, &ring));
        let expected = vouched(&signed);
        let mut unnoticed = 0;
        let mut check = |changed: &[u8], what: &str| {
            if is_valid(changed, &ring) {
                assert_eq!(vouched(changed), expected, "{what}");
                unnoticed += 1;
            }
        };
        let mut changed = signed.clone();
        for at in 0..signed.len() {
            for bit in 0..8 {
                changed[at] ^= 1 << bit;
                check(&changed, &format!("bit {bit} of byte {at}"));
                changed[at] ^= 1 << bit;
            }
            let deleted = [&signed[..at], &signed[at + 1..]].concat();
            check(&deleted, &format!("byte {at} deleted"));
        }
        for at in 0..=signed.len() {
            for byte in INSERTED {
                let inserted = [&signed[..at], &[*byte], &signed[at..]].concat();
                check(&inserted, &format!("byte {byte} inserted at {at}"));
            }
        }
        // A blank before or after the last line feed, that line feed deleted; and between two blocks.
        assert!((5..=14).contains(&unnoticed), "{unnoticed}");
        for more in ["x", "\u{feff}", "\n", BEGIN, END] {
            assert!(!is_valid(&[more.as_bytes(), &signed].concat(), &ring), "{more:?} before");
        }
        for more in ["x", "\u{feff}", "\0", BEGIN, END, &String::from_utf8(signed.clone()).unwrap()] {
            assert!(!is_valid(&[&signed, more.as_bytes()].concat(), &ring), "{more:?} after");
        }
        // A signature that is taken out as a whole leaves the others as they are.
        let first_end = vouched(&signed)[..2].concat().len();
        for length in 0..signed.len() - 1 {
            let is_whole = expected.len() > 3 && (first_end..=first_end + 1).contains(&length);
            assert_eq!(is_valid(&signed[..length], &ring), is_whole, "cut to {length}");
        }
    }
}
