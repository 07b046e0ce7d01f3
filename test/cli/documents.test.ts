// sign, verify and inspect, by their exit status and what they print.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { close, quickstart, signMessage } from '../../src/simple.ts'
import { Place, program } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const other = new Place({ SX_PRIVATE_KEY_PASSWORD: 'battery staple' })
const nobody = new Place()
const invoice = '{"amount": 1.50, "lines": ["a", "b"]}'
let agentId: string
let signed: string

const tampered = (): string => signed.replace('"amount":1.5', '"amount":15')

beforeAll(async () => {
  agentId = await place.quickstart()
  await other.quickstart('Other')
  writeFileSync(place.at('invoice.json'), invoice)
  await place.done(['sign', 'invoice.json', '-o', 'signed.json'])
  signed = readFileSync(place.at('signed.json'), 'utf8')
})

afterAll(() => {
  for (const each of [place, other, nobody]) each.remove()
})

describe('sign', () => {
  it('writes the canonical document to stdout and nothing else', async () => {
    const { exit, stdout, stderr } = await place.sx(['sign', 'invoice.json'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^\{"\$schema":.*\}\n$/)
    expect(JSON.parse(stdout)).toMatchObject({ sxType: 'message', content: { amount: 1.5, lines: ['a', 'b'] } })
    expect(stderr).toContain('Signed')
    expect((await place.sx(['sign', 'invoice.json', '--quiet'])).stderr).toBe('')
  })

  it('reads standard input for - and for no name, and any JSON value', async () => {
    for (const [args, input] of [
      [['sign', '-'], '"text"'],
      [['sign'], 'null'],
    ] as const) {
      const { exit, stdout } = await place.sx(args, { input })
      expect(exit).toBe(0)
      const { value } = await place.json(['verify'], { input: stdout })
      expect(value).toMatchObject({ ok: true, valid: true, trusted: true, data: JSON.parse(input) })
    }
  })

  it('writes one JSON value with --json', async () => {
    const { exit, value } = await place.json(['sign', 'invoice.json'])
    expect(exit).toBe(0)
    expect(value).toMatchObject({ ok: true, agentId })
    expect(JSON.parse(String(value['raw']))).toMatchObject({ sxId: value['documentId'], sxVersion: value['version'] })
  })

  it.each([
    ['{"a":1,"a":2}', 'DuplicateKey'],
    ['{"a":9007199254740993}', 'LossyNumber'],
    ['{"a":1', 'NotJson'],
    [' ', 'NotJson'],
    ['\ufeff{}', 'NotJson'],
    ['"\\ud800"', 'NotJson'],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'LimitExceeded'],
  ])('refuses %#: %.30s', async (input, code) => {
    const { exit, value } = await place.json(['sign'], { input })
    expect(value).toMatchObject({ ok: false, error: { code } })
    expect(exit).toBe(code === 'LimitExceeded' ? 4 : 1)
  })

  it.each(['1},"x":{"y":1', '1,"sxLevel":"config"'])('is not talked into another document by %s', async (input) => {
    const { exit, value } = await place.json(['sign', '--as', 'json'], { input })
    expect({ exit, code: value.error?.code }).toEqual({ exit: 1, code: 'NotJson' })
    expect((await place.json(['sign'], { input })).value).toMatchObject({ ok: true, kind: 'text' })
  })

  it('takes as many levels as signMessage', async () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    await quickstart({
      name: 'Nesting',
      domain: 'example.com',
      algorithm: 'ed25519',
      configPath: place.at('nesting', 'sx.config.json'),
      password: 'correct horse',
    })
    const takes = (levels: number): Promise<boolean> =>
      signMessage(JSON.parse(nested(levels))).then(
        () => true,
        () => false,
      )
    let most = 100
    while (await takes(most + 1)) most++
    await expect(signMessage(JSON.parse(nested(most + 1)))).rejects.toMatchObject({ code: 'LimitExceeded' })
    await close()
    expect((await place.sx(['sign', '--no-save'], { input: nested(most) })).exit).toBe(0)
    expect((await place.json(['sign', '--no-save'], { input: nested(most + 1) })).value.error?.code).toBe(
      'LimitExceeded',
    )
  })

  it('refuses bytes that are no UTF-8', async () => {
    const { exit, value } = await place.json(['sign'], { input: new Uint8Array([0x22, 0xff, 0x22]) })
    expect(exit).toBe(1)
    expect(value.error?.code).toBe('NotJson')
  })

  it('takes - as the name of standard output, but not beside --json', async () => {
    const { exit, stdout, stderr } = await place.sx(['sign', 'invoice.json', '-o', '-'])
    expect(exit).toBe(0)
    expect((await place.sx(['verify'], { input: stdout })).exit).toBe(0)
    expect(stderr).toMatch(/^Signed\n/)
    for (const args of [
      ['sign', 'invoice.json'],
      ['verify', 'signed.json'],
      ['agent', 'export'],
    ]) {
      const refused = await place.json([...args, '-o', '-'])
      expect(refused).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'InvalidOption' } } })
      expect((await place.sx([...args, '-o', ''])).exit).toBe(2)
    }
    expect((await place.sx(['agent', 'export', '--output', '-'])).stdout).toContain(agentId)
  })

  it('never overwrites without --force, and stores nothing then', async () => {
    writeFileSync(place.at('precious.txt'), 'precious')
    const refused = await place.json(['sign', 'invoice.json', '-o', 'precious.txt'])
    expect(refused).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'AlreadyExists' } } })
    expect(readFileSync(place.at('precious.txt'), 'utf8')).toBe('precious')
    expect((await place.sx(['sign', 'invoice.json', '-o', 'precious.txt', '--force'])).exit).toBe(0)
    expect((await place.sx(['verify', 'precious.txt'])).exit).toBe(0)
  })

  it('stores the document unless told not to', async () => {
    const stored = (id: unknown): boolean =>
      existsSync(place.at('sx_data', 'documents', String(id).slice(0, 2), `${String(id)}.1.json`))
    expect(stored((await place.json(['sign', 'invoice.json'])).value['documentId'])).toBe(true)
    expect(stored((await place.json(['sign', 'invoice.json', '--no-save'])).value['documentId'])).toBe(false)
  })
})

describe('verify', () => {
  const brief = (): string =>
    `VALID, signed by a trusted agent; signer: ${agentId}; trusted: yes; ` +
    `trust store: ${place.at('sx.config.json')}; signer name: Billing\n`

  it('exits with 0 for a document of this agent and says who signed it', async () => {
    const { exit, stdout, stderr } = await place.sx(['verify', 'signed.json'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^VALID, signed by a trusted agent\n/)
    expect(stdout).toMatch(new RegExp(`^ {2}signer +${agentId}\\n {2}signer name +Billing\\n {2}trusted +yes\\n`, 'm'))
    expect(stderr).toBe('')
  })

  it.runIf(process.platform !== 'win32')('reads a pipe by its name, as the shell passes <(…)', () => {
    const line = 'cat signed.json | "$0" "$1" verify --quiet /dev/stdin'
    const run = spawnSync('sh', ['-c', line, process.execPath, program], { cwd: place.path, env: place.env() })
    expect({ status: run.status, stderr: String(run.stderr) }).toEqual({ status: 0, stderr: '' })
  })

  it('takes a document with white space around and between', async () => {
    const input = `\n${JSON.stringify(JSON.parse(signed), null, 2)}\n`
    expect((await place.sx(['verify'], { input })).exit).toBe(0)
  })

  it('says in one line with --quiet who signed and whether that agent is trusted', async () => {
    const { stdout } = await place.sx(['verify', '--quiet', 'signed.json'])
    expect(stdout).toBe(brief())
  })

  it('exits with 1 for a changed document and shows nothing of it', async () => {
    const { exit, stdout } = await place.sx(['verify', '-'], { input: tampered() })
    expect(exit).toBe(1)
    expect(stdout).toMatch(/^NOT VALID\n {2}claimed signer {2}/)
    expect(stdout).toContain('BadSignature')
    const { value } = await place.json(['verify'], { input: tampered() })
    expect(value).toMatchObject({ ok: false, valid: false, trusted: false, error: { code: 'BadSignature' } })
    expect(value).not.toHaveProperty('data')
  })

  it.each([
    ['\n', 'NotJson'],
    ['[]', 'InvalidDocument'],
    ['{"a":1,"a":1}', 'DuplicateKey'],
  ])('exits with 1 for %j', async (input, code) => {
    const { exit, value } = await nobody.json(['verify'], { input })
    expect(exit).toBe(1)
    expect(value).toMatchObject({ ok: false, valid: false, error: { code } })
  })

  it('exits with 4 for an unknown signer, also without any agent', async () => {
    const known = await other.sx(['verify'], { input: signed })
    expect(known.exit).toBe(4)
    expect(known.stdout).toMatch(/^COULD NOT BE CHECKED\n/)
    expect(known.stdout).toContain('trusted         no')
    const { exit, value } = await nobody.json(['verify'], { input: signed })
    expect(exit).toBe(4)
    expect(value).toMatchObject({ ok: false, valid: false, error: { code: 'UnknownSigner' }, signerId: agentId })
  })

  it('exits with 4 for a file that cannot be read', async () => {
    mkdirSync(place.at('folder'), { recursive: true })
    for (const file of ['missing.json', 'folder']) {
      const { exit, value } = await place.json(['verify', file])
      expect(exit).toBe(4)
      expect(value).toMatchObject({ ok: false, error: { code: 'NotFound' } })
    }
  })

  it('exits with 3 for a signer that is known but not trusted', async () => {
    mkdirSync(nobody.at('keys'), { recursive: true })
    const { stdout: pem } = await place.sx(['agent', 'export', '--public-key'])
    writeFileSync(nobody.at('keys', `${agentId}.public.pem`), pem)
    const args = ['verify', '--key-directory', 'keys']
    const { exit, stdout } = await nobody.sx(args, { input: signed })
    expect(exit).toBe(3)
    expect(stdout).toMatch(/^VALID, but the signer is NOT TRUSTED\n/)
    const { value } = await nobody.json(args, { input: signed })
    expect(value).toMatchObject({ ok: false, valid: true, trusted: false, error: { code: 'UntrustedSigner' } })
    expect(await nobody.sx(args, { input: tampered() })).toMatchObject({ exit: 1 })
  })

  it('takes trust from a data directory', async () => {
    const args = ['verify', '--data-directory', place.at('sx_data'), '--key-directory', place.at('sx_keys')]
    expect(await nobody.json(args, { input: signed })).toMatchObject({ exit: 3, value: { valid: true } })
  })

  it('refuses folders that are not there, and folders beside --config', async () => {
    for (const args of [
      ['--key-directory', 'nowhere'],
      ['--data-directory', 'signed.json'],
      ['--key-directory', 'sx_keys', '--config', 'sx.config.json'],
    ]) {
      const { exit, value } = await place.json(['verify', 'signed.json', ...args])
      expect(exit).toBe(2)
      expect(value.error?.code).toBe('InvalidOption')
    }
  })

  it('writes the content to a file only if it is valid and trusted', async () => {
    expect((await place.sx(['verify', 'signed.json', '-o', 'content.json'])).exit).toBe(0)
    expect(JSON.parse(readFileSync(place.at('content.json'), 'utf8'))).toEqual(JSON.parse(invoice))
    expect((await place.sx(['verify', '-', '-o', 'bad.json'], { input: tampered() })).exit).toBe(1)
    expect(() => readFileSync(place.at('bad.json'))).toThrow('ENOENT')
    expect((await place.sx(['verify', 'signed.json', '-o', 'content.json'])).exit).toBe(2)
  })

  it('writes the content alone to standard output for -o -, and the verdict to stderr', async () => {
    const args = ['verify', '-', '-o', '-']
    const good = await place.sx(args, { input: signed })
    expect(good.exit).toBe(0)
    expect(JSON.parse(good.stdout)).toEqual(JSON.parse(invoice))
    expect(good.stderr).toMatch(/^VALID, signed by a trusted agent\n/)
    const quiet = await place.sx([...args, '--quiet'], { input: signed })
    expect(quiet.stdout).toBe(good.stdout)
    expect(quiet.stderr).toBe(brief())
  })

  it('writes nothing to standard output for -o - unless it is valid and trusted', async () => {
    mkdirSync(nobody.at('known'), { recursive: true })
    writeFileSync(nobody.at('known', `${agentId}.public.pem`), await place.done(['agent', 'export', '--public-key']))
    const args = ['verify', '-o', '-', '--key-directory', 'known']
    for (const [input, status, verdict] of [
      [tampered(), 1, 'NOT VALID'],
      [signed, 3, 'VALID, but the signer is NOT TRUSTED'],
      [signed.replaceAll(agentId, '6fa459ea-ee8a-4ca4-894e-db77e160355e'), 4, 'COULD NOT BE CHECKED'],
    ] as const) {
      const { exit, stdout, stderr } = await nobody.sx(args, { input })
      expect({ exit, stdout, verdict: stderr.split('\n')[0] }).toEqual({ exit: status, stdout: '', verdict })
    }
  })

  it.runIf(process.platform === 'linux')('reads nothing from a terminal with --no-input', async () => {
    const { exit, stdout } = await nobody.terminal(['verify', '--no-input'], '')
    expect(exit).toBe(2)
    expect(stdout).toContain('There is no input. With --no-input, pass a file.')
  })
})

describe('inspect', () => {
  it('shows a document and says first that nothing is verified', async () => {
    const { exit, stdout } = await nobody.sx(['inspect'], { input: tampered() })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^NOT VERIFIED: /)
    expect(stdout).toContain(`claimed signer  ${agentId}`)
    expect(stdout).toContain('"amount": 15')
    const { value } = await nobody.json(['inspect'], { input: signed })
    expect(value).toEqual({ ok: true, verified: false, document: JSON.parse(signed) })
  })

  it.each([
    ['{"a":1,"a":2}', 'DuplicateKey', 1],
    ['{"a":9007199254740993}', 'LossyNumber', 1],
    ['"\\ud800"', 'NotJson', 1],
    ['\ufeff{}', 'NotJson', 1],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'LimitExceeded', 4],
  ])('reads as strictly as the core: %.30s', async (input, code, status) => {
    const { exit, value } = await nobody.json(['inspect'], { input })
    expect({ exit, code: value.error?.code }).toEqual({ exit: status, code })
  })

  it('shows what is nested as deeply as the core reads', async () => {
    const input = `${'['.repeat(128)}${']'.repeat(128)}`
    expect(await nobody.json(['inspect'], { input })).toMatchObject({ exit: 0, value: { document: JSON.parse(input) } })
    expect((await nobody.sx(['inspect'], { input })).exit).toBe(0)
  })

  it('shows any JSON, and only JSON', async () => {
    for (const input of ['null', '[1]', '{"sxSignature":7,"sxId":{}}', '{"__proto__":{"sxId":"x"}}']) {
      const { exit, stdout } = await nobody.sx(['inspect'], { input })
      expect(exit).toBe(0)
      expect(stdout).toContain('signature  none')
    }
    expect(await nobody.json(['inspect'], { input: 'no' })).toMatchObject({
      exit: 1,
      value: { ok: false, error: { code: 'NotJson' } },
    })
  })
})
