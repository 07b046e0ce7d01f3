// What agreements, their events and their ids look like, for the model and the generator of histories.
import { createHash } from 'node:crypto'

export type Role = 'signer' | 'approver' | 'witness' | 'notary' | 'observer'
export type Quorum =
  | 'all'
  | 'majority'
  | { readonly m: number }
  | { readonly weight: number }
  | { readonly groups: Readonly<Record<string, number>> }

export interface Party {
  readonly partyId: string
  readonly agentId: string
  readonly keyIds?: readonly string[]
  readonly role: Role
  readonly weight?: number
  readonly stage?: number
  readonly group?: string
  readonly required?: boolean
  readonly displayName?: string
}

export interface Policy {
  readonly quorum?: Quorum
  readonly order?: 'parallel' | 'staged'
  readonly witnesses?: number
  readonly notaries?: number
  readonly decline?: 'any-ends' | 'quorum-impossible-ends'
  readonly algorithms?: readonly string[]
  readonly minStrength?: 'classical' | 'pq'
  readonly signBy?: string
  readonly effectiveFrom?: string
  readonly expiresAt?: string
  readonly timeProof?: 'none' | 'notary'
  readonly delegation?: 'none' | 'listed' | 'document'
  readonly withdraw?: 'until-complete' | 'never'
  readonly terminate?: 'any' | 'quorum' | 'all'
}

export interface Terms {
  readonly sxId: string
  readonly title: string
  readonly terms: string
  readonly termsFormat: string
  readonly parties: readonly Party[]
  readonly policy?: Policy
}

export const types = [
  'propose',
  'sign',
  'decline',
  'withdraw',
  'void',
  'comment',
  'attach',
  'delegate',
  'witness',
  'notarize',
  'dispute',
  'resolve',
  'terminate',
  'supersede',
] as const
export type EventType = (typeof types)[number]

export interface AgreementEvent {
  readonly type: EventType
  readonly agreementHash: string
  readonly actor: { readonly agentId: string; readonly agentVersion: string; readonly keyId: string }
  readonly role: string
  readonly at: string
  readonly nonce: string
  readonly seen: readonly string[]
  readonly data: {
    readonly for?: string
    readonly to?: string
    readonly scope?: readonly string[]
    readonly until?: string
    readonly document?: unknown
    readonly dispute?: string
    readonly [name: string]: unknown
  }
  readonly alg: string
  readonly signature: string
}

export interface Verdict {
  readonly valid: boolean
  readonly code?: string
  readonly revoked?: { readonly at: string; readonly reason: 'superseded' | 'unspecified' | 'compromised' }
  readonly successor?: boolean
}

export interface Entry {
  /** Anything, in a history that was tampered with. */
  readonly event: unknown
  readonly verdict: Verdict
}

export interface History {
  readonly terms: unknown
  readonly agreementHash?: string
  readonly events: readonly Entry[]
  readonly now: string
}

/** RFC 8785, of values that hold no numbers but whole ones. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

function hash(context: string, payload: string): string {
  const statement = `SXv2 ${context.length} ${context} ${Buffer.byteLength(payload)} ${payload}`
  return createHash('sha256').update(statement).digest('hex')
}

export const hashOf = (terms: unknown): string => hash('sx-agreement-v2', canonical(terms))

export function idOf(event: AgreementEvent): string {
  return hash('sx-agreement-event-id', canonical({ ...event, signature: undefined }))
}

export const consents = ({ role }: Party): boolean => role === 'signer' || role === 'approver'

/** A form is a test of one value. */
type Form = (value: unknown) => boolean

const text: Form = (value) => typeof value === 'string'
const matches =
  (pattern: RegExp): Form =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const whole =
  (from: number, to: number): Form =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to
const oneOf =
  (...values: readonly unknown[]): Form =>
  (value) =>
    values.includes(value)
const list =
  (form: Form, from: number, to: number): Form =>
  (value) =>
    Array.isArray(value) && value.length >= from && value.length <= to && value.every(form)
const either =
  (...forms: readonly Form[]): Form =>
  (value) =>
    forms.some((form) => form(value))

/** An object of exactly these members; a name that ends in `?` may be absent. */
function object(members: Readonly<Record<string, Form>>): Form {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const given = value as Record<string, unknown>
    const known = Object.keys(members).map((name) => name.replace('?', ''))
    return (
      Object.keys(given).every((name) => known.includes(name)) &&
      Object.entries(members).every(([name, form]) =>
        name.endsWith('?') && given[name.slice(0, -1)] === undefined ? true : form(given[name.replace('?', '')]),
      )
    )
  }
}

const nonEmpty = matches(/./su)
const uuid = matches(/^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
const hex = matches(/^[0-9a-f]{64}$/u)
const keyId = matches(/^[\w-]{43}$/u)
const partyId = matches(/^[\w.-]{1,64}$/u)
const date: Form = (value) =>
  matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)(value) &&
  !Number.isNaN(Date.parse(value as string)) &&
  new Date(value as string).toISOString() === value
const count = whole(1, Number.MAX_SAFE_INTEGER)
const attachment = object({ name: nonEmpty, mediaType: nonEmpty, size: whole(0, Number.MAX_SAFE_INTEGER), sha256: hex })
const groups: Form = (value) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0 && Object.values(value).every(count)

const termsForm = object({
  sxId: uuid,
  title: nonEmpty,
  terms: nonEmpty,
  'summary?': text,
  termsFormat: oneOf('text/plain', 'text/markdown', 'application/json'),
  'attachments?': list(attachment, 0, 1000),
  parties: list(
    object({
      partyId,
      agentId: uuid,
      'keyIds?': list(keyId, 1, 64),
      role: oneOf('signer', 'approver', 'witness', 'notary', 'observer'),
      'weight?': whole(0, 1_000_000),
      'stage?': whole(0, 1000),
      'group?': nonEmpty,
      'required?': oneOf(true, false),
      'displayName?': text,
    }),
    1,
    100_000,
  ),
  'policy?': object({
    'quorum?': either(oneOf('all', 'majority'), object({ m: count }), object({ weight: count }), object({ groups })),
    'order?': oneOf('parallel', 'staged'),
    'witnesses?': whole(0, 1000),
    'notaries?': whole(0, 1000),
    'decline?': oneOf('any-ends', 'quorum-impossible-ends'),
    'algorithms?': list(oneOf('ed25519', 'pq2025'), 1, 2),
    'minStrength?': oneOf('classical', 'pq'),
    'signBy?': date,
    'effectiveFrom?': date,
    'expiresAt?': date,
    'timeProof?': oneOf('none', 'notary'),
    'delegation?': oneOf('none', 'listed', 'document'),
    'withdraw?': oneOf('until-complete', 'never'),
    'terminate?': oneOf('any', 'quorum', 'all'),
  }),
  'links?': list(
    object({ rel: oneOf('supersedes', 'amends', 'annex', 'relates'), sxId: uuid, 'sxVersion?': uuid, sha256: hex }),
    0,
    1000,
  ),
})

/** Whether these terms can be agreed on at all. */
export function areTerms(value: unknown): value is Terms {
  if (!termsForm(value)) return false
  const { parties, policy = {} } = value as Terms
  const consenting = parties.filter(consents)
  const different = (of: (party: Party) => string): boolean => new Set(parties.map(of)).size === parties.length
  const holders = (role: Role): number => parties.filter((party) => party.role === role).length
  const stages = consenting.map(({ stage = 0 }) => stage)
  const { quorum = 'all', order = 'parallel', witnesses = 0, notaries = 0 } = policy
  const { algorithms, minStrength, effectiveFrom, expiresAt, timeProof } = policy
  return (
    consenting.length > 0 &&
    different(({ partyId }) => partyId) &&
    different(({ agentId }) => agentId) &&
    parties.every(
      (party) => consents(party) || !['weight', 'stage', 'group', 'required'].some((name) => name in party),
    ) &&
    (order === 'staged' || stages.every((stage) => stage === 0)) &&
    stages.every((stage) => stage === 0 || stages.includes(stage - 1)) &&
    witnesses <= holders('witness') &&
    notaries <= holders('notary') &&
    (timeProof !== 'notary' || holders('notary') > 0) &&
    (minStrength !== 'pq' || !algorithms || algorithms.includes('pq2025')) &&
    (effectiveFrom === undefined || expiresAt === undefined || effectiveFrom < expiresAt) &&
    weightOf(consenting) > 0 &&
    isWithinReach(quorum, consenting)
  )
}

export const weightOf = (parties: readonly Party[]): number => parties.reduce((sum, { weight = 1 }) => sum + weight, 0)

function isWithinReach(quorum: Quorum, consenting: readonly Party[]): boolean {
  if (typeof quorum === 'string') return true
  if ('m' in quorum) return quorum.m <= consenting.length
  if ('weight' in quorum) return quorum.weight <= weightOf(consenting)
  return Object.entries(quorum.groups).every(
    ([name, need]) => need <= consenting.filter(({ group }) => group === name).length,
  )
}

const note = object({ 'note?': text })
const reason = object({ 'reason?': text })
const forOther = object({ 'for?': partyId, 'reason?': text })
const dataForms: Readonly<Record<EventType, Form>> = {
  propose: note,
  sign: object({ 'for?': partyId, 'note?': text }),
  decline: forOther,
  withdraw: forOther,
  void: reason,
  comment: object({ text }),
  attach: object({ attachment }),
  delegate: object({
    to: uuid,
    scope: list(oneOf('sign', 'decline', 'withdraw'), 1, 3),
    'until?': date,
    'document?': object({ sxId: uuid, sxVersion: uuid, sha256: hex }),
  }),
  witness: note,
  notarize: note,
  dispute: object({ reason: text }),
  resolve: object({ dispute: hex, 'reason?': text }),
  terminate: reason,
  supersede: object({ successor: object({ sxId: uuid, 'sxVersion?': uuid, sha256: hex }) }),
}

const ascending: Form = (value) =>
  (value as readonly string[]).every((id, at) => at === 0 || (value as readonly string[])[at - 1]! < id)

const eventForm = object({
  type: oneOf(...types),
  agreementHash: hex,
  actor: object({ agentId: uuid, agentVersion: uuid, keyId }),
  role: oneOf('signer', 'approver', 'witness', 'notary', 'observer'),
  at: date,
  nonce: matches(/^[\w-]{22}$/u),
  seen: (value) => list(hex, 0, 10_000)(value) && ascending(value),
  data: () => true,
  alg: oneOf('ed25519', 'pq2025'),
  signature: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u),
})

export function isEvent(value: unknown): value is AgreementEvent {
  return (
    eventForm(value) &&
    nonEmpty((value as AgreementEvent).signature) &&
    dataForms[(value as AgreementEvent).type]((value as AgreementEvent).data)
  )
}
