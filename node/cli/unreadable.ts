/** What a list says of entries that were damaged or lost: they are named, and all others are listed. */
import type { SxErrorCode } from '../../src/simple.ts'
import { EXIT } from './exit.ts'
import type { Outcome } from './output.ts'

/** Why an entry cannot be read. */
export interface Unreadable {
  readonly code: SxErrorCode
  readonly message: string
}

/**
 * How a list that misses some entries ends.
 *
 * @param entries ids of what is missing, and why; at least one
 * @param noun what one entry is
 * @param sentence what is said of so many
 */
export function incomplete(
  entries: readonly (readonly [id: string, why: Unreadable])[],
  noun: string,
  sentence: (count: string) => string,
): Pick<Outcome, 'note' | 'failure'> {
  const code = entries[0]?.[1].code ?? 'CorruptStore'
  const message = sentence(entries.length === 1 ? `one ${noun}` : `${entries.length} ${noun}s`)
  return {
    note: {
      title: ['bad', `sx: ${code}: ${message}`],
      rows: entries.map(([id, why]) => [id, `${why.code}: ${why.message}`] as const),
    },
    failure: { exit: EXIT.unchecked, code, message },
  }
}
