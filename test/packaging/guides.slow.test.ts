// The guides: the files of each are written into an empty project, and its commands run there with the packed package.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { begin, finish, SECONDS } from '../../scripts/matrix/processes.mjs'
import { pack } from '../../scripts/matrix/project.mjs'
import { REACT, tool, versionOf } from '../../scripts/matrix/tools.mjs'
import { readGuides, readPage, root } from '../docs/markdown.ts'
import { promised } from '../docs/project.ts'
import { environment, printed } from '../examples/project.ts'
import { isCI } from '../pace.ts'

/** The commands of a guide install, build and serve. */
const HANGING = 2 * SECONDS * 1000
const hasBrowser = findBrowser('chromium') !== undefined || isCI // there it may not be missing
/** wrangler needs Node 22.12 or later. */
const nodeOfWrangler = (): string | undefined =>
  Number.parseInt(process.versions.node, 10) >= 24 ? process.execPath : tool('node24')
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"
/** What the configuration in the guide is for: an agent in a worker, on a server. */
const workerRoute = `import { createWorkerAgent } from 'sx-agent/worker'
export const dynamic = 'force-dynamic'
export async function GET() {
  const agent = await createWorkerAgent()
  try {
    return new Response(await agent.hashString('abc'))
  } finally {
    await agent.close()
  }
}`
const hasPython = spawnSync('python3', ['--version']).status === 0

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>
}
/** The versions that the commands install, which name none. */
const versions: Record<string, string | undefined> = {
  vite: devDependencies['vite'],
  vitest: devDependencies['vitest'],
  jest: versionOf('jest'),
  next: versionOf('next'),
  react: REACT,
  'react-dom': REACT,
}

let folder: string
let tarball: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sx-guides-'))
  mkdirSync(join(folder, 'sx-agent')) // where the commands look for the tarball
  tarball = await pack(join(folder, 'sx-agent'))
}, HANGING)

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }), HANGING)

/** A project that is made of a guide. */
class Guided {
  readonly project: string
  readonly shells: readonly string[]
  /** What its files say that they print or show. */
  readonly promised: readonly string[]
  readonly #provided: string[] = []

  /** @param isPart which of the files of the guide, and which of its shell blocks by their text, are in the project */
  constructor(guide: string, isPart: (name: string) => boolean = () => true) {
    const { blocks } = readPage(`docs/guides/${guide}.md`)
    this.project = mkdtempSync(join(folder, `${guide}-`))
    const files = blocks.filter(({ file }) => file !== undefined && isPart(file))
    for (const { file = '', code } of files) this.write(file, code)
    this.shells = blocks.filter(({ language, code }) => language === 'sh' && isPart(code)).map(({ code }) => code)
    this.promised = files.flatMap(({ code }) => [
      ...promised(code),
      ...[...code.matchAll(/(?:\.textContent =|return) `.*` \/\/ (.*)$/gm)].map(([, shown = '']) => shown),
    ])
  }

  write(file: string, text: string): void {
    const path = join(this.project, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${text}\n`)
  }

  /** Puts a program of the tests where the commands look for it, in place of one that they install. */
  provide(name: string, ...command: readonly (string | undefined)[]): void {
    const bin = join(this.project, 'node_modules', '.bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
    this.#provided.push(name)
  }

  get #env(): NodeJS.ProcessEnv {
    return environment(folder, {
      PATH: [join(this.project, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
      NO_COLOR: '1',
      PYTHONUNBUFFERED: '1',
      NEXT_TELEMETRY_DISABLED: '1',
      npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
      npm_config_prefer_offline: 'true',
      npm_config_ignore_scripts: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    })
  }

  /** Runs commands; gives what they print. Packages are installed in the versions that are tested. */
  async shell(code: string): Promise<string> {
    const pinned = code.replaceAll(/^npm install .*$/gm, (line) =>
      line
        .split(' ')
        .filter((word) => !this.#provided.includes(word))
        .map((word) => (versions[word] === undefined ? word : `${word}@${versions[word]}`))
        .concat('--silent')
        .join(' '),
    )
    return await finish('sh', ['-eu', '-c', pinned], { cwd: this.project, env: this.#env })
  }

  /**
   * Runs commands, the last of which is a server, while something is done with it.
   *
   * @param address how the server prints its address
   * @param port what to put in the place of the last command, so that it takes a free port
   */
  async serving<T>(
    code: string,
    address: RegExp,
    port: [string, string],
    work: (url: string) => Promise<T>,
  ): Promise<T> {
    const commands = code.split('\n')
    const last = commands.pop() ?? ''
    if (!last.includes(port[0])) throw new Error(`There is no '${port[0]}' in '${last}'.`)
    const exported = commands.filter((command) => command.startsWith('export '))
    await this.shell(commands.join('\n'))
    const server = [...exported, `exec ${last.replace(...port)}`].join('\n')
    const { ended, output, stop } = begin('sh', ['-eu', '-c', server], { cwd: this.project, env: this.#env })
    const gone = ended.then(() => {
      throw new Error(`The server has ended:\n${output()}`)
    })
    try {
      return await work(await Promise.race([printed(output, address), gone]))
    } finally {
      stop()
    }
  }
}

/** What a page shows once it shows something, at the first visit and after a reload; nothing may go wrong in it. */
async function shownAt(url: string): Promise<(string | null)[]> {
  const browser = await chromium.launch({ executablePath: findBrowser('chromium') ?? '', args: chromiumArgs })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(SECONDS * 1000)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    const shown: (string | null)[] = []
    for (const visit of [() => page.goto(url), () => page.reload()]) {
      await visit()
      await page.waitForFunction(() => document.querySelector('#result')?.textContent)
      shown.push(await page.textContent('#result'))
    }
    expect(errors).toEqual([])
    return shown
  } finally {
    await browser.close()
  }
}

const lines = (text: string): string[] => text.trimEnd().split('\n')
const twice = <T>(value: T): T[] => [value, value]

it('install the tarball as the README says', () => {
  expect(readPage('README.md').text).toContain(`npm install ../sx-agent/${basename(tarball)}\n`)
})

it('there is a test for each', () => {
  expect(readGuides().map(({ path }) => basename(path, '.md'))).toEqual([
    'bun',
    'deno',
    'html',
    'nextjs',
    'node',
    'testing',
    'vite',
    'workers',
  ])
})

describe('docs/guides', () => {
  it(
    'node.md',
    async () => {
      const guided = new Guided('node')
      expect(guided.shells).toHaveLength(1)
      const [commands = ''] = guided.shells
      const first = lines(await guided.shell(commands))
      expect([first, lines(await guided.shell(commands))]).toEqual(twice(guided.promised)) // the second time, too
    },
    HANGING,
  )

  it.skipIf(!hasBrowser || !hasPython)(
    'html.md, where there are Chromium and python3',
    async () => {
      const guided = new Guided('html')
      expect(guided.shells).toHaveLength(1)
      const [commands = ''] = guided.shells
      expect(readPage('docs/guides/html.md').text).toContain('http://127.0.0.1:8080/')
      const shown = await guided.serving(commands, /(http:\/\/\S+\/)/, ['8080', '0'], shownAt)
      expect([shown]).toEqual([twice(guided.promised[0])])
    },
    HANGING,
  )

  describe.skipIf(!hasBrowser)('vite.md, where there is Chromium', () => {
    const CONFIG = 'vite.config.mjs'

    it(
      'needs no configuration, built or served for development',
      async () => {
        const guided = new Guided('vite', (name) => name !== CONFIG)
        expect(guided.shells).toHaveLength(1)
        const [commands = ''] = guided.shells
        const address = /Local:.*?(http:\S+\/)/
        const built = await guided.serving(commands, address, ['preview', 'preview --port 0'], shownAt)
        const developed = await guided.serving('npx vite', address, ['vite', 'vite --port 0'], shownAt)
        expect([built, developed]).toEqual(twice(twice(guided.promised[0])))
      },
      HANGING,
    )

    it(
      'needs its configuration for a module worker that awaits',
      async () => {
        const guided = new Guided('vite')
        const { code = '' } = readPage('docs/guides/vite.md').blocks.find(({ file }) => file === 'main.js') ?? {}
        guided.write('worker.js', code.replace(/document.*textContent = (.*) \/\/.*/, 'postMessage($1)'))
        const worker = "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })"
        const show = "({ data }) => { document.querySelector('#result').textContent = data }"
        guided.write('main.js', `${worker}.onmessage = ${show}`)
        const [commands = ''] = guided.shells
        const address = /Local:.*?(http:\S+\/)/
        const shown = await guided.serving(commands, address, ['preview', 'preview --port 0'], shownAt)
        expect(shown).toEqual(twice(guided.promised[0]))
        rmSync(join(guided.project, CONFIG))
        await expect(guided.shell('npx vite build')).rejects.toThrow('exit status 1')
      },
      HANGING,
    )
  })

  it.skipIf(tool('workerd') === undefined)(
    'workers.md, where there is workerd',
    async () => {
      const guided = new Guided('workers')
      const [commands = '', curl = '', ...others] = guided.shells
      expect(others).toEqual([])
      guided.provide('wrangler', nodeOfWrangler(), tool('wrangler'))
      const option = '--ip 127.0.0.1 --port 0'
      await guided.serving(commands, /Ready on (http:\S+)/, ['dev', `dev ${option}`], async (url) => {
        const body = readFileSync(join(guided.project, 'signed.json'), 'utf8')
        const post = async (text: string): Promise<Response> => await fetch(url, { method: 'POST', body: text })
        expect(curl).toBe(`curl --data-binary @signed.json http://localhost:8787/ # ${await (await post(body)).text()}`)
        const refused = await post(body.replace('"amount":1', '"amount":2'))
        expect([refused.status, await refused.json()]).toEqual([422, { valid: false, code: 'BadSignature' }])
      })
    },
    HANGING,
  )

  it(
    'testing.md, Vitest',
    async () => {
      const guided = new Guided('testing', (text) => text === 'invoice.test.js' || text.includes('vitest'))
      expect(guided.shells).toHaveLength(1)
      expect(await guided.shell(guided.shells[0] ?? '')).toMatch(/Tests +1 passed/)
    },
    HANGING,
  )

  it(
    'testing.md, Jest',
    async () => {
      const guided = new Guided('testing', (text) => text === 'invoice.test.mjs' || text.includes('jest'))
      expect(guided.shells).toHaveLength(1)
      expect(await guided.shell(guided.shells[0] ?? '')).toMatch(/Tests: +1 passed/)
    },
    HANGING,
  )

  it.skipIf(tool('deno') === undefined)(
    'deno.md',
    async () => {
      const guided = new Guided('deno')
      guided.provide('deno', tool('deno'))
      expect(guided.shells).toHaveLength(1)
      expect(lines(await guided.shell(guided.shells[0] ?? ''))).toEqual(guided.promised)
    },
    HANGING,
  )

  it.skipIf(tool('bun') === undefined)(
    'bun.md',
    async () => {
      const guided = new Guided('bun')
      guided.provide('bun', tool('bun'))
      const [commands = '', bundling = '', ...others] = guided.shells
      expect(others).toEqual([])
      const [signed, bundled] = guided.promised
      expect(lines(await guided.shell(commands))).toEqual([signed])
      expect(lines(await guided.shell(bundling)).slice(-2)).toEqual(twice(bundled))
    },
    HANGING,
  )

  it.skipIf(!hasBrowser)(
    'nextjs.md',
    async () => {
      const guided = new Guided('nextjs')
      expect(guided.shells).toHaveLength(1)
      guided.write('app/worker/route.js', workerRoute)
      const [commands = ''] = guided.shells
      await guided.serving(commands, /(http:\/\/localhost:\d+)/, ['start', 'start -p 0'], async (url) => {
        expect(await shownAt(url)).toEqual(twice(guided.promised[0]))
        expect(await (await fetch(`${url}/worker`)).text()).toBe(abc)
      })
    },
    HANGING,
  )
})
