// The frame of a JPEG and its scans, sequential and progressive: docs/images.md, and ITU-T T.81, annexes B, F and G.
import { Bits, type Huffman, refuse } from './bits.ts'

export { type Huffman, huffman, refuse } from './bits.ts'

export interface Component {
  readonly id: number
  readonly across: number
  readonly down: number
  readonly table: number
  readonly columns: number
  readonly rows: number
  quantisation: readonly number[] | undefined
  /** By place, those that only fill up a unit too. */
  readonly blocks: Map<number, Int32Array>
  /** How many bits each coefficient still lacks; all of it at first. */
  readonly precision: number[]
}

export interface Frame {
  readonly isProgressive: boolean
  readonly width: number
  readonly height: number
  readonly units: readonly [across: number, down: number]
  readonly components: Component[]
}

export const placeOf = (row: number, column: number): number => row * 65_536 + column

const MOST_PIXELS = 2 ** 26

export function frameOf(marker: number, data: Buffer, fileLength: number): Frame {
  const [precision, , , , , count = 0] = data
  const [height, width] = [data.readUInt16BE(1), data.readUInt16BE(3)]
  if (precision !== 8 || width === 0 || height === 0 || count < 1 || count > 4 || data.length !== 6 + 3 * count)
    refuse('SOF')
  if (width * height > MOST_PIXELS) refuse('the size')
  const parts = Array.from({ length: count }, (_, n) => [...data.subarray(6 + 3 * n, 9 + 3 * n)])
  const factors = parts.map(([, sampling = 0]) => [sampling >> 4, sampling & 15] as const)
  if (factors.flat().some((factor) => factor < 1 || factor > 4)) refuse('sampling')
  const most = [0, 1].map((axis) => Math.max(...factors.map((both) => both[axis as 0 | 1])))
  const [acrossMost = 1, downMost = 1] = most
  const components = parts.map(([id = 0, , table = 0], n) => {
    const [across, down] = factors[n] ?? [1, 1]
    const columns = Math.ceil(Math.ceil((width * across) / acrossMost) / 8)
    const rows = Math.ceil(Math.ceil((height * down) / downMost) / 8)
    if (columns * rows > 8 * fileLength + 7 || table > 3) refuse('SOF')
    const missing = Array.from({ length: 64 }, () => Number.POSITIVE_INFINITY)
    return { id, across, down, table, columns, rows, quantisation: undefined, blocks: new Map(), precision: missing }
  })
  if (new Set(components.map(({ id }) => id)).size < count) refuse('two components of one id')
  const units = [Math.ceil(width / (8 * acrossMost)), Math.ceil(height / (8 * downMost))] as const
  return { isProgressive: marker === 0xc2, width, height, units, components }
}

export function quantisation(data: Buffer, tables: Map<number, readonly number[]>): void {
  for (let at = 0; at < data.length; ) {
    const kind = data.readUInt8(at++)
    if (kind >> 4 > 1 || (kind & 15) > 3) refuse('DQT')
    const width = (kind >> 4) + 1
    const table = Array.from({ length: 64 }, (_, n) => data.readUIntBE(at + n * width, width))
    tables.set(kind & 15, table)
    at += 64 * width
  }
}

const fits = (value: number): number => (value >= -32_768 && value <= 32_767 ? value : refuse('a coefficient'))

/** A component in a scan. */
interface Part {
  readonly component: Component
  readonly dc: Huffman | undefined
  readonly ac: Huffman | undefined
  before: number
}

/** Which coefficients a scan has, and which bits of them. */
interface Band {
  readonly first: number
  readonly last: number
  /** Whether the coefficients were there before, with one bit less. */
  readonly isRefining: boolean
  readonly shift: number
}

class Scan {
  readonly #bits: Bits
  readonly #band: Band
  /** So many blocks, this one included, have nothing more. */
  #ended = 0

  constructor(bits: Bits, band: Band) {
    this.#bits = bits
    this.#band = band
  }

  restart(number: number, parts: readonly Part[]): void {
    this.#ended = 0
    this.#bits.restart(number)
    for (const part of parts) part.before = 0
  }

  /** Sequential. */
  whole(block: Int32Array, part: Part): void {
    const bits = this.#bits
    part.before = fits(part.before + bits.number(bits.symbol(part.dc)))
    block[0] = part.before
    for (let at = 1; at < 64; ) {
      const symbol = bits.symbol(part.ac)
      const [zeros, size] = [symbol >> 4, symbol & 15]
      if (size === 0) {
        if (zeros === 0) break
        if (zeros !== 15) refuse('a run of blocks')
        at += 16
        if (at > 64) refuse('a run of zeros')
        continue
      }
      at += zeros
      if (at > 63) refuse('a run of zeros')
      block[at++] = fits(bits.number(size))
    }
  }

  /** Progressive. */
  part(block: Int32Array, part: Part): void {
    const { first, isRefining } = this.#band
    if (first === 0 && isRefining) this.#refineConstant(block)
    else if (first === 0) this.#constant(block, part)
    else if (isRefining) this.#refine(block, part)
    else this.#others(block, part)
  }

  #constant(block: Int32Array, part: Part): void {
    part.before += this.#bits.number(this.#bits.symbol(part.dc))
    block[0] = fits(part.before * 2 ** this.#band.shift)
  }

  #refineConstant(block: Int32Array): void {
    block[0] = (block[0] ?? 0) | (this.#bits.bit() << this.#band.shift)
  }

  #others(block: Int32Array, { ac }: Part): void {
    const { first, last, shift } = this.#band
    if (this.#ended > 0) {
      this.#ended--
      return
    }
    for (let at = first; at <= last; ) {
      const symbol = this.#bits.symbol(ac)
      const [zeros, size] = [symbol >> 4, symbol & 15]
      if (size === 0 && zeros < 15) {
        this.#ended = 2 ** zeros + this.#bits.next(zeros) - 1
        return
      }
      at += size === 0 ? 16 : zeros
      if (at > last + (size === 0 ? 1 : 0)) refuse('a run of zeros')
      if (size > 0) block[at++] = fits(this.#bits.number(size) * 2 ** shift)
    }
  }

  #refine(block: Int32Array, { ac }: Part): void {
    const { first, last, shift } = this.#band
    let at = first
    if (this.#ended > 0) this.#ended--
    else
      while (at <= last) {
        const symbol = this.#bits.symbol(ac)
        const [zeros, size] = [symbol >> 4, symbol & 15]
        if (size > 1) refuse('a size')
        if (size === 0 && zeros < 15) {
          this.#ended = 2 ** zeros + this.#bits.next(zeros) - 1
          break
        }
        const value = size === 0 ? 0 : this.#bits.bit() === 1 ? 1 : -1
        at = this.#skip(block, at, zeros)
        if (at > last) refuse('a run of zeros')
        block[at++] = value * 2 ** shift
      }
    while (at <= last) this.#correct(block, at++)
  }

  /** Where the next coefficient without a value stands after so many. */
  #skip(block: Int32Array, from: number, zeros: number): number {
    let [at, left] = [from, zeros]
    for (; at <= this.#band.last; at++) {
      if (block[at] !== 0) this.#correct(block, at)
      else if (left-- === 0) break
    }
    return at
  }

  #correct(block: Int32Array, at: number): void {
    const value = block[at] ?? 0
    if (value !== 0 && this.#bits.bit() === 1) block[at] = fits(value + Math.sign(value) * 2 ** this.#band.shift)
  }
}

function bandOf(isProgressive: boolean, [first = 0, last = 0, bits = 0]: Buffer): Band {
  const [before, shift] = [bits >> 4, bits & 15]
  if (!isProgressive) {
    if (first !== 0 || last !== 63 || bits !== 0) refuse('the band')
    return { first, last, isRefining: false, shift }
  }
  if (last > 63 || first > last || (first === 0 && last !== 0)) refuse('the band')
  if (shift > 13 || (before !== 0 && before !== shift + 1)) refuse('the bits')
  return { first, last, isRefining: before !== 0, shift }
}

/** Notes what a scan gives of a component. */
function give({ precision }: Component, { first, last, isRefining, shift }: Band): void {
  if (first > 0 && precision[0] === Number.POSITIVE_INFINITY) refuse('no constant coefficients before')
  for (let at = first; at <= last; at++) {
    if (precision[at] !== (isRefining ? shift + 1 : Number.POSITIVE_INFINITY)) refuse('given before')
    precision[at] = shift
  }
}

/** Decodes a scan; gives where its coded data end. */
export function scan(
  file: Buffer,
  data: Buffer,
  at: number,
  { isProgressive, components, units }: Frame,
  tables: ReadonlyMap<number, Huffman>,
  interval: number,
): number {
  const count = data.readUInt8(0)
  if (count === 0 || data.length !== 4 + 2 * count) refuse('SOS')
  const band = bandOf(isProgressive, data.subarray(1 + 2 * count))
  const parts = Array.from({ length: count }, (_, n) => {
    const [id, numbers] = [data.readUInt8(1 + 2 * n), data.readUInt8(2 + 2 * n)]
    const index = components.findIndex((component) => component.id === id)
    const component = components[index] ?? refuse('a component')
    if (numbers >> 4 > 3 || (numbers & 15) > 3) refuse('the number of a table')
    const [dc, ac] = [tables.get(numbers >> 4), tables.get(16 + (numbers & 15))]
    const isConstant = band.first === 0 && !band.isRefining
    if (isConstant && [...(dc ?? [])].some(([, size]) => size > 15)) refuse('a constant of more than 15 bits')
    return { index, component, dc, ac, before: 0 }
  })
  const ascends = parts.every(({ index }, n) => n === 0 || index > (parts[n - 1]?.index ?? 0))
  const blocks = parts.reduce((sum, { component }) => sum + component.across * component.down, 0)
  if (!ascends || (count > 1 && (blocks > 10 || band.first > 0))) refuse('SOS')
  for (const { component } of parts) give(component, band)
  const [only] = parts
  const [across, down] = count === 1 && only !== undefined ? [only.component.columns, only.component.rows] : units
  const bits = new Bits(file, at)
  const coded = new Scan(bits, band)
  for (let unit = 0; unit < across * down; unit++) {
    if (interval > 0 && unit > 0 && unit % interval === 0) coded.restart(unit / interval - 1, parts)
    const [column, row] = [unit % across, Math.floor(unit / across)]
    for (const part of parts) {
      const { component } = part
      const [h, v] = count === 1 ? [1, 1] : [component.across, component.down]
      for (let n = 0; n < h * v; n++) {
        const place = placeOf(row * v + Math.floor(n / h), column * h + (n % h))
        const block = component.blocks.get(place) ?? new Int32Array(64)
        component.blocks.set(place, block)
        if (isProgressive) coded.part(block, part)
        else coded.whole(block, part)
      }
    }
  }
  const marker = bits.marker()
  if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) refuse('more coded data')
  return bits.at
}
