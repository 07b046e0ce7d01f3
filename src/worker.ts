/**
 * An agent in a worker: whatever it does, the page goes on.
 *
 * @module
 */
import { startAgent } from '#start-agent'
import { readInBatch } from './batch-errors.ts'
import { boundedText } from './core.ts'
import { SxError } from './errors.ts'
import { fetchOptions, fileWork } from './file-options.ts'
import type { FileWork, VerifyFileResult } from './file-types.ts'
import type { ImageSource, VerifyImageResult } from './image-types.ts'
import { LARGEST_IMAGE } from './images/limit.ts'
import { jsonTextWithin } from './json.ts'
import type { TextLimits } from './limits.ts'
import { manyOptions } from './many-options.ts'
import { copyOfList, isOptions, isRecord, plainOptions } from './options.ts'
import type {
  AgentOptions,
  CompiledModule,
  CreatedAgentInfo,
  CreateOptions,
  FetchOptions,
  QuickstartOptions,
  TextSource,
  VerificationResult,
  VerifyTextResult,
} from './types.ts'
import { webSource } from './web-sources.ts'
import { type AwaitedMethods, agentMethods } from './worker/agent-methods.ts'
import type { AgentClient, AgentServer } from './worker/agent-server.ts'
import { Remote } from './worker/remote.ts'
import { type ScriptPolicy, setScriptPolicy } from './worker/script-policy.ts'

export { SxError, type SxErrorCode } from './errors.ts'
export type { ScriptPolicy } from './worker/script-policy.ts'

/** Options that do not go to a worker. */
type PageOnly = 'storage' | 'passkey' | 'signer'

/** Options of an agent in a worker. No storage or signer of one's own can be passed there, nor a passkey asked for. */
export interface WorkerAgentOptions extends Omit<AgentOptions, PageOnly> {
  /** Where the WebAssembly module of the core is: see `init`. By default the file that the package brings along. */
  core?: WorkerModule
  /** Where the module for images is; likewise. */
  media?: WorkerModule
  /** Where the module for the pixels of images is; likewise. */
  pixels?: WorkerModule
  /** Where the module for custom schemas is; likewise. */
  schema?: WorkerModule
  /** In a page that requires Trusted Types: a policy that allows the addresses of the library's workers, as for `init`. */
  trustedTypes?: ScriptPolicy
}

/** Where a module is, as a worker can be told. */
type WorkerModule = string | URL | ArrayBuffer | ArrayBufferView | CompiledModule

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
 * @param options password, environment, limits and `verifyOnly`, as for `SxAgent`; `core`, `media`, `pixels`, `schema`
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
  const { core, media, pixels, schema, trustedTypes, ...others } = forWorker(options)
  setScriptPolicy(trustedTypes)
  const running: Running = new Map()
  const served: AgentClient = { progress: (call, ...given) => running.get(call)?.(...given) }
  const remote = new Remote<AgentServer>(startAgent, served)
  try {
    await remote.ready
    const sources = { media: copyable(media), pixels: copyable(pixels), schema: copyable(schema) }
    const limits = await remote.call('open', others, copyable(core), sources)
    return agentOf(remote, running, limits)
  } catch (error) {
    remote.end()
    throw error
  }
}

/** A `URL` cannot be copied. */
function copyable<T>(module: T | URL): T | string {
  return module instanceof URL ? String(module) : module
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

/** What is told of the progress of calls, by their numbers. */
type Running = Map<number, (...given: unknown[]) => void>

/** Where the options are that have a signal and progress, among the arguments of a method. */
const WATCHED = {
  createDocument: 1,
  createDocuments: 1,
  signFile: 1,
  signMessages: 1,
  updateDocument: 2,
  verifyFile: 2,
  verifyMany: 1,
} as const

/** Methods whose end is waited for also where they are told to end: they store everything or nothing. */
const WAITED_FOR: readonly string[] = ['createDocuments', 'signMessages']

function agentOf(remote: Remote<AgentServer>, running: Running, limits: Required<TextLimits>): WorkerAgent {
  const methods: Record<string, (...given: never[]) => Promise<unknown>> = {}
  for (const name of agentMethods) {
    methods[name] = async (...given: unknown[]) => received(await remote.call('method', name, sent(given)))
  }
  const watch = watcher(remote, running)
  for (const [name, place] of Object.entries(WATCHED)) methods[name] = watch(name, place)
  const agent = methods as unknown as { -readonly [Name in keyof WorkerAgent]: WorkerAgent[Name] }
  const json = (value: unknown): string => jsonTextWithin(value, limits)
  agent.signMessage = async (data, ...given) => received(await remote.call('signMessage', json(data), sent(given)))
  agent.signRequest = async (params) => await remote.call('signRequest', json(params))
  const texts = (list: readonly unknown[], isText: (value: unknown) => boolean): string[] =>
    copyOfList('list', list).map((value, index, { length }) =>
      isText(value) ? (value as string) : readInBatch(index, length, () => json(value)),
    )
  const { createDocument, createDocuments, signMessages, updateAgent } = agent
  agent.signMessages = async (list, ...given) =>
    signMessages(
      texts(list, () => false),
      ...given,
    )
  agent.createDocuments = async (list, ...given) =>
    createDocuments(
      texts(list, (value) => typeof value === 'string'),
      ...given,
    )
  agent.createDocument = async (data, ...given) =>
    createDocument(typeof data === 'string' ? data : json(data), ...given)
  agent.updateAgent = async (data) => updateAgent(typeof data === 'string' ? data : json(data))
  const { signText, verifyText, signImage, verifyImage, stripImageSignature, imageCapacity } = agent
  const reading = new Set<AbortController>()
  const ofText = readHere<TextSource>('text', limits.bytes, reading)
  const ofImage = readHere<ImageSource>('image', LARGEST_IMAGE, reading)
  agent.signText = (source, options) => ofText(source, options, (text) => signText(text))
  agent.verifyText = (source, options) => ofText(source, options, (text, others) => verifyText(text, others))
  agent.signImage = (source, out, options) => ofImage(source, options, (image, others) => signImage(image, out, others))
  agent.verifyImage = (source, options) => ofImage(source, options, (image, others) => verifyImage(image, others))
  agent.imageCapacity = (source, options) => ofImage(source, options, (image, others) => imageCapacity(image, others))
  agent.stripImageSignature = (source, out, options) =>
    ofImage(source, options, (image, others) => stripImageSignature(image, out, others))
  agent.quickstart = async (options) =>
    received(await remote.call('quickstart', forWorker(options) as QuickstartOptions))
  agent.create = async (options) => received(await remote.call('create', forWorker(options)))
  agent.hashString = hashing(remote)
  const { verifyMany } = agent
  agent.verifyMany = async (documents, options = {}) => verifyMany(documents, manyOptions(options))
  const closeThere = agent.close
  const closeAll = async (): Promise<void> => {
    if (remote.isEnded) return
    const found = 'The agent was closed and its worker ended. Create another one with createWorkerAgent.'
    const error = new SxError('NoAgentLoaded', found)
    for (const one of reading) one.abort(error)
    try {
      await closeThere()
    } finally {
      remote.end(error)
    }
  }
  let closing: Promise<void> | undefined
  agent.close = () => {
    closing ??= closeAll()
    return closing
  }
  return Object.freeze(agent)
}

/**
 * Calls with a source, and the options without those that stay here. A source that cannot be copied to a worker is read
 * here; others are copied before this returns.
 */
function readHere<Source>(kind: 'text' | 'image', maxBytes: number, reading: Set<AbortController>) {
  return async <Options extends FetchOptions, T>(
    source: Source,
    options: Options | undefined,
    call: (source: Source | Uint8Array, others: Omit<Options, keyof FetchOptions> | undefined) => Promise<T>,
  ): Promise<T> => {
    const { signal, timeout, ...others } = options === undefined ? ({} as Options) : plainOptions(options)
    const fetching = fetchOptions({ ...(signal && { signal }), ...(timeout !== undefined && { timeout }) })
    const read = webSource(source, kind, maxBytes, fetching)
    if (read === undefined) return call(source, others)
    const controller = new AbortController()
    reading.add(controller)
    let bytes: Uint8Array
    try {
      bytes = await read(controller.signal)
    } finally {
      reading.delete(controller)
    }
    return call(bytes, others)
  }
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

/** Makes methods of which signal and progress stay here. */
function watcher(remote: Remote<AgentServer>, running: Running) {
  let calls = 0
  return (name: string, place: number) =>
    async (...given: unknown[]): Promise<unknown> => {
      const copied = sent(given)
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
      const isWaitedFor = WAITED_FOR.includes(name)
      let stoppedBy: { readonly reason: unknown } | undefined
      const stop = (reason: unknown): void => {
        running.delete(call)
        stoppedBy ??= { reason }
        if (!isWaitedFor) fail(reason)
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

/** What the worker has answered. There it is frozen, a copy is not; lists and bytes are not there either. */
function received<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) {
    for (const one of value) received<unknown>(one)
    return value
  }
  const { attachments, errors, warnings } = value as Partial<VerificationResult>
  const { attachment, document } = value as Partial<VerifyFileResult>
  const { signers } = value as Partial<VerifyTextResult>
  const { unsignedRegions, lost, signatures } = value as Partial<VerifyImageResult>
  for (const { errors: own, lost: gone } of signatures ?? []) for (const part of [own, gone]) Object.freeze(part)
  for (const part of [
    ...(attachments ?? []),
    ...(signers ?? []),
    ...(signatures ?? []),
    ...(warnings ?? []),
    attachment,
  ])
    Object.freeze(part)
  for (const part of [attachments, errors, signers, signatures, warnings, unsignedRegions, lost]) Object.freeze(part)
  received(document)
  return Object.freeze(value)
}
