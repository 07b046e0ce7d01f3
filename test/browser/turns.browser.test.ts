import * as simple from 'sx-agent/simple'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { COUNT, documents, goesOnDuring, pausesBetween } from '../large-documents.ts'

const { Worker } = globalThis
beforeEach(() => vi.stubGlobal('Worker', undefined))
afterEach(() => vi.unstubAllGlobals())

pausesBetween()

it('verifyMany in workers lets the page go on', async () => {
  vi.stubGlobal('Worker', Worker)
  const { often, rarely } = await goesOnDuring(() => simple.verifyMany(documents))
  await simple.close()
  expect({ often, rarely, goesOn: often > COUNT / 2, stops: rarely < COUNT / 6 }).toMatchObject({
    goesOn: true,
    stops: true,
  })
})
