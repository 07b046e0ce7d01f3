/** What several runs say. */
export interface OfRuns {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly least: number
  readonly most: number
  readonly runs: number
}

export function ofRuns(values: readonly number[]): OfRuns
