// Backups in a page: of IndexedDB, from a File, damaged, and in the way of something.

import { SxAgent, SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, expect, it } from 'vitest'
import { indexedDbStorage } from '../../browser/storage/indexeddb.ts'

const password = 'correct horse 7 battery staple'
const opened: Awaited<ReturnType<typeof indexedDbStorage>>[] = []

afterEach(async () => {
  await sx.close()
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
})

async function database(): Promise<Awaited<ReturnType<typeof indexedDbStorage>>> {
  const storage = await indexedDbStorage(`backup-${crypto.randomUUID()}`)
  opened.push(storage)
  return storage
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof SxError ? error.code : String(error)),
  )

it('goes from one database into another one', async () => {
  const [from, to] = [await database(), await database()]
  await sx.create({ name: 'Billing', algorithm: 'ed25519', password, storage: from })
  const { raw, documentId } = await sx.signMessage({ n: 1 })
  const file = new File([new Uint8Array(await sx.exportStore())], 'backup.json')
  const agent = new SxAgent({ storage: to, password })
  const { agentId } = await agent.importStore(file)
  expect(agentId).toBe(sx.getAgentInfo()?.agentId)
  await agent.load()
  expect(await agent.getDocument(documentId)).toBe(raw)
  expect(await agent.verifyDocument(raw)).toBe(true)
  expect(await codeOf(agent.importStore(file))).toBe('AlreadyExists')
})

it('is refused damaged, and leaves the database empty', async () => {
  await sx.create({ name: 'Billing', algorithm: 'ed25519', password, storage: memoryStorage() })
  const backup = await sx.exportStore()
  const storage = await database()
  for (const size of [0, 100, backup.length - 100, backup.length - 1]) {
    expect(await codeOf(sx.importStore(backup.slice(0, size), { storage }))).toBe('CorruptStore')
  }
  expect(await codeOf(sx.importStore('backup.json', { storage }))).toBe('InvalidOption')
  expect([...storage.listSync([])]).toEqual([])
})
