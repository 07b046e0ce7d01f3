import { call, isWellFormed } from './core.ts'
import { SxError } from './errors.ts'
import { limitsText } from './limits.ts'
import type { AgentOptions } from './session.ts'

function refuse(found: string): never {
  throw new SxError('InvalidOption', found)
}

/**
 * A copy of an object of options, so that what the caller does to it later changes nothing.
 *
 * @throws SxError `InvalidOption` for anything else, also for objects that are values themselves (dates, texts, bytes)
 */
export function plainOptions<T extends object>(options: T, name = 'options'): T {
  const given: unknown = options
  try {
    if (Object.prototype.toString.call(given) === '[object Object]') return { ...options }
  } catch (cause) {
    throw new SxError('InvalidOption', `The ${name} cannot be read.`, { cause }) // a getter or a proxy threw
  }
  return refuse(`The ${name} are not an object.`)
}

const STORAGE_METHODS = ['get', 'put', 'delete', 'list', 'flush'] as const

/**
 * Those of the options that stay with an agent, once they are known to be usable.
 *
 * @throws SxError `InvalidOption`
 */
export function agentOptions(options: AgentOptions): AgentOptions {
  const { storage, password, env, limits } = plainOptions(options)
  if (storage !== undefined && !isStorage(storage)) {
    refuse('The storage does not have the methods of the storage contract.')
  }
  if (password !== undefined && password !== '') checkPassword(password) // an empty one is refused where it is used
  if (env !== undefined) plainOptions(env, 'variables of the environment')
  if (limits !== undefined) {
    const values: unknown[] = Object.values(plainOptions(limits, 'limits'))
    if (values.some((value) => value !== undefined && typeof value !== 'number')) refuse('A limit is not a number.')
  }
  return {
    ...(storage && { storage }),
    ...(password !== undefined && { password }),
    ...(env && { env }),
    ...(limits && { limits }),
  }
}

function isStorage(storage: unknown): boolean {
  if (typeof storage !== 'object' || storage === null) return false
  const { capabilities, ...methods } = Object.fromEntries(
    ['capabilities', ...STORAGE_METHODS].map((name) => [name, Reflect.get(storage, name) as unknown]),
  )
  return (
    typeof capabilities === 'object' &&
    capabilities !== null &&
    Object.values(methods).every((method) => typeof method === 'function')
  )
}

/**
 * Has the core look at limits, before any work is done under them.
 *
 * @throws SxError `InvalidOption`
 */
export function checkLimits(limits: AgentOptions['limits']): void {
  if (limits === undefined) return
  const text = limitsText(limits)
  call((core) => core.checkLimits(text))
}

/**
 * A password that has bytes in UTF-8.
 *
 * @throws SxError `InvalidOption`, `PasswordRequired` for the empty one
 */
export function checkPassword(password: unknown): string {
  if (typeof password !== 'string') return refuse('The password is not a text.')
  if (password === '') throw new SxError('PasswordRequired', 'The password is empty.')
  // Half a surrogate pair would silently become another character, the same one for all halves.
  if (!isWellFormed(password)) return refuse('The password holds half a surrogate pair.')
  return password
}
