/**
 * What an input is, JSON, a text or an image, told by its bytes and never by its name.
 *
 * 1. What begins as a PNG, JPEG or WebP is an image.
 * 2. A text that carries a signature of ours is a text, whatever it begins with.
 * 3. What begins, after blanks, with `{`, `[` or `"` is JSON, and so is what is a number, `true`, `false` or `null` as
 *    a whole, or nothing but blanks.
 * 4. All else is a text.
 *
 * So JSON with a mistake in it is never signed as a text. `--as` says otherwise where that is meant.
 *
 * @module
 */
import { type Command, Option } from 'commander'
import { SxError, type SxErrorCode, type VerifyTextResult, verifyText } from '../../src/simple.ts'
import { foundIn } from './advice.ts'
import type { Options } from './command.ts'
import { readBytes } from './files.ts'
import { LARGEST_IMAGE, LARGEST_TEXT } from './limits.ts'

const KINDS = ['json', 'text', 'image'] as const

/** What an input is. */
export type Kind = (typeof KINDS)[number]

/** How people call it. */
export const NAMES: Readonly<Record<Kind, string>> = { json: 'JSON', text: 'a text', image: 'an image' }

/** The option that says what an input is. */
export interface KindOptions {
  readonly as?: Kind
}

/** An input, whole. */
export interface Source {
  readonly kind: Kind
  readonly bytes: Uint8Array
}

/** Adds the option that says what an input is. */
export function takesAnyKind(command: Command): Command {
  return command.addOption(
    new Option('--as <kind>', 'type of the input (default: detected from its content)').choices(KINDS),
  )
}

/** The first bytes of images; those of a WebP say in between how long it is. */
const PNG = '\u0089PNG'
const JPEG = '\u00ff\u00d8\u00ff'
const WEBP = /^RIFF[^]{4}WEBP/

/** Whether bytes begin as an image of a format that can be signed. */
export function isImage(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 12))
  return head.startsWith(PNG) || head.startsWith(JPEG) || WEBP.test(head)
}

const JSON_START = /^\ufeff?[ \t\r\n]*(?:[{["]|(?:(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)[ \t\r\n]*)?$)/

/** What is said of a text to somebody who has no keys. */
const readText = (bytes: Uint8Array): Promise<VerifyTextResult> => verifyText(bytes, { keys: {} })

async function isSignedText(bytes: Uint8Array): Promise<boolean> {
  // Five dashes begin a marker, and no line of JSON, in whose strings there are no line ends.
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('\n-----')) return false
  const { status, code } = await readText(bytes)
  return code !== 'NotText' && status !== 'missing_signature'
}

/** What bytes are; see the head of this file. */
export async function kindIn(bytes: Uint8Array): Promise<Kind> {
  if (isImage(bytes)) return 'image'
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return JSON_START.test(text) && !(await isSignedText(bytes)) ? 'json' : 'text'
}

/** The code of an input without any bytes that is said to be of a kind; none for what it may be. */
const EMPTY: Readonly<Record<Kind, SxErrorCode | undefined>> = {
  json: 'NotJson',
  text: undefined,
  image: 'Unsupported',
}

/**
 * Reads an input: a file, or standard input for `-` and for no name.
 *
 * @param empty the code of one without any bytes, unless `--as` says what it is: a text may have none
 */
export async function readSource(
  file: string | undefined,
  options: Options & KindOptions,
  empty: SxErrorCode = 'NotJson',
): Promise<Source> {
  const { as } = options
  const isLarge = as === undefined ? isImage : () => as === 'image'
  const limitOf = (head: Uint8Array): number => (isLarge(head) ? LARGEST_IMAGE : LARGEST_TEXT)
  const bytes = await readBytes(file, options, { limitOf, empty: as === undefined ? empty : EMPTY[as] })
  return { kind: as ?? (await kindIn(bytes)), bytes }
}

/** What can be done with an input that is none that can be signed, or too large. */
export function asFile(error: unknown): unknown {
  if (!(error instanceof SxError && (error.code === 'NotText' || error.code === 'LimitExceeded'))) return error
  const found = `${error.found} To sign a file of any kind and size, pass --file.`
  return new SxError(error.code, found, { cause: error })
}

/**
 * Refuses what cannot be signed as a text, whoever signs it.
 *
 * @throws SxError `NotText`
 */
export async function checkText(bytes: Uint8Array): Promise<void> {
  const { code, errors } = await readText(bytes)
  if (code === 'NotText') throw new SxError(code, foundIn(code, errors.join(' ')))
}

/** What can be done where an input was taken for JSON and is none. */
export function asText(error: unknown, { as }: KindOptions): unknown {
  if (!(error instanceof SxError && error.code === 'NotJson' && as === undefined)) return error
  const found = `${error.found} The input begins like JSON. To sign it as a text, pass --as text.`
  return new SxError(error.code, found, { cause: error })
}
