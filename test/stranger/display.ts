// What else there is in a picture, as docs/images.md records it.
import { createHash } from 'node:crypto'

/** Collects what is recorded of a picture. */
export class Record {
  readonly #kinds = new Map<string, Buffer[]>()
  #turning: string | undefined

  add(kind: string, isLate: boolean, data: Buffer): void {
    const head = Buffer.alloc(5)
    head[0] = Number(isLate)
    head.writeUInt32BE(data.length, 1)
    this.#kinds.set(kind, [...(this.#kinds.get(kind) ?? []), head, data])
  }

  /** Notes that data of this kind turn the picture, if these do. */
  orientation(kind: string, data: Buffer): void {
    if (turns(data)) this.#turning = kind
  }

  end(): { [kind: string]: string } {
    const found = [...this.#kinds].map(([kind, parts]) => {
      const sha256 = createHash('sha256').update(Buffer.concat(parts)).digest('hex')
      return [kind === this.#turning ? 'orientation' : kind, sha256]
    })
    if (found.length > 64) throw new RangeError('more than 64 kinds')
    return Object.fromEntries(found)
  }
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
  'Title|Author|Description|Copyright|Creation Time|Software|Disclaimer|Warning|Source|Comment|Collection|date:create|date:modify|date:timestamp|sx-agent.signature'.split(
    '|',
  )

/** Whether a text of a PNG is not recorded. */
export function isPlainText(type: string, data: Buffer): boolean {
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
