// The judge that is shipped, against the model. `cargo` builds it as a program for this machine.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { judgementOf } from './answers.ts'
import { examples } from './examples.ts'
import type { History } from './forms.ts'
import { historyOf } from './histories.ts'
import { judge } from './model.ts'
import type { Judgement } from './report.ts'

const COUNT = 20_000
const AT_ONCE = 1000
const workspace = fileURLToPath(new URL('../../wasm', import.meta.url))

function run(command: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, cwd: workspace, maxBuffer: 2 ** 30 })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr.toString()}`)
  return stdout.toString()
}

/** What the crate says of each history, as the model says it. */
function judgeAll(histories: readonly History[]): Judgement[] {
  const lines = histories.map((history) => JSON.stringify(history)).join('\n')
  const answers = run('target/release/examples/judge', [], `${lines}\n`).trimEnd().split('\n')
  return answers.map(judgementOf)
}

test(`A20: the judge and the model agree on ${COUNT} histories, and on the examples by hand`, () => {
  run('cargo', ['build', '--quiet', '--release', '-p', 'sx-agreement', '--example', 'judge'])
  const byHand = examples.map(({ history }) => history)
  expect(judgeAll(byHand)).toEqual(byHand.map(judge))
  for (let from = 0; from < COUNT; from += AT_ONCE) {
    const histories = Array.from({ length: AT_ONCE }, (_, n) => historyOf(from + n))
    for (const [n, judgement] of judgeAll(histories).entries()) {
      expect(judgement, `seed ${from + n}`).toEqual(judge(histories[n] as History))
    }
  }
})
