import { type Actor, type Call, type Model } from '../history.ts'
import { isExpected, isStagedFor, KEY_FOLDER, namedAgents, namesAgent, occupants, stagedAgent } from '../layout.ts'
import { observer } from '../prepared.ts'
import { CONFIG, type Opened } from '../process.ts'
import type { World } from '../world.ts'

/** What a process is given to create an agent with. */
export interface Terms {
  readonly config: string
  readonly password: string | undefined
  readonly isSaved: boolean
  /** On the runtime's own storage, not on one that is passed in. */
  readonly isOwnStorage: boolean
  /** The configuration was prepared for another runtime's storage. */
  readonly isElsewhere: boolean
}

/** An agent as a caller was told of it. */
interface Report {
  readonly call: Call
  readonly terms: Terms
  readonly id: string
  /** What opens it. */
  readonly password: string | undefined
}

interface Presence {
  readonly tick: number
  readonly path: string
  readonly isThere: boolean
  readonly by: Actor | undefined
}

/** Agents that are created: one at a place, which loads as soon as anybody was told of it, and for ever. */
export class Creation implements Model {
  readonly #world: World
  readonly #termsOf: (actor: Actor) => Terms
  readonly #reports: Report[] = []
  readonly #presences: Presence[] = []

  constructor(world: World, termsOf: (actor: Actor) => Terms) {
    this.#world = world
    this.#termsOf = termsOf
    for (const path of world.disk.paths()) this.#note(path, undefined)
  }

  #note(path: string, by: Actor | undefined): void {
    const { disk, tick } = this.#world
    const isConfiguration = path.endsWith('config.json')
    const isThere = isConfiguration ? namesAgent(disk.text(path)) : disk.get(path) !== undefined
    this.#presences.push({ tick, path, isThere, by })
  }

  changed(path: string, by: Actor | undefined): void {
    this.#note(path, by)
    if (path.startsWith(`${KEY_FOLDER}/`) || path.endsWith('config.json')) {
      for (const report of this.#reports) this.#check(report)
    }
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  /** An agent that was reported loads, and is the one that was reported. */
  #check({ call, terms, id, password }: Report): void {
    const { library, disk } = this.#world
    const { storage } = observer(disk)
    const env = terms.isSaved ? { SX_SAVE_PASSWORD_FILE: 'true' } : {}
    const agent = library.agent({ ...(terms.isOwnStorage ? {} : { storage }), env })
    try {
      const load = () => library.now(agent, 'openWith', [terms.config, password]) as Opened
      const found = terms.isOwnStorage ? library.onOwnStorage(storage, load) : load()
      if (found.id === id) return
      this.#violate('one agent at a place', `#${call.number} reports ${id}, but ${found.id} loads.`)
    } catch (error) {
      this.#violate('an agent that was reported loads', `#${call.number} ${call.name}: ${String(error)}`)
    }
  }

  ended(call: Call): void {
    if (call.name !== 'create' && call.name !== 'quickstart') return
    const terms = this.#termsOf(call.actor)
    if (call.state === 'refused') return this.#refused(call, terms)
    if (call.state !== 'done') return
    const { id, generatedPassword } = call.value as Opened
    const told = terms.password ?? generatedPassword
    const report = { call, terms, id, password: terms.isSaved && terms.password === undefined ? undefined : told }
    const other = this.#reports.find((there) => there.terms.config === terms.config && there.id !== id)
    if (other !== undefined) {
      this.#violate('one agent at a place', `#${call.number} reports ${id}, #${other.call.number} ${other.id}.`)
    }
    if (terms.password === undefined && !terms.isSaved && generatedPassword === undefined) return
    this.#check(report)
    const isKnown = this.#reports.some(
      (there) => there.terms.config === terms.config && there.id === id && there.password === report.password,
    )
    if (!isKnown) this.#reports.push(report)
  }

  #refused(call: Call, { config, password, isSaved, isElsewhere }: Terms): void {
    const { code, number, name } = call
    if (code === 'Unsupported' && isElsewhere) return
    if (code === 'AlreadyExists' && (this.#wasOccupied(call, config) || this.#mayBeOwn(call))) return
    const isPasswordKnown = password !== undefined || isSaved
    if (code === 'PasswordRequired' && !isPasswordKnown && this.#wasOccupied(call, config)) return
    this.#violate('true sentences', `#${number} ${name}: ${code}`)
  }

  /** Whether the process has begun before what it was not told the end of. */
  #mayBeOwn({ actor, number }: Call): boolean {
    return this.#world.calls.some(
      (call) => call.actor === actor && call.number < number && call.name === 'create' && call.state === 'unknown',
    )
  }

  /** Whether something stood there at some moment of a call that another process had put there. */
  #wasOccupied({ actor, invoked }: Call, config: string): boolean {
    return occupants(config.replace('./', '')).some((path) => {
      const moments = this.#presences.filter((there) => there.path === path)
      const before = moments.findLast(({ tick }) => tick <= invoked)
      const during = moments.filter(({ tick }) => tick > invoked)
      return [before, ...during].some(
        (moment) => moment?.isThere === true && (moment.by !== actor || path.endsWith('.pem')),
      )
    })
  }

  closing(last: Actor): void {
    const { disk } = this.#world
    for (const report of this.#reports) this.#check(report)
    const id = last.agent?.session.loaded?.id
    if (id === undefined) return
    const ids = [id, ...this.#reports.map((report) => report.id), ...namedAgents(disk)]
    // What was begun for another configuration only a start there can tell from what is under way.
    const isElsewhere = (path: string): boolean => stagedAgent(path) !== undefined && !isStagedFor(path, CONFIG)
    const left = disk.paths(KEY_FOLDER).filter((path) => !isExpected(path, ids) && !isElsewhere(path))
    if (left.length > 0) this.#violate('nothing is left behind', left.join(', '))
  }

  /** A password that somebody was told, for a process that starts when all is over. */
  knownPassword({ config, password, isSaved }: Terms): string | undefined {
    if (password !== undefined || isSaved) return password
    return this.#reports.find((report) => report.terms.config === config)?.password
  }
}
