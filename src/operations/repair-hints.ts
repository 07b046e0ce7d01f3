/** What `repairStore` says of chains, and what it does about their hints. */
import { encode } from '../bytes.ts'
import { putHint, remove } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import type { ChainNames } from '../names.ts'
import { hole, readEntry, readHint } from '../state/chain.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type { RepairedChain, StoreProblem } from '../types.ts'
import { gapOf, lastOf, type StoredChain } from './audit/chains.ts'

/** What was found so far. */
export interface Findings {
  readonly repaired: RepairedChain[]
  readonly problems: StoreProblem[]
}

/** Says which entry of a chain is missing that has later ones. */
export function reportGap(chain: StoredChain, chainNames: ChainNames, { problems }: Findings): void {
  const gap = gapOf(chain)
  if (gap === undefined) return
  const { code, found } = hole(chainNames, gap)
  const advice = 'It cannot be repaired. Restore a backup, or copy the store again.'
  problems.push({ code, subject: chain.id, message: `${found} ${advice}` })
}

/**
 * Repairs the hints of a chain.
 *
 * @returns the number of the latest entry that there was, as far as they say
 */
export function* repairHints(data: Storage, chain: StoredChain, chainNames: ChainNames): Operation<number> {
  const last = lastOf(chain)
  let from = last
  for (const key of chain.hints) from = Math.max(from, yield* repairHint(data, key, chainNames, last))
  return from
}

/**
 * Repairs a hint that names an entry which is not there.
 *
 * @returns the number of that entry; 0 if the hint is right
 */
function* repairHint(data: Storage, key: Key, chainNames: ChainNames, last: number): Operation<number> {
  const number = yield* readHint(data, key)
  // A hint is written after its entry: what came while the store was listed is there now.
  if (number <= last || (yield* readEntry(data, chainNames, number)) !== undefined) return 0
  const isLatest = key.at(-1) === chainNames.latest().at(-1)
  // There is none for the first entry, and none for a version that is gone.
  if (isLatest && last > 1) yield* perform(putHint(data, key, encode(String(last))))
  else yield* perform(remove(data, key))
  return number
}
