// Processes that work on the same thing at the same time.
import { dirname } from 'node:path'
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { agentIn, configIn, entryPath, newFolder, numbersOf, PASSWORD, times, unfinished, upTo } from './fixtures.ts'
import { Child } from './processes.ts'
import { raceOf } from './races.ts'

const CALLS = times(200)
const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }
/** The versions of a document as they name the one before, from the latest to the first. */
async function chainOf(id: string): Promise<{ sxVersion: string; content: { n: number } }[]> {
  const chain = [JSON.parse(await sx.getDocument(id))]
  for (;;) {
    const { sxPreviousVersion } = chain.at(-1)
    if (sxPreviousVersion === undefined) return chain
    chain.push(JSON.parse(await sx.getDocument(`${id}:${sxPreviousVersion}`)))
  }
}

describe('two processes that update one document', () => {
  for (const [kind, how] of [
    ['update', 'by id'],
    ['updateExact', 'by exact key'],
  ] as const) {
    it(`${CALLS} times ${how} make one chain, and each call ends in success or VersionConflict`, async () => {
      const folder = newFolder()
      await sx.create(agentIn(folder))
      const { documentId } = await sx.signMessage({ n: 0 })
      const args = [kind, configIn(folder), documentId, String(CALLS / 2)]
      const children = [new Child('loop', args, { env }), new Child('loop', args, { env })]
      const said = (await Promise.all(children.map((child) => child.finish()))).flatMap((lines) => lines.slice(1))
      expect(said).toHaveLength(CALLS)

      const successes = (said as { n?: number; code?: string }[]).flatMap(({ n, code }) => {
        if (n === undefined) expect(code).toBe('VersionConflict')
        return n ?? []
      })
      expect(successes.length).toBeGreaterThanOrEqual(CALLS / 2)

      const chain = await chainOf(documentId)
      expect(chain).toHaveLength(1 + successes.length)
      expect(new Set(chain.map(({ sxVersion }) => sxVersion)).size).toBe(chain.length)
      for (const { sxVersion } of chain) {
        expect((await sx.verifyById(`${documentId}:${sxVersion}`)).errors).toEqual([])
      }
      // One winner for each number, and the losers' versions are not left behind.
      expect(numbersOf(dirname(entryPath(folder, documentId, 1)), documentId)).toEqual(upTo(chain.length))
      if (kind === 'updateExact') {
        // Who names the version that they read overwrites nobody: each number was written once.
        expect(chain.map(({ content }) => content.n)).toEqual([...chain.keys()].reverse())
        expect(new Set(successes).size).toBe(successes.length)
      }
      expect(unfinished(folder)).toEqual([])
    })
  }
})

// oxlint-disable-next-line vitest/expect-expect -- a race does
it('four processes that call quickstart in one empty folder end with one agent', () => raceOf(env))
