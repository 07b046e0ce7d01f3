import { platform } from '#platform'
import { letPass } from '../belated.ts'
import { type Effect, type Operation, perform, runAsync } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { KnownPasskey, Passkeys } from '../platform.ts'
import type { AgentPlace } from '../session.ts'
import type { AgentOptions } from '../types.ts'

/**
 * The passkeys of the runtime, for who asks for one.
 *
 * @throws SxError `InvalidOption`, `Unsupported` where there can be none
 */
export function requirePasskeys({ storage }: AgentOptions): Passkeys {
  const { passkeys } = platform
  if (passkeys === undefined)
    throw new SxError('InvalidOption', 'Only a page can ask for a passkey: pass a `password`.')
  if (storage !== undefined) {
    throw new SxError('InvalidOption', "A passkey opens what the page's own storage keeps, and nothing in a `storage`.")
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

/** Those of an agent, by their names. Who cannot wait is asked for none. */
export function* knownPasskeys(
  options: AgentOptions,
  place: AgentPlace,
  agentId: string,
): Operation<readonly string[]> {
  return (yield* known(options, place)).filter((one) => one.agentId === agentId).map(({ id }) => id)
}

/** Whether a passkey opens the private key of an agent. Who cannot wait goes by how the agent was loaded. */
export function isByPasskey(options: AgentOptions, place: AgentPlace, agentId: string): Effect<boolean> {
  return {
    kind: 'storage',
    async: () => runAsync(() => known(options, place)).then((all) => all.some((one) => one.agentId === agentId)),
    sync: () => options.passkey === true,
  }
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
