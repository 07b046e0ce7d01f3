import type { VerificationResult } from '../../../src/types.ts'
import { type Call, isOpen, type Model } from '../history.ts'
import { documentOf, historyOf, isStated, namedAgents, readRevocation, statedCompromised } from '../layout.ts'
import type { Credentials, Made, Rotation } from '../process.ts'
import { Signers } from '../signers.ts'
import type { World } from '../world.ts'

/** What an agent document says of one of its keys. */
interface KeyEntry {
  readonly keyId: string
  readonly revoked?: { readonly at: string; readonly reason: string }
}

/** What the agent document said, since when. */
interface Moment {
  readonly tick: number
  readonly keys: readonly KeyEntry[]
}

/** What somebody has signed and was told of, stored or not. */
export interface Signature {
  readonly raw: string
  readonly keyId: string
  readonly date: number
  readonly call: Call
}

type Verdict = 'valid' | 'KeyRevoked' | 'KeyMismatch'

const MINUTE = 60_000
/** A revocation may be dated so much after what the clock says, for the sake of what other processes have signed. */
const TOLERANCE: number = 5 * MINUTE

/** Calls that look at the agent's own document in the storage. */
const ASKING: readonly string[] = [
  'load',
  'verify',
  'refresh',
  'signMessage',
  'updateById',
  'rotateKey',
  'revokeKey',
  'revokeAsStated',
  'exportKey',
  'exportStore',
]

/** The keys of an agent document. */
const keysIn = (raw: string): readonly KeyEntry[] =>
  (JSON.parse(raw) as { sxPublicKeys?: readonly KeyEntry[] }).sxPublicKeys ?? []

/** Whether a key may have signed at that date, going by what the agent document says of it. */
function verdictOf(keys: readonly KeyEntry[], keyId: string, date: number): Verdict {
  const key = keys.find((there) => there.keyId === keyId)
  if (key === undefined) return 'KeyMismatch'
  if (key.revoked === undefined) return 'valid'
  return key.revoked.reason === 'compromised' || date >= Date.parse(key.revoked.at) ? 'KeyRevoked' : 'valid'
}

/** Whether a call brings the end of a key to the present. */
const isForcing = (call: Call): boolean => call.name === 'revokeKey' && call.given[2] === true && isOpen(call)

/** Which keys count, moment by moment, and who says what of what they have signed. */
export class Keys implements Model {
  readonly #world: World
  readonly #agentId: string
  readonly #moments: Moment[] = []
  readonly signatures: Signature[] = []
  /** What keys have said of themselves in advance. */
  readonly revocations: { readonly keyId: string; readonly statement: string }[] = []
  readonly signers: Signers

  constructor(world: World) {
    this.#world = world
    this.signers = new Signers(world)
    this.#agentId = namedAgents(world.disk)[0] ?? ''
    this.#look()
  }

  /** The keys that the agent document names now. */
  get keys(): readonly KeyEntry[] {
    return this.#moments.at(-1)?.keys ?? []
  }

  #look(): void {
    const raw = historyOf(this.#world.disk, this.#agentId).at(-1)
    if (raw === undefined) return
    const compromised = statedCompromised(this.#world.disk, this.#agentId)
    const keys = keysIn(raw).map((key) => {
      if (!compromised.includes(key.keyId)) return key
      return { ...key, revoked: { at: key.revoked?.at ?? '', reason: 'compromised' } }
    })
    this.#moments.push({ tick: this.#world.tick, keys })
  }

  changed(path: string): void {
    if (documentOf(path) !== this.#agentId && !isStated(path)) return
    const before = this.keys
    this.#look()
    for (const { keyId, revoked } of before) {
      const now = this.keys.find((there) => there.keyId === keyId)?.revoked
      // Of a key that is called compromised no date counts; one that has said so itself has its own.
      const isBrought = (now?.at ?? '') < (revoked?.at ?? '') && this.#world.calls.some(isForcing)
      if (revoked !== undefined && now?.at !== revoked.at && now?.reason !== 'compromised' && !isBrought) {
        this.#violate('what was taken back stays taken back', `${keyId} is revoked from another date.`)
      }
      if (revoked?.reason === 'compromised' && now?.reason !== 'compromised') {
        this.#violate('what was taken back stays taken back', `${keyId} is not called compromised any more.`)
      }
      if (revoked === undefined && now !== undefined) this.#revoked(keyId, now)
    }
  }

  /** A key stops to count when it is revoked, not when some clock would have it. */
  #revoked(keyId: string, { at, reason }: { readonly at: string; readonly reason: string }): void {
    const rotations = this.#world.calls.filter((call) => call.name === 'rotateKey' && isOpen(call))
    const latest = Math.max(
      ...rotations.map(({ actor, clock, mostClock = clock }) =>
        Math.max(clock, mostClock, this.#world.time + actor.process.ahead),
      ),
    )
    if (reason === 'compromised' || rotations.length === 0 || Date.parse(at) <= latest + TOLERANCE) return
    const late = Math.round((Date.parse(at) - latest) / MINUTE)
    this.#violate('a revocation counts from its day', `${keyId} is revoked ${late} minutes after it was.`)
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  /** What the agent document said at some moment of a call; from memory, since its process has asked. */
  during(call: Call): readonly Moment[] {
    const isFromMemory = call.isAtOnce && call.actor.kind !== 'server'
    const since = isFromMemory ? this.#knownSince(call) : call.invoked
    const there = this.#moments.findLast(({ tick }) => tick <= since)
    return [...(there ? [there] : []), ...this.#moments.filter(({ tick }) => tick > since)]
  }

  /** When the agent has last asked the storage about its own keys. */
  #knownSince({ actor, number }: Call): number {
    const asked = this.#world.calls.findLast(
      (call) =>
        call.actor === actor &&
        call.number < number &&
        call.state === 'done' &&
        !call.isAtOnce &&
        ASKING.includes(call.name),
    )
    return asked?.invoked ?? actor.since
  }

  ended(call: Call): void {
    const name: string = call.name
    const isAnswer = call.state === 'done' || call.state === 'unsettled'
    if (call.state === 'refused' && this.judges(call)) this.#refused(call)
    if (!isAnswer) return
    switch (name) {
      case 'signMessage':
      case 'signAside':
      case 'updateById':
        return this.#signed(call, call.value as Made)
      case 'verify':
        return this.#verified(call, call.value as VerificationResult)
      case 'publish':
      case 'exportKey':
        return this.#shown(call, String(call.value))
      case 'exportAgent':
        return this.#shown(call, keysIn((call.value as Made).raw).at(-1)?.keyId ?? '')
      case 'createRevocation': {
        const { keyId } = readRevocation(String(call.value))
        this.revocations.push({ keyId, statement: String(call.value) })
        return this.#shown(call, keyId)
      }
      default:
        return
    }
  }

  #signed(call: Call, { raw }: Made): void {
    if (this.signatures.some((one) => one.call === call)) return
    const { sxSignature } = JSON.parse(raw) as { sxSignature: { keyId: string; date: string } }
    this.signatures.push({ raw, keyId: sxSignature.keyId, date: Date.parse(sxSignature.date), call })
  }

  #verified(call: Call, result: VerificationResult): void {
    const signed = this.signatures.find(({ raw }) => raw === call.given[0])
    if (signed === undefined) return
    const possible = this.during(call).map(({ keys }) => verdictOf(keys, signed.keyId, signed.date))
    const found = result.valid ? 'valid' : result.code
    if ((possible as string[]).includes(found)) return
    const rule = result.valid ? 'what was taken back stays taken back' : 'what was signed verifies'
    const what = `#${call.number} says ${found} of what #${signed.call.number} signed`
    this.#violate(rule, `${what}, but it is ${[...new Set(possible)].join(' or ')}.`)
  }

  /** What is shown as the agent's key was that at some moment of the call. */
  #shown(call: Call, keyId: string): void {
    if (this.during(call).some(({ keys }) => keys.at(-1)?.keyId === keyId)) return
    this.#violate('what was taken back stays taken back', `#${call.number} ${call.name} gives ${keyId}, a former key.`)
  }

  judges({ name, code }: Call): boolean {
    if (name === 'load') return code === 'NotFound' || code === 'KeyMismatch'
    return name === 'rotateKey' && code === 'ClockBehind'
  }

  #refused(call: Call): void {
    const isTrue = call.name === 'load' ? this.#isWithAnother(call) : this.#isBehind(call)
    if (!isTrue) this.#violate('true sentences', `#${call.number} ${call.name}: ${call.code}`)
  }

  /** Who has the key is asked for where a password was given; another signer is none. */
  #isWithAnother(call: Call): boolean {
    const { signer } = (call.given[2] ?? {}) as Credentials
    if ((signer === undefined) !== (call.code === 'NotFound')) return false
    const given = signer && this.signers.keyIdOf(signer)
    return this.during(call).some(({ keys }) => {
      const current = keys.at(-1)?.keyId
      return given === undefined ? this.signers.has(current) : given !== current
    })
  }

  /** A clock is behind only if something that the agent has stored is dated later. */
  #isBehind(call: Call): boolean {
    const { force = false, reason = 'superseded' } = (call.given[1] ?? {}) as Partial<Rotation>
    const dates = this.#world.disk.paths('sx_data').flatMap((path) => {
      if (documentOf(path) === undefined) return []
      const date = /"sxVersionDate":"([^"]+)"/.exec(this.#world.disk.text(path) ?? '')?.[1]
      return date === undefined ? [] : [Date.parse(date)]
    })
    // What a process has signed counts too, stored or not.
    const own = this.#world.calls.flatMap((other) => {
      return other.actor.process === call.actor.process ? [other.clock, other.mostClock ?? 0, other.endClock ?? 0] : []
    })
    const clock = Math.min(call.clock, call.leastClock ?? call.clock, call.endClock ?? call.clock)
    return !force && reason !== 'compromised' && Math.max(...dates, ...own) > clock + TOLERANCE
  }

  closing(): void {}
}
