import * as core from '#core'
import { isBytes } from '../bytes.ts'
import { CoreObject, call } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { Bytes, ExternalSigner } from '../types.ts'

/** A private key in the core, or the public key of one that is somewhere else. */
export interface SigningKey {
  readonly secret: CoreObject
  readonly external: ExternalSigner | undefined
}

/** The key of an external signer. */
export function externalKey(external: ExternalSigner): SigningKey {
  const { algorithm, publicKey } = external
  const bytes = typeof publicKey === 'string' ? new TextEncoder().encode(publicKey) : publicKey
  return { secret: new CoreObject(() => call(() => core.secretExternal(algorithm, bytes))), external }
}

/**
 * Has the core make something that it signs. Where the private key is somewhere else, the core says what is to be
 * signed, and makes the same thing again once it has the signature.
 *
 * @param make calls the core once, and has no other effects
 * @throws SxError `SignerFailed`, `SyncSignerUnavailable`; `KeyMismatch` for a signature that does not verify
 */
export function* sign<T>({ secret, external }: SigningKey, make: () => T): Operation<T> {
  try {
    return call(make)
  } catch (error) {
    const message = external && (call(() => core.secretAsked(secret.handle)) as Bytes | undefined)
    if (external === undefined || message === undefined) throw error
    const signature = yield* perform(signatureBy(external, message))
    call(() => core.secretAnswer(secret.handle, message, signature))
    return call(make)
  }
}

/** What `crypto.subtle.sign` gives. */
function isBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** More than any signature. */
const LONGEST = 16 * 1024

function signatureBy(external: ExternalSigner, message: Bytes): Effect<Uint8Array> {
  return {
    kind: 'signer',
    async: async () => {
      let signature: unknown
      try {
        signature = await external.sign(message)
      } catch (cause) {
        throw new SxError('SignerFailed', undefined, { cause })
      }
      const bytes = isBuffer(signature) ? new Uint8Array(signature) : signature
      if (isBytes(bytes) && bytes.length <= LONGEST) return bytes
      throw new SxError('SignerFailed', 'The external signer gave no signature.')
    },
    sync: () => {
      throw new SxError('SyncSignerUnavailable')
    },
  }
}
