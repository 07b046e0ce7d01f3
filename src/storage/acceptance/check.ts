/** What the acceptance cases are made of. */
import { SxError } from '../../errors.ts'
import type { Key, ListOptions, Storage } from '../contract.ts'

/** A requirement: its name, and what is done with an open storage under a key that nobody else uses. */
export type Requirement = readonly [name: string, check: (storage: Storage, root: string, open: Open) => Promise<void>]
type Open = () => Promise<Storage>

export const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes)

export function show(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes [${value.subarray(0, 16).join(' ')}]`
  return JSON.stringify(value) ?? String(value)
}

export function fail(what: string, actual: string, expected: string): never {
  throw new Error(`${what}: got ${actual}, expected ${expected}`)
}

/** The two are the same value, bytes or list. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const equal =
    actual instanceof Uint8Array && expected instanceof Uint8Array
      ? actual.length === expected.length && actual.every((byte, at) => byte === expected[at])
      : JSON.stringify(actual) === JSON.stringify(expected)
  if (!equal) fail(what, show(actual), show(expected))
}

/** The call ends in an `SxError` with this code. */
export async function refused(code: SxError['code'], call: () => unknown, what: string): Promise<void> {
  let outcome: unknown
  try {
    outcome = await call()
  } catch (error) {
    if (error instanceof SxError && error.code === code) return
    fail(what, String(error), `an SxError with the code ${code}`)
  }
  fail(what, show(outcome), `an SxError with the code ${code}`)
}

/** All keys that a list gives. */
export async function collect(keys: AsyncIterable<Key> | Iterable<Key>): Promise<Key[]> {
  const found: Key[] = []
  for await (const key of keys) found.push(key)
  return found
}
/** The case's own part of a list, without its root. */
export async function listed(
  storage: Storage,
  root: string,
  below: Key = [],
  options: ListOptions = {},
): Promise<string[]> {
  const after = options.after && [root, ...options.after]
  const keys = await collect(storage.list([root, ...below], after ? { ...options, after } : options))
  return keys.map((key) => {
    same(key[0], root, 'first segment of a listed key')
    return key.slice(1).join('/')
  })
}
