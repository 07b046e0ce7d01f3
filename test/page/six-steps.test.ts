// From Node to a page and back: what one signs, the other judges.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as node from '../../src/simple.ts'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'

let site: Site
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterAll(() => site?.close())

/** Another letter at a place of a text. */
function flip(text: string, at: number): string {
  return `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ 1)}${text.slice(at + 1)}`
}

describe.skipIf(hasNoBrowser).each([
  { algorithm: 'pq2025', pages: 'ed25519' },
  { algorithm: 'ed25519', pages: 'pq2025' },
] as const)('a document signed in Node with $algorithm, a page with $pages', ({ algorithm, pages }) => {
  let folder: string
  let page: Page
  let signed: node.SignedDocument
  let exported: string
  let agentId: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sx-steps-'))
    page = await site.probe(await site.profile())
    agentId = await page.evaluate(
      async (algorithm) => (await window.sx.quickstart({ name: 'Page', domain: 'example.com', algorithm })).agentId,
      pages,
    )
  })
  afterAll(async () => {
    await page?.context().close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  const verifyInPage = (document: string): Promise<node.VerificationResult & { hasData: boolean }> =>
    page.evaluate(async (document) => {
      const result = await window.sx.verify(document)
      return { ...result, hasData: 'data' in result && result.data !== undefined }
    }, document)

  it('1: is made with quickstart, signMessage and exportAgent', async () => {
    const configPath = join(folder, 'sx.config.json')
    await node.quickstart({ name: 'Node', domain: 'example.com', algorithm, configPath, password: 'correct horse' })
    signed = await node.signMessage({ amount: 1 })
    exported = node.exportAgent()
    expect(await node.verify(signed.raw)).toMatchObject({ valid: true, algorithm })
  })

  it('2: comes from an unknown signer, for the page', async () => {
    const result = await verifyInPage(signed.raw)
    expect(result).toMatchObject({ valid: false, code: 'UnknownSigner', trusted: false, hasData: false })
    expect(result.errors).not.toEqual([])
  })

  it('3: is valid once the page trusts the agent', async () => {
    const trusted = await page.evaluate((json) => window.sx.trustAgent(json), exported)
    const info = node.getAgentInfo()
    expect(trusted).toEqual({ agentId: info?.agentId, name: 'Node', keyId: info?.keyId, keyIds: [info?.keyId] })
    expect(await verifyInPage(signed.raw)).toMatchObject({
      valid: true,
      trusted: true,
      data: { amount: 1 },
      signerId: info?.agentId,
      keyId: info?.keyId,
      algorithm,
      timestamp: signed.timestamp,
      errors: [],
    })
  })

  it('4: is not valid with any one byte flipped', async () => {
    const { length } = signed.raw
    const places = Array.from({ length: 100 }, (_, step) => Math.floor((step * length) / 100))
    places.push(signed.raw.indexOf('"amount":1') + 9, length - 1)
    const results = await page.evaluate(
      (documents) => Promise.all(documents.map((document) => window.sx.verify(document))),
      places.map((at) => flip(signed.raw, at)),
    )
    for (const [index, result] of results.entries()) {
      expect(result, `byte ${places[index]}`).toMatchObject({ valid: false, attachments: [] })
      expect(result, `byte ${places[index]}`).toHaveProperty('data', undefined)
      expect(result.errors, `byte ${places[index]}`).not.toEqual([])
    }
  })

  it('5: is answered by the page, and Node checks the answer with the saved public key', async () => {
    const [answer, pem] = await page.evaluate(async () => {
      const { raw } = await window.sx.signMessage({ paid: true, for: 'Größe 😀' })
      return [raw, window.sx.getPublicKey()] as const
    })
    const keyDirectory = join(folder, 'keys')
    const options = { keyResolution: 'local', keyDirectory }
    await mkdir(keyDirectory)
    expect(node.verifyStandalone(answer, options)).toMatchObject({ valid: false, code: 'UnknownSigner' })
    await writeFile(join(keyDirectory, `${agentId}.public.pem`), pem)
    expect(node.verifyStandalone(answer, options)).toMatchObject({
      valid: true,
      trusted: false,
      data: { paid: true, for: 'Größe 😀' },
      signerId: agentId,
      algorithm: pages,
    })
    const forged = answer.replace('true', 'false')
    expect(node.verifyStandalone(forged, options)).toMatchObject({ valid: false, data: undefined })
  })

  it('6: still finds the agent and its trust after a reload', async () => {
    await page.evaluate(() => window.sx.flush())
    await page.reload()
    await page.waitForFunction(() => 'sx' in window)
    const before = await page.evaluate(() => window.sx.isLoaded())
    const after = await page.evaluate(async () => {
      const { agentId, name } = await window.sx.load()
      return { agentId, name, loaded: window.sx.isLoaded(), trusted: window.sx.listTrustedAgents() }
    })
    expect(before).toBe(false)
    expect(after).toEqual({ agentId, name: 'Page', loaded: true, trusted: [signed.agentId] })
    expect(await verifyInPage(signed.raw)).toMatchObject({ valid: true, data: { amount: 1 } })
  })

  it('and all of it under the strict policy, without a complaint', async () => {
    const policy = (await page.request.get(page.url())).headers()['content-security-policy']
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';")
    expect(policy).toContain("default-src 'none';")
    expect(policy).not.toMatch(/'unsafe-(eval|inline)'/)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })
})
