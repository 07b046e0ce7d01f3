import type { Storage, SyncStorage } from '../../src/storage/contract.ts'
import type { Agent, Name } from './process.ts'

/**
 * How a process uses the storage: it awaits every call; it keeps a copy in memory and may write behind; or its storage
 * answers at once, and others go on between its calls.
 */
export type Kind = 'awaited' | 'page' | 'server'

/** What the agents of one process share. */
export interface Process {
  /** The actor that has opened the storage, and all others. */
  readonly actors: Actor[]
  isAlive: boolean
  /** Whether its storage has ever failed: then it may say so. */
  isTouched: boolean
  /** Whether an external signer has ever failed that it has asked. */
  hasSignerFailed: boolean
  /** How far its clock is ahead, in milliseconds. */
  ahead: number
}

/**
 * An agent of a process, from its start until the process dies or all is over. When the process starts again it is
 * another one. Most processes have a single agent; those of others work on the storage that the first one has opened.
 */
export class Actor {
  readonly name: string
  readonly kind: Kind
  readonly storage: Storage
  readonly process: Process
  /** Tick at which its process has started, which may have read a copy of the storage since. */
  readonly since: number
  /** It was loaded to verify only. */
  isVerifier = false
  agent: Agent | undefined
  /** What its agent works on: the storage, or the copy of a page. */
  opened: Storage | SyncStorage
  /** How many of its calls are running. */
  running = 0
  /** Calls that have answered, while what they wrote is on its way. */
  readonly unsettled: Set<Call> = new Set()
  /** The latest version it was told of each document. */
  readonly known: Map<string, string> = new Map()
  /** The version of the agent document that its agent was opened with or has made. */
  own: string | undefined
  /** Tick at which its agent was opened; calls before work with another one. */
  openedAt = 0

  constructor(name: string, kind: Kind, since: number, storage: (actor: Actor) => Storage, beside?: Actor) {
    this.name = name
    this.kind = kind
    this.since = beside?.since ?? since
    this.process = beside?.process ?? { actors: [], isAlive: true, isTouched: false, hasSignerFailed: false, ahead: 0 }
    this.process.actors.push(this)
    this.storage = beside?.storage ?? storage(this)
    this.opened = beside?.opened ?? this.storage
  }

  get isAlive(): boolean {
    return this.process.isAlive
  }

  /** Whether it has opened the storage of its process. */
  get isFirst(): boolean {
    return this.process.actors[0] === this
  }

  get loaded(): Agent {
    if (this.agent === undefined) throw new Error(`${this.name} has no agent.`)
    return this.agent
  }
}

/**
 * What is known of a call: it is running; it has answered, and what it wrote is on its way (`unsettled`); it was done;
 * it was refused, so that nothing was done; or nobody knows, because storage failed or the process died (`unknown`).
 */
export type State = 'running' | 'unsettled' | 'done' | 'refused' | 'unknown'

/** One call of an operation. */
export interface Call {
  /** Counted from 1; what the call writes carries it. */
  readonly number: number
  readonly actor: Actor
  readonly name: Name | 'flush'
  readonly given: readonly unknown[]
  /** In the synchronous form, where the storage has another one too. */
  readonly isAtOnce: boolean
  readonly invoked: number
  /** What the process knew when it called. */
  readonly known: ReadonlyMap<string, string>
  /** The version of the agent document that the process worked with. */
  readonly own: string | undefined
  /** What the clock of its process said when it was called, and when it ended. */
  readonly clock: number
  endClock?: number
  /** The most and the least that it said in between, where it has jumped. */
  mostClock?: number
  leastClock?: number
  /** Tick of its answer, where that was before it was settled. */
  answered?: number
  /** Tick of its answer, or of the flush that settled it, or of the death of its process. */
  ended: number | undefined
  state: State
  value?: unknown
  code?: string
}

/** Operations that change something. */
export const WRITES: ReadonlySet<string> = new Set<Name>([
  'signMessage',
  'signMessages',
  'updateById',
  'updateByKey',
  'updateAgent',
  'trustAgent',
  'untrustAgent',
  'reencryptKey',
  'rotateKey',
  'revokeKey',
  'revokeAsStated',
  'createAgreement',
  'act',
  'importAgreement',
])

/** Operations that look for a rotation of the key on its way. */
export const LOOKS: ReadonlySet<string> = new Set<Name>([
  'signMessage',
  'signMessages',
  'updateById',
  'createRevocation',
  'refresh',
])

/** Refusals because of the storage: whether anything was done is not known. */
export const STORAGE_CODES: ReadonlySet<string> = new Set(['StorageUnavailable', 'StorageFull', 'Busy'])

/** Refusals of what was written behind: another one had the place, or a decision on trust was refused when decided again. */
export const LATE_CODES: ReadonlySet<string> = new Set(['VersionConflict', 'Rollback', 'KeyRevoked'])

/** Whether something that a call writes may arrive now. */
export function isOpen(call: Call): boolean {
  return call.state === 'running' || call.state === 'unsettled' || call.state === 'unknown'
}

/** A rule that was broken. */
export interface Violation {
  /** Short name of the rule. */
  readonly rule: string
  readonly found: string
}

/** What watches over a part of what is stored. */
export interface Model {
  /** The entry at a path has changed; by a process, or by the simulation itself. */
  changed(path: string, by: Actor | undefined): void
  /** A call has answered or failed, or was settled by a flush. */
  ended(call: Call): void
  /** Whether it is this model that knows whether a refusal is true. */
  judges?(call: Call): boolean
  /** Whether something that a process wrote behind has lost its place, which it learns of with any later call. */
  hasLostBehind?(actor: Actor): boolean
  /** All is over, nothing fails any more: what does a process find that starts now? */
  closing(observer: Actor): void
}
