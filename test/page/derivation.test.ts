// Where keys are derived in a page that was built and is served as a user's, and under policies that forbid workers.
import { describe, expect, it } from 'vitest'
import { deriving, gapsIn, visit } from './deriving.ts'
import { complaintsOf, hasNoBrowser } from './site.ts'

deriving()

describe.skipIf(hasNoBrowser)('a key that is derived in a built page', () => {
  it('leaves it free under the policy of docs/loading.md', async () => {
    const { page, workers } = await visit()
    const gaps = await gapsIn(page)
    expect({ gaps, isFree: Math.max(gaps.create, gaps.load) < gaps.alone / 2 }).toMatchObject({ isFree: true })
    expect(workers()).toBe(9)
    await expect.poll(() => page.workers()).toHaveLength(0)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })
})
