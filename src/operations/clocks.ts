/** What dates of the past say of the clock of the present (protocol, sections 7 and 12). */
import { type Operation, perform } from '../effects.ts'
import { now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { type Loaded, requireSigning } from '../session.ts'

/** So far the clocks of those who sign may be apart, milliseconds. */
const TOLERANCE = 5 * 60_000
/** Who follows a version that is dated ahead of the clock dates a little later than that, milliseconds. */
const MARGIN = 1_000

/** Whether a date, in Unix milliseconds, is so late that the clock of whoever wrote it was ahead of this one. */
export const isAhead = (date: number, present: number): boolean => date > present + TOLERANCE

/**
 * A date after all that the current key has signed.
 *
 * @param stored the latest date among the documents, Unix milliseconds
 * @param otherwise what to do if this clock is right; `undefined` to use this clock nevertheless
 * @throws SxError `ClockBehind`
 */
export function* dateAfterAll(loaded: Loaded, stored: number, otherwise: string | undefined): Operation<number> {
  const latest = Math.max(stored, requireSigning(loaded).dates.latest)
  const present = yield* perform(now)
  if (latest <= present) return present + 1
  if (!isAhead(latest, present)) return latest + MARGIN
  if (otherwise === undefined) return present + 1
  throw clockBehind('The agent has signed with', latest, present, otherwise)
}

/** @param otherwise a sentence that says what to do if this clock is right */
export function clockBehind(what: string, date: number, present: number, otherwise: string): SxError {
  const [then, today] = [date, present].map((at) => new Date(at).toISOString())
  return new SxError('ClockBehind', `${what} the date ${then}, but this clock shows ${today}. ${otherwise}`)
}
