import { Disk } from './disk.ts'
import type { Violation } from './history.ts'
import { observer, preparedAgreements, preparedDisk } from './prepared.ts'
import { loadLibrary } from './process.ts'
import { Random } from './random.ts'
import { inRuntime } from './runtime.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { World } from './world.ts'

/** What is run otherwise than the seed says. */
export interface Choices {
  /** Name of the scenario. */
  readonly scenario?: string | undefined
  /** Where to write down what happens. */
  readonly log?: string[]
  /** Another disk with the same entries. */
  readonly replaceDisk?: (disk: Disk) => Disk
}

export interface Outcome {
  readonly seed: number
  readonly scenario: string
  readonly violation: Violation | undefined
}

/** Which scenario a seed runs: as often as its weight says. */
function scenarioOf(seed: number): Scenario {
  const total = scenarios.reduce((sum, [, weight]) => sum + weight, 0)
  let left = new Random(seed).below(total)
  for (const [scenario, weight] of scenarios) {
    if (left < weight) return scenario
    left -= weight
  }
  throw new RangeError('There is no scenario.')
}

function named(name: string): Scenario {
  const found = scenarios.find(([scenario]) => scenario.name === name)
  if (found === undefined) throw new Error(`There is no scenario '${name}'.`)
  return found[0]
}

/** Runs the world of a seed to its end, or to the first rule that is broken. */
export async function runSeed(seed: number, { scenario: name, log, replaceDisk }: Choices = {}): Promise<Outcome> {
  const library = await loadLibrary()
  const scenario = name === undefined ? scenarioOf(seed) : named(name)
  const agent = await preparedDisk(library)
  const begins = { agent: () => agent, 'two agents': () => preparedAgreements().disk.copy(), nothing: () => new Disk() }
  const whole = begins[scenario.begins]()
  const disk = replaceDisk?.(whole) ?? whole
  const world = new World(library, scenario, seed, disk, log)
  library.replaceOwnStorage(() => world.current.opened)
  const source = {
    time: () => world.clock,
    fill: (bytes: Uint8Array) => world.random.fill(bytes),
    wake: (milliseconds: number, back: () => void) => world.sleep(milliseconds, back),
    unheard: (error: unknown) => world.violate('nothing fails unheard', String(error)),
  }
  await inRuntime(source, async () => {
    scenario.watch(world)
    world.disk.takeChanges()
    const calls = world.random.pick(scenario.calls ?? [2, 3, 5])
    for (const [at, kind] of scenario.kinds(world.random, world).entries()) world.start('ABCD'.charAt(at), kind, calls)
    await world.run()
    if (world.violation === undefined) await close(world, scenario)
  })
  return { seed, scenario: scenario.name, violation: world.violation }
}

/** A process starts when all is over. */
async function close(world: World, scenario: Scenario): Promise<void> {
  world.faults.stop()
  const stuck = world.calls.find(({ state, actor }) => state === 'running' && actor.isAlive)
  if (stuck !== undefined) return world.violate('ends', `#${stuck.number} ${stuck.name} never answers.`)
  const last = observer(world.disk)
  const end = (rule: string, look: () => void): void => {
    try {
      look()
    } catch (error) {
      world.violate(rule, `in the end: ${String(error)}`)
    }
  }
  end('the agent loads', () => scenario.end(world, last))
  if (world.violation !== undefined) return
  end('all can be read', () => {
    for (const model of world.models) model.closing(last)
  })
}
