// What the terms say of parties: who is needed, and what those who have signed amount to.
import { consents, type Party, type Terms, weightOf } from './forms.ts'

/** What the parties that have signed amount to under the terms. */
export class Rules {
  readonly parties: readonly Party[]
  readonly consenting: readonly Party[]
  readonly policy: NonNullable<Terms['policy']>

  constructor({ parties, policy = {} }: Terms) {
    this.parties = parties
    this.consenting = parties.filter(consents)
    this.policy = policy
  }

  /** How much of the quorum there is, and how much is needed. */
  quorum(signed: readonly Party[]): { need: number; have: number } {
    const { quorum = 'all' } = this.policy
    if (quorum === 'all') return { need: this.consenting.length, have: signed.length }
    if (quorum === 'majority') return { need: Math.floor(this.consenting.length / 2) + 1, have: signed.length }
    if ('m' in quorum) return { need: quorum.m, have: signed.length }
    if ('weight' in quorum) return { need: quorum.weight, have: weightOf(signed) }
    const groups = this.groups(signed)
    return {
      need: groups.reduce((total, { need }) => total + need, 0),
      have: groups.reduce((total, { need, have }) => total + Math.min(need, have), 0),
    }
  }

  groups(signed: readonly Party[]): { name: string; need: number; have: number }[] {
    const { quorum } = this.policy
    if (typeof quorum !== 'object' || !('groups' in quorum)) return []
    return Object.entries(quorum.groups)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, need]) => ({ name, need, have: signed.filter(({ group }) => group === name).length }))
  }

  reachesQuorum(signed: readonly Party[]): boolean {
    const { need, have } = this.quorum(signed)
    return have >= need
  }

  ofStage(stage: number): Party[] {
    return this.consenting.filter((party) => (party.stage ?? 0) === stage)
  }

  isStageSatisfied(stage: number, signed: readonly Party[]): boolean {
    const { quorum = 'all' } = this.policy
    const all = this.ofStage(stage)
    const done = all.filter((party) => signed.includes(party))
    if (all.some((party) => party.required && !done.includes(party))) return false
    if (quorum === 'all') return done.length === all.length
    if (quorum === 'majority') return done.length > all.length / 2
    return done.length > 0
  }

  /** The stages in their order; none where the order does not matter. */
  stages(): number[] {
    if (this.policy.order !== 'staged') return []
    return [...new Set(this.consenting.map(({ stage = 0 }) => stage))].toSorted((a, b) => a - b)
  }

  /** Whether consent is complete: quorum, required parties and stages. */
  areEnough(signed: readonly Party[]): boolean {
    return (
      this.reachesQuorum(signed) &&
      this.consenting.every((party) => !party.required || signed.includes(party)) &&
      this.stages().every((stage) => this.isStageSatisfied(stage, signed))
    )
  }

  /** Whether the agreement cannot come about once these have declined. */
  isEndedByDeclines(declined: readonly Party[]): boolean {
    if (declined.length === 0) return false
    if (this.policy.decline === 'any-ends') return true
    return !this.areEnough(this.consenting.filter((party) => !declined.includes(party)))
  }
}
