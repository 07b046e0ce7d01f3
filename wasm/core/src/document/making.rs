//! What making a document takes and gives: who signs, what it is to be, and where it stands then.

use super::{HEADER_SCHEMA, header};
use crate::error::{Code, Error, Result};
use crate::json::{self, Limits, Value};
use crate::keys::SecretKey;
use alloc::string::String;

/// Who signs: an agent, the version of its agent document, and its key; and within which limits.
#[derive(Clone, Copy)]
pub struct Author<'a> {
    /// The agent's `sxId`.
    pub agent_id: &'a str,
    /// The agent document's `sxVersion`.
    pub agent_version: &'a str,
    /// The agent's private key.
    pub key: &'a SecretKey,
    /// Those of what is made, and of the texts that it is made of.
    pub limits: Limits,
}

/// What a document is to be, next to its payload.
#[derive(Clone, Debug, Default)]
pub struct Making<'a> {
    /// What the payload of a first version is. A next version is of the kind of the version before it.
    pub kind: Kind,
    /// JSON of what is attached, as in `sxFiles` but for names and MIME types as they came. It takes the place of the files
    /// of the version before, which stay where there is none.
    pub files: Option<&'a str>,
    /// The `$id` of a custom schema, which becomes the document's `$schema`. Whether the document fits it is for the caller
    /// to see. Without it the document has the header schema.
    pub schema: Option<String>,
    /// Nothing is signed: the signature is empty, so that the document can be looked at before. At the same moment all else
    /// will be the same.
    pub is_draft: bool,
}

impl<'a> Making<'a> {
    /// Reads `{isDraft?, isMessage?, schema?}`, JSON in which what is left out is `false`, or no schema. No text leaves all out.
    ///
    /// Errors: `Internal` for any other text.
    pub fn read(text: Option<&str>, files: Option<&'a str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self { files, ..Self::default() }) };
        let Ok(Value::Object(mut making)) = json::parse(text.as_bytes(), &Limits::default()) else {
            return Err(Code::Internal.into());
        };
        let schema = match making.remove("schema") {
            Some(Value::String(id)) => Some(id),
            None => None,
            _ => return Err(Code::Internal.into()),
        };
        let mut is = |name: &str| match making.remove(name) {
            Some(Value::Bool(is_so)) => Ok(is_so),
            None => Ok(false),
            _ => Err(Error::from(Code::Internal)),
        };
        let kind = if is("isMessage")? { Kind::Message } else { Kind::Document };
        let is_draft = is("isDraft")?;
        if making.is_empty() {
            Ok(Self { kind, files, schema, is_draft })
        } else {
            Err(Code::Internal.into())
        }
    }

    /// `$schema` of what is made.
    ///
    /// Errors: `InvalidSchema`.
    pub(super) fn schema(&self) -> Result<Value> {
        let schema = self.schema.as_deref();
        schema.map(header::check_schema_id).transpose()?;
        Ok(schema.unwrap_or(HEADER_SCHEMA).into())
    }
}

/// What the caller handed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Any JSON value, which becomes the document's `content` (`signMessage`).
    Message,
    /// A JSON object, whose members become the document's own (`createDocument`).
    #[default]
    Document,
}

/// A signed document and where it stands in its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The canonical text (RFC 8785), as it is stored and handed on.
    pub raw: String,
    /// `sxId`.
    pub id: String,
    /// `sxVersion`.
    pub version: String,
    /// `sxPreviousVersion`; `None` for a first version.
    pub previous: Option<String>,
    /// When it was signed.
    pub date: String,
}

impl Made {
    /// Date, id, previous version (empty if there is none) and version, each on its own line, then the text.
    pub fn to_lines(&self) -> String {
        let previous = self.previous.as_deref().unwrap_or_default();
        [self.date.as_str(), &self.id, previous, &self.version, &self.raw].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_document_is_to_be_is_read_whole_or_not_at_all() {
        let read = |text: Option<&str>| {
            let Making { kind, files, schema, is_draft } = Making::read(text, Some("[]"))?;
            assert_eq!(files, Some("[]"));
            Ok::<_, Error>((kind, schema, is_draft))
        };
        assert_eq!(read(None), Ok((Kind::Document, None, false)));
        for plain in ["{}", r#"{"isMessage":false,"isDraft":false}"#] {
            assert_eq!(read(Some(plain)), read(None));
        }
        assert_eq!(
            read(Some(r#"{"isMessage":true,"isDraft":true,"schema":"urn:x"}"#)),
            Ok((Kind::Message, Some("urn:x".into()), true))
        );
        for bad in
            ["", "[]", r#"{"isDraft":1}"#, r#"{"isMessage":null}"#, r#"{"schema":true}"#, r#"{"other":true}"#]
        {
            assert_eq!(read(Some(bad)).map_err(|error| error.code), Err(Code::Internal), "{bad}");
        }
    }

    #[test]
    fn where_a_document_stands_is_in_lines_before_its_text() {
        let mut made =
            Made { raw: "{}".into(), id: "i".into(), version: "v".into(), previous: None, date: "d".into() };
        assert_eq!(made.to_lines(), "d\ni\n\nv\n{}");
        made.previous = Some("p".into());
        assert_eq!(made.to_lines(), "d\ni\np\nv\n{}");
    }
}
