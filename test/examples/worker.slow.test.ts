// The example of a Worker, bundled by wrangler and run in workerd, and by `wrangler dev` with a bucket.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { begin, finish } from '../../scripts/matrix/processes.mjs'
import { tool } from '../../scripts/matrix/tools.mjs'
import { listedNames } from '../../scripts/setup/table.mjs'
import { root } from '../docs/markdown.ts'
import { ask, environment, printed } from './project.ts'
import { served, tryOut, workerExample } from './worker.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 12) // for wrangler
const node = isNewEnough ? process.execPath : (tool('node24') ?? '')

describe.skipIf(tool('workerd') === undefined)('examples/worker', () => {
  const example = workerExample()

  const wrangler = (...args: string[]): [string, string[], { cwd: string; env: NodeJS.ProcessEnv }] => [
    node,
    [tool('wrangler') ?? '', ...args],
    { cwd: example.project, env: environment(join(example.project, '..')) },
  ]

  it('of `wrangler deploy --dry-run`, in workerd, with the agent from its bindings and nothing else', async () => {
    const { project, secrets } = example
    const [command, args, options] = wrangler('deploy', '--dry-run', '--outdir', 'out')
    await finish(command, args, options)
    const out = join(project, 'out')
    const modules = ['worker.js', ...(await readdir(out)).filter((name) => name.endsWith('.wasm'))]
    expect(modules).toHaveLength(1 + listedNames.length)
    const first = await served(out, { modules, bindings: secrets }, (worker) => tryOut(worker, secrets))
    expect(await served(out, { modules, bindings: secrets }, (worker) => tryOut(worker, secrets))).toBe(first) // the same agent

    const wrong = { ...secrets, SX_PRIVATE_KEY_PASSWORD: 'wrong' }
    const unopened = { status: 503, json: { code: 'WrongPassword' } }
    await served(out, { modules, bindings: wrong }, async ({ url, output }) => {
      expect(await ask(url, ['GET', '/agent'])).toMatchObject(unopened)
      expect(await ask(url, ['GET', '/agent'])).toMatchObject(unopened)
      expect(output()).not.toContain(secrets['SX_AGENT'])
    })
    const { SIGN_TOKEN: _, ...withoutToken } = secrets
    await served(out, { modules, bindings: withoutToken }, async ({ url }) => {
      expect((await ask(url, ['POST', '/sign'], '{}', 'undefined')).status).toBe(401)
      expect((await ask(url, ['POST', '/sign'], '{}')).status).toBe(401)
    })
  })

  /** Runs `wrangler dev` while something is done. */
  async function developing<T>(args: string[], work: (worker: { url: string }) => Promise<T>): Promise<T> {
    const [command, all, options] = wrangler('dev', '--ip', '127.0.0.1', '--port', '0', ...args)
    const { output, stop } = begin(command, all, options)
    try {
      return await work({ url: await printed(output, /Ready on (http:\S+)/) })
    } finally {
      stop()
    }
  }

  it('of `wrangler dev`, with what it stores in a bucket, which is there the next time', async () => {
    const { project, secrets } = example
    const trying = (worker: { url: string }): Promise<string> => tryOut(worker, secrets)
    const first = await developing([], trying)
    await writeFile(join(project, '.dev.vars'), secretsText({ ...secrets, SX_AGENT: 'bm8=' })) // it needs it no more
    expect(await developing([], trying)).toBe(first)
  })

  it('has a bucket that is a storage', async () => {
    const text = await readFile(join(root, 'test/examples/bucket.mjs'), 'utf8')
    await writeFile(join(example.project, 'acceptance.js'), text.replace('../../examples/worker/', './'))
    const { json } = await developing(['acceptance.js'], ({ url }) => ask(url, ['GET', '/']))
    expect(json).toEqual({ cases: expect.any(Number), failed: [], listed: 1_100 })
    expect((json as { cases: number }).cases).toBeGreaterThan(30)
  })
})

const secretsText = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
