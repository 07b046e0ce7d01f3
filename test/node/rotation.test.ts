// Keys over time, on files: what a rotation leaves, what it survives, and what others make of it.
import { randomInt } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import { memoryStorage, mirrored } from 'sx-agent/storage'
import { describe, expect, it, vi } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, refusal, times } from './fixtures.ts'
import { Child, callElsewhere, callUntilKilled } from './processes.ts'
import { begin, env, keyFolder, killedWhileRotating, privateKeys, stepsOfRotation } from './rotations.ts'

describe('what is signed while the key is rotated', () => {
  it('counts, by whichever key, and nobody is refused', async () => {
    const { agent } = await begin()
    const signed: string[] = []
    for (let round = 0; round < 3; round++) {
      let isDone = false
      const rotating = agent.rotateKey({ algorithm: 'ed25519' }).finally(() => {
        isDone = true
      })
      while (!isDone) {
        signed.push(agent.signMessageSync({ at: signed.length }).raw, (await agent.signMessage(1)).raw)
        signed.push(await agent.createDocument({ at: signed.length }), await agent.signArtifact('1', 'draft'))
      }
      await rotating
    }
    expect(signed.length).toBeGreaterThan(12)
    for (const raw of signed) expect((await agent.verify(raw)).errors).toEqual([])
    expect(agent.getAgentInfo()?.keyIds).toHaveLength(4)
  })

  it('counts where the clock was ahead, and was set back before the rotation', async () => {
    const { agent, before } = await begin()
    const { now } = Date
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000)
    const { raw, documentId } = await agent.signMessage({ n: 1 })
    ahead.mockRestore()
    await agent.rotateKey()
    for (const one of [before, raw]) expect(await agent.verify(one)).toMatchObject({ valid: true })
    const next = await agent.updateDocument(documentId, '{"n":2}')
    expect(await agent.verify(next)).toMatchObject({ valid: true })
  })

  it('follows no thief of the key, not even by the trust store', async () => {
    const { folder, agent, agentId, keyId } = await begin()
    const stolen = newFolder()
    cpSync(folder, stolen, { recursive: true })
    const thief = new SxAgent({ password: PASSWORD, env: {} })
    await thief.load(configIn(stolen))
    await thief.rotateKey()
    writeFileSync(join(folder, 'thief.json'), thief.exportAgent())
    const error = await refusal(() => agent.trustAgent(thief.exportAgent()), 'KeyConflict')
    expect(error.found).toContain('this agent')
    expect(error.advice).toMatch(/exportAgent .* rotateKey/)
    expect(error.message).not.toContain('trust store')
    expect(await agent.verifyAgent(join(folder, 'thief.json'))).toBe(false)
    expect(await agent.verify(thief.exportAgent())).toMatchObject({ valid: false, code: 'KeyMismatch' })
    expect(agent.trustAgent(agent.exportAgent())).toMatchObject({ agentId, keyIds: [keyId] })
  })
})

describe('a rotation', () => {
  it('leaves one private key, public keys that follow, and what was signed before valid', async () => {
    const { folder, agent, agentId, keyId, before } = await begin()
    const rotated = await agent.rotateKey({ algorithm: 'pq2025' })
    expect(rotated).toMatchObject({ formerKeyId: keyId, algorithm: 'pq2025', agent: agent.exportAgent() })
    expect(Object.isFrozen(rotated)).toBe(true)
    expect(agent.getAgentInfo()).toMatchObject({
      keyId: rotated.keyId,
      keyIds: [keyId, rotated.keyId],
      algorithm: 'pq2025',
    })
    expect(privateKeys(folder)).toBe(1)
    for (const file of ['sx.public.pem', `${agentId}.public.pem`]) {
      expect(readFileSync(join(keyFolder(folder), file), 'utf8')).toBe(agent.getPublicKey())
    }
    const after = await agent.signMessage('after')
    const again = new SxAgent({ password: PASSWORD, env: {} })
    await again.load(configIn(folder))
    for (const one of [agent, again]) {
      expect(await one.verify(before)).toMatchObject({ valid: true, keyId })
      expect(await one.verify(after.raw)).toMatchObject({ valid: true, keyId: rotated.keyId })
      expect(await one.verifySelf()).toMatchObject({ valid: true })
      expect(await one.verifyAgent()).toBe(true)
    }
    // The next one, in its synchronous form, and the password carries on.
    await again.reencryptKey(PASSWORD, 'another one')
    await refusal(() => again.rotateKeySync(), 'WrongPassword')
    const third = again.rotateKeySync({ password: 'another one', reason: 'unspecified' })
    expect(third.algorithm).toBe('pq2025')
    await new SxAgent({ password: 'another one', env: {} }).load(configIn(folder))
    expect(privateKeys(folder)).toBe(1)
  })

  it('makes a key whose theft takes back all that it has signed', async () => {
    const { agent, keyId, before } = await begin()
    const { formerKeyId } = await agent.rotateKey({ reason: 'compromised' })
    expect(formerKeyId).toBe(keyId)
    expect(await agent.verify(before)).toMatchObject({ valid: false, code: 'KeyRevoked' })
  })

  it('keeps no copy of a password that was taken away from where it was saved', async () => {
    const folder = newFolder()
    const { agent } = await SxAgent.create(agentIn(folder))
    writeFileSync(join(keyFolder(folder), '.sx_password'), PASSWORD)
    await agent.reencryptKey(PASSWORD, 'another password')
    const records = (): string =>
      readdirSync(keyFolder(folder))
        .filter((file) => /^sx\.private\.pem\.\d+$/.test(file))
        .map((file) => readFileSync(join(keyFolder(folder), file), 'utf8'))
        .join('')
    expect(records()).toContain('another password')
    rmSync(join(keyFolder(folder), '.sx_password'))
    await agent.rotateKey({ password: 'another password' })
    const last = readdirSync(keyFolder(folder))
      .filter((file) => /^sx\.private\.pem\.\d+$/.test(file))
      .sort()
      .at(-1)
    expect(readFileSync(join(keyFolder(folder), last ?? ''), 'utf8')).not.toContain('another password')
    await new SxAgent({ password: 'another password', env: {} }).load(configIn(folder))
  })

  it('takes the saved password, from wherever it is saved', async () => {
    const folder = newFolder()
    const options = { ...agentIn(folder), env: { SX_SAVE_PASSWORD_FILE: 'true' } } as Record<string, unknown>
    delete options['password']
    const { agent } = await SxAgent.create(options as never)
    const { keyId } = await agent.rotateKey()
    const again = new SxAgent({ env: {} })
    await again.load(configIn(folder))
    expect(again.getAgentInfo()).toMatchObject({ keyId })
  })

  it('is known to others that have the old key loaded, before they store anything', async () => {
    const { folder, agent, agentId } = await begin()
    const other = new SxAgent({ password: PASSWORD, env: {} })
    await other.load(configIn(folder))
    await agent.updateAgent({ ...(JSON.parse(agent.exportAgent()) as object), name: 'Renamed' })
    const { documentId } = await other.signMessage('with the same key')
    const { keyId } = await agent.rotateKey()
    const refused = [
      () => other.signMessage('too late'),
      () => other.createDocument('{"a":1}'),
      () => other.updateDocument(documentId, '"too late"'),
      () => other.exportStore(),
      () => other.exportKey({ password: 'x' }),
      () => other.reencryptKey(PASSWORD, 'another one'),
    ]
    for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'KeyRevoked' })
    await expect(other.rotateKey()).rejects.toMatchObject({ code: 'VersionConflict' })
    await expect(other.revokeKey(keyId)).rejects.toMatchObject({ code: 'VersionConflict' })
    await other.load(configIn(folder))
    expect(await other.verifyById((await other.signMessage('in time')).documentId)).toMatchObject({
      valid: true,
      keyId,
    })
    expect(other.getAgentInfo()?.agentId).toBe(agentId)
  })

  it('is one that only a storage that lasts can have', async () => {
    const store = memoryStorage()
    const later = { ...store, capabilities: store.capabilities }
    for (const name of ['get', 'put', 'delete', 'list', 'flush', 'close'] as const) {
      Object.assign(later, { [name]: store[name].bind(store) })
    }
    for (const name of ['getSync', 'putSync', 'deleteSync', 'listSync'] as const)
      Object.assign(later, { [name]: undefined })
    const storage = await mirrored(later)
    const { agent } = await SxAgent.create({ name: 'Page', algorithm: 'ed25519', storage, password: PASSWORD, env: {} })
    await refusal(() => agent.rotateKeySync(), 'SyncStorageUnavailable')
    expect((await agent.rotateKey()).agent).toBe(agent.exportAgent())
  })

  it('refuses what is none', async () => {
    const { agent, keyId } = await begin()
    const document = agent.exportAgent()
    for (const options of [{ algorithm: 'rsa' }, { reason: 'lost' }, { reasons: 'x' }, 'x', { algorithm: 17 }]) {
      await expect(agent.rotateKey(options as never)).rejects.toMatchObject({ code: 'InvalidOption' })
    }
    await expect(agent.rotateKey({ password: 'wrong' })).rejects.toMatchObject({ code: 'WrongPassword' })
    await expect(agent.revokeKey(keyId)).rejects.toMatchObject({ code: 'InvalidOption' })
    expect(agent.exportAgent()).toBe(document)
    expect((await agent.rotateKey()).formerKeyId).toBe(keyId)
  })

  it('ends whole or not at all when its process is killed at some step', async () => {
    const isRotated = await killedWhileRotating(randomInt(1, (await stepsOfRotation()) + 1))
    expect([true, false]).toContain(isRotated)
  })

  it('has one winner among processes', async () => {
    const { folder, before } = await begin()
    const calls = JSON.stringify([['load', configIn(folder)], ['rotateKey']])
    const said = await Promise.all(Array.from({ length: 4 }, () => new Child('call', [calls], { env }).finish()))
    const outcomes = said.map((lines) => lines[1] as { code?: string })
    const lost = outcomes.flatMap(({ code }) => (code === undefined ? [] : [code]))
    for (const code of lost) expect(['VersionConflict', 'KeyRevoked']).toContain(code)
    const agent = new SxAgent({ password: PASSWORD, env: {} })
    await agent.load(configIn(folder))
    expect(agent.getAgentInfo()?.keyIds).toHaveLength(1 + outcomes.length - lost.length)
    expect(await agent.verify(before)).toMatchObject({ valid: true })
    expect(privateKeys(folder)).toBe(1)
  })

  it('and a change of the password at once lose nothing', async () => {
    for (let round = 0; round < times(20); round++) {
      const { folder, keyId, before } = await begin()
      const load = ['load', configIn(folder)]
      const run = (call: unknown[]) => new Child('call', [JSON.stringify([load, call])], { env }).finish()
      const [rotated, changed] = (
        await Promise.all([run(['rotateKey']), run(['reencryptKey', PASSWORD, 'another one'])])
      ).map((lines) => (lines[1] as { code?: string }).code)
      const agent = new SxAgent({ password: changed === undefined ? 'another one' : PASSWORD, env: {} })
      await agent.load(configIn(folder))
      expect(agent.getAgentInfo()?.keyId === keyId).toBe(rotated !== undefined)
      expect(await agent.verify(before)).toMatchObject({ valid: true })
    }
  })
})

describe('an agent whose key was rotated', () => {
  it('is backed up and restored, also where restoring was interrupted', async () => {
    const { agent, before } = await begin()
    const { keyId } = await agent.rotateKey()
    const backup = await agent.exportStore({ password: 'of the backup' })
    const folder = newFolder()
    writeFileSync(join(folder, 'backup'), backup)
    const restoring = [['importStore', join(folder, 'backup'), { configPath: configIn(folder) }]] as const
    const [whole] = await callElsewhere([
      ['importStore', join(folder, 'backup'), { configPath: join(newFolder(), 'c.json') }],
    ])
    const steps = whole?.steps ?? 0
    expect(steps).toBeGreaterThan(10)
    for (const step of [3, Math.floor(steps / 2), steps - 8, steps - 4]) await callUntilKilled(restoring, step, {})
    if (!existsSync(configIn(folder))) await callElsewhere(restoring)
    const restored = new SxAgent({ password: 'of the backup', env: {} })
    await restored.load(configIn(folder))
    expect(restored.getAgentInfo()).toMatchObject({ keyId })
    expect(await restored.verify(before)).toMatchObject({ valid: true })
    await restored.rotateKey()
  })

  it('is followed by those who trust it', async () => {
    const { folder, agent, agentId, keyId, before } = await begin()
    const first = agent.exportAgent()
    // A thief has the folder as it was, and rotates the key himself.
    const stolen = newFolder()
    cpSync(folder, stolen, { recursive: true })
    const thief = new SxAgent({ password: PASSWORD, env: {} })
    await thief.load(configIn(stolen))
    const { agent: rival } = await thief.rotateKey()
    const second = await agent.rotateKey()
    const third = await agent.rotateKey({ algorithm: 'pq2025' })
    const after = await agent.signMessage('after')
    const { agent: truster } = await SxAgent.create({ ...agentIn(newFolder()), name: 'Truster' })
    expect(truster.trustAgent(first)).toEqual({ agentId, name: 'Billing', keyId, keyIds: [keyId] })
    expect(await truster.verify(after.raw)).toMatchObject({ valid: false, code: 'KeyMismatch' })
    const keyIds = [keyId, second.keyId, third.keyId]
    expect(truster.trustAgent(third.agent)).toEqual({ agentId, name: 'Billing', keyId: third.keyId, keyIds })
    expect(await truster.verify(after.raw)).toMatchObject({ valid: true, trusted: true, keyId: third.keyId })
    expect(await truster.verify(before)).toMatchObject({ valid: true, trusted: true, keyId })
    for (const older of [first, second.agent]) await refusal(() => truster.trustAgent(older), 'Rollback')
    await refusal(() => truster.trustAgent(rival), 'KeyConflict')
    const revoked = await agent.revokeKey(keyId, { reason: 'compromised' })
    expect(await agent.revokeKey(keyId, { reason: 'compromised' })).toBe(revoked)
    truster.trustAgent(revoked)
    expect(await truster.verify(before)).toMatchObject({ valid: false, code: 'KeyRevoked' })
    await expect(agent.revokeKey(keyId, { reason: 'superseded' })).rejects.toMatchObject({ code: 'KeyRevoked' })
    // Taken back, and trusted anew, an older one is a first contact.
    truster.untrustAgent(agentId)
    expect(truster.trustAgent(second.agent)).toMatchObject({ keyId: second.keyId })
  })
})

describe('exportKey', () => {
  it('gives a key that opens with the password of the caller, and makes the same agent key again', async () => {
    const { agent, keyId } = await begin()
    const pem = await agent.exportKey({ password: 'of the export' })
    expect(agent.exportKeySync({ password: 'of the export' })).not.toBe(pem)
    const importKey = { pem, password: 'of the export' }
    const { algorithm: _, ...options } = agentIn(newFolder())
    expect(await SxAgent.create({ ...options, importKey })).toMatchObject({ keyId })
    await expect(agent.exportKey({ password: '' })).rejects.toMatchObject({ code: 'PasswordRequired' })
    await expect(agent.exportKey({} as never)).rejects.toMatchObject({ code: 'InvalidOption' })
  })
})

describe('signAgent', () => {
  it('spec 4.2 signAgent: registers one version of an agent document, which verifyAgent looks at', async () => {
    const { agent } = await begin()
    await agent.rotateKey()
    const { agent: registrar, agentId } = await SxAgent.create({ ...agentIn(newFolder()), name: 'Registrar' })
    const { algorithm = '' } = agent.getAgentInfo() ?? {}
    const registered = await registrar.signAgent(agent.exportAgent(), agent.getPublicKey(), algorithm)
    expect(JSON.parse(registered)).toMatchObject({ sxRegistration: { agentID: agentId } })
    const folder = newFolder()
    const file = join(folder, 'agent.json')
    const asked = async (who: SxAgent, text: string): Promise<boolean[]> => {
      writeFileSync(file, text)
      return [await who.verifySignature(text, 'sxRegistration'), await who.verifyAgent(file)]
    }
    expect(await asked(registrar, registered)).toEqual([true, true])
    expect(await asked(agent, registered)).toEqual([false, false]) // it knows no such registrar
    agent.trustAgent(registrar.exportAgent())
    expect(await asked(agent, registered)).toEqual([true, true])
    // What the registrar has signed of another version, or of another agent.
    const { sxRegistration } = JSON.parse(registered) as { sxRegistration: object }
    await agent.rotateKey()
    for (const other of [agent.exportAgent(), registrar.exportAgent()]) {
      expect(await asked(registrar, other)).toEqual([false, true])
      const moved = JSON.stringify({ ...(JSON.parse(other) as object), sxRegistration })
      expect(await asked(registrar, moved)).toEqual([false, false])
    }
    const refused = [
      [agent.exportAgent(), registrar.getPublicKey(), 'ed25519', 'KeyMismatch'],
      [agent.exportAgent(), agent.getPublicKey(), 'pq2025', 'InvalidKey'],
      [agent.exportAgent(), agent.getPublicKey(), 'rsa', 'InvalidOption'],
      [agent.exportAgent(), 17, 'ed25519', 'InvalidOption'],
      [agent.exportAgent().replace('Billing', 'Mallory'), agent.getPublicKey(), 'ed25519', 'BadSignature'],
    ] as const
    for (const [text, key, type, code] of refused) {
      await expect(registrar.signAgent(text, key as string, type)).rejects.toMatchObject({ code })
    }
  })
})
