// What everyday mistakes are told: each sentence names what was passed or is gone, and what to do.
import '../patience.ts'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, type KeyAlgorithm, SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, refusal } from './fixtures.ts'

let folder: string
beforeAll(async () => {
  folder = newFolder()
  await sx.quickstart(agentIn(folder))
})

describe('what is passed in place of something else', () => {
  it('is told of a key in PEM that is to be trusted', async () => {
    const { message } = await refusal(() => sx.trustAgent(sx.getPublicKey()), 'InvalidAgent')
    expect(message).toMatch(
      /^InvalidAgent: The input is a PEM key, not an agent document\. .* exportAgent returned\. .* the option `key`\.$/,
    )
  })

  it.each(['signed.json', './signed', '/tmp/signed.json', 'C:\\signed.json', 'in a folder/signed.txt'])(
    'is told of the path %s that is to be verified or inspected',
    async (path) => {
      const sentence = 'The input looks like the path of a file, not JSON. Pass the content of the file.'
      for (const verdict of [await sx.verify(path), sx.verifyStandalone(path, { keys: {} })]) {
        expect(verdict).toMatchObject({ valid: false, code: 'NotJson' })
        expect(verdict.errors.join()).toContain(sentence)
      }
      expect((await refusal(() => sx.inspect(path), 'NotJson')).found).toBe(sentence)
    },
  )

  it('is told of a path wherever JSON is expected', async () => {
    const path = './data.json'
    const { documentId } = sx.inspectSync(await sx.createDocument({ amount: 1 }))
    const calls: Record<string, () => unknown> = {
      createDocument: () => sx.createDocument(path),
      createDocuments: () => sx.createDocuments([path]),
      updateDocument: () => sx.updateDocument(documentId, path),
      updateAgent: () => sx.updateAgent(path),
      trustAgent: () => sx.trustAgent(path),
      signAgent: () => sx.signAgent(path, sx.getPublicKey(), 'ed25519'),
      signArtifact: () => sx.signArtifact(path, 'a2a-task'),
      revokeKey: () => sx.revokeKey({ statement: path }),
    }
    for (const [name, call] of Object.entries(calls)) {
      const { found } = await refusal(call, 'NotJson')
      expect(found, name).toContain('The input looks like the path of a file, not JSON.')
    }
  })

  it('is told of an id that is passed for a document', async () => {
    const sentence = 'The input is an id, not JSON. Pass the document, which getDocument returns.'
    const { documentId, version } = sx.inspectSync(await sx.createDocument({ amount: 1 }))
    for (const id of [documentId, `${documentId}:${version}`, documentId.toUpperCase()]) {
      expect((await sx.verify(id)).errors.join()).toContain(sentence)
      for (const call of [() => sx.inspect(id), () => sx.trustAgent(id), () => sx.updateDocument(documentId, id)]) {
        expect((await refusal(call, 'NotJson')).found).toContain(sentence)
      }
    }
  })

  it.each(['1.5', 'true', '"a.b"', '[1]', '{"a":"b.c"}', 'a b'])('is not taken for a path: %s', async (text) => {
    expect((await sx.verify(text)).errors.join()).not.toContain('path')
  })

  it('is told of a key in PEM that is to be verified', async () => {
    expect((await sx.verify(sx.getPublicKey())).errors.join()).toContain(
      'The input is a PEM block, such as a key, not JSON.',
    )
  })

  it('is told of what a backup holds', async () => {
    const text = new TextDecoder().decode(await sx.exportStore())
    const { message } = await refusal(() => sx.importStore(text, { storage: memoryStorage() }), 'InvalidOption')
    expect(message).toBe(
      'InvalidOption: A string must be the path of a backup, but this looks like its content. Pass the content as bytes: new TextEncoder().encode(text).',
    )
    const damaged = new TextEncoder().encode(text.replace('"entries"', '"entrie"'))
    const error = await refusal(() => sx.importStore(damaged, { storage: memoryStorage() }), 'CorruptStore')
    expect(error.message).toMatch(
      /^CorruptStore: The backup is damaged: .*\. Use another copy of the backup, or an older one\.$/,
    )
  })
})

describe('what is missing', () => {
  it('is told of an option', async () => {
    const { domain: _, ...options } = agentIn(newFolder())
    const { message } = await refusal(() => sx.quickstart(options as sx.QuickstartOptions), 'InvalidOption')
    expect(message).toMatch(/^InvalidOption: The option 'domain' is missing\. Pass .*'example\.com'\.$/)
  })

  it('is told of a configuration and of a data directory that were deleted', async () => {
    const gone = newFolder()
    const { agentId } = await sx.create(agentIn(gone))
    renameSync(join(gone, 'sx_data'), join(gone, 'elsewhere'))
    const options = { env: {}, password: PASSWORD }
    const data = await refusal(() => sx.load(configIn(gone), options), 'NotFound')
    expect(data.found).toContain(
      `The data directory './sx_data' of ${configIn(gone)} does not contain the agent ${agentId}`,
    )
    expect(data.message).toMatch(
      / Restore what was deleted or moved, or restore a backup with importStore to another location\.$/,
    )
    rmSync(configIn(gone))
    const again = await refusal(() => sx.quickstart(agentIn(gone)), 'AlreadyExists')
    expect(again.message).toContain('If the configuration was deleted, restore it.')
    const configuration = await refusal(() => sx.load(configIn(gone), options), 'NotFound')
    expect(configuration.message).toBe(
      `NotFound: There is no configuration at ${configIn(gone)}. Create an agent there with quickstart, or restore a backup with importStore.`,
    )
  })

  it('is told of an environment that may not be read, as in Deno without --allow-env', async () => {
    const { password: _, ...options } = agentIn(newFolder())
    const get = (): never => {
      throw new Error('NotCapable')
    }
    const env = new Proxy({}, { getOwnPropertyDescriptor: get, get, has: get })
    const { message } = await refusal(() => sx.quickstart({ ...options, env }), 'InvalidOption')
    expect(message).toContain('Run Deno with --allow-env=SX_PRIVATE_KEY_PASSWORD,')
    expect(message).toContain('or pass `env: {}`.')
  })
})

it('an agent with a key of another algorithm is loaded, and that is said', async () => {
  const info = await sx.quickstart({ ...agentIn(folder), algorithm: 'ML-DSA-87' })
  expect(info).toMatchObject({ created: false, algorithm: 'ed25519' })
  expect(info.notice).toContain(
    "Its key is ed25519, not pq2025. Call rotateKey({ algorithm: 'pq2025' }) to change that.",
  )
  expect(await sx.quickstart({ ...agentIn(folder), algorithm: 'Ed25519' })).not.toHaveProperty('notice')
  for (const algorithm of ['rsa', 'toString', ''] as string[] as KeyAlgorithm[]) {
    const { found } = await refusal(() => sx.quickstart({ ...agentIn(folder), algorithm }), 'InvalidOption')
    expect(found).toBe("The option 'algorithm' is not one of pq2025, ML-DSA-87, ed25519, Ed25519.")
  }
})

it('a configuration takes no option that is not known, and an agent that is not there yet', async () => {
  const error = await refusal(() => createConfig({ sxDataDirectry: './data' } as object), 'InvalidOption')
  expect(error.found).toContain("Did you mean 'sxDataDirectory'?")
  const prepared = newFolder()
  writeFileSync(configIn(prepared), createConfig({ sxAgentIdAndVersion: '', sxAgentKeyAlgorithm: 'Ed25519' }))
  expect((await sx.create(agentIn(prepared))).created).toBe(true)
})

it('inspect gives what a document says of itself, whoever wrote it', async () => {
  const { agentId } = await sx.quickstart(agentIn(folder))
  const { raw, documentId, timestamp } = await sx.signMessage({ amount: 1 })
  const { sxVersion: version } = JSON.parse(raw)
  const claims = { documentId, version, type: 'message', agentId, timestamp }
  for (const text of [raw, raw.replace('"amount":1', '"amount":9')]) {
    expect(await sx.inspect(text)).toEqual(claims)
    expect(sx.inspectSync(text)).toEqual(claims)
  }
  expect(Object.isFrozen(await sx.inspect(raw))).toBe(true)
  await refusal(() => sx.inspect('{"a":1}'), 'MissingSignature')
  await refusal(() => sx.inspect(17 as unknown as string), 'InvalidOption')
})

it("says what to do about a document that the agent's own revoked key has signed", async () => {
  const { agent } = await SxAgent.create({ ...agentIn(newFolder()), algorithm: 'ed25519' })
  const { raw, documentId } = await agent.signMessage({ amount: 1 })
  await agent.rotateKey({ reason: 'compromised' })
  const sentence =
    'KeyRevoked: This agent signed the document with a key that is revoked. If the content is correct, sign it again with the current key.'
  expect((await agent.verify(raw)).errors).toEqual([sentence])
  expect((await agent.verifyById(documentId)).errors).toEqual([sentence])
  expect((await agent.verifyMany([raw]))[0]?.errors).toEqual([sentence])
  expect((await agent.verifyFile(raw, new Uint8Array())).errors).toEqual([sentence])
  expect((await refusal(() => agent.verifyOrThrow(raw), 'KeyRevoked')).message).toBe(sentence)
  expect((await refusal(() => agent.updateDocument(documentId, '{}'), 'KeyRevoked')).message).toBe(sentence)
  await agent.close()
})

it('takes null for no options, where a document is verified and where it is signed', async () => {
  const { agent } = await SxAgent.create(agentIn(newFolder()))
  const none = null as unknown as undefined
  const { raw } = await agent.signMessage({ amount: 1 }, none)
  expect((await agent.verify(raw, none)).valid).toBe(true)
  expect(agent.verifySync(raw, none).valid).toBe(true)
  expect((await agent.verifyOrThrow(raw, none)).valid).toBe(true)
  await agent.close()
})

it('says that a folder is no file', async () => {
  const sentence = (path: string): string => `NotFound: ${path} is a folder. Pass the path of a file.`
  for (const work of [
    () => sx.signFile(folder),
    async () => sx.signFileSync(folder, true),
    () => sx.signText(folder),
    () => sx.signImage(folder, join(folder, 'out.png')),
  ]) {
    expect((await refusal(work, 'NotFound')).message).toBe(sentence(folder))
  }
})

it('says that a folder is no configuration', async () => {
  const { message } = await refusal(() => sx.load(folder), 'NotFound')
  const config = join(folder, 'sx.config.json')
  expect(message).toBe(`NotFound: ${folder} is a folder. Pass the path of the configuration in it, such as ${config}.`)
  expect((await refusal(() => sx.loadSync(folder), 'NotFound')).message).toBe(message)
  const taken = await refusal(() => sx.quickstart({ ...agentIn(folder), configPath: folder }), 'StorageUnavailable')
  expect(taken.advice).toBe('Choose another path, or move the existing file or folder.')
})

it('errors begin with their code', async () => {
  const error = await refusal(() => new SxAgent().signMessage(1), 'NoAgentLoaded')
  expect(error.message).toBe(`NoAgentLoaded: ${error.found} ${error.advice}`)
  expect(String(error)).toMatch(/^SxError: NoAgentLoaded: /)
})

it('a revocation that was passed wrongly, or of an agent that is not trusted, is told what to do', async () => {
  const statement = await sx.createRevocation()
  const { found, advice } = await refusal(() => sx.revokeKey(statement), 'InvalidOption')
  expect([found, advice]).toEqual(['A revocation statement was passed as the key id.', 'Pass it as `{ statement }`.'])
  const { agent: other } = await SxAgent.create({
    name: 'Other',
    domain: 'example.com',
    algorithm: 'ed25519',
    password: PASSWORD,
    storage: memoryStorage(),
  })
  const unknown = await refusal(() => other.revokeKey({ statement }), 'NotFound')
  expect(unknown.advice).toBe('Trust the agent with trustAgent first, then apply the revocation.')
})

it('an agent whose key another process has rotated is told to load it again', async () => {
  const own = newFolder()
  const options = { password: PASSWORD, env: {} }
  const { agent: one } = await SxAgent.quickstart(agentIn(own))
  const two = new SxAgent(options)
  await two.load(configIn(own))
  await one.rotateKey()
  await two.verifySelf()
  expect((await refusal(() => two.rotateKey(), 'VersionConflict')).advice).toBe(
    'Load the agent again, then repeat the change.',
  )
})
