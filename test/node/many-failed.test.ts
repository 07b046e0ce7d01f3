// Threads run dist, so what they are given is asked for from there.
import '../patience.ts'
import { fileURLToPath } from 'node:url'
import type * as agents from 'sx-agent'
import type { SxError } from 'sx-agent'
import type * as storages from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { password } from '../unit/own.ts'
import { remote } from '../unit/remote.ts'

const load = async <Entry>(name: string): Promise<Entry> => {
  const path = fileURLToPath(new URL(`../../dist/node/${name}.js`, import.meta.url))
  return (await import(/* @vite-ignore */ path)) as Entry
}

describe('verifyMany by threads', () => {
  it('K05 tells of a write behind that has failed before', async () => {
    const { SxAgent } = await load<typeof agents>('index')
    const { memoryStorage, mirrored } = await load<typeof storages>('storage/index')
    const memory = memoryStorage()
    await SxAgent.create({ name: 'A', algorithm: 'ed25519', password, storage: memory })
    let isFull = false
    let failures = 0
    const put: storages.Storage['put'] = (...given) => {
      if (!isFull) return memory.put(...given)
      failures++
      return Promise.reject(new Error('full'))
    }
    const page = new SxAgent({ storage: await mirrored(remote(memory, { put })), password })
    await page.load()
    const documents: string[] = []
    for (let at = 0; at < 200; at++) documents.push((await page.signMessage(at, { noSave: true })).raw)
    const many = async (): Promise<unknown> => {
      const results = await page.verifyMany(documents, { concurrency: 2 })
      return results.every(({ valid }) => valid)
    }
    expect(await many()).toBe(true) // threads have started
    await page.flush()
    isFull = true
    page.signMessageSync('lost')
    await expect.poll(() => failures).toBeGreaterThan(0)
    isFull = false
    const told: unknown[] = []
    for (const call of [many, () => page.flush()]) told.push(await call().catch(({ code }: SxError) => code))
    expect(told).toEqual(['StorageUnavailable', undefined])
    await page.close()
  })
})
