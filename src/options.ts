import * as core from '#core'
import { encode, isBytes } from './bytes.ts'
import { call, isWellFormed } from './core.ts'
import { SxError } from './errors.ts'
import { MOST_PIXELS } from './images/limit.ts'
import { type Limits, limitsText } from './limits.ts'
import { type Names, type NamesOf, refuseUnknown } from './option-names.ts'
import { alone, isPlain } from './plain.ts'
import { checkStorage } from './storage/contract.ts'
import type { AgentOptions, CreateOptions, Environment, ExternalSigner, LoadOptions } from './types.ts'

/** Of `new SxAgent`. */
export const AGENT_OPTIONS = {
  storage: true,
  password: true,
  passkey: true,
  signer: true,
  env: true,
  limits: true,
  verifyOnly: true,
} as const satisfies NamesOf<AgentOptions>

/** Of `create`, `quickstart` and `load`: with the options that made it an agent can be loaded too. */
export const PLACE_OPTIONS = {
  storage: true,
  password: true,
  passkey: true,
  signer: true,
  env: true,
  limits: true,
  verifyOnly: true,
  name: true,
  domain: true,
  description: true,
  agentType: true,
  algorithm: true,
  configPath: true,
  dataDirectory: true,
  keyDirectory: true,
  importKey: true,
  startAnew: true,
} as const satisfies NamesOf<CreateOptions & LoadOptions>

/** Of `importKey`. */
export const IMPORT_OPTIONS = { pem: true, password: true } as const satisfies NamesOf<
  NonNullable<CreateOptions['importKey']>
>

const LIMIT_OPTIONS = { bytes: true, depth: true, image: true, members: true } as const satisfies NamesOf<Limits>

function refuse(found: string): never {
  throw new SxError('InvalidOption', found)
}

/**
 * A copy of an object of options, so that what the caller does to it later changes nothing. It has the own enumerable
 * members, as `{...options}` would, and no prototype: nobody else's members count, wherever it is read.
 *
 * @param names of the options that there are; those of others are refused. Left out: any
 * @throws SxError `InvalidOption` for anything else, also for objects that are values themselves (dates, texts, bytes)
 *   and those of a class, whose accessors a copy would lose
 */
export function plainOptions<T extends object>(options: T, names?: Names, what = 'options'): T {
  const own = copyOf(options, what, 'a plain object', isPlain)
  if (names !== undefined) refuseUnknown(own, names)
  return own
}

/** A copy of an object that is of the right kind. Getters and proxies may throw while it is made. */
function copyOf<T extends object>(value: T, name: string, kind: string, isRight: (value: object) => boolean): T {
  const given: unknown = value
  try {
    if (isRecord(given) && isRight(given)) return alone(value)
  } catch (cause) {
    throw new SxError('InvalidOption', `The ${name} cannot be read.`, { cause })
  }
  return refuse(`The ${name} are not ${kind}.`)
}

/**
 * A copy of an array that is an argument, so that what the caller does to it later changes nothing.
 *
 * @throws SxError `InvalidOption`
 */
export function copyOfList(name: string, list: readonly unknown[]): unknown[] {
  try {
    if (Array.isArray(list)) return [...(list as readonly unknown[])]
  } catch (cause) {
    throw new SxError('InvalidOption', `The argument '${name}' cannot be read.`, { cause })
  }
  return refuse(`The argument '${name}' is not an array.`)
}

/**
 * An option or argument that says yes or no; left out, it says no.
 *
 * @throws SxError `InvalidOption`
 */
export function flag(name: string, value: unknown): boolean {
  if (typeof (value ?? false) === 'boolean') return value === true
  return refuse(`'${name}' is neither true nor false.`)
}

/** Whether it is an object that is no value itself. */
export function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/**
 * A copy of the own members of an object whose names are data, not options.
 *
 * @throws SxError `InvalidOption` for anything else
 */
export function ownMembers<T extends object>(members: T, name: string): T {
  return copyOf(members, name, 'an object', () => true)
}

/** {@link plainOptions} for options of an agent: what they hold is copied too, but for the storage. */
export function ownOptions<T extends AgentOptions & { importKey?: object }>(
  options: T,
  names: Names = PLACE_OPTIONS,
): T {
  const own = plainOptions(options, names)
  if (own.importKey !== undefined) {
    own.importKey = plainOptions(own.importKey, IMPORT_OPTIONS, 'parts of the imported key')
  }
  if (own.env !== undefined) own.env = variables(own.env)
  if (own.limits !== undefined) own.limits = plainOptions(own.limits, LIMIT_OPTIONS, 'limits')
  return own
}

/** Whether it is options, and no file, which can stand in the same place. */
export function isOptions(given: unknown): given is object {
  try {
    return isRecord(given) && !Object.hasOwn(given, 'data')
  } catch {
    return true // `plainOptions` says that it cannot be read
  }
}

/**
 * Refuses arguments behind an object of options, which would be lost.
 *
 * @throws SxError `InvalidOption`
 */
export function refuseAfterOptions(given: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(given).find((one) => given[one] !== undefined && given[one] !== null)
  if (name !== undefined) refuse(`The options must be the last argument. Move '${name}' into the options.`)
}

/**
 * A copy of limits whose members are numbers.
 *
 * @throws SxError `InvalidOption`
 */
export function ownLimits(limits: Limits): Limits {
  const own = plainOptions(limits, LIMIT_OPTIONS, 'limits')
  const values: unknown[] = Object.values(own)
  if (values.some((value) => value !== undefined && typeof value !== 'number'))
    refuse('A limit is not a positive integer.')
  return own
}

/** The variables that the library reads. */
const VARIABLES = [
  'SX_PRIVATE_KEY_PASSWORD',
  'SX_SAVE_PASSWORD_FILE',
  'SX_SHOW_DEPRECATIONS',
] as const satisfies readonly (keyof Environment)[]

/** A copy of the variables that the library reads; `process.env` is no plain object. */
export function variables(env: Environment): Environment {
  let own: Environment | undefined
  try {
    if (typeof env === 'object' && env !== null && !Array.isArray(env)) {
      const read = (name: keyof Environment): string | undefined => (Object.hasOwn(env, name) ? env[name] : undefined)
      own = alone(Object.fromEntries(VARIABLES.map((name) => [name, read(name)])))
    }
  } catch (cause) {
    const advice = `Run Deno with --allow-env=${VARIABLES.join(',')}, or pass \`env: {}\`.`
    throw new SxError('InvalidOption', 'The environment variables cannot be read.', { cause, advice })
  }
  return own ?? refuse("The option 'env' is not an object.")
}

/**
 * Those of the options that stay with an agent, once they are known to be usable.
 *
 * @throws SxError `InvalidOption`
 */
export function agentOptions(options: AgentOptions, names: Names = PLACE_OPTIONS): AgentOptions {
  const own = ownOptions(options, names)
  const { storage, password, passkey, signer, env, verifyOnly } = own
  if (storage !== undefined) checkStorage(storage)
  if (password !== undefined && password !== '') checkPassword(password) // an empty one is refused where it is used
  if (flag('passkey', passkey) && password !== undefined)
    refuse("The options 'password' and 'passkey' cannot be used together.")
  for (const [name, value] of Object.entries({ password, passkey: passkey || undefined })) {
    if (signer !== undefined && value !== undefined)
      refuse(`The options 'signer' and '${name}' cannot be used together.`)
  }
  const limits = own.limits && ownLimits(own.limits)
  flag('verifyOnly', verifyOnly)
  return alone({
    ...(storage && { storage }),
    ...(password !== undefined && { password }),
    ...(passkey && { passkey }),
    ...(signer !== undefined && { signer: ownSigner(signer) }),
    ...(env && { env }),
    ...(limits && { limits }),
    ...(verifyOnly && { verifyOnly }),
  })
}

/** In characters or bytes: no PEM is longer (protocol, section 4). */
const LONGEST_KEY = 65_536

/** A copy of what signs: an object of any class, whose members are read once. */
export function ownSigner(signer: ExternalSigner): ExternalSigner {
  let own: ExternalSigner | undefined
  try {
    const { publicKey, algorithm, sign } = signer
    const isKey = typeof publicKey === 'string' || isBytes(publicKey)
    if (isKey && publicKey.length <= LONGEST_KEY && typeof algorithm === 'string' && typeof sign === 'function') {
      const key = typeof publicKey === 'string' ? publicKey : new Uint8Array(publicKey)
      own = { publicKey: key, algorithm, sign: (bytes) => sign.call(signer, bytes) }
    }
  } catch (cause) {
    throw new SxError('InvalidOption', "The option 'signer' cannot be read.", { cause })
  }
  return own ?? refuse("The option 'signer' must have publicKey, algorithm and sign.")
}

/**
 * Has the core look at limits, before any work is done under them.
 *
 * @throws SxError `InvalidOption`
 */
export function checkLimits(limits: AgentOptions['limits']): void {
  if (limits === undefined) return
  const text = limitsText(limits)
  call(() => core.checkLimits(text))
  const { image } = limits
  const isCount = typeof image === 'number' && Number.isInteger(image) && image >= 1 && image <= MOST_PIXELS
  if (image !== undefined && !isCount) refuse(`The limit 'image' is not an integer from 1 to ${MOST_PIXELS}.`)
}

/** In bytes of UTF-8, as in the core. Longer ones are mistakes, such as a whole file. */
const LONGEST_PASSWORD = 65_536

/** Whether a text has more bytes in UTF-8; only what may have is encoded. */
function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && encode(text).length > bytes)
}

/**
 * A password that has bytes in UTF-8.
 *
 * @throws SxError `InvalidOption`, `PasswordRequired` for the empty one
 */
export function checkPassword(password: unknown): string {
  if (typeof password !== 'string') return refuse('The password is not a string.')
  if (password === '') throw new SxError('PasswordRequired', 'The password is empty.')
  // Half a surrogate pair would silently become another character, the same one for all halves.
  if (!isWellFormed(password)) return refuse('The password contains a lone surrogate.')
  if (isLonger(password, LONGEST_PASSWORD)) return refuse(`The password has more than ${LONGEST_PASSWORD} bytes.`)
  return password
}
