// A WebAssembly trap, forced by overwriting the instance's memory, is over when the caller gets its error.

import { hashString, init, SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, test } from 'vitest'
import * as core from '#core'

const password = 'a password for tests'

async function created(algorithm: 'ed25519' | 'pq2025'): Promise<SxAgent> {
  const storage = memoryStorage()
  await simple.create({ name: algorithm, algorithm, password, storage })
  const agent = new SxAgent({ storage, password })
  await agent.load()
  return agent
}

/** Leaves the instance as a fault would: its allocator, its stack and everything in it hold nonsense. */
function destroy(): void {
  // Once there is an instance, this gives its exports and makes no new one.
  const { memory } = core.initSync({})
  new Uint8Array(memory.buffer).fill(0xff)
}

async function failure(call: () => unknown): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    return error
  }
}

describe.each(['ed25519', 'pq2025'] as const)('%s', (algorithm) => {
  let signer: SxAgent
  let verifier: SxAgent
  let raw: string
  let text: Uint8Array

  beforeAll(async () => {
    await init()
    signer = await created(algorithm)
    verifier = await created('ed25519')
    raw = await signer.createDocument('{"a":1}')
    text = await signer.signText({ text: 'abc' })
    verifier.trustAgent(signer.exportAgent())
  })

  const calls: [name: string, call: () => unknown][] = [
    ['hashString', () => hashString('abc')],
    ['signStringSync', () => signer.signStringSync('abc')],
    ['createDocument', () => signer.createDocument('{"a":2}')],
    ['verifyDocument', () => verifier.verifyDocument(raw)],
    ['verifyOrThrowSync', () => verifier.verifyOrThrowSync(raw)],
    ['trustAgent', () => verifier.trustAgent(signer.exportAgent())],
    ['signText', () => signer.signText({ text: 'abc' })],
    ['verifyText', () => verifier.verifyText(text)],
    ['verifyStandalone', () => simple.verifyStandalone(raw, { keyDirectory: {} })],
  ]

  test.each(calls)('a trap in %s is an SxError, and everything works again after it', async (_, call) => {
    destroy()
    const error = await failure(call)
    expect(error).toBeInstanceOf(SxError)
    expect(error).toMatchObject({ code: 'Internal', cause: expect.any(WebAssembly.RuntimeError) as unknown })

    const signed = await signer.createDocument('{"a":3}')
    for (const text of [raw, signed]) {
      expect(await signer.verifyDocument(text)).toBe(true)
      expect(verifier.verifyOrThrowSync(text)).toMatchObject({ valid: true, trusted: true })
      expect(verifier.verifyDocumentSync(text.replace('"a":', '"b":'))).toBe(false)
    }
    for (const bytes of [text, await signer.signText(text)]) {
      expect(await verifier.verifyText(bytes)).toMatchObject({ valid: true, length: 3 })
    }
    const updated = signer.updateDocumentSync(JSON.parse(raw).sxId as string, '{"a":4}')
    expect(await verifier.verifyDocument(updated)).toBe(true)
    const key = new TextEncoder().encode(signer.getPublicKey())
    expect(verifier.verifyStringSync('x', signer.signStringSync('x'), key, algorithm)).toBe(true)
  })

  test('traps one after the other, and one while another call waits for its storage', async () => {
    for (let round = 0; round < 3; round++) {
      destroy()
      expect(await failure(() => hashString('abc'))).toMatchObject({ code: 'Internal' })
    }
    const waiting = verifier.verifyOrThrow(raw)
    destroy()
    expect(await failure(() => hashString('abc'))).toMatchObject({ code: 'Internal' })
    expect(await waiting).toMatchObject({ valid: true })
  })
})
