import { certificatePage } from '../../agreements/certificate.ts'
import { type Operation, perform } from '../../effects.ts'
import { now } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { requireLoaded, type Session } from '../../session.ts'
import type { AgreementCertificateOptions, AgreementTerms } from '../../types.ts'
import { refuseIncomplete, refuseInvalid } from './act.ts'
import { historyOf } from './history.ts'
import { keysIn } from './keys.ts'
import { askCore, judge, openAgreement } from './open.ts'
import { unprovedIn } from './unproved.ts'

/** An event with such a code can count once the right key is known. */
const OF_KEYS: readonly string[] = ['InvalidKey', 'KeyConflict', 'KeyMismatch', 'UnknownSigner']

/** `agreementCertificate` */
export function* agreementCertificate(
  session: Session,
  agreement: unknown,
  { format = 'json', keys }: AgreementCertificateOptions = {},
): Operation<string> {
  const loaded = requireLoaded(session)
  if (!isFormat(format)) throw new SxError('InvalidOption', "The option 'format' is neither 'json' nor 'html'.")
  const named = keysIn(keys)
  const at = yield* perform(now)
  const opened = yield* openAgreement(loaded, agreement)
  const question = yield* askCore(loaded, opened, at, named)
  const judged = yield* judge(loaded, at, opened, question)
  refuseInvalid(judged)
  const { certificate, status } = judged
  if (certificate === null) {
    const isUnknown = judged.events.ignored.some(({ code }) => OF_KEYS.includes(code))
    const isRevoked = judged.events.ignored.some(({ code }) => code === 'KeyRevoked')
    const unproved = unprovedIn(judged, historyOf(opened, judged), at)
    const advice = isUnknown
      ? 'Some events are signed with keys that are unknown or do not match their agents. Trust these agents, or get their current agent documents.'
      : unproved.length > 0
        ? 'It is signed, but no notary has confirmed the date yet. Send it to a notary among its parties.'
        : isRevoked
          ? 'Events signed with revoked keys do not count. Ask their signers to propose or sign the agreement again.'
          : 'Merge all copies. If it is still not complete, more parties have to sign it.'
    throw new SxError('InvalidAgreement', `The agreement is not complete. Its status is '${status}'.`, { advice })
  }
  yield* refuseIncomplete(loaded, opened, judged)
  if (format === 'json') return JSON.stringify(certificate, null, 2)
  const trusted = new Set(question.signers.flatMap((signer) => (signer.trusted ? [signer.agentId] : [])))
  const terms = JSON.parse(opened.terms) as AgreementTerms
  const unproved = unprovedIn(judged, historyOf(opened, judged), at)
  return certificatePage({ certificate, terms, status, at: new Date(at).toISOString(), trusted, unproved })
}

const isFormat = (format: unknown): boolean => format === 'json' || format === 'html'
