// What can be wrong with a page: each is one SxError, whose advice can be followed there, and nothing waits for ever.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { advice } from '../../browser/advice.ts'
import { adviceOn, type SxErrorCode } from '../../src/errors.ts'
import type { Outcome } from './probe/probe.ts'
import { Running } from './running.ts'
import { hasNoBrowser, Site } from './site.ts'

const core = readFileSync(fileURLToPath(new URL('../../wasm/dist/core/core_bg.wasm', import.meta.url)))

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

async function visit(url?: string): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  return site.probe(context, url)
}

/** What can be called in a page that has just been opened. */
const calls = ['init', 'quickstart', 'load', 'verifyMany', 'createWorkerAgent'] as const
type Call = (typeof calls)[number]

const outcomeOf = (page: Page, call: Call): Promise<Outcome<string>> =>
  page.evaluate((call) => {
    const { sx } = window
    const work: Record<Call, () => Promise<unknown>> = {
      init: () => sx.init(),
      quickstart: () => sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' }),
      load: () => sx.load(),
      verifyMany: async () => sx.verifyMany(['{}']),
      createWorkerAgent: async () => {
        const agent = await sx.createWorkerAgent()
        await agent.quickstart({ name: 'W', domain: 'example.com', algorithm: 'ed25519' })
        await agent.close()
      },
    }
    return sx.outcome(async () => {
      await work[call]()
      return 'done'
    })
  }, call)

/** A failure that says what was found, and what can be done about it in a page. */
const failure = (code: SxErrorCode, found: RegExp): object => ({
  code,
  message: expect.stringMatching(new RegExp(`${found.source}.*${escaped(adviceOn(code, advice))}$`)),
})
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Has the server send other bytes as the core. */
const sending =
  (body: Buffer, contentType: string) =>
  (page: Page): Promise<unknown> =>
    page.route('**/*.wasm', (route) => route.fulfill({ body, contentType }))

/** A module of another version, for which there is advice of its own. */
const anotherVersion: object = {
  code: 'WasmUnavailable',
  message: expect.stringMatching(
    /another version of this library\. Replace it with the \.wasm file of the installed version\./,
  ),
}

describe.skipIf(hasNoBrowser)('a page whose core', () => {
  const loading = ['init', 'quickstart', 'createWorkerAgent'] as const

  it.each(loading)('is blocked by the policy says which header it needs: %s', async (call) => {
    const policy = "default-src 'none'; connect-src 'self'; img-src data:; script-src 'self'; worker-src 'self'"
    const outcome = await outcomeOf(await visit(await site.under(policy)), call)
    expect(outcome).toMatchObject(failure('WasmUnavailable', /WebAssembly is not allowed here\./))
    expect(outcome).toMatchObject({ message: expect.stringContaining("script-src 'self' 'wasm-unsafe-eval'") })
  })

  it.each(loading)('has the wrong media type loads all the same: %s', async (call) => {
    const page = await visit()
    await sending(core, 'text/plain')(page)
    expect(await outcomeOf(page, call)).toEqual({ value: 'done' })
  })

  const half = core.subarray(0, core.length / 2)
  const older = Buffer.concat([core.subarray(0, -1), Buffer.from('!')])
  const unsigned = core.subarray(0, core.lastIndexOf('sx-agent') - 3)
  const cases: readonly (readonly [string, Buffer, object])[] = [
    ['was cut off', half, failure('WasmUnavailable', /is truncated or damaged/)],
    [
      'is another file',
      Buffer.from('<!doctype html>'),
      failure('WasmUnavailable', /(sent another file|is truncated or damaged)/),
    ],
    ['is of another version', older, anotherVersion],
    ['is of a version that does not say which', unsigned, anotherVersion],
  ]
  it.each(cases)('%s says so, with its media type and as a text', async (_, body, expected) => {
    const page = await visit()
    for (const type of ['application/wasm', 'text/plain']) {
      await sending(body, type)(page)
      for (const call of loading) expect(await outcomeOf(page, call)).toMatchObject(expected)
      await page.unroute('**/*.wasm')
    }
    expect(await outcomeOf(page, 'quickstart')).toEqual({ value: 'done' }) // it is asked for anew
  })
})

describe.skipIf(hasNoBrowser)('a page whose storage', () => {
  it('is blocked, as with site data switched off in the browser, says so', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'sx-blocked-'))
    mkdirSync(join(profile, 'Default'))
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
    writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
    const { context } = await Running.start(profile)
    contexts.push(context)
    try {
      const page = await site.probe(context)
      for (const call of ['load', 'quickstart', 'createWorkerAgent'] as const) {
        expect(await outcomeOf(page, call)).toMatchObject(failure('StorageUnavailable', /site data that is blocked/))
      }
      const verdict = await page.evaluate(() => window.sx.verifyStandalone('{}').code)
      expect(verdict).toBe('MissingSignature') // verifying needs no storage
    } finally {
      await contexts.pop()?.close()
      rmSync(profile, { recursive: true, force: true })
    }
  })

  it('was made by a newer version leaves it alone', async () => {
    const page = await visit()
    await page.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.open('sx-agent', 99)
          request.onupgradeneeded = () => void request.result.createObjectStore('theirs')
          request.onsuccess = () => resolve(request.result.close())
          request.onerror = () => reject(new Error('not opened'))
        }),
    )
    for (const call of ['load', 'quickstart', 'createWorkerAgent'] as const) {
      expect(await outcomeOf(page, call)).toMatchObject(failure('StorageUnavailable', /newer version of this library/))
    }
    const kept = await page.evaluate(async () =>
      (await indexedDB.databases()).map(({ name, version }) => [name, version]),
    )
    expect(kept).toContainEqual(['sx-agent', 99])
  })
})

describe.skipIf(hasNoBrowser)('a page whose random source', () => {
  it.each([
    ['is missing', () => void Reflect.deleteProperty(Crypto.prototype, 'getRandomValues')],
    [
      'returns zeros',
      () => {
        Crypto.prototype.getRandomValues = (array) => array
      },
    ],
  ])('%s makes no key, keeps nothing, and still verifies', async (_, sabotage) => {
    const page = await visit()
    await page.addInitScript(sabotage)
    await page.reload()
    await page.waitForFunction(() => 'sx' in window)
    expect(await outcomeOf(page, 'quickstart')).toMatchObject(failure('NoEntropy', /random number generator/))
    expect(await outcomeOf(page, 'load')).toHaveProperty('code')
    expect(await page.evaluate(() => window.sx.verifyStandalone('{}').code)).toBe('MissingSignature')
    expect(await page.evaluate(entries)).toEqual([])
  })
})

/** Runs in the page: the names of all that its storage holds. */
async function entries(): Promise<string[]> {
  const names = (await indexedDB.databases()).flatMap(({ name = '' }) => (name.startsWith('sx-agent') ? name : []))
  const keys = names.map(
    (name) =>
      new Promise<string[]>((resolve, reject) => {
        const request = indexedDB.open(name)
        request.onerror = () => reject(new Error('not opened'))
        request.onsuccess = () => {
          const all = request.result.transaction('entries').objectStore('entries').getAllKeys()
          all.onerror = () => reject(new Error('not read'))
          all.onsuccess = () => resolve(all.result.map(String))
        }
      }),
  )
  return (await Promise.all(keys)).flat()
}

it.skipIf(hasNoBrowser)('a page without an agent is told so, and does not wait for one', async () => {
  const page = await visit()
  expect(await outcomeOf(page, 'verifyMany')).toMatchObject(failure('NoAgentLoaded', /No agent is loaded\./))
  expect(await outcomeOf(page, 'load')).toMatchObject({
    code: 'NotFound',
    message: expect.stringContaining('There is no configuration at ./sx.config.json. Create an agent there') as string,
  })
})
