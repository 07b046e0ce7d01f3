// Whether the simulation notices anything: disks that do not keep what they promise.
import { expect, test } from 'vitest'
import { Disk } from './disk.ts'
import { runSeed } from './run.ts'

/** Entries of a disk, for another one. */
function entriesOf(disk: Disk): [string, Uint8Array][] {
  return disk.paths().map((path) => [path, disk.get(path) ?? new Uint8Array()])
}

/** Decides nothing: whoever comes last has a place. */
class UndecidedDisk extends Disk {
  override put(path: string, bytes: Uint8Array, _ifAbsent?: boolean, isRelaxed?: boolean): boolean {
    return super.put(path, bytes, false, isRelaxed)
  }
}

/** Answers that it has written, and forgets it now and then. */
class ForgetfulDisk extends Disk {
  #writes = 0
  override put(path: string, bytes: Uint8Array, ifAbsent?: boolean, isRelaxed?: boolean): boolean {
    this.#writes++
    return this.#writes % 5 === 0 ? true : super.put(path, bytes, ifAbsent, isRelaxed)
  }
}

/** Keeps one byte of what is written too few, now and then. */
class TornDisk extends Disk {
  #writes = 0
  override put(path: string, bytes: Uint8Array, ifAbsent?: boolean, isRelaxed?: boolean): boolean {
    this.#writes++
    return super.put(path, this.#writes % 5 === 0 ? bytes.subarray(1) : bytes, ifAbsent, isRelaxed)
  }
}

/** The rules that are broken on such a disk by the first seeds of a scenario. */
async function broken(scenario: string, replaceDisk: (disk: Disk) => Disk): Promise<Set<string>> {
  const rules = new Set<string>()
  for (let seed = 1; seed <= 60; seed++) {
    const { violation } = await runSeed(seed, { scenario, replaceDisk })
    if (violation !== undefined) rules.add(violation.rule)
  }
  return rules
}

const disks = {
  undecided: (disk: Disk) => new UndecidedDisk(entriesOf(disk)),
  forgetful: (disk: Disk) => new ForgetfulDisk(entriesOf(disk)),
  torn: (disk: Disk) => new TornDisk(entriesOf(disk)),
}

test.each([
  ['documents', 'undecided'],
  ['documents', 'forgetful'],
  ['documents', 'torn'],
  ['agent', 'undecided'],
  ['agent', 'forgetful'],
  ['trust', 'forgetful'],
  ['passwords', 'forgetful'],
  ['creation', 'forgetful'],
  ['creation', 'torn'],
  ['agreements', 'forgetful'],
  ['agreements', 'torn'],
] as const)('rules for %s are broken on a disk that is %s', async (scenario, disk) => {
  const rules = await broken(scenario, disks[disk])
  expect([...rules]).not.toEqual([])
})
