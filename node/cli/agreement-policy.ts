/** What the terms of an agreement set differently from the default, in plain words: who signs has to know it. */
import type { AgreementLink, AgreementPolicy, AgreementTerms } from '../../src/simple.ts'
import { type Row, shorten } from './output.ts'

/** A row for each rule of a policy that is not the default, and for each link. Dates are shown elsewhere. */
export function policyRows({ policy = {}, links = [] }: AgreementTerms): readonly Row[] {
  const { quorum = 'all', witnesses = 0, notaries = 0, algorithms, terminate } = policy
  const rules: readonly (string | false)[] = [
    quorum !== 'all' && quorumOf(quorum),
    policy.order === 'staged' && 'Parties sign in stages: each stage waits for those before it.',
    witnesses > 0 && `Witnesses needed: ${witnesses}.`,
    notaries > 0 && `Notaries needed: ${notaries}.`,
    policy.decline === 'any-ends' && 'If one party declines, the agreement ends.',
    policy.withdraw === 'never' && 'A signature cannot be withdrawn.',
    policy.delegation === 'listed' && 'A party can let another party sign for it.',
    policy.delegation === 'document' &&
      'A party can let an agent sign for it if a signed document authorises that agent.',
    policy.timeProof === 'notary' && 'A notary has to prove when something was signed.',
    algorithms !== undefined && `Only signatures with these algorithms count: ${algorithms.join(', ')}.`,
    policy.minStrength === 'pq' && 'Only post-quantum signatures count.',
    terminate === 'any' && 'One party can end the agreement while it is in effect.',
    terminate === 'quorum' && 'A quorum of the parties can end the agreement while it is in effect.',
  ]
  return [
    ...rules.flatMap((rule): Row[] => (rule === false ? [] : [['rule', rule]])),
    ...links.map(({ rel, sxId }): Row => [LINKS[rel], sxId]),
  ]
}

const LINKS: Readonly<Record<AgreementLink['rel'], string>> = {
  supersedes: 'supersedes',
  amends: 'amends',
  annex: 'annex',
  relates: 'related to',
}

function quorumOf(quorum: Exclude<AgreementPolicy['quorum'], 'all' | undefined>): string {
  if (quorum === 'majority') return 'More than half of the parties have to sign.'
  if ('m' in quorum) return `Number of parties that have to sign: ${quorum.m}.`
  if ('weight' in quorum) return `The weights of the parties that sign have to add up to at least ${quorum.weight}.`
  const groups = Object.entries(quorum.groups).map(([name, need]) => `${need} of '${shorten(name)}'`)
  return `Number of parties that have to sign: ${groups.join(', ')}.`
}
