//! Events: their form, their id and what is signed of them.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use sx_core::json::{self, Limits, Object, Value};
use sx_core::statement::{Context, pae};

use crate::id::Id;
use crate::input;
use crate::problem::Problem;
use crate::shape::{self, Faults, Shape, is_any, is_base64, is_key_id, is_nonce, is_party_id, is_uuid};
use crate::terms::{Algorithm, Role};

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$row:meta])* $name:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type { $($(#[$row])* $name,)* }

        impl $type {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name in JSON.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The one of this name.
            pub fn of(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}
pub(crate) use names;

names! {
    /// What an event does.
    Kind {
        /// Opens the agreement for signing.
        Propose = "propose",
        /// Consents.
        Sign = "sign",
        /// Refuses to consent.
        Decline = "decline",
        /// Takes the own signature back.
        Withdraw = "withdraw",
        /// Ends an agreement that is not complete.
        Void = "void",
        /// Says something.
        Comment = "comment",
        /// Adds detached bytes.
        Attach = "attach",
        /// Lets another agent act.
        Delegate = "delegate",
        /// States that signatures were seen.
        Witness = "witness",
        /// Proves when everything in its past was there.
        Notarize = "notarize",
        /// Disputes an active agreement.
        Dispute = "dispute",
        /// Settles a dispute.
        Resolve = "resolve",
        /// Ends an active agreement.
        Terminate = "terminate",
        /// Names the successor of an active agreement.
        Supersede = "supersede",
    }
}

/// What a delegation hands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delegation {
    pub to: String,
    pub scope: Vec<Kind>,
    pub until: Option<u64>,
    pub has_document: bool,
}

/// An event of the right form.
#[derive(Clone, Debug)]
pub struct Event {
    /// The digest of everything but the signature.
    pub id: Id,
    /// What it does.
    pub kind: Kind,
    /// The terms that it is about.
    pub agreement: Id,
    /// The agent that made it.
    pub agent: String,
    /// The key that signed it.
    pub key_id: String,
    /// The role in which the actor acts.
    pub role: Role,
    /// The date that the actor gave it, in milliseconds.
    pub at: u64,
    /// What the actor had seen.
    pub seen: Vec<Id>,
    /// The algorithm of the signature.
    pub algorithm: Algorithm,
    /// The party for which the actor acts, if that is not its own.
    pub on_behalf: Option<String>,
    pub(crate) delegation: Option<Delegation>,
    pub(crate) dispute: Option<Id>,
    /// The id and the `agreementHash` of the agreement that a `supersede` names.
    pub(crate) successor: Option<(String, Id)>,
}

const MEMBERS: &[&str] =
    &["actor", "agreementHash", "alg", "at", "data", "nonce", "role", "seen", "signature", "type"];

/// How many events an event may name as seen.
const MOST_SEEN: usize = 10_000;

impl Event {
    /// Reads an event.
    ///
    /// Errors: those of the reader; `BadEvent`.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        Self::of(&input::parse(text, &Limits::default())?)
    }

    pub(crate) fn of(value: &Value) -> Result<Self, Problem> {
        let faults = Faults::default();
        let event = Self::read(value, &faults);
        faults.end(event, "BadEvent")
    }

    fn read(value: &Value, faults: &Faults) -> Self {
        let shape = Shape::of(Some(value), "the event", MEMBERS, faults);
        let actor = shape.shape("actor", "the actor", &["agentId", "agentVersion", "keyId"]);
        actor.text("agentVersion", is_uuid);
        shape.text("nonce", is_nonce);
        shape.text("signature", is_base64);
        shape.need("type");
        let kind = shape.named("type", Kind::of).unwrap_or(Kind::Propose);
        let data = shape.need("data").filter(|_| !faults.is_any());
        let data = data.map(|data| Data::of(kind, data, faults)).unwrap_or_default();
        let agreement = shape.digest("agreementHash");
        let (agent, key_id) = (actor.text("agentId", is_uuid), actor.text("keyId", is_key_id));
        shape.need("role");
        let role = shape.named("role", Role::of).unwrap_or(Role::Observer);
        let at = shape.moment("at");
        let seen = seen(&shape);
        shape.need("alg");
        Self {
            id: value.as_object().filter(|_| !faults.is_any()).map(id_of).unwrap_or_default(),
            kind,
            agreement,
            agent: agent.to_owned(),
            key_id: key_id.to_owned(),
            role,
            at,
            seen,
            algorithm: shape.named("alg", Algorithm::of).unwrap_or(Algorithm::Ed25519),
            on_behalf: data.on_behalf,
            delegation: data.delegation,
            dispute: data.dispute,
            successor: data.successor,
        }
    }
}

fn seen(shape: &Shape<'_, '_>) -> Vec<Id> {
    let items = shape.list("seen");
    let mut ids = Vec::with_capacity(items.len());
    for item in items {
        let id = item.as_str().and_then(Id::parse);
        ids.extend(id.filter(|id| ids.last().is_none_or(|last| last < id)));
    }
    if ids.len() < items.len() || ids.len() > MOST_SEEN {
        shape.wrong("seen");
    }
    ids
}

#[derive(Default)]
struct Data {
    on_behalf: Option<String>,
    delegation: Option<Delegation>,
    dispute: Option<Id>,
    successor: Option<(String, Id)>,
}

impl Data {
    fn of(kind: Kind, value: &Value, faults: &Faults) -> Self {
        let names: &[&str] = match kind {
            Kind::Propose | Kind::Witness | Kind::Notarize => &["note"],
            Kind::Sign => &["for", "note"],
            Kind::Decline | Kind::Withdraw => &["for", "reason"],
            Kind::Void | Kind::Dispute | Kind::Terminate => &["reason"],
            Kind::Comment => &["text"],
            Kind::Attach => &["attachment"],
            Kind::Delegate => &["document", "scope", "to", "until"],
            Kind::Resolve => &["dispute", "reason"],
            Kind::Supersede => &["successor"],
        };
        let shape = Shape::of(Some(value), "the data of the event", names, faults);
        for name in ["note", "reason", "text"] {
            shape.optional(name, is_any);
        }
        let mut data =
            Self { on_behalf: shape.optional("for", is_party_id).map(Into::into), ..Self::default() };
        match kind {
            Kind::Comment => drop(shape.need("text")),
            Kind::Dispute => drop(shape.need("reason")),
            Kind::Attach => drop(shape::attachment(shape.need("attachment"), "the attachment", faults)),
            Kind::Resolve => data.dispute = Some(shape.digest("dispute")),
            Kind::Supersede => {
                data.successor = Some(reference(shape.need("successor"), "the successor", false, faults));
            }
            Kind::Delegate => data.delegation = Some(delegate(&shape, faults)),
            _ => {}
        }
        data
    }
}

fn delegate(shape: &Shape<'_, '_>, faults: &Faults) -> Delegation {
    let can_act = |name: &str| matches!(Kind::of(name), Some(Kind::Sign | Kind::Decline | Kind::Withdraw));
    let scope = shape.there("scope").texts("scope", 3, can_act);
    let document = shape.get("document");
    if document.is_some() {
        reference(document, "the document of the delegation", true, faults);
    }
    Delegation {
        to: shape.text("to", is_uuid).to_owned(),
        scope: scope.into_iter().filter_map(Kind::of).collect(),
        until: shape.date("until"),
        has_document: document.is_some(),
    }
}

/// Checks that `{sxId, sxVersion, sha256}` names a document.
fn reference(value: Option<&Value>, what: &str, needs_version: bool, faults: &Faults) -> (String, Id) {
    let shape = Shape::of(value, what, &["sha256", "sxId", "sxVersion"], faults);
    if shape.optional("sxVersion", is_uuid).is_none() && needs_version {
        shape.wrong("sxVersion");
    }
    (shape.text("sxId", is_uuid).to_owned(), shape.digest("sha256"))
}

/// The canonical text of an event without its signature.
fn unsigned(event: &Object) -> String {
    let mut text = String::from("{");
    for (name, value) in event.iter().filter(|(name, _)| *name != "signature") {
        if text.len() > 1 {
            text.push(',');
        }
        json::write_into(&Value::from(name), &mut text);
        text.push(':');
        json::write_into(value, &mut text);
    }
    text.push('}');
    text
}

pub(crate) fn id_of(event: &Object) -> Id {
    Id::of(&pae(Context::AgreementEventId, unsigned(event).as_bytes()))
}
