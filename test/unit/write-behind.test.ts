// What an agent believes after writes that were to follow later have failed (storages that write behind).
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import {
  type Key,
  type MirroredStorage,
  memoryStorage,
  mirrored,
  type Storage,
  type SyncStorage,
} from 'sx-agent/storage'
import { beforeEach, describe, expect, it } from 'vitest'
import { remote } from './remote.ts'

const password = 'a password for tests'
let inner: SyncStorage
let isFull: boolean
let storage: MirroredStorage

/** The storage below, which can be full. */
function behind(): Storage {
  return remote(inner, {
    put: (key, bytes, options) =>
      isFull ? Promise.reject(new SxError('StorageFull')) : inner.put(key, bytes, options),
  })
}

const described = (description: string): object => ({ ...(JSON.parse(simple.exportAgent()) as object), description })
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return ''
  } catch (error) {
    return error instanceof SxError ? error.code : String(error)
  }
}

/** Waits until it is known what has become of a document, without a call that would be told. */
async function given(page: MirroredStorage, { documentId }: { readonly documentId: string }): Promise<void> {
  const key = ['sx_data', 'documents', documentId.slice(0, 2), `${documentId}.1.json`]
  while (page.isPending(key)) await new Promise((resolve) => setTimeout(resolve))
}

beforeEach(async () => {
  inner = memoryStorage()
  isFull = false
  storage = await mirrored(behind())
  await simple.create({ name: 'A', algorithm: 'ed25519', storage, password })
})

describe('after writes that failed behind', () => {
  it('the documents are those that are stored, and none passes for lost', async () => {
    const first = await simple.signMessage(1)
    await simple.flush()
    isFull = true
    simple.updateDocumentSync(first.documentId, [2])
    const second = simple.signMessageSync('x')
    expect(await codeOf(() => simple.flush())).toBe('StorageFull')
    isFull = false
    expect(await simple.verifyById(first.documentId)).toMatchObject({ valid: true, data: 1 })
    expect(await simple.verifyById(second.documentId)).toMatchObject({ valid: false, code: 'NotFound' })
    expect(await codeOf(() => simple.updateDocument(first.documentId, [3]))).toBe('')
    expect(await simple.verifyById(first.documentId)).toMatchObject({ valid: true, data: [3] })
  })

  it('the agent document is the stored one, and the agent can be updated and loaded again', async () => {
    const before = simple.exportAgent()
    isFull = true
    simple.updateAgentSync(described('lost'))
    expect(await codeOf(() => simple.flush())).toBe('StorageFull')
    isFull = false
    expect(simple.exportAgent()).toBe(before)
    await simple.updateAgent(described('kept'))
    await simple.load({ storage: await mirrored(behind()), password })
    expect(JSON.parse(simple.exportAgent())).toMatchObject({ description: 'kept' })
  })

  it('an update of the agent that came too late is a conflict; the agent can be loaded again', async () => {
    const stale = await mirrored(behind())
    await simple.updateAgent(described('first'))
    simple.loadSync({ storage: stale, password }) // mirrored before, it knows nothing of the update
    simple.updateAgentSync(described('too late'))
    expect(await codeOf(() => simple.flush())).toBe('VersionConflict')
    expect(await codeOf(() => simple.updateAgent(described('still too late')))).toBe('VersionConflict')
    await simple.load({ storage: await mirrored(behind()), password })
    expect(JSON.parse(simple.exportAgent())).toMatchObject({ description: 'first' })
    expect(await codeOf(() => simple.updateAgent(described('second')))).toBe('')
  })

  it('an update of a document that came too late is a conflict and is forgotten', async () => {
    const first = await simple.signMessage([1])
    await simple.flush()
    const stale = await mirrored(behind())
    await simple.updateDocument(first.documentId, ['mine'])
    await simple.load({ storage: stale, password })
    simple.updateDocumentSync(first.documentId, ['too late'])
    expect(await codeOf(() => simple.flush())).toBe('VersionConflict')
    expect(await simple.verifyById(first.documentId)).toMatchObject({ valid: true, data: ['mine'] })
    expect(await codeOf(() => simple.updateDocument(first.documentId, ['next']))).toBe('')
  })

  it('a write that fails later is told as well, although a read of a call that was told is still on its way', async () => {
    let answer = (): void => {}
    let answered = Promise.resolve()
    const get = async (key: Key): Promise<Uint8Array | undefined> => {
      if (key.includes('revocations')) await answered // read together with the next version of the agent
      return inner.get(key)
    }
    const page = await mirrored({ ...behind(), get })
    const agent = new SxAgent({ storage: page, password })
    await agent.load()
    const { raw } = await agent.signMessage(1)
    isFull = true
    await given(page, agent.signMessageSync(2))
    answered = new Promise((resolve) => {
      answer = resolve
    })
    expect(await codeOf(() => agent.verify(raw))).toBe('StorageFull')
    const lost = agent.signMessageSync(3)
    await given(page, lost)
    answer()
    await new Promise((resolve) => setTimeout(resolve))
    expect(await codeOf(() => agent.flush())).toBe('StorageFull')
    expect(await agent.verifyById(lost.documentId)).toMatchObject({ code: 'NotFound' })
  })
})
