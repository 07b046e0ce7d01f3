// `sx list`, `show`, `history`, `update`: what is stored, and of what is stored only what is verified.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SxAgent } from '../../src/agent.ts'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
afterAll(() => place.remove())
const at = (id: string, number = 1): string => place.at('sx_data', 'documents', id.slice(0, 2), `${id}.${number}.json`)

interface Stored {
  readonly documentId: string
  readonly version: string
  readonly raw: string
}
let agentId: string
let message: Stored
let invoice: Stored
let older: string

beforeAll(async () => {
  agentId = await place.quickstart()
  message = (await place.json(['sign'], { input: '{"amount":1}' })).value as unknown as Stored
  const agent = new SxAgent({ password: 'correct horse' })
  await agent.load(place.at('sx.config.json'))
  const stored = (raw: string): Stored => {
    const { sxId, sxVersion } = JSON.parse(raw) as { sxId: string; sxVersion: string }
    return { documentId: sxId, version: sxVersion, raw }
  }
  const first = stored(await agent.createDocument('{"total":7,"sxType":"invoice"}'))
  older = `${first.documentId}:${first.version}`
  invoice = stored(await agent.updateDocument(older, '{"total":8}'))
  await agent.close()
})

describe('list', () => {
  it('has the latest versions, the agent among them, without a password', async () => {
    const { exit, value } = await place.json(['list'], { env: { SX_PRIVATE_KEY_PASSWORD: undefined } })
    const documents = value['documents'] as object[]
    expect({ exit, unreadable: value['unreadable'], count: documents.length }).toEqual({
      exit: 0,
      unreadable: [],
      count: 3,
    })
    for (const [{ documentId, version }, type] of [
      [message, 'message'],
      [invoice, 'invoice'],
    ] as const) {
      expect(documents).toContainEqual({
        documentId,
        version,
        type,
        date: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      })
    }
    expect(documents).toContainEqual(expect.objectContaining({ documentId: agentId, type: 'agent' }))
  })

  it('is one line each, and can be of one type', async () => {
    const { stdout, stderr } = await place.sx(['list', '--type', 'invoice'])
    expect(stdout).toMatch(new RegExp(`^${invoice.documentId}:${invoice.version}  invoice  \\d{4}-\\S*Z\\n$`))
    expect(stderr).toBe('')
    const none = await place.sx(['list', '--type', 'receipt'])
    expect(none).toEqual({ exit: 0, stdout: '', stderr: 'No such document is stored\n' })
  })

  it('names what cannot be read, after all others', async () => {
    const kept = readFileSync(at(message.documentId))
    writeFileSync(at(message.documentId), 'no')
    const { exit, value } = await place.json(['list'])
    const { stdout, stderr } = await place.sx(['list'])
    writeFileSync(at(message.documentId), kept)
    expect({ exit, code: value.error?.code }).toEqual({ exit: 4, code: 'CorruptStore' })
    expect(value['documents']).toHaveLength(2)
    expect(value['unreadable']).toEqual([
      { documentId: message.documentId, code: 'CorruptStore', message: expect.any(String) as string },
    ])
    expect(stdout).toContain(invoice.version)
    expect(stderr).toMatch(
      new RegExp(`^sx: CorruptStore: .* one document .*\\n  ${message.documentId}  CorruptStore: `),
    )
  })

  it('ends with 2 where there is no agent', async () => {
    const { exit, value } = await place.json(['list', '--config', 'elsewhere.json'])
    expect({ exit, code: value.error?.code }).toEqual({ exit: 2, code: 'NotFound' })
  })
})

describe('show', () => {
  const show = (...args: string[]) => place.json(['show', ...args])

  it('gives the content of the latest version, and who signed it', async () => {
    const { exit, stdout } = await place.sx(['show', invoice.documentId])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^VALID, signed by a trusted agent\n {2}key id +\S{43}\n {2}signer /)
    expect(stdout).toMatch(new RegExp(`\n  document +${invoice.documentId}:${invoice.version}\n  type +invoice\n{\n`))
    expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ total: 8 })
    expect((await show(invoice.documentId)).value).toMatchObject({
      ok: true,
      trusted: true,
      data: { total: 8 },
      ...invoice,
    })
    expect((await place.sx(['show', '--quiet', invoice.documentId])).stdout).toContain('"total": 8')
  })

  it('gives an older version by its key, and content alone for -o -', async () => {
    const { exit, value } = await show(older)
    expect({ exit, data: value['data'] }).toEqual({ exit: 0, data: { total: 7 } })
    const { stdout, stderr } = await place.sx(['show', older, '-o', '-'])
    expect(JSON.parse(stdout)).toEqual({ total: 7 })
    expect(stderr).toMatch(/^VALID, /)
    expect(stderr).not.toContain('total')
  })

  it('shows nothing of what is not verified', async () => {
    const kept = readFileSync(at(message.documentId), 'utf8')
    writeFileSync(at(message.documentId), kept.replace('"amount":1', '"amount":"forged"'))
    const { exit, value } = await show(message.documentId)
    const printed = await place.sx(['show', message.documentId])
    const output = await place.sx(['show', message.documentId, '-o', '-'])
    writeFileSync(at(message.documentId), kept)
    expect({ exit, code: value.error?.code }).toEqual({ exit: 1, code: 'BadSignature' })
    expect(printed.stdout).toMatch(/^NOT VALID\n/)
    expect(JSON.stringify(value) + printed.stdout + printed.stderr + output.stdout + output.stderr).not.toContain(
      'forged',
    )
    expect(output).toMatchObject({ exit: 1, stdout: '' })
  })

  it('shows nothing of what an agent has signed that is not trusted', async () => {
    const foreign = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    const foreignId = await foreign.quickstart('Foreign')
    const { documentId, raw } = (await foreign.json(['sign'], { input: '"foreign words"' })).value as unknown as Stored
    writeFileSync(
      place.at('sx_keys', `${foreignId}.public.pem`),
      await foreign.done(['agent', 'export', '--public-key']),
    )
    const document = await foreign.done(['agent', 'export'])
    foreign.remove()
    mkdirSync(place.at('sx_data', 'documents', documentId.slice(0, 2)), { recursive: true })
    writeFileSync(at(documentId), raw)
    const { exit, value } = await show(documentId)
    const { stdout } = await place.sx(['show', documentId])
    expect({ exit, code: value.error?.code, raw: value['raw'] }).toEqual({
      exit: 3,
      code: 'UntrustedSigner',
      raw: undefined,
    })
    expect(stdout).toMatch(/^VALID, but the signer is NOT TRUSTED\n/)
    expect(stdout).not.toContain('foreign words')
    await place.done(['trust', 'add'], { input: document })
    expect((await place.sx(['show', documentId])).stdout).toContain('foreign words')
    rmSync(at(documentId))
  })

  it('says what is not there, and what is no id', async () => {
    const nobody = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
    for (const key of [nobody, `${nobody}:${nobody}`, `${invoice.documentId}:${nobody}`]) {
      const { exit, value } = await show(key)
      expect({ exit, error: value.error }).toEqual({
        exit: 4,
        error: {
          code: 'NotFound',
          message: `The document ${key} is not in the data directory. \`sx list\` lists the stored documents.`,
        },
      })
    }
    for (const key of ['x', '../../sx.config', `${nobody}:`, '']) {
      expect(await show('--', key)).toMatchObject({ exit: 2, value: { error: { code: 'InvalidId' } } })
    }
    expect((await place.sx(['show'])).exit).toBe(2)
  })
})

describe('history', () => {
  const history = (...args: string[]) => place.json(['history', ...args])

  it('has all versions, oldest first, each in a line that show takes, without a password', async () => {
    const { exit, stdout } = await place.sx(['history', invoice.documentId], {
      env: { SX_PRIVATE_KEY_PASSWORD: undefined },
    })
    const lines = stdout.split('\n').slice(0, -1)
    const keys = lines.map((line) => /^(\S+) {2}invoice {2}\d{4}-\S*Z$/.exec(line)?.[1])
    expect({ exit, keys }).toEqual({ exit: 0, keys: [older, `${invoice.documentId}:${invoice.version}`] })
    expect((await history(invoice.documentId)).value).toMatchObject({
      ok: true,
      documentId: invoice.documentId,
      versions: [{ type: 'invoice' }, { documentId: invoice.documentId, version: invoice.version, type: 'invoice' }],
    })
  })

  it('says what is not there, what is no id, and what is damaged', async () => {
    const nobody = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
    expect(await history(nobody)).toMatchObject({ exit: 4, value: { error: { code: 'NotFound' } } })
    for (const id of ['x', older]) {
      expect(await history(id)).toMatchObject({ exit: 2, value: { error: { code: 'InvalidId' } } })
    }
    const kept = readFileSync(at(invoice.documentId))
    writeFileSync(at(invoice.documentId), 'no')
    expect(await history(invoice.documentId)).toMatchObject({ exit: 4, value: { error: { code: 'CorruptStore' } } })
    writeFileSync(at(invoice.documentId), kept)
  })
})

describe('update', () => {
  it('signs the next version of a document, from standard input and from a file', async () => {
    const { documentId } = (await place.json(['sign'], { input: '{"amount":1}' })).value as unknown as Stored
    const second = await place.json(['update', documentId], { input: '{"amount":2}' })
    expect(second).toMatchObject({
      exit: 0,
      value: { documentId, raw: expect.stringContaining('"amount":2') as string },
    })
    writeFileSync(place.at('third.json'), '{"amount":3}')
    const key = `${documentId}:${(second.value as unknown as Stored).version}`
    await place.done(['update', key, 'third.json', '-o', 'signed.json'])
    expect(JSON.parse(readFileSync(place.at('signed.json'), 'utf8'))).toMatchObject({ content: { amount: 3 } })
    expect((await place.done(['history', documentId])).split('\n')).toHaveLength(4)
    expect((await place.json(['show', documentId])).value['data']).toEqual({ amount: 3 })
    const late = await place.json(['update', key], { input: '4' })
    expect(late).toMatchObject({ exit: 4, value: { error: { code: 'VersionConflict' } } })
  })

  it('refuses what cannot be an update before it asks for a password', async () => {
    const env = { SX_PRIVATE_KEY_PASSWORD: undefined }
    const nobody = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
    const update = (args: string[], input: string) => place.json(['update', '--no-input', ...args], { input, env })
    expect(await update(['x'], '1')).toMatchObject({ exit: 2, value: { error: { code: 'InvalidId' } } })
    expect(await update([nobody], '{')).toMatchObject({ exit: 1, value: { error: { code: 'NotJson' } } })
    expect(await update([nobody], '1')).toMatchObject({ exit: 2, value: { error: { code: 'PasswordRequired' } } })
    const unknown = await place.json(['update', nobody], { input: '1' })
    expect(unknown).toMatchObject({ exit: 4, value: { error: { code: 'NotFound' } } })
  })
})
