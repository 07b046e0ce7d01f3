interface Result {
  readonly median: number
  readonly low?: number
  readonly high?: number
  /** So many runs it is of; undefined for rounds of one run. */
  readonly runs?: number
}

export function updateTargets(before: string, results: Readonly<Record<string, Result>>): string
