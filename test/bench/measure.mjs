// Measuring: operations per CPU-second, competitors in turns, so that a busy machine slows all of them alike.

const median = (numbers) => quantile(numbers, 0.5)

/** The value below which this part of the numbers lies, between neighbours interpolated. */
function quantile(numbers, part) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at - Math.floor(at))
}

/** The middle of some numbers, and the span of their middle half. */
export function summary(numbers) {
  return { median: median(numbers), low: quantile(numbers, 0.25), high: quantile(numbers, 0.75) }
}

/** How often what is repeated is measured where nobody says it. */
export const usualRuns = (quick) => (quick ? 2 : 5)

/** What several runs say: their middle, the quarters around it, and the lowest and the highest. */
export function ofRuns(values) {
  return { ...summary(values), least: Math.min(...values), most: Math.max(...values), runs: values.length }
}

/** The quotients of two series, round by round. */
export function ratio(ours, theirs) {
  return summary(ours.map((rate, round) => rate / theirs[round]))
}

/** CPU seconds of the whole process, its helper threads included. */
function cpuSeconds(since) {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

/** CPU seconds that `count` calls take; a job in another process tells its own. Garbage is cleared away before. */
export async function cpuOf(job, count) {
  if (job.elsewhere !== undefined) return job.elsewhere(count)
  globalThis.gc?.()
  const start = process.cpuUsage()
  for (let call = 0; call < count; call++) {
    const result = job()
    if (result instanceof Promise) await result
  }
  return cpuSeconds(start)
}

/**
 * Runs jobs in turns.
 *
 * @param jobs functions by name; what they return is awaited if it is a promise. One in another process is an object
 *   whose function `elsewhere` does it so many times and gives the CPU seconds of that
 * @param rounds how often each gets its turn
 * @param milliseconds CPU time of a turn
 * @param count calls in a turn, in place of a time: where each call uses something up
 * @returns by name, the operations per CPU-second of each round
 */
export async function race(jobs, { rounds, milliseconds, count: given }) {
  const entries = []
  for (const [name, job] of Object.entries(jobs)) {
    entries.push({ name, job, count: given ?? (await calibrate(job, milliseconds)) })
  }
  const rates = Object.fromEntries(entries.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { name, job, count } of round % 2 === 0 ? entries : entries.toReversed()) {
      rates[name].push(count / (await cpuOf(job, count)))
    }
  }
  return rates
}

/** Warms a job up, and tells how many calls fill a turn. */
export async function calibrate(job, milliseconds) {
  await cpuOf(job, 1)
  let count = 1
  for (;;) {
    const taken = (await cpuOf(job, count)) * 1000
    if (taken >= milliseconds / 2) return Math.max(1, Math.round((count * milliseconds) / taken))
    count = Math.ceil(count * Math.min(10, Math.max(2, milliseconds / Math.max(taken, 0.1))))
  }
}
