import type { Actor, Kind } from '../history.ts'
import { entriesOf, planted } from '../layout.ts'
import { Documents, RUBBISH } from '../models/documents.ts'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { documentsOf, useDocuments } from './documents.ts'
import { loadAgent, loadAtLast } from './loading.ts'

/** What the entries of a document were at some moment. */
interface Backup {
  readonly id: string
  readonly entries: readonly (readonly [string, Uint8Array])[]
}

/** What the simulation itself does to the disk of a world. */
class Disturbance {
  readonly #world: World
  readonly #backups: Backup[] = []
  #planted: { readonly id: string; readonly paths: readonly string[] } | undefined

  constructor(world: World) {
    this.#world = world
  }

  /** Nobody is writing, so that what was answered stands on the disk as a whole. */
  get #isQuiet(): boolean {
    return !this.#world.calls.some(({ state, name }) => state === 'running' && name !== 'verifyById')
  }

  step(): void {
    const { random, disk } = this.#world
    if (!this.#isQuiet) return
    if (this.#planted !== undefined) return this.#heal(this.#planted)
    const documents = documentsOf(this.#world)
    const id = random.pick(documents.ids.filter((there) => documents.historyOf(there)[0]?.raw.includes('"content"')))
    switch (random.weighted({ backup: 5, restore: 2, plant: 1 })) {
      case 'backup':
        this.#backups.push({ id, entries: entriesOf(disk, id) })
        return
      case 'restore':
        if (this.#backups.length > 0) this.#restore(random.pick(this.#backups))
        return
      case 'plant':
        this.#plant(id)
    }
  }

  /** The document is again what it was once. */
  #restore({ id, entries }: Backup): void {
    const documents = documentsOf(this.#world)
    const before = documents.historyOf(id).length
    this.#quietly(id, () => {
      for (const [path] of entriesOf(this.#world.disk, id)) this.#world.disk.delete(path)
      for (const [path, bytes] of entries) this.#world.disk.put(path, bytes)
    })
    this.#world.note(() => `-- ${id} is restored: ${documents.historyOf(id).length} versions after ${before}`)
  }

  /** An unsigned text stands where the next version would. */
  #plant(id: string): void {
    const last = documentsOf(this.#world).historyOf(id).at(-1)
    if (last === undefined) return
    const version = `${RUBBISH}-0bad-4bad-8bad-${String(this.#world.tick).padStart(12, '0')}`
    const document = { ...(JSON.parse(last.raw) as object), sxVersion: version, sxPreviousVersion: last.version }
    const entries = [planted(this.#world.disk, id, JSON.stringify(document))]
    this.#world.note(() => `-- rubbish after the last version of ${id}`)
    this.#quietly(id, () => {
      for (const [path, text] of entries) this.#world.disk.put(path, new TextEncoder().encode(text))
    })
    documentsOf(this.#world).disturb(id)
    this.#planted = { id, paths: entries.map(([path]) => path) }
  }

  #heal({ id, paths }: { id: string; paths: readonly string[] }): void {
    this.#planted = undefined
    this.#world.note(() => `-- the rubbish after the last version of ${id} is gone`)
    this.#quietly(id, () => {
      for (const path of paths) this.#world.disk.delete(path)
    })
    documentsOf(this.#world).disturb(id, this.#world.tick)
  }

  #quietly(id: string, change: () => void): void {
    change()
    this.#world.disk.takeChanges()
    this.#world.tick++
    documentsOf(this.#world).disturb(id, this.#world.tick)
  }

  end(): void {
    if (this.#planted !== undefined) this.#heal(this.#planted)
  }
}

const disturbances = new WeakMap<World, Disturbance>()

async function next(world: World, actor: Actor): Promise<void> {
  if (world.random.chance(0.6)) disturbances.get(world)?.step()
  await useDocuments(world, actor)
}

/** Documents on a disk that is restored from a backup, or holds rubbish for a while. */
export const disturbed: Scenario = {
  name: 'disturbed',
  begins: 'agent',
  watch: (world) => {
    world.models.push(new Documents(world))
    disturbances.set(world, new Disturbance(world))
  },
  // What a page keeps in memory survives what is restored below it.
  kinds: (random: Random) => Array.from({ length: 2 }, (): Kind => random.pick(['awaited', 'server'])),
  calls: [3, 6],
  together: 0.6,
  begin: loadAgent,
  next,
  end: (world, observer) => {
    disturbances.get(world)?.end()
    loadAtLast(world, observer)
  },
}
