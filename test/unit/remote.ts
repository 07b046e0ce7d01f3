import type { Storage, SyncStorage } from 'sx-agent/storage'

/** A storage that has to be awaited, as one at the other end of a network, with some of its steps replaced. */
export function remote(inner: SyncStorage, steps: Partial<Storage> = {}): Storage {
  return {
    capabilities: { sync: false, durability: 'strict', shared: true },
    get: (key) => inner.get(key),
    put: (key, bytes, options) => inner.put(key, bytes, options),
    delete: (key) => inner.delete(key),
    list: (prefix, options) => inner.list(prefix, options),
    flush: () => inner.flush(),
    close: () => Promise.resolve(),
    ...steps,
  }
}
