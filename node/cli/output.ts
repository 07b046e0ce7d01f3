/**
 * Everything the command line prints goes through here, and everything is escaped here: texts from
 * documents, agents, file names and errors must not move the cursor, hide or reorder anything, or
 * pass for lines of our own.
 *
 * @module
 */
import type { WriteStream } from 'node:tty'
import { EXIT, type Exit, type Failure, worst } from './exit.ts'

/**
 * Controls, format characters (bidi, zero width, tags), unassigned and private ones, line and paragraph separators, and
 * what looks like a space and is none.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]|(?! )\p{Zs}/gu

/** Spaces that could pass for the gap before a value, or push what follows into a line of its own. */
const SPACES = /^ +| {2,}| +$/g

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** A text for people: on one line, with every character in it that could deceive written as `\u{…}`. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, escaped).replace(SPACES, (spaces) => escaped(' ').repeat(spaces.length))
}

/** Columns for a name: beside an id, a terminal of 80 shows both on one line. */
const NAME_COLUMNS = 40

/** A text of somebody else's choice, escaped and cut, so that it does not wrap into a line that passes for one of ours. */
export function shorten(text: string, columns: number = NAME_COLUMNS): string {
  const parts = escapeText(text).match(/\\u\{[0-9a-f]+\}|./gu) ?? []
  let shown = ''
  let room = columns
  for (const [at, part] of parts.entries()) {
    const isLast = at + 1 === parts.length
    room -= widthOf(part)
    if (room < (isLast ? 0 : 1)) return `${shown}…`
    shown += part
  }
  return shown
}

/** Columns for a text beside a bar: a terminal of 80 breaks none of its lines, so that none begins without the bar. */
const TEXT_COLUMNS = 72

/** A long text of somebody else's choice, in lines of which each stands behind a bar. */
export function quoteText(text: string): string {
  const lines = text.split(/\r?\n/).flatMap((line) => folded(line.replace(UNSAFE, escaped)))
  return lines
    .map((line) => `  | ${line}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

/** Breaks an escaped line, between words where it can. */
function folded(line: string): string[] {
  const lines: string[] = []
  let [shown, room] = ['', TEXT_COLUMNS]
  const next = (): void => {
    lines.push(shown)
    shown = ''
    room = TEXT_COLUMNS
  }
  for (const word of line.split(/(?<= )/)) {
    const parts = word.match(/\\u\{[0-9a-f]+\}|./gu) ?? []
    const width = parts.reduce((sum, part) => sum + widthOf(part), 0)
    if (shown !== '' && width > room && width <= TEXT_COLUMNS) next()
    for (const part of parts) {
      if (widthOf(part) > room) next()
      shown += part
      room -= widthOf(part)
    }
  }
  return [...lines, shown]
}

/** Columns of an escape or a character, at most: from Hangul on many are two wide. */
const widthOf = (part: string): number => (part.length > 2 ? part.length : (part.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2)

/** JSON text with the same characters in the escaped form of JSON: the value stays the same. Line ends stay. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  )
}

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`

/** What a line says about what was looked at. */
export type Tone = 'good' | 'doubtful' | 'bad'

const COLOURS: Record<Tone, number> = { good: 32, doubtful: 33, bad: 31 }

/**
 * A name with its values, in columns that no text of somebody else's can make: its gaps are escaped. Without a value it
 * belongs to the row above, and stands further in.
 */
export type Row = readonly [string, ...string[]]

/** What people read: a line that says it all, then names with values. */
export interface Report {
  readonly title?: readonly [Tone, string]
  readonly rows: readonly Row[]
  /** Rows below the others, in columns that are all aligned within each table. */
  readonly tables?: readonly (readonly Row[])[]
  /** A long text of somebody else's choice, to show below. */
  readonly text?: string
  /** JSON text to show below. */
  readonly json?: string
  /** The one line that `--quiet` leaves. */
  readonly brief?: string
}

/** What a command makes: text, which ends with a line end on standard output, or bytes, which stay as they are. */
export type Data = string | Uint8Array

/** What a command has to say. Nothing in it is escaped yet. */
export interface Outcome {
  /** What `--json` prints, beside `ok`. */
  readonly json: Readonly<Record<string, unknown>>
  /** What the command is there to make, for stdout. */
  readonly data?: Data
  /** What the command is there to find out, for stdout. */
  readonly result?: Report
  /** Whether stdout is for the data alone, so that the result has to go to stderr. */
  readonly isAside?: boolean
  /** What is good to know beside it, for stderr; with `--quiet` only if the outcome is not a good one. */
  readonly note?: Report
  /** Why the outcome is not a good one. */
  readonly failure?: Failure
  /** Where it is one of several: what a line says of it. */
  readonly line?: Row
}

/** The options that decide how something is printed. */
export interface OutputOptions {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** Whether a stream takes colours (https://no-color.org, https://force-color.org). */
function hasColours(stream: Pick<WriteStream, 'isTTY'>): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY && TERM !== 'dumb'
}

const render = (report: Report, stream: WriteStream): string => textOf(report, hasColours(stream))

/** A report as it is printed. */
export function textOf({ title, rows, tables = [], text: quote, json }: Report, isColoured = false): string {
  const lines: string[] = []
  if (title !== undefined) {
    const [tone, text] = title
    const safe = escapeText(text)
    lines.push(isColoured ? `\u001b[1;${COLOURS[tone]}m${safe}\u001b[0m` : safe)
  }
  const texts = rows.map((row) => row.map(escapeText))
  const width = Math.max(0, ...texts.map(([name = '', ...values]) => (values.length > 0 ? name.length : 0)))
  const indent = title === undefined ? '' : '  '
  for (const [name = '', ...values] of texts) {
    lines.push(`${indent}${values.length > 0 ? [name.padEnd(width), ...values].join('  ') : `  ${name}`}`)
  }
  for (const table of tables) lines.push('', ...aligned(table).map((line) => indent + line))
  if (quote !== undefined) lines.push('', quoteText(quote).slice(0, -1))
  if (json !== undefined) lines.push(escapeJson(json))
  return lines.map((line) => `${line}\n`).join('')
}

function aligned(rows: readonly Row[]): string[] {
  const texts = rows.map((row) => row.map(escapeText))
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)))
  return texts.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Data goes to files and programs as it is; on a terminal it must not do anything but be read. */
function dataText(data: Data): Data {
  const { isTTY } = process.stdout
  if (typeof data !== 'string' && !isTTY) return data
  const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
  const shown = isTTY ? escapeJson(text) : text
  return shown.endsWith('\n') ? shown : `${shown}\n`
}

const exitOf = ({ failure }: Outcome): Exit => failure?.exit ?? EXIT.done

function jsonOf(outcome: Outcome): object {
  const { failure, json } = outcome
  const details = failure?.details && { details: failure.details }
  const error = failure && { error: { code: failure.code, message: failure.message, ...details } }
  return { ok: exitOf(outcome) === EXIT.done, ...error, ...json }
}

function printJson(value: object): void {
  process.stdout.write(`${escapeJson(JSON.stringify(value))}\n`)
}

/** Prints what a command has to say, of one thing or a line of each of several, and says its exit status. */
export function present(outcome: Outcome | readonly Outcome[], options: OutputOptions): Exit {
  if ('json' in outcome) return presentOne(outcome, options)
  if (options.json) printJson(outcome.map(jsonOf))
  else {
    const rows = outcome.flatMap(({ line }) => (line === undefined ? [] : [line]))
    process.stdout.write(render({ rows }, process.stdout))
  }
  return worst(outcome.map(exitOf))
}

function presentOne(outcome: Outcome, { json = false, quiet = false }: OutputOptions): Exit {
  const { failure, data, result, note, isAside = false } = outcome
  const exit = exitOf(outcome)
  if (json) {
    printJson(jsonOf(outcome))
    return exit
  }
  if (data !== undefined) process.stdout.write(dataText(data))
  if (result !== undefined) {
    const isBrief = quiet && result.brief !== undefined
    const stream = isAside ? process.stderr : process.stdout
    stream.write(isBrief ? `${escapeText(result.brief)}\n` : render(result, stream))
  }
  if (note !== undefined && (!quiet || failure !== undefined)) process.stderr.write(render(note, process.stderr))
  return exit
}

/** Prints an error and says its exit status. */
export function presentFailure(failure: Failure, options: OutputOptions): Exit {
  if (options.json) return present({ json: {}, failure }, options)
  const title = ['bad', `sx: ${failure.code}: ${failure.message}`] as const
  process.stderr.write(render({ title, rows: [] }, process.stderr))
  return failure.exit
}

/** Says something on stderr that is neither data nor an error. */
export function remark(text: string, { quiet = false, json = false }: OutputOptions): void {
  if (!quiet && !json) process.stderr.write(`${escapeText(text)}\n`)
}
