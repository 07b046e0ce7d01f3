// Every kind of image that the encoders of Debian make, and photographs: signed, verified, stripped byte for byte, and
// read by the programs of others.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { chromium } from 'playwright'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { corpus, missing } from '../corpus/make.mjs'
import { photographs } from '../corpus/python.mjs'
import { agentIn, newFolder } from '../node/fixtures.ts'
import { HANGING } from '../pace.ts'
import { absent, outcome, run, scripts } from './tools.ts'

const withoutEncoders = missing()
if (withoutEncoders.length > 0) console.warn(`${withoutEncoders} not here: the tests on images do NOT run.`)
const photos = await photographs()
const pillow = await scripts()
const browser = findBrowser('chromium')

/** An image as it was, signed, and signed in its picture too, where that has room for it. */
interface Case {
  readonly name: string
  readonly bytes: Buffer
  readonly path: string
  readonly signed: string
  readonly robust: string | undefined
}

describe.skipIf(withoutEncoders.length > 0)('images of all kinds', () => {
  const cases: Case[] = []
  const names = (suffix: RegExp): Case[] => cases.filter(({ name }) => suffix.test(name))
  let agent: SxAgent

  beforeAll(async () => {
    const made = await corpus()
    const paths = [...made.names.map((name) => join(made.folder, name)), ...photos]
    const folder = newFolder()
    mkdirSync(join(folder, 'robust'))
    ;({ agent } = await SxAgent.create(agentIn(newFolder())))
    for (const path of paths) {
      const [name, bytes] = [basename(path), readFileSync(path)]
      const signed = join(folder, name)
      writeFileSync(signed, await agent.signImage(bytes, null))
      const { supported } = await agent.imageCapacity(bytes)
      const robust = supported ? join(folder, 'robust', name) : undefined
      if (robust !== undefined) writeFileSync(robust, await agent.signImage(bytes, null, { robust: true }))
      cases.push({ name, bytes, path, signed, robust })
    }
  })

  it('are at least 150, and one in three has room in its picture', () => {
    expect(cases.length).toBeGreaterThan(206)
    const count = (kind: RegExp): number => names(kind).filter(({ robust }) => robust !== undefined).length
    expect([count(/png$/) > 40, count(/jpg$/) > 25, count(/webp$/)]).toEqual([true, true, 0])
  })

  /** Those of which something else is found than expected, with that. */
  async function others(
    chosen: readonly Case[],
    expected: unknown,
    look: (one: Case) => Promise<unknown>,
  ): Promise<[string, unknown][]> {
    const found: [string, unknown][] = []
    for (const one of chosen) found.push([one.name, await look(one)])
    return found.filter(([, value]) => JSON.stringify(value) !== JSON.stringify(expected))
  }

  it('carry a signature and lose it without a trace', async () => {
    const look = async ({ bytes, signed }: Case): Promise<unknown> => {
      const { status, trusted, coverage } = await agent.verifyImage(signed)
      const isRestored = bytes.equals(await stripImageSignature(signed))
      return [status, trusted, coverage, isRestored, (await agent.verifyImage(bytes)).status]
    }
    expect(await others(cases, ['valid', true, 'file', true, 'missing_signature'], look)).toEqual([])
  })

  it('keep the one in the picture', async () => {
    const look = async ({ name, bytes, robust = '' }: Case): Promise<unknown> => {
      const { status, coverage } = await agent.verifyImage(robust)
      const bare = await stripImageSignature(robust)
      const verdict = await agent.verifyImage(bare)
      const hasGrown = name.endsWith('jpg') && Math.abs(bare.length - bytes.length) > 64
      return [status, coverage, verdict.status, verdict.trusted, verdict.coverage, hasGrown]
    }
    const carrying = cases.filter(({ robust }) => robust !== undefined)
    expect(await others(carrying, ['valid', 'file', 'valid', true, 'pixels', false], look)).toEqual([])
  })

  /** What a program finds in some files; and the names of those in which it finds something else when signed. */
  async function compared(
    chosen: readonly Case[],
    look: (paths: string[]) => Promise<string[]>,
  ): Promise<{ found: string[]; differing: string[] }> {
    const found = await look(chosen.map(({ path }) => path))
    const after = await look(chosen.map(({ signed }) => signed))
    if (found.length !== chosen.length) throw new Error(`${found.length} answers about ${chosen.length} files`)
    return { found, differing: chosen.filter((_, at) => found[at] !== after[at]).map(({ name }) => name) }
  }

  /** One run for each file: its exit status and what it prints. */
  const each =
    (program: string, ...args: string[]) =>
    (paths: string[]): Promise<string[]> =>
      Promise.all(
        paths.map(async (path) => {
          const { status, stdout } = await outcome(program, ...args, path)
          return `${status} ${stdout.toString('base64')}`
        }),
      )

  describe('open with the same pixels in', () => {
    it.skipIf(absent('dwebp').length > 0)('dwebp', async () => {
      const { found, differing } = await compared(
        names(/(?<!animated)\.webp$/),
        each('dwebp', '-quiet', '-pam', '-o', '-'),
      )
      expect(differing).toEqual([])
      expect(found.filter((line) => !line.startsWith('0 '))).toEqual([])
    })

    it.skipIf(absent('djpeg').length > 0)('djpeg', async () => {
      const { found, differing } = await compared(names(/jpg$/), each('djpeg', '-pnm'))
      expect(differing).toEqual([])
      expect(found.filter((line) => !/^[02] /.test(line))).toEqual([]) // 2 is a warning: one has no end
    })

    it.skipIf(absent('identify').length > 0)('ImageMagick', async () => {
      const look = async (paths: string[]): Promise<string[]> => {
        const found = paths.map(() => '')
        // It stops at nothing, and says of every frame which file it belongs to.
        const format = ['-quiet', '-format', '%i %m %#\n']
        const { stdout: text } = await outcome('identify', ...format, ...paths)
        for (const line of text.toString().trim().split('\n')) {
          const [path = '', ...rest] = line.split(' ')
          found[paths.indexOf(path)] += `${rest.join(' ')};`
        }
        return found
      }
      const { found, differing } = await compared(cases, look)
      expect(differing).toEqual([])
      expect(found.filter((line) => line === '').length).toBeLessThan(10)
    })

    it.skipIf(pillow === undefined)('Pillow', async () => {
      const look = async (paths: string[]): Promise<string[]> =>
        ((await pillow?.('pillow.py', 'hash', ...paths)) ?? '').trim().split('\n')
      const { found, differing } = await compared(cases, look)
      expect(differing).toEqual([])
      expect(found.filter((line) => line === '-').length).toBeLessThan(10)
    })

    // Where a PNG carries a signature itself, its last bits differ, and nothing else.
    it.skipIf(pillow === undefined)('Pillow, but for the bits that carry', async () => {
      const carrying = names(/png$/).filter(({ robust }) => robust !== undefined)
      const pairs = carrying.flatMap(({ path, robust }) => [path, robust ?? ''])
      const largest = ((await pillow?.('pillow.py', 'apart', ...pairs)) ?? '').trim().split('\n').map(Number)
      expect(largest).toHaveLength(carrying.length)
      expect(Math.max(...largest)).toBe(1)
    })

    it.skipIf(browser === undefined)('Chromium', async () => {
      const window = await chromium.launch({ executablePath: browser ?? '', args: chromiumArgs })
      try {
        const page = await window.newPage()
        page.setDefaultTimeout(HANGING)
        await page.route('**/*', (route) => {
          const { pathname, searchParams } = new URL(route.request().url())
          const path = searchParams.get('path')
          if (path === null) return route.fulfill({ contentType: 'text/html', body: '<title>images</title>' })
          return route.fulfill({ body: readFileSync(path), contentType: `image/${pathname.split('.').at(-1)}` })
        })
        await page.goto('http://localhost/')
        const look = (paths: string[]): Promise<string[]> =>
          page.evaluate(async (all) => {
            const pixelsOf = async (path: string): Promise<string> => {
              const image = new Image()
              image.src = `/${path.replace(/.*\./, 'x.').replace('jpg', 'jpeg')}?path=${encodeURIComponent(path)}`
              if (
                !(await image.decode().then(
                  () => true,
                  () => false,
                ))
              )
                return '-'
              const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight)
              const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
              context.drawImage(image, 0, 0)
              const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
              const hash = new Uint32Array(await crypto.subtle.digest('SHA-256', data))
              return `${width} ${height} ${hash}`
            }
            const found: string[] = []
            for (const path of all) found.push(await pixelsOf(path))
            return found
          }, paths)
        const { found, differing } = await compared(cases, look)
        expect(differing).toEqual([])
        expect(found.filter((line) => line === '-').length).toBeLessThan(10)
      } finally {
        await window.close()
      }
    })
  })

  describe('are without fault for', () => {
    it.skipIf(absent('pngcheck').length > 0)('pngcheck', async () => {
      // It does not know the newer chunks, and what stands behind IEND is a fault: the same ones before and after.
      const look = async (paths: string[]): Promise<string[]> => {
        const { stdout: printed } = await outcome('pngcheck', '-q', ...paths)
        const faulty = printed.toString().split('\n')
        return paths.map((path) => (faulty.includes(`ERROR: ${path}`) ? 'faulty' : ''))
      }
      const { found, differing } = await compared(names(/png$/), look)
      expect(differing).toEqual([])
      expect(found.filter((line) => line !== '').length).toBe(3)
      const sound = names(/png$/).filter(({ robust }, at) => found[at] === '' && robust !== undefined)
      expect((await look(sound.map(({ robust = '' }) => robust))).filter((line) => line !== '')).toEqual([])
    })

    it.skipIf(absent('webpinfo', 'webpmux').length > 0)('webpinfo and webpmux', async () => {
      const look = async ({ signed }: Case): Promise<unknown> => [
        (await outcome('webpinfo', signed)).stdout.includes('No error detected'),
        /Features present:.* XMP metadata/.test((await outcome('webpmux', '-info', signed)).stdout.toString()),
      ]
      expect(await others(names(/(?<!trailer)\.webp$/), [true, true], look)).toEqual([])
    })

    it.skipIf(absent('exiftool').length > 0)('exiftool, which finds the same', async () => {
      const changed = ['--File:all', '--System:all', '--XMP:all', '--JUMBF:all', '--PNG:SxAgentSignature']
      const look = async (paths: string[]): Promise<string[]> => {
        const text = await run('exiftool', '-j', '-G', '-n', '-validate', '-a', ...changed, ...paths)
        const all = JSON.parse(text.toString()) as Record<string, unknown>[]
        return all.map((found) => JSON.stringify({ ...found, SourceFile: '' }))
      }
      const { found, differing } = await compared(cases, look)
      expect(differing).toEqual([])
      expect(found.filter((line) => line.includes('"ExifTool:Error"')).length).toBe(0)
      const [image] = names(/^second-image/)
      for (const path of [image?.signed ?? '', image?.robust ?? ''])
        expect(await run('exiftool', '-b', '-MPImage2', path)).toEqual(
          await run('exiftool', '-b', '-MPImage2', image?.path ?? ''),
        )
    })

    it.skipIf(absent('exiv2').length > 0)('exiv2, which finds the same', async () => {
      const look = async (paths: string[]): Promise<string[]> => {
        const found = paths.map(() => '')
        // Its status tells whether the last one had Exif; each line begins with the path.
        const { stdout } = await outcome('exiv2', '-q', '-PEkyct', 'print', ...paths)
        for (const line of stdout.toString().split('\n')) {
          const at = paths.findIndex((path) => line.startsWith(`${path} `))
          if (at >= 0) found[at] += `${line.slice(paths[at]?.length)}\n`
        }
        return found
      }
      const { found, differing } = await compared(cases, look)
      expect(differing).toEqual([])
      expect(found.filter((line) => line !== '').length).toBeGreaterThan(10)
    })
  })
})
