// What the judge that is shipped answers, as the model says it.
import type { Judgement } from './report.ts'

export function judgementOf(answer: string): Judgement {
  const { valid, status, errors, ...state } = JSON.parse(answer)
  return { valid, status, error: errors[0]?.code ?? null, state: status === 'invalid' ? null : state }
}
