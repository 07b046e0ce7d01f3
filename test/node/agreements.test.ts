import { describe, expect, it } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import { audit, auditSync, create } from '../../src/simple.ts'
import { memoryStorage, mirrored, type SyncStorage } from '../../src/storage/index.ts'
import { watched } from '../conformance/world.mjs'
import { remote } from '../unit/remote.ts'
import { refusal } from './fixtures.ts'

const password = 'correct horse battery staple'

async function agent(name: string): Promise<SxAgent> {
  const storage = memoryStorage()
  await create({ name, storage, password, algorithm: 'ed25519' })
  const agent = new SxAgent({ storage, password })
  await agent.load('./sx.config.json')
  return agent
}

describe('agreements', () => {
  it('are signed by two parties in two places', async () => {
    const [alice, bob] = [await agent('Alice'), await agent('Bob')]
    alice.trustAgent(bob.exportAgent())
    bob.trustAgent(alice.exportAgent())
    const ids = [alice, bob].map((one) => one.getAgentInfo()?.agentId ?? '')
    const parties = ids.map((agentId, at) => ({
      partyId: ['alice', 'bob'][at] ?? '',
      agentId,
      role: 'signer' as const,
    }))
    const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
    const draft = await alice.createAgreementDoc(terms)
    expect(draft.status).toBe('draft')
    const proposed = await alice.proposeAgreement(draft.agreementId)
    expect(proposed.status).toBe('proposed')
    const [one, other] = await Promise.all([
      alice.signAgreementDoc(proposed.agreementId),
      bob.signAgreementDoc(proposed.raw),
    ])
    expect([one.status, other.status]).toEqual(['partial', 'partial'])
    const merged = await alice.mergeAgreements([one.raw, other.raw])
    expect(await alice.mergeAgreements([other.raw, one.raw, other.raw])).toBe(merged)
    const verdict = await alice.verifyAgreement(merged)
    expect(verdict).toMatchObject({ valid: true, status: 'complete', complete: true, have: 2, need: 2, blocked: [] })
    expect(verdict.signers.map(({ name }) => name).sort()).toEqual(['Alice', 'Bob'])
    await expect(bob.signAgreementDoc(merged)).rejects.toMatchObject({ code: 'AlreadySigned' })
    const imported = await bob.importAgreement(merged)
    expect(imported.status).toBe('complete')
    expect(await bob.getAgreement(draft.agreementId)).toBe(merged)
    expect(await bob.verifyAgreement(draft.agreementId)).toEqual(await alice.verifyAgreement(merged))
  })
})

describe('stored agreements', () => {
  const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

  async function stored(): Promise<{ storage: SyncStorage; agreementId: string; keys: string[][] }> {
    const storage = memoryStorage()
    await create({ name: 'Alice', storage, password, algorithm: 'ed25519' })
    const agent = new SxAgent({ storage, password })
    await agent.load('./sx.config.json')
    const { agentId = '' } = agent.getAgentInfo() ?? {}
    const parties = [{ partyId: 'alice', agentId, role: 'signer' as const }]
    const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
    const { agreementId } = await agent.createAgreementDoc(terms)
    await agent.proposeAgreement(agreementId)
    await agent.signAgreementDoc(agreementId)
    await agent.close()
    const keys = [...storage.listSync([])].filter((key) => key.includes(agreementId)).map((key) => [...key])
    return { storage, agreementId, keys }
  }

  const opened = async (storage: SyncStorage): Promise<SxAgent> => {
    const agent = new SxAgent({ storage, password })
    await agent.load('./sx.config.json')
    return agent
  }

  it('have terms and events, each under a name of its own', async () => {
    const { agreementId, keys, storage } = await stored()
    const below = keys.map((key) => key.slice(key.indexOf('agreements')).join('/'))
    const folder = `agreements/${agreementId.slice(0, 2)}/${agreementId}`
    expect(below.sort()).toEqual([
      expect.stringMatching(new RegExp(`^${folder}/events/[0-9a-f]{64}\\.json$`)),
      expect.stringMatching(new RegExp(`^${folder}/events/[0-9a-f]{64}\\.json$`)),
      `${folder}/terms.json`,
    ])
    expect((await audit({ storage, password })).risks).toEqual([])
  })

  const isSign = (storage: SyncStorage) => (key: string[]) => text(storage.getSync(key)).includes('"type":"sign"')
  const isTerms = (key: string[]): boolean => key.at(-1) === 'terms.json'

  it.each([
    ['cut off', (found: string) => found.slice(0, -9)],
    ['not canonical', (found: string) => found.replace('"', ' "')],
    ['another nonce or title', (found: string) => found.replace(/"(nonce|title)":"./, '"$1":"_')],
    ['two events', (found: string) => `${found},${found}`],
    ['empty', () => ''],
  ])('name an entry that is damaged: %s', async (_, damage) => {
    const { storage, agreementId, keys } = await stored()
    for (const key of [keys.find(isSign(storage)), keys.find(isTerms)]) {
      const whole = text(storage.getSync(key ?? []))
      storage.putSync(key ?? [], bytes(damage(whole)))
      const agent = await opened(storage)
      const found = expect.objectContaining({
        code: 'CorruptStore',
        found: expect.stringContaining(key?.at(-1) ?? '?'),
      })
      await expect(agent.verifyAgreement(agreementId)).rejects.toEqual(found)
      await expect(agent.signAgreementDoc(agreementId)).rejects.toEqual(found)
      const { risks } = await audit({ storage, password })
      expect(risks).toEqual([expect.objectContaining({ code: 'CorruptStore', severity: 'high' })])
      storage.putSync(key ?? [], bytes(whole))
    }
  })

  it('lack an event that another one has seen, or their terms', async () => {
    const { storage, agreementId, keys } = await stored()
    const agent = await opened(storage)
    const whole = await agent.getAgreement(agreementId)
    const propose = keys.find((key) => text(storage.getSync(key)).includes('"type":"propose"')) ?? []
    storage.deleteSync(propose)
    const found = await agent.verifyAgreement(agreementId)
    expect(found).toMatchObject({ valid: false, complete: false, missing: [propose.at(-1)?.slice(0, 64)] })
    await expect(agent.commentOnAgreement(agreementId, 'x')).rejects.toMatchObject({ code: 'InvalidAgreement' })
    const { risks } = await audit({ storage, password })
    expect(risks).toMatchObject([
      { code: 'CorruptStore', message: expect.stringContaining(propose.at(-1)?.slice(0, 64) ?? '') },
    ])
    expect((await agent.importAgreement(whole)).status).toBe('complete')
    expect(await agent.getAgreement(agreementId)).toBe(whole)
    storage.deleteSync(keys.find(isTerms) ?? [])
    await expect(agent.getAgreement(agreementId)).rejects.toMatchObject({ code: 'CorruptStore' })
  })

  it('are mended as the audit says where the signature of an event is damaged', async () => {
    const { storage, agreementId, keys } = await stored()
    const agent = await opened(storage)
    const whole = await agent.getAgreement(agreementId)
    const sign = keys.find(isSign(storage)) ?? []
    const other = (_: string, first: string): string => `"signature":"${first === 'A' ? 'B' : 'A'}`
    storage.putSync(sign, bytes(text(storage.getSync(sign)).replace(/"signature":"(.)/, other)))
    const [risk] = (await audit({ storage, password })).risks
    const [entry = ''] = /(?<=remove )\S+(?= and import)/.exec(risk?.message ?? '') ?? []
    expect(sign.join('/').endsWith(`/${entry}`)).toBe(true)
    // Nothing is overwritten, so nobody is told that the agreement is complete, and nobody signs for nothing.
    const refusal = { code: 'CorruptStore', message: expect.stringContaining(risk?.message ?? entry) }
    await expect(agent.importAgreement(whole)).rejects.toMatchObject(refusal)
    await expect(agent.commentOnAgreement(whole, 'x')).rejects.toMatchObject(refusal)
    expect((await agent.commentOnAgreement(whole, 'x', { noSave: true })).status).toBe('complete')
    expect((await agent.verifyAgreement(agreementId)).complete).toBe(false)
    storage.deleteSync(sign)
    await agent.importAgreement(whole)
    expect(await agent.getAgreement(agreementId)).toBe(whole)
    expect((await audit({ storage, password })).risks).toEqual([])
  })

  it('are named by the audit if an event has no usable signature', async () => {
    const { storage, agreementId, keys } = await stored()
    const sign = keys.find(isSign(storage)) ?? []
    const agent = await opened(storage)
    const whole = text(storage.getSync(sign))
    for (const signature of ['""', 'null', '7', '"no base64"', '[]']) {
      storage.putSync(sign, bytes(whole.replace(/"signature":"[^"]*"/, `"signature":${signature}`)))
      const { risks } = await audit({ storage, password })
      const message = expect.stringContaining(`remove agreements/${agreementId.slice(0, 2)}/${agreementId}/events/`)
      expect(risks, signature).toMatchObject([{ code: 'CorruptStore', subject: agreementId, message }])
      expect((await agent.verifyAgreement(agreementId)).complete, signature).toBe(false)
    }
  })

  it('are not called damaged by a copy in memory that has read a part of them', async () => {
    const { storage, agreementId, keys } = await stored()
    const whole = await (await opened(storage)).getAgreement(agreementId)
    const terms = keys.find(isTerms) ?? []
    const propose = keys.find((key) => text(storage.getSync(key)).includes('"type":"propose"')) ?? []
    const below = keys[0]?.slice(0, keys[0].indexOf('agreements')) ?? []
    /** The memory of a page that has read all but one entry. */
    const copyWithout = async (key: string[]): Promise<SyncStorage> => {
      const entries = keys.map((one) => [one, storage.getSync(one) ?? bytes('')] as const)
      for (const one of keys) storage.deleteSync(one)
      const copy = await mirrored(remote(storage))
      for (const [one, found] of entries) storage.putSync(one, found)
      await copy.invalidate(keys.filter((one) => one !== key))
      return copy
    }
    const lacking = async (key: string[]): Promise<SxAgent> => opened(await copyWithout(key))
    /** What is refused from memory, and done once the storage is asked. */
    const both = async (page: SxAgent, key: string[], call: (page: SxAgent) => unknown): Promise<void> => {
      const name = key.slice(below.length).join('/')
      const { found } = await refusal(() => call(page), 'SyncStorageUnavailable')
      expect(found).toBe(`The in-memory copy lacks ${name}.`)
      expect(await page.getAgreement(agreementId)).toBe(whole)
      expect(() => call(page)).not.toThrow()
    }
    for (const call of [
      (page: SxAgent) => page.getAgreementSync(agreementId),
      (page: SxAgent) => page.verifyAgreementSync(agreementId),
      (page: SxAgent) => page.importAgreementSync(whole),
      (page: SxAgent) => page.commentOnAgreementSync(agreementId, 'x', { noSave: true }),
      (page: SxAgent) => page.exportStoreSync(),
    ]) {
      await both(await lacking(terms), terms, call)
    }
    for (const call of [
      (page: SxAgent) => page.commentOnAgreementSync(agreementId, 'x', { noSave: true }),
      (page: SxAgent) => page.exportStoreSync(),
    ]) {
      await both(await lacking(propose), propose, call)
    }
    for (const key of [terms, propose]) {
      const copy = await copyWithout(key)
      expect(auditSync({ storage: copy, password }).risks).toMatchObject([
        { code: 'SyncStorageUnavailable', severity: 'medium', message: expect.stringContaining(key.at(-1) ?? '?') },
      ])
      expect((await audit({ storage: copy, password })).risks).toEqual([])
    }
    const page = await lacking(propose)
    expect(page.verifyAgreementSync(agreementId).missing).toEqual([propose.at(-1)?.slice(0, 64)])
    expect(page.importAgreementSync(whole).status).toBe('complete')
  })

  it('take no event whose signature nobody can verify', async () => {
    const { storage, agreementId } = await stored()
    const agent = await opened(storage)
    const whole = await agent.getAgreement(agreementId)
    const copy = JSON.parse(whole)
    const forged = { ...copy.events[0], nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }
    await agent.importAgreement(JSON.stringify({ ...copy, events: [...copy.events, forged] }))
    expect(await agent.getAgreement(agreementId)).toBe(whole)
  })
})

it('an agreement with 100,000 events more, of which none counts, or which are too many bytes', async () => {
  const alice = await agent('Alice')
  const { agentId = '' } = alice.getAgentInfo() ?? {}
  const parties = [{ partyId: 'alice', agentId, role: 'signer' as const }]
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const { raw } = await alice.createAgreementDoc(terms, { noSave: true })
  const { raw: proposed } = await alice.proposeAgreement(raw, { noSave: true })
  const { events, ...rest } = JSON.parse(proposed) as { events: readonly object[] }
  const withMore = (more: (n: number) => object): string =>
    JSON.stringify({ ...rest, events: [...events, ...Array.from({ length: 100_000 }, (_, n) => more(n))] })
  const found = await alice.verifyAgreement(withMore((n) => ({ n })))
  expect(found).toMatchObject({ status: 'proposed', have: 0, valid: true })
  expect(found.events.ignored.length).toBe(100_000)
  expect(new Set(found.events.ignored.map(({ code }) => code))).toEqual(new Set(['BadEvent']))
  const forged = withMore((n) => ({ ...events[0], nonce: String(n).padStart(22, 'A') }))
  await expect(alice.verifyAgreement(forged)).rejects.toMatchObject({ code: 'LimitExceeded' })
})

it('a rotation by another process, whose clock is behind, is dated after events of agreements', async () => {
  const storage = memoryStorage()
  await create({ name: 'Alice', storage, password, algorithm: 'ed25519' })
  const apart = (): SxAgent => new SxAgent({ storage: watched(storage, () => {}), password }) // as another process has it
  const [ahead, behind] = [apart(), apart()]
  await Promise.all([ahead.load('./sx.config.json'), behind.load('./sx.config.json')])
  const { agentId = '' } = ahead.getAgentInfo() ?? {}
  const parties = [{ partyId: 'alice', agentId, role: 'signer' as const }]
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const { now } = Date
  Date.now = () => now() + 120_000
  const { agreementId } = await ahead.createAgreementDoc(terms)
  await ahead.proposeAgreement(agreementId)
  await ahead.signAgreementDoc(agreementId)
  Date.now = now
  await behind.rotateKey()
  expect(await behind.verifyAgreement(agreementId)).toMatchObject({ status: 'complete', events: { ignored: [] } })
})
