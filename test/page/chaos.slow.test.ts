// Two pages and a killed browser on IndexedDB: the invariants. The pages work on one document and on who is trusted,
// each reports what was answered; the browser's process is killed; what was answered is there, and nothing is torn.
// W01: what Chromium itself loses is said, and never made up for by another agent.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HANGING, isLong } from '../pace.ts'
import { Losses } from './losses.ts'
import { failing, Running, silence } from './running.ts'
import { hasNoBrowser, Site } from './site.ts'

const rounds = isLong ? 10 : 3
const longest = rounds * HANGING
const channels = [
  ['with a BroadcastChannel', true],
  ['without a BroadcastChannel', false],
] as const

let site: Site
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterAll(() => site?.close())

/** What a page says: what it begins, what was answered, and what was refused. */
interface Report {
  readonly page: string
  readonly what: 'begins' | 'saved' | 'trusted' | 'untrusted' | 'refused'
  /** The document that was saved, the agent that was decided on, the code of the refusal. */
  readonly value: string
}

/** An agent document of somebody else, and a document that it has signed. */
interface Stranger {
  readonly id: string
  readonly json: string
  readonly signed: string
}

interface Work {
  readonly page: string
  /** The document that both pages update. */
  readonly id: string
  /** On this one both pages decide. */
  readonly shared: Stranger
  /** On this one only this page does. */
  readonly own: Stranger
}

type Reporter = { report: (report: Report) => Promise<void> }

const start = (page: Page): Promise<{ agentId: string; created: boolean }> =>
  page.evaluate(async () => {
    const { agentId, created } = await window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
    return { agentId, created }
  })

const startAnew = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', startAnew: true } as const
    return (await window.sx.quickstart(options)).agentId
  })

const load = (page: Page): Promise<string> => page.evaluate(async () => (await window.sx.load()).agentId)

const strangers = (page: Page, count: number): Promise<Stranger[]> =>
  page.evaluate(async (count) => {
    const { sx } = window
    const made: Stranger[] = []
    for (let n = 0; n < count; n++) {
      const storage = sx.memoryStorage()
      const { agentId: id } = await sx.create({ name: `S${n}`, algorithm: 'ed25519', storage, password: 'a long one' })
      made.push({ id, json: sx.exportAgent(), signed: (await sx.signMessage({ n })).raw })
    }
    await sx.load()
    return made
  }, count)

/** Works until the browser is gone. */
const workOn = (page: Page, work: Work): Promise<void> =>
  page.evaluate(async ({ page, id, shared, own }) => {
    const { sx } = window
    const { report } = window as unknown as Reporter
    const say = (what: Report['what'], value: string): Promise<void> => report({ page, what, value })
    const attempt = async (call: () => Promise<readonly (readonly [Report['what'], string])[]>): Promise<void> => {
      const outcome = await sx.outcome(call)
      if ('value' in outcome) for (const [what, value] of outcome.value) await say(what, value)
      else await say('refused', outcome.code)
    }
    for (let n = 0; ; n++) {
      await attempt(async () => [['saved', (await sx.updateDocument(id, { page, n })).raw]])
      await attempt(async () => [['saved', (await sx.signMessage({ page, n })).raw]])
      await say('begins', own.id)
      await attempt(async () => {
        for (const { id, json } of [own, shared]) {
          if (n % 2 === 0) sx.trustAgent(json)
          else sx.untrustAgent(id)
        }
        const { raw } = sx.signMessageSync({ page, n, behind: true })
        await sx.flush()
        return [
          ['saved', raw],
          [n % 2 === 0 ? 'trusted' : 'untrusted', own.id],
        ]
      })
    }
  }, work)

interface Entry {
  readonly number: number
  readonly text: string
}

/** The numbers and texts of a chain's entries, as IndexedDB has them. */
const chainOf = (page: Page, folder: string, id: string, type: 'json' | 'witness' = 'json'): Promise<Entry[]> =>
  page.evaluate(
    async ([folder, id, type]) => {
      const done = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(new Error(String(request.error)))
        })
      const database = await done(indexedDB.open('sx-agent'))
      const entries = database.transaction('entries').objectStore('entries')
      const [keys, values] = await Promise.all([done(entries.getAllKeys()), done(entries.getAll())])
      database.close()
      return (keys as string[][])
        .flatMap((key, at) => {
          const [, number, found] = /\.([0-9]+)\.([a-z]+)$/.exec(key.at(-1) ?? '') ?? []
          if (number === undefined || found !== type || !key.includes(folder) || !key.at(-1)?.startsWith(id)) return []
          return [{ number: Number(number), text: new TextDecoder().decode(values[at] as Uint8Array) }]
        })
        .sort((a, b) => a.number - b.number)
    },
    [folder, id, type] as const,
  )

interface Header {
  readonly sxId: string
  readonly sxVersion: string
  readonly sxPreviousVersion?: string
}
const headerOf = (text: string): Header => JSON.parse(text) as Header

/** What the library says of stored documents: the text under `id:version`, and whether it is valid. */
const stored = (page: Page, keys: readonly string[]): Promise<unknown[]> =>
  page.evaluate(async (keys) => {
    const found: unknown[] = []
    for (const key of keys) {
      const raw = await window.sx.outcome(() => window.sx.getDocument(key))
      const { valid, errors } = await window.sx.verifyById(key)
      found.push({ raw, valid, errors })
    }
    return found
  }, keys)

/** The passwords that the page keeps, the newest first; scripts of its origin can use their key. */
const keptPasswords = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error(String(request.error)))
      })
    const name = 'password sx.config.json'
    const database = await done(indexedDB.open('sx-agent-vault'))
    const entries = database.transaction('entries').objectStore('entries')
    const [key, kept] = (await Promise.all([done(entries.get('key')), done(entries.get(name))])) as [
      CryptoKey,
      { iv: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer }[],
    ]
    database.close()
    const additionalData = new TextEncoder().encode(name)
    const opened = kept.map(({ iv, bytes }) =>
      crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, bytes),
    )
    return (await Promise.all(opened)).map((bytes) => new TextDecoder().decode(bytes))
  })

const opens = (page: Page, password: string): Promise<boolean> =>
  page.evaluate(async (password) => {
    const outcome = await window.sx.outcome(() => window.sx.load({ password }))
    if ('code' in outcome && outcome.code !== 'WrongPassword') throw new Error(outcome.code)
    return 'value' in outcome
  }, password)

/** Changes the password of the key until the browser is gone. */
const changePasswords = (page: Page, first: string): Promise<void> =>
  page.evaluate(async (first) => {
    const { sx } = window
    const { report } = window as unknown as { report: (line: string) => Promise<void> }
    for (let old = first; ; ) {
      const next = `another one ${Math.random()}`
      const outcome = await sx.outcome(() => sx.reencryptKey(old, next))
      await report('value' in outcome ? 'changed' : outcome.code)
      old = next
    }
  }, first)

const isTrusting = (page: Page, { id, signed }: Stranger) =>
  page.evaluate(
    async ([id, signed]) => {
      const { valid, trusted } = await window.sx.verify(signed) // this one reads what the storage holds
      return { valid, trusted, listed: window.sx.listTrustedAgents().includes(id), shown: window.sx.isTrusted(id) }
    },
    [id, signed] as const,
  )

const trusting = { valid: true, trusted: true, listed: true, shown: true }
const notTrusting = { valid: false, trusted: false, listed: false, shown: false }

/** The only one that there is, however often. */
function oneOf(values: readonly string[]): string {
  const [value = ''] = values
  expect(new Set(values).size).toBe(1)
  return value
}

async function expectSaved(page: Page, reports: readonly Report[]): Promise<void> {
  const saved = reports.filter(({ what }) => what === 'saved').map(({ value }) => value)
  const keys = saved.map(headerOf).map(({ sxId, sxVersion }) => `${sxId}:${sxVersion}`)
  expect(new Set(keys).size).toBe(saved.length)
  expect(await stored(page, keys)).toEqual(saved.map((raw) => ({ raw: { value: raw }, valid: true, errors: [] })))
}

/** The entries have the numbers from 1 on, each follows the one before, and the library shows the last one. */
async function expectChain(page: Page, id: string, reports: readonly Report[]): Promise<void> {
  const entries = await chainOf(page, 'documents', id)
  expect(entries.map(({ number }) => number)).toEqual(entries.map((_, at) => at + 1))
  const headers = entries.map(({ text }) => headerOf(text))
  expect(headers.map(({ sxPreviousVersion }) => sxPreviousVersion)).toEqual([
    undefined,
    ...headers.slice(0, -1).map(({ sxVersion }) => sxVersion),
  ])
  const keys = headers.map(({ sxVersion }) => `${id}:${sxVersion}`)
  expect(await stored(page, [id, ...keys])).toEqual(
    [entries.at(-1), ...entries].map((entry) => ({ raw: { value: entry?.text }, valid: true, errors: [] })),
  )
  const texts = new Set(entries.map(({ text }) => text))
  const updates = reports.filter(({ what, value }) => what === 'saved' && headerOf(value).sxId === id)
  expect(updates.filter(({ value }) => !texts.has(value))).toEqual([])
}

/** Of an agent on which one page decides the last answered decision counts, or one that was begun after it. */
async function expectDecisions(page: Page, work: Work, reports: readonly Report[]): Promise<void> {
  const own = reports.filter(({ page, value }) => page === work.page && value === work.own.id)
  const answered = own.filter(({ what }) => what !== 'begins')
  const last = answered.at(-1)?.what === 'trusted'
  const found = await isTrusting(page, work.own)
  const possible = own.at(-1)?.what === 'begins' ? [last, !last] : [last]
  expect(possible.map((is) => (is ? trusting : notTrusting))).toContainEqual(found)
}

/** Decisions that have a witness alternate; the last one counts. One that was put right before a kill has none. */
async function expectTrustChain(page: Page, stranger: Stranger): Promise<void> {
  const entries = await chainOf(page, 'trust', stranger.id)
  const witnesses = await chainOf(page, 'trust', stranger.id, 'witness')
  for (const chain of [entries, witnesses]) {
    expect(chain.map(({ number }) => number)).toEqual(chain.map((_, at) => at + 1))
  }
  const named = witnesses.map(({ text }) => (JSON.parse(text) as Entry).number)
  expect(named).toEqual([...new Set(named)].sort((a, b) => a - b))
  const given = named.map((number) => entries[number - 1]?.text === stranger.json)
  expect(given).toEqual(named.map((_, at) => at % 2 === 0))
  const marks = entries.filter(({ text }) => text !== stranger.json)
  for (const { text } of marks) expect(text).toMatch(/^\{"sxTrustRemoved":"[\w-]{22}"\}$/)
  expect(await isTrusting(page, stranger)).toEqual(given.at(-1) === true ? trusting : notTrusting)
}

/** All that holds after every restart. */
async function expectWhole(
  [one, two]: readonly [Page, Page],
  agentId: string,
  works: readonly [Work, Work],
  reports: readonly Report[],
): Promise<void> {
  expect([await load(one), await load(two)]).toEqual([agentId, agentId])
  await expectSaved(one, reports)
  await expectChain(two, works[0].id, reports)
  await expectTrustChain(one, works[0].shared)
  for (const work of works) await expectDecisions(two, work, reports)
}

describe.skipIf(hasNoBrowser)('two pages, whose browser is killed', () => {
  let profile: string
  let running: Running | undefined
  beforeEach(async () => {
    profile = await mkdtemp(join(tmpdir(), 'sx-chaos-'))
  })
  afterEach(async () => {
    await running?.context.close().catch(() => {})
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })

  it.each(channels)(
    'keep every saved document, one history, and what was decided on others, %s',
    async (_, hasChannel) => {
      let works: [Work, Work] | undefined
      let agentId = ''
      const reports: Report[] = []
      const losses = new Losses(profile)
      for (let round = 0; round <= rounds; round++) {
        running = await Running.start(profile, hasChannel)
        await running.context.exposeFunction('report', (report: Report) => void reports.push(report))
        const pages = [await site.probe(running.context), await site.probe(running.context)] as const
        const [one, two] = pages
        if (works !== undefined && (await losses.isLost(one, agentId))) {
          works = undefined
          reports.length = 0
        }
        if (works === undefined) {
          agentId = oneOf(await Promise.all(pages.map(startAnew)))
          const [shared, first, second] = (await strangers(one, 3)) as [Stranger, Stranger, Stranger]
          const id = await one.evaluate(async () => (await window.sx.signMessage({ n: 0 })).documentId)
          works = [
            { page: 'one', id, shared, own: first },
            { page: 'two', id, shared, own: second },
          ]
        } else {
          await expectWhole([one, two], agentId, works, reports)
        }
        if (round === rounds) break
        const before = reports.length
        const ends = works.map((work, at) => failing(workOn(pages[at] as Page, work)))
        const isBusy = ({ page }: Work): boolean =>
          reports.slice(before).filter((report) => report.page === page && report.what === 'saved').length > 12
        await expect.poll(() => works?.every(isBusy), { timeout: HANGING }).toBe(true)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 400))
        await running.kill()
        losses.look()
        for (const end of ends) expect(await end).toMatch(/closed|crashed/)
      }
      const refusals = new Set(reports.filter(({ what }) => what === 'refused').map(({ value }) => value))
      expect([...refusals].filter((code) => code !== 'VersionConflict')).toEqual([])
    },
    longest,
  )

  it(
    'have one whole agent, also if it was just being made',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const folder = join(profile, String(round))
        running = await Running.start(folder)
        const pages = [await site.probe(running.context), await site.probe(running.context)]
        const answers: { agentId: string }[] = []
        const ends = pages.map((page) =>
          start(page).then(
            (info) => void answers.push(info),
            () => {},
          ),
        )
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500))
        await running.kill()
        await Promise.all(ends)

        running = await Running.start(folder)
        const [one, two] = [await site.probe(running.context), await site.probe(running.context)]
        const { agentId, created } = await start(one)
        for (const answer of answers) expect({ agentId, created }).toEqual({ agentId: answer.agentId, created: false })
        expect(await load(two)).toBe(agentId)
        const saved = await two.evaluate(async () => (await window.sx.signMessage('whole')).raw)
        expect(await one.evaluate(async (raw) => window.sx.verify(raw), saved)).toMatchObject({ valid: true })
        expect(await chainOf(one, 'documents', agentId)).toHaveLength(1)
        await running.context.close()
      }
    },
    longest,
  )

  it(
    'open the key with what they keep, also if its password was just being changed',
    async () => {
      let agentId = ''
      const losses = new Losses(profile)
      for (let round = 0; round <= rounds; round++) {
        running = await Running.start(profile)
        const said: string[] = []
        await running.context.exposeFunction('report', (line: string) => void said.push(line))
        const page = await site.probe(running.context)
        if (round === 0 || (await losses.isLost(page, agentId))) agentId = await startAnew(page)
        const loaded = await load(page)
        expect(loaded).toBe(agentId)
        // A change that did not come to its end leaves two; which one counts is for the library to find out.
        const opening: string[] = []
        for (const kept of await keptPasswords(page)) if (await opens(page, kept)) opening.push(kept)
        expect(opening).toHaveLength(1)
        expect(await load(page)).toBe(agentId)
        if (round === rounds) break
        const ends = failing(changePasswords(page, opening[0] ?? ''))
        await expect.poll(() => said.length, { timeout: HANGING }).toBeGreaterThan(1)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500))
        await running.kill()
        losses.look()
        expect(await ends).toMatch(/closed|crashed/)
        expect(said.filter((line) => line !== 'changed')).toEqual([])
      }
    },
    longest,
  )
})

describe.skipIf(hasNoBrowser)('trust that a page takes back right before it is closed', () => {
  it.each(channels)('is gone from the next verdict of another page, %s', async (_, hasChannel) => {
    const context = await site.profile()
    await silence(context, hasChannel)
    const [one, two] = [await site.probe(context), await site.probe(context)]
    expect(await two.evaluate(() => 'BroadcastChannel' in globalThis)).toBe(hasChannel)
    await start(one)
    await start(two)
    const [stranger] = (await strangers(one, 1)) as [Stranger]
    await one.evaluate(async (json) => {
      window.sx.trustAgent(json)
      await window.sx.flush()
    }, stranger.json)
    expect(await isTrusting(two, stranger)).toEqual(trusting)
    await one.evaluate(async (id) => {
      window.sx.untrustAgent(id)
      await window.sx.flush()
    }, stranger.id)
    await one.close()
    expect(await isTrusting(two, stranger)).toEqual(notTrusting)
    await context.close()
  })
})
