// What happens to the scans of a JPEG: seeded changes of headers, tables and coded data.
import type { Random } from '../simulation/random.ts'
import { segment } from './jpegs.ts'

/** A segment, with the coded data that follow a start of scan. */
interface Piece {
  readonly marker: number
  readonly header: Buffer
  readonly coded: Buffer
}

function piecesOf(file: Buffer): Piece[] {
  const pieces: Piece[] = []
  for (let at = 2; at < file.length - 2; ) {
    const marker = file.readUInt8(at + 1)
    const end = at + 2 + file.readUInt16BE(at + 2)
    let next = end
    const isCoded = (): boolean => file[next] !== 0xff || file[next + 1] === 0 || (file[next + 1]! & 0xf8) === 0xd0
    if (marker === 0xda) while (isCoded()) next += 1
    pieces.push({ marker, header: file.subarray(at, end), coded: file.subarray(end, next) })
    at = next
  }
  return pieces
}

const joined = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...pieces.flatMap(({ header, coded }) => [header, coded]),
    Buffer.from([0xff, 0xd9]),
  ])

const flipped = (bytes: Buffer, at: number, mask: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[at] = copy[at]! ^ mask
  return copy
}

const isScan = ({ marker }: Piece): boolean => marker === 0xda

/** A change of the header, or of the coded data, of one piece that `isMeant`. */
function on(
  isMeant: (piece: Piece) => boolean,
  what: 'header' | 'coded',
  change: (bytes: Buffer, random: Random) => Buffer,
) {
  return (pieces: Piece[], random: Random): void => {
    const at = random.pick([...pieces.keys()].filter((n) => isMeant(pieces[n]!) && pieces[n]![what].length > 0))
    pieces[at] = { ...pieces[at]!, [what]: change(pieces[at]![what], random) }
  }
}

const spliced = (bytes: Buffer, at: number, removed: number, added: readonly number[]): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at + removed)])

const bitFlipped = (from: number) => (bytes: Buffer, random: Random) =>
  flipped(bytes, from + random.below(bytes.length - from), 1 << random.below(8))

const changes: Readonly<Record<string, (pieces: Piece[], random: Random) => void>> = {
  'a bit of coded data': on(isScan, 'coded', bitFlipped(0)),
  'some bits of coded data': on(isScan, 'coded', (bytes, random) => {
    let changed = bytes
    for (let n = 2 + random.below(3); n > 0; n--) changed = bitFlipped(0)(changed, random)
    return changed
  }),
  'a byte of coded data': on(isScan, 'coded', (bytes, random) =>
    spliced(bytes, random.below(bytes.length), 1, [random.below(256)]),
  ),
  'a byte of coded data removed': on(isScan, 'coded', (bytes, random) =>
    spliced(bytes, random.below(bytes.length), 1, []),
  ),
  'a byte between coded data': on(isScan, 'coded', (bytes, random) =>
    spliced(
      bytes,
      random.below(bytes.length + 1),
      0,
      random.pick([[0], [0xff], [0xff, 0], [0xff, 0xd0], [0xff, 0xff, 0xd3], [0xff, 1]]),
    ),
  ),
  'a restart marker changed': on(
    ({ coded }) => coded.includes(Buffer.from([0xff, 0xd1])),
    'coded',
    (bytes, random) => {
      const at = bytes.indexOf(Buffer.from([0xff, 0xd1]))
      return spliced(bytes, at, random.pick([1, 2, 2]), random.pick([[], [0xff, 0xd2], [0xff, 0xff, 0xd1]]))
    },
  ),
  'coded data cut off': on(isScan, 'coded', (bytes, random) => bytes.subarray(0, random.below(bytes.length))),
  'the last bits of a scan': on(isScan, 'coded', (bytes, random) =>
    flipped(bytes, bytes.length - 1, 1 << random.below(8)),
  ),
  'a bit of the header of a scan': on(isScan, 'header', bitFlipped(4)),
  'a byte of the header of a scan': on(isScan, 'header', (bytes, random) =>
    spliced(bytes, 4 + random.below(bytes.length - 4), 1, [
      random.pick([0, 1, 2, 3, 4, 5, 6, 63, 64, 0x10, 0x21, 0xd0]),
    ]),
  ),
  'a bit of a table of codes': on(({ marker }) => marker === 0xc4, 'header', bitFlipped(4)),
  'a bit of a table of quantisation': on(({ marker }) => marker === 0xdb, 'header', bitFlipped(4)),
  'a bit of the frame': on(({ marker }) => marker === 0xc0 || marker === 0xc2, 'header', bitFlipped(4)),
  'a piece removed': (pieces, random) => void pieces.splice(random.below(pieces.length), 1),
  'a piece twice': (pieces, random) => {
    const at = random.below(pieces.length)
    pieces.splice(at, 0, pieces[at]!)
  },
  'pieces exchanged': (pieces, random) => {
    const [at, to] = [random.below(pieces.length), random.below(pieces.length)]
    ;[pieces[at], pieces[to]] = [pieces[to]!, pieces[at]!]
  },
  'an interval': (pieces, random) => {
    const header = Buffer.from(segment(0xdd, [0, random.below(4)]))
    pieces.splice(random.below(pieces.length), 0, { marker: 0xdd, header, coded: Buffer.alloc(0) })
  },
  'a table of quantisation before a scan': (pieces, random) => {
    const tables = pieces.filter(({ marker }) => marker === 0xdb)
    const at = random.pick([...pieces.keys()].filter((n) => isScan(pieces[n]!)))
    const table = random.pick(tables)
    pieces.splice(at, 0, random.chance(0.5) ? table : { ...table, header: bitFlipped(5)(table.header, random) })
  },
  'a fill byte': (pieces, random) => {
    const at = random.below(pieces.length)
    pieces[at] = { ...pieces[at]!, header: Buffer.concat([Buffer.from([0xff]), pieces[at]!.header]) }
  },
}

/** A change of a file, and what it is. */
export function changedJpeg(file: Buffer, random: Random): { how: string; changed: Buffer } {
  const pieces = piecesOf(file)
  const names = Object.keys(changes).filter(
    (name) =>
      name !== 'a restart marker changed' || pieces.some(({ coded }) => coded.includes(Buffer.from([0xff, 0xd1]))),
  )
  const how = random.pick(names)
  changes[how]!(pieces, random)
  return { how, changed: joined(pieces) }
}
