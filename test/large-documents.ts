// Many large documents in the asynchronous forms: the thread does other work meanwhile.
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { turn } from '../src/turns.ts'
import { gapOf } from './gaps.ts'

export const COUNT = 25
const ROUNDS = 3
const password = 'correct horse battery staple'
export const storage = memoryStorage()
/** Of about 1 MB each. */
export const documents: string[] = []

type Work = () => Promise<unknown>

/**
 * How often this thread goes on while all documents are verified in other ones, in the best of some rounds, and while it
 * verifies them itself, at once. Counted, not timed: on a busy machine the thread itself is kept waiting.
 */
export async function goesOnDuring(work: Work): Promise<{ often: number; rarely: number }> {
  const often: number[] = []
  for (let round = 0; round < ROUNDS; round++) often.push((await gapOf(work)).beats)
  const { beats } = await gapOf(() => documents.map((document) => simple.verifySync(document)))
  return { often: Math.max(...often), rarely: beats }
}

/** The agent's own document stands among those of the storage. */
const works: Record<string, Work> = {
  verifyMany: async () => {
    const verdicts = await simple.verifyMany(documents, { concurrency: 1 })
    expect(verdicts.filter(({ valid }) => valid)).toHaveLength(COUNT)
  },
  listDocuments: async () => expect(await simple.listDocuments()).toHaveLength(COUNT + 1),
  audit: async () => expect((await simple.audit({ storage })).summary.documents).toBe(COUNT + 1),
}

async function makeDocuments(): Promise<void> {
  await simple.create({ name: 'Large', algorithm: 'ed25519', storage, password })
  for (let at = 0; at < COUNT; at++) {
    const entry = (id: number): object => ({ id, name: `entry ${id} of document ${at}`, amount: id * 1.5, tags: ['a'] })
    documents.push(
      await simple.createDocument(JSON.stringify({ list: Array.from({ length: 14_000 }, (_, id) => entry(id)) })),
    )
  }
}

/** The same in every runtime, in a thread that has no other one to hand anything to. */
export function pausesBetween(): void {
  beforeAll(makeDocuments)
  describe('many documents of 1 MB', () => {
    const { milliseconds } = turn
    afterEach(() => {
      turn.milliseconds = milliseconds
    })

    it.each(Object.keys(works))('%s does not keep the thread longer than about one of them takes', async (name) => {
      const work = works[name] as Work
      // Counted, not timed: on a busy machine the thread itself is kept waiting.
      const often = await gapOf(work)
      expect({ often, goesOn: often.beats > COUNT / 4 }).toMatchObject({ goesOn: true })
      turn.milliseconds = Number.POSITIVE_INFINITY
      const held = await gapOf(work)
      expect({ held, stops: held.beats < COUNT / 6 }).toMatchObject({ stops: true })
    })
  })
}
