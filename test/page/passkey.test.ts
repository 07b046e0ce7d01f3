// A passkey in place of a password, with authenticators that Chromium plays.
/* oxlint-disable typescript/unbound-method -- functions of the browser are replaced by others, which call them on `this` */
import { hkdfSync } from 'node:crypto'
import type { BrowserContext, Frame, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Authenticator } from './authenticator.ts'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
let page: Page
let device: Authenticator
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
beforeEach(async () => {
  if (hasNoBrowser) return
  context = await site.profile()
  page = await site.probe(context)
  device = await Authenticator.plug(page)
})
afterEach(() => context?.close())
afterAll(() => site?.close())

interface Options {
  name?: string
  configPath?: string
  password?: string
  passkey?: boolean
}
type Where = Page | Frame

const ready = (where: Where): Promise<unknown> => where.waitForFunction(() => 'sx' in window)

async function reload(): Promise<void> {
  await page.reload()
  await ready(page)
}

const start = (options: Options = {}, where: Where = page) =>
  where.evaluate(
    (options) =>
      window.sx.outcome(() =>
        window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519', passkey: true, ...options }),
      ),
    options,
  )

const load = (options: Options = { passkey: true }, where: Where = page) =>
  where.evaluate((options) => window.sx.outcome(() => window.sx.load(options)), options)

type Opener = string | { passkey?: true; kept?: true }
const reencrypt = (from: Opener, to: Opener) =>
  page.evaluate(([from, to]) => window.sx.outcome(() => window.sx.reencryptKey(from as string, to as string)), [
    from,
    to,
  ] as const)

const signs = (where: Where = page) =>
  where.evaluate(async () => (await window.sx.verify((await window.sx.signMessage({ a: 1 })).raw)).valid)

const refused = (code: string, found: string) => ({ code, message: expect.stringContaining(found) as string })
const LOST = refused('PasskeyUnavailable', 'restore a backup with its password')

/** Has the browser wait for a confirmation only shortly. */
const impatient = () =>
  page.evaluate(() => {
    const { create, get } = CredentialsContainer.prototype
    const shortly = (options: { publicKey?: { timeout?: number } } = {}): void => {
      if (options.publicKey) options.publicKey.timeout = 500
    }
    CredentialsContainer.prototype.create = function (options) {
      shortly(options)
      return create.call(this, options)
    }
    CredentialsContainer.prototype.get = function (options) {
      shortly(options)
      return get.call(this, options)
    }
  })

interface Known {
  readonly agentId: string
  readonly id: string
  readonly encryption: string
  readonly salt: readonly number[]
}

/** What the page knows of passkeys, at a place. */
const known = (configPath = 'sx.config.json'): Promise<Known[]> =>
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
const plant = (value: readonly object[], configPath = 'sx.config.json'): Promise<void> =>
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
const stuckAfter = ([kind, isWritten]: readonly ['passkeys' | 'password', boolean]): void => {
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
const entriesKept = (): Promise<number> =>
  page.evaluate(async () => {
    const request = indexedDB.open('sx-agent-vault')
    await new Promise((resolve) => (request.onsuccess = resolve))
    const reading = request.result.transaction('entries').objectStore('entries').get('password sx.config.json')
    await new Promise((resolve) => (reading.onsuccess = resolve))
    request.result.close()
    return (reading.result as unknown[]).length
  })

/** Every value in every database of the page, as text. */
const everything = (): Promise<string> =>
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

describe.skipIf(hasNoBrowser)('a passkey', () => {
  it('opens the key after a reload, and is asked for each time', async () => {
    const made = await start()
    expect(made).toMatchObject({ value: { created: true } })
    expect(made).not.toHaveProperty('value.generatedPassword')
    expect(await device.passkeys()).toEqual([{ rpId: 'localhost', name: 'A', id: expect.any(String) as string }])
    expect(await signs()).toBe(true)
    for (const configPath of ['./sx.config.json', 'sx.config.json']) {
      await reload()
      expect(await load({ passkey: true, configPath })).toHaveProperty('value.name', 'A')
      expect(await signs()).toBe(true)
    }
    expect(await start()).toMatchObject({ value: { created: false } })
    expect(await device.passkeys()).toHaveLength(1)
  })

  it('works with one that says its secret only when it is asked again, such as a security key', async () => {
    await device.unplug()
    device = await Authenticator.plug(page, { transport: 'usb' })
    await page.evaluate(() => {
      // As authenticators without hmac-secret-mc do.
      const { getClientExtensionResults } = PublicKeyCredential.prototype
      PublicKeyCredential.prototype.getClientExtensionResults = function (this: PublicKeyCredential) {
        const results = getClientExtensionResults.call(this)
        return this.response instanceof AuthenticatorAttestationResponse ? { prf: { enabled: true } } : results
      }
    })
    expect(await start()).toMatchObject({ value: { created: true } })
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('opens the key in another frame or tab of the origin that has the authenticator', async () => {
    await context.close()
    context = await site.profile({ bypassCSP: true }) // which allows no frames
    page = await site.probe(context)
    await Authenticator.plug(page)
    await start()
    // Chromium plays an authenticator for one tab. A frame is a realm of its own, as another tab is.
    const other = await page.evaluateHandle(() => document.body.appendChild(document.createElement('iframe')))
    await other.evaluate((frame) => {
      frame.src = location.href
    })
    const frame = await other.asElement()?.contentFrame()
    if (!frame) throw new Error('There is no frame.')
    await ready(frame)
    expect(await load({ passkey: true }, frame)).toHaveProperty('value.name', 'A')
    expect(await signs(frame)).toBe(true)

    const tab = await site.probe(context)
    await Authenticator.plug(tab) // another device
    expect(await load({ passkey: true }, tab)).toMatchObject(LOST)
    expect(await load({ passkey: true })).toHaveProperty('value')
  })

  it('leaves nothing stored that opens the key without the authenticator', async () => {
    const secrets = await page.evaluate(async () => {
      const { getClientExtensionResults } = PublicKeyCredential.prototype
      const seen: number[][] = []
      PublicKeyCredential.prototype.getClientExtensionResults = function (this: PublicKeyCredential) {
        const found = getClientExtensionResults.call(this)
        seen.push([...new Uint8Array(found.prf?.results?.first as ArrayBuffer)])
        return found
      }
      await window.sx.create({ name: 'A', algorithm: 'ed25519', passkey: true })
      return seen
    })
    expect(secrets).toEqual([expect.any(Array)])
    // As the protocol says, section 13.
    const derived = hkdfSync('sha256', Uint8Array.from(secrets[0] ?? []), '', 'sx-agent:passkey:1', 32)
    const password = Buffer.from(derived).toString('base64url')
    const stored = await everything()
    expect(stored).toContain('BEGIN ENCRYPTED PRIVATE KEY')
    expect(stored).not.toContain('CryptoKey')
    expect(stored).not.toContain(password)
    expect(stored).not.toContain(Buffer.from(secrets[0] ?? []).toString('latin1'))
    await device.clear()
    await reload()
    expect(await load()).toMatchObject(LOST)
    expect(await load({})).toMatchObject(refused('PasswordRequired', 'The private key is protected by a passkey'))
    expect(await load({ password: 'a guess' })).toMatchObject({ code: 'WrongPassword' })
    expect(await load({ password })).toHaveProperty('value') // it was the right one
  })

  it('is one for each agent, and opens no other', async () => {
    await start()
    await start({ name: 'B', configPath: 'b/sx.config.json' })
    expect(new Set((await device.passkeys()).map(({ name }) => name))).toEqual(new Set(['A', 'B']))
    await reload()
    for (const [name, configPath] of [
      ['A', 'sx.config.json'],
      ['B', 'b/sx.config.json'],
    ] as const) {
      expect(await load({ passkey: true, configPath })).toHaveProperty('value.name', name)
      expect(await signs()).toBe(true)
    }
    // What is known of the one, put in the place of the other.
    const [[a], [b]] = [await known(), await known('b/sx.config.json')]
    const { agentId, encryption } = b as Known
    await plant([{ ...a, agentId }], 'b/sx.config.json')
    expect(await load({ passkey: true, configPath: 'b/sx.config.json' })).toMatchObject({ code: 'PasswordRequired' })
    await plant([{ ...a, agentId, encryption }], 'b/sx.config.json')
    expect(await load({ passkey: true, configPath: 'b/sx.config.json' })).toMatchObject({ code: 'WrongPassword' })
  })
})

describe.skipIf(hasNoBrowser)('where the person says no', () => {
  it('no agent is made, and none is loaded, until the person says yes', async () => {
    await impatient()
    await device.confirm(false)
    expect(await start()).toMatchObject(refused('PasskeyUnavailable', 'No passkey was created'))
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await everything()).not.toMatch(/PRIVATE KEY|sx\.config\.json|salt/)
    await device.confirm(true)
    expect(await start()).toMatchObject({ value: { created: true } })
    await reload()
    await impatient()
    await device.confirm(false)
    expect(await load()).toMatchObject(LOST)
    await device.confirm(true)
    expect(await load()).toHaveProperty('value')
  })

  it('a passkey that was removed says the same, and a backup brings the agent back', async () => {
    await start()
    const plain = await page.evaluate(() => window.sx.outcome(() => window.sx.exportStore()))
    expect(plain).toMatchObject(refused('PasswordRequired', 'Pass a `password` for the backup'))
    const backup = await page.evaluate(async () => [...(await window.sx.exportStore({ password: 'of the backup' }))])
    await device.clear()
    expect(await load()).toMatchObject(LOST)
    const configPath = 'restored/sx.config.json'
    await page.evaluate(([bytes, configPath]) => window.sx.importStore(new Uint8Array(bytes), { configPath }), [
      backup,
      configPath,
    ] as const)
    expect(await load({ configPath, passkey: true })).toMatchObject(refused('PasswordRequired', 'has no passkey'))
    expect(await load({ configPath, password: 'of the backup' })).toHaveProperty('value.name', 'A')
    expect(await reencrypt('of the backup', { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await load({ configPath, passkey: true })).toHaveProperty('value.name', 'A')
  })

  it('another host has other passkeys', async () => {
    await start()
    const [passkey] = await known()
    await page.goto(`${site.url.replace('localhost', 'other.localhost')}probe/`)
    await ready(page)
    await start()
    const [own] = (await known()) as [Known]
    await plant([{ ...own, ...passkey, agentId: own.agentId, encryption: own.encryption }])
    await impatient()
    expect(await load()).toMatchObject(LOST)
  })
})

describe.skipIf(hasNoBrowser)('a page that dies', () => {
  it.each([
    [
      'before the passkey is known',
      () =>
        page.evaluate(() => {
          const { create } = CredentialsContainer.prototype
          CredentialsContainer.prototype.create = async function (options) {
            await create.call(this, options)
            Object.assign(window, { isStuck: true })
            return new Promise(() => {})
          }
        }),
    ],
    ['before the key is written', () => page.evaluate(stuckAfter, ['passkeys', true] as const)],
  ])('%s leaves no agent, and the next start makes one', async (_, sabotage) => {
    await sabotage()
    await page.evaluate(() => void window.sx.create({ name: 'A', algorithm: 'ed25519', passkey: true }).catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await start()).toMatchObject({ value: { created: true } })
    await reload()
    expect(await load()).toHaveProperty('value')
    expect(await known()).toHaveLength(1)
  })
})

describe.skipIf(hasNoBrowser)('a creation that fails', () => {
  it('because there is no room leaves no passkey, neither known nor on the authenticator', async () => {
    await page.evaluate(() => {
      const { add } = IDBObjectStore.prototype
      IDBObjectStore.prototype.add = function (value, key) {
        if (!JSON.stringify(key).includes('.new')) return add.call(this, value, key)
        throw new DOMException('no room', 'QuotaExceededError')
      }
    })
    expect(await start()).toMatchObject({ code: 'StorageFull' })
    expect(await device.passkeys()).toEqual([])
    expect(await known()).toEqual([])
  })

  it('because another call was faster ends with one agent and one passkey', async () => {
    const made = await page.evaluate(() => {
      const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', passkey: true } as const
      return Promise.all([1, 2].map(() => window.sx.outcome(() => window.sx.quickstart(options))))
    })
    // Whether the second one may ask before the first one is answered, is the browser's affair.
    const others = made.filter((one) => !('value' in one && one.value.created))
    expect(others).toHaveLength(1)
    for (const other of others) expect('value' in other || other.code === 'Busy').toBe(true)
    expect(await device.passkeys()).toHaveLength(1)
    expect(await known()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })
})

describe.skipIf(hasNoBrowser)('a change of what opens the key', () => {
  it('that loses to another one leaves no passkey', async () => {
    await start({ password: 'first', passkey: false })
    await page.evaluate(() => {
      const { create } = CredentialsContainer.prototype
      CredentialsContainer.prototype.create = async function (options) {
        const other = new window.sx.SxAgent({ password: 'first' })
        await other.load()
        await other.reencryptKey('first', 'other')
        return create.call(this, options)
      }
    })
    expect(await reencrypt('first', { passkey: true })).toMatchObject({ code: 'WrongPassword' })
    expect(await device.passkeys()).toEqual([])
    expect(await known()).toEqual([])
    expect(await load({ password: 'other' })).toHaveProperty('value')
  })

  it('whose end is not known keeps both, and one of them opens', async () => {
    await start({ password: 'first', passkey: false })
    await page.evaluate(() => {
      const { add } = IDBObjectStore.prototype
      IDBObjectStore.prototype.add = function (value, key) {
        if (!JSON.stringify(key).includes('.pem')) return add.call(this, value, key)
        throw new DOMException('no room', 'QuotaExceededError')
      }
    })
    expect(await reencrypt('first', { passkey: true })).toMatchObject({ code: 'StorageFull' })
    expect(await known()).toHaveLength(1)
    await reload()
    expect(await load()).toMatchObject(refused('PasswordRequired', 'has no passkey'))
    expect(await load({ password: 'first' })).toHaveProperty('value')
    expect(await reencrypt('first', { passkey: true })).toEqual({ value: undefined })
    expect(await known()).toHaveLength(1)
    expect(await device.passkeys()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('goes from a password to a passkey and back, and what was counts no more', async () => {
    await start({ password: 'first', passkey: false })
    expect(await reencrypt('wrong', { passkey: true })).toMatchObject({ code: 'WrongPassword' })
    expect(await device.passkeys()).toEqual([])
    expect(await reencrypt('first', { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await load({ password: 'first' })).toMatchObject({ code: 'WrongPassword' })
    expect(await load()).toHaveProperty('value')
    expect(await reencrypt({ passkey: true }, { passkey: true })).toMatchObject({ code: 'InvalidOption' })
    expect(await reencrypt('first', 'second')).toMatchObject({ code: 'WrongPassword' })
    expect(await load()).toHaveProperty('value')
    expect(await reencrypt({ passkey: true }, 'second')).toEqual({ value: undefined })
    expect(await device.passkeys()).toEqual([])
    await reload()
    expect(await load()).toMatchObject({ code: 'PasswordRequired' })
    expect(await load({ password: 'second' })).toHaveProperty('value')
  })

  it('goes from what the page keeps to a passkey, and the page keeps nothing', async () => {
    await start({ passkey: false })
    expect(await load({})).toHaveProperty('value')
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await load({})).toMatchObject({ code: 'PasswordRequired' })
    expect(await load()).toHaveProperty('value')
    expect(await reencrypt({ kept: true }, 'a password')).toMatchObject({ code: 'PasswordRequired' })
  })

  it('tells who asks for a passkey of a key that the page keeps how to come to one', async () => {
    await start({ passkey: false })
    await reload()
    const told = refused('PasswordRequired', 'Call `load()` without `passkey`, then `reencryptKey({ kept: true }, {')
    expect(await load()).toMatchObject(told)
    expect(await start()).toMatchObject(told)
    expect(await load({})).toHaveProperty('value')
    expect(await reencrypt({ passkey: true }, 'typed')).toMatchObject(told)
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    await reload()
    expect(await start()).toMatchObject({ value: { created: false } })
  })

  it('that is killed before the key has changed leaves it to what opened it, and the passkey counts for nothing', async () => {
    await start({ passkey: false })
    await page.evaluate(stuckAfter, ['passkeys', true] as const)
    await page.evaluate(() => void window.sx.reencryptKey({ kept: true }, { passkey: true }).catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    expect(await known()).toHaveLength(1)
    await device.confirm(false) // nobody is asked
    expect(await load()).toMatchObject(
      refused('PasswordRequired', 'The private key has a password stored in this page'),
    )
    expect(await start()).toMatchObject(
      refused('PasswordRequired', 'The private key has a password stored in this page'),
    )
    expect(await load({})).toHaveProperty('value')
    const plain = await page.evaluate(() => window.sx.outcome(async () => (await window.sx.exportStore()).length))
    expect(plain).toMatchObject(refused('PasswordRequired', 'This page stores the password'))
    await device.confirm(true)
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    expect(await known()).toHaveLength(1)
    expect(await device.passkeys()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('that is killed after the key has changed leaves it to the passkey, and the next load drops what was kept', async () => {
    await start({ passkey: false })
    await page.evaluate(stuckAfter, ['password', false] as const)
    await page.evaluate(() => void window.sx.reencryptKey({ kept: true }, { passkey: true }).catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    const told = refused('PasswordRequired', 'any more. A passkey does: pass `passkey: true`')
    expect(await load({})).toMatchObject(told)
    expect(await start({ passkey: false })).toMatchObject(told)
    expect(await entriesKept()).toBe(1)
    expect(await load()).toHaveProperty('value')
    expect(await signs()).toBe(true)
    expect(await entriesKept()).toBe(0)
    await reload()
    expect(await load({})).toMatchObject(refused('PasswordRequired', 'The private key is protected by a passkey'))
  })

  it('that is killed after the key has changed leaves it to the typed password in the same way', async () => {
    await start({ passkey: false })
    await page.evaluate(stuckAfter, ['password', false] as const)
    await page.evaluate(() => void window.sx.reencryptKey({ kept: true }, 'typed').catch(() => {}))
    await page.waitForFunction(() => 'isStuck' in window)
    await reload()
    expect(await load({})).toMatchObject(refused('PasswordRequired', 'the password was changed'))
    expect(await entriesKept()).toBe(1)
    expect(await load({ password: 'typed' })).toHaveProperty('value')
    expect(await entriesKept()).toBe(0)
  })

  it('is not mixed up with a backup that comes in the place of a deleted agent', async () => {
    await start({ passkey: false })
    const backup = await page.evaluate(async () => [...(await window.sx.exportStore({ password: 'of the backup' }))])
    expect(await reencrypt({ kept: true }, { passkey: true })).toEqual({ value: undefined })
    await page.goto(`${site.url}probe/`) // closes what the page has open
    await ready(page)
    await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('sx-agent')
          request.onsuccess = resolve
          request.onerror = reject
        }),
    )
    await page.evaluate((bytes) => window.sx.importStore(new Uint8Array(bytes)), backup)
    expect(await known()).toHaveLength(1)
    expect(await load()).toMatchObject(refused('PasswordRequired', 'has no passkey'))
    expect(await load({ password: 'of the backup' })).toHaveProperty('value')
    const plain = await page.evaluate(() => window.sx.outcome(async () => (await window.sx.exportStore()).length))
    expect(plain).toEqual({ value: expect.any(Number) as number })
    expect(await reencrypt('of the backup', { passkey: true })).toEqual({ value: undefined })
    expect(await known()).toHaveLength(1)
    await reload()
    expect(await load()).toHaveProperty('value')
  })

  it('changes nothing if the person says no', async () => {
    await start({ password: 'first', passkey: false })
    await device.mistake()
    expect(await reencrypt('first', { passkey: true })).toMatchObject({ code: 'PasskeyUnavailable' })
    await reload()
    expect(await load({ password: 'first' })).toHaveProperty('value')
    expect(await load()).toMatchObject({ code: 'PasswordRequired' })
  })
})

describe.skipIf(hasNoBrowser)('where there can be no passkey', () => {
  it('an authenticator without PRF is refused, and keeps none', async () => {
    await device.unplug()
    device = await Authenticator.plug(page, { hasPrf: false })
    expect(await start()).toMatchObject(refused('Unsupported', 'PRF extension'))
    expect(await device.passkeys()).toEqual([])
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await start({ passkey: false })).toMatchObject({ value: { created: true } })
  })

  it('a page whose host is a number is told so', async () => {
    await page.goto(`${site.url.replace('localhost', '127.0.0.1')}probe/`)
    await ready(page)
    expect(await start()).toMatchObject(refused('Unsupported', 'Passkeys require a page on a host name'))
    expect(await load()).toMatchObject({ code: 'NotFound' })
  })

  it('a worker, a storage, a password beside it and other values are InvalidOption', async () => {
    const inWorker = await page.evaluate(() => window.sx.inWorker('passkey'))
    expect(inWorker).toMatchObject(refused('InvalidOption', 'A worker cannot request'))
    const inStorage = await page.evaluate(() => {
      const { sx } = window
      return sx.outcome(() => sx.create({ name: 'A', passkey: true, storage: sx.memoryStorage() }))
    })
    expect(inStorage).toMatchObject(refused('InvalidOption', 'the option `storage`'))
    expect(await start({ password: 'p' })).toMatchObject(refused('InvalidOption', 'cannot be used together'))
    expect(await start({ passkey: 1 as never })).toMatchObject(refused('InvalidOption', 'neither true nor false'))
    expect(await device.passkeys()).toEqual([])
    const sync = await page.evaluate(async () => {
      await window.sx.init()
      return window.sx.outcome(() => window.sx.loadSync({ passkey: true }))
    })
    expect(sync).toMatchObject({ code: 'SyncStorageUnavailable' })
  })

  it.each([
    ['InvalidOption', 'https or localhost', () => Object.defineProperty(window, 'isSecureContext', { value: false })],
    ['Unsupported', 'WebAuthn', () => Object.defineProperty(window, 'PublicKeyCredential', { value: undefined })],
  ])('%s says why: %s', async (code, found, sabotage) => {
    await page.evaluate(sabotage)
    expect(await start()).toMatchObject(refused(code, found))
    expect(await load({ passkey: true })).toMatchObject(refused(code, found))
  })

  it('one that is damaged is told before anybody is asked', async () => {
    await start()
    await plant([{ id: '?' }])
    expect(await load()).toMatchObject({ code: 'CorruptStore' })
  })
})
