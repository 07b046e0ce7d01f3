// quickstart, agent and trust, and where passwords come from.
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { SxAgent } from 'sx-agent'
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
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
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
    expect(value['passwordPath']).toBe(here.at('sx_keys', '.sx_password'))
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
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    const bad = await here.json(['quickstart', '--name', ' ', '--domain', 'example.com'])
    expect(bad).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'InvalidOption' } } })
  })
})

describe('agent', () => {
  const here = place({ SX_PRIVATE_KEY_PASSWORD: 'the old one' })
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

  it('dns prints the record of a domain', async () => {
    const { agentId, keyId } = (await here.json(['agent', 'show'])).value as unknown as Record<string, string>
    const text = `v=sx; sx_agent_id=${agentId}; alg=ed25519; kid=${keyId}`
    expect(await here.sx(['agent', 'dns', 'example.org'], { env: { SX_PRIVATE_KEY_PASSWORD: undefined } })).toEqual({
      exit: 0,
      stdout: `_v1.agent.sx.example.org. 3600 IN TXT "${text}"\n`,
      stderr: '',
    })
    const { value } = await here.json(['agent', 'dns', 'example.org', '--ttl', '60'])
    expect(value).toEqual({ ok: true, domain: 'example.org', record: `_v1.agent.sx.example.org. 60 IN TXT "${text}"` })
    for (const words of [['-x.org'], ['example.org', '--ttl', '1.5'], ['example.org', '--ttl', '2147483648'], []]) {
      const { exit } = await here.sx(['agent', 'dns', ...words])
      expect({ words, exit }).toEqual({ words, exit: 2 })
    }
  })

  it('well-known prints what the agent publishes', async () => {
    const { agentId, keyId } = (await here.json(['agent', 'show'])).value as unknown as Record<string, string>
    const published = JSON.parse(await here.done(['agent', 'well-known'])) as object
    expect(published).toMatchObject({ agentId, keys: [{ kid: keyId, crv: 'Ed25519' }] })
    expect((await here.json(['agent', 'well-known'])).value).toEqual({ ok: true, ...published })
  })

  it('says that a revocation which was made in advance has revoked the key', async () => {
    const there = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    await there.quickstart('Billing')
    expect((await there.json(['agent', 'show'])).value).not.toHaveProperty('revoked')
    const agent = new SxAgent({ password: 'correct horse' })
    await agent.load(there.at('sx.config.json'))
    await agent.rotateKey()
    const statement = await agent.createRevocation()
    await agent.revokeKey({ statement })
    const { date: at } = JSON.parse(statement) as { date: string }
    await agent.close()
    const revoked = { at, reason: 'compromised' }
    const { value } = await there.json(['agent', 'show'])
    expect(value).toMatchObject({ revoked, keys: [{ revoked: { reason: 'superseded' } }, { revoked }] })
    expect(await there.done(['agent', 'show'])).toContain(`revoked since ${at}: compromised`)
    const { exit, stderr } = await there.sx(['agent', 'export'])
    expect({ exit, stderr }).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(`revoked since ${at}`) as string,
    })
    for (const words of [['export', '--public-key'], ['well-known'], ['dns', 'example.com']]) {
      expect((await there.json(['agent', ...words])).value).toMatchObject({ ok: false, error: { code: 'KeyRevoked' } })
    }
  })

  it('reencrypt-key gives the key a new password', async () => {
    writeFileSync(here.at('new'), 'the new one\n')
    const without = await here.json(['agent', 'reencrypt-key', '--no-input'])
    expect(without).toMatchObject({ exit: 2, value: { error: { code: 'PasswordRequired' } } })
    expect(without.value.error?.message).toMatch(/^No new password for the private key was given\. /)
    expect(opens(here, 'the old one')).toBe(true)
    expect((await here.sx(['agent', 'reencrypt-key', '--new-password-file', 'new'])).exit).toBe(0)
    expect([opens(here, 'the old one'), opens(here, 'the new one')]).toEqual([false, true])
    expect((await here.json(['sign'], { input: '1' })).value.error?.code).toBe('WrongPassword')
    writeFileSync(here.at('newer'), 'the old one')
    const env = { SX_PRIVATE_KEY_PASSWORD: 'the new one', SX_NEW_PASSWORD_FILE: 'newer' }
    expect((await here.json(['agent', 'reencrypt-key'], { env })).value).toEqual({ ok: true, agentId })
    expect(opens(here, 'the old one')).toBe(true)
  })

  it('reencrypt-key changes a password in the configuration too', async () => {
    const config = here.at('sx.config.json')
    const fields = JSON.parse(readFileSync(config, 'utf8')) as Record<string, string>
    writeFileSync(config, JSON.stringify({ ...fields, sxPrivateKeyPassword: 'the old one' }))
    writeFileSync(here.at('new'), 'the new one\n')
    expect((await here.sx(['agent', 'reencrypt-key', '--new-password-file', 'new'])).exit).toBe(0)
    const env = { SX_PRIVATE_KEY_PASSWORD: undefined }
    expect((await here.json(['sign'], { env, input: '1' })).value).toMatchObject({ ok: true, agentId })
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({ ...fields, sxPrivateKeyPassword: 'the new one' })
  })

  it('rotate gives the agent a new key, and revoke says of the old one why', async () => {
    const there = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    await there.quickstart()
    const before = (await there.sx(['sign'], { input: '{"a":1}' })).stdout
    const { value } = await there.json(['agent', 'rotate', '--algorithm', 'pq2025'])
    expect(value).toMatchObject({ ok: true, algorithm: 'pq2025' })
    const [keyId, formerKeyId] = [String(value['keyId']), String(value['formerKeyId'])]
    const shown = (await there.sx(['agent', 'show'])).stdout
    expect(shown).toContain(keyId)
    expect(shown).toMatch(
      new RegExp(`earlier key +${formerKeyId} +ed25519\\n +revoked since 20[-0-9TZ:.]+: superseded\\n`),
    )
    const { keys } = (await there.json(['agent', 'show'])).value
    expect(keys).toEqual([
      { keyId: formerKeyId, algorithm: 'ed25519', revoked: { at: expect.any(String), reason: 'superseded' } },
      { keyId, algorithm: 'pq2025' },
    ])
    expect((await there.sx(['verify'], { input: before })).exit).toBe(0)
    for (const dashed of [`-${'x'.repeat(42)}`, `--${'x'.repeat(41)}`]) {
      for (const args of [
        [dashed, '--reason', 'compromised'],
        ['--reason', 'compromised', '--', dashed],
      ]) {
        const { value } = await there.json(['agent', 'revoke', ...args])
        expect(value).toMatchObject({ ok: false, error: { code: 'KeyMismatch' } })
      }
    }
    const current = await there.json(['agent', 'revoke', keyId, '--reason', 'compromised'])
    expect(current).toMatchObject({ exit: 2, value: { error: { code: 'InvalidOption' } } })
    const kept = await there.done(['agent', 'revoke', formerKeyId, '--reason', 'superseded'])
    expect(kept).not.toContain('no longer valid')
    const revoked = await there.json(['agent', 'revoke', formerKeyId, '--reason', 'compromised'])
    expect(revoked).toMatchObject({ exit: 0, value: { ok: true, keyId: formerKeyId, reason: 'compromised' } })
    expect((await there.sx(['verify'], { input: before })).exit).toBe(1)
    const again = await there.done(['agent', 'revoke', formerKeyId, '--reason', 'compromised'])
    expect(again).toMatch(
      /documents +signatures of that key are no longer valid \(1 stored document\); see "A compromised key" in docs\/keys\.md/,
    )
    const replaced = await there.done(['agent', 'rotate', '--reason', 'compromised'])
    expect(replaced).toContain('no longer valid')
    const bad = [
      ['agent', 'revoke'],
      ['agent', 'revoke', formerKeyId, '--reason', 'lost'],
      ['agent', 'rotate', '--algorithm', 'rsa'],
    ]
    for (const words of bad) expect((await there.sx(words)).exit).toBe(2)
  })

  it('says what to do about a signer that has a new key', async () => {
    const [there, later] = [
      place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' }),
      place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' }),
    ]
    await there.quickstart()
    await later.quickstart('Later')
    await later.done(['trust', 'add'], { input: await there.done(['agent', 'export']) })
    await there.done(['agent', 'rotate'])
    const document = await there.done(['sign'], { input: '{"a":1}' })
    const text = await there.done(['sign'], { input: 'Hi.\n' })
    for (const input of [document, text]) {
      const { exit, stdout } = await later.sx(['verify'], { input })
      expect([exit, stdout]).toEqual([1, expect.stringContaining('KeyMismatch: ')])
      expect(stdout).toContain('add its newer agent document with `sx trust add`')
      expect(stdout).not.toContain('belong together')
    }
    await later.done(['trust', 'add'], { input: await there.done(['agent', 'export']) })
    for (const input of [document, text]) await later.done(['verify'], { input })
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
  const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
  const there = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
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
      new RegExp(`signer +${id}\\n {2}signer name +Signer\\n`),
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
