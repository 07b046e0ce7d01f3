// What else there is in a picture, as docs/images.md records it.
import { createHash } from 'node:crypto'

/** Collects what is recorded of a picture. */
export class Record {
  readonly #kinds = new Map<string, Buffer[]>()
  /** The kind of each piece, in the order of the file. */
  readonly #order: string[] = []
  #turning: string | undefined

  /** Whether a piece of one of these kinds was added. */
  has(...kinds: readonly string[]): boolean {
    return this.#order.some((kind) => kinds.includes(kind))
  }

  add(kind: string, place: number, data: Buffer): void {
    const head = Buffer.alloc(5)
    head[0] = place
    head.writeUInt32BE(data.length, 1)
    this.#kinds.set(kind, [...(this.#kinds.get(kind) ?? []), head, data])
    this.#order.push(kind)
  }

  /** Notes that data of this kind turn the picture, if these do. */
  orientation(kind: string, data: Buffer): void {
    if (turns(data)) this.#turning = kind
  }

  end(): { [kind: string]: string } {
    const named = (kind: string): string => (kind === this.#turning ? 'orientation' : kind)
    const found = [...this.#kinds].map(([kind, parts]) => [named(kind), sha256(...parts)])
    const runs = runsOf(this.#order.map((kind) => [named(kind), 1]))
    if (found.length > 64 || runs.length > 256) throw new RangeError('too many kinds or runs')
    return Object.fromEntries(runs.length > 1 ? [...found, ['order', written(runs)]] : found)
  }
}

export const sha256 = (...parts: readonly Buffer[]): string =>
  createHash('sha256').update(Buffer.concat(parts)).digest('hex')

type Run = readonly [kind: string, count: number]

function runsOf(pieces: readonly Run[]): Run[] {
  const runs: [string, number][] = []
  for (const [kind, count] of pieces) {
    const last = runs.at(-1)
    if (last?.[0] === kind) last[1] += count
    else runs.push([kind, count])
  }
  return runs
}

const written = (runs: readonly Run[]): string =>
  runs.map(([kind, count]) => (count > 1 ? `${kind}*${count}` : kind)).join(' ')

/** What is left of a recorded order where only these kinds are found; undefined if there is none then. */
export function orderLeft(order: string, isFound: (kind: string) => boolean): string | undefined {
  const all = order.split(' ').map((run): Run => {
    const [kind = '', count = '1'] = run.split('*')
    return [kind, Number(count)]
  })
  const runs = runsOf(all.filter(([kind]) => isFound(kind)))
  return runs.length > 1 ? written(runs) : undefined
}

function turns(data: Buffer): boolean {
  const order = data.toString('latin1', 0, 4)
  if (order !== 'II*\0' && order !== 'MM\0*') return false
  const isLittle = order.startsWith('I')
  const short = (at: number): number => (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at))
  const start = isLittle ? data.readUInt32LE(4) : data.readUInt32BE(4)
  if (start + 2 > data.length || start + 2 + 12 * short(start) > data.length) return false
  const entries = Array.from({ length: short(start) }, (_, n) => start + 2 + 12 * n)
  return entries.some((at) => short(at) === 0x0112 && short(at + 8) !== 1)
}

const KEYWORDS =
  'Title|Author|Description|Copyright|Creation Time|Software|Disclaimer|Warning|Source|Comment|Collection|date:create|date:modify|date:timestamp'.split(
    '|',
  )

/** Whether a text of a PNG is not recorded. */
export function isPlainText(type: string, data: Buffer): boolean {
  if (data.toString('latin1', 0, 19) === 'sx-agent.signature\0') return true
  const end = data.indexOf(0)
  if (end < 0 || data.length > 65_535 || !KEYWORDS.includes(data.toString('latin1', 0, end))) return false
  const rest = data.subarray(end + 1)
  const zeros = rest.filter((byte) => byte === 0).length
  if (type === 'tEXt') return zeros === 0
  return type === 'iTXt' && rest[0] === 0 && rest[1] === 0 && zeros === 4 && Buffer.from(rest.toString()).equals(rest)
}

/** Whether a comment of a JPEG is not recorded. */
export function isPlainComment(data: Buffer): boolean {
  const begins = ['CREATOR: gd-jpeg v1.', 'Created with GIMP', 'Created with The GIMP', 'Optimized by JPEGmini ']
  const text = data.toString('latin1')
  return data.length <= 200 && /^[ -~\n]*$/.test(text) && begins.some((words) => text.startsWith(words))
}
