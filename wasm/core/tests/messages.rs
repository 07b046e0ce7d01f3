//! Detached signatures of messages: by whom, in which context, and when they count.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;

use common::{Fixture, NOW, moment, own};
use sx_core::agent;
use sx_core::error::Code;
use sx_core::json::Limits;
use sx_core::keys::{Algorithm, SecretKey};
use sx_core::message::judge;
use sx_core::ring::{Ring, Source};
use sx_core::signer::Signer;
use sx_core::statement::Context;

const TEXT: &str = "{\"m\":\"POST\"}";
const DATE: &str = "2026-11-20T14:49:19.000Z";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(Algorithm::Ed25519, &[n; 32]).unwrap()
}

fn signer(n: u8) -> (Fixture, Signer) {
    let fixture = Fixture::new(Algorithm::Ed25519, n);
    let pem = fixture.key.public_key().to_spki_pem();
    let signer = Signer::open(Arc::new(key(n)), fixture.agent.raw.clone(), &pem, Limits::default()).unwrap();
    (fixture, signer)
}

/// What a message says of itself, a line each.
fn claimed(fixture: &Fixture, context: &str, signature: &str) -> [String; 6] {
    let key_id = fixture.key.public_key().key_id();
    [context, &fixture.agent.id, key_id, "ed25519", DATE, signature].map(String::from)
}

fn code(ring: &Ring, claimed: &[String], text: &str) -> Option<Code> {
    judge(ring, &claimed.join("\n"), text).err().map(|error| error.code)
}

#[test]
fn t44_a_message_verifies_in_its_context_alone_and_documents_are_none() {
    let (fixture, signer) = signer(1);
    for context in Context::ALL {
        let signed = signer.sign_message(context.text(), TEXT, &moment(NOW, 5));
        let is_of_messages = [Context::Request, Context::Response, Context::Mcp].contains(context);
        assert_eq!(signed.is_ok(), is_of_messages, "{context:?}");
        let Ok(signature) = signed else {
            assert_eq!(
                code(&fixture.ring, &claimed(&fixture, context.text(), ""), TEXT),
                Some(Code::InvalidOption)
            );
            continue;
        };
        for other in [Context::Request, Context::Response, Context::Mcp] {
            let found = code(&fixture.ring, &claimed(&fixture, other.text(), &signature), TEXT);
            assert_eq!(found, (other != *context).then_some(Code::BadSignature), "{context:?} as {other:?}");
        }
    }
}

#[test]
fn what_a_message_claims_is_compared_with_what_is_known() {
    let (fixture, signer) = signer(1);
    let (other, _) = self::signer(2);
    let context = Context::Request.text();
    let signature = signer.sign_message(context, TEXT, &moment(NOW, 5)).unwrap();
    let right = claimed(&fixture, context, &signature);
    assert_eq!(
        judge(&fixture.ring, &right.join("\n"), TEXT).as_deref(),
        Ok("{\"name\":\"Test\",\"trusted\":true}")
    );
    assert_eq!(code(&fixture.ring, &right, "{\"m\":\"PUT\"}"), Some(Code::BadSignature));
    for (line, wrong, expected) in [
        (1, other.agent.id.as_str(), Code::UnknownSigner),
        (2, other.key.public_key().key_id(), Code::KeyMismatch),
        (3, "pq2025", Code::KeyMismatch),
        (5, "", Code::BadSignature),
        (5, "not base64", Code::BadSignature),
    ] {
        let mut changed = right.clone();
        changed.get_mut(line).unwrap().replace_range(.., wrong);
        assert_eq!(code(&fixture.ring, &changed, TEXT), Some(expected), "{line} {wrong}");
    }
}

#[test]
fn a_revoked_key_signs_no_message_after_its_end_and_a_compromised_one_none() {
    let (fixture, signer) = signer(1);
    let context = Context::Request.text();
    let right = claimed(&fixture, context, &signer.sign_message(context, TEXT, &moment(NOW, 5)).unwrap());
    for (reason, later, expected) in [
        ("superseded", 0, Some(Code::KeyRevoked)),
        ("superseded", 60_000, None),
        ("compromised", 60_000, Some(Code::KeyRevoked)),
    ] {
        let text = fixture.agent.raw.as_bytes();
        let next = agent::rotate(&own(text, &fixture.key), &key(9), reason, &moment(NOW + later, 6)).unwrap();
        let mut ring = Ring::default();
        ring.set(&fixture.agent.id, Source::Trust, Some(next.raw.as_bytes()));
        let mut dated = right.clone();
        if later == 0 {
            dated.get_mut(4).unwrap().replace_range(.., "2026-11-20T14:49:20.000Z");
        }
        assert_eq!(code(&ring, &dated, TEXT), expected, "{reason} {later}");
    }
}
