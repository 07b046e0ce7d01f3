import type { Actor, Call } from '../history.ts'
import { Documents } from '../models/documents.ts'
import { Keys } from '../models/keys.ts'
import { Rotations } from '../models/rotations.ts'
import { PASSWORD } from '../prepared.ts'
import { CONFIG, type Credentials, type Reason } from '../process.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { documentsOf, isAtOnce, kinds } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

/** The model of keys that watches a world. */
function keysOf(world: World): Keys {
  const model = world.models.find((there) => there instanceof Keys)
  if (model === undefined) throw new Error('Nobody watches the keys.')
  return model
}

const reason = (random: Random): Reason => (random.chance(0.5) ? 'compromised' : 'superseded')

/** Verifies what somebody has signed, most often the latest; or a stored document. */
function verify(world: World, actor: Actor): Promise<Call> {
  const { random } = world
  const { signatures } = keysOf(world)
  const now = isAtOnce(world, actor)
  if (signatures.length > 0 && random.chance(0.75)) {
    const { raw } = random.chance(0.5) ? (signatures.at(-1) ?? random.pick(signatures)) : random.pick(signatures)
    return world.call(actor, 'verify', [raw], now)
  }
  return world.call(actor, 'verifyById', [random.pick(documentsOf(world).ids)], now)
}

/** Signs, at times without storing it: so does who has stolen a key. */
function sign(world: World, actor: Actor): Promise<Call> {
  const { random } = world
  const mark = { call: world.calls.length + 1 }
  const now = isAtOnce(world, actor)
  const own = actor.loaded.session.loaded?.id
  switch (random.weighted({ aside: 3, sign: 2, update: 3 })) {
    case 'aside':
      return world.call(actor, 'signAside', [mark], now)
    case 'sign':
      return world.call(actor, 'signMessage', [mark], now)
    case 'update':
      return world.call(
        actor,
        'updateById',
        [random.pick(documentsOf(world).ids.filter((id) => id !== own)), mark],
        now,
      )
  }
}

/** Rotates the key, or calls an earlier one compromised. */
function retire(world: World, actor: Actor, doUseSigners: boolean): Promise<Call> {
  const { random } = world
  const { keys: all, revocations, signers } = keysOf(world)
  const former = all.slice(0, -1)
  const stated = revocations.filter(({ keyId }) => former.some((key) => key.keyId === keyId))
  if (stated.length > 0 && random.chance(0.3)) {
    return world.call(actor, 'revokeAsStated', [random.pick(stated).statement])
  }
  if (former.length > 0 && random.chance(0.3)) {
    return world.call(actor, 'revokeKey', [random.pick(former).keyId, reason(random), random.chance(0.3)])
  }
  const force = random.chance(0.1)
  const isElsewhere = actor.loaded.session.loaded?.signing?.external !== undefined
  const signer = isElsewhere || (doUseSigners && random.chance(0.5)) ? signers.create(actor) : undefined
  return world.call(actor, 'rotateKey', [
    PASSWORD,
    { ...(signer && { signer }), reason: reason(random), ...(force && { force }) },
  ])
}

/** Loads the agent again, with who has its key now. */
async function reload(world: World, actor: Actor): Promise<void> {
  await world.call(actor, 'load', [CONFIG, actor.isVerifier, credentials(world, actor)])
}

/** What opens the key that the agent has now. */
function credentials(world: World, actor: Actor): Credentials {
  const { keys, signers } = keysOf(world)
  const signer = signers.of(actor, keys.at(-1)?.keyId)
  return signer === undefined ? { password: PASSWORD } : { signer }
}

/** Refusals after which a process loads the agent again: somebody else has changed it. */
const OVERTAKEN: readonly (string | undefined)[] = ['KeyRevoked', 'VersionConflict', 'KeyMismatch']

type Step = 'verify' | 'sign' | 'retire' | 'state' | 'publish' | 'load' | 'refresh' | 'flush'

async function next(world: World, actor: Actor, doUseSigners: boolean): Promise<void> {
  const { random } = world
  const weights = actor.isVerifier
    ? { verify: 6, publish: 2, refresh: 1, flush: 1 }
    : { verify: 5, sign: 5, retire: 4, state: 1, publish: 2, load: 1, flush: 1 }
  switch (random.weighted<Step>(weights)) {
    case 'verify':
      return void (await verify(world, actor))
    case 'sign': {
      const { code } = await sign(world, actor)
      if (code === 'KeyRevoked' && random.chance(0.7)) await reload(world, actor)
      return
    }
    case 'retire': {
      const { code } = await retire(world, actor, doUseSigners)
      if (OVERTAKEN.includes(code)) await reload(world, actor)
      return
    }
    case 'state':
      return void (await world.call(actor, 'createRevocation', []))
    case 'publish':
      return void (await world.call(actor, random.chance(0.5) ? 'publish' : 'exportAgent', []))
    case 'load':
      return await reload(world, actor)
    case 'refresh':
      return void (await world.call(actor, 'refresh', []))
    case 'flush':
      return void (actor.kind === 'page' ? await world.flush(actor) : undefined)
  }
}

const scenario = (name: string, doUseSigners: boolean): Scenario => ({
  name,
  begins: 'agent',
  watch: (world) => {
    const model = new Keys(world)
    world.models.push(new Documents(world), new Rotations(world, (keyId) => model.signers.has(keyId)), model)
  },
  kinds,
  calls: [3, 5, 8],
  begin: async (world, actor) => {
    actor.isVerifier = world.random.chance(0.25)
    return await loadAgent(world, actor, () => credentials(world, actor))
  },
  next: (world, actor) => next(world, actor, doUseSigners),
  end: (world, observer) => loadAtLast(world, observer, credentials(world, observer)),
})

/**
 * Keys over time: they are rotated and called compromised while others sign with them, verify what was signed, and
 * publish them. Some processes verify only, and some start for nothing else.
 */
export const keys: Scenario = scenario('keys', false)

/** The same, with keys that come to an external signer. */
export const signers: Scenario = scenario('signers', true)

/** States revocations, as long as another call of the process is running. */
async function stateMeanwhile(world: World, actor: Actor, running: Promise<unknown>): Promise<void> {
  let isOver = false
  void running.then(() => {
    isOver = true
  })
  for (let times = 0; !isOver && times < 12; times++) {
    for (let turns = world.random.below(6); turns > 0; turns--) await world.turn(actor, 'waits')
    if (!isOver) await world.call(actor, 'createRevocation', [])
  }
}

async function rotateMeanwhile(world: World, actor: Actor): Promise<void> {
  const { random } = world
  const why = random.chance(0.8) ? 'superseded' : 'compromised'
  const rotating = world.call(actor, 'rotateKey', [PASSWORD, { reason: why }])
  if (random.chance(0.5)) await stateMeanwhile(world, actor, rotating)
  const { code } = await rotating
  if (OVERTAKEN.includes(code)) await reload(world, actor)
}

async function signBehind(world: World, actor: Actor): Promise<void> {
  const { code } = await world.call(actor, 'signMessage', [{ call: world.calls.length + 1 }], true)
  if (code === 'KeyRevoked') await reload(world, actor)
  else await world.flush(actor)
}

/** Signs behind and flushes, or rotates the key. */
async function overlap(world: World, actor: Actor): Promise<void> {
  const isSigning = actor.kind === 'page' && world.random.chance(0.6)
  switch (isSigning ? 'behind' : world.random.weighted({ rotate: 4, verify: 1, load: 1 })) {
    case 'behind':
      return await signBehind(world, actor)
    case 'rotate':
      return await rotateMeanwhile(world, actor)
    case 'verify':
      return void (await verify(world, actor))
    case 'load':
      return await reload(world, actor)
  }
}

/**
 * A page and another process on a slow storage, where what is signed behind is flushed, and revocations are stated, while
 * the version that rotates the key is on its way, or its hints are.
 */
export const overlapping: Scenario = {
  ...scenario('overlapping', false),
  kinds: (random) => ['page', random.pick(['page', 'awaited', 'awaited'])],
  together: 0.8,
  slow: { write: 0.5, claim: 0.5 },
  begin: (world, actor) => loadAgent(world, actor, () => credentials(world, actor)),
  next: overlap,
}
