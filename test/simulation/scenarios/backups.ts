import { foreignDocuments, foreignId } from '../foreign.ts'
import type { Actor } from '../history.ts'
import { BACKUP_PASSWORD, Backups } from '../models/backups.ts'
import { Documents } from '../models/documents.ts'
import { Keys } from '../models/keys.ts'
import { Trust } from '../models/trust.ts'
import { PASSWORD } from '../prepared.ts'
import { CONFIG } from '../process.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { documentsOf, isAtOnce, kinds } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

async function next(world: World, actor: Actor): Promise<void> {
  const { random } = world
  const mark = { call: world.calls.length + 1 }
  const own = actor.loaded.session.loaded?.id
  switch (random.weighted({ store: 4, key: 2, rotate: 3, sign: 2, update: 3, trust: 2, untrust: 1 })) {
    case 'store':
      return void (await world.call(actor, 'exportStore', [BACKUP_PASSWORD], isAtOnce(world, actor)))
    case 'key':
      return void (await world.call(actor, 'exportKey', [BACKUP_PASSWORD], isAtOnce(world, actor)))
    case 'rotate': {
      const reason = random.chance(0.5) ? 'compromised' : 'superseded'
      const { code } = await world.call(actor, 'rotateKey', [PASSWORD, { reason }])
      if (code === 'VersionConflict') await world.call(actor, 'load', [CONFIG])
      return
    }
    case 'sign':
      return void (await world.call(actor, 'signMessage', [mark], isAtOnce(world, actor)))
    case 'update': {
      const id = random.pick(documentsOf(world).ids.filter((there) => there !== own))
      return void (await world.call(actor, 'updateById', [id, mark], isAtOnce(world, actor)))
    }
    case 'trust':
      return void (await world.call(actor, 'trustAgent', [random.pick(foreignDocuments)]))
    case 'untrust':
      return void (await world.call(actor, 'untrustAgent', [foreignId]))
  }
}

/** Backups are made while the key is rotated and others write; each is restored somewhere else. */
export const backups: Scenario = {
  name: 'backups',
  begins: 'agent',
  watch: (world) => {
    const [documents, keys] = [new Documents(world), new Keys(world)]
    world.models.push(documents, keys, new Backups(world, documents, keys), new Trust(world))
  },
  kinds: (random) => kinds(random).slice(0, random.pick([1, 2])),
  calls: [2, 3, 5],
  together: 0.7,
  begin: loadAgent,
  end: loadAtLast,
  next,
}
