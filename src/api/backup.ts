import type { Operation } from '../effects.ts'
import * as store from '../operations/store.ts'
import type { Session } from '../session.ts'
import type { BackupInfo, Bytes, ExportOptions, ImportOptions, RestoredAgent } from '../types.ts'
import { asynchronous, nothing, privateKey, twin } from './form.ts'

/**
 * All that is stored of the agent, as one file: configuration, private key as it is encrypted, public
 * keys of others, all versions of all documents, all decisions about trust (protocol, section 19). The
 * agent signs the content. The backup contains no password, not even a saved one: without the password of that
 * day, the backup is of no use. If you do not know it, because a page generated it, pass another password.
 * If a passkey opens the key, a password is required.
 * Copies that `outputFilename` asked for are left out. Make a new backup after each rotation of the key: this one
 * restores the key of today.
 *
 * The backup is consistent even if other processes write at the same time: what they store meanwhile may be in it or not.
 * If the agent changes during the export, the export begins again.
 *
 * @param options `password`: a new password for the private key in the backup; the stored key is not changed
 * @returns JSON text in UTF-8, at most 1 GiB. It is not encrypted: anyone who has it can read the documents
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`, for
 *   an empty one, and for none where a passkey opens the key; `CorruptStore`,
 *   naming the entry, for one that is missing or no text; `KeyRevoked` if another process has rotated the key; `Busy`
 *   if the agent changed each time; `NotFound` if configuration or private key are
 *   gone, `InvalidConfig`, `InvalidKey`; `LimitExceeded` if it is larger; `SyncStorageUnavailable` in the synchronous
 *   twin where a copy in memory has not read all of it, or a decision about trust still waits to be written; storage codes
 * @example
 * import { writeFileSync } from 'node:fs'
 * writeFileSync('billing.backup.json', await exportStore())
 * const { name } = await importStore('billing.backup.json', { configPath: './restored/sx.config.json' })
 * console.log(name) // Billing
 */
export const exportStore: (options?: ExportOptions) => Promise<Bytes> = asynchronous(
  { needs: privateKey, options: { at: 0, names: { password: true } } },
  function exportStore(session: Session, options: ExportOptions = {}): Operation<Bytes> {
    return store.exportStore(session, options)
  },
)
/** The synchronous twin of {@link exportStore}. */
export const exportStoreSync: (options?: ExportOptions) => Bytes = twin(exportStore)

/**
 * Restores what {@link exportStore} has made, in any runtime (protocol, section 19). The whole backup is
 * checked before anything is written, and nothing that is there is overwritten. The agent is not loaded
 * by it: `load` does that, with the password of the backup. Until the configuration
 * stands, which is written last, no agent is there; if it was interrupted, import the same backup again.
 *
 * A backup is as old as `savedAt` says: documents, trust, password and key have become again what they were. Nobody can
 * see in it whether the key was rotated since: compare `keyId`, the last of `keyIds`, with the newest one that you know.
 *
 * @param backup path of the file, or the file itself (`File`, `Blob`) or its bytes
 * @param options where to; `storage` is by default what `SxAgent` was made with, of the function the
 *   runtime's own. Directories are those of the backup, if they were relative to its configuration
 * @returns whose it is, when it was made and by which key; compare the `keyId` if you do not know where the backup
 *   comes from
 * @throws SxError `CorruptStore`, naming the entry, for a backup that was damaged, cut off or not made by
 *   its agent with its current key; `AlreadyExists` if a configuration, private key, document or decision stands there that is
 *   not of this backup; `LimitExceeded`; `NotFound` for a file that is not there; `InvalidOption`, also for
 *   a path in a page and for a blob in the synchronous twin; `InvalidConfig`; storage codes
 * @example
 * import { memoryStorage } from 'sx-agent/storage'
 * const storage = memoryStorage()
 * const { agentId } = await importStore(await exportStore(), { storage })
 * console.log((await load({ storage })).agentId === agentId) // true
 */
export const importStore = asynchronous(
  {
    needs: nothing,
    options: { at: 1, names: { configPath: true, storage: true, dataDirectory: true, keyDirectory: true } },
  },
  function importStore(
    session: Session,
    backup: string | Uint8Array | Blob,
    options: ImportOptions = {},
  ): Operation<RestoredAgent> {
    return store.importStore(session, backup, options)
  },
)
/** The synchronous twin of {@link importStore}. */
export const importStoreSync: (backup: string | Uint8Array, options?: ImportOptions) => RestoredAgent =
  twin(importStore)

/**
 * Checks a backup as {@link importStore} does before it restores anything, and says whose it is. Nothing is written, and no
 * agent has to be loaded. The private key in it is not decrypted: no password is needed.
 *
 * @param backup path of the file, or the file itself (`File`, `Blob`) or its bytes
 * @returns whose it is, when it was made and by which key
 * @throws SxError `CorruptStore`, naming the entry, for a backup that was damaged, cut off or not made by its agent with its
 *   current key; `LimitExceeded`; `NotFound` for a file that is not there; `InvalidOption`, also for a path in a page and
 *   for a blob in the synchronous twin; storage codes
 * @example
 * import { writeFileSync } from 'node:fs'
 * writeFileSync('billing.backup.json', await exportStore())
 * const { name, keyId } = await verifyBackup('billing.backup.json')
 * console.log(name, keyId === getAgentInfo()?.keyId) // Billing true
 */
export const verifyBackup = asynchronous(
  { needs: nothing },
  function verifyBackup(_: Session, backup: string | Uint8Array | Blob): Operation<BackupInfo> {
    return store.verifyBackup(backup)
  },
)
/** The synchronous twin of {@link verifyBackup}. */
export const verifyBackupSync: (backup: string | Uint8Array) => BackupInfo = twin(verifyBackup)
