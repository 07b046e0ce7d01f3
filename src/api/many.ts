import { verifyAll } from '../operations/many.ts'
import type { Session } from '../session.ts'
import type { VerificationResult, VerifyManyOptions } from '../types.ts'
import { awaited, loadedAgent } from './form.ts'

/**
 * The verdicts on many signed documents, each as `verify` of `/simple` would give it (protocol, section 9). Workers
 * make them: threads in Node, web workers in a page. They are started when there is enough to do, kept for the next
 * call, ended by `close`, and keep no program running. Where there are none, or a policy forbids them, and for what
 * one that dies has not answered, the verdicts are made here, with pauses for what else there is to do.
 *
 * What is known of the signers is looked up during the call; a change meanwhile may count or not.
 *
 * @param signedDocuments their JSON texts; for what is no text the verdict is `NotJson`
 * @returns the verdicts, in the order of the documents. None is missing because of another one.
 * @throws SxError `NoAgentLoaded`, also if the agent is closed meanwhile; storage codes; `InvalidOption`. The reason
 *   of the signal, once that is aborted; nothing because of the documents
 * @example
 * const document = JSON.stringify({ ...JSON.parse(exportAgent()), name: 'Forged' })
 * const verdicts = await verifyMany([exportAgent(), document, '{}'])
 * console.log(verdicts.map(({ code }) => code ?? 'valid').join(' ')) // valid BadSignature MissingSignature
 */
export const verifyMany = awaited(
  { needs: loadedAgent, options: { at: 1, names: { concurrency: true, signal: true, onProgress: true } } },
  function verifyMany(
    session: Session,
    signedDocuments: readonly string[],
    options?: VerifyManyOptions,
  ): Promise<VerificationResult[]> {
    return verifyAll(session, signedDocuments, options)
  },
)
