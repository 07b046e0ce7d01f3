// Every method of an agent in a thread. It runs dist, since threads start files.
import '../patience.ts'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CreateAgreementOptions, SxAgent } from 'sx-agent'
import type * as workerEntry from 'sx-agent/worker'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tables } from '../../scripts/surfaces/tables.mjs'
import { agreementsBy, argumentsOf } from '../conformance/cases/twins.mjs'
import { HANGING } from '../pace.ts'
import { newFolder, PASSWORD } from './fixtures.ts'

const file = fileURLToPath(new URL('../../dist/node/worker.js', import.meta.url))
const { createWorkerAgent } = (await import(/* @vite-ignore */ file)) as typeof workerEntry

const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })

let configPath: string
let agent: workerEntry.WorkerAgent
beforeEach(async () => {
  configPath = `${newFolder()}/sx.config.json`
  agent = await createWorkerAgent({ password: PASSWORD })
  await agent.quickstart({ name: 'Billing', domain: 'example.com', algorithm: 'ed25519', configPath })
})
afterEach(() => agent.close())

/** What makes an agreement or an event of one. */
const twinsOfActs = tables.agent.twins.filter(
  (name) =>
    /^(?:create|propose|sign|decline|withdraw|void|commentOn|attachTo|delegate|witness|notarize|dispute|resolve|terminate|amend|supersede)(?:Agreement(?:Doc)?|Signature|Signing|Dispute)$/.test(
      name,
    ) && !['createAgreement', 'signAgreement'].includes(name),
)

type Agents = workerEntry.WorkerAgent | SxAgent

/** Where a result can be changed. */
function notFrozen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  const own = Object.isFrozen(value) ? [] : [path]
  return [...own, ...Object.entries(value).flatMap(([name, member]) => notFrozen(member, `${path}/${name}`))]
}

describe('an agent in a thread', () => {
  it('gives what every method gives', async () => {
    const own = await agent.exportAgent()
    const { sxId: agentId } = JSON.parse(own) as { sxId: string }
    const other = await createWorkerAgent({ password: PASSWORD })
    await other.quickstart({
      name: 'Other',
      domain: 'example.com',
      algorithm: 'ed25519',
      configPath: `${newFolder()}/sx.config.json`,
    })
    const othersText = await other.exportAgent()
    const { sxId: otherId } = JSON.parse(othersText) as { sxId: string }
    await other.close()
    const key = new TextEncoder().encode(await agent.getPublicKey())
    const signed = await agent.createDocument({ a: 1 })
    const { sxId: id, sxVersion: version } = JSON.parse(signed) as { sxId: string; sxVersion: string }
    const place = `${newFolder()}/sx.config.json`
    const signedText = async () => (await agent.signText({ text: 'Dear all' })) as Uint8Array<ArrayBuffer>
    const photo = new Uint8Array(readFileSync(new URL('../../wasm/media/tests/data/texture.jpg', import.meta.url)))
    const signedImage = async () => (await agent.signImage(photo, null, { robust: true })) as Uint8Array<ArrayBuffer>
    const file = { name: 'a.txt', data: new Blob(['Dear all']) }
    const signedFile = async () => (await agent.signFile(file, { noSave: true })).raw
    const valid = expect.objectContaining({ valid: true })
    let signedCopy = ''
    const askedToSign = async (options: CreateAgreementOptions): Promise<string> =>
      agent.createAgreement((await agent.signMessage(1, { noSave: true })).raw, [agentId], options)
    const works: Partial<Record<keyof workerEntry.WorkerAgent, () => Promise<unknown>>> = {
      isLoaded: async () => expect(await agent.isLoaded()).toBe(true),
      getAgentInfo: async () => expect(await agent.getAgentInfo()).toMatchObject({ agentId, name: 'Billing' }),
      getPublicKey: async () => expect(await agent.getPublicKey()).toContain('PUBLIC KEY'),
      exportAgent: async () => expect(await agent.exportAgent()).toBe(own),
      refresh: async () => expect(await agent.refresh()).toBe(undefined),
      verifySelf: async () => expect(await agent.verifySelf()).toEqual(valid),
      verifyAgent: async () => expect(await agent.verifyAgent()).toBe(true),
      createDocument: async () =>
        expect(JSON.parse(await agent.createDocument('{"b":2}', { noSave: true, type: 'order' }))).toMatchObject({
          b: 2,
          sxType: 'order',
        }),
      createDocuments: async () => {
        const made = await agent.createDocuments([{ b: 2 }, '{"b":3}'], { noSave: true, type: 'order' })
        expect(made.map((one) => JSON.parse(one) as object)).toMatchObject([{ b: 2, sxType: 'order' }, { b: 3 }])
        await expect(agent.createDocuments([{}, new Date(0)])).rejects.toMatchObject({ code: 'NotJson', index: 1 })
        await expect(agent.createDocuments(['{}', '{}', '[]'])).rejects.toMatchObject({ index: 2 })
        const { signal } = new AbortController()
        const stop = new AbortController()
        const before = await agent.listDocuments()
        const onProgress = (): void => stop.abort('enough')
        const list = Array.from({ length: 50 }, (_, at) => ({ at }))
        await expect(agent.createDocuments(list, { signal: stop.signal, onProgress })).rejects.toBe('enough')
        expect(await agent.listDocuments()).toEqual(before)
        const told: string[] = []
        const note = (done: number, total: number): unknown => told.push(`${done}/${total}`)
        expect(await agent.createDocuments(['{}'], { noSave: true, signal, onProgress: note })).toHaveLength(1)
        expect(told).toEqual(['1/1'])
      },
      signMessages: async () => {
        const made = await agent.signMessages([['x'], null], { noSave: true })
        expect(made.map(({ raw }) => JSON.parse(raw) as object)).toMatchObject([{ content: ['x'] }, { content: null }])
        expect(made.every((one) => Object.isFrozen(one))).toBe(true)
        await expect(agent.signMessages([1, 2n])).rejects.toMatchObject({ code: 'NotJson', index: 1 })
      },
      signMessage: async () =>
        expect(JSON.parse((await agent.signMessage(['x', null], { noSave: true })).raw)).toMatchObject({
          content: ['x', null],
        }),
      getDnsRecord: async () => expect(await agent.getDnsRecord('example.com')).toContain(agentId),
      getWellKnownJson: async () => expect(await agent.getWellKnownJson()).toMatchObject({ agentId }),
      signArtifact: async () => expect(await agent.signArtifact('1', 'result')).toContain('"sxType":"result"'),
      // oxlint-disable-next-line typescript/no-deprecated -- it works until it is gone
      wrapA2aArtifact: async () => expect(await agent.wrapA2aArtifact('1', 'result')).toContain('"sxType":"result"'),
      verifyArtifact: async () =>
        expect(await agent.verifyArtifact(await agent.signArtifact('1', 'result'))).toEqual(valid),
      createAgreement: async () => {
        const asked = await askedToSign({ question: 'Do you?', quorum: 1 })
        expect(JSON.parse(asked)).toMatchObject({ sxAgreement: { question: 'Do you?', quorum: 1, signatures: [] } })
        await expect(askedToSign({ quorum: 2 })).rejects.toMatchObject({ code: 'InvalidOption' })
      },
      signAgreement: async () => {
        const agreed = await agent.signAgreement(await askedToSign({}))
        expect(await agent.signAgreement(agreed, { refuseSigned: false })).toBe(agreed)
      },
      checkAgreement: async () => {
        const asked = await askedToSign({})
        const copies = [asked, await agent.signAgreement(asked)]
        expect(JSON.parse(await agent.checkAgreement(copies))).toMatchObject({ status: 'complete' })
      },
      importDocument: async () => {
        const { raw, documentId } = await agent.signMessage(1, { noSave: true })
        expect(await agent.importDocument([raw])).toContain(documentId)
      },
      signRequest: async () => {
        expect(await agent.signRequest({ a: 1 })).toContain('"content":{"a":1}')
        await expect(agent.signRequest(new Date(0))).rejects.toMatchObject({ code: 'NotJson' })
      },
      buildRequestAuthHeader: async () => {
        const header = await agent.buildRequestAuthHeader('POST', 'https://example.com/', '{}', 'https://example.com')
        expect(header).toMatch(/^SX v2\.[\w-]+\.[\w-]+$/)
      },
      verifyResponse: async () =>
        expect(await agent.verifyResponse(await agent.signRequest({ a: 1 }))).toEqual({ payload: { a: 1 } }),
      verifyResponseWithAgentId: async () =>
        expect(await agent.verifyResponseWithAgentId(await agent.signRequest(1))).toEqual({ payload: 1, agentId }),
      inspect: async () => expect(await agent.inspect(signed)).toMatchObject({ documentId: id.split(':')[0], agentId }),
      verifyMany: async () => expect(await agent.verifyMany([signed, '{}'])).toMatchObject([{ valid: true }, {}]),
      signString: async () => expect(await agent.signString('x')).toMatch(/^[\w+/]+=*$/),
      verifyString: async () =>
        expect(await agent.verifyString('x', await agent.signString('x'), key, 'ed25519')).toBe(true),
      signText: async () => expect(new TextDecoder().decode(await signedText())).toContain('Dear all'),
      verifyText: async () => expect(await agent.verifyText(await signedText())).toEqual(valid),
      signFile: async () => expect(JSON.parse(await signedFile())).toMatchObject({ sxFiles: [{ filename: 'a.txt' }] }),
      verifyFile: async () => expect(await agent.verifyFile(await signedFile(), file)).toEqual(valid),
      signImage: async () => expect((await signedImage()).length).toBeGreaterThan(photo.length),
      verifyImage: async () => expect(await agent.verifyImage(await signedImage())).toEqual(valid),
      imageCapacity: async () =>
        expect(await agent.imageCapacity(new Blob([photo]))).toMatchObject({ supported: true, neededBits: 3152 }),
      stripImageSignature: async () =>
        expect(await agent.stripImageSignature(new Blob([photo]))).toBeInstanceOf(Uint8Array),
      trustAgent: async () => expect(await agent.trustAgent(othersText)).toMatchObject({ agentId: otherId }),
      isTrusted: async () => expect(await agent.isTrusted(otherId)).toBe(true),
      listTrustedAgents: async () => expect(await agent.listTrustedAgents()).toEqual([otherId]),
      getTrustedAgent: async () => expect(await agent.getTrustedAgent(otherId)).toBe(othersText),
      untrustAgent: async () => {
        await agent.untrustAgent(otherId)
        expect(await agent.listTrustedAgents()).toEqual([])
      },
      updateDocument: async () => expect(JSON.parse(await agent.updateDocument(id, '{"a":2}'))).toMatchObject({ a: 2 }),
      updateAgent: async () =>
        expect(JSON.parse(await agent.updateAgent({ ...(JSON.parse(own) as object), name: 'Renamed' }))).toMatchObject({
          name: 'Renamed',
        }),
      exportStore: async () => {
        const backup = await agent.exportStore({ password: `${PASSWORD} again` })
        expect(JSON.parse(new TextDecoder().decode(backup))).toMatchObject({ sxBackup: 1 })
      },
      importStore: async () =>
        expect(await agent.importStore(await agent.exportStore(), { configPath: place })).toMatchObject({ agentId }),
      verifyBackup: async () =>
        expect(await agent.verifyBackup(await agent.exportStore())).toMatchObject({ agentId, name: 'Renamed' }),
      listKeys: async () => expect(await agent.listKeys()).toMatchObject([{ algorithm: 'ed25519' }]),
      flush: async () => expect(await agent.flush()).toBeUndefined(),
      createRevocation: async () => expect(await agent.createRevocation()).toContain('"reason":"compromised"'),
      rotateKey: async () => expect(await agent.rotateKey()).toMatchObject({ algorithm: 'ed25519' }),
      revokeKey: async () => {
        const { keyIds = [] } = (await agent.getAgentInfo()) ?? {}
        expect(await agent.revokeKey(keyIds[0] ?? '', { reason: 'compromised' })).toContain('"reason":"compromised"')
      },
      exportKey: async () => expect(await agent.exportKey({ password: 'x' })).toContain('ENCRYPTED PRIVATE KEY'),
      signAgent: async () => {
        const { publicKey = '' } =
          (JSON.parse(othersText) as { sxPublicKeys: { publicKey: string }[] }).sxPublicKeys[0] ?? {}
        expect(await agent.signAgent(othersText, publicKey, 'ed25519')).toContain('"sxRegistration"')
      },
      reencryptKey: async () => expect(await agent.reencryptKey(PASSWORD, `${PASSWORD} new`)).toBeUndefined(),
      load: async () => expect(await agent.load(place, { verifyOnly: true })).toContain(agentId),
      agreementCertificate: async () =>
        expect(await agent.agreementCertificate(signedCopy, { format: 'html' })).toContain('<h1'),
      close: async () => expect(await agent.close()).toBeUndefined(),
    }
    const { twins, direct, awaited } = tables.agent
    const methods = [...twins, ...direct, ...awaited].filter((name) => name !== 'init')
    expect(Object.keys(agent).sort()).toEqual([...methods, 'create', 'hashString', 'quickstart'].sort())
    // The others change nothing, and their arguments cross as they are: they end as in this thread.
    const here = new SxAgent({ password: PASSWORD })
    await here.load(configPath)
    // Events of agreements have random numbers: they are made from the same agreements, and are not compared.
    const made = agreementsBy((name, ...given) => Reflect.apply(Reflect.get(here, `${name}Sync`), here, given), agentId)
    const agreement = made.make()
    signedCopy = (agreement as { readonly signed: string }).signed
    const acts = twinsOfActs.filter((name) => name !== 'witnessAgreement') // which needs another signer
    for (const name of acts) {
      const [given = []] = argumentsOf[name]?.({ agreement: made.make(), terms: made.terms, foreign: otherId }) ?? []
      const work = Reflect.get(agent, name) as (...given: unknown[]) => Promise<unknown>
      expect(await work.apply(agent, given), name).toMatchObject({ agreementHash: expect.any(String) as string })
    }
    const others = methods.filter((name) => !(name in works) && !acts.includes(name))
    expect(others).toEqual(expect.arrayContaining(['getDocument', 'listDocuments', 'verify']))
    const state = {
      raw: signed,
      id,
      exact: `${id}:${version}`,
      older: `${id}:${otherId}`,
      agentId,
      agentText: own,
      agreement,
      terms: made.terms,
      witnessable: '{}',
    }
    for (const name of others) {
      const call = async (on: object, given: unknown[]): Promise<unknown> => {
        try {
          return await (Reflect.get(on, name) as (...given: unknown[]) => unknown).apply(on, given)
        } catch (error) {
          return (error as Partial<workerEntry.SxError>).code ?? error
        }
      }
      for (const given of argumentsOf[name]?.(state) ?? []) {
        expect(await call(agent, given), name).toEqual(await call(here, given))
      }
      expect(argumentsOf[name], `a row in twins.mjs, or one here, for ${name}`).toBeDefined()
    }
    for (const work of Object.values(works)) await work()
  })

  it('reads here what cannot be copied, copies the rest at the call, and gives what cannot be changed', async () => {
    const signed = (await agent.signText(new Response('Dear all'))) as Uint8Array<ArrayBuffer>
    const photo = new Uint8Array(readFileSync(new URL('../../wasm/media/tests/data/photo.jpg', import.meta.url)))
    const image = (await agent.signImage(new Response(photo), null)) as Uint8Array<ArrayBuffer>
    const given = signed.slice()
    const verifying = agent.verifyText(given)
    given.fill(0)
    const address = new URL(`data:,${encodeURIComponent(new TextDecoder().decode(signed))}`)
    const results = [
      await verifying,
      await agent.verifyText(address),
      await agent.verifyText(new File([signed], 'letter.txt')),
      await agent.verifyImage(new Response(image)),
      await agent.verifyImage(new File([image], 'photo.jpg')),
    ]
    for (const result of results) {
      expect(result.valid).toBe(true)
      const parts = Object.values(result).flat(1) as unknown[]
      for (const part of [result, ...Object.values(result), ...parts]) expect(Object.isFrozen(part)).toBe(true)
    }
    const missing = new Response(image, { status: 404 })
    await expect(agent.verifyImage(missing)).rejects.toEqual(failsWith('Unverifiable'))
    await expect(agent.imageCapacity(new URL('file:///x'))).rejects.toEqual(failsWith('InvalidOption'))
    const silent = new Response(new ReadableStream())
    await expect(agent.verifyText(silent, { timeout: 20 })).rejects.toEqual(failsWith('TimedOut'))
    const reason = new Error('not wanted')
    for (const source of [new Response(image), image]) {
      await expect(agent.signImage(source, null, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    }
    const open = AbortSignal.timeout(HANGING)
    expect((await agent.verifyImage(image, { signal: open, timeout: 1 })).valid).toBe(true)
    const large = new Response('', { headers: { 'Content-Length': '5000000000' } })
    await expect(agent.signText(large)).rejects.toEqual(failsWith('LimitExceeded'))
  })

  it('names a File as it is, alone and in a list', async () => {
    const file = new File(['Dear all'], 'letter.txt', { type: 'text/x-letter' })
    const { raw } = await agent.signFile(file, { noSave: true })
    expect((await agent.verifyOrThrow(raw)).attachments).toMatchObject([
      { filename: 'letter.txt', mimeType: 'text/x-letter' },
    ])
    expect(await agent.describeFile(file)).toMatchObject({ name: 'letter.txt', mediaType: 'text/x-letter' })
    expect((await agent.verifyFile(raw, file)).valid).toBe(true)
    const other = new File(['Dear none'], 'other.txt')
    const both = [{ filename: 'letter.txt' }, { filename: 'other.txt' }]
    const files = [file, other]
    const { sxId, sxVersion } = JSON.parse(await agent.createDocument({ a: 1 })) as { sxId: string; sxVersion: string }
    const id = `${sxId}:${sxVersion}`
    for (const signed of [
      await agent.createDocument({ a: 1 }, { attachments: files, noSave: true }),
      await agent.updateDocument(id, JSON.stringify({ a: 2 }), files),
    ]) {
      expect((await agent.verifyOrThrow(signed)).attachments).toMatchObject(both)
    }
  })

  it('freezes what SxAgent freezes', async () => {
    const here = new SxAgent({ password: PASSWORD })
    await here.load(configPath)
    const own = here.getAgentInfo()?.agentId ?? ''
    const party = { partyId: 'own', agentId: own, role: 'signer' as const }
    const terms = { title: 'Rent', terms: '900 a month.', termsFormat: 'text/plain' as const, parties: [party] }
    const { raw: draft } = await here.createAgreementDoc(terms)
    const { raw: agreement } = await here.signAgreementDoc((await here.proposeAgreement(draft)).raw)
    const { raw } = await here.signFile({ name: 'a.txt', data: new Blob(['x']) })
    const artifact = await here.signArtifact('{"a":1}', 'note', `[${await here.signArtifact('{"b":[1]}', 'note')}]`)
    for (const call of [
      (one: Agents) => one.verifyAgreement(agreement),
      (one: Agents) => one.importAgreement(agreement),
      (one: Agents) => one.verify(raw),
      (one: Agents) => one.verifyMany([raw, raw]),
      (one: Agents) => one.verifyFile(raw, { name: 'a.txt', data: new Blob(['x']) }),
      (one: Agents) => one.verifyArtifact(artifact),
      (one: Agents) => one.verifySelf(),
      (one: Agents) => one.getAgentInfo(),
      (one: Agents) => one.listKeys(),
      (one: Agents) => one.inspect(raw),
    ]) {
      const [there, expected] = [await call(agent), await call(here)]
      expect(notFrozen(there), String(call)).toEqual(notFrozen(expected))
    }
    await here.close()
  })

  it('refuses what SxAgent refuses to sign, and signs the same of the rest', async () => {
    class Money {
      amount = 5
    }
    const before = await agent.listDocuments()
    const values = [new Money(), new Date(0), new Map(), Number.NaN, undefined, { toJSON: () => 1 }, new Uint8Array(1)]
    for (const m of values) {
      for (const refused of [agent.signMessage({ m }), agent.createDocument({ m }), agent.updateAgent({ m })])
        await expect(refused).rejects.toEqual(failsWith('NotJson'))
    }
    class Unsaved {
      get noSave(): boolean {
        return true
      }
    }
    await expect(agent.signMessage(1, new Unsaved())).rejects.toEqual(failsWith('InvalidOption'))
    expect(await agent.listDocuments()).toEqual(before)
    const value = { a: -0, b: ['\u{1F600}', '2'], ['__proto__']: { c: 1e300 } }
    const { raw } = await agent.signMessage(value, { noSave: true })
    expect(raw).toContain('"content":{"__proto__":{"c":1e+300},"a":0,"b":["\u{1F600}","2"]}')
    await expect(agent.signMessage('\uD83D')).rejects.toEqual(failsWith('NotJson'))
    expect(JSON.parse((await agent.signMessage('{"a":1}')).raw)).toMatchObject({ content: '{"a":1}' })
  })
})
