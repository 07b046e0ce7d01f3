// The metadata channel as docs/images.md, section 1, has it: written from that page, with nothing of the library.
import { crc32 } from 'node:zlib'

/** What the metadata of a file hold. */
export interface Scan {
  readonly state: 'none' | 'damaged' | 'signed'
  readonly payload: string
  /** What a signature covers. */
  readonly content: Buffer
  readonly hasStore: boolean
}

type Span = readonly [from: number, to: number]

/** What a walk over the chunks of a PNG or JPEG has found. */
interface Walk {
  readonly own: readonly Span[]
  readonly store: Span | undefined
  readonly isComplete: boolean
  readonly hasTraces: boolean
  readonly place: number
  /** Bytes around the payload in a chunk of ours. */
  readonly around: Span
  readonly write: (payload: string) => Buffer
}

const bytesOf = (...parts: (Uint8Array | string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const without = (file: Buffer, spans: readonly Span[]): Buffer => {
  let at = 0
  const parts: Buffer[] = []
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    parts.push(file.subarray(at, from))
    at = to
  }
  return Buffer.concat([...parts, file.subarray(at)])
}

/** Whether half of these bytes stand at `at`, or one byte before or after it, and before `end`. */
function isLike(file: Buffer, own: Buffer, at: number, end: number): boolean {
  return [at - 1, at, at + 1].some((start) => {
    if (start + own.length > end) return false
    const equal = own.filter((byte, n) => file[start + n] === byte).length
    return equal * 2 >= own.length
  })
}

function judge(file: Buffer, { own, store, isComplete, hasTraces, place, around, write }: Walk): Scan {
  const stores = store === undefined ? [] : [store]
  const answer = (state: Scan['state'], payload = '', cuts = stores): Scan => ({
    state,
    payload,
    content: without(file, cuts),
    hasStore: store !== undefined,
  })
  const [first] = own
  if (first === undefined) return answer(hasTraces ? 'damaged' : 'none')
  if (own.length > 1 || !isComplete) return answer('damaged')
  if (first[0] !== place && !(store?.[0] === place && store[1] === first[0])) return answer('damaged')
  const payload = file.toString('latin1', first[0] + around[0], first[1] - around[1])
  const isWritten = /^[\w-]{1,65000}$/.test(payload) && write(payload).equals(file.subarray(...first))
  return isWritten ? answer('signed', payload, [...stores, first]) : answer('damaged')
}

const KEYWORD = Buffer.from('sx-agent.signature')

function png(file: Buffer): Scan {
  const own: Span[] = []
  let store: Span | undefined
  let [at, last, isFixed, isComplete] = [8, 0, false, false]
  while (!isComplete && at + 8 <= file.length) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const end = at + 12 + length
    if ((at === 8 && (type !== 'IHDR' || length !== 13)) || length > 0x7fffffff || end > file.length) break
    isFixed ||= type === 'IDAT' || type === 'iDOT'
    if (type === 'caBX' && !isFixed && store === undefined) store = [at, end]
    else if (isLike(file, KEYWORD, at + 8, end)) own.push([at, end])
    isComplete = type === 'IEND'
    last = at
    at = end
  }
  const head = bytesOf('iTXt', KEYWORD, [0, 0, 0, 0, 0])
  const write = (payload: string): Buffer => {
    const body = bytesOf(head, payload)
    return bytesOf(u32(body.length - 4), body, u32(crc32(body)))
  }
  const hasTraces = !isComplete && file.includes(head.subarray(4), last)
  return judge(file, { own, store, isComplete, hasTraces, place: 33, around: [4 + head.length, 4], write })
}

const UUID = Buffer.from('9b1c52e7402d4a8fb306d77518c46ea1', 'hex')
const DESCRIPTION = bytesOf('jumd', UUID, [3], KEYWORD, [0])
const C2PA = Buffer.from('6332706100110010800000aa00389b71', 'hex')

/** Whether a segment with these data is a candidate. */
export const isCandidate = (file: Buffer, from: number, end: number): boolean =>
  isLike(file, DESCRIPTION, from + 20, end)

/** Where the C2PA store ends whose first segment has these data. */
export function c2paEnd(file: Buffer, from: number, end: number): number | undefined {
  const data = file.subarray(from, end)
  const isStore =
    data.length >= 40 &&
    data.toString('latin1', 0, 2) === 'JP' &&
    data.readUInt32BE(4) === 1 &&
    data.toString('latin1', 12, 16) === 'jumb' &&
    data.toString('latin1', 20, 24) === 'jumd' &&
    data.subarray(24, 40).equals(C2PA)
  if (!isStore) return undefined
  const total = data.readUInt32BE(8)
  let held = data.length - 8
  let at = end
  for (let number = 2; held < total; number++) {
    const length = at + 4 <= file.length && file.readUInt16BE(at) === 0xffeb ? file.readUInt16BE(at + 2) : 0
    const next = file.subarray(at + 4, at + 2 + length)
    const head = bytesOf(data.subarray(0, 4), u32(number), data.subarray(8, 16))
    if (next.length < 17 || next.length + 2 !== length || !next.subarray(0, 16).equals(head)) return undefined
    held += next.length - 16
    at += 2 + length
  }
  return held === total ? at : undefined
}

/** Where coded data end that begin here. */
function codedEnd(file: Buffer, from: number): number {
  for (let at = from; ; ) {
    const found = file.indexOf(0xff, at)
    const next = found < 0 ? undefined : file[found + 1]
    if (next === undefined) return file.length
    if (next === 0xff) at = found + 1
    else if (next === 0 || (next >= 0xd0 && next <= 0xd7)) at = found + 2
    else return found
  }
}

function jpeg(file: Buffer): Scan {
  const own: Span[] = []
  const numbers = new Set([0x0211])
  let store: Span | undefined
  let scan: number | undefined
  let [at, place, isLeading, isRegular, isIndexed] = [2, 2, true, true, false]
  while (at < file.length) {
    let code = at + 1
    while (file[at] === 0xff && file[code] === 0xff) code++
    const marker = file[at] === 0xff ? file[code] : -1
    if (marker === undefined || marker === 0xd9) break
    if (marker === -1 || marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) {
      const stray = file.indexOf(0xff, at)
      at = marker === -1 ? (stray < 0 ? file.length : stray) : code + 1
      isLeading = false
      isRegular &&= scan !== undefined
      continue
    }
    const from = code + 3
    const length = from <= file.length ? file.readUInt16BE(code + 1) : 0
    const end = code + 1 + length
    if (length < 2 || end > file.length) break
    const span: Span = [code - 1, end]
    at = marker === 0xda ? codedEnd(file, end) : end
    const mayBeStore = marker === 0xeb && store === undefined && scan === undefined && isRegular && !isIndexed
    const stored = mayBeStore ? c2paEnd(file, from, end) : undefined
    if (stored !== undefined) {
      store = [span[0], stored]
      at = stored
      continue
    }
    if (isCandidate(file, from, end)) {
      own.push(span)
      continue
    }
    isIndexed ||= marker === 0xe2 && file.subarray(from, end).indexOf('MPF\0', 'latin1') === 0
    if (marker === 0xeb && end - from >= 4) numbers.add(file.readUInt16BE(from + 2))
    isLeading &&= marker === 0xe0 || marker === 0xe1
    if (isLeading) place = end
    if (marker === 0xda) scan ??= span[0]
  }
  let number = 0x5358
  while (numbers.has(number)) number = (number + 1) & 0xffff
  const box = (...parts: (Buffer | string)[]): Buffer => {
    const held = bytesOf(...parts)
    return bytesOf(u32(held.length + 4), held)
  }
  const write = (payload: string): Buffer => {
    const boxes = box('jumb', box(DESCRIPTION), box('uuid', UUID, payload))
    const length = boxes.length + 10
    const head = [0xff, 0xeb, length >> 8, length & 255, 0x4a, 0x50, number >> 8, number & 255, 0, 0, 0, 1]
    return bytesOf(head, boxes)
  }
  const searched = scan === undefined ? file : file.subarray(0, scan)
  const hasTraces = (scan === undefined || !isRegular) && searched.includes(DESCRIPTION)
  const around: Span = [write('').length, 0]
  return judge(file, { own, store, isComplete: scan !== undefined, hasTraces, place, around, write })
}

interface Chunk {
  readonly kind: string
  readonly data: Buffer
  readonly raw: Buffer
}

function chunkOf(kind: string, data: Buffer): Chunk {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  return { kind, data, raw: bytesOf(kind, size, data, Buffer.alloc(data.length % 2)) }
}

function riffOf(chunks: readonly Chunk[], rest: Buffer): Buffer {
  const { raw } = chunkOf('RIFF', bytesOf('WEBP', ...chunks.map((chunk) => chunk.raw)))
  return Buffer.concat([raw, rest])
}

const NAMESPACE = 'urn:sx-agent:schemas/image/v1/'
const OPEN = `<rdf:Description rdf:about="" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:sx="${NAMESPACE}" sx:added="`
const PACKET = [
  '<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
  '</rdf:RDF></x:xmpmeta><?xpacket end="w"?>',
] as const
const LIST_END = '</rdf:RDF>'

const occurrences = (data: Buffer): number => {
  const count = (text: string): number => data.toString('latin1').split(text).length - 1
  return Math.max(count(NAMESPACE), count(' sx:signature="'))
}

/** The `VP8X` for a file in the simple form. */
function headerFor({ kind, data }: Chunk): Chunk | undefined {
  const made = (flags: number, width: number, height: number): Chunk => {
    const header = Buffer.alloc(10)
    header[0] = flags
    header.writeUIntLE(width - 1, 4, 3)
    header.writeUIntLE(height - 1, 7, 3)
    return chunkOf('VP8X', header)
  }
  if (kind === 'VP8 ') return made(4, data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff)
  if (kind !== 'VP8L') return undefined
  const bits = data.readUInt32LE(1)
  return made((bits >>> 28) & 1 ? 0x14 : 4, (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
}

const withFlags = ({ data }: Chunk, change: (flags: number) => number): Chunk =>
  chunkOf('VP8X', Buffer.from(data.map((byte, at) => (at === 0 ? change(byte) : byte))))

/** The chunks with a payload put in. */
function put(chunks: readonly Chunk[], payload: string): readonly Chunk[] | undefined {
  const [first] = chunks
  if (first === undefined) return undefined
  let added = 0
  const made = [...chunks]
  if (first.kind === 'VP8X') {
    if (!((first.data[0] ?? 0) & 4)) added |= 4
    made[0] = added === 0 ? first : withFlags(first, (flags) => flags | 4)
  } else {
    const header = headerFor(first)
    if (header === undefined) return undefined
    made.unshift(header)
    added |= 1
  }
  const at = made.findIndex(({ kind }) => kind === 'XMP ')
  if (at < 0) added |= 2
  const element = `${OPEN}${added}" sx:signature="${payload}"/>`
  const held = made[at]
  if (held === undefined) return [...made, chunkOf('XMP ', Buffer.from(`${PACKET[0]}${element}${PACKET[1]}`))]
  const place = held.data.lastIndexOf(LIST_END)
  made[at] = chunkOf('XMP ', bytesOf(held.data.subarray(0, place), element, held.data.subarray(place)))
  return made
}

/** The chunks before the payload of this element was put in. */
function undone(chunks: readonly Chunk[], added: number, element: Span): readonly Chunk[] {
  const kept = chunks.map((chunk) => (chunk.kind === 'XMP ' ? chunkOf('XMP ', without(chunk.data, [element])) : chunk))
  const [first] = kept
  const rest = added & 2 ? kept.slice(0, -1) : kept
  if (added & 1) return rest.slice(1)
  return added & 4 && first !== undefined ? [withFlags(first, (flags) => flags & ~4), ...rest.slice(1)] : rest
}

function webp(file: Buffer): Scan {
  const all: Chunk[] = []
  const declared = file.length >= 8 ? file.readUInt32LE(4) + 8 : 0
  let at = 12
  while (at < declared && at + 8 <= file.length) {
    const size = file.readUInt32LE(at + 4)
    const end = at + 8 + size + (size % 2)
    if (end > declared || end > file.length) break
    const kind = file.toString('latin1', at, at + 4)
    all.push({ kind, data: file.subarray(at + 8, at + 8 + size), raw: file.subarray(at, end) })
    at = end
  }
  const rest = file.subarray(at)
  const lastImage = all.findLastIndex(({ kind }) => ['VP8 ', 'VP8L', 'ANMF'].includes(kind))
  const store = lastImage < 0 ? undefined : all.find(({ kind }, n) => kind === 'C2PA' && n > lastImage)
  const chunks = all.filter((chunk) => chunk !== store)
  const [first] = chunks
  const isShort = first?.kind === 'VP8X' && first.data.length < 10
  const isComplete = at >= declared && lastImage >= 0 && !isShort
  const hasStore = store !== undefined
  const plain = store === undefined ? file : riffOf(chunks, rest)
  const answer = (state: Scan['state'], payload = '', content = plain): Scan => ({ state, payload, content, hasStore })
  const foreign = ['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP', 'EXIF', 'XMP ']
  const packets = chunks.filter(({ kind }) => kind === 'XMP ')
  const others = chunks.filter(({ kind }) => !foreign.includes(kind))
  const looked = [...packets.slice(0, 64), ...others.slice(0, 64)]
  const found = looked.reduce((sum, { data }) => sum + occurrences(data), 0)
  if (found === 0) return answer(!isComplete && occurrences(rest) > 0 ? 'damaged' : 'none')
  const [packet] = packets
  if (found > 1 || packets.length !== 1 || packet === undefined || !isComplete) return answer('damaged')
  const end = packet.data.lastIndexOf(LIST_END)
  const start = packet.data.indexOf(OPEN)
  const [, digit, payload] =
    /^([0-7])" sx:signature="([\w-]{1,65000})"\/>$/.exec(packet.data.toString('latin1', start + OPEN.length, end)) ?? []
  if (start < 0 || digit === undefined || payload === undefined) return answer('damaged')
  const before = undone(chunks, Number(digit), [start, end])
  const again = put(before, payload)
  const isWritten = again !== undefined && riffOf(again, rest).equals(plain)
  return isWritten ? answer('signed', payload, riffOf(before, rest)) : answer('damaged')
}

/** What a file is, by its first bytes. */
export function formatOf(file: Buffer): 'png' | 'jpeg' | 'webp' | undefined {
  if (file.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'png'
  if (file.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'jpeg'
  return file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP' ? 'webp' : undefined
}

export const scanners = { png, jpeg, webp }
