//! Why an event has no effect: the one table of these codes. They are results, not errors.

use alloc::string::String;

macro_rules! codes {
    ($($name:ident: $what:literal;)*) => {
        /// Why an event has no effect.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $what] $name,)*
            /// The verdict on the signature, in the words of the core: `BadSignature`, `UnknownSigner` and the like.
            Verdict(String),
        }

        impl Code {
            /// Every code with what it says, but those of verdicts.
            pub const TABLE: &'static [(&'static str, &'static str)] = &[$((stringify!($name), $what),)*];

            /// The name of the code.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$name => stringify!($name),)*
                    Self::Verdict(code) => code,
                }
            }
        }
    };
}

codes! {
    BadEvent: "It is not an event of this format.";
    WrongAgreement: "It belongs to another agreement, or to other terms.";
    NotAParty: "The signer is not a party, and no party delegated this action to the signer.";
    WrongRole: "The role of the party does not allow it.";
    WrongKey: "The terms list other keys for this party.";
    WrongAlgorithm: "The terms do not allow this algorithm.";
    TooWeak: "The terms ask for a stronger algorithm.";
    UnknownSeen: "It refers to an event that is missing or cannot be verified.";
    KeyRevoked: "The key was revoked.";
    NotAllowedNow: "The status at that point does not allow it.";
    NotAllowedByPolicy: "The policy of the agreement does not allow it.";
    BeforeTerms: "It is dated before the agreement was proposed.";
    DelegationExpired: "The delegation had ended.";
    TooEarly: "It is dated before the agreement took effect.";
    TooLate: "It is dated after the deadline, or was made after the agreement was complete.";
    Duplicate: "The party has done this already.";
    OutOfOrder: "The event does not refer to the signatures that complete an earlier stage.";
    NoTimeProof: "No notary confirmed its date before the deadline.";
    Contested: "The agreement was completed at the same time. Completion wins.";
    Withdrawn: "The party has withdrawn it, or has declined.";
    BadSuccessor: "The successor is not known, not complete, does not name this agreement, or is not signed by enough of its parties.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_the_name_of_its_row() {
        assert_eq!(Code::OutOfOrder.name(), "OutOfOrder");
        assert_eq!(Code::Verdict("BadSignature".into()).name(), "BadSignature");
        assert!(Code::TABLE.iter().all(|(name, what)| !name.is_empty() && what.ends_with('.')));
    }
}
