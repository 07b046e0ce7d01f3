import type { SxErrorCode } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Environment } from './platform.ts'
import type { Storage } from './storage/contract.ts'

/**
 * Key algorithms (protocol, section 4): `pq2025` is ML-DSA-87 (FIPS 204), `ed25519`
 * is Ed25519 (RFC 8032), and `ring-Ed25519` means `ed25519`.
 */
export type KeyAlgorithm = 'pq2025' | 'ed25519' | 'ring-Ed25519'

/** What an agent can be given beside its configuration. What cannot be used is `InvalidOption`. */
export interface AgentOptions {
  /** Keeps configuration, keys and documents here instead of in the runtime's own storage. */
  storage?: Storage
  /** Opens the private key; wins over every other source of a password (protocol, section 13). Not empty. */
  password?: string
  /**
   * In a page that keeps the agent in its own storage: a passkey opens the private key, in place of every password. A new
   * agent gets a new one. The person is asked for it each time, so call from a click; elsewhere, and beside `password`, it
   * is `InvalidOption`. Default false.
   */
  passkey?: boolean
  /** Variables to use instead of the process's, where a runtime hands them in. */
  env?: Environment
  /** How much a document may hold (protocol, section 14). */
  limits?: Limits
  /**
   * Loads the agent without its private key, and asks for no password: it verifies, and what signs throws
   * `PasswordRequired`. Default false.
   */
  verifyOnly?: boolean
}

/** In place of a password: the passkey of the person, which the browser asks for. Only in a page. */
export interface ByPasskey {
  readonly passkey: true
}

/** In place of the old password: the one that was generated and that the page keeps, so that nobody knows it. */
export interface ByKept {
  readonly kept: true
}

/** Bytes in memory of their own: `Uint8Array<ArrayBuffer>` for TypeScript 5.7 and later, `Uint8Array` before. */
export type Bytes = ReturnType<typeof Uint8Array.of>

/** A compiled `WebAssembly.Module`, which has no members that a type could tell it by. */
export type CompiledModule = object

/** Where the WebAssembly core is: a path or address, a response, its bytes or the compiled module. */
export type CoreSource = string | URL | Request | Response | ArrayBuffer | ArrayBufferView | CompiledModule

/** Options of `create`. Nothing but `name` is needed. */
export interface CreateOptions extends AgentOptions {
  /** What people call the agent: 1 to 256 characters, not only white space. */
  name: string
  /** The host name that the agent belongs to, such as `example.com`. It is not looked up. */
  domain?: string
  /** What the agent does, in words for people. */
  description?: string
  /** Who acts through the agent; default `ai`. */
  agentType?: 'human' | 'human-org' | 'hybrid' | 'ai'
  /** Of the new key; default `pq2025`. An imported key has its own. */
  algorithm?: KeyAlgorithm
  /** Where the configuration will stand: a file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
  /** Of documents and trust store; absolute or relative to the configuration, default `./sx_data`. */
  dataDirectory?: string
  /** Of the key files; absolute or relative to the configuration, default `./sx_keys`. */
  keyDirectory?: string
  /** A private key to use instead of a new one: PKCS#8 PEM, with its password if it is encrypted. */
  importKey?: { pem: string; password?: string }
}

/** Options of `quickstart`. Where an agent is there already, they do not change it. */
export interface QuickstartOptions extends CreateOptions {
  /** The host name that the agent belongs to, such as `example.com`. It is not looked up. */
  domain: string
}

/** Options of `load`. */
export interface LoadOptions extends AgentOptions {
  /** A file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
}

/** A loaded agent, as people need to know it. The object is frozen. */
export interface AgentInfo {
  /** The agent's UUID. */
  readonly agentId: string
  /** From its agent document. */
  readonly name: string
  /** Where its public key (SPKI PEM) stands: a path, or a name in the storage, like those below. */
  readonly publicKeyPath: string
  /** Where its configuration stands. */
  readonly configPath: string
  /** Where its encrypted private key (PKCS#8 PEM) stands. */
  readonly privateKeyPath: string
  /** The folder of both, and of other agents' keys. */
  readonly keyDirectory: string
  /** Of its key: `pq2025` or `ed25519`. */
  readonly algorithm: string
  /** The key id: RFC 7638 thumbprint of its public key, in base64url, which is the fingerprint to compare. */
  readonly keyId: string
  /**
   * In a page that keeps the agent in its own storage: whether the browser has promised not to clear that when room gets
   * short (`navigator.storage.persisted`). Missing elsewhere, and until the browser has said it. A page asks for it once,
   * when it begins to keep something; whoever is told `false` makes backups, with `exportStore`.
   */
  readonly persisted?: boolean
}

/** What `quickstart` and `create` return. */
export interface CreatedAgentInfo extends AgentInfo {
  /** Whether this call made the agent: false if it was loaded. */
  readonly created: boolean
  /** A password that was made for the new key and is saved nowhere: without it the key is lost. */
  readonly generatedPassword?: string
  /** A sentence about that password, to show to people. */
  readonly notice?: string
}

/** An agent that the trust store took. */
export interface TrustedAgent {
  /** Its `sxId`. */
  readonly agentId: string
  /** What it calls itself, from its document. */
  readonly name: string
  /** RFC 7638 thumbprint of the key that signed the document, to compare with its owner. */
  readonly keyId: string
}

/** Options of `exportStore`. */
export interface ExportOptions {
  /** Opens the private key of the backup; default what opens the stored one. Not empty. */
  password?: string
}

/** Options of `importStore`. */
export interface ImportOptions {
  /** Where the configuration will stand: a file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
  /** Takes all of it instead of the runtime's own storage. */
  storage?: AgentOptions['storage']
  /** Instead of the backup's: absolute or relative to the configuration; where that was absolute, by default `./sx_data`. */
  dataDirectory?: string
  /** Instead of the backup's: absolute or relative to the configuration; where that was absolute, by default `./sx_keys`. */
  keyDirectory?: string
}

/** What `importStore` has restored. The object is frozen. */
export interface RestoredAgent {
  /** The agent's UUID. */
  readonly agentId: string
  /** From its agent document. */
  readonly name: string
  /** RFC 7638 thumbprint of its public key, to compare. */
  readonly keyId: string
  /** Where its configuration stands now. */
  readonly configPath: string
  /** When the backup was made: RFC 3339, UTC, milliseconds. */
  readonly savedAt: string
  /** How many entries it has. */
  readonly entries: number
}

/** A signed document. The object is frozen. */
export interface SignedDocument {
  /** The whole document: canonical JSON (RFC 8785). */
  readonly raw: string
  /** Its `sxId`. */
  readonly documentId: string
  /** The signer's `sxId`. */
  readonly agentId: string
  /** When it was signed: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string
}

/** A file attached to a document. No operation attaches files yet. */
export interface Attachment {
  /** Its name, without folders. */
  readonly filename: string
  /** Its MIME type. */
  readonly mimeType: string
  /** SHA-256 of its bytes. */
  readonly hash: string
  /** Whether the document holds its bytes. */
  readonly embedded: boolean
  /** Its bytes, if they are embedded. */
  readonly content?: Uint8Array
}

interface Verdict {
  /** The document's `sxId`; '' in a result that is not valid, like the two below. */
  readonly documentId: string
  /** Its `sxVersion`. */
  readonly version: string
  /** Its `sxType`, such as `message`. */
  readonly type: string
  /** The agent that signed. In a result that is not valid only what the document claims, or ''. */
  readonly signerId: string
  /**
   * What the signer calls itself in the agent document that is known of it: its own word, vouched for by nobody, unless
   * `trusted`. '' if none is known, and in a result that is not valid.
   */
  readonly signerName: string
  /** The key id of the signer's key (RFC 7638 thumbprint); like `signerId`. */
  readonly keyId: string
  /** Of the key: `pq2025` or `ed25519`; '' in a result that is not valid. */
  readonly algorithm: string
  /** When it was signed, as the signer says (RFC 3339, UTC, milliseconds); '' in a result that is not valid. */
  readonly timestamp: string
  /** Whether the signer is this agent or in its trust store (protocol, section 8). */
  readonly trusted: boolean
  /** Files attached to the document: none yet. */
  readonly attachments: readonly Attachment[]
  /** Why it is not valid: a sentence that begins with the code. Empty if it is valid. */
  readonly errors: readonly string[]
}

/** The verdict on a document whose signature verifies under a key that is known for its signer. */
export interface ValidResult extends Verdict {
  /** The signature and the hash are good. */
  readonly valid: true
  /** The payload, as it was signed (protocol, section 6). */
  readonly data: unknown
  /** There, but undefined. */
  readonly code: undefined
}

/** The verdict on any other document. Nothing of its content comes with it: `data` is there, but undefined. */
export interface InvalidResult extends Verdict {
  /** The document is not to be used. */
  readonly valid: false
  /** Why, for programs (protocol, section 16). */
  readonly code: SxErrorCode
}

/**
 * A verdict (protocol, section 9). TypeScript lets `data` be read only
 * where `valid` is known to be true. The object is frozen.
 */
export type VerificationResult = ValidResult | InvalidResult

/** Options of `verifyStandalone`. */
export interface StandaloneOptions {
  /** How keys are found. Only `local`, the default: in folders, or among those passed in. */
  keyResolution?: 'local' | (string & {})
  /** Folder with agent documents and a trust store; in Node `./sx_data` if neither folder is named. */
  dataDirectory?: string
  /** Public keys by agent id, each SPKI PEM; not beside `keyDirectory`. */
  keys?: Readonly<Record<string, string>>
  /** Folder of `<agentId>.public.pem` files, or the keys themselves; in Node `./sx_keys` if neither folder is named. */
  keyDirectory?: string | Readonly<Record<string, string>>
  /** How much the document may hold (protocol, section 14). */
  limits?: AgentOptions['limits']
}

/**
 * A text to sign or verify: the path of a file; its bytes, or what holds them; or the text itself as `{ text }`. Always
 * UTF-8.
 */
export type TextSource = string | Uint8Array | Blob | { readonly text: string }

/** Options of `verifyText`. */
export interface VerifyTextOptions {
  /** Rejects with `MissingSignature` where the text carries none; default false: that is a status then. */
  strict?: boolean
  /** Public keys by agent id, each SPKI PEM, beside those that the agent knows; not beside `keyDir`. */
  keys?: Readonly<Record<string, string>>
  /** Folder of `<agentId>.public.pem` files, or the keys themselves, beside those that the agent knows. */
  keyDir?: string | Readonly<Record<string, string>>
}

/** What is said of one signature of a text. The object is frozen. */
export interface TextSigner {
  /** The agent that signed: only what the signature claims, or '', unless `status` is `valid`. */
  readonly signerId: string
  /**
   * What the signer calls itself in the agent document that is known of it: its own word, vouched for by nobody, unless
   * `trusted`. '' if none is known, and unless `status` is `valid`.
   */
  readonly signerName: string
  /** The key id of the signer's key (RFC 7638 thumbprint); like `signerId`. */
  readonly keyId: string
  /** Of the key: `pq2025` or `ed25519`; '' unless `status` is `valid`. */
  readonly algorithm: string
  /** When it was signed, as the signer says (RFC 3339, UTC, milliseconds); '' unless `status` is `valid`. */
  readonly signedAt: string
  /**
   * `valid`: the agent has signed exactly this text. `unknown_key`: there is no key to check that with, `key_conflict`:
   * there are several. `invalid`: anything else.
   */
  readonly status: 'valid' | 'invalid' | 'unknown_key' | 'key_conflict'
  /** Whether the signer is this agent or in its trust store (protocol, section 8), and the signature valid. */
  readonly trusted: boolean
  /** Why it is not valid, for programs; undefined if it is. */
  readonly code: SxErrorCode | undefined
  /** Why it is not valid, for people; undefined if it is. */
  readonly message: string | undefined
}

/** Something in a text that a reader does not see, or takes for something else. It changes no verdict. */
export interface TextWarning {
  /** What it is (protocol, section 20). */
  readonly code: 'BidiControl' | 'ZeroWidth' | 'TagCharacter' | 'ConfusableMarker' | 'MoreWarnings'
  /** From 1; lines end with a line feed. */
  readonly line: number
  /** From 1, in Unicode code points. */
  readonly column: number
  /** The character, as `U+202E`; undefined where it is not about one. */
  readonly character: string | undefined
}

/** The verdict on a text and all its signatures (protocol, section 20). The object is frozen. */
export interface VerifyTextResult {
  /**
   * `signed`: signatures and nothing else follow the text; whether they hold is said of each. `missing_signature`: it has
   * none. `malformed`: nothing in it can be relied on.
   */
  readonly status: 'signed' | 'missing_signature' | 'malformed'
  /** Whether there is a signature and all of them are valid. Who else should have signed is for you to ask. */
  readonly valid: boolean
  /** How many bytes, from the first one, all of them have signed; 0 if it is not valid. */
  readonly length: number
  /** One entry for each signature, in the order of the file. */
  readonly signers: readonly TextSigner[]
  /** In the order of the text: at most 100, and one that says there are more. */
  readonly warnings: readonly TextWarning[]
  /** Why it is not valid: sentences that begin with a code. Empty if it is valid. */
  readonly errors: readonly string[]
  /** Why it is not valid, for programs: of several reasons the first one; undefined if it is valid. */
  readonly code: SxErrorCode | undefined
}

/** Options of `createDocument` and, of them `noSave` alone, of `signMessage`. */
export interface CreateDocumentOptions {
  /** Path of a JSON Schema that the document has to fit; not supported yet (`Unsupported`). */
  schema?: string
  /** Paths of files to attach; not supported yet (`Unsupported`). */
  attachments?: string | readonly string[]
  /** Whether the document holds what is attached; not supported yet (`Unsupported`). */
  embed?: boolean
  /** Also writes the document under this name into the folder `documents_out` of the data directory. */
  outputFilename?: string
  /** Only returns the document and stores nothing; default false. */
  noSave?: boolean
  /** Its `sxType`: 1 to 64 of the characters `A-Z a-z 0-9 _ -`, not `agent`; default `document`. */
  type?: string
}

/** Options of `listDocuments`. Together, `after` and `limit` give one page after the other. */
export interface ListDocumentsOptions {
  /** Only documents of this `sxType`, such as `message`; all if left out. */
  type?: string
  /** Only documents whose ids come after this one's: `id:version` or an id, which need not exist. */
  after?: string
  /** At most so many keys: a whole number from 0; all if left out. */
  limit?: number
}

/** Options of `verifyMany`. */
export interface VerifyManyOptions {
  /**
   * At most so many workers: a whole number from 1; default one for each processor, up to 8. More than one for each
   * processor are not started, but 8 are where it has fewer.
   */
  concurrency?: number
  /** Ends the call: it rejects with the reason of the signal, and no further verdict is made. */
  signal?: AbortSignal
  /**
   * Is told how many of the documents have their verdict, more each time; the last time all of them. What it throws
   * ends the call.
   */
  onProgress?: (done: number, total: number) => void
}
