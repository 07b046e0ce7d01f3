// Weak passwords are refused where a private key is encrypted, and a wrong one can be typed again.
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { weaknessOf } from '../../node/cli/weak.ts'
import { type Place, placing } from './run.ts'

const place = placing()
const PASSWORD = 'correct horse'
const start = ['quickstart', '--name', 'Billing', '--domain', 'example.com', '--algorithm', 'ed25519']
const opens = (where: Place, passphrase: string): boolean => {
  const key = readFileSync(where.at('sx_keys', 'sx.private.pem'), 'utf8')
  try {
    return createPrivateKey({ key, passphrase }).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

describe('a password is weak', () => {
  it.each([
    ['has fewer than 8 characters', ['p', 'Tr0ub4d', 'ä😀ß', '       ']],
    ['repeats itself', ['aaaaaaaa', 'abababab', 'abcabcabc12', 'testtest', '😀😀😀😀😀😀😀😀']],
    [
      'is a sequence of keys, digits or letters',
      ['12345678', '87654321', 'qwertyui', 'asdfghjk', 'abcdefgh', 'Qwer1234', 'hgfedcba'],
    ],
    [
      'is one of the most common passwords',
      ['password', 'Password123!', 'passw0rd', 'iloveyou', 'letmein1', 'admin2026', 'changeme'],
    ],
  ])('because it %s', (why, passwords) => {
    for (const password of passwords) expect([password, weaknessOf(password)]).toEqual([password, why])
  })

  it.each([
    'correct horse',
    'päss word ',
    'k9#vR2!q',
    'the old one',
    'password of mine',
    'abcdefg8',
    '12345 apples',
    'aaaabbbbcccd',
    '  trailing',
    'x'.repeat(3) + 'yz-zy'.repeat(2),
  ])('but not as %j', (password) => {
    expect(weaknessOf(password)).toBeUndefined()
  })

  it.each([
    ['repeats itself up to its end', (length: number) => `${'ab'.repeat(length / 2)}${'x'.repeat(96)}y`],
    ['is a sequence', (length: number) => 'abcdefghijklmnopqrstuvwxyz'.repeat(length / 26)],
  ])('is decided in a time that grows with its length, not with the square of that: one that %s', (_, make) => {
    // In time of the processor, which a busy machine has no more of, and the best of several.
    const least = (password: string, times: number): number => {
      const spent = Array.from({ length: 3 }, () => {
        const since = process.cpuUsage()
        for (let time = 0; time < times; time++) weaknessOf(password)
        const { user, system } = process.cpuUsage(since)
        return user + system
      })
      return Math.min(...spent)
    }
    expect(least(make(640_000), 1) / least(make(10_000), 64)).toBeLessThan(16) // about 1, and not 64
  })
})

describe('quickstart', () => {
  it('refuses a weak password from a variable or a file, and makes nothing', async () => {
    const here = place()
    writeFileSync(here.at('short'), 'p\n')
    for (const env of [{ SX_PRIVATE_KEY_PASSWORD: 'p' }, { SX_PASSWORD_FILE: 'short' }]) {
      const { exit, value } = await here.json(start, { env })
      expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'InvalidOption' })
      expect(value.error?.message).toMatch(
        /^The password is weak: it has fewer than 8 characters\. .*--allow-weak-password\.$/,
      )
    }
    expect(() => readFileSync(here.at('sx.config.json'))).toThrow('ENOENT')
    const env = { SX_PRIVATE_KEY_PASSWORD: 'p' }
    expect((await here.sx([...start, '--allow-weak-password'], { env })).exit).toBe(0)
    // The agent that is there is loaded as before.
    expect((await here.sx(start, { env })).exit).toBe(0)
    expect((await here.sx(['sign', '--no-save'], { env, input: '1' })).exit).toBe(0)
  })

  it('takes one that is generated', async () => {
    expect((await place().sx(start, { env: { SX_SAVE_PASSWORD_FILE: 'true' } })).exit).toBe(0)
  })
})

describe('reencrypt-key', () => {
  it('refuses a weak new password, before the old one is looked at', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
    await here.quickstart()
    writeFileSync(here.at('new'), 'password1')
    const line = ['agent', 'reencrypt-key', '--new-password-file', 'new']
    for (const env of [{}, { SX_PRIVATE_KEY_PASSWORD: undefined }]) {
      const { exit, value } = await here.json(line, { env })
      expect({ exit, message: value.error?.message }).toEqual({
        exit: 2,
        message: expect.stringContaining('it is one of the most common passwords') as string,
      })
    }
    expect(opens(here, PASSWORD)).toBe(true)
    expect((await here.sx([...line, '--allow-weak-password'])).exit).toBe(0)
    expect(opens(here, 'password1')).toBe(true)
  })
})

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  let here: Place
  beforeAll(async () => {
    here = place()
    await here.done(start, { env: { SX_PRIVATE_KEY_PASSWORD: PASSWORD } })
    writeFileSync(here.at('one.json'), '1')
    writeFileSync(here.at('wrong'), 'wrong')
  })
  const asked = (stdout: string): number => stdout.split('Password of the private key: ').length - 1

  it('a wrong password can be typed again, three times in all', async () => {
    const line = ['sign', '--no-save', 'one.json']
    const third = await here.terminal(line, ['one\r', 'two\r', `${PASSWORD}\r`])
    expect({ exit: third.exit, asked: asked(third.stdout) }).toEqual({ exit: 0, asked: 3 })
    expect(third.stdout).toContain('That password does not decrypt the private key.')
    const never = await here.terminal(line, ['one\r', 'two\r', 'three\r', `${PASSWORD}\r`])
    expect({ exit: never.exit, asked: asked(never.stdout) }).toEqual({ exit: 2, asked: 3 })
    expect(never.stdout).toContain('sx: WrongPassword: ')
    const ended = await here.terminal(line, ['one\r', '\r'])
    expect(ended).toMatchObject({ exit: 2, stdout: expect.stringContaining('Nothing was entered.') as string })
    const killed = await here.terminal(line, ['one\r', '\u0003'])
    expect(killed.exit).toBe(130)
  })

  it('nobody is asked again where it comes from a variable, a file or a pipe', async () => {
    for (const words of [
      'SX_PRIVATE_KEY_PASSWORD=wrong sx sign --no-save one.json',
      'SX_PASSWORD_FILE=wrong sx sign --no-save one.json',
    ]) {
      const { exit, stdout } = await here.typing(words, '')
      expect({ words, exit, asked: asked(stdout) }).toEqual({ words, exit: 2, asked: 0 })
      expect(stdout).toContain('sx: WrongPassword: ')
    }
    const piped = await here.typing(`exec 3< wrong; SX_PASSWORD_FILE=/dev/fd/3 sx sign --no-save one.json`, '')
    expect({ exit: piped.exit, asked: asked(piped.stdout) }).toEqual({ exit: 2, asked: 0 })
  })

  it('a weak new password is asked for again, three times in all', async () => {
    const fresh = place()
    const good = await fresh.terminal(start, ['p\r', '12345678\r', `${PASSWORD}\r`, `${PASSWORD}\r`])
    expect(good.exit).toBe(0)
    expect(good.stdout).toMatch(/This password is weak: it has fewer than 8 characters\.[^]*it is a sequence of keys/)
    expect(opens(fresh, PASSWORD)).toBe(true)
    const never = place()
    const bad = await never.terminal(start, ['p\r', 'p\r', 'p\r', `${PASSWORD}\r`])
    expect(bad).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining('sx: InvalidOption: The password is weak') as string,
    })
    expect(() => readFileSync(never.at('sx.config.json'))).toThrow('ENOENT')
    const allowed = await never.terminal([...start, '--allow-weak-password'], ['p\r', 'p\r'])
    expect(allowed.exit).toBe(0)
    expect(opens(never, 'p')).toBe(true)
  })
})
