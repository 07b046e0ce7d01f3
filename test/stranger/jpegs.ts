// Writes JPEG files with the scans that are asked for, also some that nobody should write: ITU-T T.81, annexes B, F, G.
// All codes of a table have one length, so that it has every symbol.

export interface Plane {
  readonly id: number
  readonly across: number
  readonly down: number
  readonly columns: number
  readonly rows: number
  /** In zigzag order, by rows, those that only fill up a unit too. */
  readonly blocks: readonly (readonly number[])[]
  /** How many columns of blocks there are with those. */
  readonly stride: number
}

export interface ScanScript {
  readonly planes: readonly number[]
  readonly first: number
  readonly last: number
  readonly high: number
  readonly low: number
  /** Units between restart markers; 0 for none. */
  readonly interval: number
  /** At most so many blocks in a run of ended ones. */
  readonly longestRun: number
  /** By how many blocks the last run of the scan, and before each restart marker, is too long. */
  readonly overrun: number
}

export function segment(marker: number, data: readonly number[]): number[] {
  return [0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data]
}

/** A table of all symbols: for the constant coefficients 16 with codes of 5 bits, for others 255 with codes of 9. */
export function flatTable(kind: number): number[] {
  const [length, count] = kind < 16 ? [5, 16] : [9, 255]
  const counts = Array.from({ length: 16 }, (_, n) => (n === length - 1 ? count : 0))
  return segment(0xc4, [kind, ...counts, ...Array.from({ length: count }, (_, n) => n)])
}

class Writer {
  readonly bytes: number[] = []
  #held = 0
  #count = 0

  bits(value: number, count: number): void {
    for (let n = count - 1; n >= 0; n--) {
      this.#held = this.#held * 2 + (Math.floor(value / 2 ** n) & 1)
      if (++this.#count === 8) {
        this.bytes.push(this.#held, ...(this.#held === 0xff ? [0] : []))
        this.#held = this.#count = 0
      }
    }
  }

  symbol(zeros: number, size: number): void {
    this.bits(zeros * 16 + size, 9)
  }

  constant(difference: number): void {
    this.bits(sizeOf(difference), 5)
    this.number(difference)
  }

  number(value: number): void {
    const size = sizeOf(value)
    this.bits(value < 0 ? value + 2 ** size - 1 : value, size)
  }

  end(): void {
    while (this.#count > 0) this.bits(1, 1)
  }
}

const sizeOf = (value: number): number => (value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1)
/** What is left of a coefficient without its lowest bits. */
const shifted = (value: number, low: number): number => Math.trunc(value / 2 ** low)

class Coder {
  readonly #script: ScanScript
  readonly #out: Writer
  #run = 0
  /** Bits of coefficients that had a value before, after the run that has not been written. */
  #later: number[] = []

  constructor(script: ScanScript, out: Writer) {
    this.#script = script
    this.#out = out
  }

  flush(overrun = 0): void {
    const run = this.#run + (this.#run > 0 ? overrun : 0)
    if (run > 0) {
      const size = sizeOf(run) - 1
      this.#out.symbol(size, 0)
      this.#out.bits(run - 2 ** size, size)
    }
    for (const bit of this.#later) this.#out.bits(bit, 1)
    this.#run = 0
    this.#later = []
  }

  #end(later: readonly number[]): void {
    this.#run++
    this.#later.push(...later)
    if (this.#run >= this.#script.longestRun) this.flush()
  }

  others(block: readonly number[]): void {
    const { first, last, low } = this.#script
    let zeros = 0
    for (let at = first; at <= last; at++) {
      const value = shifted(block[at] ?? 0, low)
      if (value === 0) {
        zeros++
        continue
      }
      this.flush()
      for (; zeros > 15; zeros -= 16) this.#out.symbol(15, 0)
      this.#out.symbol(zeros, sizeOf(value))
      this.#out.number(value)
      zeros = 0
    }
    if (zeros > 0) this.#end([])
  }

  refine(block: readonly number[]): void {
    const { first, last, low } = this.#script
    const values = block.map((value) => shifted(value, low))
    const isNew = (at: number): boolean => Math.abs(values[at] ?? 0) === 1
    let lastNew = first - 1
    for (let at = first; at <= last; at++) if (isNew(at)) lastNew = at
    let [zeros, pending] = [0, [] as number[]]
    for (let at = first; at <= last; at++) {
      const value = values[at] ?? 0
      if (value === 0) {
        if (++zeros === 16 && at < lastNew) {
          this.#symbol(15, undefined, pending)
          ;[zeros, pending] = [0, []]
        }
      } else if (!isNew(at)) pending.push(Math.abs(value) & 1)
      else {
        this.#symbol(zeros, value, pending)
        ;[zeros, pending] = [0, []]
      }
    }
    if (lastNew < last) this.#end(pending)
  }

  #symbol(zeros: number, value: number | undefined, corrections: readonly number[]): void {
    this.flush()
    this.#out.symbol(zeros, value === undefined ? 0 : 1)
    if (value !== undefined) this.#out.bits(value > 0 ? 1 : 0, 1)
    for (const bit of corrections) this.#out.bits(bit, 1)
  }
}

/** A scan, progressive or, where it has all coefficients at once, sequential. */
function scanOf(planes: readonly Plane[], script: ScanScript, units: readonly [number, number]): number[] {
  const { planes: numbers, first, last, high, low, interval } = script
  const parts = numbers.map((number) => planes[number]!)
  const isSequential = first === 0 && last === 63
  const out = new Writer()
  const coder = new Coder(script, out)
  const before = parts.map(() => 0)
  const [across, down] = parts.length === 1 ? [parts[0]!.columns, parts[0]!.rows] : units
  for (let unit = 0; unit < across * down; unit++) {
    if (interval > 0 && unit > 0 && unit % interval === 0) {
      coder.flush(script.overrun)
      out.end()
      out.bytes.push(0xff, 0xd0 + ((unit / interval - 1) & 7))
      before.fill(0)
    }
    const [column, row] = [unit % across, Math.floor(unit / across)]
    for (const [n, plane] of parts.entries()) {
      const [h, v] = parts.length === 1 ? [1, 1] : [plane.across, plane.down]
      for (let k = 0; k < h * v; k++) {
        const block = plane.blocks[(row * v + Math.floor(k / h)) * plane.stride + column * h + (k % h)]!
        const constant = block[0]! >> low
        if (first === 0 && high > 0) out.bits(constant & 1, 1)
        else if (first === 0) {
          out.constant(constant - before[n]!)
          before[n] = constant
          if (isSequential) new Coder({ ...script, first: 1, longestRun: 1 }, out).others(block)
        } else if (high > 0) coder.refine(block)
        else coder.others(block)
      }
    }
  }
  coder.flush(script.overrun)
  out.end()
  const header = [parts.length, ...parts.flatMap(({ id }) => [id, 0x00]), first, last, high * 16 + low]
  return [...segment(0xdd, [interval >> 8, interval & 255]), ...segment(0xda, header), ...out.bytes]
}

/** A file with these scans. */
export function jpegOf(
  size: readonly [width: number, height: number],
  planes: readonly Plane[],
  units: readonly [number, number],
  scripts: readonly ScanScript[],
): Buffer {
  const [width, height] = size
  const isSequential = scripts.every(({ last }) => last === 63) && scripts.every(({ first }) => first === 0)
  const frame = [
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    planes.length,
    ...planes.flatMap(({ id, across, down }) => [id, across * 16 + down, 0]),
  ]
  const start = [
    0xff,
    0xd8,
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, (_, n) => 1 + n)]),
    ...segment(isSequential ? 0xc1 : 0xc2, frame),
    ...flatTable(0x00),
    ...flatTable(0x10),
  ]
  return Buffer.from([...start, ...scripts.flatMap((script) => scanOf(planes, script, units)), 0xff, 0xd9])
}
