/**
 * The file of a backup (protocol, section "Backups"): what it looks like, and what of it is believed before its manifest
 * is verified. It has one entry a line, so that what is damaged can be named.
 *
 * @module
 */
import * as core from '#core'
import { decode, encode, joined } from './bytes.ts'
import { call, LONGEST_TEXT } from './core.ts'
import { SxError } from './errors.ts'
import { documentChain, names, publicKeyFile, readEntryName, trustChain } from './names.ts'
import { agreementIn } from './state/agreements.ts'
import { isSchemaName, SCHEMAS } from './state/kept-schemas.ts'

/** No backup is larger, in bytes. */
export const LARGEST_BACKUP: number = 1 << 30

/** The entries that are there once in every backup, in their places. */
export const CONFIG = 'config'
export const PRIVATE_KEY = 'private.pem'

/** Begins the names of public keys of other agents. */
export const KEYS = 'keys'

/** A stored thing as a backup has it. */
export interface BackupEntry {
  readonly name: string
  readonly text: string
}

/** What the manifest says of the entries. */
interface Contents {
  readonly entries: number
  /** SHA-256, hexadecimal. */
  readonly sha256: string
}

/** A backup whose lines are whole. Whether its manifest is signed is not looked at yet. */
export interface Backup {
  readonly manifest: string
  readonly entries: ReadonlyMap<string, string>
  readonly contents: Contents
}

const HEAD = ['{"sxBackup":1,"manifest":', ',"entries":['] as const
const TAIL = ']}\n'

/** What is wrong with a backup. */
export function damaged(what: string, cause?: unknown): SxError {
  return new SxError('CorruptStore', `The backup is damaged: ${what}.`, { cause })
}

function tooLarge(): SxError {
  return new SxError('LimitExceeded', `The backup has more than ${LARGEST_BACKUP} bytes, or too many entries.`)
}

const hash = (text: string): string => call(() => core.hashString(text))

/** The lines of a backup as they come, and what its manifest has to say of them. */
export class BackupWriter {
  readonly #lines: Uint8Array[] = []
  readonly #sums: string[] = []
  #size = 0

  /** @throws SxError `LimitExceeded` */
  add({ name, text }: BackupEntry): void {
    if (text.length > LONGEST_TEXT) throw tooLarge()
    const sum = sumOf(name, text)
    this.#sums.push(sum)
    this.#push(`${this.#lines.length > 0 ? ',' : ''}${JSON.stringify([name, sum, text])}\n`)
  }

  #push(line: string): void {
    const bytes = encode(line)
    this.#size += bytes.length
    if (this.#size > LARGEST_BACKUP) throw tooLarge()
    this.#lines.push(bytes)
  }

  get contents(): Contents {
    return contentsOf(this.#sums)
  }

  /** @param manifest the signed document that says {@link contents} */
  finish(manifest: string): Uint8Array<ArrayBuffer> {
    const parts = [encode(`${HEAD[0]}${manifest}${HEAD[1]}\n`), ...this.#lines, encode(TAIL)]
    const size = parts.reduce((sum, { length }) => sum + length, 0)
    if (size > LARGEST_BACKUP) throw tooLarge()
    return joined(parts, size)
  }
}

/** Of the name too, so that a damaged one is found where it stands. */
function sumOf(name: string, text: string): string {
  return hash(`${name}\n${text}`)
}

function contentsOf(sums: readonly string[]): Contents {
  return { entries: sums.length, sha256: hash(sums.map((sum) => `${sum}\n`).join('')) }
}

/** Whether bytes begin like a backup. */
export function isBackup(bytes: Uint8Array): boolean {
  const [before] = HEAD
  return new TextDecoder().decode(bytes.subarray(0, before.length)) === before
}

/**
 * Reads a backup line by line. Every text of its own form is refused, so two readers never see different entries.
 *
 * @throws SxError `CorruptStore`, naming the entry; `LimitExceeded`
 */
export function readBackup(bytes: Uint8Array): Backup {
  if (bytes.length > LARGEST_BACKUP) throw tooLarge()
  if (!isBackup(bytes)) throw new SxError('CorruptStore', 'The input is not a backup.')
  const lines = linesOf(bytes)
  const { value: head } = lines.next()
  const [before, after] = HEAD
  if (!head?.endsWith(after)) throw damaged('it ends within its manifest')
  const entries = new Map<string, string>()
  const sums: string[] = []
  let last = ''
  for (const line of lines) {
    if (line === TAIL.trimEnd()) {
      if (lines.next().done !== true) throw damaged('there is data after its end')
      return { manifest: head.slice(before.length, -after.length), entries, contents: contentsOf(sums) }
    }
    const [name, sum, text] = readLine(line, entries.size)
    if (sumOf(name, text) !== sum) throw damaged(`entry ${entries.size + 1}, ${name}, does not match its hash`)
    if (!follows(name, last)) throw damaged(`${name} does not follow ${last === '' ? 'the manifest' : last}`)
    last = name
    sums.push(sum)
    entries.set(name, text)
  }
  const end = last === '' ? 'before its first entry' : `after entry ${entries.size}, ${last}`
  throw damaged(`it ends ${end}`)
}

function readLine(line: string, before: number): [name: string, sum: string, text: string] {
  const label = `entry ${before + 1}`
  const body = before > 0 && line.startsWith(',') ? line.slice(1) : line
  let read: unknown
  try {
    read = JSON.parse(body)
  } catch (cause) {
    const [, begun] = /^,?\["([\w./-]{1,200})"/.exec(line) ?? []
    throw damaged(begun === undefined ? `${label} cannot be read` : `${label}, ${begun}, cannot be read`, cause)
  }
  const isEntry = Array.isArray(read) && read.length === 3 && read.every((part) => typeof part === 'string')
  if (!isEntry || JSON.stringify(read) !== body || line.startsWith(',') !== before > 0) {
    throw damaged(`${label} is malformed`)
  }
  const [name, sum, text] = read as [string, string, string]
  if (!isName(name)) throw damaged(`${label} has a name that is not allowed in a backup`)
  return [name, sum, text]
}

const LINE_FEED = 10

/** The lines, without their ends; what follows the last end is none. */
function* linesOf(bytes: Uint8Array): Generator<string, undefined> {
  for (let from = 0, count = 0; ; count++) {
    const end = bytes.indexOf(LINE_FEED, from)
    if (end < 0) {
      // A line that is cut off is handed on, so that whoever reads it can name it.
      if (from < bytes.length) yield cutOff(bytes.subarray(from))
      return undefined
    }
    if (end - from > LONGEST_TEXT) throw tooLarge()
    yield decode(bytes.subarray(from, end), count === 0 ? 'The manifest of the backup' : `Entry ${count} of the backup`)
    from = end + 1
  }
}

/** So much of a line that was cut off is enough to name it. */
const GLIMPSE = 1024

function cutOff(bytes: Uint8Array): string {
  return `${new TextDecoder().decode(bytes.subarray(0, GLIMPSE))}…`
}

/** An entry of a chain in the data directory. */
export interface ChainEntry {
  readonly isTrust: boolean
  readonly id: string
  /** From 1. */
  readonly number: number
}

/** Which entry of a chain has this name, if one has. */
export function chainEntry(name: string): ChainEntry | undefined {
  const [folder = '', ...below] = name.split('/')
  const read = readEntryName(below.at(-1))
  if (read === undefined || ![names().documents, names().trust].includes(folder)) return undefined
  const entry = { isTrust: folder === names().trust, ...read }
  return nameOf(entry) === name ? entry : undefined
}

/** What an entry of a chain is called: its key in the data directory. */
export function nameOf({ isTrust, id, number }: ChainEntry): string {
  return (isTrust ? trustChain(id) : documentChain(id)).entry(number).join('/')
}

/** The agent whose public key an entry is, if it is one. */
export function keyOwner(name: string): string | undefined {
  const [folder, file, ...more] = name.split('/')
  return folder === KEYS && file !== undefined && more.length === 0 ? ownerOf(file) : undefined
}

const SUFFIX = '.public.pem'

/** The agent whose public key file this is. */
export function ownerOf(file: string): string | undefined {
  const id = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : undefined
  return id !== undefined && isId(id) && publicKeyFile(id)[0] === file ? id : undefined
}

/** Whether an entry belongs to an agreement. */
export const isAgreementName = (name: string): boolean => agreementIn(name) !== undefined

/** Whether a text is the id of a document or an agent. */
export function isId(text: string): boolean {
  try {
    return call(() => core.documentKey(text)) !== undefined && !text.includes(':')
  } catch (error) {
    if (error instanceof SxError && error.code === 'InvalidId') return false
    throw error
  }
}

/** Only these names are in a backup: none of them leads anywhere but to where the library keeps such a thing. */
function isName(name: string): boolean {
  if (name === CONFIG || name === PRIVATE_KEY) return true
  return chainEntry(name) !== undefined || keyOwner(name) !== undefined || isSchemaName(name) || isAgreementName(name)
}

/** Whether an entry stands where it has to, right after another one. */
function follows(name: string, last: string): boolean {
  const [entry, before] = [chainEntry(name), chainEntry(last)]
  const isSameChain = before?.id === entry?.id && before?.isTrust === entry?.isTrust
  if (entry !== undefined && before !== undefined && isSameChain) return entry.number === before.number + 1
  if (entry !== undefined && entry.number !== 1) return false
  return compareBackupNames(name, last) > 0
}

/** The order of entries that are not of one chain. */
export function compareBackupNames(one: string, other: string): number {
  const difference = rank(one) - rank(other)
  return difference === 0 ? Number(one > other) - Number(one < other) : difference
}

function rank(name: string): number {
  const [first = ''] = name.split('/')
  return ['', CONFIG, PRIVATE_KEY, KEYS, names().documents, names().trust, SCHEMAS, names().agreements].indexOf(first)
}
