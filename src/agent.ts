/// <reference lib="esnext.disposable" preserve="true" />
import { attach, methodsOf, sessionOf } from './api/form.ts'
import { type Operation, runAsync, runSync } from './effects.ts'
import * as creation from './operations/create.ts'
import { AGENT_OPTIONS, agentOptions, ownOptions } from './options.ts'
import { type Entrance, entrance } from './session.ts'
import * as own from './topics.agent.ts'
import * as shared from './topics.ts'
import type { AgentOptions, CreatedAgentInfo, CreateOptions, QuickstartOptions } from './types.ts'

/** What `SxAgent.create` and `SxAgent.quickstart` return: what was made or found, and the agent itself. */
export interface CreatedAgent extends CreatedAgentInfo {
  /** The agent, loaded. */
  readonly agent: SxAgent
}

/** A new agent, and the steps that create or find what it is. */
function beginning<Options extends CreateOptions>(
  make: (at: Entrance, options: Options) => Operation<CreatedAgentInfo>,
  options: Options,
): [SxAgent, () => Operation<CreatedAgentInfo>] {
  const agent = new SxAgent()
  return [agent, () => make(entrance(sessionOf(agent)), options)]
}

const withAgent = (agent: SxAgent, info: CreatedAgentInfo): CreatedAgent => Object.freeze({ ...info, agent })

/** The functions of topics as methods. Their documentation comes along, since no name changes. */
type MethodsOf<Topics> = { [Name in keyof Topics]: Topics[Name] }

interface Methods extends MethodsOf<typeof shared>, MethodsOf<typeof own> {
  /** `close` without waiting: pending writes still complete. */
  [Symbol.dispose](): void
}

/**
 * An agent: a key pair, its agent document, and what it signs and verifies with them.
 *
 * Each operation comes twice: `name` returns a Promise, `nameSync` returns directly; those without
 * a twin return directly. All but `load`, `importStore`, `init`, `inspect`, `imageCapacity`, `stripImageSignature`, `isLoaded`, `getAgentInfo` and `close` throw `NoAgentLoaded`
 * before an agent is loaded. Several agents can live in one process.
 *
 * What the methods call JSON codes, storage codes and codes of a verdict stands at `SxError`.
 * In their examples `agent` is a loaded agent. Methods that `/simple` has too are shown as its functions.
 *
 * @example
 * const agent = new SxAgent()
 * await agent.load('./sx.config.json')
 * const signed = await agent.createDocument(JSON.stringify({ amount: 1 }))
 * console.log(await agent.verifyDocument(signed)) // true
 */
export class SxAgent extends /* @__PURE__ */ methodsOf<Methods>(shared, own) {
  /**
   * An agent that is not loaded yet. Nothing is read or written before `load`.
   *
   * @param options storage, password or passkey, environment and limits to use instead of the runtime's own
   * @throws SxError `InvalidOption`
   */
  constructor(options: AgentOptions = {}) {
    super()
    const kept = agentOptions(options, AGENT_OPTIONS)
    attach(this, { options: kept, loaded: undefined, storage: kept.storage })
  }

  /**
   * A new agent beside the one of the program; what it takes, leaves behind and throws is told at `create` of `/simple`.
   *
   * @returns what `create` of `/simple` returns, with the loaded agent
   * @example
   * const { agent } = await SxAgent.create({ name: 'Warehouse', configPath: 'warehouse/sx.config.json' })
   * console.log(agent.isLoaded()) // true
   */
  static async create(options: CreateOptions): Promise<CreatedAgent> {
    const [agent, steps] = beginning(creation.create, ownOptions(options))
    return withAgent(agent, await runAsync(steps))
  }

  /** The synchronous twin of {@link SxAgent.create}. */
  static createSync(options: CreateOptions): CreatedAgent {
    const [agent, steps] = beginning(creation.create, ownOptions(options))
    return withAgent(agent, runSync(steps))
  }

  /**
   * The agent of a configuration, beside the one of the program; it is made if there is none. See `quickstart` of `/simple`.
   *
   * @returns what `quickstart` of `/simple` returns, with the loaded agent
   * @example
   * const options = { name: 'Shop', domain: 'example.com', configPath: 'shop/sx.config.json' }
   * const { agent, created } = await SxAgent.quickstart(options)
   * console.log(agent.isLoaded(), created) // true true
   */
  static async quickstart(options: QuickstartOptions): Promise<CreatedAgent> {
    const [agent, steps] = beginning(creation.quickstart, ownOptions(options))
    return withAgent(agent, await runAsync(steps))
  }

  /** The synchronous twin of {@link SxAgent.quickstart}. */
  static quickstartSync(options: QuickstartOptions): CreatedAgent {
    const [agent, steps] = beginning(creation.quickstart, ownOptions(options))
    return withAgent(agent, runSync(steps))
  }
}
