/** What was signed up to some moment and was written behind: the latest date of each key, by the key's id. */
export interface Snapshot {
  readonly dates: ReadonlyMap<string, string>
  /** How much of what was noted had been decided on by then. */
  readonly since: number
  /** How much was noted by then. */
  readonly until: number
}

/** The latest date of a key, and how much was noted up to the last one. */
interface Noted {
  readonly date: string
  readonly until: number
}

/**
 * What was signed and is written behind. Its signatures have to be looked at once more when it is stored: another process
 * may have rotated the key before that. Until a look has decided on it, every flush asks for it.
 */
export class Behind {
  readonly #dates = new Map<string, Noted>()
  #noted = 0
  #decided = 0
  /** Of what was noted between these, looks have found that all counts. */
  #confirmed: Pick<Snapshot, 'since' | 'until'> = { since: 0, until: 0 }
  /** Whether a synchronous call was refused because of a rotation that only an asynchronous one can break off. */
  isBlocked = false

  /** Whether there is nothing. */
  get isEmpty(): boolean {
    return this.#dates.size === 0
  }

  /** What there is now. */
  get snapshot(): Snapshot {
    const dates = new Map([...this.#dates].map(([keyId, { date }]) => [keyId, date]))
    return { dates, since: this.#decided, until: this.#noted }
  }

  note(keyId: string, date: string): void {
    this.#noted++
    const latest = this.#dates.get(keyId)?.date ?? ''
    this.#dates.set(keyId, { date: date > latest ? date : latest, until: this.#noted })
  }

  /**
   * Decides on what there was, and forgets it.
   *
   * @param counts whether a signature counts
   * @returns whether all of them do, or did when another look has decided on it
   */
  decide({ dates, since, until }: Snapshot, counts: (keyId: string, date: string) => boolean): boolean {
    const confirmed = this.#confirmed
    const isConfirmed = since >= confirmed.since && until <= confirmed.until
    const areAll = isConfirmed || [...dates].every(([keyId, date]) => counts(keyId, date))
    if (areAll && until > confirmed.until) {
      this.#confirmed = { since: since > confirmed.until ? since : confirmed.since, until }
    }
    this.#decided = Math.max(this.#decided, until)
    for (const [keyId, noted] of this.#dates) if (noted.until <= until) this.#dates.delete(keyId)
    return areAll
  }
}
