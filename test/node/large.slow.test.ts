// 100 MB of JSON: refused before it costs more memory than the text itself.
import { describe, expect, it } from 'vitest'
import { filesOf, newFolder } from './fixtures.ts'
import { Child } from './processes.ts'

const TEXT_SIZE = 100_000_000
/** What the process may need for anything else meanwhile. */
const SLACK = 32 * 1024 * 1024

const CALLS = [
  ['signMessage'],
  ['signMessage', 'values'],
  ['createDocument'],
  ['updateDocument'],
  ['updateDocument', 'values'],
  ['updateAgent'],
  ['trustAgent'],
  ['verify'],
  ['verifySync'],
  ['verifyStandalone'],
  ['verifyDocument'],
] as const

describe('100 MB', () => {
  for (const args of CALLS) {
    it(`are refused by ${args.join(' of ')}`, async () => {
      const cwd = newFolder()
      const said = await new Child('large', args, { cwd }).finish()
      const [{ code, grown }] = said as [{ code: string; grown: number }]
      expect(code).toBe(args[0] === 'verifyDocument' ? 'false' : 'LimitExceeded')
      expect(grown).toBeLessThan(TEXT_SIZE + SLACK)
      expect(filesOf(cwd).filter((path) => path.endsWith('.tmp'))).toEqual([])
    })
  }
})
