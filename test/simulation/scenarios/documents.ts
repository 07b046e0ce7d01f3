import type { Actor, Call, Kind } from '../history.ts'
import { Documents } from '../models/documents.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { loadAgent, loadAtLast } from './loading.ts'

const KINDS: readonly Kind[] = ['awaited', 'page', 'server']

/** Two or three processes, often of one kind. */
export function kinds(random: Random): Kind[] {
  const first = random.pick(KINDS)
  const rest = Array.from({ length: random.pick([1, 1, 2]) }, () => (random.chance(0.6) ? first : random.pick(KINDS)))
  return [first, ...rest]
}

/** The model of documents that watches a world. */
export function documentsOf(world: World): Documents {
  const model = world.models.find((there) => there instanceof Documents)
  if (model === undefined) throw new Error('Nobody watches the documents.')
  return model
}

/** In a page, now and then the synchronous form, and a flush. */
export const isAtOnce = (world: World, actor: Actor): boolean => actor.kind === 'page' && world.random.chance(0.4)

/** The number that the next call will have. */
const marked = (world: World): { call: number } => ({ call: world.calls.length + 1 })

/** Signs a message, or several at once. */
export function sign(world: World, actor: Actor, isAtOnce: boolean): Promise<Call> {
  const mark = marked(world)
  // By the number of the call, so that no other choice depends on it.
  if (mark.call % 2 === 0) return world.call(actor, 'signMessage', [mark], isAtOnce)
  return world.call(actor, 'signMessages', [[mark, mark, mark]], isAtOnce)
}

/** Something done to documents or with them. */
export async function useDocuments(world: World, actor: Actor): Promise<void> {
  const { random } = world
  const documents = documentsOf(world)
  const own = actor.loaded.session.loaded?.id
  const id = random.pick(documents.ids.filter((there) => there !== own))
  const version = random.chance(0.7) ? documents.historyOf(id).at(-1) : random.pick(documents.historyOf(id))
  const key = `${id}:${version?.version}`
  const kind = random.weighted({ sign: 2, update: 5, updateKey: 3, verify: 4, verifyKey: 1, list: 1, flush: 1 })
  const now = isAtOnce(world, actor)
  switch (kind) {
    case 'sign':
      return void (await sign(world, actor, now))
    case 'update':
      return void (await world.call(actor, 'updateById', [id, marked(world)], now))
    case 'updateKey':
      return void (await world.call(actor, 'updateByKey', [key, marked(world)], now))
    case 'verify':
      return void (await world.call(actor, 'verifyById', [id], now))
    case 'verifyKey':
      return void (await world.call(actor, 'verifyById', [key], now))
    case 'list':
      return void (await world.call(actor, 'listDocuments', []))
    case 'flush':
      return void (actor.kind === 'page' ? await world.flush(actor) : undefined)
  }
}

export const documents: Scenario = {
  name: 'documents',
  begins: 'agent',
  watch: (world) => world.models.push(new Documents(world)),
  kinds,
  begin: loadAgent,
  end: loadAtLast,
  next: useDocuments,
}
