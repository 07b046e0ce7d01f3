// `sx backup` and `sx restore`.
import { createPrivateKey } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, placing } from './run.ts'

const place = placing()
const PASSWORD = 'correct horse'
const here = place({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
let [agentId, keyId] = ['', '']
let backup: string

beforeAll(async () => {
  agentId = await here.quickstart('Billing')
  keyId = String((await here.json(['agent', 'show'])).value['keyId'])
  await here.done(['sign', '-o', 'signed.json'], { input: '{"a":1}' })
  await here.done(['backup', '-o', 'agent.backup.json'])
  backup = readFileSync(here.at('agent.backup.json'), 'utf8')
})

describe('backup', () => {
  it('says when it was made and by which key, and only its owner can read it', async () => {
    const { exit, value } = await here.json(['backup', '-o', 'second.json'])
    expect({ exit, value }).toEqual({
      exit: 0,
      value: {
        ok: true,
        agentId,
        keyId,
        savedAt: expect.stringMatching(/^20.*Z$/) as string,
        entries: 4,
        bytes: statSync(here.at('second.json')).size,
        output: 'second.json',
      },
    })
    expect(statSync(here.at('second.json')).mode & 0o777).toBe(0o600)
    const { stderr, stdout } = await here.sx(['backup', '-o', '-'])
    expect(stderr).toMatch(new RegExp(`^Backed up\\n {2}made at +20\\S+Z\\n {2}key id +${keyId}\\n`))
    expect(stdout.slice(0, 20)).toBe(backup.slice(0, 20))
    expect(stdout.endsWith('\n')).toBe(true)
  })

  it('never overwrites without --force, and goes nowhere by chance', async () => {
    const again = await here.json(['backup', '-o', 'agent.backup.json'])
    expect(again).toMatchObject({ exit: 2, value: { error: { code: 'AlreadyExists' } } })
    expect(readFileSync(here.at('agent.backup.json'), 'utf8')).toBe(backup)
    writeFileSync(here.at('third.json'), 'x')
    expect((await here.sx(['backup', '-o', 'third.json', '--force'])).exit).toBe(0)
    expect(readFileSync(here.at('third.json'), 'utf8')).not.toBe('x')
    expect((await here.json(['backup'])).value.error?.message).toContain('Pass a file with --output')
  })

  it.runIf(process.platform === 'linux')('is not printed on a terminal', async () => {
    for (const line of [['backup'], ['backup', '-o', '-']]) {
      const { exit, stdout } = await here.terminal(line, '')
      expect({ exit, stdout }).toEqual({
        exit: 2,
        stdout: expect.stringContaining('A backup is not written to a terminal') as string,
      })
    }
  })

  it('needs the password, which is not in it', async () => {
    const without = await here.json(['backup', '-o', 'no.json'], { env: { SX_PRIVATE_KEY_PASSWORD: undefined } })
    expect(without).toMatchObject({ exit: 2, value: { error: { code: 'PasswordRequired' } } })
    expect(existsSync(here.at('no.json'))).toBe(false)
    expect(backup).not.toContain(PASSWORD)
  })

  it('takes another password for the key in it, and no weak one', async () => {
    writeFileSync(here.at('weak'), 'p')
    writeFileSync(here.at('strong'), 'battery staple\n')
    const weak = await here.json(['backup', '-o', 'weak.json', '--backup-password-file', 'weak'])
    expect(weak).toMatchObject({ exit: 2, value: { error: { code: 'InvalidOption' } } })
    await here.done(['backup', '-o', 'weak.json', '--backup-password-file', 'weak', '--allow-weak-password'])
    await here.done(['backup', '-o', 'strong.json', '--backup-password-file', 'strong'])
    for (const [file, passphrase] of [
      ['weak', 'p'],
      ['strong', 'battery staple'],
    ] as const) {
      const there = place()
      await there.done(['restore', here.at(`${file}.json`)])
      const key = readFileSync(there.at('sx_keys', 'sx.private.pem'), 'utf8')
      expect(createPrivateKey({ key, passphrase }).asymmetricKeyType).toBe('ed25519')
      expect((await there.sx(['sign'], { env: { SX_PRIVATE_KEY_PASSWORD: passphrase }, input: '1' })).exit).toBe(0)
    }
    const short = place({ SX_PRIVATE_KEY_PASSWORD: 'p' })
    await short.done([
      'quickstart',
      '--name',
      'S',
      '--domain',
      'example.com',
      '--algorithm',
      'ed25519',
      '--allow-weak-password',
    ])
    expect((await short.json(['backup', '-o', 'b.json'])).value.error?.message).toContain('--allow-weak-password')
    expect((await short.sx(['backup', '-o', 'b.json', '--allow-weak-password'])).exit).toBe(0)
    expect((await short.sx(['backup', '-o', 'c.json', '--backup-password-file', here.at('strong')])).exit).toBe(0)
  })
})

describe('restore', () => {
  it('makes the agent of the backup, which goes on', async () => {
    const there = place({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
    const { exit, value } = await there.json(['restore', here.at('agent.backup.json')])
    expect({ exit, value }).toMatchObject({
      exit: 0,
      value: { ok: true, agentId, keyId, keyIds: [keyId], name: 'Billing', warnings: [{ code: 'BackupOutdated' }] },
    })
    expect((await there.sx(['verify', here.at('signed.json')])).exit).toBe(0)
    expect((await there.done(['list'])).split('\n').length).toBe(3)
    expect((await there.sx(['sign'], { input: '2' })).exit).toBe(0)
  })

  it('takes standard input, and other folders', async () => {
    const there = place({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
    const line = [
      'restore',
      '-',
      '--config',
      'deep/sx.config.json',
      '--key-directory',
      'keys',
      '--data-directory',
      'data',
    ]
    const stdout = await there.done(line, { input: backup })
    expect(stdout).toMatch(new RegExp(`^Restored\\n {2}made at +20\\S+Z\\n {2}key id +${keyId}\\n`))
    expect(stdout).toContain(there.at('deep', 'sx.config.json'))
    expect(existsSync(there.at('deep', 'keys', 'sx.private.pem'))).toBe(true)
    expect((await there.sx(['agent', 'show', '--config', 'deep/sx.config.json'])).exit).toBe(0)
  })

  it('overwrites nothing', async () => {
    const { exit, value } = await here.json(['restore', 'agent.backup.json'])
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'AlreadyExists' })
    expect(value.error?.message).toContain('Pass another path with --config')
    expect((await here.sx(['sign', '--no-save'], { input: '1' })).exit).toBe(0)
  })

  it.each([
    ['a damaged backup', () => backup.replace('\\"a\\":1', '\\"a\\":2'), 1, 'The backup is damaged: '],
    ['one that was cut off', () => backup.slice(0, -9), 1, 'The backup is damaged: '],
    ['another text', () => 'Hi.\n', 1, 'The input is not a backup. Pass the file that `sx backup` wrote.'],
    ['other JSON', () => '{"a":1}', 1, 'The input is not a backup. Pass the file that `sx backup` wrote.'],
    ['an empty file', () => '', 4, 'is empty'],
  ])('refuses %s, and writes nothing', async (_, text, exit, sentence) => {
    const there = place()
    writeFileSync(there.at('backup.json'), text())
    const answer: { exit: number | null; value: Answer } = await there.json(['restore', 'backup.json'])
    expect(answer).toMatchObject({ exit, value: { ok: false, error: { code: 'CorruptStore' } } })
    expect(answer.value.error?.message).toContain(sentence)
    expect(existsSync(there.at('sx.config.json'))).toBe(false)
    expect(existsSync(there.at('sx_keys'))).toBe(false)
  })

  it('says where a file or a configuration cannot be', async () => {
    const there = place()
    expect(await there.json(['restore', 'missing.json'])).toMatchObject({
      exit: 4,
      value: { error: { code: 'NotFound' } },
    })
    expect((await there.sx(['restore', '.'])).exit).toBe(4)
    expect((await there.sx(['restore'])).exit).toBe(2)
    expect((await there.sx(['restore', here.at('agent.backup.json'), '--config', '.'])).exit).toBe(2)
  })
})
