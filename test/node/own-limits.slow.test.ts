// As own-limits.test.ts, with the other limits.
import { test } from 'vitest'
import { goesOn } from './lowered-limits.ts'

// oxlint-disable-next-line vitest/expect-expect -- what it calls does
test.each([{ members: 3 }, { depth: 1 }])(
  'K12: an agent with %j loads after rotations by another process, and goes on with its own document',
  goesOn,
)
