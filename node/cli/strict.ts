/** Reading JSON that nothing is verified of, as strictly as what is verified. */
import { type Operation, runSync } from '../../src/effects.ts'
import { KeyRing } from '../../src/key-ring.ts'
import type { SxErrorCode, VerificationResult } from '../../src/simple.ts'
import { decide, orThrow, type Verdict } from '../../src/verification/decide.ts'

/** What the core's reader says of a text that is not strict JSON; all else is about what the text says. */
const UNREADABLE: ReadonlySet<SxErrorCode> = new Set([
  'DuplicateKey',
  'LimitExceeded',
  'LossyNumber',
  'NotJson',
] satisfies SxErrorCode[])

/**
 * The value of one strict JSON text. `JSON.parse` alone would hide what readers disagree about, and would take
 * nesting that nothing can print afterwards. So the core is asked for a verdict, without any key: whatever that
 * is, the text was read first.
 *
 * @throws SxError `NotJson`, `DuplicateKey`, `LossyNumber`, `LimitExceeded`
 */
export function parseStrictly(text: string): unknown {
  const verdict = decideAlone(text)
  if (verdict.error !== undefined && UNREADABLE.has(verdict.error.code)) orThrow(verdict)
  return JSON.parse(text)
}

/** Whose a document claims to be, and of which key; '' where it does not say so in the right form. */
export function claimOf(text: string): { readonly signerId: string; readonly keyId: string } {
  const { signerId, keyId } = decideAlone(text).result
  return { signerId, keyId }
}

/**
 * The verdict on a document under one key, whoever it says that it is from.
 *
 * @param pem the public key, SPKI PEM
 */
export function verdictUnder(text: string, pem: Uint8Array): VerificationResult {
  return decideAlone(text, pem).result
}

/** The verdict of somebody who knows nobody, or nothing but a key. */
function decideAlone(text: string, pem?: Uint8Array): Verdict {
  const ring = new KeyRing('')
  // oxlint-disable-next-line require-yield -- an operation without effects
  const findKeys = function* (agentId: string): Operation<void> {
    ring.set(agentId, 'directory', pem)
  }
  try {
    return runSync(() => decide(text, ring, findKeys, undefined))
  } finally {
    ring.dispose()
  }
}
