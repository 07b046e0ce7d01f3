import type { Access } from './faults.ts'
import type { Actor, Kind } from './history.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** What the processes of a world do. */
export interface Scenario {
  readonly name: string
  /** The disk it begins with: an agent with documents, two agents with an agreement, or nothing. */
  readonly begins: 'agent' | 'two agents' | 'nothing'
  /** Adds the models that watch, before anybody starts. */
  watch(world: World): void
  /** What kinds of processes there are. */
  kinds(random: Random, world: World): readonly Kind[]
  /** How many calls a process makes, one of these numbers; as a rule few. */
  readonly calls?: readonly number[]
  /** How often a process makes two calls at once; as a rule now and then. */
  readonly together?: number
  /** How often calls to a storage that is awaited are slow, beside faults. */
  readonly slow?: Partial<Record<Access, number>>
  /**
   * Whether a call that fails for itself leaves open what has become of earlier writes, so that `flush` has to tell. Not
   * where decisions on trust are written behind: what is told of those looks like any other failure.
   */
  readonly doesFlushTell?: boolean
  /** Whether there is one process only, on a storage that says so. */
  isAlone?(random: Random): boolean
  /** How many agents a process has, all on the storage that the first one opens; as a rule one. */
  agents?(world: World): number
  /** Makes a process ready; whether it is. */
  begin(world: World, actor: Actor): Promise<boolean>
  /** One thing that a process does. */
  next(world: World, actor: Actor): Promise<void>
  /** A process that starts when all is over, and finds what there is. */
  end(world: World, observer: Actor): void
  /** One thing that another process does at once while one waits for its storage. */
  intrude?(world: World, actor: Actor): void
}
