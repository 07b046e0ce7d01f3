/**
 * What every storage has to fulfil, as cases that any test runner can run. It imports none.
 *
 * @module
 */
import { aboutArguments } from './acceptance/arguments.ts'
import { type Requirement, same } from './acceptance/check.ts'
import { aboutEntries, bothForms } from './acceptance/entries.ts'
import { isSyncStorage, type Storage, type SyncStorage } from './contract.ts'

/** One requirement on one form of the storage, asynchronous or synchronous. */
export interface StorageCase {
  /** What is required, as a sentence. */
  readonly name: string
  /**
   * Resolves if the storage fulfils it, rejects with an error that says what it did instead. Where there is no
   * synchronous form, the cases about it resolve.
   */
  readonly run: () => Promise<void>
}

/** Options of {@link storageAcceptance}. */
export interface AcceptanceOptions {
  /** Size of the largest entry written, in bytes; 1 MiB if left out. */
  readonly largest?: number
}
/** The asynchronous interface over the synchronous methods, so that every case runs on both. */
function throughSync(storage: SyncStorage): Storage {
  return {
    capabilities: storage.capabilities,
    get: async (key) => storage.getSync(key),
    put: async (key, bytes, options) => storage.putSync(key, bytes, options),
    delete: async (key) => {
      storage.deleteSync(key)
    },
    async *list(prefix, options) {
      yield* storage.listSync(prefix, options)
    },
    flush: () => storage.flush(),
    close: () => storage.close(),
  }
}
/** So that cases never meet, not even those of earlier runs on the same store. */
let used = 0
const ownRoot = (): string => `case-${Date.now().toString(36)}-${(used++).toString(36)}`

/**
 * The cases a storage has to pass. Each opens the storage itself, works below a first segment of its own, and closes it;
 * none relies on the store being empty.
 *
 * @param open opens the storage; every call opens the same entries, unless the durability is `none`
 * @returns the cases; each can run alone
 * @example
 * import { memoryStorage } from 'sx-agent/storage'
 * for (const { name, run } of storageAcceptance(() => memoryStorage())) {
 *   await run().catch((cause) => console.error(name, cause)) // or test(name, run)
 * }
 */
export function storageAcceptance(
  open: () => Promise<Storage> | Storage,
  { largest = 1 << 20 }: AcceptanceOptions = {},
): StorageCase[] {
  const requirements = [...aboutEntries(largest), ...aboutArguments]
  const opened = async (): Promise<Storage> => open()
  const openedSync = async (): Promise<Storage | undefined> => {
    const storage = await open()
    if (isSyncStorage(storage)) return throughSync(storage)
    same(storage.capabilities.sync, false, 'capabilities.sync of a storage without the synchronous form')
    await storage.close()
    return undefined
  }
  const prepared = (
    [name, check]: Requirement,
    form: string,
    begin: () => Promise<Storage | undefined>,
  ): StorageCase => ({
    name: `${form}: ${name}`,
    run: async () => {
      const storage = await begin()
      if (storage === undefined) return
      try {
        await check(storage, ownRoot(), opened)
      } finally {
        await storage.close()
      }
    },
  })
  return [
    ...requirements.map((requirement) => prepared(requirement, 'async', opened)),
    ...requirements.map((requirement) => prepared(requirement, 'sync', openedSync)),
    prepared(bothForms, 'sync and async', async () => {
      const storage = await open()
      if (storage.capabilities.sync) return storage
      await storage.close()
      return undefined
    }),
  ]
}
