// K06: clocks that are a year ahead or behind, where keys are rotated and revoked. Nothing happens in silence that a date
// tells, and what a clock has spoilt can be put right.
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { PASSWORD, refusal } from './fixtures.ts'

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR

const create = async () => {
  const storage = memoryStorage()
  const terms = { name: 'Billing', algorithm: 'ed25519', password: PASSWORD, env: {}, storage } as const
  return { storage, ...(await SxAgent.create(terms)) }
}

/** Sets the clock of this process; a call sets it anew. */
function clock(): (ahead: number) => void {
  const { now } = Date
  const spy = vi.spyOn(Date, 'now')
  onTestFinished(() => spy.mockRestore())
  return (ahead) => void spy.mockImplementation(() => now() + ahead)
}

const about = (date: string, time: number): boolean => Math.abs(Date.parse(date) - time) < HOUR

describe('K06 a rotation by a clock that is a year ahead', () => {
  it('says from when on the former key ends, which can be brought to the present', async () => {
    const set = clock()
    const { storage, agent } = await create()
    const before = (await agent.signMessage('before')).raw
    expect(about((await agent.rotateKey()).revokedAt, Date.now())).toBe(true)
    const first = (await agent.signMessage('by the second key')).raw
    // A copy that keeps the former key: what a thief has, or a process that never asks again.
    const thief = new SxAgent({ storage: copied(storage), password: PASSWORD, env: {} })
    await thief.load()

    set(YEAR)
    const { formerKeyId, revokedAt } = await agent.rotateKey()
    expect(about(revokedAt, Date.now())).toBe(true)
    set(0)
    const today = (await thief.signMessage('today')).raw
    expect(await agent.verify(today)).toMatchObject({ valid: true })

    // The agent goes on, and says what is wrong where dates are compared.
    const second = (await agent.signMessage('after')).raw
    const document = JSON.parse(agent.exportAgent()) as object
    await agent.updateAgent({ ...document, description: 'goes on' })
    await refusal(() => agent.rotateKey(), 'ClockBehind')
    expect(await agent.verify(second)).toMatchObject({ valid: true })
    await refusal(() => agent.createRevocation({ reason: 'superseded' }), 'ClockBehind')

    // Another reason alone leaves the date; `force` ends the key now.
    await agent.revokeKey(formerKeyId)
    expect(await agent.verify(today)).toMatchObject({ valid: true })
    const ended = await agent.revokeKey(formerKeyId, { force: true })
    const { at } = keysOf(ended)[1]?.revoked ?? { at: '' }
    expect(about(at, Date.now())).toBe(true)
    await later()
    const tomorrow = (await thief.signMessage('tomorrow')).raw
    expect(await agent.verify(tomorrow)).toMatchObject({ code: 'KeyRevoked' })
    for (const raw of [before, first, second]) expect(await agent.verify(raw)).toMatchObject({ valid: true })
    expect(await agent.revokeKey(formerKeyId, { force: true })).toBe(ended)

    // And the key that was valid only from next year on ends now, too.
    const again = await agent.rotateKey({ force: true })
    expect(about(again.revokedAt, Date.now())).toBe(true)
    expect(keysOf(again.agent)).toHaveLength(4)
    const third = (await agent.signMessage('once more')).raw
    for (const raw of [before, first, second, third]) expect(await agent.verify(raw)).toMatchObject({ valid: true })
    const reader = new SxAgent({ storage, verifyOnly: true, env: {} })
    await reader.load()
    for (const raw of [before, first, second, third]) expect(await reader.verify(raw)).toMatchObject({ valid: true })
    expect(await reader.verify(tomorrow)).toMatchObject({ code: 'KeyRevoked' })
  })
})

describe('K06 a revocation in advance', () => {
  it('is dated after what other processes have stored, whose clocks are minutes ahead', async () => {
    const set = clock()
    const { storage, agent } = await create()
    const other = new SxAgent({ storage, password: PASSWORD, env: {} })
    await other.load()
    set(2 * 60_000)
    const { raw } = await other.signMessage('stored')
    set(0)
    const statement = await agent.createRevocation({ reason: 'superseded' })
    await agent.revokeKey({ statement })
    expect(await agent.verify(raw)).toMatchObject({ valid: true })
  })

  it.each([
    ['compromised', undefined],
    ['superseded', 'ClockBehind'],
    ['unspecified', 'ClockBehind'],
  ] as const)('by a clock that is hours behind: %s', async (reason, code) => {
    const set = clock()
    const { agent } = await create()
    await agent.signMessage('before')
    set(-3 * HOUR)
    if (code === undefined) return expect(await agent.createRevocation({ reason })).toContain(reason)
    const { found } = await refusal(() => agent.createRevocation({ reason }), code)
    expect(found).toMatch(/If this clock is right, use the reason 'compromised'/)
    return set(0)
  })

  it('by a clock that was a year ahead is refused where it is applied, or counts from then on', async () => {
    const set = clock()
    const { storage, agent } = await create()
    const warehouse = (await create()).agent
    warehouse.trustAgent(agent.exportAgent())
    set(YEAR)
    const statement = await agent.createRevocation({ reason: 'superseded' })
    const compromised = await agent.createRevocation()
    set(0)
    const { raw: before } = await agent.signMessage('before')
    const thief = new SxAgent({ storage: copied(storage), password: PASSWORD, env: {} })
    await thief.load()
    for (const one of [agent, warehouse]) {
      const { found } = await refusal(() => one.revokeKey({ statement }), 'ClockBehind')
      expect(found).toMatch(/If this clock is right, pass `force: true`/)
      expect(await one.verify(before)).toMatchObject({ valid: true })
    }
    await later()
    for (const one of [agent, warehouse]) await one.revokeKey({ statement, force: true })
    expect(about(agent.getAgentInfo()?.revoked?.at ?? '', Date.now())).toBe(true)
    await later()
    const { raw: after } = await thief.signMessage('after')
    const reader = new SxAgent({ storage, verifyOnly: true, env: {} })
    await reader.load()
    for (const one of [agent, warehouse, reader]) {
      expect(await one.verify(before)).toMatchObject({ valid: true })
      expect(await one.verify(after)).toMatchObject({ code: 'KeyRevoked' })
    }
    // No date counts for this reason, and nothing is asked.
    for (const one of [agent, warehouse]) {
      await one.revokeKey({ statement: compromised })
      expect(await one.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    }
  })
})

/** Dates have milliseconds. */
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3))

/** What a storage in memory holds now, in another one. */
function copied(storage: ReturnType<typeof memoryStorage>): ReturnType<typeof memoryStorage> {
  const copy = memoryStorage()
  for (const key of storage.listSync([])) copy.putSync(key, storage.getSync(key) ?? new Uint8Array())
  return copy
}

const keysOf = (document: string) =>
  (JSON.parse(document) as { sxPublicKeys: { revoked?: { at: string; reason: string } }[] }).sxPublicKeys
