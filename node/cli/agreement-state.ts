/** What there is to say of where an agreement stands. */
import type { SxAgent } from '../../src/index.ts'
import type {
  AgreementCopy,
  AgreementParty,
  AgreementPolicy,
  AgreementResult,
  AgreementStanding,
  AgreementTerms,
} from '../../src/simple.ts'
import { adviceAbout } from './advice.ts'
import { instantOf } from './agreement-dates.ts'
import { wholeOf } from './agreement-input.ts'
import { policyRows } from './agreement-policy.ts'
import {
  awaited,
  consents,
  ignoredBecause,
  PROPOSED_AND_SIGNED,
  STATUSES,
  sentenceOf,
  UNPROVED,
} from './agreement-words.ts'
import { EXIT, type Failure } from './exit.ts'
import { type Report, type Row, shorten, type Tone } from './output.ts'

/** So many events without effect, and so many that are missing, are listed. */
export const MOST = 10

/** More than a name has: a reason is a sentence. */
const REASON_COLUMNS = 200

/** Where an agreement stands. */
export interface State {
  readonly raw: string
  readonly terms: AgreementTerms
  readonly result: AgreementResult
}

/**
 * Finds out where an agreement stands.
 *
 * @param at the time of the status, as it was typed; default: now
 */
export async function stateOf(agent: SxAgent, agreement: string, at?: string): Promise<State> {
  const now = at === undefined ? {} : { now: instantOf('--now', at) }
  const { raw, terms } = await wholeOf(agent, agreement)
  return { raw, terms, result: await agent.verifyAgreement(raw, now) }
}

const trustedOf = (signers: AgreementResult['signers']): ReadonlySet<string> =>
  new Set(signers.flatMap(({ agentId, trusted }) => (trusted ? [agentId] : [])))

/** The code of an agreement of which no signer is known, and which may be valid. */
const NOBODY_KNOWN = 'UnknownSigner'

const refused = (message: string): string => `${message} ${adviceAbout('InvalidAgreement', message)}`

/** Why nothing can be said of an agreement, or not all. */
export function unusable({ status, errors, missing, events }: AgreementResult): Failure | undefined {
  const [lacking] = missing
  if (status === 'invalid') {
    const [{ code, message } = { code: '', message: 'The input is not a valid agreement.' }] = errors
    if (code === NOBODY_KNOWN) {
      return { exit: EXIT.unchecked, code: NOBODY_KNOWN, message: `${message} ${adviceAbout(NOBODY_KNOWN, message)}` }
    }
    return { exit: EXIT.invalid, code: 'InvalidAgreement', message: refused(message) }
  }
  if (lacking === undefined) return undefined
  const code = events.ignored.find(({ eventId }) => eventId === lacking)?.code
  const message =
    code === 'UnknownSigner' || code === 'KeyMismatch'
      ? `The key of the event ${lacking}, to which another event refers, is not known (${code}).`
      : `The agreement lacks the event ${lacking}, to which another event refers.`
  return { exit: EXIT.unchecked, code: 'InvalidAgreement', message: refused(message) }
}

/** Why an agreement is not one to rely on: `sx agreement check`. */
export function unmet(result: AgreementResult): Failure | undefined {
  const failure = unusable(result)
  if (failure !== undefined) return failure
  const { status, complete } = result
  if (status !== 'complete' && status !== 'active') {
    const code = complete ? 'NotInEffect' : 'NotComplete'
    const message = complete ? 'The agreement is no longer in effect.' : 'The agreement is not complete.'
    const notary =
      result.unproved.length > 0 && !complete ? ' It is signed, but no notary has confirmed the date yet.' : ''
    return { exit: EXIT.unchecked, code, message: `${message} Its status is '${status}'.${notary}` }
  }
  const [agentId] = result.untrusted
  if (agentId === undefined) return undefined
  const how = 'Confirm its key id with its owner, then add its agent document with `sx trust add`.'
  const message = `The agent ${agentId}, whose signature counts, is not trusted. ${how}`
  return { exit: EXIT.untrusted, code: 'UntrustedSigner', message }
}

/** The parties that an agreement waits for. */
export function nextOf({ terms, result }: State): readonly AgreementParty[] {
  const { status, blocked, byParty, unproved } = result
  if (status !== 'proposed' && status !== 'partial') return []
  const states = new Map(byParty.map(({ partyId, state }) => [partyId, state]))
  const waiting = new Set(awaited(blocked, terms.parties))
  return terms.parties.filter((party) => {
    const state = states.get(party.partyId)
    if (unproved.length > 0 && party.role === 'notary') return true
    if (unproved.some(({ partyId }) => partyId === party.partyId)) return false
    return waiting.has(party) && state !== 'signed' && state !== 'declined'
  })
}

/** What there is to say of one that can be read. */
export function reportOf(state: State): Report {
  const { result, terms } = state
  const [tone, title] = titleOf(result)
  const { sxId, need, have, witnesses, notaries, errors } = result
  if (sxId === null || result.status === 'invalid') {
    const found = errors.map(({ code, message }): Row => ['error', `${code}: ${message}`])
    return { title: [tone, title], rows: [...found, ...unknownSigners(result)] }
  }
  const next = nextOf(state)
  const counts: Row[] = [
    [hasWeights(terms) ? 'weight' : 'signatures', `${have} of ${need}`],
    ...attested('witnesses', witnesses),
    ...attested('notaries', notaries),
  ]
  return {
    title: [tone, title],
    rows: [
      ['id', sxId],
      ...datesOf(result),
      ...counts,
      ...result.blocked.map((reason): Row => ['blocked', sentenceOf(reason)]),
      ...next.map(({ partyId, role }): Row => ['next', partyId, role]),
      ...result.untrusted.map((agentId): Row => ['not trusted', agentId]),
      ...some(
        'missing',
        result.missing.map((id): Row => ['missing', `event ${id}`]),
      ),
      ...some('reason', reasonsOf(result, terms)),
      ...some('ignored', result.events.ignored.map(ignored)),
      ...unknownSigners(result),
      ...policyRows(terms),
      ['title', shorten(terms.title, 60)],
    ],
    tables: [tableOf(result, terms, next)],
    brief: result.status,
  }
}

/** What people read of the status. */
function statusOf({ status, unproved, errors }: AgreementResult): readonly [Tone, string] {
  if (errors.some(({ code }) => code === NOBODY_KNOWN)) return ['doubtful', 'NOT VERIFIED, no signer is known']
  return status === 'proposed' && unproved.length > 0 ? PROPOSED_AND_SIGNED : STATUSES[status]
}

/** The same of a copy after something was done. */
export async function statusWords(agent: SxAgent, { raw, status }: AgreementCopy): Promise<string> {
  return status === 'proposed' ? statusOf(await agent.verifyAgreement(raw))[1] : STATUSES[status][1]
}

/** The verdict in one line, which must not sound better than it is. */
function titleOf(result: AgreementResult): readonly [Tone, string] {
  const [tone, title] = statusOf(result)
  if (result.status === 'invalid') return [tone, title]
  if (result.missing.length > 0) return ['bad', `${title}, but events are missing`]
  if (tone === 'good' && result.untrusted.length > 0) return ['doubtful', `${title}, but a signer is not trusted`]
  return [tone, title]
}

const hasWeights = ({ policy }: AgreementTerms): boolean =>
  typeof policy?.quorum === 'object' && 'weight' in policy.quorum

const attested = (name: string, { need, have }: AgreementResult['witnesses']): Row[] =>
  need === 0 ? [] : [[name, `${have} of ${need}`]]

type Dates = Pick<AgreementResult, 'signBy' | 'completeAt' | 'effectiveFrom' | 'expiresAt'>

function datesOf({ signBy, completeAt, effectiveFrom, expiresAt }: Dates): Row[] {
  const dates = { 'sign by': signBy, 'complete since': completeAt, 'effective from': effectiveFrom, ends: expiresAt }
  return Object.entries(dates).flatMap(([name, date]): Row[] => (date === null ? [] : [[name, date]]))
}

/** Why parties have declined or voided, in their words. */
function reasonsOf({ history }: AgreementResult, { parties }: AgreementTerms): readonly Row[] {
  return history.flatMap(({ type, agentId, data, code }): Row[] => {
    const { reason, for: principal } = data as { readonly reason?: string; readonly for?: string }
    if (code !== null || reason === undefined || (type !== 'decline' && type !== 'void')) return []
    const partyId = principal ?? parties.find((party) => party.agentId === agentId)?.partyId ?? agentId
    return [['reason', `${partyId} (${type})`, shorten(reason, REASON_COLUMNS)]]
  })
}

const ignored = ({ eventId, code }: AgreementResult['events']['ignored'][number]): Row => [
  'ignored',
  `${code}: ${ignoredBecause(code)}${eventId === null ? '' : ` (event ${eventId})`}`,
]

/** The agents, as events name them, that have signed with keys that are not known. */
function unknownSigners({ history }: AgreementResult): readonly Row[] {
  const unknown = history.flatMap(({ agentId, code }) =>
    code === 'UnknownSigner' || code === 'KeyMismatch' ? [agentId] : [],
  )
  return some(
    'key not known',
    [...new Set(unknown)].map((agentId): Row => ['key not known', agentId]),
  )
}

function some(name: string, rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MOST) return rows
  return [...rows.slice(0, MOST), [name, `${rows.length - MOST} more, see --json`]]
}

/** A line for each party. What they are called comes last: it is the choice of whoever wrote the terms. */
function tableOf(
  { byParty, signers, unproved }: AgreementResult,
  terms: AgreementTerms,
  next: readonly AgreementParty[],
): Row[] {
  const names = new Map(terms.parties.map(({ partyId, displayName }) => [partyId, displayName ?? '']))
  const isNext = new Set(next.map(({ partyId }) => partyId))
  const isTrusted = trustedOf(signers)
  const proofs = new Map(unproved.map((one) => [one.partyId, one]))
  const rows = byParty.map((known): Row => {
    const proof = proofs.get(known.partyId)
    const standing: AgreementStanding = proof === undefined ? known : { ...known, ...proof, state: 'signed' }
    const { partyId, role, at } = standing
    return [
      partyId,
      role,
      [wordOf(standing, isNext.has(partyId), isTrusted), ...(proof === undefined ? [] : [UNPROVED])].join(', '),
      at ?? '-',
      shorten(names.get(partyId) ?? ''),
    ]
  })
  return [['party', 'role', 'state', 'date', 'name'], ...rows]
}

function wordOf(
  { role, state, by, agentId }: AgreementStanding,
  isNext: boolean,
  trusted: ReadonlySet<string>,
): string {
  if (state === 'pending') return role === 'observer' ? 'observes' : isNext ? 'is next' : 'pending'
  const how = [
    ...(by === null || by === agentId ? [] : ['by a delegate']),
    ...(by === null || (trusted.has(by) && trusted.has(agentId)) ? [] : ['not trusted']),
  ]
  return [state, ...how].join(', ')
}

/** The parties of terms that nobody may have signed yet, and what else belongs to them. */
export function termsReport(terms: AgreementTerms): Report {
  const { attachments = [], parties } = terms
  const policy: AgreementPolicy = terms.policy ?? {}
  const { signBy = null, effectiveFrom = null, expiresAt = null } = policy
  const rows: Row[] = [
    ['format', terms.termsFormat],
    ...datesOf({ signBy, completeAt: null, effectiveFrom, expiresAt }),
    ...policyRows(terms),
    ...attachments.map(({ name, size, sha256 }): Row => ['attachment', sha256, `${size} bytes`, shorten(name)]),
  ]
  const table = parties.map((party): Row => {
    const { partyId, role, agentId, displayName = '' } = party
    return [partyId, role, consents(party) && party.required === true ? 'required' : '-', agentId, shorten(displayName)]
  })
  return { rows, tables: [[['party', 'role', 'needed', 'agent id', 'name'], ...table]], text: textOfTerms(terms) }
}

/** What people read before they sign. */
const textOfTerms = ({ title, summary, terms }: AgreementTerms): string =>
  [title, ...(summary === undefined ? [] : [summary]), terms].join('\n\n')
