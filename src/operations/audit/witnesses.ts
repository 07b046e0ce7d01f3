import * as core from '#core'
import { encode, equalBytes } from '../../bytes.ts'
import { call } from '../../core.ts'
import { get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { readWitnessName } from '../../names.ts'
import {
  agentsIn,
  checkWitness,
  decisionsOn,
  folderOf,
  lostMark,
  markerOf,
  readCounting,
  type TrustPlace,
  witnessesOf,
} from '../../state/trust-witness.ts'
import { checkHints, gapOf, lastOf } from './chains.ts'
import type { Report } from './report.ts'

/** Which decision on an agent counts. */
export interface Counting {
  /** Its number; 0 if none counts. */
  readonly counting: number
  /** Whether it is there as it was made. */
  readonly isWhole: boolean
}

/** Whether the witnesses are whole and name decisions that are there. */
export function* auditWitnesses(report: Report, place: TrustPlace): Operation<Map<string, Counting>> {
  const marker = yield* perform(get(place.keys, markerOf(place)))
  if (marker !== undefined && !equalBytes(marker, encode(call(() => core.trustWitnessMarker())))) {
    const name = markerOf(place).join('/')
    report.risk(
      'medium',
      'CorruptStore',
      name,
      `${name} was changed. The decision counts as before. Restore it from a backup.`,
    )
  }
  const found = new Map<string, Counting>()
  for (const [id, numbers] of yield* agentsIn(place.keys, folderOf(place), readWitnessName)) {
    const names = witnessesOf(place, id)
    const hint = names.latest()
    const hints = (yield* perform(get(place.keys, hint))) === undefined ? [] : [hint]
    const chain = { id, numbers, hints }
    const isGone = yield* checkHints(report, place.keys, chain, names)
    const gap = gapOf(chain)
    if (gap !== undefined) {
      const name = names.entry(gap).join('/')
      report.absence(
        name,
        'high',
        'CorruptStore',
        name,
        `${name} is missing, although a later one exists. Restore it from a backup.`,
      )
    }
    const counting = yield* countingOf(report, place, id, isGone || gap !== undefined)
    found.set(id, counting)
    const confirmed = new Set(counting.isWhole ? [counting.counting] : [])
    for (const number of [...numbers].sort((one, other) => other - one)) {
      if (number !== lastOf(chain)) yield* auditEarlier(report, place, { id, number, confirmed })
    }
  }
  return found
}

/**
 * A witness of a decision that counted once.
 *
 * @param earlier `confirmed`: decisions that are there as a later witness names them. One of them may have the number of a
 *   decision that is lost
 */
function* auditEarlier(
  report: Report,
  place: TrustPlace,
  { id, number, confirmed }: { readonly id: string; readonly number: number; readonly confirmed: Set<number> },
): Operation<void> {
  const name = witnessesOf(place, id).entry(number)
  try {
    const bytes = yield* perform(get(place.keys, name))
    if (bytes === undefined) return
    const decision = call(() => core.trustWitnessRead(id, bytes))
    if (confirmed.has(decision) || (yield* isRepaired(place, id, decision))) return
    yield* checkWitness(place, id, { number, bytes })
    confirmed.add(decision)
  } catch (error) {
    // A decision that is missing leaves a gap, which is told once.
    if (!(error instanceof SxError && error.code === 'Rollback')) report.failure(error, name.join('/'))
  }
}

/** Whether `repairStore` has filled the place of an earlier decision. */
function* isRepaired(place: TrustPlace, agentId: string, number: number): Operation<boolean> {
  const bytes = yield* perform(get(place.data, decisionsOn(place, agentId).entry(number)))
  return equalBytes(bytes, lostMark())
}

/** @param isKnown whether it was told already that it is not whole */
function* countingOf(report: Report, place: TrustPlace, agentId: string, isKnown: boolean): Operation<Counting> {
  try {
    return { counting: (yield* readCounting(place, agentId))?.number ?? 0, isWhole: true }
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    if (isKnown) return { counting: 0, isWhole: false }
    if (error.code === 'Rollback') {
      const found = `The key directory names a decision about the agent ${agentId} that the data directory lacks.`
      const why = 'The data directory is older than the key directory, or someone removed the decision.'
      const advice =
        'Copy both directories again, restore a backup, or call repairStore. repairStore removes the trust in this agent.'
      report.risk('high', 'Rollback', agentId, `${found} ${why} ${advice}`)
    } else report.failure(error, agentId)
    return { counting: 0, isWhole: false }
  }
}
