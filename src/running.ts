/** The time until something is let go, which operations that began before may still use. */
interface Span {
  /** How many operations are running that began in it. */
  running: number
  /** Wipes that; missing in the span of now. */
  wipe: (() => void) | undefined
}

/** The operations of a session that are running, and what is wiped when those have ended that may still use it. */
export class Running {
  /** In their order. What is let go at the end of one waits for those before it, too. */
  readonly #spans: Span[] = []
  #now: Span = this.#next()

  /** Counts an operation as running; returns what ends it, once. */
  begin(): () => void {
    const span = this.#now
    span.running++
    return () => {
      span.running--
      if (span !== this.#now) this.#settle()
    }
  }

  /** Has something wiped as soon as the operations that are running now have ended. Those that begin later don't delay it. */
  letGo(wipe: () => void): void {
    this.#now.wipe = wipe
    this.#now = this.#next()
    this.#settle()
  }

  /** Wipes at once what waits for operations. */
  wipe(): void {
    for (const span of this.#spans) {
      const { wipe } = span
      if (wipe === undefined) continue
      span.wipe = () => {}
      wipe()
    }
  }

  /** Whether no operation runs, and nothing waits to be wiped. */
  get isIdle(): boolean {
    return this.#spans.length === 1 && this.#now.running === 0
  }

  #next(): Span {
    const span: Span = { running: 0, wipe: undefined }
    this.#spans.push(span)
    return span
  }

  #settle(): void {
    for (;;) {
      const [first] = this.#spans
      if (first?.wipe === undefined || first.running > 0) return
      this.#spans.shift()
      first.wipe()
    }
  }
}
