//! A loaded agent, and all that it signs. Bindings hold one for each agent that is loaded.

use crate::agent::{self, Agent, Own};
use crate::agreement_field::{self, Field, Terms};
use crate::artifact;
use crate::backup;
use crate::document::{self, Author, Made, Making};
use crate::entropy::Entropy;
use crate::error::{Code, Error, Result};
use crate::event::{self, MadeEvent};
use crate::image;
use crate::json::Limits;
use crate::keys::SecretKey;
use crate::limits::of_sources;
use crate::message;
use crate::moment::Moment;
use crate::revocation::{self, Statement};
use crate::strings;
use crate::text::{self, Splice};
use alloc::string::String;
use alloc::sync::Arc;

/// An agent with its private key, and the limits its documents are made within. What the caller hands in
/// nothing for, a rotation, a revocation or a manifest, is made within the default ones at least.
pub struct Signer {
    key: Arc<SecretKey>,
    agent: Agent,
    text: String,
    limits: Limits,
}

impl Signer {
    /// Opens an agent by the text of its document and its key; see [`agent::open`].
    ///
    /// Errors: those of [`agent::open`].
    pub fn open(key: Arc<SecretKey>, text: String, public_pem: &str, limits: Limits) -> Result<Self> {
        let agent = agent::open(text.as_bytes(), &key, public_pem, &limits)?;
        Ok(Self { key, agent, text, limits })
    }

    /// The same agent with a later version of its document, and the key that fits it.
    ///
    /// Errors: those of [`agent::open`]; `KeyMismatch` for another agent.
    pub fn renewed(&self, key: Arc<SecretKey>, text: String) -> Result<Self> {
        // The key came from a whole file once; one that is missing here is not damaged.
        let public_pem = key.public_key().to_spki_pem();
        let renewed = Self::open(key, text, &public_pem, self.limits)?;
        if renewed.agent.id != self.agent.id {
            return Err(Error::new(Code::KeyMismatch, "The document belongs to another agent."));
        }
        Ok(renewed)
    }

    fn author(&self) -> Author<'_> {
        let (agent_id, agent_version) = (&self.agent.id, &self.agent.version);
        Author { agent_id, agent_version, key: &self.key, limits: self.limits }
    }

    fn own(&self) -> Own<'_> {
        Own { text: self.text.as_bytes(), key: &self.key, limits: self.limits }
    }

    /// Where the caller hands nothing in.
    fn own_alone(&self) -> Own<'_> {
        Own { limits: of_sources(&self.limits), ..self.own() }
    }

    /// Makes the first version of a document; see [`document::create`].
    pub fn create(&self, text: &[u8], making: &Making<'_>, moment: &Moment) -> Result<Made> {
        document::create(&self.author(), text, making, moment)
    }

    /// Makes the next version of a document; see [`document::update`].
    pub fn update(&self, current: &[u8], text: &[u8], making: &Making<'_>, moment: &Moment) -> Result<Made> {
        document::update(&self.author(), current, text, making, moment)
    }

    /// Asks agents to sign a document; see [`Terms::read`] and [`agreement_field::create`].
    pub fn create_agreement(
        &self,
        document: &[u8],
        terms: &str,
        making: &Making<'_>,
        moment: &Moment,
    ) -> Result<Made> {
        let (name, terms) = Terms::read(terms, &self.limits)?;
        agreement_field::create(&self.author(), Field { document, name: &name }, terms, making, moment)
    }

    /// Signs the agreement in a document; see [`agreement_field::sign`].
    pub fn sign_agreement(&self, field: Field<'_>, making: &Making<'_>, moment: &Moment) -> Result<Made> {
        agreement_field::sign(&self.author(), field, making, moment)
    }

    /// Signs an artifact; see [`artifact::create`].
    pub fn create_artifact(
        &self,
        artifact: &[u8],
        artifact_type: &str,
        parents: Option<&[u8]>,
        moment: &Moment,
    ) -> Result<Made> {
        artifact::create(&self.author(), artifact, artifact_type, parents, moment)
    }

    /// Signs a text in itself; see [`text::sign`].
    pub fn sign_text(&self, bytes: &[u8], moment: &Moment) -> Result<Splice> {
        text::sign(&self.author(), bytes, moment)
    }

    /// Signs the file of an image; see [`image::sign_file`].
    pub fn sign_image_file(&self, sha256: &str, length: f64, moment: &Moment) -> Result<String> {
        image::sign_file(&self.author(), sha256, length, moment)
    }

    /// Signs the pixels of an image; see [`image::sign_pixels`].
    pub fn sign_image_pixels(&self, sha256: &str, display: &str, moment: &Moment) -> Result<String> {
        image::sign_pixels(&self.author(), sha256, display, moment)
    }

    /// Signs the bytes of a string; see [`strings::sign`].
    pub fn sign_string(&self, text: &str, entropy: &Entropy) -> Result<String> {
        strings::sign(&self.key, text, &entropy.draw32("hedge"))
    }

    /// Makes an event of an agreement of `{agreementHash, data, role, seen, type}`. A draft has a signature of zeros.
    ///
    /// Errors: `InvalidOption` for another draft; those of signing.
    pub fn sign_event(&self, draft: &[u8], is_draft: bool, moment: &Moment) -> Result<MadeEvent> {
        event::make(&self.author(), draft, is_draft, moment)
    }

    /// Signs the text of a message in a context, `sx-request-v2` and the like; base64.
    ///
    /// Errors: `InvalidOption` for another context; those of signing.
    pub fn sign_message(&self, context: &str, payload: &str, moment: &Moment) -> Result<String> {
        message::sign(&self.author(), context, payload, moment)
    }

    /// Signs what is in a backup; see [`backup::manifest`].
    pub fn sign_manifest(&self, contents: backup::Contents<'_>, moment: Moment) -> Result<Made> {
        let author = Author { limits: of_sources(&self.limits), ..self.author() };
        backup::manifest(&author, contents, &self.agent.date, moment)
    }

    /// Countersigns an agent document; see [`agent::register`].
    pub fn register(
        &self,
        text: &[u8],
        public_key: &[u8],
        algorithm: &str,
        moment: &Moment,
    ) -> Result<String> {
        agent::register(&self.author(), text, public_key, algorithm, moment)
    }

    /// Makes the next version of its own document; see [`agent::update`].
    pub fn update_agent(&self, text: &[u8], moment: &Moment) -> Result<Made> {
        agent::update(&self.own(), text, moment)
    }

    /// Has another key follow its own; see [`agent::rotate`].
    pub fn rotate(&self, new: &SecretKey, reason: &str, moment: &Moment) -> Result<Made> {
        agent::rotate(&self.own_alone(), new, reason, moment)
    }

    /// Revokes an earlier key; see [`agent::revoke`].
    pub fn revoke(
        &self,
        key_id: &str,
        reason: &str,
        ends_now: bool,
        moment: &Moment,
    ) -> Result<Option<Made>> {
        agent::revoke(&self.own_alone(), key_id, reason, ends_now, moment)
    }

    /// Revokes an earlier key as it has stated itself; see [`revocation::apply`].
    pub fn revoke_as_stated(&self, statement: &Statement, moment: &Moment) -> Result<Option<Made>> {
        revocation::apply(&self.own_alone(), statement, moment)
    }

    /// Has its key revoke itself in advance; see [`revocation::make`].
    pub fn state_revocation(&self, key_id: Option<&str>, reason: &str, moment: &Moment) -> Result<String> {
        revocation::make(&self.own_alone(), key_id, reason, moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Profile;
    use crate::backup::Contents;
    use crate::keys::Algorithm;
    use alloc::format;

    fn moment(n: u8) -> Moment {
        Moment::new(u64::from(n), (0..32).map(|i| i ^ n).collect()).unwrap()
    }

    fn key(n: u8) -> Arc<SecretKey> {
        Arc::new(SecretKey::from_seed(Algorithm::Ed25519, &[n; 32]).unwrap())
    }

    fn agent(key: &SecretKey, n: u8) -> Made {
        agent::create(&Profile { name: "Test".into(), ..Profile::default() }, key, &moment(n)).unwrap()
    }

    fn open(key: &Arc<SecretKey>, text: &str) -> Result<Signer> {
        Signer::open(key.clone(), text.into(), "", Limits::default())
    }

    #[test]
    fn a_signer_follows_its_own_agent_only() {
        let key = key(1);
        let first = agent(&key, 1);
        let signer = open(&key, &first.raw).unwrap();
        let renamed = first.raw.replace(r#""name":"Test""#, r#""name":"New""#);
        let second = signer.update_agent(renamed.as_bytes(), &moment(2)).unwrap();

        let renewed = signer.renewed(key.clone(), second.raw.clone()).unwrap();
        assert_eq!((renewed.agent.version.as_str(), renewed.agent.name.as_str()), (&*second.version, "New"));
        assert_eq!(renewed.text, second.raw);
        assert_eq!(renewed.author().agent_version, second.version);
        let refused = |text: &str| signer.renewed(key.clone(), text.into()).err().map(|error| error.code);
        assert_eq!(refused(&agent(&key, 3).raw), Some(Code::KeyMismatch)); // another agent with the same key
        assert_eq!(refused(&agent(&self::key(2), 4).raw), Some(Code::KeyMismatch));
        assert_eq!(refused(&renamed), Some(Code::BadSignature));
    }

    #[test]
    fn a_signer_keeps_its_limits() {
        let key = key(1);
        let text = agent(&key, 1).raw;
        let less = Limits { bytes: text.len() - 1, ..Limits::default() };
        // They are for what is signed; the agent's own document is a source, and larger here.
        assert_eq!(Signer::open(key, text, "", less).unwrap().limits, less);
    }

    #[test]
    fn what_nothing_is_handed_in_for_has_the_default_limits_at_least() {
        let (old, new) = (key(1), key(2));
        let text = agent(&old, 1).raw;
        let renamed = text.replace(r#""name":"Test""#, r#""name":"New""#);
        let none = Limits { depth: 1, members: 1, bytes: 1 };
        let signer = Signer::open(old.clone(), text, "", none).unwrap();
        let limited = |made: Result<Made>| made.err().map(|error| error.code) == Some(Code::LimitExceeded);
        assert!(limited(signer.create(b"{}", &Making::default(), &moment(2))));
        assert!(limited(signer.update_agent(renamed.as_bytes(), &moment(2))));
        assert!(limited(signer.create_artifact(b"{}", "note", None, &moment(2))));
        let sha256 = format!("{:064}", 0);
        assert!(signer.sign_manifest(Contents { entries: 1, sha256: &sha256 }, moment(2)).is_ok());
        let statement = signer.state_revocation(None, "compromised", &moment(2)).unwrap();
        let rotated = signer.rotate(&new, "superseded", &moment(3)).unwrap();

        let signer = signer.renewed(new, rotated.raw).unwrap();
        let former = old.public_key().key_id();
        assert!(signer.revoke(former, "unspecified", false, &moment(4)).unwrap().is_some());
        let statement = Statement::parse(statement.as_bytes()).unwrap();
        assert!(signer.revoke_as_stated(&statement, &moment(4)).unwrap().is_some());
    }

    #[test]
    fn a_signer_and_a_ring_may_go_from_thread_to_thread() {
        fn shared<T: Send + Sync>() {}
        shared::<Signer>();
        shared::<crate::ring::Ring>();
    }
}
