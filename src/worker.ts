/**
 * An agent in a worker: whatever it does, the page goes on.
 *
 * @module
 */
import { type ModuleSources, moduleNames } from '#modules'
import { startAgent } from '#start-agent'
import type { SxAgent } from './agent.ts'
import { readInBatch } from './batch-errors.ts'
import { isBytes } from './bytes.ts'
import { boundedText } from './core.ts'
import type { ModuleName } from './core-module.ts'
import { SxError } from './errors.ts'
import { fetchOptions, fileWork } from './file-options.ts'
import type { FileWork } from './file-types.ts'
import { LARGEST_IMAGE } from './images/limit.ts'
import { jsonTextWithin } from './json.ts'
import { copyOfList, isOptions, isRecord, plainOptions } from './options.ts'
import type {
  AgentOptions,
  CompiledModule,
  CreatedAgentInfo,
  CreateOptions,
  FetchOptions,
  QuickstartOptions,
} from './types.ts'
import { blobName, readWeb, webSource } from './web-sources.ts'
import type { AgentClient, AgentServer, MethodThere, OpenedAgent } from './worker/agent-server.ts'
import { Remote } from './worker/remote.ts'
import { type ScriptPolicy, setScriptPolicy } from './worker/script-policy.ts'

export { SxError, type SxErrorCode } from './errors.ts'
export type { ScriptPolicy } from './worker/script-policy.ts'

/** Options that do not go to a worker. */
type PageOnly = 'storage' | 'passkey' | 'signer'

/** Options of an agent in a worker. No storage or signer of one's own can be passed there, nor a passkey asked for. */
export interface WorkerAgentOptions extends Omit<AgentOptions, PageOnly>, ModuleSources<WorkerModule> {
  /** In a page that requires Trusted Types: a policy that allows the addresses of the library's workers, as for `init`. */
  trustedTypes?: ScriptPolicy
}

/** Where a module is, as a worker can be told. */
type WorkerModule = string | URL | ArrayBuffer | ArrayBufferView | CompiledModule

/** What loads the core is done with the worker. */
type Method = Exclude<Extract<keyof SxAgent, string>, `${string}Sync` | 'init'>

/** The methods of `SxAgent` without their twins; each returns a Promise. */
type AwaitedMethods = {
  readonly [Name in keyof Pick<SxAgent, Method>]: (
    ...given: Parameters<SxAgent[Name]>
  ) => Promise<Awaited<ReturnType<SxAgent[Name]>>>
}

/**
 * The methods of `SxAgent` but for the twins, each of which returns a Promise here, `quickstart` and `create` of `/simple`,
 * and `hashString`. Values are copied between the threads. `close` ends the worker, too: after it every call is
 * `NoAgentLoaded`. If the worker dies, every call that is open, and every later one, is `WorkerUnavailable`. What a
 * `Response` or a `URL` holds is read where the method is called.
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
 * @param options password, environment, limits and `verifyOnly`, as for `SxAgent`; where the WebAssembly modules are,
 *   and `trustedTypes`, as for `init`
 * @throws SxError `WorkerUnavailable` where no worker can be started; `WasmUnavailable`; `InvalidOption`, also for a
 *   `storage`, `passkey` or `signer`
 * @example
 * const agent = await createWorkerAgent()
 * await agent.quickstart({ name: 'Billing', domain: 'example.com', configPath: './worker/sx.config.json' })
 * const signed = await agent.createDocument(JSON.stringify({ amount: 1 }))
 * console.log(await agent.verifyDocument(signed)) // true
 * await agent.close()
 */
export async function createWorkerAgent(options: WorkerAgentOptions = {}): Promise<WorkerAgent> {
  const { trustedTypes, ...own } = forWorker(options)
  const { sources, others } = apart(own)
  setScriptPolicy(trustedTypes)
  const running: Running = new Map()
  const served: AgentClient = { progress: (call, ...given) => running.get(call)?.(...given) }
  const remote = new Remote<AgentServer>(startAgent, served)
  try {
    await remote.ready
    return agentOf(remote, running, await remote.call('open', others, sources))
  } catch (error) {
    remote.end()
    throw error
  }
}

/** Where the modules are, and the other options. A `URL` cannot be copied, and goes as a text. */
function apart({ ...others }: WorkerAgentOptions): { sources: ModuleSources<WorkerModule>; others: AgentOptions } {
  const sources: ModuleSources<WorkerModule> = {}
  for (const name of Object.keys(moduleNames) as ModuleName[]) {
    const source = others[name]
    if (source !== undefined) sources[name] = source instanceof URL ? String(source) : source
    delete others[name]
  }
  return { sources, others }
}

function forWorker<T extends object>(options: T): T {
  const own = plainOptions(options)
  if ('storage' in own && own.storage !== undefined) {
    throw new SxError(
      'InvalidOption',
      "The option 'storage' cannot be passed to a worker, which uses the storage of the runtime. Omit it.",
    )
  }
  if ('passkey' in own && own.passkey === true) {
    throw new SxError('InvalidOption', 'A worker cannot request a passkey. Load the agent in the page.')
  }
  if ('signer' in own && own.signer !== undefined) {
    throw new SxError('InvalidOption', 'A signer cannot be passed to a worker. Load the agent where the signer is.')
  }
  return own
}

/** The progress callbacks of calls, by their numbers. */
type Running = Map<number, (...given: unknown[]) => void>

type Call = (...given: unknown[]) => Promise<unknown>

function agentOf(remote: Remote<AgentServer>, running: Running, { limits, methods }: OpenedAgent): WorkerAgent {
  const json = (value: unknown): string => jsonTextWithin(value, limits)
  const document = (value: unknown): string => (typeof value === 'string' ? value : json(value))
  const listOf = (list: unknown, textOf: (value: unknown) => string): string[] =>
    copyOfList('list', list as readonly unknown[]).map((value, index, { length }) =>
      readInBatch(index, length, () => textOf(value)),
    )
  const asText = {
    value: json,
    document,
    values: (list: unknown) => listOf(list, json),
    documents: (list: unknown) => listOf(list, document),
  }
  const reading = new Set<AbortController>()
  const read = {
    text: readHere('text', limits.bytes, reading),
    image: readHere('image', LARGEST_IMAGE, reading),
  }
  const watch = watcher(remote, running)
  const callOf = (name: string, how: MethodThere): Call => {
    const { data, source, options } = how
    const call: Call = how.isWatched === true ? watch(name, how) : calling(remote, name, how)
    if (data !== undefined) return async (first, ...others) => call(asText[data](first), ...others)
    if (source !== undefined) return read[source](call, options)
    return call
  }
  const calls = Object.fromEntries(Object.entries(methods).map(([name, how]) => [name, callOf(name, how)]))
  const closeAll = async (): Promise<void> => {
    if (remote.isEnded) return
    const found = 'The agent was closed and its worker ended. Create another agent with createWorkerAgent.'
    const error = new SxError('NoAgentLoaded', found)
    for (const one of reading) one.abort(error)
    try {
      await calls['close']?.()
    } finally {
      remote.end(error)
    }
  }
  let closing: Promise<void> | undefined
  return Object.freeze({
    ...calls,
    quickstart: async (options: object) =>
      received(await remote.call('quickstart', forWorker(options) as QuickstartOptions)),
    create: async (options: object) => received(await remote.call('create', forWorker(options) as CreateOptions)),
    hashString: hashing(remote),
    close: () => {
      closing ??= closeAll()
      return closing
    },
  }) as unknown as WorkerAgent
}

/** Calls a method with what can be copied. */
function calling(remote: Remote<AgentServer>, name: string, how: MethodThere): Call {
  return async (...given) => received(await remote.call('method', name, sent(given, how)))
}

/**
 * Makes methods that take a source, and options of which some stay here. A source that cannot be copied to a worker is
 * read here; others are copied before the call returns.
 */
function readHere(kind: 'text' | 'image', maxBytes: number, reading: Set<AbortController>) {
  return (call: Call, place = 1): Call =>
    async (source, ...given) => {
      const options = given[place - 1] as FetchOptions | undefined
      const { signal, timeout, ...others } = options === undefined ? {} : plainOptions(options)
      const fetching = fetchOptions({ ...(signal && { signal }), ...(timeout !== undefined && { timeout }) })
      if (options !== undefined) given[place - 1] = others
      const web = webSource(source, kind, maxBytes, fetching)
      if (web === undefined) return call(source, ...given)
      const controller = new AbortController()
      reading.add(controller)
      let bytes: Uint8Array
      try {
        bytes = await readWeb(web, controller.signal)
      } finally {
        reading.delete(controller)
      }
      return call(bytes, ...given)
    }
}

/** Arguments as they go to the worker. Options of a class would lose there what its accessors give, and are refused. */
function sent(given: readonly unknown[], { source }: MethodThere): unknown[] {
  const own = given.map((value) => (isRecord(value) ? plainOptions(value) : value))
  return source === undefined ? own.map(withName) : own
}

/** What is copied of a `File`, alone, in a list or as attachment, has no name in Node 20. */
function withName(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(withName)
  const name = blobName(value)
  if (name) return { name, data: value }
  if (!isRecord(value) || !('attachments' in value)) return value
  return { ...value, attachments: withName(value.attachments) }
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

/** Makes methods of which signal and progress stay here. */
function watcher(remote: Remote<AgentServer>, running: Running) {
  let calls = 0
  return (name: string, how: MethodThere): Call =>
    async (...given) => {
      const { options: place = 1, isWhole } = how
      const copied = sent(given, how)
      const options = copied[place]
      if (!isOptions(options)) return received(await remote.call('method', name, copied))
      const { signal, onProgress } = fileWork(options)
      const { signal: _, onProgress: __, ...others } = options as FileWork
      copied[place] = others
      calls += 1
      const call = calls
      let fail: (reason: unknown) => void = () => {}
      const stopped = new Promise<never>((_, reject) => {
        fail = reject
      })
      let stoppedBy: { readonly reason: unknown } | undefined
      const stop = (reason: unknown): void => {
        running.delete(call)
        stoppedBy ??= { reason }
        if (isWhole !== true) fail(reason)
        remote.call('abort', call).catch(() => {}) // the call has ended in any case
      }
      const abort = (): void => stop(signal?.reason)
      signal?.addEventListener('abort', abort)
      const tell = onProgress as ((...progress: unknown[]) => void) | undefined
      running.set(call, (...progress) => {
        try {
          tell?.(...progress)
        } catch (error) {
          stop(error)
        }
      })
      try {
        return received(await Promise.race([stopped, remote.call('watched', call, name, copied, place)]))
      } catch (error) {
        throw stoppedBy === undefined ? error : stoppedBy.reason
      } finally {
        running.delete(call)
        signal?.removeEventListener('abort', abort)
      }
    }
}

/** What the worker has answered. There it is frozen, a copy is not; a list of results is not there either. */
function received<T>(value: T): T {
  if (!Array.isArray(value)) return frozen(value)
  for (const one of value) frozen<unknown>(one)
  return value
}

/** Freezes all of a result but bytes, and but the payload of a verdict: what was signed is the caller's. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isBytes(value)) return value
  for (const [name, member] of Object.entries(value))
    if (name !== 'data' || !('valid' in value)) frozen<unknown>(member)
  return Object.freeze(value)
}
