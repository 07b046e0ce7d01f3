import { type Actor, type Call, isOpen, type Model } from '../history.ts'
import { documentOf, isSecret, namedAgents } from '../layout.ts'
import { observer } from '../prepared.ts'
import { CONFIG } from '../process.ts'
import type { World } from '../world.ts'
import { Documents } from './documents.ts'

interface Moment {
  readonly tick: number
  readonly password: string
  readonly by: Call | undefined
}

/** The password of the private key: at every moment exactly one opens it, and each change follows from the one before. */
export class Passwords implements Model {
  readonly #world: World
  readonly #moments: Moment[]
  /** Whether the password is saved where every process finds it. */
  readonly #isSaved: boolean
  readonly #agentId: string | undefined

  constructor(world: World, first: string, isSaved: boolean) {
    this.#world = world
    this.#moments = [{ tick: 0, password: first, by: undefined }]
    this.#isSaved = isSaved
    this.#agentId = namedAgents(world.disk)[0]
  }

  /** The one that opens the key now. */
  get current(): string {
    return this.#moments.at(-1)?.password ?? ''
  }

  /** All that were valid once. */
  get all(): string[] {
    return this.#moments.map(({ password }) => password)
  }

  changed(path: string, actor: Actor | undefined): void {
    if (!(isSecret(path) || documentOf(path) === this.#agentId) || this.#opens(this.current)) return
    const changes = this.#world.calls.filter((call) => call.name === 'reencryptKey' && isOpen(call))
    const by = changes.find((call) => call.actor === actor && this.#opens(String(call.given[1])))
    if (by === undefined) return this.#lost()
    const [old, password] = by.given.map(String)
    if (old !== this.current) {
      this.#violate('one winner', `#${by.number} changes '${old}', but '${this.current}' was valid.`)
    }
    this.#moments.push({ tick: this.#world.tick, password: password ?? '', by })
  }

  #lost(): void {
    const before = this.#moments.find(({ password }) => this.#opens(password))
    if (before === undefined)
      return this.#violate('a password opens', `'${this.current}' does not, nor does any other.`)
    this.#violate('what was done stays', `'${before.password}' opens the key again, not '${this.current}'.`)
  }

  #opens(password: string | undefined): boolean {
    const { library, disk } = this.#world
    // Opening ends what others have left undone, which is not to happen here.
    const agent = library.agent({ storage: observer(disk.copy()).storage, env: {} })
    try {
      library.now(agent, 'openWith', [CONFIG, password])
      return true
    } catch (error) {
      const code = library.codeOf(error)
      if (code === 'WrongPassword' || code === 'PasswordRequired') return false
      this.#violate('the agent loads', `with '${String(password)}': ${String(error)}`)
      return false
    }
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  /** What opened the key at some moment of a call. */
  #during({ invoked }: Call): string[] {
    const there = this.#moments.findLast(({ tick }) => tick <= invoked)
    return [there, ...this.#moments.filter(({ tick }) => tick > invoked)].map((moment) => moment?.password ?? '')
  }

  judges({ name, code }: Call): boolean {
    return name === 'rotateKey' && code === 'WrongPassword'
  }

  ended(call: Call): void {
    if (call.name === 'reencryptKey') return this.#changed(call)
    if (call.name === 'rotateKey') return this.#rotated(call)
    if (call.name !== 'openWith') return
    const password = call.given[1] as string | undefined
    if (call.state === 'refused') {
      const isRight =
        password === undefined
          ? call.code === 'PasswordRequired' && !this.#isSaved
          : call.code === 'WrongPassword' && this.#during(call).some((valid) => valid !== password)
      if (!isRight) this.#violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
    }
    if (call.state !== 'done' || password === undefined || this.#during(call).includes(password)) return
    this.#violate('the password of the moment', `#${call.number} opens the key with '${password}'.`)
  }

  #changed(call: Call): void {
    const [old] = call.given.map(String)
    if (call.state === 'done' && !this.#moments.some(({ by }) => by === call)) {
      this.#violate('what was reported is stored', `#${call.number} has changed the password, which is not there.`)
    }
    if (call.state !== 'refused') return
    const isRight = call.code === 'WrongPassword' || call.code === 'VersionConflict'
    if (call.code === 'KeyRevoked' && this.#isRotated(call)) return
    if (isRight && this.#during(call).some((valid) => valid !== old)) return
    this.#violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
  }

  #isRotated({ own }: Call): boolean {
    return this.#world.models.some(
      (model) => model instanceof Documents && model.isRotatedSince(this.#agentId ?? '', own),
    )
  }

  /** A rotation is refused for its password only if another one was valid. */
  #rotated(call: Call): void {
    if (call.state !== 'refused' || call.code !== 'WrongPassword') return
    if (this.#during(call).some((valid) => valid !== call.given[0])) return
    this.#violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
  }

  closing(): void {
    if (!this.#opens(this.current)) this.#violate('a password opens', `in the end '${this.current}' does not.`)
    if (this.#isSaved && !this.#opens(undefined)) this.#violate('the saved password opens', 'in the end it does not.')
  }
}
