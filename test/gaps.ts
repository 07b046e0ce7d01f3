// How long a thread does nothing else while something is done in it.

/** Milliseconds between two beats. */
const BEAT = 5

/** What this thread did while something was done: the longest time between two beats, how many there were, and how long it took; milliseconds. */
export async function gapOf(work: () => unknown): Promise<{ gap: number; beats: number; took: number }> {
  await new Promise((resolve) => setTimeout(resolve, 2 * BEAT))
  const start = performance.now()
  let last = start
  let gap = 0
  let beats = 0
  const note = (): void => {
    const now = performance.now()
    gap = Math.max(gap, now - last)
    last = now
    beats++
  }
  const timer = setInterval(note, BEAT)
  try {
    await work()
    const took = performance.now() - start
    await new Promise((resolve) => setTimeout(resolve, BEAT)) // the gap that is open
    note()
    return { gap, beats, took }
  } finally {
    clearInterval(timer)
  }
}
