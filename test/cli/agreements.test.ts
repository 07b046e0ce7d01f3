// `sx agreement`, in this process: two parties with agents in files, who hand copies to each other.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import { close, quickstart } from '../../src/simple.ts'
import { type Run, run } from './agreement-run.ts'

const password = 'correct horse'
const folder = mkdtempSync(join(tmpdir(), 'sx-agreements-'))
const at = (...names: string[]): string => join(folder, ...names)
const config = (name: string): string => at(name, 'sx.config.json')

/** Runs a command for the agent of this name. */
const sx = async (name: string, ...args: string[]): Promise<Run> => await run(config(name), ...args)

async function done(name: string, ...args: string[]): Promise<string> {
  const { exit, stdout, stderr } = await sx(name, ...args)
  if (exit !== 0) throw new Error(`sx ${args.join(' ')}: exit status ${exit}: ${stdout}${stderr}`)
  return stdout
}

async function json(name: string, ...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await sx(name, '--json', ...args)).stdout) as Record<string, unknown>
}

const ids: Record<string, string> = {}

function party(name: string, more: object = {}): object {
  return { partyId: name, agentId: ids[name], role: 'signer', displayName: `${name} & Sons`, ...more }
}

let count = 0
/** A file with terms. */
function termsFile(parties: readonly object[], policy: object = {}): string {
  count += 1
  const path = at(`terms-${count}.json`)
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain', parties, policy }
  writeFileSync(path, JSON.stringify(terms))
  return path
}

/** A new agreement of both that Alice has proposed: a file with a copy. */
async function proposed(policy?: object): Promise<string> {
  const draft = at(`draft-${count}.json`)
  await done('alice', 'agreement', 'create', termsFile([party('alice'), party('bob')], policy), '-o', draft)
  const copy = at(`proposed-${count}.json`)
  await done('alice', 'agreement', 'propose', draft, '-o', copy)
  return copy
}

beforeAll(async () => {
  process.env['SX_PRIVATE_KEY_PASSWORD'] = password
  const documents: string[] = []
  for (const name of ['alice', 'bob']) {
    await quickstart({ name, domain: 'example.com', configPath: config(name), algorithm: 'ed25519', password })
    await close()
    const agent = new SxAgent({ verifyOnly: true })
    await agent.load(config(name))
    documents.push(agent.exportAgent())
    ids[name] = agent.getAgentInfo()?.agentId ?? ''
    await agent.close()
  }
  for (const [index, name] of ['bob', 'alice'].entries()) {
    const agent = new SxAgent({ verifyOnly: true })
    await agent.load(config(name))
    agent.trustAgent(documents[index] ?? '')
    await agent.close()
  }
})
afterAll(() => {
  delete process.env['SX_PRIVATE_KEY_PASSWORD']
  rmSync(folder, { recursive: true, force: true })
})

describe('two parties', () => {
  let id: string
  const copy = at('rent.json')
  const [fromAlice, fromBob, whole] = [at('alice.json'), at('bob.json'), at('whole.json')]

  it('create prints the id alone, and writes the copy', async () => {
    const { exit, stdout, stderr } = await sx(
      'alice',
      'agreement',
      'create',
      termsFile([party('alice'), party('bob')]),
      '--out',
      copy,
    )
    id = stdout.trim()
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) as string })
    expect(stderr).toContain(`written to  ${copy}`)
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toMatchObject({ terms: { sxId: id }, events: [] })
    expect(await done('alice', 'agreement', 'show', id)).toMatch(
      /^DRAFT, nobody has proposed it\n(?:.*\n)*? {2}blocked +A party has to propose it\.\n/,
    )
  })

  it('sign in two places, which is merged', async () => {
    expect(await done('alice', 'agreement', 'propose', id, '-o', copy, '--force')).toContain(
      'PROPOSED, nobody has signed',
    )
    const [one, other] = [
      await done('alice', 'agreement', 'sign', id, '--yes', '-o', fromAlice),
      await done('bob', 'agreement', 'sign', copy, '--note', 'Gladly.', '-o', fromBob),
    ]
    expect([one, other].every((text) => text.startsWith('Signed\n  status      PARTLY SIGNED\n'))).toBe(true)
    expect(await done('alice', 'agreement', 'show', fromAlice)).toMatch(
      new RegExp(
        [
          '^PARTLY SIGNED',
          `  id +${id}`,
          '  signatures  1 of 2',
          '  blocked     1 of 2 signatures count so far\\.',
          '  next        bob  signer',
          '  title       Rent',
          '',
          '  party  role    state    date +name',
          '  alice  signer  signed   [-0-9T:.]+Z  alice & Sons',
          '  bob    signer  is next  - +bob & Sons',
          '$',
        ].join('\n'),
      ),
    )
    const merged = await sx('bob', 'agreement', 'merge', fromAlice, fromBob)
    expect(await done('bob', 'agreement', 'merge', fromBob, fromAlice, fromBob)).toBe(merged.stdout)
    writeFileSync(whole, merged.stdout)
    expect(merged.stderr).toMatch(/^Merged 2 copies\n/)
    expect(JSON.parse(merged.stdout)).toMatchObject({ terms: { sxId: id } })
  })

  it('check is 0 once it is complete, and 4 before', async () => {
    const before = await sx('alice', 'agreement', 'check', fromAlice, '--json')
    expect(before.exit).toBe(4)
    expect(JSON.parse(before.stdout)).toMatchObject({ ok: false, error: { code: 'NotComplete' }, next: ['bob'] })
    const after = await sx('alice', 'agreement', 'check', whole)
    expect({ exit: after.exit, stdout: after.stdout }).toEqual({
      exit: 0,
      stdout: expect.stringMatching(/^COMPLETE\n/) as string,
    })
    expect(await done('alice', 'agreement', 'check', whole, '--quiet')).toBe('complete\n')
  })

  it('import stores it, so that its id is enough', async () => {
    expect((await sx('bob', 'agreement', 'check', id)).exit).toBe(4) // Alice's signature is not stored there
    expect(await done('bob', 'agreement', 'import', whole)).toMatch(/^Stored the agreement\n {2}status +COMPLETE\n/)
    expect((await sx('bob', 'agreement', 'check', id)).exit).toBe(0)
    const [piped, file] = [await sx('bob', 'agreement', 'show', id, '-o', '-'), readFileSync(whole, 'utf8')]
    expect(piped.stdout.trimEnd()).toBe(file.trimEnd())
    expect(piped.stderr).toMatch(/^COMPLETE\n/)
  })

  it('the certificate is JSON, or a page', async () => {
    const certificate = JSON.parse(await done('alice', 'agreement', 'certificate', whole)) as {
      lines: { partyId: string }[]
    }
    expect(certificate).toMatchObject({ title: 'Rent', sxId: id })
    expect(certificate.lines.map(({ partyId }) => partyId).sort()).toEqual(['alice', 'bob'])
    expect(await json('alice', 'agreement', 'certificate', whole)).toEqual({ ok: true, certificate })
    const page = at('certificate.html')
    await done('bob', 'agreement', 'certificate', id, '--html', '-o', page)
    const text = readFileSync(page, 'utf8')
    expect(text).toMatch(/^<!doctype html>\n[^]*<h3 dir="auto">alice &amp; Sons<\/h3>[^]*<\/html>\n$/)
    expect(text).toContain('900 a month')

    // What the page is to be compared with is what the command that it names prints.
    const [, command = ''] = /<code>sx (agreement check[^<]*)<\/code>/.exec(text) ?? []
    const checked = await done('bob', ...command.split(' '), whole)
    const facts = [...text.matchAll(/<dt>(?:Agreement hash|Event id|Key id)<\/dt><dd><code>([^<]+)</g)]
    expect(facts).toHaveLength(5)
    for (const [, fact = ''] of facts) expect(checked).toContain(fact)
  })

  it('is not signed twice', async () => {
    const { exit, stderr } = await sx('alice', 'agreement', 'sign', whole)
    expect(exit).toBe(4)
    expect(stderr).toBe(
      'sx: AlreadySigned: The party has already signed this agreement, and cannot withdraw the signature. One signature of each party is enough.\n',
    )
  })

  it('a dispute is no longer one to rely on, until it is resolved', async () => {
    const dispute = await json('alice', 'agreement', 'dispute', whole, 'The roof leaks.')
    const disputed = await sx('alice', 'agreement', 'check', id)
    expect(disputed.exit).toBe(4)
    expect(disputed.stdout).toMatch(
      new RegExp(`^COMPLETE, but disputed\n[^]*The dispute ${String(dispute['eventId'])} is not`),
    )
    const [resolved, both] = [at('resolved.json'), at('both.json')]
    await done('alice', 'agreement', 'resolve', id, String(dispute['eventId']), '-o', resolved)
    await done('bob', 'agreement', 'resolve', resolved, String(dispute['eventId']), '-o', both)
    expect((await sx('alice', 'agreement', 'check', both)).exit).toBe(0)
  })

  it('of a disputed one the certificate is made, and it is said that it is disputed', async () => {
    const policy = { quorum: { m: 1 } }
    const signed = String((await json('alice', 'agreement', 'sign', await proposed(policy)))['agreementId'])
    await done('alice', 'agreement', 'dispute', signed, 'The roof leaks.')
    const { exit, stdout, stderr } = await sx('alice', 'agreement', 'certificate', signed)
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'The agreement is no longer in effect\n  status  COMPLETE, but disputed\n',
    })
    expect(JSON.parse(stdout)).toMatchObject({ sxId: signed })
    const made = await sx('alice', '--json', 'agreement', 'certificate', signed, '--html', '-o', at('disputed.html'))
    expect(JSON.parse(made.stdout)).toMatchObject({ ok: true, status: 'disputed' })
  })

  it('ends, and another one may follow', async () => {
    const own = await json('alice', 'agreement', 'create', termsFile([party('alice')]))
    const first = String(own['agreementId'])
    for (const act of ['propose', 'sign']) await done('alice', 'agreement', act, first)
    const amended = await json('alice', 'agreement', 'amend', first, termsFile([party('alice')]))
    expect(amended).toMatchObject({ ok: true, status: 'draft', loosened: [] })
    expect(JSON.parse(String(amended['raw']))).toMatchObject({ terms: { links: [{ rel: 'amends', sxId: first }] } })
    const refused = await json('alice', 'agreement', 'supersede', first, String(amended['agreementId']))
    expect(refused['error']).toMatchObject({
      code: 'EventRefused',
      message: expect.stringContaining('(BadSuccessor)') as string,
    })
    expect(await done('alice', 'agreement', 'terminate', first, '--reason', 'Moved out.')).toContain('TERMINATED')
    expect((await json('alice', 'agreement', 'check', first))['error']).toMatchObject({ code: 'NotInEffect' })
  })
})

describe('every other act', () => {
  it.each([
    ['decline', ['--reason', 'Too much.'], 'declined'],
    ['comment', ['Please sign soon.'], 'proposed'],
  ])('%s', async (name, more, status) => {
    const answer = await json('alice', 'agreement', name, await proposed(), ...more)
    expect(answer).toMatchObject({ ok: true, status, eventId: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
  })

  it.each([
    ['delegate', ['0c4b7c6e-3f0a-4a52-9d0e-1b7a5c2f8e11', '--until', '2099-01-01'], 'NotAllowedByPolicy'],
    ['witness', [], 'WrongRole'],
    ['notarize', [], 'WrongRole'],
    ['withdraw', ['--reason', 'No.'], 'NotAllowedNow'],
  ])('%s is refused where it has no effect', async (name, more, why) => {
    const { exit, stdout } = await sx('alice', '--json', 'agreement', name, await proposed(), ...more)
    const error = { code: 'EventRefused', message: expect.stringContaining(`(${why})`) as string }
    expect({ exit, ...JSON.parse(stdout) }).toMatchObject({ exit: 4, error })
  })

  it('void is refused to a party that has not proposed, which says what fits', async () => {
    const { exit, stderr } = await sx('bob', 'agreement', 'void', await proposed())
    const found = 'Only a party that proposed the agreement can void it. (WrongRole)'
    expect({ exit, stderr }).toEqual({
      exit: 4,
      stderr: `sx: EventRefused: ${found} Run \`sx agreement decline\`, or \`sx agreement withdraw\` if you have signed. Otherwise ask a party that proposed it.\n`,
    })
  })

  it('shows the reasons of a decline and a void, escaped, and none where none was given', async () => {
    const policy = { quorum: { m: 1 } }
    const [declined, plain, voided] = [await proposed(policy), await proposed(policy), await proposed(policy)]
    const copy = at('declined.json')
    await done('bob', 'agreement', 'decline', declined, '--reason', 'Too much.\nstatus COMPLETE', '-o', copy)
    expect(await done('alice', 'agreement', 'show', copy)).toContain(
      '\n  reason      bob (decline)  Too much.\\u{a}status COMPLETE\n',
    )
    await done('bob', 'agreement', 'decline', plain)
    expect(await done('bob', 'agreement', 'show', plain)).not.toContain('\n  reason')
    await done('alice', 'agreement', 'void', voided, '--reason', 'Wrong amount.')
    expect(await done('alice', 'agreement', 'show', voided)).toMatch(/\n {2}reason +alice \(void\) {2}Wrong amount\.\n/)
  })

  it('another agent, a witness and a notary take part', async () => {
    const parties = [party('alice', { role: 'witness' }), party('bob')]
    const id = (await done('alice', 'agreement', 'create', termsFile(parties, { witnesses: 1 }))).trim()
    const [copy, signed] = [at('unwitnessed.json'), at('signed-by-bob.json')]
    await done('alice', 'agreement', 'propose', id, '-o', copy)
    await done('bob', 'agreement', 'sign', copy, '-o', signed)
    const shown = await done('alice', 'agreement', 'show', signed)
    expect(shown).toContain('  blocked     0 of 1 witnesses have signed.\n  next        alice  witness\n')
    expect(await done('alice', 'agreement', 'witness', signed, '--note', 'I was there.')).toContain('COMPLETE')

    const delegating = termsFile([party('bob'), party('alice', { role: 'notary' })], { delegation: 'listed' })
    const other = (await done('bob', 'agreement', 'create', delegating)).trim()
    const delegated = at('delegated.json')
    await done('bob', 'agreement', 'propose', other)
    await done('bob', 'agreement', 'delegate', other, ids['alice'] ?? '', '--scope', 'sign,decline', '-o', delegated)
    expect(await done('alice', 'agreement', 'notarize', delegated)).toContain('PROPOSED')
    expect(await done('alice', 'agreement', 'sign', delegated, '--for', 'bob')).toContain('COMPLETE')
    expect(await done('alice', 'agreement', 'show', other)).toMatch(/\n {2}bob +signer +signed, by a delegate /)
  })

  it('a signature is withdrawn, and the proposal taken back', async () => {
    const id = String((await json('alice', 'agreement', 'sign', await proposed()))['agreementId'])
    expect((await sx('alice', 'agreement', 'sign', id)).stderr).toBe(
      'sx: AlreadySigned: The party has already signed this agreement. To sign it again, run `sx agreement withdraw` first.\n',
    )
    expect(await done('alice', 'agreement', 'withdraw', id)).toContain('PROPOSED, nobody has signed')
    expect(await done('alice', 'agreement', 'void', id, '--reason', 'Wrong amount.')).toContain('VOIDED')
    const shown = await done('alice', 'agreement', 'show', id, '--text')
    expect(shown).toMatch(
      /^VOIDED .*\n[^]*\n {2}ignored +Withdrawn: The party has withdrawn it[^]*\n {2}\| 900 a month\n$/,
    )
  })
})

describe('refuses', () => {
  const file = (text: string): string => {
    count += 1
    writeFileSync(at(`bad-${count}.json`), text)
    return at(`bad-${count}.json`)
  }
  const UNKNOWN = '0c4b7c6e-3f0a-4a52-9d0e-1b7a5c2f8e11'

  it.each([
    ['no JSON', () => file('rent'), 1, 'InvalidAgreement'],
    ['broken JSON', () => file('{"terms":'), 1, 'NotJson'],
    ['another document', () => file('{"sxId":1}'), 1, 'InvalidAgreement'],
    ['an empty file', () => file(''), 4, 'NotJson'],
    ['an id that is not stored', () => UNKNOWN, 4, 'NotFound'],
    ['a file that is not there', () => at('none.json'), 4, 'NotFound'],
  ])('%s', async (_, named, exit, code) => {
    for (const command of ['show', 'check', 'sign', 'certificate']) {
      const run = await sx('alice', 'agreement', command, named(), '--json')
      expect({ exit: run.exit, ...JSON.parse(run.stdout) }).toMatchObject({ exit, error: { code } })
    }
  })

  it('terms that are none', async () => {
    const run = async (text: string): Promise<unknown> =>
      (await json('alice', 'agreement', 'create', file(text)))['error']
    expect(await run('[]')).toMatchObject({ code: 'InvalidTerms' })
    const none = { title: 'T', terms: 'T', termsFormat: 'text/plain', parties: [] }
    expect(await run(JSON.stringify(none))).toMatchObject({ code: 'NoParties' })
    expect(await run(JSON.stringify({ ...none, sxId: UNKNOWN }))).toMatchObject({ code: 'ReservedField' })
  })

  it('copies of two agreements', async () => {
    const { exit, stderr } = await sx('alice', 'agreement', 'merge', await proposed(), await proposed())
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringMatching(/^sx: WrongAgreement: /) as string })
  })

  it('a copy whose id is stored with other terms: in words that say so', async () => {
    const copy = await proposed()
    const { terms, ...rest } = JSON.parse(readFileSync(copy, 'utf8')) as { terms: { sxId: string } }
    const other = file(JSON.stringify({ ...rest, events: [], terms: { ...terms, title: 'Loft' } }))
    for (const command of ['import', 'show', 'check', 'sign']) {
      const { exit, stderr } = await sx('alice', 'agreement', command, other)
      expect({ command, exit, stderr }).toEqual({
        command,
        exit: 2,
        stderr: expect.stringMatching(
          new RegExp(`^sx: WrongAgreement: Other terms are stored .*/${terms.sxId}: .* out of the data directory`),
        ) as string,
      })
    }
    const { sxId } = terms
    rmSync(at('alice', 'sx_data', 'agreements', sxId.slice(0, 2), sxId), { recursive: true })
    expect((await sx('alice', 'agreement', 'show', other)).exit).toBe(0)
  })

  it('a file that is too large for an agreement, which cannot be split', async () => {
    const large = file(`{"terms":"${'x'.repeat(32 << 20)}"}`)
    for (const command of ['show', 'create', 'merge']) {
      const { exit, stderr } = await sx('alice', 'agreement', command, large)
      expect({ command, exit, stderr }).toEqual({
        command,
        exit: 4,
        stderr: expect.stringMatching(/^sx: LimitExceeded: .* Check that it is the right file\. /) as string,
      })
    }
    const terms = { title: 'T', termsFormat: 'text/plain', parties: [party('alice')], terms: '' }
    const rest = JSON.stringify(terms).length
    const most = JSON.stringify({ ...terms, terms: 'x'.repeat((32 << 20) - rest) }) // an id more is too much
    const { stderr } = await sx('alice', 'agreement', 'create', file(most))
    expect(stderr).toMatch(/^sx: LimitExceeded: .* Attach long texts as files: /)
  })

  it('an agent that is no party', async () => {
    const id = (await done('alice', 'agreement', 'create', termsFile([party('bob')]))).trim()
    const { exit, stderr } = await sx('alice', 'agreement', 'propose', id)
    expect({ exit, stderr }).toEqual({ exit: 4, stderr: expect.stringMatching(/^sx: NotAParty: .*--text/) as string })
  })

  it('a signature after the deadline', async () => {
    const signBy = Date.now() + 3_600_000
    const copy = await proposed({ signBy: new Date(signBy).toISOString() })
    expect(await done('alice', 'agreement', 'show', copy, '--now', '2020-01-01')).toMatch(/\n {2}sign by +20/)
    const later = await done('alice', 'agreement', 'show', copy, '--now', '2099-01-01')
    expect(later).toMatch(/^EXPIRED, not complete at the deadline\n/)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(signBy + 1)
    const { exit, stderr } = await sx('bob', 'agreement', 'sign', copy)
    clock.mockRestore()
    expect({ exit, stderr }).toEqual({
      exit: 4,
      stderr: expect.stringMatching(/^sx: TooLate: It is dated after the deadline/) as string,
    })
  })

  it('a certificate of what is not complete', async () => {
    const { exit, stderr } = await sx('alice', 'agreement', 'certificate', await proposed())
    expect({ exit, stderr }).toEqual({
      exit: 4,
      stderr: "sx: InvalidAgreement: The agreement is not complete. Its status is 'proposed'.\n",
    })
  })

  it('a file that is there, a date that is none, two names of one option', async () => {
    const copy = await proposed()
    const refusals = [
      ['propose', copy, '-o', copy],
      ['check', copy, '--now', 'tomorrow'],
      ['sign', copy, '-o', at('a'), '--out', at('b')],
      ['delegate', copy, UNKNOWN, '--scope', 'sign,sell'],
    ]
    for (const args of refusals) expect((await sx('alice', 'agreement', ...args)).exit).toBe(2)
  })
})

it('a copy that lacks an event is never complete', async () => {
  const copy = await proposed()
  const signed = at('lacking.json')
  await done('bob', 'agreement', 'sign', copy, '-o', signed)
  const whole = JSON.parse(readFileSync(signed, 'utf8')) as { events: { type: string }[] }
  writeFileSync(signed, JSON.stringify({ ...whole, events: whole.events.filter(({ type }) => type === 'sign') }))
  rmSync(at('alice', 'sx_data', 'agreements'), { recursive: true }) // it is the last that uses what is stored
  const { exit, stdout } = await sx('alice', 'agreement', 'check', signed)
  expect({ exit, stdout }).toEqual({
    exit: 4,
    stdout: expect.stringMatching(/, but events are missing\n[^]*\n {2}missing +event /) as string,
  })
})

it('completion offers what is stored', async () => {
  expect(await sx('alice', 'complete-ids', 'agreements')).toMatchObject({ exit: 0, stderr: '' })
})
