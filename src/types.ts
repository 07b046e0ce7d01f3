import type { SxErrorCode } from './errors.ts'
import type { FileSource, FileWork } from './file-types.ts'
import type { Limits } from './limits.ts'
import type { Environment } from './platform.ts'
import type { Storage } from './storage/contract.ts'

/**
 * Key algorithms (protocol, section 4): `pq2025`, or `ML-DSA-87`, is ML-DSA-87 (FIPS 204); `ed25519`, `Ed25519` or
 * `ring-Ed25519` is Ed25519 (RFC 8032). Results and what is stored have `pq2025` and `ed25519`.
 */
export type KeyAlgorithm = 'pq2025' | 'ML-DSA-87' | 'ed25519' | 'Ed25519' | 'ring-Ed25519'

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
  /**
   * Signs in place of a private key here: no key file is written or read, and no password asked for. The synchronous
   * twins of functions that sign throw `SyncSignerUnavailable`. Beside `password`, `passkey` or `importKey` it is
   * `InvalidOption`.
   */
  signer?: ExternalSigner
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

/**
 * A private key that is somewhere else: in WebCrypto, where no script can read it out, in another process, in hardware.
 */
export interface ExternalSigner {
  /** SPKI PEM, SPKI DER or the raw bytes. */
  readonly publicKey: string | Uint8Array
  /** Of the key. */
  readonly algorithm: KeyAlgorithm
  /**
   * Signs exactly these bytes: Ed25519 (RFC 8032) without a prehash, or ML-DSA-87 (FIPS 204) with an empty context.
   * What it gives is verified before it is used.
   */
  readonly sign: (bytes: Bytes) => Promise<Uint8Array | ArrayBuffer> | Uint8Array | ArrayBuffer
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
  /**
   * Make another agent where one was here and is gone (`AgentLost`). The password that the page kept for that one is
   * dropped. Does nothing where none is missing. Default false.
   */
  startAnew?: boolean
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
  /** Those of all keys that it has had, oldest first; the last one is `keyId`. */
  readonly keyIds: readonly string[]
  /**
   * When and why the key was revoked, if a revocation that was made in advance has revoked it. Missing otherwise. The agent
   * signs nothing any more.
   */
  readonly revoked?: { readonly at: string; readonly reason: RevocationReason }
  /**
   * In a page that keeps the agent in its own storage: whether the browser has promised not to clear that when room gets
   * short (`navigator.storage.persisted`). Missing elsewhere, and until the browser has said it. A page asks for it once,
   * when it begins to keep something; whoever is told `false` makes backups, with `exportStore`.
   */
  readonly persisted?: boolean
}

/** What a document says of itself; nothing of it is verified. The object is frozen. */
export interface DocumentClaims {
  /** Its id (`sxId`). */
  readonly documentId: string
  /** Its version (`sxVersion`). */
  readonly version: string
  /** Its type (`sxType`). */
  readonly type: string
  /** The agent that it names as its signer. */
  readonly agentId: string
  /** The time that it gives for its signature (RFC 3339, UTC, milliseconds). */
  readonly timestamp: string
}

/** What `quickstart` and `create` return. */
export interface CreatedAgentInfo extends AgentInfo {
  /** Whether this call made the agent: false if it was loaded. */
  readonly created: boolean
  /** A password that was made for the new key and is saved nowhere: without it the key is lost. */
  readonly generatedPassword?: string
  /** A sentence about that password, or about an agent with a key of another algorithm than was asked for; for people. */
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
  /** Those of all keys that it has had, oldest first; the last one is `keyId`. */
  readonly keyIds: readonly string[]
}

/** Why a key was revoked. What a `compromised` one has signed never counts, whatever its date. */
export type RevocationReason = 'superseded' | 'compromised' | 'unspecified'

/** Options of `rotateKey`. */
export interface RotateOptions {
  /** Of the new key: `pq2025` or `ed25519`; default that of the old one. */
  algorithm?: string
  /**
   * Has the new key, and signs with it from then on. An agent with an external signer needs it; the private key file of
   * any other goes.
   */
  signer?: ExternalSigner
  /** Why the old key is revoked; default `superseded`. */
  reason?: RevocationReason
  /** Opens the private key now, and so does it the new one; default what `load` finds. */
  password?: string
  /**
   * Rotate even if the agent has signed something that is dated later than this clock. It stops being valid; default
   * false.
   */
  force?: boolean
}

/** What `rotateKey` returns. */
export interface RotatedKey {
  /** RFC 7638 thumbprint of the new key. */
  readonly keyId: string
  /** That of the key before it. */
  readonly formerKeyId: string
  /** Of the new key: `pq2025` or `ed25519`. */
  readonly algorithm: string
  /** The agent document that names the new key, for those who trust this agent: canonical JSON. */
  readonly agent: string
  /**
   * From this date on signatures by the former key do not count (RFC 3339); if it is `compromised`, none does. If it is not
   * about the present, the clock is wrong.
   */
  readonly revokedAt: string
  /** What there is to do now: `BackupOutdated`, since backups made before restore the key before. */
  readonly warnings: readonly RotationWarning[]
}

/** Something to do after a rotation. */
export interface RotationWarning {
  readonly code: 'BackupOutdated'
  /** A sentence for people. */
  readonly message: string
}

/** Options of `revokeKey`. */
export interface RevokeOptions {
  /** Default `unspecified`. */
  reason?: RevocationReason
  /**
   * End the key now if it is revoked from a later date, because a clock was ahead. What it has signed with later dates stops
   * being valid; default false.
   */
  force?: boolean
}

/** In place of a key id: a revocation that was made in advance. */
export interface RevokeByStatement {
  /** What `createRevocation` returned. */
  statement: string
  /**
   * Apply a revocation that is dated later than this clock: it counts from now on. It is for a revocation that was made by a
   * clock that was ahead; default false.
   */
  force?: boolean
}

/** Options of `createRevocation`. */
export interface RevocationOptions {
  /** The key: the current one, which is the default. */
  keyId?: string
  /**
   * Why the key will be revoked; default `compromised`. Any other reason counts from now on: from after all that the agent
   * has stored and this process has signed.
   */
  reason?: RevocationReason
}

/** Options of `exportKey`. */
export interface ExportKeyOptions {
  /** Opens what is exported. Not empty. */
  password: string
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

/** Something to know about backups. The object is frozen. */
export interface BackupWarning {
  /** `BackupOutdated`: a backup may be older than the agent's current key, or is older. */
  readonly code: 'BackupOutdated'
  /** A sentence for people: what it means, and what to do. */
  readonly message: string
}

/** What `importStore` has restored. The object is frozen. */
export interface RestoredAgent {
  /** The agent's UUID. */
  readonly agentId: string
  /** From its agent document. */
  readonly name: string
  /** RFC 7638 thumbprint of its current key, which has signed the backup, to compare. */
  readonly keyId: string
  /** Those of all keys that it had when the backup was made, oldest first; the last one is `keyId`. */
  readonly keyIds: readonly string[]
  /** Where its configuration stands now. */
  readonly configPath: string
  /** When the backup was made: RFC 3339, UTC, milliseconds. */
  readonly savedAt: string
  /** How many entries it has. */
  readonly entries: number
  /** `BackupOutdated`: nobody can see in a backup whether the key was rotated after it was made. */
  readonly warnings: readonly BackupWarning[]
}

/** Options of `repairStore`. */
export interface RepairOptions {
  /** Where the configuration stands: a file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
  /** Where the agent is kept, if not in the runtime's own storage. */
  storage?: AgentOptions['storage']
}

/** What a document, or the decisions about an agent, had lost. The object is frozen. */
export interface RepairedChain {
  /** The document's or the agent's UUID. */
  readonly id: string
  readonly kind: 'document' | 'trust'
  /** The number of the latest entry that there was, as far as a hint or a witness said. */
  readonly from: number
  /**
   * The number of the latest entry that is left; 0 if none is. The same as `from` if only earlier decisions about an agent
   * were missing: removal marks take their places, and what counts stays.
   */
  readonly to: number
}

/** What `repairStore` has found and cannot put right. The object is frozen. */
export interface StoreProblem {
  /** The code that `load` or `getDocument` throws; `Rollback` also for a lost decision about trust. */
  readonly code: SxErrorCode
  /** The document's or the agent's UUID. */
  readonly subject: string
  /** A sentence for people: what is wrong, and what to do. */
  readonly message: string
}

/** What `repairStore` has done. The object is frozen. */
export interface RepairResult {
  /** Where the configuration stands. */
  readonly configPath: string
  /** Documents and decisions whose latest entries are lost; their hints are right now. */
  readonly repaired: readonly RepairedChain[]
  /** What it has not repaired. */
  readonly problems: readonly StoreProblem[]
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

/** A file that is attached to a document. The object is frozen. */
export interface Attachment {
  /** Its name, harmless on every system: without folders, controls and characters that are not seen (protocol, section 6). */
  readonly filename: string
  /** Its MIME type, in lower case and without parameters. */
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** SHA-256 of its bytes: 64 hexadecimal digits. */
  readonly hash: string
  /** Whether the document holds its bytes. */
  readonly embedded: boolean
  /** Its bytes, where they are embedded. In Node, Deno and Bun it is a `Buffer`. */
  readonly content?: Bytes
}

/** Something that a valid document does not say as it is shown, or that may mislead. The object is frozen. */
export interface DocumentWarning {
  /** `UnsafeFilename`: the name that was signed is another one than the one shown. `SameFilename`: an earlier one is the same. */
  readonly code: 'UnsafeFilename' | 'SameFilename'
  /** Position of the attachment that it is about, from 0. */
  readonly attachment: number
  /** The same for people, as a sentence. */
  readonly message: string
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
  /** The files that are attached to the document, in its order; none in a result that is not valid. */
  readonly attachments: readonly Attachment[]
  /** What to know of a valid document before it is shown or its files are saved; it changes no verdict. */
  readonly warnings: readonly DocumentWarning[]
  /** Why it is not valid: a sentence that begins with the code. Empty if it is valid. */
  readonly errors: readonly string[]
}

/** The verdict on a document whose signature verifies under a key that is known for its signer. */
export interface ValidResult<T = unknown> extends Verdict {
  /** The signature and the hash are good. */
  readonly valid: true
  /** The payload, as it was signed (protocol, section 6); with the option `as`, what that schema returns. */
  readonly data: T
  /** There, but undefined. */
  readonly code: undefined
}

/** The verdict on any other document. Nothing of its content comes with it. */
export interface InvalidResult extends Verdict {
  /** The document is not to be used. */
  readonly valid: false
  /** There, but undefined: what is not valid is not handed out. */
  readonly data?: undefined
  /** Why, for programs (protocol, section 16). */
  readonly code: SxErrorCode
}

/**
 * A verdict (protocol, section 9). `data` is undefined unless `valid` is true. The object is frozen.
 */
export type VerificationResult<T = unknown> = ValidResult<T> | InvalidResult

/** The verdict on an artifact that is valid with all that it was made from. */
export interface ValidArtifactResult extends ValidResult {
  /** The verdicts on the artifacts that it was made from, in their order. */
  readonly parents: readonly ValidArtifactResult[]
}

/** The verdict on any other artifact, also on one that is good itself and was made from one that is not. */
export interface InvalidArtifactResult extends InvalidResult {
  /** Always empty. */
  readonly parents: readonly []
}

/** A verdict on an artifact and its chain of custody (protocol, section 6). The object is frozen. */
export type ArtifactResult = ValidArtifactResult | InvalidArtifactResult

/** A public key as JWK (RFC 8037, RFC 9964), of whichever kind it is. */
export interface PublicJwk {
  /** `OKP` of an Ed25519 key, `AKP` of an ML-DSA-87 key. */
  readonly kty: 'OKP' | 'AKP'
  /** The key id: RFC 7638 thumbprint. */
  readonly kid: string
  /** Of an Ed25519 key: `Ed25519`. */
  readonly crv?: string
  /** Of an Ed25519 key: base64url of its 32 bytes. */
  readonly x?: string
  /** Of an ML-DSA-87 key: `ML-DSA-87`. */
  readonly alg?: string
  /** Of an ML-DSA-87 key: base64url of its 2592 bytes. */
  readonly pub?: string
}

/** What an agent publishes at a well-known address (protocol, section 7). */
export interface WellKnown {
  /** The agent's UUID. */
  readonly agentId: string
  /** `sxVersion` of its agent document. */
  readonly agentVersion: string
  /** Its public keys. */
  readonly keys: readonly PublicJwk[]
  /** The record of `getDnsRecord` for its own domain; null if it names none, or one too long for that. */
  readonly dnsRecord: string | null
}

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
 * A text to sign or verify, always UTF-8: the path of a file; its bytes; a `Blob` or `File`; a `Response`, which is read
 * once; an address to fetch it from, as `URL` (`http:`, `https:`, `blob:`, `data:`); or the text itself as `{ text }`.
 */
export type TextSource = string | Uint8Array | Blob | Response | URL | { readonly text: string }

/** What the reading of a `URL` or a `Response` takes beside it. Other sources ignore both, once the call has begun. */
export interface FetchOptions {
  /** Ends the reading: the call rejects with the reason of the signal, and nothing is signed. */
  signal?: AbortSignal
  /** Milliseconds that the server may send nothing; default 30,000. Then it is `TimedOut`. `Infinity` waits on. */
  timeout?: number
}

/** Options of `verifyText`. */
export interface VerifyTextOptions extends FetchOptions {
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
  readonly code:
    | 'BidiControl'
    | 'ZeroWidth'
    | 'BlankCharacter'
    | 'ControlCharacter'
    | 'LineBreak'
    | 'TagCharacter'
    | 'ConfusableMarker'
    | 'MoreWarnings'
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

/**
 * A custom schema (protocol, section 22): JSON Schema of draft-07 whose `allOf` begins with a `$ref` to the header schema
 * or to another custom schema. The path of a file, where there are files; the schema itself as a plain object, as JSON
 * text (a string that begins with `{`), as bytes of that, or as a `Blob` or `File`, which synchronous functions do not read.
 */
export type SchemaSource = string | object | Uint8Array | Blob

/** Which custom schema a document has to fit. */
export interface SchemaOptions {
  /** The schema. Of one that is a file the `.json` files in the same folder can be referred to by their `$id`. */
  schema?: SchemaSource
  /** Other schemas that it refers to by their `$id`. Nothing else is ever read, or fetched. */
  schemas?: readonly SchemaSource[]
}

/**
 * A schema of another library, such as zod, valibot or arktype, by the interface Standard Schema (version 1). `T` is the
 * type of what it makes of the data.
 */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1
    /** The library's name. */
    readonly vendor: string
    /** Checks a value: gives what it makes of it, or what is wrong. */
    readonly validate: (value: unknown) => StandardOutcome<T> | Promise<StandardOutcome<T>>
  }
}

/** What a {@link StandardSchema} says of a value. */
export type StandardOutcome<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

/** Options of `verify` and `verifyOrThrow`. */
export interface VerifyOptions<T = unknown> extends SchemaOptions {
  /**
   * A schema of zod, valibot, arktype or another library with the interface Standard Schema. It checks the data of a valid
   * document, and `data` is what it returns, with its type. What does not fit is `SchemaViolation`.
   */
  as?: StandardSchema<T>
}

/** Options of `updateDocument`. */
export interface UpdateDocumentOptions extends SchemaOptions, FileWork {
  /** Files in the place of those that are attached: one or several, `[]` for none; left out, what is attached stays. */
  attachments?: FileSource | readonly FileSource[]
  /** Whether the document holds the files that are passed; default false: only hashes. */
  embed?: boolean
}

/** Options of `createDocument` and, of them `noSave` alone, of `signMessage`. */
export interface CreateDocumentOptions extends SchemaOptions, FileWork {
  /** Files to attach: one or several. */
  attachments?: FileSource | readonly FileSource[]
  /** Whether the document holds what is attached; default false: only hashes. */
  embed?: boolean
  /** Writes a copy under this plain file name into `output` of the data directory, with `noSave` too. */
  outputFilename?: string
  /** Returns the document without storing it; default false. */
  noSave?: boolean
  /** Its `sxType`: 1 to 64 of the characters `A-Z a-z 0-9 _ -`, not `agent`; default `document`. */
  type?: string
}

/** What a batch of documents takes beside them. */
export interface BatchWork {
  /** Ends the call: it rejects with the reason of the signal, and none is stored. What is being stored already is stored. */
  signal?: AbortSignal
  /** Is told how many of the documents are signed, more each time; after the last one they are stored. What it throws ends the call. */
  onProgress?: (done: number, total: number) => void
}

/** Options of `signMessages`. */
export interface SignMessagesOptions extends BatchWork {
  /** Only returns the documents and stores none; default false. */
  noSave?: boolean
}

/** Options of `createDocuments`; they hold for all of them. */
export interface CreateDocumentsOptions extends SignMessagesOptions, SchemaOptions {
  /** Their `sxType`: 1 to 64 of the characters `A-Z a-z 0-9 _ -`, not `agent`; default `document`. */
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
