import { Documents } from '../models/documents.ts'
import { Trust } from '../models/trust.ts'
import type { Scenario } from '../scenario.ts'
import { useAgent } from './agent.ts'
import { kinds, useDocuments } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'
import { trust, useTrust } from './trust.ts'

/** Documents, the agent and trust, with up to four processes. */
export const everything: Scenario = {
  ...trust,
  name: 'everything',
  watch: (world) => world.models.push(new Documents(world), new Trust(world)),
  kinds: (random) => [...kinds(random), ...(random.chance(0.5) ? [random.pick(kinds(random))] : [])],
  begin: loadAgent,
  end: loadAtLast,
  next: (world, actor) => world.random.pick([useDocuments, useAgent, useTrust])(world, actor),
}
