/** The time until something is let go, which operations that began before may still use. */
interface Span {
  /** How many operations are running that began in it. */
  running: number
  /** Wipes that; missing in the span of now. */
  wipe: (() => void) | undefined
}

/**
 * The operations of a session that are running, and what is wiped when those have ended that may still use it: spans in
 * their order, the last one of which is that of now. What is let go at the end of one waits for those before it, too.
 */
export type Running = Span[]

/** Counts an operation as running; returns what ends it, once. */
export function begin(spans: Running): () => void {
  const span = spans.at(-1) ?? next(spans)
  span.running++
  return () => {
    span.running--
    settle(spans)
  }
}

/** Has something wiped as soon as the operations that are running now have ended. Those that begin later don't delay it. */
export function letGo(spans: Running, wipe: () => void): void {
  const span = spans.at(-1) ?? next(spans)
  span.wipe = wipe
  next(spans)
  settle(spans)
}

/** Wipes at once what waits for operations. */
export function wipeAll(spans: Running): void {
  for (const span of spans) {
    const { wipe } = span
    if (wipe === undefined) continue
    span.wipe = () => {}
    wipe()
  }
}

function next(spans: Running): Span {
  const span: Span = { running: 0, wipe: undefined }
  spans.push(span)
  return span
}

function settle(spans: Running): void {
  for (;;) {
    const span = spans[0]
    if (span?.wipe === undefined || span.running > 0) return
    spans.shift()
    span.wipe()
  }
}
