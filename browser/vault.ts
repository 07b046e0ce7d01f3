import { get, update } from 'idb-keyval'
import { decode, encode } from '../src/bytes.ts'
import { type EffectOf, kind } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Vault } from '../src/platform.ts'
import type { IdbStore } from './storage/idb-store.ts'
import { inVault, nameOf, refusing } from './vault-store.ts'

const KEY = 'key'
const ALGORITHM = { name: 'AES-GCM', length: 256 }
const USAGES: readonly KeyUsage[] = ['decrypt', 'encrypt']

interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>
  readonly bytes: ArrayBuffer
  /** The lost agent in whose place the one of this password is made. */
  readonly lost?: string
}

/** A sealed password, opened. */
interface Opened {
  readonly sealed: Sealed
  readonly password: string
}

/** The page's own AES-GCM key. Scripts of this origin can use it, and none can read it. */
async function ownKey(store: IdbStore): Promise<CryptoKey> {
  const { subtle } = crypto as { subtle?: SubtleCrypto }
  if (subtle === undefined) {
    throw new SxError('PasswordRequired', 'Only a secure page (https or localhost) can store a generated password.')
  }
  const known = await get<unknown>(KEY, store)
  if (known !== undefined) return usable(known)
  const made = await subtle.generateKey(ALGORITHM, false, [...USAGES]).catch(refused)
  let kept: unknown
  await update<unknown>(
    KEY,
    (there) => {
      kept = there ?? made
      return kept
    },
    store,
  )
  return usable(kept)
}

/** What is kept as the key, if it is one as {@link ownKey} makes it: another could be read, or open nothing. */
function usable(key: unknown): CryptoKey {
  if (
    key instanceof CryptoKey &&
    key.type === 'secret' &&
    !key.extractable &&
    key.algorithm.name === ALGORITHM.name &&
    (key.algorithm as AesKeyAlgorithm).length === ALGORITHM.length &&
    [...key.usages].sort().join() === USAGES.join()
  ) {
    return key
  }
  throw new SxError('CorruptStore', 'The key of this browser for saved passwords was overwritten.')
}

/** The browser has no use for its own key: there may be no such algorithm, or a policy against it. */
function refused(cause: unknown): never {
  throw new SxError('PasswordRequired', 'This browser cannot encrypt a generated password to store it.', { cause })
}

async function seal(store: IdbStore, name: string, password: string): Promise<Sealed> {
  const key = await ownKey(store)
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const bytes = await crypto.subtle.encrypt(parameters(name, iv), key, bytesOf(password)).catch(refused)
  return { iv, bytes }
}

/** Opens what it can; passwords that were damaged are no reason to lose the others. */
async function unseal(store: IdbStore, name: string, all: readonly Sealed[]): Promise<readonly Opened[]> {
  if (all.length === 0) return []
  const key = await ownKey(store)
  const opening = all.map(async (sealed) => {
    const bytes = await crypto.subtle.decrypt(parameters(name, sealed.iv), key, sealed.bytes)
    return { sealed, password: decode(new Uint8Array(bytes), 'The saved password') }
  })
  const outcomes = await Promise.allSettled(opening)
  const opened = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (opened.length > 0) return opened
  const cause: unknown = outcomes.find((outcome) => outcome.status === 'rejected')?.reason
  throw new SxError('CorruptStore', 'The saved password cannot be decrypted with the key of this browser.', { cause })
}

/** A password is bound to its configuration: sealed for one, it does not open for another. */
function parameters(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: ALGORITHM.name, iv, additionalData: bytesOf(name) }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encode(text))
}

/** What is kept as passwords, if it is that. */
function sealedOf(value: unknown): readonly Sealed[] {
  if (value === undefined) return []
  const isSealed = (one: Partial<Sealed> | null): boolean =>
    one?.iv instanceof Uint8Array && one.bytes instanceof ArrayBuffer
  if (Array.isArray(value) && value.every(isSealed)) return value as Sealed[]
  throw new SxError('CorruptStore', 'The saved passwords were overwritten.')
}

async function readSealed(store: IdbStore, name: string): Promise<readonly Sealed[]> {
  return sealedOf(await get<unknown>(name, store))
}

/** Changes what is kept, in one transaction; gives what is kept then. */
async function change(
  store: IdbStore,
  name: string,
  work: (known: readonly Sealed[]) => readonly Sealed[],
): Promise<readonly Sealed[]> {
  let kept: readonly Sealed[] = []
  await update<unknown>(
    name,
    (known) => {
      kept = work(sealedOf(known))
      return kept
    },
    store,
  )
  return kept
}

async function read(store: IdbStore, name: string): Promise<readonly string[]> {
  const opened = await unseal(store, name, await readSealed(store, name))
  return [...new Set(opened.map(({ password }) => password))]
}

async function add(store: IdbStore, name: string, password: string, lost?: string): Promise<string> {
  const ours: Sealed = { ...(await seal(store, name, password)), ...(lost !== undefined && { lost }) }
  const kept = await change(store, name, (known) => (known.length > 0 ? known : [ours]))
  if (kept[0] === ours) return password
  const [newest] = await unseal(store, name, kept)
  return newest?.password ?? password
}

/** In one transaction with a mark, so that of pages that begin at once none drops what another has just added. */
async function forget(store: IdbStore, name: string, lost: string): Promise<void> {
  await change(store, name, (known) => known.filter((one) => one.lost === lost))
}

// Which sealed one holds a password is found out before the transaction, for none can wait for that. Its IV names it.

async function insert(store: IdbStore, name: string, password: string): Promise<void> {
  const known = await readSealed(store, name)
  const opened = await unseal(store, name, known).catch(() => []) // beside damaged ones a new one is all the more welcome
  if (opened.some((one) => one.password === password)) return
  const ours = await seal(store, name, password)
  await change(store, name, (now) => [ours, ...now])
}

async function drop(store: IdbStore, name: string, password: string): Promise<void> {
  const opened = await unseal(store, name, await readSealed(store, name))
  const dropped = new Set(opened.filter((one) => one.password === password).map(({ sealed }) => sealed.iv.join()))
  if (dropped.size > 0) await change(store, name, (now) => now.filter(({ iv }) => !dropped.has(iv.join())))
}

const onlyAsync = refusing('A page can only decrypt its saved password asynchronously.')
const place = (configPath: string): string => nameOf('password', configPath)

const READ = /* @__PURE__ */ kind('readVault', {
  async: ({ configPath }) => inVault((store) => read(store, place(configPath))),
  sync: onlyAsync,
})
const ADD = /* @__PURE__ */ kind('addToVault', {
  async: ({ configPath, password, lost }) => inVault((store) => add(store, place(configPath), password, lost)),
  sync: onlyAsync,
})
const FORGET = /* @__PURE__ */ kind('forgetInVault', {
  async: ({ configPath, lost }) => inVault((store) => forget(store, place(configPath), lost)),
  sync: onlyAsync,
})
const INSERT = /* @__PURE__ */ kind('insertIntoVault', {
  async: ({ configPath, password }) => inVault((store) => insert(store, place(configPath), password)),
  sync: onlyAsync,
})
const DROP = /* @__PURE__ */ kind('dropFromVault', {
  async: ({ configPath, password }) => inVault((store) => drop(store, place(configPath), password)),
  sync: onlyAsync,
})

/** Generated passwords of a page, encrypted by a key that cannot leave the browser (protocol, section 13). */
export const vault: Vault = {
  read: (configPath): EffectOf<'readVault'> => ({ kind: READ, configPath }),
  add: (configPath, password, lost): EffectOf<'addToVault'> => ({ kind: ADD, configPath, password, lost }),
  forget: (configPath, lost): EffectOf<'forgetInVault'> => ({ kind: FORGET, configPath, lost }),
  insert: (configPath, password): EffectOf<'insertIntoVault'> => ({ kind: INSERT, configPath, password }),
  drop: (configPath, password): EffectOf<'dropFromVault'> => ({ kind: DROP, configPath, password }),
}
