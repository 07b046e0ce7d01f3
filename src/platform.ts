import type { Effect } from './effects.ts'
import type { Storage } from './storage/contract.ts'

/** The variables that the library reads, as the runtime has them (specification 5). */
export interface Environment {
  /** Opens the private key, unless a password is passed in. The empty text counts as not set. */
  readonly SX_PRIVATE_KEY_PASSWORD?: string | undefined
  /** `true` saves a generated password in the key directory, as `.sx_password`. */
  readonly SX_SAVE_PASSWORD_FILE?: string | undefined
}

/** A parsed configuration; fields, defaults and checks are the core's. */
export interface Config {
  readonly agentId: string | null
  readonly agentVersion: string | null
  readonly algorithm: string
  readonly dataDirectory: string
  readonly keyDirectory: string
  readonly privateKeyFilename: string
  readonly publicKeyFilename: string
  readonly password: string | null
  readonly storage: string
}

/** Where an agent's keys and documents are. */
export interface Places {
  readonly keys: Storage
  readonly data: Storage
  /** The key directory, as people would name it. */
  readonly keyDirectory: string
  /** A file of the key directory, as people would name it. */
  keyPath(file: string): string
}

/** Where an agent's configuration is, and from there its places. */
export interface Home {
  readonly configPath: string
  readonly readConfig: Effect<Uint8Array | undefined>
  /** Like `readConfig`, where a new one is to be written: refuses what is no file and stands in its place. */
  readonly probeConfig: Effect<Uint8Array | undefined>
  /** Writes the configuration unless there is one; says whether it did. */
  writeConfig(bytes: Uint8Array): Effect<boolean>
  /** Writes the configuration whether there is one or not. */
  replaceConfig(bytes: Uint8Array): Effect<unknown>
  /**
   * Writes, beside the configuration, which agent is being created for it, unless that is written already; says whether
   * it did.
   */
  claimConfig(bytes: Uint8Array): Effect<boolean>
  readonly readClaim: Effect<Uint8Array | undefined>
  /** Removes the claim; it is no error if there is none. */
  readonly dropClaim: Effect<void>
  open(config: Config): Places
}

/** Keeps generated passwords where no key directory could (pages). */
export interface Vault {
  read(configPath: string): Effect<string | undefined>
  /** Keeps a password unless there is one; gives the one that is kept. */
  add(configPath: string, password: string): Effect<string>
  write(configPath: string, password: string): Effect<void>
}

/** What differs between runtimes. One implementation each in `node/` and `browser/`. */
export interface Platform {
  environment(): Environment
  /** The home at a path or logical name, in the runtime's own storage. */
  home(configPath: string): Effect<Home>
  /** A folder of key files or documents that the caller names (`verifyStandalone`). */
  folder(path: string): Storage
  /** A file that the caller names, of at most so many bytes. */
  readFile(path: string, maxBytes: number): Effect<Uint8Array>
  /** Value of `sxDefaultStorage` for new configurations. */
  readonly defaultStorage: string
  readonly vault?: Vault
  /** Where `verifyStandalone` looks if it is not told. */
  readonly defaultFolders?: { readonly keys: string; readonly data: string }
}
