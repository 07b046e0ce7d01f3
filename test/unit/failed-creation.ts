/** Creating an agent on a storage that fails at one of its calls. */
import { randomInt } from 'node:crypto'
import { SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { type Key, memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { expect } from 'vitest'
import { remote } from './remote.ts'

/** With a password that is made up. */
const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519' } as const

/** Fails the n-th call: before it does anything, or after it has done it. */
function failing(inner: SyncStorage, plan: { n: number; after: boolean; hit?: string }): Storage {
  const step = async <T>(name: string, key: Key, work: () => Promise<T>): Promise<T> => {
    const isHit = plan.hit === undefined && --plan.n === 0
    if (isHit) plan.hit = `${name} ${key.join('/')}`
    if (isHit && !plan.after) throw new Error('the line is dead')
    const result = await work()
    if (isHit) throw new Error('the line is dead')
    return result
  }
  return remote(inner, {
    get: (key) => step('get', key, () => inner.get(key)),
    put: (key, bytes, how) => step('put', key, () => inner.put(key, bytes, how)),
    delete: (key) => step('delete', key, () => inner.delete(key)),
  })
}

/**
 * Never costs an agent whose password nobody has seen, whichever call fails, before or after it has done its work; how
 * many calls failed.
 *
 * @param distance tries each of so many calls
 */
export async function failedCalls(after: boolean, distance = 1): Promise<number> {
  let hits = 0
  for (let n = 1 + randomInt(distance); ; n += distance) {
    const inner = memoryStorage()
    const plan: { n: number; after: boolean; hit?: string } = { n, after }
    const first = simple.quickstart({ ...options, env: {}, storage: failing(inner, plan) })
    const failure: unknown = await first.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (plan.hit === undefined) break
    hits++
    if (failure === undefined) continue // it has got over it
    expect(failure, `${plan.hit}`).toBeInstanceOf(SxError)
    const again = await simple
      .quickstart({ ...options, env: {}, storage: remote(inner) })
      .catch((error: unknown) => error)
    expect(again, `${plan.hit}`).toMatchObject({ created: true })
  }
  return hits
}
