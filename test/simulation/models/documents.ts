import type { ValidResult, VerificationResult } from '../../../src/types.ts'
import { type Actor, type Call, isOpen, LATE_CODES, type Model, WRITES } from '../history.ts'
import { documentOf, historyOf, statedCompromised } from '../layout.ts'
import { FILE, type Made, type Opened, type Rotation } from '../process.ts'
import type { World } from '../world.ts'

/** A version of a document on the disk. */
interface Version {
  readonly version: string
  readonly raw: string
  /** The number of the call that made it; 0 or less if it was there before. */
  readonly by: number
  /** Since when it is there. */
  readonly tick: number
}

const PREPARED = 0
/** How versions begin that nobody has signed. */
export const RUBBISH = '0bad0bad'

/** Whether a version of a message that is an update has the file that came with it, whole. */
function hasItsFile({ data, attachments: [file, ...more] }: ValidResult): boolean {
  const held = file?.filename === FILE ? new TextDecoder().decode(file.content) : ''
  return held === JSON.stringify(data) && more.length === 0
}

/** The call that a text was made by: messages hold its number, agent documents name it. */
function callOf(document: Record<string, unknown>): number {
  const { call } = (document['content'] ?? document) as { call?: number }
  if (call !== undefined) return call
  return Number(/^call (\d+)$/.exec(String(document['description']))?.[1] ?? PREPARED)
}

/** Calls that sign and store nothing. */
const ASIDE: readonly string[] = ['signAside', 'createRevocation']

/** Calls that make the next version of the agent document. */
const OWN: readonly string[] = ['updateAgent', 'rotateKey', 'revokeKey']

/** Calls that make a version of it which says something of keys. */
const ABOUT_KEYS: readonly string[] = ['rotateKey', 'revokeKey', 'revokeAsStated']

/** How many keys an agent document has. */
function keysOf(raw: string | undefined): number {
  const { sxPublicKeys } = JSON.parse(raw ?? '{}') as { sxPublicKeys?: unknown[] }
  return sxPublicKeys?.length ?? 0
}

/** Whether a version of the agent document changes nothing but its keys, or nothing: so no update has made it. */
function isOfKeys(raw: string, before: string | undefined): boolean {
  if (before === undefined || !raw.includes('"sxPublicKeys"')) return false
  const [one, other] = [raw, before].map((text) => (JSON.parse(text) as { description?: string }).description)
  return one === other
}

/** Whether two calls ran at the same time, perhaps. */
function isDuring(one: Call, other: Call): boolean {
  const end = ({ ended, state }: Call): number =>
    state === 'unknown' ? Number.POSITIVE_INFINITY : (ended ?? Number.POSITIVE_INFINITY)
  return one.invoked <= end(other) && other.invoked <= end(one)
}

/** Documents and agent documents: a history that only grows, each version by one call, and answers that agree with it. */
export class Documents implements Model {
  readonly #world: World
  readonly #histories = new Map<string, Version[]>()
  /** Documents whose history was disturbed by the simulation itself, and until when. */
  readonly #disturbed = new Map<string, number>()
  /** Documents that have lost versions to a restored backup. */
  readonly #outlived = new Set<string>()

  constructor(world: World) {
    this.#world = world
    for (const path of world.disk.paths()) this.changed(path)
  }

  /** All documents that are there. */
  get ids(): string[] {
    return [...this.#histories].flatMap(([id, history]) => (history.length > 0 ? [id] : []))
  }

  historyOf(id: string): readonly Version[] {
    return this.#histories.get(id) ?? []
  }

  changed(path: string): void {
    const id = documentOf(path)
    if (id !== undefined) this.#read(id)
  }

  /** Takes what is on the disk for true, whatever was there before. */
  disturb(id: string, until: number = Number.POSITIVE_INFINITY): void {
    const before = this.historyOf(id)
    this.#disturbed.set(id, until)
    this.#histories.set(id, [])
    this.#read(id)
    const isThere = (raw: string): boolean => this.historyOf(id).some((there) => there.raw === raw)
    if (before.some(({ raw, version }) => !version.startsWith(RUBBISH) && !isThere(raw))) this.#outlived.add(id)
  }

  #read(id: string): void {
    const known = this.#histories.get(id) ?? []
    const texts = historyOf(this.#world.disk, id)
    const isChanged = known.findIndex(({ raw }, at) => texts[at] !== raw)
    if (isChanged >= 0) {
      const { version, by } = known[isChanged] as Version
      this.#violate('what was stored stays', `version ${version} of ${id} (by #${by}) is gone or another.`)
      return
    }
    for (const raw of texts.slice(known.length)) known.push(this.#append(id, raw, known))
    this.#histories.set(id, known)
  }

  #append(id: string, raw: string, before: readonly Version[]): Version {
    const { tick, calls } = this.#world
    let document: Record<string, unknown> = {}
    try {
      document = JSON.parse(raw) as Record<string, unknown>
    } catch {
      if (!this.#isDisturbed(id, tick)) this.#violate('no claim without a version', `${id}: ${raw}`)
    }
    const version = String(document['sxVersion'])
    const isAboutKeys = isOfKeys(raw, before.at(-1)?.raw)
    // The version that a rotation makes carries the number of the update before it.
    const by = isAboutKeys ? PREPARED : callOf(document)
    const added = { version, raw, by, tick }
    if (isAboutKeys && !calls.some(({ name }) => ABOUT_KEYS.includes(name))) {
      this.#violate('done while it is called', `${id} got a version that no call has asked for.`)
    }
    if (before.length > 0 && !this.#isDisturbed(id, tick) && document['sxPreviousVersion'] !== before.at(-1)?.version) {
      this.#violate('one winner', `${id}: the version of #${by} does not follow the last one.`)
    }
    if (by <= PREPARED || this.#isDisturbed(id, tick)) return added
    const call = calls[by - 1]
    if (call === undefined || !isOpen(call)) {
      const state = call ? `${call.state} ${call.code ?? ''}` : 'nobody knows'
      this.#violate('done while it is called', `${id} got a version of #${by}, which is ${state}.`)
    }
    if (before.some((other) => other.by === by)) this.#violate('done once', `${id} got a second version of #${by}.`)
    return added
  }

  #isDisturbed(id: string, since: number): boolean {
    return (this.#disturbed.get(id) ?? -1) >= since
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  ended(call: Call): void {
    if (call.state === 'refused') this.#refused(call)
    if (call.name === 'signMessages') this.#checkAll(call)
    if (call.state !== 'done' && call.state !== 'unsettled') return
    const name: string = call.name
    switch (name) {
      case 'signMessage':
      case 'updateById':
      case 'updateByKey':
      case 'updateAgent':
      case 'rotateKey':
      case 'revokeKey':
      case 'revokeAsStated':
        return this.#made(call, call.value as Made)
      case 'signMessages':
        for (const made of call.value as readonly Made[]) this.#made(call, made)
        return
      case 'verifyById':
        return this.#verified(call, call.value as VerificationResult)
      case 'listDocuments':
        return this.#listed(call, call.value as string[])
      case 'load':
      case 'openWith':
        return this.#loaded(call, call.value as Opened)
      default:
        return
    }
  }

  #made(call: Call, { id, version, raw }: Made): void {
    if (this.#isStale(call, id)) {
      this.#violate(
        'no older one passes',
        `#${call.number} ${call.name} builds on less than ${call.actor.name} knows of ${id}.`,
      )
    }
    if (call.state === 'done') {
      call.actor.known.set(id, version)
      if (OWN.includes(call.name) && call.invoked > call.actor.openedAt) call.actor.own = version
      if (this.historyOf(id).some((there) => there.raw === raw)) return
      this.#violate(
        'what was reported is stored',
        `#${call.number} ${call.name} was done, but ${id}:${version} is not there.`,
      )
    }
  }

  /**
   * Of several documents that are signed at once all are stored, or none: where their key was rotated, which is found
   * afterwards, all; where the storage can put them in one go, and the process lives, always.
   */
  #checkAll(call: Call): void {
    const { state, code, actor, number } = call
    const isWhole = actor.kind === 'page' && actor.isAlive && state === 'unknown'
    if (!isWhole && (state !== 'refused' || code === 'KeyRevoked')) return
    const stored = [...this.#histories.values()].filter(([first]) => first?.by === number).length
    const count = (call.given[0] as readonly unknown[]).length
    if (stored === 0 || (isWhole && stored === count)) return
    this.#violate('all or none', `#${number}: ${stored} of ${count} documents are stored.`)
  }

  /** Whether the process knows of a version that the storage has lost. */
  #isStale(call: Call, id: string): boolean {
    const known = call.known.get(id)
    if (known === undefined || !this.#disturbed.has(id)) return false
    return !this.historyOf(id).some(({ version }) => version === known)
  }

  #verified(call: Call, result: VerificationResult): void {
    const [id = '', exact] = String(call.given[0]).split(':')
    if (!result.valid) return this.#notValid(call, id, exact, result.code)
    const history = this.historyOf(id)
    const at = history.findIndex((there) => there.version === result.version)
    if (at < 0) {
      const isOwn = this.#isOnItsWay(call.actor, ({ version }) => version === result.version)
      if (!isOwn && !this.#isDisturbed(id, call.invoked)) {
        this.#violate('nothing is made up', `#${call.number} gives ${id}:${result.version}, which is not there.`)
      }
      return
    }
    const found = history[at] as Version
    if (exact !== undefined) {
      if (found.version !== exact) this.#violate('the version asked for', `#${call.number} gives ${found.version}.`)
      return
    }
    if (this.#isStale(call, id) && call.actor.kind !== 'page') {
      this.#violate('no older one passes', `#${call.number} gives an older version than ${call.actor.name} knows.`)
    }
    this.#checkLatest(call, id, at)
    call.actor.known.set(id, found.version)
  }

  /** Whether a page has itself made it, behind. */
  #isOnItsWay(actor: Actor, is: (made: Made, call: Call) => boolean): boolean {
    return this.#world.calls.some(
      (call) =>
        call.actor === actor &&
        actor.kind === 'page' &&
        call.state !== 'done' &&
        ([call.value ?? {}].flat() as Made[]).some((made) => is(made, call)),
    )
  }

  /** An answer is the latest version at some moment of its call; from memory, at least what the process knows. */
  #checkLatest(call: Call, id: string, at: number): void {
    if (this.#isDisturbed(id, call.invoked)) return
    const history = this.historyOf(id)
    const known = history.findIndex(({ version }) => version === call.known.get(id))
    const there = history.filter(({ tick }) => tick < call.invoked).length - 1
    const least = this.#isFromMemory(call) ? known : Math.max(known, there)
    if (at >= least) return
    this.#violate(
      'the latest version',
      `#${call.number} gives version ${at + 1} of ${id}, not ${least + 1} or a later one.`,
    )
  }

  /** Since when a call may have read the version that it decides about: in memory it may be one that was read before. */
  #readSince(call: Call, id: string): number {
    if (!this.#isFromMemory(call)) return call.invoked
    const known = this.historyOf(id).find(({ version }) => version === call.known.get(id))
    return known === undefined ? 0 : known.tick + 1
  }

  #isFromMemory({ actor, isAtOnce }: Call): boolean {
    return isAtOnce && actor.kind === 'page'
  }

  #notValid(call: Call, id: string, exact: string | undefined, code: string): void {
    const isLost = this.#isStale(call, id)
    if (this.#isDisturbed(id, call.invoked) || isLost || this.#isOutlived(code, id)) return
    if (this.#isRevoked(id, code, exact, this.#readSince(call, id))) return
    // The own document decides on the agent's keys, and the process has not loaded the latest one.
    if (code === 'KeyMismatch' && this.isRotatedSince(call.actor.agent?.session.loaded?.id ?? '', call.own)) return
    const there = this.historyOf(id).filter(({ tick }) => tick < call.invoked)
    const isThere = exact === undefined ? there.length > 0 : there.some(({ version }) => version === exact)
    const mayMiss = this.#isFromMemory(call) && this.#isNotInMemory(call, id, exact)
    if (code === 'NotFound' && (!isThere || mayMiss)) return
    if (this.#isHidden(call, id, exact)) return
    this.#violate('what was stored verifies', `#${call.number} ${call.name}: ${code} for ${id}.`)
  }

  #listed(call: Call, keys: string[]): void {
    const listed = new Map(keys.map((key) => key.split(':') as [string, string]))
    for (const [id, history] of this.#histories) {
      if (this.#isDisturbed(id, call.invoked) || this.#isStale(call, id)) continue
      const isThere = history.some(({ tick }) => tick < call.invoked)
      const version = listed.get(id)
      if (version === undefined) {
        if (listed.has(id) && this.#isDisturbed(id, 0)) continue // it is listed, but cannot be told
        // A page lists from its memory.
        if (isThere && (call.actor.kind !== 'page' || call.known.has(id))) {
          this.#violate('everything is listed', `#${call.number} misses ${id}.`)
        }
        continue
      }
      const at = history.findIndex((there) => there.version === version)
      if (at >= 0) this.#checkLatest(call, id, at)
    }
  }

  #loaded(call: Call, { id, version }: Opened): void {
    if (call.name === 'load') Object.assign(call.actor, { own: version, openedAt: call.ended })
    const at = this.historyOf(id).findIndex((there) => there.version === version)
    if (at >= 0) {
      this.#checkLatest(call, id, at)
      call.actor.known.set(id, version)
    } else if (!this.#isOnItsWay(call.actor, (made) => made.version === version)) {
      this.#violate('nothing is made up', `#${call.number} loads ${version}, which is not there.`)
    }
  }

  #refused(call: Call): void {
    const { code = '' } = call
    const name: string = call.name
    if (LATE_CODES.has(code) && this.#world.hasLostBehind(call.actor)) return
    const [id = '', exact] = String(call.given[0]).split(':')
    const agentId = call.actor.agent?.session.loaded?.id ?? ''
    const isBehind = this.isRotatedSince(agentId, call.own)
    if (isBehind && (WRITES.has(name) || ASIDE.includes(name)) && (code === 'KeyRevoked' || code === 'KeyMismatch'))
      return
    if (this.#isRevoked(id, code, undefined, this.#readSince(call, id))) return
    if (code === 'SignerFailed' && call.actor.process.hasSignerFailed) return
    if (this.#isByOtherKey(call)) return
    if (this.#world.models.some((model) => model.judges?.(call))) return
    if (code === 'WrongPassword' && name === 'load' && this.#isDuringChange(call)) return
    switch (name) {
      case 'updateById':
      case 'updateByKey':
        if (this.#isDisturbed(id, call.invoked) || this.#isStale(call, id)) return
        if (this.#isOutlived(code, id)) return
        if (code === 'VersionConflict' && this.#hasLost(call, id, exact)) return
        if (code === 'NotFound' && this.#isFromMemory(call) && this.#isNotInMemory(call, id, exact)) return
        if (this.#isHidden(call, id, exact)) return
        break
      case 'rotateKey':
      case 'revokeKey':
      case 'revokeAsStated':
      case 'updateAgent': {
        // It was asked to change a version that the agent had before another call of its process, or that was given up.
        if (name === 'updateAgent' && code === 'VersionConflict') {
          if (this.#isMovedOn(call) || this.#hasGivenUp(call, agentId)) return
        }
        if (code === 'ClockBehind') return // in worlds without a model of keys, which judges it
        if (name === 'revokeKey' && code === 'KeyRevoked' && this.#isCompromised(agentId, String(call.given[0]))) return
        const own = agentId
        // Loading that ends late may have put an older document in the place of a newer one.
        const loaded = call.actor.agent?.session.loaded?.own.current.version
        const isOlder = [call.own, loaded].some((version) => this.#hasLost(call, own, version))
        if (code === 'VersionConflict' && isOlder) return
        break
      }
      case 'signMessage':
      case 'signMessages':
      case 'signAside':
      case 'createRevocation':
      case 'verifyById':
      case 'listDocuments':
      case 'load':
        break
      case 'flush':
        if (code === 'KeyRevoked' && this.#hasSettledMeanwhile(call)) return
        break
      default:
        return
    }
    this.#violate('true sentences', `#${call.number} ${name}: ${code}`)
  }

  /** Whether the key is with an external signer, so that nothing signs at once, and none other can rotate it. */
  #isByOtherKey({ actor, code }: Call): boolean {
    const isExternal = actor.agent?.session.loaded?.signing?.external !== undefined
    return isExternal && (code === 'SyncSignerUnavailable' || code === 'Unsupported')
  }

  /** Whether another call of the same agent has ended meanwhile, which may have another version of its document. */
  #isMovedOn(call: Call): boolean {
    return this.#world.calls.some(
      (other) => other !== call && other.actor === call.actor && (other.ended ?? call.invoked) > call.invoked,
    )
  }

  /** Whether a page has written a version behind that never came to the storage. */
  #hasGivenUp({ actor }: Call, id: string): boolean {
    return this.#world.calls.some((call) => {
      const made = call.value as Partial<Made> | undefined
      if (call.actor !== actor || call.state !== 'unknown' || !call.isAtOnce || made?.id !== id) return false
      return !this.historyOf(id).some(({ version }) => version === made.version)
    })
  }

  /** Whether a later flush settled a version whose key was revoked before this flush checked it. */
  #hasSettledMeanwhile({ actor, invoked }: Call): boolean {
    return this.#world.calls.some(
      (call) =>
        call.actor === actor &&
        call.isAtOnce &&
        WRITES.has(call.name) &&
        (call.answered ?? Number.POSITIVE_INFINITY) < invoked &&
        (call.ended ?? 0) > invoked &&
        [call.value ?? {}].flat().some((made) => this.#isRotatedAfter((made as Partial<Made>).raw ?? '{}')),
    )
  }

  /** After a restored backup others go on from there; who remembers more, if only from a call that failed, refuses it. */
  #isOutlived(code: string, id: string): boolean {
    return (code === 'Rollback' || code === 'CorruptStore') && this.#outlived.has(id)
  }

  /** Whether a key of the agent follows the one of a version of its document. */
  isRotatedSince(id: string, version: string | undefined): boolean {
    const history = this.historyOf(id)
    const then = history.find((there) => there.version === version)
    return keysOf(then?.raw) < keysOf(history.at(-1)?.raw)
  }

  /**
   * Whether a stored version may say that its key is revoked: the key is called compromised; or it was rotated by force,
   * and the version is dated later; or nobody was told that the version is stored.
   */
  #isRevoked(id: string, code: string | undefined, exact?: string, since: number = this.#world.tick): boolean {
    if (code !== 'KeyRevoked') return false
    const history = this.historyOf(id)
    const latest = Math.max(0, history.filter(({ tick }) => tick < since).length - 1)
    const versions = exact === undefined ? history.slice(latest) : history.filter(({ version }) => version === exact)
    return versions.some(({ raw, by }) => {
      const call = this.#world.calls[by - 1]
      return (call !== undefined && call.state !== 'done') || this.#isTakenBack(raw)
    })
  }

  /** Whether a key is called compromised, which it stays. */
  #isCompromised(agentId: string, keyId: string): boolean {
    const { sxPublicKeys = [] } = JSON.parse(this.historyOf(agentId).at(-1)?.raw ?? '{}') as {
      sxPublicKeys?: { keyId: string; revoked?: { reason: string } }[]
    }
    return sxPublicKeys.some((key) => key.keyId === keyId && key.revoked?.reason === 'compromised')
  }

  /** Whether somebody has asked that what a key has signed does not count. */
  #isTakenBack(raw: string): boolean {
    const { sxSignature } = JSON.parse(raw) as { sxSignature?: { agentID: string; keyId: string; date: string } }
    if (sxSignature === undefined) return false
    const { agentID, keyId, date } = sxSignature
    const { sxPublicKeys = [] } = JSON.parse(this.historyOf(agentID).at(-1)?.raw ?? '{}') as {
      sxPublicKeys?: { keyId: string; revoked?: { at: string; reason: string } }[]
    }
    const revoked = sxPublicKeys.find((key) => key.keyId === keyId)?.revoked
    if (revoked === undefined) return false
    const isForced = this.#world.calls.some(
      ({ name, given }) =>
        (name === 'rotateKey' && (given[1] as Rotation | undefined)?.force === true) ||
        (name === 'revokeKey' && given[2] === true),
    )
    if (statedCompromised(this.#world.disk, agentID).includes(keyId)) return true
    return revoked.reason === 'compromised' || (isForced && date >= revoked.at)
  }

  #isDuringChange(call: Call): boolean {
    return this.#world.calls.some((other) => other.name === 'reencryptKey' && isDuring(other, call))
  }

  /** Whether a page may never have heard of it. */
  #isNotInMemory({ known }: Call, id: string, exact: string | undefined): boolean {
    return exact === undefined ? !known.has(id) : known.get(id) !== exact
  }

  /** Whether a page says that its memory has a version of its own where the one is that was asked for. */
  #isHidden(call: Call, id: string, exact: string | undefined): boolean {
    const isSaid = call.code === 'SyncStorageUnavailable' && this.#isFromMemory(call) && exact !== undefined
    return isSaid && this.#hasOwn(call, id)
  }

  /** Whether another version has taken the place: after the one named, or after the one that was the latest. */
  #hasLost(call: Call, id: string, version: string | undefined): boolean {
    const history = this.historyOf(id)
    const named = history.findIndex((there) => there.version === version)
    const isTaken = history.some(
      ({ tick, by }, at) => by !== call.number && (named >= 0 ? at > named : tick > call.invoked),
    )
    return isTaken || this.#hasOwn(call, id)
  }

  /** Whether a page has itself written the next version, which may still be on its way: no flush has ended since. */
  #hasOwn({ actor }: Call, id: string): boolean {
    const flushed = this.#world.calls.findLast(
      (call) => call.actor === actor && call.name === 'flush' && call.state !== 'running',
    )
    const since = flushed?.invoked ?? 0
    return this.#isOnItsWay(actor, (made, call) => made.id === id && call.isAtOnce && (call.answered ?? 0) > since)
  }

  hasLostBehind(actor: Actor): boolean {
    return this.#world.calls.some((call) => {
      if (call.actor !== actor || !call.isAtOnce || !WRITES.has(call.name) || call.state === 'done') return false
      const [first] = [call.value ?? {}].flat() as Partial<Made>[]
      const { id = '', raw = '{}' } = first ?? {}
      if (this.#isRotatedAfter(raw)) return true
      const { sxPreviousVersion } = JSON.parse(raw) as Record<string, string>
      const history = this.historyOf(id)
      const before = history.findIndex(({ version }) => version === sxPreviousVersion)
      const winner = history[before + 1]
      return before >= 0 && winner !== undefined && winner.by !== call.number
    })
  }

  /** Whether the key that has signed was rotated since, so that what is written behind may come too late. */
  #isRotatedAfter(raw: string): boolean {
    const { sxSignature } = JSON.parse(raw) as { sxSignature?: { agentID: string; keyId: string } }
    const { sxPublicKeys = [] } = JSON.parse(this.historyOf(sxSignature?.agentID ?? '').at(-1)?.raw ?? '{}') as {
      sxPublicKeys?: { keyId: string; revoked?: object }[]
    }
    return sxPublicKeys.some(({ keyId, revoked }) => keyId === sxSignature?.keyId && revoked !== undefined)
  }

  closing(observer: Actor): void {
    const { library, random } = this.#world
    const ask = (key: string): VerificationResult =>
      library.now(observer.loaded, 'verifyById', [key]) as VerificationResult
    const listed = library.now(observer.loaded, 'listDocuments', []) as string[]
    for (const [id, history] of this.#histories) {
      const last = history.at(-1)
      if (last === undefined) continue
      if (!listed.includes(`${id}:${last.version}`)) {
        this.#violate('everything is listed', `in the end ${id}:${last.version} is not.`)
      }
      if (last.by <= PREPARED) continue
      const result = ask(id)
      if (this.#isRevoked(id, result.code)) continue
      const found = result.valid ? result.version : result.code
      if (found !== last.version) {
        this.#violate('what was stored verifies', `in the end ${id} is ${found}, not ${last.version} of #${last.by}.`)
      }
      if (result.valid && result.type === 'message' && history.length > 1 && !hasItsFile(result)) {
        this.#violate('what was stored verifies', `in the end ${id} has another file than the one of #${last.by}.`)
      }
      const key = `${id}:${random.pick(history).version}`
      const one = random.chance(0.3) ? ask(key) : result
      if (!one.valid && !this.#isRevoked(id, one.code, key.slice(id.length + 1))) {
        this.#violate('what was stored verifies', `in the end ${key} is ${one.code}.`)
      }
    }
  }
}
