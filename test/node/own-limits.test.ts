// Limits are about what is handed in. What an agent holds of itself is read with the default ones at least.
import { test } from 'vitest'
import { goesOn } from './lowered-limits.ts'

// oxlint-disable-next-line vitest/expect-expect -- what it calls does
test('K12: an agent whose limits are lowered loads after rotations by another process, and goes on with its own document', () =>
  goesOn({ bytes: 200 }))
