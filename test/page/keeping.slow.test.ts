// A password that is typed in place of the one that the page keeps.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { keeping, load, reload, start, visit } from './keeping.ts'
import { hasNoBrowser } from './site.ts'

keeping()

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
