/** Readers of pictures: programs, libraries and browsers, and what each of them shows. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { pythonReaders, sharpModule } from '../corpus/python.mjs'
import { newFolder } from '../node/fixtures.ts'
import { WAITING } from '../pace.ts'
import { outcome } from './tools.ts'

/** A reader that is here. */
export interface Reader {
  readonly name: string
  readonly version: string
  /** What is shown of each file: two answers are equal if the same picture is. '-' if a file is refused. */
  readonly look: Look
  /** The same of files with alpha, without it: what drops alpha shows the colours of invisible pixels. */
  readonly drop?: Look
}
type Look = (paths: readonly string[]) => Promise<string[]>

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

/** RGBA or RGB samples, with the colours of invisible pixels as 0. */
function seen(samples: Buffer, channels: number): Buffer {
  if (channels === 4) {
    for (let at = 0; at < samples.length; at += 4) if (samples[at + 3] === 0) samples.writeUInt32BE(0, at)
  }
  return samples
}

/**
 * What ffmpeg decodes; pixels that are not square are shown as wide as they are. To start it takes longer than what it
 * then does, so it is given many files. It stops at one that it refuses: half of them is tried again then.
 */
function ffmpeg(command: string, format: 'rgba' | 'rgb24'): Look {
  const look = async (paths: readonly string[]): Promise<string[]> => {
    const folder = newFolder()
    const outs = paths.map((_, number) => join(folder, `${number}.raw`))
    const inputs = paths.flatMap((path) => ['-i', path])
    const filter = ['-vf', "scale='trunc(iw*sar)':ih", '-pix_fmt', format, '-f', 'rawvideo']
    const outputs = outs.flatMap((out, number) => ['-map', `${number}:v:0`, '-threads', '1', ...filter, out])
    const { status } = await outcome(command, ...'-v quiet -y -threads 1'.split(' '), ...inputs, ...outputs)
    if (status === 0) {
      return outs.map((out) => {
        const samples = seen(readFileSync(out), format === 'rgba' ? 4 : 3)
        return samples.length === 0 ? REFUSED : `${samples.length} ${hash(samples)}`
      })
    }
    if (paths.length < 2) return paths.map(() => REFUSED)
    const half = paths.length >> 1
    return [...(await look(paths.slice(0, half))), ...(await look(paths.slice(half)))]
  }
  const MOST = 32
  return async (paths) => {
    const found: string[] = []
    for (let at = 0; at < paths.length; at += MOST) found.push(...(await look(paths.slice(at, at + MOST))))
    return found
  }
}

/** Colours of invisible pixels are black. */
const SEEN = ['-alpha', 'set', '-background', 'black', '-alpha', 'background']

/** ImageMagick says of every picture which file it belongs to, and stops at nothing. */
function imageMagick(...alpha: string[]): Look {
  return async (paths) => {
    const found = paths.map(() => '')
    const format = '%M %w %h %g %[profile:icc] %#\n'
    const turned = ['-quiet', ...paths, '-auto-orient', '-colorspace', 'sRGB', '-depth', '16']
    const { stdout } = await outcome('convert', ...turned, ...alpha, '-format', format, 'info:')
    for (const line of stdout.toString().trim().split('\n')) {
      const [path = '', ...rest] = line.split(' ')
      found[paths.indexOf(path)] += `${rest.join(' ')};`
    }
    return found.map((answer) => answer || REFUSED)
  }
}

/** A bitmap, grey or RGB, as size and RGB samples of 16 bits: there may be a comment with the time in its head. */
function samplesOf(bitmap: Buffer): Uint8Array {
  const start = bitmap.toString('latin1', 0, 200)
  const [head = '', kind, size = '', most] = /^P([56])\s+(?:#.*\s+)*(\d+\s+\d+)\s+(\d+)\s/.exec(start) ?? []
  const isDeep = Number(most) > 255
  const factor = 65_535 / Number(most)
  const bytes = bitmap.subarray(head.length)
  const copies = kind === '5' ? 3 : 1
  const samples = new Uint16Array((bytes.length / (isDeep ? 2 : 1)) * copies)
  for (let at = 0; at < samples.length; at += copies) {
    const number = at / copies
    samples.fill((isDeep ? bytes.readUInt16BE(number * 2) : (bytes[number] ?? 0)) * factor, at, at + copies)
  }
  return Buffer.concat([Buffer.from(size), Buffer.from(samples.buffer)])
}

/** A program that is run for each file with one of these suffixes, and prints its samples. */
function program(name: string, suffixes: RegExp, args: (path: string) => string[], samples = samplesOf): Look {
  return (paths) =>
    each(paths, async (path) => {
      if (!suffixes.test(path)) return REFUSED
      const { status, stdout } = await outcome(name, ...args(path))
      return status !== 0 || stdout.length === 0 ? REFUSED : hash(samples(stdout))
    })
}

/** What libvips decodes, on black, as bitmaps; its program passes over what it refuses. */
async function vips(paths: readonly string[]): Promise<string[]> {
  const folder = newFolder()
  const size = `${2 ** 20}x${2 ** 20}>` // as it is
  await outcome('vipsthumbnail', '--no-rotate', '--size', size, '-o', join(folder, '%s.ppm'), ...paths)
  const out = (path: string): string => join(folder, basename(path).replace(/\.\w+$/, '.ppm'))
  return paths.map((path) => (existsSync(out(path)) ? hash(samplesOf(readFileSync(out(path)))) : REFUSED))
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

/** What a browser draws that is started for it. One that hangs at its start is started once more. */
function browser(command: string, args: (profile: string, url: string) => string[]): Look {
  const once = drawnBy(command, args)
  return async (paths) => (await once(paths)) ?? (await once(paths)) ?? Promise.reject(new Error(`${command} hangs.`))
}

function drawnBy(
  command: string,
  args: (profile: string, url: string) => string[],
): (paths: readonly string[]) => Promise<string[] | undefined> {
  return async (paths) => {
    const profile = newFolder()
    let timer: NodeJS.Timeout | undefined
    let done: (found: string[]) => void
    const reported = new Promise<string[]>((resolve) => {
      done = resolve
    })
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      timer?.refresh()
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
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), WAITING)
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
  (
    path: string,
  ): { autoOrient(): { toColourspace(name: string): Record<'ensureAlpha' | 'removeAlpha', () => { raw(): Raw }> } }
  readonly versions: Record<string, string>
}
interface Raw {
  toBuffer(options: {
    resolveWithObject: true
  }): Promise<{ data: Buffer; info: Record<'width' | 'height' | 'channels', number> }>
}

function sharpReader(sharp: Sharp, alpha: 'ensureAlpha' | 'removeAlpha'): Look {
  return (paths) =>
    each(paths, async (path) => {
      const raw = sharp(path).autoOrient().toColourspace('srgb')[alpha]().raw()
      const shown = await raw.toBuffer({ resolveWithObject: true }).catch(() => undefined)
      if (shown === undefined) return REFUSED
      const { width, height, channels } = shown.info
      return `${width} ${height} ${hash(seen(shown.data, channels))}`
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
  const script =
    (name: string): Look =>
    (paths) =>
      ask(name, ...paths)
  const found: Record<string, Omit<Reader, 'name'>> = {}
  for (const line of await ask('versions')) {
    const [name = '', version = '', path] = line.split(' ')
    const [look, drop] = [script(name.toLowerCase()), script(`${name.toLowerCase()}-without-alpha`)]
    if (path !== undefined)
      found['ffmpeg (PyPI)'] = { version, look: ffmpeg(path, 'rgba'), drop: ffmpeg(path, 'rgb24') }
    else found[name] = name === 'MuPDF' ? { version, look } : { version, look, drop }
  }
  return found
}

const javaLook: Look = async (paths) =>
  (await exec('java', ['-Djava.awt.headless=true', here('Readers.java'), ...paths])).stdout.trim().split('\n')

/** All readers that are looked for, in the order of the table; those that are not here without a version. */
export async function readers(): Promise<(Reader | { readonly name: string; readonly version?: undefined })[]> {
  const python = await fromPython()
  const sharp = (await sharpModule()) as Sharp | undefined
  const [chromium, firefox] = [findBrowser('chromium'), findBrowser('firefox')]
  const programs: [name: string, version: string | undefined, look: Look, drop?: Look][] = [
    ['ImageMagick', await versionOf('convert', '-version'), imageMagick(...SEEN), imageMagick('-alpha', 'off')],
    ['ffmpeg (Debian)', await versionOf('ffmpeg', '-version'), ffmpeg('ffmpeg', 'rgba'), ffmpeg('ffmpeg', 'rgb24')],
    ['libvips', await versionOf('vipsthumbnail', '--vips-version'), vips],
    ['djpeg', await versionOf('djpeg', '-version'), program('djpeg', /\.jpg$/, (path) => ['-pnm', path])],
    ['pngtopnm', await versionOf('pngtopnm', '-version'), program('pngtopnm', /\.png$/, (path) => [path])],
    [
      'dwebp',
      await versionOf('dwebp', '-version'),
      program(
        'dwebp',
        /\.webp$/,
        (path) => [path, '-pam', '-o', '-'],
        (pam) => pam,
      ),
    ],
    ['Java ImageIO', await versionOf('java', '-version'), javaLook],
    [
      'sharp',
      sharp?.versions['sharp'],
      sharpReader(sharp as Sharp, 'ensureAlpha'),
      sharpReader(sharp as Sharp, 'removeAlpha'),
    ],
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
  const found = programs.map(([name, version, look, drop]) =>
    version === undefined ? { name } : { name, version, look, ...(drop && { drop }) },
  )
  return [...found, ...named]
}
