// Arguments that throw when a function looks at them: one SxError, and nothing is written.
import { SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { type Key, memoryStorage, mirrored, prefixed } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { refusal } from './fixtures.ts'
import { ROWS } from './wrong-arguments.ts'
import { agent, revoked, throwing, unreadable, wrong } from './wrong-values.ts'

describe('a value that throws when it is looked at', () => {
  // What they hold is spread by the test itself.
  const rows = Object.entries(ROWS).filter(([name]) => !name.startsWith('create({agentType, algorithm})'))

  for (const [name, { call }] of rows) {
    it(`is refused: ${name}`, async () => {
      for (const value of unreadable()) {
        const outcome = await (async () => call(wrong(value)))().catch((error: unknown) => error)
        expect(outcome).toBeInstanceOf(SxError)
        expect((outcome as SxError).code).not.toBe('Internal')
      }
    })
  }

  it('is no document, and no file', async () => {
    for (const value of unreadable()) {
      expect((await sx.verify(wrong(value))).valid).toBe(false)
      expect(sx.verifyStandalone(wrong(value)).valid).toBe(false)
    }
    for (const { prototype } of [Blob, Uint8Array, String])
      await refusal(() => agent.verifyAgent(Object.create(prototype)), 'InvalidOption')
  })

  it('is no storage, nor options and keys of one', async () => {
    const below = memoryStorage()
    const storage = await mirrored(below)
    const none = [null, 5, 'x', {}, () => below, { ...below, capabilities: null }, ...unreadable()]
    for (const value of [undefined, ...none]) {
      await refusal(() => mirrored(wrong(value)), 'InvalidOption')
      await refusal(() => prefixed(wrong(value), ['a']), 'InvalidOption')
      await refusal(() => storage.invalidate(wrong(value)), 'InvalidOption')
    }
    for (const value of [...none.filter((value) => typeof value !== 'object' || value === null), ...unreadable()]) {
      await refusal(() => mirrored(below, wrong(value)), 'InvalidOption')
      await refusal(() => mirrored(below, { prefix: wrong(value) }), 'InvalidId')
      await refusal(() => prefixed(below, wrong(value)), 'InvalidId')
      await refusal(() => storage.invalidate([wrong(value)]), 'InvalidId')
    }
    for (const value of [null, 5, 'x', {}])
      await refusal(() => mirrored(below, { isImmutable: wrong(value) }), 'InvalidOption')
    await refusal(() => storage.invalidate(throwing<Key[]>([['a']])), 'InvalidOption')
  })

  it('is not thrown on by what reads it late', async () => {
    const shared = memoryStorage()
    Object.assign(shared, { capabilities: { ...shared.capabilities, shared: true } })
    const storage = await mirrored(shared, { isImmutable: throwing(() => true) })
    storage.putSync(['a'], new Uint8Array(1))
    await storage.flush()
    await refusal(() => storage.get(['a']), 'InvalidOption')
    const hostile = {
      get a(): never {
        // oxlint-disable-next-line typescript/only-throw-error -- asking it whether it is an SxError throws too
        throw revoked({})
      },
    }
    await refusal(() => sx.signMessage(hostile), 'NotJson')
  })

  it('does not pass for another file than it is', async () => {
    class Lying extends Blob {
      override get size(): number {
        throw new Error('not for you')
      }
      override async arrayBuffer(): Promise<ArrayBuffer> {
        return wrong(5)
      }
    }
    expect(await agent.verifyAgent(new Lying([agent.exportAgent()]))).toBe(true)
    expect(await agent.verifyAgent(new Lying(['{}']))).toBe(false)
  })
})
