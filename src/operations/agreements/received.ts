import type { Operation } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { agreementEntry } from '../../names.ts'
import type { Loaded } from '../../session.ts'
import { type AtHand, askCore, type Question } from './open.ts'

/**
 * The events of a copy that are not stored yet, and whose signatures are valid. Others would stand in the place of the
 * genuine ones, which have the same id.
 */
export function received({ module, kept }: AtHand, { text }: Question): string[] {
  const stored = new Set(kept?.events)
  const events = module.genuine(text)
  const some: string[] = []
  for (let at = 0; at < events.length; at += 2) {
    const [id = '', text = ''] = events.slice(at, at + 2)
    if (!stored.has(id)) some.push(id, text)
  }
  return some
}

/**
 * Refuses to store something of an agreement if the copy has a genuine event in whose place a damaged one is stored.
 * Nothing is overwritten, so the result for the copy would not be the one for what is stored.
 *
 * @throws SxError `CorruptStore`
 */
export function* refuseDamaged(loaded: Loaded, at: number, opened: AtHand, question: Question): Operation<void> {
  const { module, kept, events } = opened
  if (kept === undefined || new Set(events).size === events.length) return // no event has two texts
  const genuine = new Set(module.genuine(question.text))
  const { text } = yield* askCore(loaded, kept, at, question.named)
  const intact = new Set(module.genuine(text))
  const id = kept.events.find((event) => genuine.has(event) && !intact.has(event))
  if (id !== undefined) throw damagedEvent(opened.id, id)
}

/** The error for a stored event whose signature is damaged. */
export function damagedEvent(id: string, eventId: string): SxError {
  const entry = agreementEntry(id, eventId).join('/')
  const found = `The event ${eventId} of the stored agreement ${id} has no valid signature.`
  // As long as it is there, an import does not put the genuine one in its place.
  const advice = `Restore it from a backup, or remove ${entry} and import a copy that has it.`
  return new SxError('CorruptStore', found, { advice })
}
