// Prompts: on the terminal, whatever the streams are connected with, and out of the way of Ctrl-C.
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Place, placing } from './run.ts'

const place = placing()
const CTRL_C = '\u0003'
const QUESTION = 'Password of the private key: '

describe.runIf(process.platform === 'linux')('a prompt', () => {
  let here: Place

  beforeAll(async () => {
    here = place()
    await here.done(['quickstart', '--name', 'A', '--domain', 'example.com', '--algorithm', 'ed25519'], {
      env: { SX_PRIVATE_KEY_PASSWORD: 'correct horse' },
    })
    writeFileSync(here.at('one.json'), '1')
    writeFileSync(here.at('new'), 'the new one')
  })

  /** What a parent process is told, after the terminal's settings before and after. */
  const told = `
    const { spawnSync } = require('node:child_process')
    const settings = () => spawnSync('stty', ['-a'], { stdio: ['inherit', 'pipe', 'inherit'] }).stdout.toString()
    const before = settings()
    const { status, signal } = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit' })
    console.log(JSON.stringify({ status, signal, isRestored: settings() === before }))`
  const interrupted = async (where: Place, args: string[], typed: string[]) => {
    writeFileSync(where.at('told.cjs'), told)
    // The parent is started by the shell as the program is, with the program as its arguments.
    const { stdout } = await where.typing(`"$node" -e "$(cat told.cjs)" "$program" ${args.join(' ')}`, typed)
    const lines = stdout.replaceAll('\r\n', '\n').trimEnd().split('\n')
    return { ...(JSON.parse(lines.at(-1) ?? '') as object), printed: lines.slice(0, -1) }
  }
  const BY_SIGINT = { status: null, signal: 'SIGINT', isRestored: true }

  it('ends by SIGINT at Ctrl-C, silently, with the terminal as it was', async () => {
    const killed = await interrupted(here, ['sign', '--no-save', 'one.json'], [CTRL_C])
    expect(killed).toEqual({ ...BY_SIGINT, printed: [QUESTION] })
  })

  it('does so too where something was typed before, and at the second one', async () => {
    const half = await interrupted(here, ['sign', '--no-save', 'one.json'], [`half a passw${CTRL_C}`])
    expect(half).toEqual({ ...BY_SIGINT, printed: [QUESTION] })
    const fresh = place()
    const line = ['quickstart', '--name', 'B', '--domain', 'example.com', '--algorithm', 'ed25519']
    const second = await interrupted(fresh, line, ['correct horse\r', CTRL_C])
    expect(second).toEqual({ ...BY_SIGINT, printed: ['New password: ', 'Repeat the new password: '] })
    expect(() => readFileSync(fresh.at('sx.config.json'))).toThrow('ENOENT')
  })

  it('ends a script as a shell expects', async () => {
    const { exit, stdout } = await here.typing('sx sign --no-save one.json; echo "status $?"', [CTRL_C])
    expect({ exit, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({ exit: 0, last: 'status 130' })
  })

  it('reads from the terminal when the document comes by a pipe, and what is made goes into one', async () => {
    const { exit, stdout } = await here.typing('echo \'{"a":1}\' | sx sign --no-save 2>/dev/null | cat > signed.json', [
      'correct horse\r',
    ])
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${QUESTION}\r\n` })
    expect(JSON.parse(readFileSync(here.at('signed.json'), 'utf8'))).toMatchObject({ content: { a: 1 } })
  })

  it('does not come for a document that cannot be signed', async () => {
    for (const line of [
      "echo '{' | sx sign",
      'sx sign missing.json',
      'sx sign .',
      'sx sign one.json -o one.json',
      'sx sign one.json -o .',
      'sx sign one.json --sav',
      'sx agent reencrypt-key --new-password-file missing',
      'SX_NEW_PASSWORD_FILE=. sx agent reencrypt-key',
      'sx agent reencrypt-key --config missing.json',
    ]) {
      const { exit, stdout } = await here.typing(line, [CTRL_C])
      expect({ line, stdout }).toEqual({ line, stdout: expect.stringMatching(/^\S*sx: \w+: /) as string })
      expect({ line, exit }).not.toEqual({ line, exit: 130 })
    }
  })

  it('comes for the old password only where a new one is in a file', async () => {
    const { exit, stdout } = await here.typing('sx agent reencrypt-key --new-password-file new', ['correct horse\r'])
    expect(stdout).toMatch(/^Password of the private key: \r\n\S*The private key has a new password/)
    expect(exit).toBe(0)
    const back = { SX_PRIVATE_KEY_PASSWORD: 'the new one', SX_NEW_PASSWORD_FILE: 'old' }
    writeFileSync(here.at('old'), 'correct horse')
    expect((await here.sx(['agent', 'reencrypt-key'], { env: back })).exit).toBe(0)
  })

  it('says what happens where two passwords differ', async () => {
    const fresh = place()
    const line = 'sx quickstart --name B --domain example.com --algorithm ed25519'
    const { exit, stdout } = await fresh.typing(line, ['correct horse\r', 'q\r'])
    expect(exit).toBe(2)
    expect(stdout).toContain('The two passwords differ. Nothing was changed. Run the command again and enter the same')
    expect(() => readFileSync(fresh.at('sx.config.json'))).toThrow('ENOENT')
  })
})

it('without a terminal nobody is asked', async () => {
  const here = place()
  const { exit, stderr } = await here.sx(['quickstart', '--name', 'A', '--domain', 'example.com'])
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: expect.stringMatching(
      /^sx: PasswordRequired: No password for the private key was given\. Set SX_/,
    ) as string,
  })
})
