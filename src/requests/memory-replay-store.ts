import { SxError } from '../errors.ts'
import { plainOptions } from '../options.ts'
import type { ReplayStore } from '../types/requests.ts'

/** Options of `memoryReplayStore`. */
export interface MemoryReplayStoreOptions {
  /** The maximum number of requests to remember; default 100,000. */
  capacity?: number
}

/**
 * A replay store for a server that is one process. It forgets everything when the process ends, so a request can be
 * accepted once more within its time after a restart. If it is full, requests are refused until others have expired.
 *
 * @throws SxError `InvalidOption`
 * @example
 * const store = memoryReplayStore()
 * const until = Math.floor(Date.now() / 1000) + 360
 * console.log(await store.claim('a', until), await store.claim('a', until)) // true false
 */
export function memoryReplayStore(options: MemoryReplayStoreOptions = {}): ReplayStore {
  const { capacity = 100_000 } = plainOptions(options, { capacity: true })
  if (!Number.isSafeInteger(capacity) || capacity < 1) {
    throw new SxError('InvalidOption', "The option 'capacity' is not a positive integer.")
  }
  const live = new Map<string, number>()
  let swept = 0
  return {
    claim(key, expiresAt) {
      const now = Math.floor(Date.now() / 1000)
      if (live.size >= capacity && swept !== now) {
        swept = now
        for (const [one, until] of live) if (until <= now) live.delete(one)
      }
      if ((live.get(key) ?? 0) > now) return false
      if (live.size >= capacity) throw new SxError('LimitExceeded', `The replay store is full (${capacity} requests).`)
      live.set(key, expiresAt)
      return true
    },
  }
}
