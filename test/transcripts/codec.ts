// Effects and answers as JSON, in the form that docs/transcripts.md tells.
import { SxError } from '../../src/errors.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'
import { groundOf } from '../../src/storage/ground.ts'

type Members = Readonly<Record<string, unknown>>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function encodedBytes(bytes: Uint8Array): Members {
  try {
    return { $: 'text', value: decoder.decode(bytes) }
  } catch {
    return { $: 'bytes', value: Buffer.from(bytes).toString('base64') }
  }
}

/** What only a runtime has, by what it is. */
const reference = (of: string): Members => ({ $: 'reference', of })

function encodedObject(value: object): unknown {
  if (value instanceof Uint8Array) return encodedBytes(value)
  if (Array.isArray(value)) return value.map((one: unknown) => encode(one))
  if (value instanceof SxError) return { $: 'error', code: value.code, message: value.message }
  if (value instanceof Error) throw value
  if ('capabilities' in value) return { $: 'storage', path: groundOf(value as SyncStorage).path }
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype !== null && prototype !== Object.prototype) return reference(value.constructor.name)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, name === 'of' ? reference('what') : encode(member)]))
}

/** A value as JSON can hold it. */
export function encode(value: unknown): unknown {
  if (value === undefined) return { $: 'undefined' }
  if (value === Number.POSITIVE_INFINITY) return { $: 'infinity' }
  if (typeof value === 'function') return reference('function')
  return typeof value === 'object' && value !== null ? encodedObject(value) : value
}

/** Stands for what a runtime has to make by itself. */
export const REFERENCE = Symbol('reference')

/** The value again; `storage` stands for the storage that the agent is on. */
export function decode(value: unknown, storage: SyncStorage): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => decode(one, storage))
  if (typeof value !== 'object' || value === null) return value
  const given = value as Members & { readonly $?: string; readonly value?: string }
  switch (given.$) {
    case undefined:
      return Object.fromEntries(Object.entries(given).map(([name, member]) => [name, decode(member, storage)]))
    case 'undefined':
      return undefined
    case 'infinity':
      return Number.POSITIVE_INFINITY
    case 'text':
      return new Uint8Array(new TextEncoder().encode(given.value))
    case 'bytes':
      return new Uint8Array(Buffer.from(given.value ?? '', 'base64'))
    case 'storage':
      return storage
    case 'error': {
      const { code, message } = given as unknown as { code: SxError['code']; message: string }
      return Object.defineProperty(new SxError(code), 'message', { value: message, configurable: true })
    }
    default:
      return REFERENCE
  }
}
