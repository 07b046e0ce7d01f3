/**
 * The private key at rest: a chain whose first entry is the key file itself. Every change of the password is a key
 * record beside it, and the key file then holds a copy of what the latest record says (protocol, section 12). So of
 * two changes at once one wins, and no write that comes late brings an old password back. A key that is to follow by
 * rotation is in a record before the agent document names it, also where an external signer has it; which one counts,
 * that document says.
 *
 * @module
 */
import * as core from '#core'
import { decode, encode, equalBytes } from '../bytes.ts'
import { CoreObject, call, noteHandle } from '../core.ts'
import { derive } from '../derivation.ts'
import { get, getBoth, put, remove } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { SxError } from '../errors.ts'
import type { Key, Storage } from '../storage/contract.ts'
import { claim, lacking } from './chain.ts'

/** A public key as the core describes it. */
export interface KeyInfo {
  readonly algorithm: string
  readonly keyId: string
  readonly pem: string
}

interface KeyRecord {
  /** SHA-256 of the PEM that this one replaced. */
  readonly previous: string
  /** `null` once the record was replaced itself; {@link ELSEWHERE}. */
  readonly pem: string | null
  /** The password, where the one before it was saved in a file or the configuration. */
  readonly saved: string | null
  readonly next?: readonly (NextKey & { readonly pem: string })[]
}

/** In place of the PEM of a private key that an external signer has. */
const ELSEWHERE = ''

/** A private key that counts as soon as the agent document names it, encrypted by the same password. */
export interface NextKey {
  readonly keyId: string
  /** The number that the version of the agent document with this key is to get. */
  readonly number: number
  /** `undefined` where an external signer has the key. */
  readonly pem: string | undefined
}

/** The private key as it is at rest now. */
export interface KeyAtRest {
  /** How many encryptions there have been. */
  readonly number: number
  /** `undefined` where an external signer has taken its place. */
  readonly pem: string | undefined
  /** The password that a change has put into the place where the old one was saved. */
  readonly saved: string | null
  /** Keys that are to follow. */
  readonly next: readonly NextKey[]
}

/** Where a private key stands: the key directory and the name of its file. */
export interface KeyPlace {
  readonly keys: Storage
  readonly file: Key
}

const recordKey = ({ file }: KeyPlace, number: number): Key => [
  ...file.slice(0, -1),
  call(() => core.keyRecordFile(file.at(-1) ?? '', number)),
]

const pemOf = (pem: string): string | undefined => (pem === ELSEWHERE ? undefined : pem)

function readRecord(key: Key, bytes: Uint8Array): KeyRecord {
  try {
    return JSON.parse(call(() => core.readKeyRecord(bytes))) as KeyRecord
  } catch (cause) {
    if (!(cause instanceof SxError && cause.code === 'CorruptStore')) throw cause
    throw damaged(key, cause)
  }
}

function damaged(key: Key, cause?: unknown): SxError {
  return new SxError('CorruptStore', `The key record ${key.join('/')} is damaged.`, { cause })
}

/** All records, in order. */
function* readRecords(place: KeyPlace): Operation<KeyRecord[]> {
  const records: KeyRecord[] = []
  for (let number = 2; ; number++) {
    const key = recordKey(place, number)
    const [bytes, after] = yield* perform(getBoth(place.keys, key, recordKey(place, number + 1)))
    if (bytes !== undefined) records.push(readRecord(key, bytes))
    else if (after === undefined) return records
    else if ((yield* perform(get(place.keys, key))) === undefined) {
      throw yield* lackingRecord(
        place,
        new SxError('CorruptStore', `The key record ${key.join('/')} is missing, although a later one exists.`),
      )
    } else number-- // it has come meanwhile
  }
}

const lackingRecord = ({ keys }: KeyPlace, damage: SxError): Operation<SxError> => lacking(keys, 'a key record', damage)

/**
 * The private key; `undefined` if there has never been one.
 *
 * @throws SxError `InvalidKey` for a file that is no text, `CorruptStore` for a damaged record;
 *   `SyncStorageUnavailable` if a copy in memory misses one
 */
export function* readKey(place: KeyPlace): Operation<KeyAtRest | undefined> {
  const bytes = yield* perform(get(place.keys, place.file))
  const file = bytes && decodeKey(bytes)
  const records = yield* readRecords(place)
  const latest = records.at(-1)
  const number = records.length + 1
  if (latest === undefined) return file === undefined ? undefined : { number, pem: file, saved: null, next: [] }
  const next = (latest.next ?? []).map((key) => ({ ...key, pem: pemOf(key.pem) }))
  // A file that no record knows was put there by its owner.
  const isOwners =
    file !== undefined && file !== latest.pem && !records.some((record) => record.previous === hash(file))
  if (isOwners) return { number, pem: file, saved: null, next }
  if (latest.pem === null) throw yield* lackingRecord(place, damaged(recordKey(place, number)))
  return { number, pem: pemOf(latest.pem), saved: latest.saved, next }
}

/** A version of the agent document, as far as it decides which private key counts. */
interface Naming {
  readonly number: number
  readonly keyId: string
}

/** The encrypted private key that fits a version of the agent document; `undefined` where an external signer has it. */
export function pemFor(key: KeyAtRest, { number, keyId }: Naming): string | undefined {
  return (key.next.find((next) => next.keyId === keyId && next.number <= number) ?? key).pem
}

const hash = (text: string): string => call(() => core.hashString(text))

function decodeKey(bytes: Uint8Array): string {
  try {
    return decode(bytes, 'The key file')
  } catch (cause) {
    throw new SxError('InvalidKey', 'The private key file is not PEM text.', { cause })
  }
}

/** What the next key record is to hold. */
export type NextRecord = Omit<KeyAtRest, 'number'>

/**
 * Replaces the private key at rest: by another encryption of it, or by one with other keys that are to follow.
 *
 * @returns what is at rest now; `undefined` if somebody else has replaced it
 */
export function* replaceKey(
  place: KeyPlace,
  before: KeyAtRest,
  { pem, saved, next }: NextRecord,
): Operation<KeyAtRest | undefined> {
  const following = JSON.stringify(next.map((key) => ({ ...key, pem: key.pem ?? ELSEWHERE })))
  const [old, other] = [before.pem ?? ELSEWHERE, pem ?? ELSEWHERE]
  const record = call(() => core.keyRecord(old, other, saved ?? undefined, following))
  const number = before.number + 1
  return (yield* claim(place.keys, recordKey(place, number), encode(record))) ? { number, pem, saved, next } : undefined
}

/**
 * Drops the keys that are to follow where a version of the agent document has decided: one of them counts, or none.
 *
 * @returns what is at rest now; `undefined` if somebody else has replaced it
 */
export function* decideNext(place: KeyPlace, key: KeyAtRest, document: Naming): Operation<KeyAtRest | undefined> {
  const next = key.next.filter(({ number }) => number > document.number)
  if (next.length === key.next.length) return key
  const pem = pemFor(key, document)
  return yield* replaceKey(place, key, { pem, saved: pem === undefined ? null : key.saved, next })
}

/**
 * Makes the key file the copy of what counts, or removes it where an external signer has the key, and takes the keys out
 * of the records before: they count no more.
 */
export function* settleKey(place: KeyPlace, { number, pem }: Pick<KeyAtRest, 'number' | 'pem'>): Operation<void> {
  const bytes = pem === undefined ? undefined : encode(pem)
  const there = yield* perform(get(place.keys, place.file))
  if (bytes === undefined) {
    if (there !== undefined) yield* perform(remove(place.keys, place.file))
  } else if (!equalBytes(there, bytes)) yield* perform(put(place.keys, place.file, bytes))
  const superseded: [Key, Uint8Array][] = []
  for (let before = number - 1; before > 1; before--) {
    const key = recordKey(place, before)
    const old = yield* perform(get(place.keys, key))
    if (old === undefined) break
    const without = encode(call(() => core.keyRecordSuperseded(decode(old, 'The key record'))))
    if (equalBytes(old, without)) break // and so are those before it
    superseded.push([key, without])
  }
  // The oldest one first: whoever is interrupted leaves none behind one that is done.
  for (const [key, without] of superseded.reverse()) yield* perform(put(place.keys, key, without))
}

/**
 * How the key of an encrypted private key is derived from its password.
 *
 * @throws SxError `InvalidKey`, `KdfOutOfRange`
 */
export function derivationOf(pem: string): string {
  const parameters = call(() => core.keyDerivation(pem))
  if (parameters !== undefined) return parameters
  throw new SxError('InvalidKey', 'The private key file does not contain an encrypted PKCS#8 key.')
}

/** A derivation for an encryption that is to be made, with a salt of its own. */
export function* newDerivation(): Operation<string> {
  const salt = yield* perform(entropy)
  return call(() => core.newKeyDerivation(salt))
}

/** Names an encryption of a private key, which has a salt of its own, by its derivation. */
export const encryptionOf = (derivation: string): string => hash(derivation)

/**
 * Opens an encrypted private key.
 *
 * @throws SxError `InvalidKey`, `KdfOutOfRange`, `WrongPassword`, `PasswordRequired`
 */
function* openSecret(pem: string, password: string): Operation<CoreObject> {
  const key = yield* perform(derive(derivationOf(pem), password))
  try {
    return keepSecret(() => call(() => core.secretOpen(pem, key)))
  } finally {
    key.fill(0)
  }
}

/** Opens an encrypted private key with the first of these passwords that does. */
export function* openWithAny(
  pem: string,
  passwords: readonly string[],
): Operation<{ secret: CoreObject; password: string }> {
  for (const [at, password] of passwords.entries()) {
    try {
      return { secret: yield* openSecret(pem, password), password }
    } catch (error) {
      const isWrong = error instanceof SxError && error.code === 'WrongPassword'
      if (!isWrong || at + 1 === passwords.length) throw error
    }
  }
  throw new SxError('PasswordRequired')
}

/** Opens a private key that is handed in, encrypted or not. */
export function* importSecret(pem: string, password: string | undefined): Operation<CoreObject> {
  const parameters = call(() => core.keyDerivation(pem))
  if (parameters !== undefined && password === undefined) {
    throw new SxError('PasswordRequired', 'The key to import is encrypted, and `importKey` has no password for it.')
  }
  const key =
    parameters === undefined || password === undefined ? undefined : yield* perform(derive(parameters, password))
  try {
    return keepSecret(() => call(() => core.secretImport(pem, key)))
  } finally {
    key?.fill(0)
  }
}

/**
 * A private key as encrypted PKCS#8 PEM.
 *
 * @param derivation a new one if left out
 */
export function* encryptSecret(secret: CoreObject, password: string, derivation?: string): Operation<string> {
  const parameters = derivation ?? (yield* newDerivation())
  const key = yield* perform(derive(parameters, password))
  const random = yield* perform(entropy)
  try {
    return call(() => core.secretEncrypt(secret.handle, parameters, key, random))
  } finally {
    key.fill(0)
  }
}

/** The public key of a private one. */
export function publicOf(secret: CoreObject): KeyInfo {
  return JSON.parse(call(() => core.publicOf(secret.handle))) as KeyInfo
}

/**
 * Makes a private key.
 *
 * @param random what its seed comes from; overwritten
 * @throws SxError `InvalidOption`, `NoEntropy`
 */
export function generateSecret(algorithm: string, random: Uint8Array): CoreObject {
  try {
    return keepSecret(() => call(() => core.secretGenerate(algorithm, random)))
  } finally {
    random.fill(0)
  }
}

/**
 * Keeps a private key in the core for as long as it is reachable, and the bytes to restore it
 * after a trap, which are overwritten when it is not.
 *
 * @param make opens or makes it
 */
export function keepSecret(make: () => number): CoreObject {
  const first = noteHandle(make())
  const exported = call(() => core.secretBytes(first))
  // Small typed arrays may live inside the JavaScript heap, where the collector copies them.
  const bytes = new Uint8Array(new ArrayBuffer(exported.length))
  bytes.set(exported)
  exported.fill(0)
  let present: number | undefined = first
  const restore = (): number => {
    const handle = present ?? call(() => core.secretRestore(bytes))
    present = undefined
    return handle
  }
  return new CoreObject(restore, () => bytes.fill(0))
}
