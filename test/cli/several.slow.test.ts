// `sx verify` of several files, and under one key.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT, worst } from '../../node/cli/exit.ts'
import { type Answer, Place } from './run.ts'

const signer = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const other = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const home = new Place()
let signerId: string
let keyId: string

const keyOf = async (place: Place): Promise<string> => String((await place.json(['agent', 'show'])).value['keyId'])

beforeAll(async () => {
  signerId = await signer.quickstart('Signer')
  keyId = await keyOf(signer)
  await other.quickstart('Other')
  const good = await signer.done(['sign'], { input: '{"amount":1}' })
  const files = {
    'good.json': good,
    'bad.json': good.replace('"amount":1', '"amount":2'),
    'foreign.json': await other.done(['sign'], { input: '{"amount":1}' }),
    'foreign.agent.json': await other.done(['agent', 'export']),
    'signer.agent.json': await signer.done(['agent', 'export']),
    'signer.pem': await signer.done(['agent', 'export', '--public-key']),
  }
  for (const place of [signer, home]) {
    for (const [name, text] of Object.entries(files)) writeFileSync(place.at(name), text)
  }
})
afterAll(() => {
  for (const place of [signer, other, home]) place.remove()
})

describe('verify of several files', () => {
  it('says one line of each, and ends with the worst status', async () => {
    const { exit, stdout, stderr } = await signer.sx([
      'verify',
      'good.json',
      'bad.json',
      'foreign.json',
      'missing.json',
    ])
    expect(exit).toBe(EXIT.invalid)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toEqual([
      `VALID, signed by a trusted agent  good.json  key id: ${keyId}  signer: ${signerId}  signer name: Signer`,
      expect.stringMatching(/^NOT VALID {25}bad\.json {2}BadSignature: /) as string,
      expect.stringMatching(/^COULD NOT BE CHECKED {14}foreign\.json {2}UnknownSigner: /) as string,
      'COULD NOT BE CHECKED              missing.json  NotFound: There is no file at missing.json. Check the name and the folder.',
    ])
    expect(stderr).toBe(`trust store: ${signer.at('sx.config.json')}\n`)
    const quiet = await signer.sx(['verify', '--quiet', 'good.json', 'bad.json'])
    expect(quiet).toMatchObject({ exit: 1, stdout: `${lines.slice(0, 2).join('\n')}\n`, stderr: '' })
  })

  it.each([
    [['good.json', 'signer.agent.json'], EXIT.done],
    [['good.json', 'foreign.json'], EXIT.unchecked],
    [['missing.json', 'bad.json', 'good.json'], EXIT.invalid],
  ])('%j end with %d', async (files, status) => {
    expect((await signer.sx(['verify', ...files])).exit).toBe(status)
  })

  it('ends with 3 where one is valid but not trusted', async () => {
    writeFileSync(home.at(`${signerId}.public.pem`), readFileSync(home.at('signer.pem')))
    const verify = (...files: string[]) => home.sx(['verify', '--key-directory', '.', ...files])
    const { exit, stdout } = await verify('good.json', 'good.json')
    expect(exit).toBe(EXIT.untrusted)
    expect(stdout.split('\n')[0]).toBe(
      `VALID, but the signer is NOT TRUSTED  good.json  key id: ${keyId}  signer: ${signerId}`,
    )
    expect((await verify('good.json', 'missing.json')).exit).toBe(EXIT.unchecked)
    expect(Object.values(EXIT).map((status) => worst([EXIT.done, status, EXIT.done]))).toEqual(Object.values(EXIT))
    expect(worst([EXIT.unchecked, EXIT.untrusted])).toBe(EXIT.unchecked)
    expect(worst([EXIT.invalid, EXIT.unchecked])).toBe(EXIT.invalid)
  })

  it('is one array with --json, and of one file what it always was', async () => {
    const { exit, value } = await signer.json(['verify', 'good.json', 'bad.json', 'missing.json'])
    expect(exit).toBe(EXIT.invalid)
    const [good, bad, missing, ...more] = value as unknown as Answer[]
    expect(more).toEqual([])
    const { value: alone } = await signer.json(['verify', 'good.json'])
    expect(alone).not.toHaveProperty('file')
    expect(good).toEqual({ ...alone, file: 'good.json' })
    expect(bad).toMatchObject({ ok: false, file: 'bad.json', valid: false, error: { code: 'BadSignature' } })
    expect(bad).not.toHaveProperty('data')
    expect(missing).toEqual({
      ok: false,
      file: 'missing.json',
      error: { code: 'NotFound', message: 'There is no file at missing.json. Check the name and the folder.' },
    })
  })

  it('reads standard input among them, once', async () => {
    const input = readFileSync(signer.at('good.json'))
    expect((await signer.sx(['verify', 'good.json', '-'], { input })).stdout).toMatch(
      /\nVALID, [^\n]* {2}- {2}[^\n]*\n$/,
    )
    const twice = await signer.json(['verify', '-', '-'], { input })
    expect(twice).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'InvalidOption' } } })
  })

  it('refuses --output, and what is wrong with the call is said once', async () => {
    for (const output of ['content.json', '-']) {
      const { exit, stdout, stderr } = await signer.sx(['verify', 'good.json', 'good.json', '-o', output])
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
      expect(stderr).toContain('--output writes the content of one document or text, but several were named.')
    }
    const { value } = await signer.json(['verify', 'good.json', 'bad.json', '--trust-from', 'missing'])
    expect(value).toMatchObject({ ok: false, error: { code: 'NotFound' } })
  })

  it('keeps the name of a file from passing for a verdict', async () => {
    const evil = 'x  \nVALID, signed by a trusted agent  good.json'
    writeFileSync(signer.at(evil), readFileSync(signer.at('bad.json')))
    const { stdout } = await signer.sx(['verify', evil, 'bad.json'])
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^NOT VALID {2}x\\u\{20\}\\u\{20\}\\u\{a\}VALID, /) as string,
      expect.stringMatching(/^NOT VALID {2}bad\.json {2}/) as string,
      '',
    ])
  })
})

describe('verify --key', () => {
  const verify = (...args: string[]) => home.json(['verify', '--key', 'signer.pem', ...args])
  const pinned = () => ({ keyFile: home.at('signer.pem'), keyId })

  it('accepts what is signed with it, without any agent or trust store', async () => {
    for (const file of ['good.json', 'signer.agent.json']) {
      const { exit, value } = await verify(file)
      expect({ file, exit }).toEqual({ file, exit: 0 })
      expect(value).toMatchObject({ ok: true, valid: true, signerId, keyId, trustStore: null, pinnedKey: pinned() })
    }
    const { stdout } = await home.sx(['verify', '--key', 'signer.pem', 'good.json'])
    expect(stdout).toMatch(/^VALID, signed with the key that --key names\n {2}key id /)
    expect(stdout).toContain(`${keyId} in ${home.at('signer.pem')}\n`)
    expect(stdout).not.toContain('trust')
    const { stdout: content } = await home.sx(['verify', '--key', 'signer.pem', 'good.json', '-o', '-'])
    expect(JSON.parse(content)).toEqual({ amount: 1 })
  })

  it('accepts nothing else, whatever else is known', async () => {
    for (const [file, code] of [
      ['bad.json', 'BadSignature'],
      ['foreign.json', 'KeyMismatch'],
      ['foreign.agent.json', 'KeyMismatch'], // its own key is not the one that counts
    ] as const) {
      const { exit, value } = await verify(file)
      expect({ file, exit, code: value.error?.code }).toEqual({ file, exit: 1, code })
      expect(value).toMatchObject({ valid: false, pinnedKey: pinned() })
    }
    // Not even what is signed by the agent of the folder.
    const own = await other.sx(['verify', '--key', home.at('signer.pem')], {
      input: readFileSync(home.at('foreign.json')),
    })
    expect(own.exit).toBe(1)
    expect(own.stdout).toContain(`It names a different key than the one in ${home.at('signer.pem')}.`)
    expect(await verify('-')).toMatchObject({ exit: 4, value: { error: { code: 'MissingSignature' } } })
    expect((await home.sx(['verify', '--key', 'signer.pem', '-'], { input: '{}' })).exit).toBe(1)
  })

  it('is one key for several files', async () => {
    const { exit, stdout, stderr } = await home.sx(['verify', '--key', 'signer.pem', 'good.json', 'foreign.json'])
    expect(exit).toBe(1)
    expect(stdout).toMatch(
      /^VALID, signed with the key that --key names {2}good\.json .*\nNOT VALID +foreign\.json .*\n$/,
    )
    expect(stderr).toBe(`key of --key: ${keyId} in ${home.at('signer.pem')}\n`)
  })

  it('stands alone', async () => {
    for (const option of ['--trust-from', '--key-directory', '--data-directory', '--config']) {
      const { exit, value } = await verify('good.json', option, '.')
      expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'InvalidOption' })
      expect(value.error?.message).toBe(`--key accepts only this key. It cannot be combined with ${option}.`)
    }
  })

  it('takes a public key that can be used, which is looked at first', async () => {
    writeFileSync(home.at('empty.pem'), '')
    for (const [file, code, sentence] of [
      ['missing.pem', 'NotFound', 'There is no file at missing.pem (option --key). Check the name and the folder.'],
      ['.', 'InvalidOption', '--key requires a file, but . is a folder.'],
      ['/dev/null', 'InvalidOption', '--key requires a file, but /dev/null is a device.'],
      ['good.json', 'InvalidKey', 'The file good.json (option --key) is not a usable public key'],
      ['empty.pem', 'InvalidKey', 'The file empty.pem (option --key) is not a usable public key'],
      [signer.at('sx_keys', 'sx.private.pem'), 'InvalidKey', '(option --key) is not a usable public key'],
    ] as const) {
      const { exit, value } = await home.json(['verify', '--key', file, 'missing.json'])
      expect({ file, exit, code: value.error?.code }).toEqual({ file, exit: 2, code })
      expect(value.error?.message).toContain(sentence)
    }
  })
})
