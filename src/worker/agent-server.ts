import type { ModuleSources } from '#modules'
import { SxAgent } from '../agent.ts'
import { type Crossing, knownOf, sessionOf } from '../api/form.ts'
import { ensureReady } from '../core.ts'
import { runAsync } from '../effects.ts'
import { SxError } from '../errors.ts'
import { allLimits, type TextLimits } from '../limits.ts'
import { setModuleSources } from '../module-sources.ts'
import { create, quickstart } from '../operations/create.ts'
import { ownOptions } from '../options.ts'
import { entrance } from '../session.ts'
import type { AgentOptions, CoreSource, CreatedAgentInfo, CreateOptions, QuickstartOptions } from '../types.ts'
import { hashString } from '../utilities.ts'
import { Connection, type Post } from './connection.ts'

/** How a method is called here from another thread. */
export interface MethodThere extends Crossing {
  /** Which argument the options are, from 0. */
  readonly options?: number | undefined
  /** Whether these have a signal and progress. */
  readonly isWatched?: boolean
}

/** What the other thread knows about an agent. */
export interface OpenedAgent {
  readonly limits: Required<TextLimits>
  readonly methods: Readonly<Record<string, MethodThere>>
}

/** The methods of `SxAgent` that are called from another thread: not its twins, nor what loads the core. */
function methodsHere(): Record<string, MethodThere> {
  const methods = Object.getPrototypeOf(SxAgent.prototype) as object
  const names = Object.getOwnPropertyNames(methods).filter((name) => !/^constructor$|^init$|Sync$/.test(name))
  return Object.fromEntries(names.map((name) => [name, hereAs(Reflect.get(methods, name) as object)]))
}

function hereAs(method: object): MethodThere {
  const { data, source, isWhole = false, options } = knownOf(method).shape
  const watched = options.find(({ names }) => 'onProgress' in names)
  return { data, source, isWhole, options: (watched ?? options[0])?.at, isWatched: watched !== undefined }
}

/** What a worker with an agent in it serves. */
export interface AgentServer {
  /** Loads the core and makes the agent; what comes before is `NoAgentLoaded`. */
  open(options: AgentOptions, sources: ModuleSources<CoreSource>): Promise<OpenedAgent>
  quickstart(options: QuickstartOptions): Promise<CreatedAgentInfo>
  create(options: CreateOptions): Promise<CreatedAgentInfo>
  /** Calls a method of the agent. */
  method(name: string, given: readonly unknown[]): unknown
  /** A method with options, the argument at this place. Signal and progress cannot be copied: they cross as calls with a number. */
  watched(call: number, name: string, given: readonly unknown[], place: number): Promise<unknown>
  abort(call: number): void
  /** Takes a piece of the text of a call; with the last one gives the hash of the whole. */
  hashPiece(call: number, piece: string, isLast: boolean): string | undefined
}

/** What it calls where it was started. */
export interface AgentClient {
  progress(call: number, ...given: unknown[]): void
}

/** Serves one agent. */
export function agentServer(post: Post): Connection<AgentClient> {
  let opened: SxAgent | undefined
  const methods = methodsHere()
  const running = new Map<number, AbortController>()
  const texts = new Map<number, string[]>()
  const agent = (): SxAgent => {
    if (opened === undefined) throw new SxError('NoAgentLoaded')
    return opened
  }
  /** The options that the agent was made with, and those of a call. */
  const joined = <T extends AgentOptions>(options: T): T => ownOptions({ ...sessionOf(agent()).options, ...options })
  const method: AgentServer['method'] = (name, given) => {
    if (!Object.hasOwn(methods, name)) throw new SxError('Unsupported')
    const called = agent() as unknown as Record<string, (...given: readonly unknown[]) => unknown>
    const [first, ...others] = given
    const data = methods[name]?.data
    if (data === 'value') return called[name]?.(JSON.parse(first as string), ...others)
    if (data !== 'values') return called[name]?.(...given)
    return called[name]?.(
      (first as string[]).map((text) => JSON.parse(text) as unknown),
      ...others,
    )
  }
  const connection = new Connection<AgentClient>(post, {
    open: async (options, { core, ...others }) => {
      setModuleSources(others)
      await ensureReady(core)
      opened = new SxAgent(options)
      return { limits: allLimits(options.limits), methods }
    },
    quickstart: (options) => {
      const steps = quickstart(entrance(sessionOf(agent())), joined(options))
      return runAsync(() => steps)
    },
    create: (options) => {
      const steps = create(entrance(sessionOf(agent())), joined(options))
      return runAsync(() => steps)
    },
    method,
    watched: async (call, name, given, place) => {
      const controller = new AbortController()
      running.set(call, controller)
      const onProgress = (...progress: unknown[]): void => {
        connection.call('progress', call, ...progress).catch(() => {}) // what the callback throws ends the call there
      }
      const options = { ...(given[place] as object), signal: controller.signal, onProgress }
      try {
        return await method(name, [...given.slice(0, place), options, ...given.slice(place + 1)])
      } finally {
        running.delete(call)
      }
    },
    abort: (call) => running.get(call)?.abort(),
    hashPiece: (call, piece, isLast) => {
      const pieces = texts.get(call) ?? []
      pieces.push(piece)
      texts.set(call, pieces)
      if (!isLast) return undefined
      texts.delete(call)
      return hashString(pieces.join(''))
    },
  } satisfies AgentServer)
  return connection
}
