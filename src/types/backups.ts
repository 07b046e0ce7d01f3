import type { AgentOptions } from './settings.ts'

/** Options of `exportStore`. */
export interface ExportOptions {
  /**
   * Password that opens the private key in the backup; default: the password of the stored key. Required if the owner does
   * not know that password: for a passkey, and for a password that a page generated and stores. Not empty.
   */
  password?: string
}

/** Options of `importStore`. */
export interface ImportOptions {
  /** Where the configuration will stand: a file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
  /** Takes all of it instead of the runtime's own storage. */
  storage?: AgentOptions['storage']
  /** Instead of the backup's: absolute or relative to the configuration; where that was absolute, by default `./sx_data`. */
  dataDirectory?: string
  /** Instead of the backup's: absolute or relative to the configuration; where that was absolute, by default `./sx_keys`. */
  keyDirectory?: string
}

/** Something to know about backups. The object is frozen. */
export interface BackupWarning {
  /** `BackupOutdated`: a backup may be older than the agent's current key, or is older. */
  readonly code: 'BackupOutdated'
  /** A sentence for people: what it means, and what to do. */
  readonly message: string
}

/** What a backup holds, as `verifyBackup` returns it. The object is frozen. */
export interface BackupInfo {
  /** The agent's UUID. */
  readonly agentId: string
  /** From its agent document. */
  readonly name: string
  /** RFC 7638 thumbprint of its current key, which has signed the backup, to compare. */
  readonly keyId: string
  /** Those of all keys that it had when the backup was made, oldest first; the last one is `keyId`. */
  readonly keyIds: readonly string[]
  /** When the backup was made: RFC 3339, UTC, milliseconds. */
  readonly savedAt: string
  /** How many entries it has. */
  readonly entries: number
  /** `BackupOutdated`: a backup does not show whether the key was rotated after it was made. */
  readonly warnings: readonly BackupWarning[]
}

/** What `importStore` has restored. The object is frozen. */
export interface RestoredAgent extends BackupInfo {
  /** Where its configuration stands now. */
  readonly configPath: string
}
