// `sx audit`: what is wrong with an agent, for people and as JSON; nothing is changed, and nobody is asked.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AuditResult } from '../../src/audit-types.ts'
import { treeOf } from '../node/fixtures.ts'
import { type Answer, type Place, placing } from './run.ts'

const PASSWORD = 'correct horse 7 battery staple'
const ESCAPE = '\u001b'
const make = placing()

/** Of which every test has a copy. */
const original = make({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
let place: Place
let agentId: string
let documentId: string
beforeAll(async () => {
  agentId = await original.quickstart()
  documentId = String((await original.json(['sign'], { input: '{"amount":1}' })).value['documentId'])
  await original.done(['update', documentId], { input: '{"amount":2}' })
})
beforeEach(() => {
  place = make({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
  cpSync(original.path, place.path, { recursive: true })
})

const stored = (number: number): string =>
  place.at('sx_data', 'documents', documentId.slice(0, 2), `${documentId}.${number}.json`)

function tamper(): void {
  const text = readFileSync(stored(2), 'utf8')
  expect(text).toContain('"amount":2')
  writeFileSync(stored(2), text.replace('"amount":2', '"amount":9'))
}

/** Changes members of the configuration. */
function configure(members: object): void {
  const path = place.at('sx.config.json')
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...members }))
}

/** The answer with `--json`, which has to have changed nothing. */
async function audited(
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): Promise<{ exit: number | null; value: Answer & AuditResult }> {
  const before = treeOf(place.path)
  const { exit, value } = await place.json(['audit', ...args], { env })
  expect(treeOf(place.path)).toEqual(before)
  return { exit, value: value as Answer & AuditResult }
}

const codesOf = ({ risks }: AuditResult): string[] => risks.map(({ check, code }) => `${check} ${code}`)

const CHECKS = [
  'configuration',
  'permissions',
  'leftovers',
  'password',
  'agent',
  'private_key',
  'public_keys',
  'documents',
  'trust_store',
  'storage',
]

describe('an agent with which nothing is wrong', () => {
  it('is healthy, check by check, and all as it was', async () => {
    const before = treeOf(place.path)
    const { exit, stdout, stderr } = await place.sx(['audit'])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toMatch(/^HEALTHY: no risks\n {2}id +/)
    expect(stdout).toMatch(new RegExp(`\n  id +${agentId}\n  stored +2 documents; 3 versions verified\n`))
    expect([...stdout.matchAll(/^ {2}check (\w+) +(\S.*)$/gm)].map(([, name, status]) => [name, status])).toEqual(
      CHECKS.map((name) => [name, 'ok']),
    )
    expect(treeOf(place.path)).toEqual(before)
    expect((await place.sx(['audit', '--quiet'])).stdout).toBe('HEALTHY: no risks\n')
  })

  it('is the whole result with --json', async () => {
    const { exit, value } = await audited()
    const { health_checks, ...others } = value
    expect(exit).toBe(0)
    expect(health_checks.map(({ name, status }) => `${name} ${status}`)).toEqual(CHECKS.map((name) => `${name} passed`))
    expect(others).toEqual({
      ok: true,
      risks: [],
      summary: { agentId, documents: 2, verified: 3, trustedAgents: 0, high: 0, medium: 0, low: 0 },
      overall_status: 'healthy',
    })
  })

  it('needs no password, and says what was not looked at', async () => {
    const env = { SX_PRIVATE_KEY_PASSWORD: undefined }
    const { exit, stdout, stderr } = await place.sx(['audit'], { env })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toMatch(/^WARNING: no risks, but not checked: password, private_key\n/)
    expect(stdout).toMatch(/\n {2}check private_key +skipped {2}\S+sx\.private\.pem was not decrypted, /)
    expect((await audited([], env)).value).toMatchObject({ ok: true, overall_status: 'warning', risks: [] })
  })

  it.runIf(process.platform === 'linux')('asks nobody on a terminal either', async () => {
    const { exit, stdout } = await place.terminal(['audit'], [], { SX_PRIVATE_KEY_PASSWORD: undefined })
    expect(exit).toBe(0)
    expect(stdout).toContain('WARNING: no risks')
    expect(stdout).not.toContain('Password')
  })

  it('takes the password from a file', async () => {
    writeFileSync(place.at('password'), `${PASSWORD}\n`)
    const named = (file: string) => ({ SX_PRIVATE_KEY_PASSWORD: undefined, SX_PASSWORD_FILE: file })
    expect((await audited([], named('password'))).value.overall_status).toBe('healthy')
    expect(await audited([], named('elsewhere'))).toMatchObject({ exit: 2, value: { error: { code: 'NotFound' } } })
  })

  it('is found by its configuration, and looked at for as many documents as is said', async () => {
    const config = place.at('sx.config.json')
    const elsewhere = make()
    const { value } = await elsewhere.json(['audit', '--config', config, '--recent', '1'])
    expect(value).toMatchObject({ ok: true, summary: { agentId, documents: 2, verified: 1 } })
    tamper()
    expect((await audited(['--recent', '0'])).exit).toBe(0)
    expect(codesOf((await audited(['--recent', '1'])).value)).toEqual(['documents BadSignature'])
  })
})

describe('what is wrong', () => {
  it('is a private key that others can read', async () => {
    const key = place.at('sx_keys', 'sx.private.pem')
    chmodSync(key, 0o644)
    const { exit, stdout, stderr } = await place.sx(['audit'])
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' })
    expect(stdout).toMatch(/^CRITICAL: 1 risk, 1 of them high\n/)
    expect(stdout).toMatch(/\n {2}check permissions +FAILED\n/)
    const [, told = ''] = /\n {2}risk high +(LooseFileMode.*\n.*)\n$/.exec(stdout) ?? []
    const [place_, what = ''] = told.split('\n')
    expect(place_).toBe(`LooseFileMode  ${key}`)
    expect(what).toMatch(/^ {4}\S+ has the permissions 0644: .* \(chmod 600\)\.$/)
    chmodSync(key, 0o600)
    expect((await place.sx(['audit'])).exit).toBe(0)
  })

  it('is a stored document that was changed', async () => {
    tamper()
    const { exit, value } = await audited()
    expect(exit).toBe(1)
    expect(value).toMatchObject({
      ok: false,
      error: { code: 'BadSignature', message: 'The audit found 1 risk.' },
      overall_status: 'critical',
      summary: { high: 1, medium: 0, low: 0 },
    })
    expect(value.risks[0]).toMatchObject({ check: 'documents', severity: 'high', subject: `${documentId} (version 2)` })
    const { stdout } = await place.sx(['audit'])
    expect(stdout).toMatch(
      new RegExp(`\n  risk high +BadSignature  ${documentId} .version 2.\n    The document ${documentId} .*: The sig`),
    )
    expect(await place.sx(['audit', '--quiet'])).toEqual({
      exit: 1,
      stdout: 'CRITICAL: 1 risk, 1 of them high\n',
      stderr: '',
    })
  })

  it('is a password in the configuration, which is not printed', async () => {
    configure({ sxPrivateKeyPassword: PASSWORD })
    chmodSync(place.at('sx.config.json'), 0o600)
    const { exit, value } = await audited()
    expect({ exit, codes: codesOf(value), status: value.overall_status }).toEqual({
      exit: 1,
      codes: ['configuration PasswordInConfig'],
      status: 'warning',
    })
    const { stdout } = await place.sx(['audit'])
    expect(stdout).toMatch(/^WARNING: 1 risk\n/)
    expect(stdout).toMatch(/\n {2}check configuration +warning\n/)
    expect(stdout).toMatch(/\n {2}risk medium +PasswordInConfig {2}\S+sx\.config\.json\n {4}.*Remove it, /)
    expect(stdout + JSON.stringify(value)).not.toContain(PASSWORD)
  })

  it('is told with what can be done at the command line', async () => {
    const weak = make({ SX_PRIVATE_KEY_PASSWORD: 'shorter 9' })
    await weak.quickstart()
    const { exit, stdout } = await weak.sx(['audit'])
    expect(exit).toBe(1)
    expect(stdout).toMatch(
      /\n {2}risk medium +WeakPassword {2}environment\n {4}.*Change it with `sx agent reencrypt-key` /,
    )
    expect(stdout).not.toContain('reencryptKey')
    writeFileSync(weak.at('sx_keys', '.sx_password'), '', { mode: 0o600 })
    const empty = await weak.sx(['audit'], { env: { SX_PRIVATE_KEY_PASSWORD: undefined } })
    expect(empty.stdout).toMatch(
      /\n {2}risk high +PasswordRequired .*\n {4}The password file \S+\.sx_password is empty\. Write the password of /,
    )
  })

  it('is a password that a key record still holds, and files that others can change', async () => {
    const files = { SX_PRIVATE_KEY_PASSWORD: undefined, SX_SAVE_PASSWORD_FILE: 'true' }
    const saved = make(files)
    await saved.quickstart()
    const file = saved.at('sx_keys', '.sx_password')
    const first = readFileSync(file, 'utf8')
    writeFileSync(saved.at('new'), PASSWORD)
    const changing = { env: { SX_PRIVATE_KEY_PASSWORD: first } }
    await saved.done(['agent', 'reencrypt-key', '--new-password-file', saved.at('new')], changing)
    expect((await saved.sx(['audit'])).exit).toBe(0)
    rmSync(file)
    const { exit, stdout } = await saved.sx(['audit'], { env: { SX_PRIVATE_KEY_PASSWORD: PASSWORD } })
    expect(exit).toBe(1)
    expect(stdout).toMatch(
      /\n {2}risk medium +PasswordInRecord {2}\S+sx\.private\.pem\.2\n {4}.*`sx agent reencrypt-key`\.\n/,
    )
    expect(stdout).not.toContain(PASSWORD)
    const [data, folder] = [saved.at('sx_data'), saved.at('sx_data', 'documents')]
    for (const path of [data, folder]) chmodSync(path, 0o755)
    for (const name of readdirSync(folder)) chmodSync(`${folder}/${name}`, 0o777)
    expect((await saved.sx(['audit'])).stdout).toMatch(/\n {2}risk high +LooseFileMode {2}\S+documents.\w\w\n/)
  })

  it('counts no version as verified that is not valid', async () => {
    tamper()
    expect((await audited()).value.summary).toMatchObject({ documents: 2, verified: 2 })
  })

  it('is several things, the worst first', async () => {
    tamper()
    configure({ more: 1 })
    const { exit, value } = await audited()
    expect({ exit, codes: codesOf(value) }).toEqual({
      exit: 1,
      codes: ['documents BadSignature', 'configuration UnknownConfigField'],
    })
    expect((await place.sx(['audit', '--quiet'])).stdout).toBe('CRITICAL: 2 risks, 1 of them high\n')
  })

  it('cannot pass for a line of ours', async () => {
    const field = `${ESCAPE}[2J\nHEALTHY: no risks  ${'x'.repeat(200)}`
    configure({ [field]: 1 })
    const { stdout } = await place.sx(['audit'])
    expect(stdout).not.toContain(ESCAPE)
    expect(stdout).not.toMatch(/^HEALTHY/m)
    expect(stdout).toContain('\n  risk low             UnknownConfigField  \\u{1b}[2J\\u{a}HEALTHY')
    expect(stdout).not.toContain('x'.repeat(50))
    const { value } = await audited()
    expect(value.risks.map(({ subject }) => subject)).toEqual([field])
  })
})

describe('what could not be checked', () => {
  it('ends with 4: a password that opens nothing', async () => {
    const wrong = { SX_PRIVATE_KEY_PASSWORD: `${PASSWORD} or not` }
    const { exit, value } = await audited([], wrong)
    expect({ exit, codes: codesOf(value) }).toEqual({ exit: 4, codes: ['private_key WrongPassword'] })
    tamper()
    const both = await audited([], wrong)
    expect({ exit: both.exit, code: both.value.error?.code }).toEqual({ exit: 1, code: 'BadSignature' })
  })

  it('ends with 4: a signer that is not known', async () => {
    const foreign = make({ SX_PRIVATE_KEY_PASSWORD: PASSWORD })
    await foreign.quickstart('Foreign')
    const { value: signed } = await foreign.json(['sign'], { input: '1' })
    const id = String(signed['documentId'])
    const folder = place.at('sx_data', 'documents', id.slice(0, 2))
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${folder}/${id}.1.json`, String(signed['raw']))
    const { exit, value } = await audited()
    expect({ exit, codes: codesOf(value) }).toEqual({ exit: 4, codes: ['documents UnknownSigner'] })
    expect(value.overall_status).toBe('warning')
  })
})

describe('a call that cannot be followed', () => {
  it('ends with 2 where there is no agent, as other commands do', async () => {
    const nobody = make()
    const { exit, stdout, stderr } = await nobody.sx(['audit'])
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toBe((await nobody.sx(['list'])).stderr)
    expect(stderr).toMatch(/^sx: NotFound: There is no configuration at .*`sx quickstart`/)
    expect(await nobody.json(['audit', '--config', 'x.json'])).toMatchObject({
      exit: 2,
      value: { ok: false, error: { code: 'NotFound' } },
    })
    expect(treeOf(nobody.path)).toEqual({})
  })

  it('ends with 2 where the configuration is none, and with 1 where the agent it names is gone', async () => {
    const config = readFileSync(place.at('sx.config.json'))
    writeFileSync(place.at('sx.config.json'), '{')
    const { exit, stdout, stderr } = await place.sx(['audit'])
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toMatch(/^sx: InvalidConfig: /)
    const { value } = await audited()
    expect(value).toMatchObject({ error: { code: 'InvalidConfig' }, overall_status: 'critical' })
    writeFileSync(place.at('sx.config.json'), config)
    rmSync(place.at('sx_data'), { recursive: true })
    const gone = await audited()
    expect(gone).toMatchObject({ exit: 1, value: { overall_status: 'critical', summary: { agentId: '' } } })
    expect(gone.value.health_checks.find(({ name }) => name === 'agent')).toMatchObject({ status: 'failed' })
    const words = (await place.sx(['audit'])).stdout
    expect(words).toContain('or restore a backup with `sx restore` to another location.')
  })

  it.each([
    [['--recent', '-1']],
    [['--recent', '1.5']],
    [['--recent', 'all']],
    [['--recent', '']],
    [['--recent', '1', '--recent', '2']],
    [['--frobnicate']],
    [['document.json']],
    [['--config', 'sx_data']],
  ])('%j is a mistake', async (args) => {
    const { exit, value } = await audited(args)
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'InvalidOption' })
  })
})
