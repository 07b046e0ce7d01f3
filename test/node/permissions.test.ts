// Who may read what is written, and where it may stand (attacks T27 and T28).
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { umask } from 'node:process'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, entryPath, newFolder, PASSWORD, partPath, refusal, treeOf } from './fixtures.ts'

async function classAgent(folder: string): Promise<SxAgent> {
  const agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  return agent
}

describe('all that is written', () => {
  it('is for its owner only, whatever the umask', async () => {
    const other = await sx.create(agentIn(newFolder()))
    const theirs = sx.exportAgent()
    for (const mask of [0o022, 0o000, 0o077]) {
      const before = umask(mask)
      try {
        const folder = newFolder()
        const env = { SX_SAVE_PASSWORD_FILE: 'true' }
        const options = { ...agentIn(folder, { env }), password: undefined }
        await sx.quickstart(options as never)
        const { documentId } = await sx.signMessage({ a: 1 })
        await sx.updateDocument(documentId, { a: 2 })
        await sx.updateAgent({ ...JSON.parse(sx.exportAgent()), name: 'Renamed' })
        const password = readFileSync(join(folder, 'sx_keys', '.sx_password'), 'utf8')
        await sx.reencryptKey(password, PASSWORD)
        await (await classAgent(folder)).createDocument('{"b":1}', null, 'copy.json')
        await sx.load({ configPath: configIn(folder), env: {} })
        sx.trustAgent(theirs)
        expect(sx.isTrusted(other.agentId)).toBe(true)

        const modes = Object.entries(treeOf(folder)).map(([path, kind]) => [
          path,
          kind.split(' ').slice(0, 2).join(' '),
        ])
        const expected = modes.map(([path, kind]) => [path, kind?.startsWith('folder') ? 'folder 700' : 'file 600'])
        expect(modes).toEqual(expected)
        expect(modes.length).toBeGreaterThan(20)
      } finally {
        umask(before)
      }
    }
  })

  it('keeps its permissions when it is replaced, and so do folders that were there', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'sx_keys'), { mode: 0o750 })
    const { privateKeyPath } = await sx.create(agentIn(folder))
    await sx.reencryptKey(PASSWORD, 'next')
    expect(statSync(privateKeyPath).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(privateKeyPath)).mode & 0o777).toBe(0o750)
  })
})

describe('T27: a link where a file of the library should be', () => {
  let original: string
  let id: string
  beforeAll(async () => {
    original = newFolder()
    await sx.create(agentIn(original))
    id = (await sx.signMessage({ a: 1 })).documentId
  })

  /** A copy of an agent, a document of it, and where that is. */
  async function prepared(): Promise<{
    folder: string
    outside: string
    id: string
    document: string
    info: sx.AgentInfo
  }> {
    const folder = newFolder()
    cpSync(original, folder, { recursive: true })
    const info = await sx.load(agentIn(folder))
    return {
      folder,
      outside: newFolder(),
      id,
      document: entryPath(folder, id, 1),
      info,
    }
  }

  /** Puts a symbolic link in the place of a file or folder, which moves away. */
  function replaceByLink(path: string, outside: string): string {
    const target = join(outside, 'target')
    renameSync(path, target)
    symlinkSync(target, path)
    return target
  }

  it('a symbolic link as private key is refused', async () => {
    const { folder, outside, info } = await prepared()
    replaceByLink(info.privateKeyPath, outside)
    const before = treeOf(outside)
    await refusal(() => sx.load(agentIn(folder)), 'LinkRefused')
    await refusal(() => sx.reencryptKey(PASSWORD, 'next'), 'LinkRefused')
    await refusal(() => sx.quickstart(agentIn(folder)), 'LinkRefused')
    expect(treeOf(outside)).toEqual(before)
  })

  it('a hard link to the private key is refused', async () => {
    const { folder, outside, info } = await prepared()
    linkSync(info.privateKeyPath, join(outside, 'stolen'))
    const before = treeOf(outside)
    await refusal(() => sx.load(agentIn(folder)), 'LinkRefused')
    await refusal(() => sx.reencryptKey(PASSWORD, 'next'), 'LinkRefused')
    expect(treeOf(outside)).toEqual(before)
  })

  it('a link that waits for a private key to be written is refused', async () => {
    const folder = newFolder()
    const outside = newFolder()
    mkdirSync(join(folder, 'sx_keys'))
    symlinkSync(join(outside, 'stolen'), join(folder, 'sx_keys', 'sx.private.pem'))
    await refusal(() => sx.create(agentIn(folder)), 'LinkRefused')
    await refusal(() => sx.quickstart(agentIn(folder)), 'LinkRefused')
    expect(treeOf(outside)).toEqual({})
  })

  it('a saved password behind a link is refused', async () => {
    const { folder, outside } = await prepared()
    writeFileSync(join(outside, 'password'), PASSWORD)
    symlinkSync(join(outside, 'password'), join(folder, 'sx_keys', '.sx_password'))
    await refusal(() => sx.load({ configPath: configIn(folder), env: {} }), 'LinkRefused')
  })

  it('a version behind a link is refused by all that read or write it', async () => {
    const { outside, id, document } = await prepared()
    replaceByLink(document, outside)
    const before = treeOf(outside)
    await refusal(() => sx.verifyById(id), 'LinkRefused')
    await refusal(() => sx.getDocument(id), 'LinkRefused')
    await refusal(() => sx.updateDocument(id, { a: 2 }), 'LinkRefused')
    await refusal(() => sx.listDocuments(), 'LinkRefused')
    expect(treeOf(outside)).toEqual(before)
  })

  it('a hint behind a link is refused by whoever needs it, and not written to', async () => {
    const { folder, outside, id } = await prepared()
    const { raw } = await sx.updateDocument(id, { a: 2 })
    replaceByLink(partPath(folder, id, 'latest'), outside)
    const before = treeOf(outside)
    const fresh = await classAgent(folder)
    await refusal(() => fresh.getDocument(id), 'LinkRefused')
    await refusal(() => fresh.updateDocument(id, '{"a":3}'), 'LinkRefused')
    // Who knows the chain needs no hint.
    expect(await sx.getDocument(id)).toBe(raw)
    await sx.updateDocument(id, { a: 3 })
    expect(treeOf(outside)).toEqual(before)
  })

  for (const [what, levels] of [
    ['of documents whose ids begin alike', 1],
    ['of all documents', 2],
  ] as const) {
    it(`a folder behind a link is refused: ${what}`, async () => {
      const { outside, id, document } = await prepared()
      await sx.updateDocument(id, { a: 2 })
      replaceByLink(join(document, ...Array<string>(levels).fill('..')), outside)
      const before = treeOf(outside)
      await refusal(() => sx.updateDocument(id, { a: 3 }), 'LinkRefused')
      await refusal(() => sx.verifyById(id), 'LinkRefused')
      expect(treeOf(outside)).toEqual(before)
    })
  }

  it('the folders of documents and of the trust store behind a link are refused', async () => {
    const { folder, outside } = await prepared()
    const trusted = sx.exportAgent()
    replaceByLink(join(folder, 'sx_data', 'documents'), outside)
    symlinkSync(outside, join(folder, 'sx_data', 'trust'))
    const before = treeOf(outside)
    await refusal(() => sx.signMessage({ a: 1 }), 'LinkRefused')
    await refusal(() => sx.trustAgent(trusted), 'LinkRefused')
    await refusal(() => sx.load(agentIn(folder)), 'LinkRefused')
    expect(treeOf(outside)).toEqual(before)
  })

  it('an output file behind a link is refused', async () => {
    const { folder, outside } = await prepared()
    const agent = await classAgent(folder)
    await agent.createDocument('{"a":1}', null, 'copy.json')
    replaceByLink(join(folder, 'sx_data', 'output', 'copy.json'), outside)
    const before = treeOf(outside)
    await refusal(() => agent.createDocument('{"a":2}', null, 'copy.json'), 'LinkRefused')
    expect(treeOf(outside)).toEqual(before)
  })

  it('a public key behind a link is no source of keys', async () => {
    const { folder, outside, info } = await prepared()
    const { raw } = await sx.signMessage({ a: 1 })
    const keyDirectory = join(outside, 'keys')
    mkdirSync(keyDirectory)
    symlinkSync(info.publicKeyPath, join(keyDirectory, `${info.agentId}.public.pem`))
    await refusal(() => sx.verifyStandalone(raw, { keyDirectory }), 'LinkRefused')
    await refusal(() => sx.verifyStandalone(raw, { keyDirectory, dataDirectory: join(outside, 'data') }), 'NotFound')
    expect(existsSync(join(outside, 'data'))).toBe(false)
    expect(folder).not.toBe(outside)
  })

  it('a link as configuration that is yet to be written is refused, and nothing else is written', async () => {
    const folder = newFolder()
    const outside = newFolder()
    symlinkSync(join(outside, 'elsewhere.json'), configIn(folder))
    const before = treeOf(folder)
    await refusal(() => sx.quickstart(agentIn(folder)), 'LinkRefused')
    await refusal(() => sx.create(agentIn(folder)), 'LinkRefused')
    expect(treeOf(outside)).toEqual({})
    expect(treeOf(folder)).toEqual(before)
  })
})

describe('T28: hostile identifiers', () => {
  const UUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
  const HOSTILE = [
    '../x',
    '..%2f',
    '../../sx_keys/sx.private.pem',
    'a/b',
    'C:\\x',
    'con',
    'NUL.txt',
    '\0',
    'a'.repeat(300),
    '',
    '.',
    '..',
    '/etc/passwd',
    `${UUID}/../x`,
    `${UUID}\0`,
    UUID.toUpperCase(),
    '__proto__',
  ]
  const KEYS = [...HOSTILE, `${UUID}:../v`, `${UUID}:`, `:${UUID}`, `${UUID}:${UUID}:${UUID}`, `../x:${UUID}`]

  let root: string
  let folder: string
  let agent: SxAgent
  beforeAll(async () => {
    root = newFolder()
    folder = join(root, 'inside')
    await sx.create(agentIn(folder))
    agent = await classAgent(folder)
  })

  /** Each of the calls is refused for each of the names, and nothing is written anywhere. */
  async function refusedFor(names: readonly string[], calls: Record<string, (name: string) => unknown>): Promise<void> {
    const before = treeOf(root)
    for (const [what, call] of Object.entries(calls)) {
      for (const name of names) {
        const { message } = await refusal(() => call(name), 'InvalidId')
        if (name.length > 3) expect(message, what).not.toContain(name)
      }
    }
    expect(treeOf(root)).toEqual(before)
  }

  it('are refused as document keys', async () => {
    await refusedFor(KEYS, {
      verifyById: (id) => sx.verifyById(id),
      verifyByIdSync: (id) => sx.verifyByIdSync(id),
      updateDocument: (id) => sx.updateDocument(id, { a: 1 }),
      updateDocumentSync: (id) => sx.updateDocumentSync(id, { a: 1 }),
      'updateDocument of the class': (id) => agent.updateDocument(id, '{"a":1}'),
      'updateDocumentSync of the class': (id) => agent.updateDocumentSync(id, '{"a":1}'),
      getDocument: (id) => sx.getDocument(id),
      getDocumentSync: (id) => agent.getDocumentSync(id),
      'listDocuments after': (after) => sx.listDocuments({ after }),
    })
  })

  it('are refused as agent ids', async () => {
    await refusedFor([...HOSTILE, `${UUID}:${UUID}`], {
      getTrustedAgent: (id) => sx.getTrustedAgent(id),
      untrustAgent: (id) => sx.untrustAgent(id),
      isTrusted: (id) => sx.isTrusted(id),
      'isTrusted of the class': (id) => agent.isTrusted(id),
    })
  })

  it('are refused as names of output files', async () => {
    const names = HOSTILE.filter((name) => !['__proto__', UUID.toUpperCase()].includes(name))
    await refusedFor([...names, 'a b', 'x.', 'é'], {
      createDocument: (name) => agent.createDocument('{"a":1}', null, name),
      createDocumentSync: (name) => agent.createDocumentSync('{"a":1}', null, name),
    })
    expect(await agent.listDocuments({ type: 'document' })).toEqual([])
  })

  it('are refused inside documents, and lead to no key', async () => {
    const { raw } = await sx.signMessage({ a: 1 })
    const document = JSON.parse(raw)
    const outside = join(root, 'x.public.pem')
    writeFileSync(outside, sx.getPublicKey())
    const before = treeOf(root)
    for (const agentID of HOSTILE) {
      const forged = JSON.stringify({ ...document, sxSignature: { ...document.sxSignature, agentID } })
      const keyDirectory = { [agentID]: sx.getPublicKey() }
      for (const result of [
        await sx.verify(forged),
        sx.verifyStandalone(forged, { keyDirectory }),
        sx.verifyStandalone(forged, { keyDirectory: join(folder, 'sx_keys'), dataDirectory: join(folder, 'sx_data') }),
      ]) {
        expect(result).toMatchObject({ valid: false, data: undefined })
        expect(['InvalidId', 'InvalidDocument']).toContain(result.code)
      }
    }
    expect(treeOf(root)).toEqual(before)
  })

  it('are refused in agent documents', async () => {
    const before = treeOf(root)
    for (const sxId of HOSTILE) {
      const forged = JSON.stringify({ ...JSON.parse(sx.exportAgent()), sxId })
      await refusal(() => sx.trustAgent(forged), ['InvalidId', 'InvalidAgent', 'InvalidDocument'])
    }
    expect(treeOf(root)).toEqual(before)
  })
})
