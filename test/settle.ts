/**
 * Turns of the event loop, in which what is under way in this thread goes on. Counted, not timed: to a thread that was
 * kept waiting, a longer time is over as soon as a shorter one.
 */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}
