import type { Limits } from '../limits.ts'
import type { Storage } from '../storage/contract.ts'
import type { ExternalSigner } from './secrets.ts'

/** The variables that the library reads, as the runtime has them. */
export interface Environment {
  /** Opens the private key, unless a password is passed in. The empty text is `InvalidOption`. */
  readonly SX_PRIVATE_KEY_PASSWORD?: string | undefined
  /**
   * `true` saves a generated password in the key directory, as `.sx_password`; `false` does not.
   * Where one would be generated, anything else is `InvalidOption`, the empty text too.
   */
  readonly SX_SAVE_PASSWORD_FILE?: string | undefined
  /** `1` warns of each function that is called under a name that is to be given up, once. */
  readonly SX_SHOW_DEPRECATIONS?: string | undefined
}

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
