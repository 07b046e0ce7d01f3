//! What programs in other languages call: texts in, JSON out. A refusal is `{"error": code, "message": text}`.

use alloc::string::String;
use alloc::vec::Vec;
use sx_core::base64;
use sx_core::entropy::Entropy;
use sx_core::json::Members;
use sx_core::keys::Algorithm;
use sx_core::time;
use sx_json::write_whole;

use crate::claims::{self, Claims, quoted};
use crate::codes::Code;
use crate::header::{self, Policy};
use crate::problem::Problem;
use crate::{digest, method, url};

fn answer(work: impl FnOnce() -> Result<String, Problem>) -> String {
    work().unwrap_or_else(|Problem { code, message }| {
        Members::with_capacity(128).text("error", code.name()).text("message", message.as_str()).end()
    })
}

/// What the library hands in, in an order that both sides know.
fn handed<const N: usize>(texts: &[String]) -> Result<&[String; N], Problem> {
    texts.try_into().map_err(|_| Code::InvalidOption.into())
}

fn number(text: &str) -> Result<u64, Problem> {
    claims::whole(text).ok_or_else(|| Code::InvalidOption.into())
}

/// The URL of a request as a server receives it, `{url}`; see [`url::is_target_of`].
pub fn received(target: &str, url: &str, parsed: &str) -> String {
    answer(|| {
        Ok(Members::with_capacity(128).text("url", url::is_target_of(target, url, parsed)?.as_str()).end())
    })
}

/// The claims of a request, `{claims}`: of algorithm, agent, version of its document, key, audience, Unix seconds, method, URL,
/// the same as it was parsed, and the SHA-256 of the body in hexadecimal.
pub fn request(draft: &[String], entropy: Vec<u8>) -> String {
    answer(|| {
        let [algorithm, agent_id, agent_version, key_id, audience, date, method, url, parsed, body] =
            handed(draft)?;
        let invalid = || Problem::from(Code::InvalidOption);
        let method = method::normalise(method)?;
        let url = url::normalise(url, parsed)?;
        let entropy = Entropy::new(entropy).map_err(|_| invalid())?;
        let claims = Claims {
            algorithm: Algorithm::parse(algorithm).ok_or_else(invalid)?,
            agent_id,
            agent_version,
            key_id,
            audience: &quoted(audience),
            issued_at: number(date)?,
            nonce: &base64::encode_url(&entropy.draw16("nonce")),
            method: &method,
            url_digest: &digest::of(&url),
            body_digest: &digest::of_hex(body).ok_or_else(invalid)?,
        };
        let claims = claims
            .write()
            .ok_or_else(|| Problem::new(Code::InvalidOption, "The audience is empty or too long."))?;
        Ok(Members::with_capacity(512).text("claims", claims.as_str()).end())
    })
}

/// The value of the header for claims and their signature, base64.
pub fn value(claims: &str, signature: &str) -> String {
    base64::decode(signature).map(|signature| header::write(claims, &signature)).unwrap_or_default()
}

/// What the headers of a request say, if that can be right at all: `{agentId, algorithm, claims, date, expiresAt, keyId,
/// nonce, replayKey, signature}`. `policy` is the time in Unix seconds, the maximum age and how far clocks may differ, both
/// in seconds.
pub fn open(policy: &[String], audiences: &[String], values: &[String]) -> String {
    answer(|| {
        let [now, max_age, skew] = handed(policy)?;
        let audiences = audiences.iter().map(String::as_str).collect();
        let policy = Policy { audiences, now: number(now)?, max_age: number(max_age)?, skew: number(skew)? };
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let opened = header::open(&values)?;
        let claims = Claims::read(&opened.claims).ok_or(Code::Malformed)?;
        policy.check(&claims)?;
        let date = time::format(claims.issued_at.saturating_mul(1000)).map_err(|_| Code::Malformed)?;
        Ok(Members::with_capacity(1024)
            .text("agentId", claims.agent_id)
            .text("algorithm", claims.algorithm.name())
            .json("audience", claims.audience)
            .text("claims", opened.claims.as_str())
            .text("date", date.as_str())
            .json("expiresAt", &write_whole(policy.expires_at(&claims)))
            .text("keyId", claims.key_id)
            .text("nonce", claims.nonce)
            .text("replayKey", header::replay_key(&claims).as_str())
            .text("signature", base64::encode(&opened.signature).as_str())
            .end())
    })
}

/// Whether claims are about this request, `{}`: method, URL, the same as it was parsed, and, unless it is empty, the SHA-256
/// of the body in hexadecimal.
pub fn matched(claims: &str, request: &[String]) -> String {
    answer(|| {
        let [method, url, parsed, body] = handed(request)?;
        let claims = Claims::read(claims).ok_or(Code::Malformed)?;
        if method::normalise(method).ok().as_deref() != Some(claims.method) {
            return Err(Code::MethodMismatch.into());
        }
        let url = url::normal_form(url, parsed)
            .map_err(|problem| Problem { code: Code::UrlMismatch, ..problem })?;
        if !digest::is_same(claims.url_digest, &digest::of(&url)) {
            return Err(Code::UrlMismatch.into());
        }
        if !body.is_empty() && !digest::is_same(claims.body_digest, &digest::of_hex(body).unwrap_or_default())
        {
            return Err(Code::BodyMismatch.into());
        }
        Ok(Members::with_capacity(2).end())
    })
}
