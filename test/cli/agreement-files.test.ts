// Files that are attached to agreements, and the document that authorises a delegate.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse battery staple' })
let agentId: string

function writeTerms(more: object = {}): void {
  const parties = [{ partyId: 'studio', agentId, role: 'signer' }]
  const terms = { title: 'Rent', terms: 'As in the plan.', termsFormat: 'text/plain', parties, ...more }
  writeFileSync(place.at('terms.json'), JSON.stringify(terms))
}

/** A copy that is complete, of terms with these files. */
async function signed(...files: string[]): Promise<void> {
  await place.done(['agreement', 'create', 'terms.json', ...files, '-o', 'rent.json', '--force'])
  await place.done(['agreement', 'propose', 'rent.json', '-o', 'rent.json', '--force'])
  await place.done(['agreement', 'sign', 'rent.json', '-o', 'rent.json', '--force'])
}

beforeAll(async () => {
  agentId = await place.quickstart('Studio')
  mkdirSync(place.at('files'))
  mkdirSync(place.at('copies'))
  writeFileSync(place.at('files', 'plan.pdf'), 'a plan')
  writeFileSync(place.at('files', 'keys.txt'), 'two keys')
  writeTerms()
  await signed('files/plan.pdf', 'files/keys.txt')
})
afterAll(() => place.remove())

it('create binds files by their name, type, size and hash', () => {
  const { terms } = JSON.parse(readFileSync(place.at('rent.json'), 'utf8')) as { terms: object }
  expect(terms).toMatchObject({
    attachments: [
      {
        name: 'plan.pdf',
        mediaType: 'application/pdf',
        size: 6,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
      { name: 'keys.txt', mediaType: 'text/plain', size: 8 },
    ],
  })
})

it('create refuses a name that comes twice, what is no file, and terms that are none', async () => {
  const create = async (...args: string[]): Promise<{ exit: number | null; value: unknown }> =>
    await place.json(['agreement', 'create', ...args])
  writeTerms({ attachments: [{ name: 'plan.pdf', mediaType: 'application/pdf', size: 1, sha256: '0'.repeat(64) }] })
  expect(await create('terms.json', 'files/plan.pdf')).toMatchObject({ value: { error: { code: 'InvalidTerms' } } })
  expect(await create('terms.json', 'files/none.pdf')).toMatchObject({
    exit: 4,
    value: { error: { code: 'NotFound' } },
  })
  expect(await create('terms.json', 'files')).toMatchObject({ exit: 4, value: { error: { code: 'NotFound' } } })
  writeFileSync(place.at('twice.json'), '{"title":"a","title":"b"}')
  expect(await create('twice.json', 'files/plan.pdf')).toMatchObject({ value: { error: { code: 'DuplicateKey' } } })
  writeTerms()
})

it('check compares files that are passed, also renamed ones, and says which were not compared', async () => {
  const none = await place.sx(['agreement', 'check', 'rent.json'])
  expect(none.exit).toBe(0)
  expect(none.stdout).toMatch(/^COMPLETE\n(?:.*\n)* {2}attached +plan\.pdf +6 bytes +application\/pdf +not compared\n/)
  expect(await place.done(['--quiet', 'agreement', 'check', 'rent.json'])).toContain(
    '; not compared: plan.pdf, keys.txt\n',
  )
  copyFileSync(place.at('files', 'plan.pdf'), place.at('renamed.bin'))
  const one = await place.json(['agreement', 'check', 'rent.json', 'renamed.bin'])
  expect(one).toMatchObject({
    exit: 0,
    value: {
      ok: true,
      attachments: [
        { name: 'plan.pdf', comparedWith: 'renamed.bin' },
        { name: 'keys.txt', comparedWith: null },
      ],
      otherFiles: [],
    },
  })
  const both = await place.done(['agreement', 'check', 'rent.json', 'files/plan.pdf', 'files/keys.txt'])
  expect(both).toContain('same as: files/plan.pdf')
  expect(both).not.toContain('not compared')
})

it('check fails for another file, whether it has the name of an attachment or not', async () => {
  writeFileSync(place.at('plan.pdf'), 'another plan')
  const passed = await place.json(['agreement', 'check', 'rent.json', 'plan.pdf'])
  expect(passed).toMatchObject({ exit: 1, value: { ok: false, error: { code: 'FileMismatch' } } })
  // A file with the name of an attachment, next to the copy, is compared although nobody passes it.
  const { exit, stdout } = await place.sx(['agreement', 'check', 'rent.json'])
  expect(exit).toBe(1)
  expect(stdout).toMatch(/^COMPLETE, but a file is not attached to it\n/)
  expect(stdout).toMatch(/\n {2}attached +plan\.pdf .* another file\n/)
  rmSync(place.at('plan.pdf'))
  expect((await place.sx(['agreement', 'check', 'rent.json', 'terms.json'])).stdout).toContain('NOT ATTACHED')
  copyFileSync(place.at('files', 'plan.pdf'), place.at('copies', 'plan.pdf'))
  copyFileSync(place.at('rent.json'), place.at('copies', 'rent.json'))
  const beside = await place.done(['agreement', 'check', 'copies/rent.json'])
  expect(beside).toContain('same as: copies/plan.pdf')
})

it('check takes no name of an attachment for a path', async () => {
  const sha256 = '0'.repeat(64)
  writeTerms({ attachments: [{ name: '../rent.json', mediaType: 'text/plain', size: 1, sha256 }] })
  await signed()
  copyFileSync(place.at('rent.json'), place.at('copies', 'other.json'))
  const found = await place.json(['agreement', 'check', 'copies/other.json'])
  expect(found).toMatchObject({ exit: 0, value: { attachments: [{ comparedWith: null }], otherFiles: [] } })
  writeTerms()
})

it('delegate names the document that authorises it, if that is valid', async () => {
  writeTerms({ policy: { delegation: 'document' } })
  await place.done(['agreement', 'create', 'terms.json', '-o', 'draft.json'])
  await place.done(['agreement', 'propose', 'draft.json', '-o', 'proposed.json'])
  writeFileSync(place.at('power.json'), '{"power":"of attorney"}')
  await place.done(['sign', 'power.json', '-o', 'power.signed.json'])
  const to = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
  const delegate = ['agreement', 'delegate', 'proposed.json', to]
  expect(await place.json(delegate)).toMatchObject({ value: { error: { code: 'EventRefused' } } })
  const power = readFileSync(place.at('power.signed.json'), 'utf8')
  writeFileSync(place.at('forged.json'), power.replace('of attorney', 'of everything'))
  expect(await place.json([...delegate, '--document', 'forged.json'])).toMatchObject({ exit: 1, value: { ok: false } })
  await place.done([...delegate, '--document', 'power.signed.json', '-o', 'delegated.json'])
  const { events } = JSON.parse(readFileSync(place.at('delegated.json'), 'utf8')) as {
    events: readonly { type: string; data: { document?: object } }[]
  }
  const { sxId, sxVersion, sxSha256: sha256 } = JSON.parse(power) as Record<string, string>
  expect(events.find(({ type }) => type === 'delegate')?.data.document).toEqual({ sxId, sxVersion, sha256 })
})
