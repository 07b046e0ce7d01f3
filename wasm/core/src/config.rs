//! The configuration file: fields, defaults, validation (protocol, section 13).

use crate::error::{Code, Error, Result};
use crate::ids::DocumentKey;
use crate::json::{self, Limits, Object, Value};
use crate::keys::Algorithm;
use crate::layout::{MAX_KEY_FILE, PASSWORD_FILE, STAGING, is_key_file, read_number};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A configuration file is small; this also bounds what a wrong path can cost.
const LIMITS: Limits = Limits { depth: 16, members: 1000, bytes: 1024 * 1024 };

/// What a value must be.
#[derive(Clone, Copy)]
enum Rule {
    Any,
    Directory,
    KeyFile,
    Algorithm,
    AgentKey,
    Storage,
}

/// A field: its name in the file, its name in the parsed form, its default, its rule.
struct Field(&'static str, &'static str, Option<&'static str>, Rule);

const FIELDS: &[Field] = &[
    Field("sxUseSecurity", "useSecurity", None, Rule::Any),
    Field("sxDataDirectory", "dataDirectory", Some("./sx_data"), Rule::Directory),
    Field("sxKeyDirectory", "keyDirectory", Some("./sx_keys"), Rule::Directory),
    Field("sxAgentPrivateKeyFilename", "privateKeyFilename", Some("sx.private.pem"), Rule::KeyFile),
    Field("sxAgentPublicKeyFilename", "publicKeyFilename", Some("sx.public.pem"), Rule::KeyFile),
    Field("sxAgentKeyAlgorithm", "algorithm", Some("pq2025"), Rule::Algorithm),
    Field("sxPrivateKeyPassword", "password", None, Rule::Any),
    Field("sxAgentIdAndVersion", "agentIdAndVersion", None, Rule::AgentKey),
    Field("sxDefaultStorage", "storage", Some("fs"), Rule::Storage),
];

/// Values of `sxDefaultStorage`.
const STORAGES: &[&str] = &["fs", "indexeddb"];

fn invalid(name: &str, what: &str) -> Error {
    Error::new(Code::InvalidConfig, format!("The configuration field '{name}' {what}."))
}

fn read(text: &[u8]) -> Result<Object> {
    let value = json::parse(text, &LIMITS).map_err(|error| {
        Error::new(Code::InvalidConfig, format!("The configuration is not valid JSON. {}", error.found))
    })?;
    let Value::Object(object) = value else {
        return Err(Error::new(Code::InvalidConfig, "The configuration is not a JSON object."));
    };
    for Field(name, _, _, rule) in FIELDS {
        match object.get(name) {
            None => {}
            Some(Value::String(text)) => check(name, text, *rule)?,
            Some(_) => return Err(invalid(name, "is not a string")),
        }
    }
    check_key_files(&object)?;
    Ok(object)
}

/// The file whose key record a name would be.
fn record_of(name: &str) -> Option<&str> {
    let (file, number) = name.rsplit_once('.')?;
    read_number(number.as_bytes()).map(|_| file)
}

/// The two key files must not be one, nor one of them stand where a key record will.
fn check_key_files(config: &Object) -> Result<()> {
    let file = |short: &str| {
        let Field(name, _, default, _) = FIELDS.iter().find(|field| field.1 == short)?;
        config.get(name).and_then(Value::as_str).or(*default).map(str::to_ascii_lowercase)
    };
    let (private, public) = (file("privateKeyFilename"), file("publicKeyFilename"));
    let (private, public) = (private.unwrap_or_default(), public.unwrap_or_default());
    if record_of(&private).is_some() {
        return Err(invalid("sxAgentPrivateKeyFilename", "ends with a number, like a key record"));
    }
    if private == public || record_of(&public).is_some_and(|file| file == private) {
        return Err(invalid("sxAgentPublicKeyFilename", "names a file of the private key"));
    }
    Ok(())
}

/// Whether other things of the key directory have this name.
fn is_taken(name: &str) -> bool {
    [PASSWORD_FILE, STAGING].iter().any(|taken| taken.eq_ignore_ascii_case(name))
}

fn check(name: &str, text: &str, rule: Rule) -> Result<()> {
    let (good, what) = match rule {
        Rule::Any => (true, ""),
        Rule::Directory => {
            (is_inner_directory(text), "is neither a folder below the configuration nor an absolute path")
        }
        Rule::KeyFile => (
            is_key_file(text) && !is_taken(text),
            &*format!(
                "is not a plain file name of at most {MAX_KEY_FILE} characters, other than {PASSWORD_FILE} and {STAGING}"
            ),
        ),
        Rule::Algorithm => {
            (Algorithm::parse(text).is_some(), "is not one of pq2025, ML-DSA-87, ed25519, Ed25519")
        }
        Rule::AgentKey => (
            text.is_empty() || DocumentKey::parse_exact(text).is_ok(),
            "is neither an agent's 'id:version' nor empty",
        ),
        Rule::Storage => (STORAGES.contains(&text), "is not one of fs, indexeddb"),
    };
    if good { Ok(()) } else { Err(invalid(name, what)) }
}

/// A relative path must not lead out of the configuration's folder; an absolute one says openly
/// where it leads.
fn is_inner_directory(path: &str) -> bool {
    !path.is_empty() && !path.contains('\0') && path.split(['/', '\\']).all(|part| part != "..")
}

/// Reads a configuration; gives its parsed form as JSON: every field under its short name, with
/// defaults filled in and `null` where nothing is known, `agentId` and `agentVersion`, and
/// `unknown`: the names of fields the library does not know.
///
/// Errors: `InvalidConfig`, naming the field.
pub fn parse(text: &[u8]) -> Result<String> {
    let config = read(text)?;
    let mut parsed = Object::new();
    for Field(name, short, default, _) in FIELDS {
        let value = config.get(name).cloned().or_else(|| default.map(Into::into)).unwrap_or(Value::Null);
        parsed.insert((*short).into(), value);
    }
    if let Some(algorithm) =
        config.get("sxAgentKeyAlgorithm").and_then(Value::as_str).and_then(Algorithm::parse)
    {
        parsed.insert("algorithm".into(), algorithm.name().into());
    }
    let key = parsed.remove("agentIdAndVersion").and_then(|key| DocumentKey::parse_exact(key.as_str()?).ok());
    let (id, version) = key.map_or((Value::Null, Value::Null), |(id, version)| (id.into(), version.into()));
    parsed.insert("agentId".into(), id);
    parsed.insert("agentVersion".into(), version);
    let unknown = config.iter().filter(|(name, _)| FIELDS.iter().all(|field| field.0 != *name));
    let unknown: Vec<Value> = unknown.map(|(name, _)| name.into()).collect();
    parsed.insert("unknown".into(), Value::Array(unknown));
    Ok(json::write(&Value::Object(parsed)))
}

/// Builds a configuration file of some of its fields, with defaults for the others
/// (`createConfig`). Fields that the library does not know are kept.
///
/// Errors: `InvalidConfig`, naming the field.
pub fn create(options: &[u8]) -> Result<String> {
    let mut config = read(options)?;
    let mut text = String::from("{");
    for Field(name, _, default, _) in FIELDS {
        if let Some(value) = config.remove(name).or_else(|| default.map(Into::into)) {
            line(&mut text, name, &value);
        }
    }
    for (name, value) in config.iter() {
        line(&mut text, name, value);
    }
    text.push_str("\n}\n");
    Ok(text)
}

/// One member a line: people edit this file.
fn line(text: &mut String, name: &str, value: &Value) {
    text.push_str(if text.len() > 1 { ",\n  " } else { "\n  " });
    json::write_string_into(name, text);
    text.push_str(": ");
    json::write_into(value, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_protocol() {
        assert_eq!(
            parse(b"{}").as_deref(),
            Ok(
                r#"{"agentId":null,"agentVersion":null,"algorithm":"pq2025","dataDirectory":"./sx_data","keyDirectory":"./sx_keys","password":null,"privateKeyFilename":"sx.private.pem","publicKeyFilename":"sx.public.pem","storage":"fs","unknown":[],"useSecurity":null}"#
            )
        );
    }

    #[test]
    fn what_create_writes_parse_reads() {
        let text = create(br#"{"sxAgentKeyAlgorithm":"ed25519","note":"x"}"#).unwrap();
        assert!(text.starts_with("{\n  \"sxDataDirectory\": \"./sx_data\",\n"), "{text}");
        let parsed = parse(text.as_bytes()).unwrap();
        assert!(
            parsed.contains(r#""algorithm":"ed25519""#) && parsed.contains(r#""unknown":["note"]"#),
            "{parsed}"
        );
    }

    #[test]
    fn key_files_leave_room_for_the_number_of_a_record() {
        let config = |length: usize| {
            let name = "k".repeat(length);
            parse(format!(r#"{{"sxAgentPrivateKeyFilename":"{name}"}}"#).as_bytes())
        };
        assert!(config(100).is_ok());
        assert!(config(101).unwrap_err().found.contains("at most 100 characters"));
    }

    #[test]
    fn a_wrong_field_is_named() {
        for (text, name) in [
            (r#"{"sxDataDirectory":"../elsewhere"}"#, "sxDataDirectory"),
            (r#"{"sxDataDirectory":"a/../../b"}"#, "sxDataDirectory"),
            (r#"{"sxKeyDirectory":"..\\b"}"#, "sxKeyDirectory"),
            (r#"{"sxKeyDirectory":""}"#, "sxKeyDirectory"),
            (r#"{"sxAgentPrivateKeyFilename":"../../id_ed25519"}"#, "sxAgentPrivateKeyFilename"),
            (r#"{"sxAgentPublicKeyFilename":"con"}"#, "sxAgentPublicKeyFilename"),
            (r#"{"sxAgentPublicKeyFilename":".SX_password"}"#, "sxAgentPublicKeyFilename"),
            (r#"{"sxAgentPrivateKeyFilename":".new"}"#, "sxAgentPrivateKeyFilename"),
            (r#"{"sxAgentPublicKeyFilename":"SX.private.pem"}"#, "sxAgentPublicKeyFilename"),
            (r#"{"sxAgentPublicKeyFilename":"sx.private.pem.2"}"#, "sxAgentPublicKeyFilename"),
            (r#"{"sxAgentPrivateKeyFilename":"k.pem.2"}"#, "sxAgentPrivateKeyFilename"),
            (r#"{"sxAgentPrivateKeyFilename":"sx.public.pem"}"#, "sxAgentPublicKeyFilename"),
            (
                r#"{"sxAgentPrivateKeyFilename":"key","sxAgentPublicKeyFilename":"Key.10"}"#,
                "sxAgentPublicKeyFilename",
            ),
            (r#"{"sxAgentKeyAlgorithm":"rsa"}"#, "sxAgentKeyAlgorithm"),
            (r#"{"sxAgentIdAndVersion":"me"}"#, "sxAgentIdAndVersion"),
            (r#"{"sxDefaultStorage":"cloud"}"#, "sxDefaultStorage"),
            (r#"{"sxUseSecurity":true}"#, "sxUseSecurity"),
            (r#"{"sxPrivateKeyPassword":17}"#, "sxPrivateKeyPassword"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.code, Code::InvalidConfig);
            assert!(error.found.contains(name), "{}", error.found);
            assert!(create(text.as_bytes()).is_err());
        }
        for (text, member) in [
            (r#"{"sxAgentIdAndVersion":""}"#, r#""agentId":null"#),
            (r#"{"sxAgentKeyAlgorithm":"ML-DSA-87"}"#, r#""algorithm":"pq2025""#),
            (r#"{"sxAgentKeyAlgorithm":"Ed25519"}"#, r#""algorithm":"ed25519""#),
            (r#"{"sxAgentKeyAlgorithm":"ring-Ed25519"}"#, r#""algorithm":"ed25519""#),
        ] {
            assert!(parse(text.as_bytes()).unwrap().contains(member), "{text}");
            assert!(create(text.as_bytes()).is_ok());
        }
        for public in ["sx.private.pem.", "sx.private.pem.02", "sx.private.pem.x", "sx.private.pem2"] {
            let text = format!(r#"{{"sxAgentPublicKeyFilename":"{public}"}}"#);
            assert_eq!(parse(text.as_bytes()).is_ok(), !public.ends_with('.'), "{public}");
        }
        for text in ["", "[]", "{\"a\":1,\"a\":2}", "nonsense"] {
            assert_eq!(parse(text.as_bytes()).map_err(|e| e.code), Err(Code::InvalidConfig));
        }
    }
}
