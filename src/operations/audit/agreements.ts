import { agreementModule } from '../../agreements/module.ts'
import { type Operation, perform } from '../../effects.ts'
import { now } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { agreementEntry } from '../../names.ts'
import type { Loaded } from '../../session.ts'
import { agreementNames, readAgreement } from '../../state/agreements.ts'
import { askCore } from '../agreements/open.ts'
import { damagedEvent } from '../agreements/received.ts'
import type { Report } from './report.ts'

/** Whether the stored agreements are whole: every entry, every event that another one has seen, and every signature. */
export function* auditAgreements(report: Report, loaded: Loaded): Operation<void> {
  const { storage } = loaded.documents
  const ids = [...(yield* agreementNames(storage)).keys()]
  if (ids.length === 0) return
  const module = yield* perform(agreementModule)
  const at = yield* perform(now)
  for (const id of ids) {
    try {
      const opened = yield* readAgreement(storage, module, id)
      if (opened === undefined) continue
      const { missing, events, errors } = module.judge((yield* askCore(loaded, opened, at)).text)
      const there = new Set(events.ignored.map(({ eventId }) => eventId))
      for (const event of missing) {
        if (there.has(event)) continue // nobody knows its key, or its signature is damaged, which is said below
        const found = `The stored agreement ${id} lacks the event ${event}, to which another event refers.`
        const entry = agreementEntry(id, event).join('/')
        const advice = 'Restore it from a backup, or import a copy that has it.'
        report.absence(entry, 'high', 'CorruptStore', id, `${found} ${advice}`)
      }
      // What has not even the form of an event has no id there.
      const named = new Set<string | null>(events.counted)
      for (const { eventId, code } of events.ignored) if (code !== 'BadSignature') named.add(eventId)
      for (const event of opened.events) {
        if (named.has(event)) continue
        const { found, advice } = damagedEvent(id, event)
        report.risk('high', 'CorruptStore', id, `${found} ${advice}`)
      }
      const [error] = errors
      if (error !== undefined && error.code !== 'UnknownSigner') {
        report.risk('high', 'CorruptStore', id, `The stored agreement ${id} is not valid. ${error.message}`)
      }
    } catch (error) {
      if (!(error instanceof SxError)) throw error
      if (error.code === 'SyncStorageUnavailable') {
        report.failure(error, id)
        continue
      }
      if (error.code !== 'CorruptStore' && error.code !== 'LimitExceeded') throw error
      const found =
        error.code === 'CorruptStore' ? error.found : `The stored agreement ${id} cannot be read. ${error.found}`
      report.risk('high', 'CorruptStore', id, `${found} Restore it from a backup.`)
    }
  }
}
