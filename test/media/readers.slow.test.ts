// What every reader that is here makes of what is put into signed pictures or taken out of them: either it shows the same
// picture, or the verdict is not valid, or it says what was lost. The tables of docs/media.md say so one by one.
//
//   SX_UPDATE=1 npx vitest run --project slow test/media/readers    writes them
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'
import { SxAgent, type VerifyImageResult } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { chunk } from '../corpus/parts.mjs'
import { agentIn, newFolder } from '../node/fixtures.ts'
import { adobe, type Base, exif, headless, marks } from './marks.ts'
import { type Reader, readers } from './readers.ts'
import { columns, stated, written } from './tables.ts'

const known = await readers()
const found = known.filter((reader): reader is Reader => reader.version !== undefined)
for (const { name, version } of known) {
  if (version === undefined) console.warn(`${name} is not here: what it shows is NOT compared.`)
}
const data = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url)))

/** A PNG of noise without filters; with alpha its left half is translucent. */
function png(alpha: boolean): Buffer {
  const [width, height] = [64, 48]
  const noise = (x: number, y: number, channel: number): number =>
    (x * 31 + y * 57 + channel * 91 + ((x * y) % 13) * 17) % 256
  const pixel = (x: number, y: number): number[] => [
    ...[0, 1, 2].map((channel) => noise(x, y, channel)),
    ...(alpha ? [x < 20 ? 128 : 255] : []),
  ]
  const lines = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => pixel(x, y)).flat(),
  ])
  const header = Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, alpha ? 6 : 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(lines.flat()))),
    chunk('IEND'),
  ])
}

const texture = data('texture.jpg')
const after = (at: number, part: Buffer): Buffer => Buffer.concat([texture.subarray(0, at), part, texture.subarray(at)])
const sources: Record<Base, Buffer> = {
  jpg: texture,
  'rgb.jpg': Buffer.concat([texture.subarray(0, 2), adobe(0, 13), headless(texture).subarray(2)]),
  'turned.jpg': after(20, exif(6)),
  png: png(false),
  'alpha.png': png(true),
  webp: data('lossy.webp'),
}
const suffix = (base: Base): string => base.split('.').at(-1) ?? ''

function inWords({ status, coverage, code, lost }: VerifyImageResult): string {
  if (status === 'missing_signature') return 'none'
  if (status === 'invalid') return `invalid: ${code}`
  return lost.length === 0 ? `valid: ${coverage}` : `valid: ${coverage}, lost: ${lost.join(', ')}`
}

/** A file, what is said of it, and what each reader shows of it. */
interface Case {
  readonly name: string
  readonly verdict: string
  readonly isValid: boolean
  /** Whether the verdict says that something is missing that was there. */
  readonly hasLost: boolean
  readonly others: string[]
  readonly refusing: string[]
}

describe('docs/media.md', { timeout: 300_000 }, () => {
  const cases: Record<string, Case[]> = {}

  beforeAll(async () => {
    const { agent } = await SxAgent.create(agentIn(newFolder(), { algorithm: 'ed25519' }))
    const folder = newFolder()
    const bare: Record<string, Buffer> = {}
    const paths: string[] = []
    const put = (name: string, bytes: Buffer): number => {
      const path = join(folder, name)
      writeFileSync(path, bytes)
      return paths.push(path) - 1
    }
    const plain: Record<string, number> = {}
    for (const [base, bytes] of Object.entries(sources) as [Base, Buffer][]) {
      const robust = base !== 'webp'
      const signed = await agent.signImage(bytes, null, { robust })
      bare[base] = Buffer.from(robust ? await stripImageSignature(signed) : signed)
      const { coverage } = await agent.verifyImage(bare[base])
      if (coverage !== (robust ? 'pixels' : 'file')) throw new Error(`${base} is verified by ${coverage}.`)
      plain[base] = put(`${base.split('.')[0]}-plain.${suffix(base)}`, bare[base])
    }
    const places: number[] = []
    const all = Object.values(marks).flat()
    for (const [number, [, base, change]] of all.entries()) {
      places.push(put(`${number}.${suffix(base)}`, change(bare[base] as Buffer)))
    }
    const shown: [string, string[]][] = []
    for (const { name, look } of found) shown.push([name, await look(paths)])
    for (const format of Object.keys(marks)) cases[format] = []
    for (const [number, [name, base]] of all.entries()) {
      const place = places[number] as number
      const verdict = await agent.verifyImage(readFileSync(paths[place] as string))
      const others: string[] = []
      const refusing: string[] = []
      for (const [reader, answers] of shown) {
        const [before, now] = [answers[plain[base] as number], answers[place]]
        if (before === '-' || before === now) continue
        if (now === '-') refusing.push(reader)
        else others.push(reader)
      }
      const { valid, lost } = verdict
      cases[suffix(base)]?.push({
        name,
        verdict: inWords(verdict),
        isValid: valid,
        hasLost: lost.length > 0,
        others,
        refusing,
      })
    }
  }, 300_000)

  it('says which readers were tried', () => {
    const rows = known.map(({ name, version }) => [name, version ?? 'not here'])
    const head = [
      ['reader', 'version'],
      ['---', '---'],
    ]
    const table = written([...head, ...rows])
    expect(columns(stated('readers', table)).map(([name]) => name)).toEqual([
      'reader',
      '---',
      ...known.map(({ name }) => name),
    ])
  })

  it.each(Object.keys(marks))('says what readers make of what is put into %s', (format) => {
    const list = cases[format] as Case[]
    const isWrong = ({ isValid, hasLost, others, refusing }: Case): boolean =>
      isValid && !hasLost && others.length + refusing.length > 0
    expect(list.filter(isWrong)).toEqual([])
    const rows = list.map(({ name, verdict, others, refusing }) => [
      name,
      verdict,
      others.join(', '),
      refusing.join(', '),
    ])
    const head = ['what is put in or taken out', 'verdict', 'shown otherwise by', 'refused by']
    const text = stated(`${format} readers`, written([head, head.map(() => '---'), ...rows]))
    // Of other readers than those of the page, and of other versions, nothing is said there.
    const version = new Map(columns(stated('readers')).map(([name = '', number]) => [name, number]))
    const isSaid = (name: string): boolean =>
      found.some((reader) => reader.name === name && reader.version === version.get(name))
    const comparable = ([name, verdict, ...lists]: string[]): string[] => [
      name ?? '',
      verdict ?? '',
      ...lists.map((names) => names.split(', ').filter(isSaid).join(', ')),
    ]
    expect(columns(text).slice(2).map(comparable)).toEqual(rows.map(comparable))
  })
})
