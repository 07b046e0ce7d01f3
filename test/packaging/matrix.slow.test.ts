// T43, T48: the packed package gives one verdict in every runtime (`npm run matrix` prints them as a table).
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copySuite, emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { compare, runtimes } from '../../scripts/matrix/runtimes.mjs'
import { HANGING, isCI, isLong } from '../pace.ts'

let folder: string
let project: string
let tarball: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-matrix-'))
  project = emptyProject(join(folder, 'project'))
  tarball = await pack(folder)
  await npmInstall(project, tarball)
  copySuite(project)
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test(
  'every runtime that is here says the same of the packed package, byte for byte',
  async () => {
    const rows = await compare(runtimes, { project, tarball, brief: !isLong })
    console.log(rows.map(({ cells }) => cells.join('  ')).join('\n'))
    expect(rows.filter(({ state }) => state === 'failed').map(({ name, problem }) => `${name}: ${problem}`)).toEqual([])
    const here = rows.filter(({ state }) => state === 'same').map(({ name }) => name)
    expect(here).toEqual(expect.arrayContaining(['Node, this one', 'Vercel edge runtime']))
    const needed = isCI ? rows.map(({ name }) => name) : here // there nothing may be missing
    expect(here).toEqual(needed)
  },
  4 * HANGING,
)
