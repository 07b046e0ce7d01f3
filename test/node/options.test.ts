// Options that nobody reads, and what a program is told that may not look at what it is given.
import { join } from 'node:path'
import { init, SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { functionsOf, tables } from '../../scripts/surfaces/tables.mjs'
import { knownOf } from '../../src/api/form.ts'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'
import { Child } from './processes.ts'

let folder: string
let signed: sx.SignedDocument
beforeAll(async () => {
  folder = newFolder()
  await sx.create(agentIn(folder))
  signed = await sx.signMessage({ a: 1 })
})

type Wrong = never
const wrong = (options: object): Wrong => options as never

describe('an option that there is not', () => {
  it('is refused by its name, with the one that was meant', async () => {
    const at = join(newFolder(), 'new')
    const before = treeOf(folder)
    const agent = new SxAgent({ password: PASSWORD, env: {} })
    await agent.load(configIn(folder))
    for (const [call, found] of [
      [() => sx.create(wrong(agentIn(at, wrong({ passwrd: 'x' })))), "'passwrd' is unknown. Did you mean 'password'?"],
      [() => sx.createSync(wrong(agentIn(at, wrong({ Name: 'x' })))), "'Name' is unknown. Did you mean 'name'?"],
      [() => sx.quickstart(wrong(agentIn(at, wrong({ keydirectory: 'x' })))), "Did you mean 'keyDirectory'?"],
      [() => SxAgent.create(wrong(agentIn(at, wrong({ storag: 1 })))), "Did you mean 'storage'?"],
      [() => sx.create(agentIn(at, { importKey: wrong({ pem: '', passwort: '' }) })), "Did you mean 'password'?"],
      [
        () => sx.load(wrong({ config: 'x' })),
        "'config' is unknown. Known options: 'storage', 'password', 'passkey', 'signer',",
      ],
      [() => sx.load(configIn(folder), wrong({ limit: {} })), "Did you mean 'limits'?"],
      [() => sx.load(configIn(folder), { limits: wrong({ byte: 1 }) }), "Did you mean 'bytes'?"],
      [() => new SxAgent(wrong({ verifyonly: true })), "Did you mean 'verifyOnly'?"],
      [
        () => agent.load(configIn(folder), wrong({ verify: true })),
        "'verify' is unknown. Known options: 'verifyOnly'.",
      ],
      [() => sx.verifyStandalone(signed.raw, wrong({ keydirectory: 'x' })), "Did you mean 'keyDirectory'?"],
      [() => sx.verifyStandalone(signed.raw, wrong({ keyz: {} })), "Did you mean 'keys'?"],
      [() => sx.listDocuments(wrong({ types: 'x' })), "Did you mean 'type'?"],
      [
        () => init(wrong({ wasm: 'x' })),
        "'wasm' is unknown. Known options: 'core', 'agreement', 'exchange', 'media', 'pixels', 'schema', 'keptKeys', 'trustedTypes'.",
      ],
      [() => sx.signMessage(1, wrong({ nosave: true })), "Did you mean 'noSave'?"],
      [() => sx.createDocument({}, wrong({ file: 'x' })), "'file' is unknown. Known options: 'schema',"],
      [() => sx.load(wrong({ ['x'.repeat(41)]: 1 })), 'An option is unknown. Known options:'],
    ] as const) {
      expect((await refusal(call, 'InvalidOption')).message).toContain(found)
    }
    expect(treeOf(at)).toEqual({})
    expect(treeOf(folder)).toEqual(before)
  })

  it('is refused of every function and method that has no options, and behind the options of the others', async () => {
    await sx.load(agentIn(folder))
    const agent = new SxAgent({ password: PASSWORD, env: {} })
    await agent.load(configIn(folder))
    const ofAgent = functionsOf(tables.agent).map((name) => [name, Reflect.get(agent, name) as unknown] as const)
    const ofModule = functionsOf(tables.simple).map((name) => [name, Reflect.get(sx, name) as unknown] as const)
    for (const [name, f] of [...ofModule, ...ofAgent]) {
      const call = f as (...given: unknown[]) => unknown
      const { count, options } = knownOf(call).shape
      const given = Array.from({ length: count }, () => undefined)
      const { found } = await refusal(() => call.call(agent, ...given, { as: 'x' }), 'InvalidOption')
      const instead = name.replace('wrapA2aArtifact', 'signArtifact')
      const what = options.length > 0 ? 'was passed an object after its last argument' : 'has no options'
      expect(found).toBe(`\`${instead}\` ${what}.`)
    }
    expect(sx.isLoaded()).toBe(true)
    await agent.close()
  })

  it('is nothing that `map` passes', async () => {
    await sx.load(agentIn(folder))
    const { documentId } = await sx.signMessage({ a: 2 })
    expect((await Promise.all([documentId].map(sx.verifyById))).map(({ valid }) => valid)).toEqual([true])
  })

  it('is none of those that the agent was made with', async () => {
    expect(await sx.load(agentIn(folder))).toMatchObject({ name: 'Billing' })
  })
})

describe('a passkey', () => {
  it('is nothing for Node, and nothing is made or changed', async () => {
    const at = join(newFolder(), 'new')
    const { password: _password, ...options } = agentIn(at)
    const byPasskey = { ...options, passkey: true }
    const agent = new SxAgent({ passkey: true, env: {} })
    for (const call of [
      () => sx.create(byPasskey),
      () => sx.createSync(byPasskey),
      () => sx.quickstart(byPasskey),
      () => SxAgent.create(byPasskey),
      () => sx.load(configIn(folder), { passkey: true }),
      () => agent.load(configIn(folder)),
    ]) {
      expect((await refusal(call, 'InvalidOption')).message).toContain('Passkeys are only available in a page')
    }
    for (const both of [agentIn(at, { passkey: true }), { ...options, passkey: 1 as never }])
      await refusal(() => sx.create(both), 'InvalidOption')
    expect(treeOf(at)).toEqual({})
    await agent.load(configIn(folder), { verifyOnly: true })
  })

  it('takes no place of a password there', async () => {
    await sx.load(agentIn(folder))
    const before = treeOf(folder)
    await refusal(() => sx.reencryptKey({ passkey: true }, 'x'), 'InvalidOption')
    await refusal(() => sx.reencryptKey(PASSWORD, { passkey: true }), 'InvalidOption')
    await refusal(() => sx.reencryptKey({ kept: true }, 'x'), 'PasswordRequired')
    for (const none of [{}, { passkey: false }, { kept: 1 }, { password: 'x' }, []])
      await refusal(() => sx.reencryptKey(wrong(none), 'x'), 'InvalidOption')
    await refusal(() => sx.reencryptKey(PASSWORD, wrong({ kept: true })), 'InvalidOption')
    expect(treeOf(folder)).toEqual(before)
  })
})

describe('an option with few values', () => {
  // The sentence for a value of another type stands beside the core's for another text.
  it.each(['algorithm', 'agentType'] as const)('%s names them, whatever else is passed', async (name) => {
    const at = join(newFolder(), 'new')
    const messageOf = async (value: unknown): Promise<string> =>
      (await refusal(() => sx.create(agentIn(at, wrong({ [name]: value }))), 'InvalidOption')).message
    const names = /one of ([\w-]+(?:, [\w-]+)*)\./.exec(await messageOf('rsa'))?.[1]
    expect(names?.split(', ').length).toBeGreaterThan(1)
    for (const value of ['', 5, null, true, {}, []]) expect(await messageOf(value)).toContain(`one of ${names}.`)
  })
})

describe('verifyStandalone', () => {
  it('takes keys under both names, and not under both at once', async () => {
    await sx.load(agentIn(folder))
    const keys = { [signed.agentId]: sx.getPublicKey() }
    for (const options of [{ keys }, { keyDirectory: keys }])
      expect(sx.verifyStandalone(signed.raw, options)).toMatchObject({ valid: true, signerName: '' })
    for (const both of [
      { keys, keyDirectory: keys },
      { keys, keyDirectory: folder },
    ])
      await refusal(() => sx.verifyStandalone(signed.raw, both), 'InvalidOption')
    for (const none of [wrong([]), 5 as never, 'x' as never])
      await refusal(() => sx.verifyStandalone(signed.raw, { keys: none }), 'InvalidOption')
  })

  it('knows the name of a signer whose document is in the folder', async () => {
    const dataDirectory = join(folder, 'sx_data')
    const found = sx.verifyStandalone(signed.raw, { dataDirectory })
    expect(found).toMatchObject({ valid: true, trusted: false, signerName: 'Billing', documentId: signed.documentId })
  })
})

describe('SxAgent.create and SxAgent.quickstart', () => {
  it('leave the agent of the program alone', async () => {
    await sx.load(agentIn(folder))
    const storage = memoryStorage()
    const options = { name: 'Other', domain: 'example.com', algorithm: 'ed25519', storage, password: 'a b c' } as const
    const { agent, created, agentId } = await SxAgent.quickstart(options)
    expect([created, agent.getAgentInfo()?.agentId, agent.getAgentInfo()?.name]).toEqual([true, agentId, 'Other'])
    const again = SxAgent.quickstartSync(options)
    expect([again.created, again.agentId]).toEqual([false, agentId])
    await refusal(() => SxAgent.create(options), 'AlreadyExists')
    await refusal(() => SxAgent.createSync(options), 'AlreadyExists')
    expect(sx.getAgentInfo()?.name).toBe('Billing')
    const { raw } = await agent.signMessage({ b: 2 }, { noSave: true })
    expect(await agent.verify(raw)).toMatchObject({ valid: true, trusted: true, signerName: 'Other', type: 'message' })
    expect(await agent.listDocuments({ type: 'message' })).toEqual([])
    expect(await sx.verify(raw)).toMatchObject({ valid: false, code: 'UnknownSigner', signerName: '', documentId: '' })
    await agent.reencryptKey('a b c', 'd e f')
    expect((await SxAgent.quickstart({ ...options, password: 'd e f' })).agentId).toBe(agentId)
  })
})

describe('createDocument', () => {
  it('takes an object and options, as it takes text', async () => {
    await sx.load(agentIn(folder))
    for (const data of [{ b: [1] }, '{"b":[1]}', ' { "b" : [1] } ']) {
      const raw = await sx.createDocument(data, { type: 'invoice' })
      expect(await sx.verify(raw)).toMatchObject({ valid: true, type: 'invoice', data: { b: [1] } })
    }
    for (const data of [{}, '{}', ' { } '])
      expect(JSON.parse(await sx.createDocument(data, { type: 'empty', noSave: true }))).toMatchObject({
        sxType: 'empty',
      })
  })
})

it('warns whoever runs the program of a password that was generated and is saved nowhere', async () => {
  const warned = async (variables: Record<string, string>): Promise<string> => {
    const place = newFolder()
    const { password: _password, env: _env, ...options } = agentIn(place)
    const child = new Child('call', [JSON.stringify([['quickstart', options]])], { env: variables })
    expect(await child.finish()).toMatchObject([{ value: { created: true } }])
    return child.complaint
  }
  const said = await warned({})
  expect(said).toMatch(/SxWarning: A password was generated .* Store it now\. .* set SX_PRIVATE_KEY_PASSWORD/)
  expect(await warned({ SX_PRIVATE_KEY_PASSWORD: 'a b c' })).not.toContain('SxWarning')
  expect(await warned({ SX_SAVE_PASSWORD_FILE: 'true' })).not.toContain('SxWarning')
})
