/** What was signed up to some moment and was written behind: the latest date of each key, by the key's id. */
export interface Snapshot {
  readonly dates: ReadonlyMap<string, string>
  /** How much was noted until then. */
  readonly until: number
}

/**
 * What was signed and is written behind. Its signatures have to be looked at once more when it is stored: another process
 * may have rotated the key before that. Until a look has decided on it, every flush asks for it.
 */
export class Behind {
  readonly #dates = new Map<string, string>()
  #noted = 0
  /** Up to there a look has found that all counts. */
  #confirmed = 0

  /** Whether there is nothing. */
  get isEmpty(): boolean {
    return this.#dates.size === 0
  }

  /** What there is now. */
  get snapshot(): Snapshot {
    return { dates: new Map(this.#dates), until: this.#noted }
  }

  note(keyId: string, date: string): void {
    this.#noted++
    const latest = this.#dates.get(keyId)
    if (latest === undefined || latest < date) this.#dates.set(keyId, date)
  }

  /**
   * Decides on what there was, and forgets it.
   *
   * @param counts whether a signature counts
   * @returns whether all of them do, or did when another look has decided on it
   */
  decide({ dates, until }: Snapshot, counts: (keyId: string, date: string) => boolean): boolean {
    const areAll = until <= this.#confirmed || [...dates].every(([keyId, date]) => counts(keyId, date))
    if (areAll) this.#confirmed = Math.max(this.#confirmed, until)
    for (const [keyId, date] of dates) {
      const latest = this.#dates.get(keyId)
      if (latest !== undefined && latest <= date) this.#dates.delete(keyId)
    }
    return areAll
  }
}
