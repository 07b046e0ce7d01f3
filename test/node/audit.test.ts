// What `audit` finds on files: nothing where all is well, and every flipped byte.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage, mirrored } from 'sx-agent/storage'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { remote } from '../unit/remote.ts'
import agents from '../vectors/agents.json' with { type: 'json' }
import { agentIn, configIn, entryPath, newFolder, PASSWORD, partPath, refusal, treeOf } from './fixtures.ts'
import { missedFlips } from './flipped-bytes.ts'

/** Members of a configuration. */
interface Fields {
  sxDataDirectry?: string
  sxPrivateKeyPassword?: string
  more?: number
}

/** Members of an agent document. */
interface Keys {
  readonly sxPublicKeys: readonly [{ readonly keyId: string }]
}

const [foreign] = agents.agents as [(typeof agents.agents)[0]]

/** An agent with all that can be stored of one, and the folder that a test has of it. */
let original: string
let folder: string
let id: string
let options: sx.AuditOptions
beforeAll(async () => {
  original = newFolder()
  folder = original
  await sx.create(agentIn(folder))
  const { documentId } = await sx.signMessage({ n: 1 })
  id = documentId
  await sx.updateDocument(id, { n: 2 })
  await sx.updateDocument(id, { n: 3 })
  await sx.createDocument({ amount: 1 }, { outputFilename: 'copy.json' })
  sx.trustAgent(foreign.raw)
})
beforeEach(async () => {
  folder = newFolder()
  cpSync(original, folder, { recursive: true })
  options = { configPath: configIn(folder), password: PASSWORD, env: {} }
  await sx.load(configIn(folder), { password: PASSWORD, env: {} })
})

const codesOf = (result: sx.AuditResult): string[] => result.risks.map(({ check, code }) => `${check} ${code}`)
const risksOf = async (more: sx.AuditOptions = {}): Promise<string[]> =>
  codesOf(await sx.audit({ ...options, ...more }))

describe('an agent with which nothing is wrong', () => {
  it('spec 4.1 audit; 2.3 AuditResult.health_checks, AuditResult.summary, AuditResult.overall_status: is healthy', async () => {
    const before = treeOf(folder)
    const result = await sx.audit(options)
    expect(codesOf(result)).toEqual([])
    expect(result.overall_status).toBe('healthy')
    expect(result.health_checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'configuration passed',
      'permissions passed',
      'leftovers passed',
      'password passed',
      'agent passed',
      'private_key passed',
      'public_keys passed',
      'documents passed',
      'trust_store passed',
      'storage passed',
    ])
    const { agentId = '' } = sx.getAgentInfo() ?? {}
    expect(result.summary).toEqual({
      agentId,
      documents: 3,
      verified: 5,
      trustedAgents: 1,
      high: 0,
      medium: 0,
      low: 0,
    })
    expect(treeOf(folder)).toEqual(before)
    expect(sx.auditSync(options)).toEqual(result)
    expect(JSON.stringify(result)).not.toContain(PASSWORD)
  })

  it('needs none to be loaded, and leaves the loaded one alone', async () => {
    const other = newFolder()
    await sx.create(agentIn(other))
    const info = sx.getAgentInfo()
    expect((await sx.audit(options)).overall_status).toBe('healthy')
    expect(sx.getAgentInfo()).toEqual(info)
    await sx.close()
    expect((await sx.audit(options)).overall_status).toBe('healthy')
    expect(sx.isLoaded()).toBe(false)
  })

  it('verifies as many documents as it is told, the latest ones', async () => {
    for (const [recentN, verified] of [
      [0, 0],
      [1, 1],
      [2, 2],
      [100, 3],
    ] as const) {
      expect((await sx.audit({ ...options, recentN })).summary).toMatchObject({ documents: 3, verified })
    }
    const path = entryPath(folder, id, 3)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":3', '"n":4'))
    expect(await risksOf({ recentN: 1 })).toEqual([]) // another one is later
    expect(await risksOf({ recentN: 2 })).toEqual(['documents BadSignature'])
    for (const recentN of [-1, 1.5, Number.NaN]) await refusal(() => sx.audit({ recentN }), 'InvalidOption')
  })

  it('says what it could not look at without a password', async () => {
    const { password: _, ...without } = options
    const result = await sx.audit(without)
    expect(codesOf(result)).toEqual([])
    expect(result.health_checks.filter(({ status }) => status === 'skipped').map(({ name }) => name)).toEqual([
      'password',
      'private_key',
    ])
    expect(result.overall_status).toBe('warning')
  })

  it('can be kept in memory', async () => {
    const storage = memoryStorage()
    await SxAgent.create({ name: 'A', algorithm: 'ed25519', storage, password: PASSWORD })
    const result = await sx.audit({ storage, password: PASSWORD })
    expect(codesOf(result)).toEqual([])
    expect(result.health_checks.filter(({ status }) => status === 'skipped').map(({ name }) => name)).toEqual([
      'permissions',
      'storage',
    ])
  })
})

describe('a copy in memory', () => {
  it('that has read a part of the entries is not called damaged', async () => {
    const storage = memoryStorage()
    const { agent } = await SxAgent.create({ name: 'A', algorithm: 'ed25519', storage, password: PASSWORD })
    const copies = [await mirrored(remote(storage)), await mirrored(remote(storage))]
    const { documentId } = await agent.signMessage({ n: 1 })
    for (const n of [2, 3]) await agent.updateDocument(documentId, JSON.stringify({ n }))
    agent.trustAgent(foreign.raw)
    await agent.rotateKey({ algorithm: 'ed25519' })
    const keys = [...storage.listSync([])]
    for (const [at, copy] of copies.entries()) {
      for (const key of at === 0 ? keys : keys.toReversed()) {
        await copy.invalidate([key])
        const { risks } = sx.auditSync({ storage: copy, password: PASSWORD })
        const others = risks.filter(({ code, severity }) => severity !== 'low' && code !== 'SyncStorageUnavailable')
        expect(others, `after ${key.join('/')}`).toEqual([])
      }
      expect(sx.auditSync({ storage: copy, password: PASSWORD }).risks).toEqual([])
    }
  })
})

describe('what is wrong', () => {
  const config = (change: (fields: Fields) => void): void => {
    const fields = JSON.parse(readFileSync(configIn(folder), 'utf8')) as Fields
    change(fields)
    writeFileSync(configIn(folder), JSON.stringify(fields))
  }

  it.each([
    ['no configuration', () => rmSync(configIn(folder)), ['configuration NotFound']],
    ['a configuration that is none', () => writeFileSync(configIn(folder), '{'), ['configuration InvalidConfig']],
    [
      'fields that nothing reads',
      () =>
        config((fields) => {
          fields.sxDataDirectry = 'x'
          fields.more = 1
        }),
      ['configuration UnknownConfigField', 'configuration UnknownConfigField'],
    ],
    [
      'a password in the configuration, which others can read',
      () => {
        config((fields) => {
          fields.sxPrivateKeyPassword = PASSWORD
        })
        chmodSync(configIn(folder), 0o644)
      },
      ['permissions LooseFileMode', 'configuration PasswordInConfig'],
    ],
    [
      'a private key that others can read',
      () => chmodSync(key('sx.private.pem'), 0o640),
      ['permissions LooseFileMode'],
    ],
    ['keys that others can replace', () => chmodSync(join(folder, 'sx_keys'), 0o777), ['permissions LooseFileMode']],
    [
      'documents that others can remove',
      () => chmodSync(join(folder, 'sx_data'), 0o770),
      ['permissions LooseFileMode'],
    ],
    ['no private key', () => rmSync(key('sx.private.pem')), ['private_key NotFound']],
    ['no public key', () => rmSync(key('sx.public.pem')), ['public_keys NotFound']],
    [
      "another agent's public key",
      () => writeFileSync(key('sx.public.pem'), foreign.publicKey),
      ['private_key KeyMismatch', 'public_keys KeyMismatch'],
    ],
    [
      'another key for a trusted agent',
      () => writeFileSync(key(`${foreign.agentId}.public.pem`), sx.getPublicKey()),
      ['public_keys KeyConflict'],
    ],
    [
      'a file of a key that is none',
      () => writeFileSync(key(`${foreign.agentId}.public.pem`), 'x'),
      ['public_keys InvalidKey'],
    ],
    [
      'a missing version',
      () => rmSync(entryPath(folder, id, 2)),
      ['documents UnclaimedVersion', 'documents DamagedHint'],
    ],
    [
      'versions that are gone',
      () => rmSync(entryPath(folder, id, 3)),
      ['documents Rollback', 'documents Rollback'], // both hints say so
    ],
    ['a hint that is none', () => writeFileSync(partPath(folder, id, 'latest'), 'x'), ['documents DamagedHint']],
    [
      'a document of a stranger',
      () => {
        const stranger = foreign.raw.replaceAll(foreign.agentId, '00000000-0000-4000-8000-000000000000')
        writeFileSync(entryPath(folder, id, 1), stranger)
      },
      ['documents CorruptStore'],
    ],
    [
      'a copy that was changed',
      () => writeFileSync(join(folder, 'sx_data', 'output', 'copy.json'), '{}'),
      ['documents MissingSignature'],
    ],
    [
      'a trusted agent of which a later document is stored',
      () => {
        const path = entryPath(folder, foreign.agentId, 1)
        mkdirSync(join(path, '..'), { recursive: true })
        writeFileSync(path, foreign.raw)
        writeFileSync(entryPath(folder, foreign.agentId, 2), foreign.second)
      },
      ['trust_store StaleTrust'],
    ],
    [
      'half a write of a process that has died',
      () => writeFileSync(join(folder, 'sx_data', '.tmp', 'aaaaaaaaaaaa-1-0123456789abcdef.tmp'), 'x'),
      [], // of another machine, and young: it may still be written
    ],
  ] as [string, () => void | Promise<void>, string[]][])('spec 2.3 AuditResult.risks: %s', async (_, damage, found) => {
    await damage()
    expect(await risksOf()).toEqual(found)
  })

  it('spec 2.3 AuditResult.risks, AuditResult.overall_status: is told with its place, in a sentence that says what to do', async () => {
    chmodSync(key('sx.private.pem'), 0o644)
    const { risks, overall_status, health_checks } = await sx.audit(options)
    expect(risks).toHaveLength(1)
    expect(risks[0]).toMatchObject({ severity: 'high', subject: key('sx.private.pem') })
    expect(risks[0]?.message).toMatch(/0644.*chmod 600/)
    expect(overall_status).toBe('critical')
    expect(health_checks.find(({ name }) => name === 'permissions')).toMatchObject({ status: 'failed' })
  })

  it('a password that can be guessed, wherever it comes from, and one that is wrong', async () => {
    await sx.reencryptKey(PASSWORD, 'short 7')
    expect(await risksOf({ password: 'short 7' })).toEqual(['password WeakPassword'])
    expect(await risksOf({ password: '', env: { SX_PRIVATE_KEY_PASSWORD: 'short 7' } })).toEqual([
      'password PasswordRequired',
    ])
    const { password: _, ...without } = options
    const env = { SX_PRIVATE_KEY_PASSWORD: 'aaaaaaaaaaaaaaaa' }
    expect(codesOf(await sx.audit({ ...without, env }))).toEqual(['private_key WrongPassword'])
  })

  it('a stored document that calls the trusted key of an agent compromised', async () => {
    const theirs = newFolder()
    const place = { configPath: configIn(theirs), password: PASSWORD, env: {} }
    const { agent } = await SxAgent.create({ name: 'Theirs', algorithm: 'ed25519', ...place })
    sx.trustAgent(agent.exportAgent())
    const { raw, agentId } = await agent.signMessage('of whoever has the key')
    for (const [reason, risk] of [
      ['superseded', { severity: 'medium' }],
      [
        'compromised',
        { severity: 'high', message: expect.stringContaining('signatures of that key still count') as string },
      ],
    ] as const) {
      if (reason === 'superseded') await agent.rotateKey({ password: PASSWORD, reason })
      else await agent.revokeKey((JSON.parse(agent.exportAgent()) as Keys).sxPublicKeys[0].keyId, { reason })
      cpSync(join(theirs, 'sx_data', 'documents'), join(folder, 'sx_data', 'documents'), { recursive: true })
      rmSync(entryPath(folder, (JSON.parse(raw) as { sxId: string }).sxId, 1))
      const { risks } = await sx.audit(options)
      const found = risks.filter(({ check }) => check === 'trust_store')
      expect(found).toEqual([expect.objectContaining({ code: 'StaleTrust', subject: agentId, ...risk })])
      expect(await sx.verify(raw)).toMatchObject({ valid: true }) // which is what the risk is about
    }
    await sx.load(configIn(folder), { password: PASSWORD, env: {} })
    sx.untrustAgent(agentId)
    sx.trustAgent(agent.exportAgent())
    expect(await risksOf()).toEqual(['documents KeyRevoked']) // the first version of its document
    expect(await sx.verify(raw)).toMatchObject({ code: 'KeyRevoked' })
    await agent.close()
  })

  it('what a stolen key has signed, as long as nothing follows it', async () => {
    await sx.rotateKey({ password: PASSWORD, reason: 'compromised' })
    const { agentId = '' } = sx.getAgentInfo() ?? {}
    const severities = async (): Promise<string[]> =>
      (await sx.audit(options)).risks.map(({ code, severity, subject }) => `${code} ${severity} ${subject}`)
    const first = `${agentId} (version 1)`
    const found = await severities()
    expect(found).toContain(`KeyRevoked low ${first}`)
    expect(found).toContain(`KeyRevoked high ${id} (version 3)`)
    expect(found.filter((one) => one.includes('high'))).toHaveLength(2)
    // What to do is said of the latest version, which can be replaced.
    for (const { severity, code, message } of (await sx.audit(options)).risks) {
      if (code === 'KeyRevoked') expect(message.includes('no action is needed')).toBe(severity === 'low')
    }
  })

  it("another agent's private key", async () => {
    const other = newFolder()
    const { privateKeyPath } = await sx.create(agentIn(other))
    writeFileSync(key('sx.private.pem'), readFileSync(privateKeyPath))
    expect(await risksOf()).toEqual(['private_key WrongPassword'])
  })
})

const key = (name: string): string => join(folder, 'sx_keys', name)

describe('the password of the private key', () => {
  const NEW = 'another good pass phrase 42'
  const saving = { env: { SX_SAVE_PASSWORD_FILE: 'true' } }
  let config: string
  const at = (name: string): string => join(config, '..', 'sx_keys', name)
  const found = async (more: sx.AuditOptions = {}): Promise<string[]> =>
    (await sx.audit({ configPath: config, env: {}, ...more })).risks.map(({ code, severity }) => `${code} ${severity}`)

  async function saved(): Promise<string> {
    const place = newFolder()
    config = configIn(place)
    await sx.create({ name: 'A', algorithm: 'ed25519', configPath: config, ...saving })
    return readFileSync(at('.sx_password'), 'utf8')
  }

  it('in a file is compared with the one that opens the key', async () => {
    const first = await saved()
    expect(await found()).toEqual([])
    await sx.reencryptKey(first, NEW)
    expect(await found()).toEqual([])
    writeFileSync(at('.sx_password'), NEW.replace('g', 'f'))
    expect(await found()).toEqual(['StalePassword low'])
    expect(await found({ password: NEW })).toEqual(['StalePassword low'])
    await sx.load(config, { env: {} })
    expect(readFileSync(at('.sx_password'), 'utf8')).toBe(NEW) // as the risk says
    expect(await found()).toEqual([])
  })

  it('in a file that nothing puts right is no better than none', async () => {
    const first = await saved()
    writeFileSync(at('.sx_password'), NEW)
    expect(await found({ password: first })).toEqual(['StalePassword medium'])
    expect(await found()).toEqual(['WrongPassword high'])
  })

  it('in a key record is not the one that opens the key', async () => {
    await sx.reencryptKey(await saved(), NEW)
    writeFileSync(at('sx.private.pem.2'), readFileSync(at('sx.private.pem.2'), 'utf8').replace(NEW, `${NEW}.`))
    expect(await found()).toEqual(['WrongPassword high'])
    expect(await found({ password: NEW })).toEqual(['StalePassword high'])
  })

  it('that was taken away from where it was saved stands in no key record', async () => {
    await sx.reencryptKey(await saved(), NEW)
    rmSync(at('.sx_password'))
    for (const more of [{}, { password: NEW }]) expect(await found(more)).toEqual(['PasswordInRecord medium'])
    const { risks } = await sx.audit({ configPath: config, env: {} })
    expect(risks[0]).toMatchObject({ check: 'password', subject: at('sx.private.pem.2') })
    expect(JSON.stringify(risks)).not.toContain(NEW)
  })

  it('that was taken out of the configuration stands in no key record either', async () => {
    const change = (sxPrivateKeyPassword?: string): void => {
      const fields = JSON.parse(readFileSync(configIn(folder), 'utf8')) as Fields
      writeFileSync(configIn(folder), JSON.stringify({ ...fields, sxPrivateKeyPassword }), { mode: 0o600 })
    }
    change(PASSWORD)
    await sx.load(configIn(folder), { env: {} })
    await sx.reencryptKey(PASSWORD, NEW)
    chmodSync(configIn(folder), 0o600)
    expect(await risksOf({ password: NEW })).toEqual(['configuration PasswordInConfig'])
    change()
    expect(await risksOf({ password: NEW })).toEqual(['password PasswordInRecord'])
    await sx.load(configIn(folder), { password: NEW, env: {} })
    await sx.reencryptKey(NEW, PASSWORD)
    expect(await risksOf()).toEqual([])
  })

  it('is judged only if it opens the key', async () => {
    const result = await sx.audit({ ...options, password: 'short' })
    expect(codesOf(result)).toEqual(['private_key WrongPassword'])
    expect(result.health_checks.find(({ name }) => name === 'password')).toMatchObject({ status: 'skipped' })
  })
})

describe('key records', () => {
  const record = (number: number): string => key(`sx.private.pem.${number}`)
  const change = (number: number, members: object): void =>
    writeFileSync(
      record(number),
      JSON.stringify({ ...(JSON.parse(readFileSync(record(number), 'utf8')) as object), ...members }),
    )

  it('that are not the last one, or are missing, are found', async () => {
    await sx.reencryptKey(PASSWORD, PASSWORD)
    await sx.reencryptKey(PASSWORD, PASSWORD)
    expect(await risksOf()).toEqual([])
    const last = readFileSync(record(3))
    rmSync(record(3))
    expect(await risksOf()).toEqual(['private_key Rollback'])
    writeFileSync(record(3), last, { mode: 0o600 })
    rmSync(record(2))
    expect(await risksOf()).toEqual(['private_key CorruptStore'])
    writeFileSync(record(9), last, { mode: 0o600 })
    rmSync(record(3))
    expect(await risksOf()).toEqual(['private_key CorruptStore'])
  })

  it('are compared with the key that they have replaced as long as it is there', async () => {
    await sx.reencryptKey(PASSWORD, PASSWORD)
    const second = readFileSync(record(2))
    await sx.reencryptKey(PASSWORD, PASSWORD)
    writeFileSync(record(2), second) // as if a process had died before it came to that
    expect(await risksOf()).toEqual(['private_key Unfinished'])
    change(3, { previous: '0'.repeat(64) })
    expect(await risksOf()).toEqual(['private_key CorruptStore', 'private_key Unfinished'])
  })

  it('whose copy was not written, or which hold a key that was to follow, are not finished', async () => {
    const first = readFileSync(key('sx.private.pem'))
    await sx.reencryptKey(PASSWORD, PASSWORD)
    writeFileSync(key('sx.private.pem'), first)
    expect(await risksOf()).toEqual(['private_key Unfinished'])
    await sx.load(configIn(folder), { password: PASSWORD, env: {} })
    expect(await risksOf()).toEqual([])
    const { pem } = JSON.parse(readFileSync(record(2), 'utf8')) as { pem: string }
    change(2, { next: [{ keyId: foreign.agentId, number: 2, pem }] })
    expect(await risksOf()).toEqual(['private_key Unfinished'])
    change(2, { next: undefined, pem: pem.replace(/[a-z]/, '-') }) // then the file counts
    const { risks } = await sx.audit(options)
    expect(risks).toEqual([expect.objectContaining({ code: 'KeyMismatch', severity: 'low', check: 'private_key' })])
    await sx.reencryptKey(PASSWORD, PASSWORD)
    expect(await risksOf()).toEqual([])
  })
})

describe('trust', () => {
  const trust = (name: string): string => join(folder, 'sx_data', 'trust', name)
  const { agentId, raw } = foreign

  it('has hints that name what is there', async () => {
    sx.untrustAgent(agentId)
    sx.trustAgent(raw)
    expect(await risksOf()).toEqual([])
    for (const [hint, codes] of [
      ['2', ['trust_store DamagedHint']],
      ['x', ['trust_store DamagedHint']],
      ['4', ['trust_store Rollback']],
    ] as const) {
      writeFileSync(trust(`${agentId}.latest`), hint)
      expect(await risksOf()).toEqual(codes)
    }
    writeFileSync(trust(`${agentId}.latest`), '3')
    rmSync(trust(`${agentId}.2.json`))
    expect(await risksOf()).toEqual(['trust_store CorruptStore'])
    for (const number of [1, 3]) rmSync(trust(`${agentId}.${number}.json`))
    expect(await risksOf()).toEqual(['trust_store Rollback']) // all that is left says that there was something
  })

  it('is told of registrations that do not verify, by agents who are known', async () => {
    const other = await SxAgent.create({
      name: 'R',
      algorithm: 'ed25519',
      storage: memoryStorage(),
      password: PASSWORD,
    })
    const damage = (document: string, change: (registration: Record<string, string>) => void): string => {
      const parsed = JSON.parse(document) as { sxRegistration: Record<string, string> }
      change(parsed.sxRegistration)
      return JSON.stringify(parsed)
    }
    const later = (registration: Record<string, string>): void => {
      registration['date'] = '2027-01-01T00:00:00.000Z'
    }
    /** Puts it there as the decision that counts. */
    const place = (document: string): void => {
      writeFileSync(trust(`${agentId}.1.json`), document)
      const sha256 = createHash('sha256').update(document).digest('hex')
      const witness = join(folder, 'sx_keys', 'trust', `${agentId}.1.witness`)
      writeFileSync(witness, JSON.stringify({ agentId, number: 1, sha256 }))
    }
    const mine = await sx.signAgent(raw, foreign.publicKey, foreign.algorithm)
    const theirs = await other.agent.signAgent(raw, foreign.publicKey, foreign.algorithm)
    for (const document of [mine, theirs]) {
      place(document)
      expect(await risksOf()).toEqual([])
    }
    place(damage(mine, later))
    const { risks } = await sx.audit(options)
    expect(risks).toEqual([expect.objectContaining({ code: 'BadSignature', severity: 'medium', check: 'trust_store' })])
    place(damage(theirs, later))
    expect(await risksOf()).toEqual([]) // nobody knows who that is
    sx.trustAgent(other.agent.exportAgent())
    expect(await risksOf()).toEqual(['trust_store BadSignature'])
    place(theirs)
    expect(await risksOf()).toEqual([])
    await other.agent.close()
  })
})

describe('folders', () => {
  const data = (...names: string[]): string => join(folder, 'sx_data', ...names)

  it.each([
    ['trust', ['trust_store CorruptStore', 'trust_store Rollback']],
    ['output', ['documents CorruptStore']],
    ['documents/..', ['documents CorruptStore']],
  ] as const)('%s is no file', async (path, found) => {
    // A folder of documents whose ids nothing here has.
    const free = ['ff', 'fe', 'fd', 'fc'].find((prefix) => !existsSync(data('documents', prefix)))
    const name = path.replace('..', String(free))
    rmSync(data(name), { recursive: true, force: true })
    writeFileSync(data(name), 'x', { mode: 0o600 })
    expect(await risksOf()).toEqual(found)
  })

  it.each([
    ['trust', ['trust_store LinkRefused']],
    ['output', ['documents LinkRefused']],
  ] as const)('%s is no link', async (name, found) => {
    rmSync(data(name), { recursive: true })
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), data(name))
    expect(await risksOf()).toEqual(found)
  })

  it('of keys are there, and are folders', async () => {
    rmSync(join(folder, 'sx_keys'), { recursive: true })
    for (const damage of [() => {}, () => writeFileSync(join(folder, 'sx_keys'), 'x', { mode: 0o600 })]) {
      damage()
      const { risks, overall_status } = await sx.audit(options)
      expect(risks[0]).toMatchObject({ code: 'NotFound', severity: 'high', subject: join(folder, 'sx_keys') })
      expect(overall_status).toBe('critical')
    }
  })

  it('that others get to have nothing that others can change', async () => {
    const documents = data('documents')
    const [xx = ''] = readdirSync(documents)
    const [entry = ''] = readdirSync(join(documents, xx))
    const decision = data('trust', `${foreign.agentId}.1.json`)
    const open = (): void => {
      for (const path of [data(), documents, data('trust'), join(documents, xx)]) chmodSync(path, 0o755)
    }
    chmodSync(decision, 0o666)
    chmodSync(join(documents, xx), 0o777)
    expect(await risksOf()).toEqual([]) // nobody gets there
    open()
    const loose = async (): Promise<string[]> => (await sx.audit(options)).risks.map(({ subject }) => subject)
    expect(await loose()).toEqual([decision])
    chmodSync(join(documents, xx, entry), 0o666)
    expect(await loose()).toEqual([join(documents, xx, entry), decision])
    chmodSync(decision, 0o600)
    chmodSync(join(documents, xx), 0o777)
    const { risks } = await sx.audit(options)
    expect(risks.map(({ code, subject }) => `${code} ${subject}`)).toEqual([`LooseFileMode ${join(documents, xx)}`])
    expect(risks[0]?.message).toContain(`0777: others can change or remove stored data. The same applies to 1 more`)
    expect(sx.auditSync(options).risks).toEqual(risks)
  })

  it('that a link leads to are looked at as well', async () => {
    renameSync(data(), join(folder, 'real'))
    symlinkSync('real', data())
    expect(await risksOf()).toEqual([])
    chmodSync(join(folder, 'real'), 0o777)
    expect(await risksOf()).toEqual(['permissions LooseFileMode'])
  })

  it('where an agent is created keep its key to its owner', async () => {
    writeFileSync(key(join('.new', `x.${foreign.agentId}.json`)), '{}')
    chmodSync(key(join('.new', `x.${foreign.agentId}.json`)), 0o644)
    expect(await risksOf()).toEqual(['permissions LooseFileMode', 'public_keys Unfinished'])
  })
})

describe('an external signer', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signerOf = (key: KeyObject): NonNullable<sx.AuditOptions['signer']> => ({
    algorithm: 'ed25519',
    publicKey: key.export({ type: 'spki', format: 'pem' }),
    sign: () => expect.fail('an audit signs nothing'),
  })
  let configPath: string
  beforeAll(async () => {
    configPath = configIn(newFolder())
    const signer = { ...signerOf(publicKey), sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) }
    const { agent } = await SxAgent.create({ name: 'H', algorithm: 'ed25519', configPath, signer })
    await agent.close()
  })

  it('has the key of the agent, and needs no file of it', async () => {
    const result = await sx.audit({ configPath, env: {}, signer: signerOf(publicKey) })
    expect(codesOf(result)).toEqual([])
    expect(result.health_checks.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(result.overall_status).toBe('healthy')
    expect(sx.auditSync({ configPath, env: {}, signer: signerOf(publicKey) })).toEqual(result)
  })

  it('is missed where it is not passed, and refused where it has another key', async () => {
    const { risks } = await sx.audit({ configPath, env: {} })
    expect(risks).toEqual([expect.objectContaining({ code: 'NotFound', severity: 'medium', check: 'private_key' })])
    const other = signerOf(generateKeyPairSync('ed25519').publicKey)
    const result = await sx.audit({ configPath, env: {}, signer: other })
    expect(codesOf(result)).toEqual(['private_key KeyMismatch'])
    expect(result.overall_status).toBe('critical')
    await refusal(() => sx.audit({ configPath, signer: other, password: PASSWORD }), 'InvalidOption')
  })
})

it('does not count entries up to a number that a name claims', async () => {
  writeFileSync(entryPath(folder, id, Number.MAX_SAFE_INTEGER), 'x', { mode: 0o600 })
  expect((await risksOf()).slice(0, 1)).toEqual(['documents UnclaimedVersion'])
})

it('reports bytes that were flipped, in any file', async () => {
  expect(await missedFlips({ ofKeys: 2, ofOthers: 6 })).toEqual([])
})
