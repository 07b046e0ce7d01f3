import * as core from '#core'
import { call } from '../../core.ts'
import { cursor, get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { type ChainNames, readEntryName } from '../../names.ts'
import type { Key, Storage } from '../../storage/contract.ts'
import type { Report } from './report.ts'

/** What stands in the storage of one chain. */
export interface StoredChain {
  readonly id: string
  /** Numbers of its entries. */
  readonly numbers: Set<number>
  readonly hints: Key[]
}

/** The number of the last entry that is there; 0 if none is. */
export const lastOf = ({ numbers }: StoredChain): number => {
  let last = 0
  for (const number of numbers) last = Math.max(last, number)
  return last
}

/** The number of the first entry that is missing before the last one; `undefined` if none is. */
export function gapOf(chain: StoredChain): number | undefined {
  let gap = 1
  while (chain.numbers.has(gap)) gap++
  return gap > lastOf(chain) ? undefined : gap
}

/**
 * Goes through the chains in a folder of a storage; what is stored of one stands together.
 *
 * @param namesOf where the chain of an id stands
 * @param other is handed the keys of what belongs to none
 */
export function* eachChain(
  storage: Storage,
  folder: string,
  namesOf: (id: string) => ChainNames,
  use: (chain: StoredChain) => Operation<void>,
  other: (key: Key) => Operation<void> = function* () {},
): Operation<void> {
  let chain: StoredChain | undefined
  const next = cursor(storage, [folder])
  for (;;) {
    const key = yield* perform(next)
    const entry = readEntryName(key?.at(-1))
    const found = entry?.id ?? idOfHint(key)
    const id = found !== undefined && key !== undefined && isIn(key, namesOf(found)) ? found : undefined
    if (chain !== undefined && (key === undefined || (id !== undefined && id !== chain.id))) {
      yield* use(chain)
      chain = undefined
    }
    if (key === undefined) return
    if (id === undefined) {
      yield* other(key)
      continue
    }
    chain ??= { id, numbers: new Set(), hints: [] }
    if (entry === undefined) chain.hints.push(key)
    else chain.numbers.add(entry.number)
  }
}

/** Whether a key stands in the folder of a chain. */
function isIn(key: Key, { latest }: ChainNames): boolean {
  const place = latest()
  return key.length === place.length && place.every((segment, at) => at === place.length - 1 || segment === key[at])
}

/** Whose hint a name is: `<id>.latest`, `<id>.<version>`. */
function idOfHint(key: Key | undefined): string | undefined {
  return /^([0-9a-f-]{36})\.(?:latest|[0-9a-f-]{36})$/.exec(key?.at(-1) ?? '')?.[1]
}

/**
 * Whether the hints of a chain name what is there.
 *
 * @param versionOf the version of an entry, for chains whose hints name versions
 * @returns whether one of them names an entry that is gone
 */
export function* checkHints(
  report: Report,
  storage: Storage,
  chain: StoredChain,
  { label, entry }: ChainNames,
  versionOf?: (number: number) => Operation<string>,
): Operation<boolean> {
  const last = lastOf(chain)
  let isGone = false
  for (const key of chain.hints) {
    const name = key.join('/')
    const isLatest = /\.(?:latest|witness)$/.test(name)
    const bytes = yield* perform(get(storage, key))
    const number = bytes === undefined ? 0 : call(() => core.readNumber(bytes))
    if (number > last) {
      isGone = true
      const found = `${name} names entry ${number} of ${label}, but there are only ${last}.`
      report.absence(entry(number).join('/'), 'high', 'Rollback', name, `${found} Restore it from a backup.`)
    } else if (report.isCopy && isLatest) {
      // A copy may have read later entries, and not the hint.
    } else if (number < 1 || (isLatest && number < last)) {
      const found = `${name} does not name the latest entry of ${label}.`
      report.risk('low', 'DamagedHint', name, `${found} You can remove it: it only saves time.`)
    } else if (report.isCopy && !chain.numbers.has(number)) {
      // The gap is reported.
    } else if (!isLatest && versionOf !== undefined && !name.endsWith(yield* versionOf(number))) {
      report.risk('low', 'DamagedHint', name, `${name} names another version. You can remove it: it only saves time.`)
    }
  }
  return isGone
}

/** Where entries stand below a folder, a file in its place hides them all, and keeps new ones from being written. */
export function* checkFolder(report: Report, storage: Storage, folder: Key): Operation<void> {
  if ((yield* perform(get(storage, folder))) === undefined) return
  const name = folder.join('/')
  const found = `${name} is a file instead of a folder: its content is lost, and nothing can be stored there.`
  report.risk('high', 'CorruptStore', name, `${found} Remove it, and restore the folder from a backup.`)
}
