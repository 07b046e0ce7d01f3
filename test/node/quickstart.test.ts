// The life of an agent (protocol, section 12), and what agents of two folders are to each other.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'
import { callElsewhere, type Outcome } from './processes.ts'

const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }

async function classAgent(folder: string): Promise<SxAgent> {
  const agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  return agent
}

// First, while this process has no agent yet.
describe('without an agent', () => {
  it('says so', async () => {
    expect(sx.isLoaded()).toBe(false)
    expect(sx.getAgentInfo()).toBeNull()
    expect(sx.verifyStandalone('{}').valid).toBe(false)
    const agent = new SxAgent()
    expect(agent.isLoaded()).toBe(false)
    expect(agent.getAgentInfo()).toBeNull()
    const calls = [
      () => sx.signMessage({ a: 1 }),
      () => sx.signMessageSync({ a: 1 }),
      () => sx.verify('{}'),
      () => sx.verifySelf(),
      () => sx.verifyById('6fa459ea-ee8a-4ca4-894e-db77e160355e'),
      () => sx.updateDocument('6fa459ea-ee8a-4ca4-894e-db77e160355e', {}),
      () => sx.updateAgent({}),
      () => sx.reencryptKey('a', 'b'),
      () => sx.exportAgent(),
      () => sx.getPublicKey(),
      () => sx.trustAgent('{}'),
      () => sx.listTrustedAgents(),
      () => sx.untrustAgent('x'),
      () => sx.isTrusted('x'),
      () => sx.getTrustedAgent('x'),
      () => sx.listDocuments(),
      () => sx.getDocument('x'),
      () => sx.flush(),
      () => agent.createDocument('{}'),
      () => agent.verifyDocument('{}'),
      () => agent.verifySignature('{}'),
      () => agent.updateDocument('x', '{}'),
      () => agent.signString('x'),
      () => agent.verifyString('x', 'x', new Uint8Array(), 'x'),
      () => agent.verifyAgent(),
      () => agent.updateAgent('{}'),
    ]
    for (const call of calls) await refusal(call, 'NoAgentLoaded')
  })

  it('stays without one if loading fails', async () => {
    const folder = newFolder()
    await refusal(() => sx.load(agentIn(folder)), 'NotFound')
    await refusal(() => sx.loadSync(agentIn(folder)), 'NotFound')
    expect(sx.isLoaded()).toBe(false)
  })
})

describe('quickstart', () => {
  for (const algorithm of ['pq2025', 'ed25519'] as const) {
    for (const form of ['async', 'sync'] as const) {
      it(`makes an agent the first time and finds it the next time (${algorithm}, ${form})`, async () => {
        const folder = newFolder()
        const start = (more = {}): sx.CreatedAgentInfo | Promise<sx.CreatedAgentInfo> =>
          form === 'async'
            ? sx.quickstart(agentIn(folder, { algorithm, ...more }))
            : sx.quickstartSync(agentIn(folder, { algorithm, ...more }))
        const info = await start()
        const keyDirectory = join(folder, 'sx_keys')
        expect(info).toEqual({
          agentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          name: 'Billing',
          configPath: configIn(folder),
          publicKeyPath: join(keyDirectory, 'sx.public.pem'),
          privateKeyPath: join(keyDirectory, 'sx.private.pem'),
          keyDirectory,
          dataDirectory: join(folder, 'sx_data'),
          algorithm,
          keyId: expect.stringMatching(/^[\w-]{43}$/),
          keyIds: [expect.stringMatching(/^[\w-]{43}$/)],
          created: true,
        })
        expect(Object.isFrozen(info)).toBe(true)
        expect(sx.isLoaded()).toBe(true)
        expect(sx.getAgentInfo()).toMatchObject({ agentId: info.agentId, keyId: info.keyId })
        const publicPem = readFileSync(info.publicKeyPath, 'utf8')
        expect(readFileSync(join(keyDirectory, `${info.agentId}.public.pem`), 'utf8')).toBe(publicPem)
        expect(sx.getPublicKey()).toBe(publicPem)
        const config = JSON.parse(readFileSync(info.configPath, 'utf8'))
        expect(config).toMatchObject({ sxAgentKeyAlgorithm: algorithm, sxDefaultStorage: 'fs' })
        expect(config.sxAgentIdAndVersion).toMatch(new RegExp(`^${info.agentId}:[0-9a-f-]{36}$`))
        expect(config).not.toHaveProperty('sxPrivateKeyPassword')

        const { raw, documentId, agentId, timestamp } = await sx.signMessage({ amount: 1 })
        const document = JSON.parse(raw)
        expect(document).toMatchObject({ sxId: documentId, sxVersionDate: timestamp, content: { amount: 1 } })
        expect(agentId).toBe(info.agentId)
        expect(await sx.verify(raw)).toEqual({
          valid: true,
          data: { amount: 1 },
          documentId,
          version: document.sxVersion,
          type: 'message',
          signerId: info.agentId,
          signerName: info.name,
          keyId: info.keyId,
          algorithm,
          timestamp,
          trusted: true,
          attachments: [],
          warnings: [],
          errors: [],
        })

        const before = treeOf(folder)
        const again = await start({ name: 'Somebody else', domain: 'example.org' })
        expect(again).toEqual({ ...info, created: false })
        expect(treeOf(folder)).toEqual(before)
        const [elsewhere] = await callElsewhere(
          [['quickstart', { ...agentIn(folder, { algorithm }), env: undefined }]],
          { env },
        )
        expect(elsewhere?.value).toEqual({ ...info, created: false })
      })
    }
  }

  it('makes pq2025 keys if nothing is said', async () => {
    const { algorithm: _, ...options } = agentIn(newFolder())
    expect((await sx.quickstart(options)).algorithm).toBe('pq2025')
  })

  it('takes ring-Ed25519 as a name of ed25519', async () => {
    expect((await sx.quickstart(agentIn(newFolder(), { algorithm: 'ring-Ed25519' }))).algorithm).toBe('ed25519')
  })

  it('writes where the options say, also into folders that are not there yet', async () => {
    const folder = newFolder()
    const configPath = join(folder, 'a', 'b', 'agent.json')
    const more = { configPath, dataDirectory: './my/data', keyDirectory: join(folder, 'keys') }
    const info = await sx.quickstart(agentIn(folder, more))
    expect(info.configPath).toBe(configPath)
    expect(info.privateKeyPath).toBe(join(folder, 'keys', 'sx.private.pem'))
    expect(existsSync(join(folder, 'a', 'b', 'my', 'data', 'documents'))).toBe(true)
    expect((await sx.load(configPath, { password: PASSWORD })).agentId).toBe(info.agentId)
  })

  it('uses the folder that the process is in by default', async () => {
    const folder = newFolder()
    const options = { name: 'Here', domain: 'example.com', algorithm: 'ed25519' }
    const [made, , signed] = await callElsewhere([['quickstart', options], ['load'], ['signMessage', 1]], {
      env,
      cwd: folder,
    })
    expect(made?.value).toMatchObject({ configPath: configIn(folder), created: true })
    expect(signed?.value).toMatchObject({ agentId: ((made as Outcome).value as sx.AgentInfo).agentId })
    // Which process moves elsewhere afterwards does not matter: the folder can move as well.
    expect(JSON.parse(readFileSync(configIn(folder), 'utf8')).sxKeyDirectory).toBe('./sx_keys')
  })
})

describe('create', () => {
  it('never overwrites a configuration or a key', async () => {
    const folder = newFolder()
    const info = await sx.create(agentIn(folder))
    const before = treeOf(folder)
    await refusal(() => sx.create(agentIn(folder)), 'AlreadyExists')
    expect(() => sx.createSync(agentIn(folder))).toThrow(/exists|already/)
    rmSync(info.configPath)
    await refusal(() => sx.create(agentIn(folder)), 'AlreadyExists')
    // Nor is a key without a configuration adopted: nobody knows what it is for.
    await refusal(() => sx.quickstart(agentIn(folder)), 'AlreadyExists')
    await refusal(() => sx.quickstartSync(agentIn(folder)), 'AlreadyExists')
    await refusal(() => sx.createSync(agentIn(folder, { configPath: join(folder, 'other.json') })), 'AlreadyExists')
    delete before['sx.config.json']
    expect(treeOf(folder)).toEqual(before)
    expect(sx.getAgentInfo()?.agentId).toBe(info.agentId)
  })

  it('writes the profile into the agent document', async () => {
    const profile = { domain: 'example.org', description: 'Pays bills', agentType: 'hybrid' } as const
    await sx.create(agentIn(newFolder(), profile))
    expect(JSON.parse(sx.exportAgent())).toMatchObject({
      sxType: 'agent',
      sxAgentType: 'hybrid',
      name: 'Billing',
      sxAgentDomain: 'example.org',
      description: 'Pays bills',
      sxPublicKeys: [{ algorithm: 'ed25519', publicKey: sx.getPublicKey() }],
    })
    expect((await sx.verifySelf()).errors).toEqual([])
  })

  it('takes an existing key', async () => {
    const first = await sx.create(agentIn(newFolder()))
    const pem = readFileSync(first.privateKeyPath, 'utf8')
    const folder = newFolder()
    await refusal(() => sx.create(agentIn(folder, { importKey: { pem, password: 'a wrong one' } })), 'WrongPassword')
    await refusal(() => sx.create(agentIn(folder, { importKey: { pem } })), ['PasswordRequired', 'WrongPassword'])
    expect(treeOf(folder)).toEqual({})
    const second = await sx.create(agentIn(folder, { importKey: { pem, password: PASSWORD }, password: 'next' }))
    expect(second.keyId).toBe(first.keyId)
    expect(second.agentId).not.toBe(first.agentId)
    expect((await sx.load(agentIn(folder, { password: 'next' }))).keyId).toBe(first.keyId)
  })
})

describe('the agent document', () => {
  it('gets a new version from a complete document only', async () => {
    const folder = newFolder()
    const info = await sx.create(agentIn(folder))
    const current = JSON.parse(sx.exportAgent())
    const before = treeOf(folder)
    await refusal(() => sx.updateAgent({ name: 'Part' }), 'InvalidAgent')
    await refusal(() => sx.updateAgent(JSON.stringify({ ...current, sxPublicKeys: undefined })), 'InvalidAgent')
    await refusal(() => sx.updateAgent({ ...current, sxPublicKeys: [] }), ['KeyConflict', 'InvalidAgent'])
    await refusal(() => sx.updateAgent({ ...current, sxOriginalDate: '2020-01-01T00:00:00.000Z' }), 'ReservedField')
    expect(treeOf(folder)).toEqual(before)

    const updated = JSON.parse(await sx.updateAgent({ ...current, name: 'Renamed', description: 'New' }))
    expect(updated).toMatchObject({ sxId: info.agentId, sxPreviousVersion: current.sxVersion, name: 'Renamed' })
    expect(updated.sxVersion).not.toBe(current.sxVersion)
    expect(updated.sxPublicKeys).toEqual(current.sxPublicKeys)
    expect(sx.getAgentInfo()?.name).toBe('Renamed')
    expect((await sx.verifySelf()).valid).toBe(true)
    expect(JSON.parse(sx.updateAgentSync(JSON.stringify({ ...updated, name: 'Again' }))).name).toBe('Again')
    // The configuration still names the first version; the latest one is found.
    expect(await sx.load(agentIn(folder))).toMatchObject({ agentId: info.agentId, name: 'Again' })
    // Documents of before stay valid, and so do those signed now.
    expect((await sx.verify((await sx.signMessage(1)).raw)).valid).toBe(true)
  })

  it('is not updated twice from one version by two processes', async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder))
    const one = await classAgent(folder)
    const two = await classAgent(folder)
    const renamed = (name: string): string => JSON.stringify({ ...JSON.parse(one.exportAgent()), name })
    const change = renamed('Two')
    await one.updateAgent(renamed('One'))
    await refusal(() => two.updateAgent(change), 'VersionConflict')
    await refusal(() => two.updateAgentSync(change), 'VersionConflict')
    expect((await classAgent(folder)).getAgentInfo()?.name).toBe('One')
  })

  it('is verified by verifyAgent, also from a file', async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder))
    const agent = await classAgent(folder)
    expect(await agent.verifyAgent()).toBe(true)
    expect(agent.verifyAgentSync(null)).toBe(true)
    const file = join(folder, 'agent.json')
    const check = async (text: string): Promise<boolean> => {
      writeFileSync(file, text)
      const verdict = await agent.verifyAgent(file)
      expect(agent.verifyAgentSync(file)).toBe(verdict)
      return verdict
    }
    const mine = agent.exportAgent()
    expect(await check(mine)).toBe(true)
    await sx.create(agentIn(newFolder()))
    const theirs = sx.exportAgent()
    expect(await check(theirs)).toBe(true)
    expect(await check(theirs.replace('Billing', 'Killing'))).toBe(false)
    expect(await check('')).toBe(false)
    expect(await check((await sx.signMessage(1)).raw)).toBe(false)
    // T47: once a newer version is known, the older one is not the agent's any more.
    const newer = await sx.updateAgent({ ...JSON.parse(theirs), name: 'Newer' })
    agent.trustAgent(newer)
    expect(await check(newer)).toBe(true)
    expect(await check(theirs)).toBe(false)
    await refusal(() => agent.trustAgent(theirs), 'Rollback')
    expect(agent.getTrustedAgent(JSON.parse(theirs).sxId)).toBe(newer)
  })
})

describe('agents of two folders', () => {
  let here: SxAgent
  let there: SxAgent
  let folderThere: string
  let infoThere: sx.AgentInfo
  beforeAll(async () => {
    const folderHere = newFolder()
    folderThere = newFolder()
    await sx.create(agentIn(folderHere, { algorithm: 'pq2025' }))
    infoThere = await sx.create(agentIn(folderThere))
    here = await classAgent(folderHere)
    there = await classAgent(folderThere)
  })

  it('do not know each other until one trusts the other, and no more after that ends (T39)', async () => {
    const signed = await there.createDocument('{"amount":1}')
    expect(await here.verifyDocument(signed)).toBe(false)
    await refusal(() => here.verifyOrThrow(signed), 'UnknownSigner')
    expect(here.isTrusted(infoThere.agentId)).toBe(false)
    await refusal(() => here.getTrustedAgent(infoThere.agentId), 'NotFound')

    const exported = there.exportAgent()
    expect(here.trustAgent(exported)).toEqual({
      agentId: infoThere.agentId,
      name: 'Billing',
      keyId: infoThere.keyId,
      keyIds: [infoThere.keyId],
    })
    expect(here.listTrustedAgents()).toEqual([infoThere.agentId])
    expect(here.getTrustedAgent(infoThere.agentId)).toBe(exported)
    const result = await here.verifyOrThrow(signed)
    expect(result).toMatchObject({ valid: true, trusted: true, signerId: infoThere.agentId, algorithm: 'ed25519' })
    expect(await here.verifySignature(signed)).toBe(true)
    expect(await here.verifySignature(signed, 'sxRegistration')).toBe(false)

    expect(here.untrustAgent(infoThere.agentId)).toBe(true)
    expect(here.untrustAgent(infoThere.agentId)).toBe(false)
    expect(await here.verifyDocument(signed)).toBe(false)
    expect(here.verifyDocumentSync(signed)).toBe(false)
  })

  it('know each other by a key in the key directory, but do not trust each other for that', async () => {
    const signed = await there.createDocument('{"amount":2}')
    const file = join(here.getAgentInfo()?.keyDirectory ?? '', `${infoThere.agentId}.public.pem`)
    copyFileSync(infoThere.publicKeyPath, file)
    expect(await here.verifyOrThrow(signed)).toMatchObject({ valid: true, trusted: false })
    rmSync(file)
    await refusal(() => here.verifyOrThrow(signed), 'UnknownSigner')
  })

  it('T06: a key directory that shadows the trust store with another key is a KeyConflict', async () => {
    const forger = newFolder()
    const forgerInfo = await sx.create(agentIn(forger))
    const forged = JSON.parse((await sx.signMessage({ amount: 1_000_000 })).raw)
    forged.sxSignature.agentID = infoThere.agentId
    const genuine = await there.createDocument('{"amount":3}')
    here.trustAgent(there.exportAgent())
    const file = join(here.getAgentInfo()?.keyDirectory ?? '', `${infoThere.agentId}.public.pem`)
    try {
      copyFileSync(forgerInfo.publicKeyPath, file)
      for (const document of [genuine, JSON.stringify(forged)]) {
        await refusal(() => here.verifyOrThrow(document), 'KeyConflict')
        await refusal(() => here.verifyOrThrowSync(document), 'KeyConflict')
        expect(await here.verifyDocument(document)).toBe(false)
      }
      copyFileSync(infoThere.publicKeyPath, file) // the same key twice is no conflict
      expect((await here.verifyOrThrow(genuine)).trusted).toBe(true)
    } finally {
      rmSync(file, { force: true })
      here.untrustAgent(infoThere.agentId)
    }
  })

  it('T06: of a trusted agent no other keys are taken without a rotation', async () => {
    const other = newFolder()
    await sx.create(agentIn(other))
    const foreign = JSON.parse(sx.exportAgent())
    here.trustAgent(there.exportAgent())
    const forged = JSON.stringify({ ...foreign, sxId: infoThere.agentId })
    await refusal(() => here.trustAgent(forged), ['KeyConflict', 'BadSignature', 'HashMismatch', 'InvalidAgent'])
    expect(here.getTrustedAgent(infoThere.agentId)).toBe(there.exportAgent())
    here.untrustAgent(infoThere.agentId)
  })

  it('are verified standalone with folders or objects of keys, whatever agent is loaded', async () => {
    const signed = await there.createDocument('{"amount":4}')
    const empty = newFolder()
    const nothing = { dataDirectory: join(empty, 'data'), keyDirectory: join(empty, 'keys') }
    await refusal(() => sx.verifyStandalone(signed, nothing), 'NotFound')
    for (const folder of Object.values(nothing)) mkdirSync(folder)
    const before = treeOf(empty)
    expect(sx.verifyStandalone(signed, nothing)).toMatchObject({ valid: false, code: 'UnknownSigner', data: undefined })
    const keys = { [infoThere.agentId]: there.getPublicKey() }
    for (const options of [
      { ...nothing, keyDirectory: infoThere.keyDirectory },
      { ...nothing, keyDirectory: infoThere.keyDirectory, keyResolution: 'local' },
      { ...nothing, keyDirectory: keys },
      { ...nothing, dataDirectory: join(folderThere, 'sx_data') },
    ]) {
      const result = sx.verifyStandalone(signed, options)
      expect(result).toMatchObject({ valid: true, data: { amount: 4 }, signerId: infoThere.agentId })
    }
    const shadowed = {
      keyDirectory: { [infoThere.agentId]: here.getPublicKey() },
      dataDirectory: join(folderThere, 'sx_data'),
    }
    expect(sx.verifyStandalone(signed, shadowed)).toMatchObject({ valid: false, code: 'KeyConflict' })
    const wrong = { ...nothing, keyDirectory: { [infoThere.agentId]: here.getPublicKey() } }
    expect(sx.verifyStandalone(signed, wrong).valid).toBe(false)
    await refusal(() => sx.verifyStandalone(signed, { keyResolution: 'dns' }), 'InvalidOption')
    expect(treeOf(empty)).toEqual(before)
  })

  it('are verified standalone with the trust store of a data directory', async () => {
    const signed = await there.createDocument('{"amount":5}')
    here.trustAgent(there.exportAgent())
    const data = join(dirname(here.getAgentInfo()?.configPath ?? ''), 'sx_data')
    const result = sx.verifyStandalone(signed, { dataDirectory: data, keyDirectory: {} })
    expect(result).toMatchObject({ valid: true, trusted: true })
    here.untrustAgent(infoThere.agentId)
    expect(sx.verifyStandalone(signed, { dataDirectory: data, keyDirectory: {} }).valid).toBe(false)
  })

  it('keep their trust store from one process to the next', async () => {
    here.trustAgent(there.exportAgent())
    const { configPath = '' } = here.getAgentInfo() ?? {}
    const load = ['load', configPath] as const
    const [, listed] = await callElsewhere([load, ['listTrustedAgents']], { env })
    expect(listed?.value).toEqual([infoThere.agentId])
    here.untrustAgent(infoThere.agentId)
    const [, then] = await callElsewhere([load, ['listTrustedAgents']], { env })
    expect(then?.value).toEqual([])
  })

  it('can share a data directory', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'a'))
    const dataDirectory = join(folder, 'data')
    const one = await sx.create(agentIn(join(folder, 'a'), { dataDirectory }))
    const { documentId } = await sx.signMessage({ of: 'one' })
    const two = await sx.create(agentIn(join(folder, 'b'), { dataDirectory }))
    expect(two.agentId).not.toBe(one.agentId)
    expect(await sx.verifyById(documentId)).toMatchObject({ valid: false, code: 'UnknownSigner' })
    await refusal(() => sx.updateDocument(documentId, { of: 'two' }), 'UnknownSigner')
  })
})
