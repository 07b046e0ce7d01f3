import * as core from '#core'
import { encode } from './bytes.ts'
import { call } from './core.ts'
import type { Effect } from './effects.ts'

/** A key that is derived from a password. It is named, so that whoever performs it can tell what is to be derived. */
export interface Derivation extends Effect<Uint8Array> {
  readonly kind: 'derivation'
  /** What the core says of how to derive it, as JSON. */
  readonly parameters: string
  readonly password: string
}

/** Derives the key that encrypts a private key at rest (protocol, section 4). It takes long, on purpose. */
export function derive(parameters: string, password: string): Derivation {
  const work = (): Uint8Array => {
    const bytes = encode(password)
    try {
      return call(() => core.deriveKey(parameters, bytes))
    } finally {
      bytes.fill(0)
    }
  }
  return { kind: 'derivation', parameters, password, async: work, sync: work }
}
