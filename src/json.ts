import { SxError } from './errors.ts'
import { defaultLimits, type Limits } from './limits.ts'

/**
 * Writes a JavaScript value as JSON text, reading every property once. The core then reads the
 * text strictly; here only what JSON text cannot show is refused.
 *
 * @throws SxError `NotJson` for `undefined`, holes, NaN, Infinity, BigInt, functions, symbols,
 *   objects that are not plain (Date, Map, typed arrays, boxed values, those with `toJSON`) and
 *   cycles; `LimitExceeded` for too deep nesting
 */
export function toJsonText(value: unknown, limits: Limits = {}): string {
  return write(value, limits.depth ?? defaultLimits().depth, [])
}

function refuse(what: string, options?: { cause: unknown }): never {
  throw new SxError('NotJson', `The value holds ${what}, which JSON cannot show.`, options)
}

function write(value: unknown, depth: number, above: object[]): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? String(value === 0 ? 0 : value) : refuse(String(value))
    case 'boolean':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (above.includes(value)) return refuse('a cycle')
      if (depth === 0) throw new SxError('LimitExceeded', 'The value is nested too deeply.')
      above.push(value)
      try {
        return container(value, depth - 1, above)
      } finally {
        above.pop()
      }
    default:
      return refuse(value === undefined ? 'undefined' : `a ${typeof value}`)
  }
}

function container(value: object, depth: number, above: object[]): string {
  if (Object.getOwnPropertySymbols(value).length > 0) return refuse('a symbol')
  const names = Object.keys(value)
  if (Array.isArray(value)) {
    if (names.length !== value.length) return refuse('an array with holes or with properties of its own')
    return `[${names.map((name) => write(property(value, name), depth, above)).join(',')}]`
  }
  if (!isPlain(value)) return refuse('an object that is not plain')
  return `{${names.map((name) => `${JSON.stringify(name)}:${write(property(value, name), depth, above)}`).join(',')}}`
}

function property(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name]
  } catch (cause) {
    return refuse('a property that cannot be read', { cause })
  }
}

/** Whether an object is one of `{}` or `Object.create(null)`, also of another realm. */
function isPlain(value: object): boolean {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || prototype === Object.prototype) return true
  const isObjectPrototype = Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
  return isObjectPrototype && Object.prototype.toString.call(value) === '[object Object]'
}
