// What a page keeps, how it is protected, and what happens when it cannot keep anything.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { everything, keeping, load, reload, start, visit } from './keeping.ts'
import { hasNoBrowser } from './site.ts'

keeping()

describe.skipIf(hasNoBrowser)('a generated password', () => {
  it('opens the key after a reload, and is handed to nobody', async () => {
    const page = await visit()
    const made = await start(page)
    expect(made).toMatchObject({ value: { created: true } })
    expect(made).not.toHaveProperty('value.generatedPassword')
    await reload(page)
    expect(await load(page)).toHaveProperty('value')
    await reload(page)
    expect(await load(page, { configPath: 'sx.config.json' })).toHaveProperty('value')
  })

  it('lies encrypted under a key that no script can read', async () => {
    const page = await visit()
    await start(page)
    const { texts, keys } = await everything(page)
    expect(keys).toEqual([{ extractable: false, exported: 'InvalidAccessError InvalidAccessError' }])
    expect(texts).toContain('BEGIN ENCRYPTED PRIVATE KEY')
    expect(texts).not.toContain('BEGIN PRIVATE KEY')
    expect(texts).not.toMatch(/^[\w-]{32}$/m)
  })

  it('is of no use for another configuration, nor without the key', async () => {
    const page = await visit()
    await start(page)
    /** Works on the vault behind the library's back. */
    const meddle = (work: 'copy' | 'newKey') =>
      page.evaluate(async (work) => {
        const request = indexedDB.open('sx-agent-vault')
        await new Promise((resolve) => (request.onsuccess = resolve))
        const database = request.result
        const [store = ''] = database.objectStoreNames
        const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
        const transaction = database.transaction(store, 'readwrite')
        const objects = transaction.objectStore(store)
        if (work === 'newKey') objects.put(key, 'key')
        else {
          const reading = objects.get('password sx.config.json')
          reading.onsuccess = () => objects.put(reading.result, 'password other/sx.config.json')
        }
        await new Promise((resolve) => (transaction.oncomplete = resolve))
        database.close()
      }, work)
    await meddle('copy')
    const create = () =>
      page.evaluate(() => window.sx.outcome(() => window.sx.create({ name: 'B', configPath: 'other/sx.config.json' })))
    expect(await create()).toMatchObject({ code: 'CorruptStore' })
    await meddle('newKey')
    await reload(page)
    expect(await load(page)).toMatchObject({ code: 'CorruptStore' })
  })

  it('is not made for a storage of the caller, which gets it instead', async () => {
    const page = await visit()
    await start(page)
    const made = await page.evaluate(async () => {
      const { sx } = window
      const storage = sx.memoryStorage()
      const { generatedPassword: password = '' } = await sx.create({ name: 'B', algorithm: 'ed25519', storage })
      await sx.reencryptKey(password, 'another one')
      return password
    })
    expect(made).toMatch(/^[\w-]{32}$/)
    await reload(page)
    expect(await load(page)).toHaveProperty('value.name', 'A')
  })

  it('follows reencryptKey', async () => {
    const page = await visit()
    const old = await page.evaluate(async () => {
      const password = 'the first one'
      await window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519', password })
      return password
    })
    const reencrypt = (from: string, to: string) =>
      page.evaluate(([from, to]) => window.sx.outcome(() => window.sx.reencryptKey(from, to)), [from, to] as const)
    expect(await reencrypt('a wrong one', 'the second one')).toMatchObject({ code: 'WrongPassword' })
    expect(await reencrypt(old, 'the second one')).toHaveProperty('value')
    await reload(page)
    expect(await load(page)).toMatchObject({ code: 'PasswordRequired' })
    expect(await load(page, { password: old })).toMatchObject({ code: 'WrongPassword' })
    expect(await load(page, { password: 'the second one' })).toHaveProperty('value')
    expect((await everything(page)).keys).toEqual([]) // a password that was given is kept nowhere
  })
})

describe.skipIf(hasNoBrowser)('writes behind', () => {
  it('are durable after flush', async () => {
    const page = await visit()
    await start(page)
    const keys = await page.evaluate(async () => {
      const { sx } = window
      for (let n = 0; n < 20; n++) sx.signMessageSync({ n })
      await sx.flush()
      return sx.listDocumentsSync({ type: 'message' })
    })
    expect(keys).toHaveLength(20)
    await reload(page)
    await load(page)
    const found = await page.evaluate(async () => {
      const keys = await window.sx.listDocuments({ type: 'message' })
      const valid = await Promise.all(keys.map(async (key) => (await window.sx.verifyById(key)).valid))
      return { keys, valid: valid.every(Boolean) }
    })
    expect(found).toEqual({ keys, valid: true })
  })
})

describe.skipIf(hasNoBrowser)('a page that can keep nothing', () => {
  it.each([
    ['has no IndexedDB', () => Object.defineProperty(window, 'indexedDB', { value: undefined })],
    [
      'is denied it',
      () => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('denied', 'SecurityError')
        }
      },
    ],
  ])('because it %s, says so', async (_, sabotage) => {
    const page = await visit()
    await page.addInitScript(sabotage)
    await reload(page)
    expect(await start(page)).toMatchObject({ code: 'StorageUnavailable' })
    expect(await load(page)).toMatchObject({ code: 'StorageUnavailable' })
    const judged = await page.evaluate(() => window.sx.verifyStandalone('{}').code)
    expect(judged).toBe('MissingSignature') // verifying needs no storage
  })

  it('because its quota is used up, says so, and has lost and half-written nothing', async () => {
    const page = await visit()
    await page.evaluate(async () => {
      // A bucket of its own with little room (Storage Buckets API, WICG).
      const { storageBuckets } = navigator as unknown as {
        storageBuckets: { open(name: string, options: { quota: number }): Promise<{ indexedDB: IDBFactory }> }
      }
      const { indexedDB } = await storageBuckets.open('small', { quota: 1_000_000 })
      Object.defineProperty(window, 'indexedDB', { value: indexedDB })
    })
    await start(page)
    const sign = (size: number) =>
      page.evaluate((size) => {
        const letters = Array.from({ length: size }, () => String.fromCharCode(32 + Math.random() * 90))
        return window.sx.outcome(async () => (await window.sx.signMessage(letters.join(''))).documentId)
      }, size)
    const kept = await sign(10)
    expect(kept).toHaveProperty('value')
    expect(await sign(5_000_000)).toMatchObject({ code: 'StorageFull' })
    // Whether something small fits now is the browser's affair: Chromium may charge the refused bytes for a while.
    const found = await page.evaluate(async () => {
      const [key = '', ...others] = await window.sx.listDocuments({ type: 'message' })
      return { key, others, valid: (await window.sx.verifyById(key)).valid }
    })
    expect(found).toEqual({ key: expect.stringContaining('value' in kept ? kept.value : ''), others: [], valid: true })
    const { texts } = await everything(page)
    expect(texts).toContain(found.key.split(':')[1])
    expect(texts.length).toBeLessThan(100_000)
  })
})

describe.skipIf(hasNoBrowser)('a password that is typed', () => {
  const reencrypt = (page: Page, from: string | { kept: true }, to: string) =>
    page.evaluate(([from, to]) => window.sx.outcome(() => window.sx.reencryptKey(from as string, to)), [
      from,
      to,
    ] as const)

  /** Passwords that the page keeps; scripts of its origin can use their key. */
  const kept = (page: Page): Promise<string[]> =>
    page.evaluate(async () => {
      const done = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve) => (request.onsuccess = () => resolve(request.result)))
      const database = await done(indexedDB.open('sx-agent-vault'))
      const entries = database.transaction('entries').objectStore('entries')
      const name = 'password sx.config.json'
      const [key, all] = (await Promise.all([done(entries.get('key')), done(entries.get(name))])) as [
        CryptoKey,
        { iv: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer }[],
      ]
      database.close()
      const additionalData = new TextEncoder().encode(name)
      const opening = all.map(({ iv, bytes }) =>
        crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, bytes),
      )
      return (await Promise.all(opening)).map((bytes) => new TextDecoder().decode(bytes))
    })

  it('closes the key in place of the one that the page keeps, and is asked for from then on', async () => {
    const page = await visit()
    await start(page)
    const [generated = ''] = await kept(page)
    expect(await reencrypt(page, { kept: true }, 'typed')).toEqual({ value: undefined })
    expect(await kept(page)).toEqual([])
    await reload(page)
    expect(await load(page)).toMatchObject({ code: 'PasswordRequired' })
    expect(await start(page)).toMatchObject({ code: 'PasswordRequired' })
    expect(await load(page, { password: generated })).toMatchObject({ code: 'WrongPassword' })
    expect(await load(page, { password: 'typed' })).toHaveProperty('value')
    expect(await reencrypt(page, 'typed', 'typed anew')).toEqual({ value: undefined })
    expect(await kept(page)).toEqual([])
    await reload(page)
    expect(await load(page)).toMatchObject({ code: 'PasswordRequired' })
    expect(await load(page, { password: 'typed anew' })).toHaveProperty('value')
  })

  it('is kept only where the one that it replaces was passed, and was kept', async () => {
    const page = await visit()
    await start(page)
    const [generated = ''] = await kept(page)
    expect(await reencrypt(page, generated, 'another one')).toEqual({ value: undefined })
    expect(await kept(page)).toEqual(['another one'])
    await reload(page)
    expect(await load(page)).toHaveProperty('value')
    expect(await reencrypt(page, { kept: true }, 'another one')).toEqual({ value: undefined })
    expect(await kept(page)).toEqual([])
    await reload(page)
    expect(await load(page)).toMatchObject({ code: 'PasswordRequired' })
  })
})
