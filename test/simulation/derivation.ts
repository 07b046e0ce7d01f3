import { createHash } from 'node:crypto'
import type { EffectOf } from '../../src/effects.ts'

/** In place of a key derivation, one that costs nothing. */
export function cheapDerivation({ parameters, password }: EffectOf<'derive'>): Uint8Array {
  return new Uint8Array(createHash('sha256').update(parameters).update('\0').update(password).update('\0').digest())
}
