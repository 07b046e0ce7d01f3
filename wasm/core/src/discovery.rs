//! What an agent publishes to be found (protocol, section 7).

use crate::agent::is_domain;
use crate::error::{Code, Error, Result};
use crate::keys::PublicKey;
use alloc::format;
use alloc::string::String;

/// What stands before the domain in the name of the record.
const LABELS: &str = "_v1.agent.sx.";
/// Longest name in the DNS, in characters (RFC 1035).
const NAME_LIMIT: usize = 253;
/// Longest time to live, in seconds (RFC 2181, section 8).
const TTL_LIMIT: f64 = 2_147_483_647.0;

/// The TXT record by which a domain names an agent and its key, as a line of a zone file. Its text is always
/// shorter than the 255 bytes that a string of a record can have.
///
/// `agent_id`: its `sxId`; `domain`: what `sxAgentDomain` may be; `ttl`: in seconds.
///
/// Errors: `InvalidOption` for a domain that is none, or too long for a name below it, and for a time to
/// live that is no whole number from 0 to 2^31 - 1.
pub fn dns_record(agent_id: &str, key: &PublicKey, domain: &str, ttl: f64) -> Result<String> {
    if !is_domain(domain) || domain.len().saturating_add(LABELS.len()) > NAME_LIMIT {
        return Err(Error::new(
            Code::InvalidOption,
            "The domain is not a host name such as example.com, or is too long.",
        ));
    }
    let seconds = ttl as u32; // saturates; the comparison refuses fractions and what is no number
    if f64::from(seconds) != ttl || ttl > TTL_LIMIT {
        return Err(Error::new(
            Code::InvalidOption,
            "The time to live is not an integer from 0 to 2147483647.",
        ));
    }
    let (algorithm, key_id) = (key.algorithm().name(), key.key_id());
    Ok(format!(
        "{LABELS}{domain}. {seconds} IN TXT \"v=sx; sx_agent_id={agent_id}; alg={algorithm}; kid={key_id}\""
    ))
}
