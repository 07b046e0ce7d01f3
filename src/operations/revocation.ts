/** Revocations that are made in advance, and applied without the key (protocol, section 7). */
import * as core from '#core'
import { text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { REVOCATION_OPTIONS, STATEMENT_OPTIONS } from '../option-names.ts'
import { plainOptions } from '../options.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { readStated, type Stated } from '../state/own-revocations.ts'
import type { RevocationOptions, RevokeByStatement } from '../types.ts'
import { changeOwn, published } from './agents.ts'
import { isStill, pause } from './current-key.ts'
import { sign } from './signing.ts'

/** `createRevocation`: the current key states that it is revoked, for the day on which it cannot. */
export function* createRevocation(session: Session, options: RevocationOptions = {}): Operation<string> {
  const loaded = requireLoaded(session)
  const { keyId, reason = 'compromised' } = plainOptions(options, REVOCATION_OPTIONS)
  const id = keyId === undefined ? undefined : text(keyId, 'keyId')
  const why = text(reason, 'reason')
  for (;;) {
    const signing = requireSigning(loaded)
    const current = loaded.own.current.keyId
    const at = yield* perform(now)
    const random = yield* perform(entropy)
    const state = (): string => core.agentStateRevocation(signing.signer.handle, id, why, at, random)
    const statement = yield* sign(signing, state)
    // A rotation of this process may stand in the storage before this process has followed it.
    if ((yield* isStill(loaded, current)) && loaded.own.latest.keyId === current) return statement
    if (loaded.own.isRotating) yield* perform(pause)
  }
}

/** Longer than any statement. */
const LONGEST = 1 << 16

/** `revokeKey` by a statement, about a key of this agent or of a trusted one. */
export function* revokeByStatement(session: Session, given: RevokeByStatement): Operation<string> {
  const loaded = requireLoaded(session)
  const { statement } = plainOptions(given, STATEMENT_OPTIONS)
  const stated = readStated(text(statement, 'statement', LONGEST))
  if (stated.agentId === loaded.id) return yield* revokeOwn(loaded, stated)
  yield* loaded.trust.revoke(stated.agentId, stated.text)
  const document = yield* loaded.trust.document(stated.agentId)
  if (document === undefined) throw new SxError('NotFound', 'This agent is no longer trusted.')
  return document
}

/** An earlier key is revoked in the agent document, if this process can sign that. Else the statement stands beside it. */
function* revokeOwn(loaded: Loaded, { keyId, text: statement }: Stated): Operation<string> {
  const { own } = loaded
  yield* own.follow()
  const isCurrent = own.latest.keyId === keyId
  if (isCurrent || loaded.signing === undefined || own.isOvertaken || own.isRevoked) {
    yield* own.revoke(statement)
    return published(loaded).text
  }
  return yield* changeOwn(loaded, (signing, at, random) =>
    core.agentRevokeAsStated(signing.signer.handle, statement, at, random),
  )
}
