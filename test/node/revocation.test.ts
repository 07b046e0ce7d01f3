// K10: revocations that were made in advance, on files: for keys that are lost or stolen.
import { generateKeyPairSync, sign } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RevocationReason, SxAgent, type SxErrorCode } from 'sx-agent'
import { audit, verifyStandalone } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { sentencesOf } from '../../node/cli/advice.ts'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'

/** An agent in a new folder, with a document. */
async function begin() {
  const folder = newFolder()
  const { agent, agentId, keyId } = await SxAgent.create(agentIn(folder))
  const { raw } = await agent.signMessage('before')
  return { folder, agent, agentId, keyId, before: raw }
}

async function loaded(folder: string, options: { verifyOnly?: boolean } = {}): Promise<SxAgent> {
  const agent = new SxAgent({ ...(options.verifyOnly === true ? options : { password: PASSWORD }), env: {} })
  await agent.load(configIn(folder))
  return agent
}

const revocations = (folder: string): string[] => {
  try {
    return readdirSync(join(folder, 'sx_data', 'revocations')).filter((name) => name !== '.tmp')
  } catch {
    return []
  }
}

describe('K10 a revocation of the current key', () => {
  it('takes back what the key has signed, in every process, and nothing is signed any more', async () => {
    const { folder, agent, agentId, keyId, before } = await begin()
    const statement = await agent.createRevocation({ keyId })
    expect(Object.keys(JSON.parse(statement) as object)).toEqual([
      'agentId',
      'date',
      'keyId',
      'reason',
      'signature',
      'type',
    ])
    expect(JSON.parse(statement)).toMatchObject({ agentId, keyId, reason: 'compromised', type: 'sx-key-revocation-v1' })
    expect(await agent.verify(before)).toMatchObject({ valid: true })
    const other = await loaded(folder)
    const reader = await loaded(folder, { verifyOnly: true })
    // Without the key, and as people keep such a thing.
    expect(await reader.revokeKey({ statement: `${statement}\n` })).toBe(agent.exportAgent())
    expect(revocations(folder)).toEqual([`${agentId}.1.json`])
    const stored = readFileSync(join(folder, 'sx_data', 'revocations', `${agentId}.1.json`), 'utf8')
    expect(JSON.parse(stored)).toEqual({ number: 1, statement })
    const fresh = await loaded(folder)
    for (const one of [reader, other, agent, fresh]) {
      expect(await one.verify(before)).toMatchObject({ valid: false, code: 'KeyRevoked' })
      expect(one.verifySync(before)).toMatchObject({ valid: false, code: 'KeyRevoked' })
      expect(await one.verifySelf()).toMatchObject({ valid: false, code: 'KeyRevoked' })
      expect((await one.verify(before)).errors.join()).toContain('sign it again with a new agent')
      await refusal(() => one.getWellKnownJson(), 'KeyRevoked')
      await refusal(() => one.getDnsRecord('example.com'), 'KeyRevoked')
      await refusal(() => one.getPublicKey(), 'KeyRevoked')
      const { date: at } = JSON.parse(statement) as { date: string }
      expect(one.getAgentInfo()).toMatchObject({ keyId, revoked: { at, reason: 'compromised' } })
      await one.revokeKey({ statement }) // again: nothing is left to do
    }
    for (const one of [other, agent, fresh]) {
      const tree = treeOf(folder)
      await refusal(() => one.signMessage('after'), 'KeyRevoked')
      await refusal(() => one.signMessage('after', { noSave: true }), 'KeyRevoked')
      await refusal(() => one.signString('after'), 'KeyRevoked')
      await refusal(() => one.updateAgent(one.exportAgent()), 'KeyRevoked')
      await refusal(() => one.rotateKey(), 'KeyRevoked')
      await refusal(() => one.createRevocation(), 'KeyRevoked')
      expect(treeOf(folder)).toEqual(tree)
    }
    expect(revocations(folder)).toHaveLength(1)
  })

  it('counts for who verifies with the folders of the agent, and loads none', async () => {
    const { folder, agent, agentId, before } = await begin()
    const dataDirectory = join(folder, 'sx_data')
    const keyDirectory = join(folder, 'sx_keys')
    const ways = [{ dataDirectory }, { dataDirectory, keyDirectory }]
    const later = await agent.createRevocation({ reason: 'unspecified' })
    await new Promise((resolve) => setTimeout(resolve, 5)) // it is dated a millisecond ahead
    const { raw: after } = await agent.signMessage('after')
    const statement = await agent.createRevocation()
    for (const way of ways) {
      expect(verifyStandalone(before, way)).toMatchObject({ valid: true })
      expect(verifyStandalone(after, way)).toMatchObject({ valid: true })
    }
    await agent.revokeKey({ statement: later })
    for (const way of ways) {
      expect(verifyStandalone(before, way)).toMatchObject({ valid: true })
      expect(verifyStandalone(after, way)).toMatchObject({ code: 'KeyRevoked', data: undefined })
    }
    await agent.revokeKey({ statement })
    for (const way of ways) {
      expect(verifyStandalone(before, way)).toMatchObject({ code: 'KeyRevoked' })
      expect(verifyStandalone(agent.exportAgent(), way)).toMatchObject({ code: 'KeyRevoked' })
      expect(verifyStandalone(before, { ...way, limits: { bytes: 100_000 } })).toMatchObject({ code: 'KeyRevoked' })
    }
    writeFileSync(join(dataDirectory, 'revocations', `${agentId}.2.json`), '{}')
    for (const way of ways) expect(verifyStandalone(before, way)).toMatchObject({ code: 'CorruptStore' })
  })

  it('ends the agent for who verifies with its folders, whatever a thief has put after it', async () => {
    const { folder, agent, agentId } = await begin()
    const statement = await agent.createRevocation()
    const thief = join(newFolder(), 'stolen')
    cpSync(folder, thief, { recursive: true })
    await agent.revokeKey({ statement })
    const stolen = await loaded(thief)
    await stolen.rotateKey()
    const { raw } = await stolen.signMessage('by the thief')
    const from = join(thief, 'sx_data', 'documents', agentId.slice(0, 2))
    cpSync(from, join(folder, 'sx_data', 'documents', agentId.slice(0, 2)), { recursive: true })
    const dataDirectory = join(folder, 'sx_data')
    expect(await (await loaded(folder, { verifyOnly: true })).verify(raw)).toMatchObject({ code: 'KeyMismatch' })
    expect(verifyStandalone(raw, { dataDirectory })).toMatchObject({ code: 'KeyMismatch' })
    expect(verifyStandalone(raw, { dataDirectory: join(thief, 'sx_data') })).toMatchObject({ valid: true })
  })

  it('is known to a process that signs before it stores anything', async () => {
    const { folder, agent } = await begin()
    const statement = await agent.createRevocation()
    const other = await loaded(folder)
    await (await loaded(folder, { verifyOnly: true })).revokeKey({ statement })
    const tree = treeOf(folder)
    await refusal(() => other.signMessage('after'), 'KeyRevoked')
    await refusal(() => agent.signMessageSync('after'), 'KeyRevoked')
    expect(treeOf(folder)).toEqual(tree)
  })

  it('with another reason than a theft counts from the moment at which it was made', async () => {
    const { folder, agent, before } = await begin()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const statement = await agent.createRevocation({ reason: 'unspecified' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { raw: after } = await agent.signMessage('after')
    const stricter = await agent.createRevocation()
    await agent.revokeKey({ statement })
    expect(await agent.verify(before)).toMatchObject({ valid: true })
    expect(await agent.verify(after)).toMatchObject({ code: 'KeyRevoked' })
    await (await loaded(folder, { verifyOnly: true })).revokeKey({ statement: stricter })
    expect(await agent.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    await agent.revokeKey({ statement }) // takes nothing back
    expect(await agent.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    expect(revocations(folder)).toHaveLength(2)
  })

  it('is applied once by many processes', async () => {
    const { folder, agent, before } = await begin()
    const statement = await agent.createRevocation()
    const others = await Promise.all([1, 2, 3, 4].map(() => loaded(folder, { verifyOnly: true })))
    await Promise.all(others.map((other) => other.revokeKey({ statement })))
    expect(revocations(folder)).toHaveLength(1)
    for (const other of others) expect(await other.verify(before)).toMatchObject({ code: 'KeyRevoked' })
  })

  it('that was deleted where it stands is there once it is applied again, by who knows it too', async () => {
    const { folder, agent, agentId, before } = await begin()
    const [first, second] = [await agent.createRevocation({ reason: 'unspecified' }), await agent.createRevocation()]
    const place = join(folder, 'sx_data', 'revocations')
    for (const statements of [[first], [first, second]]) {
      for (const statement of statements) await agent.revokeKey({ statement })
      const stored = treeOf(place)
      rmSync(place, { recursive: true })
      await agent.revokeKey({ statement: first })
      expect(treeOf(place)).toEqual(stored)
      expect(await (await loaded(folder)).verify(before)).toMatchObject({ valid: statements.length === 1 })
    }

    writeFileSync(join(place, `${agentId}.1.json`), JSON.stringify({ number: 1, statement: second }))
    await refusal(() => agent.revokeKey({ statement: first }), 'Rollback')
  })

  it('that was damaged where it stands is said to be, by every verdict on the agent', async () => {
    const { folder, agent, agentId, before } = await begin()
    const statement = await agent.createRevocation()
    const stored = JSON.stringify({ number: 1, statement })
    const more = ['"number":1,', '"more":1,'].map((member) => stored.replace('{', `{${member}`))
    for (const damaged of ['', '{}', statement.replace('compromised', 'superseded'), ...more, `[${stored}]`]) {
      mkdirSync(join(folder, 'sx_data', 'revocations'), { recursive: true })
      writeFileSync(join(folder, 'sx_data', 'revocations', `${agentId}.1.json`), damaged)
      expect(await agent.verify(before)).toMatchObject({ valid: false, code: 'CorruptStore' })
      await refusal(() => loaded(folder), 'CorruptStore')
    }
  })
})

it('K14 a revocation shows that the version is gone beside which it was applied', async () => {
  const { folder, agent, agentId } = await begin()
  await agent.updateAgent({ ...(JSON.parse(agent.exportAgent()) as object), description: 'new' })
  const statement = await agent.createRevocation()
  await agent.revokeKey({ statement })
  const risks = async (): Promise<string[]> => {
    const found = await audit({ configPath: configIn(folder), password: PASSWORD })
    return found.risks.filter(({ code }) => code === 'Rollback').map(({ code, subject }) => `${code} ${subject}`)
  }
  expect(await risks()).toEqual([])
  const place = join(folder, 'sx_data', 'documents', agentId.slice(0, 2))
  for (const name of readdirSync(place)) {
    if (name.startsWith(agentId) && !name.startsWith(`${agentId}.1.`)) rmSync(join(place, name), { recursive: true })
  }
  expect(await risks()).toEqual([`Rollback ${agentId}`])
})

describe('K10 a revocation of an earlier key', () => {
  it('becomes a version of the agent document', async () => {
    const { folder, agent, keyId, before } = await begin()
    const statement = await agent.createRevocation()
    await agent.rotateKey()
    const reader = await loaded(folder, { verifyOnly: true })
    const document = await agent.revokeKey({ statement })
    expect(document).toBe(agent.exportAgent())
    expect((JSON.parse(document) as { sxPublicKeys: unknown[] }).sxPublicKeys[0]).toMatchObject({
      keyId,
      revoked: { reason: 'compromised', at: (JSON.parse(statement) as { date: string }).date },
    })
    expect(revocations(folder)).toEqual([])
    for (const one of [agent, reader]) expect(await one.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    expect(await agent.verify((await agent.signMessage('after')).raw)).toMatchObject({ valid: true })
    expect(await agent.revokeKey({ statement })).toBe(document)
  })

  it('stands beside the document where nobody is there to sign one, until somebody is', async () => {
    const { folder, agent, before } = await begin()
    const statement = await agent.createRevocation()
    await agent.rotateKey()
    const reader = await loaded(folder, { verifyOnly: true })
    await reader.revokeKey({ statement })
    expect(revocations(folder)).toHaveLength(1)
    for (const one of [agent, reader]) expect(await one.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    const { raw } = await agent.signMessage('after')
    expect(await reader.verify(raw)).toMatchObject({ valid: true })
    const document = await agent.revokeKey({ statement })
    expect(document).toContain('compromised')
    expect(await reader.verify(before)).toMatchObject({ code: 'KeyRevoked' })
  })

  it('stays beside later versions that do not say it, and every process follows these', async () => {
    const { folder, agent, before } = await begin()
    const statement = await agent.createRevocation()
    const early = await loaded(folder) // reads the rotation and the revocation together
    await agent.rotateKey()
    const reader = await loaded(folder, { verifyOnly: true })
    const other = await loaded(folder)
    await reader.revokeKey({ statement })
    await other.updateAgent({ ...(JSON.parse(other.exportAgent()) as object), description: 'later' })
    await agent.load(configIn(folder))
    await agent.rotateKey()
    const { raw } = await agent.signMessage('after')
    for (const one of [reader, early, other, agent, await loaded(folder)]) {
      expect(await one.verify(raw)).toMatchObject({ valid: true })
      expect(await one.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    }
  })

  it('cannot be made once the key is an earlier one', async () => {
    const { agent, keyId } = await begin()
    const { keyId: current } = await agent.rotateKey()
    expect(JSON.parse(await agent.createRevocation({ keyId: current }))).toMatchObject({ keyId: current })
    await refusal(() => agent.createRevocation({ keyId }), 'InvalidOption')
    await refusal(() => agent.createRevocation({ keyId: 'x' }), 'KeyMismatch')
    await refusal(() => agent.createRevocation({ reason: 'lost' as RevocationReason }), 'InvalidOption')
  })
})

describe('K10 a revocation of a key of a trusted agent', () => {
  it('counts for every verdict, and no document takes it back', async () => {
    const { folder, agent: warehouse, agentId, before } = await begin()
    const statement = await warehouse.createRevocation()
    const own = warehouse.exportAgent()
    const billing = await begin()
    billing.agent.trustAgent(own)
    const other = await loaded(billing.folder)
    const reader = await loaded(billing.folder, { verifyOnly: true })
    expect(await reader.verify(before)).toMatchObject({ valid: true, trusted: true })
    expect(await reader.revokeKey({ statement })).toBe(own)
    for (const one of [reader, other, billing.agent, await loaded(billing.folder)]) {
      expect(await one.verify(before)).toMatchObject({ valid: false, code: 'KeyRevoked' })
      expect(one.verifySync(before)).toMatchObject({ valid: false, code: 'KeyRevoked' })
      expect(one.isTrusted(agentId)).toBe(true)
      expect(one.getTrustedAgent(agentId)).toBe(own)
      expect(one.listTrustedAgents()).toEqual([agentId])
    }
    // The document itself, a later one, and the rotation of whoever has the key.
    const renamed = await warehouse.updateAgent({ ...(JSON.parse(own) as object), description: 'later' })
    const { agent: rotated } = await warehouse.rotateKey({ reason: 'compromised' })
    writeFileSync(join(folder, 'later.json'), renamed)
    for (const document of [own, renamed, rotated]) {
      const error = await refusal(() => billing.agent.trustAgent(document), 'KeyRevoked')
      expect(error.found).toMatch(/^A revocation statement ended the key [\w-]{43} of the trusted document\.$/)
      expect(error.advice).toContain('call untrustAgent, then trustAgent')
      expect(sentencesOf(error)).toContain('run `sx trust remove`, then `sx trust add`')
    }
    expect(await billing.agent.verifyAgent(join(folder, 'later.json'))).toBe(false)
    const { risks } = await audit({ configPath: configIn(billing.folder), password: PASSWORD, env: {} })
    expect(risks.filter(({ code }) => code === 'CorruptStore')).toEqual([])
    // Whoever decides anew, decides anew.
    expect(billing.agent.untrustAgent(agentId)).toBe(true)
    billing.agent.trustAgent(rotated)
    expect(await other.verify((await warehouse.signMessage('after')).raw)).toMatchObject({ valid: true, trusted: true })
    expect(await other.verify(before)).toMatchObject({ code: 'KeyRevoked' })
  })

  it('is one of an agent that is trusted', async () => {
    const { agent: warehouse, agentId } = await begin()
    const statement = await warehouse.createRevocation()
    const { agent, folder } = await begin()
    const tree = treeOf(folder)
    await refusal(() => agent.revokeKey({ statement }), 'NotFound')
    expect(treeOf(folder)).toEqual(tree)
    agent.trustAgent(warehouse.exportAgent())
    agent.untrustAgent(agentId)
    await refusal(() => agent.revokeKey({ statement }), 'NotFound')
  })

  it('counts on a storage that has to be awaited', async () => {
    const inner = memoryStorage()
    const storage = {
      capabilities: { ...inner.capabilities, sync: false },
      get: async (key: readonly string[]) => inner.get(key),
      put: async (...given: Parameters<typeof inner.put>) => inner.put(...given),
      delete: async (key: readonly string[]) => inner.delete(key),
      list: (...given: Parameters<typeof inner.list>) => inner.list(...given),
      flush: async () => inner.flush(),
      close: async () => inner.close(),
    }
    const { agent: warehouse, before } = await begin()
    const statement = await warehouse.createRevocation()
    const { agent } = await SxAgent.create({
      name: 'Billing',
      storage,
      algorithm: 'ed25519',
      password: PASSWORD,
      env: {},
    })
    agent.trustAgent(warehouse.exportAgent())
    await agent.revokeKey({ statement })
    expect(await agent.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    expect(agent.verifySync(before)).toMatchObject({ code: 'KeyRevoked' })
    const { raw } = await agent.signMessage('own')
    await agent.revokeKey({ statement: await agent.createRevocation() })
    await agent.flush()
    const again = new SxAgent({ storage, password: PASSWORD, env: {} })
    await again.load('./sx.config.json')
    for (const one of [agent, again]) {
      expect(await one.verify(before)).toMatchObject({ code: 'KeyRevoked' })
      expect(await one.verify(raw)).toMatchObject({ code: 'KeyRevoked' })
      expect(one.verifySync(raw)).toMatchObject({ code: 'KeyRevoked' })
    }
  })
})

describe('K10 a revocation that is none', () => {
  it('is refused, and changes nothing', async () => {
    const { agent, folder, keyId } = await begin()
    const good = await agent.createRevocation()
    const stranger = await (await begin()).agent.createRevocation()
    const { keyId: current } = await agent.rotateKey()
    const changed = (name: string, value: unknown) => JSON.stringify({ ...(JSON.parse(good) as object), [name]: value })
    const tree = treeOf(folder)
    for (const [statement, code] of [
      [stranger, 'NotFound'],
      [changed('keyId', current), 'BadSignature'],
      [changed('keyId', 'x'), 'KeyMismatch'],
      [changed('reason', 'superseded'), 'BadSignature'],
      [changed('reason', 'lost'), 'InvalidOption'],
      [changed('date', '2020-01-01T00:00:00.000Z'), 'BadSignature'],
      [changed('date', 'now'), 'InvalidDocument'],
      [changed('more', 1), 'InvalidDocument'],
      [good.slice(0, -1), 'NotJson'],
      ['', 'NotJson'],
      ['[]', 'InvalidDocument'],
      ['x'.repeat(100_000), 'LimitExceeded'],
      ['x'.repeat(50_000), 'InvalidDocument'],
      [agent.exportAgent(), 'InvalidDocument'],
      [17, 'InvalidOption'],
      [undefined, 'InvalidOption'],
    ] as [string, SxErrorCode][]) {
      await refusal(() => agent.revokeKey({ statement }), code)
    }
    await refusal(() => agent.revokeKey({} as { statement: string }), 'InvalidOption')
    await refusal(() => agent.revokeKey({ statement: good, more: 1 } as { statement: string }), 'InvalidOption')
    expect(treeOf(folder)).toEqual(tree)
    expect(keyId).not.toBe(current)
    await agent.revokeKey({ statement: good })
  })

  it('is one that its key itself has dated before it was valid, and changes nothing', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const signer = {
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
      algorithm: 'ed25519',
      sign: async (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)),
    } as const
    const folder = newFolder()
    const terms = { name: 'Billing', algorithm: 'ed25519', env: {}, configPath: configIn(folder), signer } as const
    const { agent } = await SxAgent.create(terms)
    const { raw } = await agent.signMessage('before')
    const { agentId, keyId, reason, date } = JSON.parse(await agent.createRevocation()) as Record<string, string>
    const dated = (day: string | undefined): string => {
      const said = { agentId, date: day, keyId, reason }
      const text = JSON.stringify(said)
      const bytes = Buffer.from(`SXv2 20 sx-key-revocation-v1 ${text.length} ${text}`)
      const signature = sign(null, bytes, privateKey).toString('base64')
      return JSON.stringify({ ...said, signature, type: 'sx-key-revocation-v1' })
    }
    const tree = treeOf(folder)
    const older = dated('2020-01-01T00:00:00.000Z')
    const { message } = await refusal(() => agent.revokeKey({ statement: older }), 'InvalidDocument')
    expect(message).toMatch(/older than the key .* Pass the text that createRevocation returned, unchanged\.$/)
    expect(treeOf(folder)).toEqual(tree)
    expect(await agent.verify(raw)).toMatchObject({ valid: true })
    await agent.revokeKey({ statement: dated(date) }) // made in the same way
    expect(await agent.verify(raw)).toMatchObject({ code: 'KeyRevoked' })
  })
})
