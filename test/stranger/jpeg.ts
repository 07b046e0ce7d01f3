// The coefficients of a sequential JPEG as docs/images.md has them. What is refused throws; so does a progressive one,
// of which there is none among the vectors.
import { createHash } from 'node:crypto'
import { isPlainComment, Record } from './display.ts'
import type { Picture } from './pixels.ts'

function refuse(why: string): never {
  throw new RangeError(why)
}

interface Component {
  readonly id: number
  readonly across: number
  readonly down: number
  readonly table: number
  readonly columns: number
  readonly rows: number
  quantisation: readonly number[] | undefined
  /** By row and column, those that only fill up a unit too. */
  readonly blocks: Map<string, Int16Array>
}

interface Frame {
  readonly width: number
  readonly height: number
  readonly units: readonly [across: number, down: number]
  readonly components: Component[]
}

type Huffman = Map<string, number>

function frameOf(data: Buffer): Frame {
  const [precision, , , , , count = 0] = data
  const [height, width] = [data.readUInt16BE(1), data.readUInt16BE(3)]
  if (precision !== 8 || width === 0 || height === 0 || count < 1 || count > 4 || data.length !== 6 + 3 * count)
    refuse('SOF')
  const parts = Array.from({ length: count }, (_, n) => [...data.subarray(6 + 3 * n, 9 + 3 * n)])
  const factors = parts.map(([, sampling = 0]) => [sampling >> 4, sampling & 15] as const)
  if (factors.flat().some((factor) => factor < 1 || factor > 4)) refuse('sampling')
  const most = [0, 1].map((axis) => Math.max(...factors.map((both) => both[axis as 0 | 1])))
  const [acrossMost = 1, downMost = 1] = most
  const components = parts.map(([id = 0, , table = 0], n) => {
    const [across, down] = factors[n] ?? [1, 1]
    const columns = Math.ceil(Math.ceil((width * across) / acrossMost) / 8)
    const rows = Math.ceil(Math.ceil((height * down) / downMost) / 8)
    return { id, across, down, table, columns, rows, quantisation: undefined, blocks: new Map() }
  })
  return { width, height, units: [Math.ceil(width / (8 * acrossMost)), Math.ceil(height / (8 * downMost))], components }
}

function huffman(data: Buffer, tables: Map<number, Huffman>): void {
  for (let at = 0; at < data.length; ) {
    const kind = data.readUInt8(at)
    if (kind >> 4 > 1 || (kind & 15) > 3) refuse('DHT')
    const table: Huffman = new Map()
    let [code, value] = [0, at + 17]
    for (let length = 1; length <= 16; length++, code *= 2) {
      for (let n = data.readUInt8(at + length); n > 0; n--) {
        if (code + 1 >= 2 ** length) refuse('a code of ones')
        table.set(code.toString(2).padStart(length, '0'), data.readUInt8(value++))
        code++
      }
    }
    tables.set(kind, table)
    at = value
  }
}

function quantisation(data: Buffer, tables: Map<number, readonly number[]>): void {
  for (let at = 0; at < data.length; ) {
    const kind = data.readUInt8(at++)
    if (kind >> 4 > 1 || (kind & 15) > 3) refuse('DQT')
    const width = (kind >> 4) + 1
    tables.set(
      kind & 15,
      Array.from({ length: 64 }, (_, n) => data.readUIntBE(at + n * width, width)),
    )
    at += 64 * width
  }
}

/** The bits of coded data. */
class Bits {
  readonly file: Buffer
  at: number
  #held = ''

  constructor(file: Buffer, at: number) {
    this.file = file
    this.at = at
  }

  next(count: number): string {
    while (this.#held.length < count) {
      const byte = this.file.readUInt8(this.at++)
      if (byte === 0xff && this.file.readUInt8(this.at++) !== 0) refuse('the coded data end early')
      this.#held += byte.toString(2).padStart(8, '0')
    }
    const taken = this.#held.slice(0, count)
    this.#held = this.#held.slice(count)
    return taken
  }

  symbol(table: Huffman | undefined): number {
    for (let code = ''; code.length < 16; ) {
      code += this.next(1)
      const found = table?.get(code)
      if (found !== undefined) return found
    }
    return refuse('a code')
  }

  number(size: number): number {
    if (size > 15) refuse('a size')
    const bits = this.next(size)
    const value = Number.parseInt(`0${bits}`, 2)
    return bits.startsWith('0') ? value - 2 ** size + 1 : value
  }

  /** The marker that follows. */
  marker(): number {
    if (this.#held.length > 7 || this.file.readUInt8(this.at) !== 0xff) refuse('more coded data')
    let at = this.at
    while (this.file.readUInt8(at) === 0xff) at++
    return this.file.readUInt8(at)
  }

  restart(number: number): void {
    if (this.marker() !== 0xd0 + (number & 7)) refuse('a restart marker')
    while (this.file.readUInt8(this.at) === 0xff) this.at++
    this.at++
    this.#held = ''
  }
}

const fits = (value: number): number => (value >= -32_768 && value <= 32_767 ? value : refuse('a coefficient'))

function blockOf(bits: Bits, before: number, dc: Huffman | undefined, ac: Huffman | undefined): Int16Array {
  const block = new Int16Array(64)
  block[0] = fits(before + bits.number(bits.symbol(dc)))
  for (let at = 1; at < 64; ) {
    const symbol = bits.symbol(ac)
    const [zeros, size] = [symbol >> 4, symbol & 15]
    if (size === 0) {
      if (zeros !== 15 && zeros !== 0) refuse('a run of blocks')
      if (zeros === 0) break
      at += 16
      if (at > 64) refuse('a run of zeros')
      continue
    }
    at += zeros
    const value = bits.number(size)
    if (at > 63) refuse('a run of zeros')
    block[at++] = fits(value)
  }
  return block
}

/** Decodes a scan; gives where its coded data end. */
function scan(
  file: Buffer,
  data: Buffer,
  at: number,
  frame: Frame,
  tables: Map<number, Huffman>,
  interval: number,
): number {
  const count = data.readUInt8(0)
  const parts = Array.from({ length: count }, (_, n) => {
    const [id, numbers] = [data.readUInt8(1 + 2 * n), data.readUInt8(2 + 2 * n)]
    const index = frame.components.findIndex((component) => component.id === id)
    const component = frame.components[index] ?? refuse('a component')
    return { index, component, dc: tables.get(numbers >> 4), ac: tables.get(16 + (numbers & 15)), before: 0 }
  })
  const ascends = parts.every(({ index }, n) => n === 0 || index > (parts[n - 1]?.index ?? 0))
  const blocks = parts.reduce((sum, { component }) => sum + component.across * component.down, 0)
  if (count === 0 || !ascends || data.length !== 4 + 2 * count || (count > 1 && blocks > 10)) refuse('SOS')
  if (data.toString('hex', 1 + 2 * count) !== '003f00') refuse('the band')
  if (parts.some(({ component, dc }) => component.blocks.size > 0 || [...(dc ?? [])].some(([, size]) => size > 15)))
    refuse('SOS')
  const [only] = parts
  const [across, down] = count === 1 && only !== undefined ? [only.component.columns, only.component.rows] : frame.units
  const bits = new Bits(file, at)
  for (let unit = 0; unit < across * down; unit++) {
    if (interval > 0 && unit > 0 && unit % interval === 0) {
      bits.restart(unit / interval - 1)
      for (const part of parts) part.before = 0
    }
    const [column, row] = [unit % across, Math.floor(unit / across)]
    for (const part of parts) {
      const { component, dc, ac } = part
      const [h, v] = count === 1 ? [1, 1] : [component.across, component.down]
      for (let n = 0; n < h * v; n++) {
        const block = blockOf(bits, part.before, dc, ac)
        part.before = block[0] ?? 0
        component.blocks.set(`${row * v + Math.floor(n / h)} ${column * h + (n % h)}`, block)
      }
    }
  }
  const marker = bits.marker()
  if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) refuse('more coded data')
  return bits.at
}

/** The sense of the colours. */
function senseOf({ components }: Frame, hasJfif: boolean, adobe: number | undefined): number {
  const ids = components.map(({ id }) => id).join()
  const isRgb = ids === '82,71,66'
  if (components.length < 3) return 0
  if (components.length === 3) {
    if (!hasJfif && (adobe === 0 || (isRgb && adobe === undefined))) return 0
    const isYcc = hasJfif ? adobe === undefined || adobe === 1 : adobe === 1 || (adobe === undefined && ids === '1,2,3')
    if (!isRgb && isYcc) return 1
  } else {
    if (adobe === undefined) return 0
    if (adobe === 2) return 2
    if (adobe === 0) return 3
  }
  return 16 + (hasJfif ? 8 : 0) + (adobe === undefined ? 0 : adobe + 1)
}

export function jpeg(file: Buffer, storeOf: (from: number, end: number) => number | undefined): Picture {
  const record = new Record()
  const tables = new Map<number, Huffman>()
  const quantisations = new Map<number, readonly number[]>()
  let frame: Frame | undefined
  let adobe: number | undefined
  let [at, hasJfif, scans, interval] = [2, false, 0, 0]
  for (;;) {
    if (file.readUInt8(at) !== 0xff) refuse('stray bytes')
    while (file.readUInt8(at) === 0xff) at++
    const marker = file.readUInt8(at++)
    if (marker === 0xd9) break
    const end = at + file.readUInt16BE(at)
    if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8) || end < at + 2 || end > file.length) refuse('a marker')
    const data = file.subarray(at + 2, end)
    const begins = (name: string): boolean => data.toString('latin1', 0, name.length) === name
    const isLate = scans > 0
    const start = at
    at = end
    if (marker === 0xc4) huffman(data, tables)
    else if (marker === 0xdb) {
      quantisation(data, quantisations)
      for (const { quantisation: known, table } of frame?.components ?? [])
        if (known !== undefined && known.join() !== quantisations.get(table)?.join()) refuse('another table')
    } else if (marker === 0xdd && data.length === 2) interval = data.readUInt16BE(0)
    else if ((marker === 0xc0 || marker === 0xc1) && frame === undefined) frame = frameOf(data)
    else if (marker === 0xda && frame !== undefined && ++scans <= 64) {
      for (const component of frame.components) {
        const isIn = [...data.subarray(1, -3)].some((id, n) => n % 2 === 0 && id === component.id)
        if (isIn) component.quantisation ??= quantisations.get(component.table)
      }
      at = scan(file, data, end, frame, tables, interval)
    } else if (marker === 0xe0 && !isLate && data.length >= 14 && begins('JFIF\0')) {
      const isPlain =
        data.length === 14 &&
        data[5] === 1 &&
        data.readUInt16BE(8) === data.readUInt16BE(10) &&
        data.readUInt16BE(12) === 0
      if (hasJfif || !isPlain) record.add('APP0', isLate, data)
      hasJfif = true
    } else if (marker >= 0xe0 && marker <= 0xef && begins('Adobe')) {
      const transform = data[11] ?? 255
      if (marker !== 0xee || isLate || transform > 2 || (adobe ?? transform) !== transform) refuse('Adobe')
      if (data.length !== 12) record.add('APP14', isLate, data)
      adobe = transform
    } else if (marker === 0xe2 && begins('MPF\0'))
      refuse('a Multi-Picture index, of which there is none among the vectors')
    else if (marker >= 0xe0 && marker <= 0xef) {
      const stored = marker === 0xeb ? storeOf(start + 2, end) : undefined
      if (stored === undefined) app(record, marker, isLate, data)
      else at = stored
    } else if (marker === 0xfe) {
      if (!isPlainComment(data)) record.add('COM', isLate, data)
    } else refuse(`the marker ${marker}`)
  }
  if (
    frame === undefined ||
    frame.components.some(({ blocks, quantisation: table }) => blocks.size === 0 || table === undefined)
  )
    refuse('no picture')
  if (at < file.length) record.add('end', true, file.subarray(at))
  return pictureOf(frame, senseOf(frame, hasJfif, adobe), record)
}

function app(record: Record, marker: number, isLate: boolean, data: Buffer): void {
  const begins = (name: string): boolean => data.toString('latin1', 0, name.length) === name
  if (marker === 0xe1 && data.toString('latin1', 0, 4).toLowerCase() === 'exif') {
    record.orientation('Exif', data.subarray(6))
    record.add('Exif', isLate, data)
  } else if (marker === 0xe1 && begins('http://ns.adobe.com/')) record.add('XMP', isLate, data)
  else if (marker === 0xe2 && begins('ICC_PROFILE\0')) record.add('ICC', isLate, data)
  else record.add(`APP${marker & 15}`, isLate, data)
}

function pictureOf({ width, height, components }: Frame, sense: number, record: Record): Picture {
  const shown = ({ columns, rows, blocks }: Component): Int16Array[] =>
    Array.from(
      { length: columns * rows },
      (_, n) => blocks.get(`${Math.floor(n / columns)} ${n % columns}`) ?? refuse('a block'),
    )
  const planes = components.map(shown)
  const isCarrier = (value: number, at: number): boolean => at > 0 && Math.abs(value) > 1
  const carriers = (planes[0] ?? []).flatMap((block) =>
    [...block].filter(isCarrier).map((value) => Math.abs(value) & 1),
  )
  const sha256 = (isUsed: (carrier: number) => boolean, used: number): string => {
    const parts: number[] = [width >> 8, width & 255, height >> 8, height & 255, sense, components.length]
    for (const { id, across, down, quantisation: table = [] } of components)
      parts.push(id, across, down, ...table.flatMap((value) => [value >> 8, value & 255]))
    const count = Buffer.alloc(4)
    count.writeUInt32BE(used)
    const hash = createHash('sha256').update('sx-pixels-v1 jpeg\n').update(Buffer.from(parts)).update(count)
    let carrier = 0
    for (const [number, blocks] of planes.entries()) {
      for (const block of blocks) {
        const bytes = Buffer.alloc(128)
        for (const [at, value] of block.entries()) {
          const isZeroed = number === 0 && isCarrier(value, at) && isUsed(carrier++)
          bytes.writeInt16BE(isZeroed ? Math.sign(value) * (Math.abs(value) & ~1) : value, 2 * at)
        }
        hash.update(bytes)
      }
    }
    return hash.digest('hex')
  }
  return { carriers, sha256, display: record.end() }
}
