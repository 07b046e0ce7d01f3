import * as core from '#core'
import { platform } from '#platform'
import { decode, encode } from '../bytes.ts'
import { call } from '../core.ts'
import { get, put } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { names } from '../names.ts'
import { checkPassword, variables } from '../options.ts'
import type { Vault } from '../platform.ts'
import type { AgentPlace } from '../session.ts'
import type { Key } from '../storage/contract.ts'
import type { AgentOptions, Environment } from '../types.ts'
import { askForPasskey, makePasskey, passkeysFor } from './passkey.ts'

/** Said with every password that was generated and is saved nowhere. */
export const GENERATED_NOTICE =
  'This password was generated for the new private key and is not saved. Store it, or the key is lost.'

/** Also printed by the runtime: the user of the program may not look at what it returns. */
export const GENERATED_WARNING =
  'A password was generated for the new private key and returned once, as `generatedPassword`. It is not saved. Store it now. To choose the password yourself, set SX_PRIVATE_KEY_PASSWORD before you create an agent.'

/** Where a password can come from; the core has the order in which they count (protocol, section 13). */
export type PasswordSource = 'argument' | 'environment' | 'config' | 'file' | 'vault'

/** A password that was found. */
export interface FoundPassword {
  readonly source: PasswordSource
  /** The passwords to try, the likeliest first. */
  readonly candidates: readonly [string, ...string[]]
}

/** A password for a new key. */
export interface NewPassword {
  readonly password: string
  /** Whether it was generated and is saved nowhere. */
  readonly isLost: boolean
  /** Whether it was generated and is to be saved beside the key. */
  readonly isToSave: boolean
  /** How the key has to be derived from it, where that matters. */
  readonly derivation?: string
}

/** The environment: the caller's, or else the runtime's. */
function environment({ env }: AgentOptions): Environment {
  return env ?? variables(platform.environment())
}

/**
 * A variable of the environment; `undefined` if it is not set. Where a secret is missing, CI sets its variable to the
 * empty text: taken for none, that would make a key with a password that nobody knows.
 *
 * @throws SxError `InvalidOption` for one that is set and empty
 */
function variable<Name extends string>(
  env: Readonly<Partial<Record<Name, string | undefined>>>,
  name: Name,
): string | undefined {
  const value = env[name]
  if (value !== '') return value
  throw new SxError('InvalidOption', `The environment variable ${name} is empty. Give it a value, or unset it.`)
}

/** The runtime's vault, for agents in the runtime's own storage: elsewhere the same path means another agent. */
export function vaultOf({ storage }: AgentOptions): Vault | undefined {
  return storage === undefined ? platform.vault : undefined
}

const passwordFile = (): Key => [names().passwordFile]

/** What a source has to say. */
function* passwordFrom(source: PasswordSource, options: AgentOptions, place: AgentPlace): Operation<readonly string[]> {
  switch (source) {
    case 'argument':
      return options.password === undefined ? [] : [checkPassword(options.password)]
    case 'environment': {
      const password = variable(environment(options), 'SX_PRIVATE_KEY_PASSWORD')
      return password === undefined ? [] : [checkPassword(password)]
    }
    case 'config':
      return place.config.password ? [checkPassword(place.config.password)] : []
    case 'file': {
      const saved = yield* readSaved(place)
      return saved === undefined ? [] : [saved]
    }
    case 'vault': {
      const vault = vaultOf(options)
      return vault === undefined ? [] : yield* perform(vault.read(place.home.configPath))
    }
  }
}

/** What opens an existing key, as it is at rest: its passkey, if the options say so, or else the password that is found. */
export function* findOpener(
  options: AgentOptions,
  place: AgentPlace,
  agentId: string,
  pem: string,
): Operation<FoundPassword | undefined> {
  if (options.passkey !== true) return yield* findPassword(options, place)
  return { source: 'argument', candidates: [yield* askForPasskey(options, place, agentId, pem)] }
}

/**
 * The password of an existing key, from the first source that has one; `undefined` if none has.
 *
 * @param from `known`: omits the vault, whose passwords the owner does not know
 */
export function* findPassword(
  options: AgentOptions,
  place: AgentPlace,
  from: 'anywhere' | 'known' = 'anywhere',
): Operation<FoundPassword | undefined> {
  for (const source of JSON.parse(call(() => core.passwordSources())) as PasswordSource[]) {
    if (source === 'vault' && from === 'known') continue
    const [first, ...others] = yield* passwordFrom(source, options, place)
    if (first !== undefined) return { source, candidates: [first, ...others] }
  }
  return undefined
}

/** The password saved in the key directory. */
export function* readSaved({ directories }: AgentPlace): Operation<string | undefined> {
  const key = passwordFile()
  const bytes = yield* perform(get(directories.keys, key))
  try {
    return bytes && call(() => core.readPasswordFile(bytes))
  } catch (error) {
    const code = error instanceof SxError ? error.code : undefined
    const file = `The password file ${directories.keyPath(key.join('/'))}`
    if (code === 'CorruptStore') throw new SxError(code, `${file} is not UTF-8 text.`, { cause: error })
    if (code !== 'PasswordRequired') throw error
    const advice = 'Write the password of the private key into it, or remove it.'
    throw new SxError(code, `${file} is empty.`, { cause: error, advice })
  }
}

/** Saves a password in the key directory, in place of the one that is there. */
export function* writeSaved({ directories }: AgentPlace, password: string): Operation<void> {
  yield* perform(put(directories.keys, passwordFile(), savedForm(password)))
}

/** What the file of a saved password holds. */
export const savedForm = (password: string): Uint8Array => encode(call(() => core.writePasswordFile(password)))

/** The text of a configuration with another password in it, if it holds the old one. */
export function* configWith({ home }: AgentPlace, old: string, password: string): Operation<Uint8Array | undefined> {
  const bytes = yield* perform(home.readConfig)
  if (bytes === undefined) return undefined
  call(() => core.parseConfig(bytes)) // refuses what is none
  const fields = JSON.parse(decode(bytes, 'The configuration')) as Record<string, unknown>
  if (fields['sxPrivateKeyPassword'] !== old) return undefined
  return encode(call(() => core.createConfig(JSON.stringify({ ...fields, sxPrivateKeyPassword: password }))))
}

/** Drops the passwords of an agent that is gone: no other one gets them. */
function* forgetKept(options: AgentOptions, { home }: AgentPlace, lost: string): Operation<void> {
  const vault = vaultOf(options)
  if (vault === undefined) return
  try {
    yield* perform(vault.forget(home.configPath, lost))
  } catch (error) {
    // A page reaches its vault only asynchronously; then a password has to be passed, and these stay unused.
    if (!(error instanceof SxError && error.code === 'SyncStorageUnavailable')) throw error
  }
}

/** The password of a new key: of a new passkey, if the options say so, one that is found, or a generated one. */
export function* makePassword(
  options: AgentOptions,
  place: AgentPlace,
  agentId: string,
  { name, lost }: { name: string; lost: string | undefined },
): Operation<NewPassword> {
  if (lost !== undefined) yield* forgetKept(options, place, lost)
  const passkeys = passkeysFor(options)
  if (passkeys !== undefined) {
    const { password, derivation } = yield* makePasskey(passkeys, place, agentId, name)
    return { password, derivation, isLost: false, isToSave: false }
  }
  const found = yield* findPassword(options, place)
  if (found !== undefined) return { password: found.candidates[0], isLost: false, isToSave: false }
  const isToSave = isToBeSaved(environment(options))
  const password = generate(yield* perform(entropy))
  if (isToSave) return { password, isLost: false, isToSave }
  const vault = vaultOf(options)
  if (vault === undefined) return { password, isLost: true, isToSave: false }
  const kept = yield* perform(vault.add(place.home.configPath, password, lost))
  return { password: kept, isLost: false, isToSave: false }
}

/** Whether a generated password is to be saved. One that somebody believes to be saved, and is not, would be lost. */
function isToBeSaved(env: Environment): boolean {
  const value = variable(env, 'SX_SAVE_PASSWORD_FILE')
  if (value === undefined || value === 'true' || value === 'false') return value === 'true'
  throw new SxError('InvalidOption', "The environment variable SX_SAVE_PASSWORD_FILE is neither 'true' nor 'false'.")
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 32 characters of 6 random bits each. */
function generate(random: Uint8Array): string {
  return Array.from(random, (byte) => ALPHABET[byte & 63]).join('')
}
