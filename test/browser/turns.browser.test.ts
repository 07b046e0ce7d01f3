import * as simple from 'sx-agent/simple'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { documents, gapsOf, pausesBetween } from '../large-documents.ts'

const { Worker } = globalThis
beforeEach(() => vi.stubGlobal('Worker', undefined))
afterEach(() => vi.unstubAllGlobals())

pausesBetween()

// The workers want the processors, too.
const TIMES = 6

it('verifyMany in workers does not keep the page much longer than one of them takes', async () => {
  vi.stubGlobal('Worker', Worker)
  const { alone, gap, took } = await gapsOf(() => simple.verifyMany(documents), TIMES)
  await simple.close()
  expect({ alone, gap, took, goesOn: gap < TIMES * alone }).toMatchObject({ goesOn: true })
})
