/** Another page on the same storage: a worker that does what it is told. */
import { indexedDbStorage } from '../../browser/storage/indexeddb.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'

/** An order to the worker, answered with one message; the first one opens the storage. */
export type Order =
  | { readonly does: 'open'; readonly database: string }
  | { readonly does: 'put'; readonly key: string[]; readonly byte: number }
  | { readonly does: 'delete'; readonly key: string[] }
  | { readonly does: 'claim'; readonly keys: string[][]; readonly byte: number }

let storage: SyncStorage

async function obey(order: Order): Promise<unknown> {
  if (order.does === 'open') storage = await indexedDbStorage(order.database)
  else if (order.does === 'put') return storage.put(order.key, Uint8Array.of(order.byte))
  else if (order.does === 'delete') return storage.delete(order.key)
  else {
    const bytes = Uint8Array.of(order.byte)
    return Promise.all(order.keys.map((key) => storage.put(key, bytes, { ifAbsent: true })))
  }
  return undefined
}

onmessage = async ({ data }: MessageEvent<Order>) => postMessage(await obey(data))
