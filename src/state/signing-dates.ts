import { type Operation, perform } from '../effects.ts'
import { now } from '../entropy.ts'
import type { Storage } from '../storage/contract.ts'
import { groundOf } from '../storage/ground.ts'
import { putRecent } from './recent.ts'

/** A rotation that this process has on its way. */
export interface BegunRotation {
  readonly since: number
  /** Notes the version that it is about to put. */
  puts(version: string): void
  end(): void
}

/** When a rotation began that this process has on its way, and what it puts. */
interface Rotation {
  readonly since: number
  readonly intent: string
  version?: string
}

/**
 * The latest date that this process has signed with for an agent. A key that is followed by another one counts for what
 * is dated before that (protocol, section 9), so a rotation is dated after all that was signed here, stored or not.
 */
export class SigningDates {
  #latest = 0
  /** When the rotations began that this process has on their way; each will be dated later. */
  readonly #rotations = new Set<Rotation>()

  /** What this process is about to put as intents of rotations. */
  readonly #intents = new Set<string>()

  /** Unix milliseconds; 0 if nothing was signed. */
  get latest(): number {
    return this.#latest
  }

  /**
   * Before this date everything counts that the present key signs, whatever becomes of a rotation that this process has on
   * its way, Unix milliseconds; infinite if there is none.
   */
  get bound(): number {
    let bound = Number.POSITIVE_INFINITY
    for (const { since } of this.#rotations) bound = Math.min(bound, since)
    return bound
  }

  /** Whether this process has a rotation on its way. */
  get isRotating(): boolean {
    return this.#rotations.size > 0
  }

  /**
   * Notes the intent of a rotation before it is put: what is signed until the rotation begins is dated before it.
   *
   * @returns what ends that
   */
  announce(intent: string): () => void {
    this.#intents.add(intent)
    return () => void this.#intents.delete(intent)
  }

  /** Whether an intent is one that this process has put, or is putting. */
  isOwnIntent(intent: string | undefined): boolean {
    if (intent === undefined) return false
    const begun = [...this.#rotations].some((one) => one.intent === intent || intent.startsWith(`${one.intent} `))
    return begun || this.#intents.has(intent)
  }

  /** Whether a version is one that a rotation of this process is putting. */
  isOwnVersion(version: string): boolean {
    return [...this.#rotations].some((one) => one.version === version)
  }

  /** The date of what is signed now. @param present Unix milliseconds, as it is */
  next(present: number): number {
    const date = this.isRotating ? Math.min(present, this.bound - 1) : present
    this.#latest = Math.max(this.#latest, date)
    return date
  }

  /** Begins a rotation whose intent was put, and which is not dated before `since`, Unix milliseconds. */
  *begin(intent: string): Operation<BegunRotation> {
    const rotation: Rotation = { since: yield* perform(now), intent }
    this.#rotations.add(rotation)
    return {
      since: rotation.since,
      puts: (version) => {
        rotation.version = version
      },
      end: () => void this.#rotations.delete(rotation),
    }
  }

  /** Learns the date of what was signed, which is later than it was to be where it follows something that is. */
  note(date: string): void {
    this.#latest = Math.max(this.#latest, Date.parse(date))
  }
}

/** Dates outlive a loaded agent: it may be loaded again, or twice, in one process. */
const ofStores = new WeakMap<object, Map<string, SigningDates>>()
const ofPaths = new Map<string, SigningDates>()

/** So many agents on the runtime's own storage are remembered; the one that was loaded longest ago is forgotten first. */
const MOST_PATHS = 10_000

/**
 * The dates of an agent in this process.
 *
 * @param place the storage that it was opened on, or the path of its configuration on the runtime's own
 */
export function signingDates(place: Storage | string, agentId: string): SigningDates {
  if (typeof place === 'string') {
    const name = `${place}\n${agentId}`
    const dates = ofPaths.get(name) ?? new SigningDates()
    putRecent(ofPaths, name, dates, MOST_PATHS)
    return dates
  }
  const { store, path } = groundOf(place)
  const agents = ofStores.get(store) ?? new Map<string, SigningDates>()
  ofStores.set(store, agents)
  const name = [...path, agentId].join('/')
  const dates = agents.get(name) ?? new SigningDates()
  agents.set(name, dates)
  return dates
}
