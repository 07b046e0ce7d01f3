// `verifyMany` in a page that was built and is served as a user's: its workers, and policies that forbid them.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(() => site?.leave(context))
afterAll(() => site?.close())

/** Verifies documents that the page has signed; counts those that are valid. */
async function verified(url?: string): Promise<{ valid: number; page: Page }> {
  context = await site.emptied()
  const page = await site.probe(context, url)
  const valid = await page.evaluate(async () => {
    const { create, signMessage, verifyMany } = window.sx
    await create({ name: 'Page', algorithm: 'ed25519', password: 'correct horse battery staple' })
    const { raw } = await signMessage({ a: 1 })
    const verdicts = await verifyMany(
      Array.from({ length: 100 }, () => raw),
      { concurrency: 2 },
    )
    return verdicts.filter((verdict) => verdict.valid).length
  })
  return { valid, page }
}

describe.skipIf(hasNoBrowser)('verifyMany in a built page', () => {
  it('has workers under the policy of docs/loading.md', async () => {
    const { valid, page } = await verified()
    expect(valid).toBe(100)
    expect(page.workers()).toHaveLength(2)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('verifies in the page where a policy forbids workers', async () => {
    const { valid, page } = await verified(
      await site.under(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:; worker-src 'none'",
      ),
    )
    expect(valid).toBe(100)
    expect(page.workers()).toHaveLength(0)
  })
})
