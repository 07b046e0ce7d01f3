// Where a page keeps the passwords that were generated for it.
import { clear, get, set } from 'idb-keyval'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { idbStore } from '../../browser/storage/idb-store.ts'
import { vault } from '../../browser/vault.ts'

const store = idbStore('sx-agent-vault')

beforeEach(() => clear(store))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('the vault', () => {
  it('has nothing at first', async () => {
    expect(await vault.read('./sx.config.json').async()).toBeUndefined()
  })

  it('gives back what was added, by any way of writing the path', async () => {
    expect(await vault.add('./a/sx.config.json', 'Größe 😀').async()).toBe('Größe 😀')
    for (const path of ['a/sx.config.json', '/a//sx.config.json', './a/./sx.config.json']) {
      expect(await vault.read(path).async()).toBe('Größe 😀')
    }
    expect(await vault.read('./sx.config.json').async()).toBeUndefined()
  })

  it('keeps the password that is there, and gives that one', async () => {
    await vault.add('a', 'first').async()
    expect(await vault.add('a', 'second').async()).toBe('first')
    expect(await vault.read('a').async()).toBe('first')
  })

  it('has one winner among all that add at the same time, under one key', async () => {
    const passwords = Array.from({ length: 20 }, (_, at) => `password ${at}`)
    const kept = await Promise.all(passwords.map(async (password) => vault.add('a', password).async()))
    expect(new Set(kept).size).toBe(1)
    expect(passwords).toContain(kept[0])
    expect(await vault.read('a').async()).toBe(kept[0])
  })

  it('replaces a password that is written', async () => {
    await vault.add('a', 'first').async()
    await vault.write('a', 'second').async()
    expect(await vault.read('a').async()).toBe('second')
  })

  it('holds no password in clear, and never uses an IV twice', async () => {
    const sealed: { iv: Uint8Array; bytes: ArrayBuffer }[] = []
    for (let n = 0; n < 20; n++) {
      await vault.write('a', 'the same').async()
      const entry = await get<{ iv: Uint8Array; bytes: ArrayBuffer }>('password a', store)
      if (entry) sealed.push(entry)
    }
    expect(new Set(sealed.map(({ iv }) => iv.join())).size).toBe(20)
    for (const { bytes } of sealed) expect(new TextDecoder('latin1').decode(bytes)).not.toContain('the same')
    expect((await get<CryptoKey>('key', store))?.extractable).toBe(false)
  })

  it('works asynchronously only', () => {
    for (const effect of [vault.read('a'), vault.add('a', 'b'), vault.write('a', 'b')]) {
      expect(() => effect.sync()).toThrow(expect.objectContaining({ code: 'SyncStorageUnavailable' }))
    }
  })

  it('asks for a password where the page is not secure', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    const adding = Promise.resolve(vault.add('a', 'b').async())
    await expect(adding).rejects.toMatchObject({ code: 'PasswordRequired', message: expect.stringContaining('https') })
    expect(await vault.read('a').async()).toBeUndefined()
  })

  it.each(['generateKey', 'encrypt'] as const)('asks for a password where the browser refuses %s', async (method) => {
    const refused = new DOMException('not here', 'NotSupportedError')
    vi.spyOn(SubtleCrypto.prototype, method).mockRejectedValue(refused)
    const adding = Promise.resolve(vault.add('a', 'b').async())
    await expect(adding).rejects.toMatchObject({ name: 'SxError', code: 'PasswordRequired', cause: refused })
    expect(await vault.read('a').async()).toBeUndefined()
  })

  it('says that it was damaged where something else stands in the place of the key or of a password', async () => {
    const damaged = { name: 'SxError', code: 'CorruptStore' }
    await vault.add('a', 'b').async()
    for (const wrong of ['text', null, 7]) {
      await set('password a', wrong, store)
      await expect(Promise.resolve(vault.read('a').async())).rejects.toMatchObject(damaged)
    }
    await set('key', 'text', store)
    await expect(Promise.resolve(vault.read('a').async())).rejects.toMatchObject(damaged)
    await expect(Promise.resolve(vault.write('a', 'b').async())).rejects.toMatchObject(damaged)
  })
})
