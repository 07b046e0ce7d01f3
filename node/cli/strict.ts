/** Reading JSON that nothing is verified of, as strictly as what is verified. */
import { inspectSync, SxError, type SxErrorCode, verifyStandalone } from '../../src/simple.ts'

/** What the core's reader says of a text that is not strict JSON; all else is about what the text says. */
const UNREADABLE: ReadonlySet<SxErrorCode> = new Set([
  'DuplicateKey',
  'LimitExceeded',
  'LossyNumber',
  'NotJson',
] satisfies SxErrorCode[])

/**
 * The value of one strict JSON text. `JSON.parse` alone would hide what readers disagree about, and would take
 * nesting that nothing can print afterwards. So the core is asked what the text claims: whatever that is, the text was
 * read first.
 *
 * @throws SxError `NotJson`, `DuplicateKey`, `LossyNumber`, `LimitExceeded`
 */
export function parseStrictly(text: string): unknown {
  try {
    inspectSync(text)
  } catch (error) {
    if (!(error instanceof SxError) || UNREADABLE.has(error.code)) throw error
  }
  return JSON.parse(text)
}

/** Whose a document claims to be, and of which key; '' where it does not say so in the right form. */
export function claimOf(text: string): { readonly signerId: string; readonly keyId: string } {
  const { signerId, keyId } = verifyStandalone(text, { keys: {} }) // somebody who knows nobody
  return { signerId, keyId }
}
