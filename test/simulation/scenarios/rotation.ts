import type { Actor, Call } from '../history.ts'
import { Documents } from '../models/documents.ts'
import { Passwords } from '../models/passwords.ts'
import { Rotations } from '../models/rotations.ts'
import { PASSWORD } from '../prepared.ts'
import { CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { documentsOf, kinds, sign } from './documents.ts'
import { loadAtLast } from './loading.ts'
import { begin, passwordsOf } from './passwords.ts'

/** Refusals after which a process loads the agent again: somebody else has changed it. */
const OVERTAKEN: readonly (string | undefined)[] = ['KeyRevoked', 'VersionConflict']

function act(world: World, actor: Actor): Promise<Call> {
  const { random } = world
  const passwords = passwordsOf(world)
  const documents = documentsOf(world)
  const own = actor.loaded.session.loaded?.id ?? ''
  const number = world.calls.length + 1
  const password = random.chance(0.9) ? passwords.current : random.pick(passwords.all)
  const id = random.pick(documents.ids.filter((there) => there !== own))
  switch (random.weighted({ rotate: 5, change: 2, open: 2, sign: 2, update: 2, agent: 1, verify: 2, self: 1 })) {
    case 'rotate':
      return world.call(actor, 'rotateKey', [password])
    case 'change':
      return world.call(actor, 'reencryptKey', [password, `password ${number}`])
    case 'open':
      return world.call(actor, 'openWith', [CONFIG, password])
    case 'sign':
      return sign(world, actor, false)
    case 'update':
      return world.call(actor, 'updateById', [id, { call: number }])
    case 'agent':
      return world.call(actor, 'updateAgent', [`call ${number}`])
    case 'verify':
      return world.call(actor, 'verifyById', [id])
    case 'self':
      return world.call(actor, 'verifyById', [own])
  }
}

async function reload(world: World, actor: Actor): Promise<void> {
  const { session } = actor.loaded
  session.options = { ...session.options, password: passwordsOf(world).current }
  await world.call(actor, 'load', [CONFIG])
}

/** The key is rotated while others rotate it, change its password, sign and load. */
export const rotation: Scenario = {
  name: 'rotation',
  begins: 'agent',
  watch: (world) =>
    world.models.push(new Documents(world), new Passwords(world, PASSWORD, false), new Rotations(world)),
  kinds,
  calls: [2, 4, 6],
  begin,
  next: async (world, actor) => {
    const { code } = await act(world, actor)
    if (OVERTAKEN.includes(code)) await reload(world, actor)
  },
  end: (world, observer) => loadAtLast(world, observer, passwordsOf(world).current),
}
