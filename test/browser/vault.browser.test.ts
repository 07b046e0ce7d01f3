// Where a page keeps the passwords that were generated for it.
import { clear, get, set } from 'idb-keyval'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { idbStore } from '../../browser/storage/idb-store.ts'
import { vault } from '../../browser/vault.ts'
import { later, now } from '../effects.ts'

const store = idbStore('sx-agent-vault')

beforeEach(() => clear(store))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const read = async (path: string): Promise<readonly string[]> => later(vault.read(path))
const add = async (path: string, password: string): Promise<string> => later(vault.add(path, password))
const insert = async (path: string, password: string): Promise<void> => later(vault.insert(path, password))
const drop = async (path: string, password: string): Promise<void> => later(vault.drop(path, password))

interface Sealed {
  readonly iv: Uint8Array
  readonly bytes: ArrayBuffer
}

describe('the vault', () => {
  it('has nothing at first', async () => {
    expect(await read('./sx.config.json')).toEqual([])
  })

  it('gives back what was added, by any way of writing the path', async () => {
    expect(await add('./a/sx.config.json', 'Größe 😀')).toBe('Größe 😀')
    for (const path of ['a/sx.config.json', '/a//sx.config.json', './a/./sx.config.json']) {
      expect(await read(path)).toEqual(['Größe 😀'])
    }
    expect(await read('./sx.config.json')).toEqual([])
  })

  it('adds no password to the one that is there, and gives that one', async () => {
    await add('a', 'first')
    expect(await add('a', 'second')).toBe('first')
    expect(await read('a')).toEqual(['first'])
    await insert('a', 'newer')
    expect(await add('a', 'third')).toBe('newer')
  })

  it('has one winner among all that add at the same time, under one key', async () => {
    const passwords = Array.from({ length: 20 }, (_, at) => `password ${at}`)
    const kept = await Promise.all(passwords.map((password) => add('a', password)))
    expect(new Set(kept).size).toBe(1)
    expect(passwords).toContain(kept[0])
    expect(await read('a')).toEqual([kept[0]])
  })

  it('keeps several, the newest first, until each is dropped by itself', async () => {
    await add('a', 'first')
    await insert('a', 'second')
    await insert('a', 'third')
    await insert('b', 'second')
    expect(await read('a')).toEqual(['third', 'second', 'first'])
    await drop('a', 'second')
    expect(await read('a')).toEqual(['third', 'first'])
    await drop('a', 'third')
    await drop('a', 'first')
    expect(await read('a')).toEqual([])
    expect(await read('b')).toEqual(['second'])
    expect(await add('a', 'anew')).toBe('anew')
  })

  it('does nothing twice: neither keep one that is there, nor drop one that is not', async () => {
    await add('a', 'first')
    await insert('a', 'second')
    await insert('a', 'first')
    expect(await read('a')).toEqual(['second', 'first'])
    await drop('a', 'none')
    await drop('a', 'second')
    await drop('a', 'second')
    await drop('never seen', 'second')
    expect(await read('a')).toEqual(['first'])
  })

  it('loses none of what is inserted and dropped at the same time', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, at) => insert('a', `old ${at}`)))
    await Promise.all(Array.from({ length: 10 }, (_, at) => [insert('a', `new ${at}`), drop('a', `old ${at}`)]).flat())
    const kept = await read('a')
    expect([...kept].sort()).toEqual(Array.from({ length: 10 }, (_, at) => `new ${at}`))
  })

  it('has a password once although it was inserted twice at the same time, and drops it whole', async () => {
    await Promise.all(Array.from({ length: 5 }, () => insert('a', 'the same')))
    expect(await read('a')).toEqual(['the same'])
    await drop('a', 'the same')
    expect(await read('a')).toEqual([])
  })

  it('holds no password in clear, and never uses an IV twice', async () => {
    const sealed: Sealed[] = []
    for (let n = 0; n < 20; n++) {
      await insert('a', 'the same')
      sealed.push(...((await get<Sealed[]>('password a', store)) ?? []))
      await drop('a', 'the same')
    }
    expect(sealed).toHaveLength(20)
    expect(new Set(sealed.map(({ iv }) => iv.join())).size).toBe(20)
    for (const { bytes } of sealed) expect(new TextDecoder('latin1').decode(bytes)).not.toContain('the same')
    expect((await get<CryptoKey>('key', store))?.extractable).toBe(false)
  })

  it('works asynchronously only', () => {
    const effects = [vault.read('a'), vault.add('a', 'b'), vault.insert('a', 'b'), vault.drop('a', 'b')]
    for (const effect of effects) {
      expect(() => now(effect)).toThrow(expect.objectContaining({ code: 'SyncStorageUnavailable' }))
    }
  })

  it('asks for a password where the page is not secure', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    await expect(add('a', 'b')).rejects.toMatchObject({
      code: 'PasswordRequired',
      message: expect.stringContaining('https'),
    })
    expect(await read('a')).toEqual([])
  })

  it.each(['generateKey', 'encrypt'] as const)('asks for a password where the browser refuses %s', async (method) => {
    const refused = new DOMException('not here', 'NotSupportedError')
    vi.spyOn(SubtleCrypto.prototype, method).mockRejectedValue(refused)
    await expect(add('a', 'b')).rejects.toMatchObject({ name: 'SxError', code: 'PasswordRequired', cause: refused })
    expect(await read('a')).toEqual([])
  })
})

describe('a vault that was meddled with', () => {
  const damaged = { name: 'SxError', code: 'CorruptStore' }

  it.each([
    ['a text', 'text'],
    ['nothing', null],
    ['a number', 7],
    ['a list of something else', ['text']],
    ['a list with a hole', [null]],
    ['one sealed password, not in a list', { iv: new Uint8Array(12), bytes: new ArrayBuffer(32) }],
  ])('says so where there is %s in the place of the passwords, and leaves it there', async (_, wrong) => {
    await add('other', 'b')
    await set('password a', wrong, store)
    for (const work of [() => read('a'), () => add('a', 'b'), () => insert('a', 'b'), () => drop('a', 'b')]) {
      await expect(work()).rejects.toMatchObject(damaged)
    }
    expect(await get('password a', store)).toEqual(wrong)
    expect(await read('other')).toEqual(['b'])
  })

  it('opens what can be opened, and keeps what cannot', async () => {
    await add('a', 'good')
    const [good] = (await get<Sealed[]>('password a', store)) ?? []
    const bad = { iv: new Uint8Array(12), bytes: new ArrayBuffer(32) }
    await set('password a', [bad, good], store)
    expect(await read('a')).toEqual(['good'])
    expect(await add('a', 'another')).toBe('good')
    await drop('a', 'good')
    await expect(read('a')).rejects.toMatchObject(damaged)
    await expect(add('a', 'another')).rejects.toMatchObject(damaged)
    await insert('a', 'another')
    expect(await read('a')).toEqual(['another'])
    expect(await get('password a', store)).toHaveLength(2)
  })

  it('does not open for another configuration', async () => {
    await add('a', 'b')
    await set('password c', await get('password a', store), store)
    await expect(read('c')).rejects.toMatchObject(damaged)
  })

  const { subtle } = crypto
  const keys: Record<string, () => unknown> = {
    text: () => 'text',
    null: () => null,
    'an extractable key': () => subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']),
    'a short key': () => subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt', 'decrypt']),
    'a key of another algorithm': () =>
      subtle.generateKey({ name: 'AES-CBC', length: 256 }, false, ['encrypt', 'decrypt']),
    'a key that only encrypts': () => subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']),
    'a key that does more': () =>
      subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt', 'wrapKey']),
    'a public key': async () => {
      const algorithm = {
        name: 'RSA-OAEP',
        modulusLength: 2048,
        publicExponent: Uint8Array.of(1, 0, 1),
        hash: 'SHA-256',
      }
      return (await subtle.generateKey(algorithm, false, ['encrypt', 'decrypt'])).publicKey
    },
  }
  it.each(Object.entries(keys))('trusts no password to %s in the place of its key', async (_, wrong) => {
    await add('a', 'b')
    const key = await wrong()
    await set('key', key, store)
    const found = expect.stringContaining(' overwritten.')
    await expect(read('a')).rejects.toMatchObject({ code: 'CorruptStore' })
    await expect(add('c', 'b')).rejects.toMatchObject({ ...damaged, message: found })
    await expect(insert('a', 'c')).rejects.toMatchObject({ ...damaged, message: found })
    expect(await get('password c', store)).toBeUndefined()
  })
})
