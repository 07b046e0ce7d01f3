import { isBytes } from '../bytes.ts'
import { newHasher } from '../hash.ts'
import { isPlain } from '../plain.ts'
import type { Storage } from '../storage/contract.ts'
import { groundOf } from '../storage/ground.ts'
import type { Effect, Kind } from './kinds.ts'

/** Data that is a secret, or may be, by its name: of it only the length is shown. */
const SECRET = /password|secret|pem$/i

/** Entries and files that hold secrets; a configuration may have a password in it. */
const SECRET_ENTRY = /private|password|config/i

/** Kinds whose answer is a secret. */
const SECRET_ANSWERS: ReadonlySet<Kind> = new Set<Kind>([
  'derive',
  'random',
  'readVault',
  'readConfig',
  'makePasskey',
  'askForPasskey',
])

/** In characters. */
const LONGEST = 80

/**
 * An effect in one line, for people. Bytes are shown by their length and the beginning of their SHA-256; of passwords, keys
 * and what is stored of these only the length.
 */
export function show(effect: Effect<unknown>): string {
  const { kind, ...data } = effect as Effect<unknown> & Readonly<Record<string, unknown>>
  const shown = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${text(value, SECRET.test(name) || (name === 'bytes' && isSecret(effect)))}`)
  return [kind, ...shown].join(' ')
}

/** What an effect has answered, like {@link show}. */
export function showAnswer(effect: Effect<unknown>, answer: unknown): string {
  return text(answer, isSecret(effect))
}

/** Whether an effect reads or writes a secret, or consists of one that does. */
function isSecret(effect: Effect<unknown>): boolean {
  const {
    kind,
    key,
    path,
    effect: one,
    effects = [],
    waiting,
  } = effect as Effect<unknown> & {
    readonly key?: readonly string[]
    readonly path?: string
    readonly effect?: Effect<unknown>
    readonly effects?: readonly Effect<unknown>[]
    readonly waiting?: { readonly effect: Effect<unknown> }
  }
  const parts = [...effects, ...(one ? [one] : []), ...(waiting ? [waiting.effect] : [])]
  return SECRET_ANSWERS.has(kind) || SECRET_ENTRY.test(key?.at(-1) ?? path ?? '') || parts.some(isSecret)
}

function text(value: unknown, isHidden: boolean): string {
  if (isBytes(value)) return `${value.length} bytes${isHidden ? '' : ` ${shortHash(value)}`}`
  if (typeof value === 'string') return isHidden ? `${value.length} characters` : cut(JSON.stringify(value))
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) {
    const isKey = value.every((one) => typeof one === 'string') && !isHidden
    return isKey ? value.join('/') : `[${value.map((one: unknown) => text(one, isHidden)).join(', ')}]`
  }
  if ('capabilities' in value) return `/${groundOf(value as Storage).path.join('/')}`
  if (value instanceof Error) return `${'code' in value ? String(value.code) : value.name}`
  if (!isPlain(value)) return value.constructor.name
  if ('kind' in value) return `(${show(value as Effect<unknown>)})`
  const entryIsHidden = 'key' in value && SECRET_ENTRY.test(String((value.key as readonly string[]).at(-1)))
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined && !(member instanceof Promise))
    .map(([name, member]) => `${name}: ${text(member, isHidden || entryIsHidden || SECRET.test(name))}`)
  return `{ ${members.join(', ')} }`
}

function cut(shown: string): string {
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown
}

function shortHash(bytes: Uint8Array): string {
  const hash = newHasher()
  hash.add(bytes)
  return hash.finish().slice(0, 8)
}
