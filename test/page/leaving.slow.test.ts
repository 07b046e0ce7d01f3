// W06: other ways to leave a page, and what was signed and flushed before.
import { describe, expect, it } from 'vitest'
import { COUNT, followLink, found, leaving, otherWays, signsWhenLeft, started } from './leaving.ts'
import { hasNoBrowser } from './site.ts'

leaving()

describe.skipIf(hasNoBrowser)('W06 documents that a page signs synchronously in pagehide', () => {
  it.each(otherWays)('W06 are all stored: left %s', async (_, leave) => {
    const page = await started()
    await signsWhenLeft(page)
    await leave(page)
    expect(await found()).toBe(COUNT)
  })

  it('W06 are all stored also if one of them was signed before, and flushed', async () => {
    const page = await started()
    await page.evaluate(async () => {
      window.sx.signMessageSync({ first: true })
      await window.sx.flush()
    })
    await signsWhenLeft(page, 1)
    await followLink(page)
    expect(await found()).toBe(COUNT)
  })
})
