import type { SxErrorCode } from './errors.ts'
import type { AgentOptions } from './session.ts'

/**
 * Key algorithms (specification 2.1; protocol, section 4): `pq2025` is ML-DSA-87 (FIPS 204), `ed25519`
 * is Ed25519 (RFC 8032), and `ring-Ed25519` means `ed25519`.
 */
export type KeyAlgorithm = 'pq2025' | 'ed25519' | 'ring-Ed25519'

/** Options of `create` (specification 4.1). Nothing but `name` is needed. */
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

/** Options of `quickstart` (specification 4.1). Where an agent is there already, they do not change it. */
export interface QuickstartOptions extends CreateOptions {
  /** The host name that the agent belongs to, such as `example.com`. It is not looked up. */
  domain: string
}

/** Options of `load` (specification 4.1). */
export interface LoadOptions extends AgentOptions {
  /** A file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
}

/** A loaded agent, as people need to know it (specification 2.3). The object is frozen. */
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

/** A signed document (specification 2.3). The object is frozen. */
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

/** A file attached to a document (specification 2.3). No operation attaches files yet. */
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
  /** The agent that signed. In a result that is not valid only what the document claims, or ''. */
  readonly signerId: string
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
 * A verdict (specification 2.3; protocol, section 9). TypeScript lets `data` be read only
 * where `valid` is known to be true. The object is frozen.
 */
export type VerificationResult = ValidResult | InvalidResult

/** Options of `verifyStandalone` (specification 4.1). */
export interface StandaloneOptions {
  /** How keys are found. Only `local`, the default: in folders, or among those passed in. */
  keyResolution?: 'local' | (string & {})
  /** Folder with agent documents and a trust store; in Node `./sx_data` if neither folder is named. */
  dataDirectory?: string
  /** Folder of `<agentId>.public.pem` files, or the keys themselves; in Node `./sx_keys` if neither folder is named. */
  keyDirectory?: string | Readonly<Record<string, string>>
  /** How much the document may hold (protocol, section 14). */
  limits?: AgentOptions['limits']
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
  /** At most so many workers: a whole number from 1; default one for each processor, up to 8. */
  concurrency?: number
  /** Ends the call: it rejects with the reason of the signal, and no further verdict is made. */
  signal?: AbortSignal
  /**
   * Is told how many of the documents have their verdict, more each time; the last time all of them. What it throws
   * ends the call.
   */
  onProgress?: (done: number, total: number) => void
}
