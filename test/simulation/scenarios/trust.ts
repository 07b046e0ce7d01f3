import { foreignDocuments, foreignId, foreignMessage } from '../foreign.ts'
import type { Actor } from '../history.ts'
import { Documents } from '../models/documents.ts'
import { Trust } from '../models/trust.ts'
import type { Name, Operations } from '../process.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { kinds } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

type AtOnce = { [N in Name]: [N, Parameters<Operations[N]>] }[
  | 'trustAgent'
  | 'untrustAgent'
  | 'isTrusted'
  | 'trustedDocument']

/** Something that changes trust or asks for it, in the one form that there is. */
function choose(random: Random): AtOnce {
  switch (random.weighted({ trust: 5, untrust: 2, ask: 1, document: 1 })) {
    case 'trust':
      return ['trustAgent', [random.pick(foreignDocuments)]]
    case 'untrust':
      return ['untrustAgent', [foreignId]]
    case 'ask':
      return ['isTrusted', [foreignId]]
    case 'document':
      return ['trustedDocument', [foreignId]]
  }
}

export async function useTrust(world: World, actor: Actor): Promise<void> {
  const { random } = world
  if (random.chance(0.3)) return void (await world.call(actor, 'verify', [foreignMessage]))
  if (actor.kind !== 'server' && random.chance(0.25)) return void (await world.flush(actor))
  const [name, given] = choose(random)
  await world.call(actor, name, given)
}

export const trust: Scenario = {
  name: 'trust',
  begins: 'agent',
  watch: (world) => world.models.push(new Documents(world), new Trust(world)),
  kinds,
  begin: loadAgent,
  end: loadAtLast,
  next: useTrust,
  intrude: (world, actor) => {
    const [name, given] = choose(world.random)
    world.callNow(actor, name, given)
  },
}
