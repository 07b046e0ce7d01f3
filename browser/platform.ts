import { type EffectOf, kind } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import { storageHome } from '../src/home.ts'
import type { Platform } from '../src/platform.ts'
import type { SyncStorage } from '../src/storage/contract.ts'
import { derivation } from './derivation.ts'
import { digest } from './digest.ts'
import { markers } from './markers.ts'
import { passkeys } from './passkeys.ts'
import { askToPersist, isPersisted, learnPersisted } from './persistence.ts'
import { indexedDbStorage } from './storage/indexeddb.ts'
import { vault } from './vault.ts'

/** Name of the database of all agents of an origin. */
const DATABASE = 'sx-agent'

let opened: SyncStorage | undefined
let opening: Promise<SyncStorage> | undefined

/**
 * The page's own storage, opened once, and again after its database was deleted: workers that several pages share cannot be
 * reloaded. An agent that was loaded before keeps the storage that it has, every call on which fails.
 */
function open(): Promise<SyncStorage> {
  if (opening !== undefined) return opening
  const forget = (): void => {
    if (opening !== own) return
    opening = undefined // the next call tries again
    opened?.close().catch(() => {}) // what waited to be written is lost with the database
    opened = undefined
  }
  const begun = (): void => void askToPersist()
  const own = Promise.all([indexedDbStorage(DATABASE, { begun, deleted: forget }), learnPersisted()]).then(
    ([storage]) => {
      if (opening === own) opened = storage
      return storage
    },
    (error: unknown) => {
      forget()
      throw error
    },
  )
  opening = own
  return own
}

function noFiles(): never {
  throw new SxError('InvalidOption', 'A page cannot read paths. Pass a File or bytes.')
}

function noOutput(): never {
  throw new SxError('InvalidOption', 'A page cannot write files. Pass null and use the returned bytes.')
}

const HOME = /* @__PURE__ */ kind('home', {
  async: async ({ configPath }) => storageHome(await open(), configPath),
  sync: ({ configPath }) => {
    if (opened === undefined) {
      throw new SxError('SyncStorageUnavailable', 'IndexedDB is not open yet. Only an asynchronous call opens it.')
    }
    return storageHome(opened, configPath)
  },
})

/** IndexedDB in pages and workers: paths are names in it. */
export const platform: Platform = {
  defaultStorage: 'indexeddb',
  isPersisted,
  environment: () => ({}),
  // oxlint-disable-next-line no-console -- a page has no other means
  warn: (code, message) => console.warn(`sx-agent: ${code}: ${message}`),
  home: (configPath): EffectOf<'home'> => ({ kind: HOME, configPath }),
  readFile: noFiles,
  scanFile: noFiles,
  editFile: noFiles,
  writeFile: noOutput,
  isSamePath: noFiles,
  digest,
  vault,
  markers,
  passkeys,
  derivation,
}
