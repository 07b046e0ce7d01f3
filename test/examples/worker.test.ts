// The example of a Worker, bundled by esbuild and run in workerd. worker.slow.test.ts uses wrangler.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleWorker, workerFiles } from '../../scripts/matrix/serverless.mjs'
import { tool, versionOf } from '../../scripts/matrix/tools.mjs'
import { readPage, root } from '../docs/markdown.ts'
import { unstorage } from '../storage/unstorage-version.ts'
import { served, tryOut, workerExample } from './worker.ts'

describe.skipIf(tool('workerd') === undefined)('examples/worker', () => {
  const example = workerExample()

  it('is shown with the wrangler and the unstorage that it is tested with', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'examples/worker/package.json'), 'utf8')) as {
      dependencies: { unstorage: string }
    }
    expect(`unstorage@${dependencies.unstorage}`).toBe(unstorage)
    expect(readPage('docs/storage.md').text).toContain(`unstorage ${dependencies.unstorage}`)
    const named = [...readPage('examples/README.md').text.matchAll(/wrangler@(\S+)/g)].map(([, version]) => version)
    expect(new Set(named)).toEqual(new Set([versionOf('wrangler')]))
  })

  it('has an agent that fits into a binding of 5 KB', () => {
    expect(example.made).toMatch(/^Worker [\w-]{43}\n$/)
    expect(example.secrets['SX_AGENT']?.length).toBeLessThan(5_000)
  })

  // oxlint-disable-next-line vitest/expect-expect -- what tries it out does
  it('of esbuild, in workerd', async () => {
    const { project, secrets } = example
    const folder = join(project, 'esbuild')
    await bundleWorker(project, 'worker.js', folder)
    await served(folder, { modules: workerFiles, bindings: secrets }, (worker) => tryOut(worker, secrets))
  })
})
