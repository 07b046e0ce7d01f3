import type { Effect, Operation } from './effects.ts'
import type { Storage } from './storage/contract.ts'
import type { Environment } from './types.ts'

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

/** The two directories of an agent, each a storage. */
export interface Directories {
  readonly keys: Storage
  readonly data: Storage
  /** Throws what a write into the data directory would throw, where that is no matter of the key directory. */
  readonly probeData?: Effect<void>
  /** The key directory, as people would name it. */
  readonly keyDirectory: string
  /** The data directory, as people would name it. */
  readonly dataDirectory: string
  /** A file of the key directory, as people would name it. */
  keyPath(file: string): string
  /** Resolves when everything written so far is as durable as the storages make it. */
  flush(): Promise<void>
  /** Lets go of what was opened for them alone. */
  close(): Promise<void>
}

/** Where an agent's configuration is, and from there its directories. */
export interface Home {
  readonly configPath: string
  /** Where the configuration really is, whatever links its path leads through. */
  readonly realPath: string
  readonly readConfig: Effect<Uint8Array | undefined>
  /** Like `readConfig`, where a new one is to be written: refuses what is no file and stands in its place. */
  readonly probeConfig: Effect<Uint8Array | undefined>
  /** Writes the configuration unless there is one; says whether it did. */
  writeConfig(bytes: Uint8Array): Effect<boolean>
  /** Writes the configuration whether there is one or not. */
  replaceConfig(bytes: Uint8Array): Effect<unknown>
  /** What a configuration that was prepared without an agent is to become; stands beside it until it is written. */
  readonly readClaim: Effect<Uint8Array | undefined>
  /** Writes the claim unless there is one; says whether it did. */
  claimConfig(bytes: Uint8Array): Effect<boolean>
  readonly dropClaim: Effect<void>
  /** Removes what killed writes have left beside the configuration, where they leave anything. */
  readonly tidy?: Effect<void>
  open(config: Config): Directories
  /** Looks at the files, where there are any, and changes nothing. */
  readonly inspect?: (config: Config) => Effect<InspectedFiles>
}

/** A file or folder that more people may read or change than should. */
export interface LooseFile {
  readonly path: string
  /** Permission bits. */
  readonly mode: number
  /** What follows from it, and what to do. */
  readonly why: string
}

/** What files show beside what they hold. */
export interface InspectedFiles {
  readonly loose: readonly LooseFile[]
  /** Paths of temporary files whose processes have died. */
  readonly leftovers: readonly string[]
}

/**
 * Keeps generated passwords where no key directory could (pages): for each configuration a few, of which one opens the
 * key, because a change of the password can break off in the middle. Each of its steps happens whole or not at all.
 */
export interface Vault {
  /** All that are kept, the newest first. */
  read(configPath: string): Effect<readonly string[]>
  /**
   * Keeps a password unless there is any; gives the newest that is kept.
   *
   * @param lost the agent in whose place another one is made, if it is one
   */
  add(configPath: string, password: string, lost?: string): Effect<string>
  /** Drops all that were not added in the place of this agent: they are its own, or older. */
  forget(configPath: string, lost: string): Effect<void>
  /** Keeps a password beside those that are there, as the newest; one that is there stays as it is. */
  insert(configPath: string, password: string): Effect<void>
  /** Keeps a password no longer; the others stay. */
  drop(configPath: string, password: string): Effect<void>
}

/** Which agent was at a configuration. It is no secret. */
export interface Marker {
  readonly agentId: string
  /** Of its current key, when it was noted. */
  readonly keyId: string
}

/**
 * Notes of the agents that were made or loaded, outside of the storage that keeps them (pages), so that it shows if one
 * is gone. They never fail: one that cannot be written or read is missing.
 */
export interface Markers {
  read(configPath: string): Effect<Marker | undefined>
  write(configPath: string, marker: Marker): Effect<void>
}

/** A passkey that a page knows. */
export interface KnownPasskey {
  /** Names it among all passkeys. */
  readonly id: string
  /** Whose private key it opens. */
  readonly agentId: string
  /** Which encryption of it: one that never came to be, or is no more, is opened by nothing. */
  readonly encryption: string
}

/** A passkey that a person has given. */
export interface OpenedByPasskey {
  readonly id: string
  /** What its authenticator alone can make: it is kept nowhere. */
  readonly password: string
}

/**
 * Passkeys in place of passwords (pages): for each configuration it is known which ones there are, of one agent mostly
 * one. That is no secret; making and asking ask a person.
 */
export interface Passkeys {
  /** @throws SxError `InvalidOption`, `Unsupported` where nobody can be asked for one */
  check(): void
  /** Has a passkey made for a private key, and known beside those that are there. */
  make(configPath: string, owner: Omit<KnownPasskey, 'id'>, name: string): Effect<OpenedByPasskey>
  /** Asks for one of these; at least one has to be known. */
  ask(configPath: string, ids: readonly string[]): Effect<OpenedByPasskey>
  /** Those that are known. Does not ask the user. */
  list(configPath: string): Effect<readonly KnownPasskey[]>
  /** Forgets passkeys. Does not ask the user. */
  drop(configPath: string, ids: readonly string[]): Effect<void>
}

/**
 * A key derivation of the runtime's own. It gives exactly the key that the core would, or `undefined` where it cannot, for
 * whatever reason: then the core derives it.
 */
export interface PlatformDerivation {
  async(parameters: string, password: Uint8Array): Promise<Uint8Array | undefined>
  /** Missing where there is none. */
  sync?(parameters: string, password: Uint8Array): Uint8Array | undefined
}

/** A file as it was read, to be changed. */
export interface EditedFile {
  readonly bytes: Uint8Array
  /**
   * Replaces the file by one of these bytes, whole or not at all; it keeps its permissions. Gives `false`, and leaves the
   * file alone, if somebody has changed it since it was read.
   */
  replace(bytes: Uint8Array): Effect<boolean>
}

/** SHA-256 of bytes that come in pieces. */
export interface Hasher {
  add(bytes: Uint8Array): void
  /** The digest as 64 lower-case hexadecimal digits; nothing is added after it. */
  finish(): string
  /** Lets go of it where it is not finished. */
  drop(): void
}

/**
 * Takes a piece of a file, whose bytes are others after the call, and the size that the file has; the last piece may be
 * empty. Gives `false` if it wants no more. It does not throw.
 */
export type TakePiece = (piece: Uint8Array, size: number) => boolean

/** What differs between runtimes. One implementation each in `node/` and `browser/`. */
export interface Platform {
  environment(): Environment
  /** The home at a path or logical name, in the runtime's own storage. */
  home(configPath: string): Effect<Home>
  /** A file that the caller names, of at most so many bytes. */
  readFile(path: string, maxBytes: number): Effect<Uint8Array>
  /** Hands over a file that the caller names, of at most so many bytes, piece by piece; `FileChanged` if it changes. */
  scanFile(path: string, maxBytes: number, take: TakePiece): Effect<void>
  /**
   * The `.json` files in the folder of one, or those of these names, each of at most so many bytes, in the order of their
   * names. No link is followed, and none of them is read that is no regular file. Missing where there are no folders.
   */
  schemasBeside?(
    path: string,
    maxBytes: number,
    names?: readonly string[],
  ): Effect<readonly { readonly name: string; readonly bytes: Uint8Array }[]>
  /** A file that the caller names, of at most so many bytes, to change it in place. */
  editFile(path: string, maxBytes: number): Effect<EditedFile>
  /** Writes a file that the caller names, whole or not at all; one that is there is replaced and keeps its permissions. */
  writeFile(path: string, bytes: Uint8Array): Effect<unknown>
  /** Whether two paths name the same place, whatever links lead there. */
  isSamePath(path: string, other: string): boolean
  /** SHA-256, where the runtime is faster than the core. */
  readonly sha256?: () => Hasher
  /**
   * SHA-256 of bytes in lower-case hexadecimal digits, where the runtime is faster than the core but lets one wait for it;
   * nothing if it has none here.
   */
  readonly digest?: (bytes: Uint8Array) => Promise<string> | undefined
  /** Value of `sxDefaultStorage` for new configurations. */
  readonly defaultStorage: string
  /** Warns the user of the program about something that the program may have overlooked, in the way of the runtime. */
  warn(code: string, message: string): void
  readonly vault?: Vault
  readonly markers?: Markers
  readonly passkeys?: Passkeys
  readonly derivation?: PlatformDerivation
  /** Whether the runtime has promised to keep its own storage; missing where nobody but the owner clears it. */
  readonly isPersisted?: () => boolean | undefined
}

/** Reads what is known of an agent's key: a document or PEM. */
export type ReadKey = (agentId: string) => Operation<Uint8Array | undefined>

/**
 * Folders that `verifyStandalone` is told of. A module of its own, since most of the library stands behind them and where
 * there are none a page shall not load it. One implementation each in `node/` and, refusing, in `browser/` and `edge/`.
 */
export interface Folders {
  /** Where `verifyStandalone` looks if it is not told. */
  readonly defaultFolders: { readonly keys: string; readonly data: string } | undefined
  /** The key files of a folder. `NotFound` for one that has to be there and is not. */
  keysIn(path: string, mustExist: boolean): ReadKey
  /**
   * The trust store and the agent documents of a folder, with the revocations beside these; like `keysIn`. What is
   * witnessed in a folder of keys counts.
   */
  documentsIn(
    path: string,
    mustExist: boolean,
    keys: string | undefined,
    limits: string,
  ): { readonly trust: ReadKey; readonly document: ReadKey }
}
