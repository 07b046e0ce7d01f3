import { decode, encode } from '../bytes.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { get, putIfAbsent } from '../home.ts'
import { checkPassword } from '../options.ts'
import type { Config, Environment, Home, Places, Platform, Vault } from '../platform.ts'
import type { AgentOptions } from '../session.ts'
import { names } from './names.ts'

/** Said with every password that was generated and is saved nowhere. */
export const GENERATED_NOTICE =
  'This password was generated for the new private key and is saved nowhere: keep it, or the key is lost.'

/** Where to look for a password. */
export interface PasswordPlaces {
  readonly platform: Platform
  readonly options: AgentOptions
  readonly config: Config
  readonly home: Home
  readonly places: Places
}

/** A password for a new key. */
export interface NewPassword {
  readonly password: string
  /** Whether it was generated and is saved nowhere. */
  readonly lost: boolean
}

/** The environment: the caller's, or else the runtime's. */
function environment({ options, platform }: Pick<PasswordPlaces, 'options' | 'platform'>): Environment {
  return options.env ?? platform.environment()
}

/**
 * The password of an existing key (decisions 11): argument, environment, configuration, saved
 * file, vault; `undefined` if there is none.
 */
export function* findPassword(where: PasswordPlaces): Operation<string | undefined> {
  const given =
    where.options.password ?? (environment(where).SX_PRIVATE_KEY_PASSWORD || where.config.password || undefined)
  if (given !== undefined) {
    return checkPassword(given)
  }
  const saved = yield* readSaved(where.places)
  if (saved !== undefined) return saved
  const vault = vaultOf(where)
  return vault && (yield* perform(vault.read(where.home.configPath)))
}

/** The runtime's vault, for agents in the runtime's own storage: elsewhere the same path means another agent. */
export function vaultOf({ options, platform }: Pick<PasswordPlaces, 'options' | 'platform'>): Vault | undefined {
  return options.storage === undefined ? platform.vault : undefined
}

/** A password as it is saved. Reading takes one line end off; one that belongs to the password must stay. */
export function savedPassword(password: string): string {
  return password.endsWith('\n') ? `${password}\n` : password
}

/** The password saved in the key directory, without the line end that an editor adds. */
export function* readSaved({ keys }: Places): Operation<string | undefined> {
  const bytes = yield* perform(get(keys, [names().passwordFile]))
  return bytes && decode(bytes, 'The password file').replace(/\r?\n$/, '')
}

/** The password of a new key: one that is found, or a generated one, saved where that is asked for. */
export function* makePassword(where: PasswordPlaces): Operation<NewPassword> {
  const found = yield* findPassword(where)
  if (found !== undefined) return { password: found, lost: false }
  const password = generate(yield* perform(entropy))
  if (environment(where).SX_SAVE_PASSWORD_FILE === 'true') {
    const isOurs = yield* perform(
      putIfAbsent(where.places.keys, [names().passwordFile], encode(savedPassword(password))),
    )
    // Another process may have saved one for the same key directory in the meantime.
    return { password: isOurs ? password : ((yield* readSaved(where.places)) ?? password), lost: false }
  }
  const vault = vaultOf(where)
  if (vault === undefined) return { password, lost: true }
  return { password: yield* perform(vault.add(where.home.configPath, password)), lost: false }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 32 characters of 6 random bits each. */
function generate(random: Uint8Array): string {
  return Array.from(random, (byte) => ALPHABET[byte & 63]).join('')
}
