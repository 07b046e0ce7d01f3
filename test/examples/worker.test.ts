// The example of a Worker: bundled by wrangler and by esbuild and run in workerd, and by `wrangler dev` with a bucket.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { begin, finish } from '../../scripts/matrix/processes.mjs'
import { bundleWorker, type Served, serveWorkerd, workerFiles } from '../../scripts/matrix/serverless.mjs'
import { tool, versionOf } from '../../scripts/matrix/tools.mjs'
import { readPage, root } from '../docs/markdown.ts'
import { unstorage } from '../storage/unstorage-version.ts'
import { ask, environment, exampleProject, printed } from './project.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 12) // for wrangler
const node = isNewEnough ? process.execPath : (tool('node24') ?? '')
const LONG = 240_000

let project: string
let remove: () => Promise<void>
let made: string
let secrets: Record<string, string>

const wrangler = (...args: string[]): [string, string[], { cwd: string; env: NodeJS.ProcessEnv }] => [
  node,
  [tool('wrangler') ?? '', ...args],
  { cwd: project, env: environment(join(project, '..')) },
]

describe.skipIf(tool('workerd') === undefined)('examples/worker', () => {
  beforeAll(async () => {
    ;({ project, remove } = await exampleProject('worker'))
    const options = { cwd: project, env: environment(project) }
    made = await finish(process.execPath, ['agent.mjs'], options)
    const lines = (await readFile(join(project, '.dev.vars'), 'utf8')).trim().split('\n')
    secrets = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
  }, LONG)

  afterAll(() => remove())

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
    expect(made).toMatch(/^Worker [\w-]{43}\n$/)
    expect(secrets['SX_AGENT']?.length).toBeLessThan(5_000)
  })

  /** Signs and verifies, and refuses what it has to. */
  async function tryOut({ url }: { url: string }): Promise<string> {
    const token = secrets['SIGN_TOKEN'] ?? ''
    const { json: agent, status } = await ask(url, ['GET', '/agent'])
    expect([status, agent]).toEqual([200, expect.objectContaining({ name: 'Worker', sxType: 'agent' })])
    const { sxId } = agent as { sxId: string }
    const { text: signed } = await ask(url, ['POST', '/sign'], '{"amount":1}', token)
    const verdict = { valid: true, trusted: true, signerId: sxId, data: { amount: 1 } }
    expect(await ask(url, ['POST', '/verify'], signed)).toMatchObject({ status: 200, json: verdict })
    const forged = signed.replace('"amount":1', '"amount":2')
    expect((await ask(url, ['POST', '/verify'], forged)).json).toMatchObject({ valid: false, code: 'BadSignature' })
    expect((await ask(url, ['POST', '/sign'], '{"amount":1}')).status).toBe(401)
    expect((await ask(url, ['POST', '/sign'], '{"amount":1}', `${token}x`)).status).toBe(401)
    const lossy = await ask(url, ['POST', '/sign'], '{"amount":9007199254740993}', token)
    expect([lossy.status, lossy.json]).toEqual([400, { code: 'LossyNumber' }])
    expect((await ask(url, ['GET', '/toString'])).status).toBe(404)
    return sxId
  }

  async function served<T>(
    folder: string,
    options: Parameters<typeof serveWorkerd>[1],
    work: (worker: Served) => Promise<T>,
  ): Promise<T> {
    const worker = await serveWorkerd(folder, options)
    try {
      return await work(worker)
    } finally {
      worker.stop()
    }
  }

  it(
    'of `wrangler deploy --dry-run`, in workerd, with the agent from its bindings and nothing else',
    async () => {
      const [command, args, options] = wrangler('deploy', '--dry-run', '--outdir', 'out')
      await finish(command, args, options)
      const out = join(project, 'out')
      const modules = ['worker.js', ...(await readdir(out)).filter((name) => name.endsWith('.wasm'))]
      expect(modules).toHaveLength(5)
      const first = await served(out, { modules, bindings: secrets }, tryOut)
      expect(await served(out, { modules, bindings: secrets }, tryOut)).toBe(first) // the same agent

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
    },
    LONG,
  )

  it(
    'of esbuild, in workerd',
    async () => {
      const folder = join(project, 'esbuild')
      await bundleWorker(project, 'worker.js', folder)
      await served(folder, { modules: workerFiles, bindings: secrets }, tryOut)
    },
    LONG,
  )

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

  it(
    'of `wrangler dev`, with what it stores in a bucket, which is there the next time',
    async () => {
      const first = await developing([], tryOut)
      await writeFile(join(project, '.dev.vars'), secretsText({ ...secrets, SX_AGENT: 'bm8=' })) // it needs it no more
      expect(await developing([], tryOut)).toBe(first)
    },
    LONG,
  )

  it(
    'has a bucket that is a storage',
    async () => {
      const text = await readFile(join(root, 'test/examples/bucket.mjs'), 'utf8')
      await writeFile(join(project, 'acceptance.js'), text.replace('../../examples/worker/', './'))
      const { json } = await developing(['acceptance.js'], ({ url }) => ask(url, ['GET', '/']))
      expect(json).toEqual({ cases: expect.any(Number), failed: [], listed: 1_100 })
      expect((json as { cases: number }).cases).toBeGreaterThan(30)
    },
    LONG,
  )
})

const secretsText = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
