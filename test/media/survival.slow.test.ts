// What programs of others leave of a signature: measured, and compared with the tables of docs/media.md.
//
//   SX_UPDATE=1 npx vitest run --project slow test/media/survival    writes them
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SxAgent } from 'sx-agent'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser } from '../../scripts/browsers.mjs'
import { profile } from '../corpus/parts.mjs'
import { photographs, python } from '../corpus/python.mjs'
import { agentIn, newFolder } from '../node/fixtures.ts'
import { closeBrowser, programs, survival, treatments, unmeasured } from './survival.ts'
import { columns, stated, written } from './tables.ts'
import { absent, run } from './tools.ts'

const photos = await photographs()
const found = await python()
const gone = await unmeasured()
const incomplete = absent(...programs).length > 0 || photos.length === 0 || findBrowser('chromium') === undefined
const photo = (name: string): string => photos.find((path) => basename(path) === name) ?? ''

const formats = Object.keys(treatments) as (keyof typeof treatments)[]

const NOT_HERE = 'not installed'

/** A table as it can be measured here: rows on programs that are not here say so. */
const measurable = (table: string): string =>
  written(
    columns(table).map(([name = '', ...cells]) => {
      const isGone = gone.some((row) => name.startsWith(row))
      return [name, ...(isGone ? cells.map(() => NOT_HERE) : cells)]
    }),
  )

/** What is signed, by format and by the column of the table. */
type Sources = Record<string, Record<string, { bytes: Buffer; robust: boolean }>>

describe.skipIf(incomplete || found === undefined)('docs/media.md', () => {
  const sources: Sources = {}
  const agents: Record<string, SxAgent> = {}

  beforeAll(async () => {
    for (const algorithm of ['ed25519', 'pq2025'] as const)
      agents[algorithm] = (await SxAgent.create(agentIn(newFolder(), { algorithm }))).agent
    const folder = newFolder()
    const made = (line: string, name: string): Buffer => {
      execFileSync('sh', ['-euc', line], { cwd: folder })
      return readFileSync(join(folder, name))
    }
    // `cjxl` refuses the profile of this photograph.
    writeFileSync(join(folder, 'profile.icc'), profile())
    const jpeg = made(`exiftool -q '-icc_profile<=profile.icc' -o plain.jpg '${photo('china.jpg')}'`, 'plain.jpg')
    // A page would convert the colours of a picture that does not say it is sRGB.
    const plain = '-define png:exclude-chunk=gAMA,cHRM,date,tIME'
    const cat = photo('chelsea.png')
    const png = made(`convert '${cat}' ${plain} -crop 200x150+100+50 +repage cat.png`, 'cat.png')
    // Half of its pixels are opaque, a quarter is translucent, and a quarter is not seen at all.
    const alpha = `-fx "i<w/2 ? 1 : i<3*w/4 ? 0.5 : 0" +channel ${plain}`
    const translucent = made(`convert cat.png -alpha set -channel A ${alpha} alpha.png`, 'alpha.png')
    sources['jpg'] = {
      'signature in the metadata': { bytes: jpeg, robust: false },
      robust: { bytes: jpeg, robust: true },
      'robust, progressive': {
        bytes: made('jpegtran -copy all -progressive -outfile p.jpg plain.jpg', 'p.jpg'),
        robust: true,
      },
    }
    sources['png'] = {
      'signature in the metadata': { bytes: png, robust: false },
      robust: { bytes: png, robust: true },
      'robust, partly transparent': { bytes: translucent, robust: true },
    }
    sources['webp'] = {
      'signature in the metadata': { bytes: made('cwebp -quiet cat.png -o cat.webp', 'cat.webp'), robust: false },
    }
  })

  afterAll(closeBrowser)

  async function tableOf(format: keyof typeof treatments, algorithm: string): Promise<string> {
    const agent = agents[algorithm] as SxAgent
    const signing = Object.entries(sources[format] ?? {})
    const signed = await Promise.all(signing.map(([, { bytes, robust }]) => agent.signImage(bytes, null, { robust })))
    const rows: string[][] = [['', ...signing.map(([name]) => name)], signing.map(() => '---').concat('---')]
    for (const treatment of treatments[format]) {
      if (gone.some((row) => treatment[0].startsWith(row))) {
        rows.push([treatment[0], ...signing.map(() => NOT_HERE)])
        continue
      }
      const left = signed.map((bytes) => survival(agent, format, bytes, treatment, found as NonNullable<typeof found>))
      rows.push([treatment[0], ...(await Promise.all(left))])
    }
    return written(rows)
  }

  it.each(formats)('says what is left of signatures in %s', async (format) => {
    const table = await tableOf(format, 'ed25519')
    expect(measurable(stated(format, table))).toBe(table)
    // It makes no difference how the image was signed.
    expect(await tableOf(format, 'pq2025')).toBe(table)
  })

  it('says how much room there is', async () => {
    const rows = [['photograph', 'pixels', 'bytes', 'bits that it can carry', 'Ed25519', 'ML-DSA-87']]
    rows.push(['---', ...Array<string>(3).fill('---:'), '---', '---'])
    const chosen = photos.filter((path) => path.endsWith('jpg') || /(astronaut|chelsea|text|logo)\.png$/.test(path))
    for (const path of chosen) {
      const size = (await run('identify', '-format', '%w × %h', path)).toString()
      const [ed, pq] = [await agents['ed25519']?.imageCapacity(path), await agents['pq2025']?.imageCapacity(path)]
      const numbers = [statSync(path).size, ed?.availableBits ?? 0].map((value) => value.toLocaleString('en-US'))
      rows.push([basename(path), size, ...numbers, ...[ed, pq].map((room) => (room?.supported ? 'yes' : 'no'))])
    }
    expect(rows.length).toBeGreaterThan(10)
    expect(stated('room', written(rows))).toBe(written(rows))
  })
})
