import type { Operation } from '../../effects.ts'
import { requireLoaded, type Session } from '../../session.ts'
import type { AgreementCopy } from '../../types.ts'
import { act } from './act.ts'
import { openAgreement } from './open.ts'
import { importAgreement } from './verify.ts'

/** `supersedeAgreement` */
export function* supersede(
  session: Session,
  agreement: unknown,
  successor: unknown,
  noSave: boolean,
): Operation<AgreementCopy> {
  const loaded = requireLoaded(session)
  const { id, hash, raw } = yield* openAgreement(loaded, successor)
  yield* importAgreement(session, raw)
  const data = { successor: { sxId: id, sha256: hash } }
  return yield* act(session, agreement, { type: 'supersede', data, noSave, successor: id })
}
