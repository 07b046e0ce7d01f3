import * as core from '#core'
import { call } from '../../core.ts'
import { cursor, get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import type { AgentPlace } from '../../session.ts'
import { notInMemory } from '../../state/chain.ts'
import type { Report } from './report.ts'

/** A key record (protocol, section 12). */
interface KeyRecord {
  readonly previous: string
  readonly pem: string | null
  readonly next?: readonly unknown[]
}

const hash = (text: string): string => call(() => core.hashString(text))

/**
 * Whether all key records are there and continue one another, as far as what they have replaced is still there, and
 * whether it should be. Those before the last one keep only a hash of a key that is gone, with which nothing compares.
 *
 * @param isSaid whether it was said already that they are damaged
 */
export function* auditRecords(report: Report, { directories, config }: AgentPlace, isSaid: boolean): Operation<void> {
  const { keys } = directories
  const file = config.privateKeyFilename
  const pathOf = (number: number): string => directories.keyPath(call(() => core.keyRecordFile(file, number)))
  const damaged = (number: number, found: string): void => {
    if (isSaid) return
    report.risk('high', 'CorruptStore', pathOf(number), `The key record ${pathOf(number)} ${found} Restore a backup.`)
  }
  const unfinished = (path: string, found: string): void =>
    report.risk(
      'low',
      'Unfinished',
      path,
      `${path} ${found}, because a change was interrupted. The next start completes it.`,
    )

  const numbers = yield* numbersOf(keys, file)
  const hashes: string[] = []
  let before: KeyRecord | undefined
  for (const [at, number] of numbers.entries()) {
    if (number !== at + 2) {
      if (report.isCopy) report.failure(notInMemory(pathOf(at + 2)), pathOf(at + 2))
      else damaged(at + 2, 'is missing, although a later one exists.')
      return
    }
    const record = yield* recordOf(
      keys,
      call(() => core.keyRecordFile(file, number)),
    )
    if (record === undefined) {
      damaged(number, 'is damaged.')
      return
    }
    if (before !== undefined && before.pem !== null) {
      unfinished(pathOf(number - 1), 'still contains a replaced private key')
      if (hash(before.pem) !== record.previous) damaged(number, 'does not continue the one before it.')
    }
    hashes.push(record.previous)
    before = record
  }
  if (before === undefined) return
  const last = numbers.length + 1
  if (before.pem === null) {
    const found = `The key record ${pathOf(last)} was replaced, but the next one is missing.`
    report.absence(pathOf(last + 1), 'high', 'Rollback', pathOf(last), `${found} Restore it from a backup.`)
    return
  }
  if (before.next !== undefined) unfinished(pathOf(last), 'contains a private key for a rotation')
  const bytes = yield* perform(get(keys, [file]))
  if (bytes === undefined) return // the record counts
  const pem = new TextDecoder().decode(bytes)
  if (pem === before.pem) return
  const path = directories.keyPath(file)
  if (hashes.includes(hash(pem))) {
    unfinished(path, 'contains a replaced private key')
    return
  }
  const found = `${path} is not a copy of the key record ${pathOf(last)}, and counts: it was replaced by hand, or one of the two was changed.`
  report.absence(
    'a key record',
    'low',
    'KeyMismatch',
    path,
    `${found} If the key can be decrypted, change its password: this writes both.`,
  )
}

/** The numbers of all key records, ascending. */
function* numbersOf(keys: AgentPlace['directories']['keys'], file: string): Operation<number[]> {
  const numbers: number[] = []
  const next = cursor(keys, [])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const [name = ''] = key
    if (key.length > 1 || !name.startsWith(`${file}.`)) continue
    const number = Number(/^[1-9][0-9]{0,15}$/.exec(name.slice(file.length + 1))?.[0] ?? 0)
    if (number > 1 && Number.isSafeInteger(number)) numbers.push(number)
  }
  return numbers.sort((one, other) => one - other)
}

/** A key record; nothing of one that is none. */
function* recordOf(keys: AgentPlace['directories']['keys'], name: string): Operation<KeyRecord | undefined> {
  const bytes = yield* perform(get(keys, [name]))
  try {
    return bytes && (JSON.parse(call(() => core.readKeyRecord(bytes))) as KeyRecord)
  } catch (error) {
    if (error instanceof SxError && error.code === 'CorruptStore') return undefined
    throw error
  }
}
