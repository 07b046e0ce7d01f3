import { SxError } from '../errors.ts'

/** A policy of Trusted Types (W3C) that allows the addresses of workers: what `trustedTypes.createPolicy` returns. */
export interface ScriptPolicy {
  createScriptURL(url: string): unknown
}

let policy: ScriptPolicy | undefined

/**
 * Has workers be started by a policy.
 *
 * @throws SxError `InvalidOption`
 */
export function setScriptPolicy(given: ScriptPolicy | undefined): void {
  if (given === undefined) return
  if (typeof (given as Partial<ScriptPolicy> | null)?.createScriptURL !== 'function') {
    throw new SxError('InvalidOption', "The option 'trustedTypes' has no createScriptURL.")
  }
  policy = given
}

/** The policy that was passed, if one was. */
export function scriptPolicy(): ScriptPolicy | undefined {
  return policy
}
