/** What `repairStore` does about decisions on trust. */
import { closed, flushed } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { names, readWitnessName, trustChain } from '../names.ts'
import { openTrust } from '../state/trust-store.ts'
import {
  agentsIn,
  BROKEN,
  type Counting,
  fillGaps,
  isDamaged,
  isWitnessed,
  readCounting,
  type TrustPlace,
  WITNESS_LOST,
} from '../state/trust-witness.ts'
import { eachChain, lastOf, type StoredChain } from './audit/chains.ts'
import { type Findings, repairHints, reportGap } from './repair-hints.ts'

/**
 * Has the decisions on each agent be a whole chain, and the one that counts be there. Where that one is lost the agent is
 * trusted no more, since it may have said that.
 */
export function* repairTrust(place: TrustPlace, findings: Findings): Operation<void> {
  const folder = names().trust
  const isNew = yield* isWitnessed(place)
  const work = isNew ? repairWitnessed : repairOld
  const decided = new Set<string>()
  yield* eachChain(place.data, folder, trustChain, (chain) => {
    decided.add(chain.id)
    return work(place, chain, findings)
  })
  if (!isNew) return
  for (const id of (yield* agentsIn(place.keys, [folder], readWitnessName)).keys()) {
    if (!decided.has(id)) yield* repairWitnessed(place, { id, numbers: new Set(), hints: [] }, findings)
  }
}

/** In a store from before there were witnesses the latest decision counts, so one that is lost may have. */
function* repairOld(place: TrustPlace, chain: StoredChain, findings: Findings): Operation<void> {
  reportGap(chain, trustChain(chain.id), findings)
  const to = lastOf(chain)
  const from = yield* repairHints(place.data, chain, trustChain(chain.id))
  if (from === to) return
  findings.repaired.push({ id: chain.id, kind: 'trust', from, to })
  if (yield* takeBack(place, chain.id)) reportLost(chain.id, findings)
}

function* repairWitnessed(place: TrustPlace, chain: StoredChain, findings: Findings): Operation<void> {
  const { id, numbers } = chain
  let counting: Counting | undefined
  try {
    counting = yield* readCounting(place, id, undefined, true)
  } catch (error) {
    if (!(error instanceof SxError && isDamaged(error))) throw error
    findings.problems.push({ code: error.code, subject: id, message: `${error.found} ${WITNESS_LOST}` })
    return
  }
  const to = lastOf(chain)
  let from = Math.max(to, yield* repairHints(place.data, chain, trustChain(id)))
  if (counting?.bytes === BROKEN) {
    from = Math.max(from, counting.number)
    yield* takeBack(place, id)
    reportLost(id, findings)
  } else if (yield* fillGaps(place, id, numbers, counting?.number ?? 0)) {
    findings.repaired.push({ id, kind: 'trust', from, to })
    return
  }
  if (from !== to) findings.repaired.push({ id, kind: 'trust', from, to })
}

/** Takes trust back, and says whether it was there. */
function* takeBack({ keys, data }: TrustPlace, id: string): Operation<boolean> {
  const trust = yield* openTrust(keys, data, '')
  try {
    const wasTrusted = yield* trust.remove(id)
    yield* perform(flushed(trust))
    return wasTrusted
  } finally {
    yield* perform(closed(trust))
  }
}

function reportLost(id: string, { problems }: Findings): void {
  const message = `The latest decision about the agent ${id} is lost or was changed, so the agent is no longer trusted. To trust it, call trustAgent again.`
  problems.push({ code: 'Rollback', subject: id, message })
}
