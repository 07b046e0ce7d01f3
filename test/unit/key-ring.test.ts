import { beforeAll, expect, test } from 'vitest'
import * as simple from '../../src/simple.ts'
import { memoryStorage, type SyncStorage } from '../../src/storage/index.ts'

const password = 'correct horse battery staple'

interface Other {
  readonly id: string
  readonly document: string
  readonly pem: string
  readonly signed: string
}

/** Another agent, and a document of its own. */
async function other(): Promise<Other> {
  const info = await simple.create({ name: 'Other', algorithm: 'ed25519', storage: memoryStorage(), password })
  const { raw } = await simple.signMessage({ amount: 1 })
  return { id: info.agentId, document: simple.exportAgent(), pem: simple.getPublicKey(), signed: raw }
}

let known: Other
let forger: Other
let storage: SyncStorage

const keyFile = (id: string): string[] => ['sx_keys', `${id}.public.pem`]
const trustEntry = (id: string, number: number): string[] => ['sx_data', 'trust', `${id}.${number}.json`]
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

beforeAll(async () => {
  known = await other()
  forger = await other()
  storage = memoryStorage()
  await simple.create({ name: 'Verifier', algorithm: 'ed25519', storage, password })
})

test('T06: a full ring forgets whole agents, never one source of the agent it decides about', async () => {
  simple.trustAgent(known.document)
  expect((await simple.verify(known.signed)).trusted).toBe(true)
  const shadowed = known.signed.replaceAll(known.id, '00000000-0000-4000-8000-000000000000')
  for (let n = 1; n <= 1100; n++) {
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    storage.putSync(keyFile(id), bytes(forger.pem))
    const { code } = await simple.verify(shadowed.replaceAll('00000000-0000-4000-8000-000000000000', id))
    expect(code).toBe('KeyMismatch')
    storage.putSync(keyFile(known.id), bytes(forger.pem))
    const shown = n % 100 === 0 ? (await simple.verify(known.signed)).code : 'KeyConflict'
    expect(shown).toBe('KeyConflict')
  }
  storage.deleteSync(keyFile(known.id))
  // What was forgotten is not known any more: its file may have gone in the meantime.
  const forgotten = '00000000-0000-4000-8000-000000000001'
  storage.deleteSync(keyFile(forgotten))
  expect((await simple.verify(shadowed.replaceAll('00000000-0000-4000-8000-000000000000', forgotten))).code).toBe(
    'UnknownSigner',
  )
  expect(await simple.verify(known.signed)).toMatchObject({ valid: true, trusted: true })
})

test('an emptied trust entry is damage, not an unknown agent, until trust is taken back', async () => {
  const home = memoryStorage()
  await simple.create({ name: 'Careful', algorithm: 'ed25519', storage: home, password })
  simple.trustAgent(known.document)
  await simple.load({ storage: home, password })
  home.putSync(trustEntry(known.id, 1), new Uint8Array(0))
  expect((await simple.verify(known.signed)).code).toBe('CorruptStore')
  expect(() => simple.trustAgent(known.document)).toThrow(expect.objectContaining({ code: 'CorruptStore' }))
  expect(simple.listTrustedAgents()).toEqual([known.id])
  expect(simple.untrustAgent(known.id)).toBe(true)
  expect(home.getSync(trustEntry(known.id, 1))).toEqual(new Uint8Array(0))
  expect((await simple.verify(known.signed)).code).toBe('UnknownSigner')
  simple.trustAgent(known.document)
  expect(await simple.verify(known.signed)).toMatchObject({ valid: true, trusted: true })
  await simple.load({ storage, password })
})

test('an entry of the trust store that was seen, and is emptied, counts until the next start', async () => {
  const home = memoryStorage()
  await simple.create({ name: 'Remembering', algorithm: 'ed25519', storage: home, password })
  simple.trustAgent(known.document)
  expect(await simple.verify(known.signed)).toMatchObject({ trusted: true })
  home.putSync(trustEntry(known.id, 1), new Uint8Array(0))
  expect(await simple.verify(known.signed)).toMatchObject({ trusted: true }) // its witness says what it was
  await simple.load({ storage: home, password })
  expect((await simple.verify(known.signed)).code).toBe('CorruptStore')
  await simple.load({ storage, password })
})

test('the trust store takes of the own agent only what its own document allows', () => {
  simple.trustAgent(simple.exportAgent())
  expect(simple.verifyStandalone(known.signed, { keyDirectory: { [known.id]: '' } }).code).toBe('InvalidKey')
})

test('a password with a line end of its own opens the key after it was saved', async () => {
  const home = memoryStorage()
  const env = { SX_SAVE_PASSWORD_FILE: 'true' }
  await simple.create({ name: 'Saved', algorithm: 'ed25519', storage: home, env })
  const saved = home.getSync(['sx_keys', '.sx_password'])
  await simple.reencryptKey(new TextDecoder().decode(saved), 'new\n')
  expect((await simple.load({ storage: home })).name).toBe('Saved')
})

test('T33: a value that shares objects is refused before it is written out', async () => {
  let value: unknown = 1
  for (let n = 0; n < 60; n++) value = { a: value, b: value }
  await expect(simple.signMessage(value)).rejects.toMatchObject({ code: 'LimitExceeded' })
})
