import type { SxErrorCode } from './errors.ts'
import type { AgentOptions } from './session.ts'

/** Key algorithms: ML-DSA-87 (FIPS 204) and Ed25519 (RFC 8032). `ring-Ed25519` means `ed25519`. */
export type KeyAlgorithm = 'pq2025' | 'ed25519' | 'ring-Ed25519'

/** Options of `create`. */
export interface CreateOptions extends AgentOptions {
  /** What people call the agent: 1 to 256 characters. */
  name: string
  /** A host name the agent belongs to. */
  domain?: string
  /** What the agent does. */
  description?: string
  /** Default `ai`. */
  agentType?: 'human' | 'human-org' | 'hybrid' | 'ai'
  /** Default `pq2025`. */
  algorithm?: KeyAlgorithm
  /** Where the configuration will stand; default `./sx.config.json`. */
  configPath?: string
  /** Default `./sx_data` beside the configuration. */
  dataDirectory?: string
  /** Default `./sx_keys` beside the configuration. */
  keyDirectory?: string
  /** A private key to use instead of a new one: PKCS#8 PEM, with its password if it is encrypted. */
  importKey?: { pem: string; password?: string }
}

/** Options of `quickstart`. */
export interface QuickstartOptions extends CreateOptions {
  domain: string
}

/** Options of `load`. */
export interface LoadOptions extends AgentOptions {
  /** Default `./sx.config.json`. */
  configPath?: string
}

/** A loaded agent, as people need to know it (specification 2.3). */
export interface AgentInfo {
  /** The agent's UUID. */
  readonly agentId: string
  /** From its agent document. */
  readonly name: string
  /** Where its public key stands. */
  readonly publicKeyPath: string
  /** Where its configuration stands. */
  readonly configPath: string
  /** Where its encrypted private key stands. */
  readonly privateKeyPath: string
  /** The folder of both, and of other agents' keys. */
  readonly keyDirectory: string
  /** Name of its key's algorithm. */
  readonly algorithm: string
  /** RFC 7638 thumbprint of its public key. */
  readonly keyId: string
}

/** What `quickstart` and `create` return. */
export interface CreatedAgentInfo extends AgentInfo {
  /** Whether the agent is new. */
  readonly created: boolean
  /** A password that was made for the new key and is saved nowhere. */
  readonly generatedPassword?: string
  /** A sentence about that password, to show to people. */
  readonly notice?: string
}

/** A signed document (specification 2.3). */
export interface SignedDocument {
  /** The whole document: canonical JSON (RFC 8785). */
  readonly raw: string
  /** Its `sxId`. */
  readonly documentId: string
  /** The signer. */
  readonly agentId: string
  /** When it was signed: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string
}

/** A file attached to a document (specification 2.3). No operation attaches files yet. */
export interface Attachment {
  readonly filename: string
  readonly mimeType: string
  readonly hash: string
  readonly embedded: boolean
  readonly content?: Uint8Array
}

interface Verdict {
  /** The agent that signed. In a result that is not valid only what the document claims, or ''. */
  readonly signerId: string
  /** RFC 7638 thumbprint of the signer's key; like `signerId`. */
  readonly keyId: string
  /** Name of the key's algorithm, or ''. */
  readonly algorithm: string
  /** When it was signed, or ''. */
  readonly timestamp: string
  /** Whether the signer is this agent or in its trust store. */
  readonly trusted: boolean
  readonly attachments: readonly Attachment[]
  /** Why it is not valid; empty if it is. */
  readonly errors: readonly string[]
}

/** The verdict on a document whose signature verifies under a key that is known for its signer. */
export interface ValidResult extends Verdict {
  readonly valid: true
  /** The payload, as it was signed. */
  readonly data: unknown
  readonly code?: never
}

/** The verdict on any other document. Nothing of its content comes with it. */
export interface InvalidResult extends Verdict {
  readonly valid: false
  readonly data: undefined
  /** Why, for programs. */
  readonly code: SxErrorCode
}

/** A verdict. `data` can be read only after `valid` was looked at. The object is frozen. */
export type VerificationResult = ValidResult | InvalidResult

/** Options of `verifyStandalone`. */
export interface StandaloneOptions {
  /** How keys are found. Only `local`, the default: in folders, or among those passed in. */
  keyResolution?: string
  /** Folder with agent documents and a trust store; in Node `./sx_data` if neither folder is named. */
  dataDirectory?: string
  /** Folder of `<agentId>.public.pem` files, or the keys themselves; in Node `./sx_keys` if neither folder is named. */
  keyDirectory?: string | Readonly<Record<string, string>>
  /** How much a document may hold. */
  limits?: AgentOptions['limits']
}

/** Options of `listDocuments`. */
export interface ListDocumentsOptions {
  /** Only documents of this `sxType`. */
  type?: string
  /** Only documents after this key, in the order of their ids. */
  after?: string
  /** At most so many. */
  limit?: number
}
