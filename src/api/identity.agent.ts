import type { Operation } from '../effects.ts'
import * as agents from '../operations/agents.ts'
import * as loading from '../operations/load.ts'
import { agentOptions, plainOptions } from '../options.ts'
import type { AgentOptions, Session } from '../session.ts'
import { asynchronous, twin } from './form.ts'

/**
 * Opens the agent of a configuration (protocol, sections 7, 12 and 13), and finishes what a process that
 * was killed has begun there. If that fails, an agent that was loaded before stays.
 *
 * @param configPath a file; in a page, or with a `storage` of your own, a name in the storage;
 *   default `./sx.config.json`
 * @param options.verifyOnly leaves the private key where it is, asks for no password and writes nothing;
 *   default what the agent was made with
 * @returns the agent document, canonical JSON
 * @throws SxError `NotFound` without a configuration, private key or agent document; `InvalidConfig`;
 *   `Unsupported` for a configuration of another runtime; `PasswordRequired`, `WrongPassword`,
 *   `KdfOutOfRange`, `InvalidKey`, `KeyMismatch`, `KeyRevoked`; `Rollback` if a version of the agent
 *   document is missing; `CorruptStore`, `BadSignature` or `HashMismatch` for one that was damaged,
 *   `LimitExceeded` for one that is larger than the limits; `CorruptStore` for a damaged key record or
 *   password file; storage codes
 * @example
 * const agent = new SxAgent()
 * const document = JSON.parse(await agent.load('./sx.config.json'))
 * console.log(document.name) // Billing
 */
export const load = asynchronous(function load(
  session: Session,
  configPath?: string,
  options?: { verifyOnly?: boolean },
): Operation<string> {
  return loadText(session, configPath, agentOptions({ ...session.options, ...plainOptions(options ?? {}) }))
})
function* loadText(
  session: Session,
  configPath: string = loading.DEFAULT_CONFIG_PATH,
  options: AgentOptions,
): Operation<string> {
  return (yield* loading.load(session, configPath, options)).own.current.text
}
/** The synchronous twin of {@link load}. */
export const loadSync = twin(load)

/**
 * Whether an agent document is valid in itself and, if its agent is known, no older and with no
 * other key than the known one (protocol, section 11). It trusts nobody: `trustAgent` does.
 *
 * @param agentFile path of a file, or the file itself (`File`, `Blob`) or its bytes; without it the
 *   loaded agent's own document
 * @throws SxError `NoAgentLoaded`, `NotFound`, storage codes; `LimitExceeded` for a file that is larger than
 *   any document; `InvalidOption` for what is none of these, for any path in a page, and for a blob in the
 *   synchronous twin; `Rollback` and `CorruptStore` if what is known of the agent is damaged; nothing
 *   because of what the file holds
 * @example
 * import { writeFileSync } from 'node:fs'
 * writeFileSync('billing.json', agent.exportAgent())
 * console.log(await agent.verifyAgent('billing.json')) // true
 */
export const verifyAgent = asynchronous(function verifyAgent(
  session: Session,
  agentFile?: string | Uint8Array | Blob | null,
): Operation<boolean> {
  return agents.verifyAgent(session, agentFile)
})
/** The synchronous twin of {@link verifyAgent}. */
export const verifyAgentSync: (agentFile?: string | Uint8Array | null) => boolean = twin(verifyAgent)
