// Files that are signed, attached and compared: real ones, and what becomes of them while they are read.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  openAsBlob,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type FileWork, SxAgent, type SxErrorCode } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scanFile } from '../../node/storage/scan.ts'
import { later, now } from '../effects.ts'
import { held } from '../memory.ts'
import { through } from '../storage/seams.ts'
import { agentIn, newFolder, refusal, treeOf } from './fixtures.ts'

const MIB = 1 << 20
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text))

let agent: SxAgent
let home: string
beforeAll(async () => {
  home = newFolder()
  agent = (await SxAgent.create(agentIn(home))).agent
  await sx.create(agentIn(newFolder(), { name: 'Simple' }))
  agent.trustAgent(sx.exportAgent())
})

let folder: string
let path: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'offer.pdf')
  writeFileSync(path, 'an offer')
})

const filesIn = (raw: string): unknown => (JSON.parse(raw) as { sxFiles?: unknown }).sxFiles

describe('verifyFile of a name with other code points', () => {
  it.each([
    ['NFC', 'NFD'],
    ['NFD', 'NFC'],
  ] as const)('takes %s and %s for the same, and changes neither', async (form, other) => {
    const name = 'Zo\u00eb.txt'.normalize(form)
    const attachments = [
      { name, data: bytesOf('the contract') },
      { name: 'draft.txt', data: bytesOf('the draft') },
    ]
    const raw = await agent.createDocument({}, { attachments, noSave: true })
    const file = (content: string) => ({ name: name.normalize(other), data: bytesOf(content) })
    const found = await agent.verifyFile(raw, file('the contract'))
    expect(found.attachment?.filename).toBe(name)
    // Without its name it would be the draft.
    expect((await agent.verifyFile(raw, file('the draft'))).code).toBe('FileMismatch')
    const asked = { name: name.normalize(other) }
    expect((await agent.verifyFile(raw, bytesOf('the contract'), asked)).valid).toBe(true)
    expect((await agent.verifyFile(raw, bytesOf('the draft'), asked)).code).toBe('FileMismatch')
  })
})

describe('describeFile', () => {
  it('gives what terms of agreements have of a file, needs no agent, and tells how far it is', async () => {
    const expected = { name: 'offer.pdf', mediaType: 'application/pdf', size: 8, sha256: sha256('an offer') }
    const empty = new SxAgent()
    const told: unknown[] = []
    const found = await empty.describeFile(path, { onProgress: (...all) => told.push(all) })
    expect(found).toEqual(expected)
    expect(Object.isFrozen(found)).toBe(true)
    expect(told).toEqual([[8, 8, path]])
    expect(empty.describeFileSync({ name: '../a/offer.pdf', data: bytesOf('an offer') })).toEqual(expected)
    await agent.createAgreementDoc(
      {
        title: 'Offer',
        terms: 'As attached.',
        termsFormat: 'text/plain',
        parties: [{ partyId: 'own', agentId: agent.getAgentInfo()?.agentId ?? '', role: 'signer' }],
        attachments: [found],
      },
      { noSave: true },
    )
  })

  it('names a file as a signed document does', async () => {
    for (const name of ['con.txt', 'a:b?.txt', 'cod\u202efdp.exe', 'Zoe\u0308.txt', '..', 'a/']) {
      const file = { name, data: bytesOf('x') }
      const { attachments } = await agent.verifyOrThrow((await agent.signFile(file, { noSave: true })).raw)
      const [{ filename, mimeType, size, hash } = { filename: '', mimeType: '', size: 0, hash: '' }] = attachments
      expect(await sx.describeFile(file)).toEqual({ name: filename, mediaType: mimeType, size, sha256: hash })
    }
  })

  it('tells the MIME type by the name where none is given', async () => {
    for (const mimeType of ['', ' ', ';charset=utf-8']) {
      const file = { name: 'table.csv', data: bytesOf('x'), mimeType }
      expect((await sx.describeFile(file)).mediaType).toBe('text/csv')
    }
  })

  it('throws for what is no file, and the reason of a signal', async () => {
    await refusal(() => sx.describeFile(join(folder, 'missing.pdf')), 'NotFound')
    await refusal(() => sx.describeFileSync(join(folder, 'missing.pdf')), 'NotFound')
    await refusal(() => sx.describeFile(bytesOf('x') as never), 'InvalidOption')
    const reason = new Error('enough')
    await expect(sx.describeFile(path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('signFile', () => {
  it('spec 4.1 signFile; 2.3 VerificationResult.attachments, Attachment.filename, Attachment.mimeType, Attachment.hash, Attachment.embedded, Attachment.content: stores only a hash, or with true the content', async () => {
    const entry = { filename: 'offer.pdf', mimeType: 'application/pdf', size: 8, sha256: sha256('an offer') }
    const attachment = { filename: 'offer.pdf', mimeType: 'application/pdf', size: 8, hash: sha256('an offer') }
    for (const [embed, held] of [
      [undefined, { embedded: false }],
      [null, { embedded: false }],
      [false, { embedded: false }],
      [true, { embedded: true, content: Buffer.from(bytesOf('an offer')) }],
    ] as const) {
      const contents = held.embedded ? { contents: btoa('an offer') } : {}
      for (const { raw, documentId } of [await sx.signFile(path, embed), sx.signFileSync(path, embed)]) {
        expect(filesIn(raw)).toEqual([{ ...entry, embedded: held.embedded, ...contents }])
        expect(await sx.getDocument(documentId)).toBe(raw)
        const result = await sx.verifyOrThrow(raw)
        expect(result).toMatchObject({ type: 'file', data: {}, warnings: [] })
        expect(result.attachments).toEqual([{ ...attachment, ...held }])
        expect(Object.isFrozen(result.attachments) && Object.isFrozen(result.attachments[0])).toBe(true)
      }
    }
    expect(readFileSync(path, 'utf8')).toBe('an offer')
  })

  it('spec 7 signFile-missing-file: throws NotFound, says which, and stores nothing', async () => {
    const before = treeOf(home)
    const missing = join(folder, 'missing.pdf')
    for (const work of [() => agent.signFile(missing), () => agent.signFileSync(missing, true)]) {
      const { found } = await refusal(work, 'NotFound')
      expect(found).toContain(missing)
    }
    expect(treeOf(home)).toEqual(before)
  })

  it('spec 8.2 "default of signFile embed: false", as option too', async () => {
    const signed = async (options?: sx.SignFileOptions): Promise<unknown> =>
      (filesIn((await agent.signFile(path, options)).raw) as { embedded: boolean }[])[0]?.embedded
    expect(await signed()).toBe(false)
    expect(await signed({})).toBe(false)
    expect(await signed({ embed: true })).toBe(true)
    const { documentId } = await agent.signFile(path, { noSave: true })
    expect(await agent.verifyById(documentId)).toMatchObject({ code: 'NotFound' })
  })

  it('takes bytes, Blobs and Files, by name, with the MIME type of the first that has one', async () => {
    const data = bytesOf('a,b')
    for (const [file, mimeType] of [
      [{ name: 'table.csv', data }, 'text/csv'],
      [{ name: 'table.CSV', data: new Blob([data]) }, 'text/csv'],
      [{ name: 'table.csv', data: new Blob([data], { type: 'text/x-table;charset=utf-8' }) }, 'text/x-table'],
      [{ name: 'table.csv', data, mimeType: 'Application/X-Table' }, 'application/x-table'],
      [new File([data], 'table.csv'), 'text/csv'],
      [new File([data], 'table.csv', { type: 'image/png' }), 'image/png'],
      [{ name: 'table', data }, 'application/octet-stream'],
      [{ name: '.csv', data }, 'text/csv'],
      [{ name: 'table.unknown', data }, 'application/octet-stream'],
    ] as const) {
      const { raw } = await agent.signFile(file, { noSave: true })
      expect((await agent.verifyOrThrow(raw)).attachments).toMatchObject([{ mimeType, hash: sha256('a,b'), size: 3 }])
    }
    const { raw } = agent.signFileSync({ name: 'x', data }, { noSave: true, embed: true })
    expect(agent.verifyOrThrowSync(raw).attachments[0]?.content).toEqual(Buffer.from(data))
  })

  it('takes bytes as they are at the call', async () => {
    const data = bytesOf('first')
    const signing = agent.signFile({ name: 'x', data }, { noSave: true })
    data.fill(0)
    expect(filesIn((await signing).raw)).toMatchObject([{ sha256: sha256('first') }])
  })

  it('reads empty files, links to files and files of the system', async () => {
    writeFileSync(path, '')
    expect(filesIn((await agent.signFile(path, true)).raw)).toMatchObject([{ size: 0, contents: '' }])
    expect(filesIn(agent.signFileSync(path).raw)).toMatchObject([{ size: 0, sha256: sha256('') }])
    const link = join(folder, 'link.txt')
    symlinkSync(path, link)
    expect(filesIn((await agent.signFile(link)).raw)).toMatchObject([{ filename: 'link.txt', size: 0 }])
    if (process.platform !== 'linux') return
    const { raw } = await agent.signFile('/proc/version', true) // whose size is said to be 0
    expect((await agent.verifyOrThrow(raw)).attachments[0]?.hash).toBe(sha256(readFileSync('/proc/version')))
  })

  it('refuses folders, devices, pipes and links that lead nowhere, without waiting', async () => {
    const refused: [string, SxErrorCode][] = [[folder, 'NotFound']]
    if (process.platform !== 'win32') {
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'))
      refused.push([pipe, 'StorageUnavailable'], ['/dev/zero', 'StorageUnavailable'])
      refused.push([join(folder, 'dangling'), 'NotFound'], [join(path, 'below'), 'NotFound'])
    }
    for (const [bad, code] of refused) {
      for (const embed of [false, true]) {
        await refusal(() => agent.signFile(bad, embed), code)
        await refusal(() => agent.signFileSync(bad, embed), code)
      }
    }
  })

  it('refuses what is no file with InvalidOption', async () => {
    const bad = ['', '\0', '\ud800', 1, null, undefined, {}, [], [path], bytesOf('x'), new Blob(['x'])]
    const parts = [
      { name: 'x' },
      { name: '', data: bytesOf('') },
      { name: 'x', data: 'text' },
      { name: 1, data: bytesOf('') },
    ]
    const more = [
      { name: '\ud800', data: bytesOf('') },
      { name: 'x', data: bytesOf(''), type: 'text/plain' },
    ]
    const types = ['pdf', 'a/b/c', 'a/', 'text/plain\r\nX: y', '', 1].map((mimeType) => ({
      name: 'x',
      data: bytesOf(''),
      mimeType,
    }))
    for (const file of [...bad, ...parts, ...more, ...types]) {
      await refusal(() => agent.signFile(file as string), 'InvalidOption')
      await refusal(() => agent.signFileSync(file as string), 'InvalidOption')
    }
    for (const embed of ['yes', 1, { embd: true }, { embed: 1 }, { signal: {} }, { onProgress: 1 }, { noSave: 'x' }]) {
      await refusal(() => agent.signFile(path, embed as unknown as boolean), 'InvalidOption')
    }
    await refusal(() => agent.signFileSync(new File(['x'], 'x')), 'InvalidOption')
    await refusal(() => new SxAgent().signFile(path), 'NoAgentLoaded')
  })

  it('says how much was read, and ends at a signal or a failing callback, with nothing stored', async () => {
    writeFileSync(path, new Uint8Array(3 * MIB + 1))
    const before = treeOf(home)
    for (const work of [
      (options: sx.SignFileOptions) => agent.signFile(path, options),
      (options: sx.SignFileOptions) => agent.signFileSync(path, options),
    ]) {
      const told: unknown[][] = []
      await work({ noSave: true, onProgress: (...given) => told.push(given) })
      expect(told).toEqual([1, 2, 3, 3 + 1 / MIB].map((n) => [n * MIB, 3 * MIB + 1, path]))
      const controller = new AbortController()
      const reason = new Error('enough')
      const stop = (): void => controller.abort(reason)
      const failure = async (options: sx.SignFileOptions): Promise<unknown> => {
        try {
          return await work(options)
        } catch (error) {
          return error
        }
      }
      expect(await failure({ signal: controller.signal, onProgress: stop })).toBe(reason)
      expect(await failure({ signal: controller.signal })).toBe(reason) // aborted already
      expect(
        await failure({
          onProgress: () => {
            throw reason
          },
        }),
      ).toBe(reason)
    }
    expect(treeOf(home)).toEqual(before)
  })

  it('ends at a signal that comes with the last report, or before there is anything to read', async () => {
    const before = treeOf(home)
    const { raw } = await agent.signFile(path, { noSave: true })
    const ending = (): FileWork => {
      const controller = new AbortController()
      return { signal: controller.signal, onProgress: () => controller.abort('enough') }
    }
    await expect(agent.signFile(path, ending())).rejects.toBe('enough')
    await expect(agent.createDocument({ a: 1 }, { attachments: [path], ...ending() })).rejects.toBe('enough')
    await expect(agent.verifyFile(raw, path, ending())).rejects.toBe('enough')
    const signal = AbortSignal.abort('enough')
    await expect(agent.createDocument({ a: 1 }, { signal })).rejects.toBe('enough')
    await expect(agent.createDocument({ a: 1 }, { attachments: [], signal })).rejects.toBe('enough')
    expect(treeOf(home)).toEqual(before)
  })

  it('takes no path that ends like one of a folder', async () => {
    for (const source of [`${path}/`, `${path}//`]) {
      await refusal(() => agent.signFile(source), ['NotFound', 'StorageUnavailable'])
    }
  })

  it('embeds what the document has room for, and refuses more before it is read', async () => {
    writeFileSync(path, '')
    truncateSync(path, 32 * MIB + 1)
    const { found } = await refusal(() => agent.signFile(path, true), 'LimitExceeded')
    expect(found).toContain(path)
    const read: string[] = []
    const fs = through((name, _, perform) => {
      read.push(name)
      return perform()
    })
    await refusal(() => now(scanFile(path, 32 * MIB, () => true, fs)), 'LimitExceeded')
    expect(read).not.toContain('read')
    expect((await agent.signFile(path)).raw).toContain(`"size":${32 * MIB + 1}`)

    const room = Math.floor((32 * MIB - 16 * 1024) / 4) * 3
    await refusal(() => agent.signFile({ name: 'x', data: new Uint8Array(room + 1) }, true), 'LimitExceeded')
    const data = new Uint8Array(room - 1024).fill(7) // what is said of the file takes room, too
    const { raw } = await agent.signFile({ name: 'x', data }, { embed: true, noSave: true })
    expect((await agent.verifyOrThrow(raw)).attachments[0]?.content?.length).toBe(data.length)
    let pieces = 0
    const file = { name: 'x', data: new Uint8Array(room - 300) }
    const options = { embed: true, noSave: true, onProgress: () => void pieces++ }
    expect((await agent.signFile(file, options)).raw).toContain('"embedded":true')
    pieces = 0
    await refusal(() => agent.signFile({ ...file, data: new Uint8Array(room) }, options), 'LimitExceeded')
    expect(pieces).toBe(0)
    const two = [data.subarray(0, room / 2), data].map((half, at) => ({ name: `${at}`, data: half }))
    await refusal(() => agent.createDocument({}, { attachments: two, embed: true }), 'LimitExceeded')
  })
})

describe('a file that changes while it is read', () => {
  /** Does something to the file after its first piece was read. */
  async function changing(change: () => void, code: SxErrorCode): Promise<void> {
    for (const run of [later, now]) {
      const fs = through((name, _, perform) => {
        const result = perform()
        if (name === 'read') {
          change()
        }
        return result
      })
      writeFileSync(path, new Uint8Array(3 * MIB))
      utimesSync(path, 1, 1)
      const scan = scanFile(path, Number.POSITIVE_INFINITY, () => true, fs)
      await refusal(() => run(scan), code)
    }
  }

  it('is FileChanged: longer, shorter, other bytes, another date, gone', async () => {
    expect.hasAssertions()
    await changing(() => appendFileSync(path, 'x'), 'FileChanged')
    await changing(() => truncateSync(path, MIB), 'FileChanged')
    await changing(() => writeFileSync(path, new Uint8Array(3 * MIB).fill(1)), 'FileChanged')
    await changing(() => {
      writeFileSync(path, new Uint8Array(3 * MIB).fill(1))
      utimesSync(path, 1, 1) // whoever hides it
    }, 'FileChanged')
    await changing(() => rmSync(path, { force: true }), 'FileChanged')
  })

  it('is another file where a folder or nothing has come', async () => {
    unlinkSync(path)
    mkdirSync(path)
    await refusal(() => agent.signFile(path), 'NotFound')
  })

  it('is FileChanged for a Blob of such a file, too', async () => {
    writeFileSync(path, new Uint8Array(MIB))
    const blob = await openAsBlob(path)
    appendFileSync(path, 'x')
    await refusal(() => agent.signFile({ name: 'x', data: blob }), ['FileChanged', 'StorageUnavailable'])
  })
})

describe('attachments', () => {
  it('spec 4.2 createDocument: attachments and embed are positional, with null for what is skipped', async () => {
    for (const raw of [
      await agent.createDocument('{"a":1}', null, null, null, path),
      agent.createDocumentSync('{"a":1}', null, null, false, path, false),
      await agent.createDocument({ a: 1 }, { attachments: path }),
    ]) {
      expect(await agent.verifyOrThrow(raw)).toMatchObject({
        data: { a: 1 },
        type: 'document',
        attachments: [{ filename: 'offer.pdf', embedded: false }],
      })
    }
    const raw = await agent.createDocument('{"a":1}', null, null, true, path, true)
    expect((await agent.verifyOrThrow(raw)).attachments[0]?.content).toEqual(Buffer.from(bytesOf('an offer')))
    const plain = await agent.createDocument('{"a":1}', null, null, true, null, true)
    expect(filesIn(plain)).toBeUndefined()
  })

  it('takes several, in order, of all kinds', async () => {
    const attachments = [path, { name: 'b.txt', data: bytesOf('b') }, new File(['c'], 'c.txt')]
    const told: string[] = []
    const onProgress = (_done: number, _total: number, name: string): void => void told.push(name)
    const raw = await agent.createDocument({ a: 1 }, { attachments, embed: true, type: 'order', onProgress })
    const result = await agent.verifyOrThrow(raw)
    expect(result.attachments.map(({ filename }) => filename)).toEqual(['offer.pdf', 'b.txt', 'c.txt'])
    expect(result).toMatchObject({ data: { a: 1 }, type: 'order' })
    expect(told).toEqual([path, 'b.txt', 'c.txt'])
    expect(filesIn(await agent.createDocument({}, { attachments: [] }))).toBeUndefined()
  })

  it('spec 4.1 updateDocument; 4.2 updateDocument: attachments are kept if left out, replaced, or taken away', async () => {
    const { documentId } = await sx.signFile(path)
    const other = join(folder, 'b.txt')
    writeFileSync(other, 'b')
    const update = async (...rest: [(string[] | string | null)?, (boolean | null)?]): Promise<unknown> => {
      const { raw } = await sx.updateDocument(documentId, { n: 1 }, ...rest)
      return (await sx.verifyOrThrow(raw)).attachments.map(({ filename, embedded }) => `${filename} ${embedded}`)
    }
    expect(await update()).toEqual(['offer.pdf false'])
    expect(await update(null, true)).toEqual(['offer.pdf false'])
    expect(await update([path, other], true)).toEqual(['offer.pdf true', 'b.txt true'])
    expect(await update(undefined)).toEqual(['offer.pdf true', 'b.txt true'])
    expect(await update(other)).toEqual(['b.txt false'])
    expect(await update([])).toEqual([])
    const key = `${documentId}:${(await sx.verifyOrThrow(await sx.getDocument(documentId))).version}`
    expect(sx.updateDocumentSync(key, { n: 2 }, [path]).raw).toContain('offer.pdf')

    const made = await agent.createDocument({ a: 1 })
    const { sxId, sxVersion } = JSON.parse(made) as { sxId: string; sxVersion: string }
    const next = await agent.updateDocument(`${sxId}:${sxVersion}`, '{"a":2}', [path, other])
    expect(await agent.verifyOrThrow(next)).toMatchObject({ data: { a: 2 }, attachments: [{}, {}] })
    const whole = { ...(JSON.parse(next) as object), a: 3 }
    const last = await agent.updateDocument(sxId, JSON.stringify(whole))
    expect(filesIn(last)).toEqual(filesIn(next))
    const forged = { ...(JSON.parse(last) as object), sxFiles: [] }
    await refusal(() => agent.updateDocument(sxId, JSON.stringify(forged)), 'ReservedField')
    await refusal(() => agent.createDocument({ sxFiles: [] }), 'ReservedField')
  })

  it('leaves the document as it was where a file cannot be read', async () => {
    const { documentId, raw } = await sx.signFile(path)
    const missing = join(folder, 'missing')
    await refusal(() => sx.updateDocument(documentId, { n: 1 }, [path, missing]), 'NotFound')
    await refusal(() => sx.updateDocument(documentId, { n: 1 }, [folder]), 'NotFound')
    await refusal(() => sx.updateDocument(documentId, { n: 1 }, path, 'yes' as unknown as boolean), 'InvalidOption')
    await refusal(() => sx.updateDocument(documentId, { n: 1 }, { sgnal: 1 } as object), 'InvalidOption')
    expect(await sx.getDocument(documentId)).toBe(raw)
    const signal = AbortSignal.abort('enough')
    const options = { attachments: path, embed: true, signal }
    await expect(sx.updateDocument(documentId, { n: 1 }, options)).rejects.toBe('enough')
    expect(await sx.getDocument(documentId)).toBe(raw)
  })

  it('T29: names of attachments are harmless, and nothing is written to a path that a document names', async () => {
    const here = newFolder()
    for (const [name, shown] of [
      ['../../etc/passwd', 'passwd'],
      ['..\\..\\boot.ini', 'boot.ini'],
      ['/etc/cron.d/job', 'job'],
      ['C:\\Users\\x\\a.txt', 'a.txt'],
      ['a.txt:stream', 'a.txt_stream'],
      ['\u001b[31mred\r\n.txt', '[31mred.txt'],
      ['invoice\u202efdp.exe', 'invoicefdp.exe'],
      ['pay\u200bpal\u{e0041}.html', 'paypal.html'],
      ['CON', '_CON'],
      ['nul.txt', '_nul.txt'],
      ['..', 'file'],
      ['name. .', 'name'],
    ] as const) {
      const { raw } = await agent.signFile({ name, data: bytesOf('x') }, { embed: true, noSave: true })
      expect((await agent.verifyOrThrow(raw)).attachments[0]?.filename, name).toBe(shown)
      expect((await agent.verifyOrThrow(raw)).warnings).toEqual([])
    }
    expect(readdirSync(here)).toEqual([])
  })
})

describe('verifyFile', () => {
  it('says that a file is the one that was signed, by its path, as bytes, Blob or File', async () => {
    const { raw } = await sx.signFile(path)
    const data = bytesOf('an offer')
    for (const file of [path, data, new Blob([data]), new File([data], 'offer.pdf'), { name: 'x', data }]) {
      const result = await agent.verifyFile(raw, file)
      expect(result).toMatchObject({ valid: true, attachment: { filename: 'offer.pdf' }, errors: [], code: undefined })
      expect(result).toMatchObject({ hash: sha256('an offer'), document: { valid: true, trusted: true } })
      expect(Object.isFrozen(result)).toBe(true)
    }
    expect(agent.verifyFileSync(raw, path).valid).toBe(true)
    expect(agent.verifyFileSync(raw, data).valid).toBe(true)
    const keys = { [JSON.parse(sx.exportAgent()).sxId]: sx.getPublicKey() }
    const alone = await new SxAgent().verifyFile(raw, path, { keys })
    expect(alone).toMatchObject({ valid: true, document: { trusted: false } })
    await refusal(() => new SxAgent().verifyFile(raw, path), 'NoAgentLoaded')
  })

  it('says that it is another one', async () => {
    const { raw } = await sx.signFile(path)
    for (const bytes of ['an Offer', 'an offer ', '']) {
      writeFileSync(path, bytes)
      const result = await agent.verifyFile(raw, path)
      expect(result).toMatchObject({ valid: false, code: 'FileMismatch', attachment: undefined, hash: sha256(bytes) })
      expect(result.errors[0]).toMatch(/^FileMismatch: /)
      expect(result.document.valid).toBe(true)
    }
  })

  it('has a valid document, or does not look at the file', async () => {
    const { raw } = await sx.signFile(path)
    const missing = join(folder, 'missing')
    const changed = raw.replace('offer.pdf', 'order.pdf')
    for (const bad of [changed, '{}', 'x', 5 as unknown as string]) {
      const { valid, code, errors } = await agent.verify(bad)
      const result = await agent.verifyFile(bad, missing)
      expect(result).toMatchObject({ valid, code, errors, hash: '', attachment: undefined, document: { valid: false } })
    }
    await refusal(() => agent.verifyFile(raw, missing), 'NotFound')
    await refusal(() => agent.verifyFile(raw, folder), 'NotFound')
    const stranger = (await SxAgent.create(agentIn(newFolder(), { name: 'Stranger' }))).agent
    expect(await stranger.verifyFile(raw, path)).toMatchObject({ valid: false, code: 'UnknownSigner' })
  })

  it('holds a file to its name where several are attached', async () => {
    const draft = join(folder, 'draft.pdf')
    writeFileSync(draft, 'a draft')
    const raw = await sx.createDocument({}, { attachments: [path, draft] })
    const verdict = async (file: sx.FileSource | Uint8Array, name?: string): Promise<unknown> => {
      const { valid, attachment, code } = await sx.verifyFile(raw, file, name === undefined ? {} : { name })
      return valid ? attachment.filename : code
    }
    expect(await verdict(path)).toBe('offer.pdf')
    expect(await verdict(draft)).toBe('draft.pdf')
    const renamed = join(folder, 'offer (1).pdf')
    copyFileSync(draft, renamed)
    expect(await verdict(renamed)).toBe('draft.pdf')
    expect(await verdict(renamed, 'draft.pdf')).toBe('draft.pdf')
    expect(await verdict(renamed, 'offer.pdf')).toBe('FileMismatch')
    expect(await verdict(renamed, 'other.pdf')).toBe('NotFound')
    expect(await verdict(bytesOf('a draft'))).toBe('draft.pdf')
    expect(await verdict(bytesOf('a draft'), 'offer.pdf')).toBe('FileMismatch')
    copyFileSync(draft, path) // the draft in the place of the offer
    expect(await verdict(path)).toBe('FileMismatch')
    expect(await verdict(bytesOf('none of them'))).toBe('FileMismatch')
    await refusal(() => sx.verifyFile(raw, path, { name: '' }), 'InvalidOption')
    await refusal(() => sx.verifyFile(raw, path, { nme: 'x' } as object), 'InvalidOption')
    await refusal(() => sx.verifyFile(raw, 5 as unknown as string), 'InvalidOption')
    const none = (await sx.signMessage('x')).raw
    expect(await sx.verifyFile(none, path)).toMatchObject({ valid: false, code: 'NotFound', document: { valid: true } })
  })

  it('ends at a signal', async () => {
    const { raw } = await sx.signFile(path)
    const signal = AbortSignal.abort('enough')
    await expect(sx.verifyFile(raw, path, { signal })).rejects.toBe('enough')
    const told: number[] = []
    await sx.verifyFile(raw, path, { onProgress: (done) => told.push(done) })
    expect(told).toEqual([8])
  })
})

it('reads a file of any size in constant memory', async () => {
  const size = 300 * MIB
  writeFileSync(path, '')
  truncateSync(path, size)
  const before = held()
  let most = 0
  let next = 0
  const onProgress = (done: number): void => {
    if (done < next && done < size) return
    most = Math.max(most, held() - before)
    next = done === size ? 0 : done + 30 * MIB
  }
  const { raw } = await agent.signFile(path, { onProgress })
  expect((await agent.verifyFile(raw, path, { onProgress })).attachment?.size).toBe(size)
  expect((await agent.verifyFile(raw, await openAsBlob(path), { onProgress })).valid).toBe(true)
  expect(most).toBeLessThan(64 * MIB) // the benchmark measures what the process takes
})
