import { createHash } from 'node:crypto'

/** What of the core is replaced, so that a key derivation costs nothing: everything else in it is real. */
export const cheapDerivation: { deriveKey(parameters: string, password: Uint8Array): Uint8Array } = {
  deriveKey: (parameters, password) =>
    new Uint8Array(createHash('sha256').update(parameters).update('\0').update(password).update('\0').digest()),
}
