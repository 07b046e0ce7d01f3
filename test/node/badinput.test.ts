// Damaged files where the library looks for its own: one SxError that says what to do, and nothing changes.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent, type SxErrorCode } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, entryPath, newFolder, numbersOf, PASSWORD, refusal, treeOf } from './fixtures.ts'

const posix = process.platform !== 'win32'

let original: string
let info: sx.AgentInfo
beforeAll(async () => {
  original = newFolder()
  info = await sx.create(agentIn(original))
})

/** A copy of the agent, and where its files are. */
function copy(): { folder: string; config: string; key: string; publicKey: string; document: string } {
  const folder = newFolder()
  cpSync(original, folder, { recursive: true })
  const { sxAgentIdAndVersion } = JSON.parse(readFileSync(configIn(folder), 'utf8'))
  const [id] = sxAgentIdAndVersion.split(':')
  return {
    folder,
    config: configIn(folder),
    key: join(folder, 'sx_keys', 'sx.private.pem'),
    publicKey: join(folder, 'sx_keys', 'sx.public.pem'),
    document: entryPath(folder, id, 1),
  }
}

/** All ways to open the agent in a folder end in this error, and change nothing. */
async function refusedToOpen(folder: string, codes: SxErrorCode | readonly SxErrorCode[]): Promise<string> {
  const loadedBefore = sx.getAgentInfo()
  const before = treeOf(folder)
  const { message } = await refusal(() => sx.load(agentIn(folder)), codes)
  await refusal(() => sx.loadSync(agentIn(folder)), codes)
  await refusal(() => sx.quickstart(agentIn(folder)), codes)
  expect(treeOf(folder)).toEqual(before)
  expect(sx.getAgentInfo()).toEqual(loadedBefore)
  return message
}

type Change = (text: string) => string | Uint8Array

const edited =
  (change: (config: Record<string, unknown>) => Record<string, unknown>): Change =>
  (text) =>
    JSON.stringify(change(JSON.parse(text)))

describe('a configuration', () => {
  const BROKEN: Record<string, Change> = {
    'that is empty': () => '',
    'that is not JSON': () => 'sxDataDirectory: ./sx_data\n',
    'that is cut off': (text) => text.slice(0, -20),
    'that is no object': () => '[]',
    'with a BOM': (text) => `\uFEFF${text}`,
    'with text behind it': (text) => `${text}x`,
    'that is not UTF-8': (text) =>
      Buffer.concat([Buffer.from(text.trimEnd().slice(0, -2)), Buffer.from([0xff, 0x22, 0x7d])]),
    'that names a field twice': (text) => text.replace('{', '{"sxUseSecurity":"a","sxUseSecurity":"b",'),
    'that is huge': (text) => text.replace('{', `{"note":"${'x'.repeat(2_000_000)}",`),
    'with a number as folder': edited((config) => ({ ...config, sxDataDirectory: 5 })),
    'with null as algorithm': edited((config) => ({ ...config, sxAgentKeyAlgorithm: null })),
    'with an unknown algorithm': edited((config) => ({ ...config, sxAgentKeyAlgorithm: 'rsa' })),
    'with a storage that does not exist': edited((config) => ({ ...config, sxDefaultStorage: 'cloud' })),
    'with an object as password': edited((config) => ({ ...config, sxPrivateKeyPassword: {} })),
    'whose keys are outside': edited((config) => ({ ...config, sxKeyDirectory: '../other/sx_keys' })),
    'whose keys are outside on Windows': edited((config) => ({ ...config, sxKeyDirectory: '..\\other' })),
    'whose data is outside by a detour': edited((config) => ({ ...config, sxDataDirectory: './a/../../b' })),
    'whose private key is outside': edited((config) => ({ ...config, sxAgentPrivateKeyFilename: '../../id_ed25519' })),
    'whose private key is named like a key record': edited((config) => ({
      ...config,
      sxAgentPrivateKeyFilename: 'k.pem.2',
    })),
    'whose public key is named like a key record': edited((config) => ({
      ...config,
      sxAgentPublicKeyFilename: 'sx.private.pem.2',
    })),
    'whose keys are where it is': edited((config) => ({ ...config, sxKeyDirectory: './sx.config.json' })),
    'whose data is below it': edited((config) => ({ ...config, sxDataDirectory: 'sx.config.json/deep' })),
    'whose public key is a device': edited((config) => ({ ...config, sxAgentPublicKeyFilename: 'con' })),
    'of an agent that is no id': edited((config) => ({ ...config, sxAgentIdAndVersion: '../x:y' })),
    'of an agent without a version': edited((config) => ({ ...config, sxAgentIdAndVersion: info.agentId })),
  }
  for (const [name, change] of Object.entries(BROKEN)) {
    it(`${name} is an InvalidConfig`, async () => {
      const { folder, config } = copy()
      writeFileSync(config, change(readFileSync(config, 'utf8')))
      await refusedToOpen(folder, 'InvalidConfig')
    })
  }

  it('of no agent cannot be loaded, and no agent is made beside a key that is there', async () => {
    const { folder, config, key, publicKey } = copy()
    const { sxAgentIdAndVersion: _, ...rest } = JSON.parse(readFileSync(config, 'utf8'))
    writeFileSync(config, JSON.stringify(rest))
    const before = treeOf(folder)
    await refusal(() => sx.load(agentIn(folder)), 'InvalidConfig')
    for (const make of [sx.create, sx.createSync, sx.quickstart, sx.quickstartSync]) {
      const { message } = await refusal(() => make(agentIn(folder)), 'AlreadyExists')
      expect(message).toContain(key)
    }
    expect(treeOf(folder)).toEqual(before)
    // Each of the two key files is enough for that; without them there is room.
    rmSync(key)
    expect((await refusal(() => sx.quickstart(agentIn(folder)), 'AlreadyExists')).message).toContain(publicKey)
    rmSync(publicKey)
    const made = await sx.quickstart(agentIn(folder))
    expect(made).toMatchObject({ created: true })
    expect(made.agentId).not.toBe(info.agentId)
    expect(JSON.parse(readFileSync(config, 'utf8'))).toMatchObject({
      ...rest,
      sxAgentIdAndVersion: expect.stringMatching(new RegExp(`^${made.agentId}:`)),
    })
  })

  it('with a wrong value is told by the name of its field', async () => {
    const { folder, config } = copy()
    for (const name of ['sxDataDirectory', 'sxAgentKeyAlgorithm', 'sxAgentIdAndVersion', 'sxUseSecurity']) {
      writeFileSync(
        config,
        JSON.stringify({ ...JSON.parse(readFileSync(join(original, 'sx.config.json'), 'utf8')), [name]: 7 }),
      )
      expect(await refusedToOpen(folder, 'InvalidConfig')).toContain(`'${name}'`)
    }
  })

  it('keeps fields that nobody knows', async () => {
    const { folder, config } = copy()
    const text = JSON.stringify({
      ...JSON.parse(readFileSync(config, 'utf8')),
      note: { of: ['mine'] },
      sxUseSecurity: 'false',
    })
    writeFileSync(config, text)
    expect((await sx.load(agentIn(folder))).agentId).toBe(info.agentId)
    await sx.quickstart(agentIn(folder))
    await sx.updateAgent({ ...JSON.parse(sx.exportAgent()), name: 'Renamed' })
    expect(readFileSync(config, 'utf8')).toBe(text)
  })

  it('of another agent than the one in the data directory does not open', async () => {
    const { folder, config } = copy()
    const unknown = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
    const set = (sxAgentIdAndVersion: string): void =>
      writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), sxAgentIdAndVersion }))
    set(`${unknown}:${unknown}`)
    await refusedToOpen(folder, 'NotFound')
    set(`${info.agentId}:${unknown}`)
    await refusedToOpen(folder, ['NotFound', 'Rollback'])
  })
})

describe('a private key file', () => {
  const BROKEN: Record<string, [Change, ...SxErrorCode[]]> = {
    'that is empty': [() => '', 'InvalidKey'],
    'that is no PEM': [() => 'hello', 'InvalidKey'],
    'that is binary': [() => Buffer.from([0xff, 0xfe, 0, 1]), 'InvalidKey'],
    'that is cut off': [(pem) => pem.slice(0, 100), 'InvalidKey'],
    'without its last line': [(pem) => pem.replace(/-----END.*\n$/, ''), 'InvalidKey'],
    'without a line in the middle': [
      (pem) => pem.split('\n').toSpliced(2, 1).join('\n'),
      'InvalidKey',
      'WrongPassword',
    ],
    'with another label': [(pem) => pem.replaceAll('ENCRYPTED PRIVATE KEY', 'CERTIFICATE'), 'InvalidKey'],
    'that is a public key': [() => readFileSync(info.publicKeyPath), 'InvalidKey'],
    'with a BOM': [(pem) => `\uFEFF${pem}`, 'InvalidKey'],
    twice: [(pem) => pem + pem, 'InvalidKey'],
  }
  for (const [name, [change, ...codes]] of Object.entries(BROKEN)) {
    it(`${name} is not opened: ${codes.join(' or ')}`, async () => {
      const { folder, key } = copy()
      writeFileSync(key, change(readFileSync(key, 'utf8')))
      await refusedToOpen(folder, codes)
      await sx.load(agentIn(original))
    })
  }

  it('that is missing is named', async () => {
    const { folder, key } = copy()
    rmSync(key)
    expect(await refusedToOpen(folder, 'NotFound')).toContain(key)
  })

  it('is no use to a wrong password, which is not told', async () => {
    const { folder } = copy()
    const before = treeOf(folder)
    for (const password of ['wrong password', `${PASSWORD} `, PASSWORD.toUpperCase()]) {
      for (const call of [sx.load, sx.loadSync]) {
        const error = await refusal(() => call(agentIn(folder, { password })), 'WrongPassword', password)
        expect(JSON.stringify(error)).not.toContain(password)
        expect(error.stack).not.toContain(password)
      }
    }
    await refusal(() => sx.load({ configPath: configIn(folder), env: {} }), 'PasswordRequired')
    expect(treeOf(folder)).toEqual(before)
  })
})

describe('an agent document', () => {
  it('that is missing is not taken for an old one', async () => {
    const { folder } = copy()
    rmSync(join(folder, 'sx_data'), { recursive: true })
    await refusedToOpen(folder, 'NotFound')
  })

  const BROKEN: Record<string, [Change, ...SxErrorCode[]]> = {
    'that is empty': [() => '', 'NotJson', 'CorruptStore'],
    'that is cut off': [(text) => text.slice(0, -1), 'NotJson', 'CorruptStore'],
    'that is not UTF-8': [() => Buffer.from([0xff]), 'NotJson', 'CorruptStore'],
    'with a BOM': [(text) => `\uFEFF${text}`, 'NotJson', 'CorruptStore'],
    'with another name': [(text) => text.replace('Billing', 'Killing'), 'BadSignature', 'HashMismatch'],
    'with another domain': [(text) => text.replace('example.com', 'example.org'), 'BadSignature', 'HashMismatch'],
    'that is no agent': [() => '{"a":1}', 'MissingSignature', 'InvalidAgent', 'InvalidDocument', 'CorruptStore'],
  }
  for (const [name, [change, ...codes]] of Object.entries(BROKEN)) {
    it(`${name} is not opened: ${codes.join(' or ')}`, async () => {
      const { folder, document } = copy()
      writeFileSync(document, change(readFileSync(document, 'utf8')))
      await refusedToOpen(folder, codes)
    })
  }

  it('of another agent in its place is not opened', async () => {
    const { folder, document } = copy()
    await sx.create(agentIn(newFolder()))
    writeFileSync(document, sx.exportAgent())
    await refusedToOpen(folder, ['CorruptStore', 'WrongPassword', 'KeyMismatch'])
  })
})

describe.skipIf(!posix)('what is no regular file', () => {
  const makers: Record<string, (path: string) => void> = {
    'a folder': (path) => mkdirSync(path),
    'a named pipe': (path) => void execFileSync('mkfifo', [path]),
  }
  for (const [name, make] of Object.entries(makers)) {
    for (const place of ['config', 'key', 'document', 'publicKey'] as const) {
      it(`${name} in the place of the ${place} is refused without waiting for it`, async () => {
        const files = copy()
        rmSync(files[place])
        make(files[place])
        const before = treeOf(files.folder)
        for (const load of [sx.load, sx.loadSync]) {
          if (name === 'a folder' && place === 'publicKey')
            expect((await load(agentIn(files.folder))).agentId).toBe(info.agentId)
          else await refusal(() => load(agentIn(files.folder)), ['StorageUnavailable', 'NotFound', 'Rollback'])
        }
        expect(treeOf(files.folder)).toEqual(before)
      })
    }

    it(`${name} in the place of a configuration to be written is refused before anything is written`, async () => {
      const folder = newFolder()
      make(configIn(folder))
      const before = treeOf(folder)
      for (const call of [sx.quickstart, sx.create, sx.quickstartSync, sx.createSync]) {
        await refusal(() => call(agentIn(folder)), 'StorageUnavailable')
        expect(treeOf(folder)).toEqual(before)
      }
    })
  }

  it('is read by nobody: folders, pipes and devices as arguments', async () => {
    const folder = newFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await sx.load(agentIn(original))
    const agent = new SxAgent({ password: PASSWORD, env: {} })
    await agent.load(configIn(original))
    const { raw } = await sx.signMessage(1)
    for (const path of [folder, join(folder, 'pipe'), '/dev/zero', '/dev/random', '/proc/self/mem']) {
      for (const read of [sx.load, sx.loadSync, agent.verifyAgent.bind(agent), agent.verifyAgentSync.bind(agent)])
        await refusal(() => read(path), ['StorageUnavailable', 'NotFound'])
      if (path !== folder) await refusal(() => sx.verifyStandalone(raw, { keyDirectory: path }), 'NotFound')
    }
    const result = sx.verifyStandalone(raw, { keyDirectory: folder, dataDirectory: folder })
    expect(result).toMatchObject({ valid: false, code: 'UnknownSigner' })
  })
})

describe('a damaged trust store', () => {
  it('is named as what is damaged, and can be mended', async () => {
    const { folder } = copy()
    const theirs = newFolder()
    const other = await sx.create(agentIn(theirs))
    const [{ raw }, exported] = [await sx.signMessage(1), sx.exportAgent()]
    await sx.load(agentIn(folder))
    sx.trustAgent(exported)
    const place = join(folder, 'sx_data', 'trust')
    for (const damage of ['', 'x', '{}', exported.replace('Billing', 'Killing'), Buffer.from([0xff])]) {
      await sx.load(agentIn(folder)) // as a process that has not seen what was there before
      const latest = numbersOf(place, other.agentId).at(-1)
      writeFileSync(join(place, `${other.agentId}.${latest}.json`), damage)
      const result = await sx.verify(raw)
      expect(result).toMatchObject({ valid: false, data: undefined })
      expect(sx.untrustAgent(other.agentId)).toBe(true)
      sx.trustAgent(exported)
      expect((await sx.verify(raw)).valid).toBe(true)
    }
  })
})

describe('a place below a file', () => {
  it('is no place for an agent, nor to look for keys', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'file.json'), '{}')
    const below = join(folder, 'file.json', 'x')
    await sx.load(agentIn(original))
    const { raw: signed } = await sx.signMessage(1)
    const before = treeOf(folder)
    for (const configPath of [join(below, 'sx.config.json'), join(below, 'y', 'sx.config.json')]) {
      const options = { name: 'A', domain: 'example.com', password: PASSWORD, configPath } as const
      await refusal(() => sx.quickstart(options), 'StorageUnavailable')
      await refusal(() => sx.createSync(options), 'StorageUnavailable')
    }
    for (const there of [below, join(folder, 'missing'), join(folder, 'file.json')]) {
      for (const options of [{ keyDirectory: there }, { dataDirectory: there }]) {
        expect((await refusal(() => sx.verifyStandalone(signed, options), 'NotFound')).message).toContain(there)
      }
    }
    expect(treeOf(folder)).toEqual(before)
  })
})

describe('the path of a configuration', () => {
  it('is no place for its directories', async () => {
    const folder = newFolder()
    for (const place of [
      './sx.config.json',
      'sx.config.json/deep',
      'sx.config.json.agent',
      configIn(folder),
      join(configIn(folder), 'deep'),
    ]) {
      for (const directory of [{ keyDirectory: place }, { dataDirectory: place }]) {
        for (const make of [sx.create, sx.createSync, sx.quickstart, sx.quickstartSync]) {
          await refusal(() => make(agentIn(folder, directory)), 'InvalidOption')
        }
      }
    }
    expect(treeOf(folder)).toEqual({})
    const beside = { keyDirectory: './sx.config.jsonx', dataDirectory: 'deep/sx.config.json' }
    expect((await sx.create(agentIn(folder, beside))).created).toBe(true)
  })
})
