import type { Bytes } from '../../../src/types.ts'
import { Disk } from '../disk.ts'
import type { Call, Model } from '../history.ts'
import { documentOf, historyOf, namedAgents } from '../layout.ts'
import { observer } from '../prepared.ts'
import { CONFIG, type Made } from '../process.ts'
import type { World } from '../world.ts'
import { keysIn } from './keys.ts'

/** The password of every backup. */
export const BACKUP_PASSWORD = 'the password of the backup'

/** Refusals because somebody else has rotated the key, or is about to. */
const OVERTAKEN: readonly (string | undefined)[] = ['KeyRevoked', 'VersionConflict', 'Busy']

/** Backups: each that was reported is restored somewhere else, and loads there with the key of some moment of its call. */
export class Backups implements Model {
  readonly #world: World
  readonly #agentId: string
  readonly #keys: { readonly tick: number; readonly keyId: string | undefined }[] = []

  constructor(world: World) {
    this.#world = world
    this.#agentId = namedAgents(world.disk)[0] ?? ''
    this.changed(`sx_data/documents/${this.#agentId.slice(0, 2)}/${this.#agentId}.1.json`)
  }

  changed(path: string): void {
    if (documentOf(path) !== this.#agentId) return
    const raw = historyOf(this.#world.disk, this.#agentId).at(-1) ?? '{}'
    this.#keys.push({ tick: this.#world.tick, keyId: keysIn(raw).at(-1)?.keyId })
  }

  ended(call: Call): void {
    if (call.name !== 'exportStore' && call.name !== 'exportKey') return
    if (call.state === 'refused') {
      const isRotated = this.#world.calls.some(({ name }) => name === 'rotateKey')
      if (isRotated && OVERTAKEN.includes(call.code)) return
      this.#world.violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
    }
    if (call.state === 'done' && call.name === 'exportStore') this.#restore(call, call.value as Bytes)
  }

  #restore(call: Call, backup: Bytes): void {
    const { library } = this.#world
    const { storage } = observer(new Disk())
    const agent = library.agent({ storage, password: BACKUP_PASSWORD, env: {} })
    try {
      const { keyId } = library.now(agent, 'importStore', [backup, CONFIG]) as { keyId: string }
      const { id } = library.now(agent, 'load', [CONFIG]) as { id: string }
      if (id !== this.#agentId) this.#world.violate('a backup restores', `#${call.number} restores ${id}.`)
      const before = this.#keys.findLast(({ tick }) => tick <= call.invoked)
      const during = [before, ...this.#keys.filter(({ tick }) => tick > call.invoked)]
      if (!during.some((moment) => moment?.keyId === keyId)) {
        this.#world.violate('what was taken back stays taken back', `#${call.number} saves ${keyId}, a former key.`)
      }
      const listed = library.now(agent, 'listDocuments', []) as string[]
      for (const made of this.#world.calls) {
        if (made.state !== 'done' || (made.ended ?? call.invoked) >= call.invoked || made.name !== 'signMessage')
          continue
        // In a page the synchronous form saves what its memory has.
        if (call.isAtOnce && call.actor.kind === 'page' && made.actor !== call.actor) continue
        if (listed.some((key) => key.startsWith((made.value as Made).id))) continue
        this.#world.violate('a backup restores', `#${call.number} misses what #${made.number} has signed.`)
      }
    } catch (error) {
      this.#world.violate('a backup restores', `#${call.number}: ${String(error)}`)
    }
  }

  closing(): void {}
}
