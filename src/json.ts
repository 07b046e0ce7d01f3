import { LONGEST_TEXT } from './core.ts'
import { isSxError, SxError } from './errors.ts'
import { allLimits, type Limits, type TextLimits } from './limits.ts'
import { isPlain } from './plain.ts'

/**
 * Writes a JavaScript value as JSON text, reading every property once. The core then reads the
 * text strictly; here only what JSON text cannot show is refused. Like JSON.stringify it leaves out members
 * named by symbols and those that an array has beside its items.
 *
 * @throws SxError `NotJson` for `undefined`, holes, NaN, Infinity, BigInt, functions, symbols,
 *   objects that are not plain (Date, Map, typed arrays, boxed values, those with `toJSON`) and
 *   cycles; `LimitExceeded` for too deep nesting, too many members and items, and more text than allowed
 */
export function toJsonText(value: unknown, limits?: Limits): string {
  return jsonTextWithin(value, allLimits(limits))
}

/** {@link toJsonText} where the core need not be loaded: all limits are given. */
export function jsonTextWithin(value: unknown, { depth, members, bytes }: Required<TextLimits>): string {
  const state: State = { above: [], path: [], left: Math.min(bytes, LONGEST_TEXT), members }
  try {
    return write(value, depth, state)
  } catch (cause) {
    if (isSxError(cause)) throw cause
    return refuse('a property that cannot be read', state, { cause }) // a getter or a proxy threw
  }
}

/** Where the writer stands. */
interface State {
  /** The containers around the value, to find cycles. */
  readonly above: object[]
  /** The names and indices that lead to the value. */
  readonly path: (string | number)[]
  /** How many characters there may still be: a text that is too long is not even built. */
  left: number
  /** How many members and items there may still be: shared objects make a small value a large text. */
  members: number
}

function refuse(what: string, { path }: State, options?: { cause: unknown }): never {
  throw new SxError('NotJson', `The value contains ${what}${placeOf(path)}, which JSON cannot represent.`, options)
}

/** So much of a path is enough to find the place, in characters. */
const LONGEST_PATH = 200

/** Where something stands in the value, as a JSON Pointer (RFC 6901). */
function placeOf(path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const pointer = path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return ` at ${pointer.length > LONGEST_PATH ? `${pointer.slice(0, LONGEST_PATH)}…` : pointer}`
}

function write(value: unknown, depth: number, state: State): string {
  if (typeof value === 'string') return quote(value, state)
  if (typeof value === 'number' && !Number.isFinite(value)) return refuse(String(value), state)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return word(String(value), state)
  if (typeof value === 'object') return container(value, depth, state)
  return refuse(value === undefined ? 'undefined' : `a ${typeof value}`, state)
}

/** What has to be escaped, and surrogates, which JSON.stringify escapes where they are alone. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/

function quote(text: string, state: State): string {
  spend(state, text.length + 2)
  if (!SPECIAL.test(text)) return `"${text}"`
  let quoted: string
  try {
    quoted = JSON.stringify(text)
  } catch (cause) {
    throw tooLong({ cause }) // longer than any text can be
  }
  spend(state, quoted.length - text.length - 2)
  return quoted
}

/** A number (-0 is `0`), a boolean or null. */
function word(text: string, state: State): string {
  spend(state, text.length)
  return text
}

/** Counts characters before they are put together: of all of them, so that no text becomes longer than any can be. */
function spend(state: State, characters: number): void {
  state.left -= characters
  if (state.left < 0) throw tooLong()
}

function tooLong(options?: { cause: unknown }): SxError {
  return new SxError('LimitExceeded', 'The JSON text of the value exceeds the size limit.', options)
}

/** Counts a member or item before it is written. */
function enter(state: State): void {
  state.members--
  if (state.members < 0)
    throw new SxError('LimitExceeded', 'The value has more members and items than the limit allows.')
}

function container(value: object, depth: number, state: State): string {
  const { above } = state
  if (above.includes(value)) return refuse('a cycle', state)
  if (replacesItself(value)) return refuse('an object with a toJSON method', state)
  if (depth === 0) throw new SxError('LimitExceeded', 'The value is nested too deeply.')
  above.push(value)
  const text = Array.isArray(value) ? array(value, depth - 1, state) : object(value, depth - 1, state)
  above.pop()
  return text
}

function array(value: readonly unknown[], depth: number, state: State): string {
  let text = ''
  spend(state, Math.max(value.length, 1) + 1) // brackets and commas
  for (let at = 0; at < value.length; at++) {
    enter(state)
    state.path.push(at)
    text += `${at > 0 ? ',' : ''}${write(value[at], depth, state)}` // a hole reads as undefined
    state.path.pop()
  }
  return `[${text}]`
}

function object(value: object, depth: number, state: State): string {
  if (!isPlain(value)) return refuse('an object that is not plain', state)
  let text = ''
  spend(state, 2)
  for (const name of Object.keys(value)) {
    enter(state)
    spend(state, text === '' ? 1 : 2)
    state.path.push(name)
    text += `${text === '' ? '' : ','}${quote(name, state)}:${write((value as Record<string, unknown>)[name], depth, state)}`
    state.path.pop()
  }
  return `{${text}}`
}

/** Whether JSON.stringify would ask the object for another value. A member of that name is judged where it is read. */
function replacesItself(value: object): boolean {
  if (!('toJSON' in value)) return false
  return Array.isArray(value) || !Object.prototype.propertyIsEnumerable.call(value, 'toJSON')
}
