//! The one table of error codes and of the sentences people read.
//!
//! Every layer (TypeScript, command line, pages) derives its codes and sentences from
//! [`TABLE`]. What to do is said so that it can be done wherever the failure is met; where pages,
//! servers, edge runtimes or the command line need to hear something else, their own sentence
//! stands in the `advice.ts` of their folder. Verdicts have none of these: they are the same
//! everywhere.

use alloc::string::String;
use core::fmt;

/// A row of the table of codes.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The code.
    pub code: Code,
    /// Its name, as it appears in every API.
    pub name: &'static str,
    /// What happened, as a sentence.
    pub what: &'static str,
    /// What to do about it, as a sentence.
    pub then: &'static str,
    /// Whether it says of a document, also of a stored one, that it is not valid. The operations
    /// that verify return such a code in their result; every other one they throw.
    pub is_verdict: bool,
}

macro_rules! is_verdict {
    (verdict) => {
        true
    };
    (error) => {
        false
    };
}

macro_rules! codes {
    ($($kind:ident $name:ident: $what:literal, $then:literal;)*) => {
        /// A stable name for a kind of failure. The name never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $what] $name,)* }

        /// Every code, in the order of the enumeration.
        pub const TABLE: &[Row] = &[$(Code::$name.row(),)*];

        impl Code {
            /// The code's row of the table.
            pub const fn row(self) -> Row {
                match self { $(Code::$name => Row {
                    code: self,
                    name: stringify!($name),
                    what: $what,
                    then: $then,
                    is_verdict: is_verdict!($kind),
                },)* }
            }
            /// The name of the code, as it appears in every API.
            pub const fn name(self) -> &'static str {
                self.row().name
            }
            /// What happened, as a sentence.
            pub const fn what(self) -> &'static str {
                self.row().what
            }
            /// What to do about it, as a sentence.
            pub const fn then(self) -> &'static str {
                self.row().then
            }
        }
    };
}

codes! {
    // Reading JSON
    verdict NotJson: "The input is not a JSON text that can be signed.", "Pass strict JSON in UTF-8: plain objects, arrays, strings, finite numbers, booleans and null.";
    verdict DuplicateKey: "An object has the same member name twice.", "Keep one of the two; readers disagree about which one counts.";
    verdict LossyNumber: "A number would change its value when it is read as a double.", "Write it as a string, or with at most 17 significant digits and, for integers, below 2^53.";
    verdict LimitExceeded: "The input is larger than the limits allow.", "Split it, or make it smaller; the limits of documents can be raised with the option `limits`.";

    // Keys and passwords
    verdict InvalidKey: "The key is not one that can be used.", "Use an Ed25519 or ML-DSA-87 key: SPKI PEM for a public key, PKCS#8 PEM for a private one.";
    verdict WeakPublicKey: "The public key is weak: it accepts signatures that nobody made.", "Do not trust this key; ask the owner for a properly generated one.";
    error KdfOutOfRange: "The key file asks for a password derivation outside the safe bounds.", "The file may have been tampered with; restore it from a backup.";
    error WrongPassword: "The private key does not open: the password is wrong, or the key file is damaged or another agent's.", "Check the password; if it is right, restore the key file from a backup.";
    error PasswordRequired: "No password for the private key was given.", "Pass `password`.";
    error SignerFailed: "The external signer did not sign.", "Look at `cause`, and whether the signer can be reached; nothing was stored.";
    error SyncSignerUnavailable: "An external signer has no synchronous form.", "Call the asynchronous function of the same name.";
    error PasskeyUnavailable: "The passkey was not given: nobody confirmed it in time, it was refused, or it is not here.", "Try again, with the device that holds the passkey; where that is lost, restore a backup by its password.";
    verdict KeyMismatch: "The key is not the one that is named.", "Check that the key file, the agent and the document belong together.";
    verdict KeyConflict: "Two sources hold different keys for this agent.", "Find out which key is genuine, then remove the other one.";
    verdict KeyRevoked: "The key was revoked.", "Ask the signer for a document signed with the current key.";
    error ReservedPrefix: "The text begins with a prefix that is reserved for the library's own signatures.", "Sign it as a document instead.";

    // Documents
    verdict InvalidDocument: "This is not a signed document of this library.", "To verify, pass the whole document as it was returned when it was signed; to sign, correct what is named.";
    verdict UnsupportedFormat: "This is a document of another library or of a later version.", "Verify it with the software that made it, or update this library.";
    error ReservedField: "The input carries a field that only the library sets.", "Remove the field, or use an update operation for a document that exists.";
    verdict MissingSignature: "The document carries no signature.", "Ask the sender for the signed document.";
    verdict BadSignature: "The signature does not fit: the document changed after it was signed, or another key signed it.", "Do not use the content; ask the signer for the original.";
    verdict HashMismatch: "The hash in the document is not the hash of its content.", "Do not use the content; ask the signer for the original.";
    verdict UnknownSigner: "There is no key for the agent that signed this.", "Compare the signer's key id with the sender, then trust its agent document or add its public key.";
    verdict SchemaViolation: "The document does not fit its schema.", "Correct what is named; the details of the error, or the errors of the verdict, say all that is wrong.";
    error SchemaRequired: "The document has a schema of its own, which is not at hand.", "Pass the schema that it has, or a later version of it.";
    error InvalidSchema: "This is not a custom schema.", "Pass a JSON Schema of draft-07 with an $id of its own that extends the schema of all documents.";
    error SchemaLimit: "The schema is too large, or would never end.", "Make it smaller, and let each $ref lead on to a part of the document.";
    error RefNotAllowed: "The schema refers to something that is not among the schemas at hand.", "Refer to schemas by their $id, and pass them along; nothing is ever fetched.";
    error UnsafePattern: "The schema has a pattern that cannot be matched in linear time.", "Write it without looking around, without references back, and shorter.";
    error VersionConflict: "There is a newer version than the one that was to be changed.", "Read the latest version and apply the change to it.";
    error ClockBehind: "The agent has signed something that is dated later than this clock.", "Set this clock if it is wrong.";
    verdict Rollback: "An older version was offered where a newer one is known.", "Use the newer version; to read an older document, ask for it by its exact key.";

    // Texts
    verdict NotText: "The input is not a text in UTF-8.", "Save it as UTF-8, without NUL characters.";
    error MarkerCollision: "A line of the text reads as a marker of a signature.", "Remove or indent that line; a text with a damaged signature has to be restored first.";
    verdict MalformedText: "The signatures in the text are not as this library writes them.", "Do not use the text; ask the signer for the original.";
    verdict TruncatedBlock: "A signature in the text has no end.", "Get the whole file; the end of it is missing.";
    verdict LineEndingsChanged: "The line ends of the text were converted after it was signed.", "Get the file as it was signed; for git, give it the attribute -text.";
    verdict TrailingWhitespace: "Blanks at the ends of lines, or at the end of the text, changed after it was signed.", "Get the file as it was signed, and keep editors from tidying it.";
    error FileChanged: "Somebody else has changed the file meanwhile; their version was kept.", "Look at what has changed, and sign again.";

    // Files
    verdict FileMismatch: "The file is not the one that was signed.", "Do not use the file; ask the signer for the original.";

    // Images
    verdict DisplayMetadataChanged: "Metadata that may change how the picture looks was added or changed after it was signed.", "Do not rely on how it looks; ask the signer for the original.";
    error AlreadySigned: "The image carries a signature already.", "Keep it as it is, or ask for its signature to be replaced.";
    error C2paPresent: "The image holds a C2PA manifest, which another signature would make invalid.", "Sign the original first, and add C2PA to that.";
    error Unverifiable: "What was to be read did not come, or must not be looked at.", "Check the address, and that whoever serves it lets it be read (CORS); or pass the file itself.";
    error TimedOut: "The server has sent nothing for too long.", "Try again, wait longer with the option `timeout`, or pass the file itself.";

    // Agents, identifiers, configuration
    error NoAgentLoaded: "No agent is loaded.", "Call quickstart, load or create first.";
    verdict InvalidAgent: "This is not a complete agent document.", "Pass the whole document that exportAgent returned.";
    error InvalidId: "This is not a valid identifier.", "An id is a UUID (version 4 or 7, lower case), a document key is `id:version`, and a name is of letters, digits, '.', '_' and '-'.";
    error InvalidConfig: "The configuration cannot be used.", "Correct what is named, or restore the configuration from a backup.";
    error InvalidOption: "An argument has a value that is not allowed.", "Pass what it takes: the documentation of the function has an example.";
    error AlreadyExists: "It exists already and is never overwritten.", "Choose another place; nothing was changed.";
    error AgentLost: "An agent was here, and its data is gone.", "Restore a backup with importStore; or create another agent with `startAnew: true`.";
    verdict NotFound: "It does not exist.", "Check the name, and where it is looked for.";

    // Storage and runtime
    verdict CorruptStore: "Something in the storage was damaged.", "Restore it from a backup.";
    error StorageFull: "The storage is full.", "Make room there and try again; nothing was half-written.";
    error StorageUnavailable: "The storage cannot be read or written.", "Check that it exists and that its permissions allow it.";
    error SyncStorageUnavailable: "This storage has no synchronous form.", "Call the asynchronous function of the same name.";
    error LinkRefused: "A symbolic link or hard link stands where a file of the library should be.", "Replace the link by the file itself.";
    error Busy: "Another process is working on the same thing.", "Try again in a moment.";
    error NotInitialized: "The WebAssembly core is not loaded yet.", "Call `await init()` once before the first synchronous call.";
    error WasmUnavailable: "The WebAssembly core cannot be loaded here.", "Pass the .wasm file of the package to `init({ core })`.";
    error WorkerUnavailable: "The worker cannot be started, or has ended.", "Make another one with createWorkerAgent.";
    error NoEntropy: "The random source of this runtime does not work.", "Do not sign here; run where crypto.getRandomValues gives random bytes.";
    error Unsupported: "This is not supported.", "See the documentation for what is.";
    error Internal: "The library failed in a way it should not.", "Please report this with the steps that led to it; the agent can still be used.";
}

/// Failure of a core operation: a code, and where it is known, what exactly was found.
///
/// `found` never holds secrets or unverified data beyond names of fields and identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of failure.
    pub code: Code,
    /// What was found, in place of the table's general sentence; empty if there is nothing to add.
    pub found: String,
}

impl Error {
    /// An error that says `found` (a whole sentence) instead of the general one.
    pub fn new(code: Code, found: impl Into<String>) -> Self {
        Self { code, found: found.into() }
    }

    /// The sentences people read: what happened, then what to do.
    pub fn message(&self) -> String {
        let what = if self.found.is_empty() { self.code.what() } else { &self.found };
        alloc::format!("{what} {}", self.code.then())
    }
}

impl Code {
    /// The code of this name.
    pub fn parse(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.code)
    }
}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Self { code, found: String::new() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message())
    }
}

impl core::error::Error for Error {}

/// Result of a core operation.
pub type Result<T> = core::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn verdicts_are_what_reading_and_verifying_a_document_can_say() {
        let verdicts: Vec<&str> = TABLE.iter().filter(|row| row.is_verdict).map(|row| row.name).collect();
        assert_eq!(
            verdicts,
            [
                "NotJson",
                "DuplicateKey",
                "LossyNumber",
                "LimitExceeded",
                "InvalidKey",
                "WeakPublicKey",
                "KeyMismatch",
                "KeyConflict",
                "KeyRevoked",
                "InvalidDocument",
                "UnsupportedFormat",
                "MissingSignature",
                "BadSignature",
                "HashMismatch",
                "UnknownSigner",
                "SchemaViolation",
                "Rollback",
                "NotText",
                "MalformedText",
                "TruncatedBlock",
                "LineEndingsChanged",
                "TrailingWhitespace",
                "FileMismatch",
                "DisplayMetadataChanged",
                "InvalidAgent",
                "NotFound",
                "CorruptStore",
            ]
        );
    }

    #[test]
    fn a_code_has_its_own_row() {
        for row in TABLE {
            assert_eq!((row.code.name(), row.code.what(), row.code.then()), (row.name, row.what, row.then));
            assert_eq!(Code::parse(row.name), Some(row.code));
            assert_eq!(row.code.row().is_verdict, row.is_verdict);
        }
        assert_eq!(Code::parse("verdict"), None);
    }
}
