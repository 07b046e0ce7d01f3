/** What the tests let another process do; bundled and started by `processes.ts`. */
import { writeSync } from 'node:fs'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { type CallName, through } from './seams.ts'

/** An order, as JSON in the first argument. */
export type Order =
  | {
      readonly does: 'claim'
      readonly root: string
      readonly count: number
      readonly sync: boolean
      readonly me: number
    }
  | {
      readonly does: 'hang'
      readonly root: string
      readonly key: string[]
      readonly at: CallName
      readonly claims: boolean
    }
  | { readonly does: 'attempt'; readonly root: string; readonly key: string[] }

/** Straight to the descriptor, because some of these processes are killed. */
const say = (value: unknown): void => {
  writeSync(1, `${JSON.stringify(value)}\n`)
}

async function obey(order: Order): Promise<void> {
  if (order.does === 'claim') {
    const storage = filesystemStorage(order.root)
    const won: number[] = []
    for (let at = 0; at < order.count; at++) {
      const [key, bytes] = [['race', `${at}`], Uint8Array.of(order.me)]
      const mine = order.sync
        ? storage.putSync(key, bytes, { ifAbsent: true })
        : await storage.put(key, bytes, { ifAbsent: true })
      if (mine) won.push(at)
    }
    say(won)
  } else if (order.does === 'hang') {
    const fs = through((name, _, perform) => {
      if (name !== order.at) return perform()
      say('hanging')
      return new Promise(() => setInterval(() => {}, 1000))
    })
    await filesystemStorage(order.root, { fs }).put(order.key, Uint8Array.of(9, 9), { ifAbsent: order.claims })
  } else {
    const storage = filesystemStorage(order.root)
    const outcome = async (work: () => unknown): Promise<unknown> => {
      try {
        return await work()
      } catch (error) {
        return error instanceof Error && 'code' in error ? error.code : String(error)
      }
    }
    say({
      get: await outcome(() => storage.getSync(order.key)?.length ?? null),
      list: await outcome(() => [...storage.listSync([])].length),
      put: await outcome(() => storage.put(order.key, Uint8Array.of(1))),
      delete: await outcome(() => storage.delete(order.key).then(() => 'deleted')),
    })
  }
}

await obey(JSON.parse(process.argv[2] ?? '') as Order)
