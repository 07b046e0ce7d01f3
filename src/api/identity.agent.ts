import type { Operation } from '../effects.ts'
import { DEFAULT_CONFIG_PATH } from '../home.ts'
import * as loading from '../operations/load.ts'
import { agentOptions } from '../options.ts'
import { type Entrance, entrance, type Session } from '../session.ts'
import type { AgentOptions } from '../types.ts'
import { asynchronous, nothing, nullable, twin } from './form.ts'

/**
 * Opens the agent of a configuration (protocol, sections 7, 12 and 13), and finishes what a process that
 * was killed has begun there. If that fails, an agent that was loaded before stays.
 *
 * @param configPath a file; in a page, or with a `storage` of your own, a name in the storage;
 *   default `./sx.config.json`
 * @param options.verifyOnly leaves the private key where it is, asks for no password and writes nothing;
 *   default what the agent was made with
 * @returns the agent document, canonical JSON
 * @throws SxError `NotFound` without a configuration, private key or agent document; in a page `AgentLost` if an agent was
 *   there and is gone; `InvalidConfig`;
 *   `Unsupported` for a configuration of another runtime; `PasswordRequired`, `WrongPassword`,
 *   `KdfOutOfRange`, `InvalidKey`, `KeyMismatch`, `KeyRevoked`; `Rollback` if a version of the agent
 *   document is missing; `CorruptStore`, `BadSignature` or `HashMismatch` for one that was damaged,
 *   `LimitExceeded` for one that is larger than the limits; `CorruptStore` for a damaged key record or
 *   password file; with `passkey` also `PasskeyUnavailable`, `Unsupported`, `Busy`; storage codes
 * @example
 * const agent = new SxAgent()
 * const document = JSON.parse(await agent.load('./sx.config.json'))
 * console.log(document.name) // Billing
 */
export const load = asynchronous(
  { needs: nothing, options: { at: 1, names: { verifyOnly: true }, copy: nullable } },
  function load(session: Session, configPath?: string, options?: { verifyOnly?: boolean }): Operation<string> {
    return loadText(entrance(session), configPath, agentOptions({ ...session.options, ...options }))
  },
)
function* loadText(at: Entrance, configPath: string = DEFAULT_CONFIG_PATH, options: AgentOptions): Operation<string> {
  return (yield* loading.load(at, configPath, options)).own.current.text
}
/** The synchronous twin of {@link load}. */
export const loadSync = twin(load)
