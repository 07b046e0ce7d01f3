import { foreignDocuments, foreignId, foreignMessage } from '../foreign.ts'
import { type Actor, WRITES } from '../history.ts'
import { trustEntriesOf } from '../layout.ts'
import { Documents } from '../models/documents.ts'
import { Trust } from '../models/trust.ts'
import { observer } from '../prepared.ts'
import { CONFIG, type Name, type Operations } from '../process.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { isAtOnce, kinds } from './documents.ts'
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
  if (random.chance(0.3)) return void (await world.call(actor, 'verify', [foreignMessage], isAtOnce(world, actor)))
  if (actor.kind !== 'server' && random.chance(0.25)) return void (await world.flush(actor))
  const [name, given] = choose(random)
  await world.call(actor, name, given)
}

/** Asks in the form of a page too. */
async function useTrustOrLoad(world: World, actor: Actor): Promise<void> {
  if (world.random.chance(0.12)) return void (await world.call(actor, 'load', [CONFIG]))
  await useTrust(world, actor)
}

/** As trust, with several agents in a process, which are loaded again; in half of the worlds the process is alone. */
export const shared: Scenario = {
  name: 'shared',
  begins: 'agent',
  watch: (world) => world.models.push(new Documents(world), new Trust(world)),
  isAlone: (random) => random.chance(0.5),
  kinds: (random, world) => kinds(random).slice(0, world.isShared ? 2 : 1),
  agents: (world) => world.random.pick(world.isShared ? [1, 2] : [1, 2, 3]),
  calls: [4, 7],
  begin: loadAgent,
  end: loadAtLast,
  next: useTrustOrLoad,
}

/** Pages that open while others trust later versions of whom was trusted before, and ask from memory. */
export const opening: Scenario = {
  name: 'opening',
  begins: 'agent',
  watch: (world) => {
    const { library, disk } = world
    const before = observer(disk)
    loadAtLast(world, before)
    library.now(before.loaded, 'trustAgent', [foreignDocuments[0] ?? ''])
    world.models.push(new Documents(world), new Trust(world))
  },
  kinds: (random) => ['page', random.pick(['server', 'awaited']), 'page'],
  calls: [2, 3],
  begin: loadAgent,
  end: loadAtLast,
  next: async (world, actor) => {
    const { random } = world
    const later = foreignDocuments.slice(1)
    if (actor.kind === 'page') {
      const isVerified = random.chance(0.2)
      if (isVerified) await world.call(actor, 'verify', [foreignMessage], isAtOnce(world, actor))
      else await world.call(actor, random.chance(0.5) ? 'isTrusted' : 'trustedDocument', [foreignId])
    } else if (random.chance(0.2)) await world.call(actor, 'untrustAgent', [foreignId])
    else await world.call(actor, 'trustAgent', [random.pick(later)])
  },
}

/** What the trust store was at some moments. */
const backups = new WeakMap<World, (readonly [path: string, bytes: Uint8Array])[][]>()

/** Saves the trust store, or restores it as it was; whether it has. */
function disturb(world: World): boolean {
  const { random, disk, calls } = world
  if (calls.some(({ state, name }) => state === 'running' && WRITES.has(name))) return false
  const saved = backups.get(world) ?? []
  backups.set(world, saved)
  if (saved.length === 0 || random.chance(0.3)) {
    saved.push(trustEntriesOf(disk, foreignId))
    return false
  }
  const entries = random.pick(saved)
  world.note(() => `-- the trust store is restored as it was, with ${entries.length} entries`)
  world.touch(undefined, () => {
    for (const [path] of trustEntriesOf(disk, foreignId)) disk.delete(path)
    for (const [path, bytes] of entries) disk.put(path, bytes)
  })
  for (const model of world.models) if (model instanceof Trust) model.restored()
  return true
}

/** The trust store is restored from a backup, and others go on from there. */
export const restored: Scenario = {
  name: 'restored',
  begins: 'agent',
  watch: (world) => world.models.push(new Documents(world), new Trust(world)),
  kinds: (random) => Array.from({ length: random.pick([2, 2, 3]) }, () => 'server' as const),
  calls: [5, 8],
  begin: loadAgent,
  end: loadAtLast,
  next: async (world, actor) => {
    if (world.random.chance(0.6) && disturb(world)) {
      // Who has not known the newer one goes on from there.
      await world.call(actor, 'load', [CONFIG])
      for (let more = 1 + world.random.below(3); more > 0; more--) {
        const isRemoval = world.random.chance(0.4)
        if (isRemoval) await world.call(actor, 'untrustAgent', [foreignId])
        else await world.call(actor, 'trustAgent', [world.random.pick(foreignDocuments)])
      }
    }
    if (world.random.chance(0.5)) await world.call(actor, 'isTrusted', [foreignId])
    else await useTrust(world, actor)
  },
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
