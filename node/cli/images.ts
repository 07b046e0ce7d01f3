/** `sx extract`, `sx strip`, `sx capacity` */
import type { Command } from 'commander'
import { extractMediaSignature, type ImageCapacity, SxError, stripImageSignature } from '../../src/simple.ts'
import { adviceAbout } from './advice.ts'
import { equalBytes } from './bytes.ts'
import { type Arguments, define, type Options, withSigner, writes } from './command.ts'
import { isImage } from './content.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { EXIT, type Failure, Stop } from './exit.ts'
import { checkTarget, hasFile, readBytes, type Target, writeTarget } from './files.ts'
import { LARGEST_IMAGE } from './limits.ts'
import type { Outcome, Report, Row } from './output.ts'
import { checkImageTarget, isSameFile } from './targets.ts'

interface StripOptions extends Options, Target {
  readonly damaged?: boolean
}

interface ExtractOptions extends Options, Target {
  readonly raw?: boolean
}

/** Adds the commands to the program. */
export function addImageCommands(program: Command): void {
  const image = (name: string): Command =>
    program.command(name).argument('[image]', 'PNG, JPEG or WebP; - or nothing for standard input')

  const extract = image('extract').summary('print the signature of an image, WITHOUT verifying it')
  extract.description(
    'Prints the signed document in the metadata of an image, or else in its pixels. Does not verify it: ' +
      'anyone can write such a document. To verify the image, use `sx verify`.',
  )
  writes(extract, 'the document').option('--raw', 'print it as stored in the image, in base64url')
  define<ExtractOptions>(extract, ['sx extract photo.jpg', 'sx extract photo.jpg --raw > photo.payload'], extracting)

  const strip = image('strip').summary('remove the signature from the metadata of an image')
  strip.description(
    'Removes any signature from the metadata of an image. The result is the file as it ' +
      'was before signing. A signature in the pixels remains.',
  )
  writes(strip, 'the image').option('--damaged', 'also remove the remains of a damaged signature')
  define<StripOptions>(
    strip,
    ['sx strip photo.signed.jpg -o photo.jpg', 'sx strip - < photo.signed.jpg > photo.jpg'],
    stripping,
  )

  const capacity = image('capacity').summary('check whether an image has room for `sx sign --robust`')
  capacity.description(
    'Prints whether the pixels of an image have room for a signature of this agent, how many bits it ' +
      'needs and how many are available. Exit status: 0 there is room, 4 there is not, or it cannot be ' +
      'determined.',
  )
  define<Options>(
    capacity,
    ['sx capacity photo.jpg', 'sx capacity photo.jpg && sx sign photo.jpg --robust -o photo.signed.jpg'],
    measuring,
    PASSWORD_VARIABLES,
  )
}

/**
 * Reads an image, or says what else is to be done.
 *
 * @param otherwise what to do with a file that is none, as a sentence
 */
async function readImage(file: string | undefined, options: Options, otherwise: string): Promise<Uint8Array> {
  const bytes = await readBytes(file, options, { limitOf: () => LARGEST_IMAGE, empty: 'Unsupported' })
  if (isImage(bytes)) return bytes
  throw new Stop(EXIT.unchecked, 'Unsupported', `The input is not a PNG, JPEG or WebP image. ${otherwise}`)
}

async function extracting(options: ExtractOptions, [file]: Arguments): Promise<Outcome> {
  checkTarget(options)
  const otherwise = 'For the signers of a text use `sx verify`, for the content of a document `sx inspect`.'
  const bytes = await readImage(file, options, otherwise)
  const { raw: rawPayload = false } = options
  const found = await extractMediaSignature(bytes, { rawPayload })
  const data = typeof found === 'string' ? found : `${JSON.stringify(found, null, 2)}\n`
  const json = { verified: false, [rawPayload ? 'payload' : 'document']: found }
  const title = ['doubtful', 'NOT VERIFIED: anyone can write this'] as const
  if (!hasFile(options)) return { json, data, note: { title, rows: [] } }
  await writeTarget(options.output, data, options)
  const note: Report = { title, rows: [['written to', options.output]] }
  return { json: { verified: false, output: options.output }, note }
}

async function stripping(options: StripOptions, [file]: Arguments): Promise<Outcome> {
  const isInPlace = isSameFile(file, options) && options.force === true
  if (!isInPlace) checkTarget(options)
  checkImageTarget(file, options)
  const otherwise = 'To write a text without its signatures, use `sx verify <text> -o <file>`.'
  const bytes = await readImage(file, options, otherwise)
  const { damaged: force = false } = options
  const data = await strippedOf(bytes, force)
  const stripped = !equalBytes(bytes, data)
  const title = stripped
    ? (['good', 'Removed the signature from the metadata'] as const)
    : (['doubtful', 'There is no signature in the metadata'] as const)
  if (!hasFile(options)) return { json: { stripped }, data, note: { title, rows: [] } }
  const { output } = options
  if (!isInPlace) await writeTarget(output, data, options)
  else if (stripped && file !== undefined) await stripImageSignature(file, output, { force })
  return { json: { stripped, output }, note: { title, rows: [['written to', output]] } }
}

async function strippedOf(bytes: Uint8Array, force: boolean): Promise<Uint8Array> {
  try {
    return await stripImageSignature(bytes, null, { force })
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'BadSignature')) throw error
    const message = `${error.found} Pass --damaged to remove the damaged signature.`
    throw new Stop(EXIT.invalid, error.code, message, { cause: error })
  }
}

async function measuring(options: Options, [file]: Arguments): Promise<Outcome> {
  const read = async (): Promise<Uint8Array> =>
    await readImage(file, options, 'Only the pixels of a PNG or JPEG can be signed.')
  return await withSigner(options, file, read, async (agent, bytes) => {
    const capacity = await agent.imageCapacity(bytes)
    const { supported, neededBits, availableBits } = capacity
    const rows: Row[] = [
      ['needed bits', String(neededBits)],
      ['available bits', String(availableBits)],
    ]
    const failure = failureOf(capacity)
    if (failure !== undefined) rows.push(['reason', failure.message])
    const title = supported
      ? (['good', 'There is room for a signature in the pixels'] as const)
      : (['bad', 'NO ROOM for a signature in the pixels'] as const)
    return { json: { ...capacity }, result: { title, rows }, ...(failure && { failure }) }
  })
}

function failureOf({ reason }: ImageCapacity): Failure | undefined {
  if (reason === undefined) return undefined
  return { exit: EXIT.unchecked, code: 'Unsupported', message: `${reason} ${adviceAbout('Unsupported', reason)}` }
}
