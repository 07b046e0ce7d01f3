//! What an agent is made of, as its maker says it. Whether that is allowed is for the agent document to say.

use crate::error::{Code, Result};
use crate::json::{self, Limits, Value};
use alloc::string::String;

/// What a new agent says of itself.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// What people call it.
    pub name: String,
    /// The domain it belongs to.
    pub domain: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// `sxAgentType`; `ai` if not given.
    pub agent_type: Option<String>,
}

impl Profile {
    /// Reads `{name, domain?, description?, agentType?}`, JSON. What is no text counts as left out.
    ///
    /// Errors: those of the reader; `InvalidOption` for what is no object.
    pub fn parse(text: &str) -> Result<Self> {
        let Value::Object(mut profile) = json::parse(text.as_bytes(), &Limits::default())? else {
            return Err(Code::InvalidOption.into());
        };
        let mut text = |name: &str| match profile.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Ok(Self {
            name: text("name").unwrap_or_default(),
            domain: text("domain"),
            description: text("description"),
            agent_type: text("agentType"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_and_what_is_no_text_is_left_out() {
        let read = |text: &str| {
            let Profile { name, domain, description, agent_type } = Profile::parse(text)?;
            Ok::<_, crate::error::Error>((name, domain, description, agent_type))
        };
        let some = |text: &str| Some(text.into());
        assert_eq!(
            read(r#"{"agentType":"human","description":"d","domain":"x.org","name":"n"}"#),
            Ok(("n".into(), some("x.org"), some("d"), some("human")))
        );
        assert_eq!(read(r#"{"name":7,"domain":null,"more":1}"#), Ok((String::new(), None, None, None)));
        for (bad, code) in [("[]", Code::InvalidOption), ("1", Code::InvalidOption), ("{", Code::NotJson)] {
            assert_eq!(read(bad).map_err(|error| error.code), Err(code), "{bad}");
        }
    }
}
