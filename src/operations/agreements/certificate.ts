import { certificatePage } from '../../agreements/certificate.ts'
import { type Operation, perform } from '../../effects.ts'
import { now } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { requireLoaded, type Session } from '../../session.ts'
import type { AgreementCertificateOptions, AgreementTerms } from '../../types.ts'
import { askCore, judge, openAgreement } from './open.ts'

/** `agreementCertificate` */
export function* agreementCertificate(
  session: Session,
  agreement: unknown,
  { format = 'json' }: AgreementCertificateOptions = {},
): Operation<string> {
  const loaded = requireLoaded(session)
  if (!isFormat(format)) throw new SxError('InvalidOption', "The option 'format' is neither 'json' nor 'html'.")
  const at = yield* perform(now)
  const opened = yield* openAgreement(loaded, agreement)
  const question = yield* askCore(loaded, opened, at)
  const { certificate, status, missing, errors } = yield* judge(loaded, at, opened, question)
  if (status === 'invalid') throw new SxError('InvalidAgreement', errors[0]?.message)
  if (certificate === null) {
    const advice = 'Merge all copies. If it is still not complete, more parties have to sign it.'
    throw new SxError('InvalidAgreement', `The agreement is not complete. Its status is '${status}'.`, { advice })
  }
  const [lacking] = missing
  if (lacking !== undefined) {
    const found = `The agreement lacks the event ${lacking}, which another event has seen.`
    const advice = 'Get a complete copy from another party, and merge it.'
    throw new SxError('InvalidAgreement', found, { advice })
  }
  if (format === 'json') return JSON.stringify(certificate, null, 2)
  const trusted = new Set(question.signers.flatMap((signer) => (signer.trusted ? [signer.agentId] : [])))
  const { terms } = JSON.parse(opened.raw) as { terms: AgreementTerms }
  return certificatePage({ certificate, terms, status, at: new Date(at).toISOString(), trusted })
}

const isFormat = (format: unknown): boolean => format === 'json' || format === 'html'
