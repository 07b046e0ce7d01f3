/** Reading documents from files and pipes, and writing what a command makes to a file. */
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, createReadStream, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stdin } from 'node:process'
import { SxError, type SxErrorCode } from '../../src/simple.ts'
// oxlint-disable-next-line no-restricted-imports -- no public entry reads or replaces a file that a user names
import { readFileSafely, removeFile, writeFileAtomically } from '../storage/file.ts'
import { EXIT, Stop, usage } from './exit.ts'
import { LARGEST_TEXT } from './limits.ts'
import { type Data, type OutputOptions, remark } from './output.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether a command may ask. */
export interface PromptOptions {
  /** False after `--no-input`. */
  readonly input: boolean
}

/** The options that decide how a document is read. */
type InputOptions = OutputOptions & PromptOptions

/** The file name that means standard input or standard output. */
const STREAM = '-'

/** Whether a file name means standard input. */
export function isInput(file: string | undefined): file is '-' | undefined {
  return file === undefined || file === STREAM
}

/** Whether a file name means standard input or a pipe, which are read once and have no name. */
export function isStream(file: string): boolean {
  return isInput(file) || kindOf(file) === 'pipe'
}

/** Whether a command writes what it makes to a file. */
export function hasFile<T extends Target>(target: T): target is T & { readonly output: string } {
  return target.output !== undefined && target.output !== STREAM
}

/** Whether a command was told to write what it makes to standard output. */
export function isOutput({ output }: Target): boolean {
  return output === STREAM
}

/**
 * The text of a document: from a file, or from standard input for `-` and for no name.
 *
 * @throws SxError `NotFound`, `StorageUnavailable`, `LimitExceeded`, `NotJson` for what is not UTF-8
 * @throws Stop for a folder; for an empty input: whatever should have filled it failed, and there is no document to judge
 */
export async function readDocument(file: string | undefined, options: InputOptions): Promise<string> {
  return decodeJson(await readBytes(file, options, { limitOf: () => LARGEST_TEXT, empty: 'NotJson' }))
}

/**
 * The text that bytes are, where that is to be JSON.
 *
 * @throws SxError `NotJson` for what is not UTF-8
 */
export function decodeJson(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new SxError('NotJson', 'The input is not UTF-8 text.', { cause })
  }
}

/** What is asked of an input. */
export interface Wanted {
  /** The most bytes that it may have, by the first ones. */
  readonly limitOf: (head: Uint8Array) => number
  /** The code of an empty input; `undefined` where it may be empty. */
  readonly empty: SxErrorCode | undefined
}

/** So many bytes decide how long an input may be. */
const HEAD = 16

/**
 * The bytes of a file, or of standard input for `-` and for no name.
 *
 * @throws SxError `NotFound`, `StorageUnavailable`, `LimitExceeded`
 * @throws Stop for a folder, and for an empty input that may not be, as {@link readDocument}
 */
export async function readBytes(
  file: string | undefined,
  options: InputOptions,
  { limitOf, empty }: Wanted,
): Promise<Uint8Array> {
  const kind = isInput(file) ? undefined : kindOf(file)
  if (kind === 'folder' || kind === 'device') {
    throw new Stop(EXIT.unchecked, 'NotFound', `${file} is a ${kind}. Pass a file.`)
  }
  const bytes = isInput(file) ? await readInput(limitOf, options) : await readLimited(file, limitOf)
  if (bytes === undefined) throw new SxError('NotFound', `There is no file at ${file}.`)
  if (bytes.length === 0 && empty !== undefined) {
    const what = isInput(file) ? 'Standard input' : `The file ${file}`
    throw new Stop(EXIT.unchecked, empty, `${what} is empty. Check the program that should have written it.`)
  }
  return bytes
}

async function readInput(limitOf: Wanted['limitOf'], options: InputOptions): Promise<Uint8Array> {
  if (stdin.isTTY) {
    if (!options.input) throw usage('There is no input. With --no-input, pass a file.')
    remark('Reading from the terminal. End with Ctrl-D.', options)
  }
  return await readStream(stdin, 'Standard input', limitOf)
}

async function readLimited(file: string, limitOf: Wanted['limitOf']): Promise<Uint8Array | undefined> {
  if (kindOf(file) !== 'file') return await readNamed(file, limitOf)
  return await readFileSafely(file, { maxBytes: limitOf(headOf(file)) })
}

/** The first bytes of a file; none of one that cannot be read, which reading it says. */
function headOf(file: string): Uint8Array {
  try {
    const handle = openSync(file, 'r')
    try {
      const head = new Uint8Array(HEAD)
      return head.subarray(0, readSync(handle, head))
    } finally {
      closeSync(handle)
    }
  } catch {
    return new Uint8Array()
  }
}

/** A file, or a pipe, which is what the shell makes of `<(…)`. */
export async function readNamed(file: string, limit: number | Wanted['limitOf']): Promise<Uint8Array | undefined> {
  const limitOf = typeof limit === 'number' ? () => limit : limit
  if (kindOf(file) !== 'pipe') return await readFileSafely(file, { maxBytes: limitOf(new Uint8Array()) })
  return await readStream(createReadStream(file), file, limitOf)
}

/** What stands at a path, with links followed; `undefined` if nothing does, or that cannot be told: using it says why. */
export function kindOf(path: string): 'file' | 'folder' | 'pipe' | 'device' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (found.isFile()) return 'file'
    if (found.isDirectory()) return 'folder'
    return found.isFIFO() ? 'pipe' : 'device'
  } catch {
    return undefined
  }
}

/** Whether there is a folder. */
export function isFolder(path: string): boolean {
  return kindOf(path) === 'folder'
}

async function readStream(
  stream: AsyncIterable<Buffer>,
  name: string,
  limitOf: Wanted['limitOf'],
): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  let maxBytes = Number.POSITIVE_INFINITY
  try {
    for await (const chunk of stream) {
      const isHead = length < HEAD
      length += chunk.length
      if (isHead) maxBytes = limitOf(Buffer.concat([...chunks, chunk]))
      if (length > maxBytes) throw new SxError('LimitExceeded', `The input is larger than ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof SxError) throw cause
    throw new SxError('StorageUnavailable', `${name} cannot be read.`, { cause })
  }
  return Buffer.concat(chunks, length)
}

/** Where a command writes what it makes. */
export interface Target {
  readonly output?: string
  readonly force?: boolean
}

/** Refuses, before any work is done, a file that is there, and two things on standard output. */
export function checkTarget(options: Target & OutputOptions): void {
  const { output, force = false, json = false } = options
  if (output === '') throw usage('The option --output requires a file, or - for standard output.')
  if (isOutput(options) && json) {
    throw usage('With --json, standard output is one JSON value, which contains the result. Omit --output -.')
  }
  if (!hasFile(options)) return
  const kind = kindOf(options.output)
  if (kind === 'folder') throw usage(`--output requires a file, but ${options.output} is a folder. Pass a file in it.`)
  if (kind === 'device' || kind === 'pipe') {
    // A file would take its place.
    throw usage(
      `--output requires a file, but ${options.output} is a ${kind}. To write to standard output, pass --output -.`,
    )
  }
  if (!force && isThere(options.output)) throw occupied(options.output)
  if (!isThere(dirname(options.output))) throw usage(`There is no folder for the file ${options.output}.`)
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new SxError('StorageUnavailable', `The path ${path} cannot be used.`, { cause })
  }
}

function occupied(path: string): Stop {
  return new Stop(EXIT.usage, 'AlreadyExists', `The file ${path} already exists. Pass --force to overwrite it.`)
}

/**
 * Throws if a file cannot be written: a link, a file or a folder without permission. Nothing there is changed.
 *
 * @throws SxError `LinkRefused`, storage codes; an error of `node:fs`
 */
export async function tryTarget(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new SxError('LinkRefused')
  if (found !== undefined) accessSync(path, constants.W_OK)
  const trial = join(dirname(path), `.sx-${randomUUID()}`)
  await writeFileAtomically(trial, new Uint8Array(), { ifAbsent: true })
  await removeFile(trial)
}

/**
 * Writes a file whole or not at all.
 *
 * @param mode who may read and write it; the umask takes from that
 */
export async function writeTarget(
  path: string,
  data: Data,
  { force = false }: Target,
  mode: number = 0o666,
): Promise<void> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  const isWritten = await writeFileAtomically(path, bytes, { mode, ifAbsent: !force, writable: true })
  if (!isWritten) throw occupied(path)
}

/** A name as names are compared: macOS can write the same one with other code points. */
export const composed = (name: string): string => name.normalize('NFC')
