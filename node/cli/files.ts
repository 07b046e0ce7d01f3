/** Reading documents from files and pipes, and writing what a command makes to a file. */
import { lstatSync } from 'node:fs'
import { stdin } from 'node:process'
import { encode } from '../../src/bytes.ts'
import { SxError } from '../../src/errors.ts'
import { defaultLimits } from '../../src/limits.ts'
import { readFileSafely, writeFileAtomically } from '../storage/file.ts'
import { EXIT, Stop, usage } from './exit.ts'
import { type OutputOptions, remark } from './output.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Largest password file, in bytes. */
const PASSWORD_LIMIT = 4096

/** Whether a file name means standard input. */
export function isInput(file: string | undefined): file is '-' | undefined {
  return file === undefined || file === '-'
}

/**
 * The text of a document: from a file, or from standard input for `-` and for no name.
 *
 * @throws SxError `NotFound`, `StorageUnavailable`, `LimitExceeded`, `NotJson` for what is not UTF-8
 */
export async function readDocument(file: string | undefined, options: OutputOptions): Promise<string> {
  const maxBytes = defaultLimits().bytes
  const bytes = isInput(file) ? await readInput(maxBytes, options) : await readFileSafely(file, { maxBytes })
  if (bytes === undefined) throw new SxError('NotFound', `There is no file at ${file}.`)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new SxError('NotJson', 'The input is not UTF-8 text.', { cause })
  }
}

async function readInput(maxBytes: number, options: OutputOptions): Promise<Uint8Array> {
  if (stdin.isTTY) remark('Reading from the terminal; end with Ctrl-D.', options)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) throw new SxError('LimitExceeded', `The input is larger than ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof SxError) throw cause
    throw new SxError('StorageUnavailable', 'Standard input cannot be read.', { cause })
  }
  if (length === 0) throw new SxError('NotFound', 'Standard input is empty.')
  return Buffer.concat(chunks, length)
}

/**
 * A password from a file, without the one line end that an editor adds.
 *
 * @param source how the file was named: a variable or an option
 */
export async function readPasswordFile(file: string, source: string): Promise<string> {
  const bytes = await readFileSafely(file, { maxBytes: PASSWORD_LIMIT })
  if (bytes === undefined) throw new Stop(EXIT.usage, 'NotFound', `There is no file at ${file}, which ${source} names.`)
  try {
    return decoder.decode(bytes).replace(/\r?\n$/, '')
  } catch (cause) {
    throw new Stop(EXIT.usage, 'InvalidOption', `The file that ${source} names is not UTF-8 text.`, { cause })
  }
}

/** Where a command writes what it makes. */
export interface Target {
  readonly output?: string
  readonly force?: boolean
}

/** Refuses, before any work is done, a file that is there. */
export function checkTarget({ output, force = false }: Target): void {
  if (output === undefined) return
  if (output === '-' || output === '') {
    throw usage('The option --output takes a file; without it the output goes to standard output.')
  }
  if (!force && isThere(output)) throw occupied(output)
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new SxError('StorageUnavailable', `There can be no file at ${path}.`, { cause })
  }
}

function occupied(path: string): Stop {
  return new Stop(EXIT.usage, 'AlreadyExists', `There is a file at ${path} already. Pass --force to overwrite it.`)
}

/** Writes a file whole or not at all. */
export async function writeTarget(path: string, text: string, { force = false }: Target): Promise<void> {
  const isWritten = await writeFileAtomically(path, encode(text), { mode: 0o666, ifAbsent: !force })
  if (!isWritten) throw occupied(path)
}
