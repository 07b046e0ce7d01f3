/**
 * What an operation can ask of its runtime: each kind of effect, the data that it comes with, and what it answers.
 *
 * Data are plain values. Some are references to what only the runtime has: a storage, a cursor in its keys, a signer, a
 * `Blob`, a function of the caller.
 *
 * @module
 */
import type { AgreementModule } from '../agreements/module.ts'
import type { MediaModule } from '../images/media.ts'
import type { PixelsModule } from '../images/pixels.ts'
import type { EditedFile, Home, InspectedFiles, KnownPasskey, Marker, OpenedByPasskey, TakePiece } from '../platform.ts'
import type { ExchangeModule } from '../requests/module.ts'
import type { SchemaModule } from '../schemas/module.ts'
import type { Entrance } from '../session.ts'
import type { TrustState } from '../state/trust-state.ts'
import type { Found } from '../storage/below.ts'
import type { NewEntry } from '../storage/bulk.ts'
import type { Key, PutOptions, Storage, SyncStorage } from '../storage/contract.ts'
import type { Bytes, ExternalSigner } from '../types.ts'
import type { KnownKeys } from '../verification/decide.ts'
import type { WebSource } from '../web-sources.ts'
import type { Cursor } from './entries.ts'

/** The data and the answer of a kind. */
interface Asked<Given extends object, Answer> {
  readonly given: Readonly<Given>
  readonly answer: Answer
}

interface EntryKinds {
  get: Asked<{ storage: Storage; key: Key }, Uint8Array | undefined>
  getAll: Asked<{ storage: Storage; keys: readonly Key[] }, readonly Found[]>
  put: Asked<{ storage: Storage; key: Key; bytes: Uint8Array; options: PutOptions | undefined }, boolean>
  /** Writes all or none, where a storage can; `undefined` where it cannot. */
  putAll: Asked<{ storage: Storage; entries: readonly NewEntry[] }, boolean | undefined>
  delete: Asked<{ storage: Storage; key: Key }, void>
  /** The next key; `undefined` after the last one. */
  next: Asked<{ cursor: Cursor }, Key | undefined>
  /** Reads an entry, and puts it into a copy, or reads the copy. */
  getCopied: Asked<{ storage: Storage; copy: SyncStorage; key: Key }, Uint8Array | undefined>
  /** The public keys in a storage that cannot be read at once. */
  copyKeys: Asked<{ storage: Storage }, SyncStorage | undefined>
  /** Fails as a write would. */
  probe: Asked<{ storage: { probe(): Promise<void>; probeSync(): void } }, void>
  /** Whether what is read is what the storage holds now. */
  isCurrent: Asked<{ isCopy: boolean }, boolean>
  /** Has synchronous answers be those of now. */
  refresh: Asked<{ view: { refresh(): Promise<void>; refreshSync(): void } }, void>
  /** Waits for what is on its way. @param refusal what a synchronous call is told, if it cannot go on without */
  flush: Asked<{ of: { flush(): Promise<void> }; refusal: string | undefined }, void>
  /** Opens decisions on trust, or shares those that are open. */
  openTrust: Asked<{ keys: Storage; data: Storage }, TrustState>
}

interface ComposedKinds {
  /** Nothing: between two parts of work, where other work may have its turn. */
  step: Asked<object, void>
  /** All at the same time. */
  all: Asked<{ effects: readonly Effect<unknown>[] }, readonly unknown[]>
  /** Once more if it fails. */
  again: Asked<{ effect: Effect<unknown> }, unknown>
  /** Not done by a synchronous call, which gets an answer that was agreed on. */
  unless: Asked<{ effect: Effect<unknown>; unseen: unknown }, unknown>
  /** What comes of an effect within some milliseconds; the next one goes on waiting for the same. */
  within: Asked<{ waiting: Waiting; milliseconds: number }, { readonly value: unknown } | undefined>
}

interface MomentKinds {
  /** Unix milliseconds. */
  now: Asked<object, number>
  /** Fresh random bytes. */
  random: Asked<{ length: number }, Uint8Array>
  /** Waits. @param isHeld whether a synchronous call may hold its thread */
  pause: Asked<{ milliseconds: number; isHeld: boolean }, void>
  /** A key from a password. @param parameters the core's, as JSON */
  derive: Asked<{ parameters: string; password: string }, Uint8Array>
  /** SHA-256 of bytes, in hexadecimal digits. */
  digest: Asked<{ pieces: readonly Uint8Array[] }, string>
  sign: Asked<{ signer: ExternalSigner; message: Bytes }, Uint8Array>
  /** Refuses a synchronous call, before anything is done. */
  requireAsync: Asked<object, void>
}

interface SourceKinds {
  /** Bytes that are there. */
  bytes: Asked<{ bytes: Uint8Array }, Uint8Array>
  readBlob: Asked<{ blob: Blob; size: number; what: string; maxBytes: number }, Uint8Array>
  fetch: Asked<{ source: WebSource; at: Entrance }, Uint8Array>
  scanBytes: Asked<{ bytes: Uint8Array; maxBytes: number; take: TakePiece }, void>
  scanBlob: Asked<{ blob: Blob; size: number; maxBytes: number; take: TakePiece }, void>
  mediaModule: Asked<object, MediaModule>
  pixelsModule: Asked<object, PixelsModule>
  schemaModule: Asked<object, SchemaModule>
  agreementModule: Asked<object, AgreementModule>
  exchangeModule: Asked<object, ExchangeModule>
  /** Has another library's schema look at data. */
  validate: Asked<{ validate: (data: unknown) => unknown; data: unknown }, unknown>
  /** Asks who has given this work for the keys of an agent. */
  keysOf: Asked<{ ask: (agentId: string) => Promise<KnownKeys>; agentId: string }, KnownKeys>
}

/** What a runtime with files performs on them. `fs` is the file system that takes the place of the runtime's in a test. */
interface FileKinds {
  readFile: Asked<
    { path: string; options: { maxBytes?: number; noFollow?: boolean; vacant?: boolean } },
    Uint8Array | undefined
  >
  /** A configuration, which is no folder. */
  readConfig: Asked<{ path: string; maxBytes: number }, Uint8Array | undefined>
  /** A file that has to be there. @param shown its path as it was passed */
  readNamedFile: Asked<{ path: string; shown: string; maxBytes: number }, Uint8Array>
  /** @param folderMode makes a missing folder, with these permission bits */
  writeFile: Asked<
    {
      path: string
      bytes: Uint8Array
      options: { mode?: number; writable?: boolean; ifAbsent?: boolean; noFollow?: boolean }
      folderMode: number | undefined
    },
    boolean
  >
  removeFile: Asked<{ path: string }, void>
  /** Removes the files that killed writes have left next to a file. */
  removeLeftovers: Asked<{ path: string }, void>
  scanFile: Asked<{ path: string; maxBytes: number; take: TakePiece; fs: object }, void>
  editFile: Asked<{ path: string; maxBytes: number; fs: object }, EditedFile>
  /** Replaces a file, if it still has the bytes that were read. */
  replaceFile: Asked<
    { known: { path: string; bytes: Uint8Array; links: object }; bytes: Uint8Array; fs: object },
    boolean
  >
  schemasBeside: Asked<
    { path: string; maxBytes: number; names: readonly string[] | undefined },
    readonly { readonly name: string; readonly bytes: Uint8Array }[]
  >
  inspectFiles: Asked<
    {
      places: {
        config: string
        hasPassword: boolean
        keys: string
        data: string
        privateKey: string
        passwordFile: string
      }
    },
    InspectedFiles
  >
}

/** Differences between runtimes, and what a page keeps outside its storage. */
interface PlaceKinds {
  /** The home at a path or logical name, in the runtime's own storage. */
  home: Asked<{ configPath: string }, Home>
  readVault: Asked<{ configPath: string }, readonly string[]>
  addToVault: Asked<{ configPath: string; password: string; lost: string | undefined }, string>
  forgetInVault: Asked<{ configPath: string; lost: string }, void>
  insertIntoVault: Asked<{ configPath: string; password: string }, void>
  dropFromVault: Asked<{ configPath: string; password: string }, void>
  readMarker: Asked<{ configPath: string }, Marker | undefined>
  writeMarker: Asked<{ configPath: string; marker: Marker }, void>
  makePasskey: Asked<{ configPath: string; owner: Omit<KnownPasskey, 'id'>; name: string }, OpenedByPasskey>
  askForPasskey: Asked<{ configPath: string; ids: readonly string[] }, OpenedByPasskey>
  listPasskeys: Asked<{ configPath: string }, readonly KnownPasskey[]>
  dropPasskeys: Asked<{ configPath: string; ids: readonly string[] }, void>
}

interface OpaqueKinds {
  /** Lets go of something that has no data: the state of an agent or a storage. A synchronous call does not wait for it. */
  close: Asked<{ of: { close(): Promise<void> } }, void>
  /** Work whose two forms differ. It has no data, only a name. */
  work: Asked<{ name: string; later: () => unknown; now: () => unknown }, unknown>
}

/** All kinds. */
export interface Kinds
  extends EntryKinds,
    ComposedKinds,
    MomentKinds,
    SourceKinds,
    FileKinds,
    PlaceKinds,
    OpaqueKinds {}

export type Kind = keyof Kinds

declare const ANSWER: unique symbol

/** Something to do outside the operation, as data: `{ kind, … }`. */
export interface Effect<T> {
  readonly kind: Kind
  /** Only a type. */
  readonly [ANSWER]?: () => T
}

/** An effect of a kind, with its data. */
export type EffectOf<K extends Kind> = Kinds[K]['given'] & {
  readonly kind: K
  readonly [ANSWER]?: () => Kinds[K]['answer']
}

/** An effect that is under way, and is asked for again. */
export interface Waiting {
  readonly effect: Effect<unknown>
  running: Promise<unknown> | undefined
}
