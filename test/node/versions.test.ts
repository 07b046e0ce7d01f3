// Stored documents and their versions (protocol, sections 6 and 12).
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  agentIn,
  configIn,
  dataOf,
  entryPath,
  newFolder,
  PASSWORD,
  partPath,
  refusal,
  treeOf,
  upTo,
} from './fixtures.ts'

let folder: string
let agent: SxAgent
beforeAll(async () => {
  folder = newFolder()
  await sx.create(agentIn(folder))
  agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
})

interface Document {
  sxId: string
  sxVersion: string
  sxPreviousVersion?: string
  content?: unknown
  [name: string]: unknown
}

const read = async (key: string): Promise<Document> => JSON.parse(await sx.getDocument(key))
const keyOf = ({ sxId, sxVersion }: Document): string => `${sxId}:${sxVersion}`
const fileOf = (id: string, number: number): string => entryPath(folder, id, number)

/** What is stored of a document: the entries and hints of its chain. */
function storedOf(id: string): Record<string, string> {
  const place = dirname(fileOf(id, 1))
  const names = readdirSync(place).filter((name) => name.startsWith(`${id}.`))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(place, name), 'latin1')]))
}

/** Puts what is stored of a document back to how it was. */
function restore(id: string, stored: Record<string, string>): void {
  const place = dirname(fileOf(id, 1))
  for (const name of Object.keys(storedOf(id))) rmSync(join(place, name))
  for (const [name, bytes] of Object.entries(stored)) writeFileSync(join(place, name), bytes, 'latin1')
}

/** An agent that has seen nothing yet, as one of a process that begins. */
async function freshAgent(): Promise<SxAgent> {
  const fresh = new SxAgent({ password: PASSWORD, env: {} })
  await fresh.load(configIn(folder))
  return fresh
}

/** The same, for reading alone: that is quicker. */
async function freshReader(): Promise<SxAgent> {
  const fresh = new SxAgent({ verifyOnly: true })
  await fresh.load(configIn(folder))
  return fresh
}

describe('updateDocument', () => {
  for (const form of ['async', 'sync'] as const) {
    const update = (id: string, change: object | string): sx.SignedDocument | Promise<sx.SignedDocument> =>
      form === 'async' ? sx.updateDocument(id, change) : sx.updateDocumentSync(id, change)

    it(`takes a new payload, as object or text (${form})`, async () => {
      const first = await sx.signMessage({ a: 1 })
      const second = await update(first.documentId, { a: 2 })
      expect(second.documentId).toBe(first.documentId)
      const old = JSON.parse(first.raw)
      const now = JSON.parse(second.raw)
      expect(now).toMatchObject({
        content: { a: 2 },
        sxPreviousVersion: old.sxVersion,
        sxOriginalVersion: old.sxVersion,
      })
      expect(now).toMatchObject({ sxType: old.sxType, sxLevel: old.sxLevel, sxOriginalDate: old.sxOriginalDate })
      expect(now.sxVersion).not.toBe(old.sxVersion)
      expect(now.sxVersionDate >= old.sxVersionDate).toBe(true)
      const third = await update(first.documentId, '{"a":3}')
      expect(JSON.parse(third.raw).content).toEqual({ a: 3 })
      expect(dataOf(await sx.verify(third.raw))).toEqual({ a: 3 })
    })

    it(`takes the whole document with another body (${form})`, async () => {
      const { raw, documentId } = await sx.signMessage({ a: 1 })
      const second = await update(documentId, { ...JSON.parse(raw), content: { a: 2 } })
      expect(JSON.parse(second.raw)).toMatchObject({ content: { a: 2 }, sxPreviousVersion: JSON.parse(raw).sxVersion })
      expect(dataOf(await sx.verifyById(documentId))).toEqual({ a: 2 })
    })

    it(`refuses header fields that are not those of the current version (${form})`, async () => {
      const { raw, documentId } = await sx.signMessage({ a: 1 })
      const current = JSON.parse(raw)
      const before = storedOf(documentId)
      for (const change of [
        { sxVersion: 'x' },
        { sxId: current.sxVersion },
        { sxOriginalDate: '2020-01-01T00:00:00.000Z' },
        { sxVersionDate: '2020-01-01T00:00:00.000Z' },
        { sxPreviousVersion: current.sxVersion },
        { sxSha256: '0'.repeat(64) },
        { sxSignature: { ...current.sxSignature, agentID: documentId } },
      ]) {
        await refusal(() => update(documentId, { ...current, content: { a: 2 }, ...change }), 'ReservedField')
      }
      expect(storedOf(documentId)).toEqual(before)
    })
  }

  it('by an older whole document is refused, because it was made of another version', async () => {
    const { raw, documentId } = await sx.signMessage({ a: 1 })
    await sx.updateDocument(documentId, { a: 2 })
    await refusal(() => sx.updateDocument(documentId, { ...JSON.parse(raw), content: { a: 3 } }), 'VersionConflict')
    expect(dataOf(await sx.verifyById(documentId))).toEqual({ a: 2 })
  })

  it('by exact key needs the current version', async () => {
    const first: Document = JSON.parse(await agent.createDocument('{"a":1}'))
    const second: Document = JSON.parse(await agent.updateDocument(keyOf(first), '{"a":2}'))
    expect(second['a']).toBe(2)
    const before = storedOf(first.sxId)
    await refusal(() => agent.updateDocument(keyOf(first), '{"a":3}'), 'VersionConflict')
    await refusal(() => agent.updateDocumentSync(keyOf(first), '{"a":3}'), 'VersionConflict')
    expect(storedOf(first.sxId)).toEqual(before)
    const third: Document = JSON.parse(agent.updateDocumentSync(keyOf(second), '{"a":3}'))
    expect(third.sxPreviousVersion).toBe(second.sxVersion)
    const whole = JSON.stringify({ ...third, a: 4 })
    expect(JSON.parse(await agent.updateDocument(keyOf(third), whole))['a']).toBe(4)
  })

  it('of two at the same time in one process lets one win', async () => {
    const { documentId } = await sx.signMessage({ n: 0 })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((n) => sx.updateDocument(documentId, { n })))
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(won.length).toBeGreaterThan(0)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'VersionConflict' })
    }
    let versions = 1
    for (let at = await read(documentId); at.sxPreviousVersion !== undefined; versions++)
      at = await read(`${documentId}:${at.sxPreviousVersion}`)
    expect(versions).toBe(1 + won.length)
  })

  it('of what is not there, or is not a document to update, is refused', async () => {
    const unknown = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
    const { raw, documentId } = await sx.signMessage(1)
    await refusal(() => sx.updateDocument(unknown, { a: 1 }), 'NotFound')
    await refusal(() => agent.updateDocument(`${documentId}:${unknown}`, '{"a":1}'), 'NotFound')
    await refusal(() => sx.updateDocument(sx.getAgentInfo()?.agentId ?? '', { a: 1 }), 'InvalidOption')
    await refusal(() => sx.updateDocument(documentId, { a: 1 }, ['missing.txt']), 'NotFound')
    await refusal(() => agent.createDocument('{"a":1}', 'missing.json'), 'NotFound')
    await refusal(() => agent.createDocument('{"a":1}', null, null, null, 'missing.txt'), 'NotFound')
    await refusal(() => agent.createDocument(raw), 'ReservedField')
    await refusal(() => agent.createDocument('[1]'), ['InvalidDocument', 'NotJson'])
    expect(dataOf(await sx.verifyById(documentId))).toBe(1)
  })

  it('of a stored document that was tampered with is refused', async () => {
    const { raw, documentId } = await sx.signMessage({ amount: 1 })
    const file = fileOf(documentId, 1)
    writeFileSync(file, raw.replace('"amount":1', '"amount":2'))
    const result = await sx.verifyById(documentId)
    expect(result).toMatchObject({ valid: false, data: undefined })
    await refusal(() => sx.updateDocument(documentId, { amount: 3 }), ['BadSignature', 'HashMismatch'])
    for (const damaged of ['not JSON', '', '{}', '[]', '\uFEFF{}', raw.slice(0, -1), Buffer.of(0xff, 0xfe)]) {
      writeFileSync(file, damaged)
      for (const key of [documentId, keyOf(JSON.parse(raw))]) {
        expect(await sx.verifyById(key)).toMatchObject({ valid: false, data: undefined })
        expect(sx.verifyByIdSync(key)).toMatchObject({ valid: false, data: undefined })
      }
    }
    writeFileSync(file, raw)
    expect((await sx.verifyById(documentId)).valid).toBe(true)
  })
})

describe('verifyById and getDocument', () => {
  it('mean the latest version by id, exactly that one by key', async () => {
    const first: Document = JSON.parse((await sx.signMessage({ v: 1 })).raw)
    const second: Document = JSON.parse((await sx.updateDocument(first.sxId, { v: 2 })).raw)
    for (const [key, v] of [
      [first.sxId, 2],
      [keyOf(first), 1],
      [keyOf(second), 2],
    ] as const) {
      expect(await sx.verifyById(key)).toMatchObject({ valid: true, data: { v } })
      expect(sx.verifyByIdSync(key)).toMatchObject({ valid: true, data: { v } })
      expect((await read(key)).content).toEqual({ v })
      expect(JSON.parse(agent.getDocumentSync(key)).content).toEqual({ v })
    }
    const missing = `${first.sxId}:6fa459ea-ee8a-4ca4-894e-db77e160355e`
    expect(await sx.verifyById(missing)).toMatchObject({ valid: false, code: 'NotFound', data: undefined })
    await refusal(() => sx.getDocument(missing), 'NotFound')
    expect(sx.verifyByIdSync('6fa459ea-ee8a-4ca4-894e-db77e160355e')).toMatchObject({ valid: false, code: 'NotFound' })
  })

  it('do not take one stored document for another', async () => {
    const one: Document = JSON.parse((await sx.signMessage('one')).raw)
    const two: Document = JSON.parse((await sx.signMessage('two')).raw)
    copyFileSync(fileOf(two.sxId, 1), fileOf(one.sxId, 1))
    expect(await sx.verifyById(one.sxId)).toMatchObject({ valid: false, data: undefined })
    await refusal(() => sx.getDocument(one.sxId), 'CorruptStore')
    await refusal(() => sx.getDocument(keyOf(one)), 'CorruptStore')
    await refusal(() => sx.updateDocument(one.sxId, 'three'), 'CorruptStore')
    restore(one.sxId, {})
  })

  it('do not take one stored version for another', async () => {
    const { documentId, raw } = await sx.signMessage({ v: 1 })
    const second = await sx.updateDocument(documentId, { v: 2 })
    const third = await sx.updateDocument(documentId, { v: 3 })
    const whole = storedOf(documentId)
    const key = ({ raw: text }: { raw: string }): string => keyOf(JSON.parse(text))
    for (const [from, to] of [
      [1, 3],
      [2, 3],
      [3, 1],
      [3, 2],
      [1, 2],
    ] as const) {
      restore(documentId, whole)
      copyFileSync(fileOf(documentId, from), fileOf(documentId, to))
      const wanted = key([{ raw }, second, third][to - 1] as { raw: string })
      const fresh = await freshReader()
      await refusal(() => fresh.getDocument(wanted), ['CorruptStore', 'NotFound'])
      if (to === 1) continue // the latest version is as it was, and so is the one before it
      const { message } = await refusal(() => fresh.getDocument(documentId), 'CorruptStore')
      expect(message).toContain(documentId)
    }
    await refusal(async () => (await freshAgent()).updateDocument(documentId, '{"v":4}'), 'CorruptStore')
    restore(documentId, whole)
    expect(JSON.parse(await (await freshReader()).getDocument(documentId)).content).toEqual({ v: 3 })
  })

  it('T47: an older version does not pass for the latest once a newer one was seen', async () => {
    const { documentId } = await sx.signMessage({ v: 1 })
    for (const v of [2, 3]) await sx.updateDocument(documentId, { v })
    const older = storedOf(documentId)
    const third = keyOf(await read(documentId))
    for (const v of [4, 5]) await sx.updateDocument(documentId, { v })
    const fifth = await read(documentId)

    restore(documentId, older)
    for (const key of [documentId, keyOf(fifth)]) {
      expect(await sx.verifyById(key)).toMatchObject({ valid: false, code: 'Rollback', data: undefined })
      expect(sx.verifyByIdSync(key)).toMatchObject({ valid: false, code: 'Rollback' })
      await refusal(() => sx.getDocument(key), 'Rollback')
    }
    await refusal(() => sx.updateDocument(documentId, { v: 6 }), 'Rollback')
    // Whoever has not seen the newer ones finds a store that is consistent in itself.
    const fresh = await freshReader()
    expect(JSON.parse(await fresh.getDocument(third)).content).toEqual({ v: 3 })
    expect(await fresh.getDocument(documentId)).toBe(await fresh.getDocument(third))
    await refusal(() => fresh.getDocument(keyOf(fifth)), 'NotFound')

    restore(documentId, {})
    expect(await sx.verifyById(documentId)).toMatchObject({ valid: false, code: 'Rollback' })
  })

  it('T47: another version than the one that was seen does not pass for it', async () => {
    const { documentId } = await sx.signMessage({ v: 1 })
    const older = storedOf(documentId)
    const { raw } = await sx.updateDocument(documentId, { v: 2 })
    restore(documentId, older)
    const other = await (await freshAgent()).updateDocument(documentId, '{"v":"other"}')
    for (const key of [documentId, keyOf(JSON.parse(raw))]) {
      const result = await sx.verifyById(key)
      expect(result).toMatchObject({ valid: false, data: undefined })
      expect(['Rollback', 'NotFound']).toContain(result.code)
    }
    expect(await sx.verifyById(documentId)).toMatchObject({ code: 'Rollback' })
    await refusal(() => sx.updateDocument(documentId, { v: 3 }), 'Rollback')
    expect((await sx.verify(other)).valid).toBe(true) // by itself there is nothing wrong with it
    // Neither do versions after it, which are asked for by their keys first.
    const third = await (await freshAgent()).updateDocument(documentId, '{"v":"third"}')
    const fourth = await (await freshAgent()).updateDocument(documentId, '{"v":"fourth"}')
    for (const key of [fourth, third].map((text) => keyOf(JSON.parse(text)))) {
      expect((await sx.verifyById(key)).valid).toBe(false)
      expect((await sx.verifyById(documentId)).valid).toBe(false)
    }
    expect((await (await freshReader()).verifyById(keyOf(JSON.parse(fourth)))).valid).toBe(true)
    restore(documentId, {})
  })

  it('T47: a hint that names a missing version is a Rollback for everybody', async () => {
    const { documentId, raw } = await sx.signMessage({ v: 1 })
    const second = await sx.updateDocument(documentId, { v: 2 })
    const whole = storedOf(documentId)
    rmSync(fileOf(documentId, 2))
    const fresh = await freshAgent()
    await refusal(() => fresh.getDocument(documentId), 'Rollback')
    await refusal(() => fresh.updateDocument(documentId, '{"v":3}'), 'Rollback')
    // So does the hint of that version alone, to whoever asks for it.
    rmSync(partPath(folder, documentId, 'latest'))
    await refusal(() => fresh.getDocument(keyOf(JSON.parse(second.raw))), 'Rollback')
    expect(JSON.parse(await fresh.getDocument(keyOf(JSON.parse(raw)))).content).toEqual({ v: 1 })
    restore(documentId, whole)
    expect(JSON.parse(await (await freshReader()).getDocument(documentId)).content).toEqual({ v: 2 })
  })

  it('find the latest version when its hint is behind, was lost or names no version', async () => {
    const { documentId } = await sx.signMessage({ v: 1 })
    const keys: string[] = []
    for (const v of upTo(9)) keys.push(keyOf(JSON.parse((await sx.updateDocument(documentId, { v: v + 1 })).raw)))
    const hint = partPath(folder, documentId, 'latest')
    expect(readFileSync(hint, 'utf8')).toBe('10')
    const lost = (): void => {
      for (const name of Object.keys(storedOf(documentId))) {
        if (!name.endsWith('.json')) rmSync(join(dirname(hint), name))
      }
    }
    const damages: Record<string, () => void> = {
      behind: () => writeFileSync(hint, '3'),
      'far behind': () => writeFileSync(hint, '1'),
      lost,
    }
    const NONE = ['../../x', 'x'.repeat(100), '\0', '\u00ff', '', '0', '-1', '03', '2.0', '1e1', '9007199254740993']
    for (const text of NONE) damages[JSON.stringify(text)] = () => writeFileSync(hint, text, 'latin1')
    for (const [what, damage] of Object.entries(damages)) {
      damage()
      const fresh = await freshReader()
      expect(JSON.parse(await fresh.getDocument(documentId)).content, what).toEqual({ v: 10 })
      for (const [at, key] of keys.entries()) {
        expect(JSON.parse(await fresh.getDocument(key)).content, what).toEqual({ v: at + 2 })
      }
      expect((await sx.verifyById(documentId)).valid).toBe(true)
    }
    await sx.updateDocument(documentId, { v: 11 })
    expect(readFileSync(hint, 'utf8')).toBe('11')
  })

  it('say that the store is damaged where an entry is missing that has a later one', async () => {
    const { documentId } = await sx.signMessage({ v: 1 })
    const keys: string[] = []
    for (const v of [2, 3]) keys.push(keyOf(JSON.parse((await sx.updateDocument(documentId, { v })).raw)))
    const whole = storedOf(documentId)
    rmSync(fileOf(documentId, 2))
    const fresh = await freshAgent()
    await refusal(() => fresh.getDocument(documentId), 'CorruptStore')
    await refusal(() => fresh.updateDocument(documentId, '{"v":4}'), 'CorruptStore')
    expect(existsSync(fileOf(documentId, 4))).toBe(false)
    for (const key of [documentId, ...keys]) {
      expect(sx.verifyByIdSync(key), key).toMatchObject(
        key === documentId || key === keys[1] ? { valid: true } : { valid: false, code: 'CorruptStore' },
      )
    }
    // Also without hints, and without the first one.
    for (const hint of ['latest', ...keys.map((key) => key.slice(37))]) rmSync(partPath(folder, documentId, hint))
    await refusal(async () => (await freshReader()).getDocument(documentId), 'CorruptStore')
    restore(documentId, whole)
    for (const hint of ['latest', '1.json']) rmSync(partPath(folder, documentId, hint))
    await refusal(async () => (await freshReader()).getDocument(documentId), 'CorruptStore')
    restore(documentId, whole)
  })
})

describe('createDocument', () => {
  it('stores, unless it is told not to, and copies where it is told to', async () => {
    const kept: Document = JSON.parse(await agent.createDocument('{"sxType":"invoice","a":1}'))
    expect(kept).toMatchObject({ sxType: 'invoice', a: 1 })
    expect((await sx.verifyById(kept.sxId)).valid).toBe(true)
    const before = treeOf(folder)
    const loose = await agent.createDocument('{"a":1}', null, null, true)
    expect(await agent.verifyDocument(loose)).toBe(true)
    expect(agent.verifyDocumentSync(agent.createDocumentSync('{"a":1}', null, null, true))).toBe(true)
    expect(treeOf(folder)).toEqual(before)
    const aside = await agent.createDocument('{"a":1}', null, 'aside.json', true)
    expect(readFileSync(join(folder, 'sx_data', 'output', 'aside.json'), 'utf8')).toBe(aside)
    const { sxId } = JSON.parse(aside) as Document
    await refusal(() => agent.getDocument(sxId), 'NotFound')
    const copied = await agent.createDocument('{"a":1}', null, 'copy.json')
    expect(readFileSync(join(folder, 'sx_data', 'output', 'copy.json'), 'utf8')).toBe(copied)
  })

  it('stores both the document and its copy, or neither', async () => {
    mkdirSync(join(folder, 'sx_data', 'output', 'taken.json'))
    const before = treeOf(folder)
    await refusal(() => agent.createDocument('{"a":1}', null, 'taken.json'), 'StorageUnavailable')
    await refusal(() => agent.createDocument('{"a":1}', null, '.tmp'), 'InvalidId')
    expect(treeOf(folder)).toEqual(before)
  })
})

describe('listDocuments', () => {
  it('gives the latest versions in order, in pages, by type', async () => {
    const place = newFolder()
    const { agentId } = await sx.create(agentIn(place))
    const lister = new SxAgent({ password: PASSWORD, env: {} })
    await lister.load(configIn(place))
    const made: Document[] = []
    for (let n = 0; n < 25; n++) {
      const type = n % 5 === 0 ? 'invoice' : 'note'
      made.push(JSON.parse(lister.createDocumentSync(JSON.stringify({ sxType: type, n }))))
    }
    const updated: Document = JSON.parse(await lister.updateDocument(keyOf(made[3] as Document), '{"n":100}'))
    made[3] = updated
    await sx.load(agentIn(place))

    const self: Document = JSON.parse(lister.exportAgent())
    expect(self.sxId).toBe(agentId)
    const expected = [...made, self].map(keyOf).sort()
    for (const lists of [sx.listDocuments, lister.listDocuments.bind(lister)]) {
      expect(await lists()).toEqual(expected)
      expect(await lists({})).toEqual(expected)
      for (const limit of [1, 7, 26, 1000]) {
        const pages: string[] = []
        for (;;) {
          const page = await lists({ limit, ...(pages.length > 0 && { after: pages.at(-1) as string }) })
          expect(page.length).toBeLessThanOrEqual(limit)
          pages.push(...page)
          if (page.length < limit) break
        }
        expect(pages).toEqual(expected)
      }
      expect(await lists({ limit: 0 })).toEqual([])
      expect(await lists({ type: 'agent' })).toEqual([keyOf(self)])
      expect(await lists({ type: 'nothing' })).toEqual([])
      const invoices = made
        .filter((document) => document['sxType'] === 'invoice')
        .map(keyOf)
        .sort()
      expect(await lists({ type: 'invoice' })).toEqual(invoices)
      expect(await lists({ type: 'invoice', limit: 2 })).toEqual(invoices.slice(0, 2))
      expect(await lists({ type: 'invoice', limit: 2, after: invoices[1] as string })).toEqual(invoices.slice(2, 4))
      expect(await lists({ after: (expected[9] as string).slice(0, 36) })).toEqual(expected.slice(10))
    }
    expect(sx.listDocumentsSync({ limit: 3 })).toEqual(expected.slice(0, 3))
    for (const limit of [-1, 1.5, Number.NaN]) await refusal(() => sx.listDocuments({ limit }), 'InvalidOption')
  })
})
