// An agent whose folder is moved before its parts are where they belong.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { machine } from '../../node/storage/scratch.ts'
import { agentIn, configIn, entryPath, newFolder, PASSWORD, stagedIn, treeOf } from './fixtures.ts'

/** A new folder with an agent whose parts are staged: its document could not be written. */
async function unfinished(): Promise<{ folder: string; agentId: string }> {
  const folder = join(newFolder(), 'here')
  mkdirSync(join(folder, 'sx_data'), { recursive: true })
  const obstacle = join(folder, 'sx_data', 'documents')
  writeFileSync(obstacle, '')
  const { agentId } = await sx.create(agentIn(folder))
  rmSync(obstacle)
  expect(stagedIn(folder)).toEqual([expect.stringContaining(agentId)])
  expect(existsSync(join(folder, 'sx_keys', 'sx.private.pem'))).toBe(false)
  return { folder, agentId }
}

/** Moves a whole folder elsewhere; gives its new path. */
function moved(folder: string): string {
  const there = join(newFolder(), 'there')
  renameSync(folder, there)
  return there
}

const forms = [
  { form: 'async', load: sx.load },
  { form: 'sync', load: async (options: sx.LoadOptions) => sx.loadSync(options) },
]

describe.each(forms)('an agent that is moved while its parts are staged, $form', ({ load }) => {
  it('verifies where it is now, and changes nothing there', async () => {
    const { folder, agentId } = await unfinished()
    const { raw } = await sx.signMessage({ a: 1 })
    rmSync(join(folder, 'sx_data'), { recursive: true })
    const there = moved(folder)
    const before = treeOf(there)
    expect(await load({ configPath: configIn(there), verifyOnly: true })).toMatchObject({ agentId })
    expect(await sx.verify(raw)).toMatchObject({ valid: true })
    expect(await sx.verifySelf()).toMatchObject({ valid: true })
    expect(treeOf(there)).toEqual(before)
  })

  it('has its parts moved by who loads it, and signs', async () => {
    const { folder, agentId } = await unfinished()
    const there = moved(folder)
    for (const _ of ['first', 'second']) {
      expect(await load({ configPath: configIn(there), password: PASSWORD, env: {} })).toMatchObject({ agentId })
      expect(stagedIn(there)).toEqual([])
    }
    expect(existsSync(entryPath(there, agentId, 1))).toBe(true)
    const { raw } = await sx.signMessage({ a: 1 })
    expect(await sx.verify(raw)).toMatchObject({ valid: true })
  })
})

describe.each(forms)('loading an agent whose parts are staged, $form', ({ load }) => {
  it('clears what the process that died has left beside the configuration', async () => {
    const { folder, agentId } = await unfinished()
    const dead = 2 ** 31 - 1 // no system gives process ids that high
    const left = `.sx.config.json.${machine()}-${dead}-0123456789abcdef.tmp`
    writeFileSync(join(folder, left), '{')
    await load({ configPath: configIn(folder), verifyOnly: true })
    expect(readdirSync(folder)).toContain(left)
    expect(await load({ configPath: configIn(folder), password: PASSWORD, env: {} })).toMatchObject({ agentId })
    expect(readdirSync(folder).sort()).toEqual(['sx.config.json', 'sx_data', 'sx_keys'])
  })
})
