import { get, set } from 'idb-keyval'
import { decode, encode } from '../src/bytes.ts'
import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Vault } from '../src/platform.ts'
import { idbStore } from './storage/indexeddb.ts'

const store = idbStore('sx-agent-vault')
const KEY = 'key'

interface Sealed {
  iv: Uint8Array<ArrayBuffer>
  bytes: ArrayBuffer
}

/** The page's own AES-GCM key. It can be used by scripts of this origin and read by none. */
async function ownKey(): Promise<CryptoKey> {
  const known = await get<CryptoKey>(KEY, store)
  if (known !== undefined) return known
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  // Two tabs may come here at once: the one that is stored counts.
  return store('readwrite', (objects) => {
    return new Promise<CryptoKey>((resolve, reject) => {
      const adding = objects.add(made, KEY)
      adding.onsuccess = () => resolve(made)
      adding.onerror = (event) => {
        event.preventDefault() // the transaction goes on
        const reading = objects.get(KEY)
        reading.onsuccess = () => resolve(reading.result as CryptoKey)
        reading.onerror = () => reject(reading.error ?? new Error('The vault cannot be read.'))
      }
    })
  })
}

function entry(configPath: string): string {
  return `password ${configPath}`
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
      if (sealed === undefined) return undefined
      const { iv, bytes } = sealed
      const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await ownKey(), bytes)
      return decode(new Uint8Array(opened), 'The saved password')
    }),
  write: (configPath, password) =>
    onlyAsync(async () => {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const bytes = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv },
        await ownKey(),
        new Uint8Array(encode(password)),
      )
      await set(entry(configPath), { iv, bytes } satisfies Sealed, store)
    }),
}
