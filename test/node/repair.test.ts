// Copies of a store that were made while somebody wrote: what repairing them puts right, and what it only reports.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage, mirrored } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { remote } from '../unit/remote.ts'
import { agentIn, configIn, entryPath, filesOf, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'

const forms = [
  { form: 'async', repair: sx.repairStore },
  { form: 'sync', repair: async (options: sx.RepairOptions) => sx.repairStoreSync(options) },
]

/** The folder of an agent, and another agent; made once, for to make a key takes long. */
let original: string
let other: SxAgent
beforeAll(async () => {
  original = newFolder()
  await sx.create(agentIn(original))
  const storage = memoryStorage()
  ;({ agent: other } = await SxAgent.create({ name: 'Other', algorithm: 'ed25519', password: PASSWORD, storage }))
})

/** A copy of the agent. */
async function begin(): Promise<{ folder: string; agent: SxAgent }> {
  const folder = newFolder()
  cpSync(original, folder, { recursive: true })
  const agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  return { folder, agent }
}

/** A store in a folder, with a document of four versions and an agent that was trusted once. */
async function store(): Promise<{ folder: string; agent: SxAgent; agentId: string; id: string; other: SxAgent }> {
  const { folder, agent } = await begin()
  const agentId = agent.getAgentInfo()?.agentId ?? ''
  const { documentId: id } = await agent.signMessage({ n: 1 })
  for (const n of [2, 3, 4]) await agent.updateDocument(id, JSON.stringify({ n }))
  agent.trustAgent(other.exportAgent())
  agent.untrustAgent(other.getAgentInfo()?.agentId ?? '')
  return { folder, agent, agentId, id, other }
}

/** A copy that lacks some of its files. */
function copyWithout(folder: string, ...lost: ((copy: string) => string)[]): string {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true })
  for (const path of lost) rmSync(path(copy))
  return copy
}

const entriesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(treeOf(folder)).filter(([path]) => /\.\d+\.json$/.test(path)))

it('refuses a copy in memory, which may not have read what it would call lost', async () => {
  const storage = memoryStorage()
  const { agent } = await SxAgent.create({ name: 'Billing', algorithm: 'ed25519', password: PASSWORD, storage })
  const copy = await mirrored(remote(storage))
  const id = agent.trustAgent(other.exportAgent()).agentId
  const isWitness = (key: readonly string[]): boolean => key[0] === 'sx_keys'
  await copy.invalidate([...storage.listSync([])].filter(isWitness))
  await refusal(() => sx.repairStoreSync({ storage: copy }), 'SyncStorageUnavailable')
  expect(await sx.repairStore({ storage: copy })).toMatchObject({ repaired: [], problems: [] })
  expect(agent.isTrusted(id)).toBe(true)
})

it('K14 does not take a read that fails for a decision that is lost', async () => {
  const storage = memoryStorage()
  const id = other.getAgentInfo()?.agentId ?? ''
  await sx.create({ name: 'Billing', algorithm: 'ed25519', password: PASSWORD, storage })
  sx.trustAgent(other.exportAgent())
  storage.putSync(['sx_data', 'trust', `${id}.latest`], new TextEncoder().encode('2'))
  let left = 1
  const failing = remote(storage, {
    get: async (key) => {
      if (key.at(-1) === `${id}.witness` && left-- > 0) throw new Error('The line is down.')
      return storage.get(key)
    },
  })
  await refusal(() => sx.repairStore({ storage: failing }), 'StorageUnavailable')
  await sx.load({ storage, password: PASSWORD })
  expect(sx.isTrusted(id)).toBe(true)
})

describe.each(forms)('K14 repairing a copy of a store, $form', ({ repair }) => {
  it('K14 lets a document that has lost its latest versions go on', async () => {
    const { folder, id } = await store()
    const entry =
      (number: number) =>
      (copy: string): string =>
        entryPath(copy, id, number)
    const copy = copyWithout(folder, entry(3), entry(4))
    const agent = new SxAgent({ password: PASSWORD, env: {} })
    await agent.load(configIn(copy))
    await refusal(() => agent.getDocument(id), 'Rollback')
    const before = entriesIn(copy)
    const result = await repair({ configPath: configIn(copy) })
    expect(result).toEqual({
      configPath: configIn(copy),
      repaired: [{ id, kind: 'document', from: 4, to: 2 }],
      problems: [],
    })
    expect([result, result.repaired, result.problems, result.repaired[0]].every(Object.isFrozen)).toBe(true)
    expect(entriesIn(copy)).toEqual(before)
    await agent.load(configIn(copy))
    expect(await agent.verifyById(id)).toMatchObject({ valid: true, data: { n: 2 } })
    const raw = await agent.updateDocument(id, '{"n":5}')
    expect(await agent.getDocument(id)).toBe(raw)
    expect(await agent.listVersions(id)).toHaveLength(3)
    expect(await repair({ configPath: configIn(copy) })).toMatchObject({ repaired: [], problems: [] })
    // The store itself is whole, and nothing is done to it.
    const whole = treeOf(folder)
    expect(await repair({ configPath: configIn(folder) })).toMatchObject({ repaired: [], problems: [] })
    expect(treeOf(folder)).toEqual(whole)
  })

  it('K14 has no hint left of a document that has one version or none', async () => {
    const { folder, id } = await store()
    for (const to of [1, 0]) {
      const numbers = [1, 2, 3, 4].slice(to)
      const copy = copyWithout(folder, ...numbers.map((number) => (path: string) => entryPath(path, id, number)))
      const { repaired } = await repair({ configPath: configIn(copy) })
      expect(repaired).toEqual([{ id, kind: 'document', from: 4, to }])
      const left = filesOf(copy).filter((path) => path.includes(id))
      expect(left).toEqual(to === 1 ? [expect.stringContaining(`${id}.1.json`)] : [])
      await sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
      if (to === 1) expect(await sx.verifyById(id)).toMatchObject({ valid: true })
      else await refusal(() => sx.getDocument(id), 'NotFound')
    }
  })

  it('K14 does not bring trust back that was taken back', async () => {
    const { folder, other } = await store()
    const otherId = other.getAgentInfo()?.agentId ?? ''
    const copy = copyWithout(folder, (path) => join(path, 'sx_data', 'trust', `${otherId}.2.json`))
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect(repaired).toEqual([{ id: otherId, kind: 'trust', from: 2, to: 1 }])
    expect(problems).toEqual([
      { code: 'Rollback', subject: otherId, message: expect.stringContaining('no longer trusted') as string },
    ])
    await sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
    expect(sx.listTrustedAgents()).toEqual([])
    sx.trustAgent(other.exportAgent())
    expect(sx.listTrustedAgents()).toEqual([otherId])
  })

  it('K14 lets an agent go on whose document has lost its latest version', async () => {
    const { folder, agent, agentId } = await store()
    await agent.updateAgent({ ...JSON.parse(agent.exportAgent()), name: 'Renamed' })
    const copy = copyWithout(folder, (path) => entryPath(path, agentId, 2))
    const load = (): unknown => sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
    await refusal(load, 'Rollback')
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect([repaired, problems]).toEqual([[{ id: agentId, kind: 'document', from: 2, to: 1 }], []])
    expect(await load()).toMatchObject({ agentId, name: 'Billing' })
  })

  it('K14 reports a gap and a missing agent document, and changes nothing', async () => {
    const { folder, agentId, id } = await store()
    const copy = copyWithout(
      folder,
      (path) => entryPath(path, id, 2),
      (path) => entryPath(path, agentId, 1),
    )
    const before = treeOf(copy)
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect(repaired).toEqual([])
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['CorruptStore', id],
      ['NotFound', agentId],
    ])
    for (const { message } of problems) expect(message).toMatch(/\. .*(?:estore a backup|copy the store)/)
    expect(treeOf(copy)).toEqual(before)
  })

  it('K14 reports a configuration that names a version which is missing', async () => {
    const { folder, agentId } = await store()
    const copy = copyWithout(folder)
    const config = readFileSync(configIn(copy), 'utf8')
    const other = config.replace(/(?<=:)[0-9a-f-]{36}(?=")/, '00000000-0000-4000-8000-000000000001')
    expect(other).not.toBe(config)
    writeFileSync(configIn(copy), other)
    const { problems } = await repair({ configPath: configIn(copy) })
    expect(problems).toEqual([
      { code: 'Rollback', subject: agentId, message: expect.stringContaining('names version') as string },
    ])
  })

  it('K14 names a public key that is newer than the data', async () => {
    const { folder, agent, agentId, id } = await store()
    const copy = copyWithout(folder)
    const { keyId } = await agent.rotateKey()
    cpSync(join(folder, 'sx_keys'), join(copy, 'sx_keys'), { recursive: true })
    const load = (): unknown => sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
    await refusal(load, 'KeyMismatch')
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect(repaired).toEqual([])
    const message = expect.stringMatching(
      `sx.public.pem contains the key ${keyId}, .* newer than the data.* copy the store`,
    )
    expect(problems).toEqual([{ code: 'KeyMismatch', subject: agentId, message: message as string }])
    cpSync(join(folder, 'sx_data'), join(copy, 'sx_data'), { recursive: true })
    expect((await repair({ configPath: configIn(copy) })).problems).toEqual([])
    expect(await load()).toMatchObject({ agentId, keyId })
    expect(await sx.verifyById(id)).toMatchObject({ valid: true })
  })

  it('K14 refuses a place without an agent', async () => {
    const folder = newFolder()
    await refusal(() => repair({ configPath: configIn(folder) }), 'NotFound')
    writeFileSync(configIn(folder), '{}')
    await refusal(() => repair({ configPath: configIn(folder) }), 'InvalidConfig')
    await refusal(() => repair({ configPath: 1 as never }), 'InvalidOption')
  })

  /** Who has decided on the other agent so often, and a copy whose data is from before the last of these decisions. */
  async function olderData(
    decisions: number,
    kept: number,
  ): Promise<{ copy: string; other: SxAgent; otherId: string }> {
    const { folder, agent } = await begin()
    const otherId = other.getAgentInfo()?.agentId ?? ''
    const copy = newFolder()
    const save = (): void => cpSync(join(folder, 'sx_data'), join(copy, 'sx_data'), { recursive: true })
    if (kept === 0) save()
    for (let number = 1; number <= decisions; number++) {
      if (number % 2 === 1) agent.trustAgent(other.exportAgent())
      else agent.untrustAgent(otherId)
      if (number === kept) save()
    }
    for (const name of ['sx_keys', 'sx.config.json']) cpSync(join(folder, name), join(copy, name), { recursive: true })
    return { copy, other, otherId }
  }

  const exported = async (copy: string): Promise<string[]> => {
    await sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
    const { entries } = JSON.parse(new TextDecoder().decode(await sx.exportStore())) as { entries: [string][] }
    return entries.map(([name]) => name).filter((name) => name.startsWith('trust/'))
  }

  it.each([
    { decisions: 2, kept: 1 },
    { decisions: 3, kept: 1 },
    { decisions: 5, kept: 2 },
    { decisions: 1, kept: 0 },
  ])('K14 lets data go on that is older than its keys: $decisions decisions, of which $kept are left', async (many) => {
    const { copy, other, otherId } = await olderData(many.decisions, many.kept)
    const options = { configPath: configIn(copy), password: PASSWORD, env: {} }
    const { risks } = await sx.audit(options)
    expect(risks).toEqual([
      expect.objectContaining({ code: 'Rollback', severity: 'high', check: 'trust_store', subject: otherId }),
    ])
    expect(risks[0]?.message).toContain('repairStore')
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect(repaired).toEqual([{ id: otherId, kind: 'trust', from: many.decisions, to: many.kept }])
    expect(problems).toEqual([
      { code: 'Rollback', subject: otherId, message: expect.stringContaining('no longer trusted') as string },
    ])
    expect(await repair({ configPath: configIn(copy) })).toMatchObject({ repaired: [], problems: [] })
    expect((await sx.audit(options)).risks).toEqual([])
    expect(await exported(copy)).toHaveLength(many.kept + 1)
    expect(sx.listTrustedAgents()).toEqual([])
    for (let more = 0; more < many.decisions; more++) {
      sx.trustAgent(other.exportAgent())
      expect(sx.listTrustedAgents()).toEqual([otherId])
      sx.untrustAgent(otherId)
    }
    expect(await exported(copy)).toHaveLength(many.kept + 1 + 2 * many.decisions)
    expect((await sx.audit(options)).risks).toEqual([])
  })

  it('K14 leaves no gap where trust is taken back without a repair', async () => {
    const { copy, other, otherId } = await olderData(4, 1)
    await sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
    await refusal(() => sx.isTrusted(otherId), 'Rollback')
    await refusal(() => sx.trustAgent(other.exportAgent()), 'Rollback')
    expect(sx.untrustAgent(otherId)).toBe(true)
    sx.trustAgent(other.exportAgent())
    expect(await exported(copy)).toEqual([1, 2, 3].map((number) => `trust/${otherId}.${number}.json`))
    expect(sx.listTrustedAgents()).toEqual([otherId])
    expect((await sx.audit({ configPath: configIn(copy), password: PASSWORD, env: {} })).risks).toEqual([])
  })

  it('K14 leaves no gap where the data of a loaded agent is replaced by older data', async () => {
    const { copy, other, otherId } = await olderData(3, 3)
    await sx.load({ configPath: configIn(copy), password: PASSWORD, env: {} })
    expect(sx.isTrusted(otherId)).toBe(true)
    for (const number of [2, 3]) rmSync(join(copy, 'sx_data', 'trust', `${otherId}.${number}.json`))
    sx.untrustAgent(otherId)
    sx.trustAgent(other.exportAgent())
    expect(await exported(copy)).toEqual([1, 2, 3].map((number) => `trust/${otherId}.${number}.json`))
  })

  it('K14 fills the places of earlier decisions, and leaves the one that counts', async () => {
    const { copy, otherId } = await olderData(5, 5)
    for (const number of [1, 2, 4]) rmSync(join(copy, 'sx_data', 'trust', `${otherId}.${number}.json`))
    const options = { configPath: configIn(copy), password: PASSWORD, env: {} }
    expect((await sx.audit(options)).risks.map(({ code }) => code)).toEqual(['CorruptStore'])
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect([repaired, problems]).toEqual([[{ id: otherId, kind: 'trust', from: 5, to: 5 }], []])
    expect((await sx.audit(options)).risks).toEqual([])
    expect(await exported(copy)).toHaveLength(5)
    expect(sx.listTrustedAgents()).toEqual([otherId])
    const backup = await sx.exportStore()
    const storage = memoryStorage()
    await sx.importStore(backup, { storage })
    await sx.load({ storage, password: PASSWORD })
    expect(sx.listTrustedAgents()).toEqual([otherId])
  })

  it('K14 reports witnesses that are damaged, and goes on', async () => {
    const { copy, otherId } = await olderData(3, 3)
    rmSync(join(copy, 'sx_keys', 'trust', `${otherId}.2.witness`))
    rmSync(join(copy, 'sx_keys', 'trust', `${otherId}.3.witness`))
    const { repaired, problems } = await repair({ configPath: configIn(copy) })
    expect(repaired).toEqual([])
    expect(problems).toEqual([
      { code: 'Rollback', subject: otherId, message: expect.stringContaining('Restore the key directory') as string },
    ])
    const agent = new SxAgent({ password: PASSWORD, env: {} })
    await agent.load(configIn(copy))
    const { message } = await refusal(() => agent.untrustAgent(otherId), 'Rollback')
    expect(message).toMatch(/Entry 3 of the witnesses .* Restore the key directory from a copy /)
    expect((await agent.verify((await agent.signMessage('after')).raw)).valid).toBe(true)
  })
})
