/** Values that are no argument of any function, and the agent whose functions get them. */
import { join } from 'node:path'
import { SxAgent, type SxErrorCode } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { afterAll, beforeAll, expect } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, treeOf } from './fixtures.ts'

export type Wrong = never
export const wrong = (value: unknown): Wrong => value as never

export const NOTHING: unknown[] = [undefined, null]
export const PRIMITIVES: unknown[] = [0, 1.5, Number.NaN, true, false, 10n, Symbol('s')]
export const OBJECTS: unknown[] = [
  {},
  [],
  ['x'],
  new Date(0),
  new Map(),
  Object(' '),
  () => 'x',
  { toString: () => 'x' },
]
export const NOT_TEXT = [...NOTHING, ...PRIMITIVES, ...OBJECTS]
/** What is no object that JSON can show, nor the text of one. */
export const NOT_AN_OBJECT = NOT_TEXT.filter((value) => Object.prototype.toString.call(value) !== '[object Object]')
export const NOT_OPTIONS: unknown[] = [null, 0, true, 10n, Symbol('s'), 'x', () => ({}), []]
export const UUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'

/** What JSON cannot show, or not without a loss. */
export const NOT_JSON: Record<string, unknown> = {
  undefined: undefined,
  'a function': () => 1,
  'a symbol': Symbol('s'),
  'a BigInt': 10n,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'a Date': new Date(0),
  'a Map': new Map(),
  'a Set': new Set(),
  'a typed array': new Uint8Array(2),
  'a boxed text': Object('x'),
  'a boxed number': Object(1),
  'a RegExp': /x/,
  'an Error': new Error('x'),
  'a Promise': Promise.resolve(1),
  'a sparse array': Object.assign([], { 0: 1, 2: 2 }),
  'an array with a toJSON': Object.assign([1], { toJSON: () => 2 }),
  'undefined inside': { a: { b: undefined } },
  'undefined in an array': [undefined],
  'a toJSON': { toJSON: () => 1 },
  'a toJSON that throws': {
    get toJSON(): unknown {
      throw new Error('not for you')
    },
  },
  'a getter that throws': {
    get a(): unknown {
      throw new Error('not for you')
    },
  },
  'a proxy that throws': new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('not for you')
      },
    },
  ),
  'half a surrogate pair': '\uD800',
  'half a surrogate pair inside': { a: ['x\uDC00'] },
  'half a surrogate pair as name': { '\uD800': 1 },
}

export function cyclic(): unknown {
  const value: Record<string, unknown> = {}
  value['self'] = { value }
  return value
}

/** A value that cannot be looked at any more. */
export function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const TRAPS = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'apply', 'construct'] as const

/** A value that throws what is no error, whatever is asked of it. */
export function throwing<T extends object>(target: T): T {
  const trap = (): never => {
    // oxlint-disable-next-line typescript/only-throw-error, no-throw-literal -- what others throw can be anything
    throw 3
  }
  return new Proxy(target, Object.fromEntries(TRAPS.map((name) => [name, trap])))
}

/** Values that cannot be read. */
export function unreadable(): unknown[] {
  const targets = [{}, [], () => 'x', new Uint8Array(2), Object.create(null)]
  return [...targets.map(revoked), ...targets.map(throwing)]
}

/** One argument of a function, what to give it, and the codes that are right for it. */
export interface Row {
  readonly call: (value: Wrong) => unknown
  readonly values: readonly unknown[]
  readonly codes: SxErrorCode | readonly SxErrorCode[]
}

let root: string
export let agent: SxAgent
export let document: sx.SignedDocument
export const notAgents: unknown[] = []
let before: Record<string, string>
beforeAll(async () => {
  root = newFolder()
  const folder = join(root, 'agent')
  await sx.create(agentIn(folder))
  document = await sx.signMessage({ a: 1 })
  agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  notAgents.push(document, document.raw)
  before = treeOf(root)
})

afterAll(async () => {
  expect(treeOf(root)).toEqual(before)
  expect((await sx.verify((await sx.signMessage('still here')).raw)).valid).toBe(true)
})

let places = 0
/** Options of an agent in a folder that is not there yet, and should not be there afterwards. */
export const fresh = (more: object): sx.QuickstartOptions => agentIn(join(root, `fresh${places++}`), more)
export const config = (): string => configIn(join(root, 'agent'))
export const bytes = (): Uint8Array => Buffer.from(agent.getPublicKey())

export const OPTION_CODES = ['InvalidOption', 'InvalidConfig', 'InvalidAgent', 'PasswordRequired'] as const
export const TEXT_OPTIONS = [
  'name',
  'domain',
  'description',
  'agentType',
  'algorithm',
  'configPath',
  'dataDirectory',
] as const
export const LIMITS = [
  5,
  'x',
  [],
  Symbol('s'),
  10n,
  { bytes: 'x' },
  { depth: 0 },
  { depth: 1.5 },
  { depth: 1e9 },
  { size: 1 },
]
export const STORAGES = [null, 5, 'x', {}, [], { get: (): undefined => undefined }]
export const NOT_TEXT_GIVEN = NOT_TEXT.filter((value) => value !== undefined)
