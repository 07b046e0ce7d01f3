// The records beside the key file: which password opens the key, and what is said where one is missing or damaged.
import { SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage, mirrored, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import { runAsync, runSync } from '../../src/effects.ts'
import { readKey } from '../../src/state/private-key.ts'
import { remote } from './remote.ts'

const passwords = ['the first password', 'the second password', 'the third password'] as const
const [first, second, third] = passwords
const FILE = 'sx.private.pem'

/** What the storage holds after two changes of the password. */
const changed: [string[], Uint8Array][] = []
/** The key file and the first record as they were before the changes that came after them. */
let [firstFile, firstRecord] = [new Uint8Array(), new Uint8Array()]
let storage: SyncStorage

const file = ['sx_keys', FILE]
const record = (number: number): string[] => ['sx_keys', `${FILE}.${number}`]
const bytesAt = (key: string[]): Uint8Array<ArrayBuffer> => new Uint8Array(storage.getSync(key) ?? [])
const recordOf = (number: number): object => JSON.parse(decode(bytesAt(record(number)), 'A record')) as object

/** What loading with a password ends in, whatever the form. */
async function outcome(password: string): Promise<string> {
  const forms = [
    () => simple.load({ storage: remote(storage), password }),
    async () => simple.loadSync({ storage, password }),
  ]
  const found = new Set<string>()
  for (const form of forms) {
    try {
      await form()
      found.add('opened')
    } catch (error) {
      if (!(error instanceof SxError)) throw error
      found.add(error.code === 'CorruptStore' ? `${error.code}: ${error.found}` : error.code)
    }
  }
  return [...found].join(' and ')
}
const outcomes = async (): Promise<string[]> => {
  const found: string[] = []
  for (const password of passwords) found.push(await outcome(password))
  return found
}
const always = (text: string): string[] => passwords.map(() => text)

beforeAll(async () => {
  storage = memoryStorage()
  await simple.create({ name: 'A', algorithm: 'ed25519', storage, password: first })
  firstFile = bytesAt(file)
  await simple.reencryptKey(first, second)
  firstRecord = bytesAt(record(2))
  await simple.reencryptKey(second, third)
  for (const key of storage.listSync([])) changed.push([[...key], bytesAt([...key])])
})

beforeEach(() => {
  storage = memoryStorage()
  for (const [key, bytes] of changed) storage.putSync(key, bytes)
})

describe('the last record', () => {
  it('says which password opens the key', async () => {
    expect(await outcomes()).toEqual(['WrongPassword', 'WrongPassword', 'opened'])
  })

  it('wins over an older key file, and over none; the next start mends it', async () => {
    const latest = bytesAt(file)
    for (const older of [firstFile, undefined]) {
      if (older === undefined) storage.deleteSync(file)
      else storage.putSync(file, older)
      expect(await outcome(first)).toBe('WrongPassword')
      expect(bytesAt(file)).toEqual(older ?? new Uint8Array())
      expect(await outcome(third)).toBe('opened')
      expect(bytesAt(file)).toEqual(latest)
    }
  })

  it('alone holds a key; the next start takes that of an earlier one out', async () => {
    expect(recordOf(2)).toMatchObject({ pem: null, saved: null })
    expect(recordOf(3)).toMatchObject({ pem: decode(bytesAt(file), 'The key file') })
    storage.putSync(record(2), firstRecord)
    expect(recordOf(2)).not.toMatchObject({ pem: null })
    expect(await outcome(second)).toBe('WrongPassword')
    expect(await outcome(third)).toBe('opened')
    expect(recordOf(2)).toMatchObject({ pem: null, saved: null })
  })

  it('does not win over a key file that no record knows: its owner has put it there', async () => {
    await simple.load({ storage, password: third })
    await simple.reencryptKey(third, 'a fourth password')
    storage.deleteSync(record(4))
    storage.putSync(record(3), changed.find(([key]) => key[1] === `${FILE}.3`)?.[1] ?? firstRecord)
    expect(await outcome(third)).toBe('WrongPassword')
    expect(await outcome('a fourth password')).toBe('opened')
  })
})

describe('a record that is missing', () => {
  const hole = `CorruptStore: The key record ${FILE}.2 is missing, although a later one exists.`

  it('is named where a later one is there, and no password opens the key', async () => {
    storage.deleteSync(record(2))
    expect(await outcomes()).toEqual(always(hole))
    storage.putSync(file, firstFile)
    expect(await outcomes()).toEqual(always(hole))
  })

  it('keeps the password from being changed', async () => {
    await simple.load({ storage, password: third })
    storage.deleteSync(record(2))
    const before = [...storage.listSync([])]
    for (const form of [simple.reencryptKey, async () => simple.reencryptKeySync(third, first)])
      await expect(form(third, first)).rejects.toMatchObject({ code: 'CorruptStore', found: hole.slice(14) })
    expect([...storage.listSync([])]).toEqual(before)
  })

  it('is none where it has come meanwhile', async () => {
    storage.deleteSync(record(2))
    const meanwhile = remote(storage, {
      get: async (key) => {
        const bytes = storage.getSync(key)
        if (key.at(-1) === `${FILE}.2`) storage.putSync(key, firstRecord)
        return bytes
      },
    })
    await expect(simple.load({ storage: meanwhile, password: third })).resolves.toMatchObject({ name: 'A' })
  })
})

describe('a copy in memory that misses a record', () => {
  /** The key at rest by what is in memory, and by what is stored. */
  const both = async (): Promise<string[]> => {
    const place = { keys: await mirrored(remote(storage), { prefix: ['sx_keys'] }), file: [FILE] }
    const code = (error: unknown): string => (error instanceof SxError ? error.code : String(error))
    const found: string[] = []
    try {
      found.push(runSync(() => readKey(place))?.pem ?? '')
    } catch (error) {
      found.push(code(error))
    }
    return [...found, await runAsync(() => readKey(place)).then((key) => key?.pem ?? '', code)]
  }

  it('is asked no more about the key, since the storage may hold the record', async () => {
    const pem = decode(bytesAt(file), 'The key file')
    expect(await both()).toEqual([pem, pem])
    const last = bytesAt(record(3))
    storage.deleteSync(record(3)) // the copy has read what came before it, which holds no key any more
    storage.deleteSync(file)
    expect(recordOf(2)).toMatchObject({ pem: null })
    storage.putSync(file, firstFile)
    expect(await both()).toEqual(['SyncStorageUnavailable', 'CorruptStore'])
    storage.putSync(record(3), last)
    storage.deleteSync(record(2))
    expect(await both()).toEqual(['SyncStorageUnavailable', 'CorruptStore'])
  })
})

describe('a record that is damaged', () => {
  const whole = { previous: '0'.repeat(64), pem: 'x', saved: null }
  const damages: [string, string][] = [
    ['is empty', ''],
    ['is not JSON', 'junk'],
    ['is cut off', '{"previous":"'],
    ['is a key as in the key file', '-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n'],
    ['says nothing', '{}'],
    ['is null', 'null'],
    ['does not say what it replaces', JSON.stringify({ ...whole, previous: 'x' })],
    ['holds a number as key', JSON.stringify({ ...whole, pem: 1 })],
    ['holds a password and no key', JSON.stringify({ ...whole, pem: null, saved: 'x' })],
  ]

  it.each(damages)('is named, and no password opens the key: one that %s', async (_, text) => {
    for (const number of [3, 2]) {
      storage.putSync(record(number), encode(text))
      storage.putSync(file, firstFile)
      expect(await outcomes()).toEqual(always(`CorruptStore: The key record ${FILE}.${number} is damaged.`))
    }
  })

  it('is the last one if its key was taken out, as when the last one is lost', async () => {
    storage.deleteSync(record(3))
    for (const older of [firstFile, undefined]) {
      if (older === undefined) storage.deleteSync(file)
      else storage.putSync(file, older)
      expect(await outcomes()).toEqual(always(`CorruptStore: The key record ${FILE}.2 is damaged.`))
    }
  })

  it('is refused as a key file would be if what it holds is no key', async () => {
    storage.putSync(record(3), encode(JSON.stringify({ ...recordOf(3), pem: 'no key' })))
    storage.putSync(file, firstFile)
    expect(await outcomes()).toEqual(always('InvalidKey'))
  })
})
