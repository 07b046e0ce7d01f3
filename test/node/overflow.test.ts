// A call that overflows the stack, at every depth around that: whoever calls next, from anywhere, notices nothing of it.
import { create, signMessage, verifySync } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { expect, test } from 'vitest'

/** Calls with so many calls above it. */
function nested<T>(depth: number, work: () => T): T {
  return depth === 0 ? work() : nested(depth - 1, work)
}

test('after a call that overflows the stack, the next one works', async () => {
  await create({ name: 'Deep', algorithm: 'ed25519', password: 'a password for tests', storage: memoryStorage() })
  const { raw } = await signMessage({ deep: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown })
  const said = (depth: number): string => {
    try {
      return String(nested(depth, () => verifySync(raw)).valid)
    } catch (error) {
      return (error as { code?: string }).code ?? (error as Error).name
    }
  }
  for (let round = 0; round < 300; round++) said(0) // optimised code needs less of the stack
  const isDeep = (depth: number): boolean => {
    const first = said(depth)
    expect([depth, first, said(0), said(0)]).toEqual([depth, first, 'true', 'true'])
    return first !== 'true'
  }

  let [works, fails] = [0, 1024]
  while (!isDeep(fails)) [works, fails] = [fails, fails + 64]
  for (let depth = works; depth < fails + 512; depth++) isDeep(depth)
  expect(isDeep(fails)).toBe(true)
})
