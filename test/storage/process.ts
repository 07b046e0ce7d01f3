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
  | {
      readonly does: 'churn'
      readonly root: string
      readonly rounds: number
      readonly sync: boolean
      readonly me: number
    }
  | { readonly does: 'write'; readonly root: string; readonly sync: boolean }
  | { readonly does: 'attempt'; readonly root: string; readonly key: string[] }

/** Straight to the descriptor, because some of these processes are killed. */
const say = (value: unknown): void => {
  writeSync(1, `${JSON.stringify(value)}\n`)
}

/** What the work ends in: its value, or the code of its error. */
async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error)
  }
}

/** Writes entries into a few folders that others use too, and deletes all but the last ones, so that folders come and go. */
async function churn({ root, rounds, sync, me }: Extract<Order, { does: 'churn' }>): Promise<unknown> {
  const storage = filesystemStorage(root)
  const errors: string[] = []
  let kept: string[][] = []
  for (let round = 0; round < rounds; round++) {
    const keys = [0, 1].map((part) => ['a', `b${round % 2}`, `c${part}`, 'd', `${me}-${round}`])
    const ifAbsent = round % 3 === 0
    for (const key of keys) {
      const bytes = Uint8Array.of(me)
      const written = await outcome(() =>
        sync ? storage.putSync(key, bytes, { ifAbsent }) : storage.put(key, bytes, { ifAbsent }),
      )
      if (written !== true) errors.push(`${me} writes ${key.join('/')}: ${JSON.stringify(written)}`)
      if ((await outcome(() => storage.getSync(key)?.[0])) !== me) errors.push(`${me} misses ${key.join('/')}`)
    }
    kept = round === rounds - 1 ? keys : []
    for (const key of kept.length > 0 ? [] : keys) {
      const deleted = await outcome(() => (sync ? storage.deleteSync(key) : storage.delete(key)))
      if (deleted !== undefined) errors.push(`${me} deletes ${key.join('/')}: ${JSON.stringify(deleted)}`)
    }
  }
  return { errors, kept }
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
  } else if (order.does === 'churn') {
    say(await churn(order))
  } else if (order.does === 'write') {
    const storage = filesystemStorage(order.root)
    const [key, bytes] = [['a', 'b'], Uint8Array.of(1)]
    say(await outcome(() => (order.sync ? storage.putSync(key, bytes) : storage.put(key, bytes))))
  } else {
    const storage = filesystemStorage(order.root)
    say({
      get: await outcome(() => storage.getSync(order.key)?.length ?? null),
      list: await outcome(() => [...storage.listSync([])].length),
      put: await outcome(() => storage.put(order.key, Uint8Array.of(1))),
      delete: await outcome(() => storage.delete(order.key).then(() => 'deleted')),
    })
  }
}

await obey(JSON.parse(process.argv[2] ?? '') as Order)
