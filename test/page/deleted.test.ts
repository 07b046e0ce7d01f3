// A page whose data is deleted while it is open.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open('apart')
})
afterEach(() => site?.leave(context))
afterAll(() => site?.close())

const start = (page: Page) =>
  page.evaluate(async () => {
    const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', startAnew: true } as const
    const { agentId, created } = await window.sx.quickstart(options)
    return { agentId, created }
  })

/** Names of the databases of the site. */
const databases = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name = '' }) => name).sort())

/** How the data of the site goes: `where` is another tab of it. */
const ways: Record<string, (where: Page) => Promise<unknown>> = {
  'by a script of another tab': (where) =>
    where.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('sx-agent')
          request.onsuccess = () => resolve(undefined)
          request.onerror = () => reject(new Error('not deleted'))
        }),
    ),
  'by the user, who clears the data of the site': async (where) => {
    const session = await context.newCDPSession(where)
    await session.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'indexeddb' })
  },
}

describe.skipIf(hasNoBrowser)('a page whose data is deleted', () => {
  it.each(Object.entries(ways))(
    '%s, says so at every call on what it has loaded, until it loads again',
    async (_, clear) => {
      context = await site.emptied()
      const page = await site.probe(context)
      const { agentId } = await start(page)
      const [documentId, stranger, own] = await page.evaluate(async () => {
        const { sx } = window
        await sx.create({ name: 'Stranger', algorithm: 'ed25519', storage: sx.memoryStorage(), password: 'a long one' })
        const stranger = sx.exportAgent()
        await sx.load()
        const { documentId } = await sx.signMessage({ n: 1 })
        return [documentId, stranger, sx.exportAgent()] as const
      })
      await clear(await site.probe(context))
      const outcomes = await page.evaluate(
        async ([id, stranger, own]) => {
          const { sx } = window
          const agent = JSON.parse(own) as object
          const calls: Record<string, () => unknown> = {
            signMessage: () => sx.signMessage({ n: 2 }),
            signMessageSync: () => sx.signMessageSync({ n: 3 }),
            updateAgent: () => sx.updateAgent({ ...agent, name: 'B' }),
            updateDocument: () => sx.updateDocument(id, { n: 4 }),
            verifyById: () => sx.verifyById(id),
            getDocument: () => sx.getDocument(id),
            listDocumentsSync: () => sx.listDocumentsSync(),
            trustAgent: () => sx.trustAgent(stranger),
            exportAgent: () => sx.exportAgent(),
            flush: () => sx.flush(),
          }
          const found: Record<string, unknown> = {}
          for (const [name, call] of Object.entries(calls))
            found[name] = await sx.outcome(async () => void (await call()))
          return found
        },
        [documentId, stranger, own] as const,
      )
      const refusal = { code: 'StorageUnavailable', message: expect.stringMatching(/was deleted .*reload the page/) }
      expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((name) => [name, refusal])))
      expect(await databases(page)).not.toContain('sx-agent')
      expect(await page.evaluate(() => window.sx.outcome(() => window.sx.load()))).toMatchObject({
        code: 'AgentLost',
        message: expect.stringContaining(agentId) as string,
      })
      const next = await start(page)
      expect(next).toEqual({ agentId: expect.not.stringContaining(agentId), created: true })
      expect(await page.evaluate(() => window.sx.listDocuments({ type: 'message' }))).toEqual([])
    },
  )

  it('W09 says once to reload the page, and of a vault that is gone what that means, while the agent goes on', async () => {
    context = await site.emptied()
    const page = await site.probe(context)
    await start(page)
    const other = await site.probe(context)
    const drop = (name: string) =>
      other.evaluate(async (name) => {
        await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name)
          request.onsuccess = resolve
          request.onerror = reject
        })
      }, name)
    await drop('sx-agent-vault')
    const found = await page.evaluate(async () => [
      await window.sx.outcome(async () => typeof (await window.sx.signMessage({ n: 1 })).raw),
      await window.sx.outcome(() => window.sx.load()),
      await window.sx.outcome(async () => typeof (await window.sx.signMessage({ n: 2 })).raw),
    ])
    const message = expect.stringMatching(
      /^PasswordRequired: This page has no stored password .* was deleted\. .* backup/,
    ) as string
    expect(found).toEqual([{ value: 'string' }, { code: 'PasswordRequired', message }, { value: 'string' }])

    await drop('sx-agent')
    const gone = await page.evaluate(() => window.sx.outcome(() => window.sx.signMessage({ n: 3 })))
    expect('code' in gone && gone.message.match(/reload/g)).toHaveLength(1)
  })
})
