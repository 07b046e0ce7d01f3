import * as core from '#core'
import {
  type AgreementModule,
  agreementModule,
  type CompleteAgreement,
  type Judged,
  type Opened,
  withinLimits,
} from '../../agreements/module.ts'
import { call, LONGEST_TEXT, text } from '../../core.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { agreementEntry, parseId } from '../../names.ts'
import type { ReadKey } from '../../platform.ts'
import type { Loaded } from '../../session.ts'
import { readAgreement } from '../../state/agreements.ts'
import type { AgreementResult } from '../../types.ts'
import { keysOfMany, withKeys } from '../keys-of-many.ts'

/** An agreement at hand: the copy that was passed and what is stored of it, as one. */
export interface AtHand extends Opened {
  readonly module: AgreementModule
  /** What is stored of it. */
  readonly kept: Opened | undefined
}

/**
 * Opens an agreement by its id, or a copy of it: then with the events of the store.
 *
 * @throws SxError `InvalidId`, `NotFound` for an id; `InvalidAgreement` for a copy; `WrongAgreement` for one whose terms
 *   are not the stored ones; `CorruptStore`
 */
export function* openAgreement(loaded: Loaded, agreement: unknown): Operation<AtHand> {
  const module = yield* perform(agreementModule)
  const given = withinLimits(() => text(agreement, 'agreement', LONGEST_TEXT))
  const copy = isId(given) ? undefined : module.open([given])
  const id = copy?.id ?? parseId(given)
  const kept = yield* readAgreement(loaded.documents.storage, module, id)
  if (copy !== undefined && kept !== undefined && copy.hash !== kept.hash) throw otherTerms(copy, kept)
  const found = copy === undefined || kept === undefined ? (copy ?? kept) : module.open([copy.raw, kept.raw])
  if (found === undefined) throw new SxError('NotFound', 'The agreement is not stored.')
  return { ...found, module, kept }
}

function otherTerms({ id, hash }: Opened, kept: Opened): SxError {
  const folder = agreementEntry(id).slice(0, -1).join('/')
  const hashes = `their agreementHash is ${kept.hash}, and that of the copy is ${hash}`
  const found = `Other terms are stored under the id of this agreement, in ${folder}: ${hashes}.`
  const advice =
    'Ask the other parties which agreementHash is right. If the hash of the copy is right, move this folder out of the storage and try again.'
  return new SxError('WrongAgreement', found, { advice })
}

/** What is no JSON object is taken for an id, so that a mistake is told as one. */
const isId = (given: string): boolean => given.length < 100 && !given.includes('{')

/** What the core says of the events of an agreement. */
export interface Question {
  /** For the module. */
  readonly text: string
  readonly signers: AgreementResult['signers']
  /** More public keys, for this verdict only. */
  readonly named: ReadKey | undefined
}

/**
 * Has the core verify the events of an agreement with all keys that are known.
 *
 * @param at the time of the question, Unix milliseconds
 * @param named see {@link Question}
 */
export function* askCore(loaded: Loaded, { raw, signers }: Opened, at: number, named?: ReadKey): Operation<Question> {
  const keys = yield* keysOfMany(loaded, signers, named)
  const answer = withKeys(loaded, keys, (ring) =>
    withinLimits(() => call(() => core.agreementJudged(ring.handle, raw, at))),
  )
  const end = answer.indexOf('\n')
  return { signers: JSON.parse(answer.slice(0, end)) as Question['signers'], text: answer.slice(end + 1), named }
}

/** An event that is about to be made. */
export interface Added {
  readonly raw: string
  /** The id of the agreement that it calls a successor. */
  readonly successor?: string | undefined
}

/** The verdict of the module, with the agreements that may follow this one, as far as they are stored. */
export function* judge(
  loaded: Loaded,
  at: number,
  opened: AtHand,
  { text, named: keys }: Question,
  added?: Added,
): Operation<Judged> {
  const { module } = opened
  const named = added?.successor === undefined ? opened.successors : [...opened.successors, added.successor]
  const successors: CompleteAgreement[] = []
  for (const id of named) {
    const kept = yield* readAgreement(loaded.documents.storage, module, id)
    const complete = kept && (yield* ifComplete(loaded, module, kept, at, keys))
    if (complete !== undefined) successors.push(complete)
  }
  return module.judge(text, added === undefined ? { successors } : { successors, added: added.raw })
}

/** An agreement, if it is complete. */
function* ifComplete(
  loaded: Loaded,
  module: AgreementModule,
  opened: Opened,
  at: number,
  named: ReadKey | undefined,
): Operation<CompleteAgreement | undefined> {
  const { text: question } = yield* askCore(loaded, opened, at, named)
  const { complete, byParty } = module.judge(question)
  if (!complete) return undefined
  const signed = byParty.filter(({ state }) => state === 'signed').map(({ agentId }) => agentId)
  return { terms: JSON.parse(opened.terms) as unknown, signed }
}
