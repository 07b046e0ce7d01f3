import { platform } from '#platform'
import { letPass } from '../belated.ts'
import { work } from '../effects/entries.ts'
import { type Effect, type Operation, perform, runAsync } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { KnownPasskey, OpenedByPasskey, Passkeys } from '../platform.ts'
import type { AgentPlace } from '../session.ts'
import { derivationOf, encryptionOf, newDerivation, openWithAny } from '../state/private-key.ts'
import type { AgentOptions } from '../types.ts'

/**
 * The passkeys of the runtime, for who asks for one.
 *
 * @throws SxError `InvalidOption`, `Unsupported` where there can be none
 */
export function requirePasskeys({ storage }: AgentOptions): Passkeys {
  const { passkeys } = platform
  if (passkeys === undefined)
    throw new SxError('InvalidOption', 'Passkeys are only available in a page. Pass a `password`.')
  if (storage !== undefined) {
    throw new SxError('InvalidOption', 'A passkey cannot be used with the option `storage`.')
  }
  passkeys.check()
  return passkeys
}

/** Those that the options ask for, if they do. */
export function passkeysFor(options: AgentOptions): Passkeys | undefined {
  return options.passkey === true ? requirePasskeys(options) : undefined
}

/** The passkeys that are known at a place. Nobody is asked for one. */
function* known({ storage }: AgentOptions, { home }: AgentPlace): Operation<readonly KnownPasskey[]> {
  const { passkeys } = platform
  return passkeys === undefined || storage !== undefined ? [] : yield* perform(passkeys.list(home.configPath))
}

/** Those that open a private key, as it is at rest. Others were made for a change that did not come, or for an old one. */
function* fitting(
  options: AgentOptions,
  place: AgentPlace,
  agentId: string,
  pem: string,
): Operation<readonly string[]> {
  const own = (yield* known(options, place)).filter((one) => one.agentId === agentId)
  if (own.length === 0) return []
  const encryption = encryptionOf(derivationOf(pem))
  return own.filter((one) => one.encryption === encryption).map(({ id }) => id)
}

/**
 * Has a passkey made that is to open a private key.
 *
 * @returns also the derivation with which the key has to be encrypted
 */
export function* makePasskey(
  passkeys: Passkeys,
  { home }: AgentPlace,
  agentId: string,
  name: string,
): Operation<OpenedByPasskey & { readonly derivation: string }> {
  const derivation = yield* newDerivation()
  const owner = { agentId, encryption: encryptionOf(derivation) }
  return { ...(yield* perform(passkeys.make(home.configPath, owner, name))), derivation }
}

/**
 * Asks for the passkey that opens a private key, as it is at rest.
 *
 * @returns its password
 * @throws SxError `PasswordRequired` if there is none, before anybody is asked
 */
export function* askForPasskey(
  options: AgentOptions,
  place: AgentPlace,
  agentId: string,
  pem: string,
): Operation<string> {
  const passkeys = requirePasskeys(options)
  const ids = yield* fitting(options, place, agentId, pem)
  if (ids.length > 0) return (yield* perform(passkeys.ask(place.home.configPath, ids))).password
  throw new SxError(
    'PasswordRequired',
    (yield* isKept(place, pem))
      ? 'The private key has a password stored in this page, and no passkey yet. Call `load()` without `passkey`, then `reencryptKey({ kept: true }, { passkey: true })`.'
      : 'This browser has no passkey of this agent for the private key.',
  )
}

/** Whether the page keeps what opens a private key. */
export function* isKept({ home }: AgentPlace, pem: string): Operation<boolean> {
  const kept = platform.vault === undefined ? [] : yield* perform(platform.vault.read(home.configPath))
  if (kept.length === 0) return false
  try {
    const { secret } = yield* openWithAny(pem, kept)
    secret.dispose()
    return true
  } catch (error) {
    if (error instanceof SxError && error.code === 'WrongPassword') return false
    throw error
  }
}

/** All of an agent, by their names, also those that fit no more. Who cannot wait is asked for none. */
export function* knownPasskeys(
  options: AgentOptions,
  place: AgentPlace,
  agentId: string,
): Operation<readonly string[]> {
  return (yield* known(options, place)).filter((one) => one.agentId === agentId).map(({ id }) => id)
}

/** Whether a passkey opens a private key, as it is at rest. Who cannot wait goes by how the agent was loaded. */
export function isByPasskey(options: AgentOptions, place: AgentPlace, agentId: string, pem: string): Effect<boolean> {
  return work(
    'isByPasskey',
    () => runAsync(() => fitting(options, place, agentId, pem)).then((ids) => ids.length > 0),
    () => options.passkey === true,
  )
}

/**
 * Forgets passkeys that open nothing. What cannot be forgotten does no harm.
 *
 * @param isUseless which ones
 */
export function* forgetPasskeys(
  options: AgentOptions,
  place: AgentPlace,
  isUseless: (passkey: KnownPasskey) => boolean,
): Operation<void> {
  try {
    const ids = (yield* known(options, place)).filter(isUseless).map(({ id }) => id)
    if (ids.length > 0 && platform.passkeys !== undefined) {
      yield* perform(platform.passkeys.drop(place.home.configPath, ids))
    }
  } catch (error) {
    letPass(error)
  }
}
