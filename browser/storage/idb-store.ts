/** A database of one object store, whose transactions are durable when they resolve. */
import type { UseStore } from 'idb-keyval'
import { SxError } from '../../src/errors.ts'

const ENTRIES = 'entries'

/** What the functions of `idb-keyval` take as their store; with a way to let go of the database. */
export interface IdbStore extends UseStore {
  /** Close the connection. The next use opens it again. */
  close(): void
}

/**
 * A store for the functions of `idb-keyval` that differs from its own in three ways: a write resolves when its
 * transaction is complete, with durability `strict`; the connection gives way when another page deletes or upgrades the
 * database, and is opened again after that or after the browser has closed it; and errors are `SxError`s:
 * `StorageFull`, `StorageUnavailable`.
 *
 * It takes whatever can be cloned, a non-extractable `CryptoKey` for example.
 *
 * @param name name of the database; made if it does not exist
 */
export function idbStore(name: string): IdbStore {
  let connection: Promise<IDBDatabase> | undefined

  function connect(): Promise<IDBDatabase> {
    if (connection) return connection
    const opening = open(name, () => {
      if (connection === opening) connection = undefined
    })
    connection = opening
    return opening
  }

  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    const options: IDBTransactionOptions = { durability: 'strict' }
    const database = await connect()
    try {
      return database.transaction(ENTRIES, mode, options)
    } catch (error) {
      // The browser has closed it and not told us yet.
      if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error
      connection = undefined
      return (await connect()).transaction(ENTRIES, mode, options)
    }
  }

  const use: UseStore = async (mode, work) => {
    try {
      return await complete(await begin(mode), work)
    } catch (error) {
      throw translate(error, name)
    }
  }
  return Object.assign(use, {
    close: () => {
      const closing = connection
      connection = undefined
      // One that could not be opened has nothing to close, and whoever opened it has the error.
      closing?.then(
        (database) => database.close(),
        () => {},
      )
    },
  })
}

/** @param lost called when the connection is of no use any more, or never was */
function open(name: string, lost: () => void): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    if (!globalThis.indexedDB) throw new SxError('StorageUnavailable', 'There is no IndexedDB here.')
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(ENTRIES)
    }
    request.onerror = () => {
      lost()
      reject(request.error ?? new Error('IndexedDB failed without an error.'))
    }
    request.onsuccess = () => {
      const database = request.result
      database.onclose = lost
      database.onversionchange = () => {
        lost()
        database.close()
      }
      resolve(database)
    }
  }).catch((error: unknown) => {
    lost()
    throw error
  })
}

/** The result of `work`, once the transaction is complete. If `work` fails, nothing of it stays. */
async function complete<T>(
  transaction: IDBTransaction,
  work: (entries: IDBObjectStore) => T | PromiseLike<T>,
): Promise<T> {
  // Listeners, because idb-keyval sets the handlers. Errors of requests and of the commit end in `abort`.
  const completed = new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => {
      reject(transaction.error ?? new DOMException('The transaction was aborted.', 'AbortError'))
    })
  })
  const working = (async () => work(transaction.objectStore(ENTRIES)))()
  working.catch(() => {
    try {
      transaction.abort()
    } catch {
      // It has ended already.
    }
  })
  const [result] = await Promise.all([working, completed])
  return result
}

function translate(error: unknown, name: string): unknown {
  if (!(error instanceof DOMException)) return error
  const code = error.name === 'QuotaExceededError' ? 'StorageFull' : 'StorageUnavailable'
  const found = `The database ${name} of this page failed: ${error.message} (${error.name}).`
  return new SxError(code, found, { cause: error })
}
