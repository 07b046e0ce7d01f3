import { foreignId } from '../foreign.ts'
import type { Call, Model } from '../history.ts'
import { observer } from '../prepared.ts'
import { CONFIG, type Opened } from '../process.ts'
import type { World } from '../world.ts'

/** One agent comes to a place: the one of a backup, with what it trusts, or a new one, which trusts nobody. */
export class Restoring implements Model {
  readonly #world: World
  readonly #backupOf: string
  readonly #password: string
  #told: { readonly id: string; readonly by: number } | undefined

  constructor(world: World, backupOf: string, password: string) {
    this.#world = world
    this.#backupOf = backupOf
    this.#password = password
  }

  changed(): void {}

  ended(call: Call): void {
    const name: string = call.name
    if (name === 'isTrusted' && call.state === 'done') return this.#asked(call)
    if (name !== 'quickstart' && name !== 'importStore') return
    if (call.state === 'refused') {
      // Of what an import has left somebody may begin another agent, and the other way round.
      if (call.code === 'AlreadyExists' && this.#world.calls.some((other) => other !== call && isBeginning(other)))
        return
      this.#world.violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
    }
    if (call.state !== 'done') return
    const { id } = call.value as Opened
    if (this.#told !== undefined && this.#told.id !== id) {
      this.#world.violate('one agent at a place', `#${call.number} reports ${id}, #${this.#told.by} ${this.#told.id}.`)
    }
    this.#told ??= { id, by: call.number }
    this.#look()
  }

  #asked(call: Call): void {
    const id = call.actor.loaded.session.loaded?.id
    if (id !== undefined && id !== this.#backupOf && call.value === true) {
      this.#world.violate('trust changes by a call', `#${call.number}: ${id} trusts whom nobody has asked it to.`)
    }
  }

  /** What a process finds that starts now. */
  #look(): void {
    if (this.#told === undefined) return
    const { library, disk } = this.#world
    const agent = library.agent({ storage: observer(disk.copy()).storage, password: this.#password, env: {} })
    try {
      const { id } = library.now(agent, 'load', [CONFIG]) as Opened
      if (id !== this.#told.id) this.#world.violate('one agent at a place', `${id} loads, not ${this.#told.id}.`)
      const isTrusted = library.now(agent, 'isTrusted', [foreignId])
      if (isTrusted === (id === this.#backupOf)) return
      const what = isTrusted === true ? 'trusts whom nobody has asked it to' : 'has lost whom it trusts'
      this.#world.violate('trust changes by a call', `${id} ${what}.`)
    } catch (error) {
      this.#world.violate('an agent that was reported loads', `#${this.#told.by}: ${String(error)}`)
    }
  }

  closing(): void {
    this.#look()
  }
}

const isBeginning = ({ name }: Call): boolean => name === 'quickstart' || name === 'importStore'
