import { processors } from '#workers'
import { SxError } from '../errors.ts'
import type { KnownKeys } from '../verification/decide.ts'
import type { Remote } from './remote.ts'
import { startedVerifier } from './started.ts'
import type { KeySupply, Verifier } from './verifier.ts'

/** More are not started unless they are asked for: each has a core of its own in memory. */
const ENOUGH = 8

/** A worker that verifies, from its start on. */
export interface PooledVerifier {
  /** Resolves when it can verify. */
  readonly begun: Promise<void>
  readonly verify: (...given: Parameters<Verifier['verify']>) => Promise<string[]>
  readonly forget: (batch: number) => void
}

/** Looks up what is known of a signer. */
export type KeysOf = (agentId: string) => Promise<KnownKeys>

const users = new Set<object>()
const supplies = new Map<number, KeysOf>()
let workers: { readonly remote: Remote<Verifier>; readonly pooled: PooledVerifier }[] = []
let batches = 0
/** Whether one could not be started: then no other one is tried until there is a new pool. */
let isRefused = false

/** The default number of workers. */
export function usualCount(): number {
  return Math.min(processors(), ENOUGH)
}

/**
 * Workers for a user, at most so many: those that are there, and new ones, but no more than there are processors, or
 * {@link ENOUGH} where there are fewer. They are kept until all users have left.
 */
export function takeWorkers(user: object, count: number): PooledVerifier[] {
  users.add(user)
  workers = workers.filter(({ remote }) => !remote.isEnded)
  const wanted = Math.min(count, Math.max(processors(), ENOUGH))
  while (!isRefused && workers.length < wanted) workers.push(start())
  return workers.slice(0, wanted).map(({ pooled }) => pooled)
}

/** Ends the workers with the last of their users. */
export function leaveWorkers(user: object): void {
  users.delete(user)
  if (users.size > 0) return
  for (const { remote } of workers) remote.end()
  workers = []
  isRefused = false
}

/** Begins a call: its number, for which workers ask for keys until it ends. */
export function beginBatch(keysOf: KeysOf): number {
  batches += 1
  supplies.set(batches, keysOf)
  return batches
}

/** Ends a call. */
export function endBatch(batch: number): void {
  supplies.delete(batch)
}

const served: KeySupply = {
  keysOf: async (batch, agentId) => {
    const keysOf = supplies.get(batch)
    if (keysOf === undefined) throw new SxError('NoAgentLoaded', 'The call has ended.')
    return keysOf(agentId)
  },
}

function start(): (typeof workers)[number] {
  const { remote, begun } = startedVerifier(served)
  begun.catch(() => {
    isRefused = true
  })
  const pooled: PooledVerifier = {
    begun,
    verify: (...given) => remote.call('verify', ...given),
    forget: (batch) => void remote.call('forget', batch).catch(() => {}), // one that has ended knows nothing any more
  }
  return { remote, pooled }
}
