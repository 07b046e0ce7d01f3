// Projects as people have them: frameworks, test runners and bundlers that take the package from node_modules.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { chromiumArgs, findBrowser } from '../browsers.mjs'
import { begin, finish, SECONDS } from './processes.mjs'
import { copySuite, emptyProject, npmInstall } from './project.mjs'
import { REACT, tool, versionOf } from './tools.mjs'

const runners = 'test/conformance/runners'

/** A project of its own with the suite in it, that has installed the package and others. */
async function projectOf(name, { project, tarball }, ...packages) {
  const folder = emptyProject(join(project, '..', name))
  await npmInstall(folder, tarball, ...packages)
  copySuite(folder)
  return folder
}

/** Runs a program to its end that writes its report to the file that it is told of. */
async function reportOf(folder, command, args, env = {}) {
  const out = join(folder, `report-${process.hrtime.bigint()}.txt`)
  await finish(command, args(out), {
    cwd: folder,
    env: { ...process.env, ...env, SX_REPORT: out },
  })
  return readFileSync(out, 'utf8')
}

/** Takes one report from a page. */
async function collector() {
  let take
  const report = new Promise((resolve) => {
    take = resolve
  })
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        take(body)
        response.end()
      },
      () => response.destroy(),
    )
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { report, url: `http://localhost:${server.address().port}/`, close: () => server.close() }
}

/** What a page reports that a browser opens, or `undefined` where there is no browser. */
async function inPage(url) {
  const program = findBrowser('chromium')
  if (program === undefined) return undefined
  const profile = mkdtempSync(join(tmpdir(), 'sx-profile-'))
  const { report, url: to, close } = await collector()
  const address = `${url}?to=${encodeURIComponent(to)}`
  const browser = begin(program, [...chromiumArgs, '--headless', `--user-data-dir=${profile}`, address])
  let timer
  const late = new Promise((_, reject) => {
    const why = () => new Error(`no report within ${SECONDS} seconds\n${browser.output().slice(-2000)}`)
    timer = setTimeout(() => reject(why()), SECONDS * 1000)
  })
  const gone = browser.ended.then(() => {
    throw new Error(`the browser ended before it had reported\n${browser.output().slice(-2000)}`)
  })
  try {
    return await Promise.race([report, late, gone])
  } finally {
    clearTimeout(timer)
    browser.stop()
    close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** What a server answers, however long it takes: `fetch` waits for 300 seconds and no longer. */
function answerOf(url) {
  return new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(SECONDS * 1000) }, (response) => resolve(text(response)))
    request.on('error', reject)
  })
}

/** Waits until a server says its address. */
async function addressOf(server) {
  const late = performance.now() + SECONDS * 1000
  for (;;) {
    const found = /http:\/\/localhost:\d+/.exec(server.output())?.[0]
    if (found !== undefined && server.output().includes('Ready')) return `${found}/`
    if (performance.now() > late) throw new Error(`it does not serve\n${server.output().slice(-2000)}`)
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 100)), server.ended])
  }
}

/** The files that Next.js looks for; what is in them stands with the other runners. */
function writeApp(folder) {
  const app = join(folder, 'app')
  mkdirSync(join(app, 'report'), { recursive: true })
  const from = (up, name) => `from '${up}/${runners}/next/${name}'\n`
  writeFileSync(join(app, 'layout.js'), `export { default } ${from('..', 'layout.js')}`)
  writeFileSync(join(app, 'page.js'), `export { default } ${from('..', 'page.js')}`)
  const route = `export const dynamic = 'force-dynamic'\nexport { GET } ${from('../..', 'route.js')}`
  writeFileSync(join(app, 'report', 'route.js'), route)
}

/** A page and a route handler of Next.js, built by one of its bundlers and served by `next start`. */
const next = (name, bundler) => ({
  name,
  version: async () => versionOf('next'),
  async reports(given) {
    const packages = [`next@${versionOf('next')}`, `react@${REACT}`, `react-dom@${REACT}`]
    const folder = await projectOf(`next-${bundler}`, given, ...packages)
    writeApp(folder)
    const program = join(folder, 'node_modules/next/dist/bin/next')
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
    await finish(process.execPath, [program, 'build', `--${bundler}`], { cwd: folder, env })
    const server = begin(process.execPath, [program, 'start', '-p', '0'], { cwd: folder, env })
    try {
      const url = await addressOf(server)
      const route = await answerOf(new URL('report', url))
      const printed = server
        .output()
        .split('\n')
        .filter((line) => /warning|error/i.test(line))
      const page = await inPage(url)
      return [
        {
          name: `${name}, route handler`,
          text: printed.length === 0 ? route : `FAILED: ${printed.join(' ')}`,
          short: true,
        },
        { name: `${name}, page`, text: page, short: true },
      ]
    } finally {
      server.stop()
    }
  },
})

/** A test of Jest. CommonJS can require the package from Node 24.9 on. */
const jest = (name, file, node) => ({
  name,
  version: async () => versionOf('jest'),
  async reports(given) {
    const command = node === undefined ? process.execPath : tool(node)
    if (command === undefined) return undefined
    const folder = await projectOf(`jest-${file.replace('.', '-')}`, given, `jest@${versionOf('jest')}`)
    const config = { rootDir: folder, testMatch: [`<rootDir>/${runners}/jest/${file}`], transform: {} }
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config))
    const program = join(folder, 'node_modules/jest/bin/jest.js')
    const report = await reportOf(folder, command, () => ['--experimental-vm-modules', program])
    return [{ name, text: report, short: true }]
  },
})

/** A bundle for Node that Bun makes, run by one of both. */
const bunBuild = (name, by) => ({
  name,
  version: async () => versionOf('bun'),
  async reports({ project }) {
    const bun = tool('bun')
    if (bun === undefined) return undefined
    const outdir = join(project, `bun-build-${by}`)
    mkdirSync(outdir, { recursive: true })
    const args = ['build', '--target=node', `${runners}/bundled.mjs`, `--outdir=${outdir}`]
    await finish(bun, args, { cwd: project })
    const file = ['bundled.js', 'bundled.mjs'].map((one) => join(outdir, one)).find(existsSync)
    const command = by === 'bun' ? bun : process.execPath
    const report = await reportOf(project, command, (out) => [file, out, `kept-bun-build-${by}`])
    return [{ name, text: report, short: true }]
  },
})

export const consumers = [
  next('Next.js, Turbopack', 'turbopack'),
  next('Next.js, webpack', 'webpack'),
  jest('Jest, ES modules', 'report.test.mjs'),
  jest('Jest, CommonJS', 'report.test.cjs', 'node24'),
  bunBuild('bun build for Node', 'node'),
  bunBuild('bun build, run by Bun', 'bun'),
]
