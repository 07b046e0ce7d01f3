/**
 * An agent in a worker: whatever it does, the page goes on.
 *
 * @module
 */
import { startAgent } from '#start-agent'
import { boundedText } from './core.ts'
import { SxError } from './errors.ts'
import { jsonTextWithin } from './json.ts'
import type { Limits } from './limits.ts'
import { manyOptions } from './many-options.ts'
import { isRecord, plainOptions } from './options.ts'
import type {
  AgentOptions,
  CompiledModule,
  CreatedAgentInfo,
  CreateOptions,
  QuickstartOptions,
  VerificationResult,
  VerifyManyOptions,
} from './types.ts'
import { type AwaitedMethods, agentMethods } from './worker/agent-methods.ts'
import type { AgentClient, AgentServer } from './worker/agent-server.ts'
import { Remote } from './worker/remote.ts'

export { SxError, type SxErrorCode } from './errors.ts'

/** Options that do not go to a worker. */
type PageOnly = 'storage' | 'passkey'

/** Options of an agent in a worker. A storage of one's own cannot be passed there, nor a passkey asked for. */
export interface WorkerAgentOptions extends Omit<AgentOptions, PageOnly> {
  /** Where the WebAssembly module of the core is: see `init`. By default the file that the package brings along. */
  core?: string | URL | ArrayBuffer | ArrayBufferView | CompiledModule
}

/**
 * The methods of `SxAgent` but for the twins, each of which returns a Promise here, `quickstart` and `create` of `/simple`,
 * and `hashString`. Values are copied between the threads. `close` ends the worker, too: after it every call is
 * `NoAgentLoaded`. If the worker dies, every call that is open, and every later one, is `WorkerUnavailable`.
 */
export interface WorkerAgent extends AwaitedMethods {
  /** Loads the agent at `configPath`, or creates it with a new key pair: see `quickstart` of `/simple`. */
  quickstart(options: Omit<QuickstartOptions, PageOnly>): Promise<CreatedAgentInfo>
  /** Creates a new agent and loads it: see `create` of `/simple`. */
  create(options: Omit<CreateOptions, PageOnly>): Promise<CreatedAgentInfo>
  /**
   * SHA-256 of a text's UTF-8 bytes: see `hashString` of the core module. No agent has to be loaded. The text goes to
   * the worker in pieces, so that copying a long one does not stop the page either.
   */
  hashString(data: string): Promise<string>
}

/**
 * Starts a worker with an agent in it, which is not loaded yet: a dedicated worker in a page, a thread in Node. There
 * keys are made and documents signed and verified, while the page stays free. It uses the storage of the runtime:
 * other agents, pages and workers see what it writes.
 *
 * @param options password, environment, limits and `verifyOnly`, as for `SxAgent`; `core`, as for `init`
 * @throws SxError `WorkerUnavailable` where no worker can be started; `WasmUnavailable`; `InvalidOption`, also for a
 *   `storage` or `passkey`
 * @example
 * const agent = await createWorkerAgent()
 * await agent.quickstart({ name: 'Billing', domain: 'example.com', configPath: './worker/sx.config.json' })
 * const signed = await agent.createDocument(JSON.stringify({ amount: 1 }))
 * console.log(await agent.verifyDocument(signed)) // true
 * await agent.close()
 */
export async function createWorkerAgent(options: WorkerAgentOptions = {}): Promise<WorkerAgent> {
  const { core, ...others } = forWorker(options)
  const running = new Map<number, NonNullable<VerifyManyOptions['onProgress']>>()
  const served: AgentClient = { progress: (call, done, total) => running.get(call)?.(done, total) }
  const remote = new Remote<AgentServer>(startAgent, served)
  try {
    await remote.ready
    const limits = await remote.call('open', others, core instanceof URL ? String(core) : core)
    return agentOf(remote, running, limits)
  } catch (error) {
    remote.end()
    throw error
  }
}

function forWorker<T extends object>(options: T): T {
  const own = plainOptions(options)
  if ('storage' in own && own.storage !== undefined) {
    throw new SxError(
      'InvalidOption',
      "The option 'storage' cannot go to a worker, which uses the storage of the runtime: leave it out.",
    )
  }
  if ('passkey' in own && own.passkey === true) {
    throw new SxError('InvalidOption', 'A worker cannot ask for a passkey: load the agent in the page.')
  }
  return own
}

type Running = Map<number, NonNullable<VerifyManyOptions['onProgress']>>

function agentOf(remote: Remote<AgentServer>, running: Running, limits: Required<Limits>): WorkerAgent {
  const methods: Record<string, (...given: never[]) => Promise<unknown>> = {}
  for (const name of agentMethods) {
    methods[name] = async (...given: unknown[]) => received(await remote.call('method', name, sent(given)))
  }
  const agent = methods as unknown as { -readonly [Name in keyof WorkerAgent]: WorkerAgent[Name] }
  const json = (value: unknown): string => jsonTextWithin(value, limits)
  agent.signMessage = async (data, ...given) => received(await remote.call('signMessage', json(data), sent(given)))
  const { createDocument, updateAgent } = agent
  agent.createDocument = async (data, ...given) =>
    createDocument(typeof data === 'string' ? data : json(data), ...given)
  agent.updateAgent = async (data) => updateAgent(typeof data === 'string' ? data : json(data))
  agent.quickstart = async (options) =>
    received(await remote.call('quickstart', forWorker(options) as QuickstartOptions))
  agent.create = async (options) => received(await remote.call('create', forWorker(options)))
  agent.hashString = hashing(remote)
  agent.verifyMany = many(remote, running)
  const closeThere = agent.close
  const closeAll = async (): Promise<void> => {
    if (remote.isEnded) return
    try {
      await closeThere()
    } finally {
      remote.end(
        new SxError(
          'NoAgentLoaded',
          'The agent was closed and its worker ended; make another one with createWorkerAgent.',
        ),
      )
    }
  }
  let closing: Promise<void> | undefined
  agent.close = () => {
    closing ??= closeAll()
    return closing
  }
  return Object.freeze(agent)
}

/** Arguments as they go to the worker. Options of a class would lose there what its accessors give, and are refused. */
function sent(given: readonly unknown[]): unknown[] {
  return given.map((value) => (isRecord(value) ? plainOptions(value) : value))
}

/** Characters of a text that are copied at once: a millisecond or two, also of texts with other letters than Latin ones. */
const PIECE = 1 << 18

function hashing(remote: Remote<AgentServer>): WorkerAgent['hashString'] {
  let calls = 0
  return async (data) => {
    const whole = boundedText(data, 'data')
    calls += 1
    const call = calls
    // Between two pieces the page has its turn: each is sent when the one before has arrived.
    for (let at = 0; ; at += PIECE) {
      const isLast = at + PIECE >= whole.length
      const hash = await remote.call('hashPiece', call, whole.slice(at, at + PIECE), isLast)
      if (hash !== undefined) return hash
    }
  }
}

/** `verifyMany`: signal and progress stay here. */
function many(remote: Remote<AgentServer>, running: Running): WorkerAgent['verifyMany'] {
  let calls = 0
  return async (documents, options = {}) => {
    const { signal, onProgress, ...others } = manyOptions(options)
    if (signal?.aborted === true) throw signal.reason
    calls += 1
    const call = calls
    let fail: (reason: unknown) => void = () => {}
    const stopped = new Promise<never>((_, reject) => {
      fail = reject
    })
    const stop = (reason: unknown): void => {
      running.delete(call)
      fail(reason)
      remote.call('abort', call).catch(() => {}) // the call has ended in any case
    }
    const abort = (): void => stop(signal?.reason)
    signal?.addEventListener('abort', abort)
    running.set(call, (done, total) => {
      try {
        onProgress?.(done, total)
      } catch (error) {
        stop(error)
      }
    })
    try {
      const results = await Promise.race([stopped, remote.call('verifyMany', call, documents, others)])
      return results.map(received)
    } finally {
      running.delete(call)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** What the worker has answered. There it is frozen, a copy is not; arrays and bytes are not there either. */
function received<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return value
  const { attachments, errors } = value as Partial<VerificationResult>
  Object.freeze(attachments)
  Object.freeze(errors)
  return Object.freeze(value)
}
