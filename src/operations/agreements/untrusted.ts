import type { Judged } from '../../agreements/module.ts'
import type { AgreementEvent, AgreementResult } from '../../types.ts'

/**
 * The agents that are not trusted although the status rests on their events: parties that have signed, delegates and those
 * that they sign for, witnesses if any are required, notaries, and those who have resolved a dispute.
 */
export function untrustedIn(
  { byParty, witnesses }: Judged,
  history: readonly AgreementEvent[],
  signers: AgreementResult['signers'],
): string[] {
  const trusted = new Set<string | undefined>(signers.flatMap((signer) => (signer.trusted ? [signer.agentId] : [])))
  const agentOf = new Map(byParty.map(({ partyId, agentId }) => [partyId, agentId]))
  const types = ['sign', 'notarize', 'resolve', ...(witnesses.need > 0 ? ['witness'] : [])]
  const found = new Set<string>()
  for (const { type, agentId, data, code } of history) {
    if (code !== null || !types.includes(type)) continue
    const party = data.for === undefined ? agentId : agentOf.get(data.for)
    for (const id of [agentId, party]) if (id !== undefined && !trusted.has(id)) found.add(id)
  }
  return [...found]
}
