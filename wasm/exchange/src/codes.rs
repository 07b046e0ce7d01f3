//! Why a request is refused: the one table of these codes. Those of keys are the core's.

macro_rules! codes {
    ($($name:ident: $what:literal;)*) => {
        /// Why a request is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $(#[doc = $what] $name,)* }

        impl Code {
            /// The name of the code.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// What it says, as a sentence.
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => $what,)* }
            }
        }
    };
}

codes! {
    Missing: "The request has no Authorization header.";
    Malformed: "The Authorization header is malformed, or there is more than one.";
    TooLarge: "The Authorization header is longer than 8,175 bytes.";
    WrongAudience: "The request was signed for another audience.";
    Expired: "The signature is too old.";
    NotYetValid: "The signature is dated in the future.";
    MethodMismatch: "The method differs from the signed method.";
    UrlMismatch: "The URL differs from the signed URL.";
    BodyMismatch: "The body differs from the signed body.";
    UnboundRejected: "The header has the form SX id:time:signature, which is not bound to a request. Use buildRequestAuthHeader.";
    InvalidOption: "An option is not valid.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_the_name_and_the_sentence_of_its_row() {
        assert_eq!((Code::Expired.name(), Code::Expired.what()), ("Expired", "The signature is too old."));
    }
}
