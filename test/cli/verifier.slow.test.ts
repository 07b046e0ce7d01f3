// Commands that only look need no private key, and `verify` says whose trust store it looked at.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Place } from './run.ts'

const home = new Place()
const signer = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const own = { SX_PRIVATE_KEY_PASSWORD: 'correct horse' }
let homeId: string
let signerId: string
let signerKey: string
let signerDocument: string
let signed: string

const made = async (place: Place, name: string): Promise<string> => {
  const line = ['--json', 'quickstart', '--name', name, '--domain', 'example.com', '--algorithm', 'ed25519']
  return (JSON.parse(await place.done(line, { env: own })) as { agentId: string }).agentId
}

beforeAll(async () => {
  homeId = await made(home, 'Home')
  signerId = await made(signer, 'Signer')
  signerKey = String((await signer.json(['agent', 'show'])).value['keyId'])
  signerDocument = await signer.done(['agent', 'export'])
  signed = await signer.done(['sign'], { input: '{"amount":1}' })
  writeFileSync(home.at('signed.json'), signed)
  writeFileSync(home.at('signer.json'), signerDocument)
})
afterAll(() => {
  home.remove()
  signer.remove()
})

describe('without a password, or any private key', () => {
  const key = (): string => home.at('sx_keys', 'sx.private.pem')
  // In this order: each finds what the one before has left.
  const commands = [
    ['inspect', 'signed.json'],
    ['agent', 'show'],
    ['agent', 'export'],
    ['agent', 'export', '--public-key'],
    ['trust', 'add', 'signer.json'],
    ['verify', 'signed.json'],
    ['verify', 'signed.json', '--config', 'sx.config.json'],
    ['verify', 'signed.json', '--trust-from', '.'],
    ['trust', 'list'],
    ['trust', 'remove'],
  ]
  const statuses = async (env: Record<string, string | undefined> = {}): Promise<string[]> => {
    const found: string[] = []
    for (const command of commands) {
      const line = command[1] === 'remove' ? [...command, signerId] : command
      const { exit, stderr } = await home.sx(line, { env })
      found.push(exit === 0 ? command.join(' ') : stderr)
    }
    return found
  }
  const good = commands.map((command) => command.join(' '))

  it('all but sign, quickstart and reencrypt-key work', async () => {
    expect(await statuses()).toEqual(good)
    for (const line of [
      ['sign', 'signed.json'],
      ['quickstart', '--name', 'Home', '--domain', 'example.com'],
      ['agent', 'reencrypt-key'],
    ]) {
      expect(await home.json(line)).toMatchObject({ exit: 2, value: { error: { code: 'PasswordRequired' } } })
    }
  })

  it('and do not look for either', async () => {
    const pem = readFileSync(key())
    writeFileSync(home.at('sx_keys', '.sx_password'), '')
    writeFileSync(key(), 'damaged')
    expect(await statuses({ SX_PASSWORD_FILE: 'missing', SX_PRIVATE_KEY_PASSWORD: undefined })).toEqual(good)
    rmSync(key())
    expect(await statuses({ SX_PRIVATE_KEY_PASSWORD: 'wrong' })).toEqual(good)
    writeFileSync(key(), pem, { mode: 0o600 })
    rmSync(home.at('sx_keys', '.sx_password'))
  })

  it.runIf(process.platform === 'linux')('and ask nobody', async () => {
    for (const line of [
      ['verify', 'signed.json'],
      ['trust', 'list'],
      ['agent', 'show'],
    ]) {
      const { exit, stdout } = await home.terminal(line, [])
      expect(stdout).not.toContain('assword')
      expect(exit).toBe(line[0] === 'verify' ? 4 : 0)
    }
  })
})

describe('verify says whose trust store it looked at', () => {
  const store = () => ({
    agentId: homeId,
    name: 'Home',
    configPath: home.at('sx.config.json'),
    keyDirectory: home.at('sx_keys'),
    dataDirectory: home.at('sx_data'),
  })
  const rows = (): string =>
    [
      `  trust store +${home.at('sx_data')}`,
      `  agent +${homeId}`,
      '  agent name +Home',
      `  configuration +${home.at('sx.config.json')}`,
      '',
    ].join('\n')

  it('and where, also if nothing was found there', async () => {
    const unknown = await home.sx(['verify', 'signed.json'])
    expect(unknown.exit).toBe(4)
    expect(unknown.stdout).toMatch(new RegExp(rows()))
    expect((await home.json(['verify', 'signed.json'])).value['trustStore']).toEqual(store())
    const invalid = await home.json(['verify'], { input: '{}' })
    expect(invalid).toMatchObject({ exit: 1, value: { valid: false, trustStore: store() } })
    await home.done(['trust', 'add', 'signer.json'])
    const trusted = await home.sx(['verify', 'signed.json'])
    expect(trusted.exit).toBe(0)
    expect(trusted.stdout).toMatch(new RegExp(rows()))
    expect(await home.json(['verify', 'signed.json'])).toMatchObject({
      exit: 0,
      value: { signerName: 'Signer', trustStore: store() },
    })
    await home.done(['trust', 'remove', signerId])
  })

  it('so a folder that came with a download cannot pass for one of one’s own', async () => {
    const download = new Place()
    const theirs = await made(download, 'Home')
    await download.done(['trust', 'add'], { input: signerDocument })
    writeFileSync(download.at('signed.json'), signed)
    const { exit, value } = await download.json(['verify', 'signed.json'])
    expect(exit).toBe(0)
    expect(value['trustStore']).toMatchObject({ agentId: theirs, dataDirectory: download.at('sx_data') })
    for (const line of [
      ['verify', 'signed.json'],
      ['verify', 'signed.json', '--quiet'],
    ]) {
      expect((await download.sx(line)).stdout).toContain(download.at('sx.config.json'))
    }
    const named = await download.json(['verify', 'signed.json', '--trust-from', home.path])
    expect(named).toMatchObject({ exit: 4, value: { error: { code: 'UnknownSigner' }, trustStore: store() } })
    await home.done(['trust', 'add', 'signer.json'])
    expect((await download.json(['verify', 'signed.json', '--trust-from', home.path])).exit).toBe(0)
    await home.done(['trust', 'remove', signerId])
    download.remove()
  })

  it('by its configuration first, which can name any folders as its own', async () => {
    const download = new Place()
    const config = JSON.parse(readFileSync(home.at('sx.config.json'), 'utf8')) as object
    const folders = { sxDataDirectory: home.at('sx_data'), sxKeyDirectory: home.at('sx_keys') }
    writeFileSync(download.at('sx.config.json'), JSON.stringify({ ...config, ...folders }))
    const document = await home.done(['agent', 'export'])
    const { stdout } = await download.sx(['verify', '--quiet'], { input: document })
    expect(stdout).toContain(`; trust store: ${download.at('sx.config.json')}; `)
    download.remove()
  })

  it('where keys come from folders, which of them are there', async () => {
    const nobody = new Place()
    const look = async (args: string[]) => {
      const { stdout } = await nobody.sx(['verify', '-', ...args], { input: signed })
      const { value } = await nobody.json(['verify', '-', ...args], { input: signed })
      return { stdout, store: value['trustStore'] }
    }
    const [keys, data] = [nobody.at('sx_keys'), nobody.at('sx_data')]
    const neither = await look([])
    expect(neither.store).toEqual({ keyDirectory: keys, dataDirectory: data })
    expect(neither.stdout).toContain(`trust store     none; there is no folder at ${data}\n`)
    expect(neither.stdout).toContain(`key directory   none; there is no folder at ${keys}\n`)
    mkdirSync(keys)
    cpSync(home.at('sx_data'), data, { recursive: true })
    expect((await look([])).stdout).toMatch(new RegExp(`  trust store +${data}\n  key directory +${keys}\n`))
    const one = await look(['--key-directory', 'sx_keys'])
    expect(one.store).toEqual({ keyDirectory: keys, dataDirectory: null })
    expect(one.stdout).toContain('none; pass one with --data-directory\n')
    const other = await look(['--data-directory', 'sx_data'])
    expect(other.store).toEqual({ keyDirectory: null, dataDirectory: data })
    expect(other.stdout).toContain('none; pass one with --key-directory\n')
    nobody.remove()
  })

  it('which --trust-from names alone', async () => {
    const elsewhere = new Place()
    const verify = (...args: string[]) => elsewhere.json(['verify', ...args], { input: signed })
    mkdirSync(elsewhere.at('empty'))
    for (const folder of ['empty', 'missing']) {
      const { exit, value } = await verify('--trust-from', folder)
      expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'NotFound' })
      expect(value.error?.message).toContain(`There is no configuration at ${folder}/sx.config.json.`)
    }
    for (const more of [
      ['--config', home.at('sx.config.json')],
      ['--key-directory', 'empty'],
      ['--data-directory', 'empty'],
    ]) {
      const { exit, value } = await verify('--trust-from', home.path, ...more)
      expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'InvalidOption' })
    }
    // An empty variable of a script must not mean the folder that one happens to be in.
    writeFileSync(elsewhere.at('sx.config.json'), readFileSync(home.at('sx.config.json')))
    renameSync(elsewhere.at('empty'), elsewhere.at('sx_data'))
    expect(await verify('--trust-from', '')).toMatchObject({ exit: 2, value: { error: { code: 'InvalidOption' } } })
    elsewhere.remove()
  })
})

describe('a trust store that is damaged', () => {
  beforeAll(() => home.done(['trust', 'add', 'signer.json']))

  it('is named by the agent, which can be removed, and does not matter for others', async () => {
    const other = new Place()
    const otherId = await made(other, 'Other')
    const entry = (id: string): string => home.at('sx_data', 'trust', `${id}.1.json`)
    const document = await other.done(['agent', 'export'])
    await home.done(['trust', 'add'], { input: document })
    for (const content of [document.replace('"Other"', '"Othor"'), signerDocument, 'no', '{}', '']) {
      writeFileSync(entry(otherId), content)
      const { exit, value } = await home.json(['trust', 'list'])
      expect({ content, exit, code: value.error?.code }).toEqual({ content, exit: 4, code: 'CorruptStore' })
      expect(value).toMatchObject({
        ok: false,
        agents: [{ agentId: signerId, keyId: signerKey, name: 'Signer' }],
        unreadable: [{ agentId: otherId, code: 'CorruptStore' }],
      })
      expect((await home.sx(['verify', 'signed.json'])).exit).toBe(0)
    }
    await home.done(['trust', 'remove', otherId])
    expect((await home.json(['trust', 'list'])).value['agents']).toEqual([
      { agentId: signerId, keyId: signerKey, name: 'Signer' },
    ])
    other.remove()
  })

  it('has lost an entry: all others are listed first, and the claim of a document is shown', async () => {
    const other = new Place()
    const otherId = await made(other, 'Other')
    const input = await other.done(['agent', 'export'])
    const document = await other.done(['sign'], { input: '1', env: own })
    const { keyId } = (await other.json(['agent', 'show'])).value
    for (const args of [
      ['trust', 'add'],
      ['trust', 'remove', otherId],
      ['trust', 'add'],
    ]) {
      await home.done(args, { input })
    }
    rmSync(home.at('sx_data', 'trust', `${otherId}.3.json`))
    const advice = 'Restore it from a backup. To continue without it, run `sx trust remove`, then `sx trust add`\\.'
    for (const quiet of [[], ['--quiet']]) {
      const { exit, stdout, stderr } = await home.sx(['trust', 'list', ...quiet])
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: `${signerId}  Signer\n  key id: ${signerKey}\n` })
      expect(stderr).toMatch(new RegExp(`^sx: Rollback: .*\n  ${otherId}  Rollback: Entry 3 of .*${advice}\n`))
    }
    for (const args of [[], ['--data-directory', 'sx_data']]) {
      const { exit, stdout } = await home.sx(['verify', ...args], { input: document })
      expect(exit).toBe(4)
      expect(stdout).toMatch(new RegExp(`claimed signer +${otherId}\n +claimed key id +${String(keyId)}\n`))
      expect(stdout).toMatch(new RegExp(`reason +Rollback: .*${advice}\n`))
      const { value } = await home.json(['verify', ...args], { input: document })
      expect(value).toMatchObject({ code: 'Rollback', signerId: otherId, keyId })
    }
    other.remove()
  })
})
