import type { AgreementCopy } from '../../../src/types.ts'
import type { Actor } from '../history.ts'
import { Agreements } from '../models/agreements.ts'
import { PASSWORD, preparedAgreements, SECOND, termsFor } from '../prepared.ts'
import { type ActType, CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { isAtOnce, kinds } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

/** Two agents share the store: the second one has the second process. */
const configOf = ({ name }: Actor): string => (name.startsWith('B') ? SECOND : CONFIG)

function modelOf(world: World): Agreements {
  const model = world.models.find((there) => there instanceof Agreements)
  if (model === undefined) throw new Error('Nobody watches the agreements.')
  return model
}

/** Copies that somebody has handed out, stored or not. */
function copiesOf(world: World): string[] {
  const handedOut = world.calls.flatMap(({ value }) => (value as Partial<AgreementCopy> | undefined)?.raw ?? [])
  return [...preparedAgreements().copies, ...handedOut]
}

/** The id of a stored agreement, or a copy. */
function choose(world: World): string {
  const { random } = world
  return random.pick(random.chance(0.7) ? modelOf(world).ids : copiesOf(world))
}

/** How often agents do what. */
const ACTING = { propose: 2, sign: 8, withdraw: 2, decline: 1, comment: 2 } as const

function act(world: World): [agreement: string, type: ActType, words: string] {
  return [choose(world), world.random.weighted<ActType>(ACTING), `call ${world.calls.length + 1}`]
}

/** Something done in agreements or with them. */
async function useAgreements(world: World, actor: Actor): Promise<void> {
  const { random } = world
  const now = isAtOnce(world, actor)
  switch (random.weighted({ create: 1, act: 8, import: 3, get: 1, verify: 3, flush: 1 })) {
    case 'create': {
      const quorum = random.chance(0.5) ? 'all' : { m: 1 }
      const terms = termsFor(preparedAgreements().agents, `call ${world.calls.length + 1}`, quorum)
      return void (await world.call(actor, 'createAgreement', [terms], now))
    }
    case 'act':
      return void (await world.call(actor, 'act', act(world), now))
    case 'import':
      return void (await world.call(actor, 'importAgreement', [random.pick(copiesOf(world))], now))
    case 'get':
      return void (await world.call(actor, 'getAgreement', [random.pick(modelOf(world).ids)], now))
    case 'verify':
      return void (await world.call(actor, 'verifyAgreement', [choose(world)], now))
    case 'flush':
      return void (actor.kind === 'page' ? await world.flush(actor) : undefined)
  }
}

export const agreements: Scenario = {
  name: 'agreements',
  begins: 'two agents',
  watch: (world) => world.models.push(new Agreements(world)),
  kinds,
  begin: (world, actor) => loadAgent(world, actor, () => ({ password: PASSWORD }), configOf(actor)),
  end: loadAtLast,
  next: useAgreements,
  intrude: (world, actor) => {
    if (world.random.chance(0.6)) world.callNow(actor, 'act', act(world))
    else world.callNow(actor, 'importAgreement', [world.random.pick(copiesOf(world))])
  },
}
