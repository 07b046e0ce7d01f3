// As texts.test.ts, with more kills.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, it } from 'vitest'
import { newFolder, times } from './fixtures.ts'
import { killAtRandom, killAtSteps, type Signers, TEXT, twoSigners } from './killed-signing.ts'

describe('T25 a process that is killed while it signs leaves the old file or the new one', () => {
  let two: Omit<Signers, 'path'>
  let path: string
  beforeAll(async () => {
    two = await twoSigners()
  })
  beforeEach(() => {
    path = join(newFolder(), 'contract.md')
    writeFileSync(path, TEXT)
  })

  // oxlint-disable-next-line vitest/expect-expect -- what kills does
  it('at any step', () => killAtSteps({ ...two, path }))

  const KILLS = times(200)
  // oxlint-disable-next-line vitest/expect-expect -- what kills does
  it(`${KILLS} times, at random`, () => killAtRandom({ ...two, path }, KILLS))
})
