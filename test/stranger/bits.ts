// The coded data of a JPEG, by ITU-T T.81, annex F, and docs/images.md.

export function refuse(why: string): never {
  throw new RangeError(why)
}

/** Values by length and code. */
export type Huffman = ReadonlyMap<number, number>

const nameOf = (length: number, code: number): number => length * 65_536 + code

export function huffman(data: Buffer, tables: Map<number, Huffman>): void {
  for (let at = 0; at < data.length; ) {
    const kind = data.readUInt8(at)
    if (kind >> 4 > 1 || (kind & 15) > 3) refuse('DHT')
    const table = new Map<number, number>()
    let [code, value] = [0, at + 17]
    if (data.subarray(at + 1, value).reduce((sum, count) => sum + count, 0) > 256) refuse('too many values')
    for (let length = 1; length <= 16; length++, code *= 2) {
      for (let n = data.readUInt8(at + length); n > 0; n--) {
        if (code + 1 >= 2 ** length) refuse('a code of ones')
        table.set(nameOf(length, code++), data.readUInt8(value++))
      }
    }
    tables.set(kind, table)
    at = value
  }
}

export class Bits {
  readonly file: Buffer
  at: number
  #byte = 0
  #left = 0

  constructor(file: Buffer, at: number) {
    this.file = file
    this.at = at
  }

  bit(): number {
    if (this.#left === 0) {
      this.#byte = this.file.readUInt8(this.at++)
      if (this.#byte === 0xff && this.file.readUInt8(this.at++) !== 0) refuse('the coded data end early')
      this.#left = 8
    }
    return (this.#byte >> --this.#left) & 1
  }

  next(count: number): number {
    let value = 0
    for (let n = 0; n < count; n++) value = value * 2 + this.bit()
    return value
  }

  symbol(table: Huffman | undefined): number {
    let code = 0
    for (let length = 1; length <= 16; length++) {
      code = code * 2 + this.bit()
      const found = table?.get(nameOf(length, code))
      if (found !== undefined) return found
    }
    return refuse('a code')
  }

  number(size: number): number {
    if (size > 15) refuse('a size')
    const value = this.next(size)
    return size > 0 && value < 2 ** (size - 1) ? value - 2 ** size + 1 : value
  }

  /** The marker that follows. */
  marker(): number {
    if (this.file.readUInt8(this.at) !== 0xff) refuse('more coded data')
    let at = this.at
    while (this.file.readUInt8(at) === 0xff) at++
    return this.file.readUInt8(at)
  }

  restart(number: number): void {
    if (this.marker() !== 0xd0 + (number & 7)) refuse('a restart marker')
    while (this.file.readUInt8(this.at) === 0xff) this.at++
    this.at++
    this.#left = 0
  }
}
