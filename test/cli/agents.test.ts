// quickstart, agent and trust, and where passwords come from.
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Place, placing } from './run.ts'

const place = placing()
const start = ['quickstart', '--name', 'Billing', '--domain', 'example.com', '--algorithm', 'ed25519']
const opens = (where: Place, passphrase: string): boolean => {
  const key = readFileSync(where.at('sx_keys', 'sx.private.pem'), 'utf8')
  try {
    return createPrivateKey({ key, passphrase }).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

describe('quickstart', () => {
  it('creates an agent, then loads it', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'from the environment' })
    const first = await here.json(start)
    expect(first).toMatchObject({ exit: 0, value: { ok: true, created: true, name: 'Billing', algorithm: 'ed25519' } })
    expect(first.value).not.toHaveProperty('generatedPassword')
    const second = await here.json(start)
    expect(second).toMatchObject({ exit: 0, value: { created: false, agentId: first.value['agentId'] } })
    expect(opens(here, 'from the environment')).toBe(true)
  })

  it('makes ML-DSA-87 keys by default', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'p' })
    const { value } = await here.json(['quickstart', '--name', 'Q', '--domain', 'example.com'])
    expect(value).toMatchObject({ ok: true, algorithm: 'pq2025' })
    const { stdout } = await here.sx(['sign'], { input: '{"a":1}' })
    expect((await here.sx(['verify'], { input: stdout })).exit).toBe(0)
  })

  it('never makes up a password in silence', async () => {
    const here = place()
    for (const more of [[], ['--no-input']]) {
      const { exit, value } = await here.json([...start, ...more])
      expect(exit).toBe(2)
      expect(value).toMatchObject({ ok: false, error: { code: 'PasswordRequired' } })
      expect(value.error?.message).toContain('SX_PASSWORD_FILE')
      expect(value.error?.message.includes('--no-input')).toBe(more.length > 0)
    }
    expect(() => readFileSync(here.at('sx.config.json'))).toThrow('ENOENT')
    expect(() => readFileSync(here.at('sx_keys', 'sx.private.pem'))).toThrow('ENOENT')
  })

  it('saves a generated one where that is asked for, and finds it later', async () => {
    const here = place()
    const { value } = await here.json(start, { env: { SX_SAVE_PASSWORD_FILE: 'true' } })
    expect(value).toMatchObject({ ok: true, created: true })
    expect(value).not.toHaveProperty('generatedPassword')
    expect(opens(here, readFileSync(here.at('sx_keys', '.sx_password'), 'utf8'))).toBe(true)
    expect((await here.sx(['agent', 'show'])).exit).toBe(0)
  })

  it.each([
    [['--name', 'x'], "required option '--domain <host>' not specified"],
    [['--name', 'x', '--domain', 'example.com', '--algorithm', 'rsa'], "argument 'rsa' is invalid"],
    [['--name', 'x', '--domain', 'example.com', '--password', 'secret'], "unknown option '--password'"],
  ])('refuses %j', async (args, message) => {
    const { exit, value } = await place().json(['quickstart', ...args])
    expect(exit).toBe(2)
    expect(value.error?.code).toBe('InvalidOption')
    expect(value.error?.message).toContain(message)
  })

  it('says what is wrong with a name or a domain', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'p' })
    const bad = await here.json(['quickstart', '--name', ' ', '--domain', 'example.com'])
    expect(bad).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'InvalidOption' } } })
  })
})

describe('agent', () => {
  const here = place({ SX_PRIVATE_KEY_PASSWORD: 'old' })
  let agentId: string
  beforeAll(async () => {
    agentId = await here.quickstart('Billing')
  })

  it('show names it and its files', async () => {
    const { exit, stdout } = await here.sx(['agent', 'show'])
    expect(exit).toBe(0)
    for (const text of ['Billing', agentId, 'ed25519', here.at('sx_keys', 'sx.private.pem')]) {
      expect(stdout).toContain(text)
    }
    expect((await here.json(['agent', 'show'])).value).toMatchObject({ ok: true, agentId, name: 'Billing' })
  })

  it('export writes the agent document or the public key', async () => {
    const { stdout, stderr } = await here.sx(['agent', 'export'])
    expect(JSON.parse(stdout)).toMatchObject({ sxType: 'agent', sxId: agentId })
    const { stdout: pem } = await here.sx(['agent', 'export', '--public-key'])
    expect(pem).toBe(readFileSync(here.at('sx_keys', 'sx.public.pem'), 'utf8'))
    const { exit, value } = await here.json(['agent', 'export', '-o', 'agent.json'])
    const { keyId } = (await here.json(['agent', 'show'])).value
    expect(stderr).toBe(`Exported\n  key id  ${String(keyId)}\n  id      ${agentId}\n`)
    expect({ exit, value }).toEqual({ exit: 0, value: { ok: true, agentId, keyId, output: 'agent.json' } })
    expect(readFileSync(here.at('agent.json'), 'utf8')).toBe(stdout.trimEnd())
    expect((await here.sx(['agent', 'export', '-o', 'agent.json'])).exit).toBe(2)
  })

  it('reencrypt-key gives the key a new password', async () => {
    writeFileSync(here.at('new'), 'new\n')
    const without = await here.json(['agent', 'reencrypt-key', '--no-input'])
    expect(without).toMatchObject({ exit: 2, value: { error: { code: 'PasswordRequired' } } })
    expect(without.value.error?.message).toMatch(/^No new password for the private key was given\. /)
    expect(opens(here, 'old')).toBe(true)
    expect((await here.sx(['agent', 'reencrypt-key', '--new-password-file', 'new'])).exit).toBe(0)
    expect([opens(here, 'old'), opens(here, 'new')]).toEqual([false, true])
    expect((await here.json(['sign'], { input: '1' })).value.error?.code).toBe('WrongPassword')
    writeFileSync(here.at('newer'), 'old')
    const env = { SX_PRIVATE_KEY_PASSWORD: 'new', SX_NEW_PASSWORD_FILE: 'newer' }
    expect((await here.json(['agent', 'reencrypt-key'], { env })).value).toEqual({ ok: true, agentId })
    expect(opens(here, 'old')).toBe(true)
  })

  it('reencrypt-key changes a password in the configuration too', async () => {
    const config = here.at('sx.config.json')
    const fields = JSON.parse(readFileSync(config, 'utf8')) as Record<string, string>
    writeFileSync(config, JSON.stringify({ ...fields, sxPrivateKeyPassword: 'old' }))
    writeFileSync(here.at('new'), 'new\n')
    expect((await here.sx(['agent', 'reencrypt-key', '--new-password-file', 'new'])).exit).toBe(0)
    const env = { SX_PRIVATE_KEY_PASSWORD: '' }
    expect((await here.json(['sign'], { env, input: '1' })).value).toMatchObject({ ok: true, agentId })
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({ ...fields, sxPrivateKeyPassword: 'new' })
  })

  it('ends with 2 where there is no configuration, or a bad one', async () => {
    for (const command of [['agent', 'show'], ['sign'], ['trust', 'list'], ['agent', 'reencrypt-key']]) {
      const { exit, value } = await here.json([...command, '--config', 'elsewhere/sx.config.json'], { input: '1' })
      expect(exit).toBe(2)
      expect(value.error?.code).toBe('NotFound')
      expect(value.error?.message).toContain('sx quickstart')
    }
    expect((await here.sx(['verify', '--config', 'missing.json'], { input: '{}' })).exit).toBe(2)
    writeFileSync(here.at('bad.json'), '{"sxKeyDirectory": 7}')
    const bad = await here.json(['agent', 'show', '--config', 'bad.json'])
    expect(bad).toMatchObject({ exit: 2, value: { error: { code: 'InvalidConfig' } } })
  })
})

describe('trust', () => {
  const here = place({ SX_PRIVATE_KEY_PASSWORD: 'p' })
  const there = place({ SX_PRIVATE_KEY_PASSWORD: 'p' })
  let id: string
  let document: string
  beforeAll(async () => {
    await here.quickstart('Verifier')
    id = await there.quickstart('Signer')
    document = await there.done(['agent', 'export'])
  })

  it('adds, lists and removes an agent', async () => {
    const { stdout: input } = await there.sx(['sign'], { input: '{"a":1}' })
    const keyId = String((await there.json(['agent', 'show'])).value['keyId'])
    const status = async (): Promise<number | null> => (await here.sx(['verify'], { input })).exit
    expect(await status()).toBe(4)
    expect((await here.json(['trust', 'list'])).value).toEqual({ ok: true, agents: [], unreadable: [] })
    const added = await here.sx(['trust', 'add', '-'], { input: document })
    expect(added).toMatchObject({ exit: 0, stdout: '' })
    expect(added.stderr).toContain('Signer')
    expect(await status()).toBe(0)
    expect((await here.sx(['verify'], { input })).stdout).toMatch(
      new RegExp(`signer +${id}\\n {2}signer is called +Signer\\n`),
    )
    expect((await here.sx(['trust', 'list'])).stdout).toBe(`${id}  Signer\n  key id: ${keyId}\n`)
    const agents = [{ agentId: id, keyId, name: 'Signer' }]
    expect((await here.json(['trust', 'list'])).value).toEqual({ ok: true, agents, unreadable: [] })
    expect((await here.json(['trust', 'remove', id])).value).toEqual({ ok: true, agentId: id })
    expect(await status()).toBe(4)
    const again = await here.json(['trust', 'remove', id])
    expect(again).toMatchObject({ exit: 4, value: { ok: false, error: { code: 'NotFound' } } })
  })

  it('takes no changed agent document, and no other document', async () => {
    const changed = await here.json(['trust', 'add'], { input: document.replace('"Signer"', '"Signor"') })
    expect(changed).toMatchObject({ exit: 1, value: { ok: false, error: { code: 'BadSignature' } } })
    const { stdout: input } = await there.sx(['sign'], { input: '1' })
    expect(await here.json(['trust', 'add'], { input })).toMatchObject({
      exit: 1,
      value: { error: { code: 'InvalidAgent', message: expect.stringContaining('`sx agent export`') as string } },
    })
    expect((await here.json(['trust', 'list'])).value).toEqual({ ok: true, agents: [], unreadable: [] })
  })

  it('T28: takes no id that leads elsewhere', async () => {
    for (const bad of ['../../sx.config', '..%2f', 'a/b', 'C:\\x', 'con', 'x'.repeat(300), `${id}:../v`]) {
      const { exit, value } = await here.json(['trust', 'remove', '--', bad])
      expect({ bad, exit, code: value.error?.code }).toEqual({ bad, exit: 2, code: 'InvalidId' })
    }
    expect((await here.sx(['agent', 'show'])).exit).toBe(0)
  })
})
