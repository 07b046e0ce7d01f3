//! Methods (RFC 9110, section 9.1).

use alloc::string::String;

use crate::codes::Code;
use crate::problem::Problem;

/// In characters.
const LONGEST: usize = 32;

/// A method as it is signed: a token (RFC 9110, section 5.6.2) in upper case.
///
/// Errors: `InvalidOption`.
pub(crate) fn normalise(method: &str) -> Result<String, Problem> {
    if is_token(method) {
        return Ok(method.to_ascii_uppercase());
    }
    Err(Problem::new(
        Code::InvalidOption,
        "The method must be a token of at most 32 characters, such as POST.",
    ))
}

/// Whether a method is in the form in which it is signed.
pub(crate) fn is_normal(method: &str) -> bool {
    is_token(method) && !method.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t38_only_tokens_are_methods() {
        assert_eq!(normalise("post").as_deref(), Ok("POST"));
        assert_eq!(normalise("M-SEARCH").as_deref(), Ok("M-SEARCH"));
        let long = "A".repeat(33);
        for wrong in ["", "GET\r\n", "GE T", "GÉT", "GET:", long.as_str()] {
            assert_eq!(normalise(wrong).map_err(|problem| problem.code), Err(Code::InvalidOption), "{wrong}");
        }
        assert!(is_normal("POST") && !is_normal("post") && !is_normal(""));
    }
}
