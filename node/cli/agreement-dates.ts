/** Dates of agreements, as they are typed. */
import { usage } from './exit.ts'

/** A day; after it, if it is there, a time with the zone, without which it would depend on the machine. */
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/**
 * A date that was typed, as agreements have it. A day alone is its end: what happens on that day is before it.
 *
 * @throws Stop for what is no date, or a day that no calendar has
 */
export function instantOf(option: string, text: string): string {
  const [whole, day = ''] = DATE.exec(text) ?? []
  const at = Date.parse(whole === day ? `${day}T23:59:59.999Z` : text)
  if (!isDay(day) || Number.isNaN(at) || at < 0) {
    throw usage(`${option} requires a date from 1970 on, such as 2026-01-31 or 2026-01-31T12:00:00.000Z.`)
  }
  return new Date(at).toISOString()
}

/** `Date.parse` takes the 30th of February for a day in March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00.000Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/**
 * The last date of something that is still to come.
 *
 * @throws Stop also for one that is over
 */
export function deadlineOf(option: string, text: string): string {
  const deadline = instantOf(option, text)
  if (Date.parse(deadline) >= Date.now()) return deadline
  throw usage(`${option} is in the past: ${deadline}. Pass a later date.`)
}
