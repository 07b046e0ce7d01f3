import type { Actor } from '../history.ts'
import { Documents } from '../models/documents.ts'
import { CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { documentsOf, isAtOnce } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

/** Verifies, and asks once more at once: what was just told is known. */
async function verifyTwice(world: World, actor: Actor, id: string): Promise<void> {
  const { state } = await world.call(actor, 'verifyById', [id])
  if (state === 'done' && actor.isAlive) await world.call(actor, 'verifyById', [id], true)
}

/** Likewise, of what is just about to be written, and may be another page's by then. */
async function verifySoon(world: World, actor: Actor, id: string): Promise<void> {
  for (let turns = world.random.below(4); turns > 0; turns--) await world.turn(actor, 'waits')
  if (actor.isAlive) await verifyTwice(world, actor, id)
}

async function update(world: World, actor: Actor, id: string, isBehind: boolean): Promise<void> {
  const number = world.calls.length + 1
  if (id === actor.loaded.session.loaded?.id) await world.call(actor, 'updateAgent', [`call ${number}`], isBehind)
  else await world.call(actor, 'updateById', [id, { call: number }], isBehind)
}

async function next(world: World, actor: Actor): Promise<void> {
  const { random } = world
  const own = actor.loaded.session.loaded?.id ?? ''
  // Mostly the same document for all, so that they meet.
  const id = random.chance(0.3) ? own : (documentsOf(world).ids.find((there) => there !== own) as string)
  switch (random.weighted({ update: 5, verify: 5, both: 3, load: 1, refresh: 1, flush: 1 })) {
    case 'update':
      return await update(world, actor, id, isAtOnce(world, actor))
    case 'verify':
      return await verifyTwice(world, actor, id)
    case 'both':
      return void (await Promise.all([update(world, actor, id, false), verifySoon(world, actor, id)]))
    case 'load':
      return void (await world.call(actor, 'load', [CONFIG], isAtOnce(world, actor)))
    case 'refresh':
      return void (await world.call(actor, 'refresh', []))
    case 'flush':
      return void (await world.flush(actor))
  }
}

/** Pages that change the same document, and ask from memory what they have just been told. */
export const pages: Scenario = {
  name: 'pages',
  begins: 'agent',
  watch: (world) => world.models.push(new Documents(world)),
  kinds: (random) => Array.from({ length: random.pick([2, 2, 3]) }, () => 'page' as const),
  calls: [4, 6, 8],
  together: 1,
  doesFlushTell: true,
  slow: { read: 0.3, write: 0.3, claim: 0.8 },
  begin: loadAgent,
  end: loadAtLast,
  next,
}
