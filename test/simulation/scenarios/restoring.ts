import { foreignId } from '../foreign.ts'
import type { Actor } from '../history.ts'
import { Restoring } from '../models/restoring.ts'
import { PASSWORD, PROFILE, preparedBackup } from '../prepared.ts'
import { CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { kinds } from './documents.ts'
import { openStorage } from './loading.ts'

const terms = (actor: Actor) => ({ ...PROFILE, configPath: CONFIG, password: PASSWORD, env: {}, storage: actor.opened })

const roles = new WeakMap<Actor, 'imports' | 'creates'>()

async function begin(world: World, actor: Actor): Promise<boolean> {
  if (!(await openStorage(world, actor))) return false
  const role = world.random.pick(['imports', 'creates'] as const)
  roles.set(actor, role)
  actor.agent = world.library.agent({ storage: actor.opened, password: PASSWORD, env: {} })
  for (let attempt = 0; attempt < 2; attempt++) {
    const { state } =
      role === 'imports'
        ? await world.call(actor, 'importStore', [preparedBackup().bytes, CONFIG])
        : await world.call(actor, 'quickstart', [terms(actor)])
    if (state === 'done') return role === 'creates'
    if (state === 'refused') return false
    await world.turn(actor, 'tries again')
  }
  return false
}

/** A backup is restored where others begin a new agent, and where who restored it died. */
export const restoring: Scenario = {
  name: 'restoring',
  begins: 'nothing',
  watch: (world) => world.models.push(new Restoring(world, preparedBackup().id, PASSWORD)),
  kinds: (random) => kinds(random).slice(0, random.pick([1, 2, 2])),
  calls: [1, 2],
  begin,
  next: async (world, actor) => void (await world.call(actor, 'isTrusted', [foreignId])),
  end: (world, last) => {
    // Whatever was left undone, a new agent can begin where none was reported.
    last.agent = world.library.agent({ storage: last.storage, password: PASSWORD, env: {} })
    const isReported = world.calls.some(({ name, state }) => isBeginning(name) && state === 'done')
    if (isReported) return void world.library.now(last.agent, 'load', [CONFIG])
    try {
      const { id } = world.library.now(last.agent, 'quickstart', [terms(last)]) as { id: string }
      const isTrusted = world.library.now(last.agent, 'isTrusted', [foreignId])
      if (isTrusted === true && id !== preparedBackup().id) {
        world.violate('trust changes by a call', `in the end ${id} trusts whom nobody has asked it to.`)
      }
    } catch (error) {
      if (world.library.codeOf(error) !== 'AlreadyExists') throw error
    }
  },
}

const isBeginning = (name: string): boolean => name === 'quickstart' || name === 'importStore'
