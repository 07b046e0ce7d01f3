import type { KeyAlgorithm } from './algorithms.ts'
import type { RevocationReason } from './keys.ts'
import type { AgentOptions } from './settings.ts'

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
  /** The folder of its documents and of its trust store. */
  readonly dataDirectory: string
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
   * In a page that keeps the agent in its own storage: whether the browser has promised not to clear that storage when space
   * runs out (`navigator.storage.persisted`). Missing elsewhere, and until the browser has answered. A page asks for it once,
   * when it first stores something. If it is `false`, make backups with `exportStore`.
   */
  readonly persisted?: boolean
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
