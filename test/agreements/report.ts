// How a state is told: the members of a result.
import { byDate, byId, type Ignored, isOf, type Known } from './admission.ts'
import type { Party, Terms } from './forms.ts'
import type { Agreement, Outcome } from './model.ts'

export const statuses = [
  'draft',
  'proposed',
  'partial',
  'complete',
  'active',
  'declined',
  'voided',
  'expired',
  'disputed',
  'terminated',
  'superseded',
  'ended',
  'invalid',
] as const
export type Status = (typeof statuses)[number]

export const partyStates = ['pending', 'signed', 'declined', 'withdrawn', 'delegated'] as const

export interface PartyState {
  readonly partyId: string
  readonly agentId: string
  readonly role: string
  readonly state: (typeof partyStates)[number]
  readonly eventId: string | null
  readonly at: string | null
  readonly by: string | null
  readonly timeProof: string | null
}

/** The members of a result that terms without a state do not have. */
export interface State {
  readonly complete: boolean
  readonly sxId: string
  readonly agreementHash: string
  readonly need: number
  readonly have: number
  readonly witnesses: { readonly need: number; readonly have: number }
  readonly notaries: { readonly need: number; readonly have: number }
  readonly byParty: readonly PartyState[]
  readonly blocked: readonly string[]
  readonly contested: readonly string[]
  readonly events: { readonly counted: readonly string[]; readonly ignored: readonly Ignored[] }
  readonly missing: readonly string[]
  readonly heads: readonly string[]
  readonly completeAt: string | null
  readonly effectiveFrom: string | null
  readonly expiresAt: string | null
  readonly signBy: string | null
  readonly certificate: object | null
}

export interface Judgement {
  readonly valid: boolean
  readonly status: Status
  /** The code of what is wrong with the agreement as a whole. */
  readonly error: string | null
  readonly state: State | null
}

export const invalid = (error: string): Judgement => ({ valid: false, status: 'invalid', error, state: null })

const idsOf = (events: readonly Known[]): string[] => events.map(({ id }) => id).toSorted()

export function report(agreement: Agreement, terms: Terms, outcome: Outcome): Judgement {
  const { rules } = agreement
  const { counted, view, status } = outcome
  const { witnesses = 0, notaries = 0, effectiveFrom = null, expiresAt = null, signBy = null } = rules.policy
  const notarised = counted.filter(isOf('notarize')).filter((known) => agreement.isOfNotaries(known))
  const state: State = {
    complete: view !== null,
    sxId: terms.sxId,
    agreementHash: agreement.agreementHash,
    ...rules.quorum(agreement.partiesOf(counted.filter(isOf('sign')))),
    witnesses: { need: witnesses, have: agreement.partiesOf(counted.filter(isOf('witness'))).length },
    notaries: { need: notaries, have: agreement.partiesOf(notarised).length },
    byParty: rules.parties.map((party) => stateOf(agreement, party, counted)),
    blocked: [],
    contested: idsOf(outcome.contested),
    events: {
      counted: idsOf(counted),
      ignored: outcome.ignored.toSorted((a, b) => ((a.eventId ?? '') < (b.eventId ?? '') ? -1 : 1)),
    },
    missing: agreement.missing,
    heads: agreement.heads(),
    completeAt: view && agreement.completeAt(view, counted),
    effectiveFrom,
    expiresAt,
    signBy,
    certificate: null,
  }
  return {
    valid: agreement.missing.length === 0,
    status,
    error: null,
    state: {
      ...state,
      blocked: reasons(agreement, outcome, state),
      certificate: view && certificateOf(agreement, terms, counted, state),
    },
  }
}

const stateAfter = [
  { type: 'sign', state: 'signed' },
  { type: 'witness', state: 'signed' },
  { type: 'notarize', state: 'signed' },
  { type: 'decline', state: 'declined' },
  { type: 'withdraw', state: 'withdrawn' },
  { type: 'delegate', state: 'delegated' },
] as const

function stateOf(agreement: Agreement, party: Party, counted: readonly Known[]): PartyState {
  const own = agreement.of(party, counted).toSorted(byDate)
  const first =
    own.find(isOf('sign', 'witness', 'notarize')) ??
    own.find(isOf('decline')) ??
    own.findLast(isOf('withdraw')) ??
    own.findLast(isOf('delegate'))
  const state = stateAfter.find(({ type }) => type === first?.event.type)?.state ?? 'pending'
  return {
    partyId: party.partyId,
    agentId: party.agentId,
    role: party.role,
    state,
    eventId: first?.id ?? null,
    at: first?.event.at ?? null,
    by: first?.event.actor.agentId ?? null,
    timeProof: first ? agreement.timeProof(first) : null,
  }
}

/** Why the agreement is not complete, or not in force. */
function reasons(agreement: Agreement, { status, counted, openDisputes }: Outcome, state: State): string[] {
  if (status === 'draft') return ['propose']
  if (status === 'disputed') return openDisputes.toSorted(byId).map(({ id }) => `dispute ${id}`)
  if (!['proposed', 'partial', 'expired'].includes(status)) return []
  const { rules } = agreement
  const { quorum } = rules.policy
  const signed = agreement.partiesOf(counted.filter(isOf('sign')))
  const lacking: string[] = []
  if (typeof quorum === 'object' && 'groups' in quorum) {
    for (const { name, need, have } of rules.groups(signed))
      if (have < need) lacking.push(`group ${name} ${have}/${need}`)
  } else if (state.have < state.need) {
    lacking.push(
      `${typeof quorum === 'object' && 'weight' in quorum ? 'weight' : 'quorum'} ${state.have}/${state.need}`,
    )
  }
  for (const party of rules.consenting) {
    if (party.required && !signed.includes(party)) lacking.push(`required ${party.partyId}`)
  }
  const stage = rules.stages().find((number) => !rules.isStageSatisfied(number, signed))
  if (stage !== undefined) {
    const all = rules.ofStage(stage)
    lacking.push(`stage ${stage} ${all.filter((party) => signed.includes(party)).length}/${all.length}`)
  }
  for (const name of ['witnesses', 'notaries'] as const) {
    if (state[name].have < state[name].need) lacking.push(`${name} ${state[name].have}/${state[name].need}`)
  }
  return lacking.length > 0 ? lacking : ['withdrawals not seen together']
}

function certificateOf(agreement: Agreement, { title }: Terms, counted: readonly Known[], state: State): object {
  const lines = counted.filter(isOf('sign', 'witness', 'notarize')).toSorted(byDate)
  return {
    title,
    sxId: state.sxId,
    agreementHash: state.agreementHash,
    completeAt: state.completeAt,
    lines: lines.map((known) => {
      const party = agreement.actorOf(known)
      const { actor, role, alg, at } = known.event
      return {
        partyId: party?.partyId,
        agentId: party?.agentId,
        by: actor.agentId,
        displayName: party?.displayName ?? null,
        role,
        keyId: actor.keyId,
        algorithm: alg,
        at,
        timeProof: agreement.timeProof(known),
        eventId: known.id,
      }
    }),
  }
}
