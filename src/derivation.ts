import * as core from '#core'
import { platform } from '#platform'
import { encode } from './bytes.ts'
import { call } from './core.ts'
import type { Effect } from './effects.ts'
import type { PlatformDerivation } from './platform.ts'

/** A key that is derived from a password. It is named, so that whoever performs it can tell what is to be derived. */
export interface Derivation extends Effect<Uint8Array> {
  readonly kind: 'derivation'
  /** What the core says of how to derive it, as JSON. */
  readonly parameters: string
  readonly password: string
}

/**
 * Derives the key that encrypts a private key at rest (protocol, section 4). It takes long, on purpose: where the runtime
 * has the same derivation of its own, it is that one's. The asynchronous form leaves it to another thread where there is
 * one. What is allowed is the core's to say in either case.
 */
export function derive(parameters: string, password: string): Derivation {
  const { derivation } = platform
  const byCore = (bytes: Uint8Array): Uint8Array => call(() => core.deriveKey(parameters, bytes))
  const check = (bytes: Uint8Array): void => call(() => core.checkDerivation(parameters, bytes.length))
  const sync = (): Uint8Array => {
    const bytes = encode(password)
    try {
      if (derivation?.sync === undefined) return byCore(bytes)
      check(bytes)
      return derivation.sync(parameters, bytes) ?? byCore(bytes)
    } finally {
      bytes.fill(0)
    }
  }
  const outside = async (own: PlatformDerivation): Promise<Uint8Array> => {
    const bytes = encode(password)
    try {
      check(bytes)
      return (await own.async(parameters, bytes)) ?? byCore(bytes)
    } finally {
      bytes.fill(0)
    }
  }
  return { kind: 'derivation', parameters, password, sync, async: derivation ? () => outside(derivation) : sync }
}
