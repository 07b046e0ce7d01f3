// What every reader that is here makes of what is put into signed pictures or taken out of them: either it shows the same
// picture, or the verdict is not valid, or it says what was lost. The tables of docs/media.md say so one by one.
//
//   SX_UPDATE=1 npx vitest run --project slow test/media/readers    writes them
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent, SxError, type VerifyImageResult } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, newFolder } from '../node/fixtures.ts'
import { type Mark, marks } from './marks.ts'
import { exceptions, pairs, unsigned } from './pairs.ts'
import { sources } from './pictures.ts'
import { type Reader, readers } from './readers.ts'
import { type Rewrite, rewrites } from './rewrites.ts'
import { columns, stated, written } from './tables.ts'

const known = await readers()
const found = known.filter((reader): reader is Reader => reader.version !== undefined)
for (const { name, version } of known) {
  if (version === undefined) console.warn(`${name} is not here: what it shows is NOT compared.`)
}

function inWords({ status, coverage, code, lost }: VerifyImageResult): string {
  if (status === 'missing_signature') return 'none'
  if (status === 'invalid') return `invalid: ${code}`
  return lost.length === 0 ? `valid: ${coverage}` : `valid: ${coverage}, lost: ${lost.join(', ')}`
}

/** A changed file, what is said of it, and who shows it otherwise. */
interface Case {
  readonly name: string
  readonly verdict: string
  readonly isValid: boolean
  /** Whether the verdict says that something is missing that was there. */
  readonly hasLost: boolean
  readonly others: string[]
  readonly refusing: string[]
}

/** Files that are shown to all readers, each once. */
class Files {
  readonly #folder = newFolder()
  readonly #numbers = new Map<string, number>()
  readonly #paths: string[] = []

  /** The number of a file. */
  add(bytes: Buffer, suffix: string): number {
    const key = bytes.toString('latin1')
    const number = this.#numbers.get(key) ?? this.#paths.length
    if (number < this.#paths.length) return number
    const path = join(this.#folder, `${number}.${suffix}`)
    writeFileSync(path, bytes)
    this.#numbers.set(key, number)
    return this.#paths.push(path) - 1
  }

  /** What each reader shows of each file; '-' if nothing. */
  async look(): Promise<[reader: string, answers: string[]][]> {
    const shown: [string, string[]][] = []
    const clear = [...this.#numbers].filter(([bytes]) => hasAlpha(bytes)).map(([, number]) => number)
    for (const { name, look, drop } of found) {
      const all = await look(this.#paths)
      if (all.length !== this.#paths.length) throw new Error(`${name} does not answer about each file.`)
      shown.push([name, all])
      if (drop === undefined) continue
      const answers = await drop(clear.map((number) => this.#paths[number] as string))
      shown.push([`${name}${DROPPED}`, this.#paths.map((_, number) => answers[clear.indexOf(number)] ?? '-')])
    }
    return shown
  }
}
const DROPPED = ' without alpha'
const hasAlpha = (bytes: string): boolean => bytes.startsWith('\x89PNG') && (bytes.charCodeAt(25) & 4) !== 0

const fromMark = ([name, base, change]: Mark): Rewrite => ({ name, source: sources[base], change })
/** What is in each table. */
const tables: Record<string, readonly Rewrite[]> = {
  'jpg readers': marks.jpg.map(fromMark),
  'png readers': marks.png.map(fromMark),
  'webp readers': marks.webp.map(fromMark),
  'jpg rewritten': rewrites.jpg,
  'png rewritten': rewrites.png,
}

describe('docs/media.md', () => {
  const cases: Record<string, Case[]> = {}
  const refused = new Set<string>()

  beforeAll(async () => {
    const { agent } = await SxAgent.create(agentIn(newFolder(), { algorithm: 'ed25519' }))
    const files = new Files()
    const bare = new Map<Buffer, Promise<Buffer>>()
    const sign = async (source: Buffer): Promise<Buffer> => {
      const robust = source !== sources.webp
      const signed = await agent.signImage(source, null, { robust })
      const file = Buffer.from(robust ? await stripImageSignature(signed) : signed)
      const { valid, coverage } = await agent.verifyImage(file)
      if (!valid || coverage !== (robust ? 'pixels' : 'file')) throw new Error(`A picture is verified by ${coverage}.`)
      return file
    }
    const signedOnce = (source: Buffer): Promise<Buffer> => {
      const known = bare.get(source) ?? sign(source)
      bare.set(source, known)
      return known
    }
    const tried: [table: string, name: string, verdict: VerifyImageResult, before: number, now: number][] = []
    /** Gives whether a change is valid, with nothing lost: then what readers show matters. */
    const attempt = async (table: string, { name, source, change }: Rewrite): Promise<boolean> => {
      const signed = await signedOnce(source)
      const suffix = source[0] === 0x89 ? 'png' : source[0] === 0xff ? 'jpg' : 'webp'
      const changed = change(signed)
      const verdict = await agent.verifyImage(changed)
      const isAccepted = verdict.valid && verdict.lost.length === 0
      if (isAccepted || table in tables) {
        tried.push([table, name, verdict, files.add(signed, suffix), files.add(changed, suffix)])
      }
      return isAccepted
    }
    for (const [table, list] of Object.entries(tables)) {
      for (const rewrite of list) await attempt(table, rewrite)
    }
    for (const [format, list] of Object.entries(pairs)) {
      for (const { mark, before, after, exchanged } of list) {
        const table = `${format} pairs`
        const accepted = [await attempt(table, before), await attempt(table, after)]
        if (accepted.every((isAccepted) => isAccepted)) continue // both orders are shown already
        await attempt(table, exchanged).catch((error: unknown) => {
          if (!(error instanceof SxError && ['Unsupported', 'C2paPresent'].includes(error.code))) throw error
          refused.add(mark)
        })
      }
    }
    const shown = await files.look()
    for (const [table, name, verdict, before, now] of tried) {
      const others: string[] = []
      const refusing: string[] = []
      for (const [reader, answers] of shown) {
        if (answers[before] === '-' || answers[before] === answers[now]) continue
        if (answers[now] === '-') refusing.push(reader)
        else others.push(reader)
      }
      const { valid, lost } = verdict
      cases[table] ??= []
      cases[table].push({
        name,
        verdict: inWords(verdict),
        isValid: valid,
        hasLost: lost.length > 0,
        others,
        refusing,
      })
    }
  })

  it('signs pairs', () => {
    expect([...refused].sort()).toEqual(unsigned)
  })

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

  it.each([...Object.keys(tables), 'jpg pairs', 'png pairs'])(
    'shows the same picture where it is valid: %s',
    (table) => {
      const isWrong = ({ name, isValid, hasLost, others, refusing }: Case): boolean =>
        isValid && !hasLost && [...others, ...refusing].some((reader) => !exceptions[name]?.includes(reader))
      expect(cases[table]?.length).toBeGreaterThan(0)
      expect(cases[table]?.filter(isWrong)).toEqual([])
    },
  )

  it.each(Object.keys(tables))('says what readers make of it: %s', (table) => {
    const rows = (cases[table] as Case[]).map(({ name, verdict, others, refusing }) => [
      name,
      verdict,
      others.join(', '),
      refusing.join(', '),
    ])
    const what = table.endsWith('rewritten') ? 'what is moved or stored in another way' : 'what is put in or taken out'
    const head = [what, 'verdict', 'shown otherwise by', 'refused by']
    const text = stated(table, written([head, head.map(() => '---'), ...rows]))
    // Of other readers than those of the page, and of other versions, nothing is said there.
    const version = new Map(columns(stated('readers')).map(([name = '', number]) => [name, number]))
    const isSaid = (shown: string): boolean =>
      found.some(({ name, version: here }) => name === shown.replace(DROPPED, '') && here === version.get(name))
    const comparable = ([name, verdict, ...lists]: string[]): string[] => [
      name ?? '',
      verdict ?? '',
      ...lists.map((names) => names.split(', ').filter(isSaid).join(', ')),
    ]
    expect(columns(text).slice(2).map(comparable)).toEqual(rows.map(comparable))
  })
})
