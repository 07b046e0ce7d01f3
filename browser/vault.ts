import { get, set, update } from 'idb-keyval'
import { decode, encode } from '../src/bytes.ts'
import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Vault } from '../src/platform.ts'
import { idbStore } from './storage/idb-store.ts'

/** Apart from the database of the agents, so that copying that one copies no password. */
const store = idbStore('sx-agent-vault')
const KEY = 'key'

interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>
  readonly bytes: ArrayBuffer
}

/** Stores a value unless there is one, in one transaction; two tabs get the same one back. */
async function keep<T>(key: string, value: T): Promise<T> {
  let kept = value
  await update<T>(
    key,
    (known) => {
      kept = known ?? value
      return kept
    },
    store,
  )
  return kept
}

/** The page's own AES-GCM key. Scripts of this origin can use it, and none can read it. */
async function ownKey(): Promise<CryptoKey> {
  const { subtle } = crypto as { subtle?: SubtleCrypto }
  if (subtle === undefined) {
    throw new SxError('PasswordRequired', 'Only a secure page (https or localhost) can keep a generated password.')
  }
  const known = await get<unknown>(KEY, store)
  if (known === undefined) return usable(await keep<unknown>(KEY, await newKey(subtle)))
  return usable(known)
}

function newKey(subtle: SubtleCrypto): Promise<CryptoKey> {
  return subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']).catch(refused)
}

/** What is kept as the key, if it is one. */
function usable(key: unknown): CryptoKey {
  if (key instanceof CryptoKey) return key
  throw new SxError('CorruptStore', 'The key of this browser for saved passwords was replaced by something else.')
}

/** The browser has no use for its own key: there may be no such algorithm, or a policy against it. */
function refused(cause: unknown): never {
  throw new SxError('PasswordRequired', 'This browser cannot encrypt a generated password, to keep it.', { cause })
}

/** Where the password of a configuration is: `./sx.config.json` and `sx.config.json` are one in the storage too. */
function entry(configPath: string): string {
  const segments = configPath.split('/').filter((segment) => segment !== '' && segment !== '.')
  return `password ${segments.join('/')}`
}

async function seal(name: string, password: string): Promise<Sealed> {
  const key = await ownKey()
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const bytes = await crypto.subtle.encrypt(parameters(name, iv), key, bytesOf(password)).catch(refused)
  return { iv, bytes }
}

async function unseal(name: string, sealed: Sealed): Promise<string> {
  const key = await ownKey()
  try {
    const { iv, bytes } = sealed
    const opened = await crypto.subtle.decrypt(parameters(name, iv), key, bytes)
    return decode(new Uint8Array(opened), 'The saved password')
  } catch (cause) {
    throw new SxError('CorruptStore', 'The saved password does not open with the key of this browser.', { cause })
  }
}

/** A password is bound to its configuration: sealed for one, it does not open for another. */
function parameters(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: bytesOf(name) }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encode(text))
}

function onlyAsync<T>(work: () => Promise<T>): Effect<T> {
  return {
    async: work,
    sync: () => {
      throw new SxError('SyncStorageUnavailable', 'A page opens its saved password only asynchronously.')
    },
  }
}

/** Generated passwords of a page, encrypted by a key that cannot leave the browser (decisions 38). */
export const vault: Vault = {
  read: (configPath) =>
    onlyAsync(async () => {
      const sealed = await get<Sealed>(entry(configPath), store)
      return sealed === undefined ? undefined : unseal(entry(configPath), sealed)
    }),
  add: (configPath, password) =>
    onlyAsync(async () => {
      const name = entry(configPath)
      const ours = await seal(name, password)
      const kept = await keep(name, ours)
      return kept === ours ? password : unseal(name, kept)
    }),
  write: (configPath, password) =>
    onlyAsync(async () => {
      const name = entry(configPath)
      await set(name, await seal(name, password), store)
    }),
}
