/** Agreements as arguments: an id, or a file with a copy; and where the copy goes that a command makes. */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { type AgreementTerms, SxError } from '../../src/simple.ts'
import { LARGE_AGREEMENT } from './advice.ts'
import { type Options, writes } from './command.ts'
import { EXIT, failureOf, Stop, usage } from './exit.ts'
import { checkTarget, hasFile, isOutput, readDocument, type Target, tryTarget, writeTarget } from './files.ts'
import { isId } from './identifiers.ts'
import type { Outcome, Report } from './output.ts'

/** The argument that names an agreement. */
export const AGREEMENT = [
  '<agreement>',
  'id of a stored agreement, or a file with a copy of it; - for standard input',
] as const

/** The options of a command that writes a copy, as they are typed. */
export interface CopyOptions extends Target {
  readonly out?: string
}

/** The options of a command that writes a copy of an agreement. */
export function writesCopy(command: Command, what = 'the agreement with all its events'): Command {
  return writes(command, what).option('--out <file>', 'same as --output')
}

/** The options with one name for each. */
export function withOutput<O extends CopyOptions>(options: O): O {
  const { out, output } = options
  if (out === undefined) return options
  if (output !== undefined) throw usage('--output and --out are the same option. Pass only one.')
  return { ...options, output: out }
}

/** The text of a file that is to hold terms or a copy. One that is too large cannot be split. */
export async function readPart(file: string | undefined, options: Options): Promise<string> {
  return await readDocument(file, options).catch((error: unknown) => {
    if (!(error instanceof SxError && error.code === 'LimitExceeded')) throw error
    throw new SxError(error.code, error.found, { advice: LARGE_AGREEMENT, cause: error })
  })
}

/**
 * What an argument names, as the library takes it: the id, or the text of the copy.
 *
 * @throws SxError as `readDocument`; `InvalidAgreement` for a file that holds no JSON object
 */
export async function readAgreement(named: string | undefined, options: Options): Promise<string> {
  if (named !== undefined && isId(named)) return named
  const text = await readPart(named, options).catch((error: unknown) => {
    if (!(error instanceof SxError && error.code === 'NotFound')) throw error
    const how = 'Pass the id of a stored agreement, or a file with a copy of it.'
    throw new Stop(EXIT.unchecked, error.code, `There is no file at ${named}. ${how}`, { cause: error })
  })
  if (!text.includes('{')) throw new SxError('InvalidAgreement') // the library would take it for an id
  return text
}

/** A copy with all events that are known, and its terms. */
export interface Whole {
  readonly raw: string
  readonly terms: AgreementTerms & { readonly sxId: string }
}

/** An agreement, with the events that are stored of it. */
export async function wholeOf(agent: SxAgent, agreement: string): Promise<Whole> {
  if (isId(agreement)) return readTerms(await agent.getAgreement(agreement))
  const copy = readTerms(await agent.mergeAgreements([agreement]))
  const stored = await agent.getAgreement(copy.terms.sxId).catch((error: unknown) => {
    if (error instanceof SxError && error.code === 'NotFound') return undefined
    throw error
  })
  if (stored === undefined) return copy
  try {
    return readTerms(await agent.mergeAgreements([copy.raw, stored]))
  } catch (error) {
    await agent.verifyAgreement(copy.raw) // says which of the two is stored
    throw error
  }
}

const readTerms = (raw: string): Whole => ({ raw, terms: (JSON.parse(raw) as Pick<Whole, 'terms'>).terms })

/**
 * Refuses, before something is stored, a file that cannot be written: the copy would be missing, and a second attempt
 * refused.
 *
 * @throws Stop
 */
export async function checkCopyTarget(options: Options & Target): Promise<void> {
  checkTarget(options)
  if (!hasFile(options)) return
  const { output } = options
  try {
    await tryTarget(output)
  } catch (cause) {
    const code = cause instanceof SxError ? cause.code : 'StorageUnavailable'
    const message = `The file ${output} cannot be written. Nothing was done. Pass another file.`
    throw new Stop(EXIT.unchecked, code, message, { cause })
  }
}

/**
 * Hands out what is stored already. If the copy cannot be written, the error says how to get it.
 *
 * @param done what is stored, as a sentence
 */
export async function handOutStored(
  done: string,
  id: string,
  ...[raw, json, report, options]: Parameters<typeof handOut>
): ReturnType<typeof handOut> {
  try {
    return await handOut(raw, json, report, options)
  } catch (error) {
    if (!(error instanceof SxError || error instanceof Stop)) throw error
    const { exit, message } = failureOf(error)
    const how = `Do not do it again: write the copy with \`sx agreement show ${id} -o <file>\`.`
    throw new Stop(exit, error.code, `${message} ${done} ${how}`, { cause: error })
  }
}

/** What a command says of a copy, and the copy where it is to go: to a file, to standard output, or into the JSON. */
export async function handOut(
  raw: string,
  json: Readonly<Record<string, unknown>>,
  report: Report,
  options: Options & Target,
): Promise<Outcome & { readonly result: Report }> {
  if (!hasFile(options)) {
    const data = isOutput(options) && { data: raw, isAside: true }
    return { json: { ...json, raw }, result: report, ...data }
  }
  const { output } = options
  await writeTarget(output, raw, options)
  return { json: { ...json, output }, result: { ...report, rows: [...report.rows, ['written to', output]] } }
}
