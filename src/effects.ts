import { ensureReady, isReady } from './core.ts'
import { driveAsync, driveSync } from './effects/drive.ts'
import type { Effect, EffectOf, Kind, Kinds } from './effects/kinds.ts'
import { Turns } from './turns.ts'

export type { Effect, EffectOf, Kind } from './effects/kinds.ts'

/**
 * An operation, written once: it yields its effects and is driven by {@link runAsync} or
 * {@link runSync}, so that the two forms of a function cannot drift apart. An operation that runs for each signature or
 * verification is a generator function at the top of its file. A generator function inside another function is created
 * in each call, which takes longer than ten calls.
 */
export type Operation<T> = Generator<Effect<unknown>, T, unknown>

/** How a kind of effect is performed. The table that has it also performs the effects that it consists of. */
export interface Performer<K extends Kind> {
  async(
    effect: EffectOf<K>,
    start: <T>(effect: Effect<T>) => T | Promise<T>,
  ): Kinds[K]['answer'] | Promise<Kinds[K]['answer']>
  sync(effect: EffectOf<K>, start: <T>(effect: Effect<T>) => T): Kinds[K]['answer']
}

/** A runtime: how each kind of effect is done. */
export type Performers = { readonly [K in Kind]: Performer<K> }

const own: { [K in Kind]?: Performer<K> } = {}

/** How this platform does it. A kind is there once its module is: before that nothing asks for it. */
export const performers = own as Performers

/** Puts a kind of effect into the table of this platform; gives its name, without which the effect cannot be made. */
/* @__NO_SIDE_EFFECTS__ */
export function kind<K extends Kind>(name: K, performer: Performer<K>): K {
  Object.assign(own, { [name]: performer })
  return name
}

/** Yields an effect and gives its result its type. */
export function* perform<T>(effect: Effect<T>): Operation<T> {
  return (yield effect) as T
}

const STEP = /* @__PURE__ */ kind('step', { async: () => {}, sync: () => {} })

/** Nothing: between two parts of work, where other work may have its turn. */
export const step: EffectOf<'step'> = { kind: STEP }

/** Before these other work gets no turn: they take their time by themselves, or none. */
const PROMPT: ReadonlySet<Kind> = /* @__PURE__ */ new Set<Kind>([
  'now',
  'random',
  'pause',
  'derive',
  'digest',
  'sign',
  'requireAsync',
  'within',
])

/** Starts an effect by a table. */
type Start<T> = (effect: Effect<unknown>) => T
type AnyPerformer = Readonly<Record<'async' | 'sync', (effect: Effect<unknown>, start: Start<unknown>) => unknown>>

/**
 * Drives an operation with the asynchronous form of its effects; loads the core first. One that takes long, as what
 * goes through a whole store, lets other work have its turn between two steps: not every storage does that by itself.
 *
 * @param table the runtime that performs the effects
 */
export function runAsync<T>(operation: () => Operation<T>, table: Performers = performers): Promise<T> {
  if (!isReady()) return ensureReady().then(() => runAsync(operation, table))
  const turns = new Turns()
  const start: Start<unknown> = (effect) => (table[effect.kind] as AnyPerformer).async(effect, start)
  return driveAsync(operation, (effect) =>
    PROMPT.has(effect.kind) || !turns.isOver ? start(effect) : turns.next().then(() => start(effect)),
  )
}

/**
 * Drives an operation with the synchronous form of its effects.
 *
 * @param table the runtime that performs the effects
 */
export function runSync<T>(operation: () => Operation<T>, table: Performers = performers): T {
  const start: Start<unknown> = (effect) => (table[effect.kind] as AnyPerformer).sync(effect, start)
  return driveSync(operation(), start)
}
