// An import that dies at any of its steps: until its agent is there nothing of it counts, and after that all of it does.
import { SxAgent, SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { remote } from '../unit/remote.ts'
import { PASSWORD, refusal } from './fixtures.ts'

const opening = { password: PASSWORD, env: {} } as const
const options = { algorithm: 'ed25519', ...opening } as const
const created = async (name: string, storage: Storage = memoryStorage()): Promise<SxAgent> =>
  (await SxAgent.create({ ...options, name, storage })).agent
const idOf = (agent: SxAgent): string => agent.getAgentInfo()?.agentId ?? ''

let backup: Uint8Array
let agentId: string
let document: string
/** Trusted; trusted once; known by a file of its public key. */
let others: { friend: SxAgent; former: SxAgent; known: SxAgent }
/** What each of them has signed. */
let signed: { friend: string; former: string; known: string }

beforeAll(async () => {
  const storage = memoryStorage()
  const agent = await created('Billing', storage)
  others = { friend: await created('Friend'), former: await created('Former'), known: await created('Known') }
  const { friend, former, known } = others
  storage.putSync(['sx_keys', `${idOf(known)}.public.pem`], new TextEncoder().encode(known.getPublicKey()))
  agent.trustAgent(friend.exportAgent())
  agent.trustAgent(former.exportAgent())
  agent.untrustAgent(idOf(former))
  agentId = idOf(agent)
  document = (await agent.signMessage('mine')).documentId
  const say = async (other: SxAgent): Promise<string> => (await other.signMessage('hello')).raw
  signed = { friend: await say(friend), former: await say(former), known: await say(known) }
  backup = await agent.exportStore()
})

const isTrusted = async (agent: SxAgent, raw: string): Promise<boolean> => (await agent.verify(raw)).trusted

/** That the agent is whole again. */
async function expectWhole(storage: Storage): Promise<void> {
  const agent = new SxAgent({ storage, ...opening })
  await agent.load()
  expect(idOf(agent)).toBe(agentId)
  expect(agent.listTrustedAgents()).toEqual([idOf(others.friend)])
  expect(await isTrusted(agent, signed.friend)).toBe(true)
  expect(await isTrusted(agent, signed.former)).toBe(false)
  expect(await agent.verify(signed.known)).toMatchObject({ valid: true, trusted: false })
  expect(await agent.verifyById(document)).toMatchObject({ valid: true, trusted: true })
  await agent.close()
}

/** That another agent knows nobody. */
async function expectStranger(agent: SxAgent): Promise<void> {
  expect(agent.listTrustedAgents()).toEqual([])
  for (const [name, raw] of Object.entries(signed)) {
    expect([name, (await agent.verify(raw)).code]).toEqual([name, 'UnknownSigner'])
  }
}

/** A storage that dies before or after its n-th change, and what it holds then. */
function mortal(room: number, isDone: boolean): { inner: SyncStorage; storage: Storage; isDead: () => boolean } {
  const inner = memoryStorage()
  let left = room
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left > 0) {
      left -= 1
      return await work()
    }
    if (left === 0 && isDone) await work()
    left = -1
    throw new SxError('StorageUnavailable')
  }
  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left < 0) throw new SxError('StorageUnavailable')
    return await work()
  }
  const storage = remote(inner, {
    get: (key) => read(() => inner.get(key)),
    put: (key, bytes, how) => change(() => inner.put(key, bytes, how)),
    delete: (key) => change(() => inner.delete(key)),
    list: async function* (prefix, how) {
      if (left < 0) throw new SxError('StorageUnavailable')
      yield* inner.listSync(prefix, how)
    },
  })
  return { inner, storage, isDead: () => left < 0 }
}

/** Kills an import at each of its steps, and looks at what it leaves. */
async function everyDeath(look: (storage: SyncStorage, isNamed: boolean) => Promise<void>): Promise<void> {
  const seen = { before: 0, after: 0 }
  for (let room = 0; ; room++) {
    for (const isDone of [false, true]) {
      const { inner, storage, isDead } = mortal(room, isDone)
      await new SxAgent({ storage, ...opening }).importStore(backup).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'StorageUnavailable' })
      })
      if (!isDead()) {
        expect(seen.before).toBeGreaterThan(5)
        expect(seen.after).toBeGreaterThan(10)
        return
      }
      const isNamed = inner.getSync(['sx.config.json']) !== undefined
      seen[isNamed ? 'after' : 'before'] += 1
      await look(inner, isNamed)
    }
  }
}

describe('K09 an import that dies', () => {
  it('K09 leaves nothing that another agent trusts that is created there', async () => {
    let starts = 0
    await everyDeath(async (storage, isNamed) => {
      if (isNamed) return
      const profile = { ...options, name: 'Another', domain: 'example.com', storage }
      await ((starts += 1) % 2 === 0 ? sx.create(profile) : sx.quickstart(profile))
      const agent = new SxAgent({ storage, ...opening })
      await agent.load()
      expect(idOf(agent)).not.toBe(agentId)
      await expectStranger(agent)
      expect([...storage.listSync(['sx_data', 'trust'])]).toEqual([])
      expect([...storage.listSync(['sx_keys', '.new'])]).toEqual([])
    })
  })

  it('K09 is finished by importing again, or by the next load once the agent is there', async () => {
    await everyDeath(async (storage, isNamed) => {
      if (!isNamed) await new SxAgent({ storage, ...opening }).importStore(backup)
      await expectWhole(storage)
      expect([...storage.listSync(['sx_keys', '.new'])]).toEqual([])
    })
  })

  it('K09 shows who only verifies no trust that was taken back', async () => {
    await everyDeath(async (storage, isNamed) => {
      if (!isNamed) return
      const before = [...storage.listSync([])]
      const agent = new SxAgent({ storage, verifyOnly: true })
      await agent.load()
      expect(await isTrusted(agent, signed.former)).toBe(false)
      expect([...storage.listSync([])]).toEqual(before)
      await agent.close()
    })
  })
})

describe('an import that fails', () => {
  const gone = (): never => {
    throw new SxError('StorageUnavailable')
  }

  it('leaves what another import of the same backup has staged, which may be an agent by then', async () => {
    const inner = memoryStorage()
    let isDead = false
    const dies = remote(inner, {
      put: async (key, bytes, how) => {
        if (isDead) gone()
        const isPut = await inner.put(key, bytes, how)
        isDead = key[0] === 'sx.config.json'
        return isPut
      },
      delete: async (key) => (isDead ? gone() : inner.delete(key)),
    })
    const fails = remote(inner, {
      put: async (key, bytes, how) => {
        if (key[0] !== 'sx_data') return inner.put(key, bytes, how)
        // Both have staged the parts; now the other one names the agent, and dies before it moves them.
        await new SxAgent({ storage: dies, ...opening }).importStore(backup).catch(() => {})
        return gone()
      },
    })
    const failing = new SxAgent({ storage: fails, ...opening }).importStore(backup)
    await expect(failing).rejects.toMatchObject({ code: 'StorageUnavailable' })
    expect(isDead).toBe(true)
    await expectWhole(inner)
  })

  it('is finished by the same backup; another one of the agent is told what is in its way', async () => {
    const inner = memoryStorage()
    const put: Storage['put'] = async (key, bytes, how) => (key[0] === 'sx_data' ? gone() : inner.put(key, bytes, how))
    const limited = new SxAgent({ storage: remote(inner, { put }), ...opening })
    await expect(limited.importStore(backup)).rejects.toMatchObject({ code: 'StorageUnavailable' })
    const source = memoryStorage()
    await new SxAgent({ storage: source, ...opening }).importStore(backup)
    const later = new SxAgent({ storage: source, ...opening })
    await later.load()
    await later.signMessage('later')
    await later.reencryptKey(PASSWORD, 'another password')
    const agent = new SxAgent({ storage: inner, ...opening })
    const before = [...inner.listSync([])]
    const { found } = await refusal(async () => agent.importStore(await later.exportStore()), 'AlreadyExists')
    const [staged = []] = [...inner.listSync(['sx_keys', '.new'])]
    expect(found).toContain(staged.join('/'))
    expect([...inner.listSync([])]).toEqual(before)
    await agent.importStore(backup)
    await expectWhole(inner)
  })
})
