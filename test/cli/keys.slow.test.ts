// `sx agent rotate` and `revoke`: clocks that are wrong, what a compromised key takes along, and the question before.
import { cpSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Place, placing } from './run.ts'

const place = placing()
const PASSWORD = 'correct horse battery staple'
/** An option of Node that sets the clock of a process an hour ahead. */
const AHEAD = [
  '--import',
  `data:text/javascript,${encodeURIComponent('const { now } = Date; Date.now = () => now() + 3_600_000')}`,
]
const HOUR = 3_600_000

let here: Place
beforeEach(async () => {
  here = place({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
  await here.quickstart()
})

const keyIdOf = async (where: Place): Promise<string> => String((await where.json(['agent', 'show'])).value['keyId'])

describe('rotate', () => {
  it('says from when on the former key counts no longer', async () => {
    const before = await keyIdOf(here)
    const { value } = await here.json(['agent', 'rotate'])
    expect(value).toMatchObject({ ok: true, formerKeyId: before, warnings: [{ code: 'BackupOutdated' }] })
    expect(value).not.toHaveProperty('invalidDocuments')
    const revokedAt = String(value['revokedAt'])
    expect(Math.abs(Date.parse(revokedAt) - Date.now())).toBeLessThan(HOUR / 2)
    const text = await here.done(['agent', 'rotate'])
    expect(text).toMatch(/\n {2}revoked at +20[-0-9T:.]+Z\n/)
    expect(text).toContain('Make a new backup with `sx backup`.')
  })

  it('refuses where something is dated later than the clock, names --force, and goes on with it', async () => {
    const later = await here.sx(['sign'], { input: '{"a":1}', node: AHEAD })
    expect(later.exit).toBe(0)
    const { exit, value } = await here.json(['agent', 'rotate'])
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'ClockBehind' })
    expect(value.error?.message).toContain('If this clock is right, rotate with --force. Signatures with a later date ')
    expect(value.error?.message).not.toContain('force: true')
    expect((await here.sx(['agent', 'rotate', '--force'])).exit).toBe(0)
    expect((await here.json(['verify'], { input: later.stdout })).value).toMatchObject({ code: 'KeyRevoked' })
  })

  it('revoke --force ends now what a clock that was ahead has ended later', async () => {
    const ahead = JSON.parse((await here.sx(['--json', 'agent', 'rotate'], { node: AHEAD })).stdout) as {
      revokedAt: string
      formerKeyId: string
    }
    expect(Date.parse(ahead.revokedAt) - Date.now()).toBeGreaterThan(HOUR / 2)
    const kept = await here.json(['agent', 'revoke', ahead.formerKeyId, '--reason', 'superseded'])
    expect(kept.value).toMatchObject({ ok: true, revokedAt: ahead.revokedAt })
    const { value } = await here.json(['agent', 'revoke', ahead.formerKeyId, '--reason', 'superseded', '--force'])
    expect(value).toMatchObject({ ok: true, reason: 'superseded' })
    expect(Math.abs(Date.parse(String(value['revokedAt'])) - Date.now())).toBeLessThan(HOUR / 2)
  })
})

describe('a compromised key', () => {
  let original: Place
  beforeAll(async () => {
    original = place({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
    await original.quickstart()
    for (const input of ['1', '2', '3']) await original.done(['sign'], { input })
  })
  beforeEach(() => {
    cpSync(original.path, here.path, { recursive: true })
  })

  it('takes along what is counted; without a terminal and with --no-input nobody is asked', async () => {
    const former = await keyIdOf(here)
    await here.done(['agent', 'rotate'])
    const keys = (await here.done(['list', '--type', 'message'])).split('\n').map((line) => line.split(' ')[0] ?? '')
    await here.done(['update', keys[0] ?? ''], { input: '4' })
    const revoked = await here.json(['agent', 'revoke', former, '--reason', 'compromised'])
    expect(revoked).toMatchObject({ exit: 0, value: { ok: true, invalidDocuments: { count: 2, isComplete: true } } })
    const rotated = await here.done(['agent', 'rotate', '--reason', 'compromised', '--no-input'])
    expect(rotated).toContain('signatures of that key are no longer valid (1 stored document); ')
    const others = await here.json(['agent', 'revoke', await keyIdOf(here), '--reason', 'compromised'])
    expect(others).toMatchObject({ exit: 2, value: { error: { code: 'InvalidOption' } } })
  })

  it('counts at least what can be read', async () => {
    const [key = ''] = (await here.done(['list', '--type', 'message'])).split(':')
    writeFileSync(here.at('sx_data', 'documents', key.slice(0, 2), `${key}.1.json`), '{')
    const { value } = await here.json(['agent', 'rotate', '--reason', 'compromised'])
    expect(value).toMatchObject({ ok: true, invalidDocuments: { count: 2, isComplete: false } })
  })

  it.runIf(process.platform === 'linux')('is asked about on a terminal, where only yes goes on', async () => {
    const former = await keyIdOf(here)
    const line = ['agent', 'rotate', '--reason', 'compromised']
    for (const typed of ['n\r', '\r', 'yess\r', '\u0004']) {
      const { exit, stdout } = await here.terminal(line, [typed])
      expect({ typed, exit }).toEqual({ typed, exit: 2 })
      expect(stdout).toContain(`Everything signed with the key ${former} becomes invalid: 3 stored documents.`)
      expect(stdout).toContain('Nothing was changed. Answer y to continue, or pass --yes.')
    }
    expect(await keyIdOf(here)).toBe(former)
    const interrupted = await here.terminal(line, ['\u0003'])
    expect(interrupted).toMatchObject({
      exit: 130,
      stdout: expect.stringMatching(/Continue\? \(y\/N\): \^C$/) as string,
    })
    expect(await keyIdOf(here)).toBe(former)
    const agreed = await here.terminal(line, ['ya\u007f\r'])
    expect(agreed.exit).toBe(0)
    expect(agreed.stdout).toMatch(/Continue\? \(y\/N\): y/)
    expect(await keyIdOf(here)).not.toBe(former)
  })

  it.runIf(process.platform === 'linux')('is not asked about with --yes or --no-input', async () => {
    const former = await keyIdOf(here)
    for (const more of [['rotate'], ['revoke', former]]) {
      for (const option of ['--yes', '--no-input']) {
        const { exit, stdout } = await here.terminal(['agent', ...more, '--reason', 'compromised', option], '')
        expect({ more, option, exit }).toEqual({ more, option, exit: 0 })
        expect(stdout).not.toContain('Continue?')
      }
    }
  })
})
