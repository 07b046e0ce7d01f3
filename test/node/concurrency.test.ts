// Processes that work on the same thing at the same time.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import {
  agentIn,
  configIn,
  entryPath,
  filesOf,
  newFolder,
  numbersOf,
  PASSWORD,
  stagedIn,
  times,
  unfinished,
  upTo,
} from './fixtures.ts'
import { Child, callElsewhere, type Outcome } from './processes.ts'

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

describe('four processes that call quickstart in one empty folder', () => {
  const sources = {
    'with the same password': env,
    'with a password to be generated and saved': { SX_SAVE_PASSWORD_FILE: 'true' },
  }
  for (const [name, variables] of Object.entries(sources)) {
    it(`${name} end with one agent`, async () => {
      for (let round = 0; round < times(30); round++) {
        const folder = newFolder()
        const options = { name: 'Racer', domain: 'example.com', algorithm: 'ed25519' }
        const calls = [
          ['quickstart', options],
          ['signMessage', { a: 1 }],
        ] as const
        const started = Array.from({ length: 4 }, () => callElsewhere(calls, { env: variables, cwd: folder }))
        const outcomes = await Promise.all(started)
        const infos = outcomes.map(([quickstart]) => {
          expect(quickstart?.code, quickstart?.message).toBeUndefined()
          return quickstart?.value as sx.CreatedAgentInfo
        })
        expect(new Set(infos.map(({ agentId }) => agentId)).size).toBe(1)
        expect(infos.filter(({ created }) => created)).toHaveLength(1)
        expect(infos.every(({ generatedPassword }) => generatedPassword === undefined)).toBe(true)

        const [info] = infos
        const again = await sx.load({ configPath: configIn(folder), env: variables })
        expect(again.agentId).toBe(info?.agentId)
        expect(stagedIn(folder)).toEqual([])
        for (const [, signed] of outcomes as [Outcome, Outcome][]) {
          expect((await sx.verify((signed.value as sx.SignedDocument).raw)).errors).toEqual([])
        }
        expect(existsSync(join(folder, 'sx_keys', '.sx_password'))).toBe('SX_SAVE_PASSWORD_FILE' in variables)
      }
    })
  }

  it('leave nothing of the agents that lost', async () => {
    for (let round = 0; round < times(30); round++) {
      const folder = newFolder()
      const call = [['quickstart', { name: 'Racer', domain: 'example.com', algorithm: 'ed25519' }]] as const
      await Promise.all(Array.from({ length: 4 }, () => callElsewhere(call, { env, cwd: folder })))
      const { agentId } = await sx.load(agentIn(folder))
      const keyFiles = filesOf(join(folder, 'sx_keys'))
      expect(keyFiles).toEqual([`${agentId}.public.pem`, 'sx.private.pem', 'sx.public.pem', 'trust/.witnessed'].sort())
      expect((await sx.listDocuments()).map((key) => key.slice(0, 36))).toEqual([agentId])
    }
  })
})
