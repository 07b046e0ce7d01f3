import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import { idbStore } from './storage/idb-store.ts'

/** Apart from the database of the agents, so that copying that one copies no password. */
export const store: ReturnType<typeof idbStore> = /* @__PURE__ */ idbStore('sx-agent-vault')

/** Where something of a configuration is: `./sx.config.json` and `sx.config.json` are one in the storage too. */
export function entry(kind: 'passkeys' | 'password', configPath: string): string {
  const segments = configPath.split('/').filter((segment) => segment !== '' && segment !== '.')
  return `${kind} ${segments.join('/')}`
}

/** What has only an asynchronous form; `found` says so. */
export function onlyAsync<T>(work: () => Promise<T>, found: string): Effect<T> {
  return {
    kind: 'storage',
    async: work,
    sync: () => {
      throw new SxError('SyncStorageUnavailable', found)
    },
  }
}
