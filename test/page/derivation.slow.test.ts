// Where keys are derived in a page that was built and is served as a user's, and under a policy that forbids workers.
import { describe, expect, it } from 'vitest'
import { deriving, gapsIn, site, visit } from './deriving.ts'
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

  it('is derived in the page where a policy forbids workers, which is tried once', async () => {
    const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:"
    const { page, workers } = await visit(await site.under(`${policy}; worker-src 'none'`))
    const gaps = await gapsIn(page)
    expect({ gaps, stops: Math.min(gaps.create, gaps.load) > 0.7 * gaps.alone }).toMatchObject({ stops: true })
    expect(workers()).toBe(0)
    expect(complaintsOf(page).violations).toHaveLength(1)
  })
})
