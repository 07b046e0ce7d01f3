// What tests do to lose the data of an agent.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Outcome } from './probe/probe.ts'
import { hasNoBrowser, Site } from './site.ts'

export let site: Site
export let context: BrowserContext

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function losing(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open('apart')
  })
  beforeEach(async () => {
    if (!hasNoBrowser) context = await site.profile()
  })
  afterEach(() => context?.close())
  afterAll(() => site?.close())
}

interface Started {
  agentId: string
  keyId: string
  created: boolean
}

export const start = (page: Page, more: { startAnew?: boolean } = {}): Promise<Outcome<Started>> =>
  page.evaluate(
    (more) =>
      window.sx.outcome(async () => {
        const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', ...more } as const
        const { agentId, keyId, created } = await window.sx.quickstart(options)
        return { agentId, keyId, created }
      }),
    more,
  )

export async function started(page: Page): Promise<Started> {
  const outcome = await start(page)
  if ('code' in outcome) throw new Error(outcome.message)
  return outcome.value
}

/** Deletes databases of a site that has no page open. */
export async function lose(names: readonly string[] = ['sx-agent']): Promise<void> {
  for (const page of context.pages()) await page.close()
  const page = await context.newPage()
  await page.goto(`${site.url}icon.svg`)
  await page.evaluate(async (names) => {
    for (const name of names) {
      await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name)
        request.onsuccess = resolve
        request.onerror = reject
      })
    }
  }, names)
  await page.close()
}

/** The sealed passwords that the page keeps. */
export const sealed = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error(String(request.error)))
      })
    const database = await done(indexedDB.open('sx-agent-vault'))
    const all = database.transaction('entries').objectStore('entries').get('password sx.config.json')
    const kept = await done(all as IDBRequest<{ iv: Uint8Array }[] | undefined>)
    database.close()
    return (kept ?? []).map(({ iv }) => iv.join())
  })
