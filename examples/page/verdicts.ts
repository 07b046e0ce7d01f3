// What a verdict is called here. Green only for a valid signature of a trusted agent.
import { SxError, type SxErrorCode, type VerificationResult } from 'sx-agent/simple'
import { adviceOn, reworded, withoutAdvice } from './advice.ts'

/** The steps of the ladder; each has a colour, a shape and a word of its own. */
export type Step = 'trusted' | 'untrusted' | 'invalid' | 'unsigned' | 'unknown' | 'unchecked'

/** A verdict in words. */
export interface Wording {
  readonly step: Step
  readonly title: string
  readonly reason: string
  readonly advice: string
  /** What was found, for those who know the format; '' where the reason says it. */
  readonly detail: string
}

/** What each step is called. */
export const titles: Readonly<Record<Step, string>> = {
  trusted: 'Valid and trusted',
  untrusted: 'Valid, but the signer is not in your trust list',
  invalid: 'Not valid',
  unsigned: 'No signature found',
  unknown: 'Unknown signer',
  unchecked: 'Could not check',
}

/** Codes that do not speak against the document. With any other one it is not valid. */
export const steps: Readonly<Partial<Record<SxErrorCode, Step>>> = {
  MissingSignature: 'unsigned',
  UnknownSigner: 'unknown',
  UnsupportedFormat: 'unchecked',
  LimitExceeded: 'unchecked',
  InvalidKey: 'unchecked',
}

/** Reasons where the library's own sentences can be said closer to this page. */
export const reasons: Readonly<Partial<Record<SxErrorCode, readonly [reason: string, advice: string]>>> = {
  UnknownSigner: [
    'It names a signer that you have not added, so the signature cannot be verified yet.',
    'Ask the sender for their agent document, confirm its key id with them, and add it below.',
  ],
  BadSignature: [
    'The document was changed after it was signed, or another key signed it.',
    'Do not use its content. Ask the signer for the original.',
  ],
  NotJson: ['This is not a signed document.', adviceOn('NotJson')],
  MissingSignature: [
    'This document has no signature.',
    'If it should be signed, ask the sender for the signed document.',
  ],
}

/** Said where the key that was given is not the one that a signature names: nothing was checked with it. */
const otherKey = [
  'The key you entered is not the key that the signature names, so the signature could not be verified.',
  'Ask the signer for the public key with the key id below.',
] as const

/** Words for what a key that was given is to blame for, not the signature; none for any other code. */
export function withGivenKey(code: SxErrorCode): Wording | undefined {
  return code === 'KeyMismatch' ? say('unchecked', ...otherKey) : undefined
}

/**
 * A verdict of the library in words.
 *
 * @param isGiven whether it was checked with a key that was given
 */
export function wording(result: VerificationResult, isGiven: boolean): Wording {
  if (result.valid && result.trusted) {
    return say('trusted', 'It is unchanged since an agent you trust signed it.', '')
  }
  if (result.valid) {
    return say(
      'untrusted',
      'It is unchanged since it was signed with the key you entered.',
      'To trust the signer, confirm the key id with them and add their agent document below.',
    )
  }
  const other = isGiven ? withGivenKey(result.code) : undefined
  if (other !== undefined) return other
  const step = steps[result.code] ?? 'invalid'
  const [reason, advice] = reasons[result.code] ?? [withoutCode(result), '']
  return say(step, reason, advice, result.code === 'NotJson' ? foundOf(result) : '')
}

/** A check that came to no verdict. */
export function unchecked(error: unknown): Wording {
  return say('unchecked', sentence(error), '')
}

/** What went wrong and what to do about it. */
export function sentence(error: unknown): string {
  return error instanceof SxError ? `${error.found} ${adviceOn(error.code)}` : `This page failed: ${String(error)}`
}

/** A verdict that has no words of its own here. */
export interface Reasons {
  readonly code: SxErrorCode
  readonly errors: readonly string[]
}

/** An error of a result begins with the code, which is for programs. */
export function withoutCode({ code, errors }: Reasons): string {
  return errors.map((error) => reworded(code, error).replace(`${code}: `, '')).join(' ')
}

/** What was found, without what to do about it. */
function foundOf({ code, errors }: Reasons): string {
  return errors.map((error) => withoutAdvice(code, error).replace(`${code}: `, '')).join(' ')
}

/** Words for a step. */
export function say(step: Step, reason: string, advice: string, detail = ''): Wording {
  return { step, title: titles[step], reason, advice, detail }
}
