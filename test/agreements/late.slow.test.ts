// Whatever an event changes when it is added to a history from a seed, early or late, stands on the page on agreements.
import { beforeAll, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { judgementOf } from './answers.ts'
import { answersOf, buildJudge } from './built-judge.ts'
import { areTerms } from './forms.ts'
import { historyOf } from './histories.ts'
import { additions, isOnPage, named } from './late.ts'

const COUNT = 3000
const AT_ONCE = 250

beforeAll(() => buildJudge())

test(`the steps of ${COUNT} histories are on the page`, () => {
  const changes = new Set<string>()
  const unknown: string[] = []
  for (let from = 0; from < COUNT; from += AT_ONCE) {
    const added = Array.from({ length: AT_ONCE }, (_, n) => from + n).flatMap((seed) => {
      const history = historyOf(seed)
      return areTerms(history.terms) ? additions(new Random(seed), history).map((one) => ({ ...one, seed })) : []
    })
    const judged = answersOf(added.flatMap(({ before, after }) => [before, after])).map(judgementOf)
    for (const [n, { seed, type, after }] of added.entries()) {
      const [one = '', other = ''] = judged.slice(2 * n, 2 * n + 2).map(({ status }) => named(after, status))
      if (one === other) continue
      const step = [one, type, other] as const
      changes.add(step.join(' '))
      if (!isOnPage(after, step)) unknown.push(`${step.join(' ')}, seed ${seed}`)
    }
  }
  expect(unknown).toEqual([])
  // They do reach late events, and not only what everybody has seen.
  const usual = [
    'declined sign active',
    'expired void voided',
    'proposed notarize partial',
    'superseded terminate terminated',
  ]
  expect([...changes]).toEqual(expect.arrayContaining(usual))
})
