//! How a verdict is handed out, whatever it is on: two lines of JSON in one text, so that the boundary is crossed once. The
//! first one, the head, is for programs; the second one is the result as every API shows it.

use crate::error::Error;
use crate::json::{self, Members, Value};
use alloc::string::String;
use alloc::vec::Vec;

/// Head and result. The head names the error, if there is one (`code`, `found`), and holds `more`, which is JSON already.
pub(crate) fn lines(error: Option<&Error>, more: &[(&str, &str)], result: &str) -> String {
    let mut head = Members::with_capacity(256);
    if let Some(Error { code, found }) = error {
        let error = Members::with_capacity(64).text("code", code.name()).text("found", found.as_str()).end();
        head.json("error", &error);
    }
    for (name, value) in more {
        head.json(name, value);
    }
    line(&head.end(), result)
}

/// A line of JSON and what comes after it.
pub(crate) fn line(first: &str, rest: &str) -> String {
    [first, "\n", rest].concat()
}

/// Head and result of what carries its signatures in itself, a text or an image: `members`, and those that both have.
pub(crate) fn signed(error: Option<&Error>, errors: Vec<Value>, mut members: Vec<(&str, Value)>) -> String {
    members.push(("valid", error.is_none().into()));
    members.push(("errors", errors.into()));
    if let Some(error) = error {
        members.push(("code", error.code.name().into()));
    }
    lines(error, &[], &json::write(&json::object(members).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use alloc::vec;

    #[test]
    fn the_head_is_one_line_and_the_result_another_one() {
        let error = Error::new(Code::NotText, "\"a\"\n");
        assert_eq!(lines(None, &[], "{}"), "{}\n{}");
        assert_eq!(
            lines(Some(&error), &[("within", "null")], "1"),
            "{\"error\":{\"code\":\"NotText\",\"found\":\"\\\"a\\\"\\n\"},\"within\":null}\n1"
        );
    }

    #[test]
    fn what_is_signed_in_itself_is_valid_unless_there_is_an_error() {
        let status = || vec![("status", Value::from("signed"))];
        assert_eq!(
            signed(None, vec![], status()),
            "{}\n{\"errors\":[],\"status\":\"signed\",\"valid\":true}"
        );
        let error = Error::new(Code::NotText, "");
        let answer = signed(Some(&error), vec!["why".into()], status());
        assert_eq!(
            answer.lines().nth(1),
            Some(r#"{"code":"NotText","errors":["why"],"status":"signed","valid":false}"#)
        );
    }
}
