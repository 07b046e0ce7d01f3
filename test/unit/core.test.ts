import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, test } from 'vitest'
import * as core from '#core'
import { CoreObject, call, instanceEpoch, noteHandle, text } from '../../src/core.ts'
import { limitsText } from '../../src/limits.ts'

const password = 'a password for tests'

function trap(): never {
  throw new WebAssembly.RuntimeError('unreachable')
}

describe('call', () => {
  test('gives what the core gives', () => {
    expect(call(() => core.hashString('abc'))).toMatch(/^ba7816bf/)
  })

  test('makes an SxError of what the core refuses, in the same instance', () => {
    const before = instanceEpoch()
    expect(() => call(() => core.documentKey('x'))).toThrow(
      expect.objectContaining({ name: 'SxError', code: 'InvalidId' }),
    )
    expect(instanceEpoch()).toBe(before)
  })

  test('passes an SxError on as it is', () => {
    const error = new SxError('Busy')
    const throwing = (): never => {
      throw error
    }
    expect(() => call(throwing)).toThrow(error)
  })

  test('makes Internal of a trap, with its cause, and builds a new instance', () => {
    const before = instanceEpoch()
    expect(() => call(trap)).toThrow(
      expect.objectContaining({ code: 'Internal', cause: expect.any(WebAssembly.RuntimeError) as unknown }),
    )
    expect(instanceEpoch()).toBe(before + 1)
    expect(call(() => core.hashString(''))).toMatch(/^e3b0c442/)
  })

  test('makes Internal of a text that names no code', () => {
    const throwing = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error, no-throw-literal -- as the core throws
      throw 'NoSuchCode\nsomething'
    }
    expect(() => call(throwing)).toThrow(expect.objectContaining({ code: 'Internal' }))
  })
})

describe('objects in the core', () => {
  const limits = limitsText(undefined)
  const make = (): CoreObject => new CoreObject(() => call(() => core.ringNew(limits)))

  test('have numbers that no instance uses twice', () => {
    const first = make()
    const old = first.handle
    expect(() => call(trap)).toThrow(SxError)
    const second = make()
    expect(second.handle).toBeGreaterThan(old)
    expect(first.handle).toBeGreaterThan(old)
    expect(first.handle).not.toBe(second.handle)
    first.dispose()
    second.dispose()
  })

  test('are freed when they are disposed, and wiped', () => {
    const before = core.countHandles()
    let wiped = 0
    const object = new CoreObject(
      () => call(() => core.ringNew(limits)),
      () => wiped++,
    )
    expect(core.countHandles()).toBe(before + 1)
    object.dispose()
    expect([core.countHandles(), wiped]).toEqual([before, 1])
  })

  test('that are gone are Internal, not another object', () => {
    const object = make()
    const { handle } = object
    object.dispose()
    expect(() => call(() => core.publicOf(handle))).toThrow(expect.objectContaining({ code: 'Internal' }))
    expect(noteHandle(handle)).toBe(handle)
    expect(() => object.handle).toThrow(expect.objectContaining({ code: 'NoAgentLoaded' }))
  })
})

describe('verifying', () => {
  let storage: SyncStorage
  let agent: SxAgent

  beforeAll(async () => {
    storage = memoryStorage()
    await simple.create({ name: 'Handles', algorithm: 'ed25519', password, storage })
    agent = new SxAgent({ storage, password })
    await agent.load()
  })

  test('leaves no object behind, whatever the verdict or the failure', async () => {
    const raw = await agent.createDocument('{"a":1}', null, null, true)
    const before = core.countHandles()
    const stranger = raw.replace(/"agentID":"[^"]+"/, '"agentID":"6fa459ea-ee8a-4ca4-894e-db77e160355e"')
    for (const document of [raw, raw.replace('"a":1', '"a":2'), stranger, '{', '']) {
      await agent.verifyDocument(document)
      agent.verifyDocumentSync(document)
      agent.verifySignatureSync(document)
      simple.verifyStandalone(document, { keyDirectory: {} })
    }
    expect(core.countHandles()).toBe(before)

    const broken = { keyDirectory: { '6fa459ea-ee8a-4ca4-894e-db77e160355e': 17 as unknown as string } }
    for (let round = 0; round < 3; round++) {
      expect(() => simple.verifyStandalone(stranger, broken)).toThrow(
        expect.objectContaining({ code: 'InvalidOption' }),
      )
    }
    expect(core.countHandles()).toBe(before)
  })
})

test('text takes strings that have UTF-8, and no others', () => {
  expect(text('a\u{1f600}', 'data')).toBe('a\u{1f600}')
  for (const value of [undefined, null, 1, {}, new String('a')]) {
    expect(() => text(value, 'data')).toThrow(expect.objectContaining({ code: 'InvalidOption' }))
    expect(() => text(value, 'data')).toThrow(/'data'/)
  }
  for (const value of ['\ud800', 'a\udc00', '\udc00\ud800']) {
    expect(() => text(value, 'data')).toThrow(expect.objectContaining({ code: 'NotJson' }))
  }
})
