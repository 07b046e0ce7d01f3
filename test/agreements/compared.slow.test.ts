// The judge that is shipped, against the model.
import { expect, test } from 'vitest'
import { judgementOf } from './answers.ts'
import { answersOf, buildJudge } from './built-judge.ts'
import { examples } from './examples.ts'
import type { History } from './forms.ts'
import { historyOf } from './histories.ts'
import { judge } from './model.ts'
import type { Judgement } from './report.ts'

const COUNT = 20_000
const AT_ONCE = 1000

/** What the crate says of each history, as the model says it. */
const judgeAll = (histories: readonly History[]): Judgement[] => answersOf(histories).map(judgementOf)

test(`A20: the judge and the model agree on ${COUNT} histories, and on the examples by hand`, () => {
  buildJudge()
  const byHand = examples.map(({ history }) => history)
  expect(judgeAll(byHand)).toEqual(byHand.map(judge))
  for (let from = 0; from < COUNT; from += AT_ONCE) {
    const histories = Array.from({ length: AT_ONCE }, (_, n) => historyOf(from + n))
    for (const [n, judgement] of judgeAll(histories).entries()) {
      expect(judgement, `seed ${from + n}`).toEqual(judge(histories[n] as History))
    }
  }
})
