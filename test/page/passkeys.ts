// What tests of passkeys do in a page that has an authenticator, which Chromium plays.
/* oxlint-disable typescript/unbound-method -- functions of the browser are replaced by others, which call them on `this` */
import type { BrowserContext, Frame, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { AgentInfo, CreatedAgentInfo } from '../../src/types/agents.ts'
import { Authenticator } from './authenticator.ts'
import type { Outcome } from './probe/probe.ts'
import { hasNoBrowser, Site } from './site.ts'

export let site: Site
export let context: BrowserContext
/** The page of the test, where nothing is stored yet. */
export let page: Page
/** The authenticator of the page. */
export let device: Authenticator

/** Gives each test of a file a page with an authenticator. */
export function plugged(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open()
  })
  beforeEach(async () => {
    if (hasNoBrowser) return
    context = await site.emptied()
    page = await site.probe(context)
    device = await Authenticator.plug(page)
  })
  afterEach(() => site?.leave(context))
  afterAll(() => site?.close())
}

/** Goes on in another profile. */
export async function moveTo(other: BrowserContext): Promise<void> {
  await site.leave(context)
  context = other
  page = await site.probe(context)
  device = await Authenticator.plug(page)
}

/** Gives the page another authenticator. */
export async function replug(options: Parameters<typeof Authenticator.plug>[1]): Promise<void> {
  await device.unplug()
  device = await Authenticator.plug(page, options)
}

interface Options {
  name?: string
  configPath?: string
  password?: string
  passkey?: boolean
}
type Where = Page | Frame

export const ready = (where: Where): Promise<unknown> => where.waitForFunction(() => 'sx' in window)

export async function reload(): Promise<void> {
  await page.reload()
  await ready(page)
}

export const start = (options: Options = {}, where: Where = page): Promise<Outcome<CreatedAgentInfo>> =>
  where.evaluate(
    (options) =>
      window.sx.outcome(() =>
        window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519', passkey: true, ...options }),
      ),
    options,
  )

export const load = (options: Options = { passkey: true }, where: Where = page): Promise<Outcome<AgentInfo>> =>
  where.evaluate((options) => window.sx.outcome(() => window.sx.load(options)), options)

type Opener = string | { passkey?: true; kept?: true }
export const reencrypt = (from: Opener, to: Opener): Promise<Outcome<void>> =>
  page.evaluate(([from, to]) => window.sx.outcome(() => window.sx.reencryptKey(from as string, to as string)), [
    from,
    to,
  ] as const)

export const signs = (where: Where = page): Promise<boolean> =>
  where.evaluate(async () => (await window.sx.verify((await window.sx.signMessage({ a: 1 })).raw)).valid)

export const refused = (code: string, found: string): { code: string; message: string } => ({
  code,
  message: expect.stringContaining(found) as string,
})
export const LOST: { code: string; message: string } = refused(
  'PasskeyUnavailable',
  'restore a backup with its password',
)

/** Has the browser wait for a confirmation only shortly: for one that does not come. One that comes may take its time. */
export const impatient = (isImpatient = true): Promise<void> =>
  page.evaluate((isImpatient) => {
    Object.assign(window, { isImpatient })
    const { create, get } = CredentialsContainer.prototype
    const shortly = (options: { publicKey?: { timeout?: number } } = {}): void => {
      if (options.publicKey && 'isImpatient' in window && window.isImpatient === true) options.publicKey.timeout = 500
    }
    CredentialsContainer.prototype.create = function (options) {
      shortly(options)
      return create.call(this, options)
    }
    CredentialsContainer.prototype.get = function (options) {
      shortly(options)
      return get.call(this, options)
    }
  }, isImpatient)

export interface Known {
  readonly agentId: string
  readonly id: string
  readonly encryption: string
  readonly salt: readonly number[]
}

/** What the page knows of passkeys, at a place. */
export const known = (configPath = 'sx.config.json'): Promise<Known[]> =>
  page.evaluate(async (key) => {
    const request = indexedDB.open('sx-agent-vault')
    await new Promise((resolve) => (request.onsuccess = resolve))
    const reading = request.result.transaction('entries').objectStore('entries').get(key)
    await new Promise((resolve) => (reading.onsuccess = resolve))
    request.result.close()
    const found = reading.result as (Omit<Known, 'salt'> & { salt: Uint8Array })[]
    return found.map((one) => ({ ...one, salt: [...one.salt] }))
  }, `passkeys ${configPath}`)

/** Has the page know something else, behind the library's back. */
export const plant = (value: readonly object[], configPath = 'sx.config.json'): Promise<void> =>
  page.evaluate(
    async ([value, key]) => {
      const request = indexedDB.open('sx-agent-vault', 1)
      request.onupgradeneeded = () => {
        request.result.createObjectStore('entries')
        request.result.createObjectStore('identity-1')
      }
      await new Promise((resolve) => (request.onsuccess = resolve))
      const transaction = request.result.transaction('entries', 'readwrite')
      const planted = value.map((one) => ('salt' in one ? { ...one, salt: new Uint8Array(one.salt as number[]) } : one))
      transaction.objectStore('entries').put(planted, key)
      await new Promise((resolve) => (transaction.oncomplete = resolve))
      request.result.close()
    },
    [value, `passkeys ${configPath}`] as const,
  )

/** Has the page hang once it has put something of a kind beside the agent, or before: as if it was killed there. */
export const stuckAfter = ([kind, isWritten]: readonly ['passkeys' | 'password', boolean]): void => {
  const { put } = IDBObjectStore.prototype
  IDBObjectStore.prototype.put = function (value, key) {
    if (!JSON.stringify(key).startsWith(`"${kind} `)) return put.call(this, value, key)
    const stuck = (event: Event): void => {
      event.stopImmediatePropagation()
      Object.assign(window, { isStuck: true })
    }
    this.transaction.addEventListener('complete', stuck, { capture: true })
    return isWritten ? put.call(this, value, key) : (this.count() as IDBRequest<IDBValidKey>)
  }
}

/** How many passwords the page keeps. */
export const entriesKept = (): Promise<number> =>
  page.evaluate(async () => {
    const request = indexedDB.open('sx-agent-vault')
    await new Promise((resolve) => (request.onsuccess = resolve))
    const reading = request.result.transaction('entries').objectStore('entries').get('password sx.config.json')
    await new Promise((resolve) => (reading.onsuccess = resolve))
    request.result.close()
    return (reading.result as unknown[]).length
  })

/** Every value in every database of the page, as text. */
export const everything = (): Promise<string> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result)
      })
    const plain = (value: unknown): unknown => {
      if (value instanceof CryptoKey) return 'CryptoKey'
      if (value instanceof ArrayBuffer) return plain(new Uint8Array(value))
      if (value instanceof Uint8Array) return new TextDecoder('latin1').decode(value)
      if (Array.isArray(value)) return value.map(plain)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
    }
    const all: unknown[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        const objects = database.transaction(store).objectStore(store)
        all.push(await done(objects.getAllKeys()), plain(await done(objects.getAll())))
      }
      database.close()
    }
    return JSON.stringify(all)
  })
