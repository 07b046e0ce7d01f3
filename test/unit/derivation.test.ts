import { afterEach, expect, test, vi } from 'vitest'
import * as core from '#core'
import { derivation as ofNode } from '../../node/derivation.ts'
import { platform } from '../../node/platform.ts'
import { call, ensureReady } from '../../src/core.ts'
import { derive } from '../../src/derivation.ts'
import { forget } from '../derivations.mjs'
import { later, now } from '../effects.ts'

forget()

await ensureReady()

const salt = (length: number): string => Buffer.from(Uint8Array.from({ length }, (_, at) => at * 7)).toString('base64')
const scrypt = (n: number, r: number, p: number, length = 16): string =>
  JSON.stringify({ kdf: 'scrypt', n, p, r, salt: salt(length) })
const pbkdf2 = (iterations: number, length = 16): string =>
  JSON.stringify({ iterations, kdf: 'pbkdf2', salt: salt(length) })

const allowed = [
  ['as it is written', scrypt(1 << 14, 8, 5)],
  ['the least', scrypt(1 << 14, 8, 1)],
  ['more memory', scrypt(1 << 15, 9, 1, 64)],
  ['the most memory', scrypt(1 << 14, 32, 1, 8)],
  ['another number of lanes', scrypt(1 << 14, 8, 2)],
  ['PBKDF2', pbkdf2(600_000)],
] as const

afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(platform, { derivation: ofNode })
})

test.each(allowed)("%s: Node's own derivation gives the key of the core", async (_, parameters) => {
  const password = 'Grüße, 世界'
  const key = call(() => core.deriveKey(parameters, new TextEncoder().encode(password)))
  const bytes = new TextEncoder().encode(password)
  const found = [ofNode.sync(parameters, bytes), await ofNode.async(parameters, bytes)]
  for (const own of [...found, now(derive(parameters, password)), await later(derive(parameters, password))]) {
    expect(Buffer.from(own ?? [])).toEqual(Buffer.from(key))
  }
})

test('in its asynchronous form it leaves the event loop alone', async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 5)
  await later(derive(scrypt(1 << 14, 8, 5), 'a password'))
  clearInterval(counting)
  expect(turns).toBeGreaterThan(3)
})

test.each([
  ['PasswordRequired', scrypt(1 << 14, 8, 5), ''],
  ['InvalidOption', scrypt(1 << 14, 8, 5), 'x'.repeat(65_537)],
  ['KdfOutOfRange', scrypt(1 << 13, 8, 5), 'a password'],
  ['KdfOutOfRange', scrypt(1 << 20, 8, 1), 'a password'],
  ['InvalidKey', '{"kdf":"scrypt"}', 'a password'],
])('%s before any work', async (code, parameters, password) => {
  const work = vi.spyOn(process, 'getBuiltinModule')
  expect(() => now(derive(parameters, password))).toThrow(expect.objectContaining({ code }) as Error)
  await expect(async () => later(derive(parameters, password))).rejects.toMatchObject({ code })
  expect(work).not.toHaveBeenCalled()
})

test('where the runtime refuses, the core derives the key', async () => {
  const [, [, parameters]] = allowed
  const key = now(derive(parameters, 'a password'))
  const crypto = process.getBuiltinModule('node:crypto')
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue({
    ...crypto,
    scryptSync: () => {
      throw new Error('not allowed here')
    },
    scrypt: (...given: unknown[]) => (given.at(-1) as (error: Error) => void)(new Error('not allowed here')),
  })
  expect(now(derive(parameters, 'a password'))).toEqual(new Uint8Array(key))
  expect(await later(derive(parameters, 'a password'))).toEqual(new Uint8Array(key))
})
