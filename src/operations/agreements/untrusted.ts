import type { Judged } from '../../agreements/module.ts'
import type { Operation } from '../../effects.ts'
import type { Loaded } from '../../session.ts'
import type { AgreementEvent } from '../../types.ts'
import { type AtHand, judge, type Question } from './open.ts'

type Type = AgreementEvent['type']

/** What decides a status. Without a withdrawal there is a signature more, so both go together. */
const DECIDING: readonly (readonly Type[])[] = [
  ['notarize'],
  ['witness'],
  ['resolve'],
  ['dispute'],
  ['supersede'],
  ['terminate'],
  ['decline'],
  ['void'],
  ['sign', 'withdraw'],
  ['delegate'],
  ['propose'],
]

/** An event of a question. The form is certain where the signature is valid. */
interface Entry {
  readonly event: { readonly type: Type; readonly actor: { readonly agentId: string } }
  readonly verdict: { readonly valid: boolean }
}

/** An event with this verdict is there, and has no effect. */
const WITHOUT_EFFECT = { valid: true, revoked: { at: '1970-01-01T00:00:00.000Z', reason: 'superseded' } }

/**
 * The agents that are not trusted although the status rests on their events: those without whose events of one type it would
 * be another one. What the events of trusted agents decide without them is left out.
 */
export function* untrustedIn(
  loaded: Loaded,
  at: number,
  opened: AtHand,
  question: Question,
  { status }: Judged,
  history: readonly AgreementEvent[],
): Operation<string[]> {
  const trusted = new Set(question.signers.flatMap((signer) => (signer.trusted ? [signer.agentId] : [])))
  const strange = history.filter(({ code, agentId }) => code === null && !trusted.has(agentId))
  if (strange.length === 0) return []
  const { events, ...line } = JSON.parse(question.text) as { events: readonly Entry[] }
  let kept = events
  const needed = new Set<AgreementEvent>()
  for (const types of DECIDING) {
    const some = strange.filter(({ type }) => types.includes(type))
    if (some.length === 0) continue
    const isOne = ({ event, verdict }: Entry): boolean =>
      verdict.valid && types.includes(event.type) && !trusted.has(event.actor.agentId)
    const without = kept.map((entry) => (isOne(entry) ? { ...entry, verdict: WITHOUT_EFFECT } : entry))
    const text = JSON.stringify({ ...line, events: without })
    if ((yield* judge(loaded, at, opened, { ...question, text })).status === status) kept = without
    else for (const event of some) needed.add(event)
  }
  return [...new Set(strange.filter((event) => needed.has(event)).map(({ agentId }) => agentId))]
}
