// Where the password of the private key comes from (protocol, section 13).
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { agentIn, configIn, newFolder, refusal, treeOf } from './fixtures.ts'
import { callElsewhere } from './processes.ts'

const VARIABLE = 'SX_PRIVATE_KEY_PASSWORD'
const SAVING = 'SX_SAVE_PASSWORD_FILE'

beforeEach(() => {
  vi.stubEnv(VARIABLE, undefined)
  vi.stubEnv(SAVING, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Options without any password and without an environment of their own. */
function options(folder: string, more: Partial<sx.QuickstartOptions> = {}): sx.QuickstartOptions {
  return { name: 'Billing', domain: 'example.com', algorithm: 'ed25519', configPath: configIn(folder), ...more }
}

const savedIn = (folder: string): string => join(folder, 'sx_keys', '.sx_password')

/** Writes a password into the configuration, as a user would. */
function configure(folder: string, password: string): void {
  const config = JSON.parse(readFileSync(configIn(folder), 'utf8'))
  writeFileSync(configIn(folder), JSON.stringify({ ...config, sxPrivateKeyPassword: password }))
}

describe('a new key', () => {
  it('takes a password of 65,536 bytes in UTF-8, and none of more', async () => {
    for (const longest of ['x'.repeat(65_536), 'é'.repeat(32_768)]) {
      const folder = newFolder()
      await refusal(() => sx.create(options(folder, { password: `${longest}y` })), 'InvalidOption')
      expect(existsSync(configIn(folder))).toBe(false)
      await sx.create(options(folder, { password: longest }))
      expect((await sx.load(configIn(folder), { password: longest })).name).toBe('Billing')
    }
  })

  it('takes the argument first, and writes it nowhere', async () => {
    const folder = newFolder()
    vi.stubEnv(VARIABLE, 'from the environment')
    vi.stubEnv(SAVING, 'true')
    const info = await sx.create(options(folder, { password: 'from the argument' }))
    expect(info).not.toHaveProperty('generatedPassword')
    expect(info).not.toHaveProperty('notice')
    expect(existsSync(savedIn(folder))).toBe(false)
    await refusal(() => sx.load(configIn(folder)), 'WrongPassword')
    expect((await sx.load(options(folder, { password: 'from the argument' }))).agentId).toBe(info.agentId)
  })

  it('takes the environment next', async () => {
    const folder = newFolder()
    vi.stubEnv(VARIABLE, 'from the environment')
    vi.stubEnv(SAVING, 'true')
    const { agentId } = await sx.quickstart(options(folder))
    expect(existsSync(savedIn(folder))).toBe(false)
    vi.stubEnv(VARIABLE, undefined)
    expect((await sx.load(options(folder, { password: 'from the environment' }))).agentId).toBe(agentId)
  })

  it('takes variables that are passed in instead of those of the process', async () => {
    const folder = newFolder()
    vi.stubEnv(VARIABLE, 'of the process')
    const { agentId } = await sx.create(options(folder, { env: { [VARIABLE]: 'passed in' } }))
    await refusal(() => sx.load(configIn(folder)), 'WrongPassword')
    expect((await sx.load(configIn(folder), { env: { [VARIABLE]: 'passed in' } })).agentId).toBe(agentId)
  })

  it('gets a generated one, returned once with a notice, where there is no source', async () => {
    const folder = newFolder()
    const info = await sx.quickstart(options(folder))
    const { generatedPassword = '', notice = '' } = info
    expect(generatedPassword).toMatch(/^[\w-]{32}$/)
    expect(notice).toMatch(/password.*lost/)
    expect(notice).not.toContain(generatedPassword)
    expect(existsSync(savedIn(folder))).toBe(false)
    for (const path of Object.keys(treeOf(folder)).map((path) => join(folder, path))) {
      if (statSync(path).isFile()) expect(readFileSync(path, 'utf8')).not.toContain(generatedPassword)
    }
    expect(sx.getAgentInfo()).not.toHaveProperty('generatedPassword')

    const { message } = await refusal(() => sx.quickstart(options(folder)), 'PasswordRequired')
    expect(message).toContain(VARIABLE)
    const again = await sx.quickstart(options(folder, { password: generatedPassword }))
    expect(again).toMatchObject({ agentId: info.agentId, created: false })
    expect(again).not.toHaveProperty('generatedPassword')

    const other = sx.quickstartSync(options(newFolder()))
    expect(other.generatedPassword).not.toBe(generatedPassword)
  })

  for (const [value, saves] of [
    ['true', true],
    ['false', false],
  ] as const) {
    it(`${saves ? 'saves' : 'does not save'} it with ${SAVING}=${value}`, async () => {
      const folder = newFolder()
      vi.stubEnv(SAVING, value)
      const info = await sx.quickstart(options(folder))
      expect(existsSync(savedIn(folder))).toBe(saves)
      expect('generatedPassword' in info).toBe(!saves)
      if (!saves) return
      expect(statSync(savedIn(folder)).mode & 0o777).toBe(0o600)
      expect(readFileSync(savedIn(folder), 'utf8')).toMatch(/^[\w-]{32}$/)
      vi.stubEnv(SAVING, undefined)
      // The second day: no argument, no variable.
      expect(await sx.quickstart(options(folder))).toMatchObject({ agentId: info.agentId, created: false })
      const [again] = await callElsewhere([['quickstart', options(folder)]])
      expect(again?.value).toMatchObject({ agentId: info.agentId, created: false })
    })
  }

  for (const value of ['1', 'TRUE', 'yes', ' true', './sx_keys/.sx_password']) {
    it(`is not generated with ${SAVING}=${value}, which may mean that it is to be saved`, async () => {
      const folder = newFolder()
      vi.stubEnv(SAVING, value)
      for (const make of [sx.quickstart, sx.create, sx.quickstartSync, sx.createSync]) {
        const { message } = await refusal(() => make(options(folder)), 'InvalidOption')
        expect(message).toContain(`${SAVING} is neither 'true' nor 'false'`)
      }
      expect(treeOf(folder)).toEqual({})
      expect((await sx.quickstart(options(folder, { password: 'a password' }))).created).toBe(true)
    })
  }

  it('is not made where a variable is set and empty, as a secret that is missing in CI', async () => {
    for (const name of [VARIABLE, SAVING]) {
      const folder = newFolder()
      vi.stubEnv(VARIABLE, undefined)
      vi.stubEnv(SAVING, undefined)
      const refuse = async (more: Partial<sx.QuickstartOptions> = {}): Promise<void> => {
        for (const make of [sx.quickstart, sx.create, sx.quickstartSync, sx.createSync]) {
          const { found } = await refusal(() => make(options(folder, more)), 'InvalidOption')
          expect(found).toBe(`The environment variable ${name} is empty. Give it a value, or unset it.`)
        }
      }
      await refuse({ env: { [name]: '' } })
      vi.stubEnv(name, '')
      await refuse()
      expect(treeOf(folder)).toEqual({})
      expect((await sx.quickstart(options(folder, { password: 'a password' }))).created).toBe(true)
    }
  })

  it('uses a password that is saved already', async () => {
    const folder = newFolder()
    vi.stubEnv(SAVING, 'true')
    await sx.quickstart(options(folder))
    const saved = readFileSync(savedIn(folder), 'utf8')
    rmSync(configIn(folder))
    for (const file of ['sx.private.pem', 'sx.public.pem']) rmSync(join(folder, 'sx_keys', file))
    vi.stubEnv(SAVING, undefined)
    const info = await sx.quickstart(options(folder))
    expect(info).toMatchObject({ created: true })
    expect(info).not.toHaveProperty('generatedPassword')
    expect(readFileSync(savedIn(folder), 'utf8')).toBe(saved)
  })

  it('is not made with an empty password', async () => {
    const folder = newFolder()
    await refusal(() => sx.create(options(folder, { password: '' })), 'PasswordRequired')
    await refusal(() => sx.quickstart(options(folder, { password: '' })), 'PasswordRequired')
    expect(treeOf(folder)).toEqual({})
  })
})

describe('an existing key', () => {
  const SOURCES = ['argument', 'environment', 'configuration', 'saved file'] as const

  it('opens with the first source that is there, and no later one is tried', async () => {
    const folder = newFolder()
    const { agentId } = await sx.create(agentIn(folder, { password: 'the right one' }))
    // Each source in turn holds the right password, all after it a wrong one, none before it any.
    for (const right of SOURCES.keys()) {
      const value = (source: number): string | undefined =>
        source < right ? undefined : source === right ? 'the right one' : 'a wrong one'
      const set = (values: (string | undefined)[]): sx.LoadOptions => {
        const [password, environment, configuration, saved] = values
        vi.stubEnv(VARIABLE, environment)
        configure(folder, configuration ?? '')
        rmSync(savedIn(folder), { force: true })
        if (saved !== undefined) writeFileSync(savedIn(folder), saved)
        return { configPath: configIn(folder), ...(password !== undefined && { password }) }
      }
      const values = SOURCES.map((_, source) => value(source))
      expect((await sx.load(set(values))).agentId, SOURCES[right]).toBe(agentId)
      expect(sx.loadSync(set(values)).agentId, SOURCES[right]).toBe(agentId)
      const reversed = values.map((given) => given && (given === 'a wrong one' ? 'the right one' : 'a wrong one'))
      await refusal(() => sx.load(set(reversed)), 'WrongPassword', 'the right one', 'a wrong one')
    }
  })

  it('does not open with another source where the variable is set and empty', async () => {
    const folder = newFolder()
    vi.stubEnv(SAVING, 'true')
    const { agentId } = await sx.quickstart(options(folder))
    vi.stubEnv(VARIABLE, '')
    for (const load of [sx.load, sx.loadSync]) await refusal(() => load(configIn(folder)), 'InvalidOption')
    await refusal(() => new SxAgent().load(configIn(folder)), 'InvalidOption')
    expect((await sx.load(configIn(folder), { verifyOnly: true })).agentId).toBe(agentId)
  })

  it('opens on the class from each source', async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder, { password: 'the right one' }))
    await refusal(() => new SxAgent().load(configIn(folder)), 'PasswordRequired')
    vi.stubEnv(VARIABLE, 'the right one')
    expect(JSON.parse(await new SxAgent().load(configIn(folder))).name).toBe('Billing')
    await refusal(() => new SxAgent({ env: {} }).load(configIn(folder)), 'PasswordRequired')
    vi.stubEnv(VARIABLE, 'a wrong one')
    expect(() => new SxAgent({ password: 'the right one' }).loadSync(configIn(folder))).not.toThrow()
  })

  it('takes a saved password with the line end that an editor adds', async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder, { password: 'the right one' }))
    for (const end of ['\n', '\r\n']) {
      writeFileSync(savedIn(folder), `the right one${end}`)
      expect((await sx.load(configIn(folder))).name).toBe('Billing')
    }
    writeFileSync(savedIn(folder), 'the right one ')
    await refusal(() => sx.load(configIn(folder)), 'WrongPassword')
  })

  it('takes any text as password, byte for byte', async () => {
    const folder = newFolder()
    let password = 'pässwörd 世界 \u{1F511}'
    const { agentId } = await sx.create(agentIn(folder, { password }))
    for (const next of [' ', 'e\u0301', 'x'.repeat(1000), '\0']) {
      await sx.reencryptKey(password, next)
      password = next
      expect((await sx.load(agentIn(folder, { password }))).agentId).toBe(agentId)
    }
    await sx.reencryptKey(password, 'e\u0301')
    await refusal(() => sx.load(agentIn(folder, { password: 'é' })), 'WrongPassword')
  })

  it('is not opened with half a surrogate pair, which would pass for another character', async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder, { password: '\uFFFD' }))
    await refusal(
      () => sx.load(agentIn(folder, { password: '\uD800' })),
      ['InvalidOption', 'NotJson', 'PasswordRequired'],
    )
    const next = newFolder()
    await refusal(
      () => sx.create(agentIn(next, { password: '\uD800' })),
      ['InvalidOption', 'NotJson', 'PasswordRequired'],
    )
    expect(treeOf(next)).toEqual({})
  })

  it('is not opened with an empty saved password', async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder))
    writeFileSync(savedIn(folder), '')
    await refusal(() => sx.load(configIn(folder)), ['PasswordRequired', 'WrongPassword'])
  })
})
