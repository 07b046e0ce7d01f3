import { init, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeEach, describe, expect, test } from 'vitest'
import * as core from '#core'
import { call } from '../../src/core.ts'
import cctv from '../../wasm/core/tests/data/ed25519/cctv.json' with { type: 'json' }
import vectors from '../vectors/signatures.json' with { type: 'json' }

/** A document that an agent of its own has signed, and the key to it. */
function signed(algorithm: 'ed25519' | 'pq2025'): { raw: string; signer: string; key: string } {
  simple.createSync({ name: 'Known', algorithm, password: 'a password for tests', storage: memoryStorage() })
  const { raw, agentId } = simple.signMessageSync({ text: 'known' })
  return { raw, signer: agentId, key: simple.getPublicKey() }
}

/** Keys and bytes that the core keeps. */
const kept = (): number[] => [...core.countKept()]

describe.each(['ed25519', 'pq2025'] as const)('keys of %s', (algorithm) => {
  const worth = { ed25519: 9, pq2025: 2 }[algorithm]
  const { raw, signer, key } = signed(algorithm)
  const keys = { [signer]: key }
  const verify = (document = raw): boolean => simple.verifyStandalone(document, { keys }).valid

  beforeEach(async () => {
    await init({ keptKeys: { keys: 0 } })
    await init({ keptKeys: {} })
    if (kept()[0] !== 0) throw new Error('Keys are kept still.')
  })

  test('are kept after so many right signatures, and say the same', () => {
    const damaged = raw.replace('known', 'other')
    for (let round = 0; round < 2 * worth; round++) {
      expect(verify(damaged)).toBe(false)
      expect(verify()).toBe(true)
      expect(kept()[0]).toBe(round + 1 < worth ? 0 : 1)
    }
    expect(kept()[1]).toBeGreaterThan(50_000)
    expect(kept()[1]).toBeLessThan(100_000)
  })

  test('that sign nothing right are never kept', () => {
    const damaged = raw.replace('known', 'other')
    for (let round = 0; round < 3 * worth; round++) expect(verify(damaged)).toBe(false)
    expect(kept()).toEqual([0, 0])
  })

  test('are forgotten with a trap and come back, within the bounds that were set', async () => {
    await init({ keptKeys: { keys: 1 } })
    for (let round = 0; round < worth; round++) verify()
    expect(kept()[0]).toBe(1)
    expect(() =>
      call(() => {
        throw new WebAssembly.RuntimeError('unreachable')
      }),
    ).toThrow(SxError)
    expect(kept()).toEqual([0, 0])
    for (let round = 0; round < worth; round++) expect(verify()).toBe(true)
    expect(kept()[0]).toBe(1)
    await init({ keptKeys: { keys: 0 } })
    expect(() =>
      call(() => {
        throw new WebAssembly.RuntimeError('unreachable')
      }),
    ).toThrow(SxError)
    for (let round = 0; round < 2 * worth; round++) expect(verify()).toBe(true)
    expect(kept()).toEqual([0, 0])
  })
})

test.each(vectors.documents)('C01: a document by a key with a part of small order, $name', async (vector) => {
  await init({ keptKeys: { keys: 0 } })
  await init({ keptKeys: {} })
  const verify = ({ text, agentId, publicKey }: typeof vector): string | null =>
    simple.verifyStandalone(text, { keys: { [agentId]: publicKey } }).code ?? null
  expect(verify(vector)).toBe(vector.code)
  for (const right of vectors.documents.filter(({ code }) => code === null))
    for (let round = 0; round < 9; round++) expect(verify(right)).toBe(null)
  expect(kept()[0]).toBe(1)
  expect(verify(vector)).toBe(vector.code)
})

test('C01: vectors of CCTV say in the core what verify_strict says of them', () => {
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
  const said = cctv.map(({ key, msg, sig }) => {
    try {
      return core.verifyString(msg, base64(sig), Buffer.from(key, 'hex'), 'ed25519')
    } catch {
      return false // a key that is refused
    }
  })
  // Without parts of small order in R and the key, or with parts that leave no residue; S, R and the key canonical.
  const refused = [
    'low_order_residue',
    'low_order_A',
    'low_order_R',
    'non_canonical_A',
    'non_canonical_R',
    'reencoded_k',
  ]
  expect(said).toEqual(cctv.map(({ flags }) => !(flags ?? []).some((flag) => refused.includes(flag))))
  expect(said.filter(Boolean).length).toBe(43)
})

test('a weak key is refused however often it comes, and nothing is kept of it', async () => {
  await init({ keptKeys: {} })
  const [before] = kept()
  const { raw, signer } = signed('ed25519')
  const identity = new Uint8Array(32)
  identity[0] = 1
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), identity]).toString('base64')
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`
  for (let round = 0; round < 20; round++) {
    const { valid, code } = simple.verifyStandalone(raw, { keys: { [signer]: pem } })
    expect([valid, code]).toEqual([false, 'WeakPublicKey'])
  }
  expect(kept()[0]).toBe(before)
})

test('bounds are whole numbers within their range', async () => {
  const wrong = (keptKeys: unknown) => init({ keptKeys } as Parameters<typeof init>[0])
  for (const bounds of [{ keys: -1 }, { keys: 1025 }, { keys: 1.5 }, { bytes: Number.NaN }, { bytes: 2 ** 40 }]) {
    await expect(wrong(bounds)).rejects.toMatchObject({ code: 'InvalidOption', message: /up to 1024.*134217728/ })
  }
  for (const keys of ['5', '', null, true, 5n, [3], { toString: () => '7' }]) {
    await expect(wrong({ keys })).rejects.toMatchObject({ code: 'InvalidOption', message: /up to 1024/ })
  }
  for (const bounds of [{ bytes: {} }, { key: 1 }, [], 1, 'x', null, false, 0, '']) {
    await expect(wrong(bounds)).rejects.toMatchObject({ code: 'InvalidOption' })
  }
})
