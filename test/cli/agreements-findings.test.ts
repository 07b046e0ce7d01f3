// `sx agreement` of parties that do not all know each other; dates and files that are typed.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadlineOf, instantOf } from '../../node/cli/agreement-dates.ts'
import { handOutStored } from '../../node/cli/agreement-input.ts'
import { termsReport } from '../../node/cli/agreement-state.ts'
import { textOf } from '../../node/cli/output.ts'
import { SxAgent } from '../../src/index.ts'
import { type AgreementPolicy, type AgreementTerms, close, quickstart } from '../../src/simple.ts'
import { type Run, run } from './agreement-run.ts'

const password = 'correct horse'
const folder = mkdtempSync(join(tmpdir(), 'sx-findings-'))
const at = (...names: string[]): string => join(folder, ...names)
const config = (name: string): string => at(name, 'sx.config.json')
const sx = async (name: string, ...args: string[]): Promise<Run> => await run(config(name), 'agreement', ...args)

async function done(name: string, ...args: string[]): Promise<string> {
  const { exit, stdout, stderr } = await sx(name, ...args)
  if (exit !== 0) throw new Error(`sx agreement ${args.join(' ')}: exit status ${exit}: ${stdout}${stderr}`)
  return stdout
}

async function json(name: string, ...args: string[]): Promise<Record<string, unknown> & { exit: number }> {
  const { exit, stdout } = await sx(name, ...args, '--json')
  return { ...(JSON.parse(stdout) as object), exit }
}

interface Known {
  readonly agentId: string
  readonly publicKey: string
  readonly document: string
}

const agents: Record<string, Known> = {}
const idOf = (name: string): string => agents[name]?.agentId ?? ''

/** Works with the agent of this name. */
async function opened<T>(name: string, work: (agent: SxAgent) => Promise<T> | T): Promise<T> {
  const agent = new SxAgent({ password })
  await agent.load(config(name))
  try {
    return await work(agent)
  } finally {
    await agent.close()
  }
}

const known = (agent: SxAgent): Known => ({
  agentId: agent.getAgentInfo()?.agentId ?? '',
  publicKey: agent.getPublicKey(),
  document: agent.exportAgent(),
})

const trust = async (name: string, ...others: string[]): Promise<void> =>
  await opened(name, (agent) => {
    for (const other of others) agent.trustAgent(agents[other]?.document ?? '')
  })

const party = (name: string, more: object = {}): object => ({
  partyId: name,
  agentId: idOf(name),
  role: 'signer',
  ...more,
})

let count = 0
/** A file that is not there yet. */
function fresh(): string {
  count += 1
  return at(`copy-${count}.json`)
}

/** A new agreement that its first party has proposed: a file with a copy. */
async function proposed(names: readonly string[], policy: object = {}): Promise<string> {
  const [first = '', ...others] = names
  const parties = [party(first), ...others.map((name) => party(name))]
  const [terms, draft, copy] = [fresh(), fresh(), fresh()]
  writeFileSync(terms, JSON.stringify({ title: 'Rent', terms: '900', termsFormat: 'text/plain', parties, policy }))
  await done(first, 'create', terms, '-o', draft)
  await done(first, 'propose', draft, '-o', copy)
  return copy
}

beforeAll(async () => {
  process.env['SX_PRIVATE_KEY_PASSWORD'] = password
  for (const name of ['alice', 'bob', 'carol']) {
    await quickstart({ name, domain: 'example.com', configPath: config(name), algorithm: 'ed25519', password })
    await close()
    agents[name] = await opened(name, known)
  }
  await trust('alice', 'bob')
  await trust('bob', 'alice', 'carol')
  await trust('carol', 'alice', 'bob')
})
afterAll(() => {
  delete process.env['SX_PRIVATE_KEY_PASSWORD']
  rmSync(folder, { recursive: true, force: true })
})

describe('a signature of somebody whose key is not known', () => {
  it('is not stored, which import says, and is stored once the agent is trusted', async () => {
    const [copy, signed] = [await proposed(['alice', 'bob', 'carol'], { quorum: { m: 2 } }), fresh()]
    await done('carol', 'sign', copy, '-o', signed)
    const { exit, stdout, stderr } = await sx('alice', 'import', signed, '--quiet')
    const { sxId: id } = (JSON.parse(readFileSync(copy, 'utf8')) as { terms: { sxId: string } }).terms
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: `${id}\n` })
    expect(stderr).toContain(`  not stored  1 event of ${idOf('carol')}: UnknownSigner: `)
    expect(stderr).toMatch(/ Keep the file\. Trust the agent with `sx trust add` .* import the file again\.\n$/)
    expect((await sx('alice', 'import', signed)).stdout).toMatch(/^Stored the agreement, but not all events\n/)
    expect(await json('alice', 'import', signed)).toMatchObject({
      exit: 4,
      ok: false,
      error: { code: 'UnknownSigner' },
      agreementId: id,
      notStored: [{ agentId: idOf('carol'), count: 1, codes: ['UnknownSigner'] }],
    })
    // What is known of the same agreement is stored as before.
    expect(await done('alice', 'show', id)).toMatch(/^PROPOSED, /)
    expect(await json('bob', 'import', signed)).toMatchObject({ exit: 0, ok: true, notStored: [] })
  })

  it('is exit status 4 with the same advice, whether it is imported, checked or shown', async () => {
    const proposal = await proposed(['carol', 'bob'])
    const error = {
      code: 'UnknownSigner',
      message: expect.stringContaining('No key of any party is known. Confirm the key id') as string,
    }
    for (const command of ['import', 'check', 'show']) {
      expect(await json('alice', command, proposal)).toMatchObject({ exit: 4, ok: false, error })
    }
    const { stdout } = await sx('alice', 'show', proposal)
    expect(stdout).toMatch(/^NOT VERIFIED, no signer is known\n/)
    expect(stdout).toContain(`  key not known  ${idOf('carol')}\n`)
  })

  it('is named by its agent', async () => {
    const [copy, signed] = [await proposed(['alice', 'bob', 'carol'], { quorum: { m: 2 } }), fresh()]
    await done('carol', 'sign', copy, '-o', signed)
    expect(await done('alice', 'show', signed)).toContain(`  key not known  ${idOf('carol')}\n`)
    expect(await done('bob', 'show', signed)).not.toContain('key not known')
  })

  it('is left out of what is signed, which the command says', async () => {
    const [copy, signed, declined] = [await proposed(['alice', 'bob', 'carol'], { quorum: { m: 1 } }), fresh(), fresh()]
    await done('carol', 'comment', copy, 'Please sign.', '-o', signed)
    const { exit, stderr } = await sx('alice', 'comment', signed, 'When?', '-o', declined)
    expect(exit).toBe(0)
    expect(stderr).toContain(`  not verified  1 event of ${idOf('carol')}: UnknownSigner: `)
    expect(stderr).toMatch(/ Keep the file\. Trust the agent with `sx trust add` .* import the file\.\n$/)
    expect(readFileSync(declined, 'utf8')).toContain('"Please sign."')
    expect(await json('alice', 'decline', signed)).toMatchObject({
      exit: 0,
      ok: true,
      unverified: [{ agentId: idOf('carol'), count: 1, codes: ['UnknownSigner'] }],
    })
    expect(await json('bob', 'comment', signed, 'Soon.')).toMatchObject({ exit: 0, unverified: [] })
  })

  it('also if it is a new one of an agent that is trusted', async () => {
    const [copy, signed] = [await proposed(['alice', 'bob']), fresh()]
    await opened('bob', (agent) => agent.rotateKey({ password }))
    await done('bob', 'sign', copy, '-o', signed)
    const notStored = [{ agentId: idOf('bob'), count: 1, codes: ['KeyMismatch'] }]
    const before = await json('alice', 'import', signed)
    expect(before).toMatchObject({ exit: 4, error: { code: 'KeyMismatch' }, notStored })
    agents['bob'] = await opened('bob', known)
    await trust('alice', 'bob')
    expect(await json('alice', 'import', signed)).toMatchObject({ exit: 0, notStored: [], status: 'partial' })
  })

  it('and which proposes the agreement, is named where nothing can be signed or stored', async () => {
    await opened('carol', (agent) => agent.rotateKey({ password }))
    const [copy, signed] = [await proposed(['carol', 'bob', 'alice']), fresh()]
    const error = {
      code: 'InvalidAgreement',
      message: expect.stringMatching(
        /^The key of the event [0-9a-f]{64}, which proposes the agreement, is not known \(KeyMismatch\)\. .*`sx trust add`/,
      ) as string,
    }
    for (const command of ['sign', 'import']) expect(await json('bob', command, copy)).toMatchObject({ exit: 4, error })
    agents['carol'] = await opened('carol', known)
    await trust('bob', 'carol')
    await done('bob', 'sign', copy, '-o', signed)
    // Alice knows Bob, and Carol not at all.
    for (const command of ['sign', 'import']) {
      expect(await json('alice', command, signed)).toMatchObject({ exit: 4, error: { code: 'InvalidAgreement' } })
    }
  })

  it('is no failure if it is not valid', async () => {
    const [copy, signed] = [await proposed(['alice', 'bob']), fresh()]
    await done('bob', 'sign', copy, '-o', signed)
    const whole = JSON.parse(readFileSync(signed, 'utf8')) as { events: { type: string; signature: string }[] }
    for (const event of whole.events) if (event.type === 'sign') event.signature = `${'A'.repeat(86)}==`
    writeFileSync(signed, JSON.stringify(whole))
    const { exit, stdout, stderr } = await sx('alice', 'import', signed)
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: expect.stringMatching(/^Stored the agreement, but not all events\n/) as string,
    })
    expect(stderr).toContain(`  not stored  1 event of ${idOf('bob')}: BadSignature: `)
  })
})

describe('a party that is not trusted', () => {
  it('and has delegated its signature to one that is, is exit status 3', async () => {
    const [copy, delegated, signed] = [await proposed(['carol', 'bob'], { delegation: 'listed' }), fresh(), fresh()]
    await done('carol', 'delegate', copy, idOf('bob'), '-o', delegated)
    await done('bob', 'sign', delegated, '--for', 'carol')
    await done('bob', 'sign', delegated, '-o', signed)
    const directory = readdirSync(at('alice')).find((name) => name.includes('keys')) ?? ''
    writeFileSync(at('alice', directory, `${idOf('carol')}.public.pem`), agents['carol']?.publicKey ?? '')
    const { exit, stdout } = await sx('alice', 'check', signed)
    expect({ exit, stdout }).toEqual({
      exit: 3,
      stdout: expect.stringMatching(/^COMPLETE, but a signer is not trusted\n/) as string,
    })
    expect(stdout).toMatch(new RegExp(`\n {2}not trusted +${idOf('carol')}\n`))
    expect(stdout).toMatch(/\n {2}carol +signer +signed, by a delegate, not trusted +\d/)
    expect(stdout).toMatch(/\n {2}bob +signer +signed +\d/)
    expect(await json('alice', 'check', signed)).toMatchObject({
      exit: 3,
      error: { code: 'UntrustedSigner', message: expect.stringContaining(idOf('carol')) as string },
    })
    const certificate = await sx('alice', 'certificate', signed)
    expect(certificate.stderr).toBe(`A signer is not trusted\n  not trusted  ${idOf('carol')}\n`)
    expect(await json('alice', 'certificate', signed, '-o', fresh())).toMatchObject({ notTrusted: [idOf('carol')] })
    expect((await sx('bob', 'certificate', signed)).stderr).toBe('')
    expect((await sx('bob', 'check', signed)).exit).toBe(0)
  })
})

describe('a dispute that somebody has resolved who is not trusted', () => {
  it('is exit status 3', async () => {
    const policy = { quorum: { m: 1 } }
    const [copy, signed, disputed, resolved] = [await proposed(['alice', 'carol'], policy), fresh(), fresh(), fresh()]
    await done('alice', 'sign', copy, '-o', signed)
    const { eventId } = await json('carol', 'dispute', signed, 'It leaks.', '-o', disputed)
    await done('carol', 'resolve', disputed, String(eventId), '-o', resolved)
    const directory = readdirSync(at('alice')).find((name) => name.includes('keys')) ?? ''
    writeFileSync(at('alice', directory, `${idOf('carol')}.public.pem`), agents['carol']?.publicKey ?? '')
    expect(await json('alice', 'check', resolved)).toMatchObject({
      exit: 3,
      status: 'complete',
      untrusted: [idOf('carol')],
      error: { code: 'UntrustedSigner', message: expect.stringContaining(idOf('carol')) as string },
    })
    expect((await sx('carol', 'check', resolved)).exit).toBe(0)
  })
})

describe('a signature whose date no notary has confirmed yet', () => {
  it('is not passed over in silence', async () => {
    const [terms, draft, copy, signed] = [fresh(), fresh(), fresh(), fresh()]
    const parties = [party('alice'), party('carol'), party('bob', { role: 'notary' })]
    const policy = { timeProof: 'notary' }
    writeFileSync(terms, JSON.stringify({ title: 'Rent', terms: '900', termsFormat: 'text/plain', parties, policy }))
    await done('alice', 'create', terms, '-o', draft)
    await done('alice', 'propose', draft, '-o', copy)
    expect(await done('alice', 'show', copy)).toMatch(/^PROPOSED, nobody has signed\n/)
    const words = 'PROPOSED, signed, but no notary has confirmed the date yet'
    expect(await done('alice', 'sign', copy, '-o', signed)).toContain(`  status      ${words}\n`)
    const shown = await done('bob', 'show', signed)
    expect(shown.startsWith(`${words}\n`)).toBe(true)
    expect(shown).toMatch(/\n {2}alice +signer +signed, no notary has confirmed the date yet +\d{4}-/)
    expect(shown).toMatch(/\n {2}next +carol +signer\n {2}next +bob +notary\n/)
    expect(shown).toMatch(/\n {2}carol +signer +is next +-/)
    expect(await done('bob', 'import', signed)).toContain(words)
    expect(await json('bob', 'check', signed)).toMatchObject({
      exit: 4,
      unproved: [{ partyId: 'alice', by: idOf('alice') }],
      error: { message: expect.stringContaining('It is signed, but no notary has confirmed the date yet.') as string },
    })
  })
})

describe('a date', () => {
  it.each([
    ['2026-12-31', '2026-12-31T23:59:59.999Z'],
    ['2028-02-29', '2028-02-29T23:59:59.999Z'],
    ['2026-12-31T12:00Z', '2026-12-31T12:00:00.000Z'],
    ['2026-12-31T12:00:00.5+01:00', '2026-12-31T11:00:00.500Z'],
  ])('%s is %s', (text, instant) => {
    expect(instantOf('--now', text)).toBe(instant)
  })

  it.each([
    '2026-02-30',
    '2026-02-30T12:00:00Z',
    '2027-02-29',
    '2026-13-01',
    '2026-12-31T12:00:00',
    '2026-12-31T25:00Z',
    '31 Dec 2026',
    '1969-12-30',
    '2026',
    '',
  ])("'%s' is none", (text) => {
    expect(() => instantOf('--now', text)).toThrow('--now requires a date from 1970 on, such as 2026-01-31 or ')
  })

  it('of a deadline can be today, but not over', async () => {
    const today = new Date().toISOString().slice(0, 10)
    expect(deadlineOf('--until', today)).toBe(`${today}T23:59:59.999Z`)
    const [copy, delegated] = [await proposed(['alice', 'bob'], { delegation: 'listed' }), fresh()]
    const { exit, stderr } = await sx('alice', 'delegate', copy, idOf('bob'), '--until', '2020-01-01')
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: 'sx: InvalidOption: --until is in the past: 2020-01-01T23:59:59.999Z. Pass a later date.\n',
    })
    const end = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    await done('alice', 'delegate', copy, idOf('bob'), '--until', end, '-o', delegated)
    const { events } = JSON.parse(readFileSync(delegated, 'utf8')) as { events: { type: string; data: object }[] }
    const { data } = events.find(({ type }) => type === 'delegate') ?? {}
    expect(data).toMatchObject({ until: `${end}T23:59:59.999Z` })
  })

  it('of the status is the end of the day, which is after a deadline of that day', async () => {
    const copy = await proposed(['alice', 'bob'], { signBy: '2099-06-30T12:00:00.000Z' })
    expect(await done('alice', 'show', copy, '--now', '2099-06-30')).toMatch(/^EXPIRED, /)
    expect(await done('alice', 'show', copy, '--now', '2099-06-30T12:00Z')).toMatch(/^PROPOSED, /)
  })
})

describe('a copy that cannot be written', () => {
  it.runIf(process.platform === 'linux')('is refused before anything is signed or stored', async () => {
    const copy = await proposed(['alice', 'bob'])
    const { exit, stderr } = await sx('alice', 'sign', copy, '-o', '/proc/rent.json')
    expect({ exit, stderr }).toEqual({
      exit: 4,
      stderr:
        'sx: StorageUnavailable: The file /proc/rent.json cannot be written. Nothing was done. Pass another file.\n',
    })
    expect(await done('alice', 'show', copy)).toMatch(/^PROPOSED, nobody has signed\n/)
    expect((await sx('alice', 'sign', copy, '-o', fresh())).exit).toBe(0)
  })

  it.runIf(process.platform !== 'win32')('also with --force, if it is a link', async () => {
    const [copy, link] = [await proposed(['alice', 'bob']), at('link.json')]
    symlinkSync(copy, link)
    const refused = await json('alice', 'decline', copy, '-o', link, '--force')
    expect(refused).toMatchObject({ exit: 4, error: { code: 'LinkRefused' } })
    expect(await done('alice', 'show', copy)).toMatch(/^PROPOSED, nobody has signed\n/)
  })

  it('leaves nothing behind where it can be written', async () => {
    const [copy, signed] = [await proposed(['alice', 'bob']), fresh()]
    await done('alice', 'sign', copy, '-o', signed)
    expect(existsSync(signed)).toBe(true)
    expect(readdirSync(folder).filter((name) => name.startsWith('.sx-'))).toEqual([])
  })

  it('after all, although it is signed, says how to get the copy', async () => {
    const options = { output: at('none', 'rent.json'), input: false }
    const report = { rows: [] }
    await expect(handOutStored('The event is signed and stored.', 'ID', '{}', {}, report, options)).rejects.toThrow(
      / The event is signed and stored\. Do not do it again: write the copy with `sx agreement show ID -o <file>`\.$/,
    )
  })
})

describe('the policy', () => {
  const shown = (policy: AgreementPolicy, links: AgreementTerms['links'] = []): string[] =>
    textOf(termsReport({ title: 'T', terms: 't', termsFormat: 'text/plain', parties: [], policy, links }))
      .split('\n')
      .filter((line) => /^(?:rule|supersedes|amends) /.test(line))
      .map((line) => line.replace(/ {2,}/, ': '))

  it('is in words where it differs from the default', () => {
    expect(shown({ quorum: 'all', terminate: 'all', delegation: 'none', decline: 'quorum-impossible-ends' })).toEqual(
      [],
    )
    const policy = { quorum: { m: 2 }, terminate: 'any', delegation: 'listed', withdraw: 'never' } as const
    expect(shown(policy, [{ rel: 'supersedes', sxId: 'ID', sha256: '0' }])).toEqual([
      'rule: Number of parties that have to sign: 2.',
      'rule: A signature cannot be withdrawn.',
      'rule: A party can let another party sign for it.',
      'rule: One party can end the agreement while it is in effect.',
      'supersedes: ID',
    ])
    expect(shown({ quorum: { groups: { '\u001b': 1 } } })).toEqual([
      "rule: Number of parties that have to sign: 1 of '\\u{1b}'.",
    ])
  })

  it('is shown with the status', async () => {
    const copy = await proposed(['alice', 'bob'], { quorum: 'majority', terminate: 'quorum' })
    const status = await done('alice', 'show', copy)
    expect(status).toMatch(/\n {2}rule +More than half of the parties have to sign\.\n/)
    expect(status).toMatch(/\n {2}rule +A quorum of the parties can end the agreement /)
  })
})
