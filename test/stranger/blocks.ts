// Where the blocks of a text are and what they say: docs/protocol.md, section 20. Written from that page. Bytes stand as
// texts of latin1 here, one character each.
import { isId, type Members, type Value } from './documents.ts'

const BEGIN = '-----BEGIN SX SIGNATURE-----'
const END = '-----END SX SIGNATURE-----'

/** A line, or a whole text, without the blanks at its end. */
export const trimmed = (line: string): string => line.replace(/[ \t\r\n]+$/, '')
/** A text without the blanks at the end of each line. */
const tidied = (text: string): string => text.split('\n').map(trimmed).join('\n')

class Reader {
  readonly #lines: readonly string[]
  #at = 0
  #count = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  get isDone(): boolean {
    return this.#at === this.#lines.length
  }

  /** The members at this depth; nothing if they are not as they have to be. */
  members(indent: '' | '  '): Members | undefined {
    const found: [string, Value][] = []
    while (!this.isDone) {
      const line = this.#lines[this.#at] ?? ''
      const parts = /^( *)([A-Za-z0-9$]+):(?: (.+))?$/.exec(line)
      if (parts === null || parts[1] !== indent) {
        if (indent !== '' && !line.startsWith(indent)) break
        return undefined
      }
      const [, , name = '', rest] = parts
      const before = found.at(-1)?.[0]
      if (++this.#count > 64 || (before !== undefined && before >= name)) return undefined
      this.#at++
      const value =
        rest === undefined ? this.#object(indent) : rest.startsWith('"') ? this.#text(rest, indent) : whole(rest)
      if (value === undefined) return undefined
      found.push([name, value])
    }
    return found.length === 0 ? undefined : Object.fromEntries(found)
  }

  #object(indent: '' | '  '): Members | undefined {
    return indent === '' ? this.members('  ') : undefined
  }

  #text(first: string, indent: string): string | undefined {
    let text = ''
    for (let part = first.slice(1); ; ) {
      const [, piece = '', end] = /^([ !#-[\]-~]{0,64})(["\\])$/.exec(part) ?? []
      text += piece
      if (end === '"') return text
      const next = this.#lines[this.#at++]
      if (end === undefined || piece.length !== 64 || !next?.startsWith(`${indent}  `)) return undefined
      part = next.slice(indent.length + 2)
      if (part === '"') return undefined
    }
  }
}

function whole(digits: string): number | undefined {
  if (!/^(0|[1-9]\d{0,19})$/.test(digits) || BigInt(digits) >= 2n ** 64n) return undefined
  return String(Number(digits)) === digits ? Number(digits) : undefined
}

/** The document of a block; nothing if it is not written as blocks are. */
export function read(block: string): Members | undefined {
  const lines = block.split('\n')
  if (lines[0] !== BEGIN || lines.at(-1) !== END) return undefined
  const reader = new Reader(lines.slice(1, -1))
  const document = reader.members('')
  return reader.isDone ? document : undefined
}

/** A block, from its BEGIN marker to the end of the line with its END marker. */
export interface Block {
  readonly bytes: string
  /** What it says if blanks at the ends of lines are taken away. */
  readonly document: Members | undefined
  /** Whom it names, or nothing. */
  readonly signerId: string
}

export interface Walk {
  readonly hasMarkers: boolean
  /** The text before the first block. */
  readonly before: string
  /** Up to the first line that is out of order. */
  readonly blocks: readonly Block[]
  /** Whether no line is out of order. */
  readonly isOrdered: boolean
  /** Whom the block at the end names that has no end; undefined if there is none. */
  readonly cut: string | undefined
}

function blockOf(bytes: string): Block {
  const document = read(tidied(bytes))
  const signature = document?.['sxSignature']
  const agentId = typeof signature === 'object' ? signature['agentID'] : undefined
  return { bytes, document, signerId: isId(agentId) ? agentId : '' }
}

function nameOfCut(bytes: string): string {
  const head = '  agentID: "'
  const line = bytes
    .slice(0, 2048)
    .split('\n')
    .find((one) => one.startsWith(head))
  const [, agentId] = /^([^"]*)"[ \t\r]*$/.exec(line?.slice(head.length) ?? '') ?? []
  return isId(agentId) ? agentId : ''
}

export function walk(file: string): Walk {
  const blocks: Block[] = []
  let [at, begin, first] = [0, -1, -1]
  let isOrdered = true
  let hasMarkers = false
  for (const line of file.split('\n')) {
    const end = at + line.length
    const kind = trimmed(line)
    if (kind === BEGIN || kind === END) hasMarkers = true
    if (kind === BEGIN && first < 0) first = at
    if (isOrdered) {
      const isInside = begin >= 0
      if (kind === BEGIN && !isInside) begin = at
      else if (kind === END && isInside) {
        blocks.push(blockOf(file.slice(begin, end)))
        begin = -1
      } else if (kind === BEGIN || kind === END) isOrdered = false
      else if (!isInside && first >= 0 && kind !== '') isOrdered = false
    }
    at = end + 1
  }
  const isCut = isOrdered && begin >= 0
  return {
    hasMarkers,
    before: first < 0 ? file : file.slice(0, first),
    blocks,
    isOrdered: isOrdered && !isCut,
    cut: isCut ? nameOfCut(file.slice(begin)) : undefined,
  }
}
