// Backups by the synchronous form where the storage is a copy in memory: of all that the copy has, or refused.
import { SxAgent } from 'sx-agent'
import { memoryStorage, mirrored, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeEach, describe, expect, it } from 'vitest'
import { remote } from '../unit/remote.ts'
import { PASSWORD, refusal } from './fixtures.ts'

const options = { name: 'Billing', algorithm: 'ed25519', password: PASSWORD, env: {} } as const

let below: SyncStorage
let agent: SxAgent

beforeEach(async () => {
  below = memoryStorage()
  agent = (await SxAgent.create({ ...options, storage: below })).agent
})

/** The agent as a page has it, with a copy in memory of what is stored now. */
async function opened(storage: Storage = remote(below)): Promise<SxAgent> {
  const page = new SxAgent({ storage: await mirrored(storage), password: PASSWORD, env: {} })
  await page.load()
  return page
}

/** The agent that a backup holds, where nothing else is. */
async function restored(backup: Uint8Array): Promise<SxAgent> {
  const found = new SxAgent({ storage: memoryStorage(), password: PASSWORD, env: {} })
  await found.importStore(backup)
  await found.load()
  return found
}

/** A storage that has to be awaited, and takes no writes until it is let. */
function held(): { storage: Storage; release: () => void } {
  let release = (): void => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  const put: Storage['put'] = async (key, bytes, how) => {
    await free
    return below.put(key, bytes, how)
  }
  return { storage: remote(below, { put }), release }
}

describe('a copy in memory', () => {
  it('that misses a version of a document makes no backup, until an asynchronous call has read it', async () => {
    const page = await opened()
    const { documentId } = await agent.signMessage({ n: 1 })
    await agent.updateDocument(documentId, '{"n":2}')
    const last = await agent.updateDocument(documentId, '{"n":3}')
    expect((await page.verifyById(documentId)).valid).toBe(true) // reads the last version and not those before it
    const { found } = await refusal(() => page.exportStoreSync(), 'SyncStorageUnavailable')
    expect(found).toMatch(/^The in-memory copy lacks documents\/.*\.1\.json\.$/)
    for (const backup of [await page.exportStore(), page.exportStoreSync()]) {
      expect(await (await restored(backup)).getDocument(documentId)).toBe(last)
    }
  })

  it('is saved with what its agent has decided, or not at all, never with what was there before', async () => {
    const { agent: friend } = await SxAgent.create({ ...options, name: 'Friend', storage: memoryStorage() })
    const id = friend.getAgentInfo()?.agentId ?? ''
    const decided = async (decide: (page: SxAgent) => void, expected: string[]): Promise<void> => {
      const { storage, release } = held()
      const page = await opened(storage)
      decide(page)
      await refusal(() => page.exportStoreSync(), 'SyncStorageUnavailable')
      const waiting = page.exportStore()
      release()
      for (const backup of [await waiting, page.exportStoreSync()]) {
        expect((await restored(backup)).listTrustedAgents()).toEqual(expected)
      }
      await page.close()
    }
    await decided((page) => page.trustAgent(friend.exportAgent()), [id])
    await decided((page) => page.untrustAgent(id), [])
    await decided((page) => page.trustAgent(friend.exportAgent()), [id])
  })
})
