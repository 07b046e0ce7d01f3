// How a history is written by hand, with the result that the design asks for.
import {
  type AgreementEvent,
  type Entry,
  type EventType,
  type History,
  hashOf,
  idOf,
  type Party,
  type Policy,
  type Verdict,
} from './forms.ts'
import type { Status } from './report.ts'
import { dateOf, keyOf, nonceOf, sha256, uuidOf } from './values.ts'

export interface Expected {
  readonly status: Status
  readonly have?: number
  readonly blocked?: readonly string[]
  /** The codes of ignored events, by id. All others are counted. */
  readonly ignored?: Readonly<Record<string, string>>
  readonly contested?: readonly string[]
  readonly missing?: readonly string[]
  readonly error?: string
  /** What the parties are, in the order of the terms. */
  readonly parties?: readonly string[]
  readonly completeAt?: string
}

export interface Example {
  readonly name: string
  readonly history: History
  readonly expected: Expected
}

/** How an event differs from the usual one, which has seen all before it and is dated an hour after the last one. */
interface Details {
  readonly seen?: readonly string[]
  readonly at?: number
  readonly data?: AgreementEvent['data']
  readonly verdict?: Verdict
  readonly alg?: 'ed25519' | 'pq2025'
  readonly key?: number
  /** The party as which somebody acts. */
  readonly as?: string
  readonly agreementHash?: string
  readonly signature?: string
}

export type Say = (who: string, type: EventType, details?: Details) => string

interface Setting {
  readonly policy?: Policy
  /** Members of the parties `A`, `B`, …, all of them signers unless said otherwise. */
  readonly parties?: Readonly<Record<string, Partial<Party>>>
  readonly now?: number
  readonly agreementHash?: string
  /** Ids of events that get lost. */
  readonly lost?: (ids: readonly string[]) => readonly string[]
}

/** The agent of a party, or of somebody else. */
export const agentOf = (name: string): string => uuidOf(`agent of ${name}`)

/** What the parties say, in its order, and what comes of it. */
function write(name: string, setting: Setting, tell: (say: Say) => Expected): Example {
  const { policy, parties = { A: {}, B: {} }, now = 9 } = setting
  const terms = {
    sxId: uuidOf(name),
    title: 'A contract',
    terms: 'A pays.',
    termsFormat: 'text/plain',
    parties: Object.entries(parties).map(([partyId, members]) => ({
      partyId,
      agentId: agentOf(partyId),
      role: 'signer' as const,
      ...members,
    })),
    ...(policy ? { policy } : {}),
  }
  const entries: { readonly id: string; readonly entry: Entry }[] = []
  const say: Say = (who, type, details = {}) => {
    const { data = {}, as, alg = 'pq2025', verdict = { valid: true } } = details
    const nonce = nonceOf(`${name} ${entries.length}`)
    const event: AgreementEvent = {
      type,
      agreementHash: details.agreementHash ?? hashOf(terms),
      actor: { agentId: agentOf(who), agentVersion: uuidOf('version'), keyId: keyOf(`${who} ${details.key ?? 0}`) },
      role: terms.parties.find(({ partyId }) => partyId === (as ?? who))?.role ?? 'signer',
      at: dateOf(details.at ?? entries.length / 24),
      nonce,
      seen: (details.seen ?? entries.map(({ id }) => id)).toSorted(),
      data: as === undefined ? data : { ...data, for: as },
      alg,
      signature: details.signature ?? 'c2lnbmF0dXJl',
    }
    entries.push({ id: idOf(event), entry: { event, verdict } })
    return idOf(event)
  }
  const expected = tell(say)
  const lost = setting.lost?.(entries.map(({ id }) => id)) ?? []
  return {
    name,
    expected,
    history: {
      terms,
      ...(setting.agreementHash === undefined ? {} : { agreementHash: setting.agreementHash }),
      events: entries.filter(({ id }) => !lost.includes(id)).map(({ entry }) => entry),
      now: dateOf(now),
    },
  }
}

export const three = { A: {}, B: {}, C: {} }
export const withNotary = { A: {}, B: {}, N: { role: 'notary' } } as const
export const power = { sxId: uuidOf('power'), sxVersion: uuidOf('of attorney'), sha256: sha256('power') }
export const successor = { successor: { sxId: uuidOf('successor'), sha256: sha256('successor') } }
export const attachment = { attachment: { name: 'a.pdf', mediaType: 'application/pdf', size: 1, sha256: sha256('a') } }

/** Both sign. */
export function complete(say: Say): string[] {
  return [say('A', 'propose'), say('A', 'sign'), say('B', 'sign')]
}

/** A list of examples, and how to add one. */
export function collect(): { readonly examples: readonly Example[]; readonly example: typeof write } {
  const examples: Example[] = []
  return {
    examples,
    example: (name, setting, tell) => {
      const example = write(name, setting, tell)
      examples.push(example)
      return example
    },
  }
}
