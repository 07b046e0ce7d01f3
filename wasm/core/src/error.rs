//! The one table of error codes and of the sentences people read.
//!
//! Every layer (TypeScript, command line, pages) derives its codes and sentences from
//! [`TABLE`]; nothing outside this file writes one.

use alloc::string::String;
use core::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident: $what:literal, $then:literal;)*) => {
        /// A stable name for a kind of failure. The name never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $what] $name,)* }

        /// Every code with what happened and what to do, in the order of the table.
        pub const TABLE: &[(Code, &str, &str, &str)] = &[
            $((Code::$name, stringify!($name), $what, $then),)*
        ];

        impl Code {
            /// The name of the code, as it appears in every API.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($name),)* }
            }
            /// What happened, as a sentence.
            pub const fn what(self) -> &'static str {
                match self { $(Code::$name => $what,)* }
            }
            /// What to do about it, as a sentence.
            pub const fn then(self) -> &'static str {
                match self { $(Code::$name => $then,)* }
            }
        }
    };
}

codes! {
    // Reading JSON
    NotJson: "The input is not a JSON text that can be signed.", "Pass strict JSON in UTF-8: plain objects, arrays, strings, finite numbers, booleans and null.";
    DuplicateKey: "An object has the same member name twice.", "Keep one of the two; readers disagree about which one counts.";
    LossyNumber: "A number would change its value when it is read as a double.", "Write it as a string, or with at most 17 significant digits and, for integers, below 2^53.";
    LimitExceeded: "The input is larger than the limits allow.", "Split it, or raise the limit in the options.";

    // Keys and passwords
    InvalidKey: "The key is not one that can be used.", "Use an Ed25519 or ML-DSA-87 key: SPKI PEM for a public key, PKCS#8 PEM for a private one.";
    WeakPublicKey: "The public key is weak: it accepts signatures that nobody made.", "Do not trust this key; ask the owner for a properly generated one.";
    KdfOutOfRange: "The key file asks for a password derivation outside the safe bounds.", "The file may have been tampered with; restore it from a backup.";
    WrongPassword: "The private key does not open: the password is wrong, or the key file is damaged or another agent's.", "Check the password; if it is right, restore the key file from a backup.";
    PasswordRequired: "No password for the private key was given.", "Pass `password`, or set SX_PRIVATE_KEY_PASSWORD.";
    KeyMismatch: "The key is not the one that is named.", "Check that the key file, the agent and the document belong together.";
    KeyConflict: "Two sources hold different keys for this agent.", "Find out which key is genuine, then remove the other one.";
    KeyRevoked: "The key was revoked.", "Ask the signer for a document signed with the current key.";
    ReservedPrefix: "The text begins with a prefix that is reserved for the library's own signatures.", "Sign it as a document instead.";

    // Documents
    InvalidDocument: "This is not a signed document of this library.", "To verify, pass the whole document as it was returned when it was signed; to sign, correct what is named.";
    UnsupportedFormat: "This is a document of another library or of a later version.", "Verify it with the software that made it, or update this library.";
    ReservedField: "The input carries a field that only the library sets.", "Remove the field, or use an update operation for a document that exists.";
    MissingSignature: "The document carries no signature.", "Ask the sender for the signed document.";
    BadSignature: "The signature does not fit: the document changed after it was signed, or another key signed it.", "Do not use the content; ask the signer for the original.";
    HashMismatch: "The hash in the document is not the hash of its content.", "Do not use the content; ask the signer for the original.";
    UnknownSigner: "There is no key for the agent that signed this.", "Compare the signer's fingerprint with the sender, then trust its agent document or add its public key.";
    VersionConflict: "The document was updated by someone else in the meantime.", "Read the latest version and apply the change to it.";
    Rollback: "An older version was offered where a newer one is known.", "Restore the newer version; to read the older one, ask for it by its exact key.";

    // Agents, identifiers, configuration
    NoAgentLoaded: "No agent is loaded.", "Call quickstart, load or create first.";
    InvalidAgent: "This is not a complete agent document.", "Pass the whole document that exportAgent returned.";
    InvalidId: "This is not a valid identifier.", "An id is a UUID (version 4 or 7, lower case), a document key is `id:version`, and a name is of letters, digits, '.', '_' and '-'.";
    InvalidConfig: "The configuration cannot be used.", "Correct the named field in the configuration file.";
    InvalidOption: "An argument has a value that is not allowed.", "See the documentation of this function for the allowed values.";
    AlreadyExists: "It exists already and is never overwritten.", "Choose another place, or load what is there.";
    NotFound: "It does not exist.", "Check the name and the folder.";

    // Storage and runtime
    CorruptStore: "Something in the storage was damaged.", "Restore the named entry from a backup.";
    StorageFull: "The storage is full.", "Free some space and try again; nothing was half-written.";
    StorageUnavailable: "The storage cannot be read or written.", "Check that it exists and that its permissions allow it.";
    SyncStorageUnavailable: "This storage has no synchronous form.", "Call the asynchronous function of the same name.";
    LinkRefused: "A symbolic link or hard link stands where a file of the library should be.", "Replace the link by the file itself.";
    Busy: "Another process is working on the same thing.", "Try again in a moment.";
    NotInitialized: "The WebAssembly core is not loaded yet.", "Call `await init()` once before the first synchronous call.";
    WasmUnavailable: "The WebAssembly core cannot be loaded here.", "In a page, send the header Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval', and serve the .wasm file; where a bundler left it behind, pass it to `init({ core })`.";
    NoEntropy: "The random source of this runtime does not work.", "Do not sign here; run where crypto.getRandomValues gives random bytes.";
    Unsupported: "This is not supported.", "See the documentation for what is.";
    Internal: "The library failed in a way it should not.", "Please report this with the steps that led to it; the agent can still be used.";
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
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
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
