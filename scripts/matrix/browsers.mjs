// Pages and workers of browsers: the suite as Vite builds it (in the service worker: as esbuild does), under the
// Content-Security-Policy of docs/loading.md, opened by the program of the browser and by nothing that drives it.
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize, sep } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'vite'
import { chromiumArgs, findBrowser } from '../browsers.mjs'
import { capture } from '../setup/shared.mjs'
import { begin } from './processes.mjs'
import { bundle, copyModules } from './serverless.mjs'

const places = { page: 'page', dedicated: 'dedicated worker', shared: 'shared worker', service: 'service worker' }
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:"
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' }
const runners = 'test/conformance/runners'

let building
/** The built page, made once for all browsers. */
function site(project) {
  building ??= buildSite(project)
  return building
}

async function buildSite(project) {
  const outDir = join(project, 'site')
  const root = join(project, runners)
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: { outDir, target: 'es2022', rolldownOptions: { input: join(root, 'page.html') } },
  })
  await bundle(project, join(runners, 'service.mjs'), join(outDir, 'service.js'), {
    format: 'iife',
    conditions: ['browser'],
    banner: { js: '"use strict";' }, // as modules are
    logOverride: { 'empty-import-meta': 'silent' },
  })
  await copyModules(project, outDir)
  return outDir
}

/**
 * A place that begins no case for so many seconds stands still. On the busiest machine the longest case takes some minutes,
 * and only the page runs it.
 */
const stillAfter = (place) => (place === 'page' ? 600 : 240)
/** So often a browser is started. Chromium's shared worker stood still twice in a row. */
const STARTS = 3

/** Serves a folder and takes what places send: their reports, and before these the cases that they begin. */
async function serve(folder) {
  const found = {}
  const at = {}
  let changed = () => {}
  let timer
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  async function answer(request, response) {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (request.method === 'POST') {
      const [, kind, place] = pathname.split('/')
      const sent = await text(request)
      if (kind === 'report') found[place] = sent
      else at[place] = sent
      changed()
      response.end()
      return
    }
    const path = normalize(join(folder, pathname))
    if (!path.startsWith(folder + sep) || !existsSync(path)) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'Content-Type': types[extname(path)] ?? '', 'Content-Security-Policy': policy })
    createReadStream(path).pipe(response)
  }
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const left = () => Object.keys(places).filter((place) => !(place in found))
  /** Resolves when all places have reported; rejects if one stands still. */
  const reports = () =>
    new Promise((resolve, reject) => {
      const still = () => {
        const [place] = left()
        const after = `${stillAfter(place)} seconds after '${at[place] ?? 'its start'}'`
        reject(new StandsStill(`${places[place]}: nothing for ${after}`))
      }
      changed = () => {
        clearTimeout(timer)
        if (left().length === 0) resolve(found)
        else timer = setTimeout(still, stillAfter(left()[0]) * 1000)
      }
      changed()
    })
  const close = () => {
    changed = () => {}
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://localhost:${server.address().port}/page.html`, left, reports, close }
}

class StandsStill extends Error {}

/** Starts a browser with its own profile, opens a page in it, and stops it after the reports. */
async function open({ command, args, env }, url, reports) {
  const profile = mkdtempSync(join(tmpdir(), 'sx-profile-'))
  const browser = begin(command, args(profile, url), { env: { ...process.env, ...env?.(profile) } })
  const gone = browser.ended.then(() => {
    throw new Error('it ended before it had reported')
  })
  try {
    return await Promise.race([reports(), gone])
  } catch (error) {
    error.message += `\n${browser.output().slice(-2000)}`
    throw error
  } finally {
    browser.stop()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** The reports of all places. A browser that hangs is started again, for what is left. */
async function run(project, started) {
  const { url, left, reports, close } = await serve(await site(project))
  try {
    for (let start = 1; ; start++) {
      try {
        return await open(started, start === 1 ? url : `${url}#${left().join(',')}`, reports)
      } catch (error) {
        if (!(error instanceof StandsStill) || start === STARTS) throw error
        console.error(`matrix: ${error.message}\nmatrix: the browser is started again for ${left().join(', ')}`)
      }
    }
  } finally {
    close()
  }
}

const browser = (name, key, how) => ({
  name,
  version: async () => {
    const path = findBrowser(key)
    return path === undefined ? '' : await how.version(path)
  },
  async reports({ project }) {
    const path = findBrowser(key)
    const missing = path === undefined || !(how.isReady?.() ?? true)
    const found = missing ? {} : await run(project, how.start(path))
    const reportIn = (place) => (found[place] === 'absent' ? undefined : found[place])
    // Workers leave out the long cases, which run in the page of the same engine.
    return Object.entries(places).map(([place, words]) => {
      return { name: `${name}, ${words}`, text: reportIn(place), short: place !== 'page' }
    })
  },
})

/** The number in what a program says of its version. */
const numberOf = async (path) => /[\d.]+\d/.exec((await capture(path, ['--version'])).stdout)?.[0] ?? ''

export const browsers = [
  browser('Chromium', 'chromium', {
    version: numberOf,
    start: (command) => ({
      command,
      args: (profile, url) => [...chromiumArgs, '--headless', `--user-data-dir=${profile}`, url],
    }),
  }),
  browser('Firefox', 'firefox', {
    version: numberOf,
    start: (command) => ({
      command,
      args: (profile, url) => ['--headless', '--no-remote', '--profile', profile, url],
      env: (profile) => ({ HOME: profile }), // it wants one of its own
    }),
  }),
  browser('WebKitGTK', 'webkit', {
    isReady: () => existsSync('/usr/bin/xvfb-run'),
    // MiniBrowser tells nothing without a display; its library's package does.
    version: async () =>
      /[\d.]+/.exec((await capture('dpkg-query', ['-W', '-f', '${Version}', 'libwebkit2gtk-4.1-0'])).stdout)?.[0] ?? '',
    start: (command) => ({
      command: 'xvfb-run',
      args: (_, url) => ['-a', command, url],
      env: (profile) => ({
        HOME: profile,
        XDG_DATA_HOME: profile,
        XDG_CACHE_HOME: profile,
        LIBGL_ALWAYS_SOFTWARE: '1',
      }),
    }),
  }),
]
