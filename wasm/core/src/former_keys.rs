//! Keys that an agent document no longer holds: how many there were, and a hash over them (protocol, section 7).
//!
//! A document holds a bounded number of keys, since each costs a verifier two signatures. Of the older ones,
//! which are all revoked, the hash says which they were to a reader that has an earlier version.

use crate::document::field;
use crate::error::{Code, Error, Result};
use crate::hash::{is_sha256_hex, sha256_hex};
use crate::json::{self, Object, Value};
use crate::known_key::KnownKey;
use crate::layout::MAX_NUMBER;
use crate::statement::{Context, pae};
use alloc::string::String;

/// The former keys of an agent; of most agents there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormerKeys {
    /// How many there were.
    pub count: u64,
    /// The hash over them, in lower-case hexadecimal; empty where there are none.
    pub sha256: String,
}

impl FormerKeys {
    /// Reads `sxFormerKeys` of an agent document.
    ///
    /// Errors: `InvalidAgent`.
    pub(crate) fn of(document: &Object) -> Result<Self> {
        let Some(value) = document.get(field::FORMER_KEYS) else { return Ok(Self::default()) };
        Self::read(value).ok_or_else(|| {
            Error::new(
                Code::InvalidAgent,
                "'sxFormerKeys' must have count, a positive integer, and sha256, 64 lower-case hexadecimal digits.",
            )
        })
    }

    fn read(value: &Value) -> Option<Self> {
        let value = value.as_object().filter(|value| value.len() == 2)?;
        let number = value.get("count")?.as_f64()?;
        let count = number as u64; // saturates; the comparison below refuses fractions and what is out of range
        let sha256 = value.get("sha256")?.as_str().filter(|text| is_sha256_hex(text))?;
        let is_count = count as f64 == number && (1..=MAX_NUMBER).contains(&count);
        is_count.then(|| Self { count, sha256: sha256.into() })
    }

    /// What stands in a document.
    pub(crate) fn value(&self) -> Value {
        Value::Object(Object::from([
            ("count", Value::Number(self.count as f64)),
            ("sha256", self.sha256.as_str().into()),
        ]))
    }

    /// These, and one more key, which came after them.
    pub(crate) fn and(&self, agent_id: &str, key_id: &str) -> Self {
        let payload = Object::from([
            ("agentId", agent_id.into()),
            ("keyId", key_id.into()),
            ("previous", self.sha256.as_str().into()),
        ]);
        let statement = pae(Context::FormerKeys, json::write(&Value::Object(payload)).as_bytes());
        Self { count: self.count.saturating_add(1), sha256: sha256_hex(&statement) }
    }
}

/// All keys that an agent document speaks of.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub agent_id: &'a str,
    pub former: &'a FormerKeys,
    /// Those that it holds, oldest first.
    pub keys: &'a [KnownKey],
}

impl<'a> Line<'a> {
    /// How many keys the agent has had.
    pub fn count(&self) -> u64 {
        self.former.count.saturating_add(self.keys.len() as u64)
    }

    /// The keys that both hold, side by side. `None` where the two do not agree, and where they have no key in
    /// common: then nothing shows that one leads to the other.
    pub fn shared(self, other: Self) -> Option<impl Iterator<Item = (&'a KnownKey, &'a KnownKey)> + Clone> {
        let is_swapped = self.former.count > other.former.count;
        let (more, less) = if is_swapped { (other, self) } else { (self, other) };
        let gap = usize::try_from(less.former.count.saturating_sub(more.former.count)).ok()?;
        let (gone, kept) = more.keys.split_at_checked(gap)?;
        let mut former = more.former.clone();
        for known in gone {
            former = former.and(more.agent_id, known.key.key_id());
        }
        let pairs = kept.iter().zip(less.keys);
        let agrees = former == *less.former
            && !kept.is_empty()
            && pairs.clone().all(|(one, other)| one.key == other.key);
        agrees.then(|| pairs.map(move |(one, other)| if is_swapped { (other, one) } else { (one, other) }))
    }
}
