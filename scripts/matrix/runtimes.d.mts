/** A runtime, or a browser with its page and workers. */
export interface Runtime {
  readonly name: string
}

/** What came of one report. */
export interface Row {
  readonly name: string
  /** `same` if the report is complete and that of all others, `not here` if the runtime is not on this machine. */
  readonly state: 'same' | 'failed' | 'not here'
  /** What is wrong with it. */
  readonly problem?: string
  /** Name, version, outcome and time, as in the table. */
  readonly cells: readonly string[]
}

/** All runtimes. */
export const runtimes: readonly Runtime[]

/**
 * Runs the suite of a project, or of others that install the tarball, in some; gives a row for each report. With `brief`, of several versions of one engine not all
 * run the cases that take long.
 */
export function compare(
  chosen: readonly Runtime[],
  given: { readonly project: string; readonly tarball: string; readonly brief?: boolean },
): Promise<Row[]>
