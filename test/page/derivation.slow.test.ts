// Where keys are derived under a policy that forbids workers.
import { describe, expect, it } from 'vitest'
import { deriving, gapsIn, site, visit } from './deriving.ts'
import { complaintsOf, hasNoBrowser } from './site.ts'

deriving()

describe.skipIf(hasNoBrowser)('a key that is derived in a built page', () => {
  it('is derived in the page where a policy forbids workers, which is tried once', async () => {
    const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:"
    const { page, workers } = await visit(await site.under(`${policy}; worker-src 'none'`))
    const gaps = await gapsIn(page)
    expect({ gaps, stops: Math.min(gaps.create, gaps.load) > 0.7 * gaps.alone }).toMatchObject({ stops: true })
    expect(workers()).toBe(0)
    expect(complaintsOf(page).violations).toHaveLength(1)
  })
})
