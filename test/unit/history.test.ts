// Effects in one line each, and operations that are run again from what they were told.
import { memoryStorage, type SyncStorage } from 'sx-agent/storage'
import { expect, test } from 'vitest'
import { ensureReady } from '../../src/core.ts'
import { derive } from '../../src/derivation.ts'
import { cursor, get, put, putIfAbsent, together } from '../../src/effects/entries.ts'
import { type Happened, recorded, replayed } from '../../src/effects/history.ts'
import { show, showAnswer } from '../../src/effects/show.ts'
import { type Effect, type Operation, perform, runAsync, runSync } from '../../src/effects.ts'
import { entropy, now } from '../../src/entropy.ts'
import { prefixed } from '../../src/storage/prefix.ts'

const bytes = Uint8Array.of(1, 2, 3)

await ensureReady()

test.each<[Effect<unknown>, string]>([
  [now, 'now'],
  [entropy, 'random length: 32'],
  [get(memoryStorage(), ['a', 'b']), 'get storage: / key: a/b'],
  [
    putIfAbsent(prefixed(memoryStorage(), ['data']), ['a'], bytes),
    'put storage: /data key: a bytes: 3 bytes 039058c6 options: { ifAbsent: true }',
  ],
  [put(memoryStorage(), ['sx_keys', '.sx_password'], bytes), 'put storage: / key: sx_keys/.sx_password bytes: 3 bytes'],
  [put(memoryStorage(), ['sx.private.pem'], bytes), 'put storage: / key: sx.private.pem bytes: 3 bytes'],
  [cursor(memoryStorage(), ['a'], ['a', 'b']), 'next cursor: { storage: /, prefix: a, after: a/b, steps: Steps }'],
  [derive('{}', 'a secret word'), 'derive parameters: "{}" password: 13 characters'],
  [together(get(memoryStorage(), ['a']), now), 'all effects: [(get storage: / key: a), (now)]'],
])('effect %# is shown in one line', (effect, line) => {
  expect(show(effect)).toBe(line)
})

test('an answer is shown, but no secret', () => {
  expect(showAnswer(get(memoryStorage(), ['a']), bytes)).toBe('3 bytes 039058c6')
  expect(showAnswer(get(memoryStorage(), ['a.private.pem']), bytes)).toBe('3 bytes')
  expect(showAnswer(together(get(memoryStorage(), ['.sx_password'])), [bytes])).toBe('[3 bytes]')
  expect(showAnswer(derive('{}', 'word'), bytes)).toBe('3 bytes')
  expect(showAnswer(now, 5)).toBe('5')
})

/** Counts in an entry, and says when, or why it could not. */
function* count(storage: SyncStorage): Operation<string> {
  const at = yield* perform(now)
  try {
    const [before] = yield* perform(together(get(storage, ['count']), get(storage, ['other'])))
    const next = Uint8Array.of((before?.[0] ?? 0) + 1)
    yield* perform(put(storage, ['count'], next))
    return `${next[0]} at ${at}`
  } catch (error) {
    return `${(error as Error).name} at ${at}`
  }
}

/** A storage that nothing may be asked of. */
const none = { capabilities: memoryStorage().capabilities, getSync: true } as unknown as SyncStorage

test('a history replays without a storage, whether a step has failed or not', async () => {
  const storage = memoryStorage()
  for (const run of [async () => runSync(() => recorded(count(storage), history)), later]) {
    history = []
    const result = await run()
    expect(replayed(count(none), history)).toBe(result)
  }
  await storage.close()
  history = []
  expect(await later()).toMatch(/^SxError at \d+$/)
  expect(replayed(count(none), history)).toMatch(/^SxError at \d+$/)
  function later(): Promise<string> {
    return runAsync(() => recorded(count(storage), history))
  }
})

let history: Happened[] = []

test('an operation that asks for something else than then does not replay', () => {
  history = []
  runSync(() => recorded(count(memoryStorage()), history))
  const [first, second, third] = history as [Happened, Happened, Happened]
  const replay =
    (...then: Happened[]): (() => string) =>
    () =>
      replayed(count(none), then)
  expect(replay(first, third, second)).toThrow(
    /^The operation asks for: all effects: .*\nThe history has: put storage: /,
  )
  expect(replay(first, second)).toThrow('The history has ended, and the operation asks for: put storage: / key: count')
  expect(replay(first, second, third, third)).toThrow('The operation has ended after 3 of 4 effects.')
  expect(replay(first, { ...second, answer: [Uint8Array.of(9), undefined] }, third)).toThrow(
    'The operation asks for: put',
  )
})
