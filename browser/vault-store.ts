import { SxError } from '../src/errors.ts'
import { type IdbStore, idbStore } from './storage/idb-store.ts'

let current: IdbStore | undefined

/** The vault: apart from the database of the agents, so that copying that one copies no password. */
function vaultStore(): IdbStore {
  if (current === undefined || current.isDeleted()) current = idbStore('sx-agent-vault')
  return current
}

/**
 * Works in the vault. Nothing of it is in memory between two calls, so if it turns out to be deleted, all of the work is
 * done in another one: what was sealed for the first one would open with no key of the second.
 */
export async function inVault<T>(work: (store: IdbStore) => Promise<T>): Promise<T> {
  const store = vaultStore()
  try {
    return await work(store)
  } catch (error) {
    if (!store.isDeleted()) throw error
    return await work(vaultStore())
  }
}

/** What something of a configuration is called: `./sx.config.json` and `sx.config.json` are one in the storage too. */
export function nameOf(kind: 'agent' | 'passkeys' | 'password', configPath: string): string {
  const segments = configPath.split('/').filter((segment) => segment !== '' && segment !== '.')
  return `${kind} ${segments.join('/')}`
}

/** The synchronous form of what has to be awaited. */
export function refusing(found: string): () => never {
  return () => {
    throw new SxError('SyncStorageUnavailable', found)
  }
}
