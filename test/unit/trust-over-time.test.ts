// Trust that was taken back stays taken back, whoever asks (K02), and only who can write the key directory decides (K08).
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import {
  type Key,
  memoryStorage,
  mirrored,
  prefixed,
  type Storage,
  type SyncStorage,
  unstorageAdapter,
} from 'sx-agent/storage'
import { createStorage } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { encode } from '../../src/bytes.ts'
import { remote } from './remote.ts'

const password = 'a password for tests'
const options = { algorithm: 'ed25519', name: 'Billing', password } as const

let other: { id: string; document: string; message: string }

beforeAll(async () => {
  const { agentId } = await simple.create({ ...options, name: 'Other', storage: memoryStorage() })
  other = { id: agentId, document: simple.exportAgent(), message: (await simple.signMessage('hello')).raw }
})

/** The same entries in another storage, as a process sees them that has just begun. */
function copyOf(storage: SyncStorage, isKept: (key: Key) => boolean = () => true): SyncStorage {
  const copy = memoryStorage()
  for (const key of storage.listSync([])) {
    if (isKept(key)) copy.putSync(key, storage.getSync(key) ?? new Uint8Array())
  }
  return copy
}

async function loaded(storage: Storage): Promise<SxAgent> {
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  return agent
}

/** A store of an agent; all others are copies, for to make a key takes long. */
let original: SyncStorage | undefined

/** Puts an agent into a storage, and loads it. */
async function begin(storage: Storage): Promise<void> {
  if (original === undefined) {
    original = memoryStorage()
    await simple.create({ ...options, storage: original })
  }
  for (const key of original.listSync([])) await storage.put(key, original.getSync(key) ?? new Uint8Array())
  await simple.load({ storage, password })
}

/** A store of an agent that trusts the other one. */
async function trusting(): Promise<SyncStorage> {
  const storage = memoryStorage()
  await begin(storage)
  simple.trustAgent(other.document)
  return storage
}

const audited = async (storage: Storage): Promise<string[]> =>
  (await simple.audit({ storage, password })).risks.map(({ code, severity }) => `${severity} ${code}`)

describe.each<[string, () => Storage | Promise<Storage>]>([
  ['that answers at once', () => memoryStorage()],
  ['that is awaited', () => remote(memoryStorage())],
  [
    'that is awaited, of one writer',
    () => unstorageAdapter(createStorage({ driver: memoryDriver() }), { singleWriter: true }),
  ],
  ['that is mirrored', () => mirrored(remote(memoryStorage()))],
])('agents on one storage %s', (_, open) => {
  it('K02 (a): one sees at once what another one has decided', async () => {
    const storage = await open()
    await begin(storage)
    simple.trustAgent(other.document)
    await simple.flush()
    const second = await loaded(storage)
    const third = await loaded(storage)
    expect([second.isTrusted(other.id), third.isTrusted(other.id)]).toEqual([true, true])
    expect(third.untrustAgent(other.id)).toBe(true)
    expect([simple.isTrusted(other.id), second.isTrusted(other.id)]).toEqual([false, false])
    expect(second.listTrustedAgents()).toEqual([])
    await third.flush()
    for (const agent of [second, third]) expect(await agent.verifyDocument(other.message)).toBe(false)
    expect((await simple.verify(other.message)).valid).toBe(false)
    await Promise.all([second.close(), third.close()])
    expect(simple.isTrusted(other.id)).toBe(false)
  })

  it('K02 (b): what waits to be written survives a reload, and one failure is told to who decided', async () => {
    const storage = await open()
    await begin(storage)
    simple.trustAgent(other.document)
    await simple.flush()
    simple.untrustAgent(other.id)
    await simple.load({ storage, verifyOnly: true })
    expect(simple.isTrusted(other.id)).toBe(false)
    await simple.flush()
    expect(simple.isTrusted(other.id)).toBe(false)
    expect((await simple.verify(other.message)).valid).toBe(false)
    expect((await loaded(storage)).isTrusted(other.id)).toBe(false)
  })
})

/** A store that one process alone writes to. */
const single = (): Storage => unstorageAdapter(createStorage({ driver: memoryDriver() }), { singleWriter: true })
/** The same by a storage that the library does not know, and so its ground neither. */
const foreign = (inner: Storage): Storage => ({
  capabilities: inner.capabilities,
  get: (key) => inner.get(key),
  put: (key, bytes, how) => inner.put(key, bytes, how),
  delete: (key) => inner.delete(key),
  list: (prefix, how) => inner.list(prefix, how),
  flush: () => inner.flush(),
  close: () => inner.close(),
})

describe.each<[string, () => Promise<[Storage, Storage]>]>([
  [
    'adapters of one unstorage',
    async () => {
      const driver = createStorage({ driver: memoryDriver() })
      return [unstorageAdapter(driver, { singleWriter: true }), unstorageAdapter(driver, { singleWriter: true })]
    },
  ],
  [
    'parts',
    async () => {
      const store = single()
      return [prefixed(prefixed(store, ['a']), ['b']), prefixed(store, ['a', 'b'])]
    },
  ],
])('two %s on one store', (_, open) => {
  it('K02: an agent on one sees at once what an agent on the other decides, also when the first one is closed', async () => {
    const [one, two] = await open()
    await begin(one)
    simple.trustAgent(other.document)
    await simple.flush()
    const second = await loaded(two)
    expect(second.isTrusted(other.id)).toBe(true)
    expect(simple.untrustAgent(other.id)).toBe(true)
    expect(second.isTrusted(other.id)).toBe(false)
    await simple.flush()
    expect(await second.verifyDocument(other.message)).toBe(false)
    await simple.close()
    await one.close()
    second.trustAgent(other.document)
    await second.flush()
    expect(await second.verifyDocument(other.message)).toBe(true)
    expect((await loaded(two)).isTrusted(other.id)).toBe(true)
  })
})

describe.each<[string, () => Promise<[Storage, Storage]>]>([
  [
    'adapters of one unstorage',
    async () => {
      const driver = createStorage({ driver: memoryDriver() })
      return [unstorageAdapter(driver, { singleWriter: true }), unstorageAdapter(driver, { singleWriter: true })]
    },
  ],
  [
    'mirrors',
    async () => {
      const store = single()
      return [await mirrored(store), await mirrored(store)]
    },
  ],
  [
    'views, the store and a mirror of it,',
    async () => {
      const store = single()
      return [store, await mirrored(store)]
    },
  ],
  [
    'foreign views',
    async () => {
      const store = single()
      return [foreign(store), foreign(store)]
    },
  ],
])('two %s on one store', (_, open) => {
  it('K02: an agent on one knows what an agent on the other decides with its next awaited verdict, or refresh', async () => {
    const [one, two] = await open()
    await begin(one)
    simple.trustAgent(other.document)
    await simple.flush()
    const [second, third] = [await loaded(two), await loaded(two)]
    expect(await second.verifyDocument(other.message)).toBe(true)
    simple.untrustAgent(other.id)
    await simple.flush()
    expect(await second.verifyDocument(other.message)).toBe(false)
    await third.refresh()
    expect(third.isTrusted(other.id)).toBe(false)
  })

  it('K01: an agent on one follows a rotation by an agent on the other', async () => {
    const [one, two] = await open()
    await begin(one)
    const second = new SxAgent({ storage: two, password })
    await second.load()
    const before = await second.signMessage('hello')
    await simple.rotateKey({ reason: 'compromised' })
    expect((await second.verify(before.raw)).code).toBe('KeyRevoked')
    await expect(second.signMessage('again')).rejects.toMatchObject({ code: 'KeyRevoked' })
    await second.close()
    await simple.close()
  })
})

it('K02: a decision that is refused later is told to the agent that decided, once', async () => {
  const below = memoryStorage()
  const isDown = { value: false }
  const storage = remote(below, {
    put: async (key, bytes, how) => {
      if (isDown.value && key.includes('trust')) throw new Error('down')
      return below.put(key, bytes, how)
    },
  })
  await begin(storage)
  const second = await loaded(storage)
  isDown.value = true
  second.trustAgent(other.document)
  await simple.flush()
  isDown.value = false
  await expect(second.flush()).rejects.toMatchObject({ code: 'StorageUnavailable' })
  await second.flush()
  expect([simple.isTrusted(other.id), second.isTrusted(other.id)]).toEqual([false, false])
})

it('K02 (c): refresh shows synchronous calls what another process has decided', async () => {
  const below = memoryStorage()
  await begin(below)
  const here = await loaded(remote(below))
  simple.trustAgent(other.document)
  below.putSync(['sx_keys', `${other.id}.public.pem`], encode('not a key'))
  expect(here.isTrusted(other.id)).toBe(false)
  await here.refresh()
  expect([here.isTrusted(other.id), here.listTrustedAgents()]).toEqual([true, [other.id]])
  expect(here.getTrustedAgent(other.id)).toBe(other.document)
  expect(here.verifyDocumentSync(other.message)).toBe(false) // the key directory says something else now
  below.deleteSync(['sx_keys', `${other.id}.public.pem`])
  simple.untrustAgent(other.id)
  expect(here.isTrusted(other.id)).toBe(true)
  await here.refresh()
  expect([here.isTrusted(other.id), here.listTrustedAgents()]).toEqual([false, []])
  expect(() => here.refreshSync()).toThrow(expect.objectContaining({ code: 'SyncStorageUnavailable' }))
  expect(simple.refreshSync()).toBe(undefined)
})

describe('a copy in memory that was read in the middle of a decision, with its witness alone', () => {
  /** A page that has listed the data directory before the latest entry came. */
  async function pageWithout(below: SyncStorage, number: number): Promise<SyncStorage> {
    const isOpening = { value: true }
    const isLate = ([, , name]: Key): boolean => isOpening.value && name === `${other.id}.${number}.json`
    const list: Storage['list'] = async function* (prefix, how) {
      for await (const key of below.list(prefix, how)) if (!isLate(key)) yield key
    }
    const page = await mirrored(remote(below, { list }))
    isOpening.value = false
    return page
  }
  const inPart = expect.objectContaining({
    code: 'SyncStorageUnavailable',
    found: expect.stringContaining('`refresh`') as string,
  }) as Error

  it('neither denies nor counts trust, and knows after refresh', async () => {
    const storage = await trusting()
    const page = await loaded(await pageWithout(storage, 1))
    for (const ask of [
      () => page.isTrusted(other.id),
      () => page.getTrustedAgent(other.id),
      () => page.listTrustedAgents(),
      () => page.verifyOrThrowSync(other.message),
      () => page.trustAgent(other.document),
    ]) {
      expect(ask).toThrow(inPart)
    }
    await page.refresh()
    expect([page.isTrusted(other.id), page.listTrustedAgents()]).toEqual([true, [other.id]])
    simple.untrustAgent(other.id)
    simple.trustAgent(other.document)
    simple.untrustAgent(other.id)
    const later = await loaded(await pageWithout(storage, 4))
    expect(() => later.isTrusted(other.id)).toThrow(inPart)
    expect(await later.verifyDocument(other.message)).toBe(false)
    expect(later.isTrusted(other.id)).toBe(false)
  })

  it('takes trust back, and keeps no backup without it', async () => {
    const storage = await trusting()
    simple.untrustAgent(other.id)
    simple.trustAgent(other.document)
    const opened = await pageWithout(storage, 3)
    await simple.load({ storage: opened, password })
    expect(() => simple.exportStoreSync()).toThrow(inPart)
    expect(simple.untrustAgent(other.id)).toBe(true)
    expect(simple.isTrusted(other.id)).toBe(false)
    await simple.flush()
    const fresh = await loaded(storage)
    expect(fresh.isTrusted(other.id)).toBe(false)
    await expect(fresh.verifyOrThrow(other.message)).rejects.toMatchObject({ code: 'UnknownSigner' })
    expect(await audited(storage)).toEqual([])
  })
})

describe.each<[string, (storage: SyncStorage) => Storage]>([
  ['that answers at once', (storage) => storage],
  ['that is awaited', (storage) => remote(storage)],
])('who writes only the data directory of a storage %s', (_, as) => {
  it('K08: adds no trust, and audit finds it', async () => {
    const storage = memoryStorage()
    await begin(storage)
    expect(await audited(storage)).toEqual([])
    storage.putSync(['sx_data', 'trust', `${other.id}.1.json`], encode(other.document))
    const fresh = await loaded(as(copyOf(storage)))
    expect([fresh.isTrusted(other.id), fresh.listTrustedAgents()]).toEqual([false, []])
    expect(await fresh.verifyDocument(other.message)).toBe(false)
    expect(await audited(as(storage))).toEqual(['medium UnwitnessedTrust'])
    // A decision passes over it.
    fresh.trustAgent(other.document)
    await fresh.flush()
    expect(await fresh.verifyDocument(other.message)).toBe(true)
  })

  it('K08: adds no trust before there is an agent, whoever has a public key there', async () => {
    const storage = memoryStorage()
    storage.putSync(['sx_data', 'trust', `${other.id}.1.json`], encode(other.document))
    const { sxPublicKeys } = JSON.parse(other.document) as { sxPublicKeys: [{ publicKey: string }] }
    storage.putSync(['sx_keys', `${other.id}.public.pem`], encode(sxPublicKeys[0].publicKey))
    await simple.create({ ...options, storage })
    expect(simple.listTrustedAgents()).toEqual([])
    expect(await audited(storage)).toEqual(['medium UnwitnessedTrust'])
  })

  it('K08: an agent beside one from before takes nothing from that one', async () => {
    const storage = await trusting()
    const old = copyOf(storage, (key) => !(key[0] === 'sx_keys' && key[1] === 'trust'))
    const files = { sxAgentPrivateKeyFilename: 'b.private.pem', sxAgentPublicKeyFilename: 'b.public.pem' }
    old.putSync(['beside.json'], encode(JSON.stringify(files)))
    await simple.create({ ...options, configPath: 'beside.json', storage: old })
    expect((await loaded(as(old))).isTrusted(other.id)).toBe(true)
  })

  it('K08: takes back no removal, and audit finds it', async () => {
    const storage = await trusting()
    simple.untrustAgent(other.id)
    expect(await audited(storage)).toEqual([])
    const isOfRemoval = ([, , name]: Key): boolean => name === `${other.id}.2.json` || name === `${other.id}.latest`
    const robbed = copyOf(storage, (key) => key[0] !== 'sx_data' || !isOfRemoval(key))
    const fresh = await loaded(as(robbed))
    expect(await fresh.verifyDocument(other.message)).toBe(false)
    await expect(fresh.verifyOrThrow(other.message)).rejects.toMatchObject({ code: 'Rollback' })
    expect(await audited(as(robbed))).toEqual(['high Rollback'])
    // Whoever looks after the store takes it back again.
    fresh.untrustAgent(other.id)
    await fresh.flush()
    await expect(fresh.verifyOrThrow(other.message)).rejects.toMatchObject({ code: 'UnknownSigner' })
  })

  it('K08: changes nothing by putting another document in its place', async () => {
    const storage = await trusting()
    const entry = ['sx_data', 'trust', `${other.id}.1.json`]
    storage.putSync(entry, encode(other.document.replace('{', '{ ')))
    const fresh = await loaded(as(copyOf(storage)))
    await expect(fresh.verifyOrThrow(other.message)).rejects.toMatchObject({ code: 'CorruptStore' })
    expect(await audited(as(storage))).toContain('high CorruptStore')
  })

  it('K08: a decision that another agent has signed, or that is missing, is no trust in anybody', async () => {
    const stranger = (await simple.create({ ...options, name: 'Stranger', storage: memoryStorage() })).agentId
    const document = simple.exportAgent()
    const message = (await simple.signMessage('hello')).raw
    const storage = await trusting()
    const entry = ['sx_data', 'trust', `${other.id}.1.json`]
    const old = copyOf(storage, (key) => !(key[0] === 'sx_keys' && key[1] === 'trust'))
    for (const [from, isGone, code] of [
      [storage, false, 'CorruptStore'],
      [storage, true, 'Rollback'],
      [old, false, 'CorruptStore'],
    ] as const) {
      const changed = copyOf(from)
      if (isGone) changed.deleteSync(entry)
      else changed.putSync(entry, encode(document))
      const fresh = await loaded(as(changed))
      await expect(fresh.verifyOrThrow(other.message)).rejects.toMatchObject({ code })
      expect(await fresh.verifyDocument(message)).toBe(false)
      expect(fresh.isTrusted(stranger)).toBe(false)
      // A copy in memory cannot tell a decision that is missing from one that it has not read.
      const said = isGone && as(storage) !== storage ? 'SyncStorageUnavailable' : code
      expect(() => fresh.trustAgent(other.document)).toThrow(expect.objectContaining({ code: said }))
      // Nothing is lost: whoever looks after the store takes it back, and decides again.
      fresh.untrustAgent(other.id)
      fresh.trustAgent(other.document)
      await fresh.flush()
      expect(await fresh.verifyDocument(other.message)).toBe(true)
    }
  })

  it('K08: a decision whose witness is missing does not count until it is made again', async () => {
    const storage = await trusting()
    const witness = ['sx_keys', 'trust', `${other.id}.1.witness`]
    const without = copyOf(storage)
    without.deleteSync(witness)
    const fresh = await loaded(as(without))
    await expect(fresh.verifyOrThrow(other.message)).rejects.toMatchObject({ code: 'UnknownSigner' })
    expect(await audited(as(without))).toEqual(['medium UnwitnessedTrust'])
    fresh.trustAgent(other.document)
    await fresh.flush()
    expect(await fresh.verifyDocument(other.message)).toBe(true)
    expect(without.getSync(witness)).toBeDefined()
  })

  it('K08: a store from before is read as it is, and upgraded by its next decision', async () => {
    const storage = await trusting()
    const [id, document] = [simple.getAgentInfo()?.agentId ?? '', simple.exportAgent()]
    const old = copyOf(storage, (key) => !(key[0] === 'sx_keys' && key[1] === 'trust'))
    expect(await audited(as(old))).toEqual(['low UnwitnessedTrust'])
    const agent = await loaded(as(old))
    expect(await agent.verifyDocument(other.message)).toBe(true)
    agent.trustAgent(document)
    await agent.flush()
    expect(await audited(as(old))).toEqual([])
    expect((await loaded(as(copyOf(old)))).listTrustedAgents()).toEqual([id, other.id].sort())
    old.putSync(['sx_data', 'trust', `${other.id}.2.json`], encode('{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAA"}'))
    expect((await loaded(as(copyOf(old)))).isTrusted(other.id)).toBe(true)
  })
})

it('K08: a witness that is damaged or of another agent is said, and trust can be taken back', async () => {
  const storage = await trusting()
  const witness = ['sx_keys', 'trust', `${other.id}.1.witness`]
  const whole = new TextDecoder().decode(storage.getSync(witness))
  expect(whole).toMatch(new RegExp(`^{"agentId":"${other.id}","number":1,"sha256":"[0-9a-f]{64}"}$`))
  for (const bad of ['', whole.slice(1), whole.replace(other.id, simple.getAgentInfo()?.agentId ?? '')]) {
    const damaged = copyOf(storage)
    damaged.putSync(witness, encode(bad))
    const fresh = await loaded(damaged)
    expect(() => fresh.isTrusted(other.id)).toThrow(expect.objectContaining({ code: 'CorruptStore' }))
    expect(() => fresh.trustAgent(other.document)).toThrow(expect.objectContaining({ code: 'CorruptStore' }))
    expect(await audited(damaged)).toEqual(['high CorruptStore'])
    expect(fresh.untrustAgent(other.id)).toBe(true)
    expect(fresh.isTrusted(other.id)).toBe(false)
    fresh.trustAgent(other.document)
    expect(await fresh.verifyDocument(other.message)).toBe(true)
  }
})

it('K08: a key directory that takes no writes refuses the decision, and says so', async () => {
  const below = memoryStorage()
  await begin(below)
  const storage = remote(below, {
    put: async (key, bytes, how) => {
      if (key[0] === 'sx_keys') throw new Error('read only')
      return below.put(key, bytes, how)
    },
  })
  const agent = await loaded(storage)
  agent.trustAgent(other.document)
  const found = expect.stringContaining('could not be written to the key directory') as string
  await expect(agent.flush()).rejects.toMatchObject({ code: 'StorageUnavailable', found })
  expect(agent.isTrusted(other.id)).toBe(false)
})

it('K08: a backup holds what counts, and it counts where it is restored', async () => {
  const storage = await trusting()
  const third = (await simple.create({ ...options, name: 'Third', storage: memoryStorage() })).agentId
  const document = simple.exportAgent()
  await simple.load({ storage, password })
  storage.putSync(['sx_data', 'trust', `${third}.1.json`], encode(document))
  const backup = await simple.exportStore()
  const target = memoryStorage()
  await simple.importStore(backup, { storage: target })
  expect(await audited(target)).toEqual([])
  expect((await loaded(target)).listTrustedAgents()).toEqual([other.id])
})

it('K02: a decision that is refused is told to each flush of that time, also where the agent is loaded again', async () => {
  const below = memoryStorage()
  let reach = (): void => {}
  let fail: (error: Error) => void = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const failed = new Promise<boolean>((_, reject) => {
    fail = reject
  })
  let isDown = false
  const storage = remote(below, {
    put: async (key, bytes, how) => {
      if (!isDown || !key.includes('trust')) return await below.put(key, bytes, how)
      reach()
      return await failed
    },
  })
  await begin(storage)
  const agent = await loaded(storage)
  isDown = true
  agent.trustAgent(other.document)
  const flushes = [agent.flush(), agent.flush()]
  await reached
  await agent.load()
  flushes.push(agent.flush())
  fail(new Error('down'))
  for (const { status, reason } of (await Promise.allSettled(flushes)) as PromiseRejectedResult[]) {
    expect([status, (reason as { code: string } | undefined)?.code]).toEqual(['rejected', 'StorageUnavailable'])
  }
  await agent.flush() // it was told
  expect(agent.isTrusted(other.id)).toBe(false)
})

it('K02 a page that reads a later decision meanwhile goes back to none from before its own', async () => {
  const { agent: signer, agentId } = await SxAgent.create({ ...options, storage: memoryStorage() })
  const first = signer.exportAgent()
  const { raw } = await signer.signMessage('hello')
  await signer.rotateKey({ reason: 'compromised' })
  const memory = memoryStorage()
  await begin(memory)
  simple.trustAgent(first)
  let [reach, open] = [(): void => {}, (): void => {}]
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let isHeld = false
  const get: Storage['get'] = async (key) => {
    if (isHeld && key.at(-1) === `${agentId}.3.json`) {
      reach()
      await opened
    }
    return memory.get(key)
  }
  const page = await loaded(await mirrored(remote(memory, { get })))
  expect((await page.verify(raw)).trusted).toBe(true)
  page.trustAgent(signer.exportAgent())
  await page.flush()
  simple.untrustAgent(agentId)
  isHeld = true
  const verifying = page.verify(raw)
  await reached // the page knows that there is a decision, and not what it is
  expect(page.verifySync(raw)).toMatchObject({ valid: false, trusted: false })
  open()
  expect((await verifying).code).toBe('UnknownSigner')
  await page.close()
})
