// W06: what is stored of what a page has signed right before somebody leaves it.
import { describe, expect, it } from 'vitest'
import { COUNT, followLink, found, leaving, signsWhenLeft, started } from './leaving.ts'
import { hasNoBrowser } from './site.ts'

leaving()

describe.skipIf(hasNoBrowser)('W06 documents that a page signs synchronously in pagehide', () => {
  it('W06 are all stored: left by a link', async () => {
    const page = await started()
    await signsWhenLeft(page)
    await followLink(page)
    expect(await found()).toBe(COUNT)
  })
})
