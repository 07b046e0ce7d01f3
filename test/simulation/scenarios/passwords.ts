import type { Actor } from '../history.ts'
import { savePassword } from '../layout.ts'
import { Passwords } from '../models/passwords.ts'
import { PASSWORD } from '../prepared.ts'
import { CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { kinds } from './documents.ts'
import { loadAtLast, openStorage } from './loading.ts'

/** The model of passwords that watches a world. */
export function passwordsOf(world: World): Passwords {
  const model = world.models.find((there) => there instanceof Passwords)
  if (model === undefined) throw new Error('Nobody watches the passwords.')
  return model
}

/** Tries the password that is valid, until it is. */
export async function begin(world: World, actor: Actor): Promise<boolean> {
  if (!(await openStorage(world, actor))) return false
  for (let attempt = 0; attempt < 6; attempt++) {
    const password = passwordsOf(world).current
    actor.agent = world.library.agent({ storage: actor.opened, password, env: {} })
    const call = await world.call(actor, 'load', [CONFIG])
    if (call.state === 'done') return true
    await world.turn(actor, 'tries again')
  }
  return false
}

async function next(world: World, actor: Actor): Promise<void> {
  const { random } = world
  const passwords = passwordsOf(world)
  const password = random.chance(0.8) ? passwords.current : random.pick(passwords.all)
  switch (random.weighted({ change: 4, open: 2, openSaved: 1 })) {
    case 'change':
      return void (await world.call(actor, 'reencryptKey', [password, `password ${world.calls.length + 1}`]))
    case 'open':
      return void (await world.call(actor, 'openWith', [CONFIG, password]))
    case 'openSaved':
      return void (await world.call(actor, 'openWith', [CONFIG, undefined]))
  }
}

export const passwords: Scenario = {
  name: 'passwords',
  begins: 'agent',
  watch: (world) => {
    const where = world.random.pick(['nowhere', 'file', 'configuration'] as const)
    world.note(() => `the password is saved ${where}`)
    if (where !== 'nowhere') savePassword(world.disk, where, PASSWORD)
    world.models.push(new Passwords(world, PASSWORD, where !== 'nowhere'))
  },
  kinds,
  begin,
  next,
  end: (world, observer) => loadAtLast(world, observer, passwordsOf(world).current),
}
