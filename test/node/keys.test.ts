// Key files as other programs see them, and as somebody may have changed them.
import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { tool } from '../../scripts/matrix/tools.mjs'
import { HANGING } from '../pace.ts'
import { fromPem, integer, replaced, toPem } from './der.ts'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'

const OTHER = 'another password'
const TEXT = 'grüße, 世界'

interface Made {
  folder: string
  info: sx.AgentInfo
  agent: SxAgent
}

async function newAgent(algorithm: 'ed25519' | 'pq2025' = 'ed25519'): Promise<Made> {
  const folder = newFolder()
  const info = await sx.create(agentIn(folder, { algorithm }))
  const agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  return { folder, info, agent }
}

let ed: Made
let pq: Made
beforeAll(async () => {
  ed = await newAgent()
  pq = await newAgent('pq2025')
})

function openssl(args: string[], input?: string): string {
  return execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], timeout: HANGING })
}

function opensslVersion(): string {
  try {
    return openssl(['version'])
  } catch {
    return 'no openssl program'
  }
}

describe('Ed25519', () => {
  it('opens in node:crypto with the password and with no other', () => {
    const key = readFileSync(ed.info.privateKeyPath, 'utf8')
    expect(key).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    const opened = createPrivateKey({ key, passphrase: PASSWORD })
    expect(opened.asymmetricKeyType).toBe('ed25519')
    const publicPem = createPublicKey(opened).export({ type: 'spki', format: 'pem' })
    expect(publicPem).toBe(readFileSync(ed.info.publicKeyPath, 'utf8'))
    expect(publicPem).toBe(ed.agent.getPublicKey())
    expect(() => createPrivateKey({ key, passphrase: OTHER })).toThrow(/decrypt|decod|cipher/i)
  })

  it('signs strings that node:crypto verifies, the same as it would sign', () => {
    const signature = ed.agent.signStringSync(TEXT)
    const key = createPrivateKey({ key: readFileSync(ed.info.privateKeyPath, 'utf8'), passphrase: PASSWORD })
    expect(verify(null, Buffer.from(TEXT), ed.agent.getPublicKey(), Buffer.from(signature, 'base64'))).toBe(true)
    expect(sign(null, Buffer.from(TEXT), key).toString('base64')).toBe(signature)
  })

  describe.skipIf(!opensslVersion().startsWith('OpenSSL 3.'))(`with openssl 3 (here: ${opensslVersion()})`, () => {
    it('opens the private key with the password and with no other', () => {
      const { privateKeyPath, publicKeyPath } = ed.info
      const opened = openssl(['pkey', '-in', privateKeyPath, '-passin', 'stdin', '-pubout'], PASSWORD)
      expect(opened).toBe(readFileSync(publicKeyPath, 'utf8'))
      expect(() => openssl(['pkey', '-in', privateKeyPath, '-passin', 'stdin'], OTHER)).toThrow(/Could not (read|find)/)
    })

    it('verifies what signString made, and is refused with another text', () => {
      const folder = newFolder()
      const [text, other, signature] = ['text', 'other', 'signature'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      writeFileSync(text, TEXT)
      writeFileSync(other, `${TEXT}!`)
      writeFileSync(signature, Buffer.from(ed.agent.signStringSync(TEXT), 'base64'))
      const check = (file: string): string =>
        openssl([
          'pkeyutl',
          '-verify',
          '-pubin',
          '-inkey',
          ed.info.publicKeyPath,
          '-rawin',
          '-in',
          file,
          '-sigfile',
          signature,
        ])
      expect(check(text)).toContain('Verified Successfully')
      expect(() => check(other)).toThrow(/Command failed/)
    })

    it('makes PBKDF2 keys that are imported where the iterations are enough, and refused (T46) where they are not', async () => {
      const plain = openssl(['genpkey', '-algorithm', 'ed25519'])
      const encrypt = (iterations: number): string =>
        openssl(
          [
            'pkcs8',
            '-topk8',
            '-v2',
            'aes-256-cbc',
            '-v2prf',
            'hmacWithSHA256',
            '-iter',
            String(iterations),
            '-passout',
            `pass:${OTHER}`,
          ],
          plain,
        )
      const make = (pem: string, folder: string): Promise<sx.CreatedAgentInfo> =>
        sx.create(agentIn(folder, { importKey: { pem, password: OTHER } }))

      const folder = newFolder()
      const { publicKeyPath } = await make(encrypt(600_000), folder)
      expect(readFileSync(publicKeyPath, 'utf8')).toBe(openssl(['pkey', '-pubout'], plain))
      for (const iterations of [1, 599_999, 2 ** 31 - 1]) {
        const pem = toPem(
          'ENCRYPTED PRIVATE KEY',
          replaced(fromPem(encrypt(1000)).der, integer(1000), integer(iterations)),
        )
        const empty = newFolder()
        await refusal(() => make(pem, empty), 'KdfOutOfRange', OTHER)
        expect(treeOf(empty)).toEqual({})
      }
    })
  })
})

/** What Node 24 says of a key file: whether it opens, what it signs with it, and whether our signature is good. */
const IN_NODE_24 = `
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
const { path, publicPem, password, wrong, text, signature } = JSON.parse(readFileSync(0, 'utf8'))
const key = readFileSync(path, 'utf8')
const opened = createPrivateKey({ key, passphrase: password })
let opensWithWrong = true
try { createPrivateKey({ key, passphrase: wrong }) } catch { opensWithWrong = false }
console.log(JSON.stringify({
  type: opened.asymmetricKeyType,
  publicPem: createPublicKey(opened).export({ type: 'spki', format: 'pem' }),
  opensWithWrong,
  isOursGood: verify(null, Buffer.from(text), publicPem, Buffer.from(signature, 'base64')),
  isOtherGood: verify(null, Buffer.from(text + '!'), publicPem, Buffer.from(signature, 'base64')),
  signature: sign(null, Buffer.from(text), opened).toString('base64'),
}))`

const newer = tool('node24')
describe.skipIf(newer === undefined)(`ML-DSA-87 in Node 24 (${newer ? 'npm package' : 'npm has none here'})`, () => {
  it('opens with the password and with no other, and signatures verify both ways', () => {
    const { agent, info } = pq
    const input = JSON.stringify({
      path: info.privateKeyPath,
      publicPem: agent.getPublicKey(),
      password: PASSWORD,
      wrong: OTHER,
      text: TEXT,
      signature: agent.signStringSync(TEXT),
    })
    const output = execFileSync(newer ?? '', ['--input-type=module', '-e', IN_NODE_24], { input, encoding: 'utf8' })
    const found = JSON.parse(output)
    expect(found).toMatchObject({ type: 'ml-dsa-87', opensWithWrong: false, isOursGood: true, isOtherGood: false })
    expect(found.publicPem).toBe(agent.getPublicKey())
    expect(found.publicPem).toBe(readFileSync(info.publicKeyPath, 'utf8'))
    const publicKey = Buffer.from(found.publicPem)
    expect(agent.verifyStringSync(TEXT, found.signature, publicKey, 'pq2025')).toBe(true)
    expect(agent.verifyStringSync(`${TEXT}!`, found.signature, publicKey, 'pq2025')).toBe(false)
  })
})

describe('T46: a key file that was changed', () => {
  const costs = {
    'N = 1': [2 ** 14, 1],
    'N = 2^13': [2 ** 14, 2 ** 13],
    'N = 2^17': [2 ** 14, 2 ** 17],
    'N = 2^31': [2 ** 14, 2 ** 31],
    'r = 1': [8, 1],
    'r = 2^20': [8, 2 ** 20],
    'p = 2^31': [5, 2 ** 31],
  } as const
  for (const [name, [from, to]] of Object.entries(costs)) {
    it(`to a scrypt cost of ${name} is refused as KdfOutOfRange`, async () => {
      for (const { folder, info } of [ed, pq]) {
        const pem = readFileSync(info.privateKeyPath, 'utf8')
        const { label, der } = fromPem(pem)
        const changed = replaced(der, integer(from), integer(to))
        expect(changed.equals(der)).toBe(false)
        writeFileSync(info.privateKeyPath, toPem(label, changed))
        try {
          await refusal(() => sx.load(agentIn(folder)), 'KdfOutOfRange')
          await refusal(() => sx.loadSync(agentIn(folder)), 'KdfOutOfRange')
        } finally {
          writeFileSync(info.privateKeyPath, pem)
        }
      }
    })
  }

  it('in one bit says the same as a wrong password', async () => {
    const { folder, info } = ed
    const wrong = await refusal(() => sx.load(agentIn(folder, { password: OTHER })), 'WrongPassword', OTHER)
    const pem = readFileSync(info.privateKeyPath, 'utf8')
    const { label, der } = fromPem(pem)
    try {
      for (const fromEnd of [1, 16, 17, 33]) {
        const changed = Buffer.from(der)
        const at = changed.length - fromEnd
        changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
        writeFileSync(info.privateKeyPath, toPem(label, changed))
        const damaged = await refusal(() => sx.load(agentIn(folder)), 'WrongPassword')
        expect(damaged.message).toBe(wrong.message)
      }
    } finally {
      writeFileSync(info.privateKeyPath, pem)
    }
    expect((await sx.load(agentIn(folder))).agentId).toBe(info.agentId)
  })
})

describe("another agent's key files", () => {
  it('do not open this agent', async () => {
    for (const password of [PASSWORD, OTHER]) {
      const mine = await newAgent()
      const theirs = newFolder()
      const other = await sx.create(agentIn(theirs, { password }))
      copyFileSync(other.privateKeyPath, mine.info.privateKeyPath)
      await refusal(() => sx.load(agentIn(mine.folder)), 'WrongPassword')
      copyFileSync(other.publicKeyPath, mine.info.publicKeyPath)
      // Only with both of their files at hand, and open, it is known that they are not a damaged one of ours.
      const expected = password === PASSWORD ? 'KeyMismatch' : 'WrongPassword'
      await refusal(() => sx.load(agentIn(mine.folder)), expected)
    }
  })

  it('nor does their public key beside the right private one', async () => {
    const mine = await newAgent()
    copyFileSync(ed.info.publicKeyPath, mine.info.publicKeyPath)
    await refusal(() => sx.load(agentIn(mine.folder)), 'KeyMismatch')
  })
})

describe('reencryptKey', () => {
  for (const form of ['async', 'sync'] as const) {
    const change = (from: string, to: string): unknown =>
      form === 'async' ? sx.reencryptKey(from, to) : sx.reencryptKeySync(from, to)

    it(`changes the password (${form})`, async () => {
      const { folder, info } = await newAgent()
      await sx.load(agentIn(folder))
      const before = treeOf(folder)
      await refusal(() => change(OTHER, 'x'), 'WrongPassword', OTHER)
      await refusal(() => change('', 'x'), ['PasswordRequired', 'WrongPassword'])
      await refusal(() => change(PASSWORD, ''), 'PasswordRequired')
      expect(treeOf(folder)).toEqual(before)

      await change(PASSWORD, OTHER)
      await refusal(() => sx.load(agentIn(folder)), 'WrongPassword')
      expect((await sx.load(agentIn(folder, { password: OTHER }))).agentId).toBe(info.agentId)
      const key = readFileSync(info.privateKeyPath, 'utf8')
      expect(createPrivateKey({ key, passphrase: OTHER }).asymmetricKeyType).toBe('ed25519')
      const changed = Object.keys(before).filter((path) => before[path] !== treeOf(folder)[path])
      expect(changed).toEqual([join('sx_keys', 'sx.private.pem')])
      const made = Object.keys(treeOf(folder)).filter((path) => before[path] === undefined)
      expect(made).toEqual([join('sx_keys', 'sx.private.pem.2')])
      const record = JSON.parse(readFileSync(`${info.privateKeyPath}.2`, 'utf8'))
      expect(record).toMatchObject({ pem: key, saved: null })
    })

    it(`changes a saved password too (${form})`, async () => {
      const folder = newFolder()
      const env = { SX_SAVE_PASSWORD_FILE: 'true' }
      const { agentId, keyDirectory } = await sx.create({ ...agentIn(folder, { env }), password: undefined } as never)
      const file = join(keyDirectory, '.sx_password')
      await change(readFileSync(file, 'utf8'), OTHER)
      expect(readFileSync(file, 'utf8')).toBe(OTHER)
      expect((await sx.load({ configPath: configIn(folder), env: {} })).agentId).toBe(agentId)
    })

    it(`changes a password in the configuration too, and nothing else there (${form})`, async () => {
      const { folder, info } = await newAgent()
      const config = JSON.parse(readFileSync(configIn(folder), 'utf8'))
      writeFileSync(configIn(folder), JSON.stringify({ ...config, sxPrivateKeyPassword: PASSWORD, owner: 'billing' }))
      const options = { configPath: configIn(folder), env: {} }
      await sx.load(options)
      await change(PASSWORD, OTHER)
      expect((await sx.load(options)).agentId).toBe(info.agentId)
      expect(JSON.parse(readFileSync(configIn(folder), 'utf8'))).toEqual({
        ...config,
        sxPrivateKeyPassword: OTHER,
        owner: 'billing',
      })
    })

    it(`leaves passwords alone that are another agent's (${form})`, async () => {
      const folder = newFolder()
      const env = { SX_SAVE_PASSWORD_FILE: 'true' }
      await sx.create({ ...agentIn(folder, { env }), password: undefined } as never)
      const second = { sxAgentPrivateKeyFilename: 'b.private.pem', sxAgentPublicKeyFilename: 'b.public.pem' }
      const configPath = join(folder, 'b.json')
      writeFileSync(configPath, JSON.stringify({ ...second, sxPrivateKeyPassword: 'of nobody' }))
      await sx.create(agentIn(folder, { configPath }))
      await change(PASSWORD, OTHER)
      expect(JSON.parse(readFileSync(configPath, 'utf8'))).toMatchObject({ sxPrivateKeyPassword: 'of nobody' })
      await sx.load({ configPath: configIn(folder), env: {} })
    })

    it(`changes nothing if the saved password cannot be changed (${form})`, async () => {
      const { folder, info } = await newAgent()
      await sx.load(agentIn(folder))
      writeFileSync(join(folder, 'elsewhere'), PASSWORD)
      symlinkSync('../elsewhere', join(folder, 'sx_keys', '.sx_password'))
      await refusal(() => change(PASSWORD, OTHER), 'LinkRefused')
      expect((await sx.load(agentIn(folder))).agentId).toBe(info.agentId)
    })

    it(`refuses another agent's key with a clear sentence (${form})`, async () => {
      const mine = await newAgent()
      await sx.load(agentIn(mine.folder))
      copyFileSync(ed.info.privateKeyPath, mine.info.privateKeyPath)
      const before = treeOf(mine.folder)
      await refusal(() => change(PASSWORD, OTHER), ['KeyMismatch', 'WrongPassword'], OTHER)
      expect(treeOf(mine.folder)).toEqual(before)
    })
  }
})
