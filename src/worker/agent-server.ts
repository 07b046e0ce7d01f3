import { SxAgent } from '../agent.ts'
import { sessionOf } from '../api/form.ts'
import { ensureReady } from '../core.ts'
import { runAsync } from '../effects.ts'
import { SxError } from '../errors.ts'
import { type ImageSources, setImageSources } from '../images/modules.ts'
import { allLimits, type TextLimits } from '../limits.ts'
import { create, quickstart } from '../operations/create.ts'
import { ownOptions } from '../options.ts'
import { setSchemaSource } from '../schemas/where.ts'
import { entrance } from '../session.ts'
import type {
  AgentOptions,
  CoreSource,
  CreatedAgentInfo,
  CreateOptions,
  QuickstartOptions,
  SignedDocument,
} from '../types.ts'
import { hashString } from '../utilities.ts'
import { agentMethods } from './agent-methods.ts'
import { Connection, type Post } from './connection.ts'

/** Where the modules are that are loaded when they are needed. */
interface Sources extends ImageSources {
  schema?: CoreSource | undefined
}

/** What a worker with an agent in it serves. */
export interface AgentServer {
  /** Loads the core and makes the agent; what comes before is `NoAgentLoaded`. Gives the limits of the agent. */
  open(options: AgentOptions, core: CoreSource | undefined, sources: Sources): Promise<Required<TextLimits>>
  quickstart(options: QuickstartOptions): Promise<CreatedAgentInfo>
  create(options: CreateOptions): Promise<CreatedAgentInfo>
  /** Calls a method of the agent. */
  method(name: string, given: readonly unknown[]): unknown
  /** `signMessage` of a value that comes as JSON text: a copy would show objects of a class as plain ones. */
  signMessage(json: string, given: readonly unknown[]): Promise<SignedDocument>
  /** `signRequest`, likewise. */
  signRequest(json: string): string
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
  const running = new Map<number, AbortController>()
  const texts = new Map<number, string[]>()
  const agent = (): SxAgent => {
    if (opened === undefined) throw new SxError('NoAgentLoaded')
    return opened
  }
  /** The options that the agent was made with, and those of a call. */
  const joined = <T extends AgentOptions>(options: T): T => ownOptions({ ...sessionOf(agent()).options, ...options })
  const method: AgentServer['method'] = (name, given) => {
    if (!(agentMethods as readonly string[]).includes(name)) throw new SxError('Unsupported')
    const methods = agent() as unknown as Record<string, (...given: readonly unknown[]) => unknown>
    if (name !== 'signMessages') return methods[name]?.(...given)
    // The values come as JSON texts, as that of `signMessage` does.
    const [texts, ...others] = given as [string[], ...unknown[]]
    return methods[name]?.(
      texts.map((text) => JSON.parse(text) as unknown),
      ...others,
    )
  }
  const connection = new Connection<AgentClient>(post, {
    open: async (options, core, sources) => {
      setImageSources(sources)
      setSchemaSource(sources.schema)
      await ensureReady(core)
      opened = new SxAgent(options)
      return allLimits(options.limits)
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
    signRequest: (json) => agent().signRequest(JSON.parse(json)),
    signMessage: (json, given) => agent().signMessage(JSON.parse(json), ...(given as [])),
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
