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
        pub const TABLE: &[Row] = &[$(Row {
            code: Code::$name,
            what: $what,
            then: $then,
            is_verdict: is_verdict!($kind),
        },)*];

        impl Code {
            /// The code's row of the table.
            #[expect(clippy::indexing_slicing, reason = "the table has a row for every code, in the same order")]
            pub const fn row(self) -> &'static Row {
                &TABLE[self as usize]
            }
            /// The name of the code, as it appears in every API.
            pub const fn name(self) -> &'static str {
                // Not in the row: a module that says names alone has no sentences.
                match self { $(Code::$name => stringify!($name),)* }
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
    verdict NotJson: "The input is not strict JSON.", "Pass strict JSON in UTF-8: plain objects, arrays, strings, finite numbers, booleans and null.";
    verdict DuplicateKey: "An object has the same member name twice.", "Remove one of the two. Parsers disagree about which one counts.";
    verdict LossyNumber: "A number is too large, too small or too precise for a double.", "Write it as a string, or with at most 17 significant digits; an integer must be below 2^53.";
    verdict LimitExceeded: "The input exceeds a limit.", "Split it or make it smaller. The option `limits` raises the limits of documents.";

    // Keys and passwords
    verdict InvalidKey: "The key cannot be used.", "Use an Ed25519 or ML-DSA-87 key in PEM: SPKI for public keys, PKCS#8 for private keys.";
    verdict WeakPublicKey: "The public key is weak: anyone can forge its signatures.", "Do not trust this key. Ask the owner for a properly generated one.";
    error KdfOutOfRange: "The key derivation parameters of the key file are unsafe.", "The file may have been changed. Restore it from a backup.";
    error WrongPassword: "The private key cannot be decrypted: the password is wrong, or the key file is damaged or belongs to another agent.", "Check the password. If it is right, restore the key file from a backup.";
    error PasswordRequired: "No password for the private key was given.", "Pass `password`.";
    error SignerFailed: "The external signer did not sign.", "See `cause`, and check that the signer can be reached. Nothing was stored.";
    error SyncSignerUnavailable: "An external signer cannot sign synchronously.", "Call the asynchronous function of the same name.";
    error PasskeyUnavailable: "The passkey request timed out or was refused, or the passkey is not on this device.", "Try again with the device that has the passkey. If it is lost, restore a backup with its password.";
    verdict KeyMismatch: "The key does not match the expected key.", "Check that the key file, the agent and the document belong together.";
    verdict KeyConflict: "Two sources have different keys for this agent.", "Find out which key is genuine, then remove the other one.";
    verdict KeyRevoked: "The key was revoked.", "Ask the signer for a document signed with the current key.";
    error ReservedPrefix: "The text begins with a prefix reserved for the library's own signatures.", "Sign it as a document instead.";

    // Documents
    verdict InvalidDocument: "The input is not a signed document of this library.", "To verify, pass the whole document as it was signed. To sign, correct the named field.";
    verdict UnsupportedFormat: "The document was made by another library or a later version.", "Verify it with the software that made it, or update this library.";
    error ReservedField: "The input has a field that only the library sets.", "Remove the field. To change a stored document, use an update function.";
    verdict MissingSignature: "The document has no signature.", "Ask the sender for the signed document.";
    verdict BadSignature: "The signature is not valid: the document was changed after it was signed, or another key signed it.", "Do not use the content. Ask the signer for the original.";
    verdict HashMismatch: "The hash in the document does not match its content.", "Do not use the content. Ask the signer for the original.";
    verdict UnknownSigner: "The public key of the signer is not known.", "Confirm the key id with the signer. Then trust its agent document or add its public key.";
    verdict SchemaViolation: "The document does not match its schema.", "Correct the members listed in `details` of the error or `errors` of the verdict.";
    error SchemaRequired: "The document has a custom schema, which was not passed.", "Pass this schema or a later version of it.";
    error InvalidSchema: "The custom schema is not valid.", "Pass a draft-07 JSON Schema with its own $id that extends the schema of all documents.";
    error SchemaLimit: "The schema is too large or recurses without end.", "Make it smaller, and make each $ref consume part of the document.";
    error RefNotAllowed: "The schema refers to a schema that was not passed.", "Refer to schemas by $id, and pass them too. References are never fetched.";
    error UnsafePattern: "The schema has a pattern that cannot be matched in linear time.", "Remove lookaround and backreferences, or shorten it.";
    error VersionConflict: "There is a newer version than the one to change.", "Read the latest version and apply the change to it.";
    error ClockBehind: "The agent has already signed with a later date than the system clock shows.", "If the clock is wrong, correct it.";
    verdict Rollback: "The version is older than a known one.", "Use the newer version. If it is missing, restore it from a backup. To read an older version of a document, pass its exact key.";


    // Texts
    verdict NotText: "The input is not UTF-8 text.", "Save it as UTF-8, without NUL characters.";
    error MarkerCollision: "A line of the text looks like a signature marker.", "Remove or indent that line. If a signature is damaged, restore the text first.";
    verdict MalformedText: "The signatures in the text are malformed.", "Do not use the text. Ask the signer for the original.";
    verdict TruncatedBlock: "A signature in the text has no end.", "Get the whole file. Its end is missing.";
    verdict LineEndingsChanged: "The line endings of the text were converted after it was signed.", "Get the file as it was signed. In Git, give it the attribute -text.";
    verdict TrailingWhitespace: "Trailing whitespace in the text was changed after it was signed.", "Get the file as it was signed. Turn off the trimming of whitespace in editors.";
    error FileChanged: "Another program changed the file. Its version was kept.", "Review the change, then sign again.";

    // Files
    verdict FileMismatch: "The file is not the signed file.", "Do not use the file. Ask the signer for the original.";

    // Images
    verdict DisplayMetadataChanged: "Metadata that affects how the image looks was changed after signing.", "Do not rely on how it looks. Ask the signer for the original.";
    error AlreadySigned: "The input already has a signature.", "Keep it. To replace the signature of an image, omit `refuseOverwrite`.";
    error C2paPresent: "The image has a C2PA manifest, which a signature would make invalid.", "Sign the original first, then add C2PA.";
    error Unverifiable: "The input could not be fetched, or the server does not allow reading it.", "Check the address and that its server allows reading (CORS), or pass the file itself.";
    error TimedOut: "The server sent nothing for too long.", "Try again, raise the option `timeout`, or pass the file itself.";

    // Agreements
    error InvalidAgreement: "The input is not a valid agreement.", "Pass the JSON text of an agreement, or its id.";
    error InvalidTerms: "The terms are not valid.", "Correct the terms. The documentation of agreements describes each member.";
    error WrongAgreement: "The copies have different terms.", "Merge only copies of the same agreement.";
    error EventRefused: "The agreement does not allow this now.", "Check `status` and `blocked` in the result of verifyAgreement.";
    error NoParties: "The agreement has no parties.", "Pass the ids of the agents that have to sign.";
    error NoAgreement: "The document has no agreement in this field.", "Check the name of the field.";
    error AgreementExists: "The agreement in this field was signed already.", "Use another field name, or another document.";
    error NotAParty: "The agent is not a party of the agreement.", "Only the listed agents can sign. Make another agreement that lists this one.";
    error AgreementHash: "The terms of the agreement were changed after it was made.", "Do not rely on it. Ask the sender for the original.";
    error TooWeak: "The agreement does not accept signatures of this algorithm.", "Sign with a key of an algorithm that it accepts.";
    error TooLate: "The deadline of the agreement has passed.", "Make another agreement with a later deadline.";

    // Agents, identifiers, configuration
    error NoAgentLoaded: "No agent is loaded.", "Call quickstart, load or create first.";
    verdict InvalidAgent: "The input is not a complete agent document.", "Pass the whole document that exportAgent returned.";
    error InvalidId: "The identifier is not valid.", "An id is a UUID (version 4 or 7, lower case), a document key is `id:version`, and a name has only letters, digits, '.', '_' and '-'.";
    error InvalidConfig: "The configuration cannot be used.", "Correct the named field, or restore the configuration from a backup.";
    error InvalidOption: "An argument or option has a value that is not allowed.", "See the documentation of the function.";
    error AlreadyExists: "The target already exists and was not overwritten.", "Choose another location. Nothing was changed.";
    error AgentLost: "The data of the agent is missing.", "Restore a backup with importStore, or create another agent with `startAnew: true`.";
    verdict NotFound: "The file, document or agent does not exist.", "Check its name and location.";

    // Storage and runtime
    verdict CorruptStore: "Stored data is damaged.", "Restore it from a backup.";
    error StorageFull: "The storage is full.", "Free space and try again. No partial data was written.";
    error StorageUnavailable: "The storage cannot be read or written.", "Check that it exists and that its permissions allow access.";
    error SyncStorageUnavailable: "This storage cannot be used synchronously.", "Call the asynchronous function of the same name.";
    error LinkRefused: "A library file is a symbolic or hard link.", "Replace the link with the file itself.";
    error Busy: "Another process is changing the same data.", "Try again in a moment.";
    error NotInitialized: "The WebAssembly core is not loaded yet.", "Call `await init()` once before the first synchronous call.";
    error WasmUnavailable: "The WebAssembly core cannot be loaded.", "Pass the .wasm file of the package to `init({ core })`.";
    error WorkerUnavailable: "The worker cannot be started, or has ended.", "Create another worker with createWorkerAgent.";
    error NoEntropy: "The random number generator of this runtime does not work.", "Do not sign here. Use a runtime where crypto.getRandomValues works.";
    error Unsupported: "This is not supported.", "See the documentation.";
    error Internal: "The library failed unexpectedly.", "Please report this with the steps that led to it. The agent can still be used.";
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
        TABLE.iter().map(|row| row.code).find(|code| code.name() == name)
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
        let verdicts: Vec<&str> =
            TABLE.iter().filter(|row| row.is_verdict).map(|row| row.code.name()).collect();
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
            assert_eq!((row.code.what(), row.code.then()), (row.what, row.then));
            assert_eq!(Code::parse(row.code.name()), Some(row.code));
            assert_eq!(row.code.row().is_verdict, row.is_verdict);
        }
        assert_eq!(Code::parse("verdict"), None);
    }
}
