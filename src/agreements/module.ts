/**
 * The module for agreements, which is loaded at the first one. It has no cryptography: the core signs and verifies events.
 *
 * @module
 */
import * as glue from '#glue/agreement/agreement.js'
import { build } from '#glue/agreement/build.js'
import { agreementSource } from '#modules/agreement/source.js'
import { moduleCall } from '../core.ts'
import { type EffectOf, kind } from '../effects.ts'
import { SxError, type SxErrorCode, tooLarge } from '../errors.ts'
import { late } from '../late-module.ts'
import { alone } from '../plain.ts'
import type { AgreementResult } from '../types.ts'

/** A copy of an agreement, or several of them as one. */
export interface Opened {
  readonly raw: string
  readonly id: string
  readonly hash: string
  /** The agents that have signed its events, as these say. */
  readonly signers: readonly string[]
  /** The ids of its events, ascending; one with several texts comes several times. */
  readonly events: readonly string[]
  /** The ids of the agreements that its events call successors. */
  readonly successors: readonly string[]
  /** Its terms, canonical JSON. */
  readonly terms: string
}

/** A complete agreement, as one that may follow another. */
export interface CompleteAgreement {
  readonly terms: unknown
  /** The agents for whose parties there are signatures, also by delegates. */
  readonly signed: readonly string[]
}

/** What a question has beside what the core says. */
export interface Beside {
  /** An event that is about to be added, as if its signature were valid. */
  readonly added?: string
  /** Agreements that may follow this one, if they are complete. */
  readonly successors?: readonly CompleteAgreement[]
}

/** The verdict on an agreement, without the texts of its events and what is known of its signers. */
export type Judged = Omit<AgreementResult, 'history' | 'signers' | 'untrusted' | 'unproved'>

/** What is thrown is an `SxError`; after a trap there is a new instance. */
export interface AgreementModule {
  /** A new agreement with these terms. `InvalidTerms`, `NoParties`, `ReservedField` */
  create(terms: string, id: string, now: string): Opened
  /** Copies as one, whatever their order. `InvalidAgreement`, `WrongAgreement` */
  open(copies: readonly string[]): Opened
  /** The events of a question that are about its terms and have valid signatures: ids and texts, in turn. */
  genuine(question: string): readonly string[]
  /** Where terms ask for less than others: members of the policy, and `required <partyId>`. */
  loosened(before: string, terms: string): readonly string[]
  judge(question: string, beside?: Beside): Judged
  /** What a code of an ignored event says; `undefined` of a code of the core. */
  reason(code: string): string | undefined
}

const AGREEMENT_MODULE = /* @__PURE__ */ kind(
  'agreementModule',
  /* @__PURE__ */ late({
    name: 'agreement',
    byDefault: agreementSource,
    mark: 'judgeBeside',
    build,
    start: (module) => glue.initSync({ module }),
    calling,
  }),
)

/** The module. Without waiting it can be had where files can be read at once, and after `init({ agreement })`. */
export const agreementModule: EffectOf<'agreementModule'> = { kind: AGREEMENT_MODULE }

/** Terms and events are signed whole, and their limits are fixed. */
const TOO_LARGE =
  'Shorten the terms, comments and notes. Attach long texts as files: an agreement contains only their names and SHA-256. No option raises its limits.'

/** Does something with the text of an agreement; if that exceeds a limit, the advice fits an agreement. */
export function withinLimits<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw tooLarge(error, TOO_LARGE)
  }
}

interface Refusal {
  readonly error?: SxErrorCode
  readonly message?: string
}

function calling(): AgreementModule {
  const called = <T>(work: () => string): T => {
    const answer = alone(JSON.parse(moduleCall(work, glue.__wbg_reset_state)) as Refusal)
    if (answer.error === undefined) return answer as T
    const { error, message } = answer
    return withinLimits(() => {
      throw new SxError(error, message)
    })
  }
  const { reasons } = called<{ reasons: Readonly<Record<string, string>> }>(() => glue.reasons())
  return {
    create: (terms, id, now) => called(() => glue.create(terms, id, now)),
    open: (copies) => called(() => glue.open([...copies])),
    genuine: (question) => called<{ entries: string[] }>(() => glue.genuine(question)).entries,
    loosened: (before, terms) => called<{ loosened: string[] }>(() => glue.loosened(before, terms)).loosened,
    judge: (question, beside = {}) => called(() => glue.judgeBeside(question, JSON.stringify(beside))),
    reason: (code) => (Object.hasOwn(reasons, code) ? reasons[code] : undefined),
  }
}
