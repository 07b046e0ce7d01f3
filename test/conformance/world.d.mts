import type { SyncStorage } from 'sx-agent/storage'

/** Entries of a storage by their keys, joined. */
export declare function entries(store: SyncStorage): Map<string, Uint8Array>
/** A storage that passes everything on, after `before` has seen it; what that throws is what the caller gets. */
export declare function watched(
  inner: SyncStorage,
  before: (method: string, key: readonly string[]) => void,
): SyncStorage
