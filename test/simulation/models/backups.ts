import type { Bytes } from '../../../src/types.ts'
import { Disk } from '../disk.ts'
import { foreignId } from '../foreign.ts'
import { type Actor, type Call, LATE_CODES, type Model, type Process } from '../history.ts'
import { namedAgents, trustedText, trustOf } from '../layout.ts'
import { observer } from '../prepared.ts'
import { type Agent, CONFIG, type Made } from '../process.ts'
import type { World } from '../world.ts'
import type { Documents } from './documents.ts'
import type { Keys } from './keys.ts'

/** The password of every backup. */
export const BACKUP_PASSWORD = 'the password of the backup'

/** What was trusted, since when. */
interface Trusted {
  readonly tick: number
  readonly text: string | undefined
}

const isPage = ({ actor, isAtOnce }: Call): boolean => isAtOnce && actor.kind === 'page'
const isDecision = ({ name }: Call): boolean => name === 'trustAgent' || name === 'untrustAgent'

/**
 * Backups: each that was reported is restored somewhere else, and loads there with the key and the trust of some moment
 * of its call. In a page the synchronous form saves what its memory has, or says that this is not whole.
 */
export class Backups implements Model {
  readonly #world: World
  readonly #documents: Documents
  readonly #keys: Keys
  readonly #agentId: string
  readonly #trusted: Trusted[] = []

  constructor(world: World, documents: Documents, keys: Keys) {
    this.#world = world
    this.#documents = documents
    this.#keys = keys
    this.#agentId = namedAgents(world.disk)[0] ?? ''
    this.#trusted.push({ tick: world.tick, text: trustedText(world.disk, foreignId) })
  }

  changed(path: string): void {
    if (trustOf(path) !== foreignId) return
    const text = trustedText(this.#world.disk, foreignId)
    if (text !== this.#trusted.at(-1)?.text) this.#trusted.push({ tick: this.#world.tick, text })
  }

  ended(call: Call): void {
    if (call.name !== 'exportStore' && call.name !== 'exportKey') return
    if (call.state === 'refused' && !this.#isTrue(call)) {
      this.#world.violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
    }
    if (call.state === 'done' && call.name === 'exportStore') this.#restore(call, call.value as Bytes)
  }

  /** Whether a refusal has a reason. */
  #isTrue(call: Call): boolean {
    const { code = '', actor, own, name } = call
    if (LATE_CODES.has(code) && this.#world.hasLostBehind(actor)) return true
    if (code === 'KeyRevoked') return this.#documents.isRotatedSince(this.#agentId, own)
    const mayBeInPart = code === 'SyncStorageUnavailable' && name === 'exportStore' && isPage(call)
    return mayBeInPart && (this.#pending(call) !== undefined || this.#hasGaps(actor))
  }

  /** Whether a page may have read a version in its memory and not the one before it, or a witness without its decision. */
  #hasGaps({ since }: Actor): boolean {
    if (this.#trusted.some(({ tick }) => tick > since)) return true
    return this.#documents.ids.some((id) => this.#documents.historyOf(id).filter(({ tick }) => tick > since).length > 1)
  }

  #restore(call: Call, backup: Bytes): void {
    const { library } = this.#world
    const { storage } = observer(new Disk())
    const agent = library.agent({ storage, password: BACKUP_PASSWORD, env: {} })
    try {
      const { keyId } = library.now(agent, 'importStore', [backup, CONFIG]) as { keyId: string }
      const { id } = library.now(agent, 'load', [CONFIG]) as { id: string }
      if (id !== this.#agentId) this.#world.violate('a backup restores', `#${call.number} restores ${id}.`)
      if (!this.#keys.during(call).some(({ keys }) => keys.at(-1)?.keyId === keyId)) {
        this.#world.violate('what was taken back stays taken back', `#${call.number} saves ${keyId}, a former key.`)
      }
      this.#checkDocuments(call, agent)
      this.#checkTrust(call, agent)
    } catch (error) {
      this.#world.violate('a backup restores', `#${call.number}: ${String(error)}`)
    }
  }

  #checkDocuments(call: Call, agent: Agent): void {
    const listed = this.#world.library.now(agent, 'listDocuments', []) as string[]
    for (const made of this.#world.calls) {
      if (made.state !== 'done' || (made.ended ?? call.invoked) >= call.invoked || made.name !== 'signMessage') continue
      if (isPage(call) && made.actor !== call.actor) continue
      if (listed.some((key) => key.startsWith((made.value as Made).id))) continue
      this.#world.violate('a backup restores', `#${call.number} misses what #${made.number} has signed.`)
    }
  }

  #checkTrust(call: Call, agent: Agent): void {
    // Nobody can say what has become of a decision that has ended unknown.
    if (call.actor.process.isTouched || this.#pending(call)?.state === 'unknown') return
    const text = this.#world.library.now(agent, 'trustedDocument', [foreignId]) as string | undefined
    if (this.#trustDuring(call).includes(text)) return
    const rule = text === undefined ? 'a backup restores' : 'what was taken back stays taken back'
    this.#world.violate(rule, `#${call.number} saves the trust of another moment.`)
  }

  /** What was trusted at some moment of a call, and in a page since it has asked; not before its own decision. */
  #trustDuring(call: Call): (string | undefined)[] {
    const own = this.#pending(call)
    if (own !== undefined) {
      const later = this.#trusted.filter(({ tick }) => tick > own.invoked)
      return [own.name === 'trustAgent' ? String(own.given[0]) : undefined, ...later.map(({ text }) => text)]
    }
    const since = isPage(call) ? this.#askedSince(call.actor.process, call.number) : call.invoked
    const there = this.#trusted.findLast(({ tick }) => tick <= since)
    return [there, ...this.#trusted.filter(({ tick }) => tick > since)].map((moment) => moment?.text)
  }

  /** When a page has last read all decisions, or followed the latest one. */
  #askedSince({ actors }: Process, before: number): number {
    const asked = this.#world.calls.findLast(
      (call) =>
        actors.includes(call.actor) &&
        call.number < before &&
        call.state === 'done' &&
        (isDecision(call) || (call.name === 'exportStore' && !call.isAtOnce)),
    )
    return asked?.invoked ?? actors[0]?.since ?? 0
  }

  /** The last decision of its process that was on its way to the storage when a call began, or may have been. */
  #pending(call: Call): Call | undefined {
    const last = this.#world.calls.findLast(
      (other) =>
        isDecision(other) &&
        other.state !== 'refused' &&
        other.actor.process === call.actor.process &&
        other.number < call.number,
    )
    if (last === undefined || last.actor.kind === 'server') return undefined
    const isOver = last.state === 'done' && (last.ended ?? 0) <= call.invoked
    return isOver ? undefined : last
  }

  closing(): void {}
}
