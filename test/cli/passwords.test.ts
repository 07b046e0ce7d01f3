// Where the password comes from, who is asked for it, and what is said where it is missing.

import { createPrivateKey } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import * as core from '#core'
import { call } from '../../src/core.ts'
import { type Answer, type Place, placing } from './run.ts'

const place = placing()
const start = ['quickstart', '--name', 'Billing', '--domain', 'example.com', '--algorithm', 'ed25519']
const sign = ['sign', '--no-save', '--no-input']
const NEW = { SX_NEW_PASSWORD_FILE: 'new' }
const opens = (where: Place, passphrase: string): boolean => {
  const key = readFileSync(where.at('sx_keys', 'sx.private.pem'), 'utf8')
  try {
    return createPrivateKey({ key, passphrase }).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
const said = ({ exit, value }: { exit: number | null; value: Answer }): object => ({ exit, ...value.error })

describe('passwords', () => {
  const here = place()
  const signed = (env: Record<string, string>) => here.json(sign, { env, input: '1' })

  beforeAll(async () => {
    writeFileSync(here.at('right'), 'päss word \n')
    writeFileSync(here.at('wrong'), 'pass\n')
    writeFileSync(here.at('two lines'), 'päss word \n\n')
    writeFileSync(here.at('empty'), '\r\n')
    writeFileSync(here.at('bytes'), new Uint8Array([0xff]))
    writeFileSync(here.at('one.json'), '1')
    await here.done(start, { env: { SX_PASSWORD_FILE: 'right' } })
  })

  it('come from SX_PASSWORD_FILE without one line end, and only one', async () => {
    expect(opens(here, 'päss word ')).toBe(true)
    expect(await signed({ SX_PASSWORD_FILE: 'right' })).toMatchObject({ exit: 0, value: { ok: true } })
    expect(await signed({ SX_PASSWORD_FILE: 'two lines' })).toMatchObject({
      value: { error: { code: 'WrongPassword' } },
    })
  })

  it('come first from SX_PRIVATE_KEY_PASSWORD', async () => {
    expect((await signed({ SX_PRIVATE_KEY_PASSWORD: 'päss word ', SX_PASSWORD_FILE: 'wrong' })).exit).toBe(0)
    const wrong = await signed({ SX_PRIVATE_KEY_PASSWORD: 'no', SX_PASSWORD_FILE: 'right' })
    expect(wrong).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'WrongPassword' } } })
  })

  it.each([
    ['wrong', 'WrongPassword', 'The private key cannot be decrypted'],
    [
      'empty',
      'PasswordRequired',
      'The file empty (from SX_PASSWORD_FILE) is empty. Pass a file that contains the password.',
    ],
    ['bytes', 'InvalidOption', 'The file bytes (from SX_PASSWORD_FILE) is not UTF-8 text.'],
    [
      'missing',
      'NotFound',
      'There is no file at missing (from SX_PASSWORD_FILE). Pass a file that contains the password.',
    ],
  ])('that are %s end with 2, and the file is named', async (file, code, sentence) => {
    const { exit, value } = await signed({ SX_PASSWORD_FILE: file })
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code })
    expect(value.error?.message).toContain(sentence)
  })

  it.each(['SX_PRIVATE_KEY_PASSWORD', 'SX_PASSWORD_FILE'])('of %s, set and empty, end with 2', async (name) => {
    const { exit, value } = await signed({ SX_PASSWORD_FILE: 'right', [name]: '' })
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'InvalidOption' })
    expect(value.error?.message).toContain(`The environment variable ${name} is empty. Give it a value, or unset it.`)
  })

  it('that are nowhere end with 2', async () => {
    expect(await signed({})).toMatchObject({ exit: 2, value: { ok: false, error: { code: 'PasswordRequired' } } })
  })

  it.runIf(process.platform === 'linux')('are asked for on a terminal, without echo', async () => {
    const { exit, stdout } = await here.terminal(['sign', '--no-save', 'one.json'], 'päss word \r')
    expect(stdout).toContain('Password of the private key: ')
    expect(stdout).toContain('Billing')
    expect(stdout).not.toContain('päss')
    expect(exit).toBe(0)
  })

  it.runIf(process.platform === 'linux')('are not asked for with --no-input, and not taken empty', async () => {
    const refused = await here.terminal([...sign, 'one.json'], '')
    expect(refused.exit).toBe(2)
    expect(refused.stdout).not.toContain('Password of the private key: ')
    for (const typed of ['\r', '\u0004']) {
      const nothing = await here.terminal(['sign', '--no-save', 'one.json'], typed)
      expect(nothing.exit).toBe(2)
      expect(nothing.stdout).toContain('Nothing was entered.')
    }
  })

  it.runIf(process.platform === 'linux')('are not asked for where something else stands in the way', async () => {
    renameSync(here.at('sx_keys', 'sx.private.pem'), here.at('away.pem'))
    const { exit, stdout } = await here.terminal(['sign', '--no-save', 'one.json'], '')
    renameSync(here.at('away.pem'), here.at('sx_keys', 'sx.private.pem'))
    expect(exit).toBe(2)
    expect(stdout).toContain('There is no private key at')
    expect(stdout).not.toContain('Password of the private key: ')
  })
})

describe('a saved password', () => {
  const file = (where: Place): string => where.at('sx_keys', '.sx_password')

  it('that is empty or no text is named, with what helps', async () => {
    const here = place()
    await here.done(start, { env: { SX_SAVE_PASSWORD_FILE: 'true' } })
    const password = readFileSync(file(here), 'utf8')
    writeFileSync(here.at('given'), password)
    writeFileSync(here.at('new'), 'the new one')
    const empty = {
      exit: 2,
      code: 'PasswordRequired',
      message:
        `The password file ${file(here)} is empty. Write the password of the private key into it, ` +
        'or remove it and set SX_PRIVATE_KEY_PASSWORD or SX_PASSWORD_FILE.',
    }
    const known = { SX_PRIVATE_KEY_PASSWORD: password }
    for (const content of ['', '\r\n']) {
      writeFileSync(file(here), content)
      expect(said(await here.json(sign, { input: '1' }))).toEqual(empty)
    }
    expect(said(await here.json(start))).toEqual(empty)
    // The new one would have to be saved in place of the old one, and nobody knows whether this was it.
    expect(said(await here.json(['agent', 'reencrypt-key'], { env: { ...known, ...NEW } }))).toEqual(empty)
    for (const env of [known, { SX_PASSWORD_FILE: 'given' }]) {
      expect((await here.sx(sign, { env, input: '1' })).exit).toBe(0)
    }
    writeFileSync(file(here), new Uint8Array([0xff]))
    const damaged = await here.json(sign, { input: '1' })
    expect({ exit: damaged.exit, code: damaged.value.error?.code }).toEqual({ exit: 4, code: 'CorruptStore' })
    expect(damaged.value.error?.message).toContain(`The password file ${file(here)} is not UTF-8 text.`)
    rmSync(file(here))
    expect((await here.sx(['agent', 'reencrypt-key'], { env: { ...known, ...NEW } })).exit).toBe(0)
    expect(opens(here, 'the new one')).toBe(true)
  })

  it('that is empty keeps no agent from being created with another', async () => {
    const here = place()
    mkdirSync(here.at('sx_keys'))
    writeFileSync(file(here), '')
    const { exit, value } = await here.json(start, { env: { SX_SAVE_PASSWORD_FILE: 'true' } })
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'PasswordRequired' })
    expect(value.error?.message).toContain(file(here))
    expect((await here.sx(start, { env: { SX_PRIVATE_KEY_PASSWORD: 'correct horse' } })).exit).toBe(0)
    expect(opens(here, 'correct horse')).toBe(true)
  })

  it.each(['file', 'configuration'])('in the %s that a change has not reached any more still opens', async (where) => {
    const here = place()
    await here.done(start, { env: { SX_SAVE_PASSWORD_FILE: 'true' } })
    const old = readFileSync(file(here), 'utf8')
    if (where === 'configuration') {
      rmSync(file(here))
      const config = JSON.parse(readFileSync(here.at('sx.config.json'), 'utf8')) as object
      writeFileSync(here.at('sx.config.json'), JSON.stringify({ ...config, sxPrivateKeyPassword: old }))
    }
    const holder = where === 'file' ? file(here) : here.at('sx.config.json')
    writeFileSync(here.at('new'), 'the new one')
    const change = async (): Promise<void> => {
      const [key, copy] = [here.at('sx_keys', 'sx.private.pem'), holder].map((path) => readFileSync(path))
      await here.done(['agent', 'reencrypt-key'], { env: NEW })
      // As if it had been killed as soon as the new password counted.
      writeFileSync(here.at('sx_keys', 'sx.private.pem'), key ?? '')
      writeFileSync(holder, copy ?? '')
    }
    await change()
    expect((await here.json(sign, { input: '1' })).value).toMatchObject({ ok: true })
    expect(readFileSync(holder, 'utf8')).toContain('the new one')
    writeFileSync(here.at('new'), 'the newer one')
    await change()
    writeFileSync(here.at('new'), 'the newest one')
    expect(said(await here.json(['agent', 'reencrypt-key'], { env: NEW }))).toEqual({ exit: 0 })
    expect(opens(here, 'the newest one')).toBe(true)
  })
})

describe('quickstart and what others have left', () => {
  const key = (where: Place): string => where.at('sx_keys', 'sx.private.pem')

  it.each(['private', 'public'])(
    'says that a %s key without an agent is in the way, not that it can be loaded',
    async (kind) => {
      const here = place()
      mkdirSync(here.at('sx_keys'))
      const path = here.at('sx_keys', `sx.${kind}.pem`)
      writeFileSync(path, 'key')
      const found = `There is a ${kind} key at ${path}, but no agent at ${here.at('sx.config.json')}. `
      // Nobody is asked for a password that would help nothing.
      for (const env of [{}, { SX_PRIVATE_KEY_PASSWORD: 'correct horse' }, { SX_SAVE_PASSWORD_FILE: 'true' }]) {
        expect(said(await here.json(start, { env }))).toEqual({
          exit: 2,
          code: 'AlreadyExists',
          message:
            `${found}If the configuration was deleted, restore it. For another agent, use another key directory. ` +
            'Pass another path with --config, or move the existing files if no agent needs them.',
        })
      }
      expect(readFileSync(path, 'utf8')).toBe('key')
      // What it says helps: another place,
      const elsewhere = ['--config', 'elsewhere/sx.config.json']
      const env = { SX_PRIVATE_KEY_PASSWORD: 'correct horse' }
      expect((await here.sx([...start, ...elsewhere], { env })).exit).toBe(0)
      // or this one without the key.
      rmSync(path)
      expect((await here.sx(start, { env })).exit).toBe(0)
    },
  )

  /** Puts the parts of an agent back to where they were staged; gives the place. */
  const stageAgain = (where: Place, agentId: string): string => {
    const segments = where.at('sx.config.json').split('/').filter(Boolean)
    const name = call(() => core.stagedKeyFile(core.stagePlace(segments.join('/'), 'sx.private.pem'), agentId))
    const document = where.at('sx_data', 'documents', agentId.slice(0, 2), `${agentId}.1.json`)
    const parts = {
      document: readFileSync(document, 'utf8'),
      privateKey: readFileSync(key(where), 'utf8'),
      publicKey: readFileSync(where.at('sx_keys', 'sx.public.pem'), 'utf8'),
    }
    mkdirSync(where.at('sx_keys', '.new'), { recursive: true })
    const staged = where.at('sx_keys', '.new', name)
    writeFileSync(staged, JSON.stringify(parts))
    for (const path of [key(where), where.at('sx_keys', 'sx.public.pem'), document]) rmSync(path)
    return staged
  }

  it('creates an agent over the parts of one that no configuration names', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    const lost = await here.quickstart('Lost')
    const staged = stageAgain(here, lost)
    rmSync(here.at('sx.config.json'))
    const { exit, value } = await here.json(start)
    expect({ exit, created: value['created'] }).toEqual({ exit: 0, created: true })
    expect(value['agentId']).not.toBe(lost)
    expect(() => readFileSync(staged)).toThrow('ENOENT')
    expect((await here.sx(sign, { input: '1' })).exit).toBe(0)
  })

  it('says which options an agent that is there does not fulfil', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    await here.quickstart('Billing')
    const line = ['quickstart', '--name', 'Billing', '--domain', 'example.com']
    expect((await here.sx(line)).stderr).toBe('')
    const other = ['quickstart', '--name', 'a\n', '--domain', 'x y', '--description', 'z', '--algorithm', 'pq2025']
    const { exit, stderr } = await here.sx(other)
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr:
        "The agent was not changed. Ignored options: --name 'a\\u{a}', --domain 'x y', --description 'z', --algorithm 'pq2025'. `sx agent rotate --algorithm 'pq2025'` gives the agent such a key.\n",
    })
  })

  it('loads an agent whose key was not moved yet', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    const agentId = await here.quickstart()
    stageAgain(here, agentId)
    const { value } = await here.json(start)
    expect(value).toMatchObject({ ok: true, created: false, agentId })
    expect(readFileSync(key(here), 'utf8')).toContain('ENCRYPTED')
  })

  it('loads an agent that only the claim beside a prepared configuration names', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    const agentId = await here.quickstart()
    renameSync(here.at('sx.config.json'), here.at('sx.config.json.agent'))
    writeFileSync(here.at('sx.config.json'), '{}')
    // No password is at hand, and a new one is not what is missing.
    const { value } = await here.json(start, { env: { SX_PRIVATE_KEY_PASSWORD: undefined } })
    expect(value.error).toMatchObject({ code: 'PasswordRequired' })
    expect(value.error?.message).not.toContain('SX_SAVE_PASSWORD_FILE')
    expect((await here.json(start)).value).toMatchObject({ ok: true, created: false, agentId })
  })

  it('says which part of an agent is missing', async () => {
    const here = place()
    await here.done(start, { env: { SX_SAVE_PASSWORD_FILE: 'true' } })
    renameSync(key(here), here.at('away'))
    expect(said(await here.json(start))).toMatchObject({
      exit: 2,
      code: 'NotFound',
      message: expect.stringContaining(`There is no private key at ${key(here)}.`) as string,
    })
    renameSync(here.at('away'), key(here))
    renameSync(here.at('sx_data'), here.at('away'))
    expect(said(await here.json(start))).toMatchObject({
      exit: 2,
      code: 'NotFound',
      message: expect.stringContaining(
        'Restore what was deleted or moved, or restore a backup to another folder.',
      ) as string,
    })
    renameSync(here.at('away'), here.at('sx_data'))
    rmSync(here.at('sx_keys', '.sx_password'))
    expect(said(await here.json(start))).toMatchObject({ exit: 2, code: 'PasswordRequired' })
  })

  it.runIf(process.platform === 'linux')('asks twice for a new password, and once for that of an agent', async () => {
    const here = place()
    const first = await here.terminal(start, ['correct horse\r', 'correct horse\r'])
    expect(first).toMatchObject({ exit: 0 })
    expect(first.stdout).toMatch(/New password: [^]*Repeat the new password: [^]*Created an agent/)
    const second = await here.terminal(start, ['correct horse\r'])
    expect(second.stdout).toMatch(/^Password of the private key: [^]*Loaded the existing agent/)
    const name = ['quickstart', '--name', ' ', '--domain', 'example.com', '--config', 'other/sx.config.json']
    const refused = await here.terminal(name, '')
    expect(refused).toMatchObject({ exit: 2 })
    expect(refused.stdout).not.toContain('password')
    const elsewhere = [...start, '--config', 'third/sx.config.json']
    const { exit, stdout } = await here.terminal(elsewhere, ['correct horse\r', 'q\r'])
    expect(exit).toBe(2)
    expect(stdout).toContain('sx: PasswordRequired: The two passwords differ. Nothing was changed. ')
  })
})
