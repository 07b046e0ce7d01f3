/** Readers of pictures: programs, libraries and browsers, and what each of them shows. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { pythonReaders, sharpModule } from '../corpus/python.mjs'
import { newFolder } from '../node/fixtures.ts'
import { outcome } from './tools.ts'

/** A reader that is here. */
export interface Reader {
  readonly name: string
  readonly version: string
  /** What is shown of each file: two answers are equal if the same picture is. '-' if a file is refused. */
  readonly look: (paths: readonly string[]) => Promise<string[]>
}

const exec = promisify(execFile)
const REFUSED = '-'
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The first number of a version in what a program prints; undefined if it is not here. */
async function versionOf(program: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await exec(program, args)
    return /\d+\.\d[\w.-]*/.exec(stdout + stderr)?.[0]
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    return typeof code === 'number' ? /\d+\.\d[\w.-]*/.exec(stderr)?.[0] : undefined
  }
}

/** Asks about files one by one, two at a time. */
async function each(paths: readonly string[], ask: (path: string) => Promise<string>): Promise<string[]> {
  const found: string[] = paths.map(() => REFUSED)
  const rest = [...paths.entries()]
  const work = async (): Promise<void> => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) found[next[0]] = await ask(next[1])
  }
  await Promise.all([work(), work()])
  return found
}

/** A program that is run for each file with one of these suffixes, and prints its samples. */
function program(name: string, suffixes: RegExp, args: (path: string) => string[]): Reader['look'] {
  return (paths) =>
    each(paths, async (path) => {
      if (!suffixes.test(path)) return REFUSED
      const { status, stdout } = await outcome(name, ...args(path))
      return status !== 0 || stdout.length === 0 ? REFUSED : `${stdout.length} ${hash(stdout)}`
    })
}

/** Pixels that are not square are shown as wide as they are. */
const ffmpeg = (path: string): Reader['look'] =>
  program(path, /./, (file) => [
    ...'-v quiet -threads 1 -i'.split(' '),
    file,
    '-vf',
    "scale='trunc(iw*sar)':ih",
    ...'-pix_fmt rgba -f rawvideo -'.split(' '),
  ])

/** ImageMagick says of every picture which file it belongs to, and stops at nothing. */
async function imageMagick(paths: readonly string[]): Promise<string[]> {
  const found = paths.map(() => '')
  const format = '%M %w %h %g %[profile:icc] %#\n'
  const args = ['-quiet', ...paths, '-auto-orient', '-colorspace', 'sRGB', '-alpha', 'set', '-format', format, 'info:']
  for (const line of (await outcome('convert', ...args)).stdout.toString().trim().split('\n')) {
    const [path = '', ...rest] = line.split(' ')
    found[paths.indexOf(path)] += `${rest.join(' ')};`
  }
  return found.map((answer) => answer || REFUSED)
}

/** What libvips decodes, on black, as a bitmap. */
function vips(paths: readonly string[]): Promise<string[]> {
  const folder = newFolder()
  return each(paths, async (path) => {
    const out = join(folder, `${hash(Buffer.from(path))}.ppm`)
    const { status } = await outcome('vips', 'copy', path, out)
    if (status !== 0 || !existsSync(out)) return REFUSED
    const bitmap = readFileSync(out)
    return hash(bitmap.subarray(bitmap.indexOf('\n', bitmap.indexOf('#')))) // behind a comment with the time
  })
}

const page = `<!doctype html><title>pictures</title><script type="module">
const shown = async (path) => {
  const image = new Image()
  image.src = '/file?' + encodeURIComponent(path)
  try { await image.decode() } catch { return '${REFUSED}' }
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
  return [width, height, new Uint32Array(await crypto.subtle.digest('SHA-256', data))].join(' ')
}
const found = []
for (const path of await (await fetch('/list')).json()) found.push(await shown(path))
await fetch('/found', { method: 'POST', body: JSON.stringify(found) })
</script>`
const kinds: Record<string, string> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' }

/** Seconds for a browser; one that hangs at its start is started once more. */
const PATIENCE = 100

/** What a browser draws that is started for it. */
function browser(command: string, args: (profile: string, url: string) => string[]): Reader['look'] {
  const once = drawnBy(command, args)
  return async (paths) => (await once(paths)) ?? (await once(paths)) ?? Promise.reject(new Error(`${command} hangs.`))
}

function drawnBy(
  command: string,
  args: (profile: string, url: string) => string[],
): (paths: readonly string[]) => Promise<string[] | undefined> {
  return async (paths) => {
    const profile = newFolder()
    let done: (found: string[]) => void
    const reported = new Promise<string[]>((resolve) => {
      done = resolve
    })
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
      const file = decodeURIComponent(search.slice(1))
      if (pathname === '/file' && paths.includes(file)) {
        response.writeHead(200, { 'Content-Type': kinds[file.split('.').at(-1) ?? ''] }).end(readFileSync(file))
      } else if (pathname === '/list') response.end(JSON.stringify(paths))
      else if (pathname === '/found') {
        done(JSON.parse(await text(request)) as string[])
        response.end()
      } else response.writeHead(200, { 'Content-Type': 'text/html' }).end(page)
    }
    const server = createServer((request, response) => {
      answer(request, response).catch((error: Error) => response.destroy(error))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    const child = execFile(command, args(profile, url), { env: { ...process.env, HOME: profile } })
    const ended = new Promise<never>((_, reject) => {
      child.on('error', reject).on('close', () => reject(new Error(`${command} ended before it had reported.`)))
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE * 1000)
    })
    try {
      return await Promise.race([reported, ended, late])
    } finally {
      clearTimeout(timer)
      child.kill('SIGKILL')
      await ended.catch(() => undefined)
      server.close()
      server.closeAllConnections()
    }
  }
}

interface Sharp {
  (path: string): { autoOrient(): { toColourspace(name: string): { ensureAlpha(): { raw(): Raw } } } }
  readonly versions: Record<string, string>
}
interface Raw {
  toBuffer(options: { resolveWithObject: true }): Promise<{ data: Buffer; info: { width: number; height: number } }>
}

function sharpReader(sharp: Sharp): Reader['look'] {
  return (paths) =>
    each(paths, async (path) => {
      const raw = sharp(path).autoOrient().toColourspace('srgb').ensureAlpha().raw()
      const shown = await raw.toBuffer({ resolveWithObject: true }).catch(() => undefined)
      return shown === undefined ? REFUSED : `${shown.info.width} ${shown.info.height} ${hash(shown.data)}`
    })
}

/** Those of PyPI: the scripts of one call, and the program that one of them brings. */
async function fromPython(): Promise<Record<string, Omit<Reader, 'name'>>> {
  const python = await pythonReaders()
  if (python === undefined) return {}
  const ask = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await exec(python.program, [here('readers.py'), ...args], { env: python.env })
    return stdout.trim().split('\n')
  }
  const found: Record<string, Omit<Reader, 'name'>> = {}
  for (const line of await ask('versions')) {
    const [name = '', version = '', path] = line.split(' ')
    const look = path === undefined ? (paths: readonly string[]) => ask(name.toLowerCase(), ...paths) : ffmpeg(path)
    found[path === undefined ? name : 'ffmpeg (PyPI)'] = { version, look }
  }
  return found
}

const javaLook: Reader['look'] = async (paths) =>
  (await exec('java', ['-Djava.awt.headless=true', here('Readers.java'), ...paths])).stdout.trim().split('\n')

/** All readers that are looked for, in the order of the table; those that are not here without a version. */
export async function readers(): Promise<(Reader | { readonly name: string; readonly version?: undefined })[]> {
  const python = await fromPython()
  const sharp = (await sharpModule()) as Sharp | undefined
  const [chromium, firefox] = [findBrowser('chromium'), findBrowser('firefox')]
  const programs: [name: string, version: string | undefined, look: Reader['look']][] = [
    ['ImageMagick', await versionOf('convert', '-version'), imageMagick],
    ['ffmpeg (Debian)', await versionOf('ffmpeg', '-version'), ffmpeg('ffmpeg')],
    ['libvips', await versionOf('vips', '--version'), vips],
    ['djpeg', await versionOf('djpeg', '-version'), program('djpeg', /\.jpg$/, (path) => ['-pnm', path])],
    ['pngtopnm', await versionOf('pngtopnm', '-version'), program('pngtopnm', /\.png$/, (path) => [path])],
    ['dwebp', await versionOf('dwebp', '-version'), program('dwebp', /\.webp$/, (path) => [path, '-pam', '-o', '-'])],
    ['Java ImageIO', await versionOf('java', '-version'), javaLook],
    ['sharp', sharp?.versions['sharp'], (paths) => sharpReader(sharp as Sharp)(paths)],
    [
      'Chromium',
      chromium && (await versionOf(chromium, '--version', '--no-sandbox')),
      browser(chromium ?? '', (profile, url) => [...chromiumArgs, '--headless', `--user-data-dir=${profile}`, url]),
    ],
    [
      'Firefox',
      firefox && (await versionOf(firefox, '--version')),
      browser(firefox ?? '', (profile, url) => ['--headless', '--no-remote', '--profile', profile, url]),
    ],
  ]
  const named = ['Pillow', 'MuPDF', 'OpenCV', 'ffmpeg (PyPI)'].map((name) => {
    const one = python[name]
    return one === undefined ? { name } : { name, ...one }
  })
  const found = programs.map(([name, version, look]) => (version === undefined ? { name } : { name, version, look }))
  return [...found, ...named]
}
