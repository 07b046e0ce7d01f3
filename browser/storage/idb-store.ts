/** A database of one object store, whose transactions are durable when they resolve. */
import type { UseStore } from 'idb-keyval'
import { SxError } from '../../src/errors.ts'
import { soon } from '../soon.ts'

const ENTRIES = 'entries'
/** Of the database. A later one, made by a library of tomorrow, is left alone. */
const VERSION = 1
/** In milliseconds. Nothing takes so long but a page that holds the database and does not let go. */
const PATIENCE = 30_000
/**
 * Begins the name of an empty object store; the rest of the name is random. It tells a database from another one that
 * has been made in its place. A name, because every connection knows it without a transaction.
 */
const IDENTITY = 'identity-'

/** What the functions of `idb-keyval` take as their store; with a way to let go of the database. */
export interface IdbStore extends UseStore {
  /** The same, for what may be gone after a loss of power. */
  readonly relaxed: UseStore
  /** Close the connection. The next use opens it again. */
  close(): void
  /** Whether the database is known to be deleted. Then another store has to be made, for what comes after it. */
  isDeleted(): boolean
  /** Throws what every use throws once the database was deleted; does nothing as long as it is not known to be. */
  check(): void
}

/**
 * A store for the functions of `idb-keyval` that differs from its own in five ways: a write resolves when its
 * transaction is complete, with durability `strict`; the connection gives way when another page deletes or upgrades the
 * database, and is opened again when it was lost; a database that was deleted after the first use is neither made anew
 * nor mistaken for another one in its place, but every use throws `StorageUnavailable`, because what the page still
 * holds in memory belongs to what was deleted; what another page keeps waiting is given up; and errors are `SxError`s:
 * `StorageFull`, `StorageUnavailable` and, for what was given up and so was not done, `Busy`.
 *
 * It takes whatever can be cloned, a non-extractable `CryptoKey` for example.
 *
 * @param name name of the database; made by the first use if it does not exist
 * @param patience how long one use may take before it is given up, in milliseconds
 * @param deleted called once, when the database is known to be deleted
 */
export function idbStore(name: string, patience: number = PATIENCE, deleted: () => void = () => {}): IdbStore {
  let connection: Promise<IDBDatabase> | undefined
  /** Of the database that the first use has opened. */
  let identity: string | undefined
  let isDeleted = false

  function check(): void {
    if (isDeleted) throw deletedError(name)
  }

  function connect(): Promise<IDBDatabase> {
    check()
    if (connection) return connection
    const opening = open({ name, identity, patience }, (end) => {
      if (connection === opening) connection = undefined
      if (end === 'deleted' && !isDeleted) {
        isDeleted = true
        deleted()
      }
      // Those who read from memory would not find out.
      if (end === 'closed' && !isDeleted) void look()
    }).then((database) => {
      identity ??= identityOf(database)
      return database
    })
    connection = opening
    return opening
  }

  async function begin(mode: IDBTransactionMode, options: IDBTransactionOptions): Promise<IDBTransaction> {
    const opening = connect()
    const database = await opening
    try {
      return database.transaction(ENTRIES, mode, options)
    } catch (error) {
      // It was closed, and we were not told in time.
      if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error
      if (connection === opening) connection = undefined
      return (await connect()).transaction(ENTRIES, mode, options)
    }
  }

  function close(): void {
    const closing = connection
    connection = undefined
    // One that could not be opened has nothing to close, and whoever opened it has the error.
    closing?.then(
      (database) => database.close(),
      () => {},
    )
  }

  /** Opens the database again, to learn whether it was deleted. Another failure is met by the next use, too. */
  async function look(): Promise<void> {
    close()
    await connect().catch(() => {})
  }

  const using =
    (durability: IDBTransactionDurability): UseStore =>
    async (mode, work) => {
      try {
        return await complete(await begin(mode, { durability }), work, patience, name)
      } catch (error) {
        // So ends what is under way when the browser closes a database, before it deletes it for example.
        if (error instanceof DOMException && error.name === 'AbortError') await look()
        check()
        throw await translate(error, name)
      }
    }
  return Object.assign(using('strict'), { relaxed: using('relaxed'), isDeleted: () => isDeleted, check, close })
}

/**
 * Why a connection is of no use any more: it could not be opened or had to give way (`lost`), the browser has closed it
 * (`closed`), or the database does not exist any more (`deleted`).
 */
type End = 'lost' | 'closed' | 'deleted'

interface Opening {
  readonly name: string
  /** What the database must be; `undefined`: any, and it is made if it does not exist. */
  readonly identity: string | undefined
  readonly patience: number
}

function open({ name, identity, patience }: Opening, ended: (end: End) => void): Promise<IDBDatabase> {
  let timer: ReturnType<typeof setTimeout> | undefined
  return new Promise<IDBDatabase>((resolve, reject) => {
    if (!globalThis.indexedDB) throw new SxError('StorageUnavailable', 'IndexedDB is not available.')
    let isGivenUp = false
    const gone = (): void => {
      ended('deleted')
      reject(deletedError(name))
    }
    const giveUp = (): void => {
      isGivenUp = true
      reject(busyError(name))
    }
    const request = indexedDB.open(name, VERSION)
    // A page that deletes the database waits for one that does not let go, and we wait for both.
    timer = setTimeout(giveUp, patience)
    request.onblocked = giveUp
    request.onupgradeneeded = () => {
      if (identity === undefined && !isGivenUp) {
        try {
          const random = crypto.getRandomValues(new Uint32Array(4)).join('-')
          request.result.createObjectStore(ENTRIES)
          request.result.createObjectStore(IDENTITY + random)
        } catch (cause) {
          request.transaction?.abort()
          reject(new SxError('NoEntropy', undefined, { cause }))
        }
      } else {
        request.transaction?.abort() // so that there is no database, as before
        if (!isGivenUp) gone()
      }
    }
    request.onerror = () => reject(request.error ?? failedError())
    request.onsuccess = () => {
      const database = request.result
      if (isGivenUp) {
        database.close()
        return
      }
      if (identity !== undefined && identityOf(database) !== identity) {
        database.close()
        gone()
        return
      }
      database.onclose = () => ended('closed')
      database.onversionchange = ({ newVersion }) => {
        database.close()
        ended(newVersion === null ? 'deleted' : 'lost')
      }
      resolve(database)
    }
  })
    .catch((error: unknown) => {
      ended('lost')
      throw isRefusal(error) ? refusedError(name, error) : error
    })
    .finally(() => clearTimeout(timer))
}

/** What browsers say that let this page keep nothing: Firefox the second, or the third, in a private window. */
const REFUSALS: readonly string[] = ['SecurityError', 'InvalidStateError', 'UnknownError']

function isRefusal(error: unknown): error is DOMException {
  return error instanceof DOMException && REFUSALS.includes(error.name)
}

function refusedError(name: string, cause: DOMException): SxError {
  const where = 'a private window, a sandboxed frame, or site data that is blocked or damaged'
  const found = `The browser refused to open the database ${name} for this page (${cause.name}). Possible causes: ${where}.`
  return new SxError('StorageUnavailable', found, { cause })
}

function busyError(name: string): SxError {
  return new SxError('Busy', `Another page has the database ${name} open. Close the other tabs of this site.`)
}

function identityOf(database: IDBDatabase): string {
  return Array.from(database.objectStoreNames).find((store) => store.startsWith(IDENTITY)) ?? ''
}

function deletedError(name: string): SxError {
  return new SxError(
    'StorageUnavailable',
    `The database ${name} was deleted while this page was open. The data in memory belongs to the deleted database.`,
  )
}

/** For a request of IndexedDB that failed and does not say why. */
export function failedError(): SxError {
  return new SxError('StorageUnavailable', 'IndexedDB failed without an error.')
}

/** The result of `work`, once the transaction is complete. If `work` fails or takes too long, nothing of it stays. */
async function complete<T>(
  transaction: IDBTransaction,
  work: (entries: IDBObjectStore) => T | PromiseLike<T>,
  patience: number,
  name: string,
): Promise<T> {
  let isGivenUp = false
  const abort = (): void => {
    try {
      transaction.abort()
    } catch {
      // It has ended already.
    }
  }
  // Listeners, because idb-keyval sets the handlers. Errors of requests and of the commit end in `abort`.
  const completed = new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => {
      if (isGivenUp) reject(busyError(name))
      reject(transaction.error ?? new DOMException('The transaction was aborted.', 'AbortError'))
    })
  })
  // Another page may hold the entries for as long as it likes.
  const timer = setTimeout(() => {
    isGivenUp = true
    abort()
  }, patience)
  const working = (async () => work(transaction.objectStore(ENTRIES)))()
  working.catch(abort)
  try {
    const [result] = await Promise.all([working, completed])
    return result
  } catch (error) {
    // Its requests are told of the end first, and that it was aborted is all that they know.
    throw isGivenUp ? busyError(name) : error
  } finally {
    clearTimeout(timer)
  }
}

async function translate(error: unknown, name: string): Promise<unknown> {
  if (!(error instanceof DOMException)) return error
  if (error.name === 'QuotaExceededError') {
    const found = `The browser has no more space for the database ${name} of this page${await room()}.`
    return new SxError('StorageFull', found, { cause: error })
  }
  if (error.name === 'VersionError') {
    const newer = 'was created by a newer version of this library than this page has'
    return new SxError('StorageUnavailable', `The database ${name} ${newer}.`, { cause: error })
  }
  const found = `The database ${name} of this page failed: ${error.message} (${error.name}).`
  return new SxError('StorageUnavailable', found, { cause: error })
}

/** How long a browser may take to say how full it is, in milliseconds. */
const ESTIMATING = 1000

/** How much of what this site may use is used, in words, where the browser says it. */
async function room(): Promise<string> {
  try {
    const { storage } = navigator as { storage?: Partial<StorageManager> }
    const { usage, quota } = (await soon(storage?.estimate?.(), ESTIMATING)) ?? {}
    return usage === undefined || quota === undefined ? '' : `: the site uses ${usage} of ${quota} bytes`
  } catch {
    return '' // it is no part of the failure
  }
}
