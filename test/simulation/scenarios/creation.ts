import type { QuickstartOptions } from '../../../src/types.ts'
import type { Actor, Kind } from '../history.ts'
import { namesAgent, prepareConfiguration } from '../layout.ts'
import { Creation, type Terms } from '../models/creation.ts'
import { PROFILE } from '../prepared.ts'
import { CONFIG } from '../process.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { openStorage } from './loading.ts'

/** A second configuration beside the first, with the same key directory. */
const OTHER = './other.config.json'
const ATTEMPTS = 4

/** What differs from world to world. */
interface Plan {
  readonly password: string | undefined
  readonly isSaved: boolean
  readonly isOwnStorage: boolean
  readonly hasOther: boolean
  /** What stands at the first configuration before anybody starts. */
  readonly prepared: 'none' | 'plain' | 'indexeddb'
}

const plans = new WeakMap<World, Plan>()

function plan(random: Random): Plan {
  const source = random.weighted({ given: 3, saved: 2, generated: 1 })
  return {
    password: source === 'given' ? 'a password that is given' : undefined,
    isSaved: source === 'saved',
    isOwnStorage: random.chance(0.4),
    hasOther: random.chance(0.35),
    prepared: random.weighted({ none: 8, plain: 3, indexeddb: 1 }),
  }
}

/** What a process is given: those of a name with A work at the first configuration, some others at the second. */
function termsOf(world: World, { name }: Actor): Terms {
  const { hasOther, prepared, ...terms } = plans.get(world) as Plan
  const config = hasOther && name.startsWith('B') ? OTHER : CONFIG
  return { ...terms, config, isElsewhere: terms.isOwnStorage && prepared === 'indexeddb' && config === CONFIG }
}

function options(world: World, actor: Actor, isLater: boolean): QuickstartOptions {
  const terms = termsOf(world, actor)
  const password = isLater ? creationOf(world).knownPassword(terms) : terms.password
  return {
    ...PROFILE,
    configPath: terms.config,
    env: terms.isSaved ? { SX_SAVE_PASSWORD_FILE: 'true' } : {},
    ...(password === undefined ? {} : { password }),
    ...(terms.isOwnStorage ? {} : { storage: actor.opened }),
  }
}

function creationOf(world: World): Creation {
  const model = world.models.find((there) => there instanceof Creation)
  if (model === undefined) throw new Error('Nobody watches the creation.')
  return model
}

async function begin(world: World, actor: Actor): Promise<boolean> {
  if (!(await openStorage(world, actor))) return false
  actor.agent = world.library.agent({})
  const isQuick = world.random.chance(0.7)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const call = await world.call(actor, isQuick ? 'quickstart' : 'create', [options(world, actor, false)])
    if (call.state === 'done') return true
    if (call.state === 'refused' && !isQuick) return false
    await world.turn(actor, 'tries again')
  }
  return false
}

async function next(world: World, actor: Actor): Promise<void> {
  if (world.random.chance(0.5)) await world.call(actor, 'signMessage', [{ call: world.calls.length + 1 }])
  else await world.call(actor, 'quickstart', [options(world, actor, true)])
}

const KINDS: readonly Kind[] = ['awaited', 'server', 'page']

export const creation: Scenario = {
  name: 'creation',
  begins: 'nothing',
  watch: (world) => {
    const { random, disk } = world
    const made = plan(random)
    const { prepared } = made
    plans.set(world, made)
    if (prepared !== 'none') {
      const fields = prepared === 'plain' ? { owner: 'somebody' } : { sxDefaultStorage: 'indexeddb' }
      prepareConfiguration(disk, 'sx.config.json', { ...fields, sxAgentKeyAlgorithm: 'ed25519' })
    }
    world.note(() => `${JSON.stringify(made)}`)
    world.models.push(new Creation(world, (actor) => termsOf(world, actor)))
  },
  kinds: (random) => {
    const first = random.pick(KINDS)
    return [first, ...Array.from({ length: random.pick([0, 1, 1, 1, 2, 2]) }, () => random.pick([first, ...KINDS]))]
  },
  begin,
  next,
  end: (world, last) => {
    const terms = termsOf(world, last)
    const creation = creationOf(world)
    const mayMiss = terms.password === undefined && !terms.isSaved && creation.knownPassword(terms) === undefined
    last.agent = world.library.agent({})
    const start = (): unknown => world.library.now(last.loaded, 'quickstart', [options(world, last, true)])
    try {
      if (terms.isOwnStorage) world.library.onOwnStorage(last.opened, start)
      else start()
    } catch (error) {
      const code = world.library.codeOf(error)
      if (code === 'AlreadyExists' && namesAgent(world.disk.text(OTHER.slice(2)))) return // it has the key directory
      // The process that knew the password of what it began to create is gone.
      if (mayMiss && (code === 'AlreadyExists' || code === 'PasswordRequired')) return
      if (code === 'Unsupported' && terms.isElsewhere) return
      world.violate('the next start succeeds', String(error))
    }
  },
}
