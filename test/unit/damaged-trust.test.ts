// A trusted document that is damaged: what is said of it, and that all others count as before.
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { type Key, memoryStorage, mirrored, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encode } from '../../src/bytes.ts'
import { remote } from './remote.ts'

const password = 'a password for tests'

interface Signer {
  id: string
  document: string
  message: string
}

let good: Signer
let bad: Signer
/** What an agent has stored that trusts both. */
const whole: [Key, Uint8Array][] = []
let stored: SyncStorage

async function newSigner(name: string): Promise<Signer> {
  const { agentId } = await simple.create({ name, algorithm: 'ed25519', storage: memoryStorage(), password })
  return { id: agentId, document: simple.exportAgent(), message: (await simple.signMessage(name)).raw }
}

beforeAll(async () => {
  ;[good, bad] = [await newSigner('Good'), await newSigner('Kept secret')]
  const storage = memoryStorage()
  await simple.create({ name: 'A', algorithm: 'ed25519', storage, password })
  for (const { document } of [good, bad]) simple.trustAgent(document)
  for (const key of storage.listSync([])) whole.push([key, storage.getSync(key) as Uint8Array])
})

beforeEach(() => {
  stored = memoryStorage()
  for (const [key, bytes] of whole) stored.putSync(key, bytes)
})

/** Leaves a store as one from before decisions had witnesses. */
function makeOld(): void {
  for (const key of stored.listSync(['sx_keys', 'trust'])) stored.deleteSync(key)
}

const entry = (number = 1): Key => ['sx_data', 'trust', `${bad.id}.${number}.json`]

const storages: [string, () => Promise<Storage>][] = [
  ['that answers at once', async () => stored],
  ['that is awaited', async () => remote(stored)],
  ['that is mirrored', () => mirrored(remote(stored))],
]
const damages: [string, () => Uint8Array, string?][] = [
  ['empty', () => encode('')],
  ['not JSON', () => encode('junk')],
  ['an empty object', () => encode('{}')],
  ['cut off', () => encode(bad.document.slice(0, -1))],
  ['changed', () => encode(bad.document.replace('Kept secret', 'Kept public'))],
  ["another agent's", () => encode(good.document)],
  ['a message of the agent', () => encode(bad.message)],
  ['no text', () => Uint8Array.of(0xff, 0xfe), 'is not UTF-8 text'],
  ['what looks like a mark of removal', () => encode('{"sxTrustRemoved":""}')],
]

async function opened(storage: Storage): Promise<SxAgent> {
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  return agent
}

const ages = [true, false].flatMap((isOld) => storages.map(([name, open]) => ({ name, open, isOld })))
describe.each(ages)('on a storage $name (old: $isOld), a trusted document that is', ({ open, isOld }) => {
  beforeEach(() => {
    if (isOld) makeOld()
  })

  it.each(damages)('%s is CorruptStore naming its agent, and nothing of it is handed out', async (_, damaged, why) => {
    stored.putSync(entry(), damaged())
    const agent = await opened(await open())
    const changed = `is damaged: entry 1 of the trust in ${bad.id} was changed`
    const found = `The trusted document of ${bad.id} ${isOld ? (why ?? 'is damaged') : changed}.`
    let error: unknown
    try {
      error = agent.getTrustedAgent(bad.id)
    } catch (reason) {
      error = reason
    }
    expect(error).toBeInstanceOf(SxError)
    expect(error).toMatchObject({ code: 'CorruptStore', found })
    expect(String(error)).not.toMatch(/Kept/)
    for (const verdict of [() => agent.verifyDocument(bad.message), async () => agent.verifyDocumentSync(bad.message)])
      expect(await verdict()).toBe(false)
    await expect(agent.verifyOrThrow(bad.message)).rejects.toMatchObject({ code: 'CorruptStore' })
  })

  it.each(damages)('%s changes nothing of verdicts on others', async (_, damaged) => {
    stored.putSync(entry(), damaged())
    const agent = await opened(await open())
    const isFine = async (): Promise<void> => {
      expect(await agent.verifyOrThrow(good.message)).toMatchObject({ valid: true, trusted: true, data: 'Good' })
      expect(agent.verifyDocumentSync(good.message)).toBe(true)
      expect([agent.isTrusted(good.id), agent.getTrustedAgent(good.id)]).toEqual([true, good.document])
    }
    await isFine()
    expect(await agent.verifyDocument(bad.message)).toBe(false)
    await isFine()
    expect(agent.listTrustedAgents()).toEqual([good.id, bad.id].sort())
    expect(agent.untrustAgent(bad.id)).toBe(true)
    expect(agent.trustAgent(bad.document).agentId).toBe(bad.id)
    await agent.flush()
    expect(await agent.verifyDocument(bad.message)).toBe(true)
    await isFine()
  })
})

it('a trusted document that is restored from a backup counts again, also for who has seen it damaged', async () => {
  const agent = await opened(stored)
  for (const [, damaged] of damages) {
    stored.putSync(entry(), damaged())
    const fresh = await opened(stored)
    for (let look = 0; look < 2; look++) {
      expect(() => fresh.getTrustedAgent(bad.id)).toThrow(expect.objectContaining({ code: 'CorruptStore' }))
      expect(await fresh.verifyDocument(bad.message)).toBe(false)
    }
    stored.putSync(entry(), encode(bad.document))
    for (const reader of [agent, fresh]) {
      expect(reader.getTrustedAgent(bad.id)).toBe(bad.document)
      expect(await reader.verifyDocument(bad.message)).toBe(true)
    }
  }
})

it('a decision that is missing before a later one is named, and no other agent is disturbed', async () => {
  makeOld()
  stored.putSync(entry(3), encode(bad.document))
  const agent = await opened(stored)
  const hole = { code: 'CorruptStore', found: expect.stringContaining(`Entry 2 of the trust in ${bad.id}`) as string }
  expect(() => agent.getTrustedAgent(bad.id)).toThrow(expect.objectContaining(hole))
  await expect(agent.verifyOrThrow(bad.message)).rejects.toMatchObject(hole)
  expect(await agent.verifyDocument(good.message)).toBe(true)
  expect(agent.listTrustedAgents()).toEqual([good.id, bad.id].sort())
})

it('a trusted document beyond the limits is LimitExceeded, not damaged, unless the limits are raised', async () => {
  makeOld()
  const deep = `{"padding":${'['.repeat(200)}${']'.repeat(200)},${bad.document.slice(1)}`
  stored.putSync(entry(), encode(deep))
  for (const [limits, code] of [
    [{}, 'LimitExceeded'],
    [{ depth: 5 }, 'LimitExceeded'],
    [{ depth: 300 }, 'CorruptStore'],
  ] as const) {
    const agent = new SxAgent({ storage: stored, verifyOnly: true, limits })
    await agent.load()
    expect(() => agent.getTrustedAgent(bad.id)).toThrow(expect.objectContaining({ name: 'SxError', code }))
    expect(agent.getTrustedAgent(good.id)).toBe(good.document)
  }
})
