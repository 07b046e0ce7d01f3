/** The adapter over Deno KV; Deno is large, and downloaded for it. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { finish } from '../../scripts/matrix/processes.mjs'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { tool } from '../../scripts/matrix/tools.mjs'
import { root } from '../docs/markdown.ts'
import { unstorage } from './unstorage-version.ts'

it('Deno KV passes all acceptance cases', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sx-deno-kv-'))
  try {
    const project = emptyProject(join(folder, 'project'))
    await npmInstall(project, await pack(folder), unstorage)
    await copyFile(join(root, 'test/storage/deno-kv-process.mjs'), join(project, 'main.mjs'))
    const args = ['run', '--no-prompt', '--unstable-kv', '--allow-read', '--allow-env', 'main.mjs']
    const said = await finish(tool('deno') ?? '', args, { cwd: project })
    const { cases, failed } = JSON.parse(said.slice(said.indexOf('{'))) as { cases: number; failed: string[] }
    expect(failed).toEqual([])
    expect(cases).toBeGreaterThan(30)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
