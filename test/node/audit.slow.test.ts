// As audit.test.ts, with more flipped bytes.
import { expect, it } from 'vitest'
import { missedFlips } from './flipped-bytes.ts'

it('reports bytes that were flipped, in any file', async () => {
  expect(await missedFlips({ ofKeys: 10, ofOthers: 40 })).toEqual([])
})
