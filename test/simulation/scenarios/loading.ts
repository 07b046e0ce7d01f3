import type { Actor } from '../history.ts'
import { PASSWORD } from '../prepared.ts'
import { CONFIG, type Credentials } from '../process.ts'
import type { World } from '../world.ts'

/** So often a process tries to load an agent that is there. */
const ATTEMPTS = 6

/** Gives a process its storage: a page reads all of it first. */
export async function openStorage(world: World, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'page' || !actor.isFirst) return true
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      actor.opened = await world.library.mirrored(actor.storage)
      return true
    } catch (error) {
      world.note(() => `${actor.name}: opens no storage: ${world.library.codeOf(error)}`)
      await world.turn(actor, 'tries again')
    }
  }
  return false
}

/** Loads the prepared agent. */
export async function loadAgent(
  world: World,
  actor: Actor,
  credentials: () => Credentials = () => ({ password: PASSWORD }),
  config: string = CONFIG,
): Promise<boolean> {
  if (!(await openStorage(world, actor))) return false
  actor.agent = world.library.agent({ storage: actor.opened, env: {} })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const call = await world.call(actor, 'load', actor.isVerifier ? [config, true] : [config, false, credentials()])
    if (call.state === 'done') return true
    await world.turn(actor, 'tries again')
  }
  return false
}

/** Loads the prepared agent when all is over. */
export function loadAtLast(world: World, observer: Actor, opened: string | Credentials = PASSWORD): void {
  const credentials = typeof opened === 'string' ? { password: opened } : opened
  observer.agent = world.library.agent({ storage: observer.storage, ...credentials, env: {} })
  world.library.now(observer.agent, 'load', [CONFIG])
}
