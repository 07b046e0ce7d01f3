import type { Operation } from '../effects.ts'
import { DEFAULT_CONFIG_PATH } from '../home.ts'
import * as creation from '../operations/create.ts'
import * as finding from '../operations/find.ts'
import * as loading from '../operations/load.ts'
import { agentOptions, ownOptions, PLACE_OPTIONS } from '../options.ts'
import { alone } from '../plain.ts'
import { type Entrance, entrance, type Session } from '../session.ts'
import type {
  AgentInfo,
  CreatedAgentInfo,
  CreateOptions,
  FindAgentOptions,
  FoundAgent,
  LoadOptions,
  QuickstartOptions,
} from '../types.ts'
import { asynchronous, nothing, twin } from './form.ts'

/**
 * Loads the agent at `configPath`, or creates it with a new key pair.
 *
 * Run it a second time and the same agent is back, as it is: other options than `password` then
 * change nothing. Of several at once one creates it and the others load it, for which they
 * need its password; what a killed one has left the next one finishes or clears away (protocol, section
 * 12). The password of a new key is `password`, or SX_PRIVATE_KEY_PASSWORD, or the one saved in the key
 * directory. Without any, one is generated: saved in the key directory if
 * SX_SAVE_PASSWORD_FILE=true, in a page kept encrypted in IndexedDB, else returned this once as
 * `generatedPassword`. In a page `passkey: true` makes a passkey for the new key instead.
 *
 * @param options `name` and `domain` are needed; `algorithm` is `pq2025` by default, `configPath`
 *   `./sx.config.json`
 * @returns the agent, and whether it was `created`
 * @throws SxError the codes of {@link load} and {@link create}; `AlreadyExists` only for a key file where
 *   the configuration names no agent; `AgentLost` in a page where an agent was here and is gone: restore a backup, or pass
 *   `startAnew: true`
 * @example
 * const options = { name: 'Billing', domain: 'example.com', configPath: './billing/sx.config.json' }
 * console.log((await quickstart(options)).created) // true
 * console.log((await quickstart(options)).created) // false
 */
export const quickstart = asynchronous(
  { needs: nothing, options: { at: 0, names: PLACE_OPTIONS, copy: ownOptions } },
  function quickstart(session: Session, options: QuickstartOptions): Operation<CreatedAgentInfo> {
    return creation.quickstart(entrance(session), options)
  },
)
/** The synchronous twin of {@link quickstart}. */
export const quickstartSync = twin(quickstart)

/**
 * Creates a new agent and loads it (protocol, sections 7 and 12). Nothing that exists
 * is overwritten, but for a configuration that was prepared for it, without an agent. If it fails, there
 * is no agent, and its parts are removed. The password is found as {@link quickstart} does.
 *
 * @param options `name` is needed
 * @returns the agent, and perhaps a `generatedPassword`
 * @throws SxError `AlreadyExists` if there is a configuration with an agent, or a key file; `AgentLost` as
 *   {@link quickstart};
 *   `InvalidOption`, also for a name, domain, type, algorithm or directory that is not allowed; `InvalidConfig` for a prepared configuration that cannot be used, and for
 *   an absolute directory in a storage; `Unsupported` for a prepared one of another runtime;
 *   `PasswordRequired` for an empty password; for an imported key also `InvalidKey`, `WeakPublicKey`,
 *   `WrongPassword`, `KdfOutOfRange`, `KeyMismatch`; with `passkey` `PasskeyUnavailable` if the person makes
 *   none, `Unsupported` if browser or authenticator cannot, `Busy` if another one is asked for; storage codes
 * @example
 * const { name, algorithm } = await create({
 *   name: 'Warehouse',
 *   algorithm: 'ed25519',
 *   configPath: './warehouse/sx.config.json',
 * })
 * console.log(name, algorithm) // Warehouse ed25519
 */
export const create = asynchronous(
  { needs: nothing, options: { at: 0, names: PLACE_OPTIONS, copy: ownOptions } },
  function create(session: Session, options: CreateOptions): Operation<CreatedAgentInfo> {
    return creation.create(entrance(session), options)
  },
)
/** The synchronous twin of {@link create}. */
export const createSync = twin(create)

/**
 * Loads the agent of a configuration (protocol, sections 7, 12 and 13), and finishes
 * what a process that was killed has begun there. If that fails, an agent that was loaded before stays.
 *
 * @param configPath a file; in a page, or with a `storage` of your own, a name in the storage; default
 *   `./sx.config.json`; or the options, with it among them
 * @param options password, storage, environment and limits to use instead of the runtime's own; `passkey`
 *   asks for the agent's passkey, which only a page can;
 *   `verifyOnly` leaves the private key where it is and asks for no password
 * @throws SxError `InvalidOption`, and the codes of `load` of the class: `NotFound`, `AgentLost`, `InvalidConfig`,
 *   `Unsupported`, `PasswordRequired`, `WrongPassword`, `KdfOutOfRange`, `InvalidKey`, `KeyMismatch`,
 *   `KeyRevoked`, `Rollback`, `CorruptStore`, `BadSignature`, `HashMismatch`, `LimitExceeded`; with `passkey`
 *   `PasskeyUnavailable` if it is not given, `PasswordRequired` if none is known here, `Unsupported`, `Busy`;
 *   storage codes
 * @example
 * const { name } = await load('./sx.config.json')
 * console.log(name) // Billing
 */
export const load = asynchronous(
  {
    needs: nothing,
    options: [
      { at: 0, names: PLACE_OPTIONS, copy: unlessPath },
      { at: 1, names: PLACE_OPTIONS, copy: optionalOptions },
    ],
  },
  function load(session: Session, configPath?: string | LoadOptions, options?: LoadOptions): Operation<AgentInfo> {
    return loadWith(entrance(session), loadOptions(configPath, options))
  },
)
/** The synchronous twin of {@link load}. */
export const loadSync = twin(load)

/**
 * Says what {@link load} would find at a configuration, before it is called: whether an agent is there, and where its password
 * would come from. A program that can ask for a password learns so whether it has to. Nothing is opened, decrypted or written,
 * the agent that is loaded stays as it is, and the password itself is not returned.
 *
 * @param options `configPath`, default `./sx.config.json`; `storage`, `password` and `env` as for `load`
 * @throws SxError `InvalidConfig`, `Unsupported`, `InvalidOption`; `PasswordRequired` for a saved password that is empty and
 *   `CorruptStore` for one that is no text, where no other password comes before it; storage codes
 * @example
 * const { agentId, passwordFrom } = await findAgent({ password: 'correct horse battery staple' })
 * console.log(agentId === getAgentInfo()?.agentId, passwordFrom) // true argument
 * console.log((await findAgent({ configPath: './nowhere/sx.config.json' })).hasConfig) // false
 */
export const findAgent = asynchronous(
  { needs: nothing, options: { at: 0, names: { configPath: true, storage: true, password: true, env: true } } },
  function findAgent(_: Session, options: FindAgentOptions = {}): Operation<FoundAgent> {
    return finding.findAgent(options)
  },
)
/** The synchronous twin of {@link findAgent}. */
export const findAgentSync = twin(findAgent)

/** The options may come first, with the path among them. */
function unlessPath(first: LoadOptions | string | undefined): unknown {
  return typeof first === 'object' ? ownOptions(first) : first
}

function optionalOptions(options: LoadOptions = {}): LoadOptions {
  return ownOptions(options)
}

function loadOptions(first: string | LoadOptions | undefined, options: LoadOptions = {}): LoadOptions {
  if (typeof first === 'object') return first
  return first === undefined ? options : alone({ ...options, configPath: first })
}

function* loadWith(at: Entrance, options: LoadOptions): Operation<AgentInfo> {
  const configPath = options.configPath ?? DEFAULT_CONFIG_PATH
  return loading.describe(yield* loading.load(at, configPath, agentOptions(options)))
}
