// Files that an event attaches after the terms: `sx agreement check` compares them, too.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compareFiles, type FileState, jsonOfFiles, mismatch, reportWithFiles } from '../../node/cli/agreement-files.ts'
import { reportOf, type State, stateOf } from '../../node/cli/agreement-state.ts'
import { textOf } from '../../node/cli/output.ts'
import { SxAgent } from '../../src/index.ts'
import { type AgreementAttachment, type AgreementCopy, create } from '../../src/simple.ts'
import { memoryStorage } from '../../src/storage/index.ts'

const password = 'correct horse battery staple'
const folder = mkdtempSync(join(tmpdir(), 'sx-attached-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (name: string, content: string): AgreementAttachment => ({
  name,
  mediaType: 'application/pdf',
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

let agent: SxAgent
let attached: AgreementCopy

/** Writes a file, into a folder where no other one is. */
function written(where: string, name: string, content: string): string {
  mkdirSync(join(folder, where), { recursive: true })
  const path = join(folder, where, name)
  writeFileSync(path, content)
  return path
}

async function compared(copy: string, ...files: string[]): Promise<{ state: State; found: FileState; shown: string }> {
  const state = await stateOf(agent, copy)
  const found = await compareFiles(state, join(folder, 'nowhere', 'copy.json'), files, {})
  return { state, found, shown: textOf(reportWithFiles(reportOf(state), found)) }
}

beforeAll(async () => {
  const storage = memoryStorage()
  await create({ name: 'Studio', storage, password, algorithm: 'ed25519' })
  agent = new SxAgent({ storage, password })
  await agent.load('./sx.config.json')
  const parties = [{ partyId: 'studio', agentId: agent.getAgentInfo()?.agentId ?? '', role: 'signer' as const }]
  const attachments = [fileOf('plan.pdf', 'a plan')]
  const terms = { title: 'Rent', terms: 'As in the plan.', termsFormat: 'text/plain' as const, parties, attachments }
  const draft = await agent.createAgreementDoc(terms, { noSave: true })
  const proposed = await agent.proposeAgreement(draft.raw, { noSave: true })
  const keys = await agent.attachToAgreement(proposed.raw, fileOf('keys.pdf', 'two keys'), { noSave: true })
  attached = await agent.attachToAgreement(keys.raw, fileOf('plan.pdf', 'a newer plan'), { noSave: true })
})

it('a file that was attached later is the same, also renamed, and the report says who attached it and when', async () => {
  for (const name of ['keys.pdf', 'renamed.bin']) {
    const file = written('later', name, 'two keys')
    const { found, shown, state } = await compared(attached.raw, file)
    expect(mismatch(found)).toBeUndefined()
    const rows = shown.split('\n').map((line) => line.trim().split(/ {2,}/))
    const later = rows.filter(([label]) => label === 'attached later')
    expect(later.map(([, file]) => file)).toEqual(['keys.pdf', 'plan.pdf'])
    expect(later[0]?.slice(4)).toEqual([`same as: ${file}`, expect.stringMatching(/^by studio, \d{4}-/)])
    expect(later[1]?.[4]).toBe('not compared')
    expect(rows.find(([label]) => label === 'attached')?.[1]).toBe('plan.pdf')
    const json = jsonOfFiles(found) as { attachedLater: { eventId: string }[] }
    expect(json).toMatchObject({
      attachments: [{ name: 'plan.pdf', comparedWith: null }],
      attachedLater: expect.arrayContaining([expect.objectContaining({ name: 'keys.pdf', comparedWith: file })]),
      otherFiles: [],
    })
    // The ids are those of the library.
    expect(state.result.events.counted).toEqual(
      expect.arrayContaining(json.attachedLater.map(({ eventId }) => eventId)),
    )
  }
})

it('a file with the name of one that was attached later, and another content, is another file', async () => {
  const file = written('other', 'keys.pdf', 'three keys')
  const { found, shown } = await compared(attached.raw, file)
  expect(found.others).toEqual([{ file, name: 'keys.pdf' }])
  expect(mismatch(found)).toMatchObject({ code: 'FileMismatch' })
  expect(shown).toMatch(/attached later +keys\.pdf .* another file/)
})

it('what is attached later does not replace an attachment of the terms', async () => {
  const newer = written('newer', 'plan.pdf', 'a newer plan')
  const { found } = await compared(attached.raw, newer)
  expect(found.others).toEqual([{ file: newer, name: 'plan.pdf' }])
  const first = written('first', 'plan.pdf', 'a plan')
  expect(mismatch((await compared(attached.raw, first)).found)).toBeUndefined()
})

it('a file is compared that lies next to the copy', async () => {
  const copy = written('beside', 'copy.json', attached.raw)
  const file = written('beside', 'keys.pdf', 'two keys')
  const found = await compareFiles(await stateOf(agent, attached.raw), copy, [], {})
  expect([...found.same.values()]).toEqual([file])
})

it('an event that somebody else has put into the copy attaches nothing', async () => {
  const { events, ...rest } = JSON.parse(attached.raw) as { events: { type: string; data: object; nonce: string }[] }
  const genuine = events.find(({ type }) => type === 'attach')
  const forged = { ...genuine, data: { attachment: fileOf('forged.pdf', 'forged') }, nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }
  const copy = JSON.stringify({ ...rest, events: [...events, forged] })
  const file = written('forged', 'forged.pdf', 'forged')
  const { found } = await compared(copy, file)
  expect(found.attachments).toHaveLength(3)
  expect(mismatch(found)).toMatchObject({ code: 'FileMismatch', message: expect.stringContaining('is not attached') })
})

it.each([
  ['NFC', 'NFD'],
  ['NFD', 'NFC'],
] as const)('a name that the terms have in %s is the same one in %s', async (form, other) => {
  const parties = [{ partyId: 'studio', agentId: agent.getAgentInfo()?.agentId ?? '', role: 'signer' as const }]
  const attachments = [fileOf('Zo\u00eb.pdf'.normalize(form), 'a plan'), fileOf('other.pdf', 'another plan')]
  const terms = { title: 'Rent', terms: 'As in the plan.', termsFormat: 'text/plain' as const, parties, attachments }
  const draft = await agent.createAgreementDoc(terms, { noSave: true })
  const { raw } = await agent.proposeAgreement(draft.raw, { noSave: true })
  const name = 'Zo\u00eb.pdf'.normalize(other)
  const same = written(`${form}-same`, name, 'a plan')
  expect([...(await compared(raw, same)).found.same.values()]).toEqual([same])
  // It has the content of another attachment, so only its name says that it is the wrong file.
  const wrong = written(`${form}-wrong`, name, 'another plan')
  const { found, shown } = await compared(raw, wrong)
  expect(found.others).toEqual([{ file: wrong, name: attachments[0]?.name }])
  expect(shown).toMatch(/\n {2}attached +Zo.* another file\n/)
  const copy = written(`${form}-wrong`, 'copy.json', raw)
  expect((await compareFiles(await stateOf(agent, raw), copy, [], {})).others).toEqual(found.others)
  expect((await compareFiles(await stateOf(agent, raw), copy, [wrong], {})).others).toEqual(found.others)
})
