// What tests of what a page keeps do in it.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { AgentInfo, CreatedAgentInfo } from '../../src/types/agents.ts'
import type { Outcome } from './probe/probe.ts'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function keeping(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open()
  })
  afterEach(() => site?.leave(context))
  afterAll(() => site?.close())
}

export async function visit(): Promise<Page> {
  context = await site.emptied()
  return site.probe(context)
}

export async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.waitForFunction(() => 'sx' in window)
}

export const start = (page: Page, password?: string): Promise<Outcome<CreatedAgentInfo>> =>
  page.evaluate(
    (password) =>
      window.sx.outcome(() =>
        window.sx.quickstart({
          name: 'A',
          domain: 'example.com',
          algorithm: 'ed25519',
          ...(password !== undefined && { password }),
        }),
      ),
    password,
  )

export const load = (
  page: Page,
  options: { configPath?: string; password?: string } = {},
): Promise<Outcome<AgentInfo>> => page.evaluate((options) => window.sx.outcome(() => window.sx.load(options)), options)

/** Every value in every database of the page. */
export const everything = (
  page: Page,
): Promise<{ texts: string; keys: { extractable: boolean; exported: string }[] }> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error(String(request.error)))
      })
    const texts: string[] = []
    const keys: { extractable: boolean; exported: string }[] = []
    const read = async (value: unknown): Promise<void> => {
      if (value instanceof CryptoKey) {
        const exported = await Promise.all(
          (['raw', 'jwk'] as const).map((format) =>
            crypto.subtle.exportKey(format, value).then(
              () => 'exported',
              (error: DOMException) => error.name,
            ),
          ),
        )
        keys.push({ extractable: value.extractable, exported: exported.join(' ') })
      } else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
        texts.push(new TextDecoder('latin1').decode(value))
      } else if (typeof value === 'object' && value !== null) {
        for (const inner of Object.values(value)) await read(inner)
      } else texts.push(String(value))
    }
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        for (const value of await done(database.transaction(store).objectStore(store).getAll())) await read(value)
      }
      database.close()
    }
    return { texts: texts.join('\n'), keys }
  })
