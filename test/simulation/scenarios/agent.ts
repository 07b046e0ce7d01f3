import type { Actor } from '../history.ts'
import { Documents } from '../models/documents.ts'
import { CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { isAtOnce, kinds } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

/** Something done with the agent's own document. */
export async function useAgent(world: World, actor: Actor): Promise<void> {
  const own = actor.loaded.session.loaded?.id ?? ''
  const now = isAtOnce(world, actor)
  const number = world.calls.length + 1
  switch (world.random.weighted({ update: 5, load: 2, verify: 2, sign: 1, flush: 1 })) {
    case 'update':
      return void (await world.call(actor, 'updateAgent', [`call ${number}`], now))
    case 'load':
      return void (await world.call(actor, 'load', [CONFIG], now))
    case 'verify':
      return void (await world.call(actor, 'verifyById', [own], now))
    case 'sign':
      return void (await world.call(actor, 'signMessage', [{ call: number }], now))
    case 'flush':
      return void (actor.kind === 'page' ? await world.flush(actor) : undefined)
  }
}

export const agent: Scenario = {
  name: 'agent',
  begins: 'agent',
  watch: (world) => world.models.push(new Documents(world)),
  kinds,
  calls: [3, 5, 8],
  begin: loadAgent,
  end: loadAtLast,
  next: useAgent,
}
